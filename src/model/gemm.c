/* Products over OpenBLAS: see gemm.h. */
#include "model/gemm.h"

#include <cblas.h>

#ifdef SPRINT_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

static blasint dim(size_t n) { return (blasint)n; }

void sprint__gemm_add(const sprint_real *a, const sprint_real *b, size_t m, size_t k, size_t n, sprint_real *c) {
  GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, dim(m), dim(n), dim(k), 1, a, dim(k), b, dim(n), 1, c, dim(n));
}

void sprint__gemm_transposed(const sprint_real *a, const sprint_real *b, size_t k, size_t m, size_t n, bool adds,
                             sprint_real *c) {
  GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, dim(m), dim(n), dim(k), 1, a, dim(m), b, dim(n), adds, c, dim(n));
}

void sprint__gemm_by_transposed(const sprint_real *a, const sprint_real *b, size_t m, size_t k, size_t n,
                                sprint_real *c) {
  GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, dim(m), dim(n), dim(k), 1, a, dim(k), b, dim(k), 0, c, dim(n));
}

void sprint__gemm_forward(const sprint_real *x, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *y) {
  GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, dim(n), dim(out), dim(in), 1, x, dim(in), w, dim(in), 1, y, dim(out));
}
