/* What the tests of model/ share: a context, people, models that must build or must not, and central differences. */
#ifndef TEST_MODEL_HELP_H
#define TEST_MODEL_HELP_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"

#ifdef SPRINT_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON ((double)FLT_EPSILON)
#endif

struct fixture {
  sprint_context *context;
};

static int set_up(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  if (!f || sprint_context_new(&f->context) != SPRINT_OK) return -1;
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *f = *state;
  sprint_context_free(f->context);
  free(f);
  return 0;
}

static inline sprint_real *new_reals(size_t n) {
  sprint_real *reals = calloc(n ? n : 1, sizeof *reals);
  assert_non_null(reals);
  return reals;
}

/* Numbers in [-1, 1) from splitmix64. */
static inline void fill_noise(uint64_t seed, sprint_real *values, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint64_t z = (seed * 1000003 + i + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    values[i] = (sprint_real)((double)((z ^ (z >> 31)) >> 40) / (double)(1 << 23) - 1);
  }
}

static inline sprint_real *new_noise(uint64_t seed, size_t n) {
  sprint_real *values = new_reals(n);
  fill_noise(seed, values, n);
  return values;
}

static inline void assert_ok(struct fixture *f, sprint_status status) {
  if (status != SPRINT_OK) fail_msg("%s: %s", sprint_status_text(status), sprint_context_error(f->context));
}

/* The call failed with `wanted`, and the sentence holds the text. */
static inline void assert_failed(struct fixture *f, sprint_status status, sprint_status wanted, const char *text) {
  assert_int_equal(status, wanted);
  if (!strstr(sprint_context_error(f->context), text))
    fail_msg("'%s' is not in '%s'", text, sprint_context_error(f->context));
}

/* n people of d features in [-1, 1); person i is of class i mod n_classes, or has a value in [-1, 1) where it is 0. */
static inline sprint_population *new_people(struct fixture *f, size_t n, size_t d, size_t n_classes) {
  sprint_real *x = new_noise(11, n * d), *y = new_noise(12, n);
  for (size_t i = 0; n_classes && i < n; i++) y[i] = (sprint_real)(i % n_classes);
  sprint_population *people = NULL;
  assert_ok(f, sprint_population_new(f->context, n, d, x, y, n_classes, &people));
  free(x);
  free(y);
  return people;
}

static inline sprint_batch everybody(const sprint_population *people) {
  return (sprint_batch){sizeof(sprint_batch), sprint_population_n(people), sprint_population_x(people),
                        sprint_population_y(people)};
}

static inline sprint_model *new_model(struct fixture *f, const sprint_population *people, const char *spec) {
  sprint_model *model = NULL;
  if (sprint_model_new(f->context, spec, people, &model) != SPRINT_OK)
    fail_msg("%s: %s", spec, sprint_context_error(f->context));
  return model;
}

static inline void assert_refused(struct fixture *f, const sprint_population *people, const char *spec,
                                  const char *text) {
  sprint_model *model = NULL;
  assert_failed(f, sprint_model_new(f->context, spec, people, &model), SPRINT_ERROR_INPUT, text);
  assert_null(model);
}

/* |a - b| and |b|, Euclidean. */
static inline double distance(const sprint_real *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
  return sqrt(sum);
}

static inline double norm(const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += b[i] * b[i];
  return sqrt(sum);
}

/* A scalar function of numbers that it points to, and the sides of its kinks that they are on, a bit for each. */
struct probe {
  double (*value)(void *user);
  uint64_t (*sides)(void *user); /* NULL: smooth */
  void *user;
};

struct slope {
  double value, tolerance;
  bool kink; /* the step crosses one: the value says nothing */
};

/* The central difference with step h is off by h^2 |f'''| / 6 at most, and by the rounding of f over h; h = eps^(1/3)
 * balances the two.
 *
 * |f'''| <= 250, for networks of 4 inputs, at most 5 hidden units u and weights, biases, inputs and labels in [-1, 1].
 * An output o moves with one coordinate by |o'| <= 5 x 1.13, |o''| <= 5 x 0.8, |o'''| <= 5 x 2 (all 5 units move with
 * an input; slopes of gelu, second derivatives of gelu, third of tanh are the largest). A loss or score g of it has
 * f''' = g''' o'^3 + 3 g'' o' o'' + g' o'''.
 *   logistic, sigmoid with c = 1.7, probability: |g'''| <= c^3 / 8, |g''| <= 1, |g'| <= c: 111 + 68 + 17.
 *   log sum exp: moments of a variable of range 2 |o'|, so (2 x 5.65)^3 / (6 sqrt 3) + 68 + 20 = 227.
 *   squared: g''' = 0, g'' = 1, |g'| = |f - y|: 68 + 8 x 10 for tanh (|f| <= 6), 68 + 28 x 5 x 0.8 for gelu.
 *
 * The rounding of f is within 16 eps (1 + |f|): sums of 5 and of 6 terms, the activation and the loss. */
#define THIRD_DERIVATIVE 250.0
#define ROUNDINGS        16.0

static inline struct slope central_difference(const struct probe *probe, sprint_real *coordinate) {
  const double h = cbrt(DBL_EPSILON);
  const sprint_real middle = *coordinate, up = (sprint_real)((double)middle + h),
                    down = (sprint_real)((double)middle - h);
  *coordinate = up;
  double value_up = probe->value(probe->user);
  uint64_t sides_up = probe->sides ? probe->sides(probe->user) : 0;
  *coordinate = down;
  double value_down = probe->value(probe->user);
  uint64_t sides_down = probe->sides ? probe->sides(probe->user) : 0;
  *coordinate = middle;
  return (struct slope){(value_up - value_down) / ((double)up - (double)down),
                        THIRD_DERIVATIVE * h * h / 6 + ROUNDINGS * DBL_EPSILON * (1 + fabs(value_up)) / h,
                        sides_up != sides_down};
}

#endif
