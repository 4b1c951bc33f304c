/* sprint run: train by a config, save every run, print a table. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "summary.h"

static volatile sig_atomic_t interrupted; /* a signal handler can reach nothing else */

static void on_signal(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

/* The first Ctrl-C ends the run and keeps its trace; the second one kills. */
static void catch_interrupts(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static bool observe(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  cli_progress_show(user, run, row, cost);
  return !interrupted;
}

/* OUT for a single run, else OUT/METHOD/seed-S; to be freed. */
static char *folder_of(const sprint_experiment *experiment, const char *out, size_t method, size_t seed) {
  if (sprint_experiment_n_methods(experiment) * sprint_experiment_n_seeds(experiment) == 1)
    return cli_format("%s", out);
  return cli_format("%s/%s/seed-%llu", out, sprint_experiment_method_name(experiment, method),
                    (unsigned long long)sprint_experiment_seed(experiment, seed));
}

/* Whether OUT can hold results: what of it is there already is a folder that can be written to. Found now, not after
 * hours of training. */
static sprint_status check_out(sprint_context *context, const char *out) {
  char *path = cli_format("%s", out), *slash;
  struct stat info;
  while (stat(path, &info) != 0 && (slash = strrchr(path, '/')) && slash > path) *slash = '\0';
  bool there = stat(path, &info) == 0;
  sprint_status status = SPRINT_OK;
  if (there && !S_ISDIR(info.st_mode))
    status = sprint_fail(context, SPRINT_ERROR_IO, "%s: is not a folder", path);
  else if (access(there ? path : *path == '/' ? "/" : ".", W_OK) != 0)
    status = sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be written: %s", out, strerror(errno));
  free(path);
  return status;
}

/* Trains and saves one run, and adds its last row to the summary. */
static sprint_status train(sprint_experiment *experiment, size_t method, size_t seed, const char *out,
                           struct cli_summary *summary) {
  sprint_run *run = NULL;
  sprint_status status = sprint_experiment_start(experiment, method, seed, &run);
  if (status != SPRINT_OK) return status;
  struct cli_progress progress;
  size_t n_seeds = sprint_experiment_n_seeds(experiment);
  cli_progress_start(&progress, method * n_seeds + seed + 1, sprint_experiment_n_methods(experiment) * n_seeds,
                     sprint_experiment_method_name(experiment, method), sprint_experiment_seed(experiment, seed));
  status = sprint_run_go(run, observe, &progress);
  cli_progress_end(&progress);
  if (status == SPRINT_OK) {
    char *folder = folder_of(experiment, out, method, seed);
    status = sprint_run_save(run, folder);
    free(folder);
    size_t n_rows = 0;
    const sprint_trace_row *rows = sprint_run_trace(run, &n_rows);
    cli_summary_add(summary, method, &rows[n_rows - 1], sprint_run_stop(run));
  }
  sprint_run_free(run);
  return status;
}

static sprint_status train_all(sprint_experiment *experiment, const char *out, struct cli_summary *summary) {
  for (size_t method = 0; method < sprint_experiment_n_methods(experiment); method++)
    for (size_t seed = 0; seed < sprint_experiment_n_seeds(experiment) && !interrupted; seed++) {
      sprint_status status = train(experiment, method, seed, out, summary);
      if (status != SPRINT_OK) return status;
    }
  return SPRINT_OK;
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
  printf("%s: %zu rows, %zu features; %zu method(s) x %zu seed(s)\n", sprint_experiment_name(experiment),
         sprint_population_n(population), sprint_population_n_features(population),
         sprint_experiment_n_methods(experiment), sprint_experiment_n_seeds(experiment));
  catch_interrupts();
  struct cli_summary *summary = cli_summary_new(experiment);
  int code = CLI_FAILED;
  if (!summary)
    fputs("sprint: out of memory\n", stderr);
  else if (check_out(context, out) != SPRINT_OK || train_all(experiment, out, summary) != SPRINT_OK)
    code = cli_failed(context);
  else {
    cli_summary_print(summary, experiment);
    printf("%s in %s\n", interrupted ? "interrupted; what was done is" : "traces and models are", out);
    code = interrupted ? CLI_INTERRUPTED : CLI_OK;
  }
  free(out);
  cli_summary_free(summary);
  sprint_experiment_free(experiment);
  return code;
}

const struct cli_command cli_run = {
    "run",
    "CONFIG.yaml [--set KEY.PATH=VALUE]... [--out DIR] [--seed S] [--threads N]",
    "train by a config; writes trace.csv, timing.csv, run.json and model.safetensors per run",
    "set out seed threads",
    1,
    1,
    run_run,
};
