/* Networks against PyTorch. Oracle: tests/fixtures/torch.txt, which make_torch.py computes in float64 from inputs that
 * are float32 numbers, so that both builds start from the very same. */
#define _GNU_SOURCE
#include "model/layer.h"
#include "population/population.h"
#include "test_model_help.h"

/* Relative errors norm by norm. A result passes through three layers of sums of at most six terms and their
 * activations, some hundred roundings: 1e-5 is 84 eps in float; in double the oracle's own roundings add as much, and
 * 1e-12 leaves room for both and would show a single wrong float constant (1e-8). */
#ifdef SPRINT_DOUBLE
#define TOLERANCE 1e-12
#else
#define TOLERANCE 1e-5
#endif

struct reader {
  FILE *stream;
  char *line;
  size_t room;
};

/* The next line that is no comment; false at the end of the file. */
static bool next_line(struct reader *r) {
  do
    if (getline(&r->line, &r->room, r->stream) < 0) return false;
  while (r->line[0] == '#');
  r->line[strcspn(r->line, "\n")] = '\0';
  return true;
}

/* What stands behind the key of the line; NULL where it has another. */
static char *after(const struct reader *r, const char *key) {
  size_t length = strlen(key);
  return strncmp(r->line, key, length) == 0 && r->line[length] == ' ' ? r->line + length + 1 : NULL;
}

/* The next line, which must have this key. */
static char *expect(struct reader *r, const char *key) {
  if (!next_line(r) || !after(r, key)) fail_msg("torch.txt: '%s' was expected at '%.40s'", key, r->line);
  return after(r, key);
}

/* n numbers of a line; `single` reads them as the floats that they stand for. */
static void read_doubles(struct reader *r, const char *key, bool single, double *ret_values, size_t n) {
  char *at = expect(r, key);
  for (size_t i = 0; i < n; i++) {
    char *end;
    ret_values[i] = single ? (double)strtof(at, &end) : strtod(at, &end);
    assert_true(end != at);
    at = end;
  }
  assert_true(*at == '\0');
}

static sprint_real *read_inputs(struct reader *r, const char *key, size_t n) {
  double *values = calloc(n, sizeof *values);
  sprint_real *inputs = new_reals(n);
  read_doubles(r, key, true, values, n);
  for (size_t i = 0; i < n; i++) inputs[i] = (sprint_real)values[i];
  free(values);
  return inputs;
}

/* The line `key` holds n results; ours are near. */
static void compare(struct reader *r, const char *spec, const char *key, const sprint_real *ours, size_t n) {
  double *theirs = calloc(n, sizeof *theirs);
  read_doubles(r, key, false, theirs, n);
  double error = distance(ours, theirs, n) / norm(theirs, n);
  if (!(error <= TOLERANCE)) fail_msg("%s: %s: relative error %.3g", spec, key, error);
  free(theirs);
}

static void check_case(struct fixture *f, struct reader *r, const char *spec) {
  size_t n, n_classes, n_params;
  struct sprint__shape image;
  assert_int_equal(sscanf(expect(r, "size"), "%zu %zu %zu", &n, &n_classes, &n_params), 3);
  assert_int_equal(sscanf(expect(r, "shape"), "%zu %zu %zu", &image.channels, &image.height, &image.width), 3);
  size_t d = image.channels * image.height * image.width;
  sprint_real *x = read_inputs(r, "x", n * d), *y = read_inputs(r, "y", n), *flat = read_inputs(r, "theta", n_params);
  sprint_real *theta = new_reals(n_params), *gradient = new_reals(n_params), *gradient_x = new_reals(n * d);
  sprint_population *people = NULL;
  assert_ok(f, sprint_population_new(f->context, n, d, x, y, n_classes, &people));
  people->image = image;
  sprint_model *model = new_model(f, people, spec);
  assert_int_equal(sprint_model_n_params(model), n_params);
  for (size_t i = 0; i < n_params; i++) theta[sprint_model_place(model, i)] = flat[i];
  sprint_batch rows = everybody(people);
  double loss, expected;
  assert_ok(f, sprint_model_gradient(model, theta, &rows, &loss, NULL, gradient, gradient_x));
  read_doubles(r, "loss", false, &expected, 1);
  if (!(fabs(loss - expected) <= TOLERANCE * expected)) fail_msg("%s: loss %.17g, not %.17g", spec, loss, expected);
  for (size_t i = 0; i < n_params; i++) flat[i] = gradient[sprint_model_place(model, i)];
  compare(r, spec, "gradient", flat, n_params);
  compare(r, spec, "gradient_x", gradient_x, n * d);
  sprint_model_free(model);
  sprint_population_free(people);
  free(x);
  free(y);
  free(flat);
  free(theta);
  free(gradient);
  free(gradient_x);
}

/* Values are off by some roundings of numbers up to 1 + |v|. PyTorch's Softplus is x itself above 20, where ours is
 * x + exp(-x) still: the two part by that. */
static void compare_points(struct reader *r, const char *key, const char *name, const sprint_real *v,
                           const sprint_real *ours, size_t n) {
  double *theirs = calloc(n, sizeof *theirs);
  read_doubles(r, key, false, theirs, n);
  for (size_t i = 0; i < n; i++) {
    double tolerance = 8 * REAL_EPSILON * (1 + fabs((double)v[i]));
    if (strcmp(name, "softplus") == 0 && v[i] > 20) tolerance += exp(-(double)v[i]);
    if (!(fabs((double)ours[i] - theirs[i]) <= tolerance))
      fail_msg("%s of %s(%g): %.17g, not %.17g", key, name, (double)v[i], (double)ours[i], theirs[i]);
  }
  free(theirs);
}

static const sprint_kind *const activations[] = {&sprint__layer_relu, &sprint__layer_tanh, &sprint__layer_sigmoid,
                                                 &sprint__layer_softplus, &sprint__layer_gelu};

static const sprint_kind *activation_of(const char *name) {
  for (size_t i = 0; i < SPRINT__COUNT(activations); i++)
    if (strcmp(activations[i]->name, name) == 0) return activations[i];
  fail_msg("torch.txt: '%s' is not an activation", name);
  return NULL;
}

static void check_activation(struct reader *r, const sprint_kind *kind) {
  const struct sprint__layer_ops *ops = kind->ops;
  struct sprint__layer layer = {.kind = kind, .ops = ops, .in = 1, .out = 1};
  size_t n;
  assert_int_equal(sscanf(expect(r, "size"), "%zu", &n), 1);
  sprint_real *v = read_inputs(r, "v", n), *value = new_reals(n), *one = new_reals(n), *slope = new_reals(n);
  for (size_t i = 0; i < n; i++) one[i] = 1;
  ops->forward(&layer, NULL, v, n, value, NULL);
  ops->backward(&layer, NULL, v, value, n, one, slope, NULL, false, NULL);
  compare_points(r, "value", kind->name, v, value, n);
  compare_points(r, "slope", kind->name, v, slope, n);
  free(v);
  free(value);
  free(one);
  free(slope);
}

static void test_model__equals_torch(void **state) {
  struct reader r = {fopen(SPRINT_TEST_FOLDER "/fixtures/torch.txt", "r"), NULL, 0};
  assert_non_null(r.stream);
  size_t n_cases = 0, n_activations = 0;
  while (next_line(&r)) {
    if (after(&r, "activation")) {
      check_activation(&r, activation_of(after(&r, "activation")));
      n_activations++;
      continue;
    }
    assert_non_null(after(&r, "case"));
    char *spec = strdup(after(&r, "case"));
    check_case(*state, &r, spec);
    free(spec);
    n_cases++;
  }
  assert_int_equal(n_activations, SPRINT__COUNT(activations));
  assert_int_equal(n_cases, 40);
  free(r.line);
  fclose(r.stream);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_model__equals_torch),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
