/* CSV files row by row, over libcsv: see csv_reader.h.
 *
 * libcsv does not say where a row came from, so it is fed one physical line at a time: the row in progress when a line
 * goes in is the row that a callback then ends. Fields are collected in one buffer that is used again for each row. */
#include "population/csv_reader.h"

#include <csv.h>
#include <stdio.h>
#include <string.h>

#include "population/bytes.h"

#define BLOCK_SIZE 65536
#define MOST_BYTES (64u << 20) /* from one row to the next: what has no row ends would be read for ever */
#define LEAST_BLOCK 4096       /* bytes that the parser's room grows by, at least */

struct sprint__csv_reader {
  sprint_context *context;
  const char *path;
  struct sprint__dialect *dialect;
  struct sprint__csv_sink sink;
  struct csv_parser parser;
  sprint_status status; /* of the callbacks, which cannot return one */
  char *text;           /* the row so far */
  size_t n_text, text_room;
  size_t n_bytes; /* since the row before ended */
  size_t *starts;
  size_t n_fields, starts_room;
  size_t line, row_line; /* now; where the row in progress starts */
  bool row_begun, after_cr, begun;
  size_t n_mark;            /* bytes of a byte-order mark at the start so far */
  size_t n_columns, n_rows; /* of the header, below it */
  size_t n_rows_guess;
  size_t most_fields; /* that a file of its size can have; 0: nobody knows */
  char *head;         /* the header, until it has told the separator */
  size_t n_head, head_room;
  bool head_quoted;
};

sprint_status sprint__csv_reader_new(sprint_context *context, const char *path, struct sprint__dialect *dialect,
                                     const struct sprint__csv_sink *sink, struct sprint__csv_reader **ret_reader) {
  struct sprint__csv_reader *r = sprint__alloc(context, 1, sizeof *r);
  if (!r) return SPRINT_ERROR_MEMORY;
  *r = (struct sprint__csv_reader){
      .context = context, .path = path, .dialect = dialect, .sink = *sink, .line = 1, .row_line = 1};
  if (csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
    sprint__free(r);
    return SPRINT_ERROR_MEMORY;
  }
  csv_set_delim(&r->parser, (unsigned char)dialect->separator);
  *ret_reader = r;
  return SPRINT_OK;
}

void sprint__csv_reader_free(struct sprint__csv_reader *r) {
  if (!r) return;
  csv_free(&r->parser);
  sprint__free(r->text);
  sprint__free(r->starts);
  sprint__free(r->head);
  sprint__free(r);
}


static sprint_status reserve_field(struct sprint__csv_reader *r, size_t size) {
  SPRINT__TRY(sprint__grow(r->context, (void **)&r->text, r->n_text, &r->text_room, r->n_text + size, 1));
  return sprint__grow(r->context, (void **)&r->starts, r->n_fields, &r->starts_room, r->n_fields + 1,
                      sizeof *r->starts);
}

static void take_field(void *field, size_t length, void *user) {
  struct sprint__csv_reader *r = user;
  bool fits = r->n_text + length < r->text_room && r->n_fields < r->starts_room;
  if (r->status == SPRINT_OK && !fits) r->status = reserve_field(r, length + 1);
  if (r->status != SPRINT_OK) return;
  r->starts[r->n_fields++] = r->n_text;
  if (length) memcpy(r->text + r->n_text, field, length);
  r->n_text += length;
  r->text[r->n_text++] = '\0';
}

static sprint_status deliver(struct sprint__csv_reader *r) {
  struct sprint__csv_row row = {r->row_line, r->n_fields, r->text, r->starts};
  if (!r->n_columns) {
    r->n_columns = row.n;
    size_t most = r->most_fields / row.n + 1; /* a field takes a byte, with what ends it */
    return r->sink.header(r->sink.user, &row, r->n_rows_guess < most ? r->n_rows_guess : most);
  }
  if (row.n != r->n_columns)
    return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s:%zu: %zu %s, the header has %zu", r->path, row.line, row.n,
                       row.n == 1 ? "field" : "fields", r->n_columns);
  r->n_rows++;
  return r->sink.row(r->sink.user, &row);
}

static void take_row(int terminator, void *user) {
  (void)terminator;
  struct sprint__csv_reader *r = user;
  if (r->status == SPRINT_OK) r->status = deliver(r);
  r->n_text = r->n_fields = r->n_bytes = 0;
  r->row_begun = false;
}

static sprint_status parser_failure(struct sprint__csv_reader *r) {
  if (csv_error(&r->parser) != CSV_EPARSE)
    return sprint_fail(r->context, SPRINT_ERROR_MEMORY, "out of memory: %s:%zu: a row that is too long", r->path,
                       r->row_line);
  return sprint_fail(r->context, SPRINT_ERROR_INPUT,
                     "%s:%zu: a quote in the middle of a field; a field with quotes is written \"like \"\"this\"\"\"",
                     r->path, r->line);
}

static bool is_blank(const struct sprint__csv_reader *r, const char *piece, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (piece[i] == r->dialect->separator || !strchr(" \t\r\n", piece[i])) return false;
  return true;
}

static sprint_status check_piece(struct sprint__csv_reader *r, const char *piece, size_t size) {
  if (memchr(piece, '\0', size))
    return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s:%zu: a NUL byte; the file is not UTF-8 text", r->path,
                       r->line);
  if ((r->n_bytes += size) <= MOST_BYTES) return SPRINT_OK;
  return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s:%zu: no row ends within %u MB; a CSV file was expected",
                     r->path, r->row_line, MOST_BYTES >> 20);
}

/* A line, or a part of one that a block cut. */
static sprint_status feed_piece(struct sprint__csv_reader *r, const char *piece, size_t size) {
  SPRINT__TRY(check_piece(r, piece, size));
  if (!r->row_begun && !is_blank(r, piece, size)) {
    r->row_begun = true;
    r->row_line = r->line;
  }
  csv_set_blk_size(&r->parser, r->n_bytes > LEAST_BLOCK ? r->n_bytes : LEAST_BLOCK); /* a long field doubles its room */
  if (csv_parse(&r->parser, piece, size, take_field, take_row, r) != size) return parser_failure(r);
  return r->status;
}

/* The piece from the start of the block through its first line end, or all of it. */
static size_t piece_size(const char *block, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (block[i] == '\n' || block[i] == '\r') return i + 1;
  return size;
}

/* CRLF ends one line: the LF after a CR is a piece of the line before, which ended already. */
static sprint_status feed_line(struct sprint__csv_reader *r, const char *block, size_t n) {
  char last = block[n - 1];
  bool rest_of_crlf = r->after_cr && n == 1 && last == '\n';
  SPRINT__TRY(feed_piece(r, block, n));
  if ((last == '\n' && !rest_of_crlf) || last == '\r') r->line++;
  r->after_cr = last == '\r';
  return SPRINT_OK;
}

/* The header is complete: what is between its fields is known, and it can be read. */
static sprint_status read_head(struct sprint__csv_reader *r) {
  SPRINT__TRY(sprint__dialect_find(r->dialect, r->context, r->path, r->head, r->n_head));
  csv_set_delim(&r->parser, (unsigned char)r->dialect->separator);
  r->n_bytes = 0;
  for (size_t at = 0, n; at < r->n_head; at += n) {
    n = piece_size(r->head + at, r->n_head - at);
    SPRINT__TRY(feed_line(r, r->head + at, n));
  }
  return SPRINT_OK;
}

/* Keeps the piece, which may be the last of the header. */
static sprint_status feed_head(struct sprint__csv_reader *r, const char *piece, size_t n) {
  bool ends = piece[n - 1] == '\n' || piece[n - 1] == '\r';
  SPRINT__TRY(check_piece(r, piece, n));
  SPRINT__TRY(sprint__grow(r->context, (void **)&r->head, r->n_head, &r->head_room, r->n_head + n, 1));
  memcpy(r->head + r->n_head, piece, n);
  r->n_head += n;
  for (size_t i = 0; i < n; i++)
    if (piece[i] == '"') r->head_quoted = !r->head_quoted;
  return ends && !r->head_quoted && !is_blank(r, r->head, r->n_head) ? read_head(r) : SPRINT_OK;
}

static const char byte_order_mark[] = "\xef\xbb\xbf";

/* A part of a mark that did not become one is text. */
static sprint_status feed_begun_mark(struct sprint__csv_reader *r) {
  return r->dialect->separator ? feed_line(r, byte_order_mark, r->n_mark) : feed_head(r, byte_order_mark, r->n_mark);
}

/* Takes what of the bytes may be a byte-order mark, which blocks may cut; *ret_used says how many. What was taken for a
 * part of one and is not is text after all. */
static sprint_status skip_mark(struct sprint__csv_reader *r, const char *bytes, size_t size, size_t *ret_used) {
  size_t used = 0, length = sizeof byte_order_mark - 1;
  while (used < size && r->n_mark < length && bytes[used] == byte_order_mark[r->n_mark]) {
    used++;
    r->n_mark++;
  }
  *ret_used = used;
  if (used == size && r->n_mark < length) return SPRINT_OK;
  r->begun = true;
  return r->n_mark > 0 && r->n_mark < length ? feed_begun_mark(r) : SPRINT_OK;
}

sprint_status sprint__csv_feed_line(struct sprint__csv_reader *r, const char *bytes, size_t size, size_t *ret_used) {
  size_t skipped = 0;
  if (!r->begun && size && bytes[0] == '\x1f')
    return sprint_fail(r->context, SPRINT_ERROR_INPUT,
                       "%s: is gzip'd, which a stream is not; kind: csv reads it, or zcat into standard input",
                       r->path);
  if (!r->begun) SPRINT__TRY(skip_mark(r, bytes, size, &skipped));
  size_t n = skipped < size ? piece_size(bytes + skipped, size - skipped) : 0;
  *ret_used = skipped + n;
  if (!n) return SPRINT_OK;
  return r->dialect->separator ? feed_line(r, bytes + skipped, n) : feed_head(r, bytes + skipped, n);
}

static sprint_status feed(struct sprint__csv_reader *r, const char *block, size_t size) {
  for (size_t used = 0; size > 0; block += used, size -= used)
    SPRINT__TRY(sprint__csv_feed_line(r, block, size, &used));
  return SPRINT_OK;
}

sprint_status sprint__csv_finish(struct sprint__csv_reader *r) {
  if (!r->begun && r->n_mark) SPRINT__TRY(feed_begun_mark(r));
  if (!r->dialect->separator && r->n_head) SPRINT__TRY(read_head(r));
  if (csv_fini(&r->parser, take_field, take_row, r) != 0)
    return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s:%zu: a quote is opened in this row and never closed",
                       r->path, r->row_line);
  SPRINT__TRY(r->status);
  if (!r->n_columns) return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s: the file is empty", r->path);
  if (!r->n_rows) return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s: there are no rows below the header", r->path);
  return SPRINT_OK;
}

/* From the length of the lines of a file's first block, so that memory for all rows is taken once; 0: no idea. */
static size_t guess_rows(const struct sprint__bytes *bytes, const char *block, size_t size) {
  size_t n_lines = 0;
  if (sprint__bytes_is_gzip(bytes)) return 0;
  for (const char *at = block; (at = memchr(at, '\n', size - (size_t)(at - block))); at++) n_lines++;
  double n_rows = (double)sprint__bytes_at_most(bytes) / (double)(size ? size : 1) * (double)n_lines;
  return (size_t)(1.03 * n_rows);
}

static sprint_status read_blocks(struct sprint__csv_reader *r, struct sprint__bytes *bytes, char *block, size_t size) {
  for (; size > 0;) {
    SPRINT__TRY(feed(r, block, size));
    SPRINT__TRY(sprint__bytes_read(bytes, block, BLOCK_SIZE, &size));
  }
  return sprint__csv_finish(r);
}

/* The separator is known before the first byte is fed: the first block has told it. */
sprint_status sprint__csv_read(sprint_context *context, const char *path, struct sprint__dialect *dialect,
                               const struct sprint__csv_sink *sink) {
  SPRINT__SCOPED(sprint__bytes_close) struct sprint__bytes *bytes = NULL;
  SPRINT__SCOPED(sprint__csv_reader_free) struct sprint__csv_reader *r = NULL;
  SPRINT__SCOPED(sprint__free) char *block = sprint__alloc(context, BLOCK_SIZE, 1);
  size_t size = 0;
  if (!block) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__bytes_open(context, path, &bytes));
  SPRINT__TRY(sprint__bytes_read(bytes, block, BLOCK_SIZE, &size));
  SPRINT__TRY(sprint__dialect_find(dialect, context, path, block, size));
  SPRINT__TRY(sprint__csv_reader_new(context, path, dialect, sink, &r));
  r->n_rows_guess = guess_rows(bytes, block, size);
  r->most_fields = (size_t)sprint__bytes_at_most(bytes);
  return read_blocks(r, bytes, block, size);
}
