/* A host program with decimal commas: what the library writes and reads is, to the byte, what it is in the C locale.
 * Oracle: the same work done in the C locale. */
#define _GNU_SOURCE
#include <dirent.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../experiment_help.h"

#define LOCALE "de_DE.UTF-8"

static char root[] = "/tmp/sprint-test-XXXXXX";

static void run_command(const char *format, ...) {
  char command[512];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof command, format, args);
  va_end(args);
  if (system(command) != 0) print_message("'%s' failed\n", command);
}

/* The locale is the machine's, or made here; false where neither can be. */
static bool enter_locale(void) {
  char text[32];
  if (!setlocale(LC_ALL, LOCALE)) {
    run_command("localedef -i de_DE -f UTF-8 %s/" LOCALE " >%s/localedef.log 2>&1", root, root);
    setenv("LOCPATH", root, 1);
    if (!setlocale(LC_ALL, LOCALE)) return false;
  }
  snprintf(text, sizeof text, "%g", 2.5);
  assert_string_equal(text, "2,5"); /* else nothing here means anything */
  return true;
}

static char *in(const char *folder, const char *name) {
  char *path = NULL;
  assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
  return path;
}

static FILE *create(const char *folder, const char *name) {
  char *path = in(folder, name);
  FILE *stream = fopen(path, "w");
  assert_non_null(stream);
  free(path);
  return stream;
}

/* Numbers with a point, by digits alone. */
static void write_table(const char *name, int moved) {
  FILE *stream = create(root, name);
  fputs("who,income,debt,times,bad\n", stream);
  for (int i = 0; i < 60; i++)
    fprintf(stream, "p%d,%d.%03d,0.%02d,%d.5,%s\n", i, 1000 + i * 37 % 500, i * 53 % 1000, i * 7 % 90 + moved * (i % 4),
            i % 3, i * 11 % 7 < 3 ? "yes" : "no");
  fclose(stream);
}

static const char config[] =
    "data: {kind: csv, path: %s/d.csv, label: bad, id: who, weight: times, holdout: 0.25}\n"
    "model: {layers: 'dense 3, tanh, dense 1', loss: {kind: sigmoid, c: 2.5}, l2: 1.5e-3}\n"
    "shift: {kind: strategic, good: 'no', columns: [debt], alpha: 0.25, bounds: {debt: [0.125, 0.875]}}\n"
    "method: {kind: sprint, correction: unbiased, batch: 8}\n"
    "step: {size: 0.05}\n"
    "stop: {ifo: 450}\n"
    "eval: {positive: 'yes', threshold: 0.375}\n"
    "grid: {shift.alpha: [0.25, 0.75]}\n";

static void save_text(const char *folder, const char *name, const char *text) {
  FILE *stream = create(folder, name);
  fputs(text, stream);
  fclose(stream);
}

/* A refusal with numbers in it. */
static void fail_on_purpose(sprint_context *context, const char *folder) {
  sprint_population *population = NULL, *heldout = NULL;
  REFUSED(context, SPRINT_ERROR_INPUT, "1.5",
          sprint_population_load(context, "{kind: gaussian, n: 10, holdout: 1.5}", &population, &heldout));
  save_text(folder, "refusal.txt", sprint_context_error(context));
}

/* The section of a fit: nobody knows whether there is a response, but it has numbers. */
static void fit_logs(sprint_context *context, const char *folder) {
  char *model = in(folder, "model.safetensors"), *before = in(root, "d.csv"), *after = in(root, "moved.csv");
  const sprint_fit_log logs[] = {{before, NULL, 0}, {after, model, 1}};
  sprint_fit_options options = {.size = sizeof options,
                                .logs = logs,
                                .n_logs = 2,
                                .kind = "strategic",
                                .good = "no",
                                .id = "who",
                                .resamples = 100};
  sprint_fit *fit = NULL;
  MUST(context, sprint_fit_shift(context, &options, &fit));
  assert_non_null(strchr(sprint_fit_section(fit), '.'));
  save_text(folder, "section.txt", sprint_fit_section(fit));
  sprint_fit_free(fit);
  free(model);
  free(before);
  free(after);
}

static void use_model(sprint_context *context, const char *folder) {
  char *model = in(folder, "model.safetensors"), *data = in(root, "d.csv"), *out = in(folder, "scores.csv");
  const sprint_metrics *metrics = NULL;
  sprint_predictor *predictor = NULL;
  MUST(context, sprint_predictor_load(context, model, &predictor));
  assert_true(sprint_predictor_threshold(predictor) == 0.375);
  sprint_labelled labelled = {.size = sizeof labelled, .out = out};
  MUST(context, sprint_predictor_assess_csv(predictor, data, &labelled, &metrics));
  FILE *stream = create(folder, "metrics.bin");
  double numbers[] = {metrics->loss, metrics->auc, metrics->recall, metrics->brier, metrics->people};
  fwrite(numbers, sizeof numbers, 1, stream);
  fclose(stream);
  sprint_predictor_free(predictor);
  free(model);
  free(data);
  free(out);
}

static void write_npy(sprint_context *context, sprint_experiment *experiment, sprint_run *run, const char *folder) {
  char *npy = in(folder, "theta.npy");
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  MUST(context, sprint_experiment_parts(experiment, 1, 0, &model, &shift));
  MUST(context, sprint_model_write_theta(model, npy, sprint_run_theta(run)));
  sprint_shift_free(shift);
  sprint_model_free(model);
  free(npy);
}

/* All that a host may do, into the folder. */
static void work(const char *folder) {
  sprint_context *context = NULL;
  char *text = NULL;
  assert_int_equal(mkdir(folder, 0755), 0);
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_context_set_threads(context, 2));
  assert_true(asprintf(&text, config, root) > 0);
  sprint_experiment *experiment = experiment_of(context, text);
  save_text(folder, "point.txt", sprint_experiment_point_name(experiment, 1));
  save_text(folder, "people.txt", sprint_experiment_people(experiment, 1, 0));
  sprint_run *run = NULL;
  MUST(context, sprint_experiment_start(experiment, 1, 0, 0, &run));
  MUST(context, sprint_run_go(run, NULL, NULL));
  MUST(context, sprint_run_save(run, folder));
  assert_true(sprint_run_is_saved(run, folder));
  write_npy(context, experiment, run, folder);
  use_model(context, folder);
  fit_logs(context, folder);
  fail_on_purpose(context, folder);
  sprint_run_free(run);
  sprint_experiment_free(experiment);
  sprint_context_free(context);
  free(text);
}

static char *read_all(const char *folder, const char *name, size_t *ret_size) {
  char *path = in(folder, name);
  FILE *stream = fopen(path, "rb");
  if (!stream) fail_msg("%s is not there", path);
  char *bytes = calloc(1 << 20, 1);
  *ret_size = fread(bytes, 1, (1 << 20) - 1, stream);
  fclose(stream);
  free(path);
  return bytes;
}

/* Time is what no two runs share: of run.json the line of its seconds and the sum of timing.csv, of that file the number
 * behind the comma. */
static void leave_out_times(char *text, const char *name) {
  bool json = strcmp(name, "run.json") == 0;
  if (!json && strcmp(name, "timing.csv") != 0) return;
  const char *mark = json ? "\"seconds\": " : ",";
  char *sum = json ? strstr(text, "\"timing.csv\": \"") : NULL;
  if (sum) memset(sum + strlen("\"timing.csv\": \""), '#', 64);
  for (char *at = text; (at = strstr(at, mark));) {
    at += strlen(mark);
    char *end = at + strspn(at, "0123456789.e+-");
    assert_true(json ? *end == ',' || *end == '\n' : *end == '\n' || at == text + strlen("epoch,"));
    memset(at, '#', (size_t)(end - at));
    memmove(at + 1, end, strlen(end) + 1);
  }
}

static void compare(const char *a, const char *b, const char *name) {
  size_t n_a, n_b;
  char *bytes_a = read_all(a, name, &n_a), *bytes_b = read_all(b, name, &n_b);
  leave_out_times(bytes_a, name);
  leave_out_times(bytes_b, name);
  bool times = strcmp(name, "run.json") == 0 || strcmp(name, "timing.csv") == 0;
  if (times ? strcmp(bytes_a, bytes_b) != 0 : n_a != n_b || memcmp(bytes_a, bytes_b, n_a) != 0)
    fail_msg("%s differs: '%.3000s' and '%.3000s'", name, bytes_a, bytes_b);
  assert_true(n_a > 0);
  free(bytes_a);
  free(bytes_b);
}

static void test_locale__decimal_commas_of_the_host_change_nothing(void **state) {
  (void)state;
  char *plain = in(root, "plain"), *comma = in(root, "comma");
  write_table("d.csv", 0);
  write_table("moved.csv", 2);
  work(plain);
  if (!enter_locale()) {
    print_message("skipped: there is no locale " LOCALE ", nor localedef (Debian: locales) to make one\n");
    skip();
  }
  work(comma);
  char text[16];
  snprintf(text, sizeof text, "%g", 2.5);
  assert_string_equal(text, "2,5"); /* and the host's locale is as it was */
  assert_non_null(setlocale(LC_ALL, "C"));
  size_t n_files = 0;
  DIR *folder = opendir(plain);
  assert_non_null(folder);
  for (const struct dirent *file; (file = readdir(folder));) {
    if (file->d_name[0] == '.') continue;
    compare(plain, comma, file->d_name);
    n_files++;
  }
  closedir(folder);
  assert_int_equal(n_files, 11);
  free(plain);
  free(comma);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  run_command("rm -rf %s", root);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_locale__decimal_commas_of_the_host_change_nothing),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
