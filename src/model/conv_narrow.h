/* Convolution of few filters over many channels: groups run along the rows of a window, which are long, as the filters
 * would fill a part of conv.h's groups only. Nothing is brought into another order but the weights.
 *
 * A row of a window is so many groups; where it does not fill the last one, that begins early, and shares some numbers
 * with the one before it. Weights and their gradient are (kernel_rows, groups of a row, filters, G). */
#ifndef SPRINT_MODEL_CONV_NARROW_H
#define SPRINT_MODEL_CONV_NARROW_H

#include "model/conv.h"

enum { SPRINT__NARROW_FILTERS = SPRINT__GROUP > 4 ? 5 : 3 }; /* at most: fewer than a group */

/* Whether it can be, and whether it pays for n records, rather than what conv.h and conv_abreast.h have: for outputs,
 * and for the gradient of the weights. */
static inline bool sprint__narrow_fits(const struct sprint__conv *of) {
  return of->filters <= SPRINT__NARROW_FILTERS && of->run >= SPRINT__GROUP;
}
bool sprint__narrow_pays(const struct sprint__conv *of, size_t n);
bool sprint__narrow_pays_weights(const struct sprint__conv *of, size_t n);

static inline size_t sprint__narrow_groups(const struct sprint__conv *of) {
  return of->kernel_rows * ((of->run + SPRINT__GROUP - 1) / SPRINT__GROUP);
}

/* Numbers that weights, or their gradient, take. */
static inline size_t sprint__narrow_weights(const struct sprint__conv *of) {
  return sprint__narrow_groups(of) * of->filters * SPRINT__GROUP;
}

/* From weights (window, filters); and what is in dw back to them. */
void sprint__narrow_order(const struct sprint__conv *of, const sprint_real *weights, sprint_real *ret_weights);
void sprint__narrow_take(const struct sprint__conv *of, const sprint_real *dw, sprint_real *ret_weights);

/* As sprint__conv_multiply; bias (filters). */
void sprint__narrow_multiply(const struct sprint__conv *of, const sprint_real *x, const sprint_real *weights,
                             const sprint_real *bias, bool relu, sprint_real *y);

/* dw += windows^T dy and db (filters) += dy, over all outputs. */
void sprint__narrow_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                              sprint_real *dw, sprint_real *db);

#endif
