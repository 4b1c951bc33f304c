/* How much work a run is, before it starts. */
#include "run/run.h"

double sprint_run_epochs_planned(const sprint_run *run) {
  return (double)sprint_run_steps_planned(run) / (double)run->solver->inner;
}

/* Per-sample gradients of an epoch: a control variate takes a second one per sample, and one per individual. */
static double gradients_per_epoch(const sprint_solver *solver) {
  double n = (double)solver->n, steps = (double)solver->inner, batch = (double)solver->batch;
  if (solver->estimator->full) return steps * n;
  return solver->estimator->control ? 2 * steps * batch + n : steps * batch;
}

/* A row takes the gradient under D(theta), and a third of it, the loss alone, on the base population. */
double sprint_run_cost_per_epoch(const sprint_run *run) {
  double evaluated = 4.0 / 3 * (double)run->solver->n / (double)run->eval_every;
  return (gradients_per_epoch(run->solver) + evaluated) * run->shift->model->cost_per_row;
}
