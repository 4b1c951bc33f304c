/* Records kept as bytes: a look-up turns a pixel into a feature. Where most pixels are zero, the others are also
 * listed.
 */
#ifndef SPRINT_POPULATION_PIXELS_H
#define SPRINT_POPULATION_PIXELS_H

#include "sprint.h"

/* A pixel that is not zero: the feature that it is, and where its value is among the levels. One word, read at once. */
struct sprint__pixel {
  uint32_t word;
};

static inline struct sprint__pixel sprint__pixel_of(size_t feature, size_t level) {
  return (struct sprint__pixel){(uint32_t)(level << 16 | feature)};
}
static inline size_t sprint__pixel_feature(struct sprint__pixel pixel) { return pixel.word & 0xffff; }
static inline size_t sprint__pixel_level(struct sprint__pixel pixel) { return pixel.word >> 16; }

struct sprint__pixels {
  const uint8_t *bytes;      /* (n, d) */
  const sprint_real *levels; /* (channels, 256): what a byte of a channel is as a feature */
  size_t channels, plane;    /* d = channels * plane */

  /* Lists, features rising, cut into tiles of SPRINT__PIXEL_TILE features: those of record i in tile t are
   * list[start[i * tiles + t]] .. list[start[i * tiles + t + 1]]. NULL: there are none. */
  struct sprint__pixel *list;
  size_t *start; /* (n * tiles + 1) */
  size_t tiles;
};

enum { SPRINT__PIXEL_TILE = 112 };

/* The list of record i, whole. */
static inline const struct sprint__pixel *sprint__pixels_of(const struct sprint__pixels *pixels, size_t i,
                                                            size_t *ret_n) {
  size_t start = pixels->start[i * pixels->tiles];
  *ret_n = pixels->start[(i + 1) * pixels->tiles] - start;
  return pixels->list + start;
}

/* Writes n records to ret_x (n, d): those of `who`, or, where it is NULL, `first` and the following. */
void sprint__pixels_unpack(const struct sprint__pixels *pixels, const uint32_t *who, size_t first, size_t n,
                           sprint_real *ret_x);

/* How many pixels of n records are not zero. */
size_t sprint__pixels_count(const struct sprint__pixels *pixels, size_t n);

/* Fills list (room for as many as that) and start. */
void sprint__pixels_list(struct sprint__pixels *pixels, size_t n);

#endif
