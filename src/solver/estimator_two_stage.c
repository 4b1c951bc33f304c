/* The two-stage method for location families (Miller, Perdomo, Zrnic 2021). Records are thought to be z = z_0 + A
 * theta. Stage 1 deploys `probes` random theta_k around the start, collects a batch from each, and fits A by least
 * squares. Stage 2 minimises the plug-in risk over all N records collected, by L-BFGS,
 *
 *     (1/N) sum l(z_i + A (theta - theta_k(i)), y_i; theta) + the penalty,
 *
 * and is done: one step, after which the method wants nothing any more. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "solver/minimize.h"
#include "solver/solver.h"

struct two_stage {
  size_t probes, told; /* of which so many have been told */
  double scale;
  sprint_real *theta;              /* (probes, n_params) */
  sprint_real *x, *y;              /* (probes, batch, d), (probes, batch) as told */
  double *x_mean;                  /* (probes, d) */
  double *matrix;                  /* (n_params, d) A transposed */
  double *normal;                  /* (n_params, n_params) of the least squares */
  double *normals;                 /* (n_params) random */
  sprint_real *moved, *gradient_x; /* (batch, d) */
  sprint_real *at, *gradient;      /* (n_params) */
  double *pulled;                  /* (d) the sum of gradient_x */
  bool stuck;                      /* the budget has no room for a further look */
  struct sprint__minimizer minimizer;
};

static sprint_status refuse(const sprint_solver *solver, const struct sprint__section *section, size_t probes) {
  if (solver->n_strata > 1)
    return sprint__refuse(section, "kind",
                          "'two-stage' fits how features move; a shift that does not reweight was expected");
  if (!solver->model->ops->gives_gradient_x)
    return sprint__refuse(section, "kind",
                          "'two-stage' needs the loss's gradient in the features, which this model lacks");
  if (probes > solver->n_params) return SPRINT_OK;
  return sprint__refuse(section, "probes",
                        "%zu deployments cannot settle A: for %zu parameters at least %zu were expected", probes,
                        solver->n_params, solver->n_params + 1);
}

static void take_records(struct sprint__arena *arena, struct two_stage *s, size_t batch, size_t d) {
  s->x = sprint__arena_take(arena, s->probes * batch, d * sizeof *s->x);
  s->y = sprint__arena_take(arena, s->probes * batch, sizeof *s->y);
  s->moved = sprint__arena_take(arena, batch, d * sizeof *s->moved);
  s->gradient_x = sprint__arena_take(arena, batch, d * sizeof *s->gradient_x);
  s->x_mean = sprint__arena_take(arena, s->probes, d * sizeof *s->x_mean);
  s->pulled = sprint__arena_take(arena, d, sizeof *s->pulled);
}

static sprint_status two_stage_setup(sprint_solver *solver, const struct sprint__section *section) {
  struct sprint__arena *arena = &solver->arena;
  struct two_stage *s = solver->impl = sprint__arena_take(arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  size_t p = solver->n_params, d = solver->model->n_features;
  s->probes = (size_t)sprint__get_integer(section, "probes");
  s->scale = sprint__get_real(section, "scale");
  SPRINT__TRY(refuse(solver, section, s->probes));
  take_records(arena, s, solver->batch, d);
  s->theta = sprint__arena_take(arena, s->probes, p * sizeof *s->theta);
  s->matrix = sprint__arena_take(arena, p, d * sizeof *s->matrix);
  s->normal = sprint__arena_take(arena, p, p * sizeof *s->normal);
  s->normals = sprint__arena_take(arena, p, sizeof *s->normals);
  s->at = sprint__arena_take(arena, p, sizeof *s->at);
  s->gradient = sprint__arena_take(arena, p, sizeof *s->gradient);
  sprint__minimizer_setup(arena, p, &s->minimizer);
  s->minimizer.tolerance = sprint__minimize_tolerance(sprint__get_real(section, "tolerance"));
  s->minimizer.iterations = (int)sprint__get_integer(section, "steps");
  return sprint__arena_status(arena);
}

static bool two_stage_want(const sprint_solver *solver, sprint_want *ret_want) {
  struct two_stage *s = solver->impl;
  size_t p = solver->n_params;
  ret_want->kind = SPRINT_WANT_BATCH;
  if (s->told >= s->probes) return false; /* all is done */
  sprint_real *theta = s->theta + s->told * p;
  sprint__normals(solver->seed, SPRINT__FOR_COINS, s->told, p, s->normals);
  for (size_t i = 0; i < p; i++) theta[i] = (sprint_real)((double)solver->theta[i] + s->scale * s->normals[i]);
  ret_want->theta = theta;
  return false;
}

static void keep_batch(sprint_solver *solver, const sprint_records *records) {
  struct two_stage *s = solver->impl;
  size_t d = solver->model->n_features, n = records->n;
  sprint_real *x = s->x + s->told * n * d;
  if (records->x)
    memcpy(x, records->x, n * d * sizeof *x);
  else
    sprint__population_gather(records->images, records->who, 0, n, x);
  memcpy(s->y + s->told * n, records->y, n * sizeof *s->y);
  double *mean = s->x_mean + s->told * d;
  memset(mean, 0, d * sizeof *mean);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++) mean[j] += (double)x[i * d + j] / (double)n;
  s->told++;
}

/* The mean over probes of column i of theta, or of the means of x. */
static double theta_mean(const struct two_stage *s, size_t p, size_t i) {
  double sum = 0;
  for (size_t k = 0; k < s->probes; k++) sum += (double)s->theta[k * p + i];
  return sum / (double)s->probes;
}

/* The normal equations of the regression of x on theta with an intercept. As every probe has as many records, those
 * over the probes' means of x are those over all records. */
static void fill_normal(const sprint_solver *solver, struct two_stage *s) {
  size_t p = solver->n_params, d = solver->model->n_features;
  memset(s->normal, 0, p * p * sizeof *s->normal);
  memset(s->matrix, 0, p * d * sizeof *s->matrix);
  for (size_t i = 0; i < p; i++) s->normals[i] = theta_mean(s, p, i);
  for (size_t k = 0; k < s->probes; k++)
    for (size_t i = 0; i < p; i++) {
      double away = (double)s->theta[k * p + i] - s->normals[i];
      for (size_t j = 0; j <= i; j++) s->normal[i * p + j] += away * ((double)s->theta[k * p + j] - s->normals[j]);
      for (size_t j = 0; j < d; j++) s->matrix[i * d + j] += away * s->x_mean[k * d + j];
    }
}

/* Cholesky's factor, in place of the lower half; false: the matrix is singular, up to rounding. */
static bool factor(double *a, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, a[i * n + i]);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > (double)n * DBL_EPSILON * largest)) return false;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  return true;
}

/* b (n, m) := what solves L L^T y = b, L (n, n) the factor. */
static void solve(const double *l, size_t n, double *b, size_t m) {
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < m; c++) {
      for (size_t k = 0; k < i; k++) b[i * m + c] -= l[i * n + k] * b[k * m + c];
      b[i * m + c] /= l[i * n + i];
    }
  for (size_t i = n; i-- > 0;)
    for (size_t c = 0; c < m; c++) {
      for (size_t k = i + 1; k < n; k++) b[i * m + c] -= l[k * n + i] * b[k * m + c];
      b[i * m + c] /= l[i * n + i];
    }
}

/* Probe k's records as they would be under s->at. */
static void move_records(const sprint_solver *solver, const struct two_stage *s, size_t k) {
  size_t p = solver->n_params, d = solver->model->n_features, b = solver->batch;
  const sprint_real *x = s->x + k * b * d;
  memset(s->pulled, 0, d * sizeof *s->pulled);
  for (size_t i = 0; i < p; i++) {
    double away = (double)s->at[i] - (double)s->theta[k * p + i];
    for (size_t j = 0; j < d; j++) s->pulled[j] += s->matrix[i * d + j] * away;
  }
  for (size_t r = 0; r < b; r++)
    for (size_t j = 0; j < d; j++) s->moved[r * d + j] = (sprint_real)((double)x[r * d + j] + s->pulled[j]);
}

/* Adds probe k's part of N times the gradient; returns its part of the loss. */
static double add_probe(sprint_solver *solver, struct two_stage *s, size_t k, double *gradient) {
  size_t p = solver->n_params, d = solver->model->n_features, b = solver->batch;
  move_records(solver, s, k);
  struct sprint__rows rows = {.n = b, .x = s->moved, .y = s->y + k * b};
  struct sprint__sums sums = {0, 0, s->gradient};
  sprint__model_sums(solver->model, s->at, &rows, &sums, s->gradient_x);
  memset(s->pulled, 0, d * sizeof *s->pulled);
  for (size_t r = 0; r < b; r++)
    for (size_t j = 0; j < d; j++) s->pulled[j] += (double)s->gradient_x[r * d + j];
  for (size_t i = 0; i < p; i++) {
    gradient[i] += (double)s->gradient[i];
    for (size_t j = 0; j < d; j++) gradient[i] += s->matrix[i * d + j] * s->pulled[j];
  }
  return sums.loss;
}

static double plug_in_risk(void *user, const double *theta, double *ret_gradient) {
  sprint_solver *solver = user;
  struct two_stage *s = solver->impl;
  size_t n = s->probes * solver->batch;
  double loss = 0;
  s->stuck = s->stuck || !sprint__solver_affords(solver, n);
  if (s->stuck) return NAN;
  solver->cost.ifo += n;
  memset(ret_gradient, 0, solver->n_params * sizeof *ret_gradient);
  for (size_t i = 0; i < solver->n_params; i++) s->at[i] = (sprint_real)theta[i];
  for (size_t k = 0; k < s->probes; k++) loss += add_probe(solver, s, k, ret_gradient);
  for (size_t i = 0; i < solver->n_params; i++)
    ret_gradient[i] = ret_gradient[i] / (double)n + sprint__model_decay(solver->model, s->at, i);
  return loss / (double)n + sprint__model_penalty(solver->model, s->at);
}

static sprint_status minimize(sprint_solver *solver, struct two_stage *s) {
  bool met = false;
  fill_normal(solver, s);
  if (!factor(s->normal, solver->n_params))
    return sprint_fail(solver->context, SPRINT_ERROR_INPUT,
                       "key 'method.probes': the %zu deployments of two-stage do not settle A: their thetas lie in too "
                       "few directions; more of them, or another seed, was expected",
                       s->probes);
  solve(s->normal, solver->n_params, s->matrix, solver->model->n_features);
  for (size_t i = 0; i < solver->n_params; i++) s->minimizer.x[i] = (double)solver->theta[i];
  s->minimizer.objective = plug_in_risk;
  s->minimizer.user = solver;
  SPRINT__TRY(sprint__minimize(solver->context, &s->minimizer, &met));
  solver->cost.unsolved += !met;
  return SPRINT_OK;
}

static bool two_stage_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                            struct sprint__estimate *ret_estimate) {
  struct two_stage *s = solver->impl;
  struct sprint__sums sums = {0};
  sprint__model_sums(solver->model, s->theta + s->told * solver->n_params, rows, &sums, NULL);
  ret_estimate->loss = sums.loss / (double)records->n;
  keep_batch(solver, records);
  if (s->told < s->probes) return false;
  solver->trouble = minimize(solver, s);
  for (size_t i = 0; i < solver->n_params; i++) s->at[i] = (sprint_real)s->minimizer.x[i];
  ret_estimate->next = s->at;
  solver->ends_epoch = true;
  sprint_solver_halt(solver, SPRINT_STOP_FINISHED);
  return true;
}

/* All of it, a guess at the passes included; it has one epoch. */
static double two_stage_ifo(const sprint_solver *solver) {
  const struct two_stage *s = solver->impl;
  const double guess = 30;
  return (double)s->probes * (double)solver->batch * fmin(guess, s->minimizer.iterations);
}

static void two_stage_state(sprint_solver *solver, struct sprint__state *state) {
  struct two_stage *s = solver->impl;
  size_t d = solver->model->n_features, n = s->probes * solver->batch;
  sprint__state_count(state, "s->told", &s->told, s->probes);
  SPRINT__KEEP_ARRAY(state, s->theta, s->probes * solver->n_params);
  SPRINT__KEEP_ARRAY(state, s->x, n * d);
  SPRINT__KEEP_ARRAY(state, s->y, n);
  SPRINT__KEEP_ARRAY(state, s->x_mean, s->probes * d);
}

static const struct sprint__estimator_ops two_stage_ops = {
    .setup = two_stage_setup,
    .want = two_stage_want,
    .batch = two_stage_batch,
    .ifo_per_epoch = two_stage_ifo,
    .jumps = true,
    .state = two_stage_state,
    .resumes = true,
};

static const sprint_param two_stage_params[] = {
    SPRINT__INTEGER("probes", "50", 2, 1e6, "random thetas that are deployed; more than there are parameters"),
    SPRINT__REAL("scale", "1", DBL_MIN, 1e6, "standard deviation of each of their parameters around the start"),
    SPRINT__REAL("tolerance", "0", 0, 1e6,
                 "solved where |gradient| < tolerance * max(1, |theta|); 0: 1e-9 in double precision, 1e-5 in single"),
    SPRINT__INTEGER("steps", "1000", 1, 1e9, "steps of the minimisation, at most"),
};

const sprint_kind sprint__estimator_two_stage = {
    .name = "two-stage",
    .help =
        "location families: fit how records move with theta, then minimise the risk that follows; seeks the optimum",
    .params = two_stage_params,
    .n_params = SPRINT__COUNT(two_stage_params),
    .ops = &two_stage_ops,
    .cites = "Miller, Perdomo, Zrnic, ICML 2021",
    .cost = "`probes` deployments of b samples, then N = probes x b IFO a pass of the minimisation",
    .memory = "N x features + probes x d + d^2 + features x d; about 16d doubles (L-BFGS)",
    .optimal = true,
};
