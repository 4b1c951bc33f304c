/* Losses of everybody that follow the steps of a network whose first layer takes lists of pixels. With Z = X W + b the
 * first layer's products of all n individuals, a step on a batch B
 *
 *     W -= f sum over B of x d^T + s g        gives        Z -= f K_B^T D + s P,
 *
 * D (batch, out) the deltas, K_B the batch's rows of K = X X^T + 1 (the 1 for the biases), P = X g: products of the
 * size of the batch instead of the features. Z is worked out anew once an epoch, so that roundings do not pile up. A
 * batch's products with W can be had from Z, so that W itself need not follow at once. */
#ifndef SPRINT_SHIFT_TRACKED_H
#define SPRINT_SHIFT_TRACKED_H

#include "shift/shift.h"

struct sprint__tracked;

/* NULL in *ret_tracked where the model or the population do not fit, or K would take more than `most` bytes. */
sprint_status sprint__tracked_new(const sprint_shift *shift, size_t batch, double most,
                                  struct sprint__tracked **ret_tracked);
void sprint__tracked_free(struct sprint__tracked *tracked);

/* Z is to be worked out anew. */
void sprint__tracked_forget(struct sprint__tracked *tracked);

/* A step was taken. */
void sprint__tracked_move(struct sprint__tracked *tracked, const struct sprint__move *move);

/* Where the steps led, the products x W + b of these individuals, at most a batch of them; NULL: they are not known. */
const sprint_real *sprint__tracked_products(struct sprint__tracked *tracked, const uint32_t *who, size_t n);

/* losses (n_strata) := each stratum's mean loss at theta, which is where the steps led. */
void sprint__tracked_losses(struct sprint__tracked *tracked, const sprint_real *theta, double *ret_losses);

#endif
