/* The solver: an engine that is told records and answers with the next theta. A method is four independent choices:
 * estimator x step rule x schedule x deployment policy. */
#ifndef SPRINT_SOLVER_SOLVER_H
#define SPRINT_SOLVER_SOLVER_H

#include "model/model.h"
#include "solver/deploy.h"

/* Sums over everybody's record, stratum by stratum, gathered from the pieces that are told. */
struct sprint__gathered {
  double *gradient; /* (n_strata, n_params) sums; of a stratum that nobody was told of, anything */
  size_t *count;    /* (n_strata) */
  double *p;        /* (n_strata) of the deployment */
  double *loss;     /* (n_strata) sums */
  size_t n;
};

/* What an estimator found: v = scale * (what it left in solver->direction) + control + the penalty's gradient. */
struct sprint__estimate {
  double loss; /* mean */
  uint64_t ifo;
  sprint_real scale;
  const sprint_real *control; /* (n_params), or NULL */
  bool steady;                /* the control stays the same until the epoch ends */
};

/* An estimator: what it wants to see, and v from what it saw. One file each. */
struct sprint__estimator_ops {
  /* Reads the method section; allocates. */
  sprint_status (*setup)(sprint_solver *solver, const struct sprint__section *section);
  void (*free)(sprint_solver *solver);
  /* Fills kind and reference for the step to come; returns true where theta itself must be deployed, whatever the
   * policy says (a snapshot). */
  bool (*want)(const sprint_solver *solver, sprint_want *ret_want);
  /* Everybody was told. Returns true if v is ready, false if more is wanted first. */
  bool (*population)(sprint_solver *solver, const struct sprint__gathered *gathered,
                     struct sprint__estimate *ret_estimate);
  /* A batch was told; rows: the same as the model takes it. */
  void (*batch)(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                struct sprint__estimate *ret_estimate);
  /* g^, where it stays the same to the epoch's end as long as the strata probabilities are p (NULL: as in the
   * population); NULL: it may not, or there is none. */
  const sprint_real *(*steady)(const sprint_solver *solver, const double *p);
  /* For the trace: v = mean[grad l(z; theta) - grad l(z~; theta~)] + g^. Writes g^ under strata probabilities p (NULL:
   * as in the population); *ret_coupled: z~ is the reference record. Returns theta~, or NULL where v has no such
   * terms. NULL: has none ever. */
  const sprint_real *(*control)(const sprint_solver *solver, const double *p, bool *ret_coupled, double *ret_g);
  bool full; /* a step looks at everybody: an epoch is one step unless told otherwise */
};

struct sprint__stop_rules {
  uint64_t epochs, steps, ifo, samples, deployments; /* 0: no bound */
  double gradient;                                   /* on |grad J|^2; 0: no bound */
  double explosion;                                  /* of the loss, in multiples of the first one (at least 1) */
};

struct sprint_solver {
  sprint_context *context;
  sprint_model *model;
  size_t n, n_strata, n_params;
  size_t batch;
  uint64_t inner; /* steps of an epoch, m */

  const struct sprint__estimator_ops *estimator;
  void *impl; /* the estimator's */
  struct sprint__schedule *schedule;
  double radius; /* of the ball that theta is projected onto; 0: none */
  struct sprint__deploy deploy;
  struct sprint__stop_rules rules;

  sprint_real *theta, *direction; /* (n_params) theta and v */
  sprint_counters cost;
  uint64_t epoch_step;         /* k */
  uint64_t steps_since_deploy; /* of the newest deployment */
  sprint_stop stop;
  double first_loss; /* NaN until one was seen */
  sprint_want wanted;
  bool snapshot_next; /* what is wanted is a snapshot, not yet a step */
  bool asked;
  struct sprint__gathered gathered;
  struct sprint__listed *listed; /* steps on lists of pixels, or NULL */
};

extern const sprint_family sprint__method_family, sprint__step_family, sprint__deploy_family, sprint__stop_family;
extern const sprint_kind sprint__estimator_full, sprint__estimator_sgd, sprint__estimator_svrg;

/* The sections of a config that make up a method. */
struct sprint__method {
  const struct sprint__section *method, *step, *deploy, *stop;
};

/* Those of a section that has these keys; lent. */
struct sprint__method sprint__method_of(const struct sprint__section *section);

sprint_status sprint__solver_build(sprint_context *context, const struct sprint__method *method,
                                   const sprint_solver_options *options, sprint_solver **ret_solver);

/* schedule.c */
sprint_status sprint__schedule_build(const struct sprint__section *section, uint64_t planned_steps, uint64_t inner,
                                     struct sprint__schedule **ret_schedule);
void sprint__schedule_free(struct sprint__schedule *schedule);
double sprint__schedule_size(const struct sprint__schedule *schedule, uint64_t step);

/* stop.c */
struct sprint__stop_rules sprint__stop_read(const struct sprint__section *section);
uint64_t sprint__stop_planned_steps(const struct sprint__stop_rules *rules, uint64_t inner);
sprint_stop sprint__stop_check(const sprint_solver *solver);
bool sprint__stop_exploded(const sprint_solver *solver, double loss);

/* total (n_params) := sum over strata of p_c / n_c times its sums of gradients. */
void sprint__gathered_mean(const sprint_solver *solver, const struct sprint__gathered *gathered, const double *p,
                           sprint_real *ret_mean);

/* Whether the batches carry reference records. */
bool sprint__solver_coupled(const sprint_solver *solver);

#endif
