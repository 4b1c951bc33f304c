/* The solver: an engine that is told records and answers with the next theta. A method is four independent choices:
 * estimator x step rule x schedule x deployment policy. */
#ifndef SPRINT_SOLVER_SOLVER_H
#define SPRINT_SOLVER_SOLVER_H

#include "base/state.h"
#include "shift/shift.h"
#include "solver/deploy.h"
#include "solver/inbox.h"
#include "solver/schedule.h"
#include "solver/strata.h"

/* What an estimator found: v = scale * (what it left in solver->direction) + control + the penalty's gradient. */
struct sprint__estimate {
  double loss; /* mean */
  uint64_t ifo;
  sprint_real scale;
  const sprint_real *control; /* (n_params), or NULL */
  bool penalized;             /* the penalty's gradient is part of it already */
  const sprint_real *next;    /* (n_params) theta after the step, whatever v and the step rule say; NULL: by them */
};

/* What an estimator may declare of its next step: that it is linear in gradients of single records,
 *
 *     v = mean[grad l(z; theta) - grad l(z~; theta~)] + g^,        or mean[grad l(z; theta)] where there is no theta~.
 *
 * A fast engine may then take such steps itself; and the bias follows from it. */
struct sprint__linear {
  unsigned ifo;               /* per-sample gradients that a record counts for */
  const sprint_real *anchor;  /* (n_params) theta~, or NULL: there is none */
  uint64_t anchor_step;       /* the solver's steps when theta~ was its theta and everybody was told */
  bool coupled;               /* z~ is the individual's record under theta~'s deployment; otherwise z itself */
  const sprint_real *control; /* (n_params) g^, without the penalty's part; NULL: there is none */
  uint64_t version;           /* of g^: another number, another g^ */
  bool steady;                /* g^ stays the same until theta~ changes, whatever the strata probabilities */
};

/* An estimator: what it wants to see, and v from what it saw. One file each. What is not declared is not assumed: an
 * estimator with the first four alone is right with every model, shift and engine. */
struct sprint__estimator_ops {
  /* Reads the method section; takes what it needs from solver->arena, which is freed with the solver. */
  sprint_status (*setup)(sprint_solver *solver, const struct sprint__section *section);
  /* Fills kind and reference for the step to come, and n where it is neither the batch nor everybody; returns true
   * where theta itself must be deployed, whatever the policy says (a snapshot). Another theta than the solver's may be
   * wanted deployed: it is, always. */
  bool (*want)(const sprint_solver *solver, sprint_want *ret_want);
  /* Everybody was told, or the sample that was wanted; p of a sample is how often each stratum is in it. Returns true
   * if v is ready, false if more is wanted first. */
  bool (*population)(sprint_solver *solver, const struct sprint__strata_sums *everybody,
                     struct sprint__estimate *ret_estimate);
  /* A batch was told; rows: the same as the model takes it. Returns as `population` does. */
  bool (*batch)(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                struct sprint__estimate *ret_estimate);

  /* Declarations, each optional. */
  /* The step to come is linear; p (n_strata) are the strata probabilities of its draws, NULL: as in the population. */
  void (*linear)(sprint_solver *solver, const double *p, struct sprint__linear *ret_linear);
  /* What its drift meter says where p (n_strata) are the strata probabilities of theta's deployment; NULL p: as told.
   */
  sprint_drift (*drift)(const sprint_solver *solver, const double *p);
  double (*ifo_per_epoch)(const sprint_solver *solver); /* NULL: a gradient for each record drawn */
  bool leaves_losses;                                   /* of every batch, where solver->losses is lent */
  bool unbiased;                                        /* over all draws v is grad J(theta; deployed) */
  bool follows_gradient;                                /* v estimates grad J, with bias or without, and is as long */
  bool gradientless;                                    /* a step takes no per-sample gradients */
  bool jumps;                                           /* theta goes where it says, whatever the step rule */
  bool takes_stale; /* a batch may hold records of older deployments, as where theta had not been deployed since */
  bool spares_references; /* it can do with batches whose last solver->n_lacking records have no reference record */
  bool full;              /* a step looks at everybody: an epoch is one step unless told otherwise */
  /* What goes on from step to step in impl; NULL: nothing does. `resumes`: that is all there is, so that a run can be
   * taken up where it was left. */
  void (*state)(sprint_solver *solver, struct sprint__state *state);
  bool resumes;
};

/* Looking again at everybody's records as they were told last: by an engine that can make them anew, or by a copy that
 * the solver keeps where records are told to it. */
struct sprint__revisit {
  void *user;
  /* Sums at theta; sum NULL: of losses and gradients. */
  sprint_status (*sums)(void *user, const sprint_real *theta, sprint__sum_rows sum, void *sum_user,
                        struct sprint__strata_sums *ret_sums);
};

struct sprint__kept; /* kept.c */

/* `want` of an estimator that wants a batch at every step. */
bool sprint__want_batch(const sprint_solver *solver, sprint_want *ret_want);

struct sprint__stop_rules {
  uint64_t epochs, steps, ifo, samples, deployments; /* 0: no bound */
  double gradient;                                   /* on |grad J|^2; 0: no bound */
  double seconds;                                    /* of training; kept by runs; 0: no bound */
  double explosion;                                  /* of the loss, in multiples of the first one (at least 1) */
};

struct sprint_solver {
  sprint_context *context;
  struct sprint__arena arena; /* of all that it and its estimator need */
  sprint_model *model;
  sprint_shift *shift; /* how the population is thought to react; NULL: nobody has said */
  uint64_t seed;
  bool still; /* features never move */
  size_t n;   /* of the population; 0: it has no end */
  size_t n_strata, n_params;
  double *strata_sizes; /* (n_strata) people of each, by weight; NULL: nobody has said */
  size_t batch;
  uint64_t inner; /* steps of an epoch, m */

  const struct sprint__estimator_ops *estimator;
  void *impl;                   /* the estimator's */
  bool coupled;                 /* its batches carry reference records */
  bool anchors;                 /* its linear steps have a theta~ */
  bool corrects;                /* its steps lean on older records, with a `correction` for what moved since */
  bool follows;                 /* its references are to the deployment before, not to a snapshot's */
  bool samples;                 /* a snapshot of its may be a sample */
  bool steps_by_snapshots;      /* a snapshot is a step of itself; otherwise steps follow it */
  bool may_end_epoch;           /* by ends_epoch */
  bool stratifies;              /* it weighs strata as deployments do: p is needed where there is more than one */
  bool tells_strata, tells_who; /* its batches say of which stratum, and whose, each record is */
  uint64_t least_ifo;           /* per-sample gradients that a step takes at least: none is begun with fewer left */
  const sprint_real *recalled;  /* everybody's activations at the theta~ that it declares, lent by an engine for a step;
                                   or NULL */
  double *losses; /* (batch) where a step leaves the loss of each record at theta, lent likewise; or NULL */
  bool revisits;  /* it looks at everybody's records again, at other thetas */
  struct sprint__revisit revisit;
  struct sprint__kept *kept; /* everybody's records as they were told; NULL: are not kept */
  struct sprint__schedule *schedule;
  double step_factor; /* that its step sizes are multiplied by: 1, but where step sizes are tried out */
  double radius;      /* of the ball that theta is projected onto; 0: none */
  struct sprint__deploy deploy;
  struct sprint__stop_rules rules;

  sprint_real *theta, *direction; /* (n_params) theta and v */
  struct sprint__stretches cut;   /* how threads share them, and vectors as long, for batches of its size */
  sprint_real *deployed;          /* (n_params) the newest deployment's, where the estimator needs it; or NULL */
  sprint_counters cost;
  uint64_t epoch_step;         /* k */
  bool ends_epoch;             /* the step that is being taken is the epoch's last, however many were planned */
  uint64_t steps_since_deploy; /* of the newest deployment */
  bool deployed_other;         /* which was not of the solver's theta, but of one that the estimator wanted to try */
  sprint_stop stop;
  sprint_status trouble;            /* what failed within the estimator, with its sentence: telling fails with it */
  double first_loss;                /* with the penalty at the start; NaN until one was seen */
  double first_norm, first_penalty; /* |theta_0|, and its penalty */
  sprint_want wanted;
  struct sprint__inbox *inbox; /* of a solver that is told: records that wait; otherwise NULL */
  size_t n_lacking;            /* of the batch that is worked on, its last records, which have no reference record */
  bool snapshot_next;          /* what is wanted is a snapshot, and not yet a step */
  bool asked;
  bool half_loaded;   /* memory ran out while it was loaded: nothing but loading it again is of use */
  char *settings;     /* of a solver that is told: all of its sections, defaults included, as JSON; otherwise NULL */
  double gradient_sq; /* |grad J(theta; theta)|^2 where everybody was told last; NaN: not yet */
  double *gradient;   /* (n_params) room for it, where records are told; otherwise NULL */
  struct sprint__strata_sums
      told; /* of the population that is being told; no room where an engine tells its own sums */
};

extern const sprint_family sprint__method_family, sprint__step_family, sprint__deploy_family, sprint__stop_family;
extern const sprint_kind sprint__estimator_full, sprint__estimator_sgd, sprint__estimator_svrg, sprint__estimator_saga,
    sprint__estimator_sarah, sprint__estimator_spider, sprint__estimator_page, sprint__estimator_clipped;
extern const sprint_kind sprint__estimator_rrm, sprint__estimator_perfgd, sprint__estimator_perfgd_full,
    sprint__estimator_dfo, sprint__estimator_two_stage;

/* state.c: all of the solver that goes on; and why it cannot be told, in a few words (NULL: it can). */
void sprint__solver_state(sprint_solver *solver, struct sprint__state *state);
const char *sprint__solver_unresumable(const sprint_solver *solver);

/* Refuses a solver that is half loaded. */
sprint_status sprint__solver_check_whole(const sprint_solver *solver);

/* The sections of a config that make up a method. */
struct sprint__method {
  const struct sprint__section *method, *step, *deploy, *stop;
};

/* Those of a section that has these keys; lent. */
struct sprint__method sprint__method_of(const struct sprint__section *section);

sprint_status sprint__solver_build(sprint_context *context, const struct sprint__method *method,
                                   const sprint_solver_options *options, sprint_solver **ret_solver);

/* Whether the newest deployment is of the solver's theta as it is. */
static inline bool sprint__solver_is_deployed(const sprint_solver *solver) {
  return solver->cost.deployments > 0 && solver->steps_since_deploy == 0 && !solver->deployed_other;
}

/* Epochs gone by; a fraction within one. */
static inline double sprint__solver_epoch(const sprint_solver *solver) {
  return (double)solver->cost.epochs + (double)solver->epoch_step / (double)solver->inner;
}

/* Sums at theta over everybody's records as they were told last, n IFO; sum NULL: of losses and gradients. Returns
 * false where the budget of IFO has no room for them, or where it failed: solver->trouble. */
bool sprint__solver_revisit(sprint_solver *solver, const sprint_real *theta, sprint__sum_rows sum, void *sum_user,
                            struct sprint__strata_sums *ret_sums);

/* Whether the budget has room for so many per-sample gradients more. */
bool sprint__solver_affords(const sprint_solver *solver, uint64_t ifo);

/* records.c: whether the records are what was wanted: for whom and by which deployment; and all else. */
sprint_status sprint__records_check_origin(const sprint_solver *solver, const sprint_records *records);
sprint_status sprint__records_check(const sprint_solver *solver, const sprint_records *records);

/* records.c: how many of a batch are of older deployments than wanted; these were checked. */
size_t sprint__records_n_stale(const sprint_solver *solver, const sprint_records *records);

/* records.c: whether all their numbers are finite. Those of a simulation may not be: it has diverged then. */
sprint_status sprint__records_are_finite(const sprint_solver *solver, const sprint_records *records);

/* theta := what the estimate says of its next step. */
void sprint__solver_take_step(sprint_solver *solver, struct sprint__estimate *estimate);

/* As sprint_solver_tell, of a whole batch that a simulation made. */
sprint_status sprint__solver_tell_made(sprint_solver *solver, const sprint_records *records);

/* kept.c: a copy of everybody's records as they are told, n x d reals, which answers for solver->revisit. */
sprint_status sprint__kept_setup(sprint_solver *solver);
void sprint__kept_clear(sprint_solver *solver);
void sprint__kept_add(sprint_solver *solver, const sprint_records *records);
void sprint__kept_state(sprint_solver *solver, struct sprint__state *state);

/* The sums of records told, stratum by stratum, at theta; added to what is there. */
void sprint__solver_add_records(sprint_solver *solver, const sprint_records *records, const sprint_real *theta,
                                sprint__sum_rows sum, void *sum_user, struct sprint__strata_sums *sums);

/* stop.c */
struct sprint__stop_rules sprint__stop_read(const struct sprint__section *section);
uint64_t sprint__stop_planned_steps(const struct sprint__stop_rules *rules, uint64_t inner);
/* The default of `epochs` gives way where another budget is given, in a config whose `stop` this is. */
void sprint__stop_settle(struct sprint__section *config);
/* The largest part of a budget that is used up, 0 to 1; NaN: there is none. Of a cost, and of a solver, which has used
 * up its budget also where a rest too small for another step is left. */
double sprint__stop_used(const struct sprint__stop_rules *rules, const sprint_counters *cost, double epochs,
                         double seconds);
double sprint__stop_share(const sprint_solver *solver, double seconds);
sprint_stop sprint__stop_check(const sprint_solver *solver);
/* Whether a loss, with the penalty, has exploded, where it was `first` at the start; and whether theta has. */
bool sprint__stop_exploded(const struct sprint__stop_rules *rules, double first, double loss);
bool sprint__stop_theta_exploded(const sprint_solver *solver);

/* The solver's drift meter at strata probabilities p of its theta; p NULL: at those of the newest batch told. */
sprint_drift sprint__solver_drift(const sprint_solver *solver, const double *p);

/* What engines tell a solver. Of sprint_solver_ask's answers, SPRINT_WANT_POPULATION can be met by sums over everybody;
 * and SPRINT_WANT_BATCH, where the estimator has declared its step linear, by a step that the engine takes:
 * sprint__solver_begin_step, theta moved, sprint__solver_end_step. */
sprint_status sprint__solver_tell_sums(sprint_solver *solver, const struct sprint__strata_sums *everybody);

struct sprint__step {
  sprint_real *theta;     /* (n_params) to be moved by -size * v */
  sprint_real *direction; /* (n_params) room for v */
  sprint_real size;
  struct sprint__linear linear;
};

void sprint__solver_begin_step(sprint_solver *solver, const double *p, struct sprint__step *ret_step);
/* Of n records with this mean loss; finite: all of theta is. */
void sprint__solver_end_step(sprint_solver *solver, const struct sprint__step *step, size_t n, double loss,
                             bool finite);

/* theta -= size * v, v := scale * v + control (NULL: none), both (n). Returns whether all of theta is finite. */
bool sprint__descend(sprint_real *theta, sprint_real *v, sprint_real scale, const sprint_real *control,
                     sprint_real size, size_t n);

#endif
