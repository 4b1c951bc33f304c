/* The page where things go wrong: memory that runs out anywhere, names that are not UTF-8. What is in it otherwise is
 * tested by tests/cli/report.sh, and what is seen of it by tests/page. */
#include "test_report_help.h"

#include <unistd.h>

#include "base/context.h"
#include "report/page.h"

/* METHOD/seed-1 with two rows and a record that says little. */
static void add_run(const struct place *place, const char *method) {
  char name[256];
  snprintf(name, sizeof name, "%s/seed-1/trace.csv", method);
  put(place, name, "epoch,ifo,loss,gradient_sq\n0,0,0.7,1\n1,100,0.5,inf\n");
  snprintf(name, sizeof name, "%s/seed-1/run.json", method);
  put(place, name,
      "{\"sprint\": \"0.1.0\", \"stop\": \"epochs\", \"final\": {\"epoch\": 1}, \"warnings\": {\"edge\": \"x\"}, "
      "\"assessment\": {\"verdict\": \"near\", \"sets\": {\"deployed\": {\"auc\": 0.5, \"confusion\": [[1]]}}}, "
      "\"config\": {\"name\": \"n\"}, \"settings\": {\"method\": {\"kind\": \"sgd\"}}}");
}

struct page {
  char path[96];
};

static struct page page_in(const struct place *place) {
  struct page page;
  snprintf(page.path, sizeof page.path, "%s/report.html", place->folder);
  return page;
}

/* Whichever allocation fails: a status that says so and no page, or a page. */
static void test_page__memory(void **state) {
  (void)state;
  struct place place = place_new();
  struct page page = page_in(&place);
  size_t n_failed = 0;
  add_run(&place, "a");
  add_run(&place, "b");
  place.context->n_allocations = 0;
  MUST(place.context, sprint_report_write(place.context, place.folder, page.path, NULL));
  uint64_t n = place.context->n_allocations;
  for (uint64_t fail = 0; fail < n; fail++) {
    unlink(page.path);
    place.context->n_allocations = 0;
    place.context->fail_allocation = (int64_t)fail;
    sprint_status status = sprint_report_write(place.context, place.folder, page.path, NULL);
    place.context->fail_allocation = -1;
    n_failed += status == SPRINT_ERROR_MEMORY;
    assert_int_equal(access(page.path, F_OK), status == SPRINT_OK ? 0 : -1);
  }
  assert_true(n_failed > n / 2);
  place_free(&place);
}

static void test_page__foreign_names(void **state) {
  (void)state;
  struct place place = place_new();
  struct page page = page_in(&place);
  sprint_report *report = NULL;
  add_run(&place, "\xff\xfe not UTF-8");
  MUST(place.context, sprint_report_write(place.context, place.folder, page.path, &report));
  assert_int_equal(sprint_report_n_runs(report), 1);
  assert_int_equal(sprint_report_n_notes(report), 0);
  assert_null(sprint_report_note(report, 0));
  sprint_report_free(report);
  place_free(&place);
}

/* The page's data of one run whose run.json is this, as it is there: to be decref'd. */
static json_t *data_of(const char *record) {
  struct place place = place_new();
  struct sprint__arena arena = {.context = place.context};
  struct sprint__results *results = NULL;
  const char *folder = place.folder;
  put(&place, "a/seed-1/trace.csv", "epoch,loss\n0,1\n1,0.5\n");
  put(&place, "a/seed-1/run.json", record);
  MUST(place.context, sprint__results_read(place.context, &folder, 1, &results));
  json_t *json = sprint__page_json(&arena, results, place.folder, NULL, 0);
  assert_non_null(json);
  sprint__results_free(results);
  sprint__arena_free(&arena);
  place_free(&place);
  return json;
}

/* What a record has of other types than it should is left out; what is as it should be stays. */
static void test_page__records_of_other_types(void **state) {
  (void)state;
  static const struct {
    const char *record, *has, *lacks;
  } cases[] = {
      {"{\"stop\": \"epochs\", \"host\": \"here\"}", "\"host\":\"here\"", "\"threads\""},
      {"{\"stop\": 3, \"host\": 4, \"threads\": \"two\", \"seconds\": 1.5}", "\"seconds\":1.5", "\"host\""},
      {"{\"warnings\": {\"edge\": \"near it\"}}", "near it", "\"threads\""},
      {"{\"warnings\": {\"edge\": 7}, \"inner\": 2}", "\"inner\":2", "\"edge\""},
      {"{\"warnings\": [1], \"inner\": 2}", "\"inner\":2", "\"warnings\""},
      {"{\"population\": {\"rows\": 3, \"features\": 2, \"endless\": true}}", "\"endless\":true", "\"threads\""},
      {"{\"population\": {\"rows\": 3, \"features\": 2, \"endless\": 1}}", "\"rows\":3", "\"endless\""},
      {"{\"population\": {\"rows\": 3.5, \"features\": 2, \"endless\": false}}", "\"rows\":3.5", "\"threads\""},
      {"{\"population\": {\"rows\": \"3\", \"features\": 2}, \"inner\": 2}", "\"inner\":2", "\"features\""},
      {"{\"population\": {\"rows\": 3, \"features\": null}, \"inner\": 2}", "\"inner\":2", "\"population\""},
      {"{\"assessment\": {\"verdict\": \"near\", \"sets\": {\"base\": {\"auc\": 0.5}, \"deployed\": 3}}}",
       "\"auc\":0.5", "\"deployed\""},
      {"{\"assessment\": {\"verdict\": 3, \"sets\": [], \"gradient_sq_mean_after_start\": 0.25}}",
       "\"gradient_sq_mean_after_start\":0.25", "\"verdict\""},
      {"{\"assessment\": \"fine\", \"inner\": 2}", "\"inner\":2", "fine"},
      {"{\"config\": {\"name\": \"mine\"}}", "\"mine\"", "\"threads\""},
      {"{\"config\": {\"name\": 3}, \"seed\": \"18446744073709551615\"}", "\"a\"", "\"threads\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    json_t *json = data_of(cases[i].record);
    char *text = json_dumps(json_object_get(json, "runs"), JSON_COMPACT | JSON_REAL_PRECISION(15));
    char *all = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (!strstr(all, cases[i].has)) fail_msg("%s: '%s' is not in %s", cases[i].record, cases[i].has, all);
    if (strstr(text, cases[i].lacks)) fail_msg("%s: '%s' is in %s", cases[i].record, cases[i].lacks, text);
    free(text);
    free(all);
    json_decref(json);
  }
}

/* A build without the chart library refuses, with the reason. */
static void test_page__missing(void **state) {
  (void)state;
  struct place place = place_new();
  struct page page = page_in(&place);
  add_run(&place, "a");
  assert_int_equal(sprint_report_write(place.context, place.folder, page.path, NULL), SPRINT_ERROR_INPUT);
  assert_non_null(strstr(sprint_context_error(place.context), sprint_report_missing()));
  assert_int_equal(access(page.path, F_OK), -1);
  place_free(&place);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_page__memory),
      cmocka_unit_test(test_page__foreign_names),
      cmocka_unit_test(test_page__records_of_other_types),
  };
  const struct CMUnitTest without[] = {cmocka_unit_test(test_page__missing)};
  return sprint_report_missing() ? cmocka_run_group_tests(without, NULL, NULL)
                                 : cmocka_run_group_tests(tests, NULL, NULL);
}
