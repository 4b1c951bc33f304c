/* What of a solver goes on, between any two calls: see base/state.h. */
#include "solver/solver.h"

const char *sprint__solver_unresumable(const sprint_solver *solver) {
  if (!solver->estimator->resumes) return "the method does not say what it remembers";
  if (!solver->schedule->ops->resumes) return "the step rule does not say what it remembers";
  return NULL;
}

sprint_status sprint__solver_check_whole(const sprint_solver *solver) {
  if (!solver->half_loaded) return SPRINT_OK;
  return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                     "the solver was not loaded whole; loading it again, or a new one, was expected");
}

static void progress_state(sprint_solver *solver, struct sprint__state *state) {
  size_t stop = solver->stop;
  SPRINT__KEEP(state, solver->cost);
  SPRINT__KEEP(state, solver->epoch_step);
  SPRINT__KEEP_FLAG(state, solver->ends_epoch);
  SPRINT__KEEP(state, solver->steps_since_deploy);
  SPRINT__KEEP_FLAG(state, solver->deployed_other);
  sprint__state_count(state, "solver->stop", &stop, SPRINT_STOP_STALLED);
  SPRINT__KEEP(state, solver->first_loss);
  SPRINT__KEEP(state, solver->first_norm);
  SPRINT__KEEP(state, solver->first_penalty);
  SPRINT__KEEP(state, solver->gradient_sq);
  solver->stop = (sprint_stop)stop;
}

/* What was asked for and is not told yet. Where its theta is follows from the estimator, which wants it again. */
static void want_state(sprint_solver *solver, struct sprint__state *state) {
  sprint_want *want = &solver->wanted;
  size_t kind = want->kind;
  SPRINT__KEEP_FLAG(state, solver->asked);
  SPRINT__KEEP_FLAG(state, solver->snapshot_next);
  sprint__state_count(state, "want->kind", &kind, SPRINT_WANT_SAMPLE);
  SPRINT__KEEP(state, want->n);
  SPRINT__KEEP(state, want->deployment);
  SPRINT__KEEP_FLAG(state, want->deploy);
  SPRINT__KEEP(state, want->reference);
  SPRINT__KEEP(state, want->step);
  SPRINT__KEEP(state, want->epoch);
  if (solver->inbox) SPRINT__KEEP(state, want->request);
  want->kind = (sprint_want_kind)kind;
  want->size = sizeof *want;
}

static void find_wanted_theta(sprint_solver *solver) {
  sprint_want again = {.size = sizeof again, .theta = solver->theta};
  if (solver->asked) solver->estimator->want(solver, &again);
  solver->wanted.theta = again.theta;
}

void sprint__solver_state(sprint_solver *solver, struct sprint__state *state) {
  SPRINT__KEEP_ARRAY(state, solver->theta, solver->n_params);
  SPRINT__KEEP_ARRAY(state, solver->direction, solver->n_params);
  SPRINT__KEEP_ARRAY(state, solver->deployed, solver->n_params);
  progress_state(solver, state);
  want_state(solver, state);
  if (solver->told.p) sprint__strata_sums_state(&solver->told, state);
  if (solver->inbox) sprint__inbox_state(solver, state);
  if (solver->kept) sprint__kept_state(solver, state);
  if (solver->schedule->ops->state) solver->schedule->ops->state(solver->schedule, state);
  if (solver->estimator->state) solver->estimator->state(solver, state);
  if (state->reads && sprint__state_ok(state)) find_wanted_theta(solver);
}
