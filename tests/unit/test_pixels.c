/* Runs on images that are mostly zero, where the solver steps on lists of pixels and exact losses follow the steps,
 * against the same runs on the same numbers as plain features: the slow twin. */
#define _GNU_SOURCE
#include "pixels_help.h"

enum { EPOCHS = 2 };

static void compare_methods(const char *model, const char *shift, size_t batch) {
  static const char *const methods[] = {"kind: sgd", "kind: sprint, correction: paper",
                                        "kind: sprint, correction: coupled", "kind: sprint, correction: stratified",
                                        "kind: sprint, correction: unbiased"};
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    char spec[256];
    snprintf(spec, sizeof spec, "{method: {%s, batch: %zu}, step: {size: %g}, stop: {epochs: %d}, eval: {every: %d}}",
             methods[m], batch, batch < 5 ? 0.004 : 0.02, EPOCHS, EPOCHS);
    compare(model, shift, spec);
  }
}

static void test_pixels__small_batches(void **state) {
  (void)state;
  compare_methods(network, "{kind: retention, alpha: 0.5, losses: snapshot}", 1);
  compare_methods(smooth, "{kind: retention, alpha: 0.5, losses: snapshot}", 3);
  compare_methods(network, "none", 1);
  compare_methods(deep, "{kind: retention, alpha: 0.5, losses: snapshot}", 2);
  compare_methods(network, "{kind: retention, alpha: 0.5, losses: snapshot}", 8);
}

static void test_pixels__large_batches(void **state) {
  (void)state;
  compare_methods(network, "{kind: retention, alpha: 0.5, losses: snapshot}", 40);
  compare_methods(network, "{kind: retention, alpha: 0.5, losses: snapshot}", 130); /* W gets them in two parts */
  compare_methods(smooth, "{kind: retention, alpha: 2, losses: probe, probe: 20}", 7);
  compare_methods(network, "{kind: retention, alpha: 2, losses: running}", 16);
  compare_methods(deep, "{kind: retention, alpha: 0.5, losses: snapshot}", 40);
}

static void test_pixels__exact_losses_follow(void **state) {
  (void)state;
  compare_methods(network, "{kind: retention, alpha: 0.5, losses: exact}", 16);
  compare_methods(smooth, "{kind: retention, alpha: 3, losses: exact}", 2);
  compare(network, "{kind: retention, alpha: 0.5, losses: exact}",
          "{method: {batch: 16}, step: {size: 0.02}, stop: {epochs: 2}, engine: {memory: 0}}");
  compare_methods(deep_relu, "{kind: retention, alpha: 0.5, losses: exact}", 16);
  /* more rows in an epoch than W may be owed */
  compare(network, "{kind: retention, alpha: 0.5, losses: exact}",
          "{method: {kind: sprint, correction: paper, batch: 16, inner: 110}, step: {size: 0.004}, stop: {epochs: 2}}");
}

/* Several steps between two deployments: pending ones pile up. */
static void test_pixels__lazy_deployment(void **state) {
  (void)state;
  compare(network, "{kind: retention, alpha: 1, losses: exact}",
          "{method: {kind: sprint, correction: paper, batch: 8}, deploy: {kind: every, steps: 3}, step: {size: 0.02}, "
          "stop: {epochs: 2}}");
  compare(network, "{kind: retention, alpha: 1, losses: snapshot}",
          "{method: {kind: sprint, correction: paper, batch: 1}, deploy: {kind: every, steps: 5}, step: {size: 0.004}, "
          "stop: {epochs: 2}}");
  /* later epochs begin with steps that W lacks when everybody's losses are first asked for */
  compare(network, "{kind: retention, alpha: 5, losses: exact}",
          "{method: {kind: sgd, batch: 2}, deploy: {kind: every, steps: 37}, step: {size: 0.02}, stop: {epochs: 3}}");
  /* the strata probabilities of the later epochs are known some steps after they begin */
  compare(network, "{kind: retention, alpha: 5, losses: snapshot}",
          "{method: {kind: sgd, batch: 2}, deploy: {kind: every, steps: 37}, step: {size: 0.004}, stop: {epochs: 3}}");
}

/* A composition, whose parts may want to hear of deployments in the middle of batches that were drawn ahead. */
static void test_pixels__chains(void **state) {
  (void)state;
  compare_methods(network, "{kind: chain, first: none, then: {kind: retention, alpha: 0.5, losses: snapshot}}", 3);
  compare_methods(network, "{kind: chain, first: {kind: retention, alpha: 0.5}, then: {kind: retention, alpha: 1}}",
                  16);
}

/* Asked in the middle of an epoch: what is shown is all of theta, though most of it is owed. The second time the run
 * is asked to end. */
static bool look(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *now) {
  struct result *seen = user;
  if (row) return true;
  bool again = seen->n_params > 0;
  seen->n_params = sprint_model_n_params(run->shift->model);
  seen->last.cost = *now;
  memcpy(seen->theta, sprint_run_theta(run), seen->n_params * sizeof(sprint_real));
  return !again;
}

static void start(sprint_context *context, const sprint_population *people, const char *shift, uint64_t steps,
                  sprint_model **ret_model, sprint_shift **ret_shift, sprint_run **ret_run) {
  char spec[256];
  snprintf(spec, sizeof spec,
           "{method: {kind: sprint, correction: paper, batch: 3, inner: 2000000}, step: {size: 0.00001}, stop: {steps: "
           "%llu}}",
           (unsigned long long)steps);
  MUST(context, sprint_model_new(context, network, people, ret_model));
  MUST(context, sprint_shift_new(context, shift, *ret_model, people, ret_shift));
  sprint_run_options options = {.size = sizeof options, .spec = spec, .shift = *ret_shift};
  MUST(context, sprint_run_new(context, &options, ret_run));
}

static void check_looks(const char *kind) {
  static struct result seen;
  seen.n_params = 0;
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_population *images = load_images(context), *plain = as_features(context, images);
  sprint_model *model = NULL, *twin_model = NULL;
  sprint_shift *shift = NULL, *twin_shift = NULL;
  sprint_run *run = NULL, *twin = NULL;
  start(context, images, kind, 2000000, &model, &shift, &run);
  MUST(context, sprint_run_go(run, look, &seen));
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_REQUESTED);
  assert_true(seen.last.cost.steps > 0);
  start(context, plain, kind, seen.last.cost.steps, &twin_model, &twin_shift, &twin);
  MUST(context, sprint_run_go(twin, NULL, NULL));
  const sprint_real *theta = sprint_run_theta(twin), *end = sprint_run_theta(run);
  for (size_t i = 0; i < seen.n_params; i++) CLOSE(seen.theta[i], theta[i], ROUNDINGS);
  assert_memory_equal(seen.theta, end, seen.n_params * sizeof *end);
  sprint_run_free(run);
  sprint_run_free(twin);
  sprint_shift_free(shift);
  sprint_shift_free(twin_shift);
  sprint_model_free(model);
  sprint_model_free(twin_model);
  sprint_population_free(plain);
  sprint_population_free(images);
  sprint_context_free(context);
}

static void test_pixels__shows_theta_whole(void **state) {
  (void)state;
  check_looks("none");
  check_looks("{kind: retention, alpha: 0.5, losses: exact}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pixels__small_batches),
      cmocka_unit_test(test_pixels__large_batches),
      cmocka_unit_test(test_pixels__exact_losses_follow),
      cmocka_unit_test(test_pixels__lazy_deployment),
      cmocka_unit_test(test_pixels__chains),
      cmocka_unit_test(test_pixels__shows_theta_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
