/* run/: the driver, the sampler, the trace, saving and experiments. */
#include "help.h"

#include <unistd.h>

#include "engine/sampler.h"
#include "run/run.h"

static const char bed[] = "{kind: gaussian, n: 500, mean: 2, standardize: none}";
static const char lending[] = "{kind: lending, n: 3000, select: balanced, size: 300, holdout: 0.2}";
static const char network[] = "{layers: 'dense 8, tanh, dense 1', loss: logistic, l2: 0.001}";

/* Oracle: for l = (z - theta)^2 / 2 and z + epsilon theta, with the base sample's mean m and mean square s:
 * V = (s + 2 (e-1) theta m + (e-1)^2 theta^2) / 2, grad J = theta - (m + e theta), displacement |e theta|. */
static void test_trace__closed_forms_of_the_mean(void **state) {
  (void)state;
  struct world w = world_new(bed, "{loss: mean}", "{kind: location, epsilon: -0.4}");
  sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 7}, step: {size: 0.05}, stop: {epochs: 3}}", 3);
  double m = 0, s = 0, theta = (double)sprint_run_theta(run)[0];
  for (size_t i = 0; i < 500; i++) {
    double z = (double)sprint_population_x(w.population)[i];
    m += z / 500;
    s += z * z / 500;
  }
  const sprint_trace_row *row = last_row(run);
  double gap = (-0.4 - 1) * theta, gradient = theta - (m - 0.4 * theta);
  CLOSE(row->loss, (s + 2 * gap * m + gap * gap) / 2, 500);
  CLOSE(row->loss_base, (s - 2 * theta * m + theta * theta) / 2, 500);
  CLOSE(row->gradient_sq, gradient * gradient, 500);
  CLOSE(row->displacement, 0.4 * fabs(theta), 500);
  assert_true(isnan(row->accuracy) && isnan(row->loss_heldout) && row->bias == 0);
  assert_true(row->epoch == 3 && row->cost.steps == 3 * 72 && row->cost.ifo == 3 * 72 * 7);
  size_t n = sprint_run_n_rows(run);
  const sprint_trace_row *rows = sprint_run_row(run, 0);
  assert_int_equal(n, 4);
  double mean = (rows[0].gradient_sq + rows[1].gradient_sq + rows[2].gradient_sq + rows[3].gradient_sq) / 4;
  CLOSE(row->gradient_sq_mean, mean, 10);
  sprint_run_free(run);
  world_free(&w);
}

/* Oracle: the table of docs/math.md section 3. On the mean test bed g~ = theta~ - m - e theta~, and at theta~ the
 * records under theta have the gradient theta~ - m - e theta, so the bias of `paper` is |e| |theta - theta~| of the
 * last step; `coupled` and `unbiased` have none. */
static void test_trace__bias_of_the_corrections(void **state) {
  (void)state;
  struct world w = world_new(bed, "{loss: mean}", "{kind: location, epsilon: 0.6}");
  const char *spec =
      "{method: {kind: sprint, correction: %s, batch: 5, inner: 6}, step: {size: 0.1}, stop: {steps: %d}}";
  char text[160];
  double before_last = NAN, start = 0;
  for (int steps = 5; steps <= 6; steps++) { /* theta_5 is what the sixth step was deployed as */
    snprintf(text, sizeof text, spec, "paper", steps);
    sprint_run *run = run_done(&w, text, 1);
    if (steps == 6) CLOSE(last_row(run)->bias, 0.6 * fabs(before_last - start), 1000);
    before_last = (double)sprint_run_theta(run)[0];
    sprint_run_free(run);
  }
  assert_true(fabs(before_last) > 0.1);
  const char *const exact[] = {"coupled", "unbiased"};
  for (size_t i = 0; i < 2; i++) {
    snprintf(text, sizeof text, spec, exact[i], 6);
    sprint_run *run = run_done(&w, text, 1);
    CLOSE(last_row(run)->bias, 0, 100);
    sprint_run_free(run);
  }
  world_free(&w);
}

/* Lazy deployment with K = m fixes D within an epoch: `paper` has no bias of its own there. */
static void test_trace__lazy_paper_has_no_bias(void **state) {
  (void)state;
  struct world w = world_new(lending, network, "{kind: strategic, good: 0, alpha: 0.4}");
  sprint_run *run = run_done(&w,
                             "{method: {kind: sprint, batch: 8, inner: 30}, deploy: {kind: every, steps: 30}, stop: "
                             "{epochs: 2}}",
                             1);
  CLOSE(last_row(run)->bias_deployed, 0, 100);
  assert_int_equal(last_row(run)->cost.deployments, 2);
  sprint_run_free(run);
  world_free(&w);
}

/* With memory, `coupled` refers to the records that were kept at the snapshot: no bias, though the state moved on. */
static void test_trace__accumulating_coupled_has_no_bias(void **state) {
  (void)state;
  const char *const corrections[] = {"coupled", "paper"};
  double bias[2];
  for (size_t i = 0; i < 2; i++) {
    struct world w = world_new(lending, network, "{kind: strategic, good: 0, alpha: 0.2, memory: accumulating}");
    char spec[128];
    snprintf(spec, sizeof spec, "{method: {kind: sprint, correction: %s, batch: 8}, stop: {epochs: 2}}",
             corrections[i]);
    sprint_run *run = run_done(&w, spec, 1);
    bias[i] = last_row(run)->bias;
    sprint_run_free(run);
    world_free(&w);
  }
  CLOSE(bias[0], 0, 100);
  assert_true(bias[1] > 1e-3);
}

/* Evaluation leaves no mark: theta and counters are the same however often the trace is taken. */
static void test_trace__evaluation_is_free(void **state) {
  (void)state;
  sprint_real theta[2][97];
  sprint_counters cost[2];
  for (int i = 0; i < 2; i++) {
    struct world w = world_new(lending, network, "{kind: strategic, good: 0, alpha: 0.2, memory: accumulating}");
    sprint_run *run =
        run_done(&w,
                 i ? "{method: {correction: unbiased, batch: 8}, stop: {epochs: 4}}"
                   : "{method: {correction: unbiased, batch: 8}, stop: {epochs: 4}, eval: {every: 4, bias: "
                     "false}}",
                 9);
    assert_int_equal(sprint_model_n_params(w.model), 97);
    memcpy(theta[i], sprint_run_theta(run), sizeof theta[i]);
    cost[i] = last_row(run)->cost;
    sprint_run_free(run);
    world_free(&w);
  }
  assert_memory_equal(theta[0], theta[1], sizeof theta[0]);
  assert_memory_equal(&cost[0], &cost[1], sizeof cost[0]);
}

/* Once set up, a run allocates nothing, nor does its trace. */
static bool watch_allocations(void *user, const sprint_run *run, const sprint_trace_row *row,
                              const sprint_counters *cost) {
  (void)cost;
  const uint64_t *first = user;
  if (!row) return true;
  assert_int_equal(run->context->n_allocations, *first);
  return true;
}

static void test_run__allocates_nothing_after_set_up(void **state) {
  (void)state;
  struct world w = world_new(lending, network, "{kind: strategic, good: 0, alpha: 0.2}");
  sprint_run *run = run_new(&w, "{method: {correction: unbiased, batch: 8}, stop: {epochs: 40}}", 1);
  uint64_t first = w.context->n_allocations;
  MUST(w.context, sprint_run_go(run, watch_allocations, &first));
  sprint_run_free(run);
  world_free(&w);
}

static bool stop_at_epoch_two(void *user, const sprint_run *run, const sprint_trace_row *row,
                              const sprint_counters *cost) {
  (void)user;
  (void)run;
  return !(row && cost->epochs == 2);
}

static void test_run__observer_stops_it(void **state) {
  (void)state;
  struct world w = world_new(lending, network, "{kind: none}");
  sprint_run *run = run_new(&w, "{stop: {epochs: 12}}", 1);
  MUST(w.context, sprint_run_go(run, stop_at_epoch_two, NULL));
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_REQUESTED);
  assert_true(last_row(run)->epoch == 2);
  sprint_run_free(run);
  world_free(&w);
}

static void test_run__gradient_stops_it(void **state) {
  (void)state;
  struct world w = world_new(bed, "{loss: mean}", "{kind: location, epsilon: 0.5}");
  sprint_run *run = run_done(&w, "{method: rgd, step: {size: 0.5}, stop: {epochs: 0, gradient: 1e-4}}", 1);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_GRADIENT);
  assert_true(last_row(run)->gradient_sq <= 1e-4);
  sprint_run_free(run);
  sprint_run_options options = {.size = sizeof options, .spec = "{stop: {epochs: 0}}", .shift = w.shift};
  REFUSED(w.context, SPRINT_ERROR_INPUT, "nothing would ever end", sprint_run_new(w.context, &options, &run));
  world_free(&w);
}

/* How far a run is, by any bound: from 0 up to 1, never back; by epochs, and by their steps, exactly as many. */
static bool watch_share(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  (void)cost;
  double *last = user, share = sprint_run_share(run);
  assert_true(share >= *last && share <= 1);
  if (!row) return true;
  if (run->solver->rules.epochs) CLOSE(share, row->epoch / 8, 2);
  if (row->epoch == 0) assert_true(share < 0.1);
  *last = share;
  return true;
}

static void test_run__share_of_every_bound(void **state) {
  (void)state;
  static const char *const bounds[] = {"epochs: 8",     "steps: 100",      "ifo: 5000",
                                       "samples: 5000", "deployments: 90", "seconds: 0.05"};
  struct world w = world_new(lending, network, "{kind: none}");
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
    char spec[160];
    double last = 0;
    snprintf(spec, sizeof spec, "{method: {kind: sprint, correction: paper, batch: 16}, stop: {%s}}", bounds[i]);
    sprint_run *run = run_new(&w, spec, 1);
    assert_true(sprint_run_share(run) == 0);
    MUST(w.context, sprint_run_go(run, watch_share, &last));
    assert_true(sprint_run_share(run) == 1);
    sprint_run_free(run);
  }
  sprint_run *run = run_new(&w, "{method: rgd, stop: {epochs: 0, gradient: 1e-3}}", 1);
  assert_true(isnan(sprint_run_share(run)) && sprint_run_epochs_planned(run) == 0);
  sprint_run_free(run);
  run = run_new(&w, "{method: rgd, stop: {ifo: 3000}}", 1);
  CLOSE(sprint_run_epochs_planned(run), 3000.0 / (double)sprint_population_n(w.population), 2);
  sprint_run_free(run);
  world_free(&w);
}

/* A seed of any size is kept as it is, and known again. */
static void test_save__seeds_are_exact(void **state) {
  (void)state;
  static const uint64_t seeds[] = {9007199254740993u, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
  struct world w = world_new(lending, network, "{kind: none}");
  char folder[] = "/tmp/sprint-seed-XXXXXX", command[128];
  assert_non_null(mkdtemp(folder));
  for (size_t i = 0; i < 4; i++) {
    sprint_run *run = run_done(&w, "{stop: {epochs: 1}}", seeds[i]);
    MUST(w.context, sprint_run_save(run, folder));
    snprintf(command, sizeof command, "grep -Eq '\"seed\": \"?%llu\"?,' %s/run.json", (unsigned long long)seeds[i],
             folder);
    assert_int_equal(system(command), 0);
    sprint_run_free(run);
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  world_free(&w);
}

/* Oracle: binomial counts; the bound is five standard deviations. */
static void test_sampler__frequencies(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, n: 200, default_rate: 0.3}", "{layers: dense 1}", NULL);
  enum { DRAWS = 100000 };
  static uint32_t who[DRAWS];
  const double p[2] = {0.9, 0.1};
  size_t count[2] = {0, 0}, first = 0;
  const struct sprint__draws draws = {1, 1, SPRINT__FOR_DRAWS, 0};
  sprint__sampler_draw(w.population, p, &draws, DRAWS, who);
  for (size_t i = 0; i < DRAWS; i++) count[sprint__population_stratum(w.population, who[i])]++;
  assert_true(fabs((double)count[1] - 0.1 * DRAWS) < 5 * sqrt(0.1 * 0.9 * DRAWS));
  sprint__sampler_draw(w.population, NULL, &draws, DRAWS, who);
  for (size_t i = 0; i < DRAWS; i++) first += who[i] == 0;
  assert_true(fabs((double)first - DRAWS / 200.0) < 5 * sqrt(DRAWS / 200.0));
  const double sure[2] = {0, 1};
  sprint__sampler_draw(w.population, sure, &draws, DRAWS, who);
  for (size_t i = 0; i < DRAWS; i++) assert_int_equal(sprint__population_stratum(w.population, who[i]), 1);
  world_free(&w);
}

/* Draws from more strata than there is a guide for. Oracle: with 2048 of equal probability, a power of two, the stratum
 * of a uniform number is its upper 11 bits; and one that is sure is always drawn. */
static void test_sampler__many_strata(void **state) {
  (void)state;
  enum { STRATA = 2048, DRAWS = 3000 };
  static sprint_real x[STRATA], y[STRATA];
  static double p[STRATA];
  static uint32_t who[DRAWS];
  sprint_context *context = NULL;
  sprint_population *population = NULL;
  const struct sprint__draws draws = {1, 1, SPRINT__FOR_DRAWS, 0};
  for (size_t c = 0; c < STRATA; c++) y[c] = (sprint_real)c, p[c] = 1.0 / STRATA;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_population_new(context, STRATA, 1, x, y, STRATA, &population));
  sprint__sampler_draw(population, p, &draws, DRAWS, who);
  for (uint32_t j = 0; j < DRAWS; j++) {
    double u = sprint__uniform(sprint__random_words(draws.seed, draws.purpose, draws.step, draws.first + j).a);
    assert_int_equal(who[j], (uint32_t)(u * STRATA));
  }
  memset(p, 0, sizeof p);
  p[1500] = 1;
  sprint__sampler_draw(population, p, &draws, DRAWS, who);
  for (size_t j = 0; j < DRAWS; j++) assert_int_equal(who[j], 1500);
  sprint_population_free(population);
  sprint_context_free(context);
}

/* A saved model comes back to the bit through both file kinds, and predicts what the network says. */
static void test_save__model_round_trip(void **state) {
  (void)state;
  struct world w = world_new(lending, network, "{kind: strategic, good: 0, alpha: 0.2}");
  sprint_run *run = run_done(&w, "{stop: {epochs: 2}}", 1);
  char folder[] = "/tmp/sprint-run-XXXXXX", path[96];
  assert_non_null(mkdtemp(folder));
  MUST(w.context, sprint_run_save(run, folder));
  sprint_real theta[97], outputs[1];
  snprintf(path, sizeof path, "%s/model.safetensors", folder);
  MUST(w.context, sprint_model_read_theta(w.model, path, theta));
  assert_memory_equal(theta, sprint_run_theta(run), sizeof theta);

  sprint_predictor *predictor = NULL;
  MUST(w.context, sprint_predictor_load(w.context, path, &predictor));
  double raw[10], scores[2];
  const sprint_real *x = sprint_population_x(w.population);
  for (size_t j = 0; j < 10; j++) /* undo the standardisation of the first row */
    raw[j] = (double)x[j] * w.population->columns[j].scale + w.population->columns[j].mean;
  MUST(w.context, sprint_predictor_score(predictor, raw, 1, scores));
  MUST(w.context, sprint_model_outputs(w.model, theta, x, 1, outputs));
  CLOSE(scores[1], 1 / (1 + exp(-(double)outputs[0])), 200);
  CLOSE(scores[0] + scores[1], 1, 4);
  sprint_predictor_free(predictor);

  snprintf(path, sizeof path, "%s/theta.npy", folder);
  MUST(w.context, sprint_model_write_theta(w.model, path, theta));
  memset(theta, 0, sizeof theta);
  MUST(w.context, sprint_model_read_theta(w.model, path, theta));
  assert_memory_equal(theta, sprint_run_theta(run), sizeof theta);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  sprint_run_free(run);
  world_free(&w);
}

/* Writes a small CSV and a config over it; both names are templates of mkstemps. */
static void write_config(char *csv, char *config) {
  FILE *stream = fdopen(mkstemps(csv, 4), "w");
  fputs("a,b,label\n", stream);
  for (int i = 0; i < 20; i++) fprintf(stream, "%d,%d.5,%d\n", i % 7, i % 3, i % 2);
  fclose(stream);
  stream = fdopen(mkstemps(config, 5), "w");
  fprintf(stream,
          "data: {kind: csv, path: %s, label: label, holdout: 0.2}\nmodel: {layers: 'dense 3, relu, dense 1'}\n"
          "shift: {kind: strategic, good: 0, memory: accumulating}\nstop: {epochs: 1}\n"
          "compare: [{name: a, method: sgd}, {name: b, method: {correction: unbiased}}]\n",
          csv);
  fclose(stream);
}

/* A small config, loaded, started and run, with the k-th allocation made to fail for every k: always a status and a
 * sentence, never a crash or (under sanitizers) a leak. */
static void test_experiment__survives_every_failed_allocation(void **state) {
  (void)state;
  char csv[] = "/tmp/sprint-people-XXXXXX.csv", path[] = "/tmp/sprint-config-XXXXXX.yaml";
  write_config(csv, path);
  bool done = false;
  int64_t failures = 0;
  for (int64_t k = 0; !done; k++) {
    sprint_context *context = NULL;
    assert_int_equal(sprint_context_new(&context), SPRINT_OK);
    context->fail_allocation = k;
    sprint_experiment *experiment = NULL;
    sprint_run *run = NULL;
    sprint_status status = sprint_experiment_load(context, path, NULL, 0, &experiment);
    if (status == SPRINT_OK) status = sprint_experiment_start(experiment, 0, 1, 0, &run);
    if (status == SPRINT_OK) status = sprint_run_go(run, NULL, NULL);
    if (status != SPRINT_OK) {
      assert_int_equal(status, SPRINT_ERROR_MEMORY);
      assert_non_null(strstr(sprint_context_error(context), "out of memory"));
      failures++;
    }
    done = status == SPRINT_OK;
    sprint_run_free(run);
    sprint_experiment_free(experiment);
    sprint_context_free(context);
  }
  assert_true(failures > 100);
  remove(path);
  remove(csv);
}

/* Every method of one seed starts from the same theta_0, and a scalar entry keeps the shared keys. */
static void test_experiment__compares_on_equal_terms(void **state) {
  (void)state;
  char path[] = "/tmp/sprint-config-XXXXXX.yaml";
  FILE *stream = fdopen(mkstemps(path, 5), "w");
  fputs(
      "data: {kind: lending, n: 500}\nmethod: {batch: 10}\nseeds: [4, 5]\nstop: {epochs: 1}\n"
      "compare: [{name: a, method: sgd}, {name: b, method: sprint}]\n",
      stream);
  fclose(stream);
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_experiment *experiment = NULL;
  MUST(context, sprint_experiment_load(context, path, NULL, 0, &experiment));
  remove(path);
  assert_int_equal(sprint_experiment_n_methods(experiment), 2);
  sprint_run *a = NULL, *b = NULL, *c = NULL;
  MUST(context, sprint_experiment_start(experiment, 0, 0, 1, &a));
  MUST(context, sprint_experiment_start(experiment, 0, 1, 1, &b));
  MUST(context, sprint_experiment_start(experiment, 0, 1, 0, &c));
  assert_int_equal(sprint_run_steps_planned(a), 50);
  assert_int_equal(sprint_run_steps_planned(b), 50);
  assert_memory_equal(sprint_run_theta(a), sprint_run_theta(b), 11 * sizeof(sprint_real));
  assert_memory_not_equal(sprint_run_theta(b), sprint_run_theta(c), 11 * sizeof(sprint_real));
  sprint_run_free(a);
  sprint_run_free(b);
  sprint_run_free(c);
  sprint_experiment_free(experiment);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trace__closed_forms_of_the_mean),
      cmocka_unit_test(test_trace__bias_of_the_corrections),
      cmocka_unit_test(test_trace__lazy_paper_has_no_bias),
      cmocka_unit_test(test_trace__accumulating_coupled_has_no_bias),
      cmocka_unit_test(test_trace__evaluation_is_free),
      cmocka_unit_test(test_run__allocates_nothing_after_set_up),
      cmocka_unit_test(test_run__observer_stops_it),
      cmocka_unit_test(test_run__gradient_stops_it),
      cmocka_unit_test(test_run__share_of_every_bound),
      cmocka_unit_test(test_save__seeds_are_exact),
      cmocka_unit_test(test_sampler__frequencies),
      cmocka_unit_test(test_sampler__many_strata),
      cmocka_unit_test(test_save__model_round_trip),
      cmocka_unit_test(test_experiment__survives_every_failed_allocation),
      cmocka_unit_test(test_experiment__compares_on_equal_terms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
