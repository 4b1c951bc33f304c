/* NULL for every pointer of every function that needs it: a status and a sentence that names it, never a crash. Getters
 * of NULL, and past their ends, have a safe value. */
#include "help.h"

#include <unistd.h>

/* Something of everything, to give in place of what is not NULL. No call here changes any of it. */
static struct {
  sprint_context *context;
  sprint_experiment *experiment;
  sprint_population *population;
  sprint_model *model;
  sprint_shift *shift;
  sprint_run *run;
  sprint_solver *solver;
  sprint_session *session;
  sprint_predictor *predictor;
} all;

static sprint_real x[64], reals[64];
static double numbers[64];
static const uint32_t who[1];
static const size_t shape[1] = {1};
static sprint_batch batch = {sizeof batch, 1, x, x};
static sprint_records records = {.size = sizeof records, .n = 1, .x = x, .y = x};
static sprint_constants constants = {.size = sizeof constants, .L = 1, .kappa = 0.1, .m = 1, .n = 1, .batch = 1};
static sprint_certificate certificate = {.size = sizeof certificate},
                          ret_certificate = {.size = sizeof ret_certificate};
static sprint_experiment_options experiment_options = {.size = sizeof experiment_options};
static sprint_run_options run_options = {.size = sizeof run_options};
static sprint_solver_options solver_options = {.size = sizeof solver_options};
static sprint_estimate_options estimating = {.size = sizeof estimating};
static sprint_shift_callbacks shift_callbacks = {.size = sizeof shift_callbacks};
static sprint_model_callbacks model_callbacks = {.size = sizeof model_callbacks};

static sprint_experiment *ret_experiment;
static sprint_population *ret_population, *ret_heldout;
static sprint_model *ret_model;
static sprint_shift *ret_shift;
static sprint_run *ret_run;
static sprint_solver *ret_solver;
static sprint_predictor *ret_predictor;
static const sprint_metrics *ret_metrics;
static sprint_assessment *ret_assessment;
static const sprint_assessment *ret_lent;
static sprint_step_check ret_check = {.size = sizeof ret_check};
static sprint_trace_row ret_row = {.size = sizeof ret_row};
static sprint_want ret_want = {.size = sizeof ret_want};
static sprint_drift ret_drift = {.size = sizeof ret_drift};
static sprint_theory_cost ret_cost = {.size = sizeof ret_cost};
static sprint_theory_plan ret_plan = {.size = sizeof ret_plan};
static sprint_estimates ret_estimates = {.size = sizeof ret_estimates};
static sprint_stop ret_stop;
static sprint_lock *ret_lock;
static sprint_landscape *ret_landscape;
static sprint_landscape_options landscape_options = {.size = sizeof landscape_options};
static sprint_plot_options plotting = {.size = sizeof plotting};

static void listen(void *user, const char *line) {
  (void)user;
  (void)line;
}

static sprint_array ret_array;
static sprint_file_info *ret_info;
static sprint_model_info *ret_model_info;
static size_t ret_correct;
static bool ret_all_ok;

static int set_up(void **state) {
  (void)state;
  char folder[] = "/tmp/sprint-null-XXXXXX", path[96], session[96], command[128];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/c.yaml", folder);
  FILE *stream = fopen(path, "w");
  fputs("data: {kind: lending, n: 60}\nstop: {epochs: 1}\nseeds: [5]\n", stream);
  fclose(stream);
  assert_int_equal(sprint_context_new(&all.context), SPRINT_OK);
  MUST(all.context, sprint_experiment_load(all.context, path, NULL, 0, &all.experiment));
  MUST(all.context, sprint_experiment_parts(all.experiment, 0, 0, &all.model, &all.shift));
  MUST(all.context, sprint_experiment_start(all.experiment, 0, 0, 0, &all.run));
  MUST(all.context, sprint_run_go(all.run, NULL, NULL));
  MUST(all.context, sprint_run_save(all.run, folder));
  snprintf(path, sizeof path, "%s/model.safetensors", folder);
  MUST(all.context, sprint_predictor_load(all.context, path, &all.predictor));
  MUST(all.context, sprint_population_load(all.context, "{kind: lending, n: 60}", &all.population, NULL));
  sprint_solver_options options = {.size = sizeof options, .model = all.model, .n = 60, .n_strata = 1, .theta = x};
  MUST(all.context, sprint_solver_new(all.context, &options, &all.solver));
  snprintf(path, sizeof path, "%s/c.yaml", folder);
  snprintf(session, sizeof session, "%s/session", folder);
  MUST(all.context, sprint_session_begin(all.context, session, path, NULL, 0));
  MUST(all.context, sprint_session_open(all.context, session, &all.session));
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static int tear_down(void **state) {
  (void)state;
  sprint_session_free(all.session);
  sprint_solver_free(all.solver);
  sprint_population_free(all.population);
  sprint_predictor_free(all.predictor);
  sprint_run_free(all.run);
  sprint_shift_free(all.shift);
  sprint_model_free(all.model);
  sprint_experiment_free(all.experiment);
  sprint_context_free(all.context);
  return 0;
}

/* The call is refused; NAME is in the sentence, "" where there is no context to have one. */
#define NO(NAME, CALL)                                                                                              \
  do {                                                                                                              \
    sprint_fail(all.context, SPRINT_OK, "nothing was said");                                                        \
    assert_int_equal((CALL), SPRINT_ERROR_ARGUMENT);                                                                \
    bool says = strstr(sprint_context_error(all.context), "NULL was given") &&                                      \
                strstr(sprint_context_error(all.context), (NAME));                                                  \
    if (*(NAME) && !says) fail_msg("%s: '%s' does not say '%s'", #CALL, sprint_context_error(all.context), (NAME)); \
  } while (0)

static void test_null__experiments(void **state) {
  (void)state;
  NO("", sprint_context_set_threads(NULL, 1));
  NO("", sprint_context_set_data(NULL, "no-such-folder"));
  NO("", sprint_experiment_load(NULL, "no-such-file", NULL, 0, &ret_experiment));
  NO("path", sprint_experiment_load(all.context, NULL, NULL, 0, &ret_experiment));
  NO("ret_experiment", sprint_experiment_load(all.context, "no-such-file", NULL, 0, NULL));
  NO("", sprint_experiment_load_quick(NULL, "no-such-file", NULL, 0, &ret_experiment));
  NO("path", sprint_experiment_load_quick(all.context, NULL, NULL, 0, &ret_experiment));
  NO("ret_experiment", sprint_experiment_load_quick(all.context, "no-such-file", NULL, 0, NULL));
  NO("", sprint_experiment_open(NULL, "no-such-file", &experiment_options, &ret_experiment));
  NO("path", sprint_experiment_open(all.context, NULL, &experiment_options, &ret_experiment));
  NO("options", sprint_experiment_open(all.context, "no-such-file", NULL, &ret_experiment));
  NO("ret_experiment", sprint_experiment_open(all.context, "no-such-file", &experiment_options, NULL));
  NO("", sprint_experiment_parts(NULL, 0, 0, &ret_model, &ret_shift));
  NO("ret_model", sprint_experiment_parts(all.experiment, 0, 0, NULL, &ret_shift));
  NO("ret_shift", sprint_experiment_parts(all.experiment, 0, 0, &ret_model, NULL));
  NO("", sprint_experiment_start(NULL, 0, 0, 1, &ret_run));
  NO("ret_run", sprint_experiment_start(all.experiment, 0, 0, 1, NULL));
  NO("", sprint_experiment_check_step(NULL, 0, 0, NULL, &ret_check));
  NO("ret_check", sprint_experiment_check_step(all.experiment, 0, 0, NULL, NULL));
  NO("", sprint_context_load_plugin(NULL, "no-such-file"));
  NO("path", sprint_context_load_plugin(all.context, NULL));
}

static void test_null__populations_and_models(void **state) {
  (void)state;
  NO("", sprint_population_load(NULL, NULL, &ret_population, &ret_heldout));
  NO("ret_population", sprint_population_load(all.context, NULL, NULL, &ret_heldout));
  NO("", sprint_population_new(NULL, 1, 1, x, x, 0, &ret_population));
  NO("x", sprint_population_new(all.context, 1, 1, NULL, x, 0, &ret_population));
  NO("y", sprint_population_new(all.context, 1, 1, x, NULL, 0, &ret_population));
  NO("ret_population", sprint_population_new(all.context, 1, 1, x, x, 0, NULL));
  NO("", sprint_population_weigh(NULL, numbers));
  NO("weights", sprint_population_weigh(all.population, NULL));
  NO("", sprint_population_rows(NULL, who, 0, 1, reals));
  NO("ret_x", sprint_population_rows(all.population, who, 0, 1, NULL));
  NO("", sprint_model_new(NULL, NULL, all.population, &ret_model));
  NO("population", sprint_model_new(all.context, NULL, NULL, &ret_model));
  NO("ret_model", sprint_model_new(all.context, NULL, all.population, NULL));
  NO("", sprint_model_start(NULL, 1, reals));
  NO("ret_theta", sprint_model_start(all.model, 1, NULL));
  NO("", sprint_model_gradient(NULL, x, &batch, numbers, &ret_correct, reals, reals));
  NO("theta", sprint_model_gradient(all.model, NULL, &batch, numbers, &ret_correct, reals, reals));
  NO("NULL was given", sprint_model_gradient(all.model, x, NULL, numbers, &ret_correct, reals, reals));
  NO("", sprint_model_gradient_pair(NULL, &batch, x, x, NULL, numbers, reals, reals));
  NO("batch", sprint_model_gradient_pair(all.model, NULL, x, x, NULL, numbers, reals, reals));
  NO("theta_a", sprint_model_gradient_pair(all.model, &batch, NULL, x, NULL, numbers, reals, reals));
  NO("theta_b", sprint_model_gradient_pair(all.model, &batch, x, NULL, NULL, numbers, reals, reals));
  NO("", sprint_model_outputs(NULL, x, x, 1, reals));
  NO("theta", sprint_model_outputs(all.model, NULL, x, 1, reals));
  NO("x", sprint_model_outputs(all.model, x, NULL, 1, reals));
  NO("ret_outputs", sprint_model_outputs(all.model, x, x, 1, NULL));
  NO("", sprint_model_read_theta(NULL, "no-such-file", reals));
  NO("path", sprint_model_read_theta(all.model, NULL, reals));
  NO("ret_theta", sprint_model_read_theta(all.model, "no-such-file", NULL));
  NO("", sprint_model_write_theta(NULL, "no-such-file", x));
  NO("path", sprint_model_write_theta(all.model, NULL, x));
  NO("theta", sprint_model_write_theta(all.model, "no-such-file", NULL));
  NO("", sprint_model_write_gradient(NULL, "no-such-file", numbers));
  NO("path", sprint_model_write_gradient(all.model, NULL, numbers));
  NO("gradient", sprint_model_write_gradient(all.model, "no-such-file", NULL));
  NO("", sprint_model_new_custom(NULL, &model_callbacks, &ret_model));
  NO("NULL was given", sprint_model_new_custom(all.context, NULL, &ret_model));
  NO("ret_model", sprint_model_new_custom(all.context, &model_callbacks, NULL));
}

static void test_null__shifts_and_runs(void **state) {
  (void)state;
  NO("", sprint_shift_new(NULL, NULL, all.model, all.population, &ret_shift));
  NO("model", sprint_shift_new(all.context, NULL, NULL, all.population, &ret_shift));
  NO("population", sprint_shift_new(all.context, NULL, all.model, NULL, &ret_shift));
  NO("ret_shift", sprint_shift_new(all.context, NULL, all.model, all.population, NULL));
  NO("", sprint_shift_respond(NULL, x, who, 1, reals));
  NO("deployed", sprint_shift_respond(all.shift, NULL, who, 1, reals));
  NO("who", sprint_shift_respond(all.shift, x, NULL, 1, reals));
  NO("ret_x", sprint_shift_respond(all.shift, x, who, 1, NULL));
  NO("", sprint_shift_strata(NULL, x, numbers));
  NO("deployed", sprint_shift_strata(all.shift, NULL, numbers));
  NO("ret_p", sprint_shift_strata(all.shift, x, NULL));
  NO("", sprint_risk(NULL, x, x, numbers, numbers, numbers));
  NO("theta", sprint_risk(all.shift, NULL, x, numbers, numbers, numbers));
  NO("deployed", sprint_risk(all.shift, x, NULL, numbers, numbers, numbers));
  NO("", sprint_run_new(NULL, &run_options, &ret_run));
  NO("options", sprint_run_new(all.context, NULL, &ret_run));
  NO("ret_run", sprint_run_new(all.context, &run_options, NULL));
  NO("", sprint_run_go(NULL, NULL, NULL));
  NO("", sprint_run_save(NULL, "no-such-folder"));
  NO("folder", sprint_run_save(all.run, NULL));
  NO("", sprint_run_keep(NULL, "no-such-folder", NULL));
  NO("folder", sprint_run_keep(all.run, NULL, NULL));
  NO("", sprint_folder_lock(NULL, "no-such-folder", &ret_lock));
  NO("folder", sprint_folder_lock(all.context, NULL, &ret_lock));
  NO("ret_lock", sprint_folder_lock(all.context, "no-such-folder", NULL));
  NO("", sprint_saved_final(NULL, "no-such-folder", &ret_row, &ret_stop));
  NO("folder", sprint_saved_final(all.context, NULL, &ret_row, &ret_stop));
  NO("ret_row", sprint_saved_final(all.context, "no-such-folder", NULL, &ret_stop));
  NO("ret_stop", sprint_saved_final(all.context, "no-such-folder", &ret_row, NULL));
  NO("", sprint_run_assess(NULL, &ret_lent));
  NO("ret_assessment", sprint_run_assess(all.run, NULL));
  NO("", sprint_saved_assessment(NULL, "no-such-folder", &ret_assessment));
  NO("folder", sprint_saved_assessment(all.context, NULL, &ret_assessment));
  NO("ret_assessment", sprint_saved_assessment(all.context, "no-such-folder", NULL));
  NO("", sprint_shift_new_custom(NULL, &shift_callbacks, all.model, all.population, &ret_shift));
  NO("callbacks", sprint_shift_new_custom(all.context, NULL, all.model, all.population, &ret_shift));
  NO("model", sprint_shift_new_custom(all.context, &shift_callbacks, NULL, all.population, &ret_shift));
  NO("population", sprint_shift_new_custom(all.context, &shift_callbacks, all.model, NULL, &ret_shift));
  NO("ret_shift", sprint_shift_new_custom(all.context, &shift_callbacks, all.model, all.population, NULL));
}

static void test_null__files(void **state) {
  (void)state;
  NO("", sprint_predictor_open(NULL, "no-such-file", NULL, &ret_predictor));
  NO("path", sprint_predictor_open(all.context, NULL, NULL, &ret_predictor));
  NO("ret_predictor", sprint_predictor_open(all.context, "no-such-file", NULL, NULL));
  NO("", sprint_predictor_load(NULL, "no-such-file", &ret_predictor));
  NO("path", sprint_predictor_load(all.context, NULL, &ret_predictor));
  NO("ret_predictor", sprint_predictor_load(all.context, "no-such-file", NULL));
  NO("", sprint_predictor_score_csv(NULL, "no-such-file", NULL));
  NO("csv_path", sprint_predictor_score_csv(all.predictor, NULL, NULL));
  NO("", sprint_predictor_assess_csv(NULL, "no-such-file", NULL, &ret_metrics));
  NO("csv_path", sprint_predictor_assess_csv(all.predictor, NULL, NULL, &ret_metrics));
  NO("ret_metrics", sprint_predictor_assess_csv(all.predictor, "no-such-file", NULL, NULL));
  NO("", sprint_predictor_score(NULL, numbers, 1, numbers));
  NO("raw", sprint_predictor_score(all.predictor, NULL, 1, numbers));
  NO("ret_scores", sprint_predictor_score(all.predictor, numbers, 1, NULL));
  NO("", sprint_npy_read(NULL, "no-such-file", &ret_array));
  NO("path", sprint_npy_read(all.context, NULL, &ret_array));
  NO("ret_array", sprint_npy_read(all.context, "no-such-file", NULL));
  NO("", sprint_npy_write(NULL, "no-such-file", 1, shape, x));
  NO("path", sprint_npy_write(all.context, NULL, 1, shape, x));
  NO("shape", sprint_npy_write(all.context, "no-such-file", 1, NULL, x));
  NO("data", sprint_npy_write(all.context, "no-such-file", 1, shape, NULL));
  NO("", sprint_npy_write_double(NULL, "no-such-file", 1, shape, numbers));
  NO("path", sprint_npy_write_double(all.context, NULL, 1, shape, numbers));
  NO("shape", sprint_npy_write_double(all.context, "no-such-file", 1, NULL, numbers));
  NO("data", sprint_npy_write_double(all.context, "no-such-file", 1, shape, NULL));
  NO("", sprint_file_info_read(NULL, "no-such-file", &ret_info));
  NO("path", sprint_file_info_read(all.context, NULL, &ret_info));
  NO("ret_info", sprint_file_info_read(all.context, "no-such-file", NULL));
  NO("", sprint_model_info_read(NULL, "no-such-file", &ret_model_info));
  NO("path", sprint_model_info_read(all.context, NULL, &ret_model_info));
  NO("ret_info", sprint_model_info_read(all.context, "no-such-file", NULL));
}

static void test_null__sessions(void **state) {
  (void)state;
  sprint_session *ret_session = NULL;
  sprint_session_records rows = {.size = sizeof rows};
  const char *ret_path = NULL;
  bool ret_same = false;
  size_t ret_n = 0;
  NO("", sprint_session_begin(NULL, "no-such-folder", "no-such-file", NULL, 0));
  NO("folder", sprint_session_begin(all.context, NULL, "no-such-file", NULL, 0));
  NO("config", sprint_session_begin(all.context, "no-such-folder", NULL, NULL, 0));
  NO("", sprint_session_is_of(NULL, "no-such-folder", "no-such-file", NULL, 0, &ret_same));
  NO("folder", sprint_session_is_of(all.context, NULL, "no-such-file", NULL, 0, &ret_same));
  NO("config", sprint_session_is_of(all.context, "no-such-folder", NULL, NULL, 0, &ret_same));
  NO("sets", sprint_session_is_of(all.context, "no-such-folder", "no-such-file", NULL, 1, &ret_same));
  NO("ret_same", sprint_session_is_of(all.context, "no-such-folder", "no-such-file", NULL, 0, NULL));
  NO("", sprint_session_open(NULL, "no-such-folder", &ret_session));
  NO("folder", sprint_session_open(all.context, NULL, &ret_session));
  NO("ret_session", sprint_session_open(all.context, "no-such-folder", NULL));
  NO("", sprint_session_ask(NULL, &ret_want, &ret_path));
  NO("ret_want", sprint_session_ask(all.session, NULL, &ret_path));
  NO("ret_model", sprint_session_ask(all.session, &ret_want, NULL));
  NO("", sprint_session_wanted(NULL, &ret_want));
  NO("ret_want", sprint_session_wanted(all.session, NULL));
  NO("", sprint_session_tell(NULL, &rows, &ret_n));
  NO("", sprint_session_tell(all.session, NULL, &ret_n));
  NO("ret_n", sprint_session_tell(all.session, &rows, NULL));
  NO("", sprint_session_discard(NULL));
  sprint_session_free(NULL);
  assert_null(sprint_session_solver(NULL));
  assert_false(sprint_session_is_there(NULL));
}

static void test_null__solvers(void **state) {
  (void)state;
  NO("", sprint_solver_new(NULL, &solver_options, &ret_solver));
  NO("options", sprint_solver_new(all.context, NULL, &ret_solver));
  NO("ret_solver", sprint_solver_new(all.context, &solver_options, NULL));
  NO("", sprint_solver_ask(NULL, &ret_want));
  NO("ret_want", sprint_solver_ask(all.solver, NULL));
  NO("", sprint_solver_tell(NULL, &records));
  NO("NULL was given", sprint_solver_tell(all.solver, NULL));
  sprint_told ret_told = {.size = sizeof ret_told};
  NO("", sprint_solver_discard(NULL));
  NO("", sprint_solver_told(NULL, &ret_told));
  NO("ret_told", sprint_solver_told(all.solver, NULL));
  NO("", sprint_solver_drift(NULL, &ret_drift));
  NO("ret_drift", sprint_solver_drift(all.solver, NULL));
  NO("", sprint_solver_save(NULL, "no-such-file"));
  NO("path", sprint_solver_save(all.solver, NULL));
  NO("", sprint_solver_load(NULL, "no-such-file"));
  NO("path", sprint_solver_load(all.solver, NULL));
}

static void test_null__theory(void **state) {
  (void)state;
  NO("", sprint_verify(NULL, NULL, NULL, &ret_all_ok));
  NO("ret_all_ok", sprint_verify(all.context, NULL, NULL, NULL));
  NO("", sprint_theory_epoch(NULL, &constants, 0.1, 0.1, numbers, numbers));
  NO("constants", sprint_theory_epoch(all.context, NULL, 0.1, 0.1, numbers, numbers));
  NO("", sprint_theory_check(NULL, &constants, 0.1, 0.1, &ret_certificate));
  NO("constants", sprint_theory_check(all.context, NULL, 0.1, 0.1, &ret_certificate));
  NO("ret_certificate", sprint_theory_check(all.context, &constants, 0.1, 0.1, NULL));
  NO("", sprint_theory_closed_form(NULL, &constants, &ret_certificate));
  NO("constants", sprint_theory_closed_form(all.context, NULL, &ret_certificate));
  NO("ret_certificate", sprint_theory_closed_form(all.context, &constants, NULL));
  NO("", sprint_theory_largest(NULL, &constants, &ret_certificate));
  NO("constants", sprint_theory_largest(all.context, NULL, &ret_certificate));
  NO("ret_certificate", sprint_theory_largest(all.context, &constants, NULL));
  NO("", sprint_theory_best(NULL, &constants, 1, &ret_certificate));
  NO("constants", sprint_theory_best(all.context, NULL, 1, &ret_certificate));
  NO("ret_certificate", sprint_theory_best(all.context, &constants, 1, NULL));
  NO("", sprint_theory_cost_sprint(NULL, &constants, &certificate, 1, &ret_cost));
  NO("constants", sprint_theory_cost_sprint(all.context, NULL, &certificate, 1, &ret_cost));
  NO("certificate", sprint_theory_cost_sprint(all.context, &constants, NULL, 1, &ret_cost));
  NO("ret_cost", sprint_theory_cost_sprint(all.context, &constants, &certificate, 1, NULL));
  NO("", sprint_theory_cost_sgd(NULL, &constants, 1, &ret_cost));
  NO("constants", sprint_theory_cost_sgd(all.context, NULL, 1, &ret_cost));
  NO("ret_cost", sprint_theory_cost_sgd(all.context, &constants, 1, NULL));
  NO("", sprint_report_write(NULL, "no-such-folder", "no-such-file", NULL));
  NO("folder", sprint_report_write(all.context, NULL, "no-such-file", NULL));
  NO("path", sprint_report_write(all.context, "no-such-folder", NULL, NULL));
  NO("", sprint_plot_draw(NULL, &plotting, "no-such-file.svg", NULL));
  NO("options", sprint_plot_draw(all.context, NULL, "no-such-file.svg", NULL));
  NO("path", sprint_plot_draw(all.context, &plotting, NULL, NULL));
  NO("", sprint_plot_print(NULL, &plotting, listen));
  NO("options", sprint_plot_print(all.context, NULL, listen));
  NO("line", sprint_plot_print(all.context, &plotting, NULL));
  NO("", sprint_progress_print(NULL, &plotting, listen, &ret_correct));
  NO("options", sprint_progress_print(all.context, NULL, listen, &ret_correct));
  NO("line", sprint_progress_print(all.context, &plotting, NULL, &ret_correct));
  NO("ret_going", sprint_progress_print(all.context, &plotting, listen, NULL));
  NO("", sprint_figure_check(NULL, "no-such-file.svg"));
  NO("path", sprint_figure_check(all.context, NULL));
  NO("", sprint_landscape_new(NULL, &landscape_options, &ret_landscape));
  NO("options", sprint_landscape_new(all.context, NULL, &ret_landscape));
  NO("ret_landscape", sprint_landscape_new(all.context, &landscape_options, NULL));
  NO("", sprint_landscape_draw(NULL, "no-such-file.svg", NULL));
  NO("", sprint_theory_draw(NULL, &constants, &certificate, "no-such-file"));
  NO("constants", sprint_theory_draw(all.context, NULL, &certificate, "no-such-file"));
  NO("certificate", sprint_theory_draw(all.context, &constants, NULL, "no-such-file"));
  NO("path", sprint_theory_draw(all.context, &constants, &certificate, NULL));
  NO("", sprint_theory_estimate(NULL, &estimating, &ret_estimates));
  NO("options", sprint_theory_estimate(all.context, NULL, &ret_estimates));
  NO("ret_estimates", sprint_theory_estimate(all.context, &estimating, NULL));
  NO("", sprint_sliced_w1(NULL, x, x, 1, 1, numbers, 1, numbers));
  NO("x", sprint_sliced_w1(all.context, NULL, x, 1, 1, numbers, 1, numbers));
  NO("y", sprint_sliced_w1(all.context, x, NULL, 1, 1, numbers, 1, numbers));
  NO("directions", sprint_sliced_w1(all.context, x, x, 1, 1, NULL, 1, numbers));
  NO("ret_w1", sprint_sliced_w1(all.context, x, x, 1, 1, numbers, 1, NULL));
  NO("", sprint_theory_plan_of(NULL, 0, 0, &ret_plan));
  NO("ret_plan", sprint_theory_plan_of(all.experiment, 0, 0, NULL));
}

/* Lists that say they are longer than they are. */
static void test_null__lists(void **state) {
  (void)state;
  const char *const sets[2] = {"name=a", NULL};
  NO("for set 0 of 1", sprint_experiment_load(all.context, "no-such-file", NULL, 1, &ret_experiment));
  NO("for set 1 of 2", sprint_experiment_load(all.context, "no-such-file", sets, 2, &ret_experiment));
  sprint_experiment_options sizes = {.size = sizeof sizes, .n_step_sizes = 3};
  NO("for 3 step sizes", sprint_experiment_open(all.context, "no-such-file", &sizes, &ret_experiment));
}

static void test_null__getters(void **state) {
  (void)state;
  assert_string_equal(sprint_context_error(NULL), "");
  assert_string_equal(sprint_context_data(NULL), "");
  assert_int_equal(sprint_context_threads(NULL), 1);
  assert_int_equal(sprint_context_new(NULL), SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_fail(NULL, SPRINT_ERROR_INPUT, "to nobody"), SPRINT_ERROR_INPUT);
  assert_true(sprint_experiment_n_points(NULL) == 0 && sprint_experiment_n_methods(NULL) == 0);
  assert_true(sprint_experiment_n_seeds(NULL) == 0 && sprint_experiment_seed(NULL, 0) == 0);
  assert_null(sprint_experiment_point_name(NULL, 0));
  assert_null(sprint_experiment_method_name(NULL, 0));
  assert_null(sprint_experiment_method_kind(NULL, 0));
  assert_null(sprint_experiment_name(NULL));
  assert_null(sprint_experiment_out(NULL));
  assert_false(sprint_experiment_names_data(NULL));
  assert_null(sprint_experiment_people(NULL, 0, 0));
  assert_null(sprint_experiment_doubt(NULL, 0, 0, SPRINT_WARNING_MODEL));
  assert_null(sprint_experiment_population(NULL));
  assert_true(sprint_population_n(NULL) == 0 && sprint_population_n_features(NULL) == 0);
  assert_true(sprint_population_n_classes(NULL) == 0 && sprint_population_n_strata(NULL) == 0);
  assert_false(sprint_population_is_endless(NULL) || sprint_population_image(NULL, NULL));
  assert_null(sprint_population_weights(NULL));
  assert_null(sprint_population_feature_name(NULL, 0));
  assert_null(sprint_population_class_name(NULL, 0));
  assert_null(sprint_population_x(NULL));
  assert_null(sprint_population_y(NULL));
  assert_true(sprint_model_n_params(NULL) == 0 && sprint_model_n_features(NULL) == 0);
  assert_true(sprint_model_n_outputs(NULL) == 0 && sprint_model_place(NULL, 0) == SIZE_MAX);
  assert_true(isnan(sprint_model_cost_per_row(NULL)));
  assert_int_equal(sprint_run_stop(NULL), SPRINT_STOP_RUNNING);
  assert_null(sprint_run_theta(NULL));
  assert_null(sprint_run_last_sound(NULL, NULL));
  assert_null(sprint_run_engine(NULL));
  assert_null(sprint_run_row(NULL, 0));
  assert_null(sprint_run_strata(NULL, 0));
  assert_true(sprint_run_n_rows(NULL) == 0 && sprint_run_steps_planned(NULL) == 0);
  assert_true(sprint_run_epochs_planned(NULL) == 0 && isnan(sprint_run_share(NULL)));
  assert_true(isnan(sprint_run_cost_per_epoch(NULL)));
  assert_false(sprint_run_is_saved(NULL, "here") || sprint_run_is_saved(all.run, NULL));
  assert_false(sprint_run_resumes(NULL));
  assert_string_equal(sprint_run_note(NULL), "");
  sprint_lock_free(NULL);
  sprint_landscape_free(NULL);
  assert_false(sprint_landscape_has_plane(NULL));
  assert_false(sprint_landscape_mark(NULL, SPRINT_MARK_STABLE, false, NULL, NULL, NULL));
  assert_true(isnan(sprint_landscape_length(NULL)) || sprint_landscape_length(NULL) == 0);
  sprint_landscape_range(NULL, &numbers[0], &numbers[1]);
  sprint_landscape_range(NULL, NULL, NULL);
  sprint_report_missing();
  assert_null(sprint_assessment_metrics(NULL, SPRINT_SET_BASE));
  assert_int_equal(sprint_assessment_verdict(NULL, NULL), SPRINT_VERDICT_UNKNOWN);
  assert_null(sprint_assessment_warning(NULL, SPRINT_WARNING_EDGE));
  assert_true(isnan(sprint_assessment_gradient_mean(NULL)) && isnan(sprint_assessment_edge(NULL)));
  assert_int_equal(sprint_report_n_runs(NULL), 0);
  assert_int_equal(sprint_report_n_notes(NULL), 0);
  assert_null(sprint_report_note(NULL, 0));
  sprint_report_free(NULL);
  assert_int_equal(sprint_assessment_n_moves(NULL), 0);
  assert_null(sprint_assessment_move(NULL, 0));
  assert_true(sprint_predictor_n_features(NULL) == 0 && sprint_predictor_n_scores(NULL) == 0);
  assert_null(sprint_predictor_feature(NULL, 0));
  assert_true(!sprint_predictor_class(NULL, 0) && !sprint_predictor_label(NULL) && !sprint_predictor_weight(NULL));
  assert_true(sprint_predictor_positive(NULL) == 0 && isnan(sprint_predictor_threshold(NULL)));
  assert_null(sprint_solver_theta(NULL));
  assert_null(sprint_solver_direction(NULL));
  assert_int_equal(sprint_solver_counters(NULL).steps, 0);
  assert_true(isnan(sprint_solver_gradient_sq(NULL)));
  assert_int_equal(sprint_solver_stop(NULL), SPRINT_STOP_RUNNING);
  sprint_solver_halt(NULL, SPRINT_STOP_REQUESTED);
  assert_non_null(sprint_families(NULL));
  assert_int_equal(sprint_context_n_kinds(all.context, NULL), 0);
  assert_null(sprint_context_kind(all.context, NULL, 0));
  assert_null(sprint_context_kind(NULL, NULL, 0));
  assert_null(sprint_nearest(NULL, NULL, 0));
  assert_true(isnan(sprint_theory_floor(NULL)));
}

static void test_null__past_the_end(void **state) {
  (void)state;
  static const size_t ends[] = {1, 99, SIZE_MAX};
  size_t n_params = sprint_model_n_params(all.model);
  assert_int_equal(sprint_experiment_seed(all.experiment, 0), 5);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    assert_int_equal(sprint_experiment_seed(all.experiment, ends[i]), 0);
    assert_null(sprint_experiment_point_name(all.experiment, ends[i]));
    assert_null(sprint_experiment_method_name(all.experiment, ends[i]));
    assert_null(sprint_experiment_method_kind(all.experiment, ends[i]));
    if (ends[i] == 1) continue;
    assert_null(sprint_population_feature_name(all.population, ends[i]));
    assert_null(sprint_population_class_name(all.population, ends[i]));
    assert_null(sprint_run_row(all.run, ends[i]));
    assert_null(sprint_run_strata(all.run, ends[i]));
    assert_null(sprint_predictor_feature(all.predictor, ends[i]));
    assert_null(sprint_predictor_class(all.predictor, ends[i]));
    assert_true(sprint_model_place(all.model, ends[i]) == SIZE_MAX);
    assert_null(sprint_context_kind(all.context, sprint_families(NULL)[0], ends[i]));
  }
  assert_null(sprint_set_word((sprint_set)99));
  assert_null(sprint_verdict_word((sprint_verdict)99));
  assert_null(sprint_warning_word((sprint_warning_kind)99));
  assert_true(sprint_model_place(all.model, n_params) == SIZE_MAX);
  assert_true(sprint_model_place(all.model, n_params - 1) < n_params);
  assert_null(sprint_run_strata(all.run, sprint_run_n_rows(all.run)));
  assert_non_null(sprint_run_strata(all.run, sprint_run_n_rows(all.run) - 1));
  REFUSED(all.context, SPRINT_ERROR_ARGUMENT, "seed number 99: there are 1",
          sprint_experiment_start(all.experiment, 0, 0, 99, &ret_run));
  REFUSED(all.context, SPRINT_ERROR_ARGUMENT, "there are 1 and 1",
          sprint_experiment_start(all.experiment, 99, 0, 0, &ret_run));
}

static void test_null__fits_and_advice(void **state) {
  (void)state;
  static sprint_problem problem = {.size = sizeof problem};
  static sprint_advice advice = {.size = sizeof advice};
  static sprint_fit_options fit_options = {.size = sizeof fit_options};
  sprint_fit *ret_fit = NULL;
  NO("", sprint_context_set_memory(NULL, 1));
  NO("", sprint_advise(NULL, &problem, &advice));
  NO("problem", sprint_advise(all.context, NULL, &advice));
  NO("ret_advice", sprint_advise(all.context, &problem, NULL));
  NO("", sprint_experiment_problem(NULL, 0, 0, &problem));
  NO("ret_problem", sprint_experiment_problem(all.experiment, 0, 0, NULL));
  NO("", sprint_fit_shift(NULL, &fit_options, &ret_fit));
  NO("options", sprint_fit_shift(all.context, NULL, &ret_fit));
  NO("ret_fit", sprint_fit_shift(all.context, &fit_options, NULL));
  NO("", sprint_fit_write_matrix(NULL, "no-such-file"));
  NO("", sprint_file_write(NULL, "no-such-file", "", 0));
  NO("path", sprint_file_write(all.context, NULL, "", 0));
  NO("bytes", sprint_file_write(all.context, "no-such-file", NULL, 1));
  NO("", sprint_population_new_strided(NULL, &(sprint_strided){0}, x, 0, &ret_population));
  NO("x", sprint_population_new_strided(all.context, NULL, x, 0, &ret_population));
  NO("y", sprint_population_new_strided(all.context, &(sprint_strided){0}, NULL, 0, &ret_population));
  NO("ret_population", sprint_population_new_strided(all.context, &(sprint_strided){0}, x, 0, NULL));
  assert_true(sprint_fit_n_columns(NULL) == 0 && sprint_fit_n_parameters(NULL) == 0 && sprint_fit_n_notes(NULL) == 0);
  assert_null(sprint_fit_column_of(NULL, 0));
  assert_null(sprint_fit_parameter_of(NULL, 0));
  assert_null(sprint_fit_note(NULL, 0));
  assert_null(sprint_fit_result(NULL));
  assert_null(sprint_fit_section(NULL));
  assert_null(sprint_experiment_people(NULL, 0, 0));
  assert_null(sprint_shift_people(NULL));
  assert_false(sprint_run_is_timed(NULL));
}

static void do_nothing(void *user) { (void)user; }

/* What a plugin calls. */
static void test_null__settings(void **state) {
  (void)state;
  size_t n = 7;
  assert_true(isnan(sprint_settings_real(NULL, "a")));
  assert_int_equal(sprint_settings_integer(NULL, "a"), 0);
  assert_false(sprint_settings_flag(NULL, "a"));
  assert_string_equal(sprint_settings_text(NULL, "a"), "");
  sprint_settings_reals(NULL, "a", &n);
  assert_int_equal(n, 0);
  sprint_settings_reals(NULL, "a", NULL);
  n = 7;
  sprint_settings_texts(NULL, "a", &n);
  assert_int_equal(n, 0);
  sprint_settings_texts(NULL, "a", NULL);
  assert_null(sprint_settings_memory(NULL, 1, 1));
  sprint_settings_at_end(NULL, do_nothing, NULL);
  assert_null(sprint_settings_context(NULL));
  assert_int_equal(sprint_settings_refuse(NULL, "a", "said to nobody"), SPRINT_ERROR_INPUT);
  sprint_method_gradient(NULL, x, reals);
  sprint_method_difference(NULL, x, false, reals);
}

/* Freeing nothing, and words for what there is no word for. */
static void test_null__nothing(void **state) {
  (void)state;
  sprint_array_clear(NULL);
  sprint_assessment_free(NULL);
  sprint_file_info_free(NULL);
  sprint_model_info_free(NULL);
  sprint_fit_free(NULL);
  sprint_context_protect_inputs(NULL);
  sprint_context_free(NULL);
  sprint_experiment_free(NULL);
  sprint_population_free(NULL);
  sprint_model_free(NULL);
  sprint_shift_free(NULL);
  sprint_run_free(NULL);
  sprint_solver_free(NULL);
  sprint_predictor_free(NULL);
  assert_non_null(sprint_status_text((sprint_status)99));
  (void)sprint_stop_text((sprint_stop)99);
  (void)sprint_stop_word((sprint_stop)99);
  assert_null(sprint_verdict_text((sprint_verdict)99));
  assert_non_null(sprint_version());
  const char *core = sprint_blas_better_core();
  assert_true(!core || *core);
  assert_non_null(sprint_precision());
}

/* Structs of zeros, whose size nobody has set: refused with a sentence, or as good as none. */
static void test_null__zeroed_structs(void **state) {
  (void)state;
#define ZERO(TYPE, CALL)                                                                                     \
  do {                                                                                                       \
    static TYPE zero;                                                                                        \
    sprint_fail(all.context, SPRINT_OK, "nothing was said");                                                 \
    if ((CALL) != SPRINT_OK) assert_string_not_equal(sprint_context_error(all.context), "nothing was said"); \
  } while (0)
  ZERO(sprint_run_options, sprint_run_new(all.context, &zero, &ret_run));
  ZERO(sprint_solver_options, sprint_solver_new(all.context, &zero, &ret_solver));
  ZERO(sprint_experiment_options, sprint_experiment_open(all.context, "no-such-file", &zero, &ret_experiment));
  ZERO(sprint_predictor_options, sprint_predictor_open(all.context, "no-such-file", &zero, &ret_predictor));
  ZERO(sprint_records, sprint_solver_tell(all.solver, &zero));
  ZERO(sprint_told, sprint_solver_told(all.solver, &zero));
  ZERO(sprint_session_records, sprint_session_tell(all.session, &zero, &(size_t){0}));
  ZERO(sprint_want, sprint_solver_ask(all.solver, &zero));
  ZERO(sprint_batch, sprint_model_gradient(all.model, x, &zero, numbers, &ret_correct, reals, reals));
  ZERO(sprint_shift_callbacks, sprint_shift_new_custom(all.context, &zero, all.model, all.population, &ret_shift));
  ZERO(sprint_model_callbacks, sprint_model_new_custom(all.context, &zero, &ret_model));
  ZERO(sprint_constants, sprint_theory_check(all.context, &zero, 0.1, 0.1, &ret_certificate));
  ZERO(sprint_certificate, sprint_theory_cost_sprint(all.context, &constants, &zero, 1, &ret_cost));
  ZERO(sprint_estimate_options, sprint_theory_estimate(all.context, &zero, &ret_estimates));
  ZERO(sprint_fit_options, sprint_fit_shift(all.context, &zero, &(sprint_fit *){NULL}));
  ZERO(sprint_problem, sprint_advise(all.context, &zero, &(sprint_advice){.size = sizeof(sprint_advice)}));
  ZERO(sprint_strided, sprint_population_new_strided(all.context, &zero, x, 0, &ret_population));
  ZERO(sprint_step_check, sprint_experiment_check_step(all.experiment, 0, 0, NULL, &zero));
#undef ZERO
}

/* Calls before their time: a sentence, and nothing changed by it. */
static void test_null__wrong_order(void **state) {
  (void)state;
  sprint_solver *solver = NULL;
  sprint_run *run = NULL;
  sprint_solver_options options = {.size = sizeof options, .model = all.model, .n = 60, .n_strata = 1, .theta = x};
  sprint_want want = {.size = sizeof want};
  MUST(all.context, sprint_solver_new(all.context, &options, &solver));
  assert_int_not_equal(sprint_solver_tell(solver, &records), SPRINT_OK); /* nobody has asked */
  MUST(all.context, sprint_solver_ask(solver, &want));
  MUST(all.context, sprint_solver_ask(solver, &want)); /* asking again is no step */
  assert_int_equal(sprint_solver_counters(solver).steps, 0);
  sprint_solver_free(solver);
  MUST(all.context, sprint_experiment_start(all.experiment, 0, 0, 0, &run));
  assert_int_not_equal(sprint_run_save(run, "no-such-folder"), SPRINT_OK); /* it has not begun */
  assert_true(access("no-such-folder", F_OK) != 0);
  assert_null(sprint_run_row(run, 0));
  MUST(all.context, sprint_run_go(run, NULL, NULL));
  size_t n_rows = sprint_run_n_rows(run);
  MUST(all.context, sprint_run_go(run, NULL, NULL)); /* it is over */
  assert_int_equal(sprint_run_n_rows(run), n_rows);
  sprint_run_free(run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_null__experiments),     cmocka_unit_test(test_null__populations_and_models),
      cmocka_unit_test(test_null__shifts_and_runs), cmocka_unit_test(test_null__files),
      cmocka_unit_test(test_null__sessions),        cmocka_unit_test(test_null__solvers),
      cmocka_unit_test(test_null__theory),          cmocka_unit_test(test_null__fits_and_advice),
      cmocka_unit_test(test_null__settings),        cmocka_unit_test(test_null__nothing),
      cmocka_unit_test(test_null__zeroed_structs),  cmocka_unit_test(test_null__wrong_order),
      cmocka_unit_test(test_null__lists),           cmocka_unit_test(test_null__getters),
      cmocka_unit_test(test_null__past_the_end),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
