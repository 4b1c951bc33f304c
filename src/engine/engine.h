/* An engine: who works on records. It deploys what the solver wants deployed, takes everybody's record for a snapshot,
 * takes steps, looks at theta for the trace, and shows theta whole. `plain` is the definition: it serves every
 * estimator, model and shift. A fast engine serves what it fits, is picked once, when a run is made, and is known to
 * nobody else; an estimator declares what a fast engine may use (struct sprint__linear). */
#ifndef SPRINT_ENGINE_ENGINE_H
#define SPRINT_ENGINE_ENGINE_H

#include "engine/pass.h"
#include "engine/sampler.h"
#include "population/source.h"
#include "solver/solver.h"

/* A deployment: the parameters that the population reacts to, and how often each stratum shows up. */
struct sprint__deployment {
  sprint_real *theta; /* (n_params); not kept where the shift has no use for it */
  double *p;          /* (n_strata of the population) */
  uint64_t number;    /* counted from 1 */
};

/* Everybody's record at the solver's theta. One pass serves a row of the trace and the snapshot that follows it. */
struct sprint__survey {
  struct sprint__strata_sums sums;
  bool known;
  uint64_t step;       /* the solver's steps at theta */
  bool own;            /* the records are those of D(theta); otherwise of an older deployment */
  bool told;           /* the solver has had it as what it wanted */
  bool displaced;      /* displacement is known */
  double displacement; /* mean |x - base x| */
  uint64_t evals;      /* of the shift, and: */
  double seconds;      /* that it took */
};

struct sprint__engine;

struct sprint__engine_ops {
  /* What of this run it cannot do, in a few words; NULL: nothing. */
  const char *(*misfit)(const struct sprint__engine *engine);
  /* Whether it is faster than those before it, so that `auto` takes it. NULL: wherever it fits. */
  bool (*pays)(const struct sprint__engine *engine);
  sprint_status (*setup)(struct sprint__engine *engine);
  void (*free)(struct sprint__engine *engine); /* what is not of the engine's arena; NULL: nothing */
  /* Sums over rows of the population or its held-out part; user: the engine; total NULL: losses alone, without those of
   * a gradient in mind. NULL: the model's own way. */
  sprint__sum_rows sum;
  /* The same of everybody's records in a survey, where more than the sums is wanted of them. NULL: `sum` does it. */
  sprint__sum_rows survey;
  /* Tells the solver the batch that it wants, or takes that step, and maybe some more that follow it. */
  sprint_status (*step)(struct sprint__engine *engine, const sprint_want *want);
  /* Sums of the losses at the solver's theta by stratum, for a deployment. Returns false where it has no way of its own
   * to know them. NULL: never has. */
  bool (*losses)(struct sprint__engine *engine, double *ret_sums);
  /* Where steps are put off: theta, a copy of the solver's, gets those that it lacks; the solver's own does. Both NULL:
   * it never lacks any. */
  void (*show)(const struct sprint__engine *engine, sprint_real *theta);
  void (*settle)(struct sprint__engine *engine);
  /* Whether all that goes on is in what engines share (state.c), as it must be at the latest where an epoch begins.
   * NULL: always. */
  bool (*rests)(const struct sprint__engine *engine);
};

struct sprint__engine_options {
  const struct sprint__section *section; /* `engine:` */
  const struct sprint__section *method;  /* `method:`, for what is said of it */
  sprint_solver *solver;
  sprint_shift *shift;
  const sprint_population *heldout; /* or NULL */
  uint64_t seed;
};

struct sprint__engine {
  const sprint_kind *kind; /* that was picked */
  const struct sprint__engine_ops *ops;
  void *impl;
  sprint_context *context;
  struct sprint__arena arena; /* of its own room and that of its kind */
  sprint_solver *solver;
  sprint_shift *shift;
  uint64_t seed;
  double most_bytes; /* that a fast engine may take for what makes it fast */

  struct sprint__deployment current; /* the newest */
  struct sprint__deployment anchor;  /* that of the newest snapshot */
  struct sprint__deployment before;  /* the one before the newest, where the solver refers to that */
  uint64_t n_epochs_begun;           /* epochs whose first deployment is done */
  bool asking;                       /* the shift is asked about the solver's theta */
  bool surveying;                    /* a survey is being taken */

  struct sprint__tap *tap; /* of a population without end, otherwise NULL */
  struct sprint__pass pass, heldout_pass;
  struct sprint__survey survey;
  struct sprint__strata_sums losses;       /* of a pass for losses alone */
  struct sprint__strata_sums sample;       /* of the newest sample, where the solver wants any */
  uint64_t drawn_step, drawn, sampled;     /* records of batches, of samples, drawn at one of the solver's steps */
  struct sprint__strata_sums heldout_sums; /* as losses */
  sprint_real *anchor_x; /* (n, d) everybody's record at the snapshot, where the shift keeps records */
  bool lags;             /* the newest step was of another theta than the deployed one, and the bias was looked at */
  double *expected;      /* (n_params) E[v] at theta then, without the penalty's part; NULL: no step ever lags, or the
                            population has no end */
  double seconds_reused; /* spent on rows of the trace, on what training would have had to do */

  uint32_t *who;                 /* (batch) */
  uint32_t *stratum;             /* (batch) */
  double *weight;                /* (batch) */
  double *drawn_losses;          /* (batch) where the shift hears them and a step may tell them; otherwise NULL */
  sprint_real *x, *x_anchor, *y; /* (batch, d), (batch) */
  const sprint_real *known_x;    /* (n, d) everybody's records under the newest deployment; NULL: they are to be made */
};

extern const sprint_family sprint__engine_family;
extern const sprint_kind sprint__engine_auto, sprint__engine_plain, sprint__engine_recall, sprint__engine_pixels;

/* Picks the engine that the section names; `auto`: the fastest that fits. */
sprint_status sprint__engine_new(sprint_context *context, const struct sprint__engine_options *options,
                                 struct sprint__engine **ret_engine);
void sprint__engine_free(struct sprint__engine *engine);
SPRINT__FREE_AT(sprint__engine_free, struct sprint__engine)

/* Does what the solver wants next. *ret_more false: it wants nothing any more. */
sprint_status sprint__engine_advance(struct sprint__engine *engine, bool *ret_more);

/* All of the solver's theta, in room (n_params) where it lacks steps. */
const sprint_real *sprint__engine_theta(const struct sprint__engine *engine, sprint_real *room);

/* The strata probabilities of the newest deployment; NULL where the shift does not reweight. */
static inline const double *sprint__engine_p(const struct sprint__engine *engine) {
  return sprint__shift_reweights(engine->shift) ? engine->current.p : NULL;
}

/* Evaluation. Nothing of it is counted, drawn or remembered by the shift. */

/* |E[v] - grad J(theta; deployed)| of a step as the newest one was, over all draws; NaN where the estimator does not
 * say. room (n_params). To be called before sprint__engine_measure, which has the same against grad J(theta; theta). */
sprint_status sprint__engine_bias(struct sprint__engine *engine, double *room, double *ret_bias);

/* What is measured at theta on D(theta). */
struct sprint__measures {
  double loss, accuracy, displacement;
  double loss_base, accuracy_base; /* on the base records */
  double loss_heldout, accuracy_heldout;
  double gradient_sq;
  double bias; /* |E[v] - grad J(theta; theta)| where the newest step lagged behind its deployment; else untouched */
};

/* Measures the solver's theta; ret_p (n_strata of the population), room (n_params). *ret_finite false: theta or what
 * follows from it is no number any more, and nothing was measured. */
sprint_status sprint__engine_measure(struct sprint__engine *engine, double *room, double *ret_p,
                                     struct sprint__measures *ret_look, bool *ret_finite);

/* What engines share. */

/* Records of the drawn individuals `who` (n) under the newest deployment and, where they are wanted, under the
 * snapshot's; the shift may hear of them. The one place where drawn records are fetched. */
sprint_status sprint__engine_fetch(struct sprint__engine *engine, const uint32_t *who, const sprint_want *want,
                                   sprint_records *ret_records);

/* The shift hears of individuals who were drawn and answered with x (see struct sprint__drawn): before the step on
 * them, or, where it goes by their losses and that step works these out anyway, after it, which left them at
 * solver->losses. */
sprint_status sprint__engine_hear_before(struct sprint__engine *engine, const uint32_t *who, size_t n,
                                         const sprint_real *x);
sprint_status sprint__engine_hear_after(struct sprint__engine *engine, const sprint_records *records);

/* Tells the solver a batch; the shift may hear of it then. */
sprint_status sprint__engine_tell(struct sprint__engine *engine, const sprint_records *records);

/* Which draws what is wanted is: at one step there may be several, and each draws anew. */
struct sprint__draws sprint__engine_draws(struct sprint__engine *engine, const sprint_want *want);

/* Draws the batch that is wanted: engine->who. */
void sprint__engine_draw(struct sprint__engine *engine, const sprint_want *want);

/* The batch that is wanted: drawn and fetched. Fewer records than wanted: the population's source has ended, and the
 * solver is halted. */
sprint_status sprint__engine_batch(struct sprint__engine *engine, const sprint_want *want, sprint_records *ret_records);

/* The deployment that a batch refers back to. */
const struct sprint__deployment *sprint__engine_reference(const struct sprint__engine *engine, const sprint_want *want);

/* endless.c: the same, and samples, of populations without end. What such a population does not go with is refused. */
sprint_status sprint__endless_check(const struct sprint__engine *engine, const struct sprint__section *method);
sprint_status sprint__endless_meets(const struct sprint__engine *engine, const sprint_want *want);
sprint_status sprint__endless_batch(struct sprint__engine *engine, const sprint_want *want,
                                    sprint_records *ret_records);
sprint_status sprint__endless_sample(struct sprint__engine *engine, const sprint_want *want,
                                     const struct sprint__pass_options *passing, struct sprint__strata_sums *sums);

/* survey.c: everybody's record at the solver's theta, once for whoever needs it. */

/* Whether the newest survey is of the solver's theta on D(theta), as a new one would be. */
bool sprint__survey_is_fresh(const struct sprint__engine *engine);

/* The survey that the solver wants now, under the newest deployment; a row's is taken over where it is fresh. */
sprint_status sprint__survey_for_solver(struct sprint__engine *engine);

/* p_c of theta, at a moment; and whether those of the newest deployment are numbers. */
sprint_status sprint__engine_strata(struct sprint__engine *engine, const sprint_real *theta, enum sprint__moment moment,
                                    double *ret_p);
bool sprint__engine_is_finite(const struct sprint__engine *engine);

/* The survey becomes the snapshot's again: at theta~, of the records that it had. */
sprint_status sprint__survey_anchor(struct sprint__engine *engine, const struct sprint__linear *linear);

/* sample.c: the sample that is wanted, summed at the solver's theta, by stratum; of fewer records where the
 * population's source has ended, and the solver is halted. */
sprint_status sprint__engine_sample(struct sprint__engine *engine, const sprint_want *want,
                                    struct sprint__strata_sums *ret_sums);

/* state.c: all that goes on of the engine, its solver and its shift, where it rests between two of the solver's
 * wishes; and why it can never be told, in a few words (NULL: it can). */
void sprint__engine_state(struct sprint__engine *engine, struct sprint__state *state);
bool sprint__engine_rests(const struct sprint__engine *engine);
const char *sprint__engine_unresumable(const struct sprint__engine *engine);

/* What the solver wants next, deployed where it has to be. */
sprint_status sprint__engine_ask(struct sprint__engine *engine, sprint_want *ret_want);

#endif
