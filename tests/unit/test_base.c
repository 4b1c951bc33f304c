/* base/: random numbers, lanes, files, the allocation door. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/file.h"
#include "base/group_math.h"
#include "base/lanes.h"
#include "base/random.h"
#include "base/rows.h"
#include "base/team.h"
#include "base/vector.h"

/* Oracle: the known-answer vector of Philox4x32-10 for counter 0 and key 0 in Random123's own test file. */
static void test_random__matches_known_answer(void **state) {
  (void)state;
  struct sprint__random words = sprint__random_words(0, (enum sprint__purpose)0, 0, 0);
  assert_true(words.a == 0xe169c58d6627e8d5u);
  assert_true(words.b == 0x9b00dbd8bc57ac4cu);
}

static void test_random__purpose_step_and_index_matter(void **state) {
  (void)state;
  uint64_t base = sprint__random_words(1, SPRINT__FOR_DRAWS, 1, 1).a;
  assert_true(base != sprint__random_words(2, SPRINT__FOR_DRAWS, 1, 1).a);
  assert_true(base != sprint__random_words(1, SPRINT__FOR_START, 1, 1).a);
  assert_true(base != sprint__random_words(1, SPRINT__FOR_DRAWS, 1ull << 32 | 1, 1).a);
  assert_true(base != sprint__random_words(1, SPRINT__FOR_DRAWS, 1, 2).a);
  assert_true(base == sprint__random_words(1, SPRINT__FOR_DRAWS, 1, 1).a);
}

/* Oracle: moments of U(0,1) and N(0,1); the bounds are five standard errors of the sample moments. */
static void test_random__moments(void **state) {
  (void)state;
  enum { N = 100000 };
  double uniform = 0, normal = 0, normal_sq = 0;
  for (uint32_t i = 0; i < N; i++) {
    struct sprint__random words = sprint__random_words(3, SPRINT__FOR_PEOPLE, 0, i);
    double z = sprint__normal(&words);
    uniform += sprint__uniform(words.a) / N;
    normal += z / N;
    normal_sq += z * z / N;
  }
  assert_true(fabs(uniform - 0.5) < 5 * sqrt(1.0 / 12 / N));
  assert_true(fabs(normal) < 5 * sqrt(1.0 / N));
  assert_true(fabs(normal_sq - 1) < 5 * sqrt(2.0 / N));
}

/* Oracle: the same by the library's logarithm and cosine. Each is right to a few roundings: of 2 pi u, of log u, of the
 * root and the product, all below 9 (a normal of a 53-bit uniform is at most sqrt(106 ln 2) = 8.6). */
static void test_random__gives_normals_nearly_as_exactly(void **state) {
  (void)state;
  enum { SOME = 37 };
  double exact[SOME], near[SOME];
  for (uint64_t step = 0; step < 2000; step++) {
    sprint__normals(step * 0x123456789abcdef, SPRINT__FOR_PEOPLE, step << 40, SOME, exact);
    sprint__normals_near(step * 0x123456789abcdef, SPRINT__FOR_PEOPLE, step << 40, SOME, near);
    for (size_t k = 0; k < SOME; k++) assert_true(fabs(near[k] - exact[k]) <= 8 * 9 * 0x1p-53);
  }
}

static void test_random__gives_normals_together_as_alone(void **state) {
  (void)state;
  enum { SOME = 37 };
  double normals[SOME];
  sprint__normals(5, SPRINT__FOR_PEOPLE, 9, SOME, normals);
  for (uint32_t k = 0; k < SOME; k++) {
    struct sprint__random words = sprint__random_words(5, SPRINT__FOR_PEOPLE, 9, k);
    assert_true(normals[k] == sprint__normal(&words));
  }
}

static void test_random__below_covers_its_range(void **state) {
  (void)state;
  assert_int_equal(sprint__below(0, 7), 0);
  assert_int_equal(sprint__below(UINT64_MAX, 7), 6);
  unsigned seen = 0;
  for (uint32_t i = 0; i < 200; i++) seen |= 1u << sprint__below(sprint__random_words(1, SPRINT__FOR_DRAWS, 0, i).a, 7);
  assert_int_equal(seen, 127);
}

static void test_random__shuffle_is_a_permutation(void **state) {
  (void)state;
  uint32_t items[100];
  bool seen[100] = {false};
  size_t in_place = 0;
  for (uint32_t i = 0; i < 100; i++) items[i] = i;
  sprint__shuffle(5, SPRINT__FOR_SELECT, items, 100);
  for (uint32_t i = 0; i < 100; i++) {
    seen[items[i]] = true;
    in_place += items[i] == i;
  }
  for (size_t i = 0; i < 100; i++) assert_true(seen[i]);
  assert_true(in_place < 10); /* one is expected; ten has a chance of 1e-7 */
}

static void test_lanes__partition_rows(void **state) {
  (void)state;
  for (size_t rows = 1; rows < 50; rows++)
    for (int lanes = 1; lanes <= SPRINT__MAX_LANES; lanes++) {
      size_t next = 0;
      for (int lane = 0; lane < lanes; lane++) {
        size_t start, end = sprint__lane_rows(rows, lanes, lane, &start);
        assert_int_equal(start, next);
        next = end;
      }
      assert_int_equal(next, rows);
    }
}

static void test_lanes__small_work_is_one_lane(void **state) {
  (void)state;
  assert_int_equal(sprint__lanes_for(16, 4614, 0), 1); /* a small batch of the credit network */
  assert_int_equal(sprint__lanes_for(1, 1e12, 0), 1);  /* never more lanes than rows */
  assert_int_equal(sprint__lanes_for(1000000, 1e6, 0), SPRINT__MAX_LANES);
  assert_int_equal(sprint__lanes_for(64, 1e6, 32e6), 1); /* lanes that cost more than they save */
}

static sprint_context *new_context(void) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  return context;
}

/* Counts who did what: rows by lane, and, within each lane, lanes of its own. */
struct team_work {
  sprint_context *context;
  int rows[SPRINT__MAX_LANES], calls[SPRINT__MAX_LANES], inner_calls[SPRINT__MAX_LANES];
  bool nested, says_nested[SPRINT__MAX_LANES];
};

static void count_inner(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  *(int *)user += (int)(end - start);
}

static void count_rows(void *user, int lane, size_t start, size_t end) {
  struct team_work *work = user;
  work->calls[lane]++;
  work->says_nested[lane] = sprint__lanes_nested(work->context);
  for (size_t i = start; i < end; i++) work->rows[lane] += (int)i;
  /* on the thread of this lane: no other adds to its sum */
  if (work->nested) sprint__lanes_run(work->context, 10, 4, count_inner, &work->inner_calls[lane]);
}

/* Every lane exactly once, all done on return, whoever does them; each knows whether it is one of several. */
static void check_lanes(sprint_context *context, size_t rows, int n_lanes, bool nested) {
  struct team_work work = {.context = context, .nested = nested};
  sprint__lanes_run(context, rows, n_lanes, count_rows, &work);
  int sum = 0;
  for (int lane = 0; lane < n_lanes; lane++) {
    assert_int_equal(work.calls[lane], 1);
    assert_int_equal(work.says_nested[lane], n_lanes > 1);
    assert_int_equal(work.inner_calls[lane], nested ? 10 : 0);
    sum += work.rows[lane];
  }
  assert_int_equal(sum, rows * (rows - 1) / 2);
  assert_false(sprint__lanes_nested(context));
}

enum { MOST_PIECES = 254 };

/* What was done of each piece, and whose room is in use. */
struct piece_work {
  int done[MOST_PIECES];
  atomic_int used[SPRINT__MAX_LANES];
  atomic_int clashes;
};

static void do_piece(void *user, int thread, size_t start, size_t end) {
  struct piece_work *work = user;
  if (thread < 0 || thread >= SPRINT__MAX_LANES || atomic_exchange(&work->used[thread], 1)) {
    atomic_fetch_add(&work->clashes, 1);
    return;
  }
  for (size_t i = start; i < end; i++) work->done[i]++;
  atomic_store(&work->used[thread], 0);
}

/* Every piece exactly once, no two at a time by what says it is the same thread. */
static void check_pieces(sprint_context *context, int n_pieces) {
  struct piece_work work = {.clashes = 0};
  sprint__tasks_run(context, (size_t)n_pieces, n_pieces, do_piece, &work);
  assert_int_equal(work.clashes, 0);
  for (int i = 0; i < n_pieces; i++) assert_int_equal(work.done[i], 1);
}

static sprint_status many_works(void *user) {
  sprint_context *context = user;
  for (size_t k = 0; k < 20000; k++) {
    int n_lanes = 1 + (int)(k % SPRINT__MAX_LANES);
    check_lanes(context, 1 + k % 97, n_lanes, n_lanes > 1 && k % 5 == 0);
    if (k % 3 == 0) check_pieces(context, 1 + (int)(k % MOST_PIECES));
  }
  usleep(2000); /* long enough for the others to rest */
  check_lanes(context, 1000, SPRINT__MAX_LANES, false);
  return SPRINT_ERROR_CALLBACK;
}

static void test_team__does_every_lane_once(void **state) {
  (void)state;
  sprint_context *context = new_context();
  const int threads[] = {1, 2, 3, 8};
  for (size_t t = 0; t < SPRINT__COUNT(threads); t++) {
    assert_int_equal(sprint_context_set_threads(context, threads[t]), SPRINT_OK);
    assert_int_equal(sprint__team_run(context, many_works, context), SPRINT_ERROR_CALLBACK);
    assert_null(context->team);
    check_lanes(context, 100, SPRINT__MAX_LANES, true); /* without one */
    check_pieces(context, 14);
  }
  sprint_context_free(context);
}

static void test_memory__is_zeroed_aligned_and_checked(void **state) {
  (void)state;
  sprint_context *context = new_context();
  unsigned char *memory = sprint__alloc(context, 100, 3);
  assert_int_equal((uintptr_t)memory % 64, 0);
  for (size_t i = 0; i < 300; i++) assert_int_equal(memory[i], 0);
  for (size_t i = 0; i < 300; i++) memory[i] = (unsigned char)i;
  memory = sprint__shrink(memory, 10, 3);
  for (size_t i = 0; i < 30; i++) assert_int_equal(memory[i], i);
  sprint__free(memory);
  assert_null(sprint__alloc(context, SIZE_MAX / 2, 3));
  assert_non_null(strstr(sprint_context_error(context), "out of memory"));
  context->fail_allocation = (int64_t)context->n_allocations;
  assert_null(sprint__alloc(context, 1, 1));
  sprint__free(memory = sprint__alloc(context, 1, 1));
  assert_non_null(memory);
  sprint_context_free(context);
}

static void test_file__appears_whole_or_not_at_all(void **state) {
  (void)state;
  sprint_context *context = new_context();
  char folder[] = "/tmp/sprint-test-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/file", folder);
  struct sprint__file file;
  assert_int_equal(sprint__file_create(context, path, &file), SPRINT_OK);
  fputs("one", file.stream);
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(sprint__file_commit(context, &file), SPRINT_OK);
  assert_int_equal(access(path, F_OK), 0);

  assert_int_equal(sprint__file_create(context, path, &file), SPRINT_OK);
  fputs("two", file.stream);
  sprint__file_abandon(&file);
  char text[8] = "";
  FILE *stream = fopen(path, "r");
  assert_non_null(fgets(text, sizeof text, stream));
  fclose(stream);
  assert_string_equal(text, "one");
  remove(path);
  assert_int_equal(rmdir(folder), 0); /* no part is left behind */
  assert_int_equal(sprint__file_create(context, path, &file), SPRINT_ERROR_IO);
  sprint_context_free(context);
}

static void test_context__threads_are_checked(void **state) {
  (void)state;
  sprint_context *context = new_context();
  assert_int_equal(sprint_context_set_threads(context, -1), SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_context_set_threads(context, 3), SPRINT_OK);
  assert_int_equal(context->n_threads, 3);
  assert_int_equal(sprint_context_set_threads(context, 0), SPRINT_OK);
  assert_true(context->n_threads >= 1);
  sprint_context_free(context);
}

/* Oracle: libm in long double. exp by a polynomial, scaled: a few units in the last place. */
static void test_group__exp_and_logs(void **state) {
  (void)state;
  double epsilon = sizeof(sprint_real) == 8 ? 2.3e-16 : 1.2e-7, least = sizeof(sprint_real) == 8 ? -700 : -86;
  for (int i = 0; i <= 20000; i++) {
    sprint_real x = (sprint_real)(least * i / 20000.0), e = (sprint_real)(i / 20000.0), got[G];
    store(got, group_exp(SPRINT__ALL(x)));
    long double expected = expl((long double)x);
    assert_true(fabsl((long double)got[i % G] - expected) <= 4 * epsilon * expected);
    store(got, group_log1p(SPRINT__ALL(e)));
    expected = log1pl((long double)e);
    assert_true(fabsl((long double)got[i % G] - expected) <= 4 * epsilon * expected);
    sprint_real large = 1 + e * (i % 3 ? 9 : 100000);
    store(got, group_log(SPRINT__ALL(large)));
    expected = logl((long double)large);
    assert_true(fabsl((long double)got[i % G] - expected) <= 4 * epsilon * expected);
  }
  group undefined = group_log(SPRINT__ALL((sprint_real)NAN));
  assert_true(isnan(undefined[0]));
  const sprint_real odd[] = {(sprint_real)-INFINITY, (sprint_real)-1e30, (sprint_real)NAN, 0};
  const double results[] = {0, 0, NAN, 1};
  for (int i = 0; i < 4; i++) {
    group value = group_exp(SPRINT__ALL(odd[i]));
    assert_true(isnan(results[i]) ? isnan(value[0]) : value[0] == results[i]);
  }
}

/* Whole numbers, whose squares add up exactly in any order: the sum in closed form, however the vector is cut into
 * stretches; every number is worked on once; and what is behind the end stays. */
static void test_vector__long_ones(void **state) {
  (void)state;
  enum { MOST = 300000, PERIOD = 5, SQUARES = 4 + 1 + 0 + 1 + 4 };
  static const size_t lengths[] = {0, 1, 15, 1023, 1025, 65537, MOST};
  static sprint_real a[MOST + 1], b[MOST + 1];
  for (size_t i = 0; i <= MOST; i++) a[i] = (sprint_real)((int)(i % PERIOD) - 2);
  for (int n_threads = 1; n_threads <= 3; n_threads++)
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
      sprint_context *context;
      size_t n = lengths[l], rest = n - n / 7 - n / 2;
      struct sprint__stretch stretches[] = {{n / 7, 24, n / 7 / 24}, {n / 2, 0, 0}, {0, 3, 0}, {rest, 5, rest / 9}};
      const struct sprint__stretches of = {n, sizeof stretches / sizeof stretches[0], stretches};
      double squares = (double)(n / PERIOD * SQUARES);
      for (size_t i = n / PERIOD * PERIOD; i < n; i++) squares += (double)a[i] * (double)a[i];
      assert_int_equal(sprint_context_new(&context), SPRINT_OK);
      assert_int_equal(sprint_context_set_threads(context, n_threads), SPRINT_OK);
      assert_true(sprint__long_norm_sq(context, &of, a) == squares);
      b[n] = 7;
      sprint__long_copy(context, &of, a, b);
      assert_memory_equal(a, b, n * sizeof *a);
      sprint__long_subtract(context, &of, a, b);
      for (size_t i = 0; i < n; i++) assert_true(b[i] == 0);
      sprint__long_copy(context, &of, a, b);
      sprint__long_clear(context, &of, b);
      for (size_t i = 0; i < n; i++) assert_true(b[i] == 0);
      assert_true(b[n] == 7);
      sprint_context_free(context);
    }
}

/* Rows that are picked, and put back where they were: against their numbers; whoever was not picked stays as it was. */
static void test_rows__take_and_put(void **state) {
  (void)state;
  enum { ALL = 400, SOME = 150, D = 300 };
  static sprint_real all[ALL * D], rows[SOME * D], back[ALL * D];
  uint32_t who[SOME];
  for (size_t i = 0; i < ALL * D; i++) all[i] = (sprint_real)i;
  for (uint32_t i = 0; i < SOME; i++) who[i] = i * 7 % ALL;
  for (int n_threads = 1; n_threads <= 3; n_threads++)
    for (size_t n = 0; n <= SOME; n += SOME / 3) {
      sprint_context *context;
      assert_int_equal(sprint_context_new(&context), SPRINT_OK);
      assert_int_equal(sprint_context_set_threads(context, n_threads), SPRINT_OK);
      for (size_t i = 0; i < ALL * D; i++) back[i] = -1;
      sprint__rows_take(context, all, D, who, n, rows);
      for (size_t i = 0; i < n * D; i++) assert_true(rows[i] == (sprint_real)(who[i / D] * D + i % D));
      sprint__rows_put(context, rows, D, who, n, back);
      size_t put = 0;
      for (size_t i = 0; i < ALL * D; i++) {
        assert_true(back[i] == -1 || back[i] == all[i]);
        put += back[i] == all[i];
      }
      assert_int_equal(put, n * D);
      sprint_context_free(context);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows__take_and_put),
      cmocka_unit_test(test_vector__long_ones),
      cmocka_unit_test(test_group__exp_and_logs),
      cmocka_unit_test(test_random__matches_known_answer),
      cmocka_unit_test(test_random__purpose_step_and_index_matter),
      cmocka_unit_test(test_random__moments),
      cmocka_unit_test(test_random__gives_normals_together_as_alone),
      cmocka_unit_test(test_random__gives_normals_nearly_as_exactly),
      cmocka_unit_test(test_random__below_covers_its_range),
      cmocka_unit_test(test_random__shuffle_is_a_permutation),
      cmocka_unit_test(test_lanes__partition_rows),
      cmocka_unit_test(test_lanes__small_work_is_one_lane),
      cmocka_unit_test(test_team__does_every_lane_once),
      cmocka_unit_test(test_memory__is_zeroed_aligned_and_checked),
      cmocka_unit_test(test_file__appears_whole_or_not_at_all),
      cmocka_unit_test(test_context__threads_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
