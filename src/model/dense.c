/* Which kernel a dense product goes to: see dense.h. */
#include "model/dense.h"

#include <string.h>

#include "base/group.h"
#include "model/gemm.h"

enum kernel { SINGLE, SMALL, FEW, NARROW, TINY, BLAS };

/* Where there are fewer outputs than a group, however many the rows: there the outputs of a row do not depend on the
 * rows around it. Rows of other layers are few as long as BLAS, which copies all of W for them, is slower. */
static enum kernel kernel_of(const struct sprint__dense *dense, size_t n) {
  if (dense->out == 1) return SINGLE;
  if (sprint__dense_is_narrow(dense)) return NARROW;
  if (dense->out < SPRINT__GROUP) return dense->in < SPRINT__GROUP ? TINY : BLAS;
  if (sprint__dense_is_small(dense) && !dense->bare) return SMALL;
  return n <= SPRINT__FEW_ROWS ? FEW : BLAS;
}

/* The same for the inputs' gradient, whose sums run along rows of W: short ones are not worth it for as many. */
static enum kernel input_kernel_of(const struct sprint__dense *dense, size_t n) {
  enum { SHORT = 16 * SPRINT__GROUP, FEW_SHORT = 15 };
  enum kernel kernel = kernel_of(dense, n);
  if (kernel != FEW) return kernel;
  if (sprint__dense_is_thin(dense)) return n < SPRINT__TILE_ROWS ? SMALL : BLAS;
  return dense->out < SHORT && n > FEW_SHORT ? BLAS : FEW;
}

/* Whether the kernels for small layers serve others too, forward: where all outputs are one of their tiles, however
 * many the rows, and one row or two of weights that the second cache holds. */
static bool goes_as_small(const struct sprint__dense *dense, size_t n) {
  enum { NEAR = 1 << 16 };
  return dense->out >= SPRINT__GROUP && (dense->out <= 2 * SPRINT__GROUP || (n <= 2 && dense->in * dense->out <= NEAR));
}

/* max(y, 0) in place. */
SPRINT__FAST static void rectify(sprint_real *y, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] = y[i] <= 0 ? 0 : y[i];
}

/* dx (n, in) where relu_x is above 0, else 0; rows of both are `apart`. */
SPRINT__FAST static void mask(sprint_real *restrict dx, const sprint_real *restrict relu_x, size_t n, size_t in,
                              size_t apart) {
  for (size_t i = 0; i < n; i++, dx += apart, relu_x += apart)
    for (size_t k = 0; k < in; k++) dx[k] = relu_x[k] <= 0 ? 0 : dx[k];
}

SPRINT__FAST void sprint__dense_bias(const sprint_real *restrict dy, size_t n, size_t out, bool adds,
                                     sprint_real *restrict gradient) {
  if (!adds) memset(gradient, 0, out * sizeof *gradient);
  for (size_t i = 0; i < n; i++)
    for (size_t o = 0; o < out; o++) gradient[o] += dy[i * out + o];
}

/* Fewer inputs and outputs than a group. */
static void tiny_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *y) {
  for (size_t i = 0; i < n; i++, x += dense->in, y += dense->out)
    for (size_t k = 0; k < dense->in; k++)
      for (size_t o = 0; o < dense->out; o++) y[o] += x[k] * dense->theta[k * dense->out + o];
}

static void tiny_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                        sprint_real *gradient) {
  for (size_t i = 0; i < n; i++, x += dense->in, dy += dense->out)
    for (size_t k = 0; k < dense->in; k++)
      for (size_t o = 0; o < dense->out; o++) gradient[k * dense->out + o] += x[k] * dy[o];
}

static void tiny_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, sprint_real *dx) {
  for (size_t i = 0; i < n; i++, dx += dense->in, dy += dense->out)
    for (size_t k = 0; k < dense->in; k++) {
      dx[k] = 0;
      for (size_t o = 0; o < dense->out; o++) dx[k] += dy[o] * dense->theta[k * dense->out + o];
    }
}

void sprint__dense_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y) {
  enum kernel kernel = kernel_of(dense, n);
  if (kernel == SINGLE) {
    sprint__single_forward(dense, x, n, ret_y);
    return;
  }
  if (kernel == SMALL || goes_as_small(dense, n)) {
    sprint__small_forward(dense, x, n, ret_y);
    return;
  }
  if (kernel == FEW) {
    sprint__few_forward(dense, x, n, ret_y);
    return;
  }
  if (kernel == NARROW) {
    sprint__narrow_forward(dense, x, n, ret_y);
    return;
  }
  const sprint_real *bias = dense->theta + dense->in * dense->out;
  for (size_t i = 0; !dense->bare && i < n; i++) memcpy(ret_y + i * dense->out, bias, dense->out * sizeof *bias);
  if (kernel == TINY)
    tiny_forward(dense, x, n, ret_y);
  else
    sprint__gemm_plain(x, sprint__dense_apart(dense), dense->theta, n, dense->in, dense->out, !dense->bare, ret_y);
  if (dense->relu) rectify(ret_y, n * dense->out);
}

void sprint__dense_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                          bool adds, sprint_real *gradient) {
  size_t weights = dense->in * dense->out;
  enum kernel kernel = kernel_of(dense, n);
  if (kernel == SINGLE) {
    sprint__single_weight(dense, x, dy, n, adds, gradient);
    return;
  }
  if (kernel == SMALL) {
    sprint__small_weight(dense, x, dy, n, adds, gradient);
    return;
  }
  if (kernel == TINY && !adds) memset(gradient, 0, weights * sizeof *gradient);
  if (kernel == TINY)
    tiny_weight(dense, x, dy, n, gradient);
  else if (kernel == NARROW)
    sprint__narrow_weight(dense, x, dy, n, adds, gradient);
  else if (kernel == FEW)
    sprint__few_weight(dense, x, dy, n, adds, gradient);
  else
    sprint__gemm_transposed(x, sprint__dense_apart(dense), dy, n, dense->in, dense->out, adds, gradient);
  if (!dense->bare) sprint__dense_bias(dy, n, dense->out, adds, gradient + weights);
}

void sprint__dense_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                         sprint_real *ret_dx) {
  if (dense->out == 1) {
    sprint__single_input(dense, dy, n, relu_x, ret_dx);
    return;
  }
  enum kernel kernel = input_kernel_of(dense, n);
  if (kernel == SMALL) {
    sprint__small_input(dense, dy, n, relu_x, ret_dx);
    return;
  }
  if (kernel == FEW) {
    sprint__few_input(dense, dy, n, relu_x, ret_dx);
    return;
  }
  if (kernel == NARROW) {
    sprint__narrow_input(dense, dy, n, relu_x, ret_dx);
    return;
  }
  if (kernel == TINY)
    tiny_input(dense, dy, n, ret_dx);
  else
    sprint__gemm_by_transposed(dy, dense->theta, n, dense->out, dense->in, ret_dx, sprint__dense_apart(dense));
  if (relu_x) mask(ret_dx, relu_x, n, dense->in, sprint__dense_apart(dense));
}

SPRINT__FAST void sprint__dense_activate(const sprint_real *z, size_t n, bool relu, sprint_real *ret_y) {
  for (size_t i = 0; i < n; i += G) store(ret_y + i, relu ? positive(load(z + i)) : load(z + i));
}
