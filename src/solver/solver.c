/* Solvers, what they ask for, and their steps: see sprint.h, tier 4, and Algorithm 1 of arXiv 2509.17304 as
 * docs/math.md section 3 repairs it. */
#include "solver/solver.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/group.h"
#include "base/lanes.h"
#include "base/sized.h"
#include "base/vector.h"
#include "population/population.h"

void sprint_solver_free(sprint_solver *solver) {
  if (!solver) return;
  sprint__arena_free(&solver->arena);
  sprint__free(solver);
}

const sprint_real *sprint_solver_theta(const sprint_solver *solver) { return solver ? solver->theta : NULL; }
const sprint_real *sprint_solver_direction(const sprint_solver *solver) { return solver ? solver->direction : NULL; }
sprint_counters sprint_solver_counters(const sprint_solver *solver) {
  return solver ? solver->cost : (sprint_counters){0};
}
double sprint_solver_gradient_sq(const sprint_solver *solver) { return solver ? solver->gradient_sq : NAN; }
sprint_stop sprint_solver_stop(const sprint_solver *solver) { return solver ? solver->stop : SPRINT_STOP_RUNNING; }

sprint_drift sprint__solver_drift(const sprint_solver *solver, const double *p) {
  if (solver->estimator->drift) return solver->estimator->drift(solver, p);
  return (sprint_drift){sizeof(sprint_drift), NAN, NAN, NAN, NAN, 0};
}

sprint_status sprint_solver_drift(const sprint_solver *solver, sprint_drift *ret_drift) {
  if (!solver) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(solver->context, ret_drift);
  sprint_drift drift = sprint__solver_drift(solver, NULL);
  return SPRINT__SIZED_GIVE(solver->context, sprint_drift, &drift, ret_drift);
}

void sprint_solver_halt(sprint_solver *solver, sprint_stop reason) {
  if (solver && solver->stop == SPRINT_STOP_RUNNING) solver->stop = reason;
}

/* As the model's sums over a batch are. */
static sprint_status cut_theta(sprint_solver *solver) {
  struct sprint__stretches *cut = &solver->cut;
  *cut = solver->model->stretches;
  cut->all = sprint__arena_take(&solver->arena, cut->n_stretches, sizeof *cut->all);
  if (!cut->all) return SPRINT_ERROR_MEMORY;
  sprint__model_stretches(solver->model, solver->batch, cut->all);
  return SPRINT_OK;
}

static sprint_status fill(sprint_solver *solver, const struct sprint__method *method, const sprint_real *theta) {
  const struct sprint__section *section = method->method;
  solver->estimator = section->kind->ops;
  solver->theta = sprint__arena_take(&solver->arena, solver->n_params, sizeof(sprint_real));
  solver->direction = sprint__arena_take(&solver->arena, solver->n_params, sizeof(sprint_real));
  SPRINT__TRY(sprint__arena_status(&solver->arena));
  memcpy(solver->theta, theta, solver->n_params * sizeof *theta);
  solver->first_norm = sqrt(sprint__norm_sq(theta, solver->n_params));
  solver->first_penalty = sprint__model_penalty(solver->model, theta);
  solver->batch = (size_t)sprint__get_integer(section, "batch");
  SPRINT__TRY(cut_theta(solver));
  uint64_t inner = (uint64_t)sprint__get_integer(section, "inner");
  if (solver->n == 0 && solver->estimator->full)
    return sprint__refuse(section, "kind", "'%s' looks at everybody, and this population has no end",
                          section->kind->name);
  if (solver->n == 0 && inner == 0)
    return sprint__refuse(section, "inner", "a population without end has no n/b; steps of an epoch, m, were expected");
  uint64_t sweep = solver->estimator->full ? 1 : (solver->n + solver->batch - 1) / solver->batch;
  solver->inner = inner ? inner : sweep;
  SPRINT__TRY(sprint__deploy_read(method->deploy, solver->inner, &solver->deploy));
  solver->radius = sprint__get_real(method->step, "radius");
  solver->rules = sprint__stop_read(method->stop);
  solver->first_loss = solver->gradient_sq = NAN;
  struct sprint__schedule_frame frame = {&solver->arena, sprint__stop_planned_steps(&solver->rules, solver->inner),
                                         solver->inner, solver->n_params};
  SPRINT__TRY(sprint__schedule_build(method->step, &frame, &solver->schedule));
  return solver->estimator->setup ? solver->estimator->setup(solver, section) : SPRINT_OK;
}

static sprint_status keep_strata_sizes(sprint_solver *solver, const sprint_solver_options *options) {
  if (solver->n_strata == 1) {
    solver->strata_sizes = sprint__arena_take(&solver->arena, 1, sizeof *solver->strata_sizes);
    if (solver->strata_sizes)
      solver->strata_sizes[0] = options->strata_sizes ? options->strata_sizes[0] : (double)solver->n;
    return sprint__arena_status(&solver->arena);
  }
  if (!options->strata_sizes) return SPRINT_OK;
  solver->strata_sizes = sprint__arena_take(&solver->arena, solver->n_strata, sizeof *solver->strata_sizes);
  if (!solver->strata_sizes) return SPRINT_ERROR_MEMORY;
  memcpy(solver->strata_sizes, options->strata_sizes, solver->n_strata * sizeof *solver->strata_sizes);
  return SPRINT_OK;
}

static sprint_status check_start(sprint_context *context, const sprint_solver_options *options) {
  size_t i = 0, n = options->model->n_params;
  if (sprint__all_finite(options->theta, n)) return SPRINT_OK;
  while (isfinite(options->theta[i])) i++;
  return sprint_fail(context, SPRINT_ERROR_ARGUMENT,
                     "number %zu of the starting point's %zu is %g; a finite number was expected", i, n,
                     (double)options->theta[i]);
}

sprint_status sprint__solver_build(sprint_context *context, const struct sprint__method *method,
                                   const sprint_solver_options *options, sprint_solver **ret_solver) {
  if (!options->model || !options->theta)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "a solver needs a model and a starting point");
  SPRINT__TRY(check_start(context, options));
  SPRINT__SCOPED(sprint_solver_free) sprint_solver *solver = sprint__alloc(context, 1, sizeof *solver);
  if (!solver) return SPRINT_ERROR_MEMORY;
  solver->context = solver->arena.context = context;
  solver->model = options->model;
  solver->shift = options->shift;
  solver->seed = options->seed;
  solver->step_factor = 1;
  solver->still = options->still;
  solver->n = options->n;
  solver->n_strata = options->n_strata ? options->n_strata : 1;
  solver->n_params = options->model->n_params;
  SPRINT__TRY(keep_strata_sizes(solver, options));
  SPRINT__TRY(fill(solver, method, options->theta));
  *ret_solver = sprint__give(&solver);
  return SPRINT_OK;
}

/* A new deployment where there is none yet, where the estimator insists or tries another theta, or where the policy's
 * turn has come; never of the same theta twice. */
static bool must_deploy(const sprint_solver *solver, const sprint_want *want, bool insists) {
  if (solver->cost.deployments == 0 || want->theta != solver->theta || solver->deployed_other) return true;
  if (solver->steps_since_deploy == 0) return false;
  return insists || solver->deploy.ops->due(&solver->deploy, solver->steps_since_deploy);
}

sprint_status sprint_solver_ask(sprint_solver *solver, sprint_want *ret_want) {
  if (!solver) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(solver->context, ret_want);
  SPRINT__TRY(sprint__solver_check_whole(solver));
  if (!solver->asked) {
    sprint_want want = {
        .size = sizeof want, .step = solver->cost.steps, .epoch = solver->cost.epochs, .theta = solver->theta};
    bool insists = solver->estimator->want(solver, &want);
    solver->snapshot_next = insists && !solver->steps_by_snapshots;
    if (want.n == 0) want.n = want.kind == SPRINT_WANT_BATCH ? solver->batch : solver->n;
    want.deploy = must_deploy(solver, &want, insists);
    want.deployment = solver->cost.deployments + want.deploy;
    if (solver->inbox) want.request = solver->inbox->request + 1;
    solver->wanted = want;
    if (solver->stop == SPRINT_STOP_RUNNING) solver->stop = sprint__stop_check(solver);
    if (solver->stop == SPRINT_STOP_RUNNING) {
      solver->asked = true;
      if (solver->inbox) solver->inbox->request = want.request;
      solver->cost.deployments += want.deploy;
      if (want.deploy) solver->steps_since_deploy = 0;
      if (want.deploy) solver->deployed_other = want.theta != solver->theta;
      if (want.deploy && solver->deployed)
        sprint__long_copy(solver->context, &solver->cut, want.theta, solver->deployed);
    }
  }
  if (solver->stop != SPRINT_STOP_RUNNING) solver->wanted.kind = SPRINT_WANT_NOTHING;
  return SPRINT__SIZED_GIVE(solver->context, sprint_want, &solver->wanted, ret_want);
}

/* The penalty's gradient goes to v with the rest, which is then all there is. */
static void add_penalty(sprint_solver *solver, struct sprint__estimate *estimate) {
  if (solver->model->l2 == 0 || estimate->next || estimate->penalized) return;
  for (size_t i = 0; i < solver->n_params; i++)
    solver->direction[i] = estimate->scale * solver->direction[i] + (estimate->control ? estimate->control[i] : 0) +
                           (sprint_real)sprint__model_decay(solver->model, solver->theta, i);
  estimate->scale = 1;
  estimate->control = NULL;
}

/* In one sweep; inf and nan leave nan behind. */
SPRINT__FAST bool sprint__descend(sprint_real *restrict theta, sprint_real *restrict v, sprint_real scale,
                                  const sprint_real *restrict control, sprint_real size, size_t n) {
  sprint_real zero = 0;
  group zeros = {0};
  size_t i = 0;
  for (; i + G <= n; i += G) {
    group step = scale * load(v + i);
    if (control) step += load(control + i);
    group moved = load(theta + i) - size * step;
    store(v + i, step);
    store(theta + i, moved);
    zeros += moved * 0;
  }
  for (; i < n; i++) {
    v[i] = scale * v[i] + (control ? control[i] : 0);
    theta[i] -= size * v[i];
    zero += theta[i] * 0;
  }
  return zero + total(zeros) == 0;
}

/* theta -= size * v, v being what the estimator found: each number by itself, so that the cut does not matter as long
 * as it is always the same. */
struct descent {
  sprint_solver *solver;
  const struct sprint__estimate *estimate;
  sprint_real size;
  bool broken[SPRINT__MAX_LANES];
};

static void descend_range(void *user, int lane, size_t first, size_t end) {
  struct descent *descent = user;
  sprint_solver *solver = descent->solver;
  const sprint_real *control = descent->estimate->control;
  bool finite = sprint__descend(solver->theta + first, solver->direction + first, descent->estimate->scale,
                                control ? control + first : NULL, descent->size, end - first);
  if (!finite) descent->broken[lane] = true;
}

/* Returns whether all of theta is finite. */
static bool descend(sprint_solver *solver, const struct sprint__estimate *estimate, sprint_real size) {
  enum { COST = 20 }; /* a number of four arrays read, and of two written, takes as long as so many multiplications */
  struct descent descent = {.solver = solver, .estimate = estimate, .size = size};
  const struct sprint__stretches *all = &solver->cut;
  sprint__long_run(solver->context, all, sprint__long_cost(all, COST), descend_range, &descent);
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++)
    if (descent.broken[lane]) return false;
  return true;
}

static sprint_real step_size(const sprint_solver *solver) {
  return (sprint_real)(solver->step_factor * solver->schedule->ops->size(solver->schedule, solver->cost.steps));
}

/* theta := its projection onto the ball of the radius. */
static void project(sprint_solver *solver) {
  if (solver->radius <= 0) return;
  double norm = sqrt(sprint__norm_sq(solver->theta, solver->n_params));
  if (norm <= solver->radius) return;
  for (size_t i = 0; i < solver->n_params; i++) solver->theta[i] *= (sprint_real)(solver->radius / norm);
}

/* Whether theta is gone, seen where an epoch ends: every step would be too costly for what batches seldom miss. */
static bool has_left(const sprint_solver *solver) {
  if (solver->epoch_step != 0) return false;
  double penalty = sprint__model_penalty(solver->model, solver->theta);
  return sprint__stop_exploded(&solver->rules, solver->first_loss, penalty) || sprint__stop_theta_exploded(solver);
}

/* theta has moved, by a step whose records had this mean loss. */
static void count_step(sprint_solver *solver, double loss, bool finite) {
  if (isnan(solver->first_loss)) solver->first_loss = loss + solver->first_penalty;
  solver->cost.steps++;
  solver->steps_since_deploy++;
  if (++solver->epoch_step == solver->inner || solver->ends_epoch) {
    solver->epoch_step = 0;
    solver->ends_epoch = false;
    solver->cost.epochs++;
  }
  if (!finite || sprint__stop_exploded(&solver->rules, solver->first_loss, loss) || has_left(solver))
    solver->stop = SPRINT_STOP_DIVERGED;
}

/* theta := what the estimator found, and v the way there. */
static bool jump(sprint_solver *solver, const sprint_real *next) {
  for (size_t i = 0; i < solver->n_params; i++) {
    solver->direction[i] = solver->theta[i] - next[i];
    solver->theta[i] = next[i];
  }
  return sprint__all_finite(solver->theta, solver->n_params);
}

/* theta -= gamma u, where u is what the step rule makes of v. */
static bool turn_and_descend(sprint_solver *solver, const struct sprint__estimate *estimate) {
  struct sprint__schedule *schedule = solver->schedule;
  sprint_real size = step_size(solver);
  descend(solver, estimate, 0);
  const sprint_real *u = schedule->ops->turn(schedule, solver->direction, solver->cost.steps);
  for (size_t i = 0; i < solver->n_params; i++) solver->theta[i] -= size * u[i];
  return sprint__all_finite(solver->theta, solver->n_params);
}

/* theta := project(theta - gamma v). */
void sprint__solver_take_step(sprint_solver *solver, struct sprint__estimate *estimate) {
  bool finite;
  add_penalty(solver, estimate);
  if (estimate->next)
    finite = jump(solver, estimate->next);
  else if (solver->schedule->ops->turn)
    finite = turn_and_descend(solver, estimate);
  else
    finite = descend(solver, estimate, step_size(solver));
  project(solver);
  count_step(solver, estimate->loss, finite);
}

void sprint__solver_begin_step(sprint_solver *solver, const double *p, struct sprint__step *ret_step) {
  assert(solver->asked && solver->estimator->linear && !solver->schedule->ops->turn);
  assert(solver->model->l2 == 0 && solver->radius == 0);
  *ret_step = (struct sprint__step){solver->theta, solver->direction, step_size(solver), {0}};
  solver->estimator->linear(solver, p, &ret_step->linear);
}

void sprint__solver_end_step(sprint_solver *solver, const struct sprint__step *step, size_t n, double loss,
                             bool finite) {
  solver->cost.ifo += step->linear.ifo * n;
  solver->cost.samples += n;
  solver->asked = false;
  count_step(solver, loss, finite);
}
