/* How much work a run is, before it starts. */
#include <math.h>

#include "run/run.h"

static double gradients_per_epoch(const sprint_solver *solver) {
  if (solver->estimator->ifo_per_epoch) return solver->estimator->ifo_per_epoch(solver);
  return (double)solver->inner * (double)solver->batch;
}

double sprint_run_epochs_planned(const sprint_run *run) {
  if (!run) return 0;
  double gradients = gradients_per_epoch(run->solver), epochs = (double)sprint_run_steps_planned(run);
  epochs = epochs > 0 ? epochs / (double)run->solver->inner : INFINITY;
  if (run->solver->rules.ifo && gradients > 0) epochs = fmin(epochs, (double)run->solver->rules.ifo / gradients);
  return isfinite(epochs) ? epochs : 0;
}

/* A row takes the gradient under D(theta), and a third of it, the loss alone, on the base population. */
double sprint_run_cost_per_epoch(const sprint_run *run) {
  if (!run) return NAN;
  double evaluated = 4.0 / 3 * (double)run->shift->population->n / (double)run->eval_every;
  return (gradients_per_epoch(run->solver) + evaluated) * run->shift->model->cost_per_row;
}
