/* Tiles of an image as Winograd's filtering of 4x4 takes them, forward and for the gradient of the weights. */
#ifndef SPRINT_MODEL_CONV_WINOGRAD_TILE_H
#define SPRINT_MODEL_CONV_WINOGRAD_TILE_H

#include "model/conv.h"

/* Numbers of a tile's channels, in whole groups. */
SPRINT__INLINE size_t channel_room(const struct sprint__winograd *of) { return (of->channels + G - 1) / G * G; }

/* B^T d of one column or row of d. */
SPRINT__INLINE void transform_input(const group *d, size_t stride, group *to) {
  to[0] = d[0] - d[2 * stride];
  to[stride] = d[stride] + d[2 * stride];
  to[2 * stride] = d[2 * stride] - d[stride];
  to[3 * stride] = d[stride] - d[3 * stride];
}

/* Numbers from one place of so many tiles, of `width` each, to the next: a line of cache more than they take, as all 16
 * are written or read in turn, and would be the same few lines of it otherwise. */
SPRINT__INLINE size_t place_size(size_t tiles, size_t width) { return tiles * width + SPRINT__LINE; }

/* v (16 places, tiles, channel_room) of tile t, which starts at x. */
SPRINT__INLINE void put_tile(const struct sprint__winograd *of, const sprint_real *x, size_t t, size_t tiles,
                             sprint_real *v) {
  enum { PLACES = SPRINT__WINOGRAD_PLACES };
  size_t room = channel_room(of), next = place_size(tiles, room);
  for (size_t c = 0; c < of->channels; c += G) {
    group d[PLACES], half_way[PLACES];
#pragma GCC unroll 16
    for (size_t k = 0; k < PLACES; k++) d[k] = load(x + k / 4 * of->line + k % 4 * of->channels + c);
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) transform_input(d + k, 4, half_way + k);
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) transform_input(half_way + 4 * k, 1, d + 4 * k);
#pragma GCC unroll 16
    for (size_t k = 0; k < PLACES; k++) store(v + k * next + t * room + c, d[k]);
  }
}

/* Filters f .. f + 2G - 1 of a place lie together. */
SPRINT__INLINE size_t panel_width(const struct sprint__winograd *of, size_t f) { return of->lanes - f > G ? 2 * G : G; }

#endif
