/* Data kind `npy`: features and labels in two NPY files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "population/build.h"
#include "population/cell.h"
#include "population/labels.h"
#include "population/npy.h"

static const sprint_param params[] = {
    SPRINT__TEXT(
        "x", NULL,
        "the features: an array (n, d), or images (n, h, w), (n, h, w, c), (n, c, h, w); of uint8 they stay bytes"),
    SPRINT__TEXT("y", NULL, "the labels: an array (n)"),
    SPRINT__TARGET,
    SPRINT__TEXTS("features", "", "names of the d features; x0, x1, ... where none are given"),
    SPRINT__CHOICE("layout", "auto", "auto|hwc|chw",
                   "of images with four dimensions: channels last, first, or in auto where the size is 1 or 3"),
    SPRINT__MISSING("a NaN is refused, drops its row, or becomes the median of its column"),
};

struct loader {
  const struct sprint__section *section;
  sprint_context *context;
  struct sprint__arena *arena;
  char *x_path, *y_path;
  enum sprint__missing missing;
  struct sprint__table *table;
};

enum layout { LAYOUT_AUTO, LAYOUT_HWC, LAYOUT_CHW };

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
static sprint_status read_arrays(struct loader *l, sprint_array *ret_x) {
  struct sprint__table *t = l->table;
  sprint_array x, y;
  SPRINT__TRY(sprint__npy_read_images(l->context, l->x_path, &x, &t->bytes));
  t->x = x.data;
  SPRINT__TRY(sprint_npy_read(l->context, l->y_path, &y));
  t->y = y.data;
  SPRINT__TRY(check_shapes(l, &x, &y));
  t->n = x.shape[0];
  t->d = sprint__array_size(&x) / t->n;
  *ret_x = x; /* its shape; the data is the table's */
  return SPRINT_OK;
}

static bool is_channels(size_t size) { return size == 1 || size == 3; }

static sprint_status find_layout(const struct loader *l, const sprint_array *x, enum layout *ret_layout) {
  const struct sprint__value *given = sprint__get(l->section, "layout");
  enum layout layout = (enum layout)sprint__get_choice(l->section, "layout");
  bool first = x->n_dims == 4 && is_channels(x->shape[1]), last = x->n_dims == 4 && is_channels(x->shape[3]);
  if (layout == LAYOUT_AUTO && x->n_dims == 4 && first == last)
    return sprint__refuse(l->section, "layout",
                          "the images of %s are %zu x %zu x %zu, and %s could be the channels; hwc or chw is needed",
                          l->x_path, x->shape[1], x->shape[2], x->shape[3],
                          first ? "the first or the last" : "neither end");
  if (layout != LAYOUT_AUTO && given->given && x->n_dims != 4)
    return sprint__refuse(l->section, "layout", "is for arrays of 4 dimensions, and %s has %zu", l->x_path, x->n_dims);
  *ret_layout = layout != LAYOUT_AUTO ? layout : first ? LAYOUT_CHW : LAYOUT_HWC;
  return SPRINT_OK;
}

/* Each row of n x d elements of `size` bytes from pixels of channels to planes of pixels. */
static void planes_first(unsigned char *rows, size_t n, size_t size, const struct sprint__shape *image,
                         unsigned char *scratch) {
  size_t plane = image->height * image->width, row_size = plane * image->channels * size;
  for (size_t i = 0; i < n; i++, rows += row_size) {
    memcpy(scratch, rows, row_size);
    for (size_t c = 0; c < image->channels; c++)
      for (size_t k = 0; k < plane; k++)
        memcpy(rows + (c * plane + k) * size, scratch + (k * image->channels + c) * size, size);
  }
}

/* Three and four dimensions are images: sets their form, and brings the channels to the front. */
static sprint_status arrange_images(struct loader *l, const sprint_array *x) {
  struct sprint__table *t = l->table;
  enum layout layout = LAYOUT_AUTO;
  SPRINT__TRY(find_layout(l, x, &layout));
  if (x->n_dims < 3) return SPRINT_OK;
  const size_t *s = x->shape;
  t->image = x->n_dims == 3         ? (struct sprint__shape){1, s[1], s[2]}
             : layout == LAYOUT_CHW ? (struct sprint__shape){s[1], s[2], s[3]}
                                    : (struct sprint__shape){s[3], s[1], s[2]};
  if (x->n_dims == 3 || layout == LAYOUT_CHW || t->image.channels == 1) return SPRINT_OK;
  size_t size = t->bytes ? sizeof *t->bytes : sizeof *t->x;
  unsigned char *scratch = sprint__arena_take(l->arena, t->d, size);
  if (scratch) planes_first(t->bytes ? t->bytes : (unsigned char *)t->x, t->n, size, &t->image, scratch);
  return sprint__arena_status(l->arena);
}

static sprint_status check_names(const struct loader *l, const struct sprint__value *names) {
  if (names->n_items != l->table->d)
    return sprint__refuse(l->section, "features", "%zu names for the %zu features of %s", names->n_items, l->table->d,
                          l->x_path);
  for (size_t j = 0; j < l->table->d; j++)
    for (size_t k = 0; k < j; k++)
      if (strcmp(names->texts[j], names->texts[k]) == 0)
        return sprint__refuse(l->section, "features", "the name '%s' is listed twice", names->texts[j]);
  return SPRINT_OK;
}

static sprint_status name_all(struct loader *l) {
  const struct sprint__value *names = sprint__get(l->section, "features");
  struct sprint__table *t = l->table;
  if (names->n_items) SPRINT__TRY(check_names(l, names));
  t->label_name = sprint__strdup(l->context, "y");
  t->names = names->n_items ? sprint__names_copy(l->context, (const char *const *)names->texts, t->d)
                            : sprint__names_numbered(l->context, "x", t->d);
  return t->names && t->label_name ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status refuse_label(const struct loader *l, size_t row, double value, enum sprint__cell cell) {
  return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s[%zu]: the label %g %s", l->y_path, row, value,
                     sprint__cell_complaint(cell));
}

/* Checks a row; *ret_dropped where a missing value drops it. Places are said as NumPy counts them, from 0. */
static sprint_status check_row(const struct loader *l, size_t row, bool *ret_dropped) {
  const double *x = l->table->x ? l->table->x + row * l->table->d : NULL;
  bool drop = l->missing == SPRINT__MISSING_DROP;
  enum sprint__cell label = sprint__cell_check(l->table->y[row]);
  if (label != SPRINT__CELL_NUMBER && !(label == SPRINT__CELL_MISSING && drop))
    return refuse_label(l, row, l->table->y[row], label);
  bool dropped = label == SPRINT__CELL_MISSING;
  for (size_t j = 0; x && j < l->table->d; j++) {
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
  struct sprint__table *t = l->table;
  size_t n_kept = 0;
  for (size_t i = 0; i < t->n; i++) {
    bool dropped = false;
    SPRINT__TRY(check_row(l, i, &dropped));
    if (dropped) continue;
    if (n_kept < i && t->x) memcpy(t->x + n_kept * t->d, t->x + i * t->d, t->d * sizeof *t->x);
    if (n_kept < i && t->bytes) memcpy(t->bytes + n_kept * t->d, t->bytes + i * t->d, t->d);
    t->y[n_kept++] = t->y[i];
  }
  if (!n_kept)
    return sprint_fail(l->context, SPRINT_ERROR_INPUT, "%s: every row has a missing value, and none is left",
                       l->x_path);
  t->n = n_kept;
  return SPRINT_OK;
}

static sprint_status find_classes(struct loader *l) {
  struct sprint__table *t = l->table;
  SPRINT__CLEARED(sprint__labels_clear) struct sprint__labels labels = {.context = l->context, .file = l->y_path};
  for (size_t i = 0; i < t->n; i++) {
    char text[32];
    size_t id = 0;
    sprint__snprintf(text, sizeof text, "%.17g", t->y[i]);
    SPRINT__TRY(sprint__labels_add(&labels, text, &id));
    t->y[i] = (double)id;
  }
  return sprint__labels_finish(&labels, t->y, t->n, &t->n_classes, &t->class_names);
}

static sprint_status load(struct loader *l) {
  sprint_array x;
  SPRINT__TRY(sprint__data_find(l->arena, sprint__get_text(l->section, "x"), &l->x_path));
  SPRINT__TRY(sprint__data_find(l->arena, sprint__get_text(l->section, "y"), &l->y_path));
  SPRINT__TRY(read_arrays(l, &x));
  SPRINT__TRY(arrange_images(l, &x));
  SPRINT__TRY(name_all(l));
  SPRINT__TRY(keep_rows(l));
  if (sprint__get_choice(l->section, "target") == SPRINT__TARGET_VALUE) return SPRINT_OK;
  return find_classes(l);
}

static sprint_status npy_load(const struct sprint__section *section, struct sprint__table *table) {
  SPRINT__SCRATCH(room, section->context);
  struct loader l = {
      .section = section,
      .context = section->context,
      .arena = &room,
      .missing = (enum sprint__missing)sprint__get_choice(section, "missing"),
      .table = table,
  };
  sprint_status status = load(&l);
  table->fill_median = table->x && l.missing == SPRINT__MISSING_MEDIAN;
  return status;
}

static const struct sprint__data_ops ops = {npy_load};

const sprint_kind sprint__data_npy = {"npy", "two NPY files: features and labels", params, SPRINT__COUNT(params), &ops};
