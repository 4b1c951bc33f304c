/* Repeated risk minimisation (Perdomo, Zrnic, Mendler-Duenner, Hardt 2020): collect D(theta'), theta := argmin of
 * J(.; theta') to a tolerance, deploy. With `proximal` lambda the inner problem is
 *
 *     J(theta; theta') + lambda/2 |theta - theta'|^2,
 *
 * a proximal-point step (Drusvyatskiy and Xiao 2023): shorter, with the same fixed points. The other regularised RRM, a
 * ridge, is the model's own `l2`, which is part of J. A step is a deployment and its whole minimisation; theta' is the
 * solver's theta where the step begins. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/minimize.h"
#include "solver/solver.h"

struct rrm {
  struct sprint__minimizer minimizer;
  bool by_steps; /* inner steps of gradient descent, instead of L-BFGS */
  double size;   /* of these */
  double proximal;
  const struct sprint__strata_sums *told; /* at theta' */
  struct sprint__strata_sums sums;        /* at another theta */
  bool first;                             /* no point but theta' has been looked at */
  bool stuck;                             /* there can be no further look */
  sprint_real *at, *next;                 /* (n_params) */
  double *gradient;                       /* (n_params) of an inner step; or NULL */
};

static sprint_status rrm_setup(sprint_solver *solver, const struct sprint__section *section) {
  struct sprint__arena *arena = &solver->arena;
  struct rrm *s = solver->impl = sprint__arena_take(arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  solver->revisits = true;
  solver->least_ifo = 2 * solver->n;
  s->by_steps = strcmp(sprint__get_text(section, "inner_solver"), "gradient") == 0;
  s->size = sprint__get_real(section, "size");
  s->proximal = sprint__get_real(section, "proximal");
  sprint__minimizer_setup(arena, solver->n_params, &s->minimizer);
  s->minimizer.tolerance = sprint__minimize_tolerance(sprint__get_real(section, "tolerance"));
  s->minimizer.iterations = (int)sprint__get_integer(section, "steps");
  s->sums = sprint__strata_sums_of(arena, solver->n_strata, solver->n_params);
  s->at = sprint__arena_take(arena, solver->n_params, sizeof *s->at);
  s->next = sprint__arena_take(arena, solver->n_params, sizeof *s->next);
  if (s->by_steps) s->gradient = sprint__arena_take(arena, solver->n_params, sizeof *s->gradient);
  return sprint__arena_status(arena);
}

static bool rrm_want(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_POPULATION;
  return false;
}

/* The inner problem at x. theta' has been looked at: the records came with sums there. */
static double inner_problem(void *user, const double *x, double *ret_gradient) {
  sprint_solver *solver = user;
  struct rrm *s = solver->impl;
  const struct sprint__strata_sums *sums = s->first ? s->told : &s->sums;
  for (size_t i = 0; i < solver->n_params; i++) s->at[i] = (sprint_real)x[i];
  if (!s->first && !s->stuck) s->stuck = !sprint__solver_revisit(solver, s->at, NULL, NULL, &s->sums);
  if (s->stuck) return NAN;
  s->first = false;
  struct sprint__strata_parts parts = sprint__strata_parts_of(sums);
  sprint__strata_mean(solver->context, &parts, sums->p, NULL, ret_gradient);
  double value = sprint__model_penalty(solver->model, s->at);
  for (size_t c = 0; c < solver->n_strata; c++)
    if (sums->weight[c] > 0) value += sums->p[c] * sums->loss[c] / sums->weight[c];
  for (size_t i = 0; i < solver->n_params; i++) {
    double away = (double)s->at[i] - (double)solver->theta[i];
    value += s->proximal / 2 * away * away;
    ret_gradient[i] += sprint__model_decay(solver->model, s->at, i) + s->proximal * away;
  }
  return value;
}

/* Whether |gradient| < tolerance * max(1, |x|), as L-BFGS has it. */
static bool is_met(const struct rrm *s) {
  double square = 0, norm = 0;
  for (size_t i = 0; i < s->minimizer.n; i++) {
    square += s->gradient[i] * s->gradient[i];
    norm += s->minimizer.x[i] * s->minimizer.x[i];
  }
  return sqrt(square) < s->minimizer.tolerance * fmax(1, sqrt(norm));
}

/* So many steps of gradient descent, or fewer where the tolerance is met before. A value that is not finite goes on
 * into theta, as in any other method: the run has diverged. */
static bool descend(sprint_solver *solver) {
  struct rrm *s = solver->impl;
  double *x = s->minimizer.x;
  for (int k = 0; k < s->minimizer.iterations; k++) {
    inner_problem(solver, x, s->gradient);
    if (s->stuck || is_met(s)) return !s->stuck;
    for (size_t i = 0; i < s->minimizer.n; i++) x[i] -= s->size * s->gradient[i];
  }
  return false;
}

static bool rrm_population(sprint_solver *solver, const struct sprint__strata_sums *everybody,
                           struct sprint__estimate *ret_estimate) {
  struct rrm *s = solver->impl;
  bool met = false;
  s->told = everybody;
  s->first = true;
  s->stuck = false;
  for (size_t i = 0; i < solver->n_params; i++) s->minimizer.x[i] = (double)solver->theta[i];
  s->minimizer.objective = inner_problem;
  s->minimizer.user = solver;
  if (s->by_steps) {
    met = descend(solver);
  } else {
    sprint_status status = sprint__minimize(solver->context, &s->minimizer, &met);
    if (solver->trouble == SPRINT_OK) solver->trouble = status;
  }
  solver->cost.unsolved += !met;
  for (size_t i = 0; i < solver->n_params; i++) s->next[i] = (sprint_real)s->minimizer.x[i];
  ret_estimate->next = s->next;
  return true;
}

/* What cannot be known before: a guess at the passes of a minimisation. */
static double rrm_ifo(const sprint_solver *solver) {
  const struct rrm *s = solver->impl;
  const double guess = 30;
  return (double)solver->inner * (double)solver->n * fmin(guess, s->minimizer.iterations);
}

static const struct sprint__estimator_ops rrm_ops = {
    .setup = rrm_setup,
    .want = rrm_want,
    .population = rrm_population,
    .ifo_per_epoch = rrm_ifo,
    .full = true,
    .jumps = true,
    .resumes = true, /* a minimisation starts from theta */
};

static const sprint_param rrm_params[] = {
    SPRINT__CHOICE("inner_solver", "lbfgs", "lbfgs|gradient",
                   "how everybody's loss is minimised: L-BFGS, or steps of gradient descent"),
    SPRINT__REAL("tolerance", "0", 0, 1e6,
                 "solved where |gradient| < tolerance * max(1, |theta|); 0: 1e-9 in double precision, 1e-5 in single"),
    SPRINT__INTEGER("steps", "100", 1, 1e9, "steps of a minimisation, at most"),
    SPRINT__REAL("size", "0.1", DBL_MIN, 1e6, "of a step of gradient descent"),
    SPRINT__REAL("proximal", "0", 0, 1e12,
                 "lambda of a term lambda/2 |theta - deployed theta|^2 in what is minimised; 0: none"),
};

const sprint_kind sprint__estimator_rrm = {
    .name = "rrm",
    .help = "repeated risk minimisation: collect D(theta), minimise, deploy; with `proximal`, regularised",
    .params = rrm_params,
    .n_params = SPRINT__COUNT(rrm_params),
    .ops = &rrm_ops,
    .cites =
        "Perdomo, Zrnic, Mendler-Duenner, Hardt, ICML 2020; proximal: Drusvyatskiy and Xiao, Math. Oper. Res. 2023",
    .cost = "n IFO a pass; as many passes a step as the minimisation takes",
    .memory = "about 20d doubles (L-BFGS); n x features where records are told",
};
