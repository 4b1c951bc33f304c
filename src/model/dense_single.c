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

/* x . w */
SPRINT__INLINE sprint_real dot(const sprint_real *x, const sprint_real *w, size_t n) {
  size_t k = 0;
  group s = {0};
  for (; k + G <= n; k += G) s += load(w + k) * load(x + k);
  if (k < n) s += load_part(w + k, n - k) * load_part(x + k, n - k);
  return total(s);
}

/* The same for ROWS rows of x, which share the loads of w: in the same order, so that a row's output does not depend
 * on the rows around it. */
SPRINT__INLINE void dots(const sprint_real *x, const sprint_real *w, size_t n, sprint_real sums[ROWS]) {
  size_t k = 0;
  group s[ROWS] = {{0}};
  for (; k + G <= n; k += G) {
    group weights = load(w + k);
    for (size_t r = 0; r < ROWS; r++) s[r] += weights * load(x + r * n + k);
  }
  for (size_t r = 0; r < ROWS; r++) {
    if (k < n) s[r] += load_part(w + k, n - k) * load_part(x + r * n + k, n - k);
    sums[r] = total(s[r]);
  }
}

SPRINT__FAST void sprint__single_forward(const struct sprint__dense *dense, const sprint_real *x, size_t n,
                                         sprint_real *ret_y) {
  size_t in = dense->in, i = 0;
  const sprint_real *w = dense->theta, bias = w[in];
  for (; i + ROWS <= n; i += ROWS) dots(x + i * in, w, in, ret_y + i);
  for (; i < n; i++) ret_y[i] = dot(x + i * in, w, in);
  for (i = 0; i < n; i++) {
    sprint_real y = ret_y[i] + bias;
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

SPRINT__FAST void sprint__single_input(const struct sprint__dense *dense, const sprint_real *dy, size_t n,
                                       const sprint_real *relu_x, sprint_real *ret_dx) {
  size_t in = dense->in;
  for (size_t i = 0; i < n; i++, ret_dx += in) {
    size_t k = 0;
    for (; k + G <= in; k += G) {
      group value = SPRINT__ALL(dy[i]) * load(dense->theta + k);
      store(ret_dx + k, relu_x ? kept(value, load(relu_x + i * in + k)) : value);
    }
    for (; k < in; k++) ret_dx[k] = relu_x && relu_x[i * in + k] <= 0 ? 0 : dy[i] * dense->theta[k];
  }
}
