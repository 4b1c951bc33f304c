/* Which kernel a dense product goes to: see dense.h. */
#include "model/dense.h"

#include <string.h>

#include "base/group.h"
#include "base/wide.h"
#include "model/gemm.h"

enum kernel { SINGLE, SMALL, FEW, WIDE_TILES, NARROW, TINY, BLAS };

/* Whether OpenBLAS has vectors of 64 bytes for so small a product without copies, where ours have 32. */
static bool has_small_blas(const struct sprint__dense *dense, size_t n) {
  enum { MOST_PRODUCTS = 1000000 };
  size_t weights = dense->in * dense->out;
  return sprint__has_wide() && weights > SPRINT__NARROW_WEIGHTS && n <= MOST_PRODUCTS / weights;
}

/* Where there are fewer outputs than a group, and weights are not too many, however many the rows: there the outputs of
 * a row do not depend on the rows around it. Rows of other layers are few as long as BLAS, which copies all of W for
 * them, is slower. */
static enum kernel kernel_of(const struct sprint__dense *dense, size_t n) {
  if (dense->out == 1) return SINGLE;
  if (sprint__dense_is_narrow(dense)) return has_small_blas(dense, n) ? BLAS : NARROW;
  if (dense->out < SPRINT__GROUP) return dense->in < SPRINT__GROUP ? TINY : BLAS;
  if (sprint__dense_is_small(dense) && !dense->bare) return SMALL;
  return n <= SPRINT__FEW_ROWS ? FEW : BLAS;
}

enum { ONE_OR_TWO = 2 };

/* Whether vectors of 64 bytes may serve: they are masked. One row or two of no more than two groups of outputs are left
 * to kernels that have them in two registers, and few rows of weights that come from memory to those that wait for
 * that. */
static bool may_be_wide(const struct sprint__dense *dense, size_t n) {
  enum { LEAST_FAR = 8 };
  if (sprint__dense_is_far(dense) && n < LEAST_FAR) return false;
  return sprint__has_wide() && dense->out >= (n > ONE_OR_TWO ? SPRINT__GROUP : 2 * SPRINT__GROUP + 1);
}

/* The kernels for small layers serve others too where all outputs are one of their tiles, however many the rows, and
 * one row or two of weights that the second cache holds. */
static enum kernel forward_kernel_of(const struct sprint__dense *dense, size_t n) {
  enum { NEAR_ROWS = 1 << 16 };
  if (may_be_wide(dense, n)) return WIDE_TILES;
  if (dense->out >= SPRINT__GROUP && dense->out <= 2 * SPRINT__GROUP) return SMALL;
  if (dense->out >= SPRINT__GROUP && n <= 2 && dense->in * dense->out <= NEAR_ROWS) return SMALL;
  return kernel_of(dense, n);
}

/* Here it is dy that is not copied; many rows go by blocks, each of which goes through the gradient once more. */
static enum kernel weight_kernel_of(const struct sprint__dense *dense, size_t n) {
  enum { MANY = 128, LARGE = 1 << 17 };
  bool pays = n <= MANY || dense->in * dense->out <= LARGE;
  return may_be_wide(dense, n) && pays ? WIDE_TILES : kernel_of(dense, n);
}

/* Whether the inputs' gradient goes by dot products, which take in all of W for every four rows, where tiles copy it
 * and have vectors of inputs to fill. */
enum { FEW_DOTS = 12, FEW_INPUTS = 2 * SPRINT__GROUP, SHORT = 16 * SPRINT__GROUP };
static bool goes_by_dots(const struct sprint__dense *dense, size_t n) {
  if (!may_be_wide(dense, n) || sprint__dense_is_far(dense) || dense->in < SPRINT__DOTS_INPUTS) return false;
  return n <= ONE_OR_TWO || ((n <= FEW_DOTS || dense->in <= FEW_INPUTS) && dense->out >= SHORT);
}

/* Sums of few rows run along rows of W: short ones are not worth it for as many. Tiles of 64 bytes copy W. */
static enum kernel input_kernel_of(const struct sprint__dense *dense, size_t n) {
  enum { FEW_SHORT = 15, WORTH_COPYING = 32 };
  enum kernel kernel = sprint__dense_is_narrow(dense) ? NARROW : kernel_of(dense, n);
  size_t worth = dense->out < SHORT ? ONE_OR_TWO + 1 : sprint__dense_is_far(dense) ? WORTH_COPYING : FEW_DOTS + 1;
  if (may_be_wide(dense, n) && n >= worth) return WIDE_TILES;
  if (kernel != FEW) return kernel;
  if (sprint__dense_is_thin(dense) && n >= SPRINT__TILE_ROWS) return BLAS;
  if (sprint__dense_is_thin(dense) && !dense->bare) return SMALL;
  return dense->out < SHORT && n > FEW_SHORT ? BLAS : FEW;
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

/* A group of columns at a time, four rows: additions that do not wait for each other. The last group begins early. */
SPRINT__INLINE void bias_groups(const sprint_real *dy, size_t n, size_t out, bool adds, sprint_real *gradient) {
  enum { CHAINS = 4 };
  for (size_t c = 0; c < out; c += G) {
    size_t at = c + G <= out ? c : out - G, i = 0;
    group sums[CHAINS] = {{0}};
    for (; i + CHAINS <= n; i += CHAINS)
      for (size_t j = 0; j < CHAINS; j++) sums[j] += load(dy + (i + j) * out + at);
    for (; i < n; i++) sums[0] += load(dy + i * out + at);
    put_rest(gradient, at, c, (sums[0] + sums[1]) + (sums[2] + sums[3]), adds);
  }
}

SPRINT__FAST void sprint__dense_bias(const sprint_real *restrict dy, size_t n, size_t out, bool adds,
                                     sprint_real *restrict gradient) {
  if (out >= G) {
    bias_groups(dy, n, out, adds, gradient);
    return;
  }
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

/* Kernels that add to what y has, and leave the relu. */
static void forward_in_place(const struct sprint__dense *dense, const sprint_real *x, size_t n, bool tiny,
                             sprint_real *y) {
  const sprint_real *bias = dense->theta + dense->in * dense->out;
  for (size_t i = 0; !dense->bare && i < n; i++) memcpy(y + i * dense->out, bias, dense->out * sizeof *bias);
  if (tiny)
    tiny_forward(dense, x, n, y);
  else
    sprint__gemm_plain(x, sprint__dense_apart(dense), dense->theta, n, dense->in, dense->out, !dense->bare, y);
  if (dense->relu) rectify(y, n * dense->out);
}

void sprint__dense_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y) {
  enum kernel kernel = forward_kernel_of(dense, n);
  switch (kernel) {
    case SINGLE:
      sprint__single_forward(dense, x, n, ret_y);
      break;
    case SMALL:
      sprint__small_forward(dense, x, n, ret_y);
      break;
    case FEW:
      sprint__few_forward(dense, x, n, ret_y);
      break;
    case WIDE_TILES:
      sprint__wide_forward(dense, x, n, ret_y);
      break;
    case NARROW:
      sprint__narrow_forward(dense, x, n, ret_y);
      break;
    case TINY:
    case BLAS:
      forward_in_place(dense, x, n, kernel == TINY, ret_y);
      break;
  }
}

void sprint__dense_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                          bool adds, sprint_real *gradient) {
  size_t weights = dense->in * dense->out;
  enum kernel kernel = weight_kernel_of(dense, n);
  switch (kernel) {
    case SINGLE:
      sprint__single_weight(dense, x, dy, n, adds, gradient);
      return;
    case SMALL:
      sprint__small_weight(dense, x, dy, n, adds, gradient);
      return;
    case FEW:
      sprint__few_weight(dense, x, dy, n, adds, gradient);
      break;
    case WIDE_TILES:
      sprint__wide_weight(dense, x, dy, n, adds, gradient);
      break;
    case NARROW:
      sprint__narrow_weight(dense, x, dy, n, adds, gradient);
      break;
    case TINY:
      if (!adds) memset(gradient, 0, weights * sizeof *gradient);
      tiny_weight(dense, x, dy, n, gradient);
      break;
    case BLAS:
      sprint__gemm_transposed(x, sprint__dense_apart(dense), dy, n, dense->in, dense->out, adds, gradient);
      break;
  }
  if (!dense->bare) sprint__dense_bias(dy, n, dense->out, adds, gradient + weights);
}

void sprint__dense_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                         sprint_real *ret_dx) {
  size_t apart = sprint__dense_apart(dense);
  if (goes_by_dots(dense, n)) {
    sprint__dots_input(dense, dy, n, relu_x, ret_dx);
    return;
  }
  switch (input_kernel_of(dense, n)) {
    case SINGLE:
      sprint__single_input(dense, dy, n, relu_x, ret_dx);
      return;
    case SMALL:
      sprint__small_input(dense, dy, n, relu_x, ret_dx);
      return;
    case FEW:
      sprint__few_input(dense, dy, n, relu_x, ret_dx);
      return;
    case NARROW:
      sprint__narrow_input(dense, dy, n, relu_x, ret_dx);
      return;
    case WIDE_TILES:
      sprint__wide_input(dense, dy, n, relu_x, ret_dx);
      return;
    case TINY:
      tiny_input(dense, dy, n, ret_dx);
      break;
    case BLAS:
      sprint__gemm_by_transposed(dy, dense->theta, n, dense->out, dense->in, ret_dx, apart);
      break;
  }
  if (relu_x) mask(ret_dx, relu_x, n, dense->in, apart);
}

SPRINT__FAST void sprint__dense_activate(const sprint_real *z, size_t n, bool relu, sprint_real *ret_y) {
  for (size_t i = 0; i < n; i += G) store(ret_y + i, relu ? positive(load(z + i)) : load(z + i));
}
