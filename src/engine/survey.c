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
  bool keeps_records; /* as a snapshot does, where they will be gone */
  bool displaces;     /* how far people have moved is wanted too */
};

static sprint_status take(struct sprint__engine *engine, const struct taking *taking) {
  struct sprint__survey *survey = &engine->survey;
  sprint_shift *shift = engine->shift;
  bool displaced = taking->displaces && sprint__shift_moves(shift);
  double aside = 0;
  struct sprint__pass_options passing = {.theta = taking->theta,
                                         .deployed = taking->deployed,
                                         .sum = engine->ops->survey ? engine->ops->survey : engine->ops->sum,
                                         .user = engine,
                                         .ret_x = taking->keeps_records ? engine->anchor_x : NULL,
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
    struct taking taking = {solver->theta, engine->current.theta, solver->cost.steps, .keeps_records = true};
    SPRINT__TRY(take(engine, &taking));
    survey->own = own;
  }
  survey->told = true;
  return SPRINT_OK;
}

sprint_status sprint__survey_anchor(struct sprint__engine *engine, const struct sprint__linear *linear) {
  struct sprint__survey *survey = &engine->survey;
  if (survey->known && survey->told && survey->step == linear->anchor_step) return SPRINT_OK;
  struct taking taking = {.theta = linear->anchor, .deployed = engine->anchor.theta, .step = linear->anchor_step};
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
    struct taking taking = {.theta = linear->anchor, .deployed = engine->current.theta, .step = linear->anchor_step};
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

/* room := E[grad l(z~; theta~)] - g^, which is grad J(theta; deployed) - E[v]. *ret_known false: nobody can say. */
static sprint_status look_at_correction(struct sprint__engine *engine, double *room, bool *ret_known) {
  sprint_solver *solver = engine->solver;
  struct sprint__linear linear = {0};
  *ret_known = solver->estimator->unbiased || (solver->estimator->linear && !engine->tap);
  for (size_t i = 0; i < solver->n_params; i++) room[i] = 0;
  if (solver->estimator->unbiased || !*ret_known) return SPRINT_OK;
  solver->estimator->linear(solver, sprint__engine_p(engine), &linear);
  if (!linear.anchor) return SPRINT_OK;
  SPRINT__TRY(survey_references(engine, &linear, ret_known));
  mean_gradient(engine, engine->current.p, room);
  for (size_t i = 0; i < solver->n_params; i++) room[i] -= (double)linear.control[i];
  return SPRINT_OK;
}

/* engine->expected := E[v] at theta, without the penalty's part: grad J(theta; deployed) - room. */
static sprint_status look_at_deployed(struct sprint__engine *engine, const double *room) {
  const sprint_solver *solver = engine->solver;
  bool moves = sprint__shift_moves(engine->shift);
  if (engine->ops->settle) engine->ops->settle(engine);
  struct taking taking = {.theta = solver->theta, .deployed = engine->current.theta, .step = solver->cost.steps};
  SPRINT__TRY(take(engine, &taking));
  engine->survey.own = !moves; /* then it is also what D(theta) has */
  engine->survey.known = !moves;
  mean_gradient(engine, engine->current.p, engine->expected);
  for (size_t i = 0; i < solver->n_params; i++) engine->expected[i] -= room[i];
  return SPRINT_OK;
}

sprint_status sprint__engine_bias(struct sprint__engine *engine, double *room, double *ret_bias) {
  const sprint_solver *solver = engine->solver;
  bool known = false;
  engine->lags = false;
  *ret_bias = NAN;
  if (!sprint__engine_is_finite(engine) || !sprint__all_finite(solver->theta, solver->n_params)) return SPRINT_OK;
  SPRINT__TRY(look_at_correction(engine, room, &known));
  if (!known) return SPRINT_OK;
  *ret_bias = sqrt(norm_sq(room, solver->n_params));
  engine->lags = solver->steps_since_deploy > 1; /* the newest step was not of the theta that is deployed */
  return engine->lags && engine->expected ? look_at_deployed(engine, room) : SPRINT_OK;
}

/* |E[v] - gradient|, E[v] being what the bias was looked at with; NaN where that is not known. */
static double bias_against(const struct sprint__engine *engine, const double *gradient) {
  double square = 0;
  if (!engine->expected) return NAN;
  for (size_t i = 0; i < engine->solver->n_params; i++) {
    double away = engine->expected[i] - gradient[i];
    square += away * away;
  }
  return sqrt(square);
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
  if (!engine->heldout_pass.population || !sprint__shift_moves_outsiders(engine->shift)) return SPRINT_OK;
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
    SPRINT__TRY(take(engine, &(struct taking){theta, theta, engine->solver->cost.steps, .displaces = true}));
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
  if (engine->lags) ret_look->bias = bias_against(engine, room);
  for (size_t i = 0; i < n; i++) room[i] += sprint__model_decay(engine->shift->model, theta, i);
  ret_look->gradient_sq = norm_sq(room, n);
  return look_elsewhere(engine, p, ret_look);
}
