/* A dense layer's products where most features are zero: a record is the list of those that are not, and only their
 * rows of W are read or added to. */
#ifndef SPRINT_MODEL_SPARSE_H
#define SPRINT_MODEL_SPARSE_H

#include "model/dense.h"
#include "population/pixels.h"

struct sprint__entry {
  uint32_t feature;
  sprint_real value;
};

/* n records one after the other; entries of record i: start[i] .. start[i + 1], features rising. */
struct sprint__sparse {
  struct sprint__entry *entries;
  uint32_t *start, *at; /* (n + 1), (n) room for where each record has got to */
};

/* Entries that n records of d features may need: the last few are room for writing without looking. */
static inline size_t sprint__sparse_room(size_t n, size_t d) { return n * d + 8; }

void sprint__sparse_list(const struct sprint__pixels *pixels, const uint32_t *who, size_t first, size_t n,
                         struct sprint__sparse *ret_sparse);

/* As sprint__dense_forward and sprint__dense_weight; out is a multiple of SPRINT__SPARSE_OUT. */
void sprint__sparse_forward(const struct sprint__dense *dense, const struct sprint__sparse *x, size_t n,
                            sprint_real *ret_y);
void sprint__sparse_weight(const struct sprint__dense *dense, const struct sprint__sparse *x, const sprint_real *dy,
                           size_t n, bool adds, sprint_real *gradient);

/* Columns of W that are worked on at once. */
enum { SPRINT__SPARSE_OUT = 8 * SPRINT__GROUP };

#endif
