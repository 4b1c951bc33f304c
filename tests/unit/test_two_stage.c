/* The two-stage method on location families whose A and optimum are known. */
#include "bench_help.h"

#include "base/context.h"

enum { N = 5, D = 2 };
static const sprint_real cloud[N * D] = {4, 1, 2, -1, 3, 3, 0, 2, 1, 0}; /* means 2 and 1 */
static const sprint_real zeros[N];
static const double A[D][D] = {{0.5, 0.2}, {-0.3, 0.4}};

/* V = |c + (A - I) theta|^2 / 2 + l2/2 |theta|^2 + constant, c the mean of the base records; so with M = A - I,
 * theta_PO = -(M^T M + l2 I)^-1 M^T c. */
static void optimum(double l2, double ret_theta[D]) {
  const double c[D] = {2, 1}, m[D][D] = {{A[0][0] - 1, A[0][1]}, {A[1][0], A[1][1] - 1}};
  double h[D][D], r[D];
  for (size_t i = 0; i < D; i++) {
    for (size_t j = 0; j < D; j++) h[i][j] = m[0][i] * m[0][j] + m[1][i] * m[1][j] + (i == j ? l2 : 0);
    r[i] = -(m[0][i] * c[0] + m[1][i] * c[1]);
  }
  double determinant = h[0][0] * h[1][1] - h[0][1] * h[1][0];
  ret_theta[0] = (h[1][1] * r[0] - h[0][1] * r[1]) / determinant;
  ret_theta[1] = (h[0][0] * r[1] - h[1][0] * r[0]) / determinant;
}

static void answer(const sprint_real *theta, size_t n, sprint_real *ret_x) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < D; j++)
      ret_x[i * D + j] =
          (sprint_real)((double)cloud[i * D + j] + A[j][0] * (double)theta[0] + A[j][1] * (double)theta[1]);
}

/* Everybody answers every probe, so that A is recovered to rounding: records of order 10 round to 10 units, A to as
 * many, and theta, whose curvature is above 0.3, to some hundred; the minimisation is off by its tolerance. */
static void check_optimum(double l2, const char *more) {
  char model[64], spec[160];
  snprintf(model, sizeof model, "{loss: mean, l2: %g}", l2);
  snprintf(spec, sizeof spec, "{method: {kind: two-stage, batch: %d, probes: 8%s}}", N, more);
  struct bench b = bench_of(N, D, cloud, model, NULL);
  const sprint_real start[D] = {3, -2};
  double expected[D], tolerance = sizeof(sprint_real) == 8 ? 1e-9 / 2.3e-16 : 1e-5 / 1.2e-7;
  optimum(l2, expected);
  MUST(b.context, bench_start(&b, spec, start, 1));
  for (uint64_t k = 0; k < 8; k++) {
    sprint_want want = ask(&b);
    sprint_real x[N * D];
    assert_true(want.kind == SPRINT_WANT_BATCH && want.n == N && want.deploy && want.deployment == k + 1);
    assert_true(want.theta[0] != start[0] && want.theta[1] != start[1]);
    answer(want.theta, N, x);
    sprint_records records = {.size = sizeof records, .n = N, .x = x, .y = zeros};
    MUST(b.context, sprint_solver_tell(b.solver, &records));
  }
  assert_int_equal(ask(&b).kind, SPRINT_WANT_NOTHING);
  assert_int_equal(sprint_solver_stop(b.solver), SPRINT_STOP_FINISHED);
  for (size_t i = 0; i < D; i++) CLOSE(sprint_solver_theta(b.solver)[i], expected[i], 300 + 10 * tolerance);
  sprint_counters cost = sprint_solver_counters(b.solver);
  assert_true(cost.steps == 1 && cost.epochs == 1 && cost.deployments == 8 && cost.samples == 8 * N);
  assert_true(cost.ifo > 0 && cost.ifo % (8 * N) == 0 && cost.unsolved == 0);
  bench_free(&b);
}

static void test_two_stage__optimum_of_a_location_family(void **state) {
  (void)state;
  check_optimum(0, "");
  check_optimum(0.5, "");
  check_optimum(0.5, ", scale: 0.2");
}

/* In a run, batches are drawn. Where all are alike, A is exact too: theta_PO = (1 - epsilon) mu/((1 - epsilon)^2 + l2).
 */
static void test_two_stage__runs_and_finishes(void **state) {
  (void)state;
  const sprint_real alike[3] = {4, 4, 4}, start = 1;
  double tolerance = sizeof(sprint_real) == 8 ? 1e-9 / 2.3e-16 : 1e-5 / 1.2e-7;
  struct bench b = bench_of(3, 1, alike, "{loss: mean, l2: 0.5}", "{kind: location, epsilon: 0.5}");
  sprint_run *run = bench_run(&b, "{method: {kind: two-stage, batch: 2, probes: 3}}", &start);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_FINISHED);
  assert_string_equal(sprint_stop_word(sprint_run_stop(run)), "finished");
  assert_int_equal(sprint_run_n_rows(run), 2);
  CLOSE(sprint_run_theta(run)[0], 0.5 * 4 / 0.75, 300 + 10 * tolerance);
  sprint_run_free(run);
  run = bench_run(&b, "{method: {kind: two-stage, batch: 2, probes: 9}, stop: {deployments: 4}}", &start);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DEPLOYMENTS);
  assert_true(sprint_run_theta(run)[0] == start && last_row(run)->cost.steps == 0);
  sprint_run_free(run);
  run = bench_run(&b, "{method: {kind: two-stage, batch: 2, probes: 3}, stop: {ifo: 7}}", &start);
  assert_true(last_row(run)->cost.ifo == 6 && last_row(run)->cost.unsolved == 1); /* one look, at the start */
  assert_true(sprint_run_theta(run)[0] == start);
  sprint_run_free(run);
  bench_free(&b);
}

/* Records that differ: A is fitted to 1/sqrt(500) / (3 sqrt(40)) = 0.0024 and their mean to 1/sqrt(20000) = 0.0071, one
 * standard error each. With a = 1 - epsilon, theta_PO = a mu/(a^2 + l2) moves by mu (l2 - a^2)/(a^2 + l2)^2 = 1.8 and
 * a/(a^2 + l2) = 0.67 times as much: 0.0064 together, of which four are allowed. V there is below that of the stable
 * point, mu/(a + l2) = 4. */
static void test_two_stage__records_that_differ(void **state) {
  (void)state;
  struct world w = world_new("{kind: gaussian, n: 1000, mean: 4, sd: 1, exact: true, standardize: none}",
                             "{loss: mean, l2: 0.5}", "{kind: location, epsilon: 0.5}");
  sprint_run *run = run_done(&w, "{method: {kind: two-stage, batch: 500, probes: 40, scale: 3}}", 5);
  const sprint_real stable = 4;
  double there;
  MUST(w.context, sprint_risk(w.shift, &stable, &stable, &there, NULL, NULL));
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_FINISHED);
  assert_true(fabs((double)sprint_run_theta(run)[0] - 2 / 0.75) < 4 * 0.0064);
  assert_true(last_row(run)->loss < there);
  sprint_run_free(run);
  world_free(&w);
}

static void test_two_stage__refusals(void **state) {
  (void)state;
  const sprint_real start[D] = {3, -2};
  struct bench b = bench_of(N, D, cloud, "{loss: mean}", "{kind: location, epsilon: 0.5}");
  bench_refused(&b, "{method: {kind: two-stage, probes: 2}}",
                "2 deployments cannot settle A: for 2 parameters at least 3 were expected");
  sprint_run_options options = {.size = sizeof options,
                                .spec = "{method: {kind: two-stage, probes: 3, scale: 1e-30}}",
                                .shift = b.shift,
                                .theta = start};
  sprint_run *run = NULL;
  MUST(b.context, sprint_run_new(b.context, &options, &run));
  REFUSED(b.context, SPRINT_ERROR_INPUT, "do not settle A", sprint_run_go(run, NULL, NULL));
  sprint_run_free(run);
  bench_free(&b);
  struct world w = world_new("{kind: lending, n: 100}", "{layers: dense 1, loss: logistic}", "{kind: retention}");
  struct bench c = {.context = w.context, .shift = w.shift};
  bench_refused(&c, "{method: two-stage}", "a shift that does not reweight was expected");
  world_free(&w);
}

/* Of this method and its neighbours: whichever allocation fails, there is a sentence, and (under sanitizers) no leak.
 */
static void test_two_stage__survives_every_failed_allocation(void **state) {
  (void)state;
  static const char *const methods[] = {"{kind: two-stage, probes: 4}", "rrm", "perfgd", "perfgd-full", "dfo"};
  const sprint_real start[D] = {3, -2};
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    char spec[80];
    snprintf(spec, sizeof spec, "{method: %s}", methods[m]);
    struct bench b = bench_of(N, D, cloud, "{loss: mean}", "{kind: location, epsilon: 0.5}");
    bool done = false;
    int failures = 0;
    while (!done) {
      b.context->n_allocations = 0;
      b.context->fail_allocation = failures;
      done = bench_start(&b, spec, start, 1) == SPRINT_OK;
      if (!done) assert_non_null(strstr(sprint_context_error(b.context), "out of memory"));
      failures += !done;
    }
    b.context->fail_allocation = -1;
    assert_true(failures > 10);
    bench_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_stage__optimum_of_a_location_family),
      cmocka_unit_test(test_two_stage__runs_and_finishes),
      cmocka_unit_test(test_two_stage__records_that_differ),
      cmocka_unit_test(test_two_stage__refusals),
      cmocka_unit_test(test_two_stage__survives_every_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
