/* Full gradient (repeated gradient descent, RGD): v = grad J(theta; deployed), n per-sample gradients a step. */
#include "solver/solver.h"

static bool full_want(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_POPULATION;
  return false;
}

static bool full_population(sprint_solver *solver, const struct sprint__strata_sums *everybody,
                            struct sprint__estimate *ret_estimate) {
  (void)ret_estimate;
  struct sprint__strata_parts parts = sprint__strata_parts_of(everybody);
  sprint__strata_mean(solver->context, &parts, everybody->p, solver->direction, NULL);
  return true;
}

static double full_ifo(const sprint_solver *solver) { return (double)solver->inner * (double)solver->n; }

static const struct sprint__estimator_ops full_ops = {
    .want = full_want,
    .population = full_population,
    .ifo_per_epoch = full_ifo,
    .unbiased = true,
    .full = true,
    .follows_gradient = true,
    .resumes = true,
};

const sprint_kind sprint__estimator_full = {
    .name = "rgd",
    .help = "repeated gradient descent: the full gradient, n IFO a step",
    .ops = &full_ops,
    .cites = "Perdomo, Zrnic, Mendler-Duenner, Hardt 2020, arXiv 2002.06673",
    .cost = "n IFO a step",
    .memory = "none",
};
