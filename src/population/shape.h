/* The shape of a record. */
#ifndef SPRINT_POPULATION_SHAPE_H
#define SPRINT_POPULATION_SHAPE_H

#include <stddef.h>

/* An image's planes of rows of pixels: feature (channel, row, column) is number (channel * height + row) * width +
 * column. A record of d features that is not an image is (d, 1, 1) to a model. */
struct sprint__shape {
  size_t channels, height, width;
};

#endif
