/* Steps on images of which most is zero. The gradient of the first layer's weights W (in, out) is a product of the
 * batch's pixels and the delta of its outputs, and only the rows of W of those pixels are touched by it; it is never
 * written down. g^, which moves all rows of W by the same step after step, is owed to the rows that a small batch does
 * not look at, and settled when they are looked at. */
#ifndef SPRINT_SOLVER_LISTED_H
#define SPRINT_SOLVER_LISTED_H

#include "solver/solver.h"

struct sprint__listed {
  size_t in, out;       /* row `in` of W is the biases */
  sprint_real *delta;   /* (batch, out) */
  sprint_real *outputs; /* (everybody, out) the first layer's outputs at theta~; NULL where there is no theta~ */

  /* The batch's pixels by feature: those of k are by_feature[start[k]] .. by_feature[start[k + 1]], `feature` being the
   * row of the batch. */
  struct sprint__pixel *by_feature;
  uint32_t *start; /* (in + 2) */

  bool owes; /* rows may be behind */
  double moved, *settled; /* sum of all steps; (in + 1) what it was when the row was last up to date */
  const sprint_real *control; /* g^ that is owed; NULL: nothing is */
};

/* Lets a solver step so, where its model and rules allow it; the population is what it will be told of. `may_owe`:
 * nobody looks at theta between its steps, but for sprint__listed_settle. */
sprint_status sprint__listed_begin(sprint_solver *solver, const sprint_population *population, bool may_owe);
void sprint__listed_end(sprint_solver *solver);

/* Before a batch is looked at: its rows of W are brought up to date. */
void sprint__listed_look(sprint_solver *solver, const struct sprint__rows *rows);

/* The step of the first layer, from listed->delta; returns whether what it touched is finite. */
bool sprint__listed_step(sprint_solver *solver, const struct sprint__rows *rows,
                         const struct sprint__estimate *estimate, sprint_real size);

/* Brings all of theta (solver->theta or a copy of it) up to date. */
void sprint__listed_settle(const sprint_solver *solver, sprint_real *theta);

#endif
