/* The table of a config's keys: its parts, its scopes, and the sentences made from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "run/sections.h"

static const sprint_kind *keys_of(const sprint_family *family) { return family->kinds[0]; }

static void test_sections__parts(void **state) {
  (void)state;
  const sprint_kind *run = keys_of(&sprint__run_family), *solver = keys_of(&sprint__solver_family);
  const char *const names[] = {"method", "step", "deploy", "stop", "eval"};
  assert_int_equal(solver->n_params, 4);
  assert_true(run->n_params >= SPRINT__COUNT(names));
  for (size_t i = 0; i < solver->n_params; i++) assert_string_equal(solver->params[i].name, names[i]);
  for (size_t i = 0; i < SPRINT__COUNT(names); i++) assert_string_equal(run->params[i].name, names[i]);
}

/* All but `data` are either a setting of a run or about the experiment as a whole, and a run's can be axes. */
static void test_sections__scopes(void **state) {
  (void)state;
  const sprint_kind *config = keys_of(&sprint__config_family), *run = keys_of(&sprint__run_family);
  for (size_t i = 0; i < config->n_params; i++) {
    const char *name = config->params[i].name;
    bool grid = sprint__key_is(name, strlen(name), SPRINT__OF_GRID);
    bool experiment = sprint__key_is(name, strlen(name), SPRINT__OF_EXPERIMENT);
    assert_int_equal(grid + experiment, strcmp(name, "data") != 0);
  }
  for (size_t i = 0; i < run->n_params; i++)
    assert_true(sprint__key_is(run->params[i].name, strlen(run->params[i].name), SPRINT__OF_GRID));
  assert_true(sprint__key_is("shift.alpha", 5, SPRINT__OF_GRID));
  assert_false(sprint__key_is("shifty", 6, SPRINT__OF_GRID));
  assert_false(sprint__key_is("shift", 3, SPRINT__OF_GRID));
}

static void test_sections__sentences(void **state) {
  (void)state;
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  char *entry = sprint__keys_join(context, SPRINT__OF_ENTRY, ", ");
  char *whole = sprint__keys_join(context, SPRINT__OF_EXPERIMENT, " or ");
  assert_string_equal(entry, "name, method, step, deploy");
  assert_string_equal(whole, "name, compare, grid, quick, seeds or out");
  sprint__free(entry);
  sprint__free(whole);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sections__parts),
      cmocka_unit_test(test_sections__scopes),
      cmocka_unit_test(test_sections__sentences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
