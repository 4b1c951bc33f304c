/* Sliced Wasserstein-1: on a line, the optimal coupling of two samples of equal size is that of their sorted values. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void project(const sprint_real *x, size_t n, size_t d, const double *direction, double *ret) {
  for (size_t i = 0; i < n; i++) {
    ret[i] = 0;
    for (size_t j = 0; j < d; j++) ret[i] += (double)x[i * d + j] * direction[j];
  }
  qsort(ret, n, sizeof *ret, by_size);
}

sprint_status sprint_sliced_w1(sprint_context *context, const sprint_real *x, const sprint_real *y, size_t n, size_t d,
                               const double *directions, size_t n_directions, double *ret_w1) {
  SPRINT__REQUIRE(context, x, y, directions, ret_w1);
  if (n == 0 || d == 0 || n_directions == 0)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT,
                       "sliced W1 of %zu records of %zu features in %zu directions: at least one of each was expected",
                       n, d, n_directions);
  SPRINT__SCRATCH(arena, context);
  double *a = sprint__arena_take(&arena, n, sizeof *a), *b = sprint__arena_take(&arena, n, sizeof *b), sum = 0;
  SPRINT__TRY(sprint__arena_status(&arena));
  for (size_t k = 0; k < n_directions; k++) {
    project(x, n, d, directions + k * d, a);
    project(y, n, d, directions + k * d, b);
    for (size_t i = 0; i < n; i++) sum += fabs(a[i] - b[i]);
  }
  *ret_w1 = sum / (double)n / (double)n_directions;
  return SPRINT_OK;
}
