/* Memory that runs out where files are read, where people come without end, where a saved model scores, and where a
 * refusal is put into words: each allocation is made to fail once. The oracle is that of test_memory.c. */
#define _GNU_SOURCE
#include "memory_help.h"

#include <ftw.h>
#include <unistd.h>

/* A folder with what is read here. */
static char folder[] = "/tmp/sprint-memory-XXXXXX";

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at) {
  (void)info;
  (void)type;
  (void)at;
  return remove(path);
}

static const char *path_of(const char *name) {
  static char paths[4][96];
  static size_t next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

/* Numbers, a category, a flag, a date and a weight; one income is missing. */
static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  FILE *csv = fopen(path_of("people.csv"), "w"), *plain = fopen(path_of("plain.csv"), "w");
  fprintf(csv, "id,income,job,member,since,weight,repaid\n");
  fprintf(plain, "a,b,repaid\n");
  for (int i = 0; i < 40; i++) {
    char income[16];
    snprintf(income, sizeof income, "%d", 1000 + i * 37 % 501);
    fprintf(csv, "p%d,%s,%s,%s,2020-0%d-11,%d,%s\n", i, i == 3 ? "" : income,
            (const char *[]){"clerk", "baker", "none"}[i % 3], i % 4 ? "yes" : "no", 1 + i % 9, 1 + i % 2,
            i * i % 3 == 1 ? "no" : "yes");
    fprintf(plain, "%d,%g,%d\n", i % 7, i * 0.25, i % 2);
  }
  return fclose(csv) || fclose(plain);
}

static int tear_down(void **state) {
  (void)state;
  return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static sprint_context *new_context(void) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_context_set_threads(context, 1));
  return context;
}

/* From the data to what is said of a run; a step NULL leaves out what follows it. */
struct start {
  const char *data, *model, *shift, *run;
};

static sprint_status do_all(sprint_context *context, const void *user) {
  const struct start *start = user;
  struct world w = {.context = context};
  sprint_run *run = NULL;
  sprint_status status = sprint_population_load(context, start->data, &w.population, &w.heldout);
  assert_int_equal(status == SPRINT_OK, w.population != NULL);
  if (!status && start->model) status = sprint_model_new(context, start->model, w.population, &w.model);
  if (!status && start->shift) status = sprint_shift_new(context, start->shift, w.model, w.population, &w.shift);
  sprint_run_options options = {
      .size = sizeof options, .spec = start->run, .seed = 4, .shift = w.shift, .heldout = w.heldout};
  if (!status && start->run) status = sprint_run_new(context, &options, &run);
  assert_int_equal(!status && start->run, run != NULL);
  if (run) status = sprint_run_go(run, NULL, NULL);
  sprint_run_free(run);
  sprint_shift_free(w.shift);
  sprint_model_free(w.model);
  sprint_population_free(w.heldout);
  sprint_population_free(w.population);
  return status;
}

/* The tap of a run takes memory when the run is made, or when it goes. */
static void test_memory__people_without_end(void **state) {
  (void)state;
  char stream[160], classes[200];
  snprintf(stream, sizeof stream, "{kind: stream, path: %s, label: repaid, window: 12}", path_of("plain.csv"));
  snprintf(classes, sizeof classes, "{kind: stream, path: %s, label: repaid, window: 12, classes: ['0', '1', '2']}",
           path_of("plain.csv"));
  const char *const worlds[][2] = {{"{kind: gaussian, endless: true, window: 10, d: 2}", "{loss: mean}"},
                                   {stream, "{}"},
                                   {classes, "{layers: dense 3, loss: softmax}"}};
  sprint_context *context = new_context();
  for (size_t i = 0; i < SPRINT__COUNT(worlds); i++) {
    struct start start = {worlds[i][0], worlds[i][1], "none",
                          "{method: {kind: sgd, batch: 5, inner: 2}, stop: {steps: 4}}"};
    sprint_status status = SPRINT_OK;
    assert_true(fail_every_allocation(context, do_all, &start, &status) > 20);
    MUST(context, status);
  }
  sprint_context_free(context);
}

static const char people[] =
    "{kind: csv, path: %s, label: repaid, id: id, weight: weight, categories: [job], booleans: [member], dates: "
    "[since],"
    " missing: %s}";

/* Refusals that list what there is, or that know what was meant. */
static void test_memory__refusals_in_words(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"{kind: strategic, good: 'yes', columns: [wealth]}", "'wealth' is not a feature of the data; there are income,"},
      {"{kind: strategic, good: 'yes', columns: [job]}", "'job' holds categories, which do not go up and down"},
      {"{kind: strategic, good: 'yes', columns: []}", "the list is empty; some of income were expected"},
      {"{kind: strategic, good: 'yes', cost: {job=clerk: 2}}", "'job=clerk' is a level of categories"},
      {"{kind: strategic, good: 'yes', bounds: {incom: [0, 1]}}", "did you mean 'income'?"},
      {"{kind: strategic, good: 'yes', only_up: [age]}", "'age' is not a feature of the data; there are income,"},
      {"{kind: strategic, good: perhaps}", "'perhaps' is not a class of the data (one of no, yes)"},
      {"{kind: strategic}", "what do people want 'repaid' to be? One of no, yes was expected"},
      {"{kind: strategc}", "did you mean 'strategic'? (one of none, strategic,"},
      {"{kind: mixture, weights: 1}", "unknown key 'shift.weights'; the keys here are kind, strength,"},
  };
  char data[400];
  snprintf(data, sizeof data, people, path_of("people.csv"), "median");
  sprint_context *context = new_context();
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    struct start start = {data, "{}", cases[i][0], NULL};
    fail_every_allocation(context, do_all, &start, &status);
    REFUSED(context, SPRINT_ERROR_INPUT, cases[i][1], status);
  }
  snprintf(data, sizeof data, people, path_of("people.csv"), "refuse");
  fail_every_allocation(context, do_all, &(struct start){data, NULL, NULL, NULL}, &status);
  REFUSED(context, SPRINT_ERROR_INPUT, "people.csv:5: column 2 'income': the value is missing", status);
  sprint_context_free(context);
}

static sprint_status score(sprint_context *context, const void *user) {
  const char *const *paths = user;
  sprint_predictor *predictor = NULL;
  const sprint_metrics *metrics = NULL;
  sprint_status status = sprint_predictor_load(context, paths[0], &predictor);
  assert_int_equal(status == SPRINT_OK, predictor != NULL);
  if (!status) status = sprint_predictor_score_csv(predictor, paths[1], paths[2]);
  if (!status) status = sprint_predictor_assess_csv(predictor, paths[1], NULL, &metrics);
  assert_int_equal(status == SPRINT_OK, metrics != NULL);
  sprint_predictor_free(predictor);
  return status;
}

static sprint_status look(sprint_context *context, const void *user) {
  sprint_file_info *info = NULL;
  sprint_status status = sprint_file_info_read(context, user, &info);
  assert_int_equal(status == SPRINT_OK, info != NULL);
  sprint_file_info_free(info);
  return status;
}

/* A model that was trained on the people scores them; and what is in its file, and in theirs. */
static void test_memory__scores(void **state) {
  (void)state;
  char data[400], saved[96], model[160], csv[96], out[96];
  snprintf(data, sizeof data, people, path_of("people.csv"), "median");
  snprintf(saved, sizeof saved, "%s", path_of("run"));
  struct world w = world_new(data, "{layers: 'dense 3, relu, dense 1'}", "none");
  sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 7}, stop: {epochs: 1}}", 1);
  MUST(w.context, sprint_run_save(run, saved));
  snprintf(model, sizeof model, "%s/model.safetensors", saved);
  snprintf(csv, sizeof csv, "%s", path_of("people.csv"));
  snprintf(out, sizeof out, "%s", path_of("scores.csv"));
  sprint_run_free(run);
  world_free(&w);
  sprint_context *context = new_context();
  sprint_status status = SPRINT_OK;
  const char *paths[] = {model, csv, out};
  assert_true(fail_every_allocation(context, score, paths, &status) > 30);
  MUST(context, status);
  assert_true(fail_every_allocation(context, look, csv, &status) > 10);
  MUST(context, status);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory__people_without_end),
      cmocka_unit_test(test_memory__refusals_in_words),
      cmocka_unit_test(test_memory__scores),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
