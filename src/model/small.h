/* Products of small dense layers, held in registers: what BLAS spends more on packing than on multiplying. */
#ifndef SPRINT_MODEL_SMALL_H
#define SPRINT_MODEL_SMALL_H

#include "base/fast.h"

/* The largest layer that these take. */
enum { SPRINT__SMALL_IN = 64, SPRINT__SMALL_OUT = 128 };

static inline bool sprint__is_small(size_t in, size_t out) {
  return in <= SPRINT__SMALL_IN && out <= SPRINT__SMALL_OUT && in * out <= 4096;
}

/* As of gemm.h. */
void sprint__small_forward(const sprint_real *x, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *y);
void sprint__small_input(const sprint_real *dy, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *dx);
void sprint__small_weight(const sprint_real *dy, const sprint_real *x, size_t n, size_t in, size_t out,
                          sprint_real *dw);

/* Products with few rows, bound by reading or writing the weights once. */
enum { SPRINT__FEW_ROWS = 8 };
void sprint__few_forward(const sprint_real *x, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *y);
void sprint__few_weight(const sprint_real *dy, const sprint_real *x, size_t n, size_t in, size_t out, bool adds,
                        sprint_real *dw);

#endif
