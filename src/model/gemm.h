/* Matrix products: the one place that knows BLAS. All matrices row-major, and rows one after the other but where
 * `stride` says how far apart they are. */
#ifndef SPRINT_MODEL_GEMM_H
#define SPRINT_MODEL_GEMM_H

#include "sprint.h"

/* c (m, n) = or, where `adds`, += a b, a (m, k) of that stride, b (k, n) */
void sprint__gemm_plain(const sprint_real *a, size_t stride, const sprint_real *b, size_t m, size_t k, size_t n,
                        bool adds, sprint_real *c);

/* c (m, n) = or, where `adds`, += a^T b, a (k, m) of that stride, b (k, n) */
void sprint__gemm_transposed(const sprint_real *a, size_t stride, const sprint_real *b, size_t k, size_t m, size_t n,
                             bool adds, sprint_real *c);

/* c (m, n) of that stride = a (m, k) b^T, b (n, k) */
void sprint__gemm_by_transposed(const sprint_real *a, const sprint_real *b, size_t m, size_t k, size_t n,
                                sprint_real *c, size_t stride);

/* Takes OpenBLAS's memory for a thread, or says that there is no room: where address space is limited it would ask for
 * ever. */
sprint_status sprint__gemm_start(sprint_context *context);

#endif
