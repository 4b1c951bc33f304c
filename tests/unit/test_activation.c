/* Activations, forward and back, against libm in long double.
 *
 * With eps the distance from 1 to the next number, roundings are of eps / 2 each. exp to within 1.5 eps: its reduced
 * argument, of size at most 0.35, is off by an eps at most, its polynomial by a last sum and a last product. A
 * quotient, a sum or a product on top make half an eps each, of which no function has more than four, the normal tail's
 * polynomial (its terms have at most 2.5 times the size of their sum in float, 3.8 times in double) 2 eps. So values
 * are within 4 eps of their own size, and slopes, which are differences of numbers up to 1.2, within 4 eps. */
#include "help.h"

#include <float.h>

#include "base/team.h"
#include "base/wide.h"
#include "model/activation.h"
#include "model/layer.h"

enum { N_X = 30007 }; /* which is no multiple of a group */

static const long double pi = 3.14159265358979323846264338327950288L;

static long double relu(long double x) { return x > 0 ? x : 0; }
static long double relu_slope(long double x) { return x > 0; }
static long double tanh_slope(long double x) { return 1 / (coshl(x) * coshl(x)); }
static long double sigmoid(long double x) { return 1 / (1 + expl(-x)); }
static long double sigmoid_slope(long double x) { return sigmoid(x) * sigmoid(-x); }
static long double softplus(long double x) { return fmaxl(x, 0) + log1pl(expl(-fabsl(x))); }
static long double gelu(long double x) { return x * erfcl(-x / sqrtl(2)) / 2; }
static long double gelu_slope(long double x) { return erfcl(-x / sqrtl(2)) / 2 + x * expl(-x * x / 2) / sqrtl(2 * pi); }

struct trial {
  const sprint_kind *kind;
  long double (*value)(long double x), (*slope)(long double x);
  double at_minus_infinity, at_infinity;
};

static const struct trial trials[] = {
    {&sprint__layer_relu, relu, relu_slope, 0, INFINITY},   {&sprint__layer_tanh, tanhl, tanh_slope, -1, 1},
    {&sprint__layer_sigmoid, sigmoid, sigmoid_slope, 0, 1}, {&sprint__layer_softplus, softplus, sigmoid, 0, INFINITY},
    {&sprint__layer_gelu, gelu, gelu_slope, 0, INFINITY},
};
enum { N_TRIALS = sizeof trials / sizeof trials[0] };

struct values {
  sprint_real x[N_X], y[N_X], dy[N_X], dx[N_X];
};

static void run_by(sprint_context *context, const struct trial *trial, struct values *values, size_t n) {
  const struct sprint__layer layer = {
      .kind = trial->kind, .ops = trial->kind->ops, .context = context, .in = 1, .out = 1};
  layer.ops->forward(&layer, NULL, values->x, n, values->y, NULL);
  layer.ops->backward(&layer, NULL, values->x, values->y, n, values->dy, values->dx, NULL, false, NULL);
}

static void run(const struct trial *trial, struct values *values, size_t n) {
  sprint_context alone = {.n_threads = 1};
  run_by(&alone, trial, values, n);
}

/* A third along the whole range where results are not yet 0, a third around 0, a third of all sizes below 1. */
static void fill_x(struct values *values) {
  double range = sizeof(sprint_real) == sizeof(float) ? 100 : 720;
  for (size_t i = 0; i < N_X; i++) {
    double u = 2.0 * (double)i / (N_X - 1) - 1;
    values->x[i] = (sprint_real)(i % 3 == 0 ? range * u : i % 3 == 1 ? 3 * u : copysign(exp(-30 * fabs(u)), u));
    values->dy[i] = i % 2 ? -2 : 1;
  }
}

static void test_activation__equals_libm(void **state) {
  (void)state;
  static struct values values;
  const double eps = sizeof(sprint_real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  const double least = sizeof(sprint_real) == sizeof(float) ? 2 * exp(-87) : 2 * exp(-708); /* taken for 0, twice */
  fill_x(&values);
  for (size_t t = 0; t < N_TRIALS; t++) {
    run(&trials[t], &values, N_X);
    for (size_t i = 0; i < N_X; i++) {
      long double x = (long double)values.x[i], y = trials[t].value(x), slope = trials[t].slope(x);
      long double size = fmaxl(1, fabsl(x)); /* a tail that is 0 is multiplied by x */
      if (!(fabsl((long double)values.y[i] - y) <= 4 * eps * fabsl(y) + least * size))
        fail_msg("%s(%.9Lg): %.17g, by libm %.17Lg", trials[t].kind->name, x, (double)values.y[i], y);
      if (!(fabsl((long double)(values.dx[i] / values.dy[i]) - slope) <= 4 * eps + least * size))
        fail_msg("slope of %s at %.9Lg: %.17g, by libm %.17Lg", trials[t].kind->name, x,
                 (double)(values.dx[i] / values.dy[i]), slope);
    }
  }
}

/* Alone, so that each is in a group that is not full; and far out, where squares are no longer finite. */
static void test_activation__ends(void **state) {
  (void)state;
  static struct values values;
  const double most = sizeof(sprint_real) == sizeof(float) ? FLT_MAX : DBL_MAX;
  for (size_t t = 0; t < N_TRIALS; t++) {
    const struct trial *trial = &trials[t];
    const double x[] = {-INFINITY, INFINITY, -most, most, NAN, 0};
    const double y[] = {trial->at_minus_infinity,
                        trial->at_infinity,
                        trial->at_minus_infinity,
                        isinf(trial->at_infinity) ? most : trial->at_infinity,
                        NAN,
                        (double)trial->value(0)};
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
      values.x[0] = (sprint_real)x[i];
      values.dy[0] = 1;
      run(trial, &values, 1);
      double got = (double)values.y[0], slope = (double)values.dx[0];
      if (isnan(x[i]) ? !isnan(got) : !(fabs(got - y[i]) <= 2 * FLT_EPSILON || got == y[i]))
        fail_msg("%s(%g): %g, %g was expected", trial->kind->name, x[i], got, y[i]);
      if (isnan(x[i]) ? !isnan(slope) && trial->kind != &sprint__layer_relu : !(slope >= 0 && slope <= 1))
        fail_msg("slope of %s at %g: %g", trial->kind->name, x[i], slope);
    }
  }
}

/* Nothing is written behind the last number, whatever their number is. */
static void test_activation__odd_lengths(void **state) {
  (void)state;
  static struct values values, alone;
  fill_x(&values);
  for (size_t t = 0; t < N_TRIALS; t++)
    for (size_t n = 0; n < 40; n++) {
      values.y[n] = values.dx[n] = 77;
      run(&trials[t], &values, n);
      assert_true(values.y[n] == 77 && values.dx[n] == 77);
      for (size_t i = 0; i < n; i++) {
        alone.x[0] = values.x[i];
        alone.dy[0] = values.dy[i];
        run(&trials[t], &alone, 1);
        assert_true(alone.y[0] == values.y[i] && alone.dx[0] == values.dx[i]);
      }
    }
}

struct shared {
  sprint_context *context;
  const struct trial *trial;
  struct values *values;
};

static sprint_status run_shared(void *user) {
  const struct shared *shared = user;
  run_by(shared->context, shared->trial, shared->values, N_X);
  return SPRINT_OK;
}

/* To the bit the same whether or not threads share them. */
static void test_activation__shared(void **state) {
  (void)state;
  static struct values one, many;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  assert_int_equal(sprint_context_set_threads(context, 3), SPRINT_OK);
  fill_x(&one);
  fill_x(&many);
  for (size_t t = 0; t < N_TRIALS; t++) {
    run(&trials[t], &one, N_X);
    struct shared shared = {context, &trials[t], &many};
    assert_int_equal(sprint__team_run(context, run_shared, &shared), SPRINT_OK);
    assert_memory_equal(one.y, many.y, sizeof one.y);
    assert_memory_equal(one.dx, many.dx, sizeof one.dx);
  }
  sprint_context_free(context);
}

/* Groups of either size give the same bits, where the processor has both. */
static void test_activation__wide(void **state) {
  (void)state;
  static struct values narrow, broad;
  if (!sprint__has_wide()) skip();
  fill_x(&narrow);
  fill_x(&broad);
  for (size_t a = 0; a < SPRINT__N_ACTIVATIONS; a++) {
    size_t chunks = N_X / SPRINT__CHUNK + 1;
    sprint__sweeps[a].values(&(struct sprint__elements){.x = narrow.x, .n = N_X, .to = narrow.y}, 0, 0, chunks);
    sprint__wide_sweeps[a].values(&(struct sprint__elements){.x = broad.x, .n = N_X, .to = broad.y}, 0, 0, chunks);
    sprint__sweeps[a].slopes(&(struct sprint__elements){narrow.x, narrow.y, narrow.dy, N_X, narrow.dx}, 0, 0, chunks);
    sprint__wide_sweeps[a].slopes(&(struct sprint__elements){broad.x, broad.y, broad.dy, N_X, broad.dx}, 0, 0, chunks);
    assert_memory_equal(narrow.y, broad.y, sizeof narrow.y);
    assert_memory_equal(narrow.dx, broad.dx, sizeof narrow.dx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_activation__equals_libm), cmocka_unit_test(test_activation__ends),
      cmocka_unit_test(test_activation__odd_lengths), cmocka_unit_test(test_activation__shared),
      cmocka_unit_test(test_activation__wide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
