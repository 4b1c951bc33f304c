/* Flat vectors of sprint_real; sums accumulate in double. */
#ifndef SPRINT_BASE_VECTOR_H
#define SPRINT_BASE_VECTOR_H

#include <math.h>
#include <stddef.h>

#include "sprint.h"

static inline double sprint__norm_sq(const sprint_real *a, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)a[i];
  return sum;
}

static inline double sprint__distance(const sprint_real *a, const sprint_real *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double difference = (double)a[i] - (double)b[i];
    sum += difference * difference;
  }
  return sqrt(sum);
}

static inline bool sprint__all_finite(const sprint_real *a, size_t n) {
  sprint_real zero = 0;
  for (size_t i = 0; i < n; i++) zero += a[i] * 0; /* inf and nan leave nan behind */
  return zero == 0;
}

/* values (n) += others, which is another array. */
void sprint__add_to(sprint_real *values, const sprint_real *others, size_t n);

/* Vectors as long as theta, by the context's threads. They are cut as the work on their layers is where batches are
 * small (model/dense_cut.c): part l of n has the l-th part of every stretch, such as a layer's parameters, so that
 * numbers stay with the core that works with them. The cut depends on the stretches alone. */
struct sprint__stretch {
  size_t n;             /* numbers */
  size_t step, n_steps; /* it is cut after so many of so many numbers; what is left is the last part's. 0: never, and
                           all of it is the first part's */
};

struct sprint__stretches {
  size_t n, n_stretches; /* numbers of all; and: */
  struct sprint__stretch *all;
};

/* The first of n steps that part l of so many has, a power of two; with twice as many parts each is cut in two. A step
 * too many goes to earlier parts, as the last has what is behind all steps. */
static inline size_t sprint__part_start(size_t n_steps, size_t n_parts, size_t part) {
  return (n_steps * part + n_parts / 2) / n_parts;
}

/* Calls work for ranges of numbers, several times for a lane (below SPRINT__MAX_LANES), where a number takes `cost`
 * floating-point operations; 0: one range, on this thread. */
typedef void (*sprint__long_work)(void *user, int lane, size_t first, size_t end);
void sprint__long_run(sprint_context *context, const struct sprint__stretches *of, double cost, sprint__long_work work,
                      void *user);

/* Numbers from which on a vector is worth sharing: fewer are worked on sooner than they come back from another core,
 * which everybody who moves or reads them at every step has to heed. */
enum { SPRINT__LONG = 1 << 13 };

/* The cost of a number, or 0 where fewer than those are in stretches that are cut. */
double sprint__long_cost(const struct sprint__stretches *of, double cost);

/* With results that do not depend on the threads: the same sum, a copy, zeros, and values -= others. */
double sprint__long_norm_sq(sprint_context *context, const struct sprint__stretches *of, const sprint_real *a);
void sprint__long_copy(sprint_context *context, const struct sprint__stretches *of, const sprint_real *from,
                       sprint_real *ret_to);
void sprint__long_clear(sprint_context *context, const struct sprint__stretches *of, sprint_real *ret_zeros);
void sprint__long_subtract(sprint_context *context, const struct sprint__stretches *of, const sprint_real *others,
                           sprint_real *values);

#endif
