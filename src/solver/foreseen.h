/* Steps on small batches that are known ahead, a window of them at a time. W (in + 1, out) stays as it was when the
 * window began; what the steps since then make of an individual's products with it follows from the products of the
 * window's records with each other,
 *
 *     x W = x W_0 - sum over the rows j stepped on of (x . x_j + 1) d_j - moved x g^,
 *
 * d_j being the delta of row j times its step's factor, and the 1 the biases'. So W is read and written once a window,
 * by all threads; and while the steps of one window are taken, one after the other, all that does not depend on them is
 * made ready for the next. g^ is owed to W until the epoch ends. */
#ifndef SPRINT_SOLVER_FORESEEN_H
#define SPRINT_SOLVER_FORESEEN_H

#include "model/sparse.h"

enum { SPRINT__WINDOW_ROWS = SPRINT__SPARSE_OUT }; /* at most */

struct sprint__window {
  size_t n, done;               /* rows; of these, those stepped on */
  uint32_t *who;                /* (n) */
  sprint_real *gram;            /* (n, SPRINT__SPARSE_OUT) x . x_j + 1, left of the diagonal */
  sprint_real *owed;            /* (n, out) x g^ */
  struct sprint__pixel *sorted; /* its pixels: see sprint__sparse_sort */
  uint32_t *from;
  sprint_real *products; /* (n, out) x W_0; of those stepped on, x W */
  sprint_real *delta;    /* (n, out) d, of those stepped on */
};

struct sprint__foreseen {
  sprint_context *context;
  const struct sprint__pixels *pixels;
  size_t in, out;
  struct sprint__window *now, *next, windows[2];
  const sprint_real *control; /* g^; NULL: there is none */
  double moved;               /* steps along g^ that are owed */
  sprint_real *room;          /* of sprint__sparse_gram */
};

/* Lists of at most `longest` pixels. */
sprint_status sprint__foreseen_new(sprint_context *context, const struct sprint__pixels *pixels, size_t longest,
                                   size_t in, size_t out, struct sprint__foreseen **ret_foreseen);
void sprint__foreseen_free(struct sprint__foreseen *foreseen);

/* Makes the next window ready, n rows whose `who` has been filled. Needs nothing that steps in this window change. */
void sprint__foreseen_prepare(struct sprint__foreseen *foreseen, size_t n);

/* The next window becomes this one; this one's steps go to W. */
void sprint__foreseen_turn(struct sprint__foreseen *foreseen, sprint_real *theta);

/* Whether the rows that come next are these. */
bool sprint__foreseen_are(const struct sprint__foreseen *foreseen, const uint32_t *who, size_t n);

/* Their products with W. */
const sprint_real *sprint__foreseen_products(struct sprint__foreseen *foreseen, size_t n);

/* They are stepped on: their deltas, in place, times the factor; g^ times the size. Returns whether that is finite. */
bool sprint__foreseen_step(struct sprint__foreseen *foreseen, size_t n, sprint_real factor, sprint_real size);

/* Gives theta all that it is owed. */
void sprint__foreseen_settle(const struct sprint__foreseen *foreseen, sprint_real *theta);

/* Nothing is foreseen or owed. */
void sprint__foreseen_clear(struct sprint__foreseen *foreseen);

#endif
