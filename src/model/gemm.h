/* Matrix products of dense layers: the one place that knows BLAS. All matrices row-major and dense. */
#ifndef SPRINT_MODEL_GEMM_H
#define SPRINT_MODEL_GEMM_H

#include "sprint.h"

/* y (n, out) += x (n, in) w^T, w (out, in) */
void sprint__gemm_forward(const sprint_real *x, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *y);

/* dx (n, in) = dy (n, out) w */
void sprint__gemm_input(const sprint_real *dy, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *dx);

/* dw (out, in) += dy^T x */
void sprint__gemm_weight(const sprint_real *dy, const sprint_real *x, size_t n, size_t in, size_t out, sprint_real *dw);

#endif
