/* The kernels of conv_narrow.h: tiles of a few outputs, or groups of a window, times all filters. */
#include "model/conv_narrow.h"

#include "model/conv_place.h"

enum { MOST_FILTERS = SPRINT__NARROW_FILTERS, MOST_PLACES = 8, SUMS = 16 };

/* Bytes of image and dy that the weights' gradient goes over again and again. */
enum { BAND_SIZE = 32 * 1024 };

SPRINT__INLINE size_t groups_of_row(const struct sprint__conv *of) { return (of->run + G - 1) / G; }

/* Where group g of a row starts. */
SPRINT__INLINE size_t start_of(size_t g, size_t run) { return (g + 1) * G <= run ? g * G : run - G; }

/* What an output of a record takes by filters, which fill a part of a group, and with n records side by side, where
 * numbers are brought there and back: in products of groups, as measured. */
static double cost_of_tiles(const struct sprint__conv *of) { return 1.3 * (double)(of->kernel_rows * of->run); }

static double cost_abreast(const struct sprint__conv *of, size_t n) {
  double records = n < G ? (double)n : G, numbers = (double)(of->lines_down * of->across + of->filters);
  return ((double)(of->kernel_rows * of->run * of->filters) + 1.5 * G * numbers) / records;
}

static bool is_least(const struct sprint__conv *of, size_t n, double cost) {
  return sprint__narrow_fits(of) && cost < cost_of_tiles(of) && cost < cost_abreast(of, n);
}

/* Along the window a group of it is loaded for all filters, and sums are added up, or outputs gone through again. */
bool sprint__narrow_pays(const struct sprint__conv *of, size_t n) {
  double filters = (double)of->filters;
  return is_least(of, n, (double)sprint__narrow_groups(of) * (filters + 1) + 20 * filters);
}

bool sprint__narrow_pays_weights(const struct sprint__conv *of, size_t n) {
  return is_least(of, n, (double)sprint__narrow_groups(of) * ((double)of->filters + 0.5) + 25);
}

/* The first number of group g of a row that no group before it has. */
static size_t own_from(size_t g, size_t run) { return g * G - start_of(g, run); }

void sprint__narrow_order(const struct sprint__conv *of, const sprint_real *weights, sprint_real *ret_weights) {
  size_t groups = groups_of_row(of), filters = of->filters;
  for (size_t ky = 0; ky < of->kernel_rows; ky++, weights += of->run * filters)
    for (size_t g = 0; g < groups; g++)
      for (size_t f = 0; f < filters; f++)
        for (size_t l = 0; l < G; l++)
          *ret_weights++ = l < own_from(g, of->run) ? 0 : weights[(start_of(g, of->run) + l) * filters + f];
}

void sprint__narrow_take(const struct sprint__conv *of, const sprint_real *dw, sprint_real *ret_weights) {
  size_t groups = groups_of_row(of), filters = of->filters;
  for (size_t ky = 0; ky < of->kernel_rows; ky++, ret_weights += of->run * filters)
    for (size_t g = 0; g < groups; g++)
      for (size_t f = 0; f < filters; f++, dw += G)
        for (size_t l = own_from(g, of->run); l < G; l++) ret_weights[(start_of(g, of->run) + l) * filters + f] = dw[l];
}

/* Calls TILE(.., places, filters) with numbers that are known when it is compiled: as many sums as the registers hold,
 * and enough that none waits for the one before it. */
#define AT_MOST(N) ((N) < MOST_FILTERS ? (N) : MOST_FILTERS)
#define EACH_FILTERS(TILE, FILTERS, P1, P2, P3, P4, P5, ...) \
  do {                                                       \
    if ((FILTERS) == 1)                                      \
      TILE(__VA_ARGS__, P1, 1);                              \
    else if ((FILTERS) == 2)                                 \
      TILE(__VA_ARGS__, P2, 2);                              \
    else if ((FILTERS) == 3)                                 \
      TILE(__VA_ARGS__, P3, 3);                              \
    else if ((FILTERS) == 4)                                 \
      TILE(__VA_ARGS__, P4, AT_MOST(4));                     \
    else                                                     \
      TILE(__VA_ARGS__, P5, AT_MOST(5));                     \
  } while (0)

/* The sums of some outputs, along rows ky .. end_ky-1 of their windows. */
SPRINT__INLINE void window_sums(const struct sprint__conv *of, const sprint_real *const *x, size_t ky, size_t end_ky,
                                const sprint_real *w, size_t places, size_t filters, group *ret_sums) {
  size_t groups = groups_of_row(of), last = of->run - G;
  group sums[SUMS] = {{0}};
  w += ky * groups * filters * G;
  for (; ky < end_ky; ky++)
    for (size_t g = 0, at = ky * of->line, end = at + last; g < groups; g++, at += G, w += filters * G) {
      if (at > end) at = end;
#pragma GCC unroll 8
      for (size_t p = 0; p < places; p++) {
        group u = load(x[p] + at);
#pragma GCC unroll 5
        for (size_t f = 0; f < filters; f++) sums[p * filters + f] += u * load(w + f * G);
      }
    }
#pragma GCC unroll 16
  for (size_t s = 0; s < SUMS; s++) ret_sums[s] = sums[s];
}

SPRINT__INLINE void tiles_multiply(const struct sprint__conv *of, const sprint_real *first_x, const sprint_real *w,
                                   const sprint_real *bias, bool relu, sprint_real *first_y, size_t places,
                                   size_t filters) {
  struct place at = {0, of->top, first_x, first_x, first_y, first_y};
  for (size_t left = of->rows * of->columns, used; left > 0; left -= used) {
    const sprint_real *x[MOST_PLACES];
    sprint_real *y[MOST_PLACES], all[SUMS] = {0};
    group sums[SUMS];
    size_t ky, end_ky;
    used = left < places ? left : places;
    end_ky = take_tile(of, &at, used, places, x, y, &ky);
    window_sums(of, x, ky, end_ky, w, places, filters, sums);
    for (size_t s = 0; s < places * filters; s += G) store(all + s, totals(sums + s));
    for (size_t p = 0; p < used; p++)
#pragma GCC unroll 5
      for (size_t f = 0; f < filters; f++) {
        sprint_real value = all[p * filters + f] + (bias ? bias[f] : 0);
        y[p][f] = relu && value <= 0 ? 0 : value;
      }
  }
}

SPRINT__FAST void sprint__narrow_multiply(const struct sprint__conv *of, const sprint_real *x,
                                          const sprint_real *weights, const sprint_real *bias, bool relu,
                                          sprint_real *y) {
  EACH_FILTERS(tiles_multiply, of->filters, 8, 4, 3, 2, 2, of, x, weights, bias, relu, y);
}

/* dw of `used` groups of the window, of which x has the first output's. */
SPRINT__INLINE void tile_correlate(const struct sprint__conv *of, const sprint_real *const *x, const sprint_real *dy,
                                   size_t used, sprint_real *dw, size_t places, size_t filters) {
  group sums[SUMS] = {{0}};
  for (size_t r = 0; r < of->rows; r++) {
    const sprint_real *d = dy + r * of->to_down;
    for (size_t c = 0, at = r * of->down; c < of->columns; c++, at += of->across, d += of->to_across) {
#pragma GCC unroll 8
      for (size_t p = 0; p < places; p++) {
        group v = load(x[p] + at);
#pragma GCC unroll 5
        for (size_t f = 0; f < filters; f++) sums[p * filters + f] += v * SPRINT__ALL(d[f]);
      }
    }
  }
#pragma GCC unroll 16
  for (size_t s = 0; s < places * filters; s++)
    if (s / filters < used) put(dw + s * G, sums[s], true);
}

/* The same for all groups of the window. */
SPRINT__INLINE void tiles_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                    sprint_real *dw, size_t places, size_t filters) {
  size_t of_row = groups_of_row(of), groups = of->kernel_rows * of_row;
  for (size_t first = 0, used; first < groups; first += used) {
    const sprint_real *from[MOST_PLACES];
    used = groups - first < places ? groups - first : places;
    for (size_t p = 0; p < places; p++) {
      size_t g = first + (p < used ? p : used - 1);
      from[p] = x + g / of_row * of->line + start_of(g % of_row, of->run);
    }
    tile_correlate(of, from, dy, used, dw + first * filters * G, places, filters);
  }
}

/* db += dy: the outputs of a row lie together, and G of them are as many groups as there are filters. */
SPRINT__INLINE void add_dy(const struct sprint__conv *of, const sprint_real *dy, sprint_real *db, size_t filters) {
  group sums[MOST_FILTERS] = {{0}};
  size_t n = of->columns * filters;
  for (size_t r = 0; r < of->rows; r++, dy += of->to_down) {
    size_t i = 0;
    for (; i + filters * G <= n; i += filters * G)
#pragma GCC unroll 5
      for (size_t f = 0; f < filters; f++) sums[f] += load(dy + i + f * G);
    for (; i < n; i += filters)
      for (size_t f = 0; f < filters; f++) db[f] += dy[i + f];
  }
  for (size_t f = 0; f < filters; f++)
    for (size_t l = 0; l < G; l++) db[(f * G + l) % filters] += sums[f][l];
}

/* All that a band of rows gives. */
SPRINT__INLINE void band_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                   sprint_real *dw, sprint_real *db, size_t places, size_t filters) {
  tiles_correlate(of, x, dy, dw, places, filters);
  add_dy(of, dy, db, filters);
}

SPRINT__FAST void sprint__narrow_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                           sprint_real *dw, sprint_real *db) {
  size_t most = BAND_SIZE / sizeof *x / (of->down + of->to_down);
  struct sprint__conv band = *of;
  for (size_t r = 0; r < of->rows; r += band.rows) {
    const sprint_real *from = x + r * of->down, *d = dy + r * of->to_down;
    band.rows = most < 1 ? 1 : most < of->rows - r ? most : of->rows - r;
    EACH_FILTERS(band_correlate, of->filters, 8, 5, 3, 2, 2, &band, from, d, dw, db);
  }
}
