/* Matrix products: every shape that picks another kernel, against the slow readable twin below. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/gemm.h"

enum { MOST = 40000 };
static sprint_real a[MOST], b[MOST], c[MOST];
static double expected[MOST];

static void fill(sprint_real *values, size_t n, uint64_t stream) {
  assert_true(n <= MOST);
  for (size_t i = 0; i < n; i++)
    values[i] = (sprint_real)(2 * sprint__uniform(sprint__random_words(1, 0, stream, (uint32_t)i).a) - 1);
}

/* expected (m, n) = start + op(a) op(b); a is (m, k) or, transposed, (k, m), and so on. */
static void twin(size_t m, size_t n, size_t k, bool a_transposed, bool b_transposed, bool adds) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = adds ? (double)c[i * n + j] : 0;
      for (size_t l = 0; l < k; l++)
        sum +=
            (double)(a_transposed ? a[l * m + i] : a[i * k + l]) * (double)(b_transposed ? b[j * k + l] : b[l * n + j]);
      expected[i * n + j] = sum;
    }
}

/* A sum of k products of numbers within 1 is off by at most about k roundings of a partial sum within k. */
static void compare(size_t m, size_t n, size_t k, const char *what) {
  double bound = (double)(k + 1) * (double)(k + 1) * (sizeof(sprint_real) == 8 ? 1.2e-16 : 6e-8);
  for (size_t i = 0; i < m * n; i++)
    if (!(fabs((double)c[i] - expected[i]) <= bound))
      fail_msg("%s (%zu, %zu, %zu), element %zu: %.9g, expected %.9g", what, m, n, k, i, (double)c[i], expected[i]);
}

static void check(size_t n, size_t in, size_t out) {
  fill(a, n * in, 1);
  fill(b, out * in, 2);
  fill(c, n * out, 3);
  twin(n, out, in, false, true, true);
  sprint__gemm_forward(a, b, n, in, out, c);
  compare(n, out, in, "forward");

  fill(a, n * out, 4);
  fill(c, n * in, 5);
  twin(n, in, out, false, false, false);
  sprint__gemm_input(a, b, n, in, out, c);
  compare(n, in, out, "input");

  fill(b, n * in, 6);
  fill(c, out * in, 7);
  twin(out, in, n, true, false, true);
  sprint__gemm_weight(a, b, n, in, out, true, c);
  compare(out, in, n, "weight, added");
  twin(out, in, n, true, false, false);
  sprint__gemm_weight(a, b, n, in, out, false, c);
  compare(out, in, n, "weight");
}

static void test_gemm__dense_shapes(void **state) {
  (void)state;
  static const size_t rows[] = {1, 3, 4, 5, 7, 8, 64, 65}, sizes[] = {1, 2, 7, 8, 9, 10, 16, 31, 64, 65, 128, 130};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
      for (size_t o = 0; o < sizeof sizes / sizeof sizes[0]; o++) check(rows[r], sizes[i], sizes[o]);
}

static void test_gemm__plain_shapes(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 5, 27, 64};
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 4; j++)
      for (size_t l = 0; l < 4; l++) {
        size_t m = sizes[i], n = sizes[j], k = sizes[l];
        fill(a, m * k, 1);
        fill(b, k * n, 2);
        fill(c, m * n, 3);
        twin(m, n, k, false, false, true);
        sprint__gemm_add(a, b, m, k, n, c);
        compare(m, n, k, "add");
        twin(m, n, k, true, false, false);
        sprint__gemm_transposed(a, b, k, m, n, c);
        compare(m, n, k, "transposed");
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm__dense_shapes),
      cmocka_unit_test(test_gemm__plain_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
