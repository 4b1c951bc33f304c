/* Products over OpenBLAS: see gemm.h. */
#include "model/gemm.h"

#include <cblas.h>

#include "base/threads.h"

#ifdef SPRINT_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

static blasint dim(size_t n) { return (blasint)n; }

void sprint__gemm_plain(const sprint_real *a, size_t stride, const sprint_real *b, size_t m, size_t k, size_t n,
                        bool adds, sprint_real *c) {
  GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, dim(m), dim(n), dim(k), 1, a, dim(stride), b, dim(n), adds, c,
       dim(n));
}

void sprint__gemm_transposed(const sprint_real *a, size_t stride, const sprint_real *b, size_t k, size_t m, size_t n,
                             bool adds, sprint_real *c) {
  GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, dim(m), dim(n), dim(k), 1, a, dim(stride), b, dim(n), adds, c, dim(n));
}

void sprint__gemm_by_transposed(const sprint_real *a, const sprint_real *b, size_t m, size_t k, size_t n,
                                sprint_real *c, size_t stride) {
  GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, dim(m), dim(n), dim(k), 1, a, dim(k), b, dim(k), 0, c, dim(stride));
}

sprint_status sprint__gemm_start(sprint_context *context) {
  enum {
    SIDE = 128
  }; /* large enough to go by OpenBLAS's memory: for AVX-512 it has kernels that do without up to 100 */
  sprint_real zeros[SIDE * SIDE] = {0}, c[SIDE * SIDE] = {0};
  if (!sprint__space_is_limited()) return SPRINT_OK;
  if (!context->blas_started) SPRINT__TRY(sprint__blas_check(context));
  context->blas_started = true;
  sprint__gemm_plain(zeros, SIDE, zeros, SIDE, SIDE, SIDE, true, c);
  return SPRINT_OK;
}
