/* Ask and tell: see sprint.h, tier 4, and Algorithm 1 of arXiv 2509.17304 as MATH.md section 3 repairs it. */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

#include "base/group.h"
#include "base/vector.h"
#include "population/population.h"
#include "solver/listed.h"

void sprint_solver_free(sprint_solver *solver) {
  if (!solver) return;
  if (solver->estimator && solver->estimator->free) solver->estimator->free(solver);
  sprint__listed_end(solver);
  sprint__schedule_free(solver->schedule);
  sprint__free(solver->theta);
  sprint__free(solver->direction);
  sprint__free(solver->gathered.gradient);
  sprint__free(solver->gathered.count);
  sprint__free(solver->gathered.p);
  sprint__free(solver->gathered.loss);
  sprint__free(solver);
}

const sprint_real *sprint_solver_theta(const sprint_solver *solver) { return solver->theta; }
const sprint_real *sprint_solver_direction(const sprint_solver *solver) { return solver->direction; }
sprint_counters sprint_solver_counters(const sprint_solver *solver) { return solver->cost; }
sprint_stop sprint_solver_stop(const sprint_solver *solver) { return solver->stop; }

void sprint_solver_halt(sprint_solver *solver, sprint_stop reason) {
  if (solver->stop == SPRINT_STOP_RUNNING) solver->stop = reason;
}

bool sprint__solver_coupled(const sprint_solver *solver) {
  bool coupled = false;
  if (solver->estimator->control) solver->estimator->control(solver, NULL, &coupled, NULL);
  return coupled;
}

static sprint_status allocate(sprint_solver *solver) {
  sprint_context *context = solver->context;
  size_t d = solver->n_params, strata = solver->n_strata;
  solver->theta = sprint__alloc(context, d, sizeof(sprint_real));
  solver->direction = sprint__alloc(context, d, sizeof(sprint_real));
  solver->gathered.gradient = sprint__alloc(context, strata * d, sizeof(double));
  solver->gathered.count = sprint__alloc(context, strata, sizeof(size_t));
  solver->gathered.p = sprint__alloc(context, strata, sizeof(double));
  solver->gathered.loss = sprint__alloc(context, strata, sizeof(double));
  bool ok = solver->theta && solver->direction && solver->gathered.gradient && solver->gathered.count &&
            solver->gathered.p && solver->gathered.loss;
  return ok ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status fill(sprint_solver *solver, const struct sprint__method *method, const sprint_real *theta) {
  const struct sprint__section *section = method->method;
  solver->estimator = section->kind->ops;
  SPRINT__TRY(allocate(solver));
  memcpy(solver->theta, theta, solver->n_params * sizeof *theta);
  solver->batch = (size_t)sprint__get_integer(section, "batch");
  uint64_t inner = (uint64_t)sprint__get_integer(section, "inner");
  uint64_t sweep = solver->estimator->full ? 1 : (solver->n + solver->batch - 1) / solver->batch;
  solver->inner = inner ? inner : sweep;
  SPRINT__TRY(sprint__deploy_read(method->deploy, &solver->deploy));
  solver->radius = sprint__get_real(method->step, "radius");
  solver->rules = sprint__stop_read(method->stop);
  solver->first_loss = NAN;
  SPRINT__TRY(sprint__schedule_build(method->step, sprint__stop_planned_steps(&solver->rules, solver->inner),
                                     solver->inner, &solver->schedule));
  return solver->estimator->setup ? solver->estimator->setup(solver, section) : SPRINT_OK;
}

sprint_status sprint__solver_build(sprint_context *context, const struct sprint__method *method,
                                   const sprint_solver_options *options, sprint_solver **ret_solver) {
  if (!options->model || !options->theta || options->n == 0)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "a solver needs a model, a starting point and n of at least 1");
  sprint_solver *solver = sprint__alloc(context, 1, sizeof *solver);
  if (!solver) return SPRINT_ERROR_MEMORY;
  solver->context = context;
  solver->model = options->model;
  solver->n = options->n;
  solver->n_strata = options->n_strata ? options->n_strata : 1;
  solver->n_params = options->model->n_params;
  sprint_status status = fill(solver, method, options->theta);
  if (status != SPRINT_OK) {
    sprint_solver_free(solver);
    return status;
  }
  *ret_solver = solver;
  return SPRINT_OK;
}

/* A new deployment where there is none yet, where the estimator insists, or where the policy's turn has come; never
 * of the same theta twice. */
static bool must_deploy(const sprint_solver *solver, bool insists) {
  if (solver->cost.deployments == 0) return true;
  if (solver->steps_since_deploy == 0) return false;
  return insists || solver->deploy.ops->due(&solver->deploy, solver->steps_since_deploy);
}

sprint_status sprint_solver_ask(sprint_solver *solver, sprint_want *ret_want) {
  if (!solver->asked) {
    sprint_want want = {.step = solver->cost.steps, .epoch = solver->cost.epochs, .theta = solver->theta};
    bool insists = solver->snapshot_next = solver->estimator->want(solver, &want);
    want.n = want.kind == SPRINT_WANT_BATCH ? solver->batch : solver->n;
    want.deploy = must_deploy(solver, insists);
    want.deployment = solver->cost.deployments + want.deploy;
    solver->wanted = want;
    if (solver->stop == SPRINT_STOP_RUNNING) solver->stop = sprint__stop_check(solver);
    if (solver->stop == SPRINT_STOP_RUNNING) {
      solver->asked = true;
      solver->cost.deployments += want.deploy;
      if (want.deploy) solver->steps_since_deploy = 0;
    }
  }
  if (solver->stop != SPRINT_STOP_RUNNING) solver->wanted.kind = SPRINT_WANT_NOTHING;
  *ret_want = solver->wanted;
  return SPRINT_OK;
}

/* The penalty's gradient goes to v with the rest, which is then all there is. */
static void add_penalty(sprint_solver *solver, struct sprint__estimate *estimate) {
  if (solver->model->l2 == 0) return;
  for (size_t i = 0; i < solver->n_params; i++)
    solver->direction[i] = estimate->scale * solver->direction[i] + (estimate->control ? estimate->control[i] : 0) +
                           (sprint_real)sprint__model_decay(solver->model, solver->theta, i);
  estimate->scale = 1;
  estimate->control = NULL;
}

/* v := scale * v + control, theta -= size * v, in one sweep; returns whether all of theta is finite: inf and nan leave
 * nan behind. */
SPRINT__FAST static bool descend(sprint_real *restrict theta, sprint_real *restrict v,
                                 const struct sprint__estimate *estimate, sprint_real size, size_t n) {
  const sprint_real *restrict control = estimate->control;
  sprint_real scale = estimate->scale, zero = 0;
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

/* theta := project(theta - gamma v) onto the ball of the radius; returns whether it is finite. */
static bool take_step(sprint_solver *solver, const struct sprint__estimate *estimate, const struct sprint__rows *rows) {
  sprint_real size = (sprint_real)sprint__schedule_size(solver->schedule, solver->cost.steps);
  bool first_finite = !rows->delta || sprint__listed_step(solver, rows, estimate, size);
  size_t done = rows->delta ? (solver->listed->in + 1) * solver->listed->out : 0;
  struct sprint__estimate rest = *estimate;
  if (rest.control) rest.control += done;
  bool finite = descend(solver->theta + done, solver->direction + done, &rest, size, solver->n_params - done);
  if (solver->radius > 0) {
    double norm = sqrt(sprint__norm_sq(solver->theta, solver->n_params));
    if (norm > solver->radius)
      for (size_t i = 0; i < solver->n_params; i++) solver->theta[i] *= (sprint_real)(solver->radius / norm);
  }
  solver->cost.steps++;
  solver->steps_since_deploy++;
  if (++solver->epoch_step == solver->inner) {
    solver->epoch_step = 0;
    solver->cost.epochs++;
    sprint__listed_settle(solver, solver->theta);
  }
  return finite && first_finite;
}

static void advance(sprint_solver *solver, struct sprint__estimate *estimate, const struct sprint__rows *rows) {
  if (isnan(solver->first_loss)) solver->first_loss = estimate->loss;
  add_penalty(solver, estimate);
  bool finite = take_step(solver, estimate, rows);
  if (!finite || sprint__stop_exploded(solver, estimate->loss)) solver->stop = SPRINT_STOP_DIVERGED;
}

/* The rows start .. end of records. */
static struct sprint__rows rows_of(const sprint_records *records, size_t d, size_t start, size_t end) {
  return (struct sprint__rows){
      .n = end - start,
      .x = records->x ? records->x + start * d : NULL,
      .y = records->y + start,
      .pixels = records->images ? &records->images->pixels : NULL,
      .who = records->who ? records->who + start : NULL,
  };
}

/* Adds rows start .. end of the records, all of one stratum. */
static void gather_run(sprint_solver *solver, const sprint_records *records, size_t start, size_t end, size_t stratum) {
  struct sprint__gathered *gathered = &solver->gathered;
  struct sprint__rows rows = rows_of(records, solver->model->n_features, start, end);
  if (solver->listed) rows.trace = solver->listed->trace;
  struct sprint__sums sums;
  sprint__model_add_sums(solver->model, solver->theta, &rows, 1, gathered->count[stratum] > 0,
                         gathered->gradient + stratum * solver->n_params, &sums);
  gathered->count[stratum] += rows.n;
  gathered->n += rows.n;
  gathered->loss[stratum] += sums.loss;
}

struct mean_work {
  const sprint_solver *solver;
  const struct sprint__gathered *gathered;
  const double *p;
  sprint_real *mean;
};

/* Below this a stratum's share is far beneath the rounding of any other. */
#define NEVER 1e-30

enum { CHUNK = 256 }; /* parameters */

SPRINT__FAST static void mean_chunk(const struct mean_work *work, size_t start, size_t n) {
  const struct sprint__gathered *gathered = work->gathered;
  double sums[CHUNK] = {0};
  for (size_t c = 0; c < work->solver->n_strata; c++) {
    if (gathered->count[c] == 0 || work->p[c] <= NEVER) continue;
    double weight = work->p[c] / (double)gathered->count[c];
    const double *part = gathered->gradient + c * work->solver->n_params + start;
    for (size_t i = 0; i < n; i++) sums[i] += weight * part[i];
  }
  for (size_t i = 0; i < n; i++) work->mean[start + i] = (sprint_real)sums[i];
}

static void mean_chunks(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct mean_work *work = user;
  size_t n = work->solver->n_params;
  for (size_t c = start; c < end; c++) mean_chunk(work, c * CHUNK, n - c * CHUNK < CHUNK ? n - c * CHUNK : CHUNK);
}

void sprint__gathered_mean(const sprint_solver *solver, const struct sprint__gathered *gathered, const double *p,
                           sprint_real *ret_mean) {
  struct mean_work work = {solver, gathered, p, ret_mean};
  size_t chunks = (solver->n_params + CHUNK - 1) / CHUNK;
  int n_lanes = sprint__lanes_for(chunks, 10.0 * CHUNK * (double)solver->n_strata, 0);
  sprint__lanes_run(solver->context, chunks, n_lanes, mean_chunks, &work);
}

static void gather_clear(sprint_solver *solver) {
  struct sprint__gathered *gathered = &solver->gathered;
  memset(gathered->count, 0, solver->n_strata * sizeof(size_t));
  memset(gathered->loss, 0, solver->n_strata * sizeof(double));
  gathered->n = 0;
}

static sprint_status tell_population(sprint_solver *solver, const sprint_records *records) {
  struct sprint__gathered *gathered = &solver->gathered;
  if (gathered->n == 0) gather_clear(solver);
  for (size_t start = 0, end; start < records->n; start = end) {
    size_t stratum = records->stratum ? records->stratum[start] : 0;
    for (end = start + 1; end < records->n && records->stratum && records->stratum[end] == stratum;) end++;
    if (!records->stratum) end = records->n;
    gather_run(solver, records, start, end, solver->n_strata == 1 ? 0 : stratum);
  }
  if (!records->last) return SPRINT_OK;
  if (gathered->n == 0)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "a population of no records was told");
  const double *p = solver->n_strata > 1 ? records->p : NULL;
  for (size_t c = 0; c < solver->n_strata; c++) {
    gathered->p[c] = p ? p[c] : (double)gathered->count[c] / (double)gathered->n;
    if (gathered->p[c] > 0 && gathered->count[c] == 0) {
      gathered->n = 0;
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                         "stratum %zu has probability %g but none of the population's records", c, gathered->p[c]);
    }
  }
  solver->cost.ifo += gathered->n;
  solver->cost.samples += gathered->n;
  struct sprint__estimate estimate = {.scale = 1};
  for (size_t c = 0; c < solver->n_strata; c++) estimate.loss += gathered->loss[c] / (double)gathered->n;
  bool ready = solver->estimator->population(solver, gathered, &estimate);
  gathered->n = 0;
  solver->asked = false;
  struct sprint__rows everybody = {0};
  if (ready) advance(solver, &estimate, &everybody);
  return SPRINT_OK;
}

static sprint_status tell_batch(sprint_solver *solver, const sprint_records *records) {
  if (records->n != solver->wanted.n)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "a batch of %zu records was told; %zu were wanted",
                       records->n, solver->wanted.n);
  struct sprint__estimate estimate = {.scale = (sprint_real)(1.0 / (double)records->n), .steady = true};
  struct sprint__rows rows = rows_of(records, solver->model->n_features, 0, records->n);
  sprint__listed_take(solver, &rows);
  solver->estimator->batch(solver, records, &rows, &estimate);
  solver->cost.ifo += estimate.ifo;
  solver->cost.samples += records->n;
  solver->asked = false;
  advance(solver, &estimate, &rows);
  return SPRINT_OK;
}

static sprint_status check_strata(const sprint_solver *solver, const sprint_records *records) {
  if (solver->n_strata == 1) return SPRINT_OK;
  double sum = records->p ? 0 : 1;
  for (size_t c = 0; records->p && c < solver->n_strata; c++) sum += records->p[c] >= 0 ? records->p[c] : NAN;
  if (!(fabs(sum - 1) < 1e-6))
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "the strata probabilities told add up to %g; 1 was expected", sum);
  if (!records->stratum) return SPRINT_OK;
  for (size_t i = 0; i < records->n; i++)
    if (records->stratum[i] >= solver->n_strata)
      return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "record %zu is of stratum %u; there are %zu", i,
                         (unsigned)records->stratum[i], solver->n_strata);
  return SPRINT_OK;
}

static sprint_status check_records(const sprint_solver *solver, const sprint_records *records) {
  if (records->n > 0 && (!records->y || (!records->x && (!records->images || !records->who))))
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "the records told have no x or no y");
  if (records->n == 0 || records->x) return SPRINT_OK;
  if (!records->images->bytes || !solver->model->ops->reads_pixels || records->images->d != solver->model->n_features)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "records without x were told; a network and images kept as bytes were expected");
  return SPRINT_OK;
}

sprint_status sprint_solver_tell(sprint_solver *solver, const sprint_records *records) {
  if (!solver->asked)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT, "records were told that nothing had asked for");
  SPRINT__TRY(check_records(solver, records));
  SPRINT__TRY(check_strata(solver, records));
  SPRINT__TRY(sprint__model_check_labels(solver->model, records->y, records->n));
  return solver->wanted.kind == SPRINT_WANT_BATCH ? tell_batch(solver, records) : tell_population(solver, records);
}
