/* The two-point zeroth-order method: what it asks for, v by hand, and the optima of the closed-form beds. */
#include "bench_help.h"

enum { N = 4 };
static const sprint_real alike[N] = {4, 4, 4, 4};
static const sprint_real plane[2 * N] = {4, 1, 4, 1, 4, 1, 4, 1};
static const sprint_real zeros[N];

/* V is a parabola, so that a difference over two points has no bias: whatever u is, v = d (grad V . u) u. In one
 * dimension u is +1 or -1, and v = V'(theta) for both: the mean over u is the gradient. Here V' is that of
 * (theta - 4 - 0.5 theta)^2 / 2 + 0.3 theta^2 / 2 at 10: 0.5 x 1 + 3. */
static void test_dfo__by_hand_in_one_dimension(void **state) {
  (void)state;
  bool seen[2] = {false, false};
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct bench b = bench_of(N, 1, alike, "{loss: mean, l2: 0.3}", "{kind: location, epsilon: 0.5}");
    const sprint_real start = 10;
    sprint_solver_options options = {.size = sizeof options,
                                     .spec = "{method: {kind: dfo, batch: 2, delta: 0.5}, step: {size: 0.1}}",
                                     .model = b.model,
                                     .n = N,
                                     .theta = &start,
                                     .seed = seed};
    MUST(b.context, sprint_solver_new(b.context, &options, &b.solver));
    double probes[2];
    for (int k = 0; k < 2; k++) {
      sprint_want want = ask(&b);
      assert_true(want.kind == SPRINT_WANT_BATCH && want.n == 2 && want.deploy && want.deployment == (uint64_t)k + 1);
      probes[k] = (double)want.theta[0];
      const sprint_real x = (sprint_real)(4 + 0.5 * probes[k]), both[2] = {x, x};
      sprint_records records = {.size = sizeof records, .n = 2, .x = both, .y = zeros};
      MUST(b.context, sprint_solver_tell(b.solver, &records));
    }
    seen[probes[0] > probes[1]] = true;
    CLOSE(fabs(probes[0] - 10), 0.5, 20);
    CLOSE(probes[0] + probes[1], 20, 4);
    CLOSE(sprint_solver_direction(b.solver)[0], 3.5, 100); /* losses of order one over 2 delta */
    sprint_counters cost = sprint_solver_counters(b.solver);
    assert_true(cost.steps == 1 && cost.ifo == 0 && cost.samples == 4 && cost.deployments == 2);
    bench_free(&b);
  }
  assert_true(seen[0] && seen[1]);
}

/* In three dimensions: both points are delta from theta, on opposite sides, and no direction is favoured. E[3 u u^T] =
 * I; an entry of the mean over 400 directions has a standard deviation below 1/20, as |3 u_i u_j| has one of at most
 * 0.9. */
static void test_dfo__directions_are_uniform(void **state) {
  (void)state;
  enum { STEPS = 400, D = 3 };
  const sprint_real x[D] = {0, 0, 0}, start[D] = {1, 2, 3};
  struct bench b = bench_of(1, D, x, "{loss: mean}", "none");
  MUST(b.context,
       bench_start(&b, "{method: {kind: dfo, batch: 1, delta: 0.25}, step: {size: 0.01}, stop: {epochs: 400}}", start,
                   1));
  double moments[D][D] = {{0}};
  for (int t = 0; t < STEPS; t++) {
    double u[2][D], theta[D], square = 0;
    for (size_t i = 0; i < D; i++) theta[i] = (double)sprint_solver_theta(b.solver)[i];
    for (int k = 0; k < 2; k++) {
      sprint_want want = ask(&b);
      for (size_t i = 0; i < D; i++) u[k][i] = ((double)want.theta[i] - theta[i]) / 0.25;
      sprint_records records = {.size = sizeof records, .n = 1, .x = x, .y = zeros};
      MUST(b.context, sprint_solver_tell(b.solver, &records));
    }
    for (size_t i = 0; i < D; i++) {
      CLOSE(u[0][i] + u[1][i], 0, 30); /* the rounding of two thetas of at most 3, over 0.25 */
      square += u[0][i] * u[0][i];
      for (size_t j = 0; j < D; j++) moments[i][j] += D * u[0][i] * u[0][j] / STEPS;
    }
    CLOSE(square, 1, 60);
  }
  for (size_t i = 0; i < D; i++)
    for (size_t j = 0; j < D; j++) assert_true(fabs(moments[i][j] - (i == j)) < 4.0 / 20);
  bench_free(&b);
}

/* Oracle: docs/math.md section 6. Where all records are alike, V^ is V, and a parabola in d = 2 makes v = 2 (grad V .
 * u) u, which ends at the optimum by itself: the error along u shrinks by 1 - 2 gamma c, c = (1 - epsilon)^2 + l2 =
 * 0.75, and over all u by half of that. Of 10, 600 steps of 0.3 leave nothing. What is left is rounding: losses of
 * order 10 over 2 delta = 1, divided by the curvature. */
static void test_dfo__optimum_of_the_ridge_bed(void **state) {
  (void)state;
  struct bench b = bench_of(N, 2, plane, "{loss: mean, l2: 0.5}", "{kind: location, epsilon: 0.5}");
  const sprint_real start[2] = {10, -10};
  sprint_run *run = bench_run(&b,
                              "{method: {kind: dfo, batch: 3, delta: 0.5, inner: 1}, step: {size: 0.3}, "
                              "stop: {epochs: 600}}",
                              start);
  CLOSE(sprint_run_theta(run)[0], 0.5 * 4 / 0.75, 200);
  CLOSE(sprint_run_theta(run)[1], 0.5 * 1 / 0.75, 200);
  const sprint_counters *cost = &last_row(run)->cost;
  assert_true(cost->steps == 600 && cost->deployments == 1200 && cost->samples == 3600 && cost->ifo == 0);
  sprint_run_free(run);
  bench_free(&b);
}

/* theta_PO = -a_0/(2 a_1) = -4, V'' = 1. */
static void test_dfo__optimum_of_the_linear_bed(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, alike, "{loss: linear}", "{kind: location, epsilon: 0.5}");
  const sprint_real start = 3;
  sprint_run *run = bench_run(
      &b, "{method: {kind: dfo, batch: 1, delta: 0.5, inner: 1}, step: {size: 0.3}, stop: {epochs: 200}}", &start);
  CLOSE(sprint_run_theta(run)[0], -4, 100);
  sprint_run_free(run);
  bench_free(&b);
}

/* Deployments never pass their budget: with an odd one, the last is of a first point that has no second. The batches of
 * the two points are drawn anew. */
static void test_dfo__budgets(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, alike, "{loss: mean}", "{kind: location, epsilon: 0.5}");
  const sprint_real start = 3;
  sprint_run *run = bench_run(&b, "{method: {kind: dfo, batch: 1}, stop: {deployments: 5}}", &start);
  const sprint_counters *cost = &last_row(run)->cost;
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DEPLOYMENTS);
  assert_true(cost->steps == 2);
  sprint_run_free(run);
  run = bench_run(&b, "{method: {kind: dfo, batch: 1, delta: 0.01}, step: {size: 1e6}}", &start);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DIVERGED);
  sprint_run_free(run);
  bench_refused(&b, "{method: {kind: dfo, delta: 0}}", "method.delta");
  bench_refused(&b, "{method: dfo, stop: {epochs: 0, ifo: 100}}", "stop.ifo': 'dfo' takes no gradients");
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dfo__by_hand_in_one_dimension),
      cmocka_unit_test(test_dfo__directions_are_uniform),
      cmocka_unit_test(test_dfo__optimum_of_the_ridge_bed),
      cmocka_unit_test(test_dfo__optimum_of_the_linear_bed),
      cmocka_unit_test(test_dfo__budgets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
