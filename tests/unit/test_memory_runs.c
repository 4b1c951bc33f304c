/* Memory that runs out in what reads and writes files of runs: each allocation of a piece of work fails once. The
 * oracle: a status and a sentence, outputs and files as they were, and (under sanitizers) nothing left behind. */
#define _GNU_SOURCE
#include <unistd.h>

#include "memory_help.h"

#define PATH 160

/* A folder with data, a config, and a finished run of it. */
struct home {
  sprint_context *context;
  char folder[40], data[PATH], moved[PATH], told[PATH], config[PATH], run[PATH], model[PATH], out[PATH],
      unfinished[PATH], linear_run[PATH], linear[PATH], mean_run[PATH], mean[PATH];
};

static struct home home;

static void write_people(const char *path, const char *more, double shift, size_t n_copies) {
  FILE *stream = fopen(path, "w");
  fprintf(stream, "who,income,age,job,bad%s\n", *more ? ",deployment,w" : "");
  for (size_t c = 0; c < n_copies; c++)
    for (int i = 0; i < 40; i++)
      fprintf(stream, "p%d,%g,%d,%c,%d%s\n", i, 1000 + (37 * i) % 501 + shift * (i % 3 == 1), 20 + (13 * i) % 41,
              "abc"[i % 3], (i * i) % 3 == 1, more);
  assert_int_equal(fclose(stream), 0);
}

static void write_config(const char *path, const char *data) {
  FILE *stream = fopen(path, "w");
  fprintf(stream,
          "data: {kind: csv, path: %s, label: bad, categories: [job], id: who, holdout: 0.2}\n"
          "model: {layers: 'dense 2, relu, dense 1'}\n"
          "shift: {kind: strategic, good: 0, alpha: 0.1}\n"
          "method: {kind: sprint, batch: 8}\n"
          "stop: {epochs: 1}\n"
          "grid: {shift.alpha: [0.1]}\n"
          "quick: {stop: {epochs: 1}}\n"
          "compare: [{name: one, method: {kind: sprint}}]\n",
          data);
  assert_int_equal(fclose(stream), 0);
}

enum { N_SETS = 3 };
static const char *const linear[N_SETS] = {"model.layers=dense 1", "shift=none", "seeds=[2]"};
static const char *const mean[N_SETS] = {"model={loss: mean}", "shift=none", "compare=[{name: a, method: sgd}]"};

static sprint_status run_and_save(sprint_context *context, const char *folder, const char *const *sets, bool keep) {
  sprint_experiment *experiment = NULL;
  sprint_run *run = NULL;
  sprint_keep_options often = {.size = sizeof often, .every = 1e-9};
  const sprint_experiment_options options = {
      .size = sizeof options, .quick = true, .sets = sets, .n_sets = sets ? N_SETS : 0};
  sprint_status status = sprint_experiment_open(context, home.config, &options, &experiment);
  assert_int_equal(status == SPRINT_OK, experiment != NULL);
  if (!status) status = sprint_experiment_start(experiment, 0, 0, 0, &run);
  assert_int_equal(status == SPRINT_OK, run != NULL);
  if (!status && keep) status = sprint_run_keep(run, folder, &often);
  if (!status) status = sprint_run_go(run, NULL, NULL);
  if (!status) status = sprint_run_save(run, folder);
  sprint_run_free(run);
  sprint_experiment_free(experiment);
  return status;
}

static void remove_folder(const char *folder) {
  char command[PATH + 16];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

static int home_new(void **state) {
  (void)state;
  snprintf(home.folder, sizeof home.folder, "/tmp/sprint-memory-XXXXXX");
  assert_non_null(mkdtemp(home.folder));
  assert_int_equal(sprint_context_new(&home.context), SPRINT_OK);
  snprintf(home.data, PATH, "%s/data.csv", home.folder);
  snprintf(home.moved, PATH, "%s/moved.csv", home.folder);
  snprintf(home.told, PATH, "%s/told.csv", home.folder);
  snprintf(home.config, PATH, "%s/c.yaml", home.folder);
  snprintf(home.run, PATH, "%s/run", home.folder);
  snprintf(home.model, PATH, "%s/run/model.safetensors", home.folder);
  snprintf(home.linear_run, PATH, "%s/linear", home.folder);
  snprintf(home.linear, PATH, "%s/linear/model.safetensors", home.folder);
  snprintf(home.mean_run, PATH, "%s/mean", home.folder);
  snprintf(home.mean, PATH, "%s/mean/model.safetensors", home.folder);
  snprintf(home.unfinished, PATH, "%s/run/unfinished", home.folder);
  snprintf(home.out, PATH, "%s/out", home.folder);
  write_people(home.data, "", 0, 1);
  write_people(home.moved, "", 40, 1);
  write_people(home.told, ",1,1", 0, 1);
  write_config(home.config, home.data);
  MUST(home.context, sprint_context_set_threads(home.context, 1));
  MUST(home.context, run_and_save(home.context, home.run, NULL, false));
  MUST(home.context, run_and_save(home.context, home.linear_run, linear, false));
  MUST(home.context, run_and_save(home.context, home.mean_run, mean, false));
  return 0;
}

static int home_free(void **state) {
  (void)state;
  remove_folder(home.folder);
  sprint_context_free(home.context);
  return 0;
}

enum { MOST = 600, SOME = 80, A_FEW = 25 };

/* The work as it is, and with allocations failed: no more than `most`, evenly spread. */
static void fails_well(sprint_work *work, const void *user, int64_t most) {
  sprint_context *context = home.context;
  sprint_status status;
  context->n_allocations = 0;
  MUST(context, work(context, user));
  int64_t n = (int64_t)context->n_allocations;
  assert_true(n > 3);
  fail_allocations(context, 0, n / most + 1, work, user, &status);
  MUST(context, status);
}

/* A run that is there stays whole. */
static sprint_status save_over(sprint_context *context, const void *user) {
  (void)user;
  remove_folder(home.unfinished);
  sprint_status status = run_and_save(context, home.run, NULL, true);
  int64_t fail = context->fail_allocation;
  uint64_t n_allocations = context->n_allocations; /* of the work alone */
  sprint_trace_row row = {.size = sizeof row};
  sprint_stop stop = SPRINT_STOP_RUNNING;
  context->fail_allocation = -1;
  sprint_status there = sprint_saved_final(context, home.run, &row, &stop);
  context->fail_allocation = fail;
  context->n_allocations = n_allocations;
  assert_int_equal(there, SPRINT_OK);
  assert_int_equal(stop, SPRINT_STOP_EPOCHS);
  return status;
}

static void test_memory__save(void **state) {
  (void)state;
  fails_well(save_over, NULL, SOME);
}

static sprint_status read_saved(sprint_context *context, const void *user) {
  (void)user;
  sprint_assessment *assessment = NULL;
  sprint_trace_row row = {.size = sizeof row, .loss = -7};
  sprint_stop stop = SPRINT_STOP_RUNNING;
  sprint_status status = sprint_saved_final(context, home.run, &row, &stop);
  if (status) assert_true(row.loss == -7 && stop == SPRINT_STOP_RUNNING);
  if (!status) status = sprint_saved_assessment(context, home.run, &assessment);
  assert_int_equal(status == SPRINT_OK, assessment != NULL);
  sprint_assessment_free(assessment);
  return status;
}

static void test_memory__read_saved(void **state) {
  (void)state;
  fails_well(read_saved, NULL, MOST);
}

static sprint_status predict(sprint_context *context, const void *user) {
  (void)user;
  sprint_predictor *predictor = NULL;
  const sprint_metrics *metrics = NULL;
  sprint_labelled labelled = {.size = sizeof labelled, .label = "bad", .weight = "w", .out = home.out};
  sprint_status status = sprint_predictor_load(context, home.model, &predictor);
  assert_int_equal(status == SPRINT_OK, predictor != NULL);
  unlink(home.out);
  if (!status) status = sprint_predictor_score_csv(predictor, home.data, home.out);
  assert_int_equal(access(home.out, F_OK), status ? -1 : 0);
  if (!status) status = sprint_predictor_assess_csv(predictor, home.told, &labelled, &metrics);
  assert_int_equal(status == SPRINT_OK, metrics != NULL);
  sprint_predictor_free(predictor);
  unlink(home.out);
  return status;
}

static void test_memory__predict(void **state) {
  (void)state;
  fails_well(predict, NULL, MOST);
}

static sprint_status look_at_files(sprint_context *context, const void *user) {
  (void)user;
  sprint_file_info *file = NULL;
  sprint_model_info *model = NULL;
  sprint_status status = sprint_file_info_read(context, home.data, &file);
  assert_int_equal(status == SPRINT_OK, file != NULL);
  if (!status) status = sprint_model_info_read(context, home.model, &model);
  assert_int_equal(status == SPRINT_OK, model != NULL);
  sprint_file_info_free(file);
  sprint_model_info_free(model);
  return status;
}

static void test_memory__look_at_files(void **state) {
  (void)state;
  fails_well(look_at_files, NULL, MOST);
}

/* A solver in a folder: begun, asked, told. Each time from the start. */
static sprint_status session(sprint_context *context, const void *user) {
  (void)user;
  static const char *const sets[] = {"method.batch=40", "data.holdout=0"};
  const char *paths[] = {home.told}, *model = NULL;
  sprint_session *session = NULL;
  sprint_want want = {.size = sizeof want};
  sprint_session_records records = {.size = sizeof records, .paths = paths, .n_paths = 1, .request = 1};
  size_t n_told = 0;
  remove_folder(home.out);
  sprint_status status = sprint_session_begin(context, home.out, home.config, sets, 2);
  assert_int_equal(status == SPRINT_OK, sprint_session_is_there(home.out));
  if (!status) status = sprint_session_open(context, home.out, &session);
  assert_int_equal(status == SPRINT_OK, session != NULL);
  if (!status) status = sprint_session_ask(session, &want, &model);
  if (!status) status = sprint_session_tell(session, &records, &n_told);
  assert_int_equal(n_told, status ? 0 : 40);
  bool same = false;
  if (!status) status = sprint_session_is_of(context, home.out, home.config, sets, 2, &same);
  assert_int_equal(status == SPRINT_OK, same);
  sprint_session_free(session);
  return status;
}

static void test_memory__session(void **state) {
  (void)state;
  fails_well(session, NULL, SOME);
  remove_folder(home.out);
}

static void count_line(void *user, const char *line) {
  (void)line;
  ++*(size_t *)user;
}

static sprint_status show_results(sprint_context *context, const void *user) {
  (void)user;
  const char *folders[] = {home.run};
  size_t n_lines = 0, n_going = 77;
  sprint_plot_options options = {.size = sizeof options,
                                 .folders = folders,
                                 .n_folders = 1,
                                 .y = "loss,accuracy",
                                 .seeds = true,
                                 .user = &n_lines};
  sprint_status status = sprint_plot_print(context, &options, count_line);
  assert_true(status || n_lines > 0);
  if (!status) status = sprint_progress_print(context, &options, count_line, &n_going);
  assert_int_equal(n_going, status ? 77 : 0);
  return status;
}

static void test_memory__show_results(void **state) {
  (void)state;
  fails_well(show_results, NULL, MOST);
}

/* What is looked at without training: constants, a landscape, step sizes, advice, whose experiment is there already. */
static sprint_status look_around(sprint_context *context, const void *user) {
  sprint_experiment *experiment = (sprint_experiment *)(uintptr_t)user;
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_real theta[32] = {0}, towards[32] = {0};
  sprint_landscape *landscape = NULL;
  sprint_status status = sprint_experiment_parts(experiment, 0, 0, &model, &shift);
  assert_int_equal(status == SPRINT_OK, shift != NULL);
  if (!status) status = sprint_model_start(model, 1, theta);
  if (!status) status = sprint_model_start(model, 2, towards);
  sprint_estimate_options estimate = {
      .size = sizeof estimate, .shift = shift, .theta = theta, .sample = 10, .probes = 1};
  sprint_estimates estimates = {.size = sizeof estimates, .sample = 77};
  if (!status) status = sprint_theory_estimate(context, &estimate, &estimates);
  assert_int_equal(estimates.sample, status ? 77 : 10);
  sprint_landscape_options around = {
      .size = sizeof around, .shift = shift, .theta = theta, .towards = towards, .grid = 5};
  if (!status) status = sprint_landscape_new(context, &around, &landscape);
  assert_int_equal(status == SPRINT_OK, landscape != NULL);
  sprint_landscape_free(landscape);
  sprint_shift_free(shift);
  sprint_model_free(model);
  return status;
}

static sprint_status look_ahead(sprint_context *context, const void *user) {
  sprint_experiment *experiment = (sprint_experiment *)(uintptr_t)user;
  sprint_step_options step = {.size = sizeof step, .starts = 1, .effort = 1};
  sprint_step_check check = {.size = sizeof check, .starts = 77};
  sprint_problem problem = {.size = sizeof problem};
  sprint_theory_plan plan = {.size = sizeof plan};
  sprint_status status = sprint_experiment_check_step(experiment, 0, 0, &step, &check);
  assert_int_equal(check.starts, status ? 77 : 1);
  if (!status) status = sprint_experiment_problem(experiment, 0, 0, &problem);
  if (!status) status = sprint_theory_plan_of(experiment, 0, 0, &plan);
  (void)context;
  return status;
}

static void test_memory__look_around(void **state) {
  (void)state;
  sprint_experiment *experiment = NULL;
  MUST(home.context, sprint_experiment_load(home.context, home.config, NULL, 0, &experiment));
  fails_well(look_around, experiment, MOST);
  fails_well(look_ahead, experiment, MOST);
  sprint_experiment_free(experiment);
}

static sprint_status fit(sprint_context *context, const void *user) {
  const sprint_fit_options *options = user;
  sprint_fit *found = NULL;
  sprint_status status = sprint_fit_shift(context, options, &found);
  assert_int_equal(status == SPRINT_OK, found != NULL);
  sprint_fit_free(found);
  return status;
}

static void test_memory__fit(void **state) {
  (void)state;
  static const char *const columns[] = {"income"};
  const struct {
    const char *kind, *model, *id, *good, *form, *label;
    size_t n_columns;
  } kinds[] = {{"strategic", home.model, "who", "0", .n_columns = 1},
               {"strategic", home.linear, NULL, "0", .n_columns = 1},
               {"linear", home.linear, "who"},
               {"location", home.mean, "who", .form = "diagonal"},
               {"location", home.mean, NULL, .form = "scalar"},
               {"retention", home.model, .label = "bad"}};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    const sprint_fit_log logs[] = {{home.data, NULL, 0}, {home.moved, kinds[k].model, 1}};
    sprint_fit_options options = {.size = sizeof options,
                                  .logs = logs,
                                  .n_logs = 2,
                                  .kind = kinds[k].kind,
                                  .id = kinds[k].id,
                                  .good = kinds[k].good,
                                  .form = kinds[k].form,
                                  .columns = columns,
                                  .n_columns = kinds[k].n_columns,
                                  .label = kinds[k].label,
                                  .resamples = 100};
    fails_well(fit, &options, MOST);
  }
}

static sprint_status verify(sprint_context *context, const void *user) {
  bool all_ok = false;
  (void)user;
  sprint_status status = sprint_verify(context, NULL, NULL, &all_ok);
  assert_int_equal(status == SPRINT_OK, all_ok);
  return status;
}

static void test_memory__verify(void **state) {
  (void)state;
  fails_well(verify, NULL, A_FEW);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory__save),        cmocka_unit_test(test_memory__read_saved),
      cmocka_unit_test(test_memory__predict),     cmocka_unit_test(test_memory__look_at_files),
      cmocka_unit_test(test_memory__session),     cmocka_unit_test(test_memory__show_results),
      cmocka_unit_test(test_memory__look_around), cmocka_unit_test(test_memory__fit),
      cmocka_unit_test(test_memory__verify),
  };
  return cmocka_run_group_tests(tests, home_new, home_free);
}
