/* Assessments: their losses against sprint_risk, each warning where it should be and not where it should not, verdicts,
 * and what is read again from the file. */
#include "help.h"

#include "shift/shift.h"

static const sprint_assessment *assess(const sprint_run *run, sprint_context *context) {
  const sprint_assessment *assessment = NULL;
  MUST(context, sprint_run_assess(run, &assessment));
  return assessment;
}

static bool warns(const sprint_run *run, sprint_context *context, sprint_warning_kind kind) {
  return sprint_assessment_warning(assess(run, context), kind) != NULL;
}

/* No other warning than this one; SPRINT_N_WARNINGS: none at all. */
static void assert_warns_of(const sprint_run *run, sprint_context *context, sprint_warning_kind wanted) {
  for (sprint_warning_kind k = 0; k < SPRINT_N_WARNINGS; k++)
    if (warns(run, context, k) != (k == wanted))
      fail_msg("%s: %s", sprint_warning_word(k), warns(run, context, k) ? "was not expected" : "was expected");
}

static const char lending[] = "{kind: lending, n: 3000, holdout: 0.25}";
static const char strategic[] = "{kind: strategic, alpha: 0.3, good: '0'}";

static void test_assessment__has_the_losses(void **state) {
  (void)state;
  static const char *const shifts[] = {
      "none", strategic, "{kind: retention, alpha: 1}",
      "{kind: both, response: {kind: strategic, alpha: 0.3, good: '0'}, strata: {kind: retention, alpha: 1}}"};
  for (size_t s = 0; s < 4; s++) {
    struct world w = world_new(lending, "{layers: 'dense 8, relu, dense 1', loss: logistic, l2: 0.01}", shifts[s]);
    sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 32}, stop: {epochs: 3}}", 1);
    const sprint_trace_row *row = last_row(run);
    const sprint_assessment *a = assess(run, w.context);
    double loss = 0, accuracy = 0;
    MUST(w.context, sprint_risk(w.shift, sprint_run_theta(run), sprint_run_theta(run), &loss, &accuracy, NULL));
    /* means of 2250 numbers about 1: as many roundings, of doubles but for each loss itself */
    CLOSE(sprint_assessment_metrics(a, SPRINT_SET_DEPLOYED)->loss, loss, 2250);
    CLOSE(sprint_assessment_metrics(a, SPRINT_SET_DEPLOYED)->accuracy, accuracy, 2250);
    CLOSE(sprint_assessment_metrics(a, SPRINT_SET_BASE)->loss, row->loss_base, 2250);
    CLOSE(sprint_assessment_metrics(a, SPRINT_SET_BASE)->accuracy, row->accuracy_base, 2250);
    CLOSE(sprint_assessment_metrics(a, SPRINT_SET_HELDOUT)->loss, row->loss_heldout, 2250);
    CLOSE(sprint_assessment_metrics(a, SPRINT_SET_HELDOUT)->accuracy, row->accuracy_heldout, 2250);
    const sprint_metrics *outside = sprint_assessment_metrics(a, SPRINT_SET_HELDOUT_BASE);
    assert_true(outside->auc > 0.6 && outside->n == 750);
    assert_true(s > 0 || outside->loss == sprint_assessment_metrics(a, SPRINT_SET_HELDOUT)->loss);
    double mean = 0;
    for (size_t r = 1; r < sprint_run_n_rows(run); r++) mean += sprint_run_row(run, r)->gradient_sq / 3;
    CLOSE(sprint_assessment_gradient_mean(a), mean, 10);
    sprint_run_free(run);
    world_free(&w);
  }
}

/* An ordinary run has nothing to be warned of, unless nothing keeps people from leaving the range of the data; and the
 * counters do not know that it was looked at. */
static void check_quiet(const char *shift, sprint_warning_kind expected) {
  struct world w = world_new(lending, "{layers: 'dense 1', loss: logistic, l2: 0.05}", shift);
  sprint_run *run = run_done(
      &w, "{method: {kind: sprint, correction: unbiased, batch: 50}, step: {size: 0.1}, stop: {epochs: 30}}", 1);
  uint64_t evals = w.shift->evals;
  assert_warns_of(run, w.context, expected);
  assert_true(w.shift->evals == evals);
  const char *sentence = NULL;
  assert_int_equal(sprint_assessment_verdict(assess(run, w.context), &sentence), SPRINT_VERDICT_NEAR);
  assert_non_null(strstr(sentence, "near a stable point"));
  double edge = sprint_assessment_edge(assess(run, w.context));
  assert_true(edge > 0.01 && edge < 1);
  sprint_run_free(run);
  world_free(&w);
}

static void test_assessment__is_quiet(void **state) {
  (void)state;
  check_quiet("{kind: strategic, alpha: 0.3, good: '0', bounds: observed}", SPRINT_N_WARNINGS);
  check_quiet(strategic, SPRINT_WARNING_RANGE);
}

/* grad J = (1 + lambda) theta - ...: step times curvature is known. */
static void test_assessment__sees_the_edge(void **state) {
  (void)state;
  static const char data[] = "{kind: gaussian, n: 300, d: 2, standardize: none}";
  static const struct {
    const char *shift, *step;
    double edge;
    bool warns;
  } cases[] = {
      {"none", "1.9", 1.9, true},
      {"none", "0.5", 0.5, false},
      {"{kind: location, epsilon: 0.5}", "1.9", 0.95, false},
      {"{kind: location, epsilon: 0.5}", "3.5", 1.75, true},
      {"{kind: location, epsilon: 1.5}", "0.1", -0.05, true}, /* which no step would stop */
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    struct world w = world_new(data, "{loss: mean}", cases[c].shift);
    char spec[128];
    snprintf(spec, sizeof spec, "{method: rgd, step: {size: %s}, stop: {epochs: 20}}", cases[c].step);
    sprint_run *run = run_done(&w, spec, 1);
    assert_true(fabs(sprint_assessment_edge(assess(run, w.context)) - cases[c].edge) < 0.02);
    assert_true(warns(run, w.context, SPRINT_WARNING_EDGE) == cases[c].warns);
    sprint_run_free(run);
    world_free(&w);
  }
}

/* grad J = theta - mean z of the test bed, whose zero is known: at its rounding nothing is left to go down by, however
 * the first row compares with the last; a thousandth beside it, with a step too small to get anywhere, there is. */
static void check_start(double beside, sprint_verdict expected, const char *said) {
  struct world w = world_new("{kind: gaussian, n: 300, d: 2, standardize: none}", "{loss: mean}", "none");
  sprint_real theta[2] = {0}, z[2];
  double mean[2] = {beside, 0};
  for (uint32_t i = 0; i < 300; i++) {
    MUST(w.context, sprint_shift_respond(w.shift, theta, &i, 1, z));
    for (size_t j = 0; j < 2; j++) mean[j] += z[j] / 300.0;
  }
  for (size_t j = 0; j < 2; j++) theta[j] = (sprint_real)mean[j];
  sprint_run_options options = {.size = sizeof options,
                                .spec = "{method: rgd, step: {size: 1e-6}, stop: {epochs: 12}}",
                                .seed = 1,
                                .shift = w.shift,
                                .theta = theta};
  sprint_run *run = NULL;
  const char *sentence = NULL;
  MUST(w.context, sprint_run_new(w.context, &options, &run));
  MUST(w.context, sprint_run_go(run, NULL, NULL));
  uint64_t evals = w.shift->evals;
  assert_int_equal(sprint_assessment_verdict(assess(run, w.context), &sentence), expected);
  assert_non_null(strstr(sentence, said));
  assert_true(w.shift->evals == evals);
  sprint_run_free(run);
  world_free(&w);
}

static void test_assessment__knows_a_start_at_the_optimum(void **state) {
  (void)state;
  check_start(0, SPRINT_VERDICT_NEAR, "no more than rounding");
  check_start(1e-3, SPRINT_VERDICT_UNSTABLE, "what it was at the start, and level");
}

static void test_assessment__sees_collapse(void **state) {
  (void)state;
  struct world w = world_new(lending, "{layers: 'dense 1', loss: logistic}", "{kind: retention, alpha: 60}");
  sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 20}, step: {size: 0.2}, stop: {epochs: 5}}", 1);
  assert_warns_of(run, w.context, SPRINT_WARNING_COLLAPSED);
  sprint_run_free(run);
  world_free(&w);
}

static void test_assessment__sees_bias(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, n: 2000}", "{layers: 'dense 1', loss: logistic, l2: 0.01}",
                             "{kind: linear, epsilon: 3}");
  for (int unbiased = 0; unbiased < 2; unbiased++) {
    char spec[200];
    snprintf(spec, sizeof spec,
             "{method: {kind: sprint, correction: %s, batch: 10, inner: 5000}, step: {size: 0.05}, stop: {epochs: 4}}",
             unbiased ? "unbiased" : "paper");
    sprint_run *run = run_done(&w, spec, 1);
    assert_true(warns(run, w.context, SPRINT_WARNING_BIASED) == !unbiased);
    sprint_run_free(run);
  }
  world_free(&w);
}

/* A threshold that nobody reaches makes a model say the same of everybody. */
static void test_assessment__sees_the_majority(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, n: 3000}", "{layers: 'dense 1', loss: logistic}", "none");
  sprint_run *run = run_done(&w, "{method: rgd, stop: {epochs: 3}, eval: {threshold: 1}}", 1);
  const sprint_metrics *metrics = sprint_assessment_metrics(assess(run, w.context), SPRINT_SET_DEPLOYED);
  assert_true(metrics->accuracy == metrics->majority && metrics->recall == 0 && isnan(metrics->precision));
  assert_warns_of(run, w.context, SPRINT_WARNING_MAJORITY);
  sprint_run_free(run);
  world_free(&w);
}

static void test_assessment__of_what_diverged(void **state) {
  (void)state;
  struct world w = world_new("{kind: gaussian, n: 300, d: 2, standardize: none}", "{loss: mean}", "none");
  sprint_run *run = run_done(&w, "{method: rgd, step: {size: 30}, stop: {epochs: 2000}}", 1);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DIVERGED);
  assert_warns_of(run, w.context, SPRINT_WARNING_DIVERGED);
  assert_null(sprint_assessment_metrics(assess(run, w.context), SPRINT_SET_DEPLOYED));
  assert_int_equal(sprint_assessment_verdict(assess(run, w.context), NULL), SPRINT_VERDICT_DIVERGED);
  sprint_run_free(run);
  world_free(&w);
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void assert_same_metrics(const sprint_metrics *a, const sprint_metrics *b) {
  assert_true((a == NULL) == (b == NULL));
  if (!a) return;
  assert_int_equal(a->n, b->n);
  assert_int_equal(a->n_roc, b->n_roc);
  assert_int_equal(a->n_classes, b->n_classes);
  assert_true(same(a->loss, b->loss) && same(a->auc, b->auc) && same(a->recall, b->recall) &&
              same(a->brier, b->brier) && same(a->precision, b->precision) && same(a->rmse, b->rmse) &&
              same(a->r2, b->r2) && same(a->majority, b->majority) && same(a->calibration_error, b->calibration_error));
  for (size_t i = 0; i < a->n_roc; i++) assert_true(a->roc[i].true_positives == b->roc[i].true_positives);
  for (size_t i = 0; a->n_classes && i < SPRINT_CALIBRATION_BINS; i++)
    assert_true(same(a->calibration[i].came, b->calibration[i].came));
  for (size_t i = 0; i < a->n_classes * a->n_classes; i++) assert_true(a->confusion[i] == b->confusion[i]);
}

static void test_assessment__is_read_again(void **state) {
  (void)state;
  struct world w = world_new(lending, "{layers: 'dense 1', loss: logistic}", strategic);
  sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 50}, stop: {epochs: 2}}", 1);
  char folder[] = "/tmp/sprint-test-XXXXXX", path[64];
  sprint_assessment *read = NULL;
  assert_non_null(mkdtemp(folder));
  MUST(w.context, sprint_run_save(run, folder));
  MUST(w.context, sprint_saved_assessment(w.context, folder, &read));
  const sprint_assessment *own = assess(run, w.context);
  const char *left, *right;
  for (sprint_set set = 0; set < SPRINT_N_SETS; set++)
    assert_same_metrics(sprint_assessment_metrics(own, set), sprint_assessment_metrics(read, set));
  assert_int_equal(sprint_assessment_verdict(own, &left), sprint_assessment_verdict(read, &right));
  assert_string_equal(left, right);
  assert_true(same(sprint_assessment_edge(own), sprint_assessment_edge(read)));
  assert_true(same(sprint_assessment_gradient_mean(own), sprint_assessment_gradient_mean(read)));
  assert_int_equal(sprint_assessment_n_moves(own), 10);
  assert_int_equal(sprint_assessment_n_moves(read), 10);
  for (size_t k = 0; k < 10; k++) {
    const sprint_column_move *a = sprint_assessment_move(own, k), *b = sprint_assessment_move(read, k);
    assert_string_equal(a->name, b->name);
    assert_true(same(a->median, b->median) && same(a->q95, b->q95) && same(a->moved, b->moved) &&
                same(a->left, b->left) && same(a->least, b->least) && same(a->greatest, b->greatest) &&
                same(a->observed_least, b->observed_least) && same(a->bins_high, b->bins_high) &&
                a->n_ranked == b->n_ranked && a->size == b->size);
    assert_memory_equal(a->after, b->after, sizeof a->after);
  }
  assert_null(sprint_assessment_move(own, 10));
  sprint_assessment_free(read);
  snprintf(path, sizeof path, "%s/run.json", folder);
  FILE *stream = fopen(path, "w");
  fputs("{\"assessment\": {\"verdict\": 3}}", stream);
  fclose(stream);
  REFUSED(w.context, SPRINT_ERROR_INPUT, "run.json: its assessment is missing or broken",
          sprint_saved_assessment(w.context, folder, &read));
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  sprint_run_free(run);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_assessment__has_the_losses),
      cmocka_unit_test(test_assessment__is_quiet),
      cmocka_unit_test(test_assessment__sees_the_edge),
      cmocka_unit_test(test_assessment__knows_a_start_at_the_optimum),
      cmocka_unit_test(test_assessment__sees_collapse),
      cmocka_unit_test(test_assessment__sees_bias),
      cmocka_unit_test(test_assessment__sees_the_majority),
      cmocka_unit_test(test_assessment__of_what_diverged),
      cmocka_unit_test(test_assessment__is_read_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
