/* Sparse products: see sparse.h. Columns are taken WIDE groups at a time, which stay in registers; features in tiles
 * whose rows of W stay in the first cache while all records go by. */
#include "model/sparse.h"

#include "base/group.h"

enum {
  WIDE = SPRINT__SPARSE_OUT / SPRINT__GROUP,
  TILE = 112, /* features */
};

SPRINT__INLINE size_t record_at(const struct sprint__sparse *x, size_t i) { return x->who ? x->who[i] : x->first + i; }

SPRINT__INLINE void start_lists(const struct sprint__sparse *x, size_t n) {
  for (size_t i = 0; i < n; i++) x->at[i] = x->pixels->start[record_at(x, i)];
}

/* Where the record's list has got to feature `until`. */
SPRINT__INLINE size_t list_until(const struct sprint__sparse *x, size_t i, size_t until) {
  size_t at = x->at[i], end = x->pixels->start[record_at(x, i) + 1];
  while (at < end && x->pixels->list[at].feature < until) at++;
  return at;
}

/* Adds to y the rows of W of pixels at .. end. */
SPRINT__INLINE void add_rows(const struct sprint__pixels *pixels, size_t at, size_t end, const sprint_real *w,
                             size_t stride, sprint_real *y) {
  group sums[WIDE], *to = (group *)y;
  for (size_t g = 0; g < WIDE; g++) sums[g] = to[g];
  for (; at < end; at++) {
    group factor = SPRINT__ALL(pixels->levels[pixels->list[at].level]);
    const group *row = (const group *)(w + pixels->list[at].feature * stride);
    SPRINT__FORGET(row);
    for (size_t g = 0; g < WIDE; g++) sums[g] += factor * row[g];
  }
  for (size_t g = 0; g < WIDE; g++) to[g] = sums[g];
}

/* y := b, less what is owed. */
SPRINT__INLINE void start_sums(const struct sprint__sparse *x, size_t i, const sprint_real *bias, size_t out,
                               sprint_real *y) {
  const sprint_real *owed = x->owed ? x->owed + record_at(x, i) * out : NULL;
  for (size_t o = 0; o < out; o += G) {
    group value = load(bias + o);
    if (owed) value -= x->times * load(owed + o);
    store(y + o, value);
  }
}

SPRINT__FAST void sprint__sparse_forward(const struct sprint__dense *dense, const struct sprint__sparse *x, size_t n,
                                         sprint_real *ret_y) {
  size_t in = dense->in, out = dense->out;
  const sprint_real *bias = dense->theta + in * out;
  for (size_t i = 0; i < n; i++) start_sums(x, i, bias, out, ret_y + i * out);
  size_t tile = n > 1 ? TILE : in;
  start_lists(x, n);
  for (size_t k = 0; k < in; k += tile)
    for (size_t i = 0; i < n; i++) {
      size_t end = list_until(x, i, k + tile);
      for (size_t c = 0; c < out; c += SPRINT__SPARSE_OUT)
        add_rows(x->pixels, x->at[i], end, dense->theta + c, out, ret_y + i * out + c);
      x->at[i] = end;
    }
  for (size_t k = 0; dense->relu && k < n * out; k += G) store(ret_y + k, positive(load(ret_y + k)));
}

/* The same the other way: adds a record's dy to the rows of its pixels. */
SPRINT__INLINE void add_to_rows(const struct sprint__pixels *pixels, size_t at, size_t end, const sprint_real *dy,
                                size_t stride, sprint_real *gradient) {
  group d[WIDE];
  for (size_t g = 0; g < WIDE; g++) d[g] = load(dy + g * G);
  for (; at < end; at++) {
    group factor = SPRINT__ALL(pixels->levels[pixels->list[at].level]);
    group *row = (group *)(gradient + pixels->list[at].feature * stride);
    SPRINT__FORGET(row);
    for (size_t g = 0; g < WIDE; g++) row[g] += factor * d[g];
  }
}

SPRINT__FAST void sprint__sparse_weight(const struct sprint__dense *dense, const struct sprint__sparse *x,
                                        const sprint_real *dy, size_t n, bool adds, sprint_real *gradient) {
  size_t in = dense->in, out = dense->out;
  sprint_real *bias = gradient + in * out;
  if (!adds) memset(gradient, 0, (in + 1) * out * sizeof *gradient);
  start_lists(x, n);
  for (size_t k = 0; k < in; k += TILE)
    for (size_t i = 0; i < n; i++) {
      size_t end = list_until(x, i, k + TILE);
      for (size_t c = 0; c < out; c += SPRINT__SPARSE_OUT)
        add_to_rows(x->pixels, x->at[i], end, dy + i * out + c, out, gradient + c);
      x->at[i] = end;
    }
  for (size_t i = 0; i < n; i++)
    for (size_t o = 0; o < out; o += G) store(bias + o, load(bias + o) + load(dy + i * out + o));
}
