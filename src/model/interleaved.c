/* Products of records side by side: see interleaved.h. */
#include "model/interleaved.h"

#include "base/group.h"

enum { A = SPRINT__INTERLEAVED, WIDE = SPRINT__INTERLEAVED_GROUPS, UNITS = SPRINT__INTERLEAVED_UNITS };
enum { LINE = 64 / sizeof(sprint_real) };

void sprint__interleaved_from_rows(const sprint_real *rows, size_t n, size_t width, sprint_real *ret_tile) {
  for (size_t o = 0; o < width; o++)
    for (size_t i = 0; i < A; i++) ret_tile[o * A + i] = i < n ? rows[i * width + o] : 0;
}

void sprint__interleaved_to_rows(const sprint_real *tile, size_t n, size_t width, sprint_real *ret_rows) {
  for (size_t i = 0; i < n; i++)
    for (size_t o = 0; o < width; o++) ret_rows[i * width + o] = tile[o * A + i];
}

void sprint__interleaved_pack(const sprint_real *d, sprint_real factor, size_t n, size_t out, sprint_real *ret_packed) {
  for (size_t o = 0; o < out; o += UNITS)
    for (size_t i = 0; i < n; i++)
      for (size_t u = 0; u < UNITS; u++) *ret_packed++ = factor * d[i * out + o + u];
}

/* sums += sum over k of w[k][..units] times x[k], a tile of n numbers; of a relu's, what it puts out. */
SPRINT__INLINE void multiply(const sprint_real *w, size_t stride, const sprint_real *x, bool relu_x, size_t n,
                             int units, group sums[UNITS][WIDE]) {
  group a[UNITS], b[UNITS], c[UNITS];
  for (int u = 0; u < units; u++) a[u] = sums[u][0], b[u] = sums[u][1], c[u] = sums[u][2];
  for (size_t k = 0; k < n; k++, w += stride, x += A) {
    group p = load(x), q = load(x + G), r = load(x + 2 * G);
    if (relu_x) p = positive(p), q = positive(q), r = positive(r);
    for (int u = 0; u < units; u++) {
      group factor = SPRINT__ALL(w[u]);
      a[u] += factor * p;
      b[u] += factor * q;
      c[u] += factor * r;
    }
  }
  for (int u = 0; u < units; u++) sums[u][0] = a[u], sums[u][1] = b[u], sums[u][2] = c[u];
}

/* Fetches the part of the next tile that lies where units o .. o + UNITS of this one do, and as large a part of K. */
SPRINT__INLINE void fetch_next(const struct sprint__interleaved_update *move, size_t o, size_t out) {
  for (size_t b = o * move->n / out; b < (o + UNITS) * move->n / out; b++) {
    __builtin_prefetch(move->next_k[b] + move->next_at);
    __builtin_prefetch(move->next_k[b] + move->next_at + A - 1);
  }
  for (size_t i = o * A; i < (o + UNITS) * A; i += LINE) {
    if (move->next_tile) __builtin_prefetch(move->next_tile + i);
    if (move->next_p) __builtin_prefetch(move->next_p + i);
  }
}

SPRINT__FAST void sprint__interleaved_add(const struct sprint__interleaved_update *move, size_t out,
                                          sprint_real *tile) {
  for (size_t o = 0; o < out; o += UNITS) {
    fetch_next(move, o, out);
    group sums[UNITS][WIDE] = {{{0}}};
    for (size_t u = 0; u < UNITS; u++)
      for (size_t g = 0; g < WIDE; g++) {
        size_t at = (o + u) * A + g * G;
        sums[u][g] = load(tile + at);
        if (move->p) sums[u][g] -= move->size * load(move->p + at);
      }
    multiply(move->d + o * move->n, UNITS, move->k, false, move->n, UNITS, sums);
    for (size_t u = 0; u < UNITS; u++)
      for (size_t g = 0; g < WIDE; g++) store(tile + (o + u) * A + g * G, sums[u][g]);
  }
}

/* Outputs o .. o + units. */
SPRINT__INLINE void forward_units(const struct sprint__dense *dense, const sprint_real *x, bool relu_x, size_t o,
                                  int units, sprint_real *y) {
  const sprint_real *bias = dense->theta + dense->in * dense->out + o;
  group sums[UNITS][WIDE] = {{{0}}};
  for (int u = 0; u < units; u++)
    for (int g = 0; g < WIDE; g++) sums[u][g] += bias[u];
  multiply(dense->theta + o, dense->out, x, relu_x, dense->in, units, sums);
  for (int u = 0; u < units; u++)
    for (int g = 0; g < WIDE; g++)
      store(y + (o + (size_t)u) * A + g * G, dense->relu ? positive(sums[u][g]) : sums[u][g]);
}

/* Fours, and threes rather than a two or a one that would wait for its own sums. */
SPRINT__INLINE void forward_all(const struct sprint__dense *dense, const sprint_real *x, bool relu_x, sprint_real *y) {
  size_t o = 0, out = dense->out;
  for (; out - o >= 4 && out - o != 5 && out - o != 6; o += 4) forward_units(dense, x, relu_x, o, 4, y);
  for (; out - o >= 3; o += 3) forward_units(dense, x, relu_x, o, 3, y);
  if (out - o == 2) forward_units(dense, x, relu_x, o, 2, y);
  if (out - o == 1) forward_units(dense, x, relu_x, o, 1, y);
}

SPRINT__FAST void sprint__interleaved_forward(const struct sprint__dense *dense, const sprint_real *x, bool relu_x,
                                              sprint_real *ret_y) {
  if (relu_x)
    forward_all(dense, x, true, ret_y);
  else
    forward_all(dense, x, false, ret_y);
}
