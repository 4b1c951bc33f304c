/* Steps and per-sample gradients until a bound is down to delta: docs/math.md section 5. */
#include <math.h>

#include "base/sized.h"
#include "theory/theory.h"

static sprint_status check_delta(sprint_context *context, double delta) {
  if (delta > 0 && isfinite(delta)) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "delta is %g; a finite number above 0 was expected", delta);
}

sprint_status sprint_theory_cost_sprint(sprint_context *context, const sprint_constants *constants,
                                        const sprint_certificate *certificate, double delta,
                                        sprint_theory_cost *ret_cost) {
  SPRINT__REQUIRE(context, constants, certificate, ret_cost);
  sprint_constants a;
  sprint_certificate step;
  SPRINT__TRY(sprint__constants_take(context, constants, &a));
  SPRINT__SIZED_TAKE(context, sprint_certificate, certificate, &step);
  SPRINT__TRY(check_delta(context, delta));
  double each = 2 * a.batch + a.n / a.m, drift = sprint__theory_drift(&a);
  sprint_theory_cost cost = {.steps = INFINITY, .all_steps = INFINITY, .remaining = step.remaining};
  if (step.valid) cost.steps = ceil(a.delta_0 / (step.Gamma * delta));
  double left = step.Gamma * delta - step.gamma * drift;
  if (step.valid && left > 0) cost.all_steps = ceil(a.delta_0 / left);
  cost.ifo = cost.steps * each;
  cost.all_ifo = cost.all_steps * each;
  return SPRINT__SIZED_GIVE(context, sprint_theory_cost, &cost, ret_cost);
}

/* T from 4 (Delta_0 + L sigma_0^2 / 2) / sqrt(T) = term */
static double sgd_steps(const sprint_constants *a, double term) {
  double top = 4 * (a->delta_0 + a->L * a->sigma_0 * a->sigma_0 / 2) / term;
  return term > 0 ? ceil(top * top) : INFINITY;
}

sprint_status sprint_theory_cost_sgd(sprint_context *context, const sprint_constants *constants, double delta,
                                     sprint_theory_cost *ret_cost) {
  SPRINT__REQUIRE(context, constants, ret_cost);
  sprint_constants a;
  SPRINT__TRY(sprint__constants_take(context, constants, &a));
  SPRINT__TRY(check_delta(context, delta));
  double remaining = 4 * a.kappa * (a.sigma_0 + (1 + a.sigma_1 * a.sigma_1) * a.kappa);
  sprint_theory_cost cost = {.steps = sgd_steps(&a, delta), .remaining = remaining};
  cost.all_steps = sgd_steps(&a, delta - remaining);
  cost.ifo = cost.steps;
  cost.all_ifo = cost.all_steps;
  return SPRINT__SIZED_GIVE(context, sprint_theory_cost, &cost, ret_cost);
}
