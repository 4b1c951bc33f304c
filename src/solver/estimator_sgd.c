/* Stochastic gradient with greedy deployment (SGD-GD; lazy by the deployment policy): v = the batch's mean gradient. */
#include "solver/solver.h"

static bool sgd_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                      struct sprint__estimate *ret_estimate) {
  struct sprint__sums sums = {0, 0, solver->direction};
  struct sprint__rows told = *rows;
  told.losses = solver->losses;
  sprint__model_sums(solver->model, solver->theta, &told, &sums, NULL);
  ret_estimate->loss = sums.loss / (double)records->n;
  ret_estimate->ifo = records->n;
  return true;
}

static void sgd_linear(sprint_solver *solver, const double *p, struct sprint__linear *ret_linear) {
  (void)solver;
  (void)p;
  *ret_linear = (struct sprint__linear){.ifo = 1, .steady = true};
}

static const struct sprint__estimator_ops sgd_ops = {
    .want = sprint__want_batch,
    .batch = sgd_batch,
    .linear = sgd_linear,
    .leaves_losses = true,
    .unbiased = true,
    .follows_gradient = true,
    .takes_stale = true,
    .resumes = true,
};

const sprint_kind sprint__estimator_sgd = {
    .name = "sgd",
    .help = "SGD-GD: the batch's mean gradient, b IFO a step",
    .ops = &sgd_ops,
    .cites =
        "Mendler-Duenner, Perdomo, Zrnic, Hardt 2020, arXiv 2006.06887; not convex: Li, Wai 2024, arXiv 2405.17922",
    .cost = "b IFO a step",
    .memory = "none",
};
