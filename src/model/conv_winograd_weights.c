/* The gradient of the weights of windows of 3x3 by Winograd's minimal filtering F(3x3, 2x2): 16 products a channel and
 * filter for the four outputs of a tile instead of 36. It is the filtering of a tile of the image, 4x4, by its slopes,
 * 2x2, with the points of F(2x2, 3x3), so that the image goes in as it does forward: dw = A^T (sum (B^T d B) * (G s
 * G^T)) A, A^T = (1 1 1 0; 0 1 -1 0; 0 1 1 -1), G = (1 0; 1 1; 1 -1; 0 1) with the halves of its middle rows left to
 * the end. See conv_winograd.c. */
#include "model/conv_winograd_tile.h"

enum {
  PLACES = SPRINT__WINOGRAD_PLACES, /* of a transformed tile, 4x4 */
  TILES = 32,                       /* that go through together */
  SUMS = 12,                        /* that the registers hold */
};

size_t sprint__winograd_sums(const struct sprint__winograd *of) { return PLACES * of->channels * of->lanes; }

size_t sprint__winograd_weights_room(const struct sprint__winograd *of) {
  return PLACES * (place_size(TILES, channel_room(of)) + place_size(TILES, of->lanes));
}

/* u (16 places, TILES, lanes) of tile t, whose slopes start at dy; db += their sums, which are those of place (1, 1).
 */
SPRINT__INLINE void put_slopes(const struct sprint__winograd *of, const struct sprint__conv *windows,
                               const sprint_real *dy, size_t t, sprint_real *u, sprint_real *db) {
  size_t down = windows->to_down, across = windows->to_across, next = place_size(TILES, of->lanes);
  for (size_t f = 0; f < of->lanes; f += G) {
    const sprint_real *from = dy + sprint__conv_first(windows->filters, f / G);
    group rows[4][2], last[2];
#pragma GCC unroll 2
    for (size_t c = 0; c < 2; c++) {
      rows[0][c] = load(from + c * across);
      last[c] = load(from + down + c * across);
      rows[1][c] = rows[0][c] + last[c];
      rows[2][c] = rows[0][c] - last[c];
      rows[3][c] = last[c];
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < 4; r++) {
      sprint_real *to = u + 4 * r * next + t * of->lanes + f;
      group both = rows[r][0] + rows[r][1];
      store(to, rows[r][0]);
      store(to + next, both);
      store(to + 2 * next, rows[r][0] - rows[r][1]);
      store(to + 3 * next, rows[r][1]);
      if (r == 1) put(db + f, both, true);
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

SPRINT__FAST void sprint__winograd_correlate(const struct sprint__winograd *of, const struct sprint__conv *windows,
                                             const sprint_real *x, const sprint_real *dy, sprint_real *room,
                                             sprint_real *sums, sprint_real *db) {
  size_t n = of->rows * of->columns, v_row = channel_room(of);
  size_t next_v = place_size(TILES, v_row), next_u = place_size(TILES, of->lanes);
  sprint_real *v = room, *u = room + PLACES * next_v;
  for (size_t first = 0, r = 0, c = 0; first < n; first += TILES) {
    size_t tiles = n - first < TILES ? n - first : TILES;
    for (size_t t = 0; t < tiles; t++) {
      put_tile(of, x + 2 * r * of->line + 2 * c * of->channels, t, TILES, v);
      put_slopes(of, windows, dy + 2 * r * windows->to_down + 2 * c * windows->to_across, t, u, db);
      if (++c == of->columns) r++, c = 0;
    }
    for (size_t f = 0; f < of->lanes; f += 2 * G)
      for (size_t k = 0; k < PLACES; k++) {
        size_t width = panel_width(of, f);
        sprint_real *m = sums + (f * PLACES + k * width) * of->channels;
        if (width > G)
          add_channels(v + k * next_v, v_row, u + k * next_u + f, of->lanes, tiles, of->channels, 2, m);
        else
          add_channels(v + k * next_v, v_row, u + k * next_u + f, of->lanes, tiles, of->channels, 1, m);
      }
  }
}

/* A^T m of one column or row of m, with the halves. */
SPRINT__INLINE void transform_sums(const group *m, size_t stride, group *to, size_t to_stride) {
  const group half = SPRINT__ALL((sprint_real)0.5);
  group sum = half * (m[stride] + m[2 * stride]);
  to[0] = m[0] + sum;
  to[to_stride] = half * (m[stride] - m[2 * stride]);
  to[2 * to_stride] = sum - m[3 * stride];
}

SPRINT__FAST void sprint__winograd_gradient(const struct sprint__winograd *of, const sprint_real *sums,
                                            sprint_real *ret_dw) {
  for (size_t f = 0; f < of->lanes; f += G)
    for (size_t c = 0; c < of->channels; c++) {
      size_t panel = f / (2 * G) * 2 * G, width = panel_width(of, panel), at = c * width + (f - panel);
      group m[PLACES], half_way[12], dw[9];
      for (size_t k = 0; k < PLACES; k++) m[k] = load(sums + (panel * PLACES + k * width) * of->channels + at);
      for (size_t k = 0; k < 4; k++) transform_sums(m + k, 4, half_way + k, 4);
      for (size_t k = 0; k < 3; k++) transform_sums(half_way + 4 * k, 1, dw + 3 * k, 1);
      for (size_t k = 0; k < 9; k++) store(ret_dw + (panel * 9 + k * width) * of->channels + at, dw[k]);
    }
}
