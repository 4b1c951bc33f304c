/* The gradient of a dense layer's inputs, dx = dy W^T, by vectors of 64 bytes along the rows of W: nothing is copied or
 * turned round, and the last vector of a row is masked. For few rows, or few inputs. See dense.h. */
#include "base/group.h"
#include "base/wide.h"
#include "model/dense.h"

#if SPRINT__TWICE

/* Products of a tile at most, rows times inputs, whose sums are in registers; and its rows. */
enum { DOTS = 16, ROWS = 4 };

/* A vector's two halves, added up. */
SPRINT__WIDE_INLINE group halves(wide v) {
#ifdef SPRINT_DOUBLE
  return (group)(_mm512_castpd512_pd256(v) + _mm512_extractf64x4_pd(v, 1));
#else
  return (group)(_mm512_castps512_ps256(v) + _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1)));
#endif
}

/* `rows` rows of dy times `inputs` rows of W. */
SPRINT__WIDE_INLINE void dots(const sprint_real *dy, const sprint_real *w, size_t out, size_t rows, size_t inputs,
                              sprint_real ret_all[DOTS]) {
  wide sums[DOTS];
#pragma GCC unroll 16
  for (size_t s = 0; s < rows * inputs; s++) sums[s] = WIDE_OP(setzero)();
  for (size_t o = 0; o < out; o += WIDE) {
    wide_mask there = out - o < WIDE ? wide_first(out - o) : wide_first(WIDE);
    wide u[ROWS];
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) u[r] = wide_load(dy + r * out + o, there);
#pragma GCC unroll 16
    for (size_t j = 0; j < inputs; j++) {
      wide v = wide_load(w + j * out + o, there);
#pragma GCC unroll 8
      for (size_t r = 0; r < rows; r++) sums[r * inputs + j] = WIDE_OP(fmadd)(u[r], v, sums[r * inputs + j]);
    }
  }
#pragma GCC unroll 4
  for (size_t s = 0; s < rows * inputs; s += G) {
    group some[G];
#pragma GCC unroll 8
    for (size_t i = 0; i < G; i++) some[i] = s + i < rows * inputs ? halves(sums[s + i]) : (group){0};
    store(ret_all + s, totals(some));
  }
}

/* The same for inputs first .. end; where those that are left do not fill a tile, some before them again. */
SPRINT__WIDE_INLINE void strip(const struct sprint__dense *dense, const sprint_real *dy, size_t first, size_t end,
                               size_t rows, size_t inputs, const sprint_real *relu_x, sprint_real *dx) {
  size_t out = dense->out, apart = sprint__dense_apart(dense);
  for (size_t next = first; next < end; next += inputs) {
    size_t k = next + inputs <= end ? next : end - inputs;
    sprint_real all[DOTS];
    dots(dy, dense->theta + k * out, out, rows, inputs, all);
    for (size_t r = 0; r < rows; r++)
      for (size_t j = 0; j < inputs; j++) {
        size_t at = r * apart + k + j;
        dx[at] = relu_x && relu_x[at] <= 0 ? 0 : all[r * inputs + j];
      }
  }
}

/* All rows for them. */
SPRINT__WIDE_INLINE void strips(const struct sprint__dense *dense, const sprint_real *dy, size_t n, size_t first,
                                size_t end, const sprint_real *relu_x, sprint_real *dx) {
  size_t apart = sprint__dense_apart(dense);
  bool many = end - first >= 2 * SPRINT__DOTS_INPUTS;
  for (size_t i = 0, rows; i < n; i += rows) {
    const sprint_real *some = dy + i * dense->out, *where = relu_x ? relu_x + i * apart : NULL;
    sprint_real *to = dx + i * apart;
    rows = n - i >= ROWS ? ROWS : n - i >= 2 ? 2 : 1;
    if (rows == ROWS)
      strip(dense, some, first, end, ROWS, SPRINT__DOTS_INPUTS, where, to);
    else if (rows == 2 && many)
      strip(dense, some, first, end, 2, 2 * SPRINT__DOTS_INPUTS, where, to);
    else if (rows == 2)
      strip(dense, some, first, end, 2, SPRINT__DOTS_INPUTS, where, to);
    else if (many)
      strip(dense, some, first, end, 1, 2 * SPRINT__DOTS_INPUTS, where, to);
    else
      strip(dense, some, first, end, 1, SPRINT__DOTS_INPUTS, where, to);
  }
}

/* Some rows of W after the other, which stay near for all rows of dy. */
SPRINT__FOR_WIDE void sprint__dots_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                         const sprint_real *relu_x, sprint_real *ret_dx) {
  enum { BLOCK = 32 };
  size_t in = dense->in, blocks = (in + BLOCK - 1) / BLOCK;
  for (size_t b = 0; b < blocks; b++) strips(dense, dy, n, in * b / blocks, in * (b + 1) / blocks, relu_x, ret_dx);
}

#else /* nobody asks for them */

void sprint__dots_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                        sprint_real *ret_dx) {
  (void)dense, (void)dy, (void)n, (void)relu_x, (void)ret_dx;
}

#endif
