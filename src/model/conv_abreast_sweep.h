/* The kernels of conv_abreast.h, of as many records as a group has numbers: tiles of a few outputs, or numbers of a
 * window, times a few filters. Included once for every size of a group, by files that say what their functions are
 * compiled for and called, ABREAST_FAST, ABREAST_MULTIPLY and ABREAST_CORRELATE: conv_abreast.c and
 * conv_abreast_wide.c. */
#include "model/conv_abreast.h"
#include "model/conv_place.h"

enum { MOST_PLACES = 8, MOST_FILTERS = 4, SUMS = SPRINT__GROUP_SIZE == 64 ? 24 : 12 };

/* Bytes of images and dy that the weights' gradient goes over again and again, so that they lie in the first cache; and
 * the outputs that a tile of it is worth, wherever they lie then. */
enum { BAND_SIZE = 24 * 1024, BAND_OUTPUTS = 48 };

/* Sums of a tile are as many as the registers hold, and enough that none waits for the one before it. Its filters, of
 * `left`: */
SPRINT__INLINE size_t tile_filters(size_t filters, size_t left) {
  if (filters <= 4) return filters;
  if (filters == 5) return left == 5 ? 3 : 2;
  return left % 4 == 0 ? 4 : 3;
}

/* And its places. Of five filters and of more than that the last tile has fewer. */
SPRINT__INLINE size_t tile_places(size_t filters) {
#if SPRINT__GROUP_SIZE == 64
  static const size_t places[] = {8, 8, 8, 8, 6, 8, 6};
#else
  static const size_t places[] = {8, 8, 6, 4, 3, 4, 3};
#endif
  return places[filters < 6 ? filters : 6];
}

/* Calls TILE(.., places, filters) with numbers that are known when it is compiled. */
#define EACH_TILE(TILE, places, filters, ...)         \
  do {                                                \
    enum { TWICE = SUMS / 12 };                       \
    if ((filters) == 1)                               \
      TILE(__VA_ARGS__, 8, 1);                        \
    else if ((filters) == 2 && (places) == 6)         \
      TILE(__VA_ARGS__, 6, 2);                        \
    else if ((filters) == 2)                          \
      TILE(__VA_ARGS__, 4 * TWICE, 2);                \
    else if ((filters) == 3 && (places) == 4 * TWICE) \
      TILE(__VA_ARGS__, 4 * TWICE, 3);                \
    else if ((filters) == 3)                          \
      TILE(__VA_ARGS__, 3 * TWICE, 3);                \
    else                                              \
      TILE(__VA_ARGS__, 3 * TWICE, 4);                \
  } while (0)

/* What a tile of outputs is made from: rows ky .. end_ky-1 of windows at x, and the weights and biases of its first
 * filter. */
struct windows {
  const sprint_real *x[MOST_PLACES];
  sprint_real *y[MOST_PLACES];
  size_t ky, end_ky;
};

SPRINT__INLINE void tile_multiply(const struct sprint__conv *of, const struct windows *at, const sprint_real *w,
                                  const sprint_real *bias, bool relu, size_t first, size_t places, size_t filters) {
  group sums[SUMS] = {{0}};
#pragma GCC unroll 4
  for (size_t f = 0; f < filters; f++) {
    group start = SPRINT__ALL(bias ? bias[first + f] : 0);
#pragma GCC unroll 8
    for (size_t p = 0; p < places; p++) sums[p * filters + f] = start;
  }
  w += at->ky * (of->run / G) * of->filters + first;
  for (size_t ky = at->ky; ky < at->end_ky; ky++)
    for (size_t k = ky * of->line, end = k + of->run; k < end; k += G, w += of->filters) {
      group x[MOST_PLACES];
#pragma GCC unroll 8
      for (size_t p = 0; p < places; p++) x[p] = load(at->x[p] + k);
#pragma GCC unroll 4
      for (size_t f = 0; f < filters; f++) {
        group factor = SPRINT__ALL(w[f]);
#pragma GCC unroll 8
        for (size_t p = 0; p < places; p++) sums[p * filters + f] += factor * x[p];
      }
    }
#pragma GCC unroll 8
  for (size_t p = 0; p < places; p++)
#pragma GCC unroll 4
    for (size_t f = 0; f < filters; f++) {
      group sum = sums[p * filters + f];
      store(at->y[p] + (first + f) * G, relu ? positive(sum) : sum);
    }
}

/* The filters inside, so that a window is read for all of them while it is near. */
ABREAST_FAST void ABREAST_MULTIPLY(const struct sprint__conv *of, const sprint_real *x, const sprint_real *weights,
                                   const sprint_real *bias, bool relu, sprint_real *y) {
  size_t places = tile_places(of->filters), tile;
  struct place at = {0, of->top, x, x, y, y};
  for (size_t left = of->rows * of->columns, used; left > 0; left -= used) {
    struct windows windows;
    used = left < places ? left : places;
    windows.end_ky = take_tile(of, &at, used, places, windows.x, windows.y, &windows.ky);
    for (size_t f = 0; f < of->filters; f += tile) {
      tile = tile_filters(of->filters, of->filters - f);
      EACH_TILE(tile_multiply, places, tile, of, &windows, weights, bias, relu, f);
    }
  }
}

/* dw of `used` numbers of the window, of which x has the first output's, and of some filters. */
SPRINT__INLINE void tile_correlate(const struct sprint__conv *of, const sprint_real *const *x, const sprint_real *dy,
                                   size_t used, sprint_real *dw, size_t places, size_t filters) {
  group sums[SUMS] = {{0}};
  for (size_t r = 0; r < of->rows; r++) {
    const sprint_real *d = dy + r * of->to_down;
    for (size_t c = 0, at = r * of->down; c < of->columns; c++, at += of->across, d += of->to_across) {
      group u[MOST_FILTERS];
#pragma GCC unroll 4
      for (size_t f = 0; f < filters; f++) u[f] = load(d + f * G);
#pragma GCC unroll 8
      for (size_t p = 0; p < places; p++) {
        group v = load(x[p] + at);
#pragma GCC unroll 4
        for (size_t f = 0; f < filters; f++) sums[p * filters + f] += v * u[f];
      }
    }
  }
#pragma GCC unroll 8
  for (size_t p = 0; p < places; p++) {
    if (p >= used) break;
#pragma GCC unroll 4
    for (size_t f = 0; f < filters; f++) put(dw + (p * of->filters + f) * G, sums[p * filters + f], true);
  }
}

/* db += dy. */
SPRINT__INLINE void add_dy(const struct sprint__conv *of, const sprint_real *dy, sprint_real *db) {
  for (size_t r = 0; r < of->rows; r++)
    for (size_t c = 0; c < of->columns; c++)
      for (size_t f = 0; f < of->filters; f++)
        put(db + f * G, load(dy + r * of->to_down + c * of->to_across + f * G), true);
}

/* The same for the rows of outputs that `of` has, which lie in a near cache. */
SPRINT__INLINE void band_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                   sprint_real *dw, sprint_real *db) {
  size_t places = tile_places(of->filters), window = of->kernel_rows * of->run / G, tile, used;
  for (size_t k = 0; k < window; k += used) {
    const sprint_real *from[MOST_PLACES];
    used = window - k < places ? window - k : places;
    take_numbers(of, x, k, used, places, G, from);
    for (size_t f = 0; f < of->filters; f += tile) {
      tile = tile_filters(of->filters, of->filters - f);
      EACH_TILE(tile_correlate, places, tile, of, from, dy + f * G, used, dw + (k * of->filters + f) * G);
    }
  }
  add_dy(of, dy, db);
}

ABREAST_FAST void ABREAST_CORRELATE(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                    sprint_real *dw, sprint_real *db) {
  size_t fit = BAND_SIZE / sizeof *x / (of->down + of->to_down), worth = (BAND_OUTPUTS - 1) / of->columns + 1;
  size_t most = fit > worth ? fit : worth;
  struct sprint__conv band = *of;
  for (size_t r = 0; r < of->rows; r += band.rows) {
    band.rows = most < of->rows - r ? most : of->rows - r;
    band_correlate(&band, x + r * of->down, dy + r * of->to_down, dw, db);
  }
}
