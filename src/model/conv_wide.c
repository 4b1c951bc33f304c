/* The kernels of conv.h by vectors of 64 bytes, each a panel's two groups of filters: see conv_wide.h. A tile has eight
 * places, or four, times up to three panels. Sums are taken in the order that conv.c has. */
#include "model/conv_wide.h"

#include "base/wide.h"
#include "model/conv_place.h"

#if SPRINT__TWICE

enum { PLACES = 8, PLACES_LEFT = 4, PANELS = 3, SUMS = PANELS * PLACES };

_Static_assert((int)WIDE == 2 * (int)G, "a vector is two groups");

/* Its two groups, which are G numbers, or fewer, apart. */
SPRINT__WIDE_INLINE void store_pair(sprint_real *at, size_t apart, wide value) {
  if (apart == G) {
    WIDE_OP(storeu)(at, value);
    return;
  }
  wide_mask low = wide_first(G);
  wide_store(at, low, value);
  wide_store(at + apart - G, (wide_mask)~low, value);
}

SPRINT__WIDE_INLINE wide load_pair(const sprint_real *at, size_t apart) {
  wide_mask low = wide_first(G);
  if (apart == G) return WIDE_OP(loadu)(at);
  return WIDE_OP(mask_loadu)(wide_load(at, low), (wide_mask)~low, at + apart - G);
}

/* A tile of a convolution: panels of two groups, `panel` numbers from one to the next. */
struct tile {
  const struct sprint__conv *of;
  const sprint_real *weights, *bias;
  size_t panel;
  bool relu;
  size_t first[PANELS], apart[PANELS]; /* of each panel: its first filter, and from there to that of its second group */
};

SPRINT__WIDE_INLINE size_t tile_forward(const struct tile *tile, struct place *at, size_t n, size_t places,
                                        size_t panels) {
  const struct sprint__conv *of = tile->of;
  const sprint_real *x[PLACES];
  sprint_real *y[PLACES];
  wide sums[SUMS];
  size_t used = n < places ? n : places, ky, end_ky = take_tile(of, at, used, places, x, y, &ky);
#pragma GCC unroll 24
  for (size_t s = 0; s < places * panels; s++)
    sums[s] = tile->bias ? WIDE_OP(loadu)(tile->bias + s % panels * WIDE) : WIDE_OP(setzero)();
  const sprint_real *w = tile->weights + ky * of->run * WIDE;
  for (; ky < end_ky; ky++)
    for (size_t k = ky * of->line, end = k + of->run; k < end; k++, w += WIDE) {
      wide v[PANELS];
#pragma GCC unroll 3
      for (size_t q = 0; q < panels; q++) v[q] = WIDE_OP(loadu)(w + q * tile->panel);
#pragma GCC unroll 8
      for (size_t p = 0; p < places; p++) {
        wide factor = WIDE_OP(set1)(x[p][k]);
#pragma GCC unroll 3
        for (size_t q = 0; q < panels; q++) sums[p * panels + q] = WIDE_OP(fmadd)(factor, v[q], sums[p * panels + q]);
      }
    }
#pragma GCC unroll 8
  for (size_t p = 0; p < places; p++) {
    if (p >= used) break;
#pragma GCC unroll 3
    for (size_t q = 0; q < panels; q++) {
      wide sum = sums[p * panels + q];
      store_pair(y[p] + tile->first[q], tile->apart[q], tile->relu ? wide_positive(sum) : sum);
    }
  }
  return n - used;
}

/* How many panels the next tile has, of those that are left. */
static size_t next_panels(size_t left) { return left == 4 ? 2 : left < 3 ? left : 3; }

/* Panels g / 2 and those after it. */
SPRINT__WIDE_INLINE void take_panels(const struct sprint__conv *of, size_t g, size_t panels, size_t *first,
                                     size_t *apart) {
  for (size_t q = 0; q < panels; q++) {
    first[q] = sprint__conv_first(of->filters, g + 2 * q);
    apart[q] = sprint__conv_first(of->filters, g + 2 * q + 1) - first[q];
  }
}

SPRINT__WIDE_INLINE void image_forward(struct tile *tile, size_t g, size_t panels, const sprint_real *x,
                                       sprint_real *y) {
  const struct sprint__conv *of = tile->of;
  struct place at = {0, of->top, x, x, y, y};
  take_panels(of, g, panels, tile->first, tile->apart);
  for (size_t n = of->rows * of->columns; n > 0;)
    if (n > PLACES_LEFT)
      n = tile_forward(tile, &at, n, PLACES, panels);
    else
      n = tile_forward(tile, &at, n, PLACES_LEFT, panels);
}

SPRINT__FOR_WIDE size_t sprint__wide_conv_multiply(const struct sprint__conv *of, const sprint_real *x,
                                                   const sprint_real *panels, const sprint_real *bias, bool relu,
                                                   sprint_real *y) {
  size_t whole = sprint__conv_groups(of->filters) / 2, g = 0, width;
  for (size_t some; (some = next_panels(whole - g / 2)) > 0; g += 2 * some) {
    struct tile tile = {.of = of, .bias = bias ? bias + g * G : NULL, .relu = relu};
    tile.panel = of->kernel_rows * of->run * WIDE;
    tile.weights = panels + sprint__conv_panel(of->filters, of->kernel_rows * of->run, g, &width);
    if (some == 1)
      image_forward(&tile, g, 1, x, y);
    else if (some == 2)
      image_forward(&tile, g, 2, x, y);
    else
      image_forward(&tile, g, 3, x, y);
  }
  return g;
}

/* The rows k .. k + places of two or three panels of dw. */
SPRINT__WIDE_INLINE void tile_correlate(const struct tile *tile, const sprint_real *x, const sprint_real *dy, size_t k,
                                        size_t places, size_t panels, sprint_real *dw) {
  const struct sprint__conv *of = tile->of;
  const sprint_real *from[PLACES];
  wide sums[SUMS];
  take_numbers(of, x, k, places, places, 1, from);
  dw += k * WIDE;
#pragma GCC unroll 24
  for (size_t s = 0; s < places * panels; s++)
    sums[s] = WIDE_OP(loadu)(dw + s / panels * WIDE + s % panels * tile->panel);
  for (size_t r = 0; r < of->rows; r++) {
    const sprint_real *d = dy + r * of->to_down;
    for (size_t c = 0, at = r * of->down; c < of->columns; c++, at += of->across, d += of->to_across) {
      wide v[PANELS];
#pragma GCC unroll 3
      for (size_t q = 0; q < panels; q++) v[q] = load_pair(d + tile->first[q], q + 1 < panels ? G : tile->apart[q]);
#pragma GCC unroll 8
      for (size_t p = 0; p < places; p++) {
        wide factor = WIDE_OP(set1)(from[p][at]);
#pragma GCC unroll 3
        for (size_t q = 0; q < panels; q++) sums[p * panels + q] = WIDE_OP(fmadd)(factor, v[q], sums[p * panels + q]);
      }
    }
  }
#pragma GCC unroll 24
  for (size_t s = 0; s < places * panels; s++)
    WIDE_OP(storeu)(dw + s / panels * WIDE + s % panels * tile->panel, sums[s]);
}

/* The same for any number of places up to PLACES. */
SPRINT__WIDE_INLINE void places_correlate(const struct tile *tile, const sprint_real *x, const sprint_real *dy,
                                          size_t k, size_t places, size_t panels, sprint_real *dw) {
  switch (places) {
#define CASE(N)                                    \
  case N:                                          \
    tile_correlate(tile, x, dy, k, N, panels, dw); \
    break
    CASE(1);
    CASE(2);
    CASE(3);
    CASE(4);
    CASE(5);
    CASE(6);
    CASE(7);
#undef CASE
    default:
      tile_correlate(tile, x, dy, k, PLACES, panels, dw);
  }
}

SPRINT__FOR_WIDE size_t sprint__wide_conv_correlate(const struct sprint__conv *of, const sprint_real *x,
                                                    const sprint_real *dy, sprint_real *dw) {
  size_t whole = sprint__conv_groups(of->filters) / 2, end = of->kernel_rows * of->run, g = 0, width;
  size_t tiles = (end + PLACES - 1) / PLACES; /* of about as many places each */
  for (size_t some; (some = next_panels(whole - g / 2)) > 0; g += 2 * some) {
    struct tile tile = {.of = of, .panel = end * WIDE};
    take_panels(of, g, some, tile.first, tile.apart);
    sprint_real *panel = dw + sprint__conv_panel(of->filters, end, g, &width);
    for (size_t t = 0; t < tiles; t++) {
      size_t k = end * t / tiles, places = end * (t + 1) / tiles - k;
      if (some == 1)
        places_correlate(&tile, x, dy, k, places, 1, panel);
      else if (some == 2)
        places_correlate(&tile, x, dy, k, places, 2, panel);
      else
        places_correlate(&tile, x, dy, k, places, 3, panel);
    }
  }
  return g;
}

#else /* nobody asks for them */

size_t sprint__wide_conv_multiply(const struct sprint__conv *of, const sprint_real *x, const sprint_real *panels,
                                  const sprint_real *bias, bool relu, sprint_real *y) {
  (void)of, (void)x, (void)panels, (void)bias, (void)relu, (void)y;
  return 0;
}

size_t sprint__wide_conv_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                   sprint_real *dw) {
  (void)of, (void)x, (void)dy, (void)dw;
  return 0;
}

#endif
