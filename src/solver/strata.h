/* Sums over everybody's record, stratum by stratum, and means of them weighted by strata probabilities. */
#ifndef SPRINT_SOLVER_STRATA_H
#define SPRINT_SOLVER_STRATA_H

#include "base/arena.h"
#include "base/state.h"

struct sprint__strata_sums {
  size_t n_strata, n_params;
  double *gradient; /* (n_strata, n_params) sums; of a stratum without records, anything; NULL: not wanted */
  double *loss;     /* (n_strata) sums */
  size_t *count;    /* (n_strata) records */
  double *weight;   /* (n_strata) that they count for: as many, where none has a weight */
  double *correct;  /* (n_strata) of that, what those classified right count for */
  double *p;        /* (n_strata) probabilities of the deployment */
  size_t n;         /* records in all */
};

/* With room from the arena, whose status tells whether there was any. n_params 0: without a gradient. */
struct sprint__strata_sums sprint__strata_sums_of(struct sprint__arena *arena, size_t n_strata, size_t n_params);

/* Nobody has been counted. */
void sprint__strata_sums_clear(struct sprint__strata_sums *sums);

/* Counts n records of stratum c, with these weights (n; NULL: 1 each) and these sums; their gradient is there already.
 */
void sprint__strata_count(struct sprint__strata_sums *sums, size_t c, size_t n, const double *weights, double loss,
                          double correct);

/* All of them, for a checkpoint. */
void sprint__strata_sums_state(struct sprint__strata_sums *sums, struct sprint__state *state);

/* What all records count for. */
double sprint__strata_weight(const struct sprint__strata_sums *sums);

/* The parts of a mean by stratum: sums with their weights, or means that have been worked out. */
struct sprint__strata_parts {
  size_t n_strata, n_params;
  const double *sums;       /* (n_strata, n_params), or NULL: */
  const double *weight;     /* (n_strata) of the sums */
  const sprint_real *means; /* (n_strata, n_params) */
};

/* The sum over strata of p_c times the mean of stratum c, accumulated in double: to ret_mean (n_params), or, unless it
 * is NULL, to ret_exact. */
void sprint__strata_mean(sprint_context *context, const struct sprint__strata_parts *parts, const double *p,
                         sprint_real *ret_mean, double *ret_exact);

static inline struct sprint__strata_parts sprint__strata_parts_of(const struct sprint__strata_sums *sums) {
  return (struct sprint__strata_parts){sums->n_strata, sums->n_params, sums->gradient, sums->weight, NULL};
}

#endif
