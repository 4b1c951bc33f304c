/* Dense products of one output: W is a vector. See dense.h. */
#include "base/group.h"
#include "model/dense.h"

enum { ROWS = 4 };

/* A row of fewer numbers than a group, and zeros. */
SPRINT__INLINE group load_part(const sprint_real *at, size_t n) {
  sprint_real part[G] = {0};
  for (size_t g = 0; g < n; g++) part[g] = at[g];
  return load(part);
}

/* The last group of w, of n numbers, where a row is multiplied by it after the groups before it. */
SPRINT__INLINE group last_weights(const sprint_real *w, size_t n) {
  return n < G ? load_part(w, n) : only(own_last(n), load(w + n - G));
}

SPRINT__INLINE group last_of_row(const sprint_real *x, size_t n) { return n < G ? load_part(x, n) : load(x + n - G); }

/* The sums of x . w, before they are added up; `last` is of w. */
SPRINT__INLINE group dot(const sprint_real *x, const sprint_real *w, size_t n, group last) {
  group sums = {0};
  for (size_t k = 0; k + G < n; k += G) sums += load(w + k) * load(x + k);
  return sums + last * last_of_row(x, n);
}

/* The same for G rows of x, which share the loads of w: a row's output does not depend on the rows around it. */
SPRINT__INLINE void dots(const sprint_real *x, const sprint_real *w, size_t n, group last, group sums[G]) {
  for (size_t r = 0; r < G; r++) sums[r] = (group){0};
  for (size_t k = 0; k + G < n; k += G) {
    group weights = load(w + k);
    for (size_t r = 0; r < G; r++) sums[r] += weights * load(x + r * n + k);
  }
  for (size_t r = 0; r < G; r++) sums[r] += last * last_of_row(x + r * n, n);
}

SPRINT__FAST void sprint__single_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n,
                                         sprint_real *ret_y) {
  size_t in = dense->in, i = 0;
  const sprint_real *w = dense->theta, bias = w[in];
  group last = last_weights(w, in);
  for (; i + G <= n; i += G) {
    group sums[G];
    dots(x + i * in, w, in, last, sums);
    group y = totals(sums) + bias;
    store(ret_y + i, dense->relu ? positive(y) : y);
  }
  for (; i < n; i++) {
    sprint_real y = total(dot(x + i * in, w, in, last)) + bias;
    ret_y[i] = dense->relu && y <= 0 ? 0 : y;
  }
}

/* `groups` groups of columns, from k on, of all rows. */
SPRINT__INLINE void weight_columns(const sprint_real *x, const sprint_real *dy, size_t n, size_t in, size_t k,
                                   size_t groups, group sums[ROWS]) {
  for (size_t g = 0; g < groups; g++) sums[g] = (group){0};
  for (size_t i = 0; i < n; i++)
    for (size_t g = 0; g < groups; g++) sums[g] += SPRINT__ALL(dy[i]) * load(x + i * in + k + g * G);
}

/* The last group begins early. */
SPRINT__FAST void sprint__single_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                        size_t n, bool adds, sprint_real *gradient) {
  size_t in = dense->in, k = 0;
  group sums[ROWS];
  for (; k + ROWS * G <= in; k += ROWS * G) {
    weight_columns(x, dy, n, in, k, ROWS, sums);
    for (size_t g = 0; g < ROWS; g++) put(gradient + k + g * G, sums[g], adds);
  }
  for (; in >= G && k < in; k += G) {
    size_t at = k + G <= in ? k : in - G;
    weight_columns(x, dy, n, in, at, 1, sums);
    put_rest(gradient, at, k, sums[0], adds);
  }
  for (; k < in; k++) {
    sprint_real sum = adds ? gradient[k] : 0;
    for (size_t i = 0; i < n; i++) sum += dy[i] * x[i * in + k];
    gradient[k] = sum;
  }
  sprint_real sum = adds ? gradient[in] : 0;
  for (size_t i = 0; i < n; i++) sum += dy[i];
  gradient[in] = sum;
}

/* `groups` groups of columns, from k on, of all rows: their weights stay in registers. */
SPRINT__INLINE void input_columns(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                  const sprint_real *relu_x, size_t k, size_t groups, sprint_real *dx) {
  group w[ROWS];
  for (size_t g = 0; g < groups; g++) w[g] = load(dense->theta + k + g * G);
  for (size_t i = 0; i < n; i++)
    for (size_t g = 0; g < groups; g++) {
      size_t at = i * dense->in + k + g * G;
      group value = SPRINT__ALL(dy[i]) * w[g];
      store(dx + at, relu_x ? masked(value, load(relu_x + at)) : value);
    }
}

/* All columns, where there is a group of them; the last group begins early. */
SPRINT__INLINE void input_rows(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                               const sprint_real *relu_x, sprint_real *dx) {
  size_t in = dense->in, k = 0;
  for (; k + ROWS * G <= in; k += ROWS * G) input_columns(dense, dy, n, relu_x, k, ROWS, dx);
  for (; k < in; k += G) input_columns(dense, dy, n, relu_x, k + G <= in ? k : in - G, 1, dx);
}

SPRINT__FAST void sprint__single_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                       const sprint_real *relu_x, sprint_real *ret_dx) {
  size_t in = dense->in;
  if (in >= G && relu_x) {
    input_rows(dense, dy, n, relu_x, ret_dx);
    return;
  }
  if (in >= G) {
    input_rows(dense, dy, n, NULL, ret_dx);
    return;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < in; j++)
      ret_dx[i * in + j] = relu_x && relu_x[i * in + j] <= 0 ? 0 : dy[i] * dense->theta[j];
}
