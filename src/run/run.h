/* A run: the driver loop that simulates deployments of a shift and tells the solver what it asks for. */
#ifndef SPRINT_RUN_RUN_H
#define SPRINT_RUN_RUN_H

#include "run/pass.h"
#include "solver/solver.h"

struct sprint_run {
  sprint_context *context;
  sprint_shift *shift;
  const sprint_population *heldout;
  sprint_solver *solver;
  uint64_t seed;
  uint64_t epochs_refreshed; /* epochs whose first deployment is done */
  uint64_t evals_before;     /* of the shift, when the run was made */

  /* what the experiment lends or hands over, for the sidecar and for freeing */
  char *name;          /* of the method */
  char *config_text;   /* JSON of the config as it was given, or NULL */
  char *settings_text; /* JSON of all settings, defaults included */
  sprint_model *owned_model;
  sprint_shift *owned_shift;

  uint64_t eval_every; /* epochs between trace rows */
  bool eval_bias;

  struct sprint__pass pass;
  struct sprint__deployment current; /* the newest deployment */
  bool p_follows;                    /* its p is not yet known: it follows from the population's losses */
  struct sprint__deployment anchor;  /* that of the newest snapshot */
  struct sprint__deployment here;    /* for evaluation: theta itself */
  sprint_real *anchor_x;             /* (n, d) everybody's record at the snapshot, where the shift has a state */
  uint32_t *who;                     /* (batch) */
  uint32_t *stratum;                 /* (pass.room) */
  sprint_real *x, *x_anchor, *y;     /* (batch, d), (batch) */
  bool window_ready;                 /* the next window of foreseen batches has been made ready */

  double seconds;  /* training, evaluation left out */
  double started;  /* clock at which the present stretch of training began */
  double reported; /* clock of the newest call of the observer */
  size_t n_rows, n_rows_room;
  sprint_trace_row *rows;
  size_t n_strata_room;
  double *strata;             /* (n_rows, n_strata) p_c(theta) of each row */
  sprint_real *theta_seen;    /* (n_params) as it is shown to whoever asks within an epoch */
  sprint_real *theta_before;  /* (n_params) of the newest row */
  double *gradient, *control; /* (n_params) */
};

extern const sprint_family sprint__eval_family;

/* The sections of a run, checked. */
struct sprint__plan {
  struct sprint__method method;
  const struct sprint__section *eval;
};

sprint_status sprint__run_build(sprint_context *context, const struct sprint__plan *plan,
                                const sprint_run_options *options, sprint_run **ret_run);

/* The plan within a section that has the keys method, step, deploy, stop and eval; lent. */
struct sprint__plan sprint__plan_of(const struct sprint__section *section);

/* The strata probabilities of the newest deployment; NULL where the shift does not reweight. */
static inline const double *sprint__run_p(const sprint_run *run) {
  return sprint__shift_reweights(run->shift) ? run->current.p : NULL;
}

/* run.c: what is wanted next, deployed where it has to be; the batch that is wanted, told. */
sprint_status sprint__run_ask(sprint_run *run, sprint_want *ret_want);
sprint_status sprint__run_tell_batch(sprint_run *run, const sprint_want *want);

/* window.c: the steps of a window, where the solver foresees; `want` is its first batch. */
sprint_status sprint__run_window(sprint_run *run, const sprint_want *want);

/* evaluate.c: one more trace row at the solver's theta. */
sprint_status sprint__run_evaluate(sprint_run *run);

double sprint__clock(void); /* seconds, monotonic */

#endif
