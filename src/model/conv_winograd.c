/* Kernel of conv.h and conv_pool.h for windows of 3x3 and 5x5 by Winograd's minimal filtering: the four outputs of a
 * tile from 16 products a channel instead of 36, and from 36 instead of 100. The matrices are in conv_winograd_tile.h.
 * Where outputs are pooled, its four are just those of a pool. */
#include "model/conv.h"
#include "model/conv_pool.h"
#include "model/conv_winograd_tile.h"

enum {
  TILES = 16, /* that go through together */
  ROWS = 4,   /* of them that share a load of the weights */
};

size_t sprint__winograd_room(const struct sprint__winograd *of) {
  return sprint__winograd_places(of) * (place_size(TILES, channel_room(of)) + place_size(TILES, 2 * G));
}

/* From panels of two groups of filters, each (window, channels, width), to those of (places, channels, width). */
SPRINT__INLINE void transform_weights(const struct sprint__winograd *of, const sprint_real *weights, size_t side,
                                      sprint_real *ret_weights) {
  size_t kernel = side - 1, window = kernel * kernel, places = side * side;
  for (size_t f = 0; f < of->lanes; f += G)
    for (size_t c = 0; c < of->channels; c++) {
      group g[MOST_PLACES], half_way[MOST_PLACES], u[MOST_PLACES];
      size_t panel = f / (2 * G) * 2 * G, width = panel_width(of, panel);
      const sprint_real *from = weights + panel * window * of->channels + c * width + (f - panel);
      for (size_t k = 0; k < window; k++) g[k] = load(from + k * of->channels * width);
      for (size_t k = 0; k < kernel; k++) transform_filter(g + k, kernel, side, half_way + k, kernel);
      for (size_t k = 0; k < side; k++) transform_filter(half_way + kernel * k, 1, side, u + side * k, 1);
      sprint_real *to = ret_weights + panel * places * of->channels + c * width + (f - panel);
      for (size_t k = 0; k < places; k++) store(to + k * of->channels * width, u[k]);
    }
}

SPRINT__FAST void sprint__winograd_weights(const struct sprint__winograd *of, const sprint_real *weights,
                                           sprint_real *ret_weights) {
  if (of->side == SIDE_3)
    transform_weights(of, weights, SIDE_3, ret_weights);
  else
    transform_weights(of, weights, SIDE_5, ret_weights);
}

/* m (ROWS, width) = v (ROWS, channels) panel (channels, width), width 1 or 2 groups. */
SPRINT__INLINE void multiply(const sprint_real *v, size_t room, const sprint_real *panel, size_t channels, int groups,
                             sprint_real *m) {
  group a[ROWS] = {{0}}, b[ROWS] = {{0}};
  for (size_t c = 0; c < channels; c++, panel += groups * G) {
    group w = load(panel), u = groups > 1 ? load(panel + G) : w;
#pragma GCC unroll 4
    for (size_t r = 0; r < ROWS; r++) {
      group factor = SPRINT__ALL(v[r * room + c]);
      a[r] += factor * w;
      if (groups > 1) b[r] += factor * u;
    }
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < ROWS; r++) {
    store(m + r * 2 * G, a[r]);
    if (groups > 1) store(m + r * 2 * G + G, b[r]);
  }
}

/* A^T m A and the bias: the four outputs, from m (places, TILES, 2 G) at its tile and group. */
SPRINT__INLINE void gather_tile(const sprint_real *m, group bias, size_t side, group *ret_four) {
  size_t next = place_size(TILES, 2 * G);
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

/* What becomes of the outputs: they are pooled, with their codes, or put where `plain` has them. */
struct outputs {
  sprint_real *y;
  unsigned char *codes;
  const struct sprint__conv *plain;
  bool relu;
};

/* The four outputs of tile (r, c), or as many as there are, for the group of lanes from f on. */
SPRINT__INLINE void put_four(const struct outputs *to, size_t r, size_t c, size_t f, const group *four) {
  const struct sprint__conv *plain = to->plain;
  sprint_real *y =
      to->y + 2 * r * plain->to_down + 2 * c * plain->to_across + sprint__conv_first(plain->filters, f / G);
  for (size_t q = 0; q < 4; q++)
    if (2 * r + q / 2 < plain->rows && 2 * c + q % 2 < plain->columns)
      store(y + q / 2 * plain->to_down + q % 2 * plain->to_across, to->relu ? positive(four[q]) : four[q]);
}

SPRINT__INLINE void winograd(const struct sprint__winograd *of, const sprint_real *x, const sprint_real *weights,
                             const sprint_real *bias, sprint_real *room, bool pools, size_t side,
                             const struct outputs *to) {
  size_t n = of->rows * of->columns, c_room = channel_room(of), places = side * side;
  size_t next_v = place_size(TILES, c_room), next_m = place_size(TILES, 2 * G);
  sprint_real *v = room, *m = room + places * next_v;
  for (size_t first = 0; first < n; first += TILES) {
    size_t end = n - first < TILES ? n - first : TILES, row = first / of->columns, column = first % of->columns;
    for (size_t t = 0, r = row, c = column; t < end; t++) {
      put_tile(of, x + 2 * r * of->line + 2 * c * of->channels, t, TILES, side, v);
      if (++c == of->columns) r++, c = 0;
    }
    for (size_t f = 0; f < of->lanes; f += 2 * G) {
      size_t width = panel_width(of, f);
      for (size_t k = 0; k < places; k++)
        for (size_t t = 0; t < end; t += ROWS) {
          const sprint_real *panel = weights + (f * places + k * width) * of->channels;
          const sprint_real *rows = v + k * next_v + t * c_room;
          if (width > G)
            multiply(rows, c_room, panel, of->channels, 2, m + k * next_m + t * 2 * G);
          else
            multiply(rows, c_room, panel, of->channels, 1, m + k * next_m + t * 2 * G);
        }
      for (size_t g = 0; g < width; g += G)
        for (size_t t = 0, r = row, c = column; t < end; t++) {
          size_t at = (first + t) * of->lanes + f + g;
          group four[4];
          gather_tile(m + t * 2 * G + g, bias ? load(bias + f + g) : (group){0}, side, four);
          if (pools)
            sprint__pool(four, to->y + at, to->codes + at);
          else
            put_four(to, r, c, f + g, four);
          if (++c == of->columns) r++, c = 0;
        }
    }
  }
}

SPRINT__FAST void sprint__winograd_pool(const struct sprint__winograd *of, const sprint_real *x,
                                        const sprint_real *weights, const sprint_real *bias, sprint_real *room,
                                        sprint_real *ret_y, unsigned char *ret_codes) {
  const struct outputs to = {.y = ret_y, .codes = ret_codes};
  if (of->side == SIDE_3)
    winograd(of, x, weights, bias, room, true, SIDE_3, &to);
  else
    winograd(of, x, weights, bias, room, true, SIDE_5, &to);
}

SPRINT__FAST void sprint__winograd_plain(const struct sprint__winograd *of, const struct sprint__conv *plain,
                                         const sprint_real *x, const sprint_real *weights, const sprint_real *bias,
                                         bool relu, sprint_real *room, sprint_real *y) {
  const struct outputs to = {.y = y, .plain = plain, .relu = relu};
  if (of->side == SIDE_3)
    winograd(of, x, weights, bias, room, false, SIDE_3, &to);
  else
    winograd(of, x, weights, bias, room, false, SIDE_5, &to);
}
