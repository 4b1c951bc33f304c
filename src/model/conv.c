/* The kernels of conv.h. A tile has so many places (outputs, or numbers of a window) times one or two groups of filters
 * that its sums fill the registers. */
#include "base/wide.h"
#include "model/conv_place.h"
#include "model/conv_wide.h"

enum {
  PLACES = 6,      /* of a tile of two groups */
  PLACES_LEFT = 4, /* of the last one, where it has no more */
  PLACES_ONE = 8,  /* of a tile of one group */
  SUMS = 12,
};

/* Bytes of image and dy that the weights' gradient goes over again and again: somewhat more than the first cache, of
 * which a tile takes a line here and there. */
enum { BAND_SIZE = 48 * 1024 };

/* Parts of a group. */
#ifndef SPRINT_DOUBLE
typedef sprint_real group_of_four __attribute__((vector_size(4 * sizeof(sprint_real))));
#endif
typedef sprint_real group_of_two __attribute__((vector_size(2 * sizeof(sprint_real))));

/* The first n numbers of a group that is not full: four, two, one. */
SPRINT__INLINE void store_part(sprint_real *at, group value, size_t n) {
#ifndef SPRINT_DOUBLE
  if (n & 4) {
    group_of_four four = __builtin_shufflevector(value, value, 0, 1, 2, 3);
    memcpy(at, &four, sizeof four);
    at += 4;
    value = (group)__builtin_shufflevector(value, value, 4, 5, 6, 7, 0, 1, 2, 3);
  }
#endif
  if (n & 2) {
    group_of_two two = __builtin_shufflevector(value, value, 0, 1);
    memcpy(at, &two, sizeof two);
    at += 2;
  }
  if (n & 1) at[0] = n & 2 ? value[2] : value[0];
}

/* The sums of a tile: bias + windows . panel, of rows ky .. end-1 of the windows. */
SPRINT__INLINE void tile_multiply(const struct sprint__conv *of, const sprint_real *const *x, size_t ky, size_t end_ky,
                                  const sprint_real *w, const sprint_real *bias, size_t places, size_t groups,
                                  group *ret_sums) {
  group sums[SUMS];
#pragma GCC unroll 12
  for (size_t s = 0; s < places * groups; s++) sums[s] = bias ? load(bias + s % groups * G) : (group){0};
  for (w += ky * of->run * groups * G; ky < end_ky; ky++)
    for (size_t at = ky * of->line, end = at + of->run; at < end; at++, w += groups * G) {
      group u = load(w), v = groups > 1 ? load(w + G) : u;
#pragma GCC unroll 8
      for (size_t p = 0; p < places; p++) {
        group factor = SPRINT__ALL(x[p][at]);
        sums[p * groups] += factor * u;
        if (groups > 1) sums[p * groups + 1] += factor * v;
      }
    }
#pragma GCC unroll 12
  for (size_t s = 0; s < places * groups; s++) ret_sums[s] = sums[s];
}

/* A tile of the n outputs from `at` on, or of `places` of them, and on to those behind it. */
SPRINT__INLINE size_t tile_forward(const struct sprint__conv *of, struct place *at, size_t n, const sprint_real *panel,
                                   const sprint_real *bias, bool relu, size_t g, size_t places, size_t groups) {
  const sprint_real *x[PLACES_ONE];
  sprint_real *y[PLACES_ONE];
  group sums[SUMS];
  size_t used = n < places ? n : places, first = sprint__conv_first(of->filters, g);
  size_t second = sprint__conv_first(of->filters, g + groups - 1);
  size_t ky, end_ky = take_tile(of, at, used, places, x, y, &ky);
  tile_multiply(of, x, ky, end_ky, panel, bias, places, groups, sums);
#pragma GCC unroll 8
  for (size_t p = 0; p < places; p++) {
    if (p >= used) break;
    group a = relu ? positive(sums[p * groups]) : sums[p * groups];
    if (of->filters < G)
      store_part(y[p], a, of->filters);
    else
      store(y[p] + first, a);
    if (groups > 1) store(y[p] + second, relu ? positive(sums[p * groups + 1]) : sums[p * groups + 1]);
  }
  return n - used;
}

/* The panels outside, so that one stays in cache for all of the image. */
SPRINT__FAST void sprint__conv_multiply(const struct sprint__conv *of, const sprint_real *x, const sprint_real *panels,
                                        const sprint_real *bias, bool relu, sprint_real *y) {
  size_t groups = sprint__conv_groups(of->filters), width;
  size_t done = sprint__has_wide() ? sprint__wide_conv_multiply(of, x, panels, bias, relu, y) : 0;
  for (size_t g = done; g < groups; g += 2) {
    const sprint_real *panel = panels + sprint__conv_panel(of->filters, of->kernel_rows * of->run, g, &width);
    struct place at = {0, of->top, x, x, y, y};
    for (size_t n = of->rows * of->columns; n > 0;)
      if (width == G)
        n = tile_forward(of, &at, n, panel, bias ? bias + g * G : NULL, relu, g, PLACES_ONE, 1);
      else if (n > PLACES_LEFT)
        n = tile_forward(of, &at, n, panel, bias ? bias + g * G : NULL, relu, g, PLACES, 2);
      else
        n = tile_forward(of, &at, n, panel, bias ? bias + g * G : NULL, relu, g, PLACES_LEFT, 2);
  }
}

/* The rows of a panel of dw for `used` numbers of the window, of which x has the first output's. */
SPRINT__INLINE void tile_correlate(const struct sprint__conv *of, const sprint_real *const *x, const sprint_real *dy,
                                   size_t second, size_t used, size_t places, size_t groups, sprint_real *dw) {
  group sums[SUMS];
#pragma GCC unroll 12
  for (size_t s = 0; s < places * groups; s++) sums[s] = s / groups < used ? load(dw + s * G) : (group){0};
  for (size_t r = 0; r < of->rows; r++) {
    const sprint_real *d = dy + r * of->to_down;
    for (size_t c = 0, at = r * of->down; c < of->columns; c++, at += of->across, d += of->to_across) {
      group u = load(d), v = groups > 1 ? load(d + second) : u;
#pragma GCC unroll 8
      for (size_t p = 0; p < places; p++) {
        group factor = SPRINT__ALL(x[p][at]);
        sums[p * groups] += factor * u;
        if (groups > 1) sums[p * groups + 1] += factor * v;
      }
    }
  }
#pragma GCC unroll 12
  for (size_t s = 0; s < places * groups; s++)
    if (s / groups < used) store(dw + s * G, sums[s]);
}

/* A tile of the numbers k .. end-1 of the window, or of `places` of them: the first that is left. */
SPRINT__INLINE size_t tile_backward(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                    size_t k, size_t end, size_t g, size_t places, size_t groups, sprint_real *panel) {
  const sprint_real *from[PLACES_ONE];
  size_t first = sprint__conv_first(of->filters, g), used = end - k < places ? end - k : places;
  take_numbers(of, x, k, used, places, 1, from);
  tile_correlate(of, from, dy + first, sprint__conv_first(of->filters, g + groups - 1) - first, used, places, groups,
                 panel + k * groups * G);
  return k + used;
}

/* db += the sums of dy of group g. */
SPRINT__INLINE void add_dy(const struct sprint__conv *of, const sprint_real *dy, sprint_real *db) {
  group even = load(db), odd = {0};
  for (size_t r = 0; r < of->rows; r++) {
    const sprint_real *d = dy + r * of->to_down;
    size_t c = 0;
    for (; c + 2 <= of->columns; c += 2, d += 2 * of->to_across) {
      even += load(d);
      odd += load(d + of->to_across);
    }
    if (c < of->columns) even += load(d);
  }
  store(db, even + odd);
}

/* The same for the rows of outputs that `of` has, which lie in the first cache. */
SPRINT__INLINE void band_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                   sprint_real *dw, sprint_real *db) {
  size_t groups = sprint__conv_groups(of->filters), end = of->kernel_rows * of->run, width;
  size_t done = sprint__has_wide() ? sprint__wide_conv_correlate(of, x, dy, dw) : 0;
  for (size_t g = done; g < groups; g += 2) {
    sprint_real *panel = dw + sprint__conv_panel(of->filters, end, g, &width);
    for (size_t k = 0; k < end;)
      if (width == G)
        k = tile_backward(of, x, dy, k, end, g, PLACES_ONE, 1, panel);
      else if (end - k > PLACES_LEFT)
        k = tile_backward(of, x, dy, k, end, g, PLACES, 2, panel);
      else
        k = tile_backward(of, x, dy, k, end, g, PLACES_LEFT, 2, panel);
  }
  for (size_t g = 0; g < groups; g++) add_dy(of, dy + sprint__conv_first(of->filters, g), db + g * G);
}

SPRINT__FAST void sprint__conv_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                         sprint_real *dw, sprint_real *db) {
  size_t most = BAND_SIZE / sizeof *x / (of->down + of->to_down);
  struct sprint__conv band = *of;
  for (size_t r = 0; r < of->rows; r += band.rows) {
    band.rows = most < 1 ? 1 : most < of->rows - r ? most : of->rows - r;
    band_correlate(&band, x + r * of->down, dy + r * of->to_down, dw, db);
  }
}
