/* Small dense layers and few rows: see small.h. Weights are copied once per call into rows whose length is a multiple
 * of the group, so that the inner loops have no remainders; then blocks of rows keep their sums in registers. */
#include "model/small.h"

#include <string.h>

typedef sprint__group group;

/* Inlined, so that they are compiled for the processor of whoever calls them. */
#define INLINE static inline __attribute__((always_inline))

enum {
  G = SPRINT__GROUP,
  ROWS = 4,                            /* rows of x that share a load of the weights */
  ROOM = 4096 + SPRINT__SMALL_OUT * G, /* in * out with either side rounded up */
};

static size_t rounded(size_t n) { return (n + G - 1) / G * G; }

INLINE group load(const sprint_real *at) {
  group value;
  memcpy(&value, at, sizeof value);
  return value;
}

INLINE void store(sprint_real *at, group value) { memcpy(at, &value, sizeof value); }

/* to (columns of w, padded rows of w) = w^T, w (rows, columns); the padding is zero. */
static void transpose(const sprint_real *w, size_t rows, size_t columns, sprint_real *to) {
  size_t stride = rounded(rows);
  memset(to, 0, columns * stride * sizeof *to);
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++) to[c * stride + r] = w[r * columns + c];
}

/* The first `used` numbers of a group, added to or put at `at`. */
INLINE void put_first(sprint_real *at, group value, size_t used, bool adds) {
  if (used >= G) {
    if (adds) value += load(at);
    store(at, value);
    return;
  }
  for (size_t i = 0; i < used; i++) at[i] = value[i] + (adds ? at[i] : 0);
}

/* sums[r][g] = sum over k of x[r][k] * panel[k][g], for ROWS rows and `groups` (1 or 2) groups of columns: eight sums
 * that do not wait for each other. */
INLINE void multiply(const sprint_real *x, size_t x_stride, size_t k_end, const sprint_real *panel, size_t stride,
                     int groups, group sums[ROWS][2]) {
  group a[ROWS] = {{0}}, b[ROWS] = {{0}};
  for (size_t k = 0; k < k_end; k++) {
    group w = load(panel + k * stride), v = groups > 1 ? load(panel + k * stride + G) : w;
    for (int r = 0; r < ROWS; r++) {
      group factor = x[(size_t)r * x_stride + k] - (group){0};
      a[r] += factor * w;
      if (groups > 1) b[r] += factor * v;
    }
  }
  for (int r = 0; r < ROWS; r++) {
    sums[r][0] = a[r];
    sums[r][1] = b[r];
  }
}

/* to (n, columns) = or += x (n, k_end) panel; panel (k_end, stride), stride the columns rounded up. */
INLINE void multiply_all(const sprint_real *x, size_t n, size_t k_end, const sprint_real *panel, size_t columns,
                         bool adds, sprint_real *to) {
  size_t stride = rounded(columns), i = 0;
  for (; i + ROWS <= n; i += ROWS)
    for (size_t c = 0; c < columns; c += 2 * G) {
      group sums[ROWS][2];
      if (stride - c > G)
        multiply(x + i * k_end, k_end, k_end, panel + c, stride, 2, sums);
      else
        multiply(x + i * k_end, k_end, k_end, panel + c, stride, 1, sums);
      for (size_t r = 0; r < ROWS; r++)
        for (size_t g = 0; g < 2 && c + g * G < columns; g++)
          put_first(to + (i + r) * columns + c + g * G, sums[r][g], columns - c - g * G, adds);
    }
  for (; i < n; i++)
    for (size_t c = 0; c < columns; c += G) {
      group sum = {0};
      for (size_t k = 0; k < k_end; k++) sum += x[i * k_end + k] * load(panel + k * stride + c);
      put_first(to + i * columns + c, sum, columns - c, adds);
    }
}

SPRINT__FAST void sprint__small_forward(const sprint_real *x, const sprint_real *w, size_t n, size_t in, size_t out,
                                        sprint_real *y) {
  sprint_real panel[ROOM];
  transpose(w, out, in, panel);
  multiply_all(x, n, in, panel, out, true, y);
}

SPRINT__FAST void sprint__small_input(const sprint_real *dy, const sprint_real *w, size_t n, size_t in, size_t out,
                                      sprint_real *dx) {
  sprint_real panel[ROOM];
  size_t stride = rounded(in);
  memset(panel, 0, out * stride * sizeof *panel);
  for (size_t o = 0; o < out; o++)
    for (size_t k = 0; k < in; k++) panel[o * stride + k] = w[o * in + k];
  multiply_all(dy, n, out, panel, in, false, dx);
}

/* sums[j][g] = sum over rows i of x[i][at[j]] * dy[i][g]. */
INLINE void correlate(const sprint_real *x, const sprint_real *dy, size_t n, size_t in, size_t out, const size_t *at,
                      int groups, group sums[4][2]) {
  group a[4] = {{0}}, b[4] = {{0}};
  for (size_t i = 0; i < n; i++) {
    group d = load(dy + i * out), e = groups > 1 ? load(dy + i * out + G) : d;
    for (int j = 0; j < 4; j++) {
      group factor = x[i * in + at[j]] - (group){0};
      a[j] += factor * d;
      if (groups > 1) b[j] += factor * e;
    }
  }
  for (int j = 0; j < 4; j++) {
    sums[j][0] = a[j];
    sums[j][1] = b[j];
  }
}

/* Four inputs and up to two groups of outputs at a time; a last part of a group by plain sums. */
SPRINT__FAST void sprint__small_weight(const sprint_real *dy, const sprint_real *x, size_t n, size_t in, size_t out,
                                       sprint_real *dw) {
  size_t whole = out / G * G;
  for (size_t k = 0; k < in; k += 4) {
    size_t at[4];
    for (size_t j = 0; j < 4; j++) at[j] = k + j < in ? k + j : k;
    for (size_t o = 0; o < whole; o += 2 * G) {
      group sums[4][2];
      if (whole - o > G)
        correlate(x, dy + o, n, in, out, at, 2, sums);
      else
        correlate(x, dy + o, n, in, out, at, 1, sums);
      for (size_t j = 0; j < 4 && k + j < in; j++)
        for (size_t g = 0; g < 2 * G && o + g < whole; g++) dw[(o + g) * in + k + j] += sums[j][g / G][g % G];
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t o = whole; o < out; o++)
      for (size_t k = 0; k < in; k++) dw[o * in + k] += dy[i * out + o] * x[i * in + k];
}

INLINE sprint_real total(group sum) {
  sprint_real result = 0;
  for (size_t g = 0; g < G; g++) result += sum[g];
  return result;
}

/* a . b; short ones are not worth adding up a group for. */
INLINE sprint_real dot(const sprint_real *a, const sprint_real *b, size_t n) {
  size_t k = 0;
  sprint_real sum = 0;
  if (n >= 2 * G) {
    group s0 = {0}, s1 = {0};
    for (; k + 2 * G <= n; k += 2 * G) {
      s0 += load(a + k) * load(b + k);
      s1 += load(a + k + G) * load(b + k + G);
    }
    sum = total(s0 + s1);
  }
  for (; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* y[r][o] += x[r] . w_o for ROWS rows: each weight is read once. */
INLINE void dots(const sprint_real *x, const sprint_real *w, size_t in, size_t out, size_t o, sprint_real *y) {
  size_t k = 0;
  group sums[ROWS] = {{0}};
  for (; k + G <= in; k += G) {
    group weights = load(w + k);
    for (size_t r = 0; r < ROWS; r++) sums[r] += weights * load(x + r * in + k);
  }
  for (size_t r = 0; r < ROWS; r++) {
    sprint_real sum = total(sums[r]);
    for (size_t l = k; l < in; l++) sum += x[r * in + l] * w[l];
    y[r * out + o] += sum;
  }
}

SPRINT__FAST void sprint__few_forward(const sprint_real *x, const sprint_real *w, size_t n, size_t in, size_t out,
                                      sprint_real *y) {
  size_t i = 0;
  for (; i + ROWS <= n; i += ROWS)
    for (size_t o = 0; o < out; o++) dots(x + i * in, w + o * in, in, out, o, y + i * out);
  for (; i < n; i++)
    for (size_t o = 0; o < out; o++) y[i * out + o] += dot(x + i * in, w + o * in, in);
}

/* Each weight is written once, whatever the number of rows. */
SPRINT__FAST void sprint__few_weight(const sprint_real *dy, const sprint_real *x, size_t n, size_t in, size_t out,
                                     bool adds, sprint_real *dw) {
  size_t whole = in / G * G;
  for (size_t o = 0; o < out; o++) {
    sprint_real *to = dw + o * in;
    for (size_t k = 0; k < whole; k += G) {
      group sum = {0};
      if (adds) sum = load(to + k);
      for (size_t i = 0; i < n; i++) sum += dy[i * out + o] * load(x + i * in + k);
      store(to + k, sum);
    }
    for (size_t k = whole; k < in; k++) {
      sprint_real sum = adds ? to[k] : 0;
      for (size_t i = 0; i < n; i++) sum += dy[i * out + o] * x[i * in + k];
      to[k] = sum;
    }
  }
}
