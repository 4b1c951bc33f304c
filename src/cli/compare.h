/* sprint compare: what its files share. */
#ifndef SPRINT_CLI_COMPARE_H
#define SPRINT_CLI_COMPARE_H

#include "cli.h"
#include "stats.h"

/* What methods are ranked by: a number of the last trace row. */
struct cli_criterion {
  const char *word, *title;
  size_t offset; /* in a trace row */
  bool larger_wins;
  bool logarithmic;    /* spans decades */
  bool of_stability;   /* is small at a stable point, and need not be at the performative optimum */
  const char *missing; /* why a run may not have it */
};

struct cli_budget {
  const char *key; /* of the section stop */
  char amount[32];
};

struct cli_result {
  sprint_trace_row row; /* the last one */
  sprint_stop stop;
  bool warned[SPRINT_N_WARNINGS];
};

struct cli_comparison {
  sprint_context *context;
  const struct cli_options *options;
  const struct cli_criterion *by;
  char *out;
  int n_threads, n_jobs; /* n_jobs 0: as it fits */
  size_t n_budgets;
  struct cli_budget budgets[CLI_MAX];
  size_t n_sizes; /* step sizes to choose from; 0: no tuning */
  double sizes[CLI_MAX];
  size_t n_points, n_methods;
  char **names;    /* (n_methods) */
  bool *optimal;   /* (n_methods) it seeks the performative optimum, and no stable point */
  size_t n_seeds;  /* of the ranking; those of the tuning follow them */
  size_t n_tuning; /* seeds of the tuning; 0: none */
  uint64_t *seeds; /* (n_seeds + n_tuning) */
};

/* All runs to one budget. The methods of its experiment are methods x step sizes, its seeds those of the comparison. */
struct cli_match {
  const struct cli_comparison *all;
  const struct cli_budget *budget;
  char *out;
  sprint_experiment *experiment;
  struct cli_result *results;     /* (n_points, n_methods, step sizes, all seeds); row.size 0: there is none */
  size_t *picks;                  /* (n_points, n_methods) numbers of step sizes */
  bool *logarithmic;              /* (n_points) */
  struct cli_standing *standings; /* (n_points, n_methods) */
};

/* compare_options.c: what the command line says, without the config; CLI_OK, or CLI_USAGE after a sentence. */
int cli_compare_parse(const struct cli_command *command, const struct cli_options *options,
                      struct cli_comparison *comparison);

/* compare_options.c: loads the config with a budget. With `all`, as its match does: with all step sizes and seeds. */
sprint_status cli_compare_load(const struct cli_comparison *comparison, const struct cli_budget *budget, bool all,
                               sprint_experiment **ret_experiment);

/* compare_options.c: methods, seeds and points of the comparison, from the config loaded plainly. */
void cli_compare_size_up(struct cli_comparison *comparison, const sprint_experiment *experiment);

/* The result of a run; what it was ranked by, NaN where it has diverged. */
size_t cli_match_number(const struct cli_match *match, size_t point, size_t method, size_t size, size_t seed);
const struct cli_result *cli_match_result(const struct cli_match *match, size_t point, size_t method, size_t size,
                                          size_t seed);
double cli_match_value(const struct cli_match *match, size_t point, size_t method, size_t size, size_t seed);

/* The step size that a method was tuned to, as text; "" without tuning. */
struct cli_size {
  char text[32];
};
struct cli_size cli_match_size(const struct cli_match *match, size_t point, size_t method);

/* compare_tune.c: picks a step size for every point and method, and says what it went by. */
void cli_match_pick(struct cli_match *match);
void cli_match_print_tuning(const struct cli_match *match, size_t point);

/* compare_print.c: the ranking of a point, and what it says. */
void cli_match_print(const struct cli_match *match, size_t point);

/* compare_files.c: compare.csv, ranking.csv, ranking.json, timing.csv and, of a tuned one, tune.csv. */
sprint_status cli_compare_save(const struct cli_comparison *comparison, const struct cli_match *matches);

#endif
