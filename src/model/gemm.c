/* Products over OpenBLAS; the narrow ones of dense layers by plain loops, where a BLAS call costs more than it does. */
#include "model/gemm.h"

#include <cblas.h>
#include <string.h>

#include "model/small.h"

#ifdef SPRINT_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

static blasint dim(size_t n) { return (blasint)n; }

void sprint__gemm_forward(const sprint_real *x, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *y) {
  if (out > 1 && n >= 4 && sprint__is_small(in, out))
    sprint__small_forward(x, w, n, in, out, y);
  else if (out == 1 || n <= SPRINT__FEW_ROWS)
    sprint__few_forward(x, w, n, in, out, y);
  else
    GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, dim(n), dim(out), dim(in), 1, x, dim(in), w, dim(in), 1, y, dim(out));
}

/* dx (n, in) = dy w, row by row: for few outputs or few rows. */
SPRINT__FAST static void input_by_rows(const sprint_real *restrict dy, const sprint_real *restrict w, size_t n,
                                       size_t in, size_t out, sprint_real *restrict dx) {
  for (size_t i = 0; i < n; i++) {
    sprint_real *row = dx + i * in;
    for (size_t k = 0; k < in; k++) row[k] = dy[i * out] * w[k];
    for (size_t o = 1; o < out; o++)
      for (size_t k = 0; k < in; k++) row[k] += dy[i * out + o] * w[o * in + k];
  }
}

void sprint__gemm_input(const sprint_real *dy, const sprint_real *w, size_t n, size_t in, size_t out, sprint_real *dx) {
  if (out == 1 || n < 4)
    input_by_rows(dy, w, n, in, out, dx);
  else if (sprint__is_small(in, out))
    sprint__small_input(dy, w, n, in, out, dx);
  else
    GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, dim(n), dim(in), dim(out), 1, dy, dim(out), w, dim(in), 0, dx,
         dim(in));
}

void sprint__gemm_weight(const sprint_real *dy, const sprint_real *x, size_t n, size_t in, size_t out, bool adds,
                         sprint_real *dw) {
  if (out > 1 && n >= 4 && sprint__is_small(in, out)) {
    if (!adds) memset(dw, 0, out * in * sizeof *dw);
    sprint__small_weight(dy, x, n, in, out, dw);
  } else if (out == 1 || n <= SPRINT__FEW_ROWS) {
    sprint__few_weight(dy, x, n, in, out, adds, dw);
  } else {
    GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, dim(out), dim(in), dim(n), 1, dy, dim(out), x, dim(in), adds, dw,
         dim(in));
  }
}

void sprint__gemm_add(const sprint_real *a, const sprint_real *b, size_t m, size_t k, size_t n, sprint_real *c) {
  GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, dim(m), dim(n), dim(k), 1, a, dim(k), b, dim(n), 1, c, dim(n));
}

void sprint__gemm_transposed(const sprint_real *a, const sprint_real *b, size_t k, size_t m, size_t n, sprint_real *c) {
  GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, dim(m), dim(n), dim(k), 1, a, dim(m), b, dim(n), 0, c, dim(n));
}
