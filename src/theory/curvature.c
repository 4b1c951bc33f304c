/* L: the largest |eigenvalue| of Hessians, by power iteration on products H v. A product is a central difference of
 * gradients, exact where the loss is quadratic in theta. |H v| of a unit v never exceeds what is sought and never falls
 * from one iteration to the next, so that every answer is a lower estimate.
 *
 * The theory's L is about every record's loss. All records of the sample get a few iterations, and those with the
 * largest values as many as it takes. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/vector.h"
#include "theory/estimate.h"

enum { SCREENING = 4, REFINED = 8, ITERATIONS = 100, LEAST_ITERATIONS = 8, STARTS = 2 };
#define POWER_COST 1e10 /* floating-point operations of one iteration for J from start to end, about */
/* SETTLED: the relative change of |H v| at which an iteration stops */
#ifdef SPRINT_DOUBLE
#define EPSILON DBL_EPSILON
#define SETTLED 1e-7
#else
#define EPSILON FLT_EPSILON
#define SETTLED 1e-5
#endif

/* Whose Hessian, and room for products with it. */
struct hessian {
  struct sprint__sample *sample;
  const struct sprint__seen *seen;
  const sprint_real *theta;
  ptrdiff_t record; /* of the sample; -1: J */
  double step;
  double *v, *plus, *minus;              /* (n_params) */
  sprint_real *theta_plus, *theta_minus; /* (n_params) */
};

static void gradient_at(const struct hessian *h, const sprint_real *theta, double *ret_gradient) {
  if (h->record < 0)
    sprint__sample_risk(h->sample, theta, h->seen, ret_gradient);
  else
    sprint__sample_record(h->sample, theta, h->seen, (size_t)h->record, ret_gradient);
}

/* v := H v, and its length; v has length 1 before. The distance is that of the parameters as they were rounded. */
static double multiply(const struct hessian *h) {
  size_t n = h->sample->n_params;
  sprint__move(h->theta, h->step, h->v, n, h->theta_plus);
  sprint__move(h->theta, -h->step, h->v, n, h->theta_minus);
  double distance = sprint__distance(h->theta_plus, h->theta_minus, n);
  gradient_at(h, h->theta_plus, h->plus);
  gradient_at(h, h->theta_minus, h->minus);
  for (size_t i = 0; i < n; i++) h->v[i] = distance > 0 ? (h->plus[i] - h->minus[i]) / distance : 0;
  return sprint__length(h->v, n);
}

/* The largest |eigenvalue|, from below, by up to `most` iterations from a random start. */
static double power(const struct hessian *h, uint64_t seed, uint64_t start, int most) {
  size_t n = h->sample->n_params;
  double found = 0;
  sprint__random_direction(seed, start, n, h->v);
  for (int i = 0; i < most; i++) {
    double length = multiply(h), before = found;
    if (!(length > 0) || !isfinite(length)) break;
    found = fmax(found, length);
    for (size_t j = 0; j < n; j++) h->v[j] /= length;
    if (i > 1 && fabs(length - before) <= SETTLED * length) break;
  }
  return found;
}

struct ranked {
  double value;
  size_t record;
};

static int by_value(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? 1 : -1;
  return x->record < y->record ? -1 : x->record > y->record;
}

/* Iterations that products with the Hessian of so many rows are worth. */
static int iterations_for(const struct sprint__sample *sample, size_t rows) {
  double n = POWER_COST / (2 * (double)rows * sample->model->cost_per_row);
  return n > ITERATIONS ? ITERATIONS : n < LEAST_ITERATIONS ? LEAST_ITERATIONS : (int)n;
}

static void curvature_of_records(struct hessian *h, uint64_t seed, struct ranked *ranked, sprint_estimates *ret) {
  size_t n = h->sample->n_singles;
  struct sprint__tally tally = {0};
  for (size_t i = 0; i < n; i++) {
    size_t record = sprint__sample_single(h->sample, i);
    h->record = (ptrdiff_t)record;
    ranked[i] = (struct ranked){power(h, seed, record, SCREENING), record};
  }
  qsort(ranked, n, sizeof *ranked, by_value);
  for (size_t i = 0; i < n && i < REFINED; i++) {
    h->record = (ptrdiff_t)ranked[i].record;
    ranked[i].value = fmax(ranked[i].value, power(h, seed, ranked[i].record, iterations_for(h->sample, n)));
  }
  for (size_t i = 0; i < n; i++) sprint__tally_add(&tally, ranked[i].value);
  ret->L = sprint__tally_estimate(&tally, NULL);
}

sprint_status sprint__estimate_curvature(struct sprint__sample *sample, const sprint_real *theta,
                                         const struct sprint__seen *seen, uint64_t seed, sprint_estimates *ret) {
  SPRINT__SCRATCH(arena, sample->shift->context);
  size_t n = sample->n_params;
  struct hessian h = {
      .sample = sample,
      .seen = seen,
      .theta = theta,
      .record = -1,
      .step = cbrt((double)EPSILON) * fmax(1, sqrt(sprint__norm_sq(theta, n))),
      .v = sprint__arena_take(&arena, n, sizeof(double)),
      .plus = sprint__arena_take(&arena, n, sizeof(double)),
      .minus = sprint__arena_take(&arena, n, sizeof(double)),
      .theta_plus = sprint__arena_take(&arena, n, sizeof(sprint_real)),
      .theta_minus = sprint__arena_take(&arena, n, sizeof(sprint_real)),
  };
  struct ranked *ranked = sprint__arena_take(&arena, sample->n, sizeof *ranked);
  SPRINT__TRY(sprint__arena_status(&arena));
  struct sprint__tally tally = {0};
  for (uint64_t start = 0; start < STARTS; start++)
    sprint__tally_add(&tally, power(&h, seed, start, iterations_for(sample, sample->n)));
  ret->L_risk = sprint__tally_estimate(&tally, NULL);
  curvature_of_records(&h, seed, ranked, ret);
  return SPRINT_OK;
}
