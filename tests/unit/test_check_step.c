/* The largest stable step, where it is known: on the mean test bed theta - gamma (1 - epsilon) e shrinks while
 * gamma (1 - epsilon) < 2, whatever the method and the draws. */
#include "experiment_help.h"

static sprint_step_check check(sprint_context *context, const char *text, const sprint_step_options *options) {
  sprint_step_check found = {.size = sizeof found};
  sprint_experiment *experiment = experiment_of(context, text);
  MUST(context, sprint_experiment_check_step(experiment, 0, 0, options, &found));
  sprint_experiment_free(experiment);
  return found;
}

/* v := H v over and over, H = sum_i w_i (x_i, 1)(x_i, 1)' / n + l2 in all but the offset; returns its length in the
 * end. */
static double iterate(const sprint_population *population, const double *w, double l2) {
  size_t n = sprint_population_n(population), d = sprint_population_n_features(population);
  const sprint_real *x = sprint_population_x(population);
  double v[32] = {0}, next[32], length = 0;
  for (size_t j = 0; j <= d; j++) v[j] = 1 + 0.1 * (double)j;
  for (int k = 0; k < 2000; k++) {
    for (size_t j = 0; j <= d; j++) next[j] = l2 * v[j];
    for (size_t i = 0; i < n; i++) {
      double dot = v[d];
      for (size_t j = 0; j < d; j++) dot += (double)x[i * d + j] * v[j];
      for (size_t j = 0; j < d; j++) next[j] += w[i] * dot * (double)x[i * d + j] / (double)n;
      next[d] += w[i] * dot / (double)n;
    }
    length = 0;
    for (size_t j = 0; j <= d; j++) length += next[j] * next[j];
    length = sqrt(length);
    for (size_t j = 0; j <= d; j++) v[j] = next[j] / length;
  }
  return length;
}

/* Of (f - y)^2 / 2 or (f - y)^2: the loss's own second derivative is measured. */
static double largest_eigenvalue(const sprint_population *population, double l2) {
  double w[400];
  for (size_t i = 0; i < 400; i++) w[i] = 1;
  return iterate(population, w, l2);
}

static double logistic_eigenvalue(sprint_context *context, sprint_experiment *experiment, double l2) {
  const sprint_population *population = sprint_experiment_population(experiment);
  size_t n = sprint_population_n(population), d = sprint_population_n_features(population);
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  MUST(context, sprint_experiment_parts(experiment, 0, 0, &model, &shift));
  sprint_real theta[32] = {0};
  double gradient[32], w[400];
  for (int k = 0; k < 3000; k++) {
    MUST(context, sprint_risk(shift, theta, theta, NULL, NULL, gradient));
    for (size_t j = 0; j <= d; j++) theta[j] -= (sprint_real)(0.3 * gradient[j]);
  }
  const sprint_real *x = sprint_population_x(population);
  for (size_t i = 0; i < n; i++) {
    double f = (double)theta[d];
    for (size_t j = 0; j < d; j++) f += (double)(theta[j] * x[i * d + j]);
    w[i] = 1 / (2 + exp(f) + exp(-f));
  }
  sprint_shift_free(shift);
  sprint_model_free(model);
  return iterate(population, w, l2);
}

/* What stays and what is left lie within a factor of 2^(1/4) of each other, and of the edge as far as 40 epochs tell:
 * (1.05)^40 is seven times, which has not left yet. */
static void test_check_step__finds_the_edge(void **state) {
  (void)state;
  static const char *const methods[] = {"rgd", "{kind: sgd, batch: 20}", "{kind: sprint, batch: 20}",
                                        "{kind: sarah, batch: 20}"};
  static const double steps[] = {0.01, 0.7, 40}; /* of the config: from below and from above */
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (size_t m = 0; m < 4; m++)
    for (size_t s = 0; s < 3; s++)
      for (double epsilon = -1; epsilon < 0.6; epsilon += 0.75) {
        char text[400];
        double edge = 2 / (1 - epsilon);
        snprintf(text, sizeof text,
                 "data: {kind: gaussian, n: 400, d: 2, standardize: none}\nmodel: {loss: mean}\n"
                 "shift: {kind: location, epsilon: %g}\nmethod: %s\nstep: {size: %g}\nstop: {epochs: 40}\n",
                 epsilon, methods[m], steps[s]);
        sprint_step_check found = check(context, text, NULL);
        assert_true(found.step == steps[s] && found.starts == 3 && found.planned == 40);
        assert_true((found.left == 0) == (steps[s] < edge));
        if (!(found.largest < 1.2 * edge && found.least_left > 0.84 * edge && found.least_left < 1.2 * found.largest))
          fail_msg("%s at %g: %g stayed, %g was left; the edge is %g", methods[m], steps[s], found.largest,
                   found.least_left, edge);
        if (found.left == 0) assert_true(fabs(found.edge - steps[s] * (1 - epsilon)) < 0.02 * (1 + steps[s]));
      }
  sprint_context_free(context);
}

static void test_check_step__of_methods_without_steps(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_step_check found = check(context,
                                  "data: {kind: gaussian, n: 100, d: 2, standardize: none}\nmodel: {loss: mean}\n"
                                  "shift: {kind: location, epsilon: 0.5}\nmethod: rrm\n",
                                  NULL);
  assert_true(isnan(found.step) && isnan(found.largest));
  sprint_context_free(context);
}

/* Ridge regression on a population that does not move: theta - gamma H theta with H = X'X/n + l2, whose largest
 * eigenvalue is worked out here by power iteration. Full gradients leave from 2 / lambda on; so does SPRINT with a
 * large batch, up to what its noise takes away. A factor of 1.2 covers what 60 epochs do not show, as above. */
static void test_check_step__of_ridge(void **state) {
  (void)state;
  static const char *const methods[] = {"rgd", "{kind: sprint, batch: 200, inner: 4}"};
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (size_t m = 0; m < 2; m++)
    for (double size = 1e-3; size < 20; size *= 100) {
      char text[400];
      snprintf(text, sizeof text,
               "data: {kind: lending, n: 400}\nmodel: {layers: dense 1, loss: squared, l2: 0.5}\n"
               "method: %s\nstep: {size: %g}\nstop: {epochs: 60}\n",
               methods[m], size);
      sprint_experiment *experiment = experiment_of(context, text);
      double edge = 2 / largest_eigenvalue(sprint_experiment_population(experiment), 0.5);
      sprint_step_check found = {.size = sizeof found};
      MUST(context, sprint_experiment_check_step(experiment, 0, 0, NULL, &found));
      if (!(found.largest < 1.2 * edge && found.largest > edge / 1.5 && (found.left == 0) == (size < edge)))
        fail_msg("%s at %g: %g stayed, %g was left; the edge is %g", methods[m], size, found.largest, found.least_left,
                 edge);
      sprint_experiment_free(experiment);
    }
  sprint_context_free(context);
}

/* The logistic loss bends less the farther theta is, so that a step beyond 2 / lambda swings for ever instead of
 * leaving: lambda is that of the Hessian at the stable point, found here by small steps. */
static void test_check_step__of_logistic_regression(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (double size = 0.05; size < 20; size *= 20) {
    char text[400];
    snprintf(text, sizeof text,
             "data: {kind: lending, n: 400}\nmodel: {layers: dense 1, loss: logistic, l2: 0.1}\n"
             "method: rgd\nstep: {size: %g}\nstop: {epochs: 400}\n",
             size);
    sprint_experiment *experiment = experiment_of(context, text);
    double edge = 2 / logistic_eigenvalue(context, experiment, 0.1);
    sprint_step_check found = {.size = sizeof found};
    MUST(context, sprint_experiment_check_step(experiment, 0, 0, NULL, &found));
    if (!(found.largest < 1.2 * edge && found.largest > edge / 1.5))
      fail_msg("at %g: %g stayed, %g was left; the edge is %g", size, found.largest, found.least_left, edge);
    sprint_experiment_free(experiment);
  }
  sprint_context_free(context);
}

/* What a whole run costs is what it then costs, also where the check has cut its own runs short. */
static void test_check_step__foresees_the_cost(void **state) {
  (void)state;
  static const char *const stops[] = {"epochs: 30", "{epochs: 0, ifo: 90000}", "{epochs: 0, deployments: 900}"};
  static const char *const methods[] = {"sgd", "sprint", "rgd"};
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (size_t k = 0; k < 9; k++) {
    char text[400];
    const char *stop = stops[k / 3];
    snprintf(text, sizeof text,
             "data: {kind: lending, n: 1000}\nmodel: {layers: dense 1, loss: logistic}\n"
             "method: %s\nstop: %s%s%s\neval: {every: 2}\n",
             methods[k % 3], *stop == '{' ? "" : "{", stop, *stop == '{' ? "" : "}");
    sprint_experiment *experiment = experiment_of(context, text);
    sprint_step_options options = {.size = sizeof options, .effort = k % 2 ? 1e6 : 1e7};
    sprint_step_check found = {.size = sizeof found};
    MUST(context, sprint_experiment_check_step(experiment, 0, 0, &options, &found));
    sprint_run *run = NULL;
    MUST(context, sprint_experiment_start(experiment, 0, 0, 0, &run));
    MUST(context, sprint_run_go(run, NULL, NULL));
    const sprint_trace_row *last = sprint_run_row(run, sprint_run_n_rows(run) - 1);
    assert_true(found.epochs < last->epoch); /* it was cut */
    /* the last epoch may be cut where the budget ends, or a snapshot not begun: one epoch of the run's own */
    double slack = 1.01 / last->epoch;
    if (!(fabs((double)found.cost.ifo / (double)last->cost.ifo - 1) < slack))
      fail_msg("%s, %s: IFO %llu, then %llu", methods[k % 3], stop, (unsigned long long)found.cost.ifo,
               (unsigned long long)last->cost.ifo);
    assert_true(fabs((double)found.cost.samples / (double)last->cost.samples - 1) < slack);
    assert_true(fabs((double)found.cost.deployments / (double)last->cost.deployments - 1) < slack);
    assert_true(fabs(found.planned - last->epoch) <= 1);
    assert_true(fabs(found.rows - (double)sprint_run_n_rows(run)) <= 1);
    sprint_run_free(run);
    sprint_experiment_free(experiment);
  }
  sprint_context_free(context);
}

/* The same twice, at any number of threads, and nothing of the experiment has changed by it: a run is the same before
 * and after. */
static void test_check_step__is_repeatable(void **state) {
  (void)state;
  static const char text[] =
      "data: {kind: lending, n: 2000}\nmodel: {layers: 'dense 16, relu, dense 1', loss: logistic}\n"
      "shift: {kind: strategic, good: '1', alpha: 0.4}\nmethod: {kind: sprint, correction: paper, batch: 20}\n"
      "step: {size: 0.2}\nstop: {epochs: 5}\n";
  sprint_step_check found[3];
  for (int i = 0; i < 3; i++) {
    sprint_context *context;
    assert_int_equal(sprint_context_new(&context), SPRINT_OK);
    MUST(context, sprint_context_set_threads(context, i + 1));
    found[i] = check(context, text, NULL);
    found[i].epoch_seconds = 0;
    sprint_context_free(context);
    if (i) assert_memory_equal(&found[i], &found[0], sizeof found[0]);
  }
}

/* Little effort cuts the runs short, and more starts than seeds are found. */
static void test_check_step__effort(void **state) {
  (void)state;
  static const char text[] =
      "data: {kind: lending, n: 2000}\nmodel: {layers: 'dense 16, relu, dense 1', loss: logistic}\n"
      "method: {kind: sgd, batch: 20}\nstop: {epochs: 50}\nseeds: [4]\n";
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_step_options options = {.size = sizeof options, .starts = 2, .effort = 1e8};
  sprint_step_check found = check(context, text, &options);
  assert_true(found.starts == 2 && found.planned == 50 && found.epochs < 50 && found.epochs >= 0.2);
  assert_true(found.largest >= 0.1 && found.epoch_seconds > 0);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_check_step__finds_the_edge),
      cmocka_unit_test(test_check_step__of_methods_without_steps),
      cmocka_unit_test(test_check_step__of_ridge),
      cmocka_unit_test(test_check_step__of_logistic_regression),
      cmocka_unit_test(test_check_step__foresees_the_cost),
      cmocka_unit_test(test_check_step__is_repeatable),
      cmocka_unit_test(test_check_step__effort),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
