/* The table after a run: final numbers by method, mean and standard error over seeds. */
#ifndef SPRINT_CLI_SUMMARY_H
#define SPRINT_CLI_SUMMARY_H

#include "sprint.h"

struct cli_summary;

struct cli_summary *cli_summary_new(const sprint_experiment *experiment); /* NULL: out of memory */
void cli_summary_free(struct cli_summary *summary);
void cli_summary_add(struct cli_summary *summary, size_t method, const sprint_trace_row *last, sprint_stop stop);
void cli_summary_print(const struct cli_summary *summary, const sprint_experiment *experiment);

#endif
