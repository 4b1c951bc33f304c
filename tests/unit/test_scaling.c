/* `scaling` and `clip`. Oracle: tests/fixtures/scaling.txt, which make_scaling.py computes by numpy and scikit-learn;
 * else by hand. */
#define _GNU_SOURCE
#include <float.h>

#include "base/quantile.h"
#include "test_population_help.h"

enum { MOST = 256 };

static FILE *fixture;

/* The rest of the next line, which starts with this key. */
static char *rest_of(const char *key) {
  static char line[1 << 14];
  size_t length = strlen(key);
  if (!fgets(line, sizeof line, fixture)) fail_msg("scaling.txt ended where '%s' was expected", key);
  if (strncmp(line, key, length) != 0) fail_msg("scaling.txt: '%s' was expected at '%.40s'", key, line);
  line[strcspn(line, "\n")] = 0;
  return line + length;
}

static void read_numbers(const char *key, double *ret_values, size_t n) {
  char *at = rest_of(key);
  assert_true(n <= MOST);
  for (size_t i = 0; i < n; i++) ret_values[i] = strtod(at, &at);
  assert_int_equal(*at, 0);
}

/* Sums of some hundred numbers in either program, of at most `size`: a thousand roundings. */
static void assert_near(const char *what, double got, double expected, double size, double unit) {
  if (!(fabs(got - expected) <= 1000 * DBL_EPSILON * size + unit * fabs(expected)))
    fail_msg("%s: %.17g is not %.17g", what, got, expected);
}

static void write_table(struct fixture *f, const double *raw, const double *weights, size_t n, size_t d) {
  FILE *stream = fopen(path_of(f, "train.csv"), "w");
  assert_non_null(stream);
  for (size_t j = 0; j < d; j++) fprintf(stream, "x%zu,", j);
  fputs("people,y\n", stream);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < d; j++) fprintf(stream, isnan(raw[i * d + j]) ? "NA," : "%.17g,", raw[i * d + j]);
    fprintf(stream, "%.17g,%zu\n", weights[i], i);
  }
  fclose(stream);
}

/* expect: of each column, from the fixture, in units of the column's largest number */
static void check_columns(const sprint_population *p, const double *raw, bool clips) {
  static const char *const keys[] = {"fill", "low", "high", "centre", "scale"};
  for (size_t k = 0; k < SPRINT__COUNT(keys); k++) {
    double expected[MOST];
    read_numbers(keys[k], expected, p->d);
    for (size_t j = 0; j < p->d; j++) {
      const struct sprint__column *c = &p->columns[j];
      const double got[] = {c->fill, c->low, c->high, c->mean, c->scale};
      double size = 0;
      for (size_t i = 0; i < p->n; i++) size = fmax(size, fabs(raw[i * p->d + j]));
      if (k == 0 || k > 2 || clips) assert_near(keys[k], got[k], expected[j], size, 0);
    }
    if ((k == 1 || k == 2) && !clips) assert_true(isinf(k == 1 ? p->columns[0].low : p->columns[0].high));
  }
}

static void check_case(struct fixture *f) {
  double size[2], weights[MOST], raw[MOST], x[MOST];
  read_numbers("size", size, 2);
  size_t n = (size_t)size[0], d = (size_t)size[1];
  const char *keys = rest_of("keys ");
  bool clips = !strstr(keys, "clip: 0,");
  snprintf(f->spec, sizeof f->spec,
           "{kind: csv, path: '%s/train.csv', label: y, target: value, weight: people, missing: median, %s}", f->folder,
           keys);
  read_numbers("weights", weights, n);
  read_numbers("raw", raw, n * d);
  write_table(f, raw, weights, n, d);
  sprint_population *p = load(f, f->spec, NULL);
  assert_int_equal(p->n, n);
  check_columns(p, raw, clips);
  read_numbers("x", x, n * d);
  /* a feature is known to the roundings of a value over the scale, of its centre too, and to its own precision */
  for (size_t i = 0; i < n * d; i++) {
    const struct sprint__column *c = &p->columns[i % d];
    double unit = sizeof(sprint_real) == 4 ? (double)FLT_EPSILON : 1000 * DBL_EPSILON;
    assert_near("x", (double)p->x[i], x[i], 1 + (fabs(c->mean) + fabs(x[i]) * c->scale) / c->scale, unit);
  }
  sprint_population_free(p);
}

static void test_scaling__is_that_of_scikit_learn(void **state) {
  char line[64];
  size_t n_cases = 0;
  fixture = fopen(SPRINT_TEST_FOLDER "/fixtures/scaling.txt", "r");
  assert_non_null(fixture);
  for (; fgets(line, sizeof line, fixture); n_cases++) check_case(*state);
  fclose(fixture);
  assert_int_equal(n_cases, 26);
}

static const char *spec_of(struct fixture *f, const char *text, const char *keys) {
  write_bytes(f, "train.csv", text, strlen(text));
  snprintf(f->spec, sizeof f->spec, "{kind: csv, path: '%s/train.csv', label: y, %s}", f->folder, keys);
  return f->spec;
}

/* By hand: 0 .. 8 with 1000 for the 8 has quartiles 2, 4, 6; b is 1 for three of nine: mean 1/3, deviation sqrt(2)/3.
 */
static const char mixed[] =
    "a,b,c,y\n0,no,u,0\n1,no,u,1\n2,no,u,0\n3,no,v,1\n4,no,u,0\n5,yes,u,1\n6,no,u,0\n7,yes,u,1\n"
    "1000,yes,u,0\n";

static void test_scaling__leaves_levels_and_booleans_alone(void **state) {
  struct fixture *f = *state;
  sprint_population *p =
      load(f, spec_of(f, mixed, "booleans: [b], categories: [c], scaling: quartiles, clip: 0.25"), NULL);
  assert_int_equal(p->d, 4);
  const struct sprint__column *a = &p->columns[0], *b = &p->columns[1];
  assert_true(a->low == 2 && a->high == 6 && a->mean == 4 && a->scale == 4);
  assert_true(a->least == 2 && a->greatest == 6); /* what was observed is what was clipped */
  assert_true(isinf(b->low) && isinf(b->high));
  assert_near("mean", b->mean, 1 / 3.0, 1, 0);
  assert_near("scale", b->scale, sqrt(2) / 3, 1, 0);
  for (size_t j = 2; j < 4; j++)
    assert_true(isinf(p->columns[j].low) && p->columns[j].mean == 0 && p->columns[j].scale == 1);
  assert_true(p->x[0] == (sprint_real)-0.5 && p->x[8 * 4] == (sprint_real)0.5 && p->x[3 * 4] == (sprint_real)-0.25);
  sprint_population_free(p);
}

/* By hand: clipped, and nothing else; limits of the training rows 0, 1, 2, 3 or of all. */
static void test_scaling__clips_by_the_rows_that_it_is_fitted_to(void **state) {
  struct fixture *f = *state;
  static const char text[] = "a,y\n0,0\n1,1\n2,0\n3,1\n100,0\n200,1\n";
  sprint_population *p = load(f, spec_of(f, text, "select: first, per_class: 2, standardize: none, clip: 0.25"), NULL);
  static const double expected[] = {0.75, 1, 2, 2.25};
  for (size_t i = 0; i < 4; i++) assert_true(p->x[i] == (sprint_real)expected[i]);
  assert_true(p->columns[0].mean == 0 && p->columns[0].scale == 1 && !p->columns[0].whole);
  sprint_population_free(p);
  p = load(f, spec_of(f, text, "select: first, per_class: 2, standardize: before, clip: 0.25"), NULL);
  assert_true(p->columns[0].low == 1.25 && p->columns[0].high == 75.75);
  sprint_population_free(p);
}

static void test_scaling__refuses_what_has_no_quartiles(void **state) {
  struct fixture *f = *state;
  assert_refused(f, spec_of(f, mixed, "ignore: [b, c], standardize: none, scaling: quartiles"), SPRINT_ERROR_INPUT,
                 "`standardize: none`");
  assert_refused(f, spec_of(f, mixed, "ignore: [b, c], clip: 0.3"), SPRINT_ERROR_INPUT, "clip");
  assert_refused(f, "{kind: gaussian, n: 20, d: 60000, clip: 0.1}", SPRINT_ERROR_INPUT, "20 generated rows");
}

static void test_scaling__survives_every_failed_allocation(void **state) {
  struct fixture *f = *state;
  static const char keys[] = "booleans: [b], categories: [c], missing: median, scaling: quartiles, clip: 0.1";
  assert_true(survive_failed_allocations(f, spec_of(f, mixed, keys)) > 20);
}

/* By hand. Shares of people, a fifth each, are as one person each; half of the people at 3 bring all above the first
 * quartile there; items of nobody do not count. */
static void test_quantile_between__by_hand(void **state) {
  (void)state;
  struct sprint__counted even[] = {{5, 0.2}, {1, 0.2}, {4, 0.2}, {2, 0.2}, {3, 0.2}};
  sprint__counted_sort(even, 5);
  for (size_t i = 0; i < 5; i++) assert_true(even[i].value == (double)i + 1);
  assert_true(sprint__quantile_between(even, 5, 0) == 1 && sprint__quantile_between(even, 5, 1) == 5);
  assert_true(sprint__quantile_between(even, 5, 0.25) == 2 && sprint__quantile_between(even, 5, 0.75) == 4);
  assert_near("0.3", sprint__quantile_between(even, 5, 0.3), 2.2, 5, 0);
  const struct sprint__counted heavy[] = {{-9, 0}, {1, 1}, {2, 0}, {3, 4}, {4, 1}, {7, 0}};
  assert_true(sprint__quantile_between(heavy, 6, 0) == 1 && sprint__quantile_between(heavy, 6, 1) == 4);
  assert_true(sprint__quantile_between(heavy, 6, 0.25) == 3 && sprint__quantile_between(heavy, 6, 0.75) == 3);
  const struct sprint__counted far[] = {{1, 1e-30}, {2, 1e30}}; /* a window that is lost in rounding */
  assert_true(sprint__quantile_between(far, 2, 0.5) == 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(test_scaling__##name, set_up, tear_down)
      TEST(is_that_of_scikit_learn),
      TEST(leaves_levels_and_booleans_alone),
      TEST(clips_by_the_rows_that_it_is_fitted_to),
      TEST(refuses_what_has_no_quartiles),
      TEST(survives_every_failed_allocation),
      cmocka_unit_test(test_quantile_between__by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
