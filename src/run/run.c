/* The driver loop: ask, deploy, draw, respond, tell; a trace row at every epoch. */
#define _POSIX_C_SOURCE 200809L
#include "run/run.h"

#include <string.h>
#include <time.h>

#include "base/team.h"
#include "run/sampler.h"
#include "solver/listed.h"

/* Seconds between calls of the observer within an epoch. */
#define REPORT_EVERY 0.1

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sprint__clock(void) { return seconds_of(CLOCK_MONOTONIC); }

/* The same, some milliseconds late, for a fifth of the price. */
static double clock_coarse(void) { return seconds_of(CLOCK_MONOTONIC_COARSE); }

void sprint_run_free(sprint_run *run) {
  if (!run) return;
  sprint_solver_free(run->solver);
  sprint__pass_clear(&run->pass);
  sprint__deployment_clear(&run->current);
  sprint__deployment_clear(&run->anchor);
  sprint__deployment_clear(&run->here);
  void *const owned[] = {run->name,       run->config_text, run->settings_text,
                         run->anchor_x,   run->who,         run->stratum,
                         run->x,          run->x_anchor,    run->y,
                         run->rows,       run->strata,      run->theta_before,
                         run->theta_seen, run->gradient,    run->control};
  for (size_t i = 0; i < SPRINT__COUNT(owned); i++) sprint__free(owned[i]);
  sprint_shift_free(run->owned_shift);
  sprint_model_free(run->owned_model);
  sprint__free(run);
}

sprint_stop sprint_run_stop(const sprint_run *run) { return run->solver->stop; }
const sprint_real *sprint_run_theta(const sprint_run *run) {
  const sprint_solver *solver = run->solver;
  if (!sprint__listed_lags(solver)) return solver->theta;
  memcpy(run->theta_seen, solver->theta, solver->n_params * sizeof *solver->theta);
  sprint__listed_settle(solver, run->theta_seen);
  return run->theta_seen;
}

const sprint_trace_row *sprint_run_trace(const sprint_run *run, size_t *ret_n_rows) {
  *ret_n_rows = run->n_rows;
  return run->rows;
}

const double *sprint_run_strata(const sprint_run *run, size_t row) {
  return run->strata + row * run->shift->population->n_strata;
}

uint64_t sprint_run_steps_planned(const sprint_run *run) {
  return sprint__stop_planned_steps(&run->solver->rules, run->solver->inner);
}

static sprint_status allocate(sprint_run *run) {
  sprint_context *context = run->context;
  const sprint_population *population = run->shift->population;
  size_t b = run->solver->batch, d = population->d, n_params = run->shift->model->n_params;
  SPRINT__TRY(sprint__pass_new(run->shift, &run->pass));
  SPRINT__TRY(sprint__deployment_new(run->shift, &run->current));
  SPRINT__TRY(sprint__deployment_new(run->shift, &run->anchor));
  SPRINT__TRY(sprint__deployment_new(run->shift, &run->here));
  run->who = sprint__alloc(context, b, sizeof *run->who);
  run->stratum = sprint__alloc(context, run->pass.room, sizeof *run->stratum);
  run->x = sprint__alloc(context, b, d * sizeof *run->x);
  run->x_anchor = sprint__alloc(context, b, d * sizeof *run->x);
  run->y = sprint__alloc(context, b, sizeof *run->y);
  run->theta_before = sprint__alloc(context, n_params, sizeof(sprint_real));
  run->theta_seen = sprint__alloc(context, n_params, sizeof(sprint_real));
  run->gradient = sprint__alloc(context, n_params, sizeof(double));
  run->control = sprint__alloc(context, n_params, sizeof(double));
  if (!run->who || !run->stratum || !run->x || !run->x_anchor || !run->y || !run->theta_before || !run->theta_seen ||
      !run->gradient || !run->control)
    return SPRINT_ERROR_MEMORY;
  if (run->shift->keeps_records && sprint__solver_coupled(run->solver)) {
    run->anchor_x = sprint__alloc(context, population->n, d * sizeof *run->anchor_x);
    if (!run->anchor_x) return SPRINT_ERROR_MEMORY;
  }
  return SPRINT_OK;
}

/* Room for the whole trace, where the epochs are bounded: a step allocates nothing. */
static sprint_status allocate_trace(sprint_run *run) {
  uint64_t epochs = sprint_run_steps_planned(run) / run->solver->inner;
  size_t rows = epochs < 100000 ? (size_t)(epochs / run->eval_every) + 3 : 1024;
  SPRINT__TRY(sprint__grow(run->context, (void **)&run->rows, 0, &run->n_rows_room, rows, sizeof *run->rows));
  return sprint__grow(run->context, (void **)&run->strata, 0, &run->n_strata_room,
                      rows * run->shift->population->n_strata, sizeof *run->strata);
}

static sprint_status check_bounded(const struct sprint__section *stop, const struct sprint__stop_rules *rules) {
  if (rules->epochs || rules->steps || rules->ifo || rules->samples || rules->deployments || rules->gradient > 0)
    return SPRINT_OK;
  return sprint__refuse(stop, "epochs", "nothing would ever end the run; at least one bound above 0 was expected");
}

static sprint_status start_solver(sprint_run *run, const struct sprint__plan *plan, const sprint_real *theta) {
  sprint_model *model = run->shift->model;
  const sprint_population *population = run->shift->population;
  sprint_real *start = sprint__alloc(run->context, model->n_params, sizeof *start);
  if (!start) return SPRINT_ERROR_MEMORY;
  if (theta)
    memcpy(start, theta, model->n_params * sizeof *start);
  else
    sprint_model_start(model, run->seed, start);
  sprint_solver_options options = {
      .model = model,
      .n = population->n,
      .n_strata = sprint__shift_reweights(run->shift) ? population->n_strata : 1,
      .theta = start,
  };
  sprint_status status = sprint__solver_build(run->context, &plan->method, &options, &run->solver);
  sprint__free(start);
  return status;
}

static sprint_status fill_run(sprint_run *run, const struct sprint__plan *plan, const sprint_run_options *options) {
  SPRINT__TRY(start_solver(run, plan, options->theta));
  SPRINT__TRY(check_bounded(plan->method.stop, &run->solver->rules));
  run->eval_every = (uint64_t)sprint__get_integer(plan->eval, "every");
  run->eval_bias = sprint__get_flag(plan->eval, "bias");
  SPRINT__TRY(allocate(run));
  if (!sprint__shift_moves(run->shift) && sprint__shift_refers(run->shift))
    SPRINT__TRY(sprint__listed_begin(run->solver, run->shift->population, sprint__shift_ignores(run->shift)));
  if (run->solver->listed && run->shift->ops->prepare)
    SPRINT__TRY(run->shift->ops->prepare(run->shift, run->solver->batch));
  return allocate_trace(run);
}

sprint_status sprint__run_build(sprint_context *context, const struct sprint__plan *plan,
                                const sprint_run_options *options, sprint_run **ret_run) {
  if (!options->shift) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "a run needs a shift");
  const sprint_population *population = options->shift->population, *heldout = options->heldout;
  if (heldout && (heldout->d != population->d || heldout->n_classes != population->n_classes))
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT,
                       "the held-out part has %zu features and %zu classes, the population %zu and %zu", heldout->d,
                       heldout->n_classes, population->d, population->n_classes);
  sprint_run *run = sprint__alloc(context, 1, sizeof *run);
  if (!run) return SPRINT_ERROR_MEMORY;
  run->context = context;
  run->shift = options->shift;
  run->heldout = options->heldout;
  run->seed = options->seed;
  run->evals_before = options->shift->evals;
  sprint_status status = fill_run(run, plan, options);
  if (status != SPRINT_OK) {
    sprint_run_free(run);
    return status;
  }
  *ret_run = run;
  return SPRINT_OK;
}

static sprint_status tell_piece(void *user, const struct sprint__piece *piece) {
  sprint_run *run = user;
  size_t d = run->shift->population->d;
  for (size_t i = 0; run->anchor_x && i < piece->n; i++)
    memcpy(run->anchor_x + piece->who[i] * d, piece->x + i * d, d * sizeof *piece->x);
  sprint_records records = {.n = piece->n,
                            .x = piece->x,
                            .y = piece->y,
                            .last = piece->last,
                            .images = run->shift->population,
                            .who = piece->who};
  if (sprint__shift_reweights(run->shift)) {
    for (size_t i = 0; i < piece->n; i++) run->stratum[i] = (uint32_t)piece->stratum;
    records.stratum = run->stratum;
    records.p = run->current.p;
  }
  if (run->p_follows) {
    records.p = NULL;
    records.last = false;
  }
  return sprint_solver_tell(run->solver, &records);
}

/* The strata probabilities follow from the losses that the solver has just summed. */
static sprint_status tell_strata(sprint_run *run) {
  const struct sprint__gathered *gathered = &run->solver->gathered;
  size_t n = run->shift->population->n_strata;
  run->p_follows = false;
  for (size_t c = 0; c < n; c++) run->current.p[c] = gathered->loss[c] / (double)gathered->count[c];
  run->shift->ops->from_losses(run->shift, run->current.p, run->current.p);
  if (!sprint__deployment_finite(&run->current, run->shift)) {
    sprint_solver_halt(run->solver, SPRINT_STOP_DIVERGED);
    return SPRINT_OK;
  }
  memcpy(run->anchor.p, run->current.p, n * sizeof *run->anchor.p);
  sprint_records end = {.p = run->current.p, .last = true};
  return sprint_solver_tell(run->solver, &end);
}

/* Everybody's record; where the solver is coupled, also what its batches refer back to. */
static sprint_status tell_population(sprint_run *run) {
  sprint__deployment_copy(&run->anchor, run->shift, &run->current);
  SPRINT__TRY(sprint__pass_over(&run->pass, &run->current, &run->current, tell_piece, run));
  return run->p_follows ? tell_strata(run) : SPRINT_OK;
}

/* The drawn individuals' records at the snapshot. */
static sprint_status fill_reference(sprint_run *run, size_t n) {
  const sprint_population *population = run->shift->population;
  size_t d = population->d;
  if (run->anchor_x) {
    for (size_t i = 0; i < n; i++)
      memcpy(run->x_anchor + i * d, run->anchor_x + run->who[i] * d, d * sizeof *run->x_anchor);
    return SPRINT_OK;
  }
  sprint__population_gather(population, run->who, 0, n, run->x_anchor);
  return sprint__shift_respond(run->shift, run->anchor.theta, run->who, run->y, n, run->x_anchor);
}

sprint_status sprint__run_tell_batch(sprint_run *run, const sprint_want *want) {
  sprint_shift *shift = run->shift;
  const sprint_population *population = shift->population;
  const double *p = sprint__run_p(run);
  bool moves = sprint__shift_moves(shift), refers = !moves && sprint__shift_refers(shift);
  const uint32_t *foreseen = sprint__listed_next(run->solver), *who = foreseen ? foreseen : run->who;
  if (!foreseen) sprint__sampler_draw(population, p, run->seed, want->step, want->n, run->who);
  for (size_t i = 0; i < want->n; i++) run->y[i] = population->y[who[i]];
  if (!refers) sprint__population_gather(population, who, 0, want->n, run->x);
  if (moves) {
    SPRINT__TRY(sprint__shift_respond(shift, run->current.theta, who, run->y, want->n, run->x));
    if (want->reference) SPRINT__TRY(fill_reference(run, want->n));
  }
  if (run->solver->listed && shift->ops->products)
    sprint__listed_lend(run->solver, shift->ops->products(shift, who, want->n));
  const sprint_real *x = refers ? NULL : run->x;
  if (shift->ops->drawn) SPRINT__TRY(shift->ops->drawn(shift, run->current.theta, who, run->y, want->n, x));
  sprint_records records = {.n = want->n,
                            .x = x,
                            .y = run->y,
                            .x_reference = moves && want->reference ? run->x_anchor : NULL,
                            .p = p,
                            .images = population,
                            .who = who};
  SPRINT__TRY(sprint_solver_tell(run->solver, &records));
  if (shift->ops->moved) shift->ops->moved(shift, run->solver->listed ? &run->solver->listed->newest : NULL);
  return SPRINT_OK;
}

/* Whether a row is due: at the start, after every eval_every-th epoch, at the end. */
static bool row_due(const sprint_run *run) {
  const sprint_counters *cost = &run->solver->cost;
  const sprint_trace_row *row = run->n_rows ? &run->rows[run->n_rows - 1] : NULL;
  if (!row) return true;
  if (row->cost.steps == cost->steps) return false;
  if (run->solver->stop != SPRINT_STOP_RUNNING) return true;
  return cost->epochs >= row->cost.epochs + run->eval_every && run->solver->epoch_step == 0;
}

static void report(sprint_run *run, sprint_observer observer, void *user, const sprint_trace_row *row) {
  if (!observer) return;
  run->reported = sprint__clock();
  sprint_counters cost = run->solver->cost;
  if (!observer(user, run, row, &cost)) sprint_solver_halt(run->solver, SPRINT_STOP_REQUESTED);
}

/* Takes a row off the clock, and stops where the gradient is small enough. */
static sprint_status take_row(sprint_run *run, sprint_observer observer, void *user) {
  sprint__listed_settle(run->solver, run->solver->theta);
  run->seconds += sprint__clock() - run->started;
  SPRINT__TRY(sprint__run_evaluate(run));
  const sprint_trace_row *row = &run->rows[run->n_rows - 1];
  double bound = run->solver->rules.gradient;
  if (bound > 0 && row->gradient_sq <= bound) sprint_solver_halt(run->solver, SPRINT_STOP_GRADIENT);
  report(run, observer, user, row);
  run->started = sprint__clock();
  return SPRINT_OK;
}

/* Whether a pass over everybody, which comes next, gives what the strata probabilities need. */
static bool strata_follow(const sprint_run *run, const sprint_want *want, enum sprint__moment moment) {
  const struct sprint__shift_ops *ops = run->shift->ops;
  return want->kind == SPRINT_WANT_POPULATION && !sprint__shift_moves(run->shift) && ops->wants_losses &&
         ops->wants_losses(run->shift, moment);
}

/* The first deployment of an epoch refreshes what the shift knows. */
static sprint_status deploy(sprint_run *run, const sprint_want *want) {
  bool first = run->solver->cost.epochs >= run->epochs_refreshed;
  enum sprint__moment moment = first ? SPRINT__REFRESHING : SPRINT__DEPLOYING;
  if (first) run->epochs_refreshed = run->solver->cost.epochs + 1;
  run->p_follows = strata_follow(run, want, moment);
  if (run->p_follows) {
    memcpy(run->current.theta, want->theta, run->solver->n_params * sizeof *want->theta);
    return SPRINT_OK;
  }
  if (moment == SPRINT__DEPLOYING && sprint__shift_ignores(run->shift)) return SPRINT_OK; /* p is what it was */
  SPRINT__TRY(sprint__deployment_set(&run->current, run->shift, want->theta, moment));
  if (!sprint__deployment_finite(&run->current, run->shift)) sprint_solver_halt(run->solver, SPRINT_STOP_DIVERGED);
  return SPRINT_OK;
}

sprint_status sprint__run_ask(sprint_run *run, sprint_want *ret_want) {
  SPRINT__TRY(sprint_solver_ask(run->solver, ret_want));
  return ret_want->deploy && ret_want->kind != SPRINT_WANT_NOTHING ? deploy(run, ret_want) : SPRINT_OK;
}

struct going {
  sprint_run *run;
  sprint_observer observer;
  void *user;
};

static sprint_status go(void *user) {
  struct going *going = user;
  sprint_run *run = going->run;
  run->started = sprint__clock();
  for (;;) {
    if (row_due(run)) SPRINT__TRY(take_row(run, going->observer, going->user));
    sprint_want want;
    SPRINT__TRY(sprint__run_ask(run, &want));
    if (want.kind == SPRINT_WANT_NOTHING) break;
    if (run->solver->stop != SPRINT_STOP_RUNNING) continue;
    if (want.kind == SPRINT_WANT_POPULATION)
      SPRINT__TRY(tell_population(run));
    else if (sprint__listed_foresight(run->solver, 0))
      SPRINT__TRY(sprint__run_window(run, &want));
    else
      SPRINT__TRY(sprint__run_tell_batch(run, &want));
    run->solver->cost.shift_evals = run->shift->evals - run->evals_before;
    if (going->observer && clock_coarse() - run->reported > REPORT_EVERY)
      report(run, going->observer, going->user, NULL);
  }
  return row_due(run) ? take_row(run, going->observer, going->user) : SPRINT_OK;
}

sprint_status sprint_run_go(sprint_run *run, sprint_observer observer, void *user) {
  struct going going = {run, observer, user};
  return sprint__team_run(run->context, go, &going);
}
