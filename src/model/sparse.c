/* Sparse products: see sparse.h. Columns are taken WIDE groups at a time, which stay in registers; features in tiles
 * whose rows of W stay in the first cache while all records go by. */
#include "model/sparse.h"

#include "base/group.h"

enum { WIDE = SPRINT__SPARSE_OUT / SPRINT__GROUP };

SPRINT__INLINE size_t record_at(const struct sprint__sparse *x, size_t i) { return x->who ? x->who[i] : x->first + i; }

enum { LINE = 64 / sizeof(struct sprint__pixel) };

/* Where record i's pixels of tile t start; those of a record to come are fetched meanwhile, for lists are short and far
 * from each other. */
SPRINT__INLINE const size_t *tile_at(const struct sprint__sparse *x, size_t i, size_t n, size_t t) {
  enum { AHEAD = 4 };
  const struct sprint__pixels *pixels = x->pixels;
  size_t later = record_at(x, i + AHEAD < n ? i + AHEAD : i);
  const struct sprint__pixel *list = pixels->list + pixels->start[later * pixels->tiles + t];
  __builtin_prefetch(list);
  __builtin_prefetch(list + LINE);
  return pixels->start + record_at(x, i) * pixels->tiles + t;
}

/* Adds to y the rows of W of pixels at .. end, in `wide` groups of columns. */
SPRINT__INLINE void add_rows(const struct sprint__pixels *pixels, size_t at, size_t end, const sprint_real *w,
                             size_t stride, size_t wide, sprint_real *y) {
  group sums[WIDE], *to = (group *)y;
  for (size_t g = 0; g < wide; g++) sums[g] = to[g];
  for (; at < end; at++) {
    struct sprint__pixel pixel = pixels->list[at];
    group factor = SPRINT__ALL(pixels->levels[sprint__pixel_level(pixel)]);
    const group *row = (const group *)(w + sprint__pixel_feature(pixel) * stride);
    SPRINT__FORGET(row);
    for (size_t g = 0; g < wide; g++) sums[g] += factor * row[g];
  }
  for (size_t g = 0; g < wide; g++) to[g] = sums[g];
}

SPRINT__FAST void sprint__sparse_forward(const struct sprint__dense *dense, const struct sprint__sparse *x, size_t n,
                                         sprint_real *ret_y) {
  size_t in = dense->in, out = dense->out;
  const sprint_real *bias = dense->theta + in * out;
  for (size_t i = 0; i < n; i++) memcpy(ret_y + i * out, bias, out * sizeof *bias);
  const struct sprint__pixels *pixels = x->pixels;
  for (size_t t = 0; t < pixels->tiles; t++)
    for (size_t i = 0; i < n; i++) {
      const size_t *start = tile_at(x, i, n, t);
      for (size_t c = 0; c < out; c += SPRINT__SPARSE_OUT)
        add_rows(pixels, start[0], start[1], dense->theta + c, out, WIDE, ret_y + i * out + c);
    }
  if (dense->relu) sprint__dense_put_out(ret_y, n * out, true, ret_y);
}

/* The pixels of record i in tiles start .. end. */
SPRINT__INLINE const struct sprint__pixel *tiles_of(const struct sprint__sparse *x, size_t i, size_t start, size_t end,
                                                    size_t *ret_n) {
  const size_t *from = x->pixels->start + record_at(x, i) * x->pixels->tiles;
  *ret_n = from[end] - from[start];
  return x->pixels->list + from[start];
}

void sprint__sparse_sort(const struct sprint__sparse *x, size_t start, size_t end, size_t n) {
  enum { AHEAD = 8 };
  size_t first = start * SPRINT__PIXEL_TILE, features = (end - start) * SPRINT__PIXEL_TILE;
  uint32_t *from = x->from;
  memset(from, 0, (features + 2) * sizeof *from);
  for (size_t i = 0; i < n; i++) {
    size_t length;
    const struct sprint__pixel *later = tiles_of(x, i + AHEAD < n ? i + AHEAD : i, start, end, &length);
    for (size_t j = 0; j < length; j += LINE) __builtin_prefetch(later + j);
    const struct sprint__pixel *list = tiles_of(x, i, start, end, &length);
    for (size_t j = 0; j < length; j++) from[sprint__pixel_feature(list[j]) - first + 2]++;
  }
  for (size_t k = 2; k < features + 2; k++) from[k] += from[k - 1];
  for (size_t i = 0; i < n; i++) {
    size_t length;
    const struct sprint__pixel *list = tiles_of(x, i, start, end, &length);
    for (size_t j = 0; j < length; j++)
      x->sorted[from[sprint__pixel_feature(list[j]) - first + 1]++] = sprint__pixel_of(i, sprint__pixel_level(list[j]));
  }
}

/* The deltas of n <= SPRINT__SPARSE_ROWS records in the columns of a panel: a copy that the first cache holds whole. */
struct deltas {
  size_t n;
  _Alignas(64) sprint_real rows[SPRINT__SPARSE_ROWS][SPRINT__SPARSE_OUT];
};

/* Columns c and on of dy (n, out). */
SPRINT__INLINE void copy_deltas(const sprint_real *dy, size_t n, size_t out, size_t c, struct deltas *ret_deltas) {
  ret_deltas->n = n;
  for (size_t i = 0; i < n; i++) memcpy(ret_deltas->rows[i], dy + i * out + c, sizeof ret_deltas->rows[i]);
}

/* Adds the deltas of the records that have feature k, each times its pixel. */
SPRINT__INLINE void sum_deltas(const struct sprint__sparse *x, size_t k, const struct deltas *deltas,
                               group sums[WIDE]) {
  for (uint32_t j = x->from[k]; j < x->from[k + 1]; j++) {
    struct sprint__pixel pixel = x->sorted[j];
    group factor = SPRINT__ALL(x->pixels->levels[sprint__pixel_level(pixel)]);
    const group *row = (const group *)deltas->rows[sprint__pixel_feature(pixel)];
    SPRINT__FORGET(row);
    for (size_t g = 0; g < WIDE; g++) sums[g] += factor * row[g];
  }
}

/* That of the biases, all records. */
SPRINT__INLINE void sum_all(const struct deltas *deltas, group sums[WIDE]) {
  for (size_t i = 0; i < deltas->n; i++)
    for (size_t g = 0; g < WIDE; g++) sums[g] += load(deltas->rows[i] + g * G);
}

SPRINT__INLINE void weight_panel(const struct sprint__sparse *x, size_t in, size_t out, const struct deltas *deltas,
                                 bool adds, sprint_real *gradient) {
  for (size_t k = 0; k <= in; k++) {
    if (adds && k < in && x->from[k] == x->from[k + 1]) continue;
    group sums[WIDE] = {{0}};
    if (k < in)
      sum_deltas(x, k, deltas, sums);
    else
      sum_all(deltas, sums);
    for (size_t g = 0; g < WIDE; g++) put(gradient + k * out + g * G, sums[g], adds);
  }
}

SPRINT__INLINE void weight_part(const struct sprint__dense *dense, const struct sprint__sparse *x,
                                const sprint_real *dy, size_t n, bool adds, sprint_real *gradient) {
  struct deltas deltas;
  sprint__sparse_sort(x, 0, x->pixels->tiles, n);
  for (size_t c = 0; c < dense->out; c += SPRINT__SPARSE_OUT) {
    copy_deltas(dy, n, dense->out, c, &deltas);
    weight_panel(x, dense->in, dense->out, &deltas, adds, gradient + c);
  }
}

SPRINT__FAST void sprint__sparse_weight(const struct sprint__dense *dense, const struct sprint__sparse *x,
                                        const sprint_real *dy, size_t n, bool adds, sprint_real *gradient) {
  for (size_t start = 0; start < n; start += SPRINT__SPARSE_ROWS) {
    struct sprint__sparse part = *x;
    if (x->who) part.who += start;
    part.first += start;
    weight_part(dense, &part, dy + start * dense->out,
                n - start < SPRINT__SPARSE_ROWS ? n - start : SPRINT__SPARSE_ROWS, adds || start > 0, gradient);
  }
}

/* Columns c .. c + SPRINT__SPARSE_OUT of one row of theta; returns 0, or NaN where it is not finite. */
SPRINT__INLINE group move_part(const struct sprint__move *move, const group sums[WIDE], size_t at, sprint_real *theta) {
  group zeros = {0};
  for (size_t g = 0; g < WIDE; g++, at += G) {
    group moved = load(theta + at) - move->factor * sums[g];
    if (move->control) moved -= move->size * load(move->control + at);
    store(theta + at, moved);
    zeros += moved * 0;
  }
  return zeros;
}

SPRINT__FAST bool sprint__sparse_move(const struct sprint__sparse *x, size_t start, size_t end, size_t in, size_t out,
                                      const struct sprint__move *move, sprint_real *theta) {
  size_t first = start * SPRINT__PIXEL_TILE, last = end * SPRINT__PIXEL_TILE;
  struct deltas deltas;
  group zeros = {0};
  for (size_t c = 0; c < out; c += SPRINT__SPARSE_OUT) {
    copy_deltas(move->delta, move->n, out, c, &deltas);
    for (size_t k = first; k < last && k < in; k++) {
      if (!move->control && x->from[k - first] == x->from[k - first + 1]) continue;
      group sums[WIDE] = {{0}};
      sum_deltas(x, k - first, &deltas, sums);
      zeros += move_part(move, sums, k * out + c, theta);
    }
    if (last < in) continue;
    group sums[WIDE] = {{0}};
    sum_all(&deltas, sums);
    zeros += move_part(move, sums, in * out + c, theta);
  }
  return total(zeros) == 0;
}

SPRINT__FAST bool sprint__sparse_scale(sprint_real *delta, size_t n, sprint_real factor) {
  group zeros = {0};
  for (size_t i = 0; i < n; i += G) {
    group scaled = factor * load(delta + i);
    store(delta + i, scaled);
    zeros += scaled * 0;
  }
  return total(zeros) == 0;
}

/* The pixels of n records in a tile t as columns: (SPRINT__PIXEL_TILE, SPRINT__SPARSE_OUT). */
SPRINT__INLINE void put_columns(const struct sprint__sparse *x, size_t t, size_t n, sprint_real *tile) {
  memset(tile, 0, SPRINT__PIXEL_TILE * SPRINT__SPARSE_OUT * sizeof *tile);
  for (size_t j = 0; j < n; j++) {
    size_t length;
    const struct sprint__pixel *list = tiles_of(x, j, t, t + 1, &length);
    for (size_t k = 0; k < length; k++) {
      size_t feature = sprint__pixel_feature(list[k]) - t * SPRINT__PIXEL_TILE;
      tile[feature * SPRINT__SPARSE_OUT + j] = x->pixels->levels[sprint__pixel_level(list[k])];
    }
  }
}

SPRINT__FAST void sprint__sparse_gram(const struct sprint__sparse *x, size_t n, sprint_real *room, sprint_real *gram) {
  for (size_t t = 0; t < x->pixels->tiles; t++) {
    put_columns(x, t, n, room);
    const sprint_real *w = room - t * SPRINT__PIXEL_TILE * SPRINT__SPARSE_OUT;
    for (size_t i = 1; i < n; i++) {
      const size_t *from = x->pixels->start + record_at(x, i) * x->pixels->tiles + t;
      sprint_real *to = gram + i * SPRINT__SPARSE_OUT;
      if (i <= SPRINT__SPARSE_OUT / 2)
        add_rows(x->pixels, from[0], from[1], w, SPRINT__SPARSE_OUT, WIDE / 2, to);
      else
        add_rows(x->pixels, from[0], from[1], w, SPRINT__SPARSE_OUT, WIDE, to);
    }
  }
}
