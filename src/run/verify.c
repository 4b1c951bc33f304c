/* The closed forms of docs/math.md section 6, reproduced through the solver and the driver themselves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/verify.h"

#include "base/print.h"

static double tolerance(double scale) { return (sizeof(sprint_real) == 8 ? 1e-9 : 1e-5) * fmax(1.0, scale); }

void sprint__verify_compare(struct sprint__verify *verify, const char *name, double expected, double got) {
  sprint_verify_case result = {name, expected, got, tolerance(fabs(expected)), false};
  result.ok = fabs(expected - got) <= result.tolerance;
  if (!result.ok) verify->all_ok = false;
  if (verify->report) verify->report(verify->user, &result);
}

/* A test bed: loss `mean` or `linear` over a Gaussian sample, z(theta) = z + epsilon theta. */
struct bed {
  sprint_population *population;
  sprint_model *model;
  sprint_shift *shift;
  double mean; /* of the base sample */
};

static void bed_clear(struct bed *bed) {
  sprint_shift_free(bed->shift);
  sprint_model_free(bed->model);
  sprint_population_free(bed->population);
}

/* The bed, all zero before, is the caller's to clear, also after a failure. */
static sprint_status bed_new(sprint_context *context, const char *loss, double l2, double epsilon, double mean,
                             struct bed *bed) {
  char data[128], model[128], shift[128];
  sprint__snprintf(data, sizeof data, "{kind: gaussian, n: 200, mean: %.17g, standardize: none}", mean);
  sprint__snprintf(model, sizeof model, "{loss: %s, l2: %.17g}", loss, l2);
  sprint__snprintf(shift, sizeof shift, "{kind: location, epsilon: %.17g}", epsilon);
  SPRINT__TRY(sprint_population_load(context, data, &bed->population, NULL));
  SPRINT__TRY(sprint_model_new(context, model, bed->population, &bed->model));
  SPRINT__TRY(sprint_shift_new(context, shift, bed->model, bed->population, &bed->shift));
  for (size_t i = 0; i < bed->population->n; i++) bed->mean += (double)bed->population->x[i];
  bed->mean /= (double)bed->population->n;
  return SPRINT_OK;
}

/* The scalar theta after a run from `start`. */
static sprint_status run_scalar(sprint_context *context, const struct bed *bed, const char *spec, double start,
                                double *ret_theta) {
  sprint_real theta = (sprint_real)start;
  sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 7, .shift = bed->shift, .theta = &theta};
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
  SPRINT__TRY(sprint_run_new(context, &options, &run));
  SPRINT__TRY(sprint_run_go(run, NULL, NULL));
  *ret_theta = (double)sprint_run_theta(run)[0];
  return SPRINT_OK;
}

/* The minimiser of the quadratic V(theta) = J(theta; theta), from its values at three points. */
static sprint_status optimum_of(const struct bed *bed, double *ret_theta) {
  double value[3];
  for (int i = 0; i < 3; i++) {
    sprint_real theta = (sprint_real)(i - 1);
    SPRINT__TRY(sprint_risk(bed->shift, &theta, &theta, &value[i], NULL, NULL));
  }
  *ret_theta = (value[0] - value[2]) / (2 * (value[0] - 2 * value[1] + value[2]));
  return SPRINT_OK;
}

/* theta_PS by repeated gradient descent, theta_PO from V itself. */
static sprint_status verify_point(struct sprint__verify *v, const char *name, const struct bed *bed, double stable,
                                  double optimal) {
  char text[96];
  double got = NAN;
  SPRINT__TRY(run_scalar(v->context, bed, "{method: rgd, step: {size: 0.5}, stop: {epochs: 400}, eval: {every: 400}}",
                         0, &got));
  snprintf(text, sizeof text, "%s: theta_PS", name);
  sprint__verify_compare(v, text, stable, got);
  SPRINT__TRY(optimum_of(bed, &got));
  snprintf(text, sizeof text, "%s: theta_PO", name);
  sprint__verify_compare(v, text, optimal, got);
  return SPRINT_OK;
}

static sprint_status verify_points(struct sprint__verify *v) {
  SPRINT__CLEARED(bed_clear) struct bed mean = {0};
  SPRINT__CLEARED(bed_clear) struct bed ridge = {0};
  SPRINT__CLEARED(bed_clear) struct bed linear = {0};
  double epsilon = 0.5, lambda = 0.25, a_0 = -1.5, a_1 = 0.75;
  SPRINT__TRY(bed_new(v->context, "mean", 0, epsilon, 1.0, &mean));
  SPRINT__TRY(verify_point(v, "mean, epsilon 0.5", &mean, mean.mean / (1 - epsilon), mean.mean / (1 - epsilon)));
  SPRINT__TRY(bed_new(v->context, "mean", lambda, epsilon, 1.0, &ridge));
  SPRINT__TRY(verify_point(v, "ridge, epsilon 0.5, lambda 0.25", &ridge, ridge.mean / (1 - epsilon + lambda),
                           (1 - epsilon) * ridge.mean / ((1 - epsilon) * (1 - epsilon) + lambda)));
  SPRINT__TRY(bed_new(v->context, "linear", 0, a_1, a_0, &linear));
  return verify_point(v, "linear, a_1 0.75", &linear, -linear.mean / a_1, -linear.mean / (2 * a_1));
}

/* The error after `epochs` epochs of m steps, over the error at the start, for one correction. */
static sprint_status verify_contraction(struct sprint__verify *v, const struct bed *bed, const char *correction,
                                        double epsilon, int batch) {
  enum { M = 8, EPOCHS = 3 };
  const double gamma = 0.2, start = 4, stable = bed->mean / (1 - epsilon);
  char spec[256], name[96];
  sprint__snprintf(
      spec, sizeof spec,
      "{method: {kind: sprint, correction: %s, batch: %d, inner: %d}, step: {size: %g}, stop: {epochs: %d}}",
      correction, batch, M, gamma, EPOCHS);
  double got = NAN;
  SPRINT__TRY(run_scalar(v->context, bed, spec, start, &got));
  bool paper = strcmp(correction, "paper") == 0;
  double q = pow(1 - gamma, M);
  double rate = paper ? q + (1 - q) * epsilon : pow(1 - gamma * (1 - epsilon), M);
  sprint__snprintf(name, sizeof name, "contraction: %s, epsilon %g, batch %d", correction, epsilon, batch);
  sprint__verify_compare(v, name, pow(rate, EPOCHS) * (start - stable), got - stable);
  return SPRINT_OK;
}

static sprint_status verify_contractions(struct sprint__verify *v) {
  static const double epsilons[] = {0.5, -0.7, 1.5};
  static const char *const corrections[] = {"paper", "coupled", "unbiased"};
  for (size_t e = 0; e < SPRINT__COUNT(epsilons); e++) {
    SPRINT__CLEARED(bed_clear) struct bed bed = {0};
    SPRINT__TRY(bed_new(v->context, "mean", 0, epsilons[e], 1.0, &bed));
    for (size_t c = 0; c < SPRINT__COUNT(corrections); c++)
      SPRINT__TRY(verify_contraction(v, &bed, corrections[c], epsilons[e], c ? 5 : 1));
  }
  return SPRINT_OK;
}

/* A method's theta after a long run, against the point that it should have reached. */
static sprint_status verify_reached(struct sprint__verify *v, const struct bed *bed, const char *bed_name,
                                    const char *method, const char *point, double expected) {
  char spec[256], name[96];
  double got = NAN;
  snprintf(spec, sizeof spec, "{method: {kind: %s, batch: 5, inner: 40}, step: {size: 0.1}, stop: {epochs: 60}}",
           method);
  SPRINT__TRY(run_scalar(v->context, bed, spec, 4, &got));
  snprintf(name, sizeof name, "%s: %s by %s", bed_name, point, method);
  sprint__verify_compare(v, name, expected, got);
  return SPRINT_OK;
}

static sprint_status verify_methods(struct sprint__verify *v) {
  static const char *const stable[] = {"sprint", "saga", "sarah", "spider", "page", "rrm"};
  const double epsilon = 0.5, lambda = 0.25;
  SPRINT__CLEARED(bed_clear) struct bed ridge = {0};
  SPRINT__TRY(bed_new(v->context, "mean", lambda, epsilon, 1.0, &ridge));
  for (size_t k = 0; k < SPRINT__COUNT(stable); k++)
    SPRINT__TRY(verify_reached(v, &ridge, "ridge", stable[k], "theta_PS", ridge.mean / (1 - epsilon + lambda)));
  return verify_reached(v, &ridge, "ridge", "perfgd-full", "theta_PO",
                        (1 - epsilon) * ridge.mean / ((1 - epsilon) * (1 - epsilon) + lambda));
}

sprint_status sprint_verify(sprint_context *context, sprint_verify_report report, void *user, bool *ret_all_ok) {
  SPRINT__REQUIRE(context, ret_all_ok);
  struct sprint__verify v = {context, report, user, true};
  SPRINT__TRY(verify_points(&v));
  SPRINT__TRY(verify_contractions(&v));
  SPRINT__TRY(verify_methods(&v));
  SPRINT__TRY(sprint__verify_enumeration(&v));
  *ret_all_ok = v.all_ok;
  return SPRINT_OK;
}
