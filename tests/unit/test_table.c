/* Tables: rows made on demand are as good as rows that are there, and cost less memory. */
#define _GNU_SOURCE
#include <math.h>

#include "population/build.h"
#include "test_population_help.h"

enum { N = 1001, D = 3, N_CLASSES = 2 };

static void make(const void *source, size_t row, double *ret_x, double *ret_y) {
  double i = (double)row + *(const double *)source;
  for (int j = 0; j < D; j++) ret_x[j] = sin(i * (j + 1)) / 3 + j;
  if (ret_y) *ret_y = (double)(row % 7 == 3);
}

/* A table of rows on demand; with `filled` one with arrays, as loaders give. */
static sprint_status new_table(sprint_context *context, bool filled, struct sprint__table *ret_table) {
  struct sprint__table t = {.context = context, .n = N, .d = D, .n_classes = N_CLASSES};
  double *source = t.source = sprint__alloc(context, 1, sizeof *source);
  t.names = sprint__names_numbered(context, "x", D);
  t.class_names = sprint__names_numbered(context, "", N_CLASSES);
  t.label_name = sprint__strdup(context, "y");
  if (filled) t.x = sprint__alloc(context, N, D * sizeof *t.x);
  if (filled) t.y = sprint__alloc(context, N, sizeof *t.y);
  if (!source || !t.names || !t.class_names || !t.label_name || (filled && (!t.x || !t.y))) {
    sprint__table_clear(&t);
    return SPRINT_ERROR_MEMORY;
  }
  *source = 0.25;
  for (size_t i = 0; filled && i < N; i++) make(source, i, t.x + i * D, t.y + i);
  if (!filled) t.make = make;
  *ret_table = t;
  return SPRINT_OK;
}

typedef sprint_status (*keeper)(struct sprint__table *table);

static sprint_status keep_nothing(struct sprint__table *table) {
  (void)table;
  return SPRINT_OK;
}

static sprint_status keep_some(struct sprint__table *table) { return sprint__table_keep_some(table, table->n); }

static sprint_status populate(sprint_context *context, bool filled, keeper keep, const uint32_t *rows, size_t n,
                              bool use_up, sprint_population **ret_population) {
  struct sprint__table table;
  struct sprint__column columns[D];
  const struct sprint__scaling scaling = {.standardize = true};
  SPRINT__TRY(new_table(context, filled, &table));
  sprint_status status = keep(&table);
  if (status == SPRINT_OK) status = sprint__columns_fit(&(struct sprint__view){&table, rows, n}, &scaling, columns);
  if (status == SPRINT_OK) status = sprint__population_from_table(&table, columns, rows, n, use_up, ret_population);
  sprint__table_clear(&table);
  return status;
}

static void assert_same(const sprint_population *a, const sprint_population *b) {
  assert_int_equal(a->n, b->n);
  assert_memory_equal(a->x, b->x, a->n * D * sizeof *a->x);
  assert_memory_equal(a->y, b->y, a->n * sizeof *a->y);
  assert_memory_equal(a->by_stratum, b->by_stratum, a->n * sizeof *a->by_stratum);
  for (size_t j = 0; j < D; j++) {
    assert_true(a->columns[j].mean == b->columns[j].mean);
    assert_true(a->columns[j].scale == b->columns[j].scale);
  }
}

static void assert_as_filled(struct fixture *f, keeper keep, const uint32_t *rows, size_t n) {
  sprint_population *expected = NULL;
  assert_int_equal(populate(f->context, true, keep_nothing, rows, n, false, &expected), SPRINT_OK);
  for (int way = 0; way < 4; way++) {
    sprint_population *p = NULL;
    assert_int_equal(populate(f->context, way & 1, keep, rows, n, way & 2, &p), SPRINT_OK);
    assert_same(p, expected);
    sprint_population_free(p);
  }
  sprint_population_free(expected);
}

static void test_table__made_rows_are_as_rows_that_are_there(void **state) {
  uint32_t rows[N / 3];
  for (uint32_t i = 0; i < N / 3; i++) rows[i] = 3 * i + 1;
  assert_as_filled(*state, keep_nothing, NULL, N);
  assert_as_filled(*state, keep_nothing, rows, N / 3);
  assert_as_filled(*state, sprint__table_keep_small, NULL, N);
  assert_as_filled(*state, sprint__table_keep_small, rows, N / 3);
  assert_as_filled(*state, keep_some, NULL, N);
  assert_as_filled(*state, keep_some, rows, N / 3);
}

static void test_table__makes_all_labels(void **state) {
  struct fixture *f = *state;
  struct sprint__table table;
  sprint_real y[N];
  for (int filled = 0; filled < 2; filled++) {
    assert_int_equal(new_table(f->context, filled, &table), SPRINT_OK);
    assert_int_equal(sprint__table_labels(&table, y), SPRINT_OK);
    for (size_t i = 0; i < N; i++) assert_true(y[i] == (sprint_real)(i % 7 == 3));
    sprint__table_clear(&table);
  }
}

static void test_table__survives_every_failed_allocation(void **state) {
  struct fixture *f = *state;
  static const keeper keepers[] = {keep_nothing, sprint__table_keep_small, keep_some};
  for (size_t i = 0; i < SPRINT__COUNT(keepers); i++) {
    sprint_status status = SPRINT_ERROR_MEMORY;
    for (int64_t k = 0; status != SPRINT_OK; k++) {
      sprint_population *p = NULL;
      f->context->n_allocations = 0;
      f->context->fail_allocation = k;
      status = populate(f->context, false, keepers[i], NULL, N, true, &p);
      assert_true(status == SPRINT_OK || (status == SPRINT_ERROR_MEMORY && !p));
      sprint_population_free(p);
    }
    f->context->fail_allocation = -1;
  }
}

/* 20 rows of 480 kB are too many to be made at once, and a piece holds two. Bound: a float below 8 is off by at most
 * 2.4e-7, and so is a mean of them. */
static void test_table__is_shown_piece_by_piece(void **state) {
  struct fixture *f = *state;
  enum { SOME = 7, ROWS = 20, WIDE = 60000 };
  sprint_population *some = load(f, "{kind: gaussian, n: 7, d: 60000, standardize: none}", NULL);
  sprint_population *raw = load(f, "{kind: gaussian, n: 20, d: 60000, standardize: none}", NULL);
  sprint_population *standard = load(f, "{kind: gaussian, n: 20, d: 60000}", NULL);
  assert_memory_equal(some->x, raw->x, (size_t)SOME * WIDE * sizeof *raw->x);
  for (size_t j = 0; j < WIDE; j += 999) {
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++) sum += (double)raw->x[i * WIDE + j];
    assert_true(fabs(sum / ROWS - standard->columns[j].mean) < 2.5e-7);
  }
  sprint_population_free(some);
  sprint_population_free(raw);
  sprint_population_free(standard);
}

/* All that a load ever asks for, freed or not, bounds what it holds at a time. The data is n (d + 1) numbers; 4 MB are
 * for what does not grow with n. */
static void assert_lean(struct fixture *f, const char *spec, size_t n) {
  sprint_population *heldout = NULL;
  f->context->n_bytes = 0;
  sprint_population *p = load(f, spec, &heldout);
  double data = (double)n * 11 * sizeof(sprint_real);
  if ((double)f->context->n_bytes > 1.3 * data + 4e6)
    fail_msg("%s: %.3g bytes for %.3g of data", spec, (double)f->context->n_bytes, data);
  sprint_population_free(p);
  sprint_population_free(heldout);
}

static void test_table__takes_little_more_memory_than_the_data(void **state) {
  assert_lean(*state, "{kind: lending, n: 200000}", 200000);
  assert_lean(*state, "{kind: lending, n: 200000, holdout: 0.2}", 200000);
  assert_lean(*state, "{kind: gaussian, n: 200000, d: 10, exact: true}", 200000);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_table__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(made_rows_are_as_rows_that_are_there),   TEST(makes_all_labels),
      TEST(survives_every_failed_allocation),       TEST(is_shown_piece_by_piece),
      TEST(takes_little_more_memory_than_the_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
