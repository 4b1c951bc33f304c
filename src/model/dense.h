/* The products of a dense layer, y = f(x W + b). W is held (in, out), weights by input: a row of W is what one feature
 * adds to all outputs, so that a feature of zero skips its row and a step touches the rows of its features alone. */
#ifndef SPRINT_MODEL_DENSE_H
#define SPRINT_MODEL_DENSE_H

#include "base/fast.h"

struct sprint__dense {
  size_t in, out;
  const sprint_real *theta; /* W (in, out), then b (out) */
  bool relu;                /* f is max(., 0); otherwise nothing */
  /* Where these are a part of a layer's inputs, and there is a group of outputs at least: */
  bool bare;    /* W alone: b is neither added nor has a gradient */
  size_t apart; /* numbers from one row of x, and of dx, to the next; 0: in */
};

static inline size_t sprint__dense_apart(const struct sprint__dense *dense) {
  return dense->apart ? dense->apart : dense->in;
}

/* Whether rows of W are so short that there is much to do beside multiplying. */
static inline bool sprint__dense_is_thin(const struct sprint__dense *dense) { return dense->out < 4 * SPRINT__GROUP; }

/* Whether its weights come from memory, as no cache holds them beside all else. */
static inline bool sprint__dense_is_far(const struct sprint__dense *dense) {
  enum { FAR = 1 << 20 };
  return dense->in * dense->out > FAR;
}

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

/* dense_cut.c: the same where few rows meet many weights: the weights are cut into parts of the inputs instead of the
 * rows, for all threads, the same both ways, so that a part stays with its core. y and dx as above; gradient or dx
 * NULL: not wanted. The first needs room for SPRINT__CUT_ROOM * out numbers. */
enum { SPRINT__CUT_PARTS = 4, SPRINT__CUT_ROWS = 32, SPRINT__CUT_ROOM = SPRINT__CUT_PARTS * (SPRINT__CUT_ROWS - 1) };
void sprint__cut_forward(sprint_context *context, const struct sprint__dense *dense, int n_parts, const sprint_real *x,
                         size_t n, sprint_real *ret_y, sprint_real *room);
void sprint__cut_backward(sprint_context *context, const struct sprint__dense *dense, int n_parts, const sprint_real *x,
                          const sprint_real *dy, size_t n, bool after_relu, sprint_real *dx, sprint_real *gradient,
                          bool adds);

/* How many parts such a layer has, up to SPRINT__CUT_PARTS; 1: it is too small to be cut. */
int sprint__cut_parts(size_t in, size_t out);

/* Parts begin at steps of so many inputs, of which a layer has, 0 where they are too few: */
enum { SPRINT__CUT_STEP = 8, SPRINT__CUT_LEAST = 2 }; /* and so many steps a part has at least */
static inline size_t sprint__cut_steps(size_t in) {
  return in < 2 * SPRINT__CUT_LEAST * SPRINT__CUT_STEP ? 0 : in / SPRINT__CUT_STEP;
}

/* dense_small.c: sums held in registers, for layers whose weights fit the first cache, where BLAS would spend more on
 * packing than on multiplying. Forward, few rows or few outputs of any layer too. */
enum {
  SPRINT__SMALL_WEIGHTS = 8192,
  SPRINT__TILE_ROWS = 4, /* rows of x that share a load of the weights */
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

/* dense_few.c: few rows of large layers, forward of more than two groups of outputs; the weights' gradient, without
 * that of b, of any rows and layers of a group of outputs or more. */
enum { SPRINT__FEW_ROWS = 48 }; /* at most */
void sprint__few_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y);
void sprint__few_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                        bool adds, sprint_real *gradient);
void sprint__few_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                       sprint_real *ret_dx);

/* dense_wide.c: with AVX-512 alone. The weights' gradient is without that of b. */
void sprint__wide_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y);
void sprint__wide_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                         bool adds, sprint_real *gradient);
void sprint__wide_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                        sprint_real *ret_dx);

/* dense_dots.c: with AVX-512 alone. Few rows; so many inputs at least. */
enum { SPRINT__DOTS_INPUTS = 4 };
void sprint__dots_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                        sprint_real *ret_dx);

/* dense_narrow.c: fewer outputs than a group but more than one; a group of inputs at least. The weights' gradient is
 * without that of b. */
enum { SPRINT__NARROW_WEIGHTS = 4096 }; /* turned round at once */

static inline bool sprint__dense_is_narrow(const struct sprint__dense *dense) {
  return dense->out > 1 && dense->out < SPRINT__GROUP && dense->in >= SPRINT__GROUP;
}

void sprint__narrow_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y);
void sprint__narrow_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                           bool adds, sprint_real *gradient);
void sprint__narrow_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                          sprint_real *ret_dx);

/* dense_single.c: one output. */
void sprint__single_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *ret_y);
void sprint__single_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy, size_t n,
                           bool adds, sprint_real *gradient);
void sprint__single_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n, const sprint_real *relu_x,
                          sprint_real *ret_dx);

#endif
