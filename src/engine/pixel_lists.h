/* Images of which most is zero, as lists of the pixels that are not. */
#ifndef SPRINT_ENGINE_PIXEL_LISTS_H
#define SPRINT_ENGINE_PIXEL_LISTS_H

#include "population/population.h"

/* A pixel that is not zero: the feature that it is, and where its value is among the levels. One word, read at once. */
struct sprint__pixel {
  uint32_t word;
};

static inline struct sprint__pixel sprint__pixel_of(size_t feature, size_t level) {
  return (struct sprint__pixel){(uint32_t)(level << 16 | feature)};
}
static inline size_t sprint__pixel_feature(struct sprint__pixel pixel) { return pixel.word & 0xffff; }
static inline size_t sprint__pixel_level(struct sprint__pixel pixel) { return pixel.word >> 16; }

/* Features are cut into bands of so many; the weights of one band stay in the first cache. */
enum { SPRINT__PIXEL_BAND = 112 };

/* Features rise within a list. The pixels of record i in band t are list[start[i * bands + t]] ..
 * list[start[i * bands + t + 1]]. */
struct sprint__pixel_lists {
  struct sprint__arena arena; /* of its arrays */
  const sprint_real *levels;  /* of struct sprint__pixels */
  struct sprint__pixel *list;
  size_t *start; /* (n * bands + 1) */
  size_t bands;
  size_t longest; /* pixels of one record */
};

/* Whether the records are images whose zero bytes are features of zero, and most of whose bytes are zero. */
bool sprint__pixel_lists_pay(const sprint_population *population);

sprint_status sprint__pixel_lists_new(const sprint_population *population, struct sprint__pixel_lists *ret_lists);
void sprint__pixel_lists_clear(struct sprint__pixel_lists *lists);

#endif
