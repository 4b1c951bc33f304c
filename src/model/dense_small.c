/* Dense products with their sums in registers: see dense.h. Columns are taken in groups; where they do not divide, the
 * last group starts early and overlaps the one before, so that no loop has a remainder. */
#include <assert.h>

#include "base/group.h"
#include "base/transpose.h"
#include "model/dense.h"

enum {
  ROWS = SPRINT__TILE_ROWS,
  WIDE = 8, /* groups of one row at once */
};

/* Where the group of columns after `column` starts. */
SPRINT__INLINE size_t group_at(size_t column, size_t columns) { return column + G <= columns ? column : columns - G; }

/* sums[r][g] += sum over k of x[r][k] * w[k][at[g]..], for ROWS rows. */
SPRINT__INLINE void multiply(const sprint_real *const *x, size_t k_end, const sprint_real *w, size_t stride,
                             const size_t at[2], group sums[ROWS][2]) {
  group a[ROWS], b[ROWS];
  for (int r = 0; r < ROWS; r++) a[r] = sums[r][0], b[r] = sums[r][1];
  for (size_t k = 0; k < k_end; k++) {
    group u = load(w + k * stride + at[0]), v = load(w + k * stride + at[1]);
    for (int r = 0; r < ROWS; r++) {
      group factor = SPRINT__ALL(x[r][k]);
      a[r] += factor * u;
      b[r] += factor * v;
    }
  }
  for (int r = 0; r < ROWS; r++) sums[r][0] = a[r], sums[r][1] = b[r];
}

/* ROWS rows from row i on; where there are not as many, the last one again. */
SPRINT__INLINE void rows_at(const sprint_real *x, size_t width, size_t i, size_t n, const sprint_real *rows[ROWS]) {
  for (size_t r = 0; r < ROWS; r++) rows[r] = x + (i + r < n ? i + r : n - 1) * width;
}

/* What the outputs from column c on start from. */
SPRINT__INLINE group bias_at(const struct sprint__dense *dense, size_t c) {
  group none = {0};
  return dense->bare ? none : load(dense->theta + dense->in * dense->out + c);
}

/* y = f(x w + b) for n rows, one or two, and WIDE / n groups of columns from column c on. */
SPRINT__INLINE void row_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, size_t c,
                                sprint_real *y) {
  const sprint_real *w = dense->theta + c;
  size_t out = dense->out, apart = sprint__dense_apart(dense), groups = WIDE / n;
  group sums[WIDE];
  for (size_t s = 0; s < WIDE; s++) sums[s] = bias_at(dense, c + s % groups * G);
  for (size_t k = 0; k < dense->in; k++)
    for (size_t r = 0; r < n; r++) {
      group factor = SPRINT__ALL(x[r * apart + k]);
      for (size_t g = 0; g < groups; g++) sums[r * groups + g] += factor * load(w + k * out + g * G);
    }
  for (size_t s = 0; s < WIDE; s++)
    store(y + s / groups * out + c + s % groups * G, dense->relu ? positive(sums[s]) : sums[s]);
}

/* The same for two groups, four inputs at a time: sums that do not wait for each other. */
SPRINT__INLINE void row_forward_narrow(const struct sprint__dense *dense, const sprint_real *x, const size_t at[2],
                                       sprint_real *y) {
  enum { AHEAD = 4 };
  size_t in = dense->in, out = dense->out, k = 0;
  const sprint_real *w = dense->theta;
  group a[AHEAD] = {{0}}, b[AHEAD] = {{0}};
  for (; k + AHEAD <= in; k += AHEAD)
    for (size_t j = 0; j < AHEAD; j++) {
      group factor = SPRINT__ALL(x[k + j]);
      a[j] += factor * load(w + (k + j) * out + at[0]);
      b[j] += factor * load(w + (k + j) * out + at[1]);
    }
  for (; k < in; k++) {
    group factor = SPRINT__ALL(x[k]);
    a[0] += factor * load(w + k * out + at[0]);
    b[0] += factor * load(w + k * out + at[1]);
  }
  group first = (a[0] + a[1]) + (a[2] + a[3]) + bias_at(dense, at[0]);
  group second = (b[0] + b[1]) + (b[2] + b[3]) + bias_at(dense, at[1]);
  store(y + at[0], dense->relu ? positive(first) : first);
  store(y + at[1], dense->relu ? positive(second) : second);
}

SPRINT__INLINE void rows_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, sprint_real *y) {
  size_t out = dense->out, c = 0, width = WIDE / n * G;
  for (; c + width <= out; c += width) row_forward(dense, x, n, c, y);
  for (; c < out; c += 2 * G)
    for (size_t r = 0; r < n; r++) {
      size_t at[2] = {group_at(c, out), group_at(c + G, out)};
      row_forward_narrow(dense, x + r * sprint__dense_apart(dense), at, y + r * out);
    }
}

SPRINT__INLINE void tiles_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n, bool relu,
                                  sprint_real *y) {
  size_t out = dense->out;
  const sprint_real *rows[ROWS];
  for (size_t i = 0; i < n; i += ROWS) {
    rows_at(x, sprint__dense_apart(dense), i, n, rows);
    for (size_t c = 0; c < out; c += 2 * G) {
      size_t at[2] = {group_at(c, out), group_at(c + G, out)};
      group sums[ROWS][2];
      for (int r = 0; r < ROWS; r++)
        for (int g = 0; g < 2; g++) sums[r][g] = bias_at(dense, at[g]);
      multiply(rows, dense->in, dense->theta, out, at, sums);
      for (size_t r = 0; r < ROWS && i + r < n; r++)
        for (int g = 0; g < 2; g++) store(y + (i + r) * out + at[g], relu ? positive(sums[r][g]) : sums[r][g]);
    }
  }
}

SPRINT__FAST void sprint__small_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n,
                                        sprint_real *ret_y) {
  if (n == 1)
    rows_forward(dense, x, 1, ret_y);
  else if (n == 2)
    rows_forward(dense, x, 2, ret_y);
  else if (dense->relu)
    tiles_forward(dense, x, n, true, ret_y);
  else
    tiles_forward(dense, x, n, false, ret_y);
}

/* to := W^T (out, in), rows of `stride`: the padding is zero. */
SPRINT__INLINE void transpose(const struct sprint__dense *dense, size_t stride, sprint_real *to) {
  sprint__transpose(dense->theta, dense->in, dense->out, dense->out, stride, to);
  for (size_t k = dense->in; k < stride; k++)
    for (size_t o = 0; o < dense->out; o++) to[o * stride + k] = 0;
}

/* Puts the first `used` numbers of a group, those of a relu's zeros as zero. */
SPRINT__INLINE void put_masked(sprint_real *to, group value, const sprint_real *relu_x, size_t used) {
  if (used >= G) {
    store(to, relu_x ? masked(value, load(relu_x)) : value);
    return;
  }
  for (size_t g = 0; g < used; g++) to[g] = relu_x && relu_x[g] <= 0 ? 0 : value[g];
}

/* What is behind the first `whole` of dy's numbers, with zeros before it: for the last group of a row of W, which
 * begins early. */
SPRINT__INLINE group end_of(const sprint_real *dy, size_t whole, size_t out) {
  sprint_real end[G] = {0};
  for (size_t o = whole; o < out; o++) end[G - out + o] = dy[o];
  return load(end);
}

/* One row: a product for each input, G inputs at a time. */
SPRINT__INLINE void row_input(const struct sprint__dense *dense, const sprint_real *dy, size_t whole,
                              const sprint_real *relu_x, sprint_real *dx) {
  size_t in = dense->in, out = dense->out;
  group tail = end_of(dy, whole, out);
  for (size_t k = 0; k < in; k += G) {
    group sums[G];
#pragma GCC unroll 8
    for (size_t j = 0; j < G; j++) {
      const sprint_real *w = dense->theta + (k + j < in ? k + j : in - 1) * out;
      group sum = tail * load(w + out - G);
      for (size_t o = 0; o < whole; o += G) sum += load(dy + o) * load(w + o);
      sums[j] = sum;
    }
    put_masked(dx + k, totals(sums), relu_x ? relu_x + k : NULL, in - k);
  }
}

/* Inputs that ROWS rows take at a time in tiles_input. */
enum { ALONG = SPRINT__GROUP / ROWS };

/* ROWS rows and ALONG inputs at a time, sums along the rows of W: no copy of it, and no columns but the inputs. */
SPRINT__INLINE void tiles_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                const sprint_real *relu_x, sprint_real *dx) {
  size_t in = dense->in, out = dense->out, whole = out / G * G;
  for (size_t i = 0; i < n; i += ROWS) {
    const sprint_real *rows[ROWS];
    group tails[ROWS];
    rows_at(dy, out, i, n, rows);
    for (size_t r = 0; r < ROWS; r++) tails[r] = end_of(rows[r], whole, out);
    for (size_t next = 0; next < in; next += ALONG) {
      size_t k = next + ALONG <= in ? next : in - ALONG;
      const sprint_real *w = dense->theta + k * out;
      group sums[G] = {{0}};
      for (size_t r = 0; whole < out && r < ROWS; r++)
        for (size_t j = 0; j < ALONG; j++) sums[r * ALONG + j] = tails[r] * load(w + (j + 1) * out - G);
      for (size_t o = 0; o < whole; o += G)
        for (size_t r = 0; r < ROWS; r++)
          for (size_t j = 0; j < ALONG; j++) sums[r * ALONG + j] += load(rows[r] + o) * load(w + j * out + o);
      sprint_real all[G];
      store(all, totals(sums));
      for (size_t r = 0; r < ROWS && i + r < n; r++) {
        size_t to = (i + r) * in + k;
        for (size_t j = 0; relu_x && j < ALONG; j++)
          if (relu_x[to + j] <= 0) all[r * ALONG + j] = 0;
        memcpy(dx + to, all + r * ALONG, ALONG * sizeof *dx);
      }
    }
  }
}

/* Whether W^T is not worth a copy: rows are few, or groups of columns would be much wider than the inputs; sums along
 * rows of W are to be long. */
SPRINT__INLINE bool goes_along(const struct sprint__dense *dense, size_t n) {
  enum { FEW = 24, SHORT = 4 * G };
  size_t columns = (dense->in + 2 * G - 1) / (2 * G) * (2 * G);
  if (dense->in < ALONG) return false;
  return dense->in < G || (dense->out >= SHORT && 4 * columns > 5 * dense->in) || (dense->out >= 2 * SHORT && n <= FEW);
}

SPRINT__FAST void sprint__small_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                      const sprint_real *relu_x, sprint_real *ret_dx) {
  size_t in = dense->in, stride = in < G ? G : in;
  if (n < ROWS) {
    size_t whole = dense->out / G * G;
    for (size_t i = 0; i < n; i++, dy += dense->out, ret_dx += in) {
      const sprint_real *row_relu = relu_x ? relu_x + i * in : NULL;
      if (whole == G)
        row_input(dense, dy, G, row_relu, ret_dx);
      else
        row_input(dense, dy, whole, row_relu, ret_dx);
    }
    return;
  }
  if (goes_along(dense, n)) {
    if (relu_x)
      tiles_input(dense, dy, n, relu_x, ret_dx);
    else
      tiles_input(dense, dy, n, NULL, ret_dx);
    return;
  }
  sprint_real panel[SPRINT__SMALL_WEIGHTS];
  assert(stride * dense->out <= SPRINT__SMALL_WEIGHTS);
  transpose(dense, stride, panel);
  for (size_t i = 0; i < n; i += ROWS)
    for (size_t k = 0; k < in; k += 2 * G) {
      const sprint_real *rows[ROWS];
      size_t at[2] = {group_at(k, stride), group_at(k + G, stride)};
      group sums[ROWS][2] = {{{0}}};
      rows_at(dy, dense->out, i, n, rows);
      multiply(rows, dense->out, panel, stride, at, sums);
      for (size_t r = 0; r < ROWS && i + r < n; r++)
        for (size_t g = 0; g < 2; g++) {
          size_t to = (i + r) * in + at[g];
          put_masked(ret_dx + to, sums[r][g], relu_x ? relu_x + to : NULL, in);
        }
    }
}

/* One or two rows: x times dy, and dy itself for the biases. Both groups of a row of the gradient are read before
 * either is written: they may overlap. */
SPRINT__INLINE void rows_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                size_t n, bool adds, sprint_real *gradient) {
  size_t in = dense->in, out = dense->out;
  for (size_t c = 0; c < out; c += 2 * G) {
    size_t at[2] = {group_at(c, out), group_at(c + G, out)};
    group u[2], v[2];
    for (size_t i = 0; i < n; i++) u[i] = load(dy + i * out + at[0]), v[i] = load(dy + i * out + at[1]);
    for (size_t k = 0; k <= in; k++) {
      sprint_real *row = gradient + k * out;
      group a = {0}, b = {0};
      for (size_t i = 0; i < n; i++) {
        group factor = SPRINT__ALL(k < in ? x[i * in + k] : 1);
        a += factor * u[i];
        b += factor * v[i];
      }
      if (at[0] != c) {
        put_rest(row, at[0], c, a, adds);
        continue;
      }
      if (adds) {
        a += load(row + at[0]);
        b += load(row + at[1]);
      }
      store(row + at[0], a);
      store(row + at[1], b);
    }
  }
}

SPRINT__FAST void sprint__small_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                       size_t n, bool adds, sprint_real *gradient) {
  size_t out = dense->out;
  if (n == 1) {
    rows_weight(dense, x, dy, 1, adds, gradient);
    return;
  }
  if (n == 2) {
    rows_weight(dense, x, dy, 2, adds, gradient);
    return;
  }
  sprint__few_weight(dense, x, dy, n, adds, gradient);
  sprint__dense_bias(dy, n, out, adds, gradient + dense->in * out);
}
