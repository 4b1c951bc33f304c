/* conv, relu and maxpool 2 as one layer: the outputs of the convolution live in registers only, and of each window of
 * four at most one has a gradient, so that going back takes a quarter of the products or fewer.
 *
 * Inside, an image is (rows, columns, channels) with its padding around it: a row of a filter's window is then one run
 * of consecutive numbers, as are the filters of one output. */
#ifndef SPRINT_MODEL_CONV_POOL_H
#define SPRINT_MODEL_CONV_POOL_H

#include "base/group.h"
#include "model/layer.h"

/* Which of a window's four outputs is the largest, row by row; DEAD: relu lets none through. */
enum { SPRINT__POOLED = 4, SPRINT__DEAD = 4 };

struct sprint__conv_pool {
  size_t channels, filters;
  size_t lanes;       /* filters rounded up to whole groups and to eight */
  size_t kernel_rows; /* of a window */
  size_t run;         /* numbers in one row of a window: kernel columns * channels */
  size_t run_room;    /* rounded up to whole groups, of 64 bytes where there are such and it is longer than one of 32 */
  size_t line;        /* numbers in one row of the padded image */
  size_t image;       /* numbers in the padded image, and two groups more that may be read */
  size_t rows, columns; /* of windows of four */
  bool winograd;        /* forward by sprint__winograd_pool */
};

/* Where the window of output `which` of pool (row, column) starts in the padded image. */
static inline size_t sprint__window_at(const struct sprint__conv_pool *of, size_t row, size_t column, size_t which) {
  return (2 * row + which / 2) * of->line + (2 * column + which % 2) * of->channels;
}

/* y (rows, columns, lanes) and the codes beside it. weights: panels as in conv.h, filters rounded up with
 * zeros; bias (lanes). */
void sprint__conv_pool_forward(const struct sprint__conv_pool *of, const sprint_real *x, const sprint_real *weights,
                               const sprint_real *bias, sprint_real *ret_y, unsigned char *ret_codes);

/* Outputs of one filter that have a gradient: where their windows start, and the gradients; a group of room more. */
struct sprint__hits {
  uint32_t *at;
  sprint_real *values;
};

/* Filters whose hits are listed together: their codes and gradients lie together. */
enum { SPRINT__LISTED = 8 };

/* dw (filters, kernel_rows, run_room) += and db (filters) +=, from dy (rows, columns, lanes). hits: room for eight
 * times rows * columns + a group. */
void sprint__conv_pool_weight(const struct sprint__conv_pool *of, const sprint_real *x, const sprint_real *dy,
                              const unsigned char *codes, const struct sprint__hits *hits, sprint_real *dw,
                              sprint_real *db);

/* dx (image) +=, from dy (rows, columns, lanes). weights (kernel_rows, filters, run_room), zero where a run is rounded
 * up. bits: room for rows * columns * 4. */
void sprint__conv_pool_input(const struct sprint__conv_pool *of, const sprint_real *dy, const unsigned char *codes,
                             const sprint_real *weights, uint64_t *bits, sprint_real *dx);

/* Codes, a byte each; gcc narrows numbers together only in two steps. */
typedef int16_t sprint__halves __attribute__((vector_size(2 * G)));
typedef signed char sprint__codes __attribute__((vector_size(G)));

/* A group of outputs and their codes from the four that the convolution gave for each: the first of the largest, a NaN
 * before all, and nothing below zero, as maxpool's and relu's own files have it. */
SPRINT__INLINE void sprint__pool(const group *four, sprint_real *ret_y, unsigned char *ret_codes) {
  group best = four[0];
  group_mask code = {0};
  for (int q = 1; q < SPRINT__POOLED; q++) {
    group_mask better = (four[q] > best) | (four[q] != four[q]);
    best = (group)((better & (group_mask)four[q]) | (~better & (group_mask)best));
    code = (better & q) | (~better & code);
  }
  group_mask dead = best <= 0;
  sprint__halves halves = __builtin_convertvector((dead & SPRINT__DEAD) | (~dead & code), sprint__halves);
  sprint__codes codes = __builtin_convertvector(halves, sprint__codes);
  memcpy(ret_codes, &codes, sizeof codes);
  store(ret_y, positive(best));
}

#endif
