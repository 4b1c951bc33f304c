/* Curves over seeds: runs of one point and method, and the mean of a column with its standard error. */
#ifndef SPRINT_REPORT_CURVES_H
#define SPRINT_REPORT_CURVES_H

#include "report/runs.h"

/* All runs of one point and method: consecutive runs of the results. */
struct sprint__group {
  const char *point, *method, *kind, *correction; /* lent by the first of them that says it */
  size_t n_runs;
  const struct sprint__result *runs; /* (n_runs) */
  size_t n_diverged;                 /* left out of curves */
  size_t n_empty;                    /* without rows */
  size_t n_short;                    /* partial, interrupted or corrupt, and with rows: they count as far as they go */
};

/* The groups in the order of the results, of the arena. */
sprint_status sprint__results_group(struct sprint__arena *arena, const struct sprint__results *results,
                                    struct sprint__group **ret_groups, size_t *ret_n_groups);

struct sprint__curve {
  size_t n;
  double *x, *mean;
  double *error;   /* the standard error of the mean over seeds, s/sqrt(n) with n - 1 in s; NaN of one run */
  size_t *n_seeds; /* that the mean is over: runs which are shorter end before the others do */
};

/* Column y against column x, of the arena: the mean over the group's runs, without those that diverged and without
 * values that are not finite. Rows of the same epoch go together; where their x differ between runs (seconds, a budget
 * that cuts epochs short), each run is interpolated linearly at as many places as the longest has rows, evenly from
 * where all have begun to where the first that is finished ends; where none is, to what half of them reach. n = 0:
 * there is nothing, or no such column. */
sprint_status sprint__group_curve(struct sprint__arena *arena, const struct sprint__group *group, const char *x,
                                  const char *y, struct sprint__curve *ret_curve);

/* One run's own curve, diverged or not: rows where both columns are finite. n_seeds is 1 everywhere. */
sprint_status sprint__result_curve(struct sprint__arena *arena, const struct sprint__result *run, const char *x,
                                   const char *y, struct sprint__curve *ret_curve);

#endif
