/* L-BFGS: see minimize.h. */
#include "solver/minimize.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

/* Two values of a mean of losses that differ by less than so many roundings of theta's precision are taken for equal
 * ones; their gradients are known better. */
#define ROUNDINGS 10.0

static double rounding(void) { return sizeof(sprint_real) == 8 ? 2.2e-16 : 1.2e-7; }

double sprint__minimize_tolerance(double tolerance) {
  if (tolerance > 0) return tolerance;
  return sizeof(sprint_real) == 8 ? 1e-9 : 1e-5;
}

/* liblbfgs takes vectors in eights where it was built for SSE2. The arena's memory is zero, and aligned as it asks. */
static size_t in_eights(size_t n) { return (n + 7) / 8 * 8; }

void sprint__minimizer_setup(struct sprint__arena *arena, size_t n, struct sprint__minimizer *minimizer) {
  minimizer->n = n;
  minimizer->x = sprint__arena_take(arena, in_eights(n), sizeof *minimizer->x);
  minimizer->at = sprint__arena_take(arena, n, sizeof *minimizer->at);
  minimizer->gradient = sprint__arena_take(arena, n, sizeof *minimizer->gradient);
}

static void go_on_from(struct sprint__minimizer *m, const double *x, const double *gradient, double value) {
  memcpy(m->at, x, m->n * sizeof *x);
  memcpy(m->gradient, gradient, m->n * sizeof *gradient);
  m->value = value;
}

/* The value by the trapezoid rule from the newest point: exact where the function is a parabola between the two. This
 * is the approximate Wolfe condition of Hager and Zhang (2005). */
static double by_gradients(const struct sprint__minimizer *m, const double *x, const double *gradient) {
  double rise = 0;
  for (size_t i = 0; i < m->n; i++) rise += (gradient[i] + m->gradient[i]) / 2 * (x[i] - m->at[i]);
  return m->value + rise;
}

static lbfgsfloatval_t evaluate(void *user, const lbfgsfloatval_t *x, lbfgsfloatval_t *gradient, const int n,
                                const lbfgsfloatval_t step) {
  (void)n;
  (void)step;
  struct sprint__minimizer *m = user;
  double value = m->objective(m->user, x, gradient);
  if (!isfinite(value)) {
    memset(gradient, 0, m->n * sizeof *gradient);
    return INFINITY;
  }
  if (m->started && fabs(value - m->value) <= ROUNDINGS * rounding() * fabs(m->value))
    return by_gradients(m, x, gradient);
  if (!m->started) go_on_from(m, x, gradient, value);
  m->started = true;
  return value;
}

static int progress(void *user, const lbfgsfloatval_t *x, const lbfgsfloatval_t *gradient, const lbfgsfloatval_t value,
                    const lbfgsfloatval_t x_norm, const lbfgsfloatval_t gradient_norm, const lbfgsfloatval_t step,
                    int n, int iteration, int n_evaluations) {
  (void)x_norm;
  (void)gradient_norm;
  (void)step;
  (void)n;
  (void)iteration;
  (void)n_evaluations;
  go_on_from(user, x, gradient, value);
  return 0;
}

/* Backtracking, which takes an infinite value as a reason to turn back. */
static lbfgs_parameter_t parameters_of(const struct sprint__minimizer *m) {
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.epsilon = m->tolerance;
  parameters.max_iterations = m->iterations;
  parameters.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
  return parameters;
}

sprint_status sprint__minimize(sprint_context *context, struct sprint__minimizer *minimizer, bool *ret_met) {
  lbfgs_parameter_t parameters = parameters_of(minimizer);
  minimizer->started = false;
  int how = lbfgs((int)minimizer->n, minimizer->x, NULL, evaluate, progress, minimizer, &parameters);
  if (how == LBFGSERR_OUTOFMEMORY)
    return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory: L-BFGS over %zu parameters", minimizer->n);
  *ret_met = minimizer->started && (how == LBFGS_SUCCESS || how == LBFGS_ALREADY_MINIMIZED);
  return SPRINT_OK;
}
