/* Medians, quartiles and limits of columns: quantiles of the values that are there, by weight. */
#include <math.h>

#include "base/quantile.h"
#include "population/build.h"

/* The values of a column that are there, and how many people they count for. */
static size_t collect(const struct sprint__view *view, size_t column, struct sprint__counted *ret_items) {
  const struct sprint__table *table = view->table;
  size_t n = 0;
  for (size_t i = 0; i < view->n; i++) {
    double value = table->x[sprint__view_number(view, i) * table->d + column];
    if (!isnan(value)) ret_items[n++] = (struct sprint__counted){value, sprint__view_weight(view, i)};
  }
  return n;
}

static sprint_status fit_median(const struct sprint__view *view, size_t j, struct sprint__counted *items,
                                struct sprint__column *column) {
  size_t n = collect(view, j, items);
  double median = n ? sprint__quantile(items, n, 0.5) : NAN;
  if (isnan(median))
    return sprint_fail(view->table->context, SPRINT_ERROR_INPUT,
                       "column '%s': every value is missing, so there is no median to fill in", view->table->names[j]);
  column->fill = column->kind == SPRINT__BOOLEAN ? floor(median) : median; /* as many of either: not true */
  return SPRINT_OK;
}

/* For loaded tables alone: generated ones have no missing values. Nobody's level is missing. */
sprint_status sprint__columns_fit_medians(const struct sprint__view *view, struct sprint__column *columns) {
  SPRINT__SCOPED(sprint__free)
  struct sprint__counted *items = sprint__alloc(view->table->context, view->n, sizeof *items);
  if (!items) return SPRINT_ERROR_MEMORY;
  for (size_t j = 0; j < view->table->d; j++)
    if (columns[j].kind != SPRINT__LEVEL) SPRINT__TRY(fit_median(view, j, items, &columns[j]));
  return SPRINT_OK;
}

/* Where nobody counts, everybody counts once, as for means. */
static void count_somebody(struct sprint__counted *items, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (items[i].people > 0) return;
  for (size_t i = 0; i < n; i++) items[i].people = 1;
}

/* Clips the sorted items too, which stay sorted. */
static void set_limits(struct sprint__counted *items, size_t n, double clip, struct sprint__column *column) {
  column->low = sprint__quantile_between(items, n, clip);
  column->high = sprint__quantile_between(items, n, 1 - clip);
  for (size_t i = 0; i < n; i++) items[i].value = sprint__column_clip(column, items[i].value);
}

static void fit_quartiles(const struct sprint__view *view, size_t j, double clip, struct sprint__counted *items,
                          struct sprint__column *column, struct sprint__quartiles *ret_quartiles) {
  bool scales = column->kind == SPRINT__NUMBER || column->kind == SPRINT__DATE;
  size_t n = scales ? collect(view, j, items) : 0;
  *ret_quartiles = (struct sprint__quartiles){NAN, NAN};
  if (n == 0) return;
  count_somebody(items, n);
  sprint__counted_sort(items, n);
  if (clip > 0) set_limits(items, n, clip, column);
  ret_quartiles->median = sprint__quantile_between(items, n, 0.5);
  ret_quartiles->range = sprint__quantile_between(items, n, 0.75) - sprint__quantile_between(items, n, 0.25);
}

sprint_status sprint__columns_fit_quartiles(const struct sprint__view *view, double clip,
                                            struct sprint__column *columns, struct sprint__quartiles *ret_quartiles) {
  SPRINT__SCOPED(sprint__free)
  struct sprint__counted *items = sprint__alloc(view->table->context, view->n, sizeof *items);
  if (!items) return SPRINT_ERROR_MEMORY;
  for (size_t j = 0; j < view->table->d; j++) fit_quartiles(view, j, clip, items, &columns[j], &ret_quartiles[j]);
  return SPRINT_OK;
}
