/* Populations: from arrays, by selection, standardised, held out. */
#define _GNU_SOURCE
#include <float.h>
#include <math.h>

#include "test_population_help.h"

static sprint_status new_population(struct fixture *f, const sprint_real *x, const sprint_real *y, size_t n_classes,
                                    sprint_population **ret_population) {
  return sprint_population_new(f->context, 4, 2, x, y, n_classes, ret_population);
}

static void test_population__copies_arrays_and_indexes_strata(void **state) {
  struct fixture *f = *state;
  sprint_real x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[4] = {1, 0, 1, 1}, rows[4];
  sprint_population *p = NULL;
  assert_int_equal(new_population(f, x, y, 2, &p), SPRINT_OK);
  x[0] = 99;
  assert_int_equal(sprint_population_n(p), 4);
  assert_int_equal(sprint_population_n_features(p), 2);
  assert_int_equal(sprint_population_n_strata(p), 2);
  assert_true(sprint_population_x(p)[0] == 1 && sprint_population_y(p)[0] == 1);
  assert_string_equal(sprint_population_feature_name(p, 1), "x1");
  assert_string_equal(sprint_population_class_name(p, 1), "1");
  assert_memory_equal(p->by_stratum, ((uint32_t[]){1, 0, 2, 3}), 4 * sizeof(uint32_t));
  for (size_t i = 0; i < 4; i++) assert_int_equal(sprint__population_stratum(p, i), i != 1);
  assert_true(p->stratum_start[0] == 0 && p->stratum_start[1] == 1 && p->stratum_start[2] == 4);
  assert_true(p->base_p[0] == 0.25 && p->base_p[1] == 0.75);
  sprint__population_gather(p, (uint32_t[]){3, 0}, 0, 2, rows);
  assert_true(rows[0] == 7 && rows[1] == 8 && rows[2] == 1 && rows[3] == 2);
  sprint__population_gather(p, NULL, 1, 2, rows);
  assert_true(rows[0] == 3 && rows[3] == 6);
  sprint_population_free(p);
  sprint_population_free(NULL);
}

static void assert_not_new(struct fixture *f, const sprint_real *x, const sprint_real *y, size_t n_classes,
                           sprint_status status, const char *sentence) {
  sprint_population *p = NULL;
  assert_int_equal(new_population(f, x, y, n_classes, &p), status);
  assert_null(p);
  if (!strstr(sprint_context_error(f->context), sentence))
    fail_msg("'%s' is not in '%s'", sentence, sprint_context_error(f->context));
}

static void test_population__refuses_arrays_that_do_not_fit(void **state) {
  struct fixture *f = *state;
  const sprint_real x[8] = {0}, bad_x[8] = {0, 0, 0, 0, 0, (sprint_real)NAN}, huge_x[8] = {(sprint_real)INFINITY};
  const sprint_real y[4] = {0, 1, 2, 0}, half[4] = {0, (sprint_real)0.5, 1, 1}, low[4] = {-1, 0, 1, 1};
  const sprint_real endless[4] = {0, 0, (sprint_real)INFINITY, 0};
  assert_not_new(f, bad_x, y, 3, SPRINT_ERROR_INPUT, "row 2, column 1 'x1': ");
  assert_not_new(f, huge_x, y, 3, SPRINT_ERROR_INPUT, "row 0, column 0 'x0': inf is not finite");
  assert_not_new(f, x, y, 4, SPRINT_ERROR_INPUT, "class 3 has no rows");
  assert_not_new(f, x, y, 2, SPRINT_ERROR_INPUT, "row 2: the label 2 is not a class number 0 .. 1");
  assert_not_new(f, x, half, 2, SPRINT_ERROR_INPUT, "row 1: the label 0.5 is not a class number");
  assert_not_new(f, x, low, 2, SPRINT_ERROR_INPUT, "row 0: the label -1 is not a class number");
  assert_not_new(f, x, endless, 0, SPRINT_ERROR_INPUT, "row 2: the label inf is not finite");
  assert_not_new(f, x, y, 5, SPRINT_ERROR_ARGUMENT, "5 classes are more than the 4 rows");
  sprint_population *p = NULL;
  assert_int_equal(sprint_population_new(f->context, 0, 2, x, y, 0, &p), SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_population_new(f->context, 4, 0, x, y, 0, &p), SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_population_new(f->context, (size_t)UINT32_MAX + 1, 1, x, y, 0, &p), SPRINT_ERROR_ARGUMENT);
  assert_null(p);
}

/* Twelve rows, classes a (rows 0, 3, 6, 9), b (1, 4, 7, 10), c (2, 5, 8, 11); i is the row number. */
static const char *twelve(struct fixture *f, const char *keys) {
  char text[256] = "i,y\n";
  for (int i = 0; i < 12; i++) snprintf(text + strlen(text), 16, "%d,%c\n", i, "abc"[i % 3]);
  write_bytes(f, "train.csv", text, strlen(text));
  snprintf(f->spec, sizeof f->spec, "{kind: csv, path: '%s/train.csv', label: y, %s}", f->folder, keys);
  return f->spec;
}

static void assert_rows(const sprint_population *p, size_t n, const int *rows) {
  assert_int_equal(p->n, n);
  for (size_t i = 0; i < n; i++) assert_int_equal((int)p->x[i], rows[i]);
}

static void assert_ascending(const sprint_population *p) {
  for (size_t i = 1; i < p->n; i++) assert_true(p->x[i] > p->x[i - 1]);
}

static size_t stratum_size(const sprint_population *p, size_t c) {
  return p->stratum_start[c + 1] - p->stratum_start[c];
}

static void test_population__selects_the_first_of_each_class(void **state) {
  struct fixture *f = *state;
  sprint_population *p = load(f, twelve(f, "select: first, per_class: 2, standardize: none"), NULL);
  assert_rows(p, 6, (int[]){0, 1, 2, 3, 4, 5});
  sprint_population_free(p);
  assert_refused(f, twelve(f, "select: first, per_class: 5"), SPRINT_ERROR_INPUT,
                 "needs 5 rows of class a, and there are 4");
  assert_refused(f, twelve(f, "select: first"), SPRINT_ERROR_INPUT,
                 "'first' needs `per_class`, how many rows of each class");
  assert_refused(f, twelve(f, "select: first, per_class: 0"), SPRINT_ERROR_INPUT,
                 "select: first needs at least 1 here, got 0");
  assert_refused(f, twelve(f, "per_class: 2"), SPRINT_ERROR_INPUT, "is for select: first alone");
}

static void test_population__selects_a_balanced_subset(void **state) {
  struct fixture *f = *state;
  sprint_population *p = load(f, twelve(f, "select: balanced, size: 8, standardize: none"), NULL);
  assert_int_equal(p->n, 8);
  assert_int_equal(stratum_size(p, 0), 3);
  assert_int_equal(stratum_size(p, 1), 3);
  assert_int_equal(stratum_size(p, 2), 2);
  assert_ascending(p);
  sprint_population *same = load(f, f->spec, NULL);
  assert_memory_equal(p->x, same->x, 8 * sizeof *p->x);
  sprint_population_free(same);
  bool differs = false; /* of nine other seeds one at least chooses other rows: 64 equally likely choices */
  for (int seed = 2; seed <= 10; seed++) {
    char keys[96];
    snprintf(keys, sizeof keys, "select: balanced, size: 8, standardize: none, seed: %d", seed);
    sprint_population *other = load(f, twelve(f, keys), NULL);
    if (memcmp(p->x, other->x, 8 * sizeof *p->x) != 0) differs = true;
    sprint_population_free(other);
  }
  assert_true(differs);
  sprint_population_free(p);
}

static void test_population__refuses_subsets_that_cannot_be(void **state) {
  struct fixture *f = *state;
  assert_refused(f, twelve(f, "select: balanced, size: 13"), SPRINT_ERROR_INPUT,
                 "needs 5 rows of class a, and there are 4");
  assert_refused(f, twelve(f, "select: balanced, size: 2"), SPRINT_ERROR_INPUT,
                 "select: balanced needs at least 3 here, got 2");
  assert_refused(f, twelve(f, "size: 6"), SPRINT_ERROR_INPUT, "is for select: balanced alone");
  assert_refused(f, "{kind: gaussian, select: balanced, size: 6}", SPRINT_ERROR_INPUT,
                 "'balanced' is for class labels, and the target here is a value");
}

/* Oracle: round(0.5 * 4) = 2 and round(0.3 * 4) = 1 of each class; together the parts are everybody, once. */
static void test_population__holds_out_a_part_of_each_class(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *keys;
    size_t n_heldout;
  } cases[] = {{"holdout: 0.5, standardize: none", 2}, {"holdout: 0.3, standardize: none", 1}};
  for (size_t k = 0; k < SPRINT__COUNT(cases); k++) {
    sprint_population *heldout = NULL, *p = load(f, twelve(f, cases[k].keys), &heldout);
    int seen[12] = {0};
    for (size_t c = 0; c < 3; c++) {
      assert_int_equal(stratum_size(heldout, c), cases[k].n_heldout);
      assert_int_equal(stratum_size(p, c), 4 - cases[k].n_heldout);
    }
    for (size_t i = 0; i < p->n; i++) seen[(int)p->x[i]]++;
    for (size_t i = 0; i < heldout->n; i++) seen[(int)heldout->x[i]]++;
    for (size_t i = 0; i < 12; i++) assert_int_equal(seen[i], 1);
    assert_ascending(p);
    assert_ascending(heldout);
    sprint_population_free(p);
    sprint_population_free(heldout);
  }
}

static void test_population__holds_out_by_seed(void **state) {
  struct fixture *f = *state;
  sprint_population *a = NULL, *b = NULL, *c = NULL;
  sprint_population *p = load(f, "{kind: lending, n: 1000, holdout: 0.2, seed: 3}", &a);
  sprint_population *q = load(f, "{kind: lending, n: 1000, holdout: 0.2, seed: 3}", &b);
  sprint_population *r = load(f, "{kind: lending, n: 1000, holdout: 0.2, seed: 4}", &c);
  assert_int_equal(a->n, b->n);
  assert_int_equal(a->n, c->n);
  assert_memory_equal(a->x, b->x, a->n * a->d * sizeof *a->x);
  assert_memory_not_equal(a->x, c->x, a->n * a->d * sizeof *a->x);
  sprint_population_free(p);
  sprint_population_free(q);
  sprint_population_free(r);
  sprint_population_free(a);
  sprint_population_free(b);
  sprint_population_free(c);
}

static void test_population__refuses_a_holdout_that_empties_a_class(void **state) {
  struct fixture *f = *state;
  assert_refused(f, twelve(f, "holdout: 0.1"), SPRINT_ERROR_INPUT,
                 "of the 4 rows of class a it leaves none to hold out");
  assert_refused(f, twelve(f, "holdout: 0.9"), SPRINT_ERROR_INPUT,
                 "of the 4 rows of class a it leaves none to learn from");
  assert_refused(f, "{kind: gaussian, n: 4, holdout: 0.1}", SPRINT_ERROR_INPUT, "of 4 rows it leaves none to hold out");
}

static void test_population__has_no_heldout_part_unless_asked(void **state) {
  struct fixture *f = *state;
  sprint_population *heldout = (sprint_population *)f, *p = load(f, twelve(f, "standardize: none"), &heldout);
  assert_null(heldout);
  sprint_population_free(p);
  p = load(f, twelve(f, "holdout: 0.5"), NULL);
  assert_int_equal(p->n, 6);
  sprint_population_free(p);
}

static const char *spec_of(struct fixture *f, const char *text, const char *keys) {
  write_bytes(f, "train.csv", text, strlen(text));
  snprintf(f->spec, sizeof f->spec, "{kind: csv, path: '%s/train.csv', label: y, %s}", f->folder, keys);
  return f->spec;
}

static void assert_near(double got, double expected) {
  /* one rounding of the result to sprint_real and a few of order 1 in double */
  double tolerance = (sizeof(sprint_real) == 4 ? (double)FLT_EPSILON : 16 * DBL_EPSILON) * fmax(1, fabs(expected));
  if (!(fabs(got - expected) <= tolerance)) fail_msg("%.17g is not %.17g", got, expected);
}

/* Oracle by hand: 2, 4, 4, 4, 5, 5, 7, 9 has mean 5 and population deviation 2. */
static void test_population__standardizes_to_mean_and_deviation(void **state) {
  struct fixture *f = *state;
  static const double expected[8] = {-1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2};
  sprint_population *p =
      load(f, spec_of(f, "a,y\n2,0\n4,1\n4,0\n4,1\n5,0\n5,1\n7,0\n9,1\n", "standardize: after"), NULL);
  assert_true(p->columns[0].mean == 5 && p->columns[0].scale == 2 && isnan(p->columns[0].fill));
  for (size_t i = 0; i < 8; i++) assert_near((double)p->x[i], expected[i]);
  sprint_population_free(p);
}

/* Oracle by hand: all rows 0, 2, 4, 6 have mean 3 and variance 5, the first of each class 0, 2 mean 1 and deviation 1.
 */
static void test_population__standardizes_before_or_after_selecting(void **state) {
  struct fixture *f = *state;
  static const char text[] = "a,y\n0,0\n2,1\n4,0\n6,1\n";
  sprint_population *p = load(f, spec_of(f, text, "select: first, per_class: 1, standardize: before"), NULL);
  assert_true(p->columns[0].mean == 3);
  assert_near((double)p->x[0], -3 / sqrt(5));
  assert_near((double)p->x[1], -1 / sqrt(5));
  sprint_population_free(p);
  p = load(f, spec_of(f, text, "select: first, per_class: 1, standardize: after"), NULL);
  assert_true(p->columns[0].mean == 1 && p->columns[0].scale == 1);
  assert_true(p->x[0] == -1 && p->x[1] == 1);
  sprint_population_free(p);
}

/* Oracle: mean and deviation of the training rows, taken here from the raw numbers, are those of the held-out part. */
static void test_population__standardizes_the_heldout_part_alike(void **state) {
  struct fixture *f = *state;
  sprint_population *raw_held = NULL, *raw = load(f, twelve(f, "holdout: 0.5, standardize: none"), &raw_held);
  sprint_population *held = NULL, *p = load(f, twelve(f, "holdout: 0.5, standardize: after"), &held);
  double mean = 0, square = 0;
  for (size_t i = 0; i < 6; i++) mean += (double)raw->x[i] / 6;
  for (size_t i = 0; i < 6; i++) square += pow((double)raw->x[i] - mean, 2) / 6;
  for (size_t i = 0; i < 6; i++) {
    assert_near((double)p->x[i], ((double)raw->x[i] - mean) / sqrt(square));
    assert_near((double)held->x[i], ((double)raw_held->x[i] - mean) / sqrt(square));
  }
  assert_true(held->columns[0].mean == p->columns[0].mean && held->columns[0].scale == p->columns[0].scale);
  sprint_population_free(raw);
  sprint_population_free(raw_held);
  sprint_population_free(p);
  sprint_population_free(held);
}

/* 0.1 is not exact, and neither is a naive mean of it; b differs by 1e-15 of its size. */
static void test_population__makes_constant_columns_zero(void **state) {
  struct fixture *f = *state;
  sprint_population *p = load(
      f, spec_of(f, "a,b,c,y\n0.1,1000,0,0\n0.1,1000.0000000000001,0,1\n0.1,1000,0,1\n", "standardize: after"), NULL);
  for (size_t i = 0; i < 3; i++) {
    assert_true(p->x[3 * i] == 0 && p->x[3 * i + 2] == 0);
    assert_true(fabs((double)p->x[3 * i + 1]) < 1e-12);
  }
  for (size_t j = 0; j < 3; j++) assert_true(p->columns[j].scale == 1);
  sprint_population_free(p);
}

/* Oracle by hand. Training rows after selection: 1, missing, 3, 11: median 3, mean of 1, 3, 3, 11 is 4.5. All rows add
 * 100, 100: median 11, mean of 1, 11, 3, 11, 100, 100. */
static void test_population__takes_medians_where_it_standardizes(void **state) {
  struct fixture *f = *state;
  static const char text[] = "a,y\n1,0\nNA,1\n3,0\n11,1\n100,0\n100,1\n";
  sprint_population *p =
      load(f, spec_of(f, text, "missing: median, select: first, per_class: 2, standardize: after"), NULL);
  assert_true(p->columns[0].fill == 3);
  assert_near(p->columns[0].mean, 4.5);
  sprint_population_free(p);
  p = load(f, spec_of(f, text, "missing: median, select: first, per_class: 2, standardize: none"), NULL);
  assert_true(p->columns[0].fill == 3 && p->columns[0].mean == 0 && p->x[1] == 3);
  sprint_population_free(p);
  p = load(f, spec_of(f, text, "missing: median, select: first, per_class: 2, standardize: before"), NULL);
  assert_true(p->columns[0].fill == 11);
  assert_near(p->columns[0].mean, 226.0 / 6);
  sprint_population_free(p);
}

/* Oracle: sorting. Sizes 1 .. 60, values with many ties. */
static int by_value(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return difference < 0 ? -1 : difference > 0;
}

static void test_population__finds_medians_as_sorting_does(void **state) {
  struct fixture *f = *state;
  for (int n = 1; n <= 60; n++) {
    char text[2048] = "a,y\n,0\n,1\n";
    double values[60];
    for (int i = 0; i < n; i++) {
      values[i] = i * i * 37 % (n < 30 ? 11 : 1009);
      snprintf(text + strlen(text), 32, "%g,0\n", values[i]);
    }
    qsort(values, (size_t)n, sizeof *values, by_value);
    sprint_population *p = load(f, spec_of(f, text, "missing: median, standardize: none"), NULL);
    assert_true(p->columns[0].fill == (values[(n - 1) / 2] + values[n / 2]) / 2);
    sprint_population_free(p);
  }
}

/* Oracle: the sample mean of n normals is within 5 sd / sqrt(n) of theirs, its variance within 5 sqrt(2 / n) of 1. */
static void test_population__draws_gaussians(void **state) {
  struct fixture *f = *state;
  sprint_population *p = load(f, "{kind: gaussian, n: 20000, d: 2, mean: 3, sd: 2, standardize: none}", NULL);
  assert_int_equal(p->d, 2);
  assert_int_equal(p->n_classes, 0);
  assert_string_equal(p->columns[1].name, "z1");
  assert_string_equal(p->label_name, "none");
  for (size_t j = 0; j < 2; j++) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < p->n; i++) mean += (double)p->x[2 * i + j] / 20000;
    for (size_t i = 0; i < p->n; i++) variance += pow((double)p->x[2 * i + j] - mean, 2) / 20000;
    assert_true(fabs(mean - 3) < 5 * 2 / sqrt(20000));
    assert_true(fabs(variance / 4 - 1) < 5 * sqrt(2.0 / 20000));
  }
  assert_true(p->x[0] != p->x[1]);
  sprint_population_free(p);
}

/* n roundings of numbers of size 10 at most to sprint_real, each off by half an ulp, average to less than one. */
static void test_population__draws_gaussians_with_an_exact_mean(void **state) {
  struct fixture *f = *state;
  sprint_population *p = load(f, "{kind: gaussian, n: 500, mean: 1.7, exact: true, standardize: none}", NULL);
  double mean = 0;
  for (size_t i = 0; i < p->n; i++) mean += (double)p->x[i];
  mean /= 500;
  assert_true(fabs(mean - 1.7) <= 10 * (sizeof(sprint_real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON));
  sprint_population_free(p);
}

static void test_population__draws_gaussians_by_seed_and_row(void **state) {
  struct fixture *f = *state;
  sprint_population *p = load(f, "{kind: gaussian, n: 50, d: 3, population_seed: 7, standardize: none}", NULL);
  sprint_population *longer = load(f, "{kind: gaussian, n: 80, d: 3, population_seed: 7, standardize: none}", NULL);
  sprint_population *other = load(f, "{kind: gaussian, n: 50, d: 3, population_seed: 8, standardize: none}", NULL);
  assert_memory_equal(p->x, longer->x, 150 * sizeof *p->x);
  assert_memory_not_equal(p->x, other->x, 150 * sizeof *p->x);
  sprint_population_free(p);
  sprint_population_free(longer);
  sprint_population_free(other);
}

static void test_population__survives_every_failed_allocation_from_arrays(void **state) {
  struct fixture *f = *state;
  const sprint_real x[8] = {0}, y[4] = {0, 1, 0, 1};
  sprint_status status = SPRINT_ERROR_MEMORY;
  for (int64_t k = 0; status != SPRINT_OK; k++) {
    sprint_population *p = NULL;
    f->context->n_allocations = 0;
    f->context->fail_allocation = k;
    status = new_population(f, x, y, 2, &p);
    assert_true(status == SPRINT_OK || (status == SPRINT_ERROR_MEMORY && !p));
    sprint_population_free(p);
  }
}

static void test_population__survives_every_failed_allocation_of_generators(void **state) {
  assert_true(survive_failed_allocations(*state, "{kind: lending, n: 200, holdout: 0.2}") > 20);
  assert_true(survive_failed_allocations(*state, "{kind: gaussian, n: 20, d: 2, holdout: 0.2}") > 20);
}

/* Oracle: the same rows copied by hand. Fortran order; every second row and the columns backwards. */
static void test_population__takes_strided_arrays(void **state) {
  struct fixture *f = *state;
  const sprint_real fortran[6] = {1, 4, 2, 5, 3, 6}, wide[12] = {3, 2, 1, 0, 0, 0, 6, 5, 4, 0, 0, 0}, y[2] = {0, 1};
  const sprint_strided views[2] = {
      {.size = sizeof *views, .n = 2, .d = 3, .x = fortran, .row_stride = 1, .column_stride = 2},
      {.size = sizeof *views, .n = 2, .d = 3, .x = wide + 2, .row_stride = 6, .column_stride = -1},
  };
  sprint_population *population = NULL;
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(sprint_population_new_strided(f->context, &views[i], y, 2, &population), SPRINT_OK);
    for (size_t k = 0; k < 6; k++) assert_true(sprint_population_x(population)[k] == (sprint_real)(k + 1));
    sprint_population_free(population);
  }
  const sprint_strided none = {.size = sizeof none, .n = 2, .d = 3};
  const sprint_strided huge = {.size = sizeof huge, .n = SIZE_MAX, .d = 3, .x = y};
  population = NULL;
  assert_int_equal(sprint_population_new_strided(f->context, &none, y, 2, &population), SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_population_new_strided(f->context, &huge, y, 2, &population), SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_population_new_strided(f->context, NULL, y, 2, &population), SPRINT_ERROR_ARGUMENT);
  assert_null(population);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_population__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(copies_arrays_and_indexes_strata),
      TEST(takes_strided_arrays),
      TEST(refuses_arrays_that_do_not_fit),
      TEST(selects_the_first_of_each_class),
      TEST(selects_a_balanced_subset),
      TEST(refuses_subsets_that_cannot_be),
      TEST(holds_out_a_part_of_each_class),
      TEST(holds_out_by_seed),
      TEST(refuses_a_holdout_that_empties_a_class),
      TEST(has_no_heldout_part_unless_asked),
      TEST(standardizes_to_mean_and_deviation),
      TEST(standardizes_before_or_after_selecting),
      TEST(standardizes_the_heldout_part_alike),
      TEST(makes_constant_columns_zero),
      TEST(takes_medians_where_it_standardizes),
      TEST(finds_medians_as_sorting_does),
      TEST(draws_gaussians),
      TEST(draws_gaussians_with_an_exact_mean),
      TEST(draws_gaussians_by_seed_and_row),
      TEST(survives_every_failed_allocation_from_arrays),
      TEST(survives_every_failed_allocation_of_generators),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
