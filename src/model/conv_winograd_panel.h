/* What Winograd's filtering does with an image's tiles and with a panel of filters: text for groups of either size, of
 * which PANEL numbers are two or one. conv_winograd.c and conv_winograd_weights.c have it for 32 bytes,
 * conv_winograd_wide.c for 64. */
#ifndef SPRINT_MODEL_CONV_WINOGRAD_PANEL_H
#define SPRINT_MODEL_CONV_WINOGRAD_PANEL_H

#include "model/conv_winograd_tile.h"
#include "model/conv_winograd_wide.h"

/* Whether a group is all of a panel, two groups of 32 bytes. */
#define WHOLE_PANEL (SPRINT__GROUP_SIZE == 64)

/* v (places, room, channel_room): tile t, which starts at x. */
SPRINT__INLINE void put_tile(const struct sprint__winograd *of, const sprint_real *x, size_t t, size_t side,
                             size_t next, sprint_real *v) {
  size_t room = channel_room(of);
  for (size_t c = 0; c < of->channels; c += G) {
    group d[MOST_PLACES], half_way[MOST_PLACES];
#pragma GCC unroll 36
    for (size_t k = 0; k < side * side; k++) d[k] = load(x + k / side * of->line + k % side * of->channels + c);
#pragma GCC unroll 6
    for (size_t k = 0; k < side; k++) transform_input(d + k, side, side, half_way + k);
#pragma GCC unroll 6
    for (size_t k = 0; k < side; k++) transform_input(half_way + side * k, 1, side, d + side * k);
#pragma GCC unroll 36
    for (size_t k = 0; k < side * side; k++) store(v + k * next + t * room + c, d[k]);
  }
}

SPRINT__INLINE void put_tiles(const struct sprint__winograd *of, const struct sprint__tiles *tiles,
                              const sprint_real *x, size_t side, sprint_real *v) {
  size_t next = place_size(tiles->room, channel_room(of));
  for (size_t t = 0, r = tiles->first / of->columns, c = tiles->first % of->columns; t < tiles->n; t++) {
    put_tile(of, x + 2 * r * of->line + 2 * c * of->channels, t, side, next, v);
    if (++c == of->columns) r++, c = 0;
  }
}

/* The tiles from `first` on, as many as there is room for, into v; by vectors of 64 bytes where channels fill one and
 * there are such. */
SPRINT__INLINE struct sprint__tiles enter_tiles(const struct sprint__winograd *of, const sprint_real *x, size_t first,
                                                size_t room, size_t side, bool has_wide, sprint_real *v) {
  size_t left = of->rows * of->columns - first;
  struct sprint__tiles tiles = {first, left < room ? left : room, room};
  if (has_wide && of->channels > SPRINT__GROUP)
    sprint__wide_put_tiles(of, &tiles, x, v);
  else
    put_tiles(of, &tiles, x, side, v);
  return tiles;
}

/* Filters f .. f + G - 1 of an output at `at`: those of two groups of 32 bytes may overlap. */
SPRINT__INLINE size_t between(size_t filters, size_t f) {
  return sprint__conv_first(filters, f / SPRINT__GROUP + 1) - sprint__conv_first(filters, f / SPRINT__GROUP);
}

SPRINT__INLINE group load_filters(const sprint_real *at, size_t filters, size_t f) {
  at += sprint__conv_first(filters, f / SPRINT__GROUP);
  if (!WHOLE_PANEL || between(filters, f) == SPRINT__GROUP) return load(at);
  sprint_real both[G];
  memcpy(both, at, sizeof both / 2);
  memcpy(both + G / 2, at + between(filters, f), sizeof both / 2);
  return load(both);
}

SPRINT__INLINE void store_filters(sprint_real *at, size_t filters, size_t f, group value) {
  at += sprint__conv_first(filters, f / SPRINT__GROUP);
  if (!WHOLE_PANEL || between(filters, f) == SPRINT__GROUP) {
    store(at, value);
    return;
  }
  sprint_real both[G];
  store(both, value);
  memcpy(at, both, sizeof both / 2);
  memcpy(at + between(filters, f), both + G / 2, sizeof both / 2);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Forward
 */

/* Tiles that share a load of the weights, and sums of a tile that do not wait for each other: the registers hold them.
 */
enum { MOST_ROWS = 8, CHAINS = WHOLE_PANEL ? 2 : 1, MOST_SUMS = 16 };

/* m (rows, PANEL) = v (rows, channels) panel (channels, groups). */
SPRINT__INLINE void multiply(const sprint_real *v, size_t room, const sprint_real *panel, size_t channels, size_t rows,
                             size_t groups, sprint_real *m) {
  group sums[MOST_SUMS] = {{0}}; /* (CHAINS, rows, groups) */
  size_t c = 0;
  for (; c + CHAINS <= channels; c += CHAINS)
#pragma GCC unroll 2
    for (size_t chain = 0; chain < CHAINS; chain++, panel += groups * G) {
      group w = load(panel), u = groups > 1 ? load(panel + G) : w;
#pragma GCC unroll 8
      for (size_t r = 0; r < rows; r++) {
        group factor = SPRINT__ALL(v[r * room + c + chain]);
        sums[(chain * rows + r) * groups] += factor * w;
        if (groups > 1) sums[(chain * rows + r) * groups + 1] += factor * u;
      }
    }
  for (; c < channels; c++, panel += groups * G)
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 2
      for (size_t g = 0; g < groups; g++) sums[r * groups + g] += SPRINT__ALL(v[r * room + c]) * load(panel + g * G);
#pragma GCC unroll 16
  for (size_t s = 0; s < rows * groups; s++) {
    if (CHAINS > 1) sums[s] += sums[rows * groups + s];
    store(m + s / groups * PANEL + s % groups * G, sums[s]);
  }
}

/* m (places, room, PANEL) of all tiles. */
SPRINT__INLINE void multiply_tiles(const struct sprint__winograd_forward *run, const struct sprint__tiles *tiles,
                                   size_t f, size_t side, size_t groups) {
  const struct sprint__winograd *of = run->of;
  size_t places = side * side, room = channel_room(of), width = groups * G;
  for (size_t k = 0; k < places; k++) {
    const sprint_real *panel = run->weights + (f * places + k * width) * of->channels;
    const sprint_real *v = run->v + k * place_size(tiles->room, room);
    sprint_real *m = run->m + k * place_size(tiles->room, PANEL);
    for (size_t t = 0; t < tiles->n;)
      if (groups == 1 && tiles->n - t > MOST_ROWS / 2) {
        multiply(v + t * room, room, panel, of->channels, MOST_ROWS, groups, m + t * PANEL);
        t += MOST_ROWS;
      } else {
        multiply(v + t * room, room, panel, of->channels, MOST_ROWS / 2, groups, m + t * PANEL);
        t += MOST_ROWS / 2;
      }
  }
}

/* A^T m A and the bias: the four outputs, from m (places, room, PANEL) at its tile and group. */
SPRINT__INLINE void gather_tile(const sprint_real *m, size_t next, group bias, size_t side, group *ret_four) {
  group rows[2][MOST_SIDE];
#pragma GCC unroll 6
  for (size_t k = 0; k < side; k++) {
    group column[MOST_SIDE];
#pragma GCC unroll 6
    for (size_t r = 0; r < side; r++) column[r] = load(m + (r * side + k) * next);
    transform_products(column, side, &rows[0][k], &rows[1][k]);
  }
#pragma GCC unroll 2
  for (size_t r = 0; r < 2; r++) {
    transform_products(rows[r], side, &ret_four[2 * r], &ret_four[2 * r + 1]);
    ret_four[2 * r] += bias;
    ret_four[2 * r + 1] += bias;
  }
}

/* The four outputs of tile (r, c), or as many as there are, for the group of lanes from f on. */
SPRINT__INLINE void put_four(const struct sprint__winograd_forward *run, size_t r, size_t c, size_t f,
                             const group *four) {
  const struct sprint__conv *plain = run->plain;
  sprint_real *y = run->y + 2 * r * plain->to_down + 2 * c * plain->to_across;
  for (size_t q = 0; q < 4; q++)
    if (2 * r + q / 2 < plain->rows && 2 * c + q % 2 < plain->columns)
      store_filters(y + q / 2 * plain->to_down + q % 2 * plain->to_across, plain->filters, f,
                    run->relu ? positive(four[q]) : four[q]);
}

SPRINT__INLINE void gather_tiles(const struct sprint__winograd_forward *run, const struct sprint__tiles *tiles,
                                 size_t f, size_t side, size_t groups, bool pools) {
  const struct sprint__winograd *of = run->of;
  for (size_t g = f; g < f + groups * G; g += G)
    for (size_t t = 0, r = tiles->first / of->columns, c = tiles->first % of->columns; t < tiles->n; t++) {
      size_t at = (tiles->first + t) * of->lanes + g;
      group four[4];
      gather_tile(run->m + t * PANEL + g - f, place_size(tiles->room, PANEL),
                  run->bias ? load(run->bias + g) : (group){0}, side, four);
      if (pools)
        sprint__pool(four, run->y + at, run->codes + at);
      else
        put_four(run, r, c, g, four);
      if (++c == of->columns) r++, c = 0;
    }
}

/* The outputs of some tiles, whose v there is, for the panel of filters from f on. */
SPRINT__INLINE void panel_forward(const struct sprint__winograd_forward *run, const struct sprint__tiles *tiles,
                                  size_t f, size_t side, size_t groups) {
  multiply_tiles(run, tiles, f, side, groups);
  if (run->codes)
    gather_tiles(run, tiles, f, side, groups, true);
  else
    gather_tiles(run, tiles, f, side, groups, false);
}

/* ------------------------------------------------------------------------------------------------------------------
 * The gradient of the weights
 */

/* u (places, room, PANEL) of tile t, whose slopes start at dy, for the filters from f on; db += their sums, which are
 * those of place (1, 1). */
SPRINT__INLINE void put_slopes(const struct sprint__conv *windows, const sprint_real *dy, size_t f, size_t side,
                               size_t next, sprint_real *u, sprint_real *db) {
  size_t down = windows->to_down, across = windows->to_across, filters = windows->filters;
  group left[MOST_SIDE], right[MOST_SIDE];
  transform_slopes(load_filters(dy, filters, f), load_filters(dy + down, filters, f), side, left);
  transform_slopes(load_filters(dy + across, filters, f), load_filters(dy + down + across, filters, f), side, right);
  put(db + f, left[1] + right[1], true);
#pragma GCC unroll 6
  for (size_t r = 0; r < side; r++) {
    group row[MOST_SIDE];
    transform_slopes(left[r], right[r], side, row);
#pragma GCC unroll 6
    for (size_t c = 0; c < side; c++) store(u + (r * side + c) * next, row[c]);
  }
}

/* m (channels, groups * G) += v^T (channels, n) u (n, groups * G). */
SPRINT__INLINE void add_products(const sprint_real *v, size_t v_row, const sprint_real *u, size_t n, size_t channels,
                                 size_t groups, sprint_real *m) {
  group sums[MOST_SUMS];
#pragma GCC unroll 16
  for (size_t s = 0; s < channels * groups; s++) sums[s] = load(m + s * G);
  for (size_t t = 0; t < n; t++, v += v_row, u += PANEL) {
    group a = load(u), b = groups > 1 ? load(u + G) : a;
#pragma GCC unroll 16
    for (size_t c = 0; c < channels; c++) {
      group factor = SPRINT__ALL(v[c]);
      sums[c * groups] += factor * a;
      if (groups > 1) sums[c * groups + 1] += factor * b;
    }
  }
#pragma GCC unroll 16
  for (size_t s = 0; s < channels * groups; s++) store(m + s * G, sums[s]);
}

/* The same for all channels, which are eight or more, by tiles of about as many each. */
SPRINT__INLINE void add_channels(const sprint_real *v, size_t v_row, const sprint_real *u, size_t n, size_t n_channels,
                                 size_t groups, sprint_real *m) {
  size_t most = groups > 1 ? 6 : WHOLE_PANEL ? MOST_SUMS : 8, parts = (n_channels + most - 1) / most;
  for (size_t p = 0; p < parts; p++) {
    size_t c = n_channels * p / parts, some = n_channels * (p + 1) / parts - c;
    sprint_real *to = m + c * groups * G;
#define CASE(N)                                      \
  case N:                                            \
    add_products(v + c, v_row, u, n, N, groups, to); \
    break
    if (groups > 1) {
      switch (some) {
        CASE(4);
        CASE(5);
        CASE(6);
      }
    } else {
      switch (some) {
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
#if WHOLE_PANEL
        CASE(9);
        CASE(10);
        CASE(11);
        CASE(12);
        CASE(13);
        CASE(14);
        CASE(15);
        CASE(16);
#endif
      }
    }
#undef CASE
  }
}

/* The sums of all places += those of some tiles, whose v there is, for the panel of filters from f on. */
SPRINT__INLINE void panel_correlate(const struct sprint__winograd_backward *run, const struct sprint__tiles *tiles,
                                    size_t f, size_t side, size_t groups) {
  const struct sprint__winograd *of = run->of;
  const struct sprint__conv *windows = run->windows;
  size_t places = side * side, next = place_size(tiles->room, PANEL), room = channel_room(of), width = groups * G;
  for (size_t g = 0; g < width; g += G)
    for (size_t t = 0, r = tiles->first / of->columns, c = tiles->first % of->columns; t < tiles->n; t++) {
      const sprint_real *dy = run->dy + 2 * r * windows->to_down + 2 * c * windows->to_across;
      put_slopes(windows, dy, f + g, side, next, run->u + t * PANEL + g, run->db);
      if (++c == of->columns) r++, c = 0;
    }
  for (size_t k = 0; k < places; k++)
    add_channels(run->v + k * place_size(tiles->room, room), room, run->u + k * next, tiles->n, of->channels, groups,
                 run->sums + (f * places + k * width) * of->channels);
}

#endif
