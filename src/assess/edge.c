/* The edge of stability: see edge.h. */
#include "assess/edge.h"

#include <float.h>
#include <math.h>

#include "assess/sample.h"
#include "base/vector.h"

enum { MOST_PEOPLE = 2000, LEAST_PEOPLE = 64, ITERATIONS = 16, SETTLED = 4, SEED = 1 };
#define STEADY    1e-3 /* lengths that change by less than this, SETTLED times, are not looked at any more */
#define PASS_COST 5e8  /* floating-point operations of the sample's gradients, about */

#ifdef SPRINT_DOUBLE
#define EPSILON DBL_EPSILON
#else
#define EPSILON ((double)FLT_EPSILON)
#endif

/* Room for products with the derivative. */
struct derivative {
  struct sprint__sample sample;
  struct sprint__seen seen;
  const sprint_real *theta;
  double step;
  double *v, *plus, *minus; /* (n_params) */
  sprint_real *near;        /* (n_params) */
};

static size_t sample_size(const sprint_model *model) {
  double rows = PASS_COST / fmax(1, model->cost_per_row);
  return rows > MOST_PEOPLE ? MOST_PEOPLE : rows < LEAST_PEOPLE ? LEAST_PEOPLE : (size_t)rows;
}

/* ret (n_params) := grad J at theta + length * v, on the distribution that it causes. */
static sprint_status look(struct derivative *d, double length, double *ret) {
  sprint__move(d->theta, length, d->v, d->sample.n_params, d->near);
  SPRINT__TRY(sprint__sample_see(&d->sample, d->near, &d->seen));
  sprint__sample_risk(&d->sample, d->near, &d->seen, ret);
  return SPRINT_OK;
}

/* The product with v of length 1: *ret_along is its part along v, *ret_length its length; v becomes its direction. */
static sprint_status multiply(struct derivative *d, double *ret_along, double *ret_length) {
  size_t n = d->sample.n_params;
  double along = 0;
  SPRINT__TRY(look(d, d->step, d->plus));
  SPRINT__TRY(look(d, -d->step, d->minus));
  for (size_t i = 0; i < n; i++) {
    d->plus[i] = (d->plus[i] - d->minus[i]) / (2 * d->step);
    along += d->plus[i] * d->v[i];
  }
  double length = sprint__length(d->plus, n);
  for (size_t i = 0; i < n; i++) d->v[i] = length > 0 ? d->plus[i] / length : 0;
  *ret_along = along;
  *ret_length = length;
  return SPRINT_OK;
}

/* A pair of complex eigenvalues turns v round and round: the last SETTLED of its lengths are averaged. */
static sprint_status iterate(struct derivative *d, double *ret_curvature) {
  double along = 0, length = 1, logs[ITERATIONS], sum = 0;
  int n = 0, steady = 0;
  sprint__random_direction(SEED, 0, d->sample.n_params, d->v);
  while (n < ITERATIONS && steady < SETTLED && length > 0 && isfinite(length)) {
    SPRINT__TRY(multiply(d, &along, &length));
    logs[n] = log(length);
    steady = n > 0 && fabs(logs[n] - logs[n - 1]) < STEADY ? steady + 1 : 0;
    n++;
  }
  for (int i = 1; i <= SETTLED && i <= n; i++) sum += logs[n - i] / SETTLED;
  *ret_curvature = length > 0 ? copysign(exp(sum), along) : length == 0 ? 0 : NAN;
  if (!isfinite(length)) *ret_curvature = NAN;
  return SPRINT_OK;
}

static sprint_status measure(struct sprint__arena *arena, sprint_shift *shift, const sprint_real *theta,
                             double *ret_curvature) {
  size_t n = shift->model->n_params;
  struct derivative d = {.theta = theta};
  struct sprint__loss_source losses, before = shift->losses;
  SPRINT__TRY(sprint__sample_new(arena, shift, sample_size(shift->model), SEED, &d.sample));
  SPRINT__TRY(sprint__sample_losses(arena, &d.sample, &losses));
  d.step = cbrt(EPSILON) * fmax(1, sqrt(sprint__norm_sq(theta, n)));
  d.seen = sprint__seen_new(arena, &d.sample);
  d.v = sprint__arena_take(arena, n, sizeof *d.v);
  d.plus = sprint__arena_take(arena, n, sizeof *d.plus);
  d.minus = sprint__arena_take(arena, n, sizeof *d.minus);
  d.near = sprint__arena_take(arena, n, sizeof *d.near);
  SPRINT__TRY(sprint__arena_status(arena));
  sprint__shift_set_losses(shift, &losses);
  sprint_status status = iterate(&d, ret_curvature);
  sprint__shift_set_losses(shift, before.by_stratum ? &before : NULL);
  return status;
}

sprint_status sprint__edge_curvature(sprint_shift *shift, const sprint_real *theta, double *ret_curvature) {
  SPRINT__SCRATCH(arena, shift->context);
  uint64_t evals = shift->evals;
  *ret_curvature = NAN;
  if (!sprint__all_finite(theta, shift->model->n_params)) return SPRINT_OK;
  sprint_status status = measure(&arena, shift, theta, ret_curvature);
  shift->evals = evals;
  return status;
}
