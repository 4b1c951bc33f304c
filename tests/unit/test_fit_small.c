/* What tests and errors of a fit go by: tails of laws against SciPy, linear systems, and the bootstrap against closed
 * forms. */
#include "help.h"

#include "fit/fit.h"

/* Oracle: scipy.stats, 16 digits. Series and fractions stop at 1e-15, and some hundred roundings add up. */
static void close_to(double got, double expected) {
  if (!(fabs(got - expected) <= 1e-11 * fabs(expected))) fail_msg("%.16g, expected %.16g", got, expected);
}

static void test_fit_small__tails(void **state) {
  (void)state;
  close_to(sprint__tail_f(4, 1, 10), 0.07338803477074037);
  close_to(sprint__tail_f(2.5, 3, 197), 0.06074110375950488);
  close_to(sprint__tail_f(0.3, 5, 8), 0.8996801537130266);
  close_to(sprint__tail_f(20, 2, 1000), 3.043198986422101e-09);
  close_to(sprint__tail_f(0.001, 1, 100000), 0.9747729424293676);
  close_to(sprint__tail_f(8, 40, 60), 7.257288230697059e-13);
  close_to(sprint__tail_chi2(3.84, 1), 0.05004352124870519);
  close_to(sprint__tail_chi2(0.1, 3), 0.9918374237318764);
  close_to(sprint__tail_chi2(50, 20), 0.0002214766382487835);
  close_to(sprint__tail_chi2(900, 1000), 0.9892827619087102);
  close_to(sprint__tail_chi2(1e-4, 2), 0.9999500012499791);
  /* Student's t with one degree of freedom is Cauchy's, tan(pi (p - 1/2)); with two, a sqrt(2 / (1 - a^2)), a = 2p - 1
   */
  close_to(sprint__quantile_t(0.975, 1), tan(3.14159265358979323846 * 0.475));
  close_to(sprint__quantile_t(0.995, 2), 0.99 * sqrt(2 / (1 - 0.99 * 0.99)));
  assert_true(isnan(sprint__tail_f(NAN, 1, 10)));
}

static void test_fit_small__solve(void **state) {
  (void)state;
  double a[9] = {0, 2, 1, 1, -1, 0, 3, 0, 2}, b[3] = {7, -1, 9}; /* x = (1, 2, 3), with a pivot of 0 first */
  assert_true(sprint__solve(a, b, 3, 1e-13));
  for (size_t i = 0; i < 3; i++) close_to(b[i], (double)i + 1);
  double singular[4] = {1, 2, 2, 4}, c[2] = {1, 2};
  assert_false(sprint__solve(singular, c, 2, 1e-13));
}

/* The mean of each of two groups. */
static void means(const void *user, const double *sums, double *room, double *ret) {
  (void)user;
  (void)room;
  ret[0] = sums[0] / 40;
  ret[1] = sums[1] / 60;
}

/* Oracle: the bootstrap's variance of a mean is (n-1)/n s^2 / n, that of resamples about it its own sampling error:
 * 20,000 of them tell a variance to sqrt(2/20000) = 1 %, and four of those are allowed. The covariance of two groups
 * is 0, to 4 / sqrt(20000) of the deviations. */
static void test_fit_small__bootstrap(void **state) {
  (void)state;
  enum { N = 100, RESAMPLES = 20000 };
  sprint_context *context = NULL;
  double rows[N], *values = calloc(2 * RESAMPLES, sizeof *values), v[4], exact[2] = {0, 0};
  size_t group[3] = {0, 40, N}, which[2] = {0, 1};
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (size_t i = 0; i < N; i++) rows[i] = sin(3.0 * (double)i) + (i < 40 ? 5 : 0);
  for (size_t g = 0; g < 2; g++) {
    double n = (double)(group[g + 1] - group[g]), mean = 0;
    for (size_t i = group[g]; i < group[g + 1]; i++) mean += rows[i] / n;
    for (size_t i = group[g]; i < group[g + 1]; i++) exact[g] += (rows[i] - mean) * (rows[i] - mean) / (n * n);
  }
  struct sprint__bootstrap bootstrap = {context, N, 1, rows, 2, group, RESAMPLES, 3, 2, 0, means, NULL};
  MUST(context, sprint__bootstrap_run(&bootstrap, values));
  assert_int_equal(sprint__covariance(values, RESAMPLES, 2, which, 2, v), RESAMPLES);
  for (size_t g = 0; g < 2; g++) assert_true(fabs(v[3 * g] / exact[g] - 1) < 0.04);
  assert_true(fabs(v[1]) < 4 / sqrt((double)RESAMPLES) * sqrt(exact[0] * exact[1]));
  free(values);
  sprint_context_free(context);
}

/* Hotelling's law of one number is Student's: T^2 of 2 errors with n people is P(|t| > 2), n - 1 degrees of freedom. */
static void test_fit_small__wald(void **state) {
  (void)state;
  double value[2] = {6, 0}, v[4] = {9, 0, 0, 1e-8}, room[4];
  struct sprint__wald wald = sprint__wald(value, v, 1, 30, room);
  close_to(wald.statistic, 4);
  close_to(wald.p, sprint__tail_f(4, 1, 29));
  double both[4] = {9, 0, 0, 1e-8};
  wald = sprint__wald(value, both, 2, 30, room); /* units do not matter */
  close_to(wald.statistic, 4);
  close_to(wald.p, sprint__tail_f(4.0 * 28 / (2 * 29), 2, 28));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fit_small__tails),
      cmocka_unit_test(test_fit_small__solve),
      cmocka_unit_test(test_fit_small__bootstrap),
      cmocka_unit_test(test_fit_small__wald),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
