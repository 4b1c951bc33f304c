/* Which step sizes a method bears: see sprint_experiment_check_step. */
#include <math.h>

#include "base/clock.h"
#include "base/sized.h"
#include "run/assessment.h"
#include "run/experiment.h"

enum { STARTS = 3, DOUBLINGS = 20, HALVINGS = 2, LEAST_STEPS = 20, ROWS = 4 };
#define EFFORT       1e11
#define TRIES        12 /* step sizes that are tried, about */
#define FAR_LOSS     2  /* a run has left where its loss ends at this multiple of where it began, */
#define FAR_GRADIENT 4  /* and |grad J|^2 at this one */

struct checking {
  sprint_experiment *experiment;
  size_t point, method;
  sprint_step_options options;
  uint64_t steps; /* that a run goes, at most */
  sprint_step_check found;
};

/* Seeds of the config, then numbers after its last. */
static uint64_t seed_of(const sprint_experiment *experiment, size_t start) {
  size_t n = experiment->n_seeds;
  return start < n ? experiment->seeds[start] : experiment->seeds[n - 1] + 1 + (start - n);
}

/* A run of the start with its steps multiplied, cut to its length, and with few rows. */
static sprint_status begin(const struct checking *c, size_t start, double factor, sprint_run **ret_run) {
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
  SPRINT__TRY(sprint__experiment_start(c->experiment, c->point, c->method, seed_of(c->experiment, start), &run));
  run->solver->step_factor = factor;
  run->eval_bias = false;
  if (c->steps) {
    run->solver->rules.steps = c->steps;
    run->eval_every = c->steps / run->solver->inner / ROWS + 1;
  }
  *ret_run = sprint__give(&run);
  return SPRINT_OK;
}

static bool has_left(const sprint_run *run) {
  const sprint_trace_row *first = &run->rows[0], *last = &run->rows[run->n_rows - 1];
  if (run->solver->stop == SPRINT_STOP_DIVERGED || !isfinite(last->loss) || !isfinite(last->gradient_sq)) return true;
  return last->loss > FAR_LOSS * fabs(first->loss) && last->gradient_sq > FAR_GRADIENT * first->gradient_sq;
}

/* Notes what a first run shows beside whether it stayed. */
static sprint_status note(struct checking *c, const sprint_run *run, double seconds) {
  const sprint_assessment *assessment = NULL;
  double epochs = run->rows[run->n_rows - 1].epoch;
  c->found.epochs = epochs;
  c->found.epoch_seconds = epochs > 0 ? seconds / epochs : NAN;
  if (has_left(run)) return SPRINT_OK;
  SPRINT__TRY(sprint_run_assess(run, &assessment));
  c->found.edge = assessment->edge;
  return SPRINT_OK;
}

/* How many starts leave at the factor; one is enough to know, unless all are to be counted. */
static sprint_status try_factor(struct checking *c, double factor, bool count_all, size_t *ret_left) {
  size_t left = 0;
  for (size_t s = 0; s < c->options.starts && (count_all || left == 0); s++) {
    SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
    SPRINT__TRY(begin(c, s, factor, &run));
    double started = sprint__clock();
    SPRINT__TRY(sprint_run_go(run, NULL, NULL));
    left += has_left(run);
    if (count_all && s == 0) SPRINT__TRY(note(c, run, sprint__clock() - started));
  }
  *ret_left = left;
  return SPRINT_OK;
}

/* From the config's own step outwards until one stays and one is left. */
static sprint_status bracket(struct checking *c, double *ret_stays, double *ret_leaves) {
  size_t left = 0;
  SPRINT__TRY(try_factor(c, 1, true, &left));
  c->found.left = left;
  bool stays = left == 0;
  double factor = 1;
  *ret_stays = stays ? 1 : 0;
  *ret_leaves = stays ? INFINITY : 1;
  for (int i = 0; i < DOUBLINGS && (*ret_stays == 0 || isinf(*ret_leaves)); i++) {
    factor *= stays ? 2 : 0.5;
    SPRINT__TRY(try_factor(c, factor, false, &left));
    *(left ? ret_leaves : ret_stays) = factor;
  }
  return SPRINT_OK;
}

static sprint_status search(struct checking *c) {
  double stays = 0, leaves = INFINITY;
  SPRINT__TRY(bracket(c, &stays, &leaves));
  for (int i = 0; i < HALVINGS && stays > 0 && isfinite(leaves); i++) {
    double middle = sqrt(stays * leaves);
    size_t left = 0;
    SPRINT__TRY(try_factor(c, middle, false, &left));
    *(left ? &leaves : &stays) = middle;
  }
  c->found.largest = stays * c->found.step;
  c->found.least_left = leaves * c->found.step;
  return SPRINT_OK;
}

/* As long as the config's runs, unless that would take too much. */
static void plan(struct checking *c, const sprint_run *run) {
  double all = TRIES * (double)c->options.starts, epochs = c->options.effort / all / sprint_run_cost_per_epoch(run);
  double steps = fmax(epochs * (double)run->solver->inner, LEAST_STEPS),
         planned = (double)sprint_run_steps_planned(run);
  c->steps = planned > 0 && planned <= steps ? (uint64_t)planned : (uint64_t)steps;
  c->found.planned = sprint_run_epochs_planned(run);
}

sprint_status sprint_experiment_check_step(sprint_experiment *experiment, size_t point, size_t method,
                                           const sprint_step_options *options, sprint_step_check *ret_check) {
  sprint_step_options standard = {.size = sizeof standard};
  struct checking c = {.experiment = experiment, .point = point, .method = method};
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
  plan(&c, run);
  if (!run->solver->estimator->jumps) {
    c.found.step = run->solver->schedule->ops->size(run->solver->schedule, 0);
    SPRINT__TRY(search(&c));
  }
  return SPRINT__SIZED_GIVE(experiment->context, sprint_step_check, &c.found, ret_check);
}
