/* Counter-based random numbers (Philox4x32-10 of Random123): each is a function of (seed, purpose, step, index), so
 * nothing is replayed on resume, threads need no streams, and two methods that ask for the same (seed, purpose, step,
 * index) get the same number. */
#ifndef SPRINT_BASE_RANDOM_H
#define SPRINT_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* What a number is for. Append only: the order is part of what a seed means. */
enum sprint__purpose {
  SPRINT__FOR_START,     /* starting points */
  SPRINT__FOR_DRAWS,     /* who is in a batch */
  SPRINT__FOR_SELECT,    /* which rows of a file are kept */
  SPRINT__FOR_HOLDOUT,   /* which rows are held out */
  SPRINT__FOR_PEOPLE,    /* generated populations */
  SPRINT__FOR_PROBE,     /* who a retention shift asks */
  SPRINT__FOR_SAMPLES,   /* who is in a sampled snapshot */
  SPRINT__FOR_COINS,     /* a method's own chances */
  SPRINT__FOR_MIXTURE,   /* who is replaced, and by whom */
  SPRINT__FOR_THEORY,    /* whom and where constants are estimated from */
  SPRINT__FOR_BOOTSTRAP, /* who is drawn again */
  SPRINT__FOR_PERMUTING, /* who changes places */
};

/* Two independent 64-bit words. */
struct sprint__random {
  uint64_t a, b;
};

struct sprint__random sprint__random_words(uint64_t seed, enum sprint__purpose purpose, uint64_t step, uint32_t index);

/* Which draws: of a step of a run, for a purpose, from the first-th on. */
struct sprint__draws {
  uint64_t seed, step;
  enum sprint__purpose purpose;
  uint32_t first;
};

double sprint__uniform(uint64_t word);                     /* in [0, 1), 53 bits */
uint64_t sprint__below(uint64_t word, uint64_t n);         /* in 0 .. n-1; the bias is n / 2^64 */
double sprint__normal(const struct sprint__random *words); /* Box-Muller */

/* ret_normals[k] = sprint__normal() of the words of index k, for k < n. */
void sprint__normals(uint64_t seed, enum sprint__purpose purpose, uint64_t step, size_t n, double *ret_normals);

/* The same to within some units in the last place of 1, in a third of the time. */
void sprint__normals_near(uint64_t seed, enum sprint__purpose purpose, uint64_t step, size_t n, double *ret_normals);

/* Of row number `row` of a generated population. Beyond the rows that a finite one can have they need not be those of
 * another function to the last digit, and are made the fast way. */
static inline void sprint__normals_of_row(uint64_t seed, uint64_t row, size_t n, double *ret_normals) {
  (row > UINT32_MAX ? sprint__normals_near : sprint__normals)(seed, SPRINT__FOR_PEOPLE, row, n, ret_normals);
}

/* Shuffles items (n) in place; the permutation depends on seed and purpose alone. */
void sprint__shuffle(uint64_t seed, enum sprint__purpose purpose, uint32_t *items, uint32_t n);

#endif
