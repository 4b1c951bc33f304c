/* Data kind `csv`: a file with a header, one column of which is the label. */
#include <stdio.h>

#include "config/text.h"
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
  struct sprint__index ids;                    /* of all rows, where there is an id */
  size_t *id_lines;                            /* (ids.n) where each is */
  size_t x_room, y_room, weight_room, id_room; /* rows */
};

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  struct loader *l = user;
  struct sprint__table *t = l->table;
  SPRINT__TRY(sprint__csv_rows_choose(&l->rows, l->section, row));
  t->d = t->encoding->n_fields;
  t->label_name = sprint__strdup(l->context, l->rows.header.names[l->rows.label]);
  t->x = sprint__alloc(l->context, n_rows_guess, t->d * sizeof *t->x);
  t->y = sprint__alloc(l->context, n_rows_guess, sizeof *t->y);
  l->x_room = l->y_room = n_rows_guess;
  return t->label_name && t->x && t->y ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status reserve_row(struct loader *l) {
  struct sprint__table *t = l->table;
  SPRINT__TRY(sprint__grow(l->context, (void **)&t->x, t->n, &l->x_room, t->n + 1, t->d * sizeof *t->x));
  if (l->rows.has_weight)
    SPRINT__TRY(sprint__grow(l->context, (void **)&t->weight, t->n, &l->weight_room, t->n + 1, sizeof *t->weight));
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

/* One row for each person. */
static sprint_status check_id(struct loader *l, const struct sprint__csv_row *row) {
  const char *text = sprint__csv_field(row, l->rows.id);
  size_t number, n = l->ids.n;
  char rest[240];
  if (sprint__dialect_is_missing(&l->table->encoding->dialect, text))
    return sprint__csv_refuse(&l->rows.header, row, l->rows.id, "the id is missing");
  SPRINT__TRY(sprint__index_add(&l->ids, text, &number));
  SPRINT__TRY(sprint__grow(l->context, (void **)&l->id_lines, n, &l->id_room, n + 1, sizeof *l->id_lines));
  if (number == n) {
    l->id_lines[n] = row->line;
    return SPRINT_OK;
  }
  snprintf(rest, sizeof rest, "'%s' is the id of line %zu too; a column that says no id belongs under ignore",
           sprint__show(text).text, l->id_lines[number]);
  return sprint__csv_refuse(&l->rows.header, row, l->rows.id, rest);
}

static sprint_status take_row(void *user, const struct sprint__csv_row *row) {
  struct loader *l = user;
  bool dropped = false;
  double weight = 1;
  SPRINT__TRY(reserve_row(l));
  SPRINT__TRY(sprint__csv_rows_read(&l->rows, row, l->table->x + l->table->n * l->table->d, &weight, &dropped));
  if (l->rows.has_id) SPRINT__TRY(check_id(l, row));
  if (dropped) return SPRINT_OK;
  SPRINT__TRY(read_label(l, row));
  if (l->rows.has_weight) l->table->weight[l->table->n] = weight;
  l->table->n++;
  return SPRINT_OK;
}

/* People of every class were expected. */
static sprint_status check_weights(const struct loader *l) {
  const struct sprint__table *t = l->table;
  size_t n_classes = t->n_classes ? t->n_classes : 1;
  SPRINT__SCOPED(sprint__free) bool *there = sprint__alloc(l->context, n_classes, sizeof *there);
  if (!there) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < t->n; i++)
    if (!t->weight || t->weight[i] > 0) there[t->n_classes ? (size_t)t->y[i] : 0] = true;
  for (size_t c = 0; c < n_classes; c++)
    if (!there[c])
      return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: column '%s': %s%s: all weights are 0", l->rows.path,
                         sprint__show(l->rows.header.names[l->rows.weight]).text, t->n_classes ? "class " : "the rows",
                         t->n_classes ? t->class_names[c] : "");
  return SPRINT_OK;
}

static sprint_status load(struct loader *l, struct sprint__arena *arena) {
  struct sprint__csv_sink sink = {l, take_header, take_row};
  struct sprint__table *t = l->table;
  char *path = NULL;
  SPRINT__TRY(sprint__data_find(arena, sprint__get_text(l->section, "path"), &path));
  SPRINT__TRY(sprint__csv_encoding(l->section, path, &t->encoding));
  l->rows = (struct sprint__csv_rows){.context = l->context, .arena = arena, .path = path, .encoding = t->encoding};
  l->rows.target = (enum sprint__target)sprint__get_choice(l->section, "target");
  l->labels.file = path;
  t->fill_median = t->encoding->missing == SPRINT__MISSING_MEDIAN;
  SPRINT__TRY(sprint__csv_read(l->context, path, &t->encoding->dialect, &sink));
  if (!t->n)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: every row has a missing value, and none is left", path);
  if (l->rows.target == SPRINT__TARGET_CLASS)
    SPRINT__TRY(sprint__labels_finish(&l->labels, t->y, t->n, &t->n_classes, &t->class_names));
  return check_weights(l);
}

static sprint_status csv_load(const struct sprint__section *section, struct sprint__table *table) {
  SPRINT__SCRATCH(room, section->context);
  struct loader l = {.section = section, .context = section->context, .table = table};
  l.labels.context = l.ids.context = l.context;
  sprint_status status = load(&l, &room);
  sprint__labels_clear(&l.labels);
  sprint__index_clear(&l.ids);
  sprint__free(l.id_lines);
  return status;
}

static const struct sprint__data_ops ops = {csv_load};

const sprint_kind sprint__data_csv = {"csv", "a CSV file", params, SPRINT__COUNT(params), &ops};
