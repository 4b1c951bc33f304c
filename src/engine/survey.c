/* Surveys, and what is measured with them: see engine.h. */
#include "engine/engine.h"

#include <math.h>

#include "base/clock.h"
#include "base/vector.h"

bool sprint__survey_is_fresh(const struct sprint__engine *engine) {
  const struct sprint__survey *survey = &engine->survey;
  return survey->known && survey->own && survey->step == engine->solver->cost.steps;
}

/* Of theta, which the solver had after so many steps. */
struct taking {
  const sprint_real *theta, *deployed;
  uint64_t step;
  bool for_row;
};

static sprint_status take(struct sprint__engine *engine, const struct taking *taking) {
  struct sprint__survey *survey = &engine->survey;
  sprint_shift *shift = engine->shift;
  bool displaced = taking->for_row && sprint__shift_moves(shift);
  double aside = 0;
  struct sprint__pass_options passing = {.theta = taking->theta,
                                         .deployed = taking->deployed,
                                         .sum = engine->ops->sum,
                                         .user = engine,
                                         .ret_x = taking->for_row ? NULL : engine->anchor_x,
                                         .ret_displacement = displaced ? &survey->displacement : NULL,
                                         .ret_seconds = &aside};
  double start = sprint__clock();
  uint64_t evals = shift->evals;
  survey->known = survey->told = survey->own = false;
  survey->step = taking->step;
  engine->surveying = true;
  sprint_status status = sprint__pass_over(&engine->pass, &passing, &survey->sums);
  engine->surveying = false;
  survey->known = status == SPRINT_OK;
  survey->displaced = displaced;
  survey->evals = shift->evals - evals;
  survey->seconds = sprint__clock() - start - aside;
  return status;
}

/* A row's survey is what a snapshot needs, unless deploying would have changed the records, or the snapshot has to keep
 * them. */
static bool can_take_over(const struct sprint__engine *engine) {
  return sprint__survey_is_fresh(engine) && !engine->shift->remembers_deployments && !engine->anchor_x;
}

sprint_status sprint__survey_for_solver(struct sprint__engine *engine) {
  struct sprint__survey *survey = &engine->survey;
  sprint_solver *solver = engine->solver;
  if (survey->known && survey->told && survey->step == solver->cost.steps) return SPRINT_OK; /* just taken, to deploy */
  bool own = !sprint__shift_moves(engine->shift) || sprint__solver_is_deployed(solver);
  if (own && can_take_over(engine)) {
    engine->shift->evals += survey->evals;
    engine->seconds_reused += survey->seconds;
  } else {
    struct taking taking = {solver->theta, engine->current.theta, solver->cost.steps, false};
    SPRINT__TRY(take(engine, &taking));
    survey->own = own;
  }
  survey->told = true;
  return SPRINT_OK;
}

sprint_status sprint__survey_anchor(struct sprint__engine *engine, const struct sprint__linear *linear) {
  struct sprint__survey *survey = &engine->survey;
  if (survey->known && survey->told && survey->step == linear->anchor_step) return SPRINT_OK;
  struct taking taking = {linear->anchor, engine->anchor.theta, linear->anchor_step, true};
  SPRINT__TRY(take(engine, &taking));
  survey->told = true;
  return SPRINT_OK;
}

/* A survey at theta~ of the records z~. *ret_known false: those are gone. */
static sprint_status survey_references(struct sprint__engine *engine, const struct sprint__linear *linear,
                                       bool *ret_known) {
  struct sprint__survey *survey = &engine->survey;
  *ret_known = true;
  if (!linear->coupled && sprint__shift_moves(engine->shift)) {
    struct taking taking = {linear->anchor, engine->current.theta, linear->anchor_step, true};
    SPRINT__TRY(take(engine, &taking));
    survey->known = false; /* it is of no use to anybody else */
    return SPRINT_OK;
  }
  *ret_known = !engine->anchor_x || (survey->told && survey->step == linear->anchor_step);
  return *ret_known ? sprint__survey_anchor(engine, linear) : SPRINT_OK;
}

static double norm_sq(const double *a, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * a[i];
  return sum;
}

/* The survey's mean gradient at strata probabilities p. */
static void mean_gradient(const struct sprint__engine *engine, const double *p, double *ret_mean) {
  const double all = 1;
  struct sprint__strata_parts parts = sprint__strata_parts_of(&engine->survey.sums);
  sprint__strata_mean(engine->context, &parts, parts.n_strata > 1 ? p : &all, NULL, ret_mean);
}

/* E[v] - grad J(theta; deployed) = g^ - E[grad l(z~; theta~)]. */
sprint_status sprint__engine_bias(struct sprint__engine *engine, double *room, double *ret_bias) {
  sprint_solver *solver = engine->solver;
  *ret_bias = solver->estimator->unbiased ? 0 : NAN;
  if (engine->tap) return SPRINT_OK; /* the mean over all draws is not that over the window */
  if (solver->estimator->unbiased || !solver->estimator->linear || !sprint__engine_is_finite(engine)) return SPRINT_OK;
  struct sprint__linear linear;
  bool known = true;
  solver->estimator->linear(solver, sprint__engine_p(engine), &linear);
  *ret_bias = 0;
  if (!linear.anchor) return SPRINT_OK;
  SPRINT__TRY(survey_references(engine, &linear, &known));
  mean_gradient(engine, engine->current.p, room);
  for (size_t i = 0; i < solver->n_params; i++) room[i] -= (double)linear.control[i];
  *ret_bias = known ? sqrt(norm_sq(room, solver->n_params)) : NAN;
  return SPRINT_OK;
}

/* Loss and accuracy on the base records and on the held-out part. */
static sprint_status look_elsewhere(struct sprint__engine *engine, const double *p, struct sprint__measures *look) {
  struct sprint__pass_options passing = {.theta = engine->solver->theta, .sum = engine->ops->sum, .user = engine};
  const struct sprint__strata_sums *base = &engine->survey.sums;
  if (sprint__shift_moves(engine->shift)) {
    SPRINT__TRY(sprint__pass_over(&engine->pass, &passing, &engine->losses));
    base = &engine->losses;
  }
  sprint__pass_risk(&engine->pass, passing.theta, base, NULL, &look->loss_base, &look->accuracy_base);
  look->loss_heldout = look->accuracy_heldout = NAN;
  if (!engine->heldout_pass.population) return SPRINT_OK;
  passing.deployed = passing.theta;
  SPRINT__TRY(sprint__pass_over(&engine->heldout_pass, &passing, &engine->heldout_sums));
  sprint__pass_risk(&engine->heldout_pass, passing.theta, &engine->heldout_sums, p, &look->loss_heldout,
                    &look->accuracy_heldout);
  return SPRINT_OK;
}

sprint_status sprint__engine_measure(struct sprint__engine *engine, double *room, double *ret_p,
                                     struct sprint__measures *ret_look, bool *ret_finite) {
  if (engine->ops->settle) engine->ops->settle(engine);
  sprint_shift *shift = engine->shift;
  const sprint_real *theta = engine->solver->theta;
  size_t n = engine->solver->n_params;
  struct sprint__survey *survey = &engine->survey;
  *ret_finite = false;
  if (!sprint__all_finite(theta, n)) return SPRINT_OK;
  if (!sprint__survey_is_fresh(engine) || (sprint__shift_moves(shift) && !survey->displaced))
    SPRINT__TRY(take(engine, &(struct taking){theta, theta, engine->solver->cost.steps, true}));
  survey->own = true;
  SPRINT__TRY(sprint__engine_strata(engine, theta, SPRINT__AT_EVALUATION, ret_p));
  for (size_t c = 0; c < shift->population->n_strata; c++)
    if (!isfinite(ret_p[c])) return SPRINT_OK;
  if (!sprint__engine_is_finite(engine)) return SPRINT_OK;
  *ret_finite = true;
  const double *p = sprint__shift_reweights(shift) ? ret_p : NULL;
  sprint__pass_risk(&engine->pass, theta, &survey->sums, p, &ret_look->loss, &ret_look->accuracy);
  ret_look->displacement = survey->displaced ? survey->displacement : 0;
  mean_gradient(engine, ret_p, room);
  for (size_t i = 0; i < n; i++) room[i] += sprint__model_decay(engine->shift->model, theta, i);
  ret_look->gradient_sq = norm_sq(room, n);
  return look_elsewhere(engine, p, ret_look);
}
