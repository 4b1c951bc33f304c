/* The table after a run: final numbers by point and method, mean and standard error over seeds. */
#ifndef SPRINT_CLI_SUMMARY_H
#define SPRINT_CLI_SUMMARY_H

#include "cli.h"

struct cli_summary;

struct cli_summary *cli_summary_new(const sprint_experiment *experiment); /* NULL: out of memory */
void cli_summary_free(struct cli_summary *summary);
void cli_summary_add(struct cli_summary *summary, struct cli_number run, const sprint_trace_row *last,
                     sprint_stop stop);

/* The effective number of classes of the base population, exp of the entropy of their shares; 0: it has none. And
 * whether, of those beyond the first, less than a quarter is left. */
double cli_base_classes(const sprint_experiment *experiment);
bool cli_collapsed(double base_classes, const sprint_trace_row *row);

/* Whether a run ended because its stream of records stalled; says so on stderr. */
bool cli_summary_stalled(const struct cli_summary *summary);

/* One table per point. */
void cli_summary_print(const struct cli_summary *summary);

#endif
