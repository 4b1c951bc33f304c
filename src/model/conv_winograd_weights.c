/* The gradient of the weights of windows of 3x3 and 5x5 by Winograd's minimal filtering of a tile of the image by its
 * slopes: 16 products a channel and filter for the four outputs of a tile instead of 36, and 36 instead of 100. The
 * image goes in as it does forward; the matrices are in conv_winograd_tile.h. */
#include "model/conv_winograd_tile.h"

enum {
  TILES = 32, /* that go through together */
  SUMS = 12,  /* that the registers hold */
};

size_t sprint__winograd_sums(const struct sprint__winograd *of) {
  return sprint__winograd_places(of) * of->channels * of->lanes;
}

size_t sprint__winograd_weights_room(const struct sprint__winograd *of) {
  return sprint__winograd_places(of) * (place_size(TILES, channel_room(of)) + place_size(TILES, of->lanes));
}

/* u (places, TILES, lanes) of tile t, whose slopes start at dy; db += their sums, which are those of place (1, 1). */
SPRINT__INLINE void put_slopes(const struct sprint__winograd *of, const struct sprint__conv *windows,
                               const sprint_real *dy, size_t t, size_t side, sprint_real *u, sprint_real *db) {
  size_t down = windows->to_down, across = windows->to_across, next = place_size(TILES, of->lanes);
  for (size_t f = 0; f < of->lanes; f += G) {
    const sprint_real *from = dy + sprint__conv_first(windows->filters, f / G);
    group left[MOST_SIDE], right[MOST_SIDE];
    transform_slopes(load(from), load(from + down), side, left);
    transform_slopes(load(from + across), load(from + down + across), side, right);
    put(db + f, left[1] + right[1], true);
#pragma GCC unroll 6
    for (size_t r = 0; r < side; r++) {
      group row[MOST_SIDE];
      transform_slopes(left[r], right[r], side, row);
#pragma GCC unroll 6
      for (size_t c = 0; c < side; c++) store(u + (r * side + c) * next + t * of->lanes + f, row[c]);
    }
  }
}

/* m (channels, groups * G) += v^T (channels, n) u (n, groups * G). */
SPRINT__INLINE void add_products(const sprint_real *v, size_t v_row, const sprint_real *u, size_t u_row, size_t n,
                                 size_t channels, size_t groups, sprint_real *m) {
  group sums[SUMS];
#pragma GCC unroll 12
  for (size_t s = 0; s < channels * groups; s++) sums[s] = load(m + s * G);
  for (size_t t = 0; t < n; t++, v += v_row, u += u_row) {
    group a = load(u), b = groups > 1 ? load(u + G) : a;
#pragma GCC unroll 8
    for (size_t c = 0; c < channels; c++) {
      group factor = SPRINT__ALL(v[c]);
      sums[c * groups] += factor * a;
      if (groups > 1) sums[c * groups + 1] += factor * b;
    }
  }
#pragma GCC unroll 12
  for (size_t s = 0; s < channels * groups; s++) store(m + s * G, sums[s]);
}

/* The same for `n_channels`, which are eight or more, by tiles of about as many each: four to six, or to eight where
 * there is one group. */
SPRINT__INLINE void add_channels(const sprint_real *v, size_t v_row, const sprint_real *u, size_t u_row, size_t n,
                                 size_t n_channels, size_t groups, sprint_real *m) {
  size_t most = SUMS / groups < 8 ? SUMS / groups : 8, parts = (n_channels + most - 1) / most;
  for (size_t p = 0; p < parts; p++) {
    size_t c = n_channels * p / parts, some = n_channels * (p + 1) / parts - c;
    sprint_real *to = m + c * groups * G;
    if (some == 4)
      add_products(v + c, v_row, u, u_row, n, 4, groups, to);
    else if (some == 5)
      add_products(v + c, v_row, u, u_row, n, 5, groups, to);
    else if (some == 6)
      add_products(v + c, v_row, u, u_row, n, 6, groups, to);
    else if (groups == 1 && some == 7)
      add_products(v + c, v_row, u, u_row, n, 7, 1, to);
    else if (groups == 1)
      add_products(v + c, v_row, u, u_row, n, 8, 1, to);
  }
}

SPRINT__INLINE void correlate(const struct sprint__winograd *of, const struct sprint__conv *windows,
                              const sprint_real *x, const sprint_real *dy, sprint_real *room, size_t side,
                              sprint_real *sums, sprint_real *db) {
  size_t n = of->rows * of->columns, v_row = channel_room(of), places = side * side;
  size_t next_v = place_size(TILES, v_row), next_u = place_size(TILES, of->lanes);
  sprint_real *v = room, *u = room + places * next_v;
  for (size_t first = 0, r = 0, c = 0; first < n; first += TILES) {
    size_t tiles = n - first < TILES ? n - first : TILES;
    for (size_t t = 0; t < tiles; t++) {
      put_tile(of, x + 2 * r * of->line + 2 * c * of->channels, t, TILES, side, v);
      put_slopes(of, windows, dy + 2 * r * windows->to_down + 2 * c * windows->to_across, t, side, u, db);
      if (++c == of->columns) r++, c = 0;
    }
    for (size_t f = 0; f < of->lanes; f += 2 * G)
      for (size_t k = 0; k < places; k++) {
        size_t width = panel_width(of, f);
        sprint_real *m = sums + (f * places + k * width) * of->channels;
        if (width > G)
          add_channels(v + k * next_v, v_row, u + k * next_u + f, of->lanes, tiles, of->channels, 2, m);
        else
          add_channels(v + k * next_v, v_row, u + k * next_u + f, of->lanes, tiles, of->channels, 1, m);
      }
  }
}

SPRINT__FAST void sprint__winograd_correlate(const struct sprint__winograd *of, const struct sprint__conv *windows,
                                             const sprint_real *x, const sprint_real *dy, sprint_real *room,
                                             sprint_real *sums, sprint_real *db) {
  if (of->side == SIDE_3)
    correlate(of, windows, x, dy, room, SIDE_3, sums, db);
  else
    correlate(of, windows, x, dy, room, SIDE_5, sums, db);
}

SPRINT__INLINE void gradient_of(const struct sprint__winograd *of, const sprint_real *sums, size_t side,
                                sprint_real *ret_dw) {
  size_t kernel = side - 1, window = kernel * kernel, places = side * side;
  for (size_t f = 0; f < of->lanes; f += G)
    for (size_t c = 0; c < of->channels; c++) {
      size_t panel = f / (2 * G) * 2 * G, width = panel_width(of, panel), at = c * width + (f - panel);
      group m[MOST_PLACES], half_way[MOST_PLACES], dw[MOST_PLACES];
      for (size_t k = 0; k < places; k++) m[k] = load(sums + (panel * places + k * width) * of->channels + at);
      for (size_t k = 0; k < side; k++) transform_sums(m + k, side, side, half_way + k, side);
      for (size_t k = 0; k < kernel; k++) transform_sums(half_way + side * k, 1, side, dw + kernel * k, 1);
      for (size_t k = 0; k < window; k++) store(ret_dw + (panel * window + k * width) * of->channels + at, dw[k]);
    }
}

SPRINT__FAST void sprint__winograd_gradient(const struct sprint__winograd *of, const sprint_real *sums,
                                            sprint_real *ret_dw) {
  if (of->side == SIDE_3)
    gradient_of(of, sums, SIDE_3, ret_dw);
  else
    gradient_of(of, sums, SIDE_5, ret_dw);
}
