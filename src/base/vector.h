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

/* Numbers from which on a vector is worth sharing: fewer are worked on sooner than they come back from another core,
 * which everybody who moves or reads them at every step has to heed. */
enum { SPRINT__LONG = 1 << 15 };

/* For vectors as long as theta, by the context's threads, with results that do not depend on them: the same sum, a
 * copy, zeros, and values (n) -= others. */
double sprint__long_norm_sq(sprint_context *context, const sprint_real *a, size_t n);
void sprint__long_copy(sprint_context *context, const sprint_real *from, size_t n, sprint_real *ret_to);
void sprint__long_clear(sprint_context *context, size_t n, sprint_real *ret_zeros);
void sprint__long_subtract(sprint_context *context, const sprint_real *others, size_t n, sprint_real *values);

#endif
