/* Rows of a CSV for scoring: see csv_columns.h. */
#include "population/csv_columns.h"

#include <string.h>

#include "base/file.h"

struct picker {
  struct sprint__csv_rows rows;
  const struct sprint__csv_carried *carried; /* (n_carried) */
  size_t n_carried;
  size_t *carried_columns;
  double *codes; /* (n_fields) of a row */
  struct sprint__csv_scored *scored;
  size_t n_room;
  double size; /* of the file; 0: nobody knows */
};

static sprint_status find_carried(struct picker *p) {
  const struct sprint__csv_header *header = &p->rows.header;
  for (size_t c = 0; c < p->n_carried; c++) {
    struct sprint__csv_texts *texts = &p->scored->texts[c];
    texts->there = sprint__csv_header_first(header, p->carried[c].name) < header->n;
    if (!texts->there && p->carried[c].optional) continue;
    SPRINT__TRY(sprint__csv_header_find(header, p->carried[c].name, &p->carried_columns[c]));
  }
  return SPRINT_OK;
}

/* Room for so many rows: a word of a category may stand for very many features. */
static sprint_status check_room(const struct picker *p, size_t n_rows) {
  double need = (double)n_rows * (double)p->rows.encoding->n_features * (double)sizeof *p->scored->x;
  return sprint__memory_check(p->rows.context, p->rows.path, need, p->size);
}

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  struct picker *p = user;
  const struct sprint__encoding *encoding = p->rows.encoding;
  SPRINT__TRY(sprint__csv_rows_match(&p->rows, row));
  p->carried_columns = sprint__arena_take(p->rows.arena, p->n_carried, sizeof *p->carried_columns);
  p->codes = sprint__arena_take(p->rows.arena, encoding->n_fields, sizeof *p->codes);
  SPRINT__TRY(check_room(p, n_rows_guess));
  p->scored->x = sprint__alloc(p->rows.context, n_rows_guess, encoding->n_features * sizeof *p->scored->x);
  p->n_room = n_rows_guess;
  if (!p->carried_columns || !p->codes || !p->scored->x) return SPRINT_ERROR_MEMORY;
  return find_carried(p);
}

static sprint_status carry(struct picker *p, const struct sprint__csv_row *row, size_t c) {
  struct sprint__csv_texts *texts = &p->scored->texts[c];
  const char *text = sprint__csv_field(row, p->carried_columns[c]);
  size_t size = strlen(text) + 1, n = p->scored->n;
  SPRINT__TRY(sprint__grow(p->rows.context, (void **)&texts->bytes, texts->n_bytes, &texts->bytes_room,
                           texts->n_bytes + size, 1));
  SPRINT__TRY(
      sprint__grow(p->rows.context, (void **)&texts->starts, n, &texts->starts_room, n + 1, sizeof *texts->starts));
  memcpy(texts->bytes + texts->n_bytes, text, size);
  texts->starts[n] = texts->n_bytes;
  texts->n_bytes += size;
  return SPRINT_OK;
}

static sprint_status take_row(void *user, const struct sprint__csv_row *row) {
  struct picker *p = user;
  struct sprint__csv_scored *scored = p->scored;
  size_t d = p->rows.encoding->n_features;
  bool dropped = false;
  if (scored->n == p->n_room) SPRINT__TRY(check_room(p, 2 * scored->n));
  SPRINT__TRY(
      sprint__grow(p->rows.context, (void **)&scored->x, scored->n, &p->n_room, scored->n + 1, d * sizeof *scored->x));
  SPRINT__TRY(sprint__csv_rows_codes(&p->rows, row, p->codes, &dropped));
  sprint__encoding_expand(p->rows.encoding, p->codes, scored->x + scored->n * d);
  for (size_t c = 0; c < p->n_carried; c++)
    if (scored->texts[c].there) SPRINT__TRY(carry(p, row, c));
  scored->n++;
  return SPRINT_OK;
}

sprint_status sprint__csv_score(struct sprint__encoding *encoding, const char *path, const double *fill,
                                const struct sprint__csv_carried *carried, size_t n_carried,
                                struct sprint__csv_scored *ret_scored) {
  sprint_context *context = encoding->arena.context;
  SPRINT__SCRATCH(room, context);
  SPRINT__CLEARED(sprint__csv_scored_clear) struct sprint__csv_scored scored = {.n_texts = n_carried};
  struct picker p = {.carried = carried, .n_carried = n_carried, .scored = &scored};
  p.rows =
      (struct sprint__csv_rows){.context = context, .arena = &room, .path = path, .encoding = encoding, .fill = fill};
  p.size = sprint__file_size(path);
  scored.texts = sprint__alloc(context, n_carried, sizeof *scored.texts);
  if (!scored.texts) return SPRINT_ERROR_MEMORY;
  struct sprint__csv_sink sink = {&p, take_header, take_row};
  struct sprint__dialect open = encoding->dialect;
  sprint_status status = sprint__csv_read(context, path, &encoding->dialect, &sink);
  encoding->dialect = open; /* the next file may be written in another way */
  SPRINT__TRY(status);
  *ret_scored = scored;
  scored = (struct sprint__csv_scored){0};
  return SPRINT_OK;
}

void sprint__csv_scored_clear(struct sprint__csv_scored *scored) {
  for (size_t c = 0; c < scored->n_texts && scored->texts; c++) {
    sprint__free(scored->texts[c].bytes);
    sprint__free(scored->texts[c].starts);
  }
  sprint__free(scored->texts);
  sprint__free(scored->x);
  *scored = (struct sprint__csv_scored){0};
}

sprint_status sprint__csv_read_columns(sprint_context *context, const char *path, const char *const *names,
                                       const double *fill, size_t n_names, size_t *ret_n, double **ret_x) {
  SPRINT__SCOPED(sprint__encoding_free) struct sprint__encoding *encoding = NULL;
  SPRINT__CLEARED(sprint__csv_scored_clear) struct sprint__csv_scored scored = {0};
  SPRINT__TRY(sprint__encoding_new(context, path, &encoding));
  SPRINT__TRY(sprint__encoding_reserve(encoding, n_names));
  for (size_t j = 0; j < n_names; j++) SPRINT__TRY(sprint__encoding_add(encoding, names[j], SPRINT__NUMBER));
  sprint__encoding_place(encoding);
  SPRINT__TRY(sprint__csv_score(encoding, path, fill, NULL, 0, &scored));
  *ret_n = scored.n;
  *ret_x = sprint__give(&scored.x);
  return SPRINT_OK;
}
