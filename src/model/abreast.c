/* Products of records side by side: see abreast.h. */
#include "model/abreast.h"

#include "base/group.h"

enum { A = SPRINT__ABREAST, WIDE = SPRINT__ABREAST_GROUPS, UNITS = SPRINT__ABREAST_UNITS };
enum { LINE = 64 / sizeof(sprint_real) };

void sprint__abreast_from_rows(const sprint_real *rows, size_t n, size_t width, sprint_real *ret_tile) {
  for (size_t o = 0; o < width; o++)
    for (size_t i = 0; i < A; i++) ret_tile[o * A + i] = i < n ? rows[i * width + o] : 0;
}

void sprint__abreast_to_rows(const sprint_real *tile, size_t n, size_t width, sprint_real *ret_rows) {
  for (size_t i = 0; i < n; i++)
    for (size_t o = 0; o < width; o++) ret_rows[i * width + o] = tile[o * A + i];
}

void sprint__abreast_pack(const sprint_real *d, sprint_real factor, size_t n, size_t out, sprint_real *ret_packed) {
  for (size_t o = 0; o < out; o += UNITS)
    for (size_t i = 0; i < n; i++)
      for (size_t u = 0; u < UNITS; u++) *ret_packed++ = factor * d[i * out + o + u];
}

/* sums += sum over k of w[k][..units] times x[k], a tile of n numbers. */
SPRINT__INLINE void multiply(const sprint_real *w, size_t stride, const sprint_real *x, size_t n, int units,
                             group sums[UNITS][WIDE]) {
  group a[UNITS], b[UNITS], c[UNITS];
  for (int u = 0; u < units; u++) a[u] = sums[u][0], b[u] = sums[u][1], c[u] = sums[u][2];
  for (size_t k = 0; k < n; k++, w += stride, x += A) {
    group p = load(x), q = load(x + G), r = load(x + 2 * G);
    for (int u = 0; u < units; u++) {
      group factor = SPRINT__ALL(w[u]);
      a[u] += factor * p;
      b[u] += factor * q;
      c[u] += factor * r;
    }
  }
  for (int u = 0; u < units; u++) sums[u][0] = a[u], sums[u][1] = b[u], sums[u][2] = c[u];
}

SPRINT__FAST void sprint__abreast_add(const sprint_real *packed, const sprint_real *k, size_t n, size_t out,
                                      const struct sprint__abreast_next *next, sprint_real *tile) {
  size_t blocks = out / UNITS, fetched = 0;
  for (size_t o = 0; o < blocks; o++, packed += n * UNITS) {
    for (; fetched < (o + 1) * n / blocks; fetched++) {
      __builtin_prefetch(next->k[fetched] + next->at);
      __builtin_prefetch(next->k[fetched] + next->at + A - 1);
    }
    for (size_t i = o * UNITS * A; i < (o + 1) * UNITS * A; i += LINE) {
      if (next->tile) __builtin_prefetch(next->tile + i);
      if (next->owed) __builtin_prefetch(next->owed + i);
    }
    group sums[UNITS][WIDE] = {{{0}}};
    sprint_real *at = tile + o * UNITS * A;
    for (int u = 0; u < UNITS; u++)
      for (int g = 0; g < WIDE; g++) sums[u][g] = load(at + u * A + g * G);
    multiply(packed, UNITS, k, n, UNITS, sums);
    for (int u = 0; u < UNITS; u++)
      for (int g = 0; g < WIDE; g++) store(at + u * A + g * G, sums[u][g]);
  }
}

/* Outputs o .. o + units. */
SPRINT__INLINE void forward_units(const struct sprint__dense *dense, const sprint_real *x, size_t o, int units,
                                  sprint_real *y) {
  const sprint_real *bias = dense->theta + dense->in * dense->out + o;
  group sums[UNITS][WIDE] = {{{0}}};
  for (int u = 0; u < units; u++)
    for (int g = 0; g < WIDE; g++) sums[u][g] += bias[u];
  multiply(dense->theta + o, dense->out, x, dense->in, units, sums);
  for (int u = 0; u < units; u++)
    for (int g = 0; g < WIDE; g++)
      store(y + (o + (size_t)u) * A + g * G, dense->relu ? positive(sums[u][g]) : sums[u][g]);
}

SPRINT__FAST void sprint__abreast_forward(const struct sprint__dense *dense, const sprint_real *x, sprint_real *ret_y) {
  size_t o = 0;
  for (; o + UNITS <= dense->out; o += UNITS) forward_units(dense, x, o, UNITS, ret_y);
  for (; o + 2 <= dense->out; o += 2) forward_units(dense, x, o, 2, ret_y);
  if (o < dense->out) forward_units(dense, x, o, 1, ret_y);
}
