/* Small dense layers: see small.h. Weights are copied once per call into rows whose length is a multiple of the group,
 * so that the inner loops have no remainders; then blocks of rows keep their sums in registers. */
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
INLINE void add_first(sprint_real *at, group value, size_t used) {
  if (used >= G) {
    store(at, load(at) + value);
    return;
  }
  for (size_t i = 0; i < used; i++) at[i] += value[i];
}

INLINE void put_first(sprint_real *at, group value, size_t used) {
  if (used >= G) {
    store(at, value);
    return;
  }
  for (size_t i = 0; i < used; i++) at[i] = value[i];
}

/* sums[r] = sum over k of x[r][k] * panel[k], for ROWS rows of length k_end; panel rows are `stride` apart. */
INLINE void multiply(const sprint_real *x, size_t x_stride, size_t k_end, const sprint_real *panel, size_t stride,
                     group *sums) {
  group s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  for (size_t k = 0; k < k_end; k++) {
    group w = load(panel + k * stride);
    s0 += x[k] * w;
    s1 += x[x_stride + k] * w;
    s2 += x[2 * x_stride + k] * w;
    s3 += x[3 * x_stride + k] * w;
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

/* The last rows, one at a time. */
INLINE group multiply_one(const sprint_real *x, size_t k_end, const sprint_real *panel, size_t stride) {
  group sum = {0};
  for (size_t k = 0; k < k_end; k++) sum += x[k] * load(panel + k * stride);
  return sum;
}

SPRINT__FAST void sprint__small_forward(const sprint_real *x, const sprint_real *w, size_t n, size_t in, size_t out,
                                        sprint_real *y) {
  sprint_real panel[ROOM];
  size_t stride = rounded(out), i = 0;
  transpose(w, out, in, panel);
  for (; i + ROWS <= n; i += ROWS)
    for (size_t o = 0; o < out; o += G) {
      group sums[ROWS];
      multiply(x + i * in, in, in, panel + o, stride, sums);
      for (size_t r = 0; r < ROWS; r++) add_first(y + (i + r) * out + o, sums[r], out - o);
    }
  for (; i < n; i++)
    for (size_t o = 0; o < out; o += G)
      add_first(y + i * out + o, multiply_one(x + i * in, in, panel + o, stride), out - o);
}

SPRINT__FAST void sprint__small_input(const sprint_real *dy, const sprint_real *w, size_t n, size_t in, size_t out,
                                      sprint_real *dx) {
  sprint_real panel[ROOM];
  size_t stride = rounded(in), i = 0;
  memset(panel, 0, out * stride * sizeof *panel);
  for (size_t o = 0; o < out; o++) memcpy(panel + o * stride, w + o * in, in * sizeof *w);
  for (; i + ROWS <= n; i += ROWS)
    for (size_t k = 0; k < in; k += G) {
      group sums[ROWS];
      multiply(dy + i * out, out, out, panel + k, stride, sums);
      for (size_t r = 0; r < ROWS; r++) put_first(dx + (i + r) * in + k, sums[r], in - k);
    }
  for (; i < n; i++)
    for (size_t k = 0; k < in; k += G)
      put_first(dx + i * in + k, multiply_one(dy + i * out, out, panel + k, stride), in - k);
}

/* dw^T (in, out) in groups of outputs, four inputs at a time; then added to dw the other way round. */
SPRINT__FAST void sprint__small_weight(const sprint_real *dy, const sprint_real *x, size_t n, size_t in, size_t out,
                                       sprint_real *dw) {
  for (size_t o = 0; o < out; o += G) {
    size_t used = out - o < G ? out - o : G;
    for (size_t k = 0; k < in; k += 4) {
      size_t k1 = k + 1 < in ? k + 1 : k, k2 = k + 2 < in ? k + 2 : k, k3 = k + 3 < in ? k + 3 : k;
      group sums[4] = {{0}};
      for (size_t i = 0; i < n; i++) {
        group d = {0};
        if (used == G)
          d = load(dy + i * out + o);
        else
          for (size_t g = 0; g < used; g++) d[g] = dy[i * out + o + g];
        const sprint_real *row = x + i * in;
        sums[0] += row[k] * d;
        sums[1] += row[k1] * d;
        sums[2] += row[k2] * d;
        sums[3] += row[k3] * d;
      }
      for (size_t j = 0; j < 4 && k + j < in; j++)
        for (size_t g = 0; g < used; g++) dw[(o + g) * in + k + j] += sums[j][g];
    }
  }
}

INLINE sprint_real total(group sum) {
  sprint_real result = 0;
  for (size_t g = 0; g < G; g++) result += sum[g];
  return result;
}

SPRINT__FAST void sprint__dots(const sprint_real *x, const sprint_real *w, size_t n, size_t in, sprint_real *y) {
  for (size_t i = 0; i < n; i++, x += in) {
    group s0 = {0}, s1 = {0};
    size_t k = 0;
    for (; k + 2 * G <= in; k += 2 * G) {
      s0 += load(x + k) * load(w + k);
      s1 += load(x + k + G) * load(w + k + G);
    }
    for (; k + G <= in; k += G) s0 += load(x + k) * load(w + k);
    sprint_real sum = total(s0 + s1);
    for (; k < in; k++) sum += x[k] * w[k];
    y[i] += sum;
  }
}
