/* The matrices of Winograd's minimal filtering of tiles of four outputs, 2x2, by windows of 3x3 and 5x5, and of an
 * image by such four slopes, which is the gradient of the window; and where things are meanwhile. A. Lavin and S. Gray,
 * Fast algorithms for convolutional neural networks, CVPR 2016, section 4: Y = A^T ((G g G^T) * (B^T d B)) A.
 *
 * F(2x2, 3x3) and F(3x3, 2x2) have the points 0, 1, -1 and infinity, and 16 places of products; F(2x2, 5x5) and F(5x5,
 * 2x2) have 1/2 and -1/2 too, and 36. Rows of B^T are multiplied by powers of two, those of G divided by them; for the
 * slopes what is left of G's factors, the scale, is put off until the products are added up. */
#ifndef SPRINT_MODEL_CONV_WINOGRAD_TILE_H
#define SPRINT_MODEL_CONV_WINOGRAD_TILE_H

#include "model/conv.h"

/* Of a tile of the image: rows and columns, which `side` is below. */
enum { SIDE_3 = 4, SIDE_5 = 6, MOST_SIDE = SIDE_5, MOST_PLACES = MOST_SIDE * MOST_SIDE };

#define TIMES(factor, value) (SPRINT__ALL((sprint_real)(factor)) * (value))

/* B^T d of one column or row of d. */
SPRINT__INLINE void transform_input(const group *d, size_t stride, size_t side, group *to) {
  group d1 = d[stride], d2 = d[2 * stride], d3 = d[3 * stride];
  if (side == SIDE_3) {
    to[0] = d[0] - d2;
    to[stride] = d1 + d2;
    to[2 * stride] = d2 - d1;
    to[3 * stride] = d1 - d3;
    return;
  }
  group d4 = d[4 * stride], odd = d1 - d3, even = TIMES(2, d4 - d2);
  to[0] = d[0] + TIMES(4, d4) - TIMES(5, d2);
  to[stride] = TIMES(4, d3 + d4) - (d1 + d2);
  to[2 * stride] = TIMES(4, d4 - d3) + (d1 - d2);
  to[3 * stride] = even - odd;
  to[4 * stride] = even + odd;
  to[5 * stride] = d1 + TIMES(4, d[5 * stride]) - TIMES(5, d3);
}

/* G g of one column or row of a window. */
SPRINT__INLINE void transform_filter(const group *g, size_t stride, size_t side, group *to, size_t to_stride) {
  group g1 = g[stride], g2 = g[2 * stride];
  to[0] = g[0];
  if (side == SIDE_3) {
    group outer = TIMES(0.5, g[0] + g2), middle = TIMES(0.5, g1);
    to[to_stride] = outer + middle;
    to[2 * to_stride] = outer - middle;
    to[3 * to_stride] = g2;
    return;
  }
  group g3 = g[3 * stride], g4 = g[4 * stride];
  group even = TIMES(1 / 6.0, g[0] + g2 + g4), odd = TIMES(1 / 6.0, g1 + g3);
  group even_half = TIMES(4 / 3.0, g[0]) + TIMES(1 / 3.0, g2) + TIMES(1 / 12.0, g4);
  group odd_half = TIMES(2 / 3.0, g1) + TIMES(1 / 6.0, g3);
  to[to_stride] = even + odd;
  to[2 * to_stride] = even - odd;
  to[3 * to_stride] = -(even_half + odd_half);
  to[4 * to_stride] = odd_half - even_half;
  to[5 * to_stride] = TIMES(0.25, g4);
}

/* A^T m of one column or row of products: two outputs. */
SPRINT__INLINE void transform_products(const group *m, size_t side, group *ret_first, group *ret_second) {
  if (side == SIDE_3) {
    *ret_first = m[0] + m[1] + m[2];
    *ret_second = m[1] - m[2] - m[3];
  } else {
    *ret_first = m[0] + (m[1] + m[2]) + (m[3] + m[4]);
    *ret_second = (m[1] - m[2]) + TIMES(0.5, m[3] - m[4]) + m[5];
  }
}

/* G s of two slopes, without its scale. */
SPRINT__INLINE void transform_slopes(group first, group second, size_t side, group *to) {
  to[0] = first;
  to[1] = first + second;
  to[2] = first - second;
  to[side - 1] = second;
  if (side == SIDE_3) return;
  to[3] = TIMES(2, first) + second;
  to[4] = TIMES(2, first) - second;
}

/* A^T (scale * m) of one column or row of products: those of the window. */
SPRINT__INLINE void transform_sums(const group *m, size_t stride, size_t side, group *to, size_t to_stride) {
  group sum = m[stride] + m[2 * stride], difference = m[stride] - m[2 * stride];
  if (side == SIDE_3) {
    to[0] = m[0] + TIMES(0.5, sum);
    to[to_stride] = TIMES(0.5, difference);
    to[2 * to_stride] = TIMES(0.5, sum) - m[3 * stride];
    return;
  }
  group even = TIMES(-2 / 3.0, m[3 * stride] + m[4 * stride]), odd = TIMES(-2 / 3.0, m[3 * stride] - m[4 * stride]);
  sum = TIMES(1 / 6.0, sum);
  difference = TIMES(1 / 6.0, difference);
  to[0] = m[0] + sum + even;
  to[to_stride] = difference + TIMES(0.5, odd);
  to[2 * to_stride] = sum + TIMES(0.25, even);
  to[3 * to_stride] = difference + TIMES(0.125, odd);
  to[4 * to_stride] = sum + TIMES(0.0625, even) + TIMES(0.25, m[5 * stride]);
}

/* Numbers of a tile's channels: whole groups, of 64 bytes where there is more than one of 32. */
SPRINT__INLINE size_t channel_room(const struct sprint__winograd *of) {
  size_t to = of->channels > SPRINT__GROUP ? 2 * SPRINT__GROUP : SPRINT__GROUP;
  return (of->channels + to - 1) / to * to;
}

/* Filters of a panel: f .. f + PANEL - 1 of a place lie together. */
enum { PANEL = 2 * SPRINT__GROUP };
SPRINT__INLINE size_t panel_width(const struct sprint__winograd *of, size_t f) {
  return of->lanes - f > SPRINT__GROUP ? PANEL : SPRINT__GROUP;
}

/* Numbers from one place of so many tiles, of `width` each, to the next: a line of cache more than they take, as all
 * places are written or read in turn, and would be the same few lines of it otherwise. */
SPRINT__INLINE size_t place_size(size_t tiles, size_t width) { return tiles * width + SPRINT__LINE; }

#endif
