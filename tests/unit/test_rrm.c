/* Repeated risk minimisation: closed forms of the mean bed, and an argmin found by Newton's method here. */
#include "bench_help.h"

enum { N = 6 };
static const sprint_real z[N] = {1, 2, 3, 4, 5, 9}; /* mean 4 */
static const sprint_real zeros[N];

/* What a tolerance of 0 stands for. */
static const double tolerance = sizeof(sprint_real) == 8 ? 1e-9 : 1e-5;

/* Oracle: the inner problem is (theta - 4 - epsilon theta')^2/2 + l2/2 theta^2 + lambda/2 (theta - theta')^2 +
 * constant, so that e_{s+1} = (epsilon + lambda)/(1 + l2 + lambda) e_s, e = theta - theta_PS, theta_PS = 4/(1 - epsilon
 * + l2). A minimisation is off by tolerance * max(1, |theta|) / (1 + l2 + lambda) at most, and the errors of all rounds
 * add up to less than tolerance * 20 / (1 - factor), as |theta| < 20; rounding adds a few units of theta's. */
static void check_contraction(const char *inner, double epsilon, double l2, double lambda) {
  char model[64], shift[64], spec[200];
  snprintf(model, sizeof model, "{loss: mean, l2: %g}", l2);
  snprintf(shift, sizeof shift, "{kind: location, epsilon: %g}", epsilon);
  double factor = (epsilon + lambda) / (1 + l2 + lambda), stable = 4 / (1 - epsilon + l2), away = 10 - stable;
  struct bench b = bench_of(N, 1, z, model, shift);
  const sprint_real start = 10;
  for (int rounds = 1; rounds <= 4; rounds++) {
    snprintf(spec, sizeof spec, "{method: {kind: rrm, %s, proximal: %g}, stop: {epochs: %d}}", inner, lambda, rounds);
    sprint_run *run = bench_run(&b, spec, &start);
    const sprint_counters *cost = &last_row(run)->cost;
    away *= factor;
    CLOSE(sprint_run_theta(run)[0] - stable, away,
          20 + 20 * tolerance / (1 - fabs(factor)) / (sizeof(sprint_real) == 8 ? 2.3e-16 : 1.2e-7));
    assert_true(cost->steps == (uint64_t)rounds && cost->deployments == (uint64_t)rounds && cost->unsolved == 0);
    assert_true(cost->samples == (uint64_t)(N * rounds) && cost->ifo >= 2 * cost->samples);
    sprint_run_free(run);
  }
  bench_free(&b);
}

static void test_rrm__contracts_as_the_closed_form(void **state) {
  (void)state;
  check_contraction("inner_solver: lbfgs", 0.5, 0, 0);
  check_contraction("inner_solver: lbfgs", -0.7, 0, 0);
  check_contraction("inner_solver: lbfgs", 0.5, 0.25, 0);
  check_contraction("inner_solver: lbfgs", 0.5, 0, 1.5);
  check_contraction("inner_solver: lbfgs", 0.5, 0.25, 1.5);
  check_contraction("inner_solver: lbfgs", -3, 0, 1.5); /* which without the proximal term diverges */
  check_contraction("inner_solver: gradient, size: 0.8, steps: 60", 0.5, 0.25,
                    0);                                                         /* solves at once: 0.8 (1 + l2) = 1 */
  check_contraction("inner_solver: gradient, size: 0.3, steps: 60", 0.5, 0, 1); /* 0.4 of the error a step is left */
}

/* Logistic regression with a ridge on all parameters, by Newton's method in double: l = log(1 + exp(f)) - y f. */
enum { PEOPLE = 200, FEATURES = 10, PARAMS = FEATURES + 1 };
#define RIDGE 0.1

static double linear_at(const double *theta, const sprint_real *x) {
  double f = theta[FEATURES];
  for (size_t j = 0; j < FEATURES; j++) f += theta[j] * (double)x[j];
  return f;
}

/* gradient := that of the mean loss and the ridge; hessian, unless NULL. */
static void newton_derivatives(const double *theta, const sprint_real *x, const sprint_real *y, double *gradient,
                               double (*hessian)[PARAMS]) {
  for (size_t j = 0; j < PARAMS; j++) {
    gradient[j] = RIDGE * theta[j];
    for (size_t k = 0; k < PARAMS; k++) hessian[j][k] = j == k ? RIDGE : 0;
  }
  for (size_t i = 0; i < PEOPLE; i++) {
    double p = 1 / (1 + exp(-linear_at(theta, x + i * FEATURES)));
    for (size_t j = 0; j < PARAMS; j++) {
      double a = j < FEATURES ? (double)x[i * FEATURES + j] : 1;
      gradient[j] += (p - (double)y[i]) * a / PEOPLE;
      for (size_t k = 0; k < PARAMS; k++)
        hessian[j][k] += p * (1 - p) * a * (k < FEATURES ? (double)x[i * FEATURES + k] : 1) / PEOPLE;
    }
  }
}

/* b := a^-1 b by Gauss's elimination; a is positive definite. */
static void eliminate(double (*a)[PARAMS], double *b) {
  for (size_t i = 0; i < PARAMS; i++)
    for (size_t r = 0; r < PARAMS; r++) {
      if (r == i) continue;
      double times = a[r][i] / a[i][i];
      for (size_t k = i; k < PARAMS; k++) a[r][k] -= times * a[i][k];
      b[r] -= times * b[i];
    }
  for (size_t i = 0; i < PARAMS; i++) b[i] /= a[i][i];
}

static void newton(const sprint_real *x, const sprint_real *y, double *ret_theta) {
  double hessian[PARAMS][PARAMS], step[PARAMS];
  memset(ret_theta, 0, PARAMS * sizeof *ret_theta);
  for (int k = 0; k < 30; k++) {
    newton_derivatives(ret_theta, x, y, step, hessian);
    eliminate(hessian, step);
    for (size_t j = 0; j < PARAMS; j++) ret_theta[j] -= step[j];
  }
}

/* Oracle: Newton's argmin on the records that the deployment made, two rounds of them. The problem is 0.1-strongly
 * convex, so that theta is within |gradient| / 0.1 of the argmin; |gradient| <= tolerance * max(1, |theta|), |theta| <
 * 4, and sums of 200 rows round it by less than 200 units. Where the two differ after a round, so do the records of the
 * next one, by alpha times as much: twice the bound holds both. */
static void test_rrm__argmin_is_newtons(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, n: 2000, select: balanced, size: 200}",
                             "{layers: dense 1, loss: logistic, l2: 0.1, l2_biases: true}",
                             "{kind: strategic, good: 0, alpha: 0.4}");
  static sprint_real x[PEOPLE * FEATURES], deployed[PARAMS];
  uint32_t who[PEOPLE];
  double expected[PARAMS], rounding = 200 * (sizeof(sprint_real) == 8 ? 2.3e-16 : 1.2e-7);
  for (uint32_t i = 0; i < PEOPLE; i++) who[i] = i;
  assert_int_equal(sprint_model_n_params(w.model), PARAMS);
  MUST(w.context, sprint_model_start(w.model, 5, deployed));
  for (int rounds = 1; rounds <= 2; rounds++) {
    char spec[100];
    snprintf(spec, sizeof spec, "{method: rrm, stop: {epochs: %d}}", rounds);
    sprint_run *run = run_done(&w, spec, 5);
    MUST(w.context, sprint_shift_respond(w.shift, deployed, who, PEOPLE, x));
    newton(x, sprint_population_y(w.population), expected);
    for (size_t j = 0; j < PARAMS; j++) {
      double got = (double)sprint_run_theta(run)[j];
      if (!(fabs(got - expected[j]) <= 2 * (4 * tolerance + rounding) / RIDGE))
        fail_msg("round %d, parameter %zu: %.10g, Newton has %.10g", rounds, j, got, expected[j]);
      deployed[j] = (sprint_real)expected[j];
    }
    assert_int_equal(last_row(run)->cost.unsolved, 0);
    assert_true(last_row(run)->cost.shift_evals == last_row(run)->cost.ifo); /* every pass makes the records anew */
    sprint_run_free(run);
  }
  world_free(&w);
}

/* A fixed point of RRM is a stable point: the gradient on D(theta) vanishes with the contraction. */
static void test_rrm__ends_at_a_stable_point(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, n: 2000, select: balanced, size: 200}",
                             "{layers: 'dense 1', loss: logistic, l2: 0.1}", "{kind: retention, alpha: 0.5}");
  sprint_run *run = run_done(&w, "{method: rrm, stop: {epochs: 25}}", 5);
  double bound = 4 * tolerance; /* |theta| < 4; the gradient at the fixed point is that of the inner problem */
  assert_true(sqrt(last_row(run)->gradient_sq) < 10 * bound);
  sprint_run_free(run);
  world_free(&w);
}

/* By hand: strata of means 2.5 and 7 with probabilities 1/4 and 3/4 have their minimum at 5.875. */
static void test_rrm__told_in_pieces(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: mean}", NULL);
  const sprint_real start = 10;
  const uint32_t stratum[N] = {0, 0, 0, 0, 1, 1};
  const double p[2] = {0.25, 0.75};
  MUST(b.context, bench_start(&b, "{method: rrm, stop: {epochs: 2}}", &start, 2));
  for (int round = 1; round <= 2; round++) {
    sprint_want want = ask(&b);
    assert_true(want.kind == SPRINT_WANT_POPULATION && want.deploy && want.deployment == (uint64_t)round);
    sprint_records
        first = {.size = sizeof first, .n = 3, .x = z, .y = zeros, .stratum = stratum, .p = p},
        rest = {.size = sizeof rest, .n = 3, .x = z + 3, .y = zeros, .stratum = stratum + 3, .p = p, .last = true};
    MUST(b.context, sprint_solver_tell(b.solver, &first));
    MUST(b.context, sprint_solver_tell(b.solver, &rest));
    CLOSE(sprint_solver_theta(b.solver)[0], 5.875, 10 + 6 * tolerance / (sizeof(sprint_real) == 8 ? 2.3e-16 : 1.2e-7));
  }
  sprint_counters cost = sprint_solver_counters(b.solver);
  assert_true(cost.samples == 2 * N && cost.deployments == 2 && cost.unsolved == 0);
  bench_free(&b);
}

static void test_rrm__keeps_no_more_than_n(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: mean}", NULL);
  const sprint_real start = 10;
  MUST(b.context, bench_start(&b, "{method: rrm}", &start, 1));
  ask(&b);
  sprint_records records = {.size = sizeof records, .n = 4, .x = z, .y = zeros};
  MUST(b.context, sprint_solver_tell(b.solver, &records));
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "a population of 8 records was told, 4 of them now; 6 were wanted",
          sprint_solver_tell(b.solver, &records));
  sprint_solver_options endless = {
      .size = sizeof endless, .spec = "{method: {kind: rrm, inner: 1}}", .model = b.model, .theta = &start};
  sprint_solver *solver = NULL;
  REFUSED(b.context, SPRINT_ERROR_INPUT, "this population has no end", sprint_solver_new(b.context, &endless, &solver));
  bench_free(&b);
}

/* Not a pass more than the budget has room for; what was not solved is counted, and theta is no worse for it. */
static void test_rrm__budgets_and_unsolved(void **state) {
  (void)state;
  struct world w =
      world_new("{kind: lending, n: 2000, select: balanced, size: 200}",
                "{layers: 'dense 4, tanh, dense 1', loss: logistic}", "{kind: strategic, good: 0, alpha: 0.1}");
  static const char *const methods[] = {"rrm", "{kind: rrm, inner_solver: gradient}"};
  for (size_t m = 0; m < 2; m++) {
    char spec[200];
    snprintf(spec, sizeof spec, "{method: %s, stop: {ifo: 1900}}", methods[m]);
    sprint_run *run = run_done(&w, spec, 5);
    const sprint_trace_row *last = last_row(run), *first = sprint_run_row(run, 0);
    assert_int_equal(sprint_run_stop(run), SPRINT_STOP_IFO);
    assert_true(last->cost.ifo == 1800 && last->cost.unsolved == 1 && last->cost.steps == 1);
    assert_true(last->loss < first->loss);
    sprint_run_free(run);
  }
  sprint_run *run = run_done(&w, "{method: {kind: rrm, steps: 2}, stop: {epochs: 3}}", 5);
  assert_true(last_row(run)->cost.unsolved == 3 && last_row(run)->cost.steps == 3);
  sprint_run_free(run);
  world_free(&w);
}

/* Past epsilon = 1 the fixed point repels; a loss without a minimum has none to find. */
static void test_rrm__diverges_honestly(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: mean}", "{kind: location, epsilon: 1.5}");
  const sprint_real start = 10;
  sprint_run *run = bench_run(&b, "{method: rrm, stop: {epochs: 1000}}", &start);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DIVERGED);
  assert_true(last_row(run)->cost.steps < 60);
  sprint_run_free(run);
  bench_free(&b);
  b = bench_of(N, 1, z, "{loss: linear}", "{kind: location, epsilon: 0.5}");
  run = bench_run(&b, "{method: rrm, stop: {epochs: 5}}", &start); /* no step satisfies the line search */
  assert_true(last_row(run)->cost.unsolved == 5 && sprint_run_theta(run)[0] == start);
  sprint_run_free(run);
  run = bench_run(&b, "{method: {kind: rrm, inner_solver: gradient, size: 1000}, stop: {epochs: 5}}", &start);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DIVERGED);
  assert_true(last_row(run)->cost.unsolved > 0);
  sprint_run_free(run);
  bench_free(&b);
}

/* theta stays in the ball: what is projected is the argmin. */
static void test_rrm__radius_and_lazy(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: mean}", "{kind: location, epsilon: 0.5}");
  const sprint_real start = 0;
  sprint_run *run = bench_run(&b, "{method: rrm, step: {radius: 3}, stop: {epochs: 5}}", &start);
  CLOSE(sprint_run_theta(run)[0], 3, 2);
  sprint_run_free(run);
  run = bench_run(&b, "{method: rrm, deploy: {kind: every, steps: 2}, stop: {epochs: 4}}", &start);
  assert_int_equal(last_row(run)->cost.deployments, 2);
  CLOSE(sprint_run_theta(run)[0], 4 + 0.5 * 4, /* two rounds from 0: 4, then 4 + 4/2 */
        20 + 20 * tolerance / (sizeof(sprint_real) == 8 ? 2.3e-16 : 1.2e-7));
  sprint_run_free(run);
  bench_free(&b);
}

/* A response that fails within a minimisation. */
static sprint_status give_up(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                             size_t n, sprint_real *x) {
  (void)deployed;
  (void)who;
  (void)y;
  int *calls = user;
  for (size_t i = 0; i < n; i++) x[i] += 1;
  return ++*calls < 6 ? SPRINT_OK : SPRINT_ERROR_IO;
}

static void test_rrm__a_failing_shift_ends_the_run(void **state) {
  (void)state;
  struct bench b = bench_of(N, 1, z, "{loss: mean}", NULL);
  int calls = 0;
  sprint_shift_callbacks callbacks = {.size = sizeof callbacks, .user = &calls, .respond = give_up};
  MUST(b.context, sprint_shift_new_custom(b.context, &callbacks, b.model, b.population, &b.shift));
  sprint_run_options options = {.size = sizeof options, .spec = "{method: rrm, stop: {epochs: 9}}", .shift = b.shift};
  sprint_run *run = NULL;
  MUST(b.context, sprint_run_new(b.context, &options, &run));
  REFUSED(b.context, SPRINT_ERROR_CALLBACK, "respond", sprint_run_go(run, NULL, NULL));
  sprint_run_free(run);
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rrm__contracts_as_the_closed_form),
      cmocka_unit_test(test_rrm__argmin_is_newtons),
      cmocka_unit_test(test_rrm__ends_at_a_stable_point),
      cmocka_unit_test(test_rrm__told_in_pieces),
      cmocka_unit_test(test_rrm__keeps_no_more_than_n),
      cmocka_unit_test(test_rrm__budgets_and_unsolved),
      cmocka_unit_test(test_rrm__diverges_honestly),
      cmocka_unit_test(test_rrm__radius_and_lazy),
      cmocka_unit_test(test_rrm__a_failing_shift_ends_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
