/* Products of listed pixels: see pixel_products.h. Columns are taken WIDE groups at a time, which stay in registers;
 * features in bands whose rows of W stay in the first cache while all records go by. */
#include "engine/pixel_products.h"

#include "base/group.h"

enum { WIDE = SPRINT__PIXEL_COLUMNS / SPRINT__GROUP };

enum { LINE = 64 / sizeof(struct sprint__pixel) };

/* Where record i's pixels of band t start; those of a record to come are fetched meanwhile, for lists are short and far
 * from each other. */
SPRINT__INLINE const size_t *band_at(const struct sprint__pixel_rows *x, size_t i, size_t n, size_t t) {
  enum { AHEAD = 4 };
  const struct sprint__pixel_lists *lists = x->lists;
  size_t later = x->who[i + AHEAD < n ? i + AHEAD : i];
  const struct sprint__pixel *list = lists->list + lists->start[later * lists->bands + t];
  __builtin_prefetch(list);
  __builtin_prefetch(list + LINE);
  return lists->start + x->who[i] * lists->bands + t;
}

/* Adds to y the rows of W of pixels at .. end, in `wide` groups of columns. */
SPRINT__INLINE void add_rows(const struct sprint__pixel_lists *lists, size_t at, size_t end, const sprint_real *w,
                             size_t stride, size_t wide, sprint_real *y) {
  group sums[WIDE], *to = (group *)y;
  for (size_t g = 0; g < wide; g++) sums[g] = to[g];
  for (; at < end; at++) {
    struct sprint__pixel pixel = lists->list[at];
    group factor = SPRINT__ALL(lists->levels[sprint__pixel_level(pixel)]);
    const group *row = (const group *)(w + sprint__pixel_feature(pixel) * stride);
    SPRINT__FORGET(row);
    for (size_t g = 0; g < wide; g++) sums[g] += factor * row[g];
  }
  for (size_t g = 0; g < wide; g++) to[g] = sums[g];
}

SPRINT__FAST void sprint__pixel_forward(const struct sprint__dense *dense, const struct sprint__pixel_rows *x, size_t n,
                                        sprint_real *ret_y) {
  size_t in = dense->in, out = dense->out;
  const sprint_real *bias = dense->theta + in * out;
  for (size_t i = 0; i < n; i++) memcpy(ret_y + i * out, bias, out * sizeof *bias);
  const struct sprint__pixel_lists *lists = x->lists;
  for (size_t t = 0; t < lists->bands; t++)
    for (size_t i = 0; i < n; i++) {
      const size_t *start = band_at(x, i, n, t);
      for (size_t c = 0; c < out; c += SPRINT__PIXEL_COLUMNS)
        add_rows(lists, start[0], start[1], dense->theta + c, out, WIDE, ret_y + i * out + c);
    }
}

/* The pixels of record i in bands start .. end. */
SPRINT__INLINE const struct sprint__pixel *bands_of(const struct sprint__pixel_rows *x, size_t i, size_t start,
                                                    size_t end, size_t *ret_n) {
  const size_t *from = x->lists->start + x->who[i] * x->lists->bands;
  *ret_n = from[end] - from[start];
  return x->lists->list + from[start];
}

void sprint__pixel_sort(const struct sprint__pixel_rows *x, size_t start, size_t end, size_t n) {
  enum { AHEAD = 8 };
  size_t first = start * SPRINT__PIXEL_BAND, features = (end - start) * SPRINT__PIXEL_BAND;
  uint32_t *from = x->from;
  memset(from, 0, (features + 2) * sizeof *from);
  for (size_t i = 0; i < n; i++) {
    size_t length;
    const struct sprint__pixel *later = bands_of(x, i + AHEAD < n ? i + AHEAD : i, start, end, &length);
    for (size_t j = 0; j < length; j += LINE) __builtin_prefetch(later + j);
    const struct sprint__pixel *list = bands_of(x, i, start, end, &length);
    for (size_t j = 0; j < length; j++) from[sprint__pixel_feature(list[j]) - first + 2]++;
  }
  for (size_t k = 2; k < features + 2; k++) from[k] += from[k - 1];
  for (size_t i = 0; i < n; i++) {
    size_t length;
    const struct sprint__pixel *list = bands_of(x, i, start, end, &length);
    for (size_t j = 0; j < length; j++)
      x->sorted[from[sprint__pixel_feature(list[j]) - first + 1]++] = sprint__pixel_of(i, sprint__pixel_level(list[j]));
  }
}

/* The deltas of n <= SPRINT__PIXEL_ROWS records in the columns of a panel: a copy that the first cache holds whole. */
struct deltas {
  size_t n;
  _Alignas(64) sprint_real rows[SPRINT__PIXEL_ROWS][SPRINT__PIXEL_COLUMNS];
};

/* Columns c and on of dy (n, out). */
SPRINT__INLINE void copy_deltas(const sprint_real *dy, size_t n, size_t out, size_t c, struct deltas *ret_deltas) {
  ret_deltas->n = n;
  for (size_t i = 0; i < n; i++) memcpy(ret_deltas->rows[i], dy + i * out + c, sizeof ret_deltas->rows[i]);
}

/* Adds the deltas of the records that have feature k, each times its pixel. */
SPRINT__INLINE void sum_deltas(const struct sprint__pixel_rows *x, size_t k, const struct deltas *deltas,
                               group sums[WIDE]) {
  for (uint32_t j = x->from[k]; j < x->from[k + 1]; j++) {
    struct sprint__pixel pixel = x->sorted[j];
    group factor = SPRINT__ALL(x->lists->levels[sprint__pixel_level(pixel)]);
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

SPRINT__INLINE void weight_panel(const struct sprint__pixel_rows *x, size_t in, size_t out, const struct deltas *deltas,
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

SPRINT__INLINE void weight_part(const struct sprint__dense *dense, const struct sprint__pixel_rows *x,
                                const sprint_real *dy, size_t n, bool adds, sprint_real *gradient) {
  struct deltas deltas;
  sprint__pixel_sort(x, 0, x->lists->bands, n);
  for (size_t c = 0; c < dense->out; c += SPRINT__PIXEL_COLUMNS) {
    copy_deltas(dy, n, dense->out, c, &deltas);
    weight_panel(x, dense->in, dense->out, &deltas, adds, gradient + c);
  }
}

SPRINT__FAST void sprint__pixel_weight(const struct sprint__dense *dense, const struct sprint__pixel_rows *x,
                                       const sprint_real *dy, size_t n, bool adds, sprint_real *gradient) {
  for (size_t start = 0; start < n; start += SPRINT__PIXEL_ROWS) {
    struct sprint__pixel_rows part = *x;
    part.who += start;
    weight_part(dense, &part, dy + start * dense->out, n - start < SPRINT__PIXEL_ROWS ? n - start : SPRINT__PIXEL_ROWS,
                adds || start > 0, gradient);
  }
}

/* Columns c .. c + SPRINT__PIXEL_COLUMNS of one row of theta; returns 0, or NaN where it is not finite. */
SPRINT__INLINE group move_part(const struct sprint__pixel_step *step, const group sums[WIDE], size_t at,
                               sprint_real *theta) {
  group zeros = {0};
  for (size_t g = 0; g < WIDE; g++, at += G) {
    group moved = load(theta + at) - step->factor * sums[g];
    if (step->control) moved -= step->size * load(step->control + at);
    store(theta + at, moved);
    zeros += moved * 0;
  }
  return zeros;
}

SPRINT__FAST bool sprint__pixel_descend(const struct sprint__pixel_rows *x, size_t start, size_t end, size_t in,
                                        size_t out, const struct sprint__pixel_step *step, sprint_real *theta) {
  size_t first = start * SPRINT__PIXEL_BAND, last = end * SPRINT__PIXEL_BAND;
  struct deltas deltas;
  group zeros = {0};
  for (size_t c = 0; c < out; c += SPRINT__PIXEL_COLUMNS) {
    copy_deltas(step->delta, step->n, out, c, &deltas);
    for (size_t k = first; k < last && k < in; k++) {
      if (!step->control && x->from[k - first] == x->from[k - first + 1]) continue;
      group sums[WIDE] = {{0}};
      sum_deltas(x, k - first, &deltas, sums);
      zeros += move_part(step, sums, k * out + c, theta);
    }
    if (last < in) continue;
    group sums[WIDE] = {{0}};
    sum_all(&deltas, sums);
    zeros += move_part(step, sums, in * out + c, theta);
  }
  return total(zeros) == 0;
}

SPRINT__FAST bool sprint__pixel_scale(sprint_real *delta, size_t n, sprint_real factor) {
  group zeros = {0};
  for (size_t i = 0; i < n; i += G) {
    group scaled = factor * load(delta + i);
    store(delta + i, scaled);
    zeros += scaled * 0;
  }
  return total(zeros) == 0;
}

SPRINT__INLINE void put_columns(const struct sprint__pixel_rows *x, size_t start, size_t end, size_t n,
                                sprint_real *columns) {
  size_t first = start * SPRINT__PIXEL_BAND;
  memset(columns, 0, (end - start) * SPRINT__PIXEL_BAND * SPRINT__PIXEL_COLUMNS * sizeof *columns);
  for (size_t j = 0; j < n; j++) {
    size_t length;
    const struct sprint__pixel *list = bands_of(x, j, start, end, &length);
    for (size_t k = 0; k < length; k++) {
      size_t feature = sprint__pixel_feature(list[k]) - first;
      columns[feature * SPRINT__PIXEL_COLUMNS + j] = x->lists->levels[sprint__pixel_level(list[k])];
    }
  }
}

void sprint__pixel_columns(const struct sprint__pixel_rows *x, size_t start, size_t end, size_t n,
                           sprint_real *ret_columns) {
  put_columns(x, start, end, n, ret_columns);
}

SPRINT__FAST void sprint__pixel_gram(const struct sprint__pixel_rows *x, size_t n, sprint_real *room,
                                     sprint_real *gram) {
  for (size_t t = 0; t < x->lists->bands; t++) {
    put_columns(x, t, t + 1, n, room);
    const sprint_real *w = room - t * SPRINT__PIXEL_BAND * SPRINT__PIXEL_COLUMNS;
    for (size_t i = 1; i < n; i++) {
      const size_t *from = x->lists->start + x->who[i] * x->lists->bands + t;
      sprint_real *to = gram + i * SPRINT__PIXEL_COLUMNS;
      if (i <= SPRINT__PIXEL_COLUMNS / 2)
        add_rows(x->lists, from[0], from[1], w, SPRINT__PIXEL_COLUMNS, WIDE / 2, to);
      else
        add_rows(x->lists, from[0], from[1], w, SPRINT__PIXEL_COLUMNS, WIDE, to);
    }
  }
}
