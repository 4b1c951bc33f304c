/* Runs by a config, as jobs: see train.h. */
#include "train.h"

#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "plan.h"
#include "summary.h"

struct work {
  const struct cli_training *training;
  const struct cli_options *options;
  struct cli_plan plan;
  struct cli_summary *summary;
  size_t *chosen; /* of --only */
  char *out;
  bool shown; /* there is something to write a page about */
};

/* Tells how long it will take, and gives each job its part. */
static void estimate(struct cli_plan *plan) {
  size_t n_methods = sprint_experiment_n_methods(plan->experiment);
  double *seconds_per_epoch = cli_room(n_methods, sizeof *seconds_per_epoch), total = 0;
  double *costs = cli_room(n_methods, sizeof *costs);
  bool known = true;
  cli_estimate(plan->context, plan->experiment, plan->jobs.n_parallel, plan->n_threads, seconds_per_epoch);
  for (size_t m = 0; m < n_methods; m++) {
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
  if (known) cli_print(plan->talk, ", about %s", cli_time(total / (double)plan->jobs.n_parallel).text);
  cli_plan_print_sharing(plan);
  if (known && plan->cost >= CLI_PLAN_LARGE)
    fputs("(steps this long are reckoned from gradients alone: what simulating the shift costs comes on top)\n",
          plan->talk);
}

/* Whether a comma-separated list holds the name. */
static bool lists(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

/* Refuses a name of --only that no method has. */
static sprint_status check_only(sprint_context *context, const sprint_experiment *experiment, const char *only) {
  for (const char *at = only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    size_t length = strcspn(at, ","), n = sprint_experiment_n_methods(experiment);
    bool found = false;
    char *names = cli_format("%s", ""), *longer;
    for (size_t m = 0; m < n; m++) {
      const char *name = sprint_experiment_method_name(experiment, m);
      found = found || (strlen(name) == length && strncmp(at, name, length) == 0);
      longer = cli_format("%s%s%s", names, m ? ", " : "", name);
      free(names);
      names = longer;
    }
    sprint_status status =
        found ? SPRINT_OK
              : sprint_fail(context, SPRINT_ERROR_INPUT, "--only: '%.*s' is not a method of this config; there %s %s",
                            (int)length, at, n == 1 ? "is" : "are", names);
    free(names);
    if (status != SPRINT_OK) return status;
  }
  return SPRINT_OK;
}

/* The runs of the methods under --only. */
static sprint_status choose(struct work *work) {
  struct cli_plan *plan = &work->plan;
  const char *only = cli_value(work->options, "only");
  if (!only) return SPRINT_OK;
  sprint_status status = check_only(plan->context, plan->experiment, only);
  size_t n = cli_n_runs(plan->experiment);
  work->chosen = cli_room(n, sizeof *work->chosen);
  for (size_t i = 0; i < n; i++)
    if (lists(only, sprint_experiment_method_name(plan->experiment, cli_run_number(plan->experiment, i).method)))
      work->chosen[plan->n_chosen++] = i;
  plan->chosen = work->chosen;
  return status;
}

static char *out_of(const struct work *work) {
  const char *configured = sprint_experiment_out(work->plan.experiment), *tail = work->options->quick ? "-quick" : "";
  if (work->training->out) return cli_format("%s", work->training->out);
  if (work->options->out) return cli_format("%s", work->options->out);
  return *configured ? cli_format("%s%s", configured, tail)
                     : cli_format("runs/%s%s", sprint_experiment_name(work->plan.experiment), tail);
}

static void print_opening(const struct cli_plan *plan) {
  const sprint_population *population = sprint_experiment_population(plan->experiment);
  size_t n_points = sprint_experiment_n_points(plan->experiment);
  cli_print(plan->talk, "%s: %s%zu rows, %zu features; ", sprint_experiment_name(plan->experiment),
            sprint_population_is_endless(population) ? "a population without end, evaluated on a window of " : "",
            sprint_population_n(population), sprint_population_n_features(population));
  if (n_points > 1) fprintf(plan->talk, "%zu points x ", n_points);
  fprintf(plan->talk, "%zu method(s) x %zu seed(s)\n", sprint_experiment_n_methods(plan->experiment),
          sprint_experiment_n_seeds(plan->experiment));
  cli_print_people(plan->experiment, plan->talk);
}

/* Trains what is not finished yet. */
static sprint_status carry_out(struct work *work, int n_threads, int n_jobs) {
  struct cli_plan *plan = &work->plan;
  sprint_status status = cli_check_out(plan->context, plan->out);
  if (status == SPRINT_OK) status = cli_plan_fill(plan);
  if (status != SPRINT_OK) return status;
  size_t n_kept = cli_plan_n_runs(plan) - plan->n_todo;
  print_opening(plan);
  if (n_kept)
    cli_print(plan->talk, "%zu run%s in %s finished before and kept\n", n_kept, n_kept == 1 ? " is" : "s are",
              plan->out);
  if (plan->n_todo > 0) {
    cli_plan_share(plan, n_threads, n_jobs);
    plan->jobs.terse = !work->training->reproduces;
    cli_print(plan->talk, "%zu run%s", plan->n_todo, plan->n_todo == 1 ? "" : "s");
    if (work->training->reproduces)
      estimate(plan);
    else
      cli_plan_print_sharing(plan);
    fflush(plan->talk);
    if (!cli_interrupted()) cli_jobs_run(&plan->jobs);
  }
  return cli_plan_results(plan, cli_summary_take, work->summary);
}

/* The table, and the files that say the same. */
static sprint_status show(struct work *work) {
  const struct cli_plan *plan = &work->plan;
  if (cli_plan_n_runs(plan) - plan->n_todo + cli_jobs_count(&plan->jobs, CLI_JOB_DONE) == 0)
    return SPRINT_OK; /* there is nothing to show */
  cli_summary_print(work->summary, plan->talk);
  sprint_status status = cli_summary_save(work->summary, plan->context, plan->out);
  work->shown = status == SPRINT_OK;
  if (status == SPRINT_OK && work->options->json) cli_summary_print_json(work->summary, stdout);
  return status;
}

/* The last line, and the exit code. */
static int conclude(const struct work *work) {
  const struct cli_plan *plan = &work->plan;
  size_t n_failed = cli_jobs_count(&plan->jobs, CLI_JOB_FAILED);
  size_t n_stalled = cli_summary_n_stopped(work->summary, SPRINT_STOP_STALLED);
  if (cli_interrupted()) {
    cli_print(plan->talk, "interrupted; what was done is in %s, and the same command goes on from there\n", plan->out);
    return cli_interrupt_code();
  }
  if (n_failed) {
    size_t n = cli_plan_n_runs(plan);
    if (n > n_failed)
      cli_print(plan->talk, "%zu of %zu runs failed; the others are in %s\n", n_failed, n, plan->out);
    else if (n > 1)
      cli_print(plan->talk, "all %zu runs failed\n", n);
    return CLI_FAILED;
  }
  cli_print(plan->talk, "traces and models are in %s\n", plan->out);
  if (n_stalled)
    cli_print(stderr, "sprint: %s in %zu run(s); what they had trained by then is kept\n",
              sprint_stop_text(SPRINT_STOP_STALLED), n_stalled);
  return n_stalled ? CLI_FAILED : cli_summary_n_stopped(work->summary, SPRINT_STOP_DIVERGED) ? CLI_DIVERGED : CLI_OK;
}

/* With the experiment loaded. */
static int train(struct work *work, int n_threads, int n_jobs) {
  struct cli_plan *plan = &work->plan;
  work->out = out_of(work);
  work->summary = cli_summary_new(plan->experiment);
  plan->out = work->out;
  sprint_status status = choose(work);
  if (status == SPRINT_OK) status = carry_out(work, n_threads, n_jobs);
  if (status == SPRINT_OK) status = show(work);
  int code = status == SPRINT_OK ? conclude(work) : cli_failed(plan->context);
  if (work->shown && cli_report_on(plan->context, plan->out, plan->talk) != SPRINT_OK) code = cli_failed(plan->context);
  cli_plan_clear(plan);
  cli_summary_free(work->summary);
  free(work->chosen);
  free(work->out);
  return code;
}

int cli_train(sprint_context *context, const struct cli_command *command, const struct cli_options *options,
              const struct cli_training *training) {
  struct work work = {
      .training = training,
      .options = options,
      .plan = {.context = context, .compact = !training->reproduces, .talk = options->json ? stderr : stdout},
  };
  struct cli_options config = *options;
  int n_threads = sprint_context_threads(context), n_jobs = 0, code;
  if (cli_jobs_option(command, options, &n_jobs) != CLI_OK) return CLI_USAGE;
  if (cli_checkpoint_option(command, options, &work.plan.checkpoint) != CLI_OK) return CLI_USAGE;
  config.arguments[0] = training->config;
  /* A child may use threads; the parent must not have had any (OpenMP does not survive a fork). */
  if (sprint_context_set_threads(context, 1) != SPRINT_OK ||
      cli_load(context, &config, &work.plan.experiment) != SPRINT_OK) {
    code = cli_failed(context);
  } else {
    cli_catch_interrupts(); /* not before: whoever waits for a stream's window can be stopped as ever */
    code = train(&work, n_threads, n_jobs);
  }
  sprint_experiment_free(work.plan.experiment);
  sprint_context_set_threads(context, n_threads);
  return code;
}
