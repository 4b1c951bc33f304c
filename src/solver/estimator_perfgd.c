/* Performative gradient descent (Izzo, Ying, Zou 2021), reparametrised: the derivative of the response takes the place
 * of an estimated one.
 *
 *     v = mean[ grad_theta l(z; theta) + (dx/dtheta)^T grad_x l(z; theta) ],     z ~ D(deployed)
 *
 * where the deployed theta is the solver's, E[v] is the gradient of V(theta) = J(theta; theta): the method looks for
 * the optimum, not for a stable point. `perfgd` takes the mean over a batch, `perfgd-full` over everybody. */
#include <string.h>

#include "solver/solver.h"

enum { MOST_ROWS = 1024 }; /* of everybody, whose derivatives are held at once */

struct perfgd {
  size_t room;                     /* rows */
  sprint_real *gradient_x, *base;  /* (room, d) */
  sprint_real *gradient;           /* (n_params) of some rows */
  double *pulled;                  /* (n_params) the second half of v, summed */
  struct sprint__strata_sums sums; /* of everybody */
};

static sprint_status refuse(const sprint_solver *solver, const struct sprint__section *section) {
  if (!solver->shift)
    return sprint__refuse(section, "kind",
                          "'%s' needs to know how people react: `shift` in sprint_solver_options was expected",
                          section->kind->name);
  if (!sprint__shift_pulls(solver->shift))
    return sprint__refuse(section, "kind",
                          "'%s' needs the derivative of the shift, which this one does not have; location, linear, "
                          "strategic without memory, integers and budget, or none was expected",
                          section->kind->name);
  if (sprint__shift_moves(solver->shift) && !solver->model->ops->gives_gradient_x)
    return sprint__refuse(section, "kind", "'%s' needs the loss's gradient in the features, which this model lacks",
                          section->kind->name);
  return SPRINT_OK;
}

static sprint_status setup(sprint_solver *solver, const struct sprint__section *section, size_t room) {
  struct sprint__arena *arena = &solver->arena;
  struct perfgd *s = solver->impl = sprint__arena_take(arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(refuse(solver, section));
  size_t d = solver->model->n_features, n_params = solver->n_params;
  s->room = room;
  s->pulled = sprint__arena_take(arena, n_params, sizeof *s->pulled);
  solver->tells_who = sprint__shift_moves(solver->shift);
  if (!solver->tells_who) return sprint__arena_status(arena);
  solver->deployed = sprint__arena_take(arena, n_params, sizeof *solver->deployed);
  s->gradient_x = sprint__arena_take(arena, room, d * sizeof *s->gradient_x);
  s->base = sprint__arena_take(arena, room, d * sizeof *s->base);
  return sprint__arena_status(arena);
}

static sprint_status perfgd_setup(sprint_solver *solver, const struct sprint__section *section) {
  return setup(solver, section, solver->batch);
}

/* Sums over n <= room rows; the second half of v is added to `pulled`. */
static void sum_rows(sprint_solver *solver, const struct sprint__rows *rows, struct sprint__sums *sums) {
  struct perfgd *s = solver->impl;
  sprint_shift *shift = solver->shift;
  sprint__model_sums(solver->model, solver->theta, rows, sums, s->gradient_x);
  if (!s->gradient_x) return;
  sprint__population_gather(shift->population, rows->who, 0, rows->n, s->base);
  shift->ops->pull(shift, solver->deployed, rows->y, rows->n, s->base, s->gradient_x, s->pulled);
}

static bool perfgd_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                         struct sprint__estimate *ret_estimate) {
  struct perfgd *s = solver->impl;
  struct sprint__sums sums = {0, 0, solver->direction};
  memset(s->pulled, 0, solver->n_params * sizeof *s->pulled);
  sum_rows(solver, rows, &sums);
  for (size_t i = 0; i < solver->n_params; i++) solver->direction[i] += (sprint_real)s->pulled[i];
  ret_estimate->loss = sums.loss / (double)records->n;
  ret_estimate->ifo = records->n;
  return true;
}

static const struct sprint__estimator_ops perfgd_ops = {
    .setup = perfgd_setup,
    .want = sprint__want_batch,
    .batch = perfgd_batch,
    .resumes = true,
};

const sprint_kind sprint__estimator_perfgd = {
    .name = "perfgd",
    .help = "performative gradient descent: a batch's gradient of V, through the shift's derivative; seeks the optimum",
    .ops = &perfgd_ops,
    .cites = "Izzo, Ying, Zou, ICML 2021; here with the shift's own derivative",
    .cost = "b IFO a step",
    .memory = "2b x features + d",
    .optimal = true,
};

static sprint_status full_setup(sprint_solver *solver, const struct sprint__section *section) {
  SPRINT__TRY(setup(solver, section, MOST_ROWS));
  struct perfgd *s = solver->impl;
  solver->revisits = solver->tells_who;
  solver->least_ifo = solver->revisits ? 2 * solver->n : 0;
  s->gradient = sprint__arena_take(&solver->arena, solver->n_params, sizeof *s->gradient);
  s->sums = sprint__strata_sums_of(&solver->arena, solver->n_strata, solver->n_params);
  return sprint__arena_status(&solver->arena);
}

static bool full_want(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_POPULATION;
  return false;
}

/* As sprint__model_sums_to, in pieces that there is room for. The first half of v is known from what was told: what the
 * pass leaves is the second. */
static void pull_rows(void *user, const sprint_real *theta, const struct sprint__rows *rows,
                      const struct sprint__total *total, struct sprint__sums *ret_sums) {
  (void)theta;
  (void)total;
  sprint_solver *solver = user;
  struct perfgd *s = solver->impl;
  size_t d = solver->model->n_features;
  *ret_sums = (struct sprint__sums){0};
  for (size_t start = 0; start < rows->n; start += s->room) {
    size_t n = rows->n - start < s->room ? rows->n - start : s->room;
    struct sprint__rows part = sprint__rows_part(rows, d, start, start + n);
    struct sprint__sums sums = {0, 0, s->gradient};
    sum_rows(solver, &part, &sums);
  }
}

static bool full_population(sprint_solver *solver, const struct sprint__strata_sums *everybody,
                            struct sprint__estimate *ret_estimate) {
  (void)ret_estimate;
  struct perfgd *s = solver->impl;
  memset(s->pulled, 0, solver->n_params * sizeof *s->pulled);
  if (solver->revisits && !sprint__solver_revisit(solver, solver->theta, pull_rows, solver, &s->sums)) return false;
  struct sprint__strata_parts parts = sprint__strata_parts_of(everybody);
  sprint__strata_mean(solver->context, &parts, everybody->p, solver->direction, NULL);
  double all = sprint__strata_weight(everybody);
  for (size_t i = 0; i < solver->n_params; i++) solver->direction[i] += (sprint_real)(s->pulled[i] / all);
  return true;
}

static double full_ifo(const sprint_solver *solver) {
  return (solver->revisits ? 2.0 : 1.0) * (double)solver->inner * (double)solver->n;
}

static const struct sprint__estimator_ops full_ops = {
    .setup = full_setup,
    .want = full_want,
    .population = full_population,
    .ifo_per_epoch = full_ifo,
    .full = true,
    .resumes = true,
};

const sprint_kind sprint__estimator_perfgd_full = {
    .name = "perfgd-full",
    .help = "performative gradient descent over everybody: the gradient of V itself",
    .ops = &full_ops,
    .cites = "Izzo, Ying, Zou, ICML 2021; here with the shift's own derivative",
    .cost = "2n IFO a step: everybody is looked at twice, once for each half of the gradient",
    .memory = "3d; n x features where records are told",
    .optimal = true,
};
