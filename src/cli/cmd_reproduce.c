/* sprint reproduce: the paper's experiments, every point, method and seed, as jobs that can be stopped and gone on
 * with. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "estimate.h"
#include "jobs.h"
#include "summary.h"

/* Operations of an epoch from which on runs go one at a time, with all threads: half a minute or more of one core. */
#define LARGE 1e12

/* All runs of one experiment. Those that are saved already are no jobs. */
struct plan {
  sprint_context *context;
  sprint_experiment *experiment;
  const char *out;
  int n_threads; /* of a job */
  size_t n_todo;
  size_t *todo;         /* (n_todo) numbers of the runs */
  double *weights;      /* (n_todo) operations planned; 0: unknown */
  double cost;          /* operations of the longest epoch */
  struct cli_jobs jobs; /* (n_todo) */
};

static void plan_clear(struct plan *plan) {
  for (size_t i = 0; plan->jobs.jobs && i < plan->n_todo; i++) free((char *)plan->jobs.jobs[i].name);
  free(plan->jobs.jobs);
  free(plan->weights);
  free(plan->todo);
  sprint_experiment_free(plan->experiment);
}

/* A run's folder does not depend on what else is asked for, so that it is found again. */
static char *folder_of(const struct plan *plan, size_t run) {
  char *name = cli_run_name(plan->experiment, cli_run_number(plan->experiment, run), true);
  char *folder = cli_format("%s/%s", plan->out, name);
  free(name);
  return folder;
}

struct watch {
  int pipe;
  struct cli_message message;
};

static bool observe(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  struct watch *watch = user;
  uint64_t planned = sprint_run_steps_planned(run);
  if (row) {
    watch->message.epoch = row->epoch;
    watch->message.loss = row->loss;
    watch->message.gradient_sq = row->gradient_sq;
  }
  watch->message.share = planned ? (double)cost->steps / (double)planned : NAN;
  return cli_child_say(watch->pipe, &watch->message);
}

/* In a child: trains and saves one run. */
static int train(void *user, size_t job, int pipe) {
  struct plan *plan = user;
  struct cli_number number = cli_run_number(plan->experiment, plan->todo[job]);
  struct watch watch = {.pipe = pipe};
  sprint_run *run = NULL;
  sprint_status status = sprint_context_set_threads(plan->context, plan->n_threads);
  if (status == SPRINT_OK)
    status = sprint_experiment_start(plan->experiment, number.point, number.method, number.seed, &run);
  if (status == SPRINT_OK) status = sprint_run_go(run, observe, &watch);
  cli_child_hold();
  if (status == SPRINT_OK && sprint_run_stop(run) == SPRINT_STOP_REQUESTED) return CLI_INTERRUPTED;
  char *folder = folder_of(plan, plan->todo[job]);
  if (status == SPRINT_OK) status = sprint_run_save(run, folder);
  if (status == SPRINT_OK) return CLI_OK;
  snprintf(watch.message.sentence, sizeof watch.message.sentence, "%s", sprint_context_error(plan->context));
  cli_child_say(pipe, &watch.message);
  return CLI_FAILED;
}

/* Finds out what is left to do, and how much work it is. */
static sprint_status find_todo(struct plan *plan) {
  size_t n = cli_n_runs(plan->experiment);
  plan->todo = calloc(n, sizeof *plan->todo);
  plan->weights = calloc(n, sizeof *plan->weights);
  plan->jobs.jobs = calloc(n, sizeof *plan->jobs.jobs);
  if (!plan->todo || !plan->weights || !plan->jobs.jobs)
    return sprint_fail(plan->context, SPRINT_ERROR_MEMORY, "out of memory for %zu runs", n);
  for (size_t i = 0; i < n; i++) {
    struct cli_number number = cli_run_number(plan->experiment, i);
    sprint_run *run = NULL;
    sprint_status status = sprint_experiment_start(plan->experiment, number.point, number.method, number.seed, &run);
    if (status != SPRINT_OK) return status;
    char *folder = folder_of(plan, i);
    if (!sprint_run_is_saved(run, folder)) {
      double cost = sprint_run_cost_per_epoch(run);
      plan->cost = fmax(plan->cost, cost);
      plan->weights[plan->n_todo] = cost * sprint_run_epochs_planned(run);
      plan->jobs.jobs[plan->n_todo].name = cli_run_name(plan->experiment, number, true);
      plan->todo[plan->n_todo++] = i;
    }
    free(folder);
    sprint_run_free(run);
  }
  return SPRINT_OK;
}

/* Small problems run side by side on a thread each, large ones one after the other on all of them. */
static void share_cores(struct plan *plan, int n_threads, int n_jobs) {
  size_t n = n_jobs > 0 ? (size_t)n_jobs : plan->cost < LARGE ? (size_t)n_threads : 1;
  if (n > plan->n_todo) n = plan->n_todo;
  plan->n_threads = n > 1 ? 1 : n_threads;
  plan->jobs.n = plan->n_todo;
  plan->jobs.n_parallel = n;
  plan->jobs.work = train;
  plan->jobs.user = plan;
}

/* Tells how long it will take, and gives each job its part. */
static void estimate(struct plan *plan) {
  size_t n_methods = sprint_experiment_n_methods(plan->experiment);
  double *seconds_per_epoch = calloc(n_methods, sizeof *seconds_per_epoch), total = 0;
  double *costs = calloc(n_methods, sizeof *costs);
  bool known = seconds_per_epoch && costs;
  if (known) cli_estimate(plan->context, plan->experiment, plan->jobs.n_parallel, plan->n_threads, seconds_per_epoch);
  for (size_t m = 0; known && m < n_methods; m++) {
    sprint_run *run = NULL;
    if (sprint_experiment_start(plan->experiment, 0, m, 0, &run) == SPRINT_OK)
      costs[m] = sprint_run_cost_per_epoch(run);
    sprint_run_free(run);
  }
  for (size_t i = 0; known && i < plan->n_todo; i++) {
    size_t method = cli_run_number(plan->experiment, plan->todo[i]).method;
    double seconds = costs[method] > 0 ? seconds_per_epoch[method] / costs[method] * plan->weights[i] : 0;
    known = seconds > 0;
    plan->jobs.jobs[i].expected = seconds;
    total += seconds;
  }
  free(seconds_per_epoch);
  free(costs);
  printf("%zu run%s", plan->n_todo, plan->n_todo == 1 ? "" : "s");
  if (known) printf(", about %s", cli_time(total / (double)plan->jobs.n_parallel).text);
  if (plan->jobs.n_parallel > 1)
    printf(", %zu at a time\n", plan->jobs.n_parallel);
  else
    printf(", one at a time on %d thread%s\n", plan->n_threads, plan->n_threads == 1 ? "" : "s");
  if (known && plan->cost >= LARGE)
    puts("(steps this long are reckoned from gradients alone: what simulating the shift costs comes on top)");
  fflush(stdout);
}

/* The table of all that is saved. */
static sprint_status summarize(const struct plan *plan) {
  struct cli_summary *summary = cli_summary_new(plan->experiment);
  if (!summary) return sprint_fail(plan->context, SPRINT_ERROR_MEMORY, "out of memory");
  sprint_status status = SPRINT_OK;
  for (size_t i = 0, next = 0; i < cli_n_runs(plan->experiment) && status == SPRINT_OK; i++) {
    bool todo = next < plan->n_todo && plan->todo[next] == i;
    if (todo && plan->jobs.jobs[next++].state != CLI_JOB_DONE) continue;
    char *folder = folder_of(plan, i);
    sprint_trace_row row = {.size = sizeof row};
    sprint_stop stop;
    status = sprint_saved_final(plan->context, folder, &row, &stop);
    if (status == SPRINT_OK) cli_summary_add(summary, cli_run_number(plan->experiment, i), &row, stop);
    free(folder);
  }
  if (status == SPRINT_OK) cli_summary_print(summary);
  cli_summary_free(summary);
  return status;
}

static sprint_status carry_out(struct plan *plan, int n_threads, int n_jobs) {
  const sprint_population *population = sprint_experiment_population(plan->experiment);
  sprint_status status = cli_check_out(plan->context, plan->out);
  if (status == SPRINT_OK) status = find_todo(plan);
  if (status != SPRINT_OK) return status;
  size_t n_saved = cli_n_runs(plan->experiment) - plan->n_todo;
  printf("%s: %zu rows, %zu features; %zu point(s) x %zu method(s) x %zu seed(s)\n",
         sprint_experiment_name(plan->experiment), sprint_population_n(population),
         sprint_population_n_features(population), sprint_experiment_n_points(plan->experiment),
         sprint_experiment_n_methods(plan->experiment), sprint_experiment_n_seeds(plan->experiment));
  if (n_saved) printf("%zu run%s in %s finished before and kept\n", n_saved, n_saved == 1 ? " is" : "s are", plan->out);
  fflush(stdout);
  if (plan->n_todo == 0) return summarize(plan);
  share_cores(plan, n_threads, n_jobs);
  estimate(plan);
  if (!cli_interrupted()) cli_jobs_run(&plan->jobs);
  return summarize(plan);
}

/* One experiment by its file. */
static int reproduce(sprint_context *context, const struct cli_options *options, const char *path, const char *out,
                     int n_jobs) {
  struct plan plan = {.context = context, .out = out};
  struct cli_options config = *options;
  int n_threads = sprint_context_threads(context), code = CLI_OK;
  config.arguments[0] = path;
  /* A child may use threads; the parent must not have had any (OpenMP does not survive a fork). */
  sprint_status status = sprint_context_set_threads(context, 1);
  if (status == SPRINT_OK) status = cli_load(context, &config, &plan.experiment);
  if (status == SPRINT_OK) status = carry_out(&plan, n_threads, n_jobs);
  size_t n_failed = cli_jobs_count(&plan.jobs, CLI_JOB_FAILED);
  if (status != SPRINT_OK) {
    code = cli_failed(context);
  } else if (cli_interrupted()) {
    printf("interrupted; finished runs are in %s, and the same command goes on from there\n", out);
    code = CLI_INTERRUPTED;
  } else if (n_failed) {
    printf("%zu of %zu runs failed; the others are in %s\n", n_failed, cli_n_runs(plan.experiment), out);
    code = CLI_FAILED;
  } else {
    printf("traces and models are in %s\n", out);
  }
  plan_clear(&plan);
  sprint_context_set_threads(context, n_threads);
  return code;
}

/* NAME.yaml in one of the folders for it; to be freed. NULL, after a sentence: nowhere. */
static char *find_experiment(const char *name) {
  const char *named = getenv("SPRINT_EXPERIMENTS");
  const char *const folders[] = {named && *named ? named : "experiments", "experiments", SPRINT_EXPERIMENTS_FOLDER};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    char *path = cli_format("%s/%s.yaml", folders[i], name);
    if (access(path, R_OK) == 0) return path;
    free(path);
  }
  fprintf(stderr, "sprint: '%s' is not an experiment: there is no %s.yaml in %s%sexperiments or %s\n", name, name,
          named ? named : "", named ? ", " : "", SPRINT_EXPERIMENTS_FOLDER);
  return NULL;
}

static int reproduce_named(sprint_context *context, const struct cli_options *options, const char *name, bool all,
                           int n_jobs) {
  char *path = find_experiment(name);
  if (!path) return CLI_FAILED;
  const char *tail = options->quick ? "-quick" : "";
  char *out = !options->out ? cli_format("runs/%s%s", name, tail)
              : all         ? cli_format("%s/%s%s", options->out, name, tail)
                            : cli_format("%s", options->out);
  int code = reproduce(context, options, path, out, n_jobs);
  free(out);
  free(path);
  return code;
}

static int reproduce_run(sprint_context *context, const struct cli_command *command,
                         const struct cli_options *options) {
  static const char *const all[] = {"credit", "mnist", "cifar10"};
  const char *name = options->arguments[0];
  int code = CLI_OK, n_jobs = 0;
  if (options->jobs && !cli_whole(options->jobs, 1, 1024, &n_jobs))
    return cli_misused(command, "--jobs: '%s' is not a whole number within 1 .. 1024", options->jobs);
  if (strchr(name, '/')) return cli_misused(command, "'%s' is a path; the name of an experiment was expected", name);
  cli_catch_interrupts();
  if (strcmp(name, "all") != 0) return reproduce_named(context, options, name, false, n_jobs);
  for (size_t i = 0; i < sizeof all / sizeof all[0] && !cli_interrupted(); i++) {
    int one = reproduce_named(context, options, all[i], true, n_jobs);
    if (one != CLI_OK) code = one;
  }
  return code;
}

const struct cli_command cli_reproduce = {
    "reproduce",
    "credit|mnist|cifar10|all [--quick] [--seeds S,S,...] [--jobs N] [--threads N] [--data DIR] [--out DIR] "
    "[--set KEY.PATH=VALUE]...",
    "the paper's experiments: every point of the grid, method and seed; finished runs are kept and skipped",
    "quick seeds jobs threads data out set",
    1,
    1,
    reproduce_run,
};
