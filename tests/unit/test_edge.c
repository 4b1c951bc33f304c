/* The edge of stability against closed forms: on the mean test bed grad J(theta; theta) = theta - mean(z) - A theta +
 * lambda theta, whose derivative is (1 + lambda) I - A. */
#include "help.h"

#include "assess/edge.h"
#include "model/model.h"

static double curvature_of(const char *data, const char *model, const char *shift, double scale) {
  struct world w = world_new(data, model, shift);
  sprint_real theta[16];
  double curvature = 0;
  for (size_t i = 0; i < w.model->n_params; i++) theta[i] = (sprint_real)(scale * (1 + (double)i));
  uint64_t evals = w.shift->evals;
  MUST(w.context, sprint__edge_curvature(w.shift, theta, &curvature));
  assert_true(w.shift->evals == evals);
  world_free(&w);
  return curvature;
}

/* A linear derivative: a central difference is exact up to roundings of gradients about 10 over a distance of 0.005
 * (single precision) or 6e-6. */
static void assert_near(double got, double expected) {
  double bound = sizeof(sprint_real) == 8 ? 1e-8 : 3e-3;
  if (!(fabs(got - expected) <= bound)) fail_msg("%.9g, expected %.9g", got, expected);
}

static void test_edge__of_the_mean(void **state) {
  (void)state;
  static const char data[] = "{kind: gaussian, n: 500, d: 2, standardize: none}";
  assert_near(curvature_of(data, "{loss: mean}", "none", 1), 1);
  assert_near(curvature_of(data, "{loss: mean, l2: 0.5}", "none", 1), 1.5);
  assert_near(curvature_of(data, "{loss: mean}", "{kind: location, epsilon: 0.25}", 1), 0.75);
  /* beyond 1 the population runs away faster than theta follows: no step size is stable */
  assert_near(curvature_of(data, "{loss: mean}", "{kind: location, epsilon: 3}", 1), -2);
}

/* Of nothing finite there is nothing to say. */
static void test_edge__of_what_diverged(void **state) {
  (void)state;
  assert_true(isnan(curvature_of("{kind: gaussian, n: 500, d: 2, standardize: none}", "{loss: mean}", "none", NAN)));
}

/* The largest step that is stable is 2 over it: gradient descent just below stays, just above leaves. The population of
 * one stratum is smaller than a sample, so that both see the same. */
static void test_edge__is_where_descent_turns(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, n: 900}", "{layers: 'dense 1', loss: logistic, l2: 0.05}",
                             "{kind: strategic, alpha: 0.5, good: '0'}");
  sprint_run *run = run_done(&w, "{method: rgd, step: {size: 0.5}, stop: {epochs: 0, steps: 3000}}", 1);
  double curvature = 0, gradient_sq = last_row(run)->gradient_sq;
  MUST(w.context, sprint__edge_curvature(w.shift, sprint_run_theta(run), &curvature));
  assert_true(curvature > 0 && gradient_sq < 1e-9);
  for (int above = 0; above < 2; above++) {
    char spec[128];
    snprintf(spec, sizeof spec, "{method: rgd, step: {size: %.9g}, stop: {epochs: 0, steps: 400}}",
             (above ? 2.2 : 1.8) / curvature);
    sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 1, .shift = w.shift};
    sprint_real start[16];
    for (size_t i = 0; i < w.model->n_params; i++) start[i] = sprint_run_theta(run)[i] + (sprint_real)0.01;
    options.theta = start;
    sprint_run *other = NULL;
    MUST(w.context, sprint_run_new(w.context, &options, &other));
    MUST(w.context, sprint_run_go(other, NULL, NULL));
    double ratio = last_row(other)->gradient_sq / sprint_run_row(other, 0)->gradient_sq;
    assert_true(above ? ratio > 10 : ratio < 0.1);
    sprint_run_free(other);
  }
  sprint_run_free(run);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edge__of_the_mean),
      cmocka_unit_test(test_edge__of_what_diverged),
      cmocka_unit_test(test_edge__is_where_descent_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
