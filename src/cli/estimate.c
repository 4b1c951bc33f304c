/* Measurements in children, so that the parent stays as it was: see estimate.h. */
#define _POSIX_C_SOURCE 200809L
#include "estimate.h"

#include <stdlib.h>
#include <unistd.h>

#include "jobs.h"

#define ARITHMETIC 1e8 /* operations of a step above which little else counts: some 10 ms */
#define LONG       1.0 /* seconds that an epoch is watched for, at most */
#define SHORT      0.2 /* seconds that gradients are timed for */

enum { ROWS = 64 }; /* of a gradient that is timed */

struct estimate {
  sprint_context *context;
  sprint_experiment *experiment;
  int n_threads;
};

/* A run that is watched through its first epoch. */
struct watch {
  int pipe;
  double steps_per_epoch;
  double begun;          /* clock: the run */
  double evaluated;      /* seconds: its first row */
  double trained;        /* clock: the training */
  double first, n_first; /* clock and steps of the first report with any */
};

/* The end of a run would take a row more: the child ends here. */
static _Noreturn void tell(int pipe, double seconds) {
  cli_child_say(pipe, &(struct cli_message){.share = 1, .seconds = seconds});
  _exit(CLI_OK);
}

static bool observe(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  struct watch *watch = user;
  double now = cli_clock(), steps = (double)cost->steps;
  (void)run;
  if (cli_child_stopped()) _exit(CLI_FAILED); /* it has nothing to keep */
  if (row && cost->steps > 0) tell(watch->pipe, (now - watch->trained) / row->epoch);
  if (row) {
    watch->evaluated = now - watch->begun;
    watch->trained = now;
  } else if (watch->n_first == 0) {
    watch->first = now;
    watch->n_first = steps;
  } else if (now - watch->trained > LONG && steps > watch->n_first) {
    double before = watch->first - watch->trained, per_step = (now - watch->first) / (steps - watch->n_first);
    tell(watch->pipe, before + per_step * (watch->steps_per_epoch - watch->n_first) + watch->evaluated);
  }
  return true;
}

/* Operations per second of gradients. */
static double rate_of(sprint_model *model, const sprint_real *theta, const sprint_batch *batch, sprint_real *gradient) {
  size_t n = 0;
  double started = 0, now = 0;
  for (; n < 2 || now - started < SHORT; n++) { /* the first one warms up */
    if (sprint_model_gradient(model, theta, batch, NULL, NULL, gradient, NULL) != SPRINT_OK) return 0;
    now = cli_clock();
    if (n == 0) started = now;
  }
  return (double)(n - 1) * (double)batch->n * sprint_model_cost_per_row(model) / (now - started);
}

static double time_arithmetic(const struct estimate *estimate, size_t method, double cost) {
  const sprint_population *population = sprint_experiment_population(estimate->experiment);
  size_t n = sprint_population_n(population) < ROWS ? sprint_population_n(population) : ROWS;
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  if (sprint_experiment_parts(estimate->experiment, 0, method, &model, &shift) != SPRINT_OK) return 0;
  sprint_real *theta = calloc(sprint_model_n_params(model), sizeof *theta);
  sprint_real *gradient = calloc(sprint_model_n_params(model), sizeof *gradient);
  sprint_real *x = calloc(n * sprint_population_n_features(population), sizeof *x);
  sprint_batch batch = {sizeof batch, n, x, sprint_population_y(population)};
  double rate = 0;
  if (theta && gradient && x && sprint_population_rows(population, NULL, 0, n, x) == SPRINT_OK &&
      sprint_model_start(model, sprint_experiment_seed(estimate->experiment, 0), theta) == SPRINT_OK)
    rate = rate_of(model, theta, &batch, gradient);
  free(theta);
  free(gradient);
  free(x);
  sprint_shift_free(shift);
  sprint_model_free(model);
  return rate > 0 ? cost / rate : 0;
}

static int measure(void *user, size_t method, int pipe) {
  const struct estimate *estimate = user;
  sprint_run *run = NULL;
  if (sprint_context_set_threads(estimate->context, estimate->n_threads) != SPRINT_OK ||
      sprint_experiment_start(estimate->experiment, 0, method, 0, &run) != SPRINT_OK)
    return CLI_FAILED;
  double epochs = sprint_run_epochs_planned(run), cost = sprint_run_cost_per_epoch(run);
  if (!(epochs > 0)) return CLI_FAILED;
  struct watch watch = {.pipe = pipe, .begun = cli_clock()};
  watch.steps_per_epoch = (double)sprint_run_steps_planned(run) / epochs;
  if (cost > ARITHMETIC * watch.steps_per_epoch) tell(pipe, time_arithmetic(estimate, method, cost));
  return sprint_run_go(run, observe, &watch) == SPRINT_OK ? CLI_OK : CLI_FAILED;
}

void cli_estimate(sprint_context *context, sprint_experiment *experiment, size_t n_parallel, int n_threads,
                  double *ret_seconds) {
  struct estimate estimate = {context, experiment, n_threads};
  size_t n = sprint_experiment_n_methods(experiment);
  struct cli_jobs jobs = {.n = n,
                          .n_parallel = n_parallel,
                          .quiet = true,
                          .work = measure,
                          .user = &estimate,
                          .jobs = calloc(n, sizeof *jobs.jobs)};
  if (!jobs.jobs) return;
  cli_jobs_run(&jobs);
  for (size_t i = 0; i < n; i++) ret_seconds[i] = jobs.jobs[i].newest.seconds;
  free(jobs.jobs);
}
