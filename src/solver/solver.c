/* Ask and tell: see sprint.h, tier 4, and Algorithm 1 of arXiv 2509.17304 as docs/math.md section 3 repairs it. */
#include "solver/solver.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/group.h"
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
  if (!solver->asked) {
    sprint_want want = {
        .size = sizeof want, .step = solver->cost.steps, .epoch = solver->cost.epochs, .theta = solver->theta};
    bool insists = solver->estimator->want(solver, &want);
    solver->snapshot_next = insists && !solver->steps_by_snapshots;
    if (want.n == 0) want.n = want.kind == SPRINT_WANT_BATCH ? solver->batch : solver->n;
    want.deploy = must_deploy(solver, &want, insists);
    want.deployment = solver->cost.deployments + want.deploy;
    solver->wanted = want;
    if (solver->stop == SPRINT_STOP_RUNNING) solver->stop = sprint__stop_check(solver);
    if (solver->stop == SPRINT_STOP_RUNNING) {
      solver->asked = true;
      solver->cost.deployments += want.deploy;
      if (want.deploy) solver->steps_since_deploy = 0;
      if (want.deploy) solver->deployed_other = want.theta != solver->theta;
      if (want.deploy && solver->deployed) memcpy(solver->deployed, want.theta, solver->n_params * sizeof *want.theta);
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
  sprint__descend(solver->theta, solver->direction, estimate->scale, estimate->control, 0, solver->n_params);
  const sprint_real *u = schedule->ops->turn(schedule, solver->direction, solver->cost.steps);
  for (size_t i = 0; i < solver->n_params; i++) solver->theta[i] -= size * u[i];
  return sprint__all_finite(solver->theta, solver->n_params);
}

/* theta := project(theta - gamma v). */
static void take_step(sprint_solver *solver, struct sprint__estimate *estimate) {
  bool finite;
  add_penalty(solver, estimate);
  if (estimate->next)
    finite = jump(solver, estimate->next);
  else if (solver->schedule->ops->turn)
    finite = turn_and_descend(solver, estimate);
  else
    finite = sprint__descend(solver->theta, solver->direction, estimate->scale, estimate->control, step_size(solver),
                             solver->n_params);
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

/* The rows start .. end of records; weighs: by their weights. */
static struct sprint__rows rows_of(const sprint_records *records, size_t d, size_t start, size_t end, bool weighs) {
  return (struct sprint__rows){
      .n = end - start,
      .x = records->x ? records->x + start * d : NULL,
      .y = records->y + start,
      .pixels = records->images ? &records->images->pixels : NULL,
      .who = records->who ? records->who + start : NULL,
      .weight = weighs && records->weight ? records->weight + start : NULL,
  };
}

static void sum_by_model(void *user, const sprint_real *theta, const struct sprint__rows *rows,
                         const struct sprint__total *total, struct sprint__sums *ret_sums) {
  sprint__model_sums_to(user, theta, rows, total, ret_sums);
}

void sprint__solver_add_records(sprint_solver *solver, const sprint_records *records, const sprint_real *theta,
                                sprint__sum_rows sum, void *sum_user, struct sprint__strata_sums *all) {
  if (!sum) sum_user = solver->model;
  if (!sum) sum = sum_by_model;
  for (size_t start = 0, end; start < records->n; start = end) {
    size_t stratum = records->stratum ? records->stratum[start] : 0, c = solver->n_strata == 1 ? 0 : stratum;
    for (end = start + 1; end < records->n && records->stratum && records->stratum[end] == stratum;) end++;
    if (!records->stratum) end = records->n;
    struct sprint__rows rows = rows_of(records, solver->model->n_features, start, end, true);
    struct sprint__total total = {all->gradient + c * solver->n_params, 1, all->count[c] > 0};
    struct sprint__sums sums;
    sum(sum_user, theta, &rows, &total, &sums);
    sprint__strata_count(all, c, rows.n, rows.weight, sums.loss, sums.correct);
  }
}

bool sprint__solver_affords(const sprint_solver *solver, uint64_t ifo) {
  return solver->rules.ifo == 0 || solver->cost.ifo + ifo <= solver->rules.ifo;
}

bool sprint__solver_revisit(sprint_solver *solver, const sprint_real *theta, sprint__sum_rows sum, void *sum_user,
                            struct sprint__strata_sums *ret_sums) {
  if (solver->trouble != SPRINT_OK || !sprint__solver_affords(solver, solver->n)) return false;
  solver->trouble = solver->revisit.sums(solver->revisit.user, theta, sum, sum_user, ret_sums);
  if (solver->trouble == SPRINT_OK) solver->cost.ifo += ret_sums->n;
  return solver->trouble == SPRINT_OK;
}

sprint_status sprint__solver_tell_sums(sprint_solver *solver, const struct sprint__strata_sums *everybody) {
  solver->cost.ifo += everybody->n;
  solver->cost.samples += everybody->n;
  struct sprint__estimate estimate = {.scale = 1};
  double all = sprint__strata_weight(everybody);
  for (size_t c = 0; c < solver->n_strata; c++) estimate.loss += everybody->loss[c] / all;
  bool ready = solver->estimator->population(solver, everybody, &estimate);
  solver->asked = false;
  if (ready && solver->trouble == SPRINT_OK) take_step(solver, &estimate);
  return solver->trouble;
}

/* p := the strata probabilities told, or what the counts say, as always of a sample; of a population, a stratum that
 * can show up must have been told. */
static sprint_status settle_strata(sprint_solver *solver, const double *p) {
  struct sprint__strata_sums *told = &solver->told;
  double all = sprint__strata_weight(told);
  if (solver->wanted.kind == SPRINT_WANT_SAMPLE) p = NULL;
  for (size_t c = 0; c < solver->n_strata; c++) {
    told->p[c] = p ? p[c] : told->weight[c] / all;
    if (told->p[c] > 0 && told->weight[c] <= 0) {
      told->n = 0;
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                         "stratum %zu has probability %g but none of the population's records", c, told->p[c]);
    }
  }
  return SPRINT_OK;
}

/* A population or sample is as large as was wanted, and otherwise told again from the start. */
static sprint_status check_size(sprint_solver *solver, bool last) {
  size_t n = solver->told.n;
  if (last ? n == solver->wanted.n : n <= solver->wanted.n) return SPRINT_OK;
  solver->told.n = 0;
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "a %s of %zu records was told; %zu were wanted",
                     solver->wanted.kind == SPRINT_WANT_SAMPLE ? "sample" : "population", n, solver->wanted.n);
}

/* |grad J(theta; theta)|^2 of what was told; where stop.gradient is met, that is the end. */
static bool is_stable(sprint_solver *solver) {
  struct sprint__strata_parts parts = sprint__strata_parts_of(&solver->told);
  double square = 0;
  if (!sprint__solver_is_deployed(solver)) return false; /* the records are of an older theta */
  sprint__strata_mean(solver->context, &parts, solver->told.p, NULL, solver->gradient);
  for (size_t i = 0; i < solver->n_params; i++) {
    double g = solver->gradient[i] + sprint__model_decay(solver->model, solver->theta, i);
    square += g * g;
  }
  solver->gradient_sq = square;
  if (!(square <= solver->rules.gradient) || solver->rules.gradient <= 0) return false;
  solver->cost.ifo += solver->told.n;
  solver->cost.samples += solver->told.n;
  solver->asked = false;
  sprint_solver_halt(solver, SPRINT_STOP_GRADIENT);
  return true;
}

static sprint_status tell_population(sprint_solver *solver, const sprint_records *records) {
  struct sprint__strata_sums *told = &solver->told;
  if (told->n == 0) sprint__strata_sums_clear(told);
  if (told->n == 0 && solver->kept) sprint__kept_clear(solver);
  if (solver->kept) SPRINT__TRY(sprint__kept_add(solver, records));
  sprint__solver_add_records(solver, records, solver->theta, NULL, NULL, told);
  SPRINT__TRY(check_size(solver, records->last));
  if (!records->last) return SPRINT_OK;
  SPRINT__TRY(settle_strata(solver, solver->n_strata > 1 ? records->p : NULL));
  sprint_status status = is_stable(solver) ? SPRINT_OK : sprint__solver_tell_sums(solver, told);
  told->n = 0;
  return status;
}

static sprint_status tell_batch(sprint_solver *solver, const sprint_records *records) {
  if (records->n != solver->wanted.n)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "a batch of %zu records was told; %zu were wanted",
                       records->n, solver->wanted.n);
  struct sprint__estimate estimate = {.scale = (sprint_real)(1.0 / (double)records->n)};
  struct sprint__rows rows = rows_of(records, solver->model->n_features, 0, records->n, false);
  bool ready = solver->estimator->batch(solver, records, &rows, &estimate);
  solver->cost.ifo += estimate.ifo;
  solver->cost.samples += records->n;
  solver->asked = false;
  if (ready && solver->trouble == SPRINT_OK) take_step(solver, &estimate);
  return solver->trouble;
}

sprint_status sprint__solver_tell_made(sprint_solver *solver, const sprint_records *records) {
  if (!solver->asked)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "records were told that nothing had asked for");
  SPRINT__TRY(sprint__records_check(solver, records));
  return solver->wanted.kind == SPRINT_WANT_BATCH ? tell_batch(solver, records) : tell_population(solver, records);
}

sprint_status sprint_solver_tell(sprint_solver *solver, const sprint_records *told) {
  if (!solver) return SPRINT_ERROR_ARGUMENT;
  sprint_records records;
  SPRINT__SIZED_TAKE(solver->context, sprint_records, told, &records);
  SPRINT__TRY(sprint__records_are_finite(solver, &records));
  return sprint__solver_tell_made(solver, &records);
}
