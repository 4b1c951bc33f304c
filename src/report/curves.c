/* Means over seeds: see curves.h. */
#include "report/curves.h"

#include <math.h>
#include <string.h>

static bool same_group(const struct sprint__result *a, const struct sprint__result *b) {
  return strcmp(a->point, b->point) == 0 && strcmp(a->method, b->method) == 0;
}

static void group_add(struct sprint__group *group, const struct sprint__result *run) {
  if (!group->n_runs++) *group = (struct sprint__group){run->point, run->method, "", "", 1, run};
  if (!*group->kind) {
    group->kind = run->kind;
    group->correction = run->correction;
  }
  if (run->state == SPRINT__RESULT_DIVERGED)
    group->n_diverged++;
  else if (run->n_rows == 0)
    group->n_empty++;
  else if (run->state != SPRINT__RESULT_FINISHED)
    group->n_short++;
}

sprint_status sprint__results_group(struct sprint__arena *arena, const struct sprint__results *results,
                                    struct sprint__group **ret_groups, size_t *ret_n_groups) {
  struct sprint__group *groups = sprint__arena_take(arena, results->n_runs, sizeof *groups);
  size_t n = 0;
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t i = 0; i < results->n_runs; i++) {
    if (i == 0 || !same_group(&results->runs[i], &results->runs[i - 1])) n++;
    group_add(&groups[n - 1], &results->runs[i]);
  }
  *ret_groups = groups;
  *ret_n_groups = n;
  return SPRINT_OK;
}

/* Three columns of a run, without rows that have no number; x and epoch go forward. */
struct line {
  size_t n;
  bool finished;
  double *epoch, *x, *y;
};

static sprint_status line_of(struct sprint__arena *arena, const struct sprint__result *run, const char *x_name,
                             const char *y_name, struct line *ret_line) {
  const double *epoch = sprint__result_column(run, "epoch"), *x = sprint__result_column(run, x_name),
               *y = sprint__result_column(run, y_name);
  struct line line = {.finished = run->state == SPRINT__RESULT_FINISHED};
  if (!epoch || !x || !y) {
    *ret_line = line;
    return SPRINT_OK;
  }
  line.epoch = sprint__arena_take(arena, run->n_rows, sizeof *line.epoch);
  line.x = sprint__arena_take(arena, run->n_rows, sizeof *line.x);
  line.y = sprint__arena_take(arena, run->n_rows, sizeof *line.y);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t r = 0; r < run->n_rows; r++) {
    if (!isfinite(epoch[r]) || !isfinite(x[r]) || !isfinite(y[r])) continue;
    if (line.n && (epoch[r] <= line.epoch[line.n - 1] || x[r] < line.x[line.n - 1])) continue;
    line.epoch[line.n] = epoch[r];
    line.x[line.n] = x[r];
    line.y[line.n++] = y[r];
  }
  *ret_line = line;
  return SPRINT_OK;
}

static sprint_status curve_new(struct sprint__arena *arena, size_t n, struct sprint__curve *ret_curve) {
  struct sprint__curve curve = {.x = sprint__arena_take(arena, n, sizeof *curve.x),
                                .mean = sprint__arena_take(arena, n, sizeof *curve.mean),
                                .error = sprint__arena_take(arena, n, sizeof *curve.error),
                                .n_seeds = sprint__arena_take(arena, n, sizeof *curve.n_seeds)};
  *ret_curve = curve;
  return sprint__arena_status(arena);
}

/* A row of the curve from values (n); the mean is taken out first, so that equal values have an error of zero. */
static void curve_add(struct sprint__curve *curve, double x, const double *values, size_t n) {
  double sum = 0, squares = 0, mean = n ? values[0] : NAN;
  for (size_t i = 0; i < n; i++) sum += values[i] - mean;
  double shift = n ? sum / (double)n : 0;
  mean += shift;
  for (size_t i = 0; i < n; i++) squares += (values[i] - mean) * (values[i] - mean);
  if (n == 0) return;
  curve->x[curve->n] = x;
  curve->mean[curve->n] = mean;
  curve->error[curve->n] = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN;
  curve->n_seeds[curve->n++] = n;
}

/* The least epoch that a line is at; INFINITY where all are at their end. */
static double next_epoch(const struct line *lines, const size_t *at, size_t n) {
  double epoch = INFINITY;
  for (size_t i = 0; i < n; i++)
    if (at[i] < lines[i].n) epoch = fmin(epoch, lines[i].epoch[at[i]]);
  return epoch;
}

/* Row by row, by epoch. False where runs differ in x at some epoch: the curve is then of no use. */
static bool align(const struct line *lines, size_t n, size_t *at, double *values, struct sprint__curve *curve) {
  double epoch;
  memset(at, 0, n * sizeof *at);
  while ((epoch = next_epoch(lines, at, n)) < INFINITY) {
    size_t n_values = 0;
    double x = NAN;
    for (size_t i = 0; i < n; i++) {
      if (at[i] == lines[i].n || lines[i].epoch[at[i]] != epoch) continue;
      if (n_values && lines[i].x[at[i]] != x) return false;
      x = lines[i].x[at[i]];
      values[n_values++] = lines[i].y[at[i]++];
    }
    if (curve->n && x < curve->x[curve->n - 1]) return false;
    curve_add(curve, x, values, n_values);
  }
  return true;
}

/* The line's value at x, between its rows; *at is where the last call left off, x goes forward. */
static bool line_at(const struct line *line, double x, size_t *at, double *ret_y) {
  if (line->n == 0 || x < line->x[0] || x > line->x[line->n - 1]) return false;
  while (*at + 1 < line->n && line->x[*at + 1] < x) ++*at;
  size_t i = *at, k = i + 1 < line->n ? i + 1 : i;
  double width = line->x[k] - line->x[i], share = width > 0 ? (x - line->x[i]) / width : 0;
  *ret_y = line->y[i] + share * (line->y[k] - line->y[i]);
  return true;
}

static void interpolate(const struct line *lines, size_t n, size_t n_places, double low, double high, size_t *at,
                        double *values, struct sprint__curve *curve) {
  memset(at, 0, n * sizeof *at);
  for (size_t p = 0; p < n_places; p++) {
    double share = n_places > 1 ? (double)p / (double)(n_places - 1) : 0;
    double x = p + 1 == n_places && p ? high : low + share * (high - low);
    size_t n_values = 0;
    for (size_t i = 0; i < n; i++) n_values += line_at(&lines[i], x, &at[i], &values[n_values]);
    curve_add(curve, x, values, n_values);
  }
}

static double end_of(const struct line *line) { return line->x[line->n - 1]; }

/* Where the first of those that are finished ends: a mean that lost seeds on its way would jump. Where none is, the
 * place that half of them reach. */
static double reach(const struct line *lines, size_t n) {
  double best = -INFINITY, least = INFINITY;
  for (size_t i = 0; i < n; i++) {
    size_t n_there = 0;
    if (lines[i].finished) least = fmin(least, end_of(&lines[i]));
    for (size_t k = 0; k < n; k++) n_there += end_of(&lines[k]) >= end_of(&lines[i]);
    if (2 * n_there >= n) best = fmax(best, end_of(&lines[i]));
  }
  return least < INFINITY ? least : best;
}

static sprint_status curve_of(struct sprint__arena *arena, const struct line *lines, size_t n,
                              struct sprint__curve *ret_curve) {
  size_t n_most = 0, n_all = 0, *at = sprint__arena_take(arena, n, sizeof *at);
  double *values = sprint__arena_take(arena, n, sizeof *values), low = INFINITY, all = -INFINITY;
  struct sprint__curve curve;
  for (size_t i = 0; i < n; i++) {
    n_all += lines[i].n;
    if (lines[i].n > n_most) n_most = lines[i].n;
    low = fmin(low, lines[i].x[0]);
    all = fmax(all, lines[i].x[0]);
  }
  SPRINT__TRY(curve_new(arena, n_all, &curve));
  if (!align(lines, n, at, values, &curve)) {
    double high = reach(lines, n);
    curve.n = 0;
    interpolate(lines, n, n_most, all < high ? all : low, high, at, values, &curve);
  }
  *ret_curve = curve;
  return SPRINT_OK;
}

sprint_status sprint__group_curve(struct sprint__arena *arena, const struct sprint__group *group, const char *x,
                                  const char *y, struct sprint__curve *ret_curve) {
  struct line *lines = sprint__arena_take(arena, group->n_runs, sizeof *lines);
  size_t n = 0;
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t i = 0; i < group->n_runs; i++) {
    if (group->runs[i].state == SPRINT__RESULT_DIVERGED) continue;
    SPRINT__TRY(line_of(arena, &group->runs[i], x, y, &lines[n]));
    n += lines[n].n > 0;
  }
  return curve_of(arena, lines, n, ret_curve);
}

sprint_status sprint__result_curve(struct sprint__arena *arena, const struct sprint__result *run, const char *x,
                                   const char *y, struct sprint__curve *ret_curve) {
  struct line line;
  SPRINT__TRY(line_of(arena, run, x, y, &line));
  return curve_of(arena, &line, line.n > 0, ret_curve);
}
