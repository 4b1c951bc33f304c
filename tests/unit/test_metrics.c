/* Metrics against scikit-learn. Oracle: tests/fixtures/sklearn.txt, which make_sklearn.py computes; what it has no
 * function for (calibration, the ROC's points) by hand. */
#define _GNU_SOURCE
#include "help.h"

#include "assess/metrics.h"

/* Sums of up to 200 numbers of order 1 in either program: 1e-12 is some thousand roundings. */
#define TOLERANCE 1e-12

static FILE *fixture;

/* The next line's numbers behind this key, which it must have. */
static void read_numbers(const char *key, double *ret_values, size_t n) {
  static char line[1 << 16];
  do
    if (!fgets(line, sizeof line, fixture)) fail_msg("sklearn.txt ended where '%s' was expected", key);
  while (line[0] == '#');
  size_t length = strlen(key);
  if (strncmp(line, key, length) != 0) fail_msg("sklearn.txt: '%s' was expected at '%.40s'", key, line);
  char *at = line + length;
  for (size_t i = 0; i < n; i++) ret_values[i] = strtod(at, &at);
  assert_int_equal(*at, '\n');
}

static void expect(const char *key, double got) {
  double expected;
  read_numbers(key, &expected, 1);
  if (!(fabs(got - expected) <= TOLERANCE * fmax(1, fabs(expected))))
    fail_msg("%s = %.17g, expected %.17g", key, got, expected);
}

static void check_case(struct sprint__arena *arena) {
  double size[2], threshold = 0.5;
  read_numbers("size", size, 2);
  size_t n = (size_t)size[0], k = (size_t)size[1], width = k ? k : 1;
  double *scores = calloc(n, width * sizeof *scores), *y = calloc(n, sizeof *y), *weights = calloc(n, sizeof *y);
  sprint_real *labels = calloc(n, sizeof *labels);
  if (k) read_numbers("threshold", &threshold, 1);
  read_numbers("scores", scores, n * width);
  read_numbers("labels", y, n);
  read_numbers("weights", weights, n);
  for (size_t i = 0; i < n; i++) labels[i] = (sprint_real)y[i];
  struct sprint__tester tester;
  assert_int_equal(sprint__tester_new(arena, arena, n, k, 1, threshold, &tester), SPRINT_OK);
  sprint__tester_add(&tester, scores, labels, weights, n / 3);
  sprint__tester_add(&tester, scores + n / 3 * width, labels + n / 3, weights + n / 3, n - n / 3);
  sprint_metrics metrics = sprint__tester_metrics(&tester);
  assert_int_equal(metrics.n, n);
  if (k) {
    double *confusion = calloc(k, k * sizeof *confusion);
    expect("auc", metrics.auc);
    expect("brier", metrics.brier);
    expect("accuracy", metrics.accuracy);
    expect("recall", metrics.recall);
    expect("precision", metrics.precision);
    read_numbers("confusion", confusion, k * k);
    for (size_t i = 0; i < k * k; i++) assert_true(fabs(metrics.confusion[i] - confusion[i]) <= TOLERANCE * 200);
    free(confusion);
  } else {
    expect("rmse", metrics.rmse);
    expect("mae", metrics.mae);
    expect("r2", metrics.r2);
  }
  free(scores);
  free(y);
  free(weights);
  free(labels);
}

/* Labels are single precision in that build; the fixture's are such numbers. */
static void test_metrics__are_those_of_scikit_learn(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  fixture = fopen(SPRINT_TEST_FOLDER "/fixtures/sklearn.txt", "r");
  assert_non_null(fixture);
  char line[256];
  size_t n_cases = 0;
  while (fgets(line, sizeof line, fixture)) {
    if (strncmp(line, "case", 4) != 0) continue;
    struct sprint__arena arena = {.context = context};
    check_case(&arena);
    sprint__arena_free(&arena);
    n_cases++;
  }
  assert_int_equal(n_cases, 5);
  fclose(fixture);
  sprint_context_free(context);
}

static sprint_metrics metrics_of(struct sprint__arena *arena, const double *p, const sprint_real *y, size_t n) {
  struct sprint__tester tester;
  double scores[64];
  assert_true(n <= 32);
  for (size_t i = 0; i < n; i++) {
    scores[2 * i] = 1 - p[i];
    scores[2 * i + 1] = p[i];
  }
  assert_int_equal(sprint__tester_new(arena, arena, n, 2, 1, 0.5, &tester), SPRINT_OK);
  sprint__tester_add(&tester, scores, y, NULL, n);
  return sprint__tester_metrics(&tester);
}

/* Four people in the bins of 0.1 and 0.9: said 0.15 and 0.95 on average, came true 0 and 0.5 of the time. */
static void test_metrics__calibration_by_hand(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  struct sprint__arena arena = {.context = context};
  const double p[] = {0.1, 0.19, 0.9, 1};
  const sprint_real y[] = {0, 0, 1, 0};
  sprint_metrics metrics = metrics_of(&arena, p, y, 4);
  assert_true(metrics.calibration[1].share == 0.5 && metrics.calibration[9].share == 0.5);
  assert_true(fabs(metrics.calibration[1].said - 0.145) < 1e-15 && metrics.calibration[1].came == 0);
  assert_true(fabs(metrics.calibration[9].said - 0.95) < 1e-15 && metrics.calibration[9].came == 0.5);
  assert_true(isnan(metrics.calibration[5].said) && metrics.calibration[5].share == 0);
  assert_true(fabs(metrics.calibration_error - (0.145 + 0.45) / 2) < 1e-15);
  assert_true(metrics.majority == 0.75 && metrics.accuracy == 0.75);
  /* in order of score: a wrong one, the right one, two wrong ones */
  const double expected[][2] = {{0, 0}, {1.0 / 3, 0}, {1.0 / 3, 1}, {2.0 / 3, 1}, {1, 1}};
  assert_int_equal(metrics.n_roc, 5);
  for (size_t i = 0; i < 5; i++) {
    assert_true(fabs(metrics.roc[i].false_positives - expected[i][0]) < 1e-15);
    assert_true(fabs(metrics.roc[i].true_positives - expected[i][1]) < 1e-15);
  }
  assert_true(fabs(metrics.auc - 2.0 / 3) < 1e-15);
  sprint__arena_free(&arena);
  sprint_context_free(context);
}

/* What there is no such thing of is NaN: an AUC of one class, the precision of what was never said. */
static void test_metrics__what_cannot_be_known(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  struct sprint__arena arena = {.context = context};
  const double p[] = {0.1, 0.2, 0.3};
  const sprint_real y[] = {0, 0, 0}, some[] = {0, 1, 0};
  sprint_metrics metrics = metrics_of(&arena, p, y, 3);
  assert_true(isnan(metrics.auc) && isnan(metrics.recall) && isnan(metrics.precision) && metrics.accuracy == 1);
  assert_true(metrics.n_roc == 0 && isnan(metrics.rmse));
  metrics = metrics_of(&arena, p, some, 3);
  assert_true(metrics.recall == 0 && isnan(metrics.precision) && metrics.auc == 0.5);
  metrics = metrics_of(&arena, p, y, 0);
  assert_true(isnan(metrics.accuracy) && metrics.n == 0);
  sprint__arena_free(&arena);
  sprint_context_free(context);
}

/* Many scores: the curve has its ends, does not fall, and its area is near that of all scores. */
static void test_metrics__curves_of_many(void **state) {
  (void)state;
  enum { N = 20000 };
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  struct sprint__arena arena = {.context = context};
  static double scores[2 * N];
  static sprint_real y[N];
  for (size_t i = 0; i < N; i++) {
    double u = (double)(i * 7919 % N) / N;
    y[i] = i % 3 == 0;
    scores[2 * i + 1] = y[i] > 0 ? sqrt(u) : u; /* AUC 2/3 in the limit */
    scores[2 * i] = 1 - scores[2 * i + 1];
  }
  struct sprint__tester tester;
  assert_int_equal(sprint__tester_new(&arena, &arena, N, 2, 1, 0.5, &tester), SPRINT_OK);
  sprint__tester_add(&tester, scores, y, NULL, N);
  sprint_metrics metrics = sprint__tester_metrics(&tester);
  assert_true(fabs(metrics.auc - 2.0 / 3) < 0.01);
  assert_int_equal(metrics.n_roc, SPRINT_ROC_POINTS);
  double area = 0;
  for (size_t i = 1; i < metrics.n_roc; i++) {
    double width = metrics.roc[i].false_positives - metrics.roc[i - 1].false_positives;
    double up = metrics.roc[i].true_positives - metrics.roc[i - 1].true_positives;
    assert_true(width >= 0 && up >= 0);
    area += width * (metrics.roc[i].true_positives - up / 2);
  }
  assert_true(metrics.roc[0].true_positives == 0 && metrics.roc[metrics.n_roc - 1].false_positives == 1);
  assert_true(fabs(area - metrics.auc) < 1e-3); /* chords of a hundredth of the way */
  sprint__arena_free(&arena);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_metrics__are_those_of_scikit_learn),
      cmocka_unit_test(test_metrics__calibration_by_hand),
      cmocka_unit_test(test_metrics__what_cannot_be_known),
      cmocka_unit_test(test_metrics__curves_of_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
