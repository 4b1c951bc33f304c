/* Populations without end: which records a generator hands out, who is kept where strata are reweighted, what a step
 * refers to, and streams as the library sees them. */
#include "help.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/context.h"
#include "population/source.h"

static const char gaussian[] =
    "{kind: gaussian, endless: true, window: 20, d: 3, mean: 2, sd: 0.5, population_seed: 7,"
    " standardize: none}";

static struct sprint__tap *tap_of(const sprint_population *population) {
  struct sprint__tap *tap = NULL;
  MUST(population->context, sprint__tap_open(population->source, &tap));
  return tap;
}

static void read_all(struct sprint__tap *tap, struct sprint__draws draws, size_t n, sprint_real *x, sprint_real *y) {
  size_t got = 0;
  MUST(tap->source->context, sprint__tap_read(tap, &draws, n, x, y, &got));
  assert_int_equal(got, n);
}

/* Oracle: the definition, written out: draw j of a step is of the row whose number are the upper 63 bits of its word.
 */
static void test_endless__draws_are_rows_by_number(void **state) {
  (void)state;
  sprint_context *context = NULL;
  sprint_population *population = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_population_load(context, gaussian, &population, NULL));
  assert_true(sprint_population_is_endless(population));
  assert_int_equal(sprint_population_n(population), 20);
  struct sprint__tap *tap = tap_of(population);
  for (uint64_t step = 0; step < 3000; step += 999) { /* further than what is made ahead */
    sprint_real x[5 * 3], y[5];
    read_all(tap, (struct sprint__draws){11, step, SPRINT__FOR_DRAWS, 0}, 5, x, y);
    for (uint32_t j = 0; j < 5; j++) {
      double normals[3];
      uint64_t row = sprint__random_words(11, SPRINT__FOR_DRAWS, step, j).a >> 1;
      sprint__normals(7, SPRINT__FOR_PEOPLE, row, 3, normals);
      for (size_t k = 0; k < 3; k++) CLOSE(x[3 * j + k], 2 + 0.5 * normals[k], 2); /* a product, a sum */
    }
  }
  sprint__tap_close(tap);
  sprint_population_free(population);
  sprint_context_free(context);
}

/* Made ahead, alone, in the middle of a batch, in another order: to the bit the same. */
static void test_endless__a_draw_does_not_depend_on_those_before(void **state) {
  (void)state;
  sprint_context *context = NULL;
  sprint_population *population = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_population_load(context, "{kind: lending, endless: true, window: 100}", &population, NULL));
  struct sprint__tap *tap = tap_of(population), *other = tap_of(population);
  sprint_real x[6 * 10], y[6], again[6 * 10], y_again[6];
  for (uint64_t step = 40; step-- > 0;) {
    read_all(tap, (struct sprint__draws){3, step, SPRINT__FOR_DRAWS, 0}, 6, x, y);
    read_all(other, (struct sprint__draws){3, 40 - step, SPRINT__FOR_SAMPLES, 0}, 6, again, y_again);
    read_all(other, (struct sprint__draws){3, step, SPRINT__FOR_DRAWS, 2}, 4, again, y_again);
    assert_memory_equal(x + 2 * 10, again, 4 * 10 * sizeof *x);
    assert_memory_equal(y + 2, y_again, 4 * sizeof *y);
  }
  sprint__tap_close(tap);
  sprint__tap_close(other);
  sprint_population_free(population);
  sprint_context_free(context);
}

/* On the mean bed a coupled step is (1 - eps)(theta - theta~) + g~, whoever is in the batch: its records are people's
 * own under both deployments. So batches of 1 and of 9 come to the same theta, from the same samples. */
static void test_endless__references_are_the_same_peoples(void **state) {
  (void)state;
  struct world w = world_new(gaussian, "{loss: mean}", "{kind: location, epsilon: 0.4}");
  const char *spec =
      "{method: {kind: sprint, correction: %s, snapshot: growing, sample: 6, batch: %d, inner: 5},"
      " step: {size: 0.3}, stop: {epochs: 4}}";
  sprint_real theta[2][3];
  for (int k = 0; k < 2; k++) {
    char text[240];
    snprintf(text, sizeof text, spec, "coupled", k ? 9 : 1);
    sprint_run *run = run_done(&w, text, 5);
    memcpy(theta[k], sprint_run_theta(run), sizeof theta[k]);
    sprint_run_free(run);
  }
  /* 20 steps of a contraction, each with some roundings of numbers of the size of theta, 3.3 */
  for (size_t j = 0; j < 3; j++) CLOSE(theta[1][j], theta[0][j], 20 * 4);
  assert_true(fabs((double)theta[0][0] - 2 / (1 - 0.4)) < 0.5); /* 5 standard errors of the last snapshot */
  world_free(&w);
}

/* Counts the labels of the records that it is shown. */
struct counter {
  size_t n, ones;
};

static void count_labels(void *user, const sprint_real *theta, const sprint_real *x, const sprint_real *y, size_t n,
                         double *ret_loss, sprint_real *ret_gradient) {
  (void)theta;
  (void)x;
  struct counter *counter = user;
  *ret_loss += (double)n;
  if (!ret_gradient) return; /* evaluation has gradients too, of the whole window at once */
  for (size_t i = 0; n <= 50 && i < n; i++) {
    counter->n++;
    counter->ones += y[i] > 0;
  }
}

static sprint_status even(void *user, const sprint_real *deployed, double *ret_p) {
  (void)user;
  (void)deployed;
  ret_p[0] = 0.4;
  ret_p[1] = 0.6;
  return SPRINT_OK;
}

/* Oracle: of those who come, share q_1 is of class 1; kept are p_c / b_c of them, b_c the window's share, so that class
 * 1 is q_1 p_1 / b_1 of sum_c q_c p_c / b_c. b_1 is q_1 but for the window's standard error. */
static void test_endless__strata_are_kept_by_their_probability(void **state) {
  (void)state;
  enum { WINDOW = 40000, STEPS = 400, BATCH = 50 };
  sprint_context *context = NULL;
  sprint_population *population = NULL;
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  struct counter counter = {0, 0};
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_context_set_threads(context, 1); /* the counter is one */
  MUST(context, sprint_population_load(context, "{kind: lending, endless: true, window: 40000, default_rate: 0.3}",
                                       &population, NULL));
  sprint_model_callbacks callbacks = {.size = sizeof callbacks, .user = &counter, .n_params = 1, .n_features = 10};
  callbacks.gradient = count_labels;
  MUST(context, sprint_model_new_custom(context, &callbacks, &model));
  sprint_shift_callbacks reacts = {.size = sizeof reacts, .strata = even};
  MUST(context, sprint_shift_new_custom(context, &reacts, model, population, &shift));
  struct world w = {context, population, NULL, model, shift};
  sprint_run_free(run_done(&w, "{method: {kind: sgd, batch: 50, inner: 400}, stop: {epochs: 1}}", 1));
  assert_int_equal(counter.n, STEPS * BATCH);
  double got = (double)counter.ones / (double)counter.n;
  double of_draws = 0.6 * 0.4 / (STEPS * BATCH), of_window = 0.6 * 0.4 * 0.6 * 0.4 / (0.3 * 0.7 * WINDOW);
  double sure = 4 * sqrt(of_draws + of_window);
  if (fabs(got - 0.6) > sure) fail_msg("class 1 is %g of the records, expected 0.6 +- %g", got, sure);
  world_free(&w);
}

/* Retention in all its ways of knowing losses, with samples by stratum: it learns, and its classes stay two. */
static void test_endless__reweighting_shifts_run(void **state) {
  (void)state;
  static const char *const knowledge[] = {"exact", "probe", "running", "snapshot"};
  for (size_t k = 0; k < 4; k++) {
    char shift[80];
    snprintf(shift, sizeof shift, "{kind: retention, alpha: 0.5, losses: %s}", knowledge[k]);
    struct world w =
        world_new("{kind: lending, endless: true, window: 400, default_rate: 0.4}", "{layers: 'dense 1'}", shift);
    sprint_run *run = run_done(&w,
                               "{method: {kind: sprint, correction: unbiased, snapshot: fixed, sample: 200, batch: 8,"
                               " inner: 20}, step: {size: 0.2}, stop: {epochs: 5}}",
                               2);
    assert_int_equal(sprint_run_stop(run), SPRINT_STOP_EPOCHS);
    assert_true(last_row(run)->loss < sprint_run_row(run, 0)->loss);
    assert_true(last_row(run)->effective_classes > 1.5);
    assert_int_equal(last_row(run)->cost.samples, 5 * (200 + 8 * 20)); /* those that were left do not count */
    sprint_run_free(run);
    world_free(&w);
  }
}

/* A method that is told strata learns from people who come as deployments have it. */
static void test_endless__strata_are_told(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, endless: true, window: 400, default_rate: 0.4}", "{layers: 'dense 1'}",
                             "{kind: retention, alpha: 0.5}");
  sprint_run *run = run_done(&w,
                             "{method: {kind: sarah, correction: unbiased, snapshot: fixed, sample: 200, batch: 8,"
                             " inner: 20}, step: {size: 0.2}, stop: {epochs: 5}}",
                             2);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_EPOCHS);
  assert_true(last_row(run)->loss < sprint_run_row(run, 0)->loss);
  sprint_run_free(run);
  world_free(&w);
}

/* Settings that mean nothing where people come without end. */
static void test_endless__refusals(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"{kind: lending, endless: true, n: 50}", "a population without end has no n; its window has a size"},
      {"{kind: lending, window: 50}", "endless: true was expected"},
      {"{kind: lending, endless: true, select: first, per_class: 3}", "are not selected; all was expected"},
      {"{kind: lending, endless: true, holdout: 0.2}", "which is held out already; 0 was expected"},
      {"{kind: lending, endless: true, class_weights: balanced}", "a population without end takes no weights"},
      {"{kind: gaussian, endless: true, exact: true}", "there is no mean over a population without end to be exact"},
      {"{kind: gaussian, class_weights: balanced}", "the label holds values, and there are no classes to weigh"},
      {"{kind: stream, path: /dev/null, label: y, target: value, classes: [a, b]}", "and has no classes"},
  };
  const double weights[20] = {1};
  struct world w = {0};
  assert_int_equal(sprint_context_new(&w.context), SPRINT_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    REFUSED(w.context, SPRINT_ERROR_INPUT, cases[i][1],
            sprint_population_load(w.context, cases[i][0], &w.population, NULL));
  REFUSED(w.context, SPRINT_ERROR_IO, "/tmp: is a folder, a file or pipe was expected",
          sprint_population_load(w.context, "{kind: stream, path: /tmp, label: y}", &w.population, NULL));
  assert_null(w.population);
  MUST(w.context, sprint_population_load(w.context, gaussian, &w.population, NULL));
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "a population without end takes no weights",
          sprint_population_weigh(w.population, weights));
  world_free(&w);
}

#ifdef __SANITIZE_ADDRESS__
enum { KEEPS_FREED = true };
#else
enum { KEEPS_FREED = false };
#endif

static long peak_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss; /* kB */
}

/* Steps allocate nothing, and however many records have been seen, no more memory was ever in use. */
static void test_endless__memory_does_not_grow(void **state) {
  (void)state;
  struct world w = world_new("{kind: gaussian, endless: true, window: 100}", "{loss: mean}", "location");
  const char *spec =
      "{method: {kind: sprint, correction: coupled, snapshot: fixed, sample: 5000, batch: 50,"
      " inner: 100}, stop: {epochs: %d}, eval: {every: 1000}}";
  char text[200];
  long before = 0;
  for (int epochs = 10; epochs <= 200; epochs += 190) { /* 100,000 records and two million */
    snprintf(text, sizeof text, spec, epochs);
    sprint_run *run = run_new(&w, text, 1);
    uint64_t allocations = w.context->n_allocations;
    MUST(w.context, sprint_run_go(run, NULL, NULL));
    assert_int_equal(w.context->n_allocations, allocations);
    assert_int_equal(last_row(run)->cost.samples, epochs * 10000);
    sprint_run_free(run);
    if (KEEPS_FREED || before == 0) before = peak_memory();
    assert_true(peak_memory() <= before + 256);
  }
  world_free(&w);
}

static void write_stream(FILE *file, int first, int last, const char *one) {
  if (first == 0) fputs("a,b,label\n", file);
  for (int i = first; i < last; i++) fprintf(file, "%d,%g,%s\n", i % 7, i * 0.25, i % 3 ? "0" : one);
  fflush(file);
}

static const char sgd[] = "{method: {kind: sgd, batch: 5, inner: 4}, stop: {epochs: 2}}";

/* A pipe can be read by one run; the records are handed out in order, scaled as the window is. */
static void test_endless__a_pipe_is_read_once(void **state) {
  (void)state;
  int ends[2];
  char spec[200];
  assert_int_equal(pipe(ends), 0);
  FILE *file = fdopen(ends[1], "w");
  write_stream(file, 0, 100, "1");
  fclose(file);
  snprintf(spec, sizeof spec, "{kind: stream, path: /dev/fd/%d, label: label, window: 30}", ends[0]);
  struct world w = world_new(spec, "{layers: 'dense 1'}", "none");
  close(ends[0]);
  sprint_run *run = run_done(&w, sgd, 1);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_EPOCHS);
  sprint_run_free(run);
  run = run_new(&w, sgd, 1);
  REFUSED(w.context, SPRINT_ERROR_INPUT, "can be read once, and another run has read it",
          sprint_run_go(run, NULL, NULL));
  sprint_run_free(run);
  world_free(&w);
}

/* Oracle: the file's own numbers, standardised by the window's mean and deviation, worked out here. */
static void test_endless__a_stream_goes_on_after_the_window(void **state) {
  (void)state;
  char path[] = "/tmp/sprint-stream-XXXXXX", spec[200];
  FILE *file = fdopen(mkstemp(path), "w");
  write_stream(file, 0, 30, "1");
  write_stream(file, 30, 60, "1.0"); /* the same class, spelt in another way */
  fclose(file);
  snprintf(spec, sizeof spec, "{kind: stream, path: %s, label: label, window: 30}", path);
  struct world w = world_new(spec, "{layers: 'dense 1'}", "none");
  double mean = 0, square = 0;
  for (int i = 0; i < 30; i++) mean += i * 0.25 / 30;
  for (int i = 0; i < 30; i++) square += (i * 0.25 - mean) * (i * 0.25 - mean) / 30;
  for (int again = 0; again < 2; again++) { /* whoever is first goes on, the next reads the file anew */
    struct sprint__tap *tap = tap_of(w.population);
    sprint_real x[40 * 2], y[40];
    size_t n = 0;
    MUST(w.context, sprint__tap_read(tap, &(struct sprint__draws){0}, 25, x, y, &n));
    assert_int_equal(n, 25);
    for (int i = 0; i < 25; i++) {
      CLOSE(x[2 * i + 1], ((i + 30) * 0.25 - mean) / sqrt(square), 8);
      assert_true(y[i] == (i % 3 ? 0 : 1));
    }
    MUST(w.context, sprint__tap_read(tap, &(struct sprint__draws){0}, 10, x, y, &n));
    assert_int_equal(n, 5);
    assert_int_equal(tap->ending, SPRINT_STOP_STREAM);
    sprint__tap_close(tap);
  }
  unlink(path);
  world_free(&w);
}

static bool stop_at_once(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  (void)run;
  (void)cost;
  return row != NULL || ++*(int *)user < 3;
}

/* Whoever watches hears of a run that waits, and can stop it long before its patience ends. */
static void test_endless__a_wait_can_be_stopped(void **state) {
  (void)state;
  int ends[2], calls = 0;
  char spec[200];
  assert_int_equal(pipe(ends), 0);
  FILE *file = fdopen(ends[1], "w");
  write_stream(file, 0, 42, "1");
  snprintf(spec, sizeof spec, "{kind: stream, path: /dev/fd/%d, label: label, window: 30, patience: 0}", ends[0]);
  struct world w = world_new(spec, "{layers: 'dense 1'}", "none");
  sprint_run *run = run_new(&w, sgd, 1);
  MUST(w.context, sprint_run_go(run, stop_at_once, &calls));
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_REQUESTED);
  assert_int_equal(last_row(run)->cost.steps, 2); /* of 12 records, 5 each */
  sprint_run_free(run);
  world_free(&w);
  fclose(file);
  close(ends[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_endless__draws_are_rows_by_number),
      cmocka_unit_test(test_endless__a_draw_does_not_depend_on_those_before),
      cmocka_unit_test(test_endless__references_are_the_same_peoples),
      cmocka_unit_test(test_endless__strata_are_kept_by_their_probability),
      cmocka_unit_test(test_endless__reweighting_shifts_run),
      cmocka_unit_test(test_endless__strata_are_told),
      cmocka_unit_test(test_endless__refusals),
      cmocka_unit_test(test_endless__memory_does_not_grow),
      cmocka_unit_test(test_endless__a_pipe_is_read_once),
      cmocka_unit_test(test_endless__a_stream_goes_on_after_the_window),
      cmocka_unit_test(test_endless__a_wait_can_be_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
