/* An experiment: a config file read into points of its grid x methods x seeds over one population. */
#ifndef SPRINT_RUN_EXPERIMENT_H
#define SPRINT_RUN_EXPERIMENT_H

#include "run/run.h"
#include "run/variants.h"

struct sprint_experiment {
  sprint_context *context;
  struct sprint__variants variants;
  size_t n_seeds;
  uint64_t *seeds;
  sprint_population *population, *heldout;
};

SPRINT__FREE_AT(sprint_experiment_free, sprint_experiment)

/* sprint_experiment_start of any seed. */
sprint_status sprint__experiment_start(sprint_experiment *experiment, size_t point, size_t method, uint64_t seed,
                                       sprint_run **ret_run);

#endif
