/* Steps on images of which most is zero. The gradient of the first layer's weights W (in, out) is a product of the
 * batch's pixels and the delta of its outputs, and only the rows of W of those pixels are touched by it; it is never
 * written down. g^ moves all rows of W step after step: after small batches it is owed, theta = what is held -
 * `moved` g^, until the epoch ends; what is owed to the first layer's outputs of an individual is `moved` times that
 * individual's products with g^, which are worked out once an epoch. */
#ifndef SPRINT_SOLVER_LISTED_H
#define SPRINT_SOLVER_LISTED_H

#include "solver/solver.h"

struct sprint__listed {
  size_t in, out;     /* row `in` of W is the biases */
  sprint_real *delta; /* (batch, out) */
  sprint_real *trace; /* (everybody, list_trace) what the snapshot's pass left, and a pass at theta~ gives again; NULL
                         where there is no theta~ */

  struct sprint__pixel *by_feature; /* room for the batch's pixels, sorted: see sprint__sparse_sort */
  uint32_t *from;                   /* room of each lane, one behind the other */

  bool owes;                  /* g^ may be owed */
  double moved;               /* steps along g^ that are owed */
  const sprint_real *control; /* that g^; NULL: nothing is owed */
  struct sprint__move newest; /* what the newest step did */
  sprint_real *products;      /* (everybody, out) x g^; where it may be owed */
};

/* Lets a solver step so, where its model and rules allow it; the population is what it will be told of. `may_owe`:
 * nobody looks at theta between its steps, but for sprint__listed_settle. */
sprint_status sprint__listed_begin(sprint_solver *solver, const sprint_population *population, bool may_owe);
void sprint__listed_end(sprint_solver *solver);

/* The step of the first layer, from listed->delta; false where that leaves it no finite numbers. */
bool sprint__listed_step(sprint_solver *solver, const struct sprint__rows *rows,
                         const struct sprint__estimate *estimate, sprint_real size);

/* Brings all of theta (solver->theta or a copy of it) up to date. */
void sprint__listed_settle(const sprint_solver *solver, sprint_real *theta);

#endif
