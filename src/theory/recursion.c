/* The recursion of docs/math.md section 5 for one step size: c_k, Gamma_k, Gamma.
 *
 * With a constant gamma it is c_k = A + B c_{k+1}, so that c_k = A (B^(m-k) - 1) / (B - 1): what searches for step
 * sizes call thousands of times costs no loop over m. c_k grows as k falls, hence the least Gamma_k is Gamma_0, of c_1.
 */
#include <math.h>

#include "base/sized.h"
#include "theory/search.h"

/* c_k = add + multiply c_{k+1}; multiply - 1 is kept, which is small. */
struct affine {
  double add, growth;
};

static struct affine affine_of(const sprint_constants *a, double gamma, double beta) {
  double curvature = (2 * a->L * a->L + a->kappa * a->kappa) * gamma * gamma;
  return (struct affine){gamma / 2 + curvature * a->L + beta * a->kappa * gamma / 2,
                         gamma * beta + 2 * a->kappa * gamma + 2 * curvature};
}

static double c_of(const struct affine *step, double steps_left) {
  return step->add * expm1(steps_left * log1p(step->growth)) / step->growth;
}

/* Gamma_k / gamma - 1/4 */
static double margin_of(const sprint_constants *a, double gamma, double beta, double c_next) {
  return 0.75 - (c_next + a->kappa / 2) / beta - 2 * a->L * gamma - 4 * c_next * gamma;
}

double sprint__theory_margin(const sprint_constants *constants, double gamma, double beta) {
  struct affine step = affine_of(constants, gamma, beta);
  return margin_of(constants, gamma, beta, c_of(&step, constants->m - 1));
}

double sprint__theory_drift(const sprint_constants *a) {
  double square = a->kappa * a->kappa;
  return square * square + 2 * square * a->L * a->L + 2 * square;
}

double sprint_theory_floor(const sprint_constants *constants) {
  return constants ? sprint__theory_drift(constants) * 4 / 3 : NAN;
}

sprint_certificate sprint__certificate_of(const sprint_constants *constants, double gamma, double beta) {
  struct affine step = affine_of(constants, gamma, beta);
  sprint_certificate it = {.gamma = gamma, .beta = beta, .c_0 = c_of(&step, constants->m)};
  double margin = sprint__theory_margin(constants, gamma, beta);
  it.Gamma = gamma * margin;
  it.valid = it.Gamma > 0;
  it.remaining = it.valid ? sprint__theory_drift(constants) / margin : NAN;
  return it;
}

/* Beyond this, fourth powers of constants and what they are multiplied by leave the range of numbers. */
#define MOST 1e50

sprint_status sprint__constants_take(sprint_context *context, const sprint_constants *given,
                                     sprint_constants *ret_own) {
  SPRINT__SIZED_TAKE(context, sprint_constants, given, ret_own);
  const struct {
    const char *name;
    double value, least;
    bool open; /* the least value itself is refused */
  } rules[] = {
      {"L", ret_own->L, 0, true},
      {"kappa", ret_own->kappa, 0, false},
      {"m", ret_own->m, 1, false},
      {"n", ret_own->n, 1, false},
      {"batch", ret_own->batch, 1, false},
      {"delta_0", ret_own->delta_0, 0, false},
      {"sigma_0", ret_own->sigma_0, 0, false},
      {"sigma_1", ret_own->sigma_1, 0, false},
  };
  for (size_t i = 0; i < SPRINT__COUNT(rules); i++)
    if (!(rules[i].value >= rules[i].least) || rules[i].value > MOST || (rules[i].open && rules[i].value == 0))
      return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "%s is %g; a number %s %g, and at most %g, was expected",
                         rules[i].name, rules[i].value, rules[i].open ? "above" : "of at least", rules[i].least, MOST);
  if (ret_own->m != floor(ret_own->m))
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "m is %g; a whole number of steps was expected", ret_own->m);
  return SPRINT_OK;
}

static sprint_status check_step(sprint_context *context, double gamma, double beta, double least_beta) {
  if (!(gamma > 0) || !isfinite(gamma))
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "gamma is %g; a finite number above 0 was expected", gamma);
  if (!(beta >= least_beta) || !isfinite(beta))
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "beta is %g; a finite number above 0 was expected", beta);
  return SPRINT_OK;
}

sprint_status sprint_theory_epoch(sprint_context *context, const sprint_constants *constants, double gamma, double beta,
                                  double *ret_c, double *ret_Gamma) {
  SPRINT__REQUIRE(context, constants);
  sprint_constants own, *a = &own;
  SPRINT__TRY(sprint__constants_take(context, constants, a));
  SPRINT__TRY(check_step(context, gamma, beta, SPRINT__LEAST_BETA));
  double square = 2 * a->L * a->L + a->kappa * a->kappa, c = 0;
  size_t m = (size_t)a->m;
  if (ret_c) ret_c[m] = 0;
  for (size_t k = m; k-- > 0;) {
    if (ret_Gamma)
      ret_Gamma[k] = gamma - (c + a->kappa / 2) * gamma / beta - 2 * a->L * gamma * gamma - 4 * c * gamma * gamma;
    c = gamma / 2 + c * (1 + gamma * beta + 2 * a->kappa * gamma) +
        square * (a->L * gamma * gamma + 2 * c * gamma * gamma) + beta * a->kappa * gamma / 2;
    if (ret_c) ret_c[k] = c;
  }
  return SPRINT_OK;
}

sprint_status sprint_theory_check(sprint_context *context, const sprint_constants *constants, double gamma, double beta,
                                  sprint_certificate *ret_certificate) {
  SPRINT__REQUIRE(context, constants, ret_certificate);
  sprint_constants own;
  SPRINT__TRY(sprint__constants_take(context, constants, &own));
  SPRINT__TRY(check_step(context, gamma, beta, 0));
  if (beta == 0) beta = sprint__theory_beta_for(&own, gamma);
  sprint_certificate found = sprint__certificate_of(&own, gamma, beta);
  return SPRINT__SIZED_GIVE(context, sprint_certificate, &found, ret_certificate);
}

sprint_status sprint_theory_closed_form(sprint_context *context, const sprint_constants *constants,
                                        sprint_certificate *ret_certificate) {
  SPRINT__REQUIRE(context, constants, ret_certificate);
  sprint_constants own, *a = &own;
  SPRINT__TRY(sprint__constants_take(context, constants, a));
  sprint_certificate found = {.remaining = NAN};
  if (a->kappa < 6 * a->L) {
    double c = (6 * a->L - a->kappa) / 18, beta = 4 * a->L + 4 * a->kappa / 3;
    double C_0 = 0.5 + c * (beta + 2 * a->kappa) + beta * a->kappa / 2;
    double C_1 = (2 * a->L * a->L + a->kappa * a->kappa) * (a->L + 2 * c);
    double gamma = fmin(fmin(1, 1 / (8 * a->L + 8 * a->kappa / 3)), c / (2 * a->m * (C_0 + C_1)));
    found = sprint__certificate_of(a, gamma, beta);
  }
  return SPRINT__SIZED_GIVE(context, sprint_certificate, &found, ret_certificate);
}
