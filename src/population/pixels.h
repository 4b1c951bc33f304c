/* Records kept as bytes: a look-up turns a pixel into a feature. */
#ifndef SPRINT_POPULATION_PIXELS_H
#define SPRINT_POPULATION_PIXELS_H

#include "sprint.h"

struct sprint__pixels {
  const uint8_t *bytes;      /* (n, d) */
  const sprint_real *levels; /* (channels, 256): what a byte of a channel is as a feature */
  size_t channels, plane;    /* d = channels * plane */
};

/* Writes n records to ret_x (n, d): those of `who`, or, where it is NULL, `first` and the following. */
void sprint__pixels_unpack(const struct sprint__pixels *pixels, const uint32_t *who, size_t first, size_t n,
                           sprint_real *ret_x);

#endif
