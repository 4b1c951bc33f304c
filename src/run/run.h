/* A run: the driver loop that simulates deployments of a shift and tells the solver what it asks for. */
#ifndef SPRINT_RUN_RUN_H
#define SPRINT_RUN_RUN_H

#include "engine/engine.h"

/* An assessment and what it is of. */
struct sprint__assessed {
  sprint_assessment *assessment; /* or NULL */
  uint64_t step;
  sprint_stop stop;
};

struct sprint__checkpoints; /* checkpoint.h */

struct sprint_run {
  sprint_context *context;
  sprint_shift *shift;
  sprint_solver *solver;
  struct sprint__engine *engine;
  uint64_t seed;
  uint64_t evals_before; /* of the shift, when the run was made */

  /* what the experiment lends or hands over, for the sidecar and for freeing */
  char *name;          /* of the method */
  char *config_text;   /* JSON of the config as it was given, or NULL */
  char *settings_text; /* JSON of all settings, defaults included */
  char *sections_text; /* the same of the sections of a run alone, where it was made from those */
  sprint_model *owned_model;
  sprint_shift *owned_shift;

  uint64_t eval_every; /* epochs between trace rows */
  bool eval_bias;
  size_t eval_positive; /* of two classes, the one that recall and the like are about */
  double eval_threshold;
  struct sprint__assessed *assessed; /* the newest assessment */
  sprint_real *reference;            /* (n_params) that the distance is measured to, or NULL */

  double seconds;  /* training, evaluation left out */
  double started;  /* clock at which the present stretch of training began; 0: there is none */
  double reported; /* clock of the newest call of the observer */
  size_t n_rows, n_rows_room;
  sprint_trace_row *rows;
  size_t n_strata_room;
  double *strata;                   /* (n_rows, n_strata) p_c(theta) of each row */
  sprint_real *theta_shown;         /* (n_params) as it is shown to whoever asks within an epoch */
  sprint_real *theta_before;        /* (n_params) of the newest row */
  sprint_real *theta_sound;         /* (n_params) of the newest sound row: its values finite, nothing exploded */
  size_t n_sound;                   /* rows up to that one; 0: there is none */
  double *room;                     /* (n_params) */
  struct sprint__checkpoints *kept; /* NULL: the run is not kept */
  bool paused;                      /* whoever observes a run that is kept wants no more of it now */
};

extern const sprint_family sprint__eval_family;

/* The sections of a run, checked. */
struct sprint__run_sections {
  struct sprint__method method;
  const struct sprint__section *eval, *engine;
};

sprint_status sprint__run_build(sprint_context *context, const struct sprint__run_sections *plan,
                                const sprint_run_options *options, sprint_run **ret_run);

/* The plan within a section that has the keys method, step, deploy, stop and eval; lent. */
struct sprint__run_sections sprint__run_sections_of(const struct sprint__section *section);

/* evaluate.c: reads what the section asks for, before the first row. */
/* Whether its steps draw more records than there are people. */
bool sprint__run_overdraws(const sprint_run *run);

/* warnings.c: what is doubtful before anything is trained, among the warnings (SPRINT_N_WARNINGS); of the arena. */
sprint_status sprint__run_doubts(const sprint_run *run, struct sprint__arena *arena, char **warnings);

sprint_status sprint__run_evaluates(sprint_run *run, const struct sprint__section *eval);

/* evaluate.c: one more trace row at the solver's theta. */
sprint_status sprint__run_evaluate(sprint_run *run);

#endif
