/* Data kind `npy`: features and labels in two NPY files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "population/build.h"
#include "population/cell.h"
#include "population/labels.h"

static const sprint_param params[] = {
    {"x", SPRINT_PARAM_TEXT, NULL, 0, 0, NULL, NULL, "the features: an array (n, d); further dimensions become one"},
    {"y", SPRINT_PARAM_TEXT, NULL, 0, 0, NULL, NULL, "the labels: an array (n)"},
    {"target", SPRINT_PARAM_CHOICE, "class", 0, 0, SPRINT__TARGET_CHOICES, NULL,
     "what the label holds: one of a few classes, or a value (regression)"},
    {"features", SPRINT_PARAM_TEXTS, "", 0, 0, NULL, NULL, "names of the d features; x0, x1, ... where none are given"},
    {"missing", SPRINT_PARAM_CHOICE, "refuse", 0, 0, SPRINT__MISSING_CHOICES, NULL,
     "a NaN is refused, drops its row, or becomes the median of its column"},
};

struct loader {
  const struct sprint__section *section;
  sprint_context *context;
  const char *x_path, *y_path;
  enum sprint__missing missing;
  struct sprint__table table;
};

static sprint_status check_shapes(const struct loader *l, const sprint_array *x, const sprint_array *y) {
  if (x->n_dims < 1 || x->shape[0] == 0)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: holds no rows", l->x_path);
  for (size_t k = 1; k < x->n_dims; k++)
    if (x->shape[k] == 0) return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: holds no features", l->x_path);
  if (y->n_dims != 1)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: has %zu dimensions, labels have one", l->y_path, y->n_dims);
  if (y->shape[0] != x->shape[0])
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: holds %zu labels for the %zu rows of %s", l->y_path,
                       y->shape[0], x->shape[0], l->x_path);
  return SPRINT_OK;
}

/* Reads both files into the table as they are. */
static sprint_status read_arrays(struct loader *l) {
  sprint_array x = {.data = NULL}, y = {.data = NULL};
  sprint_status status = sprint_npy_read(l->context, l->x_path, &x);
  if (status == SPRINT_OK) status = sprint_npy_read(l->context, l->y_path, &y);
  if (status == SPRINT_OK) status = check_shapes(l, &x, &y);
  if (status != SPRINT_OK) {
    sprint_array_clear(&x);
    sprint_array_clear(&y);
    return status;
  }
  l->table.n = x.shape[0];
  l->table.x = x.data;
  l->table.y = y.data;
  size_t d = 1;
  for (size_t k = 1; k < x.n_dims; k++) d *= x.shape[k];
  l->table.d = d;
  return SPRINT_OK;
}

static sprint_status copy_names(struct loader *l, const struct sprint__value *names) {
  if (names->n_items != l->table.d)
    return sprint__refuse(l->section, "features", "%zu names for the %zu features of %s", names->n_items, l->table.d,
                          l->x_path);
  for (size_t j = 0; j < l->table.d; j++)
    for (size_t k = 0; k < j; k++)
      if (strcmp(names->texts[j], names->texts[k]) == 0)
        return sprint__refuse(l->section, "features", "the name '%s' is listed twice", names->texts[j]);
  l->table.names = sprint__alloc(l->context, l->table.d, sizeof *l->table.names);
  if (!l->table.names) return SPRINT_ERROR_MEMORY;
  for (size_t j = 0; j < l->table.d; j++)
    if (!(l->table.names[j] = sprint__strdup(l->context, names->texts[j]))) return SPRINT_ERROR_MEMORY;
  return SPRINT_OK;
}

static sprint_status name_all(struct loader *l) {
  const struct sprint__value *names = sprint__get(l->section, "features");
  l->table.label_name = sprint__strdup(l->context, "y");
  if (!l->table.label_name) return SPRINT_ERROR_MEMORY;
  if (names->n_items) return copy_names(l, names);
  l->table.names = sprint__names_numbered(l->context, "x", l->table.d);
  return l->table.names ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status refuse_label(const struct loader *l, size_t row, double value, enum sprint__cell cell) {
  return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s[%zu]: the label %g %s", l->y_path, row, value,
                     sprint__cell_complaint(cell));
}

/* Checks a row; *ret_dropped where a missing value drops it. Places are said as NumPy counts them, from 0. */
static sprint_status check_row(const struct loader *l, size_t row, bool *ret_dropped) {
  const double *x = l->table.x + row * l->table.d;
  bool drop = l->missing == SPRINT__MISSING_DROP;
  enum sprint__cell label = sprint__cell_check(l->table.y[row]);
  if (label != SPRINT__CELL_NUMBER && !(label == SPRINT__CELL_MISSING && drop))
    return refuse_label(l, row, l->table.y[row], label);
  bool dropped = label == SPRINT__CELL_MISSING;
  for (size_t j = 0; j < l->table.d; j++) {
    enum sprint__cell cell = sprint__cell_check(x[j]);
    if (cell == SPRINT__CELL_NUMBER) continue;
    if (cell != SPRINT__CELL_MISSING || l->missing == SPRINT__MISSING_REFUSE)
      return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s[%zu, %zu]: %g %s", l->x_path, row, j, x[j],
                         sprint__cell_complaint(cell));
    if (drop) dropped = true;
  }
  *ret_dropped = dropped;
  return SPRINT_OK;
}

/* Checks all rows and moves the kept ones together. */
static sprint_status keep_rows(struct loader *l) {
  struct sprint__table *t = &l->table;
  size_t n_kept = 0;
  for (size_t i = 0; i < t->n; i++) {
    bool dropped = false;
    SPRINT__TRY(check_row(l, i, &dropped));
    if (dropped) continue;
    if (n_kept < i) memcpy(t->x + n_kept * t->d, t->x + i * t->d, t->d * sizeof *t->x);
    t->y[n_kept++] = t->y[i];
  }
  if (!n_kept)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: every row has a missing value, and none is left",
                       l->x_path);
  t->n = n_kept;
  return SPRINT_OK;
}

static sprint_status find_classes(struct loader *l) {
  struct sprint__table *t = &l->table;
  struct sprint__labels labels = {.context = l->context, .file = l->y_path};
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; i < t->n && status == SPRINT_OK; i++) {
    char text[32];
    size_t id = 0;
    snprintf(text, sizeof text, "%.17g", t->y[i]);
    status = sprint__labels_add(&labels, text, &id);
    t->y[i] = (double)id;
  }
  if (status == SPRINT_OK) status = sprint__labels_finish(&labels, t->y, t->n, &t->n_classes, &t->class_names);
  sprint__labels_clear(&labels);
  return status;
}

static sprint_status load(struct loader *l) {
  SPRINT__TRY(read_arrays(l));
  SPRINT__TRY(name_all(l));
  SPRINT__TRY(keep_rows(l));
  if (sprint__get_choice(l->section, "target") == SPRINT__TARGET_VALUE) return SPRINT_OK;
  return find_classes(l);
}

static sprint_status npy_load(const struct sprint__section *section, struct sprint__table *ret_table) {
  struct loader l = {
      .section = section,
      .context = section->context,
      .x_path = sprint__get_text(section, "x"),
      .y_path = sprint__get_text(section, "y"),
      .missing = (enum sprint__missing)sprint__get_choice(section, "missing"),
  };
  l.table = (struct sprint__table){.context = l.context, .fill_median = l.missing == SPRINT__MISSING_MEDIAN};
  sprint_status status = load(&l);
  if (status == SPRINT_OK)
    *ret_table = l.table;
  else
    sprint__table_clear(&l.table);
  return status;
}

static const struct sprint__data_ops ops = {npy_load};

const sprint_kind sprint__data_npy = {"npy", "two NPY files: features and labels", params, SPRINT__COUNT(params), &ops};
