/* Recursive estimators: v of a step is that of the step before plus what a batch says has changed,
 *
 *     v_k = v_{k-1} + mean[grad l(z_i(theta_k); theta_k) - w_i grad l(z~_i; theta_{k-1})],
 *
 * and now and then v is the gradient of all. z~_i is the individual's record under the deployment of the step before
 * (coupled), or z_i(theta_k) itself. w_i = 1, or, where strata are weighted as they were and are (stratified),
 * p_c(theta_{k-1}) / p_c(theta_k): the batch is drawn by the probabilities of today. With both, the mean over all draws
 * of v_k - v_{k-1} is grad J(theta_k; theta_k) - grad J(theta_{k-1}; theta_{k-1}). SARAH, SPIDER and PAGE share it. */
#ifndef SPRINT_SOLVER_RECURSIVE_H
#define SPRINT_SOLVER_RECURSIVE_H

#include "solver/correction.h"
#include "solver/snapshot.h"
#include "solver/solver.h"

struct sprint__recursive {
  struct sprint__snapshot taking;
  bool stratified;
  uint64_t deployment;          /* that made the records of the step before */
  sprint_real *before;          /* (n_params) theta_{k-1} */
  sprint_real *v;               /* (n_params) v_{k-1}, without the penalty's part */
  double *p;                    /* (n_strata) of the step before */
  sprint_real *x, *x_reference; /* (batch, d) rows of one stratum, where strata are weighted; otherwise NULL */
  sprint_real *y;               /* (batch) */
  sprint_real *part;            /* (n_params) their gradient */
};

#define SPRINT__RECURSIVE_PARAMS SPRINT__CORRECTION_PARAM, SPRINT__SNAPSHOT_PARAMS

/* Reads the section. */
sprint_status sprint__recursive_setup(sprint_solver *solver, const struct sprint__section *section,
                                      struct sprint__recursive *ret_recursive);

/* What the step to come wants: the gradient of all, or a batch. Returns as an estimator's want. */
bool sprint__recursive_want(const sprint_solver *solver, const struct sprint__recursive *s, bool all,
                            sprint_want *ret_want);

/* v, in solver->direction, from what was told of all; false: the snapshot is not whole yet. */
bool sprint__recursive_population(sprint_solver *solver, struct sprint__recursive *s,
                                  const struct sprint__strata_sums *told);

/* v, in solver->direction, from a batch. */
void sprint__recursive_batch(sprint_solver *solver, struct sprint__recursive *s, const sprint_records *records,
                             const struct sprint__rows *rows, struct sprint__estimate *ret_estimate);

/* What goes on. */
void sprint__recursive_state(const sprint_solver *solver, struct sprint__recursive *s, struct sprint__state *state);

/* Per-sample gradients of an epoch that begins with the gradient of all: n + 2b(m - 1). */
double sprint__recursive_ifo(const sprint_solver *solver);

#endif
