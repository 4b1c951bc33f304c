/* Dense products of one output: W is a vector. See dense.h. */
#include "base/group.h"
#include "model/dense.h"

enum { ROWS = 4 };

/* The last n of a row, fewer than a group, and zeros. */
SPRINT__INLINE group load_part(const sprint_real *at, size_t n) {
  sprint_real part[G] = {0};
  for (size_t g = 0; g < n; g++) part[g] = at[g];
  return load(part);
}

/* The sums of x . w, before they are added up. */
SPRINT__INLINE group dot(const sprint_real *x, const sprint_real *w, size_t n) {
  size_t k = 0;
  group sums = {0};
  for (; k + G <= n; k += G) sums += load(w + k) * load(x + k);
  if (k < n) sums += load_part(w + k, n - k) * load_part(x + k, n - k);
  return sums;
}

/* The same for G rows of x, which share the loads of w: a row's output does not depend on the rows around it. */
SPRINT__INLINE void dots(const sprint_real *x, const sprint_real *w, size_t n, group sums[G]) {
  size_t k = 0;
  for (size_t r = 0; r < G; r++) sums[r] = (group){0};
  for (; k + G <= n; k += G) {
    group weights = load(w + k);
    for (size_t r = 0; r < G; r++) sums[r] += weights * load(x + r * n + k);
  }
  for (size_t r = 0; k < n && r < G; r++) sums[r] += load_part(w + k, n - k) * load_part(x + r * n + k, n - k);
}

SPRINT__FAST void sprint__single_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n,
                                         sprint_real *ret_y) {
  size_t in = dense->in, i = 0;
  const sprint_real *w = dense->theta, bias = w[in];
  for (; i + G <= n; i += G) {
    group sums[G];
    dots(x + i * in, w, in, sums);
    group y = totals(sums) + bias;
    store(ret_y + i, dense->relu ? positive(y) : y);
  }
  for (; i < n; i++) {
    sprint_real y = total(dot(x + i * in, w, in)) + bias;
    ret_y[i] = dense->relu && y <= 0 ? 0 : y;
  }
}

SPRINT__FAST void sprint__single_weight(const struct sprint__dense *dense, const sprint_real *x, const sprint_real *dy,
                                        size_t n, bool adds, sprint_real *gradient) {
  size_t in = dense->in, k = 0;
  for (; k + ROWS * G <= in; k += ROWS * G) {
    group sums[ROWS] = {{0}};
    for (size_t i = 0; i < n; i++)
      for (size_t g = 0; g < ROWS; g++) sums[g] += SPRINT__ALL(dy[i]) * load(x + i * in + k + g * G);
    for (size_t g = 0; g < ROWS; g++) put(gradient + k + g * G, sums[g], adds);
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

/* Columns k .. k + ROWS * G of all rows: their weights stay in registers. */
SPRINT__INLINE void input_columns(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                  const sprint_real *relu_x, size_t k, sprint_real *dx) {
  group w[ROWS];
  for (size_t g = 0; g < ROWS; g++) w[g] = load(dense->theta + k + g * G);
  for (size_t i = 0; i < n; i++)
    for (size_t g = 0; g < ROWS; g++) {
      size_t at = i * dense->in + k + g * G;
      group value = SPRINT__ALL(dy[i]) * w[g];
      store(dx + at, relu_x ? masked(value, load(relu_x + at)) : value);
    }
}

SPRINT__FAST void sprint__single_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                       const sprint_real *relu_x, sprint_real *ret_dx) {
  size_t in = dense->in, k = 0;
  for (; k + ROWS * G <= in; k += ROWS * G)
    if (relu_x)
      input_columns(dense, dy, n, relu_x, k, ret_dx);
    else
      input_columns(dense, dy, n, NULL, k, ret_dx);
  for (size_t i = 0; k < in && i < n; i++)
    for (size_t j = k; j < in; j++)
      ret_dx[i * in + j] = relu_x && relu_x[i * in + j] <= 0 ? 0 : dy[i] * dense->theta[j];
}
