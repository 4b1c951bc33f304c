/* Performative gradient descent: the optima of the closed-form beds, and what it does not take. */
#include "bench_help.h"

#include "shift/shift.h"

enum { N = 6 };
static const sprint_real z[N] = {1, 2, 3, 4, 5, 9}; /* mean 4 */
static const sprint_real alike[N] = {4, 4, 4, 4, 4, 4};
static const sprint_real zeros[N];

/* Oracle: docs/math.md section 6, theta_PO = (1 - epsilon) mu / ((1 - epsilon)^2 + l2). V is a parabola of curvature
 * c = (1 - epsilon)^2 + l2, so that 400 steps of 0.2 leave (1 - 0.2 c)^400 < 1e-8 of the start's distance, c >= 0.25. A
 * step rounds theta by a unit, and 1 / (0.2 c) < 20 of these add up. */
static void test_perfgd__optimum_of_the_ridge_bed(void **state) {
  (void)state;
  static const char *const methods[] = {"perfgd-full", "{kind: perfgd, batch: 2, inner: 1}"};
  for (size_t m = 0; m < 2; m++)
    for (int ridge = 0; ridge < 2; ridge++) {
      double l2 = ridge ? 0.5 : 0, epsilon = 0.5, expected = (1 - epsilon) * 4 / ((1 - epsilon) * (1 - epsilon) + l2);
      char spec[160];
      struct bench b = bench_of(N, 1, m ? alike : z, ridge ? "{loss: mean, l2: 0.5}" : "{loss: mean}",
                                "{kind: location, epsilon: 0.5}");
      const sprint_real start = 10;
      snprintf(spec, sizeof spec, "{method: %s, step: {size: 0.2}, stop: {epochs: 400}}", methods[m]);
      sprint_run *run = bench_run(&b, spec, &start);
      CLOSE(sprint_run_theta(run)[0], expected, 60 + (sizeof(sprint_real) == 8 ? 10 * 1e-8 / 2.3e-16 : 0));
      const sprint_counters *cost = &last_row(run)->cost;
      assert_true(cost->steps == 400 && cost->deployments == 400 && cost->samples == 400 * (m ? 2 : N));
      assert_int_equal(cost->ifo, m ? cost->samples : 2 * cost->samples);
      assert_true(isnan(last_row(run)->bias)); /* against grad J, which it does not follow */
      sprint_run_free(run);
      bench_free(&b);
    }
}

/* Oracle: theta_PO = -a_0/(2 a_1), a_0 = 4, a_1 = 0.5; V'' = 2 a_1 = 1. */
static void test_perfgd__optimum_of_the_linear_bed(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: linear}", "{kind: location, epsilon: 0.5}");
  const sprint_real start = 3;
  sprint_run *run = bench_run(&b, "{method: perfgd-full, step: {size: 0.2}, stop: {epochs: 300}}", &start);
  CLOSE(sprint_run_theta(run)[0], -4, 60);
  sprint_run_free(run);
  bench_free(&b);
}

/* By hand, at theta = 10 with z = 2 (base 1 under epsilon = 0.1, deployed 10): grad_theta = 8, grad_x = -8, pulled
 * back -0.8. */
static void test_perfgd__told_by_hand(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: mean}", "{kind: location, epsilon: 0.1}");
  const sprint_real start = 10, x[1] = {2};
  const uint32_t who[1] = {0}, nobody[1] = {N};
  MUST(b.context, bench_start(&b, "{method: {kind: perfgd, batch: 1}, step: {size: 0.5}}", &start, 1));
  sprint_want want = ask(&b);
  assert_true(want.kind == SPRINT_WANT_BATCH && want.n == 1 && want.deploy);
  sprint_records records = {.size = sizeof records, .n = 1, .x = x, .y = zeros};
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "`who` was expected", sprint_solver_tell(b.solver, &records));
  records.who = nobody;
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "individual 6", sprint_solver_tell(b.solver, &records));
  records.who = who;
  MUST(b.context, sprint_solver_tell(b.solver, &records));
  CLOSE(sprint_solver_direction(b.solver)[0], 8 - 0.8, 4);
  CLOSE(sprint_solver_theta(b.solver)[0], 10 - 3.6, 4);
  assert_int_equal(sprint_solver_counters(b.solver).ifo, 1);
  bench_free(&b);
}

/* Everybody, in two pieces: mean(theta - z) (1 - 0.1) = 0.9 (10 - 5). */
static void test_perfgd__full_told_in_pieces(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: mean}", "{kind: location, epsilon: 0.1}");
  const sprint_real start = 10;
  sprint_real x[N];
  const uint32_t who[N] = {0, 1, 2, 3, 4, 5};
  MUST(b.context, bench_start(&b, "{method: perfgd-full, step: {size: 0.5}}", &start, 1));
  assert_int_equal(ask(&b).kind, SPRINT_WANT_POPULATION);
  MUST(b.context, sprint_shift_respond(b.shift, &start, who, N, x));
  sprint_records records = {.size = sizeof records, .n = 2, .x = x, .y = zeros};
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "`who` was expected", sprint_solver_tell(b.solver, &records));
  records.who = who;
  MUST(b.context, sprint_solver_tell(b.solver, &records));
  records = (sprint_records){.size = sizeof records, .n = 4, .x = x + 2, .y = zeros, .who = who + 2, .last = true};
  MUST(b.context, sprint_solver_tell(b.solver, &records));
  CLOSE(sprint_solver_direction(b.solver)[0], 0.9 * 5, 8);
  assert_int_equal(sprint_solver_counters(b.solver).ifo, 2 * N);
  bench_free(&b);
}

/* Oracle: for a linear score dx_S/dw_S = -alpha I (good: the class whose log-odds are minus the output), so that `pull`
 * is -alpha times the sum of u_S, whatever theta: to some roundings of a sum of 200 terms of order one. */
static void test_perfgd__strategic_pull_of_a_linear_score(void **state) {
  (void)state;
  enum { PEOPLE = 200, D = 10 };
  struct world w = world_new("{kind: lending, n: 2000, select: balanced, size: 200}",
                             "{layers: dense 1, loss: logistic}", "{kind: strategic, good: 0, alpha: 0.4}");
  static sprint_real u[PEOPLE * D];
  sprint_real theta[D + 1];
  double pulled[D + 1] = {0}, sums[D] = {0};
  for (size_t i = 0; i < PEOPLE * D; i++) {
    u[i] = (sprint_real)sin((double)i);
    sums[i % D] += (double)u[i];
  }
  MUST(w.context, sprint_model_start(w.model, 2, theta));
  assert_true(sprint__shift_pulls(w.shift));
  w.shift->ops->pull(w.shift, theta, sprint_population_y(w.population), PEOPLE, sprint_population_x(w.population), u,
                     pulled);
  for (size_t j = 0; j < D; j++) CLOSE(pulled[j], -0.4 * sums[j], 2000);
  CLOSE(pulled[D], 0, 2000);
  world_free(&w);
}

static void no_gradient(void *user, const sprint_real *theta, const sprint_real *x, const sprint_real *y, size_t n,
                        double *ret_loss, sprint_real *ret_gradient) {
  (void)user;
  (void)theta;
  (void)x;
  (void)y;
  (void)n;
  (void)ret_loss;
  (void)ret_gradient;
}

/* A model by callbacks has no gradient in the features. */
static void test_perfgd__needs_gradients_in_features(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: mean}", NULL);
  sprint_model_callbacks callbacks = {
      .size = sizeof callbacks, .n_params = 1, .n_features = 1, .gradient = no_gradient};
  sprint_model_free(b.model);
  b.model = NULL;
  MUST(b.context, sprint_model_new_custom(b.context, &callbacks, &b.model));
  MUST(b.context, sprint_shift_new(b.context, "{kind: location, epsilon: 0.5}", b.model, b.population, &b.shift));
  bench_refused(&b, "{method: perfgd}", "needs the loss's gradient in the features, which this model lacks");
  bench_refused(&b, "{method: two-stage}", "needs the loss's gradient in the features, which this model lacks");
  bench_free(&b);
}

static void test_perfgd__refusals(void **state) {
  (void)state;
  static const char *const shifts[] = {
      "{kind: retention}",
      "{kind: strategic, good: 0, memory: accumulating}",
      "{kind: chain, first: {kind: strategic, good: 0}, then: {kind: strategic, good: 0}}",
      "{kind: both, response: {kind: strategic, good: 0}, strata: retention}",
      "{kind: strategic, good: 0, integers: [age]}",
      "{kind: strategic, good: 0, budget: 1}"};
  for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++) {
    struct world w = world_new("{kind: lending, n: 100}", "{layers: dense 1, loss: logistic}", shifts[s]);
    struct bench b = {.context = w.context, .shift = w.shift};
    bench_refused(&b, "{method: perfgd}", "'perfgd' needs the derivative of the shift");
    bench_refused(&b, "{method: perfgd-full}", "'perfgd-full' needs the derivative of the shift");
    world_free(&w);
  }
  struct bench b = bench_of(N, 1, z, "{loss: mean}", NULL);
  const sprint_real start = 10;
  REFUSED(b.context, SPRINT_ERROR_INPUT, "`shift` in sprint_solver_options was expected",
          bench_start(&b, "{method: perfgd}", &start, 1));
  bench_free(&b);
}

/* A step is not begun that the budget has no room for; where nobody reacts, perfgd-full is rgd. */
static void test_perfgd__budget_and_none(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: mean}", "{kind: location, epsilon: 0.5}");
  const sprint_real start = 10;
  sprint_run *run = bench_run(&b, "{method: perfgd-full, stop: {ifo: 30}}", &start);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_IFO);
  assert_true(last_row(run)->cost.ifo == 24 && last_row(run)->cost.steps == 2);
  sprint_run_free(run);
  bench_free(&b);
  b = bench_of(N, 1, z, "{loss: mean}", "none");
  run = bench_run(&b, "{method: perfgd-full, step: {size: 0.5}, stop: {epochs: 3}}", &start);
  CLOSE(sprint_run_theta(run)[0], 4 + 6.0 / 8, 8);
  assert_int_equal(last_row(run)->cost.ifo, 3 * N);
  sprint_run_free(run);
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_perfgd__optimum_of_the_ridge_bed),
      cmocka_unit_test(test_perfgd__optimum_of_the_linear_bed),
      cmocka_unit_test(test_perfgd__told_by_hand),
      cmocka_unit_test(test_perfgd__full_told_in_pieces),
      cmocka_unit_test(test_perfgd__strategic_pull_of_a_linear_score),
      cmocka_unit_test(test_perfgd__needs_gradients_in_features),
      cmocka_unit_test(test_perfgd__refusals),
      cmocka_unit_test(test_perfgd__budget_and_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
