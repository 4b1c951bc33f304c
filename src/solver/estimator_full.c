/* Full gradient (repeated gradient descent, RGD): v = grad J(theta; deployed), n per-sample gradients a step. */
#include "solver/solver.h"

static bool full_want(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_POPULATION;
  return false;
}

static bool full_population(sprint_solver *solver, const struct sprint__gathered *gathered, double *ret_loss) {
  for (size_t i = 0; i < solver->n_params; i++) {
    double sum = sprint__model_decay(solver->model, solver->theta, i);
    for (size_t c = 0; c < solver->n_strata; c++)
      if (gathered->count[c])
        sum += gathered->p[c] * gathered->gradient[c * solver->n_params + i] / (double)gathered->count[c];
    solver->direction[i] = (sprint_real)sum;
  }
  *ret_loss = gathered->loss / (double)gathered->n;
  return true;
}

static const struct sprint__estimator_ops full_ops = {
    .want = full_want,
    .population = full_population,
    .full = true,
};

const sprint_kind sprint__estimator_full = {"rgd", "repeated gradient descent: the full gradient, n IFO a step", NULL,
                                            0, &full_ops};
