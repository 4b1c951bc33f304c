/* Dense products of few rows, of layers of any size: see dense.h. What takes time is to bring the weights in, or the
 * gradient out, so each is gone through once, line after line, for all rows. */
#include "base/group.h"
#include "model/dense.h"

/* Rows that are added up, and those they are added to, at a time: their factors stay in registers. */
enum { FROM = 4, TO = 2 };

/* to (n_to, width) = or, where `adds`, += factors (n_to, n_from) from (n_from, width), where number (t, f) of the
 * factors is at factors[t * down + f * across]; width is a group at least. */
struct sum {
  const sprint_real *factors;
  size_t down, across;
  const sprint_real *from;
  sprint_real *to;
  size_t width;
  bool adds;
};

/* A function: put into an array, the macro makes gcc warn of numbers that are not set. */
SPRINT__INLINE group all_of(sprint_real value) { return SPRINT__ALL(value); }

SPRINT__INLINE group sum_at(const struct sum *sum, size_t n_from, size_t t, const group *factors, size_t c) {
  group total = {0};
  if (sum->adds) total = load(sum->to + t * sum->width + c);
  for (size_t f = 0; f < n_from; f++) total += factors[f] * load(sum->from + f * sum->width + c);
  return total;
}

/* FROM and TO rows at most. The last group overlaps the one before: it is worked out before that is written, and
 * written after it. */
SPRINT__INLINE void add_rows(const struct sum *sum, size_t n_from, size_t n_to) {
  group factors[TO][FROM], last[TO];
  size_t end = sum->width - G;
  for (size_t t = 0; t < n_to; t++) {
    for (size_t f = 0; f < n_from; f++) factors[t][f] = all_of(sum->factors[t * sum->down + f * sum->across]);
    last[t] = sum_at(sum, n_from, t, factors[t], end);
  }
  for (size_t c = 0; c < end; c += G)
    for (size_t t = 0; t < n_to; t++) store(sum->to + t * sum->width + c, sum_at(sum, n_from, t, factors[t], c));
  for (size_t t = 0; t < n_to; t++) store(sum->to + t * sum->width + end, last[t]);
}

/* The gradient is gone through once, TO rows at a time: dy stays in the first cache. */
SPRINT__INLINE void weight_rows(struct sum sum, size_t n, size_t n_to) {
  for (; n >= FROM; n -= FROM, sum.factors += FROM * sum.across, sum.from += FROM * sum.width, sum.adds = true)
    add_rows(&sum, FROM, n_to);
  if (n == 3)
    add_rows(&sum, 3, n_to);
  else if (n == 2)
    add_rows(&sum, 2, n_to);
  else if (n == 1)
    add_rows(&sum, 1, n_to);
}

SPRINT__FAST void sprint__few_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                     size_t n, bool adds, sprint_real *gradient) {
  size_t in = dense->in, k = 0;
  struct sum sum = {x, 1, sprint__dense_apart(dense), dy, gradient, dense->out, adds};
  for (; k + TO <= in; k += TO, sum.factors += TO, sum.to += TO * dense->out) weight_rows(sum, n, TO);
  if (k < in) weight_rows(sum, n, 1);
}

/* Rows of dy that go together, and whose parts behind whole groups are kept. */
enum { CHUNK = 8 };

/* dx (rows, inputs) from input k on: rows * inputs = G sums along the rows of W, which are then added up at once. tail:
 * what is behind the whole groups of a row of dy, zeros before it, to go with the last group of a row of W. */
SPRINT__INLINE void input_tile(const struct sprint__dense *dense, const sprint_real *dy, const group *tail, size_t rows,
                               size_t inputs, size_t k, sprint_real *ret_sums) {
  size_t in = dense->in, out = dense->out;
  const sprint_real *w[G], *from[G];
  group sums[G];
  for (size_t j = 0; j < inputs; j++) w[j] = dense->theta + (k + j < in ? k + j : in - 1) * out;
  for (size_t r = 0; r < rows; r++) from[r] = dy + r * out;
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 8
    for (size_t j = 0; j < inputs; j++) sums[r * inputs + j] = tail[r] * load(w[j] + out - G);
  for (size_t o = 0; o + G <= out; o += G)
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 8
      for (size_t j = 0; j < inputs; j++) sums[r * inputs + j] += load(from[r] + o) * load(w[j] + o);
  store(ret_sums, totals(sums));
}

/* dx of `rows` rows of dy, from input k on, as many as one tile gives. */
SPRINT__INLINE void input_rows(const struct sprint__dense *dense, const sprint_real *dy, const group *tail, size_t rows,
                               size_t k, const sprint_real *relu_x, sprint_real *dx) {
  size_t inputs = G / rows, apart = sprint__dense_apart(dense);
  sprint_real sums[G];
  input_tile(dense, dy, tail, rows, inputs, k, sums);
  size_t some = dense->in - k < inputs ? dense->in - k : inputs;
  for (size_t r = 0; r < rows; r++) {
    sprint_real *to = dx + r * apart + k, *from = sums + r * inputs;
    for (size_t j = 0; relu_x && j < some; j++)
      if (relu_x[r * apart + k + j] <= 0) from[j] = 0;
    if (some == inputs)
      memcpy(to, from, inputs * sizeof *to);
    else
      memcpy(to, from, some * sizeof *to);
  }
}

/* Rows by fours, then two, then one; every row of W is brought in once for all of them. */
SPRINT__INLINE void input_chunk(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                const sprint_real *relu_x, sprint_real *dx) {
  size_t out = dense->out, apart = sprint__dense_apart(dense), whole = out / G * G;
  group tails[CHUNK];
  for (size_t i = 0; i < n; i++) {
    sprint_real tail[G] = {0};
    for (size_t o = whole; o < out; o++) tail[G - out + o] = dy[i * out + o];
    tails[i] = load(tail);
  }
  for (size_t k = 0; k < dense->in; k += G)
    for (size_t i = 0, rows; i < n; i += rows) {
      const sprint_real *from = dy + i * out, *relu = relu_x ? relu_x + i * apart : NULL;
      sprint_real *to = dx + i * apart;
      rows = n - i >= 4 ? 4 : n - i >= 2 ? 2 : 1;
      for (size_t j = k; j < k + G && j < dense->in; j += G / rows)
        if (rows == 4)
          input_rows(dense, from, tails + i, 4, j, relu, to);
        else if (rows == 2)
          input_rows(dense, from, tails + i, 2, j, relu, to);
        else
          input_rows(dense, from, tails + i, 1, j, relu, to);
    }
}

SPRINT__FAST void sprint__few_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                    const sprint_real *relu_x, sprint_real *ret_dx) {
  size_t apart = sprint__dense_apart(dense);
  for (size_t i = 0; i < n; i += CHUNK) {
    size_t some = n - i < CHUNK ? n - i : CHUNK;
    input_chunk(dense, dy + i * dense->out, some, relu_x ? relu_x + i * apart : NULL, ret_dx + i * apart);
  }
}
