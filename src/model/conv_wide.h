/* Parts of the kernels of conv.h for processors with AVX-512: filters in panels of two groups. Results are to the bit
 * those of conv.c. */
#ifndef SPRINT_MODEL_CONV_WIDE_H
#define SPRINT_MODEL_CONV_WIDE_H

#include "model/conv.h"

/* As sprint__conv_multiply and sprint__conv_correlate, without db: how many groups of filters they have done; one may
 * be left. */
size_t sprint__wide_conv_multiply(const struct sprint__conv *of, const sprint_real *x, const sprint_real *panels,
                                  const sprint_real *bias, bool relu, sprint_real *y);
size_t sprint__wide_conv_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                   sprint_real *dw);

#endif
