/* The constants of the theory, estimated on a problem at one theta: docs/theory.md says how, and what they are not. */
#include <math.h>

#include "base/sized.h"
#include "base/vector.h"
#include "theory/estimate.h"

enum { SAMPLE = 2000, LEAST_SAMPLE = 64, PROBES = 12, PROJECTIONS = 50 };
#define SAMPLE_COST                                                                                                \
  5e8                 /* floating-point operations of the sample's gradients, at most, where no size was asked for \
                       */
#define PASS_COST 2e9 /* of a pass over everybody, at most, to know the losses that a shift asks for */
#define RADIUS    0.01
#define SPREAD    0.5

static size_t standard_sample(const sprint_model *model) {
  double rows = SAMPLE_COST / fmax(1, model->cost_per_row);
  return rows > SAMPLE ? SAMPLE : rows < LEAST_SAMPLE ? LEAST_SAMPLE : (size_t)rows;
}

static sprint_status take_options(sprint_context *context, const sprint_estimate_options *given,
                                  sprint_estimate_options *own) {
  SPRINT__SIZED_TAKE(context, sprint_estimate_options, given, own);
  if (!own->shift || !own->theta)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "to estimate constants a shift and a theta are needed");
  if (!(own->radius >= 0) || !(own->spread >= 0) || !isfinite(own->radius) || !isfinite(own->spread))
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT,
                       "radius is %g, spread %g; finite numbers of at least 0 were expected", own->radius, own->spread);
  if (!own->sample) own->sample = standard_sample(own->shift->model);
  if (!own->probes) own->probes = PROBES;
  if (!own->projections) own->projections = PROJECTIONS;
  if (own->radius == 0) own->radius = RADIUS;
  if (own->spread == 0) own->spread = SPREAD;
  if (!sprint__all_finite(own->theta, own->shift->model->n_params))
    return sprint_fail(context, SPRINT_ERROR_INPUT, "theta is not finite: no constant can be estimated there");
  return SPRINT_OK;
}

static bool goes_below_zero(struct sprint__sample *sample, const sprint_real *theta, const struct sprint__seen *seen) {
  for (size_t i = 0; i < sample->n; i++)
    if (sprint__sample_record(sample, theta, seen, i, NULL) < 0) return true;
  return false;
}

static sprint_status look(struct sprint__sample *sample, const sprint_estimate_options *own, sprint_estimates *found) {
  SPRINT__SCRATCH(arena, sample->shift->context);
  struct sprint__seen seen = sprint__seen_new(&arena, sample);
  SPRINT__TRY(sprint__arena_status(&arena));
  SPRINT__TRY(sprint__sample_see(sample, own->theta, &seen));
  SPRINT__TRY(sprint__estimate_curvature(sample, own->theta, &seen, own->seed, found));
  SPRINT__TRY(sprint__estimate_sensitivity(sample, own, &seen, found));
  SPRINT__TRY(sprint__estimate_noise(sample, own, found));
  found->below_zero = goes_below_zero(sample, own->theta, &seen);
  return SPRINT_OK;
}

sprint_status sprint_theory_estimate(sprint_context *context, const sprint_estimate_options *options,
                                     sprint_estimates *ret_estimates) {
  SPRINT__REQUIRE(context, options, ret_estimates);
  SPRINT__SCRATCH(arena, context);
  sprint_estimate_options own;
  sprint_estimates found = {0};
  struct sprint__sample sample;
  struct sprint__loss_source losses;
  SPRINT__TRY(take_options(context, options, &own));
  SPRINT__TRY(sprint__sample_new(&arena, own.shift, own.sample, own.seed, &sample));
  SPRINT__TRY(sprint__sample_losses(&arena, &sample, &losses));
  double pass = (double)own.shift->population->n * own.shift->model->cost_per_row;
  found.sampled_losses = sprint__shift_reweights(own.shift) && pass > PASS_COST;
  if (found.sampled_losses) sprint__shift_set_losses(own.shift, &losses);
  sprint_status status = look(&sample, &own, &found);
  if (found.sampled_losses) sprint__shift_set_losses(own.shift, NULL);
  if (status == SPRINT_OK) status = sprint_risk(own.shift, own.theta, own.theta, &found.risk, NULL, NULL);
  if (status != SPRINT_OK) return status;
  found.remembers = own.shift->keeps_records || own.shift->remembers_deployments;
  found.sample = sample.n;
  found.n_singles = sample.n_singles;
  return SPRINT__SIZED_GIVE(context, sprint_estimates, &found, ret_estimates);
}
