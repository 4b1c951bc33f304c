/* run/: the distance to a reference point, the budget of time, and how far a run is. */
#include "help.h"

#include <unistd.h>

static const char bed[] = "{kind: gaussian, n: 500, mean: 2, standardize: none}";

/* A path in /tmp that ends as asked. */
static void path_of(const char *ending, char path[64]) {
  snprintf(path, 64, "/tmp/sprint-reference-XXXXXX%s", ending);
  close(mkstemps(path, (int)strlen(ending)));
}

/* Oracle: |theta - 7.25| by hand, on every row; theta of the last one is known, and theta_0 is 0. */
static void test_reference__is_the_distance(void **state) {
  (void)state;
  char path[64], spec[256];
  struct world w = world_new(bed, "{loss: mean}", "{kind: location, epsilon: 0.5}");
  path_of(".npy", path);
  MUST(w.context, sprint_npy_write_double(w.context, path, 1, (size_t[]){1}, (double[]){7.25}));
  snprintf(spec, sizeof spec, "{method: {kind: sgd, batch: 7}, stop: {epochs: 2}, eval: {reference: %s}}", path);
  sprint_run *run = run_done(&w, spec, 3);
  assert_true(sprint_run_row(run, 0)->distance == 7.25);
  CLOSE(last_row(run)->distance, fabs((double)sprint_run_theta(run)[0] - 7.25), 1);
  assert_true(fabs((double)sprint_run_theta(run)[0]) > 0.1);
  sprint_run_free(run);
  run = run_done(&w, "{method: {kind: sgd, batch: 7}, stop: {epochs: 1}}", 3);
  assert_true(isnan(last_row(run)->distance));
  sprint_run_free(run);
  world_free(&w);
  remove(path);
}

/* A network's parameters are held in another order than in files: the distance of a run to its own saved model is 0. */
static void test_reference__of_a_saved_network(void **state) {
  (void)state;
  char path[64], spec[256];
  struct world w =
      world_new("{kind: lending, n: 60}", "{layers: 'dense 3, tanh, dense 1'}", "{kind: strategic, good: 0}");
  sprint_run *run = run_done(&w, "{method: {batch: 10}, stop: {epochs: 1}}", 1);
  path_of(".safetensors", path);
  MUST(w.context, sprint_model_write_theta(w.model, path, sprint_run_theta(run)));
  sprint_run_free(run);
  snprintf(spec, sizeof spec, "{method: {batch: 10}, stop: {epochs: 1}, eval: {reference: %s}}", path);
  run = run_done(&w, spec, 1);
  CLOSE(sprint_run_row(run, 0)->distance, last_row(run)->moved, 4);
  assert_true(last_row(run)->distance == 0 && last_row(run)->moved > 0);
  sprint_run_free(run);
  world_free(&w);
  remove(path);
}

static void test_reference__that_does_not_fit_is_refused(void **state) {
  (void)state;
  char path[64], spec[256];
  struct world w = world_new(bed, "{loss: mean}", "{kind: location, epsilon: 0.5}");
  sprint_run_options options = {.size = sizeof options, .spec = spec, .shift = w.shift};
  sprint_run *none = NULL;
  path_of(".npy", path);
  snprintf(spec, sizeof spec, "{eval: {reference: %s}}", path);
  MUST(w.context, sprint_npy_write_double(w.context, path, 1, (size_t[]){2}, (double[]){1, 2}));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "holds 2 numbers; the model has 1 parameter",
          sprint_run_new(w.context, &options, &none));
  assert_non_null(strstr(sprint_context_error(w.context), "eval.reference': /tmp/"));
  MUST(w.context, sprint_npy_write_double(w.context, path, 1, (size_t[]){1}, (double[]){NAN}));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "not all of its numbers are finite",
          sprint_run_new(w.context, &options, &none));
  remove(path);
  REFUSED(w.context, SPRINT_ERROR_INPUT, "eval.reference': ", sprint_run_new(w.context, &options, &none));
  options.spec = "{eval: {reference: theta.txt}}";
  REFUSED(w.context, SPRINT_ERROR_INPUT, "theta.txt: a file ending in .npy or .safetensors was expected",
          sprint_run_new(w.context, &options, &none));
  world_free(&w);
}

/* The run has nothing else to end it. Time itself is not looked at but for the bound, below which no run may stop. */
static void test_stop__seconds(void **state) {
  (void)state;
  struct world w = world_new(bed, "{loss: mean}", "{kind: location, epsilon: 0.5}");
  sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 7}, stop: {epochs: 0, seconds: 0.02}}", 3);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_SECONDS);
  assert_string_equal(sprint_stop_word(SPRINT_STOP_SECONDS), "seconds");
  assert_true(last_row(run)->seconds >= 0.02);
  assert_true(sprint_run_share(run) == 1);
  sprint_run_free(run);
  world_free(&w);
}

struct shares {
  size_t n;
  double last;
};

static bool watch_share(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  struct shares *shares = user;
  (void)row;
  shares->last = sprint_run_share(run);
  double ifo = (double)cost->ifo / 1400, steps = (double)cost->steps / (10 * 72);
  CLOSE(shares->last, fmin(1, fmax(ifo, steps)), 1);
  shares->n++;
  return true;
}

/* Oracle: of 1400 gradients and 10 epochs of 72 steps of 7 gradients, the first are used up more than twice as fast. */
static void test_run__share(void **state) {
  (void)state;
  struct world w = world_new(bed, "{loss: mean}", "{kind: location, epsilon: 0.5}");
  sprint_run *run = run_new(&w, "{method: {kind: sgd, batch: 7}, stop: {epochs: 10, ifo: 1400}}", 3);
  struct shares shares = {0};
  MUST(w.context, sprint_run_go(run, watch_share, &shares));
  assert_true(shares.n >= 3 && shares.last == 1);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_IFO);
  sprint_run_free(run);
  run = run_new(&w, "{stop: {epochs: 0, gradient: 1e-3}}", 3);
  assert_true(isnan(sprint_run_share(run)));
  sprint_run_free(run);
  world_free(&w);
}

/* People held out are copies of those trained on. Where these keep what they answered, the two are no longer alike, and
 * nothing is said of the former; where they do not, both have the same loss. */
static void test_evaluate__heldout_people_without_a_past(void **state) {
  (void)state;
  static const struct {
    const char *shift;
    bool said;
  } cases[] = {
      {"{kind: strategic, good: 0, alpha: 0.4}", true},
      {"{kind: strategic, good: 0, alpha: 0.4, memory: accumulating}", false},
      {"{kind: chain, first: {kind: strategic, good: 0, memory: accumulating}, then: {kind: linear, epsilon: 0.1}}",
       false},
      {"{kind: decay, of: {kind: linear, epsilon: 0.5}}", false},
      {"{kind: decay, of: {kind: retention, alpha: 1}}", true},
      {"{kind: opinion, of: {kind: strategic, good: 0}}", false},
      {"{kind: mixture, good: 0}", false},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    struct world w = world_new("{kind: lending, n: 2000, select: balanced, size: 60}",
                               "{layers: dense 1, loss: logistic}", cases[c].shift);
    MUST(w.context, sprint_population_new(w.context, 60, 10, sprint_population_x(w.population),
                                          sprint_population_y(w.population), 2, &w.heldout));
    sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 10}, step: {size: 0.1}, stop: {epochs: 5}}", 1);
    const sprint_trace_row *row = last_row(run);
    const sprint_assessment *assessment = NULL;
    MUST(w.context, sprint_run_assess(run, &assessment));
    assert_true(isnan(row->accuracy_heldout) == !cases[c].said);
    assert_true((sprint_assessment_metrics(assessment, SPRINT_SET_HELDOUT) != NULL) == cases[c].said);
    assert_non_null(sprint_assessment_metrics(assessment, SPRINT_SET_HELDOUT_BASE));
    if (cases[c].said)
      CLOSE(row->loss_heldout, row->loss, 60); /* as many losses of about 1 are added up */
    else
      assert_true(isnan(row->loss_heldout) && isfinite(row->loss));
    sprint_run_free(run);
    world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_evaluate__heldout_people_without_a_past),
      cmocka_unit_test(test_reference__is_the_distance),
      cmocka_unit_test(test_reference__of_a_saved_network),
      cmocka_unit_test(test_reference__that_does_not_fit_is_refused),
      cmocka_unit_test(test_stop__seconds),
      cmocka_unit_test(test_run__share),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
