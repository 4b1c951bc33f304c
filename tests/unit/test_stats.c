/* cli/stats.c: moments, Student's quantiles, paired differences, rankings. */
#include "cli/stats.h"
#include "help.h"

static void close_to(double got, double expected, double relative) {
  if (!(fabs(got - expected) <= relative * fabs(expected))) fail_msg("%.17g, expected %.17g", got, expected);
}

/* Oracle: by hand, of 2, 4, 9: mean 5, squares 9 + 1 + 16, error sqrt(26 / 2 / 3). */
static void test_moments__by_hand(void **state) {
  (void)state;
  struct cli_moments moments = {0};
  const double values[] = {2, 4, 9};
  for (size_t i = 0; i < 3; i++) {
    assert_true(i > 1 || isnan(cli_moments_error(&moments)));
    cli_moments_add(&moments, values[i]);
  }
  close_to(moments.mean, 5, 1e-15);
  close_to(cli_moments_error(&moments), sqrt(13.0 / 3), 1e-15);
}

/* P(|T| <= t) by Simpson's rule on the density: a second implementation. */
static double student_by_integral(double freedom, double t) {
  enum { N = 20000 };
  double c = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * acos(-1)), sum = 0, h = t / N;
  for (int i = 0; i <= N; i++) {
    double x = h * i, weight = i == 0 || i == N ? 1 : i % 2 ? 4 : 2;
    sum += weight * c * pow(1 + x * x / freedom, -(freedom + 1) / 2);
  }
  return 2 * sum * h / 3;
}

/* Oracles: the closed forms of one and two degrees of freedom (Cauchy; P = t / sqrt(2 + t^2)) to rounding, of which the
 * tangent near pi/2 makes 1e-14; the integral of the density, to its own error of h^4 with h = t / 20000 < 1e-3 and the
 * rounding of 20000 terms; and printed tables, to their ten digits. */
static void test_student__quantiles(void **state) {
  (void)state;
  close_to(cli_student(1, 0.95), tan(0.95 * acos(-1) / 2), 1e-13);
  close_to(cli_student(1, 0.99), tan(0.99 * acos(-1) / 2), 1e-13);
  close_to(cli_student(2, 0.95), sqrt(2 * 0.95 * 0.95 / (1 - 0.95 * 0.95)), 1e-13);
  for (size_t freedom = 1; freedom <= 40; freedom++)
    close_to(student_by_integral((double)freedom, cli_student(freedom, 0.95)), 0.95, 1e-10);
  close_to(cli_student(2, 0.95), 4.302652730, 1e-9);
  close_to(cli_student(3, 0.95), 3.182446305, 1e-9);
  close_to(cli_student(4, 0.95), 2.776445105, 1e-9);
  close_to(cli_student(9, 0.95), 2.262157163, 1e-9);
  close_to(cli_student(29, 0.95), 2.045229642, 1e-9);
}

/* Oracle: by hand. Differences 1, 2, 3 have mean 2 and error 1/sqrt(3); Student's 4.3027 errors reach over 0, where the
 * normal distribution's 1.96 would not. */
static void test_paired__by_hand(void **state) {
  (void)state;
  const double a[] = {5, 7, 9, NAN, 4}, b[] = {4, 5, 6, 1, INFINITY};
  struct cli_paired paired = cli_paired(a, b, 5);
  assert_true(paired.n == 3 && paired.n_above == 3 && paired.n_below == 0);
  close_to(paired.mean, 2, 1e-15);
  close_to(paired.low, 2 - 4.302652730 / sqrt(3), 1e-8);
  close_to(paired.high, 2 + 4.302652730 / sqrt(3), 1e-8);
  paired = cli_paired(a, b, 1);
  assert_true(paired.mean == 1 && isnan(paired.low) && isnan(paired.high));
  paired = cli_paired(a + 3, b + 3, 2);
  assert_true(paired.n == 0 && isnan(paired.mean));
}

/* By hand: method 1 has the lowest mean, 2; method 0 is worse by 2, 2.5, 3 (reach 1.242), method 3 by 1, 2, 3 (reach
 * 2.484: a tie); method 2 would have been the best by far, but for a seed that diverged. */
static void test_rank__verdicts(void **state) {
  (void)state;
  const double values[] = {3, 4.5, 6, 1, 2, 3, 0, NAN, 0, 2, 4, 6};
  struct cli_contest contest = {.n_methods = 4, .n_seeds = 3, .values = values};
  struct cli_standing standings[4];
  double room[12];
  cli_rank(&contest, room, standings);
  const size_t order[] = {1, 3, 0, 2};
  const enum cli_verdict verdicts[] = {CLI_BEST, CLI_TIED, CLI_WORSE, CLI_SOME_DIVERGED};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(standings[i].method, order[i]);
    assert_int_equal(standings[i].verdict, verdicts[i]);
  }
  assert_true(standings[3].n_diverged == 1 && standings[3].plain.n == 2 && standings[3].plain.mean == 0);
  assert_true(standings[2].losses == 3 && standings[2].wins == 0 && standings[0].wins == 0);
  close_to(standings[2].to_best.low, 2.5 - 4.302652730 * 0.5 / sqrt(3), 1e-8);

  contest.larger_wins = true;
  cli_rank(&contest, room, standings);
  assert_int_equal(standings[0].method, 0);
  assert_int_equal(standings[2].method, 1);
  assert_int_equal(standings[2].verdict, CLI_WORSE);
  assert_true(standings[2].losses == 3 && standings[2].wins == 0 && standings[2].to_best.high < 0);
}

/* On the log scale means are geometric and differences ratios: 1, 10, 100 against 1e-1, 1e-1, 1e3: log10 means 1 and
 * 1/3, although the arithmetic means, 37 and 333, say otherwise. */
static void test_rank__on_the_log_scale(void **state) {
  (void)state;
  const double values[] = {1, 10, 100, 0.1, 0.1, 1000};
  struct cli_contest contest = {.n_methods = 2, .n_seeds = 3, .values = values, .logarithmic = true};
  struct cli_standing standings[2];
  double room[6];
  assert_true(cli_all_positive(values, 6));
  assert_false(cli_all_positive((double[]){NAN, 0}, 2));
  cli_rank(&contest, room, standings);
  assert_int_equal(standings[0].method, 1);
  close_to(cli_uncompared(&contest, standings[1].compared.mean), 10, 1e-14);
  close_to(standings[1].to_best.mean, 1 - 1.0 / 3, 1e-14);
  assert_true(standings[1].losses == 2 && standings[1].wins == 1 && standings[1].verdict == CLI_TIED);
}

static void test_rank__with_one_seed_nothing_is_said(void **state) {
  (void)state;
  const double values[] = {2, 1, NAN};
  struct cli_contest contest = {.n_methods = 3, .n_seeds = 1, .values = values};
  struct cli_standing standings[3];
  double room[3];
  cli_rank(&contest, room, standings);
  assert_int_equal(standings[0].method, 1);
  assert_int_equal(standings[1].verdict, CLI_UNKNOWN);
  assert_int_equal(standings[2].verdict, CLI_SOME_DIVERGED);
  contest.n_methods = 1;
  contest.values = values + 2;
  cli_rank(&contest, room, standings); /* nobody is best where everybody diverged */
  assert_int_equal(standings[0].verdict, CLI_SOME_DIVERGED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moments__by_hand),       cmocka_unit_test(test_student__quantiles),
      cmocka_unit_test(test_paired__by_hand),        cmocka_unit_test(test_rank__verdicts),
      cmocka_unit_test(test_rank__on_the_log_scale), cmocka_unit_test(test_rank__with_one_seed_nothing_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
