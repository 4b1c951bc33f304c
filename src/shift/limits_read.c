/* Limits, as a section says them, and in words: see limits.h. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/print.h"
#include "config/text.h"
#include "population/date.h"
#include "shift/limits.h"

/* Who is being read, for whom. */
struct reading {
  sprint_shift *shift;
  const struct sprint__section *section;
  struct sprint__limits *limits;
};

/* The limit of a column that `key` names. */
static sprint_status find(const struct reading *r, const char *key, const char *name, struct sprint__limit **ret) {
  size_t k = 0;
  SPRINT__TRY(sprint__shift_column_among(r->shift, r->section, key, name, r->limits->columns, r->limits->n, &k));
  *ret = &r->limits->items[k];
  return SPRINT_OK;
}

static sprint_status read_rates(const struct reading *r) {
  const struct sprint__value *raw = sprint__get(r->section, "alpha_raw"), *cost = sprint__get(r->section, "cost");
  struct sprint__limit *limit = NULL;
  for (size_t i = 0; i < raw->n_items; i++) {
    SPRINT__TRY(find(r, "alpha_raw", raw->texts[i], &limit));
    limit->alpha = raw->reals[i] / limit->column->scale / limit->column->scale;
    if (!isfinite(limit->alpha))
      return sprint__refuse(r->section, "alpha_raw", "'%s': %g is too much for a scale of %g", raw->texts[i],
                            raw->reals[i], limit->column->scale);
  }
  for (size_t i = 0; i < cost->n_items; i++) {
    SPRINT__TRY(find(r, "cost", cost->texts[i], &limit));
    limit->cost = cost->reals[i];
  }
  return SPRINT_OK;
}

/* The first feature from a bound inwards whose raw value is not beyond it. */
static sprint_real inside(const struct sprint__column *column, double bound, sprint_real inwards) {
  sprint_real feature = sprint__column_place(column, bound);
  while (isfinite(feature) &&
         (inwards > 0 ? sprint__column_raw(column, feature) < bound : sprint__column_raw(column, feature) > bound))
    feature = sizeof feature == 8 ? (sprint_real)nextafter((double)feature, (double)inwards)
                                  : (sprint_real)nextafterf((float)feature, (float)inwards);
  return feature;
}

static void set_bounds(struct sprint__limit *limit, double low, double high) {
  limit->low = low;
  limit->high = high;
  limit->lowest = sprint__column_place(limit->column, low);
  limit->highest = sprint__column_place(limit->column, high);
  limit->floor = inside(limit->column, low, (sprint_real)INFINITY);
  limit->ceiling = inside(limit->column, high, (sprint_real)-INFINITY);
}

static sprint_status set_observed(const struct reading *r, struct sprint__limit *limit) {
  const struct sprint__column *column = limit->column;
  if (isnan(column->least))
    return sprint__refuse(r->section, "bounds", "the range of '%s' was not observed; [low, high] was expected",
                          column->name);
  set_bounds(limit, column->least, column->greatest);
  return SPRINT_OK;
}

static sprint_status read_bounds(const struct reading *r) {
  const struct sprint__value *bounds = sprint__get(r->section, "bounds");
  struct sprint__limit *limit = NULL;
  for (size_t k = 0; bounds->text && k < r->limits->n; k++) SPRINT__TRY(set_observed(r, &r->limits->items[k]));
  for (size_t i = 0; i < bounds->n_items; i++) {
    SPRINT__TRY(find(r, "bounds", bounds->texts[i], &limit));
    if (bounds->words[i])
      SPRINT__TRY(set_observed(r, limit));
    else
      set_bounds(limit, bounds->reals[2 * i], bounds->reals[2 * i + 1]);
    if (limit->floor > limit->ceiling)
      return sprint__refuse(r->section, "bounds", "'%s': no feature is between %.9g and %.9g", bounds->texts[i],
                            limit->low, limit->high);
  }
  return SPRINT_OK;
}

/* Sets a flag of the columns that `key` lists. */
static sprint_status read_flags(const struct reading *r, const char *key, size_t offset) {
  const struct sprint__value *names = sprint__get(r->section, key);
  struct sprint__limit *limit = NULL;
  for (size_t i = 0; i < names->n_items; i++) {
    SPRINT__TRY(find(r, key, names->texts[i], &limit));
    *(bool *)((char *)limit + offset) = true;
    if (limit->up && limit->down)
      return sprint__refuse(r->section, key, "'%s' is under only_up and only_down: leave it out of `columns` instead",
                            names->texts[i]);
  }
  return SPRINT_OK;
}

/* A boolean is 0 or 1, whatever else is said of it. */
static void start(struct sprint__limit *limit, const struct sprint__column *column, double alpha) {
  bool boolean = column->kind == SPRINT__BOOLEAN;
  *limit = (struct sprint__limit){.column = column, .alpha = alpha, .cost = 1, .whole = boolean};
  set_bounds(limit, boolean ? 0 : -INFINITY, boolean ? 1 : INFINITY);
}

static bool is_plain(const struct sprint__limit *limit, double alpha) {
  return limit->alpha == alpha && limit->cost == 1 && isinf(limit->low) && isinf(limit->high) && !limit->up &&
         !limit->down && !limit->whole;
}

static void sum_up(struct sprint__limits *limits, double alpha) {
  limits->even = isinf(limits->budget);
  limits->smooth = isinf(limits->budget);
  for (size_t k = 0; k < limits->n; k++) {
    const struct sprint__limit *limit = &limits->items[k];
    limits->even = limits->even && is_plain(limit, alpha);
    limits->smooth = limits->smooth && !limit->whole;
    limits->most_alpha = fmax(limits->most_alpha, limit->alpha);
  }
}

sprint_status sprint__limits_read(sprint_shift *shift, const struct sprint__section *section,
                                  struct sprint__limits *ret_limits) {
  double alpha = sprint__get_real(section, "alpha"), budget = sprint__get_real(section, "budget");
  *ret_limits = (struct sprint__limits){.budget = isnan(budget) ? INFINITY : budget};
  struct reading reading = {shift, section, ret_limits};
  SPRINT__TRY(sprint__shift_columns(shift, section, &ret_limits->columns, &ret_limits->n));
  ret_limits->items = sprint__arena_take(&shift->arena, ret_limits->n, sizeof *ret_limits->items);
  SPRINT__TRY(sprint__arena_status(&shift->arena));
  for (size_t k = 0; k < ret_limits->n; k++)
    start(&ret_limits->items[k], &shift->population->columns[ret_limits->columns[k]], alpha);
  SPRINT__TRY(read_rates(&reading));
  SPRINT__TRY(read_bounds(&reading));
  SPRINT__TRY(read_flags(&reading, "integers", offsetof(struct sprint__limit, whole)));
  SPRINT__TRY(read_flags(&reading, "only_up", offsetof(struct sprint__limit, up)));
  SPRINT__TRY(read_flags(&reading, "only_down", offsetof(struct sprint__limit, down)));
  sum_up(ret_limits, alpha);
  return SPRINT_OK;
}

/* One more of what is said in brackets. */
static void remark(struct sprint__text *text, size_t *n, const char *words) {
  sprint__text_add(text, (*n)++ ? ", " : " (");
  sprint__text_add(text, words);
}

/* A bound as people say it. */
struct bound {
  char text[32];
};

static struct bound bound_of(const struct sprint__limit *limit, double value) {
  struct bound bound = {""};
  if (limit->column->kind == SPRINT__DATE)
    snprintf(bound.text, sizeof bound.text, "%s", sprint__date_of(value).text);
  else
    sprint__snprintf(bound.text, sizeof bound.text, "%.6g", value);
  return bound;
}

static void say_limit(const struct sprint__limit *limit, struct sprint__text *text) {
  char range[96] = "";
  size_t n = 0;
  struct bound low = bound_of(limit, limit->low), high = bound_of(limit, limit->high);
  sprint__text_add(text, limit->column->name);
  if (isfinite(limit->low) && isfinite(limit->high))
    snprintf(range, sizeof range, "%s to %s", low.text, high.text);
  else if (isfinite(limit->low))
    snprintf(range, sizeof range, "at least %s", low.text);
  else if (isfinite(limit->high))
    snprintf(range, sizeof range, "at most %s", high.text);
  if (*range) remark(text, &n, range);
  if (limit->whole) remark(text, &n, "whole numbers");
  if (limit->up) remark(text, &n, "only up");
  if (limit->down) remark(text, &n, "only down");
  if (n) sprint__text_add(text, ")");
}

void sprint__limits_say(const struct sprint__limits *limits, struct sprint__text *text) {
  char budget[80] = "";
  for (size_t k = 0; k < limits->n && k < SPRINT__SAID; k++) {
    if (k > 0) sprint__text_add(text, ", ");
    say_limit(&limits->items[k], text);
  }
  if (limits->n > SPRINT__SAID) sprint__text_add(text, ", ...");
  if (isfinite(limits->budget))
    sprint__snprintf(budget, sizeof budget, ", by at most %.4g standard deviations in all", limits->budget);
  sprint__text_add(text, budget);
}
