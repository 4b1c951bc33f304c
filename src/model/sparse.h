/* A dense layer's products where most features are zero: only the rows of W of the others are read or added to. */
#ifndef SPRINT_MODEL_SPARSE_H
#define SPRINT_MODEL_SPARSE_H

#include "model/dense.h"
#include "model/model.h"
#include "population/pixels.h"

/* Records of images that have lists: those of `who`, or, where it is NULL, `first` and the following. */
struct sprint__sparse {
  const struct sprint__pixels *pixels;
  const uint32_t *who;
  size_t first;

  struct sprint__pixel *sorted; /* room for the pixels that are sorted */
  uint32_t *from;               /* room for SPRINT__SPARSE_FROM */
};

/* As sprint__dense_forward and sprint__dense_weight; out is a multiple of SPRINT__SPARSE_OUT. sprint__sparse_weight
 * needs room to sort in. */
void sprint__sparse_forward(const struct sprint__dense *dense, const struct sprint__sparse *x, size_t n,
                            sprint_real *ret_y);
void sprint__sparse_weight(const struct sprint__dense *dense, const struct sprint__sparse *x, const sprint_real *dy,
                           size_t n, bool adds, sprint_real *gradient);

/* Columns of W that are worked on at once; records whose pixels are sorted together. */
enum { SPRINT__SPARSE_OUT = 8 * SPRINT__GROUP, SPRINT__SPARSE_ROWS = 96 };

/* Numbers that `from` needs to sort all of `in` features. */
#define SPRINT__SPARSE_FROM(in) (((in) + SPRINT__PIXEL_TILE - 1) / SPRINT__PIXEL_TILE * SPRINT__PIXEL_TILE + 2)

/* The pixels of n records in tiles start .. end (see struct sprint__pixels), by feature: those of feature k of these
 * become sorted[from[k]] .. sorted[from[k + 1]], `feature` now being the number of the record. */
void sprint__sparse_sort(const struct sprint__sparse *x, size_t start, size_t end, size_t n);

/* What records so sorted, at most SPRINT__SPARSE_ROWS, make of one step, see struct sprint__move, in the rows of those
 * features (of the last ones, in the biases too); theta (in + 1, out). Returns whether it is finite. */
bool sprint__sparse_move(const struct sprint__sparse *x, size_t start, size_t end, size_t in, size_t out,
                         const struct sprint__move *move, sprint_real *theta);

/* Deltas, n numbers of them, a multiple of SPRINT__GROUP, times the factor, in place. Returns whether they are finite.
 */
bool sprint__sparse_scale(sprint_real *delta, size_t n, sprint_real factor);

enum { SPRINT__SPARSE_ROOM = SPRINT__PIXEL_TILE * SPRINT__SPARSE_OUT };

/* gram (n, SPRINT__SPARSE_OUT) += the products of n <= SPRINT__SPARSE_OUT records with those before them; what is right
 * of the diagonal is of no use. Room for SPRINT__SPARSE_ROOM. */
void sprint__sparse_gram(const struct sprint__sparse *x, size_t n, sprint_real *room, sprint_real *gram);

#endif
