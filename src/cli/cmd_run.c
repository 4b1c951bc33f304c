/* sprint run: train by a config, save every run, print a table. */
#include <stdlib.h>

#include "cli.h"
#include "summary.h"

static bool observe(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  cli_progress_show(user, run, row, cost);
  return !cli_interrupted();
}

/* OUT for a single run, else OUT/METHOD/seed-S, or OUT/POINT/METHOD/seed-S where there is more than one point; to be
 * freed. */
static char *folder_of(const sprint_experiment *experiment, const char *out, struct cli_number number) {
  if (cli_n_runs(experiment) == 1) return cli_format("%s", out);
  char *name = cli_run_name(experiment, number, sprint_experiment_n_points(experiment) > 1);
  char *folder = cli_format("%s/%s", out, name);
  free(name);
  return folder;
}

/* Trains and saves one run, and adds its last row to the summary. */
static sprint_status train(sprint_experiment *experiment, size_t i, const char *out, struct cli_summary *summary) {
  struct cli_number number = cli_run_number(experiment, i);
  sprint_run *run = NULL;
  sprint_status status = sprint_experiment_start(experiment, number.point, number.method, number.seed, &run);
  if (status != SPRINT_OK) return status;
  struct cli_progress progress;
  char *folder = folder_of(experiment, out, number);
  char *name = cli_run_name(experiment, number, true);
  cli_progress_start(&progress, i + 1, cli_n_runs(experiment), name);
  status = sprint_run_go(run, observe, &progress);
  cli_progress_end(&progress);
  if (status == SPRINT_OK) {
    status = sprint_run_save(run, folder);
    cli_summary_add(summary, number, sprint_run_row(run, sprint_run_n_rows(run) - 1), sprint_run_stop(run));
  }
  free(name);
  free(folder);
  sprint_run_free(run);
  return status;
}

static sprint_status train_all(sprint_experiment *experiment, const char *out, struct cli_summary *summary) {
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; i < cli_n_runs(experiment) && status == SPRINT_OK && !cli_interrupted(); i++)
    status = train(experiment, i, out, summary);
  return status;
}

static int run_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command;
  sprint_experiment *experiment = NULL;
  if (cli_load(context, options, &experiment) != SPRINT_OK) return cli_failed(context);
  const char *configured = sprint_experiment_out(experiment);
  char *out = options->out  ? cli_format("%s", options->out)
              : *configured ? cli_format("%s", configured)
                            : cli_format("runs/%s", sprint_experiment_name(experiment));
  const sprint_population *population = sprint_experiment_population(experiment);
  printf("%s: %s%zu rows, %zu features; ", sprint_experiment_name(experiment),
         sprint_population_is_endless(population) ? "a population without end, evaluated on a window of " : "",
         sprint_population_n(population), sprint_population_n_features(population));
  if (sprint_experiment_n_points(experiment) > 1) printf("%zu points x ", sprint_experiment_n_points(experiment));
  printf("%zu method(s) x %zu seed(s)\n", sprint_experiment_n_methods(experiment),
         sprint_experiment_n_seeds(experiment));
  cli_catch_interrupts();
  struct cli_summary *summary = cli_summary_new(experiment);
  int code = CLI_FAILED;
  if (!summary)
    fputs("sprint: out of memory\n", stderr);
  else if (cli_check_out(context, out) != SPRINT_OK || train_all(experiment, out, summary) != SPRINT_OK)
    code = cli_failed(context);
  else {
    cli_summary_print(summary);
    printf("%s in %s\n", cli_interrupted() ? "interrupted; what was done is" : "traces and models are", out);
    code = cli_interrupted() ? CLI_INTERRUPTED : cli_summary_stalled(summary) ? CLI_FAILED : CLI_OK;
  }
  free(out);
  cli_summary_free(summary);
  sprint_experiment_free(experiment);
  return code;
}

const struct cli_command cli_run = {
    "run",
    "CONFIG.yaml [--set KEY.PATH=VALUE]... [--out DIR] [--seed S] [--data DIR] [--threads N] [--plugin FILE.so]...",
    "train by a config; writes trace.csv, timing.csv, run.json and model.safetensors per run",
    "set out seed data threads plugin",
    1,
    1,
    run_run,
};
