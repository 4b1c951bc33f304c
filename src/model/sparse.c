/* Sparse products: see sparse.h. Columns are taken WIDE groups at a time, which stay in registers; features in tiles
 * whose rows of W stay in the first cache while all records go by. */
#include "model/sparse.h"

#include "base/group.h"

enum {
  WIDE = SPRINT__SPARSE_OUT / SPRINT__GROUP,
  TILE = 128, /* features */
};

SPRINT__INLINE size_t record_at(const struct sprint__sparse *x, size_t i) { return x->who ? x->who[i] : x->first + i; }

SPRINT__INLINE void start_lists(const struct sprint__sparse *x, size_t n) {
  for (size_t i = 0; i < n; i++) x->at[i] = x->pixels->start[record_at(x, i)];
}

/* Adds to y the rows of W of a record's pixels at .. end, up to feature `until`; returns where the next one is. */
SPRINT__INLINE size_t add_rows(const struct sprint__pixels *pixels, size_t at, size_t end, size_t until,
                               const sprint_real *w, size_t stride, sprint_real *y) {
  const struct sprint__pixel *pixel = pixels->list + at, *stop = pixels->list + end;
  if (pixel == stop || pixel->feature >= until) return at;
  group sums[WIDE], *to = (group *)y;
  for (size_t g = 0; g < WIDE; g++) sums[g] = to[g];
  for (; pixel < stop && pixel->feature < until; pixel++) {
    group factor = SPRINT__ALL(pixels->levels[pixel->level]);
    const group *row = (const group *)(w + pixel->feature * stride);
    SPRINT__FORGET(row);
    for (size_t g = 0; g < WIDE; g++) sums[g] += factor * row[g];
  }
  for (size_t g = 0; g < WIDE; g++) to[g] = sums[g];
  return (size_t)(pixel - pixels->list);
}

SPRINT__FAST void sprint__sparse_forward(const struct sprint__dense *dense, const struct sprint__sparse *x, size_t n,
                                         sprint_real *ret_y) {
  size_t in = dense->in, out = dense->out;
  const sprint_real *bias = dense->theta + in * out;
  for (size_t i = 0; i < n; i++) memcpy(ret_y + i * out, bias, out * sizeof *bias);
  size_t tile = n > 1 ? TILE : in;
  for (size_t c = 0; c < out; c += SPRINT__SPARSE_OUT) {
    start_lists(x, n);
    for (size_t k = 0; k < in; k += tile)
      for (size_t i = 0; i < n; i++)
        x->at[i] = add_rows(x->pixels, x->at[i], x->pixels->start[record_at(x, i) + 1], k + tile, dense->theta + c, out,
                            ret_y + i * out + c);
  }
  for (size_t k = 0; dense->relu && k < n * out; k += G) store(ret_y + k, positive(load(ret_y + k)));
}

/* The same the other way: adds a record's dy to the rows of its pixels. */
SPRINT__INLINE size_t add_to_rows(const struct sprint__pixels *pixels, size_t at, size_t end, size_t until,
                                  const sprint_real *dy, size_t stride, sprint_real *gradient) {
  const struct sprint__pixel *pixel = pixels->list + at, *stop = pixels->list + end;
  if (pixel == stop || pixel->feature >= until) return at;
  group d[WIDE];
  for (size_t g = 0; g < WIDE; g++) d[g] = load(dy + g * G);
  for (; pixel < stop && pixel->feature < until; pixel++) {
    group factor = SPRINT__ALL(pixels->levels[pixel->level]);
    group *row = (group *)(gradient + pixel->feature * stride);
    SPRINT__FORGET(row);
    for (size_t g = 0; g < WIDE; g++) row[g] += factor * d[g];
  }
  return (size_t)(pixel - pixels->list);
}

SPRINT__FAST void sprint__sparse_weight(const struct sprint__dense *dense, const struct sprint__sparse *x,
                                        const sprint_real *dy, size_t n, bool adds, sprint_real *gradient) {
  size_t in = dense->in, out = dense->out;
  sprint_real *bias = gradient + in * out;
  if (!adds) memset(gradient, 0, (in + 1) * out * sizeof *gradient);
  for (size_t c = 0; c < out; c += SPRINT__SPARSE_OUT) {
    start_lists(x, n);
    for (size_t k = 0; k < in; k += TILE)
      for (size_t i = 0; i < n; i++)
        x->at[i] = add_to_rows(x->pixels, x->at[i], x->pixels->start[record_at(x, i) + 1], k + TILE, dy + i * out + c,
                               out, gradient + c);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t o = 0; o < out; o += G) store(bias + o, load(bias + o) + load(dy + i * out + o));
}
