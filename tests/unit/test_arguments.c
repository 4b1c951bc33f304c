/* Arguments that do not fit: structs whose size was not set, numbers out of range, calls at the wrong time. Each is
 * refused with a sentence, and outputs are as they were. NULL has a file of its own, test_null.c. */
#include "help.h"

#include <unistd.h>

static struct {
  sprint_context *context;
  char folder[40], config[64];
  sprint_experiment *experiment;
  const sprint_population *people;
  sprint_model *model;
  sprint_shift *shift;
  sprint_run *run; /* not started */
} all;

static sprint_real theta[64], reals[64];
static double numbers[64];

static int set_up(void **state) {
  (void)state;
  snprintf(all.folder, sizeof all.folder, "/tmp/sprint-arguments-XXXXXX");
  assert_non_null(mkdtemp(all.folder));
  snprintf(all.config, sizeof all.config, "%s/c.yaml", all.folder);
  FILE *stream = fopen(all.config, "w");
  fputs("data: {kind: lending, n: 60}\nshift: {kind: strategic, good: 0}\nstop: {epochs: 1}\nseeds: [5]\n", stream);
  fclose(stream);
  assert_int_equal(sprint_context_new(&all.context), SPRINT_OK);
  MUST(all.context, sprint_experiment_load(all.context, all.config, NULL, 0, &all.experiment));
  all.people = sprint_experiment_population(all.experiment);
  MUST(all.context, sprint_experiment_parts(all.experiment, 0, 0, &all.model, &all.shift));
  MUST(all.context, sprint_experiment_start(all.experiment, 0, 0, 0, &all.run));
  MUST(all.context, sprint_model_start(all.model, 1, theta));
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char command[64];
  sprint_run_free(all.run);
  sprint_shift_free(all.shift);
  sprint_model_free(all.model);
  sprint_experiment_free(all.experiment);
  sprint_context_free(all.context);
  snprintf(command, sizeof command, "rm -r %s", all.folder);
  return system(command);
}

#define NO(WORDS, CALL)       REFUSED(all.context, SPRINT_ERROR_ARGUMENT, WORDS, CALL)
#define NO_INPUT(WORDS, CALL) REFUSED(all.context, SPRINT_ERROR_INPUT, WORDS, CALL)

static void hear(void *user, const char *line) {
  (void)line;
  ++*(size_t *)user;
}

/* A struct of zeros does not say how large it is. */
static void test_arguments__zeroed_structs(void **state) {
  (void)state;
  const sprint_constants good = {.size = sizeof good, .L = 1, .kappa = 0.1, .m = 4, .n = 9, .batch = 1, .delta_0 = 1};
  const sprint_constants constants = {0};
  sprint_certificate certificate = {0};
  sprint_theory_cost cost = {0};
  sprint_estimate_options estimating = {0};
  const sprint_estimate_options estimable = {
      .size = sizeof estimable, .shift = all.shift, .theta = theta, .sample = 5, .probes = 1, .projections = 1};
  sprint_estimates estimates = {0};
  sprint_theory_plan plan = {0};
  NO("sprint_constants is 0", sprint_theory_epoch(all.context, &constants, 0.1, 1, numbers, numbers));
  NO("sprint_constants is 0", sprint_theory_check(all.context, &constants, 0.1, 1, &certificate));
  NO("sprint_constants is 0", sprint_theory_closed_form(all.context, &constants, &certificate));
  NO("sprint_constants is 0", sprint_theory_largest(all.context, &constants, &certificate));
  NO("sprint_constants is 0", sprint_theory_best(all.context, &constants, 0, &certificate));
  NO("sprint_constants is 0", sprint_theory_cost_sprint(all.context, &constants, &certificate, 1, &cost));
  NO("sprint_constants is 0", sprint_theory_cost_sgd(all.context, &constants, 1, &cost));
  NO("sprint_constants is 0", sprint_theory_draw(all.context, &constants, &certificate, "none.svg"));
  NO("sprint_certificate is 0", sprint_theory_check(all.context, &good, 0.1, 1, &certificate));
  NO("sprint_certificate is 0", sprint_theory_cost_sprint(all.context, &good, &certificate, 1, &cost));
  NO("sprint_certificate is 0", sprint_theory_draw(all.context, &good, &certificate, "none.svg"));
  NO("sprint_theory_cost is 0", sprint_theory_cost_sgd(all.context, &good, 1, &cost));
  NO("sprint_estimate_options is 0", sprint_theory_estimate(all.context, &estimating, &estimates));
  NO("sprint_estimates is 0", sprint_theory_estimate(all.context, &estimable, &estimates));
  NO("sprint_theory_plan is 0", sprint_theory_plan_of(all.experiment, 0, 0, &plan));

  sprint_run_options run_options = {0};
  sprint_keep_options keep = {0};
  sprint_solver_options solver_options = {0};
  sprint_step_options step_options = {0};
  sprint_step_check check = {0};
  sprint_problem problem = {0};
  sprint_advice advice = {0};
  sprint_experiment_options experiment_options = {0};
  sprint_run *run = NULL;
  sprint_solver *solver = NULL;
  sprint_experiment *experiment = NULL;
  NO("sprint_run_options is 0", sprint_run_new(all.context, &run_options, &run));
  NO("sprint_keep_options is 0", sprint_run_keep(all.run, all.folder, &keep));
  NO("sprint_solver_options is 0", sprint_solver_new(all.context, &solver_options, &solver));
  NO("sprint_step_options is 0", sprint_experiment_check_step(all.experiment, 0, 0, &step_options, &check));
  NO("sprint_problem is 0", sprint_experiment_problem(all.experiment, 0, 0, &problem));
  NO("sprint_problem is 0", sprint_advise(all.context, &problem, &advice));
  NO("sprint_experiment_options is 0",
     sprint_experiment_open(all.context, all.config, &experiment_options, &experiment));
  assert_true(!run && !solver && !experiment);

  sprint_plot_options plot = {0};
  sprint_landscape_options around = {0};
  sprint_landscape *landscape = NULL;
  sprint_fit_options fitting = {0};
  sprint_fit *fit = NULL;
  size_t n_going = 7;
  NO("sprint_plot_options is 0", sprint_plot_print(all.context, &plot, hear));
  NO("sprint_plot_options is 0", sprint_plot_draw(all.context, &plot, "none.svg", hear));
  NO("sprint_plot_options is 0", sprint_progress_print(all.context, &plot, hear, &n_going));
  NO("sprint_landscape_options is 0", sprint_landscape_new(all.context, &around, &landscape));
  NO("sprint_fit_options is 0", sprint_fit_shift(all.context, &fitting, &fit));
  assert_true(!landscape && !fit && n_going == 7);
}

static void test_arguments__theory(void **state) {
  (void)state;
  sprint_constants good = {.size = sizeof good, .L = 1, .kappa = 0.1, .m = 4, .n = 9, .batch = 1, .delta_0 = 1};
  sprint_certificate step = {.size = sizeof step, .gamma = 7};
  sprint_theory_cost cost = {.size = sizeof cost, .steps = 7};
  static const double wrong[] = {0, -1, INFINITY, NAN};
  for (size_t i = 0; i < 4; i++) {
    NO("gamma is", sprint_theory_check(all.context, &good, wrong[i], 1, &step));
    if (wrong[i] != 0) NO("beta is", sprint_theory_check(all.context, &good, 0.1, wrong[i], &step));
    if (wrong[i] != 0) NO("delta is", sprint_theory_best(all.context, &good, wrong[i], &step));
    NO("delta is", sprint_theory_cost_sprint(all.context, &good, &step, wrong[i], &cost));
    NO("delta is", sprint_theory_cost_sgd(all.context, &good, wrong[i], &cost));
  }
  assert_true(step.gamma == 7 && cost.steps == 7);
  /* A step that is not valid never gets there. */
  MUST(all.context, sprint_theory_check(all.context, &good, 10, 1, &step));
  assert_false(step.valid);
  MUST(all.context, sprint_theory_cost_sprint(all.context, &good, &step, 1, &cost));
  assert_true(isinf(cost.steps) && isinf(cost.ifo) && isinf(cost.all_steps));
  /* The recursion gives what it is asked for: either may be left out. */
  double c[5], Gamma[4], alone[5];
  MUST(all.context, sprint_theory_epoch(all.context, &good, 0.01, 1, c, Gamma));
  MUST(all.context, sprint_theory_epoch(all.context, &good, 0.01, 1, alone, NULL));
  assert_memory_equal(c, alone, sizeof c);
  MUST(all.context, sprint_theory_epoch(all.context, &good, 0.01, 1, NULL, alone));
  assert_memory_equal(Gamma, alone, sizeof Gamma);
  /* A figure of an epoch that is too long, and of numbers that are too large. */
  good.m = 2e9;
  NO("1 .. 1e9 steps can be drawn", sprint_theory_draw(all.context, &good, &step, "none.svg"));
  good.m = 300;
  step.gamma = 1e40;
  step.beta = 1;
  NO_INPUT("beyond all numbers", sprint_theory_draw(all.context, &good, &step, "none.svg"));
  assert_int_equal(access("none.svg", F_OK), -1);

  double w1 = 7;
  NO("at least one of each", sprint_sliced_w1(all.context, reals, reals, 0, 1, numbers, 1, &w1));
  NO("at least one of each", sprint_sliced_w1(all.context, reals, reals, 1, 0, numbers, 1, &w1));
  NO("at least one of each", sprint_sliced_w1(all.context, reals, reals, 1, 1, numbers, 0, &w1));
  assert_true(w1 == 7);
}

static void test_arguments__estimates(void **state) {
  (void)state;
  sprint_estimate_options good = {
      .size = sizeof good, .shift = all.shift, .theta = theta, .sample = 5, .probes = 1, .projections = 1};
  sprint_estimates estimates = {.size = sizeof estimates, .sample = 77};
  sprint_estimate_options bad = good;
  bad.shift = NULL;
  NO("a shift and a theta are needed", sprint_theory_estimate(all.context, &bad, &estimates));
  bad = good;
  bad.theta = NULL;
  NO("a shift and a theta are needed", sprint_theory_estimate(all.context, &bad, &estimates));
  static const double wrong[] = {-1, INFINITY, NAN};
  for (size_t i = 0; i < 3; i++) {
    bad = good;
    bad.radius = wrong[i];
    NO("radius is", sprint_theory_estimate(all.context, &bad, &estimates));
    bad = good;
    bad.spread = wrong[i];
    NO("radius is", sprint_theory_estimate(all.context, &bad, &estimates));
  }
  sprint_real infinite[64] = {INFINITY};
  bad = good;
  bad.theta = infinite;
  NO_INPUT("theta is not finite", sprint_theory_estimate(all.context, &bad, &estimates));
  assert_int_equal(estimates.sample, 77);
  /* What is not said is as documented: the same numbers where it is said. */
  sprint_estimates standard = {.size = sizeof standard}, said = {.size = sizeof said};
  good.projections = 0;
  MUST(all.context, sprint_theory_estimate(all.context, &good, &standard));
  good.projections = 50;
  good.radius = 0.01;
  good.spread = 0.5;
  MUST(all.context, sprint_theory_estimate(all.context, &good, &said));
  assert_memory_equal(&standard, &said, sizeof said);
}

static void test_arguments__runs(void **state) {
  (void)state;
  sprint_run_options options = {.size = sizeof options};
  sprint_run *run = NULL;
  NO("a run needs a shift", sprint_run_new(all.context, &options, &run));
  const sprint_real y[2] = {0, 1};
  sprint_population *narrow = NULL;
  MUST(all.context, sprint_population_new(all.context, 2, 1, y, y, 2, &narrow));
  options = (sprint_run_options){.size = sizeof options, .shift = all.shift, .heldout = narrow};
  NO("the held-out part has 1 features and 2 classes", sprint_run_new(all.context, &options, &run));
  assert_null(run);
  sprint_population_free(narrow);

  const sprint_assessment *assessment = NULL;
  sprint_keep_options keep = {.size = sizeof keep, .every = NAN};
  NO("nothing to assess", sprint_run_assess(all.run, &assessment));
  NO("nothing to save", sprint_run_save(all.run, all.folder));
  assert_string_equal(sprint_run_note(all.run), "");
  NO("every nan seconds", sprint_run_keep(all.run, all.folder, &keep));
  keep.every = 0;
  MUST(all.context, sprint_run_keep(all.run, all.folder, &keep));
  NO("is kept, or has begun", sprint_run_keep(all.run, all.folder, &keep));
  MUST(all.context, sprint_experiment_start(all.experiment, 0, 0, 0, &run));
  MUST(all.context, sprint_run_go(run, NULL, NULL));
  NO("is kept, or has begun", sprint_run_keep(run, all.folder, NULL));
  sprint_run_free(run);
}

static void test_arguments__results(void **state) {
  (void)state;
  size_t n_lines = 0, n_going = 7;
  sprint_plot_options plot = {.size = sizeof plot, .user = &n_lines};
  const char *const folders[] = {all.folder};
  NO("NULL was given", sprint_plot_print(all.context, &plot, hear));
  NO("NULL was given", sprint_progress_print(all.context, &plot, hear, &n_going));
  plot.folders = folders;
  NO("no folder", sprint_plot_print(all.context, &plot, hear));
  NO("no folder", sprint_progress_print(all.context, &plot, hear, &n_going));
  assert_true(n_lines == 0 && n_going == 7);
}

static bool stop(void *user, double share) {
  assert_in_range((int)(100 * share), 0, 100);
  return ++*(int *)user < 3;
}

static void test_arguments__landscapes(void **state) {
  (void)state;
  int n_asked = 0;
  sprint_real other[64], infinite[64] = {INFINITY};
  sprint_landscape *landscape = NULL;
  MUST(all.context, sprint_model_start(all.model, 2, other));
  sprint_landscape_options options = {.size = sizeof options, .theta = theta, .towards = other, .grid = 5};
  NO("NULL was given", sprint_landscape_new(all.context, &options, &landscape));
  options.shift = all.shift;
  options.grid = 4;
  NO("the grid is 4", sprint_landscape_new(all.context, &options, &landscape));
  options.grid = 1002;
  NO("the grid is 1002", sprint_landscape_new(all.context, &options, &landscape));
  options.grid = 5;
  options.towards = theta;
  NO_INPUT("there is no direction", sprint_landscape_new(all.context, &options, &landscape));
  options.towards = infinite;
  NO_INPUT("not finite", sprint_landscape_new(all.context, &options, &landscape));
  options.towards = other;
  options.second = other;
  NO_INPUT("they make no plane", sprint_landscape_new(all.context, &options, &landscape));
  options.second = NULL;
  options.progress = stop;
  options.user = &n_asked;
  REFUSED(all.context, SPRINT_ERROR_CALLBACK, "it was asked to stop",
          sprint_landscape_new(all.context, &options, &landscape));
  assert_int_equal(n_asked, 3);
  assert_null(landscape);
  options.progress = NULL;
  MUST(all.context, sprint_landscape_new(all.context, &options, &landscape));
  double t = 7, w = 7, risk = 7, last = 7;
  assert_false(sprint_landscape_mark(landscape, (sprint_mark)2, false, &t, &w, &risk));
  assert_false(sprint_landscape_mark(landscape, SPRINT_MARK_OPTIMUM, false, NULL, &w, &risk));
  assert_false(sprint_landscape_mark(landscape, SPRINT_MARK_OPTIMUM, false, &t, NULL, &risk));
  assert_false(sprint_landscape_mark(landscape, SPRINT_MARK_OPTIMUM, false, &t, &w, NULL));
  sprint_landscape_range(landscape, NULL, &last);
  sprint_landscape_range(landscape, &t, NULL);
  assert_true(t == 7 && w == 7 && risk == 7 && last == 7);
  NO("NULL was given", sprint_landscape_draw(landscape, NULL, "the start"));
  NO("NULL was given", sprint_landscape_draw(landscape, "none.svg", NULL));
  sprint_landscape_free(landscape);
}

static void test_arguments__fits(void **state) {
  (void)state;
  sprint_fit *fit = NULL;
  sprint_fit_log logs[] = {{"nowhere.csv", NULL, 0}, {NULL, "nowhere.safetensors", 1}};
  sprint_fit_options options = {.size = sizeof options, .n_logs = 2, .timed = true};
  NO_INPUT("two or more logs are compared", sprint_fit_shift(all.context, &options, &fit));
  options.logs = logs;
  options.n_logs = 0;
  NO_INPUT("there are 0", sprint_fit_shift(all.context, &options, &fit));
  options.n_logs = 2;
  NO("log 2 has no data", sprint_fit_shift(all.context, &options, &fit));
  logs[0].time = INFINITY;
  NO("nowhere.csv: its time is not finite", sprint_fit_shift(all.context, &options, &fit));
  options.n_columns = 2;
  NO("columns: the names of 2 were expected, not NULL", sprint_fit_shift(all.context, &options, &fit));
  options.columns = (const char *const[]){"age", NULL};
  NO("columns: the names of 2 were expected, not NULL", sprint_fit_shift(all.context, &options, &fit));
  assert_null(fit);
}

static void test_arguments__sessions(void **state) {
  (void)state;
  char folder[64];
  const char *const none[] = {NULL};
  sprint_session *session = NULL;
  sprint_session_records records = {.size = sizeof records, .n_paths = 1};
  sprint_want want = {.size = sizeof want};
  size_t n = 7;
  snprintf(folder, sizeof folder, "%s/session", all.folder);
  MUST(all.context, sprint_session_begin(all.context, folder, all.config, NULL, 0));
  NO_INPUT("a solver is there already", sprint_session_begin(all.context, folder, all.config, NULL, 0));
  MUST(all.context, sprint_session_open(all.context, folder, &session));
  NO("NULL was given for file 0 of 1", sprint_session_tell(session, &records, &n));
  records.paths = none;
  NO("NULL was given for file 0 of 1", sprint_session_tell(session, &records, &n));
  NO_INPUT("nothing is asked for", sprint_session_wanted(session, &want));
  records.size = 0;
  NO("sprint_session_records is 0", sprint_session_tell(session, &records, &n));
  assert_int_equal(n, 7);
  sprint_session_free(session);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arguments__zeroed_structs), cmocka_unit_test(test_arguments__theory),
      cmocka_unit_test(test_arguments__estimates),      cmocka_unit_test(test_arguments__runs),
      cmocka_unit_test(test_arguments__results),        cmocka_unit_test(test_arguments__landscapes),
      cmocka_unit_test(test_arguments__fits),           cmocka_unit_test(test_arguments__sessions),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
