/* A shift: the distribution map D(deployed) of docs/math.md section 1, a response of rows and strata probabilities. */
#ifndef SPRINT_SHIFT_SHIFT_H
#define SPRINT_SHIFT_SHIFT_H

#include "base/state.h"
#include "model/model.h"
#include "population/population.h"

/* When strata probabilities are asked for. */
enum sprint__moment {
  SPRINT__AT_EVALUATION, /* exact, and nothing is remembered */
  SPRINT__AT_DEPLOYMENT, /* theta is deployed, in the middle of an epoch */
  SPRINT__AT_EPOCH       /* theta is deployed at the start of an epoch: what is refreshed seldom is refreshed now */
};

/* When a shift looks at the parameters deployed; a shift that says nothing may do so always. */
enum sprint__theta_use {
  SPRINT__USES_THETA_ALWAYS,        /* whenever records or strata probabilities are asked for */
  SPRINT__USES_THETA_AT_DEPLOYMENT, /* not any more once the strata probabilities of a deployment are known */
  SPRINT__USES_THETA_AT_EPOCH       /* only where the deployment is the first of an epoch */
};

/* Individuals who were drawn. */
struct sprint__drawn {
  size_t n;
  const uint32_t *who;  /* (n); NULL in populations without end */
  const sprint_real *y; /* (n) their labels */
  const sprint_real *x; /* (n, d) what they answered with; NULL: their base records, images that are kept as bytes */
  const double *losses; /* (n) of these answers at the parameters deployed, where somebody knows them; otherwise NULL */
};

struct sprint__shift_ops {
  /* Reads the section, sets impl and state, taken from shift->arena, which is freed with the shift. */
  sprint_status (*setup)(sprint_shift *shift, const struct sprint__section *section);
  void (*free)(sprint_shift *shift); /* what is not the arena's; NULL: there is nothing */
  /* theta was put in front of the population; called once a deployment, before anything is asked about it, and with
   * shift->in_force set. NULL: is of no interest. */
  sprint_status (*deployed)(sprint_shift *shift, const sprint_real *theta);
  /* x (n, d): base records in, records under `deployed` out; y (n) their labels. who: whose they are, or NULL for
   * records from outside the population, which have no state. NULL: features do not move. */
  sprint_status (*respond)(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                           size_t n, sprint_real *x);
  /* Adds to ret_sum (n_params) the sum over rows of (dx_i / d deployed)^T u_i: x (n, d) base records, u (n, d) what is
   * pulled back, such as the loss's gradient in the record under `deployed`. Of shifts whose `pulls` is set. */
  void (*pull)(sprint_shift *shift, const sprint_real *deployed, const sprint_real *y, size_t n, const sprint_real *x,
               const sprint_real *u, double *ret_sum);
  /* ret_p (n_strata). NULL: strata show up as often as in the population. */
  sprint_status (*strata)(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment, double *ret_p);
  /* Individuals were drawn under `deployed`. NULL: nothing is remembered. */
  sprint_status (*drawn)(sprint_shift *shift, const sprint_real *deployed, const struct sprint__drawn *drawn);
  /* What goes on in impl beside shift->state and shift->evals; NULL: nothing does. `resumes`: that is all there is, so
   * that a run can be taken up where it was left. */
  void (*remember)(sprint_shift *shift, struct sprint__state *state);
  bool resumes;
};

/* Somebody who works out losses of base records for a shift: an engine that has them at hand, or a faster way. */
struct sprint__loss_source {
  void *user;
  /* ret_losses (n): at theta, of individuals `who` (n). NULL: it has no way of its own. */
  void (*each)(void *user, const sprint_real *theta, const uint32_t *who, size_t n, double *ret_losses);
  /* ret_sums (n_strata): the same of everybody, stratum by stratum. Returns how many records were evaluated for it. */
  uint64_t (*by_stratum)(void *user, const sprint_real *theta, enum sprint__moment moment, double *ret_sums);
};

struct sprint_shift {
  sprint_context *context;
  struct sprint__arena arena; /* of all that it needs */
  const struct sprint__shift_ops *ops;
  void *impl;
  sprint_model *model;
  const sprint_population *population;
  uint64_t evals; /* per-sample model evaluations that simulating it has cost so far */
  enum sprint__theta_use uses_theta;
  bool pulls;         /* `pull` knows the derivative of its response, which depends on nothing but what it is given */
  bool keeps_records; /* a record under an older deployment cannot be asked for again: it depends on what came before */
  bool affine; /* every x_i(theta') is affine in theta', and x_i at 0: a mean of responses is one to the mean theta' */
  bool takes_bounds; /* its section has the key `bounds` */
  bool by_identity;  /* its response is to individuals that it knows: records from outside do not move as theirs do */
  bool remembers_deployments; /* the records that it makes depend on what was deployed before */
  /* The parameters of the newest deployment, or NULL. Where deploying moves records on, a response to just this pointer
   * asks for the records in force; to any other, whatever numbers are there, for those that there would be if they were
   * deployed next. */
  const sprint_real *in_force;
  sprint_real
      *state; /* what goes on from deployment to deployment, flat, or NULL: for checkpoints; those of parts too */
  size_t n_state;
  bool asks_losses;                  /* of everybody, at every deployment */
  bool hears_losses;                 /* of those who are drawn: it works them out where it is not told */
  struct sprint__loss_source losses; /* all NULL: a shift that needs losses works them out itself */
  sprint_shift **parts;              /* (n_parts) of a composition; owned */
  size_t n_parts;
  char *settings; /* all of its section, defaults included, as JSON; NULL: it is of callbacks */
  char *people;   /* who does what, in words, of the arena; a setup that says nothing: the kind's help */
};

extern const sprint_family sprint__shift_family;
extern const sprint_kind sprint__shift_none, sprint__shift_strategic, sprint__shift_linear, sprint__shift_location,
    sprint__shift_retention, sprint__shift_both, sprint__shift_chain, sprint__shift_mixture, sprint__shift_replicator,
    sprint__shift_decay, sprint__shift_opinion;

sprint_status sprint__shift_build(const struct sprint__section *section, sprint_model *model,
                                  const sprint_population *population, sprint_shift **ret_shift);

/* Makes the shift one of callbacks, whose `own` holds what they are called with; shift_custom.c. */
sprint_status sprint__shift_take_callbacks(sprint_shift *shift, const sprint_shift_callbacks *own);

/* Whether the model is one for records and classes like the population's. */
sprint_status sprint__shift_check(sprint_context *context, const sprint_model *model,
                                  const sprint_population *population);

static inline bool sprint__shift_moves(const sprint_shift *shift) { return shift->ops->respond != NULL; }
static inline bool sprint__shift_reweights(const sprint_shift *shift) { return shift->ops->strata != NULL; }

/* Whether it, or a part of it, knows people one by one. */
bool sprint__shift_by_identity(const sprint_shift *shift);

/* Whether people from outside the population respond as its own do: not where those remember where they stand, or are
 * known one by one. */
bool sprint__shift_moves_outsiders(const sprint_shift *shift);

/* Lets an engine answer for losses, of parts too; NULL: nobody does any more. */
void sprint__shift_set_losses(sprint_shift *shift, const struct sprint__loss_source *source);

/* Tells the shift, which has ops->deployed, and its parts, of a deployment. theta stays where it is until the next one,
 * or until this is called with NULL: nothing is in force any more. */
sprint_status sprint__shift_deploy(sprint_shift *shift, const sprint_real *theta);

/* Says so again of a deployment that the shift, and its parts, have heard of before. */
void sprint__shift_put_in_force(sprint_shift *shift, const sprint_real *theta);

/* All of the shift that goes on, and of its parts; and whether they say what that is. */
void sprint__shift_state(sprint_shift *shift, struct sprint__state *state);
bool sprint__shift_resumes(const sprint_shift *shift);

/* Whether records go to the model as they are kept, images as bytes: features do not move. */
static inline bool sprint__shift_by_reference(const sprint_shift *shift) {
  return !sprint__shift_moves(shift) && shift->population->bytes && shift->model->ops->reads_pixels;
}

/* In place; a shift that does not move leaves x alone. */
sprint_status sprint__shift_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                    const sprint_real *y, size_t n, sprint_real *x);

/* Whether the derivative of D in theta is known: nobody is reweighted, and features stay or `pull` knows how they move.
 */
static inline bool sprint__shift_pulls(const sprint_shift *shift) {
  return !sprint__shift_reweights(shift) && (!sprint__shift_moves(shift) || shift->pulls);
}

/* The strata probabilities at a moment; not finite where theta has diverged so far that the losses are not. */
sprint_status sprint__shift_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                   double *ret_p);

/* Takes a new sentence over as shift->people; NULL stands for memory that ran out. */
sprint_status sprint__shift_say(sprint_shift *shift, char *sentence);

/* columns.c: the features of the section's `columns` (default: all that are numbers): ret_columns (*ret_n), of the
 * shift's arena. */
sprint_status sprint__shift_columns(sprint_shift *shift, const struct sprint__section *section, size_t **ret_columns,
                                    size_t *ret_n);

/* Which of these columns (n) a name under the section's `key` is, or a refusal. */
sprint_status sprint__shift_column_among(const sprint_shift *shift, const struct sprint__section *section,
                                         const char *key, const char *name, const size_t *columns, size_t n,
                                         size_t *ret_k);

/* "income, debt", and so many of them at most. */
enum { SPRINT__SAID = 12 };
struct sprint__text;
void sprint__shift_say_columns(const sprint_population *population, const size_t *columns, size_t n,
                               struct sprint__text *text);

/* The class number that the section's `key` names, or a refusal. */
sprint_status sprint__shift_class(const struct sprint__section *section, const char *key,
                                  const sprint_population *population, size_t *ret_class);

/* wish.c: the class that people want to be in, which the section's `good` names; nobody guesses it. */
sprint_status sprint__wish_class(const struct sprint__section *section, const sprint_population *population,
                                 size_t *ret_class);

/* The score that people want higher, by the keys good, sign and score; and in words: "people want repaid = 1". */
sprint_status sprint__wish_read(const sprint_shift *shift, const struct sprint__section *section,
                                struct sprint__score *ret_score);
void sprint__wish_say(const sprint_shift *shift, const struct sprint__score *score, struct sprint__text *text);

#define SPRINT__GOOD_HELP \
  "what people want, which nobody can guess: the class that they want to be in, by its name in the data"

#endif
