/* Derivative-free, two points a step (Agarwal, Dekel, Xiao 2010, after Flaxman, Kalai, McMahan 2005):
 *
 *     v = d/(2 delta) [V^(theta + delta u) - V^(theta - delta u)] u,      u uniform on the unit sphere of R^d
 *
 * V^ the mean loss of a batch drawn while that very theta is deployed, and the penalty. E[v] is the gradient of V
 * smoothed over a ball of radius delta; of the shift nothing need be known. The penalty's own gradient is known, but
 * where V is flat it must cancel against that of the losses, along u as anywhere: so it is differenced too. */
#include <float.h>
#include <math.h>

#include "base/random.h"
#include "base/vector.h"
#include "solver/solver.h"

struct dfo {
  double delta;
  double *u;          /* (n_params) */
  sprint_real *probe; /* (n_params) theta + delta u, then theta - delta u */
  bool second;        /* the first has been told: */
  double first;       /* V^ there */
};

static sprint_status dfo_setup(sprint_solver *solver, const struct sprint__section *section) {
  struct dfo *s = solver->impl = sprint__arena_take(&solver->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  s->delta = sprint__get_real(section, "delta");
  s->u = sprint__arena_take(&solver->arena, solver->n_params, sizeof *s->u);
  s->probe = sprint__arena_take(&solver->arena, solver->n_params, sizeof *s->probe);
  return sprint__arena_status(&solver->arena);
}

/* The direction of a step is a function of seed and step. */
static void choose_direction(const sprint_solver *solver, double *u) {
  double square = 0;
  sprint__normals(solver->seed, SPRINT__FOR_COINS, solver->cost.steps, solver->n_params, u);
  for (size_t i = 0; i < solver->n_params; i++) square += u[i] * u[i];
  for (size_t i = 0; i < solver->n_params; i++) u[i] /= sqrt(square);
}

static bool dfo_want(const sprint_solver *solver, sprint_want *ret_want) {
  struct dfo *s = solver->impl;
  if (!s->second) choose_direction(solver, s->u);
  double reach = s->second ? -s->delta : s->delta;
  for (size_t i = 0; i < solver->n_params; i++) s->probe[i] = (sprint_real)((double)solver->theta[i] + reach * s->u[i]);
  ret_want->kind = SPRINT_WANT_BATCH;
  ret_want->theta = s->probe;
  return false;
}

static bool dfo_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                      struct sprint__estimate *ret_estimate) {
  struct dfo *s = solver->impl;
  struct sprint__sums sums = {0};
  sprint__model_sums(solver->model, s->probe, rows, &sums, NULL);
  double loss = sums.loss / (double)records->n + sprint__model_penalty(solver->model, s->probe);
  s->second = !s->second;
  if (s->second) {
    s->first = loss;
    return false;
  }
  double slope = (double)solver->n_params / (2 * s->delta) * (s->first - loss);
  for (size_t i = 0; i < solver->n_params; i++) solver->direction[i] = (sprint_real)(slope * s->u[i]);
  ret_estimate->scale = 1;
  ret_estimate->penalized = true;
  ret_estimate->loss = (s->first + loss) / 2;
  return true;
}

/* Losses cost a third of gradients, roughly. */
static double dfo_ifo(const sprint_solver *solver) { return 2.0 / 3 * (double)solver->inner * (double)solver->batch; }

static void dfo_state(sprint_solver *solver, struct sprint__state *state) {
  struct dfo *s = solver->impl;
  SPRINT__KEEP_ARRAY(state, s->u, solver->n_params);
  SPRINT__KEEP_ARRAY(state, s->probe, solver->n_params);
  SPRINT__KEEP_FLAG(state, s->second);
  SPRINT__KEEP(state, s->first);
}

static const struct sprint__estimator_ops dfo_ops = {
    .setup = dfo_setup,
    .want = dfo_want,
    .batch = dfo_batch,
    .ifo_per_epoch = dfo_ifo,
    .gradientless = true,
    .state = dfo_state,
    .resumes = true,
};

static const sprint_param dfo_params[] = {
    SPRINT__REAL("delta", "0.1", DBL_MIN, 1e6, "how far from theta the two points are that are tried"),
};

const sprint_kind sprint__estimator_dfo = {
    .name = "dfo",
    .help = "zeroth order: the losses of two deployments on either side of theta; seeks the optimum",
    .params = dfo_params,
    .n_params = SPRINT__COUNT(dfo_params),
    .ops = &dfo_ops,
    .cites = "Agarwal, Dekel, Xiao, COLT 2010; Flaxman, Kalai, McMahan, SODA 2005",
    .cost = "no IFO; 2 deployments, 2b samples and as many losses a step",
    .memory = "3d",
    .optimal = true,
};
