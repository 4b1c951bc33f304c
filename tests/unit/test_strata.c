/* Means by stratum: every length and kind of parts against the slow readable twin below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solver/strata.h"

enum { STRATA = 7, MOST = 700 };

/* Whole numbers, so that every sum is exact: a stratum's mean is 100 c + i % 50, its probability a power of two, or
 * none; stratum 3 has no records, and what its sums hold must not count. */
static double mean_of(size_t c, size_t i) { return 100.0 * (double)c + (double)(i % 50); }
static const double p[STRATA] = {0.25, 0, 0.125, 0.5, 0.0625, 0.03125, 0.03125};
static const double weight[STRATA] = {4, 2, 8, 0, 1, 16, 2};

static double expected(size_t i, bool sums) {
  double total = 0;
  for (size_t c = 0; c < STRATA; c++)
    if (!sums || weight[c] > 0) total += p[c] * mean_of(c, i);
  return total;
}

static void check(sprint_context *context, size_t n, bool sums, bool exact) {
  double *all = test_malloc(STRATA * n * sizeof *all), found[MOST + 1];
  sprint_real *means = test_malloc(STRATA * n * sizeof *means), rounded[MOST + 1];
  for (size_t c = 0; c < STRATA; c++)
    for (size_t i = 0; i < n; i++) {
      all[c * n + i] = weight[c] > 0 ? weight[c] * mean_of(c, i) : 1e300;
      means[c * n + i] = (sprint_real)mean_of(c, i);
    }
  found[n] = -1;
  rounded[n] = -1;
  struct sprint__strata_parts parts = {STRATA, n, sums ? all : NULL, weight, means};
  sprint__strata_mean(context, &parts, p, rounded, exact ? found : NULL);
  for (size_t i = 0; i < n; i++)
    if ((exact ? found[i] : (double)rounded[i]) != expected(i, sums))
      fail_msg("%zu parameters, number %zu: %g, expected %g", n, i, exact ? found[i] : (double)rounded[i],
               expected(i, sums));
  assert_true(found[n] == -1 && rounded[n] == -1);
  test_free(all);
  test_free(means);
}

static void test_strata__means_are_those_of_the_twin(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 3, 4, 15, 16, 17, 31, 32, 255, 256, 257, 272, 512, 699, 700};
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (int way = 0; way < 4; way++) check(context, sizes[s], way % 2, way / 2);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strata__means_are_those_of_the_twin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
