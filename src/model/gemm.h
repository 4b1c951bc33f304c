/* Matrix products: the one place that knows BLAS. All matrices row-major and dense. */
#ifndef SPRINT_MODEL_GEMM_H
#define SPRINT_MODEL_GEMM_H

#include "sprint.h"

/* y (n, out) += x (n, in) w^T, w (out, in) */
void sprint__gemm_forward(const sprint_real *x, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *y);

/* dx (n, in) = dy (n, out) w */
void sprint__gemm_input(const sprint_real *dy, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *dx);

/* dw (out, in) = or, where `adds`, += dy^T x */
void sprint__gemm_weight(const sprint_real *dy, const sprint_real *x, size_t n, size_t in, size_t out, bool adds,
                         sprint_real *dw);

/* c (m, n) += a (m, k) b (k, n) */
void sprint__gemm_add(const sprint_real *a, const sprint_real *b, size_t m, size_t k, size_t n, sprint_real *c);

/* c (m, n) = a^T b, a (k, m), b (k, n) */
void sprint__gemm_transposed(const sprint_real *a, const sprint_real *b, size_t k, size_t m, size_t n, sprint_real *c);

#endif
