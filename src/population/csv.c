/* Data kind `csv`: a file with a header, one column of which is the label. */
#include "population/csv_rows.h"

static const sprint_param params[] = {
    SPRINT__TEXT("path", NULL, "the file; its first line names the columns"),
    SPRINT__CSV_PARAMS,
};

struct loader {
  const struct sprint__section *section;
  sprint_context *context;
  struct sprint__csv_rows rows;
  struct sprint__labels labels;
  struct sprint__table *table;
  size_t x_room, y_room; /* rows */
};

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  struct loader *l = user;
  struct sprint__table *t = l->table;
  SPRINT__TRY(sprint__csv_rows_choose(&l->rows, l->section, row));
  t->d = l->rows.d;
  SPRINT__TRY(sprint__csv_rows_name(&l->rows, t));
  t->x = sprint__alloc(l->context, n_rows_guess, t->d * sizeof *t->x);
  t->y = sprint__alloc(l->context, n_rows_guess, sizeof *t->y);
  l->x_room = l->y_room = n_rows_guess;
  return t->x && t->y ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status reserve_row(struct loader *l) {
  struct sprint__table *t = l->table;
  SPRINT__TRY(sprint__grow(l->context, (void **)&t->x, t->n, &l->x_room, t->n + 1, t->d * sizeof *t->x));
  return sprint__grow(l->context, (void **)&t->y, t->n, &l->y_room, t->n + 1, sizeof *t->y);
}

static sprint_status read_label(struct loader *l, const struct sprint__csv_row *row) {
  double *y = l->table->y + l->table->n;
  if (l->rows.target == SPRINT__TARGET_VALUE) return sprint__csv_number(&l->rows.header, row, l->rows.label, y);
  size_t id;
  SPRINT__TRY(sprint__labels_add(&l->labels, sprint__csv_field(row, l->rows.label), &id));
  *y = (double)id;
  return SPRINT_OK;
}

static sprint_status take_row(void *user, const struct sprint__csv_row *row) {
  struct loader *l = user;
  bool dropped = false;
  SPRINT__TRY(reserve_row(l));
  SPRINT__TRY(sprint__csv_rows_features(&l->rows, row, l->table->x + l->table->n * l->table->d, &dropped));
  if (dropped) return SPRINT_OK;
  SPRINT__TRY(read_label(l, row));
  l->table->n++;
  return SPRINT_OK;
}

static sprint_status load(struct loader *l, struct sprint__arena *arena) {
  struct sprint__csv_sink sink = {l, take_header, take_row};
  char *path = NULL;
  SPRINT__TRY(sprint__data_find(arena, sprint__get_text(l->section, "path"), &path));
  SPRINT__TRY(sprint__csv_rows_of(l->section, arena, path, &l->rows));
  l->labels.file = path;
  l->table->fill_median = l->rows.missing == SPRINT__MISSING_MEDIAN;
  SPRINT__TRY(sprint__csv_read(l->context, path, l->rows.separator, &sink));
  if (!l->table->n)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: every row has a missing value, and none is left", path);
  if (l->rows.target == SPRINT__TARGET_VALUE) return SPRINT_OK;
  return sprint__labels_finish(&l->labels, l->table->y, l->table->n, &l->table->n_classes, &l->table->class_names);
}

static sprint_status csv_load(const struct sprint__section *section, struct sprint__table *table) {
  SPRINT__SCRATCH(room, section->context);
  struct loader l = {.section = section, .context = section->context, .table = table};
  l.labels = (struct sprint__labels){.context = l.context};
  sprint_status status = load(&l, &room);
  sprint__labels_clear(&l.labels);
  return status;
}

static const struct sprint__data_ops ops = {csv_load};

const sprint_kind sprint__data_csv = {"csv", "a CSV file", params, SPRINT__COUNT(params), &ops};
