/* What the subcommands share: options, complaints, progress. The command sees the public header alone. */
#ifndef SPRINT_CLI_CLI_H
#define SPRINT_CLI_CLI_H

#include <stdio.h>

#include "sprint.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };
enum { CLI_MAX = 64 }; /* positional arguments, and --set and --budget options, at most */

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
  const char *budgets[CLI_MAX];
  size_t n_budgets;
  const char *out, *params, *deployed, *seed, *seeds, *jobs, *dir, *methods, *by;
  const char *tune; /* step sizes; "": the usual ones; NULL: not asked for */
  bool quick;
  /* options of one command alone, by name: see cli_value */
  struct {
    char name[32];
    const char *value;
  } named[CLI_MAX];
  size_t n_named;
};

/* The names of those, blank-separated. */
#define CLI_NAMED "L L0 epsilon kappa m n batch delta0 delta sigma0 sigma1 gamma beta rounds sample probes model check"

/* The text given for such an option, or NULL. */
const char *cli_value(const struct cli_options *options, const char *name);

extern const struct cli_command cli_run, cli_predict, cli_grad, cli_init, cli_verify, cli_list, cli_data, cli_reproduce;
extern const struct cli_command cli_theory, cli_compare;

/* Reads argv[1 ..] of a command. Returns CLI_OK; or, after a sentence on stderr, CLI_USAGE. *ret_help: --help. */
int cli_parse(sprint_context *context, const struct cli_command *command, int argc, char **argv,
              struct cli_options *ret_options, bool *ret_help);

/* The library's sentence on stderr; returns CLI_FAILED. */
int cli_failed(const sprint_context *context);

/* A sentence of our own about how the command was called; returns CLI_USAGE. */
int cli_misused(const struct cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the blank-separated list holds the word. */
bool cli_has_word(const char *list, const char *word);

/* Whether the text is a whole number from min to max. */
bool cli_whole(const char *text, int min, int max, int *ret_number);

/* The experiment of options->arguments[0], --set, --seed or --seeds, and --quick. */
sprint_status cli_load(sprint_context *context, const struct cli_options *options, sprint_experiment **ret_experiment);

/* One line about the run under way: rewritten in place on a terminal, plain and seldom otherwise. */
struct cli_progress {
  bool terminal;
  size_t number, total; /* of the run among all */
  const char *name;     /* lent */
  double epochs_done, loss, gradient_sq;
  double started, printed; /* clock */
};

void cli_progress_start(struct cli_progress *progress, size_t number, size_t total, const char *name);
void cli_progress_show(struct cli_progress *progress, const sprint_run *run, const sprint_trace_row *row,
                       const sprint_counters *cost);
void cli_progress_end(struct cli_progress *progress);

double cli_clock(void);

/* A time as people say it: "1.2 s", "12 s", "3 min", "1.5 h", "2.5 days". */
struct cli_time {
  char text[32];
};
struct cli_time cli_time(double seconds);

/* From here on the first Ctrl-C or SIGTERM is noted for cli_interrupted, the second one kills. */
void cli_catch_interrupts(void);
bool cli_interrupted(void);

/* One run of an experiment. They are counted by point, then method, then seed. */
struct cli_number {
  size_t point, method, seed;
};
size_t cli_n_runs(const sprint_experiment *experiment);
struct cli_number cli_run_number(const sprint_experiment *experiment, size_t i);

/* "METHOD/seed-S", or "POINT/METHOD/seed-S" where it is wanted and there is a grid; to be freed. */
char *cli_run_name(const sprint_experiment *experiment, struct cli_number run, bool with_point);

/* Whether OUT can hold results: what of it is there already is a folder that can be written to. Found now, not after
 * hours of training. */
sprint_status cli_check_out(sprint_context *context, const char *out);

/* Zeroed memory, to be freed; ends the program where there is none. */
void *cli_room(size_t n, size_t size);

/* printf into a new string, to be freed; ends the program where memory is out. */
char *cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
