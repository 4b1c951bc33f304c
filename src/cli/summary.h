/* What runs came to, by point and method: numbers as means over seeds, verdicts, warnings. On the screen, and in
 * summary.csv and summary.json. */
#ifndef SPRINT_CLI_SUMMARY_H
#define SPRINT_CLI_SUMMARY_H

#include "measures.h"
#include "stats.h"

struct cli_summary {
  const sprint_experiment *experiment; /* lent */
  size_t n_points, n_methods, n_seeds;
  struct cli_saved *runs; /* (n_points, n_methods, n_seeds); row.size 0: it is not there */
};

struct cli_summary *cli_summary_new(const sprint_experiment *experiment);
void cli_summary_free(struct cli_summary *summary);

/* Takes over a run by its number; as cli_plan_taker. */
void cli_summary_take(void *summary, size_t run, struct cli_saved saved);

/* The run of a seed; NULL: it is not there. */
const struct cli_saved *cli_summary_run(const struct cli_summary *summary, size_t point, size_t method, size_t seed);

/* The runs of one method at one point. Means are over those that did not diverge. */
struct cli_tally {
  size_t n, n_diverged;
  size_t n_counted;  /* are in the means */
  size_t first_seed; /* of those that are there */
};
struct cli_tally cli_summary_tally(const struct cli_summary *summary, size_t point, size_t method);

/* A measure over the runs that count; those that do not have it are passed over. */
struct cli_moments cli_summary_moments(const struct cli_summary *summary, size_t point, size_t method, size_t measure);

/* Runs of a method at a point with a verdict, and with a warning; *ret_seed: the first of them. */
size_t cli_summary_n_judged(const struct cli_summary *summary, size_t point, size_t method, sprint_verdict verdict);
size_t cli_summary_n_warned(const struct cli_summary *summary, size_t point, size_t method, sprint_warning_kind kind,
                            size_t *ret_seed);

/* Runs that ended so. */
size_t cli_summary_n_stopped(const struct cli_summary *summary, sprint_stop stop);

/* Metrics of any run, which say what recall and the like are about; NULL: there are none. */
const sprint_metrics *cli_summary_metrics(const struct cli_summary *summary);

/* summary_print.c: tables, verdicts and warnings, point by point. */
void cli_summary_print(const struct cli_summary *summary, FILE *stream);

/* summary_moves.c: how far people moved at a point, column by column, means over the runs that count. */
void cli_summary_print_moves(const struct cli_summary *summary, size_t point, FILE *stream);

/* Whether a run, which may be missing (NULL), is in the means. */
bool cli_summary_counts(const struct cli_saved *run);

/* summary_files.c: summary.csv and summary.json; and the latter alone. */
sprint_status cli_summary_save(const struct cli_summary *summary, sprint_context *context, const char *out);
void cli_summary_print_json(const void *summary, FILE *stream);

#endif
