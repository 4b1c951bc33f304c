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

static const double *view_row(const struct view *view, size_t i) {
  return view->table->x + (view->rows ? view->rows[i] : i) * view->table->d;
}

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

static sprint_status fit_medians(const struct view *view, struct sprint__column *columns) {
  const struct sprint__table *table = view->table;
  double *values = sprint__alloc(table->context, view->n, sizeof *values);
  if (!values) return SPRINT_ERROR_MEMORY;
  sprint_status status = SPRINT_OK;
  for (size_t j = 0; j < table->d && status == SPRINT_OK; j++) {
    size_t n = 0;
    for (size_t i = 0; i < view->n; i++) {
      double value = view_row(view, i)[j];
      if (!isnan(value)) values[n++] = value;
    }
    if (n)
      columns[j].fill = median(values, n);
    else
      status = sprint_fail(table->context, SPRINT_ERROR_INPUT,
                           "column '%s': every value is missing, so there is no median to fill in", table->names[j]);
  }
  sprint__free(values);
  return status;
}

/* Sums differences from the first row, so that the mean of a constant column is that constant exactly. */
static void fit_means(const struct view *view, struct sprint__column *columns) {
  size_t d = view->table->d;
  const double *first = view_row(view, 0);
  for (size_t i = 0; i < view->n; i++) {
    const double *x = view_row(view, i);
    for (size_t j = 0; j < d; j++)
      columns[j].mean += value_or_fill(x[j], &columns[j]) - value_or_fill(first[j], &columns[j]);
  }
  for (size_t j = 0; j < d; j++)
    columns[j].mean = value_or_fill(first[j], &columns[j]) + columns[j].mean / (double)view->n;
}

static void fit_deviations(const struct view *view, struct sprint__column *columns) {
  size_t d = view->table->d;
  for (size_t j = 0; j < d; j++) columns[j].scale = 0;
  for (size_t i = 0; i < view->n; i++) {
    const double *x = view_row(view, i);
    for (size_t j = 0; j < d; j++) {
      double difference = value_or_fill(x[j], &columns[j]) - columns[j].mean;
      columns[j].scale += difference * difference;
    }
  }
  for (size_t j = 0; j < d; j++) columns[j].scale = sqrt(columns[j].scale / (double)view->n);
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

static void fit_reals(const struct view *view, struct sprint__column *columns) {
  const struct sprint__table *table = view->table;
  size_t plane = table->image.height * table->image.width;
  fit_means(view, columns);
  fit_deviations(view, columns);
  for (size_t c = 0; c < table->image.channels; c++) pool_channel(columns + c * plane, plane);
  for (size_t j = 0; j < table->d; j++) columns[j].scale = scale_of(columns[j].mean, columns[j].scale);
}

/* From the counts of the 256 values a byte has: exact to a few roundings, at one pass over the bytes. */
static void fit_channel(const struct view *view, size_t channel, struct sprint__column *columns) {
  const struct sprint__table *table = view->table;
  size_t plane = table->image.height * table->image.width;
  uint64_t counts[256] = {0};
  for (size_t i = 0; i < view->n; i++) {
    const uint8_t *bytes = table->bytes + (view->rows ? view->rows[i] : i) * table->d + channel * plane;
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
  for (size_t j = 0; j < table->d; j++) {
    ret_columns[j].mean = 0;
    ret_columns[j].scale = table->bytes ? 255 : 1;
    ret_columns[j].fill = NAN;
  }
  if (table->fill_median) SPRINT__TRY(fit_medians(&view, ret_columns));
  if (standardize && table->bytes)
    for (size_t c = 0; c < table->image.channels; c++) fit_channel(&view, c, ret_columns);
  else if (standardize)
    fit_reals(&view, ret_columns);
  return SPRINT_OK;
}
