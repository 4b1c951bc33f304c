/* Full gradient (repeated gradient descent, RGD): v = grad J(theta; deployed), n per-sample gradients a step. */
#include "solver/solver.h"

static bool full_want(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_POPULATION;
  return false;
}

static bool full_population(sprint_solver *solver, const struct sprint__gathered *gathered,
                            struct sprint__estimate *ret_estimate) {
  (void)ret_estimate;
  sprint__gathered_mean(solver, gathered, gathered->p, solver->direction);
  return true;
}

static const struct sprint__estimator_ops full_ops = {
    .want = full_want,
    .population = full_population,
    .full = true,
};

const sprint_kind sprint__estimator_full = {"rgd", "repeated gradient descent: the full gradient, n IFO a step", NULL,
                                            0, &full_ops};
