/* Rows of a CSV for scoring: see csv_columns.h. */
#include "population/csv_columns.h"

#include <string.h>

#include "base/file.h"

struct picker {
  struct sprint__csv_rows rows;
  const struct sprint__csv_wanted *wanted;
  double *codes; /* (n_fields) of a row */
  struct sprint__csv_scored *scored;
  size_t n_room, y_room, weight_room;
  size_t more[SPRINT__CSV_MORE]; /* columns, of those that are there */
  double size;                   /* of the file; 0: nobody knows */
};

static sprint_status find_columns(struct picker *p) {
  struct sprint__csv_rows *rows = &p->rows;
  const struct sprint__csv_wanted *wanted = p->wanted;
  const struct sprint__csv_header *header = &rows->header;
  rows->has_id = wanted->id && sprint__csv_header_first(header, wanted->id) < header->n;
  rows->has_label = wanted->label;
  rows->has_weight = wanted->label && wanted->weight &&
                     (!wanted->weight_optional || sprint__csv_header_first(header, wanted->weight) < header->n);
  if (rows->has_id) SPRINT__TRY(sprint__csv_header_find(header, wanted->id, &rows->id));
  if (rows->has_label) SPRINT__TRY(sprint__csv_header_find(header, wanted->label, &rows->label));
  if (rows->has_weight) SPRINT__TRY(sprint__csv_header_find(header, wanted->weight, &rows->weight));
  p->scored->ids.there = rows->has_id;
  for (size_t k = 0; k < SPRINT__CSV_MORE; k++) {
    p->scored->more[k].there = wanted->more[k] && sprint__csv_header_first(header, wanted->more[k]) < header->n;
    if (p->scored->more[k].there) SPRINT__TRY(sprint__csv_header_find(header, wanted->more[k], &p->more[k]));
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
  p->codes = sprint__arena_take(p->rows.arena, encoding->n_fields, sizeof *p->codes);
  SPRINT__TRY(check_room(p, n_rows_guess));
  p->scored->x = sprint__alloc(p->rows.context, n_rows_guess, encoding->n_features * sizeof *p->scored->x);
  p->n_room = n_rows_guess;
  if (!p->codes || !p->scored->x) return SPRINT_ERROR_MEMORY;
  return find_columns(p);
}

static sprint_status take_text(struct picker *p, const struct sprint__csv_row *row, size_t column,
                               struct sprint__csv_texts *texts) {
  const char *text = sprint__csv_field(row, column);
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

static sprint_status take_texts(struct picker *p, const struct sprint__csv_row *row) {
  if (p->rows.has_id) SPRINT__TRY(take_text(p, row, p->rows.id, &p->scored->ids));
  for (size_t k = 0; k < SPRINT__CSV_MORE; k++)
    if (p->scored->more[k].there) SPRINT__TRY(take_text(p, row, p->more[k], &p->scored->more[k]));
  return SPRINT_OK;
}

static sprint_status take_label(struct picker *p, const struct sprint__csv_row *row) {
  struct sprint__csv_scored *scored = p->scored;
  size_t n = scored->n;
  double weight = 1;
  SPRINT__TRY(sprint__grow(p->rows.context, (void **)&scored->y, n, &p->y_room, n + 1, sizeof *scored->y));
  SPRINT__TRY(sprint__csv_rows_label(&p->rows, row, &scored->y[n], &weight));
  if (!p->rows.has_weight) return SPRINT_OK;
  SPRINT__TRY(
      sprint__grow(p->rows.context, (void **)&scored->weight, n, &p->weight_room, n + 1, sizeof *scored->weight));
  scored->weight[n] = weight;
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
  SPRINT__TRY(take_texts(p, row));
  if (p->rows.has_label) SPRINT__TRY(take_label(p, row));
  scored->n++;
  return SPRINT_OK;
}

sprint_status sprint__csv_score(struct sprint__encoding *encoding, const char *path, const double *fill,
                                const struct sprint__csv_wanted *wanted, struct sprint__csv_scored *ret_scored) {
  sprint_context *context = encoding->arena.context;
  SPRINT__SCRATCH(room, context);
  SPRINT__CLEARED(sprint__csv_scored_clear) struct sprint__csv_scored scored = {0};
  struct picker p = {.wanted = wanted, .scored = &scored};
  p.rows = (struct sprint__csv_rows){.context = context,
                                     .arena = &room,
                                     .path = path,
                                     .encoding = encoding,
                                     .fill = fill,
                                     .target = wanted->classes ? SPRINT__TARGET_CLASS : SPRINT__TARGET_VALUE,
                                     .classes = wanted->classes};
  p.size = sprint__file_size(path);
  struct sprint__csv_sink sink = {&p, take_header, take_row};
  struct sprint__dialect open = encoding->dialect;
  sprint_status status = sprint__csv_read(context, path, &encoding->dialect, &sink);
  encoding->dialect = open; /* the next file may be written in another way */
  SPRINT__TRY(status);
  *ret_scored = scored;
  scored = (struct sprint__csv_scored){0};
  return SPRINT_OK;
}

static void clear_texts(struct sprint__csv_texts *texts) {
  sprint__free(texts->bytes);
  sprint__free(texts->starts);
}

void sprint__csv_scored_clear(struct sprint__csv_scored *scored) {
  clear_texts(&scored->ids);
  for (size_t k = 0; k < SPRINT__CSV_MORE; k++) clear_texts(&scored->more[k]);
  sprint__free(scored->x);
  sprint__free(scored->y);
  sprint__free(scored->weight);
  *scored = (struct sprint__csv_scored){0};
}

sprint_status sprint__csv_read_columns(sprint_context *context, const char *path, const char *const *names,
                                       const double *fill, size_t n_names, size_t *ret_n, double **ret_x) {
  SPRINT__SCOPED(sprint__encoding_free) struct sprint__encoding *encoding = NULL;
  SPRINT__CLEARED(sprint__csv_scored_clear) struct sprint__csv_scored scored = {0};
  const struct sprint__csv_wanted wanted = {.id = NULL};
  SPRINT__TRY(sprint__encoding_new(context, path, &encoding));
  SPRINT__TRY(sprint__encoding_reserve(encoding, n_names));
  for (size_t j = 0; j < n_names; j++) SPRINT__TRY(sprint__encoding_add(encoding, names[j], SPRINT__NUMBER));
  sprint__encoding_place(encoding);
  SPRINT__TRY(sprint__csv_score(encoding, path, fill, &wanted, &scored));
  *ret_n = scored.n;
  *ret_x = sprint__give(&scored.x);
  return SPRINT_OK;
}
