/* Standardising: mean and population standard deviation of each column, in double; rows count for their weight.
 * The columns of an image's channel are one: they share its mean and deviation. */
#include <math.h>

#include "population/build.h"

/* Below this ratio of deviation to mean the digits of a column are rounding, and it counts as constant. */
#define CONSTANT_RATIO 1e-12

struct sums {
  const struct sprint__view *view;
  struct sprint__column *columns; /* (d) */
  size_t d;
  double *first;   /* (d) the first row */
  size_t n_seen;   /* rows of this pass so far */
  double n_people; /* of all rows, by weight */
  bool even;       /* no weights, or none that counts: one person each */
};

static double next_weight(struct sums *s) {
  size_t i = s->n_seen++;
  return s->even ? 1 : sprint__view_weight(s->view, i);
}

/* Has all rows of the view visited, from the first on. */
static sprint_status pass(struct sums *s, sprint__row_visit visit) {
  s->n_seen = 0;
  return sprint__table_visit(s->view->table, s->view->rows, s->view->n, visit, s);
}

static void count_people(struct sums *s) {
  s->n_people = 0;
  for (size_t i = 0; i < s->view->n; i++) s->n_people += sprint__view_weight(s->view, i);
  s->even = !s->view->table->weight || s->n_people <= 0;
  if (s->even) s->n_people = (double)s->view->n;
}

static void see(void *user, const double *x) {
  const struct sums *s = user;
  for (size_t j = 0; j < s->d; j++) sprint__column_see(&s->columns[j], x[j]);
}

static void add_to_means(void *user, const double *x) {
  struct sums *s = user;
  double weight = next_weight(s);
  see(user, x);
  for (size_t j = 0; j < s->d; j++)
    s->columns[j].mean += weight * (sprint__column_value(&s->columns[j], x[j]) - s->first[j]);
}

static void add_to_variances(void *user, const double *x) {
  struct sums *s = user;
  double weight = next_weight(s);
  for (size_t j = 0; j < s->d; j++) {
    double difference = sprint__column_value(&s->columns[j], x[j]) - s->columns[j].mean;
    s->columns[j].scale += weight * (difference * difference);
  }
}

/* Sums differences from the first row, so that the mean of a constant column is that constant exactly. */
static sprint_status fit_means(struct sums *s) {
  const double *first = sprint__table_row(s->view->table, sprint__view_number(s->view, 0), s->first, NULL);
  for (size_t j = 0; j < s->d; j++) s->first[j] = sprint__column_value(&s->columns[j], first[j]);
  SPRINT__TRY(pass(s, add_to_means));
  for (size_t j = 0; j < s->d; j++) s->columns[j].mean = s->first[j] + s->columns[j].mean / s->n_people;
  return SPRINT_OK;
}

static sprint_status fit_deviations(struct sums *s) {
  for (size_t j = 0; j < s->d; j++) s->columns[j].scale = 0;
  SPRINT__TRY(pass(s, add_to_variances));
  for (size_t j = 0; j < s->d; j++) s->columns[j].scale = sqrt(s->columns[j].scale / s->n_people);
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

/* The median and the range between quartiles, for columns that have them; no range, but some spread: the deviation. */
static void take_quartiles(const struct sprint__quartiles *quartiles, struct sprint__column *columns, size_t d) {
  for (size_t j = 0; j < d; j++) {
    if (isnan(quartiles[j].median)) continue;
    columns[j].mean = quartiles[j].median;
    if (quartiles[j].range > CONSTANT_RATIO * fabs(quartiles[j].median)) columns[j].scale = quartiles[j].range;
  }
}

static sprint_status fit_moments(struct sums *s) {
  const struct sprint__table *table = s->view->table;
  size_t plane = table->image.height * table->image.width;
  count_people(s);
  SPRINT__TRY(fit_means(s));
  SPRINT__TRY(fit_deviations(s));
  for (size_t c = 0; c < table->image.channels; c++) pool_channel(s->columns + c * plane, plane);
  for (size_t j = 0; j < s->d; j++) {
    s->columns[j].scale = scale_of(s->columns[j].mean, s->columns[j].scale);
    if (s->columns[j].kind != SPRINT__LEVEL) continue;
    s->columns[j].mean = 0;
    s->columns[j].scale = 1;
  }
  return SPRINT_OK;
}

static sprint_status fit_reals(const struct sprint__view *view, const struct sprint__scaling *scaling,
                               struct sprint__column *columns) {
  const struct sprint__table *table = view->table;
  SPRINT__SCRATCH(room, table->context);
  struct sprint__quartiles *quartiles = sprint__arena_take(&room, table->d, sizeof *quartiles);
  struct sums sums = {.view = view, .columns = columns, .d = table->d};
  sums.first = sprint__arena_take(&room, table->d, sizeof *sums.first);
  SPRINT__TRY(sprint__arena_status(&room));
  if (scaling->quartiles || scaling->clip > 0)
    SPRINT__TRY(sprint__columns_fit_quartiles(view, scaling->clip, columns, quartiles));
  if (!scaling->standardize) return pass(&sums, see);
  SPRINT__TRY(fit_moments(&sums));
  if (scaling->quartiles) take_quartiles(quartiles, columns, table->d);
  return SPRINT_OK;
}

/* From the counts of the 256 values a byte has: exact to a few roundings, at one pass over the bytes. */
static void fit_channel(const struct sprint__view *view, size_t channel, struct sprint__column *columns) {
  const struct sprint__table *table = view->table;
  size_t plane = table->image.height * table->image.width;
  uint64_t counts[256] = {0};
  for (size_t i = 0; i < view->n; i++) {
    const uint8_t *bytes = table->bytes + sprint__view_number(view, i) * table->d + channel * plane;
    for (size_t k = 0; k < plane; k++) counts[bytes[k]]++;
  }
  double n = (double)view->n * (double)plane, mean = 0, variance = 0;
  for (size_t b = 0; b < 256; b++) mean += (double)counts[b] * (double)b;
  mean /= n;
  for (size_t b = 0; b < 256; b++) variance += (double)counts[b] * ((double)b - mean) * ((double)b - mean);
  set_channel(columns + channel * plane, plane, mean, scale_of(mean, sqrt(variance / n)));
}

sprint_status sprint__columns_fit(const struct sprint__view *view, const struct sprint__scaling *scaling,
                                  struct sprint__column *ret_columns) {
  const struct sprint__table *table = view->table;
  const struct sprint__column pixel = {NULL,           0,    255,  NAN,       0,       255, true,
                                       SPRINT__NUMBER, NULL, NULL, -INFINITY, INFINITY};
  for (size_t j = 0; j < table->d; j++) {
    ret_columns[j] = table->bytes ? pixel : sprint__column_unseen;
    if (table->origins) ret_columns[j].kind = table->origins[j].kind;
  }
  if (table->fill_median) SPRINT__TRY(sprint__columns_fit_medians(view, ret_columns));
  if (!table->bytes) return fit_reals(view, scaling, ret_columns);
  for (size_t c = 0; scaling->standardize && c < table->image.channels; c++) fit_channel(view, c, ret_columns);
  return SPRINT_OK;
}
