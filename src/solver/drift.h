/* The drift meter: how far the population's answer to theta has carried the gradient at theta~ away from the snapshot,
 * b = grad J(theta~; theta) - g^, which is the bias of v with its sign turned. Where strata alone are reweighted the
 * snapshot's gradients by stratum tell it exactly. Where features move it is estimated: the inner loop's own
 * grad l(z; theta~), less g^, averaged over some batches of the epoch. */
#ifndef SPRINT_SOLVER_DRIFT_H
#define SPRINT_SOLVER_DRIFT_H

#include "solver/strata.h"

struct sprint__drift {
  uint64_t stride;       /* every so many steps of an epoch it looks; 0: never */
  double *sum;           /* (n_params) over batches looked at, of mean grad l(z; theta~) - g^; of none: anything */
  sprint_real *gradient; /* (n_params) room for the gradient at theta~ of the batch that it looks at */
  double squares;        /* the sum of their squared lengths */
  double distance;       /* of |theta - theta~| */
  size_t looks;
};

sprint_status sprint__drift_setup(sprint_solver *solver, struct sprint__drift *ret_drift);

/* There is a new snapshot. */
void sprint__drift_clear(struct sprint__drift *drift);

/* Whether the step to come is one that it looks at. */
bool sprint__drift_looks(const sprint_solver *solver, const struct sprint__drift *drift);

/* Looks at a batch of n records z drawn under theta, the sum of whose gradients at theta~ = anchor is in
 * drift->gradient, with g^ = control. */
void sprint__drift_look(sprint_solver *solver, struct sprint__drift *drift, size_t n, const sprint_real *anchor,
                        const sprint_real *control);

/* What the looks say so far; NaN where there were none. */
sprint_drift sprint__drift_read(const sprint_solver *solver, const struct sprint__drift *drift);

/* What goes on: the looks of this epoch. */
void sprint__drift_state(const sprint_solver *solver, struct sprint__drift *drift, struct sprint__state *state);

#endif
