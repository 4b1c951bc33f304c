/* CSV files row by row, over libcsv: see csv_reader.h.
 *
 * libcsv does not say where a row came from, so it is fed one physical line at a time: the row in progress when a line
 * goes in is the row that a callback then ends. Fields are collected in one buffer that is used again for each row. */
#include "population/csv_reader.h"

#include <csv.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

#define BLOCK_SIZE 65536

struct sprint__csv_reader {
  sprint_context *context;
  const char *path;
  char separator;
  struct sprint__csv_sink sink;
  struct csv_parser parser;
  sprint_status status; /* of the callbacks, which cannot return one */
  char *text;           /* the row so far */
  size_t n_text, text_room;
  size_t *starts;
  size_t n_fields, starts_room;
  size_t line, row_line; /* now; where the row in progress starts */
  bool row_begun, after_cr, begun;
  size_t n_mark;            /* bytes of a byte-order mark at the start so far */
  size_t n_columns, n_rows; /* of the header, below it */
  size_t n_rows_guess;
};

sprint_status sprint__csv_reader_new(sprint_context *context, const char *path, char separator,
                                     const struct sprint__csv_sink *sink, struct sprint__csv_reader **ret_reader) {
  struct sprint__csv_reader *r = sprint__alloc(context, 1, sizeof *r);
  if (!r) return SPRINT_ERROR_MEMORY;
  *r = (struct sprint__csv_reader){
      .context = context, .path = path, .separator = separator, .sink = *sink, .line = 1, .row_line = 1};
  if (csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
    sprint__free(r);
    return SPRINT_ERROR_MEMORY;
  }
  csv_set_delim(&r->parser, (unsigned char)separator);
  csv_set_blk_size(&r->parser, 4096);
  *ret_reader = r;
  return SPRINT_OK;
}

void sprint__csv_reader_free(struct sprint__csv_reader *r) {
  if (!r) return;
  csv_free(&r->parser);
  sprint__free(r->text);
  sprint__free(r->starts);
  sprint__free(r);
}

size_t sprint__csv_line(const struct sprint__csv_reader *r) { return r->line; }

static void take_field(void *field, size_t length, void *user) {
  struct sprint__csv_reader *r = user;
  if (r->status != SPRINT_OK) return;
  r->status = sprint__grow(r->context, (void **)&r->text, r->n_text, &r->text_room, r->n_text + length + 1, 1);
  if (r->status != SPRINT_OK) return;
  r->status =
      sprint__grow(r->context, (void **)&r->starts, r->n_fields, &r->starts_room, r->n_fields + 1, sizeof *r->starts);
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
    return r->sink.header(r->sink.user, &row, r->n_rows_guess);
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
  r->n_text = r->n_fields = 0;
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
    if (piece[i] == r->separator || !strchr(" \t\r\n", piece[i])) return false;
  return true;
}

/* A line, or a part of one that a block cut. */
static sprint_status feed_piece(struct sprint__csv_reader *r, const char *piece, size_t size) {
  if (memchr(piece, '\0', size))
    return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s:%zu: a NUL byte; the file is not UTF-8 text", r->path,
                       r->line);
  if (!r->row_begun && !is_blank(r, piece, size)) {
    r->row_begun = true;
    r->row_line = r->line;
  }
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

static const char byte_order_mark[] = "\xef\xbb\xbf";

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
  return r->n_mark > 0 && r->n_mark < length ? feed_line(r, byte_order_mark, r->n_mark) : SPRINT_OK;
}

sprint_status sprint__csv_feed_line(struct sprint__csv_reader *r, const char *bytes, size_t size, size_t *ret_used) {
  size_t skipped = 0;
  if (!r->begun) SPRINT__TRY(skip_mark(r, bytes, size, &skipped));
  size_t n = skipped < size ? piece_size(bytes + skipped, size - skipped) : 0;
  *ret_used = skipped + n;
  return n ? feed_line(r, bytes + skipped, n) : SPRINT_OK;
}

static sprint_status feed(struct sprint__csv_reader *r, const char *block, size_t size) {
  for (size_t used = 0; size > 0; block += used, size -= used)
    SPRINT__TRY(sprint__csv_feed_line(r, block, size, &used));
  return SPRINT_OK;
}

sprint_status sprint__csv_finish(struct sprint__csv_reader *r) {
  if (!r->begun && r->n_mark) SPRINT__TRY(feed_line(r, byte_order_mark, r->n_mark));
  if (csv_fini(&r->parser, take_field, take_row, r) != 0)
    return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s:%zu: a quote is opened in this row and never closed",
                       r->path, r->row_line);
  SPRINT__TRY(r->status);
  if (!r->n_columns) return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s: the file is empty", r->path);
  if (!r->n_rows) return sprint_fail(r->context, SPRINT_ERROR_INPUT, "%s: there are no rows below the header", r->path);
  return SPRINT_OK;
}

/* Line ends in the file, so that memory for the rows is taken once; 0 where the file cannot be read twice. */
static size_t count_lines(FILE *stream, char *block) {
  size_t n_lines = 0, size;
  if (fseek(stream, 0, SEEK_SET) != 0) return 0;
  while ((size = fread(block, 1, BLOCK_SIZE, stream)) > 0)
    for (const char *at = block; (at = memchr(at, '\n', size - (size_t)(at - block))); at++) n_lines++;
  rewind(stream);
  return n_lines;
}

static sprint_status read_blocks(struct sprint__csv_reader *r, FILE *stream, char *block) {
  size_t size;
  while ((size = fread(block, 1, BLOCK_SIZE, stream)) > 0) SPRINT__TRY(feed(r, block, size));
  if (ferror(stream)) return sprint_fail(r->context, SPRINT_ERROR_IO, "%s: cannot be read to its end", r->path);
  return sprint__csv_finish(r);
}

sprint_status sprint__csv_read(sprint_context *context, const char *path, char separator,
                               const struct sprint__csv_sink *sink) {
  SPRINT__SCOPED(fclose) FILE *stream = NULL;
  SPRINT__SCOPED(sprint__csv_reader_free) struct sprint__csv_reader *r = NULL;
  SPRINT__TRY(sprint__file_open(context, path, &stream));
  SPRINT__SCOPED(sprint__free) char *block = sprint__alloc(context, BLOCK_SIZE, 1);
  if (!block) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__csv_reader_new(context, path, separator, sink, &r));
  r->n_rows_guess = count_lines(stream, block);
  return read_blocks(r, stream, block);
}
