/* Divergence: seen however theta explodes, and nothing is left that could be acted on by mistake. */
#include "registry_help.h"

#include <unistd.h>

static const char lending[] = "{kind: lending, n: 200}";
static const char line[] = "{layers: dense 1, loss: squared, init: zeros}";

static bool exists(const char *folder, const char *name) {
  char path[160];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

/* Oracle: a step of size 1 against a penalty of l2 = 11 alone multiplies theta by -10, and the loss, which is below 1
 * whatever theta is, never says so. Theta starts at about 1: 20 steps make it 1e20, a finite number in both precisions,
 * and the penalty 5e40. */
static void test_diverged__seen_in_the_penalty(void **state) {
  (void)state;
  struct world w = world_new(lending, "{layers: dense 1, loss: sigmoid, l2: 11}", "{kind: none}");
  sprint_run *run = run_done(&w, "{method: rgd, step: {size: 1}, stop: {epochs: 20}}", 1);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DIVERGED);
  const sprint_trace_row *last = last_row(run);
  assert_true(last->epoch < 5);
  assert_true(last->loss > 1e4);
  sprint_run_free(run);
  world_free(&w);
}

/* The last step of a run: no batch comes after it that could show what it did. */
static void test_diverged__seen_in_the_last_row(void **state) {
  (void)state;
  struct world w = world_new(lending, line, "{kind: none}");
  sprint_run *run = run_done(&w, "{method: rgd, step: {size: 1e6}, stop: {steps: 1}}", 1);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DIVERGED);
  sprint_run_free(run);
  world_free(&w);
}

/* A bounded loss, no penalty: one step of 1e6 takes theta (to about 1e5, where 100^2 are borne) to where every gradient
 * is 0, which must not pass for stable. */
static void test_diverged__seen_in_theta(void **state) {
  (void)state;
  struct world w = world_new(lending, "{layers: dense 1, loss: sigmoid}", "{kind: none}");
  sprint_run *run = run_done(&w, "{method: rgd, step: {size: 1e6}, stop: {epochs: 3, explosion: 100}}", 1);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DIVERGED);
  sprint_run_free(run);
  world_free(&w);
}

/* What is large from the start, or because the data are, has not diverged. */
static void test_diverged__large_is_not(void **state) {
  (void)state;
  enum { N = 50 };
  sprint_context *context = NULL;
  sprint_population *population = NULL;
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_real x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = (sprint_real)(i % 5) - 2;
    y[i] = 3e7f * x[i] + 2e8f;
  }
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_population_new(context, N, 1, x, y, 0, &population));
  MUST(context, sprint_model_new(context, line, population, &model));
  MUST(context, sprint_shift_new(context, "none", model, population, &shift));
  sprint_run_options options = {
      .size = sizeof options, .shift = shift, .spec = "{method: rgd, step: {size: 0.2}, stop: {epochs: 200}}"};
  sprint_run *run = NULL;
  MUST(context, sprint_run_new(context, &options, &run));
  MUST(context, sprint_run_go(run, NULL, NULL));
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_EPOCHS);
  CLOSE(sprint_run_theta(run)[1] / 2e8f, 1, 50); /* the bias: the mean of y; x has mean 0 */
  sprint_run_free(run);
  sprint_shift_free(shift);
  sprint_model_free(model);
  sprint_population_free(population);
  sprint_context_free(context);
}

/* By ask and tell: theta is looked at where an epoch ends. */
static void test_diverged__seen_by_ask_and_tell(void **state) {
  (void)state;
  struct world w = world_new(lending, "{layers: dense 1, loss: sigmoid, l2: 11}", NULL);
  sprint_real start[11] = {1};
  sprint_solver_options options = {.size = sizeof options,
                                   .spec = "{method: rgd, step: {size: 1}, stop: {epochs: 20}}",
                                   .model = w.model,
                                   .n = 200,
                                   .theta = start};
  sprint_solver *solver = NULL;
  MUST(w.context, sprint_solver_new(w.context, &options, &solver));
  sprint_want want = {.size = sizeof want};
  for (;;) {
    MUST(w.context, sprint_solver_ask(solver, &want));
    if (want.kind == SPRINT_WANT_NOTHING) break;
    sprint_records records = {.size = sizeof records,
                              .n = 200,
                              .x = sprint_population_x(w.population),
                              .y = sprint_population_y(w.population),
                              .last = true};
    MUST(w.context, sprint_solver_tell(solver, &records));
  }
  assert_int_equal(sprint_solver_stop(solver), SPRINT_STOP_DIVERGED);
  assert_true(sprint_solver_counters(solver).steps < 5);
  sprint_solver_free(solver);
  world_free(&w);
}

/* Oracle: the theta that an observer saw at each row. The newest row with finite values, from before the explosion, is
 * what is kept; it is theta_0 where the first step explodes. */
static bool keep_theta(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  (void)cost;
  sprint_real(*seen)[11] = user;
  if (row) memcpy(seen[sprint_run_n_rows(run) - 1], sprint_run_theta(run), sizeof seen[0]);
  return true;
}

static void test_diverged__keeps_the_last_sound_theta(void **state) {
  (void)state;
  struct world w = world_new(lending, line, "{kind: none}");
  char folder[] = "/tmp/sprint-diverged-XXXXXX", path[96];
  assert_non_null(mkdtemp(folder));
  sprint_run *good = run_done(&w, "{method: sgd, step: {size: 0.01}, stop: {epochs: 2}}", 1);
  assert_true(sprint_run_last_sound(good, NULL) != NULL);
  MUST(w.context, sprint_run_save(good, folder));
  assert_true(exists(folder, "model.safetensors") && !exists(folder, "last-finite.safetensors"));

  sprint_run *bad = run_new(&w, "{method: rgd, step: {size: 1.5}, stop: {epochs: 500, explosion: 1e3}}", 1);
  sprint_real seen[501][11], theta[11];
  MUST(w.context, sprint_run_go(bad, keep_theta, seen));
  assert_int_equal(sprint_run_stop(bad), SPRINT_STOP_DIVERGED);
  size_t row = 0, n = sprint_run_n_rows(bad);
  const sprint_real *sound = sprint_run_last_sound(bad, &row);
  assert_true(row + 2 == n && n > 3);
  assert_memory_equal(sound, seen[row], sizeof theta);
  assert_true(sprint_run_row(bad, row)->loss <= 1e3 * fmax(1, sprint_run_row(bad, 0)->loss));
  assert_true(last_row(bad)->loss > 1e3 * fmax(1, sprint_run_row(bad, 0)->loss));
  MUST(w.context, sprint_run_save(bad, folder));
  assert_true(!exists(folder, "model.safetensors") && exists(folder, "last-finite.safetensors"));
  snprintf(path, sizeof path, "%s/last-finite.safetensors", folder);
  MUST(w.context, sprint_model_read_theta(w.model, path, theta));
  assert_memory_equal(theta, sound, sizeof theta);

  MUST(w.context, sprint_run_save(good, folder));
  assert_true(exists(folder, "model.safetensors") && !exists(folder, "last-finite.safetensors"));
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  sprint_run_free(good);
  sprint_run_free(bad);
  world_free(&w);
}

/* A predictor is not made of what diverged, or of what is no number, but where that is asked for. */
static void test_diverged__is_not_predicted_with(void **state) {
  (void)state;
  struct world w = world_new(lending, "{layers: dense 1}", "{kind: none}");
  char folder[] = "/tmp/sprint-diverged-XXXXXX", path[96], model[96];
  assert_non_null(mkdtemp(folder));
  sprint_run *bad = run_done(&w, "{method: rgd, step: {size: 1e6}, stop: {epochs: 5}}", 1);
  assert_int_equal(sprint_run_stop(bad), SPRINT_STOP_DIVERGED);
  MUST(w.context, sprint_run_save(bad, folder));
  snprintf(path, sizeof path, "%s/last-finite.safetensors", folder);
  sprint_predictor *predictor = NULL;
  sprint_predictor_options anyway = {.size = sizeof anyway, .anyway = true}, not = {.size = sizeof not };
  REFUSED(w.context, SPRINT_ERROR_INPUT, "its run diverged", sprint_predictor_load(w.context, path, &predictor));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "--anyway", sprint_predictor_open(w.context, path, &not, &predictor));
  assert_null(predictor);
  MUST(w.context, sprint_predictor_open(w.context, path, &anyway, &predictor));
  sprint_predictor_free(predictor);

  sprint_run *good = run_done(&w, "{method: sgd, step: {size: 0.01}, stop: {epochs: 2}}", 1);
  MUST(w.context, sprint_run_save(good, folder));
  snprintf(model, sizeof model, "%s/model.safetensors", folder);
  MUST(w.context, sprint_predictor_load(w.context, model, &predictor));
  sprint_predictor_free(predictor);
  predictor = NULL;
  FILE *stream = fopen(model, "r+b"); /* the last number of the last tensor becomes a NaN */
  assert_non_null(stream);
  const sprint_real nan = (sprint_real)NAN;
  assert_int_equal(fseek(stream, -(long)sizeof nan, SEEK_END), 0);
  assert_int_equal(fwrite(&nan, sizeof nan, 1, stream), 1);
  fclose(stream);
  REFUSED(w.context, SPRINT_ERROR_INPUT, "not all of its numbers are finite",
          sprint_predictor_load(w.context, model, &predictor));
  MUST(w.context, sprint_predictor_open(w.context, model, &anyway, &predictor));
  sprint_predictor_free(predictor);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  sprint_run_free(good);
  sprint_run_free(bad);
  world_free(&w);
}

/* Steps that take theta beyond all numbers end a run as diverged, whoever reacts and by whatever engine: it is a
 * result, with a trace that begins with a finite loss. A loss of 1e4 times the first one ends it before the next step,
 * so that `explosion` is as large as it can be, and deployments lag behind. */
static void test_diverged__under_every_shift(void **state) {
  (void)state;
  static char shifts[MOST_SPECS][SPEC];
  static const char *const policies[] = {"greedy", "{kind: every, steps: 3}"};
  static const char *const methods[] = {"{batch: 7}", "{kind: sgd, batch: 7}", "{kind: rgd, inner: 4}"};
  sprint_context *context = NULL;
  size_t n_runs = 0;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_population *people = few_people(context, 0);
  size_t n = shifts_of(context, shifts);
  for (size_t s = 0; s < n; s++)
    for (size_t k = 0; k < 6; k++) {
      struct world w = {.context = context};
      char spec[256];
      snprintf(spec, sizeof spec,
               "{method: %s, step: {size: 1e6}, deploy: %s, stop: {epochs: 60, explosion: 1e300}, eval: {every: 7}}",
               methods[k / 2], policies[k % 2]);
      MUST(context, sprint_model_new(context, "{layers: 'dense 1', loss: squared}", people, &w.model));
      if (sprint_shift_new(context, shifts[s], w.model, people, &w.shift) == SPRINT_OK) {
        sprint_run *run = run_done(&w, spec, 1);
        if (sprint_run_stop(run) != SPRINT_STOP_DIVERGED) fail_msg("%s, %s: has not diverged", shifts[s], spec);
        assert_true(isfinite(sprint_run_row(run, 0)->loss));
        sprint_run_free(run);
        n_runs++;
      }
      sprint_shift_free(w.shift);
      sprint_model_free(w.model);
    }
  assert_true(n_runs > 6 * 20);
  sprint_population_free(people);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_diverged__seen_in_the_penalty),
      cmocka_unit_test(test_diverged__seen_in_the_last_row),
      cmocka_unit_test(test_diverged__seen_in_theta),
      cmocka_unit_test(test_diverged__large_is_not),
      cmocka_unit_test(test_diverged__seen_by_ask_and_tell),
      cmocka_unit_test(test_diverged__keeps_the_last_sound_theta),
      cmocka_unit_test(test_diverged__is_not_predicted_with),
      cmocka_unit_test(test_diverged__under_every_shift),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
