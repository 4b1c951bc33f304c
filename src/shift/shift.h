/* A shift: the distribution map D(deployed) of MATH.md section 1, a response of rows and strata probabilities. */
#ifndef SPRINT_SHIFT_SHIFT_H
#define SPRINT_SHIFT_SHIFT_H

#include "model/model.h"
#include "population/population.h"

/* When strata probabilities are asked for. */
enum sprint__moment {
  SPRINT__LOOKING,   /* to evaluate: exact, and nothing is remembered */
  SPRINT__DEPLOYING, /* theta is deployed, in the middle of an epoch */
  SPRINT__REFRESHING /* theta is deployed at the start of an epoch: what is refreshed seldom is refreshed now */
};

struct sprint__shift_ops {
  /* Reads the section, sets impl and state. */
  sprint_status (*setup)(sprint_shift *shift, const struct sprint__section *section);
  void (*free)(sprint_shift *shift);
  /* x (n, d): base records in, records under `deployed` out; y (n) their labels. who: whose they are, or NULL for
   * records from outside the population, which have no state. NULL: features do not move. */
  sprint_status (*respond)(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                           size_t n, sprint_real *x);
  /* ret_p (n_strata). NULL: strata show up as often as in the population. */
  sprint_status (*strata)(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment, double *ret_p);
  /* Whether strata at this moment would be no more than from_losses of each stratum's mean loss on base records, which
   * a snapshot has at hand. NULL: never. */
  bool (*wants_losses)(const sprint_shift *shift, enum sprint__moment moment);
  void (*from_losses)(sprint_shift *shift, const double *losses, double *ret_p);
  /* A run with batches of so many is about to start, of a solver whose steps on images will be told by `moved`. NULL:
   * is of no interest. */
  sprint_status (*prepare)(sprint_shift *shift, size_t batch);
  /* The solver has moved on from the parameters deployed last; move NULL: in a way that cannot be told. */
  void (*moved)(sprint_shift *shift, const struct sprint__move *move);
  /* What the first layer puts out, before its relu, for n individuals (at most a batch): (n, list_out), where the steps
   * told by `moved` led; it returns NULL where that is not known. NULL: never is. */
  const sprint_real *(*products)(sprint_shift *shift, const uint32_t *who, size_t n);
  /* These individuals were drawn under `deployed` and answered with x (n, d), NULL where they answered with base
   * records that are images kept as bytes. NULL: nothing is remembered. */
  sprint_status (*drawn)(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                         size_t n, const sprint_real *x);
};

struct sprint_shift {
  sprint_context *context;
  const struct sprint__shift_ops *ops;
  void *impl;
  sprint_model *model;
  const sprint_population *population;
  uint64_t evals;     /* per-sample model evaluations that simulating it has cost so far */
  bool ignores_theta; /* in the middle of an epoch nothing looks at the parameters deployed */
  bool forgets_theta; /* nothing looks at the parameters deployed once the strata probabilities are known */
  bool keeps_records; /* an individual's record depends on what they answered before */
  sprint_real *state; /* what goes on from deployment to deployment, flat, or NULL: what a checkpoint must keep */
  size_t n_state;
  sprint_shift *parts[2]; /* of a composition, which has no state of its own; owned */
};

extern const sprint_family sprint__shift_family;
extern const sprint_kind sprint__shift_none, sprint__shift_strategic, sprint__shift_linear, sprint__shift_location,
    sprint__shift_retention, sprint__shift_both;

sprint_status sprint__shift_build(const struct sprint__section *section, sprint_model *model,
                                  const sprint_population *population, sprint_shift **ret_shift);

/* Whether the model is one for records and classes like the population's. */
sprint_status sprint__shift_check(sprint_context *context, const sprint_model *model,
                                  const sprint_population *population);

static inline bool sprint__shift_moves(const sprint_shift *shift) { return shift->ops->respond != NULL; }
static inline bool sprint__shift_reweights(const sprint_shift *shift) { return shift->ops->strata != NULL; }

/* Whether a deployment in the middle of an epoch has no need of its parameters. */
static inline bool sprint__shift_ignores(const sprint_shift *shift) {
  return shift->ignores_theta || (!shift->ops->respond && !shift->ops->strata);
}

/* Whether base records go to the model as they are kept, images as bytes. */
static inline bool sprint__shift_refers(const sprint_shift *shift) {
  return shift->population->bytes && shift->model->ops->reads_pixels;
}

/* In place; a shift that does not move leaves x alone. */
sprint_status sprint__shift_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                    const sprint_real *y, size_t n, sprint_real *x);

/* The strata probabilities at a moment; not finite where theta has diverged so far that the losses are not. */
sprint_status sprint__shift_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                   double *ret_p);

/* The features of the section's `columns` (default: all): ret_columns (d, *ret_n used), owned by the caller. */
sprint_status sprint__shift_columns(const struct sprint__section *section, const sprint_population *population,
                                    size_t **ret_columns, size_t *ret_n);

/* The class number that the section's `key` names, or a refusal. */
sprint_status sprint__shift_class(const struct sprint__section *section, const char *key,
                                  const sprint_population *population, size_t *ret_class);

#endif
