/* Constants as they are estimated: from many looks at a sample of the population. */
#ifndef SPRINT_THEORY_ESTIMATE_H
#define SPRINT_THEORY_ESTIMATE_H

#include "assess/sample.h"

/* A constant seen again and again. */
struct sprint__tally {
  double sum, squares, least, greatest;
  size_t n;
};
void sprint__tally_add(struct sprint__tally *tally, double value);

/* Its value is the greatest one, also of `beyond`, which is no random probe. */
sprint_estimate sprint__tally_estimate(const struct sprint__tally *tally, const struct sprint__tally *beyond);

/* curvature.c: the largest |eigenvalue| of Hessians at theta: of single records, and of J. */
sprint_status sprint__estimate_curvature(struct sprint__sample *sample, const sprint_real *theta,
                                         const struct sprint__seen *seen, uint64_t seed, sprint_estimates *ret);

/* sensitivity.c: how records, strata, J and its gradient answer to nearby deployments. */
sprint_status sprint__estimate_sensitivity(struct sprint__sample *sample, const sprint_estimate_options *options,
                                           const struct sprint__seen *seen, sprint_estimates *ret);

/* noise.c: the variance of single gradients against |grad J|^2, at random theta. */
sprint_status sprint__estimate_noise(struct sprint__sample *sample, const sprint_estimate_options *options,
                                     sprint_estimates *ret);

#endif
