/* Stochastic gradient with greedy deployment (SGD-GD; lazy by the deployment policy): v = the batch's mean gradient. */
#include "solver/solver.h"

static bool sgd_want(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_BATCH;
  return false;
}

static uint64_t sgd_batch(sprint_solver *solver, const sprint_records *records, double *ret_loss) {
  sprint_batch rows = {records->n, records->x, records->y};
  struct sprint__sums sums = {0, 0, solver->direction};
  sprint__model_sums(solver->model, solver->theta, &rows, &sums, NULL);
  sprint_real scale = (sprint_real)(1.0 / (double)records->n);
  for (size_t i = 0; i < solver->n_params; i++) solver->direction[i] *= scale;
  if (solver->model->l2 > 0)
    for (size_t i = 0; i < solver->n_params; i++)
      solver->direction[i] += (sprint_real)sprint__model_decay(solver->model, solver->theta, i);
  *ret_loss = sums.loss / (double)records->n;
  return records->n;
}

static const struct sprint__estimator_ops sgd_ops = {
    .want = sgd_want,
    .batch = sgd_batch,
};

const sprint_kind sprint__estimator_sgd = {"sgd", "SGD-GD: the batch's mean gradient, b IFO a step", NULL, 0, &sgd_ops};
