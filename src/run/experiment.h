/* An experiment: a config file read into methods x seeds over one population. */
#ifndef SPRINT_RUN_EXPERIMENT_H
#define SPRINT_RUN_EXPERIMENT_H

#include "run/run.h"

extern const sprint_family sprint__config_family;

/* One method: its name and the whole config as it applies to it. */
struct sprint__variant {
  char *name;
  char *config_text; /* JSON */
  struct sprint__section *config;
};

struct sprint_experiment {
  sprint_context *context;
  size_t n_variants;
  struct sprint__variant *variants;
  size_t n_seeds;
  uint64_t *seeds;
  sprint_population *population, *heldout;
};

/* settings.c: every value of a section, defaults included, as JSON text. */
char *sprint__settings_text(sprint_context *context, const struct sprint__section *section);

#endif
