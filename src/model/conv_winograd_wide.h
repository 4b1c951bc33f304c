/* Winograd's filtering by groups of 64 bytes, for processors with AVX-512: what conv_winograd.c and
 * conv_winograd_weights.c have done for panels of two groups of 32, and images of more channels than one. Layouts are
 * the same. */
#ifndef SPRINT_MODEL_CONV_WINOGRAD_WIDE_H
#define SPRINT_MODEL_CONV_WINOGRAD_WIDE_H

#include "model/conv.h"
#include "model/conv_pool.h"

/* Tiles of an image, row by row, for `room` of which there is room. */
struct sprint__tiles {
  size_t first, n, room;
};

struct sprint__winograd_forward {
  const struct sprint__winograd *of;
  const sprint_real *weights, *bias;
  sprint_real *v, *m; /* tiles as they go in, and their products with the filters of a panel */
  sprint_real *y;
  unsigned char *codes;             /* outputs are pooled, with their codes; NULL: */
  const struct sprint__conv *plain; /* they are put where `plain` has them */
  bool relu;
};

struct sprint__winograd_backward {
  const struct sprint__winograd *of;
  const struct sprint__conv *windows;
  const sprint_real *dy;
  sprint_real *v, *u; /* tiles as they go in, and slopes */
  sprint_real *sums, *db;
};

void sprint__wide_put_tiles(const struct sprint__winograd *of, const struct sprint__tiles *tiles, const sprint_real *x,
                            sprint_real *v);
void sprint__wide_panel_forward(const struct sprint__winograd_forward *run, const struct sprint__tiles *tiles,
                                size_t f);
void sprint__wide_panel_correlate(const struct sprint__winograd_backward *run, const struct sprint__tiles *tiles,
                                  size_t f);

#endif
