/* The pixels engine: steps on images of which most is zero, under a dense first layer. The gradient of that layer's
 * weights W (in, out) is a product of a batch's pixels and the deltas of its outputs; only the rows of W of those
 * pixels are touched by it, and it is never written down. Row `in` of W is the biases, as if a feature were 1.
 *
 *   engine_pixels.c   what it fits, its room, sums over rows
 *   pixels_step.c     one step, at once or put off
 *   pixels_lookahead.c   small batches, drawn some steps ahead where draws do not depend on the steps
 *   pixels_gram.c     losses of everybody that follow the steps
 */
#ifndef SPRINT_ENGINE_PIXELS_H
#define SPRINT_ENGINE_PIXELS_H

#include "engine/engine.h"
#include "engine/pixel_products.h"

/* What a lane sums rows with. */
struct sprint__pixels_room {
  struct sprint__pixel *sorted; /* of struct sprint__pixel_rows, and: */
  uint32_t *from;
};

/* Steps that W has not had yet. */
struct sprint__pixels_deferred {
  size_t n, most;             /* rows stepped on, of how many at most */
  uint32_t *who;              /* (n) */
  sprint_real *delta;         /* (n, out) times the factor of its step */
  const sprint_real *control; /* g^, or NULL */
  uint64_t version;           /* of it */
  double along;               /* how far W has to go along it */
};

struct sprint__pixels_lookahead;
struct sprint__pixels_gram;

struct sprint__pixels_engine {
  struct sprint__pixel_lists lists, heldout_lists;
  size_t in, out;
  struct sprint__pixels_room rooms[SPRINT__MAX_LANES];

  sprint_real *activations;  /* (everybody, n_activations) of the newest survey; NULL where no step has a theta~ */
  uint64_t activations_step; /* the solver's steps at the parameters surveyed */
  bool has_activations;

  sprint_real *delta;               /* (batch, out) */
  struct sprint__pixel *by_feature; /* room for a batch's pixels, sorted; a lane's behind the one before */
  uint32_t *from;                   /* as by_feature */
  struct sprint__pixels_deferred deferred;

  struct sprint__pixels_lookahead *lookahead; /* NULL: batches are drawn as they are wanted */
  struct sprint__pixels_gram *gram;           /* NULL: losses do not follow the steps */
};

/* engine_pixels.c: a batch's sums. */
struct sprint__pixels_batch {
  size_t n;
  const uint32_t *who;
  const sprint_real *y;
  const sprint_real *z;        /* (n, out) the first layer's products; NULL: to be worked out */
  const sprint_real *recalled; /* activations at theta~, or NULL */
  sprint_real *delta;          /* (n, out) of the first layer's outputs, for the sum */
  double *losses;              /* (n) where the loss of each is left; NULL: unwanted */
};

/* The mean loss; the gradient of all other layers, summed, goes to step->direction. */
double sprint__pixels_sum(struct sprint__engine *engine, const struct sprint__pixels_batch *batch,
                          const struct sprint__step *step);

/* pixels_step.c */
sprint_status sprint__pixels_step_new(struct sprint__engine *engine);
/* The step that is wanted, on the individuals `who`. */
sprint_status sprint__pixels_step(struct sprint__engine *engine, const sprint_want *want, const uint32_t *who);
/* theta gets the steps that it lacks: a copy, or the solver's own, to which nothing is then put off any more. */
void sprint__pixels_show(const struct sprint__engine *engine, sprint_real *theta);
void sprint__pixels_settle(struct sprint__engine *engine);

/* pixels_lookahead.c. W stays as it was when a round of batches began; what the steps since then make of an
 * individual's products with it follows from the products of the round's records with each other,
 *
 *     x W = x W_0 - sum over the rows j stepped on of (x . x_j + 1) d_j - along x g^,
 *
 * d_j being the delta of row j times its step's factor, and the 1 the biases'. So W is read and written once a round,
 * by all threads; and while the steps of one round are taken, one after the other, all that does not depend on them is
 * made ready for the next. W goes along g^ when the epoch ends. */
enum { SPRINT__LOOKAHEAD_ROWS = SPRINT__PIXEL_COLUMNS }; /* at most */

sprint_status sprint__lookahead_new(struct sprint__engine *engine, struct sprint__pixels_lookahead **ret_lookahead);

/* The steps of a round, of which `want` is the first. */
sprint_status sprint__lookahead_run(struct sprint__engine *engine, const sprint_want *want);

/* Whether the round's next rows are these, under the g^ of that version. Then: their products with W; where their
 * deltas go; and that they are stepped on: the deltas, in place, times the factor, g^ times the size. The last returns
 * whether that is finite. */
bool sprint__lookahead_has(const struct sprint__pixels_lookahead *lookahead, const uint32_t *who, size_t n,
                           uint64_t version);
const sprint_real *sprint__lookahead_products(struct sprint__pixels_lookahead *lookahead, size_t n);
sprint_real *sprint__lookahead_deltas(struct sprint__pixels_lookahead *lookahead);
bool sprint__lookahead_step(struct sprint__pixels_lookahead *lookahead, size_t n, sprint_real factor, sprint_real size);

/* Who comes after the next n rows, up to n of them. */
const uint32_t *sprint__lookahead_later(const struct sprint__pixels_lookahead *lookahead, size_t n, size_t *ret_n);

/* Gives theta the steps of the round; and forgets them. */
void sprint__lookahead_show(const struct sprint__pixels_lookahead *lookahead, sprint_real *theta);
void sprint__lookahead_clear(struct sprint__pixels_lookahead *lookahead);

/* pixels_gram.c. With Z = X W + b the first layer's products of all n individuals, a step on a batch B
 *
 *     W -= f sum over B of x d^T + s g        gives        Z -= f K_B^T D + s P,
 *
 * D (batch, out) the deltas, K_B the batch's rows of K = X X^T + 1 (the 1 for the biases), P = X g: products of the
 * size of the batch instead of the features. Z is worked out anew once an epoch, so that roundings do not pile up. A
 * batch's products with W can be had from Z, so that W itself need not follow at once. */

/* NULL in *ret_gram where K would take more bytes than the engine may take. */
sprint_status sprint__gram_new(struct sprint__engine *engine, struct sprint__pixels_gram **ret_gram);

/* A step was taken; steady: g^ stays as it is. */
void sprint__gram_follow(struct sprint__pixels_gram *gram, const struct sprint__pixel_step *step, bool steady);

/* An epoch has ended: what is asked next is worked out anew. */
void sprint__gram_forget(struct sprint__pixels_gram *gram);

/* Where the steps led, the products x W + b of these individuals, at most a batch of them; NULL: they are not known. */
const sprint_real *sprint__gram_products(struct sprint__pixels_gram *gram, const uint32_t *who, size_t n);

/* ret_sums (n_strata): each stratum's losses at the solver's theta, which is where the steps led. */
void sprint__gram_losses(struct sprint__pixels_gram *gram, double *ret_sums);

#endif
