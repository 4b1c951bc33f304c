/* Inner loops of conv_pool.h by groups of 64 bytes, for processors with AVX-512. */
#ifndef SPRINT_MODEL_CONV_POOL_WIDE_H
#define SPRINT_MODEL_CONV_POOL_WIDE_H

#include "base/wide.h"
#include "model/conv_pool.h"

/* Whether rows of windows are such groups, on the way back. */
static inline bool sprint__pool_is_wide(const struct sprint__conv_pool *of) {
  return sprint__has_wide() && of->run_room % (2 * SPRINT__GROUP) == 0;
}

/* As sprint__conv_pool_forward: how many filters it has done; fewer than a panel are left. */
size_t sprint__wide_pool_forward(const struct sprint__conv_pool *of, const sprint_real *x, const sprint_real *weights,
                                 const sprint_real *bias, sprint_real *ret_y, unsigned char *ret_codes);

/* One filter's dw (kernel_rows, run_room) += the windows of its n hits; and a row of the windows of up to 64 filters to
 * dx. */
void sprint__wide_add_hits(const struct sprint__conv_pool *of, const struct sprint__hits *hits, size_t n,
                           const sprint_real *x, sprint_real *dw);
void sprint__wide_add_row(const struct sprint__conv_pool *of, const sprint_real *dy, const uint64_t *bits,
                          const sprint_real *w, sprint_real *dx);

#endif
