/* Steps on images of which most is zero. The gradient of the first layer's weights W (in, out) is a product of the
 * batch's pixels and the delta of its outputs, and only the rows of W of those pixels are touched by it; it is never
 * written down. Small batches are foreseen, where they can be: see foreseen.h. Where somebody else follows the steps
 * and lends each batch's products with W, W itself is owed them until it is wanted. */
#ifndef SPRINT_SOLVER_LISTED_H
#define SPRINT_SOLVER_LISTED_H

#include "solver/foreseen.h"
#include "solver/solver.h"

/* Steps that W has not had yet. */
struct sprint__owed {
  size_t n, room;             /* rows stepped on, of how many at most */
  uint32_t *who;              /* (n) */
  sprint_real *delta;         /* (n, out) times the factor of its step */
  const sprint_real *control; /* g^, or NULL */
  double moved;               /* along it */
};

struct sprint__listed {
  const struct sprint__pixels *pixels;
  size_t in, out;     /* row `in` of W is the biases */
  sprint_real *delta; /* (batch, out) */
  sprint_real *trace; /* (everybody, list_trace) what the snapshot's pass left, and a pass at theta~ gives again; NULL
                         where there is no theta~ */

  struct sprint__pixel *by_feature; /* room for the batch's pixels, sorted: see sprint__sparse_sort */
  uint32_t *from;                   /* room of each lane, one behind the other */

  struct sprint__move newest; /* what the newest step did */

  struct sprint__foreseen *foreseen; /* NULL: batches come as they come */
  struct sprint__owed owed;
  const sprint_real *lent; /* (batch, out) the next batch's products with W as it is to be; NULL: with W as it is */
};

/* Lets a solver step so, where its model and rules allow it; the population is what it will be told of. `foresees`:
 * who is drawn within an epoch does not depend on its steps, and nobody looks at theta between them, but for
 * sprint__listed_settle. */
sprint_status sprint__listed_begin(sprint_solver *solver, const sprint_population *population, bool foresees);
void sprint__listed_end(sprint_solver *solver);

/* Batches of a window that begins after `steps` more steps, in this epoch; 0: nothing is foreseen. */
size_t sprint__listed_foresight(const sprint_solver *solver, size_t steps);

/* From here on g^ is owed, while the strata probabilities are p (NULL: as in the population). Returns whether it is
 * another g^ than before. */
bool sprint__listed_owe(sprint_solver *solver, const double *p);

/* Who the next batch of this window is; NULL: it has ended, or there is none. */
const uint32_t *sprint__listed_next(const sprint_solver *solver);

/* Lends the batch that comes next its products with W; NULL: nobody knows them. */
void sprint__listed_lend(const sprint_solver *solver, const sprint_real *products);

/* Adds to the rows of a batch what the model needs for such a step. */
void sprint__listed_take(sprint_solver *solver, struct sprint__rows *rows);

/* The step of the first layer, from rows->delta; false where that leaves it no finite numbers. */
bool sprint__listed_step(sprint_solver *solver, const struct sprint__rows *rows,
                         const struct sprint__estimate *estimate, sprint_real size);

/* Whether theta lacks any of the steps taken. */
bool sprint__listed_lags(const sprint_solver *solver);

/* Brings all of theta (solver->theta or a copy of it) up to date. */
void sprint__listed_settle(const sprint_solver *solver, sprint_real *theta);

#endif
