/* Lists of names: made, cut, joined, and found among choices; out of memory at every allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "config/names.h"

static sprint_context *context;

static int set_up(void **state) {
  (void)state;
  return sprint_context_new(&context) != SPRINT_OK;
}

static int tear_down(void **state) {
  (void)state;
  sprint_context_free(context);
  return 0;
}

static void test_names__cut_and_join(void **state) {
  (void)state;
  static const char *const lists[] = {"a", "a|bc|d", "", "|a", "a|"};
  static const char *const joined[] = {"a", "a, bc or d", "", " or a", "a or "};
  for (size_t i = 0; i < SPRINT__COUNT(lists); i++) {
    size_t n = 0;
    char **names = sprint__names_cut(context, lists[i], '|', &n);
    char *text = sprint__names_join(context, (const char *const *)names, n, " or ");
    assert_string_equal(text, joined[i]);
    sprint__free(text);
    sprint__names_free(names, n);
  }
}

static void test_names__copy_and_number(void **state) {
  (void)state;
  char **names = sprint__names_numbered(context, "z", 11);
  char **copy = sprint__names_copy(context, (const char *const *)names, 11);
  assert_string_equal(names[10], "z10");
  for (size_t i = 0; i < 11; i++) assert_string_equal(copy[i], names[i]);
  sprint__names_free(names, 11);
  sprint__names_free(copy, 11);
  sprint__names_free(NULL, 11);
}

static void test_names__choices(void **state) {
  (void)state;
  assert_int_equal(sprint__choice_find("same|valid", "same"), 0);
  assert_int_equal(sprint__choice_find("same|valid", "valid"), 1);
  assert_int_equal(sprint__choice_find("+|-", "-"), 1);
  assert_int_equal(sprint__choice_find("same|valid", "val"), -1);
  assert_int_equal(sprint__choice_find("same|valid", "same|valid"), -1);
  assert_int_equal(sprint__choice_find("same|valid", ""), -1);
}

/* 40 names: the list grows twice. */
static void test_names__no_memory(void **state) {
  (void)state;
  char list[80] = "0";
  for (size_t i = 1; i < 79; i++) list[i] = i % 2 ? ',' : '0';
  for (int64_t fail = 0;; fail++) {
    size_t n = 0;
    context->n_allocations = 0;
    context->fail_allocation = fail;
    char **names = sprint__names_cut(context, list, ',', &n);
    bool failed = context->n_allocations > (uint64_t)fail;
    assert_int_equal(names == NULL, failed);
    sprint__names_free(names, n);
    if (!failed) break;
  }
  context->fail_allocation = -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names__cut_and_join),
      cmocka_unit_test(test_names__copy_and_number),
      cmocka_unit_test(test_names__choices),
      cmocka_unit_test(test_names__no_memory),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
