/* The generated lending population: shaped like credit data, and a function of seed and row. */
#define _GNU_SOURCE
#include <math.h>

#include "test_population_help.h"

enum { N = 20000, D = 10 };

static sprint_population *lend(struct fixture *f, const char *keys) {
  snprintf(f->spec, sizeof f->spec, "{kind: lending, standardize: none, %s}", keys);
  return load(f, f->spec, NULL);
}

static double cell(const sprint_population *p, size_t row, const char *name) {
  ptrdiff_t column = sprint__population_find(p, name);
  assert_true(column >= 0);
  return (double)p->x[row * p->d + (size_t)column];
}

static double rate(const sprint_population *p) {
  double sum = 0;
  for (size_t i = 0; i < p->n; i++) sum += (double)p->y[i];
  return sum / (double)p->n;
}

/* The mean of (x - mean)^k. */
static double moment(const sprint_population *p, const char *name, int k) {
  double mean = 0, sum = 0;
  for (size_t i = 0; i < p->n; i++) mean += cell(p, i, name) / (double)p->n;
  for (size_t i = 0; i < p->n; i++) sum += pow(cell(p, i, name) - mean, k) / (double)p->n;
  return sum;
}

static double skew(const sprint_population *p, const char *name) {
  return moment(p, name, 3) / pow(moment(p, name, 2), 1.5);
}

static double zeros(const sprint_population *p, const char *name) {
  double n = 0;
  for (size_t i = 0; i < p->n; i++) n += cell(p, i, name) == 0;
  return n / (double)p->n;
}

/* Kendall's sign correlation over pairs of rows (i, i + n/2): it does not mind heavy tails. */
static double concordance(const sprint_population *p, const char *a, const char *b) {
  double sum = 0;
  size_t half = p->n / 2;
  for (size_t i = 0; i < half; i++) {
    double da = cell(p, i, a) - cell(p, i + half, a), db = cell(p, i, b) - cell(p, i + half, b);
    sum += (da > 0 && db > 0) || (da < 0 && db < 0) ? 1 : (da == 0 || db == 0) ? 0 : -1;
  }
  return sum / (double)half;
}

static void test_lending__has_ten_named_features_and_two_classes(void **state) {
  static const char *const names[D] = {"utilization", "age",     "late_30_59",        "debt_ratio", "monthly_income",
                                       "open_lines",  "late_90", "real_estate_loans", "late_60_89", "dependents"};
  sprint_population *p = load(*state, NULL, NULL); /* the standard kind, its defaults */
  assert_int_equal(p->n, 5000);
  assert_int_equal(p->d, D);
  for (size_t j = 0; j < D; j++) assert_string_equal(sprint_population_feature_name(p, j), names[j]);
  assert_string_equal(p->label_name, "default");
  assert_int_equal(p->n_classes, 2);
  assert_string_equal(p->class_names[0], "0");
  assert_string_equal(p->class_names[1], "1");
  sprint_population_free(p);
}

/* Oracle: 5 binomial deviations, and the reference sample's own error: 16384 risks of deviation at most sqrt(r(1-r)).
 */
static void test_lending__defaults_at_the_rate_asked_for(void **state) {
  static const double rates[] = {0.01, 0.07, 0.3, 0.99};
  for (size_t k = 0; k < SPRINT__COUNT(rates); k++) {
    char keys[64];
    snprintf(keys, sizeof keys, "n: %d, default_rate: %g", N, rates[k]);
    sprint_population *p = lend(*state, keys);
    double deviation = sqrt(rates[k] * (1 - rates[k]));
    assert_true(fabs(rate(p) - rates[k]) < 5 * deviation * sqrt(1.0 / N + 1.0 / 16384));
    sprint_population_free(p);
  }
}

/* Bounds: a standard error of a skewness is sqrt(6 / n) = 0.02; of a fraction 0.004; of a concordance 0.01. */
static void test_lending__is_skewed_and_correlated_like_credit_data(void **state) {
  sprint_population *p = lend(*state, "n: 20000");
  assert_true(skew(p, "monthly_income") > 1);
  assert_true(skew(p, "utilization") > 3 && skew(p, "debt_ratio") > 3);
  assert_true(skew(p, "late_30_59") > 3 && skew(p, "late_90") > 3 && skew(p, "dependents") > 1);
  assert_true(fabs(zeros(p, "late_30_59") - 0.84) < 0.02);
  assert_true(fabs(zeros(p, "late_90") - 0.945) < 0.02);
  assert_true(fabs(zeros(p, "late_60_89") - 0.95) < 0.02);
  assert_true(concordance(p, "late_30_59", "late_90") > 0.01 && concordance(p, "late_60_89", "late_90") > 0.01);
  assert_true(concordance(p, "late_30_59", "utilization") > 0.05);
  assert_true(concordance(p, "monthly_income", "real_estate_loans") > 0.1);
  assert_true(concordance(p, "age", "open_lines") > 0.05);
  assert_true(concordance(p, "age", "dependents") < -0.05);
  assert_true(concordance(p, "age", "utilization") < -0.05);
  for (size_t i = 0; i < p->n; i++) {
    assert_true(cell(p, i, "age") >= 21 && cell(p, i, "age") <= 99);
    assert_true(cell(p, i, "monthly_income") > 0 && cell(p, i, "utilization") >= 0);
    assert_true(cell(p, i, "late_90") == floor(cell(p, i, "late_90")));
  }
  sprint_population_free(p);
}

/* Logistic regression by plain gradient steps on standardised features. */
static void regress(const sprint_population *p, double *ret_w) {
  double b = log(rate(p) / (1 - rate(p)));
  for (int j = 0; j < D; j++) ret_w[j] = 0;
  for (int step = 0; step < 100; step++) {
    double g[D] = {0}, g_b = 0;
    for (size_t i = 0; i < p->n; i++) {
      double z = b;
      for (int j = 0; j < D; j++) z += ret_w[j] * (double)p->x[i * D + (size_t)j];
      double error = 1 / (1 + exp(-z)) - (double)p->y[i];
      for (int j = 0; j < D; j++) g[j] += error * (double)p->x[i * D + (size_t)j] / (double)p->n;
      g_b += error / (double)p->n;
    }
    for (int j = 0; j < D; j++) ret_w[j] -= 2 * g[j];
    b -= 2 * g_b;
  }
}

/* The fraction of pairs of a defaulter and another, in which the defaulter scores higher. */
static double area(const sprint_population *p, const double *w) {
  double *score = calloc(p->n, sizeof *score), wins = 0;
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = 0; j < D; j++) score[i] += w[j] * (double)p->x[i * D + j];
  size_t n_good = p->stratum_start[1], n_bad = p->n - n_good;
  for (size_t i = n_good; i < p->n; i++)
    for (size_t k = 0; k < n_good; k++) wins += score[p->by_stratum[i]] > score[p->by_stratum[k]];
  free(score);
  return wins / ((double)n_good * (double)n_bad);
}

static void test_lending__can_be_learnt_but_not_separated(void **state) {
  double w[D];
  sprint_population *p = load(*state, "{kind: lending, n: 8000}", NULL);
  sprint_population *other = load(*state, "{kind: lending, n: 8000, population_seed: 2}", NULL);
  regress(p, w);
  assert_true(area(p, w) > 0.75 && area(p, w) < 0.88);
  assert_true(area(other, w) > 0.75 && area(other, w) < 0.88);
  sprint_population_free(p);
  sprint_population_free(other);
}

static void test_lending__is_a_function_of_seed_and_row(void **state) {
  struct fixture *f = *state;
  sprint_population *p = lend(f, "n: 1000");
  sprint_population *longer = lend(f, "n: 20000");
  sprint_population *other = lend(f, "n: 1000, population_seed: 2");
  sprint_context_set_threads(f->context, 1);
  sprint_population *alone = lend(f, "n: 20000");
  assert_memory_equal(p->x, longer->x, 1000 * D * sizeof *p->x);
  assert_memory_equal(p->y, longer->y, 1000 * sizeof *p->y);
  assert_memory_equal(alone->x, longer->x, N * D * sizeof *p->x);
  assert_memory_not_equal(p->x, other->x, 1000 * D * sizeof *p->x);
  sprint_population_free(p);
  sprint_population_free(longer);
  sprint_population_free(other);
  sprint_population_free(alone);
}

static void test_lending__refuses_values_out_of_range(void **state) {
  assert_refused(*state, "{kind: lending, n: 9}", SPRINT_ERROR_INPUT, "'data.n'");
  assert_refused(*state, "{kind: lending, default_rate: 1}", SPRINT_ERROR_INPUT, "'data.default_rate'");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_lending__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(has_ten_named_features_and_two_classes),
      TEST(defaults_at_the_rate_asked_for),
      TEST(is_skewed_and_correlated_like_credit_data),
      TEST(can_be_learnt_but_not_separated),
      TEST(is_a_function_of_seed_and_row),
      TEST(refuses_values_out_of_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
