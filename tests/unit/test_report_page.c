/* The page where things go wrong: memory that runs out anywhere, names that are not UTF-8. What is in it otherwise is
 * tested by tests/cli/report.sh, and what is seen of it by tests/page. */
#include "help.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"

struct place {
  sprint_context *context;
  char folder[64], page[96];
};

static void put(const struct place *place, const char *folder, const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s/%s", place->folder, folder, name);
  MUST(place->context, sprint_file_write(place->context, path, text, strlen(text)));
}

/* METHOD/seed-1 with two rows and a record that says little. */
static void add_run(const struct place *place, const char *method) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", place->folder, method);
  assert_int_equal(mkdir(path, 0777), 0);
  snprintf(path, sizeof path, "%s/%s/seed-1", place->folder, method);
  assert_int_equal(mkdir(path, 0777), 0);
  snprintf(path, sizeof path, "%s/seed-1", method);
  put(place, path, "trace.csv", "epoch,ifo,loss,gradient_sq\n0,0,0.7,1\n1,100,0.5,inf\n");
  put(place, path, "run.json",
      "{\"sprint\": \"0.1.0\", \"stop\": \"epochs\", \"final\": {\"epoch\": 1}, \"warnings\": {\"edge\": \"x\"}, "
      "\"assessment\": {\"verdict\": \"near\", \"sets\": {\"deployed\": {\"auc\": 0.5, \"confusion\": [[1]]}}}, "
      "\"config\": {\"name\": \"n\"}, \"settings\": {\"method\": {\"kind\": \"sgd\"}}}");
}

static struct place place_new(void) {
  struct place place = {.folder = "/tmp/sprint-page-XXXXXX"};
  assert_int_equal(sprint_context_new(&place.context), SPRINT_OK);
  assert_non_null(mkdtemp(place.folder));
  snprintf(place.page, sizeof place.page, "%s/report.html", place.folder);
  return place;
}

static void place_free(struct place *place) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", place->folder);
  assert_int_equal(system(command), 0);
  sprint_context_free(place->context);
}

/* Whichever allocation fails: a status that says so and no page, or a page. */
static void test_page__memory(void **state) {
  (void)state;
  struct place place = place_new();
  size_t n_failed = 0;
  add_run(&place, "a");
  add_run(&place, "b");
  place.context->n_allocations = 0;
  MUST(place.context, sprint_report_write(place.context, place.folder, place.page, NULL));
  uint64_t n = place.context->n_allocations;
  for (uint64_t fail = 0; fail < n; fail++) {
    unlink(place.page);
    place.context->n_allocations = 0;
    place.context->fail_allocation = (int64_t)fail;
    sprint_status status = sprint_report_write(place.context, place.folder, place.page, NULL);
    place.context->fail_allocation = -1;
    n_failed += status == SPRINT_ERROR_MEMORY;
    assert_int_equal(access(place.page, F_OK), status == SPRINT_OK ? 0 : -1);
  }
  assert_true(n_failed > n / 2);
  place_free(&place);
}

static void test_page__foreign_names(void **state) {
  (void)state;
  struct place place = place_new();
  sprint_report *report = NULL;
  add_run(&place, "\xff\xfe not UTF-8");
  MUST(place.context, sprint_report_write(place.context, place.folder, place.page, &report));
  assert_int_equal(sprint_report_n_runs(report), 1);
  assert_int_equal(sprint_report_n_notes(report), 0);
  assert_null(sprint_report_note(report, 0));
  sprint_report_free(report);
  place_free(&place);
}

/* A build without the chart library refuses, with the reason. */
static void test_page__missing(void **state) {
  (void)state;
  struct place place = place_new();
  add_run(&place, "a");
  assert_int_equal(sprint_report_write(place.context, place.folder, place.page, NULL), SPRINT_ERROR_INPUT);
  assert_non_null(strstr(sprint_context_error(place.context), sprint_report_missing()));
  assert_int_equal(access(place.page, F_OK), -1);
  place_free(&place);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_page__memory),
      cmocka_unit_test(test_page__foreign_names),
  };
  const struct CMUnitTest without[] = {cmocka_unit_test(test_page__missing)};
  return sprint_report_missing() ? cmocka_run_group_tests(without, NULL, NULL)
                                 : cmocka_run_group_tests(tests, NULL, NULL);
}
