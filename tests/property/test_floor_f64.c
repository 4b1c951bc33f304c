/* Where methods come to rest: SGD-GD on a floor that grows with the step, the unbiased variance-reduced methods nowhere
 * but at the stable point. Ridge regression under the linear best response x - epsilon theta, a location family:
 * strongly convex, its stable point found by RGD. */
#include "help.h"

#include "base/vector.h"

static struct world scene(void) {
  return world_new("{kind: lending, n: 100}", "{layers: dense 1, loss: squared, l2: 0.1}",
                   "{kind: linear, epsilon: 0.2}");
}

static double final_gradient(struct world *w, const char *spec, uint64_t seed) {
  sprint_run *run = run_done(w, spec, seed);
  double gradient = last_row(run)->gradient_sq;
  sprint_run_free(run);
  return gradient;
}

static void test_floor__none_where_variance_is_reduced(void **state) {
  (void)state;
  static const char *const methods[] = {
      "{kind: sprint, correction: unbiased, batch: 10}",
      "{kind: sprint, correction: coupled, batch: 10}",
      "{kind: saga, batch: 10}",
      "{kind: sarah, batch: 10}",
      "{kind: spider, batch: 10, length: 1}",
      "{kind: page, batch: 10}",
      "{kind: sprint, correction: unbiased, batch: 10, snapshot: growing, sample: 20}",
      "rgd",
  };
  struct world w = scene();
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    char spec[256];
    snprintf(spec, sizeof spec,
             "{method: %s, step: {size: 0.01}, stop: {epochs: %d}, eval: {every: 1000, bias: false}}", methods[m],
             strcmp(methods[m], "rgd") ? 1000 : 20000);
    double gradient = final_gradient(&w, spec, 1);
    print_message("%s: |grad J|^2 = %.3g\n", methods[m], gradient);
    assert_true(gradient < 1e-20);
  }
  world_free(&w);
}

/* The same with every unbiased method by lazy deployment, which changes what an epoch's steps see, but not where they
 * rest: at a stable point, deployed, nobody moves. */
static void test_floor__none_when_lazy(void **state) {
  (void)state;
  static const char *const methods[] = {"{kind: sprint, correction: unbiased, batch: 10}", "{kind: sarah, batch: 10}",
                                        "{kind: saga, batch: 10}"};
  struct world w = scene();
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
    for (int k = 0; k <= 3; k += 3) { /* K = m, and K = 3 */
      char spec[256];
      snprintf(spec, sizeof spec,
               "{method: %s, step: {size: 0.01}, deploy: {kind: every, steps: %d}, stop: {epochs: 1000}, "
               "eval: {every: 1000, bias: false}}",
               methods[m], k);
      assert_true(final_gradient(&w, spec, 1) < 1e-20);
    }
  world_free(&w);
}

/* The mean of |grad J|^2 over the last epochs of a long run. */
static double sgd_floor(struct world *w, const char *method, const char *step) {
  enum { EPOCHS = 400, LAST = 300 };
  char spec[256];
  snprintf(spec, sizeof spec, "{method: %s, step: {size: %s}, stop: {epochs: %d}}", method, step, EPOCHS);
  sprint_run *run = run_done(w, spec, 1);
  double sum = 0;
  for (size_t r = EPOCHS + 1 - LAST; r <= EPOCHS; r++) sum += sprint_run_row(run, r)->gradient_sq / LAST;
  sprint_run_free(run);
  return sum;
}

/* To first order the floor is proportional to the step and to 1/b. 300 rows, some tens of which are independent of each
 * other at the smaller step, leave an error of about a fifth; the next order adds some percent: half to twice as much
 * is far beyond both. */
static void test_floor__of_sgd_scales_with_the_step(void **state) {
  (void)state;
  struct world w = scene();
  double large = sgd_floor(&w, "{kind: sgd, batch: 4}", "0.04"), small = sgd_floor(&w, "{kind: sgd, batch: 4}", "0.01");
  double more = sgd_floor(&w, "{kind: sgd, batch: 16}", "0.04");
  print_message("floor at 0.04: %.3g, at 0.01: %.3g, with four times the batch: %.3g\n", large, small, more);
  assert_true(large / small > 2 && large / small < 8);
  assert_true(large / more > 2 && large / more < 8);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floor__none_where_variance_is_reduced),
      cmocka_unit_test(test_floor__none_when_lazy),
      cmocka_unit_test(test_floor__of_sgd_scales_with_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
