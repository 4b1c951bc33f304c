/* sprint reproduce: the paper's experiments, every point, method and seed, as jobs that can be stopped and gone on
 * with. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "estimate.h"
#include "plan.h"
#include "summary.h"

/* Tells how long it will take, and gives each job its part. */
static void estimate(struct cli_plan *plan) {
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
  cli_plan_print_sharing(plan);
  if (known && plan->cost >= CLI_PLAN_LARGE)
    puts("(steps this long are reckoned from gradients alone: what simulating the shift costs comes on top)");
  fflush(stdout);
}

struct adding {
  const struct cli_plan *plan;
  struct cli_summary *summary;
};

static void add(void *user, size_t run, const sprint_trace_row *last, sprint_stop stop) {
  const struct adding *adding = user;
  cli_summary_add(adding->summary, cli_run_number(adding->plan->experiment, run), last, stop);
}

/* The table of all that is saved. */
static sprint_status summarize(const struct cli_plan *plan) {
  struct adding adding = {plan, cli_summary_new(plan->experiment)};
  if (!adding.summary) return sprint_fail(plan->context, SPRINT_ERROR_MEMORY, "out of memory");
  sprint_status status = cli_plan_results(plan, add, &adding);
  if (status == SPRINT_OK) cli_summary_print(adding.summary);
  cli_summary_free(adding.summary);
  return status;
}

static sprint_status carry_out(struct cli_plan *plan, int n_threads, int n_jobs) {
  const sprint_population *population = sprint_experiment_population(plan->experiment);
  sprint_status status = cli_check_out(plan->context, plan->out);
  if (status == SPRINT_OK) status = cli_plan_fill(plan);
  if (status != SPRINT_OK) return status;
  size_t n_saved = cli_n_runs(plan->experiment) - plan->n_todo;
  printf("%s: %zu rows, %zu features; %zu point(s) x %zu method(s) x %zu seed(s)\n",
         sprint_experiment_name(plan->experiment), sprint_population_n(population),
         sprint_population_n_features(population), sprint_experiment_n_points(plan->experiment),
         sprint_experiment_n_methods(plan->experiment), sprint_experiment_n_seeds(plan->experiment));
  if (n_saved) printf("%zu run%s in %s finished before and kept\n", n_saved, n_saved == 1 ? " is" : "s are", plan->out);
  fflush(stdout);
  if (plan->n_todo == 0) return summarize(plan);
  cli_plan_share(plan, n_threads, n_jobs);
  estimate(plan);
  if (!cli_interrupted()) cli_jobs_run(&plan->jobs);
  return summarize(plan);
}

/* One experiment by its file. */
static int reproduce(sprint_context *context, const struct cli_options *options, const char *path, const char *out,
                     int n_jobs) {
  struct cli_plan plan = {.context = context, .out = out};
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
  cli_plan_clear(&plan);
  sprint_experiment_free(plan.experiment);
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
    "[--set KEY.PATH=VALUE]... [--plugin FILE.so]...",
    "the paper's experiments: every point of the grid, method and seed; finished runs are kept and skipped",
    "quick seeds jobs threads data out set plugin",
    1,
    1,
    reproduce_run,
};
