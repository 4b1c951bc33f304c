/* Folders of runs as data, and means over seeds: folders written by hand, against numbers worked out by hand; and one
 * that a run saved, against its rows. */
#include "test_report_help.h"

#include <locale.h>
#include <unistd.h>

#include "report/curves.h"

static struct sprint__results *read_all(const struct place *place) {
  const char *folder = place->folder;
  struct sprint__results *results = NULL;
  MUST(place->context, sprint__results_read(place->context, &folder, 1, &results));
  return results;
}

#define DONE "{\"name\": \"other\", \"seed\": 7, \"stop\": \"epochs\", \"settings\": {\"method\": {\"kind\": \"sgd\"}}}"
#define HEAD "epoch,ifo,loss\n"

static void test_runs__names_come_from_places(void **state) {
  (void)state;
  struct place place = place_new();
  put(&place, "alpha-20/b_<script>/seed-10/trace.csv", HEAD "0,0,1\n");
  put(&place, "alpha-20/b_<script>/seed-10/run.json", DONE);
  put(&place, "alpha-20/b_<script>/seed-9/trace.csv", HEAD "0,0,1\n1,5,0.5\n");
  put(&place, "alpha-5/a/seed-1/trace.csv", HEAD "0,0,1\n");
  put(&place, "single/trace.csv", HEAD "0,0,1\n");
  put(&place, "single/run.json", DONE);
  put(&place, "timing.csv", "budget,seconds\n"); /* of `compare`: not a run's */
  struct sprint__results *results = read_all(&place);
  assert_int_equal(results->n_runs, 4);
  const struct sprint__result *run = results->runs;
  assert_string_equal(run[0].point, "alpha-5");
  assert_string_equal(run[0].method, "a");
  assert_int_equal(run[0].seed, 1);
  assert_int_equal(run[0].state, SPRINT__RESULT_PARTIAL);
  assert_string_equal(run[1].point, "alpha-20");
  assert_string_equal(run[1].method, "b_<script>");
  assert_int_equal(run[1].seed, 9);
  assert_int_equal(run[1].n_rows, 2);
  assert_int_equal(run[2].seed, 10);
  assert_string_equal(run[2].kind, "sgd");
  assert_int_equal(run[2].state, SPRINT__RESULT_FINISHED);
  assert_null(run[2].complaint);
  assert_string_equal(run[3].point, "single");
  assert_string_equal(run[3].method, "other");
  assert_int_equal(run[3].seed, 7);
  sprint__results_free(results);
  place_free(&place);
}

/* The one run of a folder. */
static struct sprint__result only(const struct place *place, struct sprint__results **ret_results) {
  *ret_results = read_all(place);
  assert_int_equal((*ret_results)->n_runs, 1);
  return (*ret_results)->runs[0];
}

#define CHECK_RUN(PLACE, STATE, N_ROWS, WORDS)                                                            \
  do {                                                                                                    \
    struct sprint__results *results__;                                                                    \
    struct sprint__result run__ = only((PLACE), &results__);                                              \
    const char *words__ = (WORDS);                                                                        \
    assert_string_equal(sprint__result_state_word(run__.state), (STATE));                                 \
    assert_int_equal(run__.n_rows, (N_ROWS));                                                             \
    if (!words__ != !run__.complaint || (words__ && !strstr(run__.complaint, words__)))                   \
      fail_msg("'%s' does not say '%s'", run__.complaint ? run__.complaint : "", words__ ? words__ : ""); \
    sprint__results_free(results__);                                                                      \
  } while (0)

static void test_runs__say_what_is_wrong(void **state) {
  (void)state;
  struct place place = place_new();
  put(&place, "m/seed-1/trace.csv", HEAD "0,0,1\n1,5,0.5\n2,10,0.2"); /* cut: it may go on with digits */
  CHECK_RUN(&place, "partial", 2, NULL);
  put(&place, "m/seed-1/run.json", DONE);
  CHECK_RUN(&place, "finished", 2, NULL);
  put(&place, "m/seed-1/run.json", "{\"stop\": \"epochs\", \"final\": {\"epoch\": 40}}");
  CHECK_RUN(&place, "partial", 2, "seed-1/trace.csv: ends at epoch 1, and by run.json the run went on to 40");
  put(&place, "m/seed-1/trace.csv", HEAD "0,0,1\n1,five,0.5\n2,10,0.2\n");
  CHECK_RUN(&place, "corrupt", 1, "seed-1/trace.csv:3: column 'ifo': 'five' is not a number");
  put(&place, "m/seed-1/trace.csv", HEAD "0,0,1\n1,5\n2,10,0.2\n");
  CHECK_RUN(&place, "corrupt", 1, "trace.csv:3: 2 values, where 3 were expected");
  put(&place, "m/seed-1/trace.csv", "ifo,loss\n0,1\n");
  CHECK_RUN(&place, "corrupt", 1, "a column 'epoch' was expected");
  put(&place, "m/seed-1/trace.csv", "\xff\xfe\n");
  CHECK_RUN(&place, "corrupt", 0, "is not a text");
  put(&place, "m/seed-1/trace.csv", HEAD "0,0,1\n1,5,\xff\n2,10,0.2\n");
  CHECK_RUN(&place, "corrupt", 1, "trace.csv: is not a text from byte");
  put(&place, "m/seed-1/trace.csv", "");
  CHECK_RUN(&place, "partial", 0, "has no rows yet");
  put(&place, "m/seed-1/trace.csv", HEAD "0,0,1\n");
  put(&place, "m/seed-1/run.json", "{\"stop\": ");
  CHECK_RUN(&place, "corrupt", 1, "run.json: cannot be read as the record of a run");
  put(&place, "m/seed-1/run.json", "[]");
  CHECK_RUN(&place, "corrupt", 1, "an object was expected");
  put(&place, "m/seed-1/run.json", "{\"stop\": \"requested\"}");
  CHECK_RUN(&place, "interrupted", 1, NULL);
  put(&place, "m/seed-1/run.json", "{\"stop\": \"diverged\"}");
  CHECK_RUN(&place, "diverged", 1, NULL);
  put(&place, "m/seed-1/timing.csv", "epoch,seconds\n0,abc\n");
  CHECK_RUN(&place, "diverged", 1, "timing.csv:2: column 'seconds': 'abc' is not a number");
  place_free(&place);
}

/* While a run goes on its trace is in a folder within its own; the run that it replaces counts until then. */
static void test_runs__may_be_unfinished(void **state) {
  (void)state;
  struct place place = place_new();
  put(&place, "m/seed-1/unfinished/trace.csv", HEAD "0,0,1\n1,5,0.5\n");
  put(&place, "m/seed-1/unfinished/timing.csv", "epoch,seconds\n0,0\n1,2\n");
  CHECK_RUN(&place, "partial", 2, NULL);
  put(&place, "m/seed-1/run.json", DONE);
  put(&place, "m/seed-1/trace.csv", HEAD "0,0,1\n");
  CHECK_RUN(&place, "finished", 1, NULL);
  place_free(&place);
  place = place_new(); /* of a single run, with what a kill left there */
  put(&place, "complete/trace.csv", HEAD "0,0,1\n1,5,0.5\n2,10,0.1\n");
  put(&place, "complete/run.json", DONE);
  put(&place, "unfinished/trace.csv", HEAD "0,0,1\n");
  CHECK_RUN(&place, "finished", 3, NULL);
  place_free(&place);
}

static void test_runs__refuse_what_holds_none(void **state) {
  (void)state;
  struct place place = place_new();
  struct sprint__results *results = NULL;
  const char *folder = place.folder, *missing = "/nowhere/at/all";
  char file[128];
  REFUSED(place.context, SPRINT_ERROR_INPUT, "no run is here",
          sprint__results_read(place.context, &folder, 1, &results));
  REFUSED(place.context, SPRINT_ERROR_IO, "/nowhere/at/all: cannot be read",
          sprint__results_read(place.context, &missing, 1, &results));
  put(&place, "x/file", "");
  snprintf(file, sizeof file, "%s/x/file", place.folder);
  const char *path = file;
  REFUSED(place.context, SPRINT_ERROR_INPUT, "is not a folder",
          sprint__results_read(place.context, &path, 1, &results));
  assert_null(results);
  place_free(&place);
}

static void test_runs__of_several_folders_are_told_apart(void **state) {
  (void)state;
  struct place place = place_new();
  char paths[2][128];
  put(&place, "old/sgd/seed-1/trace.csv", HEAD "0,0,1\n");
  put(&place, "new/sgd/seed-1/trace.csv", HEAD "0,0,2\n");
  put(&place, "new/sgd/seed-2/trace.csv", HEAD "0,0,2\n");
  put(&place, "new/sprint/seed-1/trace.csv", HEAD "0,0,2\n");
  snprintf(paths[0], sizeof paths[0], "%s/old/", place.folder);
  snprintf(paths[1], sizeof paths[1], "%s/new", place.folder);
  const char *folders[2] = {paths[0], paths[1]};
  struct sprint__results *results = NULL;
  MUST(place.context, sprint__results_read(place.context, folders, 2, &results));
  assert_int_equal(results->n_runs, 4);
  assert_string_equal(results->runs[0].point, ""); /* one method and point: a part that may share a panel */
  assert_string_equal(results->runs[0].method, "sgd");
  assert_string_equal(results->runs[1].point, "new");
  assert_string_equal(results->runs[3].method, "sprint");
  sprint__results_free(results);
  snprintf(paths[1], sizeof paths[1], "%s/new/sgd", place.folder);
  MUST(place.context, sprint__results_read(place.context, folders, 2, &results));
  assert_int_equal(results->n_runs, 3);
  assert_string_equal(results->runs[0].method, "sgd (old)");
  assert_string_equal(results->runs[1].method, "sgd (sgd)");
  assert_string_equal(results->runs[2].method, "sgd (sgd)");
  sprint__results_free(results);
  folders[1] = folders[0]; /* the same folder twice is one */
  MUST(place.context, sprint__results_read(place.context, folders, 2, &results));
  assert_int_equal(results->n_runs, 1);
  sprint__results_free(results);
  place_free(&place);
}

static struct sprint__group only_group(struct sprint__arena *arena, const struct sprint__results *results) {
  struct sprint__group *groups = NULL;
  size_t n = 0;
  MUST(arena->context, sprint__results_group(arena, results, &groups, &n));
  assert_int_equal(n, 1);
  return groups[0];
}

/* Losses 1, 2, 6 at epoch 1: mean 3, s^2 = (4 + 1 + 9) / 2 = 7, error sqrt(7 / 3). The diverged run counts nowhere, the
 * short one as far as it goes, and a nan is no value. */
static void test_curves__are_means_with_standard_errors(void **state) {
  (void)state;
  struct place place = place_new();
  put(&place, "m/seed-1/trace.csv", HEAD "0,0,5\n1,10,1\n2,20,8\n");
  put(&place, "m/seed-1/run.json", DONE);
  put(&place, "m/seed-2/trace.csv", HEAD "0,0,nan\n1,10,2\n");
  put(&place, "m/seed-3/trace.csv", "loss,new_column,epoch,ifo\n5,9,0,0\n6,9,1,10\n4,9,2,20\n");
  put(&place, "m/seed-3/run.json", DONE);
  put(&place, "m/seed-4/trace.csv", HEAD "0,0,1e6\n1,10,inf\n");
  put(&place, "m/seed-4/run.json", "{\"stop\": \"diverged\"}");
  put(&place, "m/seed-5/trace.csv", HEAD);
  struct sprint__results *results = read_all(&place);
  struct sprint__arena arena = {.context = place.context};
  struct sprint__group group = only_group(&arena, results);
  struct sprint__curve curve;
  assert_int_equal(group.n_runs, 5);
  assert_int_equal(group.n_diverged, 1);
  assert_int_equal(group.n_short, 1);
  assert_int_equal(group.n_empty, 1);
  assert_string_equal(group.kind, "sgd");
  for (int k = 0; k < 2; k++) {
    MUST(place.context, sprint__group_curve(&arena, &group, k ? "ifo" : "epoch", "loss", &curve));
    assert_int_equal(curve.n, 3);
    assert_true(curve.x[1] == (k ? 10 : 1) && curve.x[2] == (k ? 20 : 2));
    assert_true(curve.mean[0] == 5 && curve.error[0] == 0 && curve.n_seeds[0] == 2);
    assert_true(curve.mean[1] == 3 && curve.n_seeds[1] == 3);
    assert_true(fabs(curve.error[1] - sqrt(7.0 / 3)) < 1e-15);
    assert_true(curve.mean[2] == 6 && curve.error[2] == 2 && curve.n_seeds[2] == 2);
  }
  MUST(place.context, sprint__group_curve(&arena, &group, "epoch", "new_column", &curve));
  assert_int_equal(curve.n, 3);
  assert_true(curve.n_seeds[0] == 1 && isnan(curve.error[0]));
  MUST(place.context, sprint__group_curve(&arena, &group, "epoch", "nothing", &curve));
  assert_int_equal(curve.n, 0);
  MUST(place.context, sprint__result_curve(&arena, &results->runs[3], "epoch", "loss", &curve));
  assert_int_equal(curve.n, 1); /* of its own, the diverged run has its finite rows */
  sprint__arena_free(&arena);
  sprint__results_free(results);
  place_free(&place);
}

/* y = x at times 0, 1, 2, and twice y = 3x at times 0, 2, 4. */
static void test_curves__interpolate_where_x_differs(void **state) {
  (void)state;
  struct place place = place_new();
  put(&place, "m/seed-1/trace.csv", HEAD "0,0,0\n1,5,1\n2,10,2\n");
  put(&place, "m/seed-1/timing.csv", "epoch,seconds\n0,0\n1,1\n2,2\n");
  put(&place, "m/seed-2/trace.csv", HEAD "0,0,0\n1,5,6\n2,10,12\n");
  put(&place, "m/seed-2/timing.csv", "epoch,seconds\n0,0\n1,2\n2,4\n3,7");
  put(&place, "m/seed-3/trace.csv", HEAD "0,0,0\n1,5,6\n2,10,12\n");
  put(&place, "m/seed-3/timing.csv", "epoch,seconds\n0,0\n1,2\n2,4\n");
  struct sprint__results *results = read_all(&place);
  struct sprint__arena arena = {.context = place.context};
  struct sprint__group group = only_group(&arena, results);
  struct sprint__curve curve;
  MUST(place.context, sprint__group_curve(&arena, &group, "seconds", "loss", &curve));
  assert_int_equal(curve.n, 3); /* at 0, 2 and 4, where two of three are left */
  assert_true(curve.x[0] == 0 && curve.x[1] == 2 && curve.x[2] == 4);
  assert_true(curve.mean[0] == 0 && curve.n_seeds[1] == 3 && curve.n_seeds[2] == 2);
  assert_true(fabs(curve.mean[1] - (2 + 6 + 6) / 3.0) < 1e-15);
  assert_true(curve.mean[2] == 12 && curve.error[2] == 0);
  sprint__results_free(results);
  put(&place, "m/seed-1/run.json", DONE); /* where it ends the curve does */
  results = read_all(&place);
  group = only_group(&arena, results);
  MUST(place.context, sprint__group_curve(&arena, &group, "seconds", "loss", &curve));
  assert_true(curve.n == 3 && curve.x[1] == 1 && curve.x[2] == 2 && curve.n_seeds[2] == 3);
  assert_true(fabs(curve.mean[1] - (1 + 3 + 3) / 3.0) < 1e-15);
  sprint__arena_free(&arena);
  sprint__results_free(results);
  place_free(&place);
}

/* What a run saves is what is read, to the last digit. */
static void test_runs__read_what_a_run_saves(void **state) {
  (void)state;
  struct place place = place_new();
  struct world w = world_new("{kind: gaussian, n: 50, d: 1}", "{loss: mean}", "{kind: location, epsilon: 0.5}");
  sprint_run *run =
      run_done(&w, "{method: {kind: sgd, batch: 5}, step: {kind: constant, size: 0.1}, stop: {epochs: 4}}", 3);
  char path[128];
  snprintf(path, sizeof path, "%s/one/seed-3", place.folder);
  MUST(w.context, sprint_run_save(run, path));
  struct sprint__results *results;
  struct sprint__result got = only(&place, &results);
  assert_int_equal(got.state, SPRINT__RESULT_FINISHED);
  assert_int_equal(got.n_rows, sprint_run_n_rows(run));
  for (size_t r = 0; r < got.n_rows; r++) {
    const sprint_trace_row *row = sprint_run_row(run, r);
    assert_true(sprint__result_column(&got, "loss")[r] == row->loss);
    assert_true(sprint__result_column(&got, "gradient_sq")[r] == row->gradient_sq);
    assert_true(sprint__result_column(&got, "ifo")[r] == (double)row->cost.ifo);
    assert_true(fabs(sprint__result_column(&got, "seconds")[r] - row->seconds) <= 1e-8 * row->seconds);
  }
  sprint__results_free(results);
  sprint_run_free(run);
  world_free(&w);
  place_free(&place);
}

static void keep_mean(void *user, const char *line) {
  if (strstr(line, "* m ")) snprintf(user, 128, "%s", line);
}

/* A decimal point stays one, in what is read and in what is printed, and the program's locale is as it was. */
static void test_plot__does_not_depend_on_the_locale(void **state) {
  (void)state;
  if (!setlocale(LC_ALL, "de_DE.utf8")) skip();
  struct place place = place_new();
  put(&place, "alpha-0.5/m/seed-1/trace.csv", HEAD "0,0,1.5\n1,5,0.25\n");
  const char *folder = place.folder;
  char mean[128] = "", number[16];
  sprint_plot_options options = {.size = sizeof options, .folders = &folder, .n_folders = 1, .user = mean};
  MUST(place.context, sprint_plot_print(place.context, &options, keep_mean));
  assert_non_null(strstr(mean, "0.25, 1 seed"));
  snprintf(number, sizeof number, "%g", 0.5);
  assert_string_equal(number, "0,5");
  setlocale(LC_ALL, "C");
  place_free(&place);
}

/* Every allocation fails once: a status, no leak, no crash. */
static void test_runs__survive_failing_memory(void **state) {
  (void)state;
  struct place place = place_new();
  put(&place, "m/seed-1/trace.csv", HEAD "0,0,1\n1,5,0.5\n");
  put(&place, "m/seed-1/timing.csv", "epoch,seconds\n0,0\n1,1\n");
  put(&place, "m/seed-1/run.json", DONE);
  const char *folder = place.folder;
  struct sprint__results *results = NULL;
  sprint_status status = SPRINT_ERROR_MEMORY;
  for (int i = 0; status != SPRINT_OK && i < 1000; i++) {
    place.context->fail_allocation = (int64_t)place.context->n_allocations + i;
    status = sprint__results_read(place.context, &folder, 1, &results);
    if (status != SPRINT_OK) assert_int_equal(status, SPRINT_ERROR_MEMORY);
  }
  place.context->fail_allocation = -1;
  assert_int_equal(status, SPRINT_OK);
  assert_int_equal(results->runs[0].n_rows, 2);
  sprint__results_free(results);
  place_free(&place);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs__names_come_from_places),
      cmocka_unit_test(test_runs__say_what_is_wrong),
      cmocka_unit_test(test_runs__may_be_unfinished),
      cmocka_unit_test(test_runs__refuse_what_holds_none),
      cmocka_unit_test(test_runs__of_several_folders_are_told_apart),
      cmocka_unit_test(test_curves__are_means_with_standard_errors),
      cmocka_unit_test(test_curves__interpolate_where_x_differs),
      cmocka_unit_test(test_runs__read_what_a_run_saves),
      cmocka_unit_test(test_plot__does_not_depend_on_the_locale),
      cmocka_unit_test(test_runs__survive_failing_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
