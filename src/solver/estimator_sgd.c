/* Stochastic gradient with greedy deployment (SGD-GD; lazy by the deployment policy): v = the batch's mean gradient. */
#include "solver/solver.h"

static bool sgd_want(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_BATCH;
  return false;
}

static uint64_t sgd_batch(sprint_solver *solver, const sprint_records *records, double *ret_loss) {
  sprint_batch rows = {records->n, records->x, records->y};
  sprint__model_mean(solver->model, solver->theta, &rows, ret_loss, solver->direction);
  return records->n;
}

static const struct sprint__estimator_ops sgd_ops = {
    .want = sgd_want,
    .batch = sgd_batch,
};

const sprint_kind sprint__estimator_sgd = {"sgd", "SGD-GD: the batch's mean gradient, b IFO a step", NULL, 0, &sgd_ops};
