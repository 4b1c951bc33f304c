/* What the subcommands share: options, complaints, progress. The command sees the public header alone. */
#ifndef SPRINT_CLI_CLI_H
#define SPRINT_CLI_CLI_H

#include <stdio.h>

#include "sprint.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };
enum { CLI_MAX = 64 }; /* positional arguments, and --set options, at most */

struct cli_options;

struct cli_command {
  const char *name, *usage, *summary;
  const char *options; /* the long options that it takes, blank-separated */
  size_t min_arguments, max_arguments;
  int (*run)(sprint_context *context, const struct cli_command *command, const struct cli_options *options);
};

struct cli_options {
  const char *arguments[CLI_MAX];
  size_t n_arguments;
  const char *sets[CLI_MAX];
  size_t n_sets;
  const char *out, *params, *deployed, *seed;
};

extern const struct cli_command cli_run, cli_predict, cli_grad, cli_init, cli_verify, cli_list, cli_data;

/* Reads argv[1 ..] of a command. Returns CLI_OK; or, after a sentence on stderr, CLI_USAGE. *ret_help: --help. */
int cli_parse(sprint_context *context, const struct cli_command *command, int argc, char **argv,
              struct cli_options *ret_options, bool *ret_help);

/* The library's sentence on stderr; returns CLI_FAILED. */
int cli_failed(const sprint_context *context);

/* A sentence of our own about how the command was called; returns CLI_USAGE. */
int cli_misused(const struct cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The experiment of options->arguments[0], --set and --seed. */
sprint_status cli_load(sprint_context *context, const struct cli_options *options, sprint_experiment **ret_experiment);

/* One line about the run under way: rewritten in place on a terminal, plain and seldom otherwise. */
struct cli_progress {
  bool terminal;
  size_t number, total; /* of the run among all */
  const char *name;
  uint64_t seed;
  double epochs_done, loss, gradient_sq;
  double started, printed; /* clock */
};

void cli_progress_start(struct cli_progress *progress, size_t number, size_t total, const char *name, uint64_t seed);
void cli_progress_show(struct cli_progress *progress, const sprint_run *run, const sprint_trace_row *row,
                       const sprint_counters *cost);
void cli_progress_end(struct cli_progress *progress);

double cli_clock(void);

/* printf into a new string, to be freed; ends the program where memory is out. */
char *cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
