/* Dense products of fewer outputs than a group: see dense.h. Groups run along the inputs instead, for which W is turned
 * round once a call, as many inputs at a time as the first cache holds the weights of. Inputs that do not fill the last
 * group are its last ones: it begins early, and shares some with the one before it. */
#include "base/group.h"
#include "base/transpose.h"
#include "base/wide.h"
#include "model/dense.h"

/* Where group g of the inputs starts. */
SPRINT__INLINE size_t start_of(size_t g, size_t in) { return (g + 1) * G <= in ? g * G : in - G; }

static size_t n_groups(size_t in) { return (in + G - 1) / G; }

/* A piece of the inputs, of about as many as the others, and its weights turned round. */
struct piece {
  size_t from, in;
  bool first, last;
  sprint_real panel[SPRINT__NARROW_WEIGHTS]; /* (out, in) */
};

static size_t n_pieces(const struct sprint__dense *dense) {
  size_t most = SPRINT__NARROW_WEIGHTS / dense->out;
  return (dense->in + most - 1) / most;
}

static void take_piece(const struct sprint__dense *dense, size_t p, struct piece *ret_piece) {
  size_t pieces = n_pieces(dense), from = dense->in * p / pieces, end = dense->in * (p + 1) / pieces;
  ret_piece->from = from;
  ret_piece->in = end - from;
  ret_piece->first = p == 0;
  ret_piece->last = p + 1 == pieces;
  sprint__transpose(dense->theta + from * dense->out, end - from, dense->out, dense->out, end - from, ret_piece->panel);
}

/* Calls BODY(.., out) with an `out` that is known when it is compiled. */
#ifdef SPRINT_DOUBLE
#define EACH_OUT(BODY, out, ...) \
  do {                           \
    if ((out) == 2)              \
      BODY(__VA_ARGS__, 2);      \
    else                         \
      BODY(__VA_ARGS__, 3);      \
  } while (0)
#else
#define EACH_OUT(BODY, out, ...) \
  do {                           \
    if ((out) == 2)              \
      BODY(__VA_ARGS__, 2);      \
    else if ((out) == 3)         \
      BODY(__VA_ARGS__, 3);      \
    else if ((out) == 4)         \
      BODY(__VA_ARGS__, 4);      \
    else if ((out) == 5)         \
      BODY(__VA_ARGS__, 5);      \
    else if ((out) == 6)         \
      BODY(__VA_ARGS__, 6);      \
    else                         \
      BODY(__VA_ARGS__, 7);      \
  } while (0)
#endif

/* y := what the piece adds to it; with the last one f(y + b). */
SPRINT__INLINE void forward_rows(const struct sprint__dense *dense, const struct piece *piece, const sprint_real *x,
                                 size_t n, sprint_real *y, size_t out) {
  size_t in = piece->in, groups = n_groups(in);
  const sprint_real *bias = dense->theta + dense->in * out;
  group_mask own = own_last(in);
  for (size_t i = 0; i < n; i++, x += dense->in, y += out) {
    group sums[G];
#pragma GCC unroll 8
    for (size_t o = 0; o < G; o++) sums[o] = (group){0};
    for (size_t g = 0; g < groups; g++) {
      size_t start = start_of(g, in);
      group some = load(x + start);
      if (g + 1 == groups) some = only(own, some);
#pragma GCC unroll 8
      for (size_t o = 0; o < out; o++) sums[o] += some * load(piece->panel + o * in + start);
    }
    sprint_real all[G];
    store(all, totals(sums));
    for (size_t o = 0; o < out; o++) {
      sprint_real value = piece->first ? all[o] : y[o] + all[o];
      if (piece->last) value += bias[o];
      y[o] = piece->last && dense->relu && value <= 0 ? 0 : value;
    }
  }
}

SPRINT__FAST void sprint__narrow_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n,
                                         sprint_real *ret_y) {
  struct piece piece;
  for (size_t p = 0; p < n_pieces(dense); p++) {
    take_piece(dense, p, &piece);
    EACH_OUT(forward_rows, dense->out, dense, &piece, x + piece.from, n, ret_y);
  }
}

/* The gradient of the inputs of group g. */
SPRINT__INLINE void weight_group(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                 size_t n, size_t g, bool adds, sprint_real *gradient, size_t out) {
  size_t in = dense->in, start = start_of(g, in);
  group sums[G];
#pragma GCC unroll 8
  for (size_t o = 0; o < G; o++) sums[o] = (group){0};
  for (size_t i = 0; i < n; i++, x += in, dy += out) {
    group some = load(x + start);
#pragma GCC unroll 8
    for (size_t o = 0; o < out; o++) sums[o] += some * SPRINT__ALL(dy[o]);
  }
  turn_square(sums);
  for (size_t k = g * G; k < start + G; k++) {
    sprint_real all[G], *at = gradient + k * out;
    store(all, sums[k - start]);
    for (size_t o = 0; o < out; o++) at[o] = all[o] + (adds ? at[o] : 0);
  }
}

SPRINT__FAST void sprint__narrow_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                        size_t n, bool adds, sprint_real *gradient) {
  for (size_t g = 0; g < n_groups(dense->in); g++)
    EACH_OUT(weight_group, dense->out, dense, x, dy, n, g, adds, gradient);
}

/* dx and relu_x are the piece's part of the rows. */
SPRINT__INLINE void input_rows(const struct sprint__dense *dense, const struct piece *piece, const sprint_real *dy,
                               size_t n, const sprint_real *relu_x, sprint_real *dx, size_t out) {
  size_t in = piece->in, groups = n_groups(in);
  for (size_t i = 0; i < n; i++, dy += out)
    for (size_t g = 0; g < groups; g++) {
      size_t start = start_of(g, in), at = i * dense->in + start;
      group sum = {0};
#pragma GCC unroll 8
      for (size_t o = 0; o < out; o++) sum += SPRINT__ALL(dy[o]) * load(piece->panel + o * in + start);
      store(dx + at, relu_x ? masked(sum, load(relu_x + at)) : sum);
    }
}

SPRINT__FAST void sprint__narrow_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                       const sprint_real *relu_x, sprint_real *ret_dx) {
  if (n > 1 && sprint__has_wide()) { /* one row alone is not worth panels */
    sprint__wide_input(dense, dy, n, relu_x, ret_dx);
    return;
  }
  struct piece piece;
  for (size_t p = 0; p < n_pieces(dense); p++) {
    take_piece(dense, p, &piece);
    const sprint_real *where = relu_x ? relu_x + piece.from : NULL;
    EACH_OUT(input_rows, dense->out, dense, &piece, dy, n, where, ret_dx + piece.from);
  }
}
