/* Convolution of many records at once, side by side: number k of all of them is one group, of 32 bytes or of 64, so
 * that an instruction works on a number of each. Nothing is lost where planes are few, which fill a part of conv.h's
 * groups only; what is to be paid is that records are brought side by side and back.
 *
 * Windows and outputs are those of conv.h, of which sprint__conv_abreast makes the distances; sums are taken in the
 * same order, so that outputs are the same to the bit. */
#ifndef SPRINT_MODEL_CONV_ABREAST_H
#define SPRINT_MODEL_CONV_ABREAST_H

#include "model/conv.h"

/* Records side by side: a group's numbers, or where there is AVX-512 twice as many. For n of them, and at most. */
enum { SPRINT__ABREAST_WIDE = 2 * SPRINT__GROUP };
size_t sprint__abreast_side(size_t n);
size_t sprint__abreast_most(void);

/* Numbers of a record's image and outputs, at most: those of G records are to stay in a cache. */
enum { SPRINT__ABREAST_MOST = 1 << 16 };

/* Whether so many records, at most G of them counted, are worth it: by the numbers of a group that are in use either
 * way, and `cost` eighths for all else; one group of filters, which would go by 32 bytes, is worth half as much again
 * where records may go by 64. */
bool sprint__abreast_saves(const struct sprint__conv *of, size_t n, size_t cost);

/* Outputs or inputs: an eighth for bringing records side by side; more where the other way is Winograd's. */
static inline bool sprint__abreast_pays(const struct sprint__conv *of, bool winograd, size_t n) {
  return sprint__abreast_saves(of, n, winograd ? 11 : 9);
}

/* The weights' gradient, which goes over lines of the image again and again: where they are long, those of many records
 * do not stay in the first cache. */
static inline bool sprint__abreast_pays_weights(const struct sprint__conv *of, size_t n) {
  enum { LONG_LINE = 1024 };
  return sprint__abreast_saves(of, n, of->line > LONG_LINE ? 14 : 9);
}

struct sprint__conv sprint__conv_abreast(const struct sprint__conv *of, size_t side);

/* y = bias + windows . weights, or max(., 0). weights (window, filters); bias (filters), NULL: none. */
void sprint__abreast_multiply(const struct sprint__conv *of, size_t side, const sprint_real *x,
                              const sprint_real *weights, const sprint_real *bias, bool relu, sprint_real *y);
void sprint__wide_abreast_multiply(const struct sprint__conv *of, const sprint_real *x, const sprint_real *weights,
                                   const sprint_real *bias, bool relu, sprint_real *y);

/* dw (window, filters, side) += windows^T dy and db (filters, side) += dy, over all outputs and for each record by
 * itself. */
void sprint__abreast_correlate(const struct sprint__conv *of, size_t side, const sprint_real *x, const sprint_real *dy,
                               sprint_real *dw, sprint_real *db);
void sprint__wide_abreast_correlate(const struct sprint__conv *of, const sprint_real *x, const sprint_real *dy,
                                    sprint_real *dw, sprint_real *db);

/* sums (n) = those of all records, of groups (n, side), which are overwritten; they are read in eights: room for as
 * many. */
void sprint__abreast_total(sprint_real *groups, size_t side, size_t n, sprint_real *ret_sums);

/* n records' images, `apart` numbers from one to the next, side by side into lines of `line` times `side` numbers; and
 * outputs back. */
void sprint__abreast_place(const struct sprint__shape *shape, bool last, const sprint_real *x, size_t apart, size_t n,
                           size_t side, size_t line, sprint_real *to);
void sprint__abreast_take(const struct sprint__shape *shape, bool last, const sprint_real *from, size_t n, size_t side,
                          size_t apart, sprint_real *x);

#endif
