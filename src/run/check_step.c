/* Which step sizes a method bears: see sprint_experiment_check_step. */
#include <math.h>

#include "base/clock.h"
#include "base/sized.h"
#include "run/assessment.h"
#include "run/experiment.h"

enum { STARTS = 3, TRIES = 24, HALVINGS = 2, LEAST_STEPS = 20, ROWS = 4 };
#define EFFORT       1e11
#define OTHER_RUNS   12   /* with other steps than the config's, about; they get half of the effort */
#define FAR_LOSS     2    /* a run has left where its loss ends at this multiple of where it began, */
#define FAR_GRADIENT 4    /* and |grad J|^2 at this one */
#define STEP         2e4  /* operations that a step takes beside those of its gradients, about a microsecond */
#define AT_REST      1e-3 /* of the first |grad J|^2: the curvature is that of a stable point */

struct checking {
  sprint_experiment *experiment;
  size_t point, method;
  sprint_step_options options;
  struct sprint__stop_rules rules; /* of the config, */
  uint64_t eval_every;             /* and how often it has a row */
  uint64_t own_steps, other_steps; /* that runs with the config's step go, at most, and those with others */
  double curvature;                /* where a run came to rest; NaN: none did */
  sprint_step_check found;
};

/* Seeds of the config, then numbers after its last. */
static uint64_t seed_of(const sprint_experiment *experiment, size_t start) {
  size_t n = experiment->n_seeds;
  return start < n ? experiment->seeds[start] : experiment->seeds[n - 1] + 1 + (start - n);
}

/* A run of the start with its steps multiplied, cut to its length, and with few rows. */
static sprint_status begin(const struct checking *c, size_t start, double factor, uint64_t steps,
                           sprint_run **ret_run) {
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
  SPRINT__TRY(sprint__experiment_start(c->experiment, c->point, c->method, seed_of(c->experiment, start), &run));
  run->solver->step_factor = factor;
  run->eval_bias = false;
  run->eval_every = steps / run->solver->inner / ROWS + 1;
  if (!run->solver->rules.steps || steps < run->solver->rules.steps) run->solver->rules.steps = steps;
  *ret_run = sprint__give(&run);
  return SPRINT_OK;
}

static bool has_left(const sprint_run *run) {
  const sprint_trace_row *first = &run->rows[0], *last = &run->rows[run->n_rows - 1];
  if (run->solver->stop == SPRINT_STOP_DIVERGED || !isfinite(last->loss) || !isfinite(last->gradient_sq)) return true;
  return last->loss > FAR_LOSS * fabs(first->loss) && last->gradient_sq > FAR_GRADIENT * first->gradient_sq;
}

static uint64_t scaled(uint64_t count, double times) { return (uint64_t)llround((double)count * times); }

/* `once` and the rest of the count in proportion. */
static uint64_t stretched(uint64_t count, uint64_t once, double times) { return once + scaled(count - once, times); }

/* What an epoch costs. A run that was cut within its first one has taken all of a snapshot, if there is any, and a part
 * of the steps. */
static sprint_counters epoch_of(const sprint_run *run) {
  const sprint_solver *solver = run->solver;
  const sprint_counters *cost = &solver->cost;
  double times = (double)solver->inner / (double)cost->steps;
  uint64_t drawn = cost->steps * solver->batch, once = cost->samples > drawn ? cost->samples - drawn : 0;
  if (times <= 1 || once > cost->ifo) once = 0;
  return (sprint_counters){
      .epochs = 1,
      .steps = solver->inner,
      .ifo = stretched(cost->ifo, once, times),
      .samples = stretched(cost->samples, once, times),
      .deployments = scaled(cost->deployments, times),
      .shift_evals = scaled(cost->shift_evals, times),
  };
}

/* What a whole run would cost, to the budget that it would use up first. */
static void foresee(struct checking *c, const sprint_run *run) {
  if (run->solver->cost.steps == 0) return;
  sprint_counters one = epoch_of(run);
  double epochs = 1 / sprint__stop_used(&c->rules, &one, 1, 0);
  if (run->solver->stop == SPRINT_STOP_GRADIENT) epochs = (double)run->solver->cost.steps / (double)one.steps;
  if (!isfinite(epochs)) return;
  c->found.planned = epochs;
  c->found.rows = ceil(epochs / (double)c->eval_every) + 1;
  c->found.cost = (sprint_counters){
      .epochs = (uint64_t)floor(epochs),
      .steps = scaled(one.steps, epochs),
      .ifo = scaled(one.ifo, epochs),
      .samples = scaled(one.samples, epochs),
      .deployments = scaled(one.deployments, epochs),
      .shift_evals = scaled(one.shift_evals, epochs),
  };
}

/* Notes the edge of the first start that stayed, and the curvature where one came to rest. */
static sprint_status note_edge(struct checking *c, const sprint_run *run) {
  const sprint_assessment *assessment = NULL;
  bool rests = run->rows[run->n_rows - 1].gradient_sq <= AT_REST * run->rows[0].gradient_sq;
  if (!isnan(c->found.edge) && !(rests && isnan(c->curvature))) return SPRINT_OK;
  SPRINT__TRY(sprint_run_assess(run, &assessment));
  const struct sprint__schedule *schedule = run->solver->schedule;
  double curvature = assessment->edge / schedule->ops->size(schedule, run->solver->cost.steps - 1);
  if (isnan(c->found.edge)) c->found.edge = curvature * c->found.step;
  if (rests) c->curvature = curvature;
  return SPRINT_OK;
}

/* How many starts leave at the factor; one is enough to know. */
static sprint_status try_factor(struct checking *c, double factor, bool *ret_left) {
  bool left = false;
  for (size_t s = 0; s < c->options.starts && !left; s++) {
    SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
    SPRINT__TRY(begin(c, s, factor, c->other_steps, &run));
    SPRINT__TRY(sprint_run_go(run, NULL, NULL));
    left = has_left(run);
    c->found.tried_epochs = fmax(c->found.tried_epochs, run->rows[run->n_rows - 1].epoch);
    if (!left) SPRINT__TRY(note_edge(c, run));
  }
  *ret_left = left;
  return SPRINT_OK;
}

/* All starts with the config's own step. */
static sprint_status try_own(struct checking *c) {
  for (size_t s = 0; s < c->options.starts; s++) {
    SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
    SPRINT__TRY(begin(c, s, 1, c->own_steps, &run));
    double started = sprint__clock();
    SPRINT__TRY(sprint_run_go(run, NULL, NULL));
    double seconds = sprint__clock() - started, epochs = run->rows[run->n_rows - 1].epoch;
    bool left = has_left(run);
    c->found.left += left;
    if (epochs > c->found.epochs) {
      c->found.epochs = epochs;
      c->found.epoch_seconds = seconds / epochs;
      foresee(c, run);
    }
    if (!left) SPRINT__TRY(note_edge(c, run));
  }
  return SPRINT_OK;
}

/* Where to look first above a step that stays: where step times curvature is between 1 and 2. */
static double first_guess(const struct checking *c) {
  double times = c->found.edge > 0 ? exp2(floor(log2(2 / c->found.edge))) : 2;
  return times >= 2 && times < 1e12 ? times : 2;
}

/* From the config's own step outwards until one stays and one is left. */
static sprint_status bracket(struct checking *c, double *ret_stays, double *ret_leaves) {
  SPRINT__TRY(try_own(c));
  bool stays = c->found.left == 0, left = false;
  double factor = stays ? first_guess(c) : 0.5;
  *ret_stays = stays ? 1 : 0;
  *ret_leaves = stays ? INFINITY : 1;
  for (int i = 0; i < TRIES && (*ret_stays == 0 || isinf(*ret_leaves) || *ret_leaves > 2.1 * *ret_stays); i++) {
    SPRINT__TRY(try_factor(c, factor, &left));
    *(left ? ret_leaves : ret_stays) = factor;
    factor *= left ? 0.5 : 2;
  }
  return SPRINT_OK;
}

/* A quarter of a step that swings may come to rest, and tell the curvature there. */
static sprint_status look_for_rest(struct checking *c, double stays) {
  bool left = false;
  if (!isnan(c->curvature) || !(stays * c->found.edge >= 1)) return SPRINT_OK;
  return try_factor(c, stays / 4, &left);
}

static sprint_status search(struct checking *c) {
  double stays = 0, leaves = INFINITY;
  SPRINT__TRY(bracket(c, &stays, &leaves));
  for (int i = 0; i < HALVINGS && stays > 0 && isfinite(leaves); i++) {
    double middle = sqrt(stays * leaves);
    bool left = false;
    SPRINT__TRY(try_factor(c, middle, &left));
    *(left ? &leaves : &stays) = middle;
  }
  SPRINT__TRY(look_for_rest(c, stays));
  c->found.largest = stays * c->found.step;
  c->found.least_left = leaves * c->found.step;
  if (c->curvature > 0 && 2 / c->curvature < c->found.largest)
    c->found.largest = c->found.least_left = 2 / c->curvature;
  return SPRINT_OK;
}

/* As many steps as an effort allows, in whole epochs where it allows one. */
static uint64_t steps_for(const sprint_run *run, double effort) {
  double inner = (double)run->solver->inner, steps = effort / (sprint_run_cost_per_epoch(run) / inner + STEP);
  steps = fmin(fmax(steps, LEAST_STEPS), 1e15);
  return (uint64_t)(steps >= inner ? floor(steps / inner) * inner : steps);
}

sprint_status sprint_experiment_check_step(sprint_experiment *experiment, size_t point, size_t method,
                                           const sprint_step_options *options, sprint_step_check *ret_check) {
  if (!experiment) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(experiment->context, ret_check);
  sprint_step_options standard = {.size = sizeof standard};
  struct checking c = {.experiment = experiment, .point = point, .method = method, .curvature = NAN};
  SPRINT__SIZED_TAKE(experiment->context, sprint_step_options, options ? options : &standard, &c.options);
  if (!c.options.starts) c.options.starts = STARTS;
  if (!(c.options.effort > 0)) c.options.effort = EFFORT;
  c.found = (sprint_step_check){.size = sizeof c.found,
                                .step = NAN,
                                .starts = c.options.starts,
                                .largest = NAN,
                                .least_left = NAN,
                                .edge = NAN,
                                .epoch_seconds = NAN};
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
  SPRINT__TRY(sprint__experiment_start(experiment, point, method, seed_of(experiment, 0), &run));
  c.own_steps = steps_for(run, c.options.effort / 2 / (double)c.options.starts);
  c.other_steps = steps_for(run, c.options.effort / 2 / OTHER_RUNS);
  c.rules = run->solver->rules;
  c.eval_every = run->eval_every;
  c.found.planned = sprint_run_epochs_planned(run);
  bool jumps = run->solver->estimator->jumps;
  if (!jumps) c.found.step = run->solver->schedule->ops->size(run->solver->schedule, 0);
  sprint_run_free(sprint__give(&run));
  if (!jumps) SPRINT__TRY(search(&c));
  return SPRINT__SIZED_GIVE(experiment->context, sprint_step_check, &c.found, ret_check);
}
