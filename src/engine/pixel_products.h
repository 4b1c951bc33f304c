/* A dense layer's products with lists of pixels: only the rows of W of the pixels that are not zero are read or added
 * to. `out` is a multiple of SPRINT__PIXEL_COLUMNS throughout; theta is W (in, out), then the biases (out). */
#ifndef SPRINT_ENGINE_PIXEL_PRODUCTS_H
#define SPRINT_ENGINE_PIXEL_PRODUCTS_H

#include "engine/pixel_lists.h"
#include "model/dense.h"

/* Columns of W that are worked on at once; records whose pixels are sorted together. */
enum { SPRINT__PIXEL_COLUMNS = 8 * SPRINT__GROUP, SPRINT__PIXEL_ROWS = 96 };

/* Records that have lists. */
struct sprint__pixel_rows {
  const struct sprint__pixel_lists *lists;
  const uint32_t *who;
  struct sprint__pixel *sorted; /* room for the pixels that are sorted */
  uint32_t *from;               /* room for SPRINT__PIXEL_FROM */
};

/* Numbers that `from` needs to sort all of `in` features. */
#define SPRINT__PIXEL_FROM(in) (((in) + SPRINT__PIXEL_BAND - 1) / SPRINT__PIXEL_BAND * SPRINT__PIXEL_BAND + 2)

/* As sprint__dense_forward and sprint__dense_weight, without a relu. The second needs room to sort in. */
void sprint__pixel_forward(const struct sprint__dense *dense, const struct sprint__pixel_rows *x, size_t n,
                           sprint_real *ret_y);
void sprint__pixel_weight(const struct sprint__dense *dense, const struct sprint__pixel_rows *x, const sprint_real *dy,
                          size_t n, bool adds, sprint_real *gradient);

/* The pixels of n records in bands start .. end, by feature: those of feature k of these become sorted[from[k]] ..
 * sorted[from[k + 1]], `feature` now being the number of the record. */
void sprint__pixel_sort(const struct sprint__pixel_rows *x, size_t start, size_t end, size_t n);

/* How a step moves such a layer's parameters: W -= factor * sum over the batch of x delta^T + size * control, the
 * biases as if a feature were 1. */
struct sprint__pixel_step {
  size_t n;
  const uint32_t *who;      /* (n) */
  const sprint_real *delta; /* (n, out) */
  sprint_real factor, size;
  const sprint_real *control; /* (in + 1, out), or NULL */
};

/* What records so sorted, at most SPRINT__PIXEL_ROWS, make of one step in the rows of those bands (with the last one,
 * in the biases too). Returns whether what they become is finite. */
bool sprint__pixel_descend(const struct sprint__pixel_rows *x, size_t start, size_t end, size_t in, size_t out,
                           const struct sprint__pixel_step *step, sprint_real *theta);

/* Deltas, n numbers of them, a multiple of SPRINT__GROUP, times the factor, in place. Returns whether they are finite.
 */
bool sprint__pixel_scale(sprint_real *delta, size_t n, sprint_real factor);

/* The pixels of n <= SPRINT__PIXEL_COLUMNS records as columns of a matrix of the features in bands start .. end:
 * (features, SPRINT__PIXEL_COLUMNS). */
void sprint__pixel_columns(const struct sprint__pixel_rows *x, size_t start, size_t end, size_t n,
                           sprint_real *ret_columns);

enum { SPRINT__PIXEL_GRAM_ROOM = SPRINT__PIXEL_BAND * SPRINT__PIXEL_COLUMNS };

/* gram (n, SPRINT__PIXEL_COLUMNS) += the products of n <= SPRINT__PIXEL_COLUMNS records with those before them; what is
 * right of the diagonal is of no use. Room for SPRINT__PIXEL_GRAM_ROOM. */
void sprint__pixel_gram(const struct sprint__pixel_rows *x, size_t n, sprint_real *room, sprint_real *gram);

#endif
