/* The numbers of a saved run, by name: what summaries are made of. */
#ifndef SPRINT_CLI_MEASURES_H
#define SPRINT_CLI_MEASURES_H

#include "plan.h"

/* How many there are, what each is called ("auc_heldout"), and its value; NaN where the run has no such thing. */
size_t cli_n_measures(void);
struct cli_measure_name {
  char text[48];
};
struct cli_measure_name cli_measure_name(size_t measure);
double cli_measure_of(size_t measure, const struct cli_saved *saved);

/* The measure of this name, which is one of them. */
size_t cli_measure(const char *name);

#endif
