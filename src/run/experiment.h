/* An experiment: a config file read into points of its grid x methods x seeds over one population. */
#ifndef SPRINT_RUN_EXPERIMENT_H
#define SPRINT_RUN_EXPERIMENT_H

#include "run/run.h"

extern const sprint_family sprint__config_family;

/* One method at one point: its name and the whole config as it applies to it. */
struct sprint__variant {
  char *name;
  char *config_text; /* JSON */
  struct sprint__section *config;
};

struct sprint_experiment {
  sprint_context *context;
  size_t n_points, n_methods;
  char **points;                    /* (n_points) names; "" without a grid */
  size_t n_variants;                /* read so far; n_points * n_methods when done */
  struct sprint__variant *variants; /* (n_points, n_methods) */
  size_t n_seeds;
  uint64_t *seeds;
  sprint_population *population, *heldout;
};

/* settings.c: every value of a section, defaults included, as JSON text. */
char *sprint__settings_text(sprint_context *context, const struct sprint__section *section);

#endif
