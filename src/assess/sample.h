/* A sample: some individuals of a population, their records under any deployment, and J over them. */
#ifndef SPRINT_ASSESS_SAMPLE_H
#define SPRINT_ASSESS_SAMPLE_H

#include "base/arena.h"
#include "base/random.h"
#include "shift/shift.h"

struct sprint__sample {
  sprint_shift *shift;
  sprint_model *model;
  size_t n, n_params, d, n_strata;
  uint32_t *who;     /* (n) stratum by stratum */
  sprint_real *y;    /* (n) */
  size_t *start;     /* (n_strata + 1) into who */
  size_t n_singles;  /* records that are looked at one by one: all, unless that would take long */
  bool whole;        /* everybody is in it, and looked at */
  double *weight;    /* (n) room */
  double *p;         /* (n_strata) room */
  double *row;       /* (n_params) room */
  sprint_real *real; /* (n_params) room */
};

/* Records and strata weights under one deployment. */
struct sprint__seen {
  sprint_real *x;  /* (n, d) */
  double *p;       /* (n_strata) probabilities */
  double *weights; /* (n_strata) of one record: p_c over the sample's count of c */
};

/* Room is the arena's, which is for the caller to check. */
struct sprint__seen sprint__seen_new(struct sprint__arena *arena, const struct sprint__sample *sample);

/* About `wanted` individuals, of each stratum in proportion; where the shift reweights, some of every one. */
sprint_status sprint__sample_new(struct sprint__arena *arena, sprint_shift *shift, size_t wanted, uint64_t seed,
                                 struct sprint__sample *ret_sample);

/* Record number k of those that are looked at one by one. */
static inline size_t sprint__sample_single(const struct sprint__sample *sample, size_t k) {
  return k * sample->n / sample->n_singles;
}

/* A loss source over the sample's base records, for shifts that ask for the losses of everybody where that takes long.
 * It lives as long as the arena. */
sprint_status sprint__sample_losses(struct sprint__arena *arena, struct sprint__sample *sample,
                                    struct sprint__loss_source *ret_source);

/* What the sample looks like under a deployment. */
sprint_status sprint__sample_see(struct sprint__sample *sample, const sprint_real *deployed, struct sprint__seen *seen);

/* J(theta; .) over what was seen, and its gradient (n_params) or NULL. */
double sprint__sample_risk(struct sprint__sample *sample, const sprint_real *theta, const struct sprint__seen *seen,
                           double *ret_gradient);

/* The same of record i alone. */
double sprint__sample_record(struct sprint__sample *sample, const sprint_real *theta, const struct sprint__seen *seen,
                             size_t i, double *ret_gradient);

/* A random direction of length 1, (n). */
void sprint__random_direction(uint64_t seed, uint64_t number, size_t n, double *ret_direction);

/* ret_theta := theta + length * direction, (n). */
void sprint__move(const sprint_real *theta, double length, const double *direction, size_t n, sprint_real *ret_theta);

double sprint__length(const double *a, size_t n);

#endif
