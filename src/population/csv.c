/* Data kind `csv`: a file with a header, one column of which is the label. */
#include <math.h>
#include <string.h>

#include "population/build.h"
#include "population/cell.h"
#include "population/csv_reader.h"
#include "population/labels.h"

static const sprint_param params[] = {
    SPRINT__TEXT("path", NULL, "the file; its first line names the columns"),
    SPRINT__TEXT("label", NULL, "the column to predict, by name"),
    SPRINT__TARGET,
    SPRINT__TEXTS("features", "", "the feature columns by name; all but label and ignore where none are given"),
    SPRINT__TEXTS("ignore", "", "columns to leave out by name; \"\" is a nameless one"),
    SPRINT__MISSING("an empty, NA or NaN field is refused, drops its row, or becomes the median of its column"),
    SPRINT__TEXT("separator", ",", "between fields: one character, or tab"),
};

struct loader {
  const struct sprint__section *section;
  sprint_context *context;
  struct sprint__arena *arena;
  char *path;
  enum sprint__missing missing;
  enum sprint__target target;
  struct sprint__csv_header header;
  size_t label;       /* column */
  size_t *columns;    /* (table->d) */
  const char **names; /* (table->d) of these */
  struct sprint__labels labels;
  struct sprint__table *table;
  size_t x_room, y_room; /* rows */
};

static bool listed(const struct sprint__value *list, const char *name) {
  for (size_t i = 0; i < list->n_items; i++)
    if (strcmp(list->texts[i], name) == 0) return true;
  return false;
}

static sprint_status add_feature(struct loader *l, size_t column) {
  const char *name = l->header.names[column];
  if (column == l->label)
    return sprint__refuse(l->section, "features", "column '%s' is the label and cannot be a feature", name);
  for (size_t j = 0; j < l->table->d; j++)
    if (l->columns[j] == column) return sprint__refuse(l->section, "features", "column '%s' is listed twice", name);
  l->names[l->table->d] = name;
  l->columns[l->table->d++] = column;
  return SPRINT_OK;
}

static sprint_status choose_listed(struct loader *l, const struct sprint__value *features) {
  for (size_t i = 0; i < features->n_items; i++) {
    size_t column;
    SPRINT__TRY(sprint__csv_header_find(&l->header, features->texts[i], &column));
    SPRINT__TRY(add_feature(l, column));
  }
  return SPRINT_OK;
}

static sprint_status choose_all_but(struct loader *l, const struct sprint__value *ignore) {
  for (size_t j = 0; j < l->header.n; j++) {
    const char *name = l->header.names[j];
    size_t column;
    if (j == l->label || listed(ignore, name)) continue;
    if (!*name)
      return sprint_fail(l->context, SPRINT_ERROR_INPUT,
                         "%s:%zu: column %zu has no name; leave it out by ignore: [\"\"], or give it one",
                         l->header.path, l->header.line, j + 1);
    SPRINT__TRY(sprint__csv_header_find(&l->header, name, &column)); /* refuses a name that is there twice */
    SPRINT__TRY(add_feature(l, column));
  }
  return SPRINT_OK;
}

static sprint_status check_ignore(const struct loader *l, const struct sprint__value *ignore,
                                  const struct sprint__value *features) {
  for (size_t i = 0; i < ignore->n_items; i++) {
    const char *name = ignore->texts[i];
    bool found = false;
    for (size_t j = 0; j < l->header.n && !found; j++) found = strcmp(l->header.names[j], name) == 0;
    size_t column;
    if (!found) return sprint__csv_header_find(&l->header, name, &column);
    if (listed(features, name) || strcmp(name, sprint__get_text(l->section, "label")) == 0)
      return sprint__refuse(l->section, "ignore", "column '%s' is also %s", name,
                            listed(features, name) ? "under features" : "the label");
  }
  return SPRINT_OK;
}

static sprint_status choose_columns(struct loader *l) {
  const struct sprint__value *features = sprint__get(l->section, "features");
  const struct sprint__value *ignore = sprint__get(l->section, "ignore");
  SPRINT__TRY(sprint__csv_header_find(&l->header, sprint__get_text(l->section, "label"), &l->label));
  SPRINT__TRY(check_ignore(l, ignore, features));
  SPRINT__TRY(features->n_items ? choose_listed(l, features) : choose_all_but(l, ignore));
  if (!l->table->d)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s:%zu: no column is left to be a feature", l->header.path,
                       l->header.line);
  return SPRINT_OK;
}

static sprint_status take_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  struct loader *l = user;
  SPRINT__TRY(sprint__csv_header_keep(l->arena, l->path, row, &l->header));
  l->columns = sprint__arena_take(l->arena, row->n, sizeof *l->columns);
  l->names = sprint__arena_take(l->arena, row->n, sizeof *l->names);
  SPRINT__TRY(sprint__arena_status(l->arena));
  SPRINT__TRY(choose_columns(l));
  l->table->names = sprint__names_copy(l->context, l->names, l->table->d);
  l->table->label_name = sprint__strdup(l->context, l->header.names[l->label]);
  l->table->x = sprint__alloc(l->context, n_rows_guess, l->table->d * sizeof *l->table->x);
  l->table->y = sprint__alloc(l->context, n_rows_guess, sizeof *l->table->y);
  l->x_room = l->y_room = n_rows_guess;
  bool ok = l->table->names && l->table->label_name && l->table->x && l->table->y;
  return ok ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status reserve_row(struct loader *l) {
  struct sprint__table *t = l->table;
  SPRINT__TRY(sprint__grow(l->context, (void **)&t->x, t->n, &l->x_room, t->n + 1, t->d * sizeof *t->x));
  return sprint__grow(l->context, (void **)&t->y, t->n, &l->y_room, t->n + 1, sizeof *t->y);
}

static sprint_status refuse_missing(const struct loader *l, const struct sprint__csv_row *row, size_t column) {
  if (column == l->label)
    return sprint__csv_refuse(&l->header, row, column, "the label is missing; missing: drop leaves such rows out");
  return sprint__csv_refuse(&l->header, row, column,
                            "the value is missing; missing: drop or missing: median deals with it");
}

/* The features of a row; *ret_dropped where one is missing and that drops the row. */
static sprint_status read_features(struct loader *l, const struct sprint__csv_row *row, bool *ret_dropped) {
  double *x = l->table->x + l->table->n * l->table->d;
  for (size_t j = 0; j < l->table->d; j++) {
    SPRINT__TRY(sprint__csv_number(&l->header, row, l->columns[j], &x[j]));
    if (!isnan(x[j])) continue;
    if (l->missing == SPRINT__MISSING_REFUSE) return refuse_missing(l, row, l->columns[j]);
    if (l->missing == SPRINT__MISSING_DROP) *ret_dropped = true;
  }
  return SPRINT_OK;
}

static bool is_missing(const char *text) {
  double value;
  return sprint__cell_parse(text, &value) == SPRINT__CELL_MISSING;
}

static sprint_status read_label(struct loader *l, const struct sprint__csv_row *row) {
  double *y = l->table->y + l->table->n;
  if (l->target == SPRINT__TARGET_VALUE) return sprint__csv_number(&l->header, row, l->label, y);
  size_t id;
  SPRINT__TRY(sprint__labels_add(&l->labels, sprint__csv_field(row, l->label), &id));
  *y = (double)id;
  return SPRINT_OK;
}

static sprint_status take_row(void *user, const struct sprint__csv_row *row) {
  struct loader *l = user;
  bool dropped = false;
  SPRINT__TRY(reserve_row(l));
  SPRINT__TRY(read_features(l, row, &dropped));
  if (is_missing(sprint__csv_field(row, l->label))) {
    if (l->missing != SPRINT__MISSING_DROP) return refuse_missing(l, row, l->label);
    dropped = true;
  }
  if (dropped) return SPRINT_OK;
  SPRINT__TRY(read_label(l, row));
  l->table->n++;
  return SPRINT_OK;
}

static sprint_status get_separator(const struct sprint__section *section, char *ret_separator) {
  const char *text = sprint__get_text(section, "separator");
  if (strcmp(text, "tab") == 0) {
    *ret_separator = '\t';
    return SPRINT_OK;
  }
  if (strlen(text) != 1 || strchr("\"\r\n", *text))
    return sprint__refuse(section, "separator", "'%s' is not one character or 'tab'", text);
  *ret_separator = *text;
  return SPRINT_OK;
}

static sprint_status load(struct loader *l) {
  struct sprint__csv_sink sink = {l, take_header, take_row};
  char separator = 0;
  SPRINT__TRY(get_separator(l->section, &separator));
  SPRINT__TRY(sprint__data_find(l->arena, sprint__get_text(l->section, "path"), &l->path));
  l->labels.file = l->path;
  SPRINT__TRY(sprint__csv_read(l->context, l->path, separator, &sink));
  if (!l->table->n)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: every row has a missing value, and none is left", l->path);
  if (l->target == SPRINT__TARGET_VALUE) return SPRINT_OK;
  return sprint__labels_finish(&l->labels, l->table->y, l->table->n, &l->table->n_classes, &l->table->class_names);
}

static sprint_status csv_load(const struct sprint__section *section, struct sprint__table *table) {
  SPRINT__SCRATCH(room, section->context);
  struct loader l = {.section = section, .context = section->context, .arena = &room, .table = table};
  l.missing = (enum sprint__missing)sprint__get_choice(section, "missing");
  l.target = (enum sprint__target)sprint__get_choice(section, "target");
  l.labels = (struct sprint__labels){.context = l.context};
  table->fill_median = l.missing == SPRINT__MISSING_MEDIAN;
  sprint_status status = load(&l);
  sprint__labels_clear(&l.labels);
  return status;
}

static const struct sprint__data_ops ops = {csv_load};

const sprint_kind sprint__data_csv = {"csv", "a CSV file", params, SPRINT__COUNT(params), &ops};
