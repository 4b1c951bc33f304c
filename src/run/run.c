/* The driver loop: the engine does what the solver wants, and there is a trace row at every epoch. */
#include "run/run.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/team.h"
#include "run/checkpoint.h"

/* Seconds between calls of the observer within an epoch. */
#define REPORT_EVERY 0.1

void sprint_run_free(sprint_run *run) {
  if (!run) return;
  if (run->assessed) sprint_assessment_free(run->assessed->assessment);
  sprint__checkpoint_free(run->kept);
  sprint__engine_free(run->engine);
  sprint_solver_free(run->solver);
  void *const owned[] = {run->name,        run->config_text, run->settings_text, run->sections_text,
                         run->rows,        run->strata,      run->theta_shown,   run->theta_before,
                         run->theta_sound, run->room,        run->reference,     run->assessed};
  for (size_t i = 0; i < SPRINT__COUNT(owned); i++) sprint__free(owned[i]);
  sprint_shift_free(run->owned_shift);
  sprint_model_free(run->owned_model);
  sprint__free(run);
}

sprint_stop sprint_run_stop(const sprint_run *run) {
  if (!run) return SPRINT_STOP_RUNNING;
  return run->paused && run->solver->stop == SPRINT_STOP_RUNNING ? SPRINT_STOP_REQUESTED : run->solver->stop;
}
const sprint_real *sprint_run_theta(const sprint_run *run) {
  return run ? sprint__engine_theta(run->engine, run->theta_shown) : NULL;
}

const sprint_real *sprint_run_last_sound(const sprint_run *run, size_t *ret_row) {
  if (!run || run->n_sound == 0) return NULL;
  if (ret_row) *ret_row = run->n_sound - 1;
  return run->theta_sound;
}

const char *sprint_run_engine(const sprint_run *run) { return run ? run->engine->kind->name : NULL; }

size_t sprint_run_n_rows(const sprint_run *run) { return run ? run->n_rows : 0; }

const sprint_trace_row *sprint_run_row(const sprint_run *run, size_t row) {
  return run && row < run->n_rows ? &run->rows[row] : NULL;
}

const double *sprint_run_strata(const sprint_run *run, size_t row) {
  return run && row < run->n_rows ? run->strata + row * run->shift->population->n_strata : NULL;
}

uint64_t sprint_run_steps_planned(const sprint_run *run) {
  return run ? sprint__stop_planned_steps(&run->solver->rules, run->solver->inner) : 0;
}

/* Of training, up to now. */
static double seconds_now(const sprint_run *run) {
  return run->seconds + (run->started > 0 ? sprint__clock_coarse() - run->started : 0);
}

double sprint_run_share(const sprint_run *run) {
  if (!run) return NAN;
  return sprint__stop_share(run->solver, seconds_now(run));
}

bool sprint_run_is_timed(const sprint_run *run) { return run && run->solver->rules.seconds > 0; }

static sprint_status allocate(sprint_run *run) {
  size_t n_params = run->shift->model->n_params;
  run->theta_before = sprint__alloc(run->context, n_params, sizeof(sprint_real));
  run->theta_shown = sprint__alloc(run->context, n_params, sizeof(sprint_real));
  run->theta_sound = sprint__alloc(run->context, n_params, sizeof(sprint_real));
  run->room = sprint__alloc(run->context, n_params, sizeof(double));
  run->assessed = sprint__alloc(run->context, 1, sizeof *run->assessed);
  bool all = run->theta_before && run->theta_shown && run->theta_sound && run->room && run->assessed;
  return all ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

/* Room for the whole trace, where the epochs are bounded: a step allocates nothing. */
static sprint_status allocate_trace(sprint_run *run) {
  double epochs = sprint_run_epochs_planned(run);
  size_t rows = epochs < 100000 ? (size_t)(epochs / (double)run->eval_every) + 3 : 1024;
  SPRINT__TRY(sprint__grow(run->context, (void **)&run->rows, 0, &run->n_rows_room, rows, sizeof *run->rows));
  return sprint__grow(run->context, (void **)&run->strata, 0, &run->n_strata_room,
                      rows * run->shift->population->n_strata, sizeof *run->strata);
}

/* A method without gradients never uses up a budget of them. */
static sprint_status check_bounded(const struct sprint__method *method, const sprint_solver *solver) {
  const struct sprint__section *stop = method->stop;
  const struct sprint__stop_rules *rules = &solver->rules;
  bool gradients = !solver->estimator->gradientless;
  if (rules->epochs || rules->steps || (rules->ifo && gradients) || rules->samples || rules->deployments ||
      rules->gradient > 0 || rules->seconds > 0)
    return SPRINT_OK;
  if (!gradients && rules->ifo)
    return sprint__refuse(stop, "ifo",
                          "'%s' takes no gradients, and nothing else would ever end the run; another bound above 0 was "
                          "expected",
                          method->method->kind->name);
  return sprint__refuse(stop, "epochs", "nothing would ever end the run; at least one bound above 0 was expected");
}

bool sprint__run_overdraws(const sprint_run *run) {
  const sprint_population *population = run->shift->population;
  return !run->solver->estimator->full && !population->source && (double)run->solver->batch > population->n_people;
}

/* That may be, of people who are drawn again and again, where nobody asked for it. */
static sprint_status check_batch(const struct sprint__section *method, const sprint_run *run) {
  if (!sprint__get(method, "batch")->given || !sprint__run_overdraws(run)) return SPRINT_OK;
  return sprint__refuse(method, "batch",
                        "%zu records a step are more than the %.15g people that are learnt from; at most that many "
                        "were expected (or rgd, whose steps look at everybody)",
                        run->solver->batch, run->shift->population->n_people);
}

static sprint_status start_solver(sprint_run *run, const struct sprint__run_sections *sections,
                                  const sprint_real *theta) {
  sprint_model *model = run->shift->model;
  const sprint_population *population = run->shift->population;
  bool reweights = sprint__shift_reweights(run->shift);
  SPRINT__SCOPED(sprint__free) sprint_real *start = sprint__alloc(run->context, model->n_params, sizeof *start);
  if (!start) return SPRINT_ERROR_MEMORY;
  if (theta)
    memcpy(start, theta, model->n_params * sizeof *start);
  else
    sprint_model_start(model, run->seed, start);
  sprint_solver_options options = {
      .size = sizeof options,
      .model = model,
      .n = population->source ? 0 : population->n,
      .n_strata = reweights ? population->n_strata : 1,
      .theta = start,
      .seed = run->seed,
      .still = !sprint__shift_moves(run->shift),
      .strata_sizes = reweights ? population->stratum_size : &population->n_people,
      .shift = run->shift,
  };
  return sprint__solver_build(run->context, &sections->method, &options, &run->solver);
}

static sprint_status fill_run(sprint_run *run, const struct sprint__run_sections *sections,
                              const sprint_run_options *options) {
  SPRINT__TRY(start_solver(run, sections, options->theta));
  SPRINT__TRY(check_bounded(&sections->method, run->solver));
  SPRINT__TRY(check_batch(sections->method.method, run));
  SPRINT__TRY(sprint__run_evaluates(run, sections->eval));
  SPRINT__TRY(allocate(run));
  struct sprint__engine_options engine = {.section = sections->engine,
                                          .method = sections->method.method,
                                          .solver = run->solver,
                                          .shift = run->shift,
                                          .heldout = options->heldout,
                                          .seed = run->seed};
  SPRINT__TRY(sprint__engine_new(run->context, &engine, &run->engine));
  return allocate_trace(run);
}

sprint_status sprint__run_build(sprint_context *context, const struct sprint__run_sections *sections,
                                const sprint_run_options *options, sprint_run **ret_run) {
  if (!options->shift) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "a run needs a shift");
  const sprint_population *population = options->shift->population, *heldout = options->heldout;
  if (heldout && (heldout->d != population->d || heldout->n_classes != population->n_classes))
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT,
                       "the held-out part has %zu features and %zu classes, the population %zu and %zu", heldout->d,
                       heldout->n_classes, population->d, population->n_classes);
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = sprint__alloc(context, 1, sizeof *run);
  if (!run) return SPRINT_ERROR_MEMORY;
  run->context = context;
  run->shift = options->shift;
  run->seed = options->seed;
  run->evals_before = options->shift->evals;
  SPRINT__TRY(fill_run(run, sections, options));
  *ret_run = sprint__give(&run);
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
  if (observer(user, run, row, &cost)) return;
  if (run->kept && sprint_run_resumes(run))
    run->paused = true;
  else
    sprint_solver_halt(run->solver, SPRINT_STOP_REQUESTED);
}

/* Keeps theta where its row is sound; otherwise the run has diverged, whatever it was about to stop for. */
static void settle_row(sprint_run *run, const sprint_trace_row *row) {
  sprint_solver *solver = run->solver;
  bool sound = isfinite(row->gradient_sq) && !sprint__stop_exploded(&solver->rules, run->rows[0].loss, row->loss) &&
               !sprint__stop_theta_exploded(solver);
  if (!sound) {
    solver->stop = SPRINT_STOP_DIVERGED;
    return;
  }
  memcpy(run->theta_sound, solver->theta, solver->n_params * sizeof *solver->theta);
  run->n_sound = run->n_rows;
}

/* Takes a row off the clock, and stops where the gradient is small enough. */
static sprint_status take_row(sprint_run *run, sprint_observer observer, void *user) {
  run->seconds += sprint__clock() - run->started + run->engine->seconds_reused;
  run->engine->seconds_reused = 0;
  run->started = 0;
  SPRINT__TRY(sprint__run_evaluate(run));
  const sprint_trace_row *row = &run->rows[run->n_rows - 1];
  settle_row(run, row);
  double bound = run->solver->rules.gradient;
  if (bound > 0 && row->gradient_sq <= bound) sprint_solver_halt(run->solver, SPRINT_STOP_GRADIENT);
  sprint__checkpoint_row(run);
  report(run, observer, user, row);
  run->started = sprint__clock();
  return SPRINT_OK;
}

static bool out_of_time(const sprint_run *run) {
  double bound = run->solver->rules.seconds;
  return bound > 0 && seconds_now(run) >= bound;
}

struct going {
  sprint_run *run;
  sprint_observer observer;
  void *user;
};

/* While a stream waits: whoever watches hears of it, and may stop the run. */
static bool go_on_waiting(void *user) {
  const struct going *going = user;
  report(going->run, going->observer, going->user, NULL);
  return going->run->solver->stop == SPRINT_STOP_RUNNING && !going->run->paused;
}

/* A checkpoint, off the clock, where one is due or the run is to pause. Returns whether it goes on. */
static bool look_after(sprint_run *run) {
  if (sprint__checkpoint_is_due(run)) {
    run->seconds += sprint__clock() - run->started;
    sprint__checkpoint_take(run);
    run->started = sprint__clock();
  }
  return !run->paused;
}

static sprint_status go(void *user) {
  struct going *going = user;
  sprint_run *run = going->run;
  run->started = sprint__clock();
  run->paused = false;
  for (;;) {
    if (row_due(run)) SPRINT__TRY(take_row(run, going->observer, going->user));
    if (!look_after(run)) return SPRINT_OK;
    bool more = true;
    SPRINT__TRY(sprint__engine_advance(run->engine, &more));
    if (!more) break;
    run->solver->cost.shift_evals = run->shift->evals - run->evals_before;
    if (out_of_time(run)) sprint_solver_halt(run->solver, SPRINT_STOP_SECONDS);
    if (going->observer && sprint__clock_coarse() - run->reported > REPORT_EVERY)
      report(run, going->observer, going->user, NULL);
  }
  if (row_due(run)) SPRINT__TRY(take_row(run, going->observer, going->user));
  look_after(run); /* saving may fail */
  return SPRINT_OK;
}

sprint_status sprint_run_go(sprint_run *run, sprint_observer observer, void *user) {
  if (!run) return SPRINT_ERROR_ARGUMENT;
  struct going going = {run, observer, user};
  if (run->engine->tap) run->engine->tap->idle = (struct sprint__idle){go_on_waiting, &going};
  return sprint__team_run(run->context, go, &going);
}
