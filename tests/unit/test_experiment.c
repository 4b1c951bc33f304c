/* Experiments: grids and quick settings over a config, and what a saved run is known by. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "help.h"
#include "run/run.h"

static const char config[] =
    "data: {kind: lending, n: 60}\nshift: {kind: strategic, good: 0, alpha: 9}\nmethod: {batch: 10}\nstop: {epochs: "
    "2}\n"
    "seeds: [4, 5]\ngrid: {shift.alpha: [0.1, 0.2, 0.3], step.size: [1, 2e-1]}\n"
    "compare: [{name: a, method: sgd}, {name: b, method: sprint}]\n"
    "quick: {stop: {epochs: 1}, shift: {sign: '-'}, grid: {step.size: [5]}}\n";

typedef sprint_status (*loader)(sprint_context *, const char *, const char *const *, size_t, sprint_experiment **);

/* The config of a text, through a file; `set` may be NULL. */
static sprint_status load_text(sprint_context *context, loader load, const char *text, const char *set,
                               sprint_experiment **ret_experiment) {
  char path[] = "/tmp/sprint-grid-XXXXXX.yaml";
  FILE *stream = fdopen(mkstemps(path, 5), "w");
  fputs(text, stream);
  fclose(stream);
  sprint_status status = load(context, path, &set, set ? 1 : 0, ret_experiment);
  remove(path);
  return status;
}

static sprint_context *context_new(void) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  return context;
}

static sprint_experiment *loaded(sprint_context *context, loader load, const char *set) {
  sprint_experiment *experiment = NULL;
  MUST(context, load_text(context, load, config, set, &experiment));
  return experiment;
}

static sprint_run *started(sprint_context *context, sprint_experiment *experiment, size_t point, size_t method) {
  sprint_run *run = NULL;
  MUST(context, sprint_experiment_start(experiment, point, method, 0, &run));
  return run;
}

/* Whether the run's settings hold a piece of text. */
static bool says(const sprint_run *run, const char *piece) { return strstr(run->settings_text, piece) != NULL; }

/* The product of the axes, the last one fastest; every point has its values and every method. */
static void test_grid__is_a_product(void **state) {
  (void)state;
  static const char *const names[] = {"alpha-0.1_size-1",    "alpha-0.1_size-2e-1", "alpha-0.2_size-1",
                                      "alpha-0.2_size-2e-1", "alpha-0.3_size-1",    "alpha-0.3_size-2e-1"};
  sprint_context *context = context_new();
  sprint_experiment *experiment = loaded(context, sprint_experiment_load, NULL);
  assert_int_equal(sprint_experiment_n_points(experiment), 6);
  assert_int_equal(sprint_experiment_n_methods(experiment), 2);
  for (size_t p = 0; p < 6; p++) assert_string_equal(sprint_experiment_point_name(experiment, p), names[p]);
  sprint_run *first = started(context, experiment, 0, 0), *last = started(context, experiment, 5, 1);
  assert_true(says(first, "\"alpha\":0.1") && says(first, "\"size\":1.0") && says(first, "\"kind\":\"sgd\""));
  assert_true(says(last, "\"alpha\":0.29999999999999999") && says(last, "\"size\":0.2"));
  assert_true(says(last, "\"kind\":\"sprint\""));
  assert_null(strstr(last->config_text, "grid"));
  assert_null(strstr(last->config_text, "quick"));
  sprint_run_free(first);
  sprint_run_free(last);
  sprint_run *none = NULL;
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "point 6, method 0: there are 6 and 2",
          sprint_experiment_start(experiment, 6, 0, 0, &none));
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "seed number 2: there are 2",
          sprint_experiment_start(experiment, 0, 0, 2, &none));
  sprint_experiment_free(experiment);
  sprint_context_free(context);
}

static void check_points(const char *set, size_t n_points, const char *first) {
  sprint_context *context = context_new();
  sprint_experiment *experiment = loaded(context, sprint_experiment_load, set);
  assert_int_equal(sprint_experiment_n_points(experiment), n_points);
  assert_string_equal(sprint_experiment_point_name(experiment, 0), first);
  sprint_experiment_free(experiment);
  sprint_context_free(context);
}

/* What a user sets takes the place of the grid's list; a section set as a whole drops the axes within it. */
static void test_grid__gives_way_to_sets(void **state) {
  (void)state;
  check_points("shift.alpha=0.7", 2, "alpha-0.7_size-1");
  check_points("shift.alpha=[7, 8]", 4, "alpha-7_size-1");
  check_points("shift=none", 2, "size-1");
  check_points("grid={}", 1, "");
  check_points("grid={step.kind: [constant, inverse-root]}", 2, "kind-constant");
  check_points("grid={model.layers: ['dense 2, relu, dense 1']}", 1, "layers-dense-2--relu--dense-1");
}

/* Laid over the config where it is asked for, below what is set: maps merge. */
static void test_quick__is_laid_over(void **state) {
  (void)state;
  sprint_context *context = context_new();
  sprint_experiment *plain = loaded(context, sprint_experiment_load, NULL);
  sprint_experiment *quick = loaded(context, sprint_experiment_load_quick, NULL);
  sprint_experiment *set = loaded(context, sprint_experiment_load_quick, "stop.epochs=7");
  assert_int_equal(sprint_experiment_n_points(quick), 3);
  assert_string_equal(sprint_experiment_point_name(quick, 2), "alpha-0.3_size-5");
  sprint_run *a = started(context, plain, 0, 0), *b = started(context, quick, 0, 0), *c = started(context, set, 0, 0);
  CLOSE(sprint_run_epochs_planned(a), 2, 1);
  CLOSE(sprint_run_epochs_planned(b), 1, 1);
  CLOSE(sprint_run_epochs_planned(c), 7, 1);
  assert_true(says(a, "\"sign\":\"+\"") && says(b, "\"sign\":\"-\"") && says(b, "\"alpha\":0.1"));
  sprint_run_free(a);
  sprint_run_free(b);
  sprint_run_free(c);
  sprint_experiment_free(plain);
  sprint_experiment_free(quick);
  sprint_experiment_free(set);
  sprint_context_free(context);
}

/* A slip in the form that is not asked for is found as well. */
static void test_quick__is_always_checked(void **state) {
  (void)state;
  sprint_context *context = context_new();
  sprint_experiment *none = NULL;
  const char *slip = "data: {n: 20}\nquick:\n  stop: {epoch: 1}\n";
  REFUSED(context, SPRINT_ERROR_INPUT, ".yaml:3: unknown key 'stop.epoch'",
          load_text(context, sprint_experiment_load, slip, NULL, &none));
  REFUSED(context, SPRINT_ERROR_INPUT, ".yaml:2: key 'grid.data.n': all points share one population",
          load_text(context, sprint_experiment_load, "data: {n: 20}\ngrid: {data.n: [1]}\n", NULL, &none));
  REFUSED(context, SPRINT_ERROR_INPUT,
          ".yaml:2: key 'grid.seeds': is not a setting of a run; a key of model, shift, method, step, deploy, stop",
          load_text(context, sprint_experiment_load, "data: {n: 20}\ngrid: {seeds: [1]}\n", NULL, &none));
  sprint_context_free(context);
}

/* Per-sample gradients by hand, n = 60, b = 10, m = 6: SGD 60, SPRINT 60 + 120, and 80 for a row; times 6 * 11. */
static void test_run__cost_per_epoch(void **state) {
  (void)state;
  sprint_context *context = context_new();
  sprint_experiment *experiment = loaded(context, sprint_experiment_load, NULL);
  sprint_run *a = started(context, experiment, 0, 0), *b = started(context, experiment, 0, 1);
  double per_row = sprint_model_cost_per_row(a->shift->model);
  CLOSE(sprint_run_cost_per_epoch(a), 140 * per_row, 4);
  CLOSE(sprint_run_cost_per_epoch(b), 260 * per_row, 4);
  sprint_run_free(a);
  sprint_run_free(b);
  sprint_experiment_free(experiment);
  sprint_context_free(context);
}

static bool stop_at_once(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  (void)user;
  (void)run;
  (void)row;
  return cost->steps == 0;
}

/* A run is known by what it was made with, and not by its neighbours; one that was stopped does not count. */
static void test_saved__is_found_again(void **state) {
  (void)state;
  char folder[] = "/tmp/sprint-saved-XXXXXX";
  assert_non_null(mkdtemp(folder));
  sprint_context *context = context_new();
  sprint_experiment *experiment = loaded(context, sprint_experiment_load, NULL);
  sprint_experiment *fewer = loaded(context, sprint_experiment_load, "seeds=[4]");
  sprint_run *run = started(context, experiment, 0, 1), *cut = started(context, experiment, 0, 1);
  sprint_run *other = started(context, experiment, 1, 1), *same = started(context, fewer, 0, 1), *seed = NULL;
  MUST(context, sprint_experiment_start(experiment, 0, 1, 1, &seed));
  assert_false(sprint_run_is_saved(run, folder));
  MUST(context, sprint_run_go(cut, stop_at_once, NULL));
  MUST(context, sprint_run_save(cut, folder));
  assert_int_equal(sprint_run_stop(cut), SPRINT_STOP_REQUESTED);
  assert_false(sprint_run_is_saved(run, folder));
  MUST(context, sprint_run_go(run, NULL, NULL));
  MUST(context, sprint_run_save(run, folder));
  assert_true(sprint_run_is_saved(run, folder));
  assert_true(sprint_run_is_saved(same, folder));
  assert_false(sprint_run_is_saved(other, folder));
  assert_false(sprint_run_is_saved(seed, folder));

  sprint_trace_row row = {.size = sizeof row};
  sprint_stop stop;
  MUST(context, sprint_saved_final(context, folder, &row, &stop));
  assert_int_equal(stop, SPRINT_STOP_EPOCHS);
  const sprint_trace_row *last = last_row(run);
  assert_true(row.loss == last->loss && row.gradient_sq_mean == last->gradient_sq_mean && row.epoch == 2);
  assert_true(isnan(row.loss_heldout) && row.cost.ifo == last->cost.ifo && row.cost.samples == last->cost.samples);
  CLOSE(row.seconds, last->seconds, 1);

  char command[128];
  snprintf(command, sizeof command, "echo '[]' >%s/run.json", folder);
  assert_int_equal(system(command), 0);
  assert_false(sprint_run_is_saved(run, folder));
  REFUSED(context, SPRINT_ERROR_INPUT, "run.json: cannot be read as the record of a run",
          sprint_saved_final(context, folder, &row, &stop));
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  sprint_run *const runs[] = {run, cut, other, same, seed};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) sprint_run_free(runs[i]);
  sprint_experiment_free(experiment);
  sprint_experiment_free(fewer);
  sprint_context_free(context);
}

/* With the k-th allocation made to fail for every k: always a status, never a crash or (under sanitizers) a leak. */
static void test_grid__survives_every_failed_allocation(void **state) {
  (void)state;
  bool done = false;
  for (int64_t k = 0; !done; k++) {
    sprint_context *context = context_new();
    context->fail_allocation = k;
    sprint_experiment *experiment = NULL;
    sprint_status status = load_text(context, sprint_experiment_load_quick, config, "shift.alpha=0.5", &experiment);
    done = status == SPRINT_OK;
    if (!done) assert_int_equal(status, SPRINT_ERROR_MEMORY);
    sprint_experiment_free(experiment);
    sprint_context_free(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grid__is_a_product),
      cmocka_unit_test(test_grid__gives_way_to_sets),
      cmocka_unit_test(test_quick__is_laid_over),
      cmocka_unit_test(test_quick__is_always_checked),
      cmocka_unit_test(test_run__cost_per_epoch),
      cmocka_unit_test(test_saved__is_found_again),
      cmocka_unit_test(test_grid__survives_every_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
