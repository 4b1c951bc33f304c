/* A run that is stopped and taken up again by new objects ends with the same bytes as one that was not: every method
 * under every shift, by every engine, and every step rule, as the registry has them. The oracle is the run that was
 * never stopped. */
#define _GNU_SOURCE
#include "pixels_help.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "registry_help.h"

enum { MOST_ROWS = 8 };

struct end {
  bool refused, resumes;
  size_t n_params, n_rows;
  sprint_stop stop;
  sprint_real theta[20000];
  sprint_trace_row rows[MOST_ROWS];
};

/* Stops a run after so many of the engine's advances. */
struct stopper {
  size_t left;
};

static bool observe(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  struct stopper *stopper = user;
  (void)row;
  (void)cost;
  ((sprint_run *)run)->reported = 0; /* long ago: it is called again after the next advance */
  return stopper->left-- > 0;
}

/* One process's part of a run: from new objects, and if `folder`, from what is kept there. Returns whether it ended. */
static bool part(sprint_context *context, const sprint_population *people, const char *shift_spec, const char *spec,
                 const char *folder, size_t advances, struct end *ret_end) {
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_run *run = NULL;
  struct stopper stopper = {advances};
  MUST(context, sprint_model_new(context, network, people, &model));
  ret_end->n_params = sprint_model_n_params(model);
  sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 4};
  ret_end->refused = sprint_shift_new(context, shift_spec, model, people, &shift) != SPRINT_OK;
  options.shift = shift;
  ret_end->refused = ret_end->refused || sprint_run_new(context, &options, &run) != SPRINT_OK;
  if (!ret_end->refused) {
    if (folder) MUST(context, sprint_run_keep(run, folder, NULL));
    MUST(context, sprint_run_go(run, folder ? observe : NULL, &stopper));
    memcpy(ret_end->theta, sprint_run_theta(run), ret_end->n_params * sizeof(sprint_real));
    ret_end->n_rows = sprint_run_n_rows(run);
    ret_end->stop = sprint_run_stop(run);
    ret_end->resumes = sprint_run_resumes(run);
    assert_true(ret_end->n_rows <= MOST_ROWS);
    for (size_t r = 0; r < ret_end->n_rows; r++) {
      ret_end->rows[r] = *sprint_run_row(run, r);
      ret_end->rows[r].seconds = 0; /* the one thing that no two runs share */
    }
  }
  sprint_run_free(run);
  sprint_shift_free(shift);
  sprint_model_free(model);
  return ret_end->refused || ret_end->stop != SPRINT_STOP_REQUESTED;
}

static void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  for (const struct dirent *entry; folder && (entry = readdir(folder));) {
    char inner[512];
    snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.' && unlink(inner) != 0) remove_folder(inner);
  }
  if (folder) closedir(folder);
  rmdir(path);
}

/* The run in parts of so many advances, each a few more than the one before, so that it gets on whatever the engine. */
static size_t run_in_parts(sprint_context *context, const sprint_population *people, const char *shift,
                           const char *spec, size_t advances, struct end *ret_end) {
  char folder[] = "/tmp/sprint-resume-XXXXXX";
  size_t parts = 1;
  assert_non_null(mkdtemp(folder));
  while (!part(context, people, shift, spec, folder, advances * parts, ret_end)) {
    parts++;
    MUST(context, sprint_context_set_threads(context, 1 + (int)(parts % 2)));
  }
  remove_folder(folder);
  return parts;
}

/* Returns how many parts it was done in; 0: it was refused. */
static size_t compare_parts(sprint_context *context, const sprint_population *people, const char *shift,
                            const char *spec, size_t advances) {
  static struct end whole, parts;
  part(context, people, shift, spec, NULL, 0, &whole);
  if (whole.refused) return 0;
  size_t n = run_in_parts(context, people, shift, spec, advances, &parts);
  bool same = parts.n_rows == whole.n_rows && parts.stop == whole.stop &&
              memcmp(parts.theta, whole.theta, whole.n_params * sizeof(sprint_real)) == 0 &&
              memcmp(parts.rows, whole.rows, whole.n_rows * sizeof *whole.rows) == 0;
  if (!same) fail_msg("%s under %s, in %zu parts of %zu advances, ends elsewhere", spec, shift, n, advances);
  return n;
}

/* Every so many-th pair; all of them where SPRINT_TORTURE is set. */
#ifdef SPRINT_SLOWED
enum { STRIDE = 29 };
#else
enum { STRIDE = 7 };
#endif

static void test_resume__all_methods_and_shifts(void **state) {
  (void)state;
  static char methods[MOST_SPECS][SPEC], shifts[MOST_SPECS][SPEC];
  sprint_context *context = NULL;
  size_t n_runs = 0, n_parts = 0, n = 0;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/plugin_method.so"));
  MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/plugin_shift.so"));
  size_t n_methods = specs_of(context, "methods", ", batch: 7", methods), n_shifts = shifts_of(context, shifts);
  sprint_population *images = load_images(context);
  for (size_t m = 0; m < n_methods; m++)
    for (size_t s = 0; s < n_shifts; s++, n++) {
      static const char *const engines[] = {"plain", "recall", "pixels"}, *const deploys[] = {
                                                                              "greedy", "{kind: every, steps: 3}"};
      char spec[512];
      if (n % (getenv("SPRINT_TORTURE") ? 1 : STRIDE) != 0) continue;
      for (size_t e = 0; e < SPRINT__COUNT(engines); e++) {
        snprintf(spec, sizeof spec,
                 "{method: %s, step: {size: 0.02}, deploy: %s, stop: {epochs: 3, ifo: 4000}, engine: %s}", methods[m],
                 deploys[(m + s) % 2], engines[e]);
        size_t parts = compare_parts(context, images, shifts[s], spec, 3 + (m + s) % 11);
        n_runs += parts > 0;
        n_parts += parts;
      }
    }
  print_message("%zu runs, in %zu parts\n", n_runs, n_parts);
  assert_true(n_parts > 2 * n_runs);
  sprint_population_free(images);
  sprint_context_free(context);
}

static void test_resume__all_steps(void **state) {
  (void)state;
  static char steps[MOST_SPECS][SPEC];
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  size_t n = specs_of(context, "steps", "", steps);
  sprint_population *images = load_images(context);
  for (size_t s = 0; s < n; s++) {
    char spec[512];
    snprintf(spec, sizeof spec, "{method: {batch: 7, patience: 0.5}, step: %s, stop: {epochs: 3}, engine: plain}",
             steps[s]);
    compare_parts(context, images, "{kind: strategic, good: 0, alpha: 3}", spec, 8);
  }
  sprint_population_free(images);
  sprint_context_free(context);
}

/* All kinds of ours say what they remember: none begins anew. Those of plugins do not, and begin anew. */
static void test_resume__no_kind_of_ours_begins_anew(void **state) {
  (void)state;
  static char methods[MOST_SPECS][SPEC], shifts[MOST_SPECS][SPEC];
  static struct end end;
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_population *images = load_images(context);
  size_t n_methods = specs_of(context, "methods", ", batch: 7", methods), n_shifts = shifts_of(context, shifts);
  for (size_t k = 0; k < n_methods + n_shifts; k++) {
    char folder[] = "/tmp/sprint-resume-XXXXXX", spec[512];
    const char *shift = k < n_methods ? "none" : shifts[k - n_methods];
    snprintf(spec, sizeof spec, "{method: %s, stop: {epochs: 2}, engine: plain}",
             k < n_methods ? methods[k] : "{batch: 7}");
    assert_non_null(mkdtemp(folder));
    part(context, images, shift, spec, folder, 5, &end);
    if (!end.refused && !end.resumes) fail_msg("%s, %s: takes no checkpoints", spec, shift);
    remove_folder(folder);
  }
  sprint_population_free(images);
  sprint_context_free(context);
}

static time_t ahead; /* seconds */

/* In place of the C library's, for the program and all that is linked to it. */
int clock_gettime(clockid_t clock, struct timespec *ret_time) {
  int status = (int)syscall(SYS_clock_gettime, clock, ret_time);
  ret_time->tv_sec += ahead;
  return status;
}

/* Within the first epoch six minutes pass, and a step later the note is taken down. */
struct patient {
  size_t n;
  char note[512];
};

static bool wait_long(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  struct patient *patient = user;
  (void)cost;
  ((sprint_run *)run)->reported = 0;
  if (row) return true;
  if (++patient->n == 2) ahead += 360;
  if (patient->n == 4) snprintf(patient->note, sizeof patient->note, "%s", sprint_run_note(run));
  return true;
}

/* An engine that takes checkpoints where epochs end says so once an epoch takes minutes; one that takes them between
 * steps has taken one by then. */
static void test_resume__says_where_no_checkpoint_can_be_taken(void **state) {
  (void)state;
  static const char *const engines[] = {"plain", "pixels"};
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_population *images = load_images(context);
  for (size_t e = 0; e < SPRINT__COUNT(engines); e++) {
    char folder[] = "/tmp/sprint-resume-XXXXXX", spec[256];
    struct patient patient = {0};
    sprint_model *model = NULL;
    sprint_shift *shift = NULL;
    sprint_run *run = NULL;
    snprintf(spec, sizeof spec, "{method: {kind: sprint, batch: 7, inner: 400}, stop: {epochs: 1}, engine: %s}",
             engines[e]);
    assert_non_null(mkdtemp(folder));
    MUST(context, sprint_model_new(context, network, images, &model));
    MUST(context, sprint_shift_new(context, "none", model, images, &shift));
    sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 4, .shift = shift};
    MUST(context, sprint_run_new(context, &options, &run));
    MUST(context, sprint_run_keep(run, folder, NULL));
    MUST(context, sprint_run_go(run, wait_long, &patient));
    assert_true(patient.n >= 4);
    if (e == 0)
      assert_string_equal(patient.note, "");
    else
      assert_non_null(strstr(patient.note, "has taken no checkpoint for 6 minutes, which a kill would lose: 'pixels'"));
    sprint_run_free(run);
    sprint_shift_free(shift);
    sprint_model_free(model);
    remove_folder(folder);
  }
  sprint_population_free(images);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_resume__says_where_no_checkpoint_can_be_taken),
      cmocka_unit_test(test_resume__all_methods_and_shifts),
      cmocka_unit_test(test_resume__all_steps),
      cmocka_unit_test(test_resume__no_kind_of_ours_begins_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
