/* The products of a dense layer, y = f(x W + b). W is held (in, out), weights by input: a row of W is what one feature
 * adds to all outputs, so that a feature of zero skips its row and a step touches the rows of its features alone. */
#ifndef SPRINT_MODEL_DENSE_H
#define SPRINT_MODEL_DENSE_H

#include "base/fast.h"

struct sprint__dense {
  size_t in, out;
  const sprint_real *theta; /* W (in, out), then b (out) */
  bool relu;                /* f is max(., 0); otherwise nothing */
};

/* y (n, out) = f(x W + b), x (n, in) */
void sprint__dense_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y);

/* gradient (in, out) then (out): written, or added to where `adds`; dy (n, out) before f. */
void sprint__dense_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                          bool adds, sprint_real *gradient);

/* The part of it that is the biases' (out). */
void sprint__dense_bias(const sprint_real *dy, size_t n, size_t out, bool adds, sprint_real *gradient);

/* dx (n, in) = dy W^T, dy before f; where relu_x (n, in) is given, what a relu put out, zero wherever it is. */
void sprint__dense_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                         sprint_real *ret_dx);

/* y := f(z), n numbers, a multiple of SPRINT__GROUP. */
void sprint__dense_activate(const sprint_real *z, size_t n, bool relu, sprint_real *ret_y);

/* dense_small.c: sums held in registers, for layers whose weights fit the first cache, where BLAS would spend more on
 * packing than on multiplying, and for few rows of any. */
enum {
  SPRINT__SMALL_WEIGHTS = 8192,
  SPRINT__FEW_ROWS = 8,
  SPRINT__TILE_ROWS = 4, /* rows of x that share a load of the weights; fewer go one by one */
};

static inline bool sprint__dense_is_small(const struct sprint__dense *dense) {
  size_t in = (dense->in + SPRINT__GROUP - 1) / SPRINT__GROUP * SPRINT__GROUP;
  return dense->out >= SPRINT__GROUP && in * dense->out <= SPRINT__SMALL_WEIGHTS;
}

void sprint__small_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y);
void sprint__small_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                          bool adds, sprint_real *gradient);
void sprint__small_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                         sprint_real *ret_dx);

/* dense_single.c: one output. */
void sprint__single_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y);
void sprint__single_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                           bool adds, sprint_real *gradient);
void sprint__single_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                          sprint_real *ret_dx);

#endif
