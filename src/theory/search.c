/* Searches over gamma and beta.
 *
 * At a fixed beta the margin Gamma/gamma falls strictly in gamma, so the edge of validity is found by bisection. It is
 * positive at gamma -> 0 where beta > 2 kappa / 3, so beta = 2 kappa / 3 + s is searched over s: a grid over sixteen
 * powers of ten, then golden sections between the neighbours of its best point. What comes out was evaluated by the
 * recursion; a search that missed the top would cost something, and never be wrong. */
#include "theory/search.h"

#include <math.h>

#include "base/sized.h"

enum { GRID = 160, BISECTIONS = 200, SECTIONS = 80 };
#define GRID_LEAST 1e-8 /* of s, in multiples of the largest of 1, L and kappa */
#define GRID_MOST  1e8
#define GOLDEN     0.61803398874989484820
#define LEAST_STEP 1e-12 /* of the largest valid step: where a search for the best one begins */

struct search {
  const sprint_constants *constants;
  double gamma;  /* that beta is sought for */
  double needed; /* of the margin, before a step is of use */
  double (*worth)(const struct search *search, double beta);
};

/* The top over [low, high] of a function with one, by golden sections. */
static double top_of(const struct search *search, double (*f)(const struct search *, double at, double beta),
                     double beta, double low, double high) {
  double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
  double f_a = f(search, a, beta), f_b = f(search, b, beta);
  for (int i = 0; i < SECTIONS; i++) {
    if (f_a > f_b) {
      high = b, b = a, f_b = f_a;
      a = high - GOLDEN * (high - low), f_a = f(search, a, beta);
    } else {
      low = a, a = b, f_a = f_b;
      b = low + GOLDEN * (high - low), f_b = f(search, b, beta);
    }
  }
  return (low + high) / 2;
}

static double beta_of(const struct search *search, double log_s) {
  const sprint_constants *a = search->constants;
  return 2 * a->kappa / 3 + exp(log_s) * fmax(1, fmax(a->L, a->kappa));
}

static double worth_at(const struct search *search, double log_s, double unused) {
  (void)unused;
  return search->worth(search, beta_of(search, log_s));
}

static double best_beta(const struct search *search) {
  const double low = log(GRID_LEAST), step = (log(GRID_MOST) - low) / GRID;
  double best = low, worth = -INFINITY;
  for (int i = 0; i <= GRID; i++) {
    double here = worth_at(search, low + i * step, 0);
    if (here > worth) worth = here, best = low + i * step;
  }
  double refined = top_of(search, worth_at, 0, best - step, best + step);
  return beta_of(search, worth_at(search, refined, 0) > worth ? refined : best);
}

static double worth_of_given_gamma(const struct search *search, double beta) {
  return sprint__theory_margin(search->constants, search->gamma, beta);
}

double sprint__theory_beta_for(const sprint_constants *constants, double gamma) {
  struct search search = {.constants = constants, .gamma = gamma, .worth = worth_of_given_gamma};
  return best_beta(&search);
}

/* The largest gamma whose margin is above what is needed; 0 where none is. 3/(8L) bounds it, as 2 L gamma < 3/4. */
static double edge_of(const struct search *search, double beta) {
  const sprint_constants *a = search->constants;
  double low = 0, high = 3 / (8 * a->L);
  for (int i = 0; i < BISECTIONS && (low == 0 || high - low > 1e-15 * high); i++) {
    /* by halves of the exponent until a valid step is found, then of the interval */
    double middle = low == 0 ? high / 16 : (low + high) / 2;
    if (middle < DBL_MIN) return 0;
    *(sprint__theory_margin(a, middle, beta) > search->needed ? &low : &high) = middle;
  }
  return low;
}

/* Gamma beyond what is needed. */
static double gain_at(const struct search *search, double log_gamma, double beta) {
  double gamma = exp(log_gamma);
  return gamma * (sprint__theory_margin(search->constants, gamma, beta) - search->needed);
}

static double best_gamma(const struct search *search, double beta) {
  double edge = edge_of(search, beta);
  return edge > 0 ? exp(top_of(search, gain_at, beta, log(edge * LEAST_STEP), log(edge))) : 0;
}

static double worth_of_gain(const struct search *search, double beta) {
  double gamma = best_gamma(search, beta);
  return gamma > 0 ? gain_at(search, log(gamma), beta) : -INFINITY;
}

static sprint_status give(sprint_context *context, const sprint_constants *constants, double gamma, double beta,
                          sprint_certificate *ret_certificate) {
  sprint_certificate found = {.remaining = NAN};
  if (gamma > 0) found = sprint__certificate_of(constants, gamma, beta);
  return SPRINT__SIZED_GIVE(context, sprint_certificate, &found, ret_certificate);
}

sprint_status sprint_theory_largest(sprint_context *context, const sprint_constants *constants,
                                    sprint_certificate *ret_certificate) {
  SPRINT__REQUIRE(context, constants, ret_certificate);
  sprint_constants own;
  SPRINT__TRY(sprint__constants_take(context, constants, &own));
  struct search search = {.constants = &own, .worth = edge_of};
  double beta = best_beta(&search);
  return give(context, &own, edge_of(&search, beta), beta, ret_certificate);
}

/* Delta_0/(T Gamma) + drift gamma/Gamma <= delta for the least T: where Gamma - gamma drift/delta is largest. */
sprint_status sprint_theory_best(sprint_context *context, const sprint_constants *constants, double delta,
                                 sprint_certificate *ret_certificate) {
  SPRINT__REQUIRE(context, constants, ret_certificate);
  sprint_constants own;
  SPRINT__TRY(sprint__constants_take(context, constants, &own));
  if (!(delta >= 0) || !isfinite(delta))
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "delta is %g; a finite number of at least 0 was expected",
                       delta);
  struct search search = {.constants = &own, .worth = worth_of_gain};
  search.needed = delta > 0 ? sprint__theory_drift(&own) / delta : 0;
  double beta = best_beta(&search);
  return give(context, &own, best_gamma(&search, beta), beta, ret_certificate);
}
