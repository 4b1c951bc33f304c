/* Standardising: mean, population standard deviation and median of each column, in double. The columns of an image's
 * channel are one: they share its mean and deviation. */
#include <math.h>

#include "population/build.h"

/* Below this ratio of deviation to mean the digits of a column are rounding, and it counts as constant. */
#define CONSTANT_RATIO 1e-12

/* The rows that a fit looks at. */
struct view {
  const struct sprint__table *table;
  const uint32_t *rows; /* NULL: the first n */
  size_t n;
};

static size_t view_number(const struct view *view, size_t i) { return view->rows ? view->rows[i] : i; }

static double value_or_fill(double value, const struct sprint__column *column) {
  return isnan(value) ? column->fill : value;
}

static void swap(double *a, double *b) {
  double kept = *a;
  *a = *b;
  *b = kept;
}

static double middle_of(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

/* The value that sorting would put at place k; values (n) are reordered so that no smaller one stands behind it.
 * Hoare's selection. */
static double select_kth(double *values, size_t n, size_t k) {
  size_t low = 0, high = n - 1;
  while (low < high) {
    double pivot = middle_of(values[low], values[low + (high - low) / 2], values[high]);
    size_t i = low, j = high;
    for (;;) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i >= j) break;
      swap(&values[i++], &values[j--]);
    }
    if (k <= j)
      high = j;
    else
      low = j + 1;
  }
  return values[k];
}

static double median(double *values, size_t n) {
  double upper = select_kth(values, n, n / 2);
  if (n % 2) return upper;
  double lower = values[0];
  for (size_t i = 1; i < n / 2; i++) lower = fmax(lower, values[i]);
  return lower + (upper - lower) / 2;
}

/* For loaded tables alone: generated ones have no missing values. */
static sprint_status fit_medians(const struct view *view, struct sprint__column *columns) {
  const struct sprint__table *table = view->table;
  SPRINT__SCOPED(sprint__free) double *values = sprint__alloc(table->context, view->n, sizeof *values);
  if (!values) return SPRINT_ERROR_MEMORY;
  for (size_t j = 0; j < table->d; j++) {
    size_t n = 0;
    for (size_t i = 0; i < view->n; i++) {
      double value = table->x[view_number(view, i) * table->d + j];
      if (!isnan(value)) values[n++] = value;
    }
    if (!n)
      return sprint_fail(table->context, SPRINT_ERROR_INPUT,
                         "column '%s': every value is missing, so there is no median to fill in", table->names[j]);
    columns[j].fill = median(values, n);
  }
  return SPRINT_OK;
}

struct sums {
  struct sprint__column *columns; /* (d) */
  size_t d;
  double *first; /* (d) the first row */
};

static void see(void *user, const double *x) {
  const struct sums *s = user;
  for (size_t j = 0; j < s->d; j++) sprint__column_see(&s->columns[j], x[j]);
}

static void add_to_means(void *user, const double *x) {
  const struct sums *s = user;
  see(user, x);
  for (size_t j = 0; j < s->d; j++) s->columns[j].mean += value_or_fill(x[j], &s->columns[j]) - s->first[j];
}

static void add_to_variances(void *user, const double *x) {
  const struct sums *s = user;
  for (size_t j = 0; j < s->d; j++) {
    double difference = value_or_fill(x[j], &s->columns[j]) - s->columns[j].mean;
    s->columns[j].scale += difference * difference;
  }
}

/* Sums differences from the first row, so that the mean of a constant column is that constant exactly. */
static sprint_status fit_means(const struct view *view, struct sums *s) {
  const double *first = sprint__table_row(view->table, view_number(view, 0), s->first, NULL);
  for (size_t j = 0; j < s->d; j++) s->first[j] = value_or_fill(first[j], &s->columns[j]);
  SPRINT__TRY(sprint__table_visit(view->table, view->rows, view->n, add_to_means, s));
  for (size_t j = 0; j < s->d; j++) s->columns[j].mean = s->first[j] + s->columns[j].mean / (double)view->n;
  return SPRINT_OK;
}

static sprint_status fit_deviations(const struct view *view, struct sums *s) {
  for (size_t j = 0; j < s->d; j++) s->columns[j].scale = 0;
  SPRINT__TRY(sprint__table_visit(view->table, view->rows, view->n, add_to_variances, s));
  for (size_t j = 0; j < s->d; j++) s->columns[j].scale = sqrt(s->columns[j].scale / (double)view->n);
  return SPRINT_OK;
}

static double scale_of(double mean, double deviation) {
  return deviation <= CONSTANT_RATIO * fabs(mean) ? 1 : deviation;
}

static void set_channel(struct sprint__column *columns, size_t plane, double mean, double scale) {
  for (size_t k = 0; k < plane; k++) {
    columns[k].mean = mean;
    columns[k].scale = scale;
  }
}

/* One mean and deviation for the columns of a channel: that of all their values. */
static void pool_channel(struct sprint__column *columns, size_t plane) {
  double mean = 0, variance = 0;
  for (size_t k = 0; k < plane; k++) mean += columns[k].mean - columns[0].mean;
  mean = columns[0].mean + mean / (double)plane;
  for (size_t k = 0; k < plane; k++) {
    double away = columns[k].mean - mean;
    variance += columns[k].scale * columns[k].scale + away * away;
  }
  set_channel(columns, plane, mean, sqrt(variance / (double)plane));
}

static sprint_status fit_reals(const struct view *view, bool standardize, struct sprint__column *columns) {
  const struct sprint__table *table = view->table;
  size_t plane = table->image.height * table->image.width;
  SPRINT__SCOPED(sprint__free) double *first = sprint__alloc(table->context, table->d, sizeof *first);
  struct sums sums = {columns, table->d, first};
  if (!first) return SPRINT_ERROR_MEMORY;
  if (!standardize) return sprint__table_visit(table, view->rows, view->n, see, &sums);
  SPRINT__TRY(fit_means(view, &sums));
  SPRINT__TRY(fit_deviations(view, &sums));
  for (size_t c = 0; c < table->image.channels; c++) pool_channel(columns + c * plane, plane);
  for (size_t j = 0; j < table->d; j++) columns[j].scale = scale_of(columns[j].mean, columns[j].scale);
  return SPRINT_OK;
}

/* From the counts of the 256 values a byte has: exact to a few roundings, at one pass over the bytes. */
static void fit_channel(const struct view *view, size_t channel, struct sprint__column *columns) {
  const struct sprint__table *table = view->table;
  size_t plane = table->image.height * table->image.width;
  uint64_t counts[256] = {0};
  for (size_t i = 0; i < view->n; i++) {
    const uint8_t *bytes = table->bytes + view_number(view, i) * table->d + channel * plane;
    for (size_t k = 0; k < plane; k++) counts[bytes[k]]++;
  }
  double n = (double)view->n * (double)plane, mean = 0, variance = 0;
  for (size_t b = 0; b < 256; b++) mean += (double)counts[b] * (double)b;
  mean /= n;
  for (size_t b = 0; b < 256; b++) variance += (double)counts[b] * ((double)b - mean) * ((double)b - mean);
  set_channel(columns + channel * plane, plane, mean, scale_of(mean, sqrt(variance / n)));
}

sprint_status sprint__columns_fit(const struct sprint__table *table, const uint32_t *rows, size_t n, bool standardize,
                                  struct sprint__column *ret_columns) {
  struct view view = {table, rows, n};
  const struct sprint__column pixel = {NULL, 0, 255, NAN, 0, 255, true};
  for (size_t j = 0; j < table->d; j++) ret_columns[j] = table->bytes ? pixel : sprint__column_unseen;
  if (table->fill_median) SPRINT__TRY(fit_medians(&view, ret_columns));
  if (!table->bytes) return fit_reals(&view, standardize, ret_columns);
  for (size_t c = 0; standardize && c < table->image.channels; c++) fit_channel(&view, c, ret_columns);
  return SPRINT_OK;
}
