/* Arenas and scopes: what is taken is zeroed and aligned, freed together, and failure sticks. Leaks are found by
 * `make sanitize`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

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

/* 40 pieces: the list of them grows twice. */
static void test_arena__takes_zeroed_and_aligned(void **state) {
  (void)state;
  SPRINT__CLEARED(sprint__arena_free) struct sprint__arena arena = {.context = context};
  for (size_t i = 0; i < 40; i++) {
    unsigned char *piece = sprint__arena_take(&arena, i, 3);
    assert_non_null(piece);
    assert_int_equal((uintptr_t)piece % 64, 0);
    for (size_t k = 0; k < 3 * i; k++) assert_int_equal(piece[k], 0);
    memset(piece, 1, 3 * i);
  }
  assert_string_equal(sprint__arena_strdup(&arena, "text"), "text");
  assert_int_equal(sprint__arena_status(&arena), SPRINT_OK);
  sprint__arena_free(&arena);
  assert_non_null(sprint__arena_take(&arena, 1, 1));
}

/* Whatever allocation fails, nothing is had from then on, and the door is not asked any more. */
static void test_arena__failure_sticks(void **state) {
  (void)state;
  for (int64_t fail = 0;; fail++) {
    SPRINT__CLEARED(sprint__arena_free) struct sprint__arena arena = {.context = context};
    context->n_allocations = 0;
    context->fail_allocation = fail;
    for (int i = 0; i < 20; i++) sprint__arena_take(&arena, 1, 1);
    char *text = sprint__arena_strdup(&arena, "text");
    char *kept = sprint__arena_keep(&arena, sprint__strdup(context, "other"));
    bool failed = context->n_allocations > (uint64_t)fail;
    context->fail_allocation = -1;
    assert_int_equal(sprint__arena_status(&arena), failed ? SPRINT_ERROR_MEMORY : SPRINT_OK);
    assert_int_equal(kept == NULL, failed);
    if (!failed) assert_string_equal(text, "text");
    if (!failed) return;
    uint64_t n = context->n_allocations;
    assert_null(sprint__arena_take(&arena, 1, 1));
    assert_null(sprint__arena_strdup(&arena, "text"));
    assert_int_equal(context->n_allocations, n);
    assert_non_null(strstr(sprint_context_error(context), "out of memory"));
  }
}

static char *give_away(void) {
  SPRINT__SCOPED(sprint__free) char *freed = sprint__strdup(context, "freed");
  SPRINT__SCOPED(sprint__free) char *given = sprint__strdup(context, "given");
  assert_string_equal(freed, "freed");
  return sprint__give(&given);
}

static void test_arena__what_is_given_outlives_its_scope(void **state) {
  (void)state;
  SPRINT__SCOPED(sprint__free) char *given = give_away();
  assert_string_equal(given, "given");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arena__takes_zeroed_and_aligned),
      cmocka_unit_test(test_arena__failure_sticks),
      cmocka_unit_test(test_arena__what_is_given_outlives_its_scope),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
