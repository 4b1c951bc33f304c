/* Dense products of few rows, of layers of any size: see dense.h. What takes time is to bring the weights in, or the
 * gradient out, so each is gone through once, for all rows, and what comes next is asked for ahead. Sums are held in
 * registers. */
#include "base/group.h"
#include "model/dense.h"

/* Numbers of a cache line. */
enum { LINE = 64 / sizeof(sprint_real) };

/* Rows of W that all tiles of outputs are gone through for: as many as the second cache holds, whatever their length,
 * and whose part in one tile the first one does. The next ones are asked for meanwhile. */
enum { DEPTH = 32 };

/* Rows and groups of any tile, at most. */
enum { MOST_ROWS = 4, MOST_GROUPS = 8 };

/* y (rows, groups * G) += x (rows, depth) w (depth, ..): columns of a layer, rows of its records. */
struct strip {
  const sprint_real *x, *w;
  size_t apart, out, depth; /* numbers from row to row of x, of w; rows of w */
  size_t n;                 /* rows of x and y that there are; for others the last one is read, and nothing written */
  size_t next;              /* rows of w after these that are asked for: what is behind the last one may be another
                               core's */
};

/* Rows after a block of so many from k on: as many as the next has. */
static inline size_t rows_after(size_t k, size_t block, size_t all) {
  size_t next = k + block < all ? all - k - block : 0;
  return next < block ? next : block;
}

/* rows * groups sums; y has rows of `width`. */
SPRINT__INLINE void forward_tile(const struct strip *of, size_t rows, size_t groups, size_t width, sprint_real *y) {
  const sprint_real *x[MOST_ROWS], *w = of->w;
  group sums[MOST_GROUPS];
#pragma GCC unroll 4
  for (size_t r = 0; r < rows; r++) {
    size_t row = r < of->n ? r : of->n - 1;
    x[r] = of->x + row * of->apart;
#pragma GCC unroll 8
    for (size_t g = 0; g < groups; g++) sums[r * groups + g] = load(y + row * width + g * G);
  }
  for (size_t k = 0; k < of->depth; k++, w += of->out) {
    group weights[MOST_GROUPS];
#pragma GCC unroll 8
    for (size_t g = 0; g < groups; g++) weights[g] = load(w + g * G);
    for (size_t g = 0; k < of->next && g < groups; g += LINE / G) __builtin_prefetch(w + DEPTH * of->out + g * G);
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++) {
      group factor = SPRINT__ALL(x[r][k]);
#pragma GCC unroll 8
      for (size_t g = 0; g < groups; g++) sums[r * groups + g] += factor * weights[g];
    }
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < rows; r++) {
    if (r >= of->n) break;
#pragma GCC unroll 8
    for (size_t g = 0; g < groups; g++) store(y + r * width + g * G, sums[r * groups + g]);
  }
}

/* Two groups of columns, all rows. */
SPRINT__INLINE void forward_pair(struct strip of, size_t n, size_t width, sprint_real *y) {
  for (size_t i = 0, rows; i < n; i += rows, of.x += rows * of.apart, y += rows * width, of.next = 0) {
    of.n = n - i;
    rows = of.n > 2 ? 4 : 2;
    if (rows == 4)
      forward_tile(&of, 4, 2, width, y);
    else
      forward_tile(&of, 2, 2, width, y);
  }
}

/* As many columns as one or two rows fill a tile's sums with; the first that is left. */
SPRINT__INLINE size_t forward_wide(struct strip of, size_t n, sprint_real *y) {
  size_t c = 0, groups = 8 / n;
  of.n = n;
  for (; c + groups * G <= of.out; c += groups * G, of.w += groups * G)
    if (n == 1)
      forward_tile(&of, 1, 8, of.out, y + c);
    else
      forward_tile(&of, 2, 4, of.out, y + c);
  return c;
}

/* Columns that do not fill a tile are the last of one that begins early, whose sums have a place of their own, `tail`
 * (n, 2 * G). */
SPRINT__INLINE void forward_rows(const struct strip *all, size_t n, sprint_real *y, sprint_real *tail) {
  struct strip of = *all;
  size_t c = n <= 2 ? forward_wide(of, n, y) : 0;
  for (; c + 2 * G <= of.out; c += 2 * G) {
    of.w = all->w + c;
    forward_pair(of, n, of.out, y + c);
  }
  of.w = all->w + of.out - 2 * G;
  if (c < of.out) forward_pair(of, n, 2 * G, tail);
}

SPRINT__FAST void sprint__few_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n,
                                      sprint_real *ret_y) {
  size_t in = dense->in, out = dense->out, first = out - 2 * G, all = n * out, i = 0;
  const sprint_real *bias = dense->theta + in * out;
  sprint_real tail[SPRINT__FEW_ROWS * 2 * G];
  for (size_t r = 0; r < n; r++) {
    if (dense->bare) memset(ret_y + r * out, 0, out * sizeof *ret_y);
    if (!dense->bare) memcpy(ret_y + r * out, bias, out * sizeof *ret_y);
    memcpy(tail + r * 2 * G, ret_y + r * out + first, 2 * G * sizeof *tail);
  }
  for (size_t k = 0; k < in; k += DEPTH) {
    struct strip of = {.x = x + k, .w = dense->theta + k * out, .apart = sprint__dense_apart(dense), .out = out};
    of.depth = in - k < DEPTH ? in - k : DEPTH;
    of.next = rows_after(k, DEPTH, in);
    forward_rows(&of, n, ret_y, tail);
  }
  for (size_t r = 0; out % (2 * G) && r < n; r++)
    memcpy(ret_y + r * out + first, tail + r * 2 * G, sizeof tail / SPRINT__FEW_ROWS);
  if (!dense->relu) return;
  for (; i + G <= all; i += G) store(ret_y + i, positive(load(ret_y + i)));
  for (; i < all; i++) ret_y[i] = ret_y[i] <= 0 ? 0 : ret_y[i];
}

/* Rows of the gradient whose sums a tile has, of two groups of columns. */
enum { INPUTS = 5 };

/* `inputs` rows of the gradient from row k on, or, where there are not as many, the last ones; two groups of columns
 * from c on, whole ones or what is left of them. */
SPRINT__INLINE void weight_tile(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                size_t n, size_t k, size_t inputs, size_t c, bool whole, bool adds,
                                sprint_real *gradient) {
  size_t in = dense->in, out = dense->out, apart = sprint__dense_apart(dense);
  size_t start = k + inputs <= in ? k : in - inputs, second = c + G;
  size_t at[2] = {whole || c + G <= out ? c : out - G, whole || second + G <= out ? second : out - G};
  size_t next = rows_after(start, inputs, in);
  group sums[2 * INPUTS] = {{0}};
  x += start;
  gradient += start * out;
  for (size_t j = 0; j < next; j++) __builtin_prefetch(gradient + (inputs + j) * out + c, 1);
  for (size_t i = 0; i < n; i++, x += apart, dy += out) {
    group u = load(dy + at[0]), v = load(dy + at[1]);
#pragma GCC unroll 5
    for (size_t j = 0; j < inputs; j++) {
      group factor = SPRINT__ALL(x[j]);
      sums[2 * j] += factor * u;
      sums[2 * j + 1] += factor * v;
    }
  }
#pragma GCC unroll 5
  for (size_t j = 0; j < inputs; j++) {
    if (j < k - start) continue;
    if (whole) {
      put(gradient + j * out + c, sums[2 * j], adds);
      put(gradient + j * out + second, sums[2 * j + 1], adds);
      continue;
    }
    put_rest(gradient + j * out, at[0], c, sums[2 * j], adds);
    if (second < out) put_rest(gradient + j * out, at[1], second, sums[2 * j + 1], adds);
  }
}

SPRINT__INLINE void weight_rows(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                size_t n, size_t k, size_t inputs, bool adds, sprint_real *gradient) {
  size_t c = 0;
  for (; c + 2 * G <= dense->out; c += 2 * G) weight_tile(dense, x, dy, n, k, inputs, c, true, adds, gradient);
  if (c < dense->out) weight_tile(dense, x, dy, n, k, inputs, c, false, adds, gradient);
}

/* Rows of x that are so few that their factors stay in registers along whole rows of the gradient, and of how many. */
enum { FROM = 4, TO = 2 };

/* Rows of the gradient, of n rows of x and dy. */
struct rows_of_gradient {
  const sprint_real *x, *dy;
  size_t apart, out;
  bool adds;
  sprint_real *gradient;
};

/* A function: put into an array, the macro makes gcc warn of numbers that are not set. */
SPRINT__INLINE group all_of(sprint_real value) { return SPRINT__ALL(value); }

SPRINT__INLINE group sum_at(const struct rows_of_gradient *of, size_t n, size_t t, const group *factors, size_t c) {
  group total = {0};
  if (of->adds) total = load(of->gradient + t * of->out + c);
  for (size_t i = 0; i < n; i++) total += factors[i] * load(of->dy + i * of->out + c);
  return total;
}

/* FROM and TO rows at most. The last group overlaps the one before: it is worked out before that is written, and
 * written after it. */
SPRINT__INLINE void weight_along(const struct rows_of_gradient *of, size_t n, size_t to) {
  group factors[TO][FROM], last[TO];
  size_t end = of->out - G;
  for (size_t t = 0; t < to; t++) {
    for (size_t i = 0; i < n; i++) factors[t][i] = all_of(of->x[t + i * of->apart]);
    last[t] = sum_at(of, n, t, factors[t], end);
  }
  for (size_t c = 0; c < end; c += G)
    for (size_t t = 0; t < to; t++) store(of->gradient + t * of->out + c, sum_at(of, n, t, factors[t], c));
  for (size_t t = 0; t < to; t++) store(of->gradient + t * of->out + end, last[t]);
}

SPRINT__INLINE void weight_very_few(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                    size_t n, bool adds, sprint_real *gradient) {
  struct rows_of_gradient of = {x, dy, sprint__dense_apart(dense), dense->out, adds, gradient};
  size_t k = 0;
  for (; k + TO <= dense->in; k += TO, of.x += TO, of.gradient += TO * dense->out) weight_along(&of, n, TO);
  if (k < dense->in) weight_along(&of, n, 1);
}

SPRINT__FAST void sprint__few_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                     size_t n, bool adds, sprint_real *gradient) {
  size_t inputs = dense->in < INPUTS ? 1 : INPUTS;
  if (n == 1)
    weight_very_few(dense, x, dy, 1, adds, gradient);
  else if (n == 2)
    weight_very_few(dense, x, dy, 2, adds, gradient);
  else if (n == 3)
    weight_very_few(dense, x, dy, 3, adds, gradient);
  else if (n == FROM)
    weight_very_few(dense, x, dy, FROM, adds, gradient);
  else
    for (size_t k = 0; k < dense->in; k += inputs)
      if (inputs == 1)
        weight_rows(dense, x, dy, n, k, 1, adds, gradient);
      else
        weight_rows(dense, x, dy, n, k, INPUTS, adds, gradient);
}

/* Rows of W that all rows of dy are gone through for: a multiple of the inputs of every tile. The next ones are asked
 * for meanwhile. */
enum { BLOCK = 24 };

/* Sums of a tile of dx at most, by whole groups of either precision; and inputs. */
enum { SUMS = 16, MOST_INPUTS = 8 };

/* What a tile of dx is made from. */
struct products {
  const struct sprint__dense *dense;
  const sprint_real *dy;
  const group *tails; /* what is behind the whole groups of a row of dy, zeros before it: for the last group of W's */
  size_t n;           /* rows of dy that there are; of others the last one is read */
  bool asks;          /* for the rows of W after these */
};

/* dx (rows, inputs) from input k on: sums along the rows of W, which are then added up at once. */
SPRINT__INLINE void input_tile(const struct products *of, size_t rows, size_t inputs, size_t k, sprint_real *ret_sums) {
  size_t in = of->dense->in, out = of->dense->out, after = of->asks ? rows_after(k, BLOCK, in) : 0;
  size_t next = after < inputs ? after : inputs;
  const sprint_real *w[MOST_INPUTS], *from[MOST_ROWS];
  group sums[SUMS] = {{0}};
  for (size_t j = 0; j < inputs; j++) w[j] = of->dense->theta + (k + j < in ? k + j : in - 1) * out;
#pragma GCC unroll 4
  for (size_t r = 0; r < rows; r++) {
    size_t row = r < of->n ? r : of->n - 1;
    from[r] = of->dy + row * out;
#pragma GCC unroll 8
    for (size_t j = 0; j < inputs; j++) sums[r * inputs + j] = of->tails[row] * load(w[j] + out - G);
  }
  for (size_t o = 0; o + G <= out; o += G) {
    group weights[MOST_INPUTS];
#pragma GCC unroll 8
    for (size_t j = 0; j < inputs; j++) weights[j] = load(w[j] + o);
    for (size_t j = 0; o % LINE == 0 && j < next; j++) __builtin_prefetch(w[j] + BLOCK * out + o);
#pragma GCC unroll 4
    for (size_t r = 0; r < rows; r++) {
      group slope = load(from[r] + o);
#pragma GCC unroll 8
      for (size_t j = 0; j < inputs; j++) sums[r * inputs + j] += slope * weights[j];
    }
  }
  for (size_t s = 0; s < rows * inputs; s += G) store(ret_sums + s, totals(sums + s));
}

/* The inputs k .. k+BLOCK of rows of dy, as many as one tile has. */
SPRINT__INLINE void input_rows(const struct products *of, size_t rows, size_t inputs, size_t k,
                               const sprint_real *relu_x, sprint_real *dx) {
  size_t apart = sprint__dense_apart(of->dense), end = k + BLOCK < of->dense->in ? k + BLOCK : of->dense->in;
  for (size_t j = k; j < end; j += inputs) {
    sprint_real sums[SUMS];
    size_t some = end - j < inputs ? end - j : inputs;
    input_tile(of, rows, inputs, j, sums);
    for (size_t r = 0; r < rows && r < of->n; r++)
      for (size_t t = 0, at = r * apart + j; t < some; t++, at++)
        dx[at] = relu_x && relu_x[at] <= 0 ? 0 : sums[r * inputs + t];
  }
}

/* Rows by fours, and what is left by two or one. */
SPRINT__INLINE void input_block(struct products of, size_t n, size_t k, const sprint_real *relu_x, sprint_real *dx) {
  size_t apart = sprint__dense_apart(of.dense);
  of.asks = true;
  for (size_t i = 0, rows; i < n; i += rows, of.asks = false) {
    const sprint_real *relu = relu_x ? relu_x + i * apart : NULL;
    of.n = n - i;
    rows = of.n > 2 ? 4 : of.n;
    if (rows == 4)
      input_rows(&of, 4, 3, k, relu, dx + i * apart);
    else if (rows == 2)
      input_rows(&of, 2, 4, k, relu, dx + i * apart);
    else
      input_rows(&of, 1, 8, k, relu, dx + i * apart);
    of.dy += rows * of.dense->out;
    of.tails += rows;
  }
}

SPRINT__FAST void sprint__few_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                    const sprint_real *relu_x, sprint_real *ret_dx) {
  size_t out = dense->out, whole = out / G * G;
  group tails[SPRINT__FEW_ROWS];
  for (size_t i = 0; i < n; i++) {
    sprint_real tail[G] = {0};
    for (size_t o = whole; o < out; o++) tail[G - out + o] = dy[i * out + o];
    tails[i] = load(tail);
  }
  struct products of = {.dense = dense, .dy = dy, .tails = tails};
  for (size_t k = 0; k < dense->in; k += BLOCK) input_block(of, n, k, relu_x, ret_dx);
}
