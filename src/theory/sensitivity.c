/* epsilon, kappa and L_0, by looking at nearby deployments theta + r u and theta - r u directly. u are random
 * directions, that of the gradient, for few parameters the coordinates, and a few steps uphill from the best: what is
 * sought is the largest over all directions, and those that are tried find it from below. */
#include <math.h>

#include "base/vector.h"
#include "theory/estimate.h"

enum {
  FIRST_DIRECTION = 1 << 21, /* number of this file's first random one */
  COORDINATES = 64,          /* parameters up to which each is tried by itself */
  CLIMBS = 6
};
#define CLIMB_LENGTH 0.5 /* of a step uphill, before the direction is made 1 long again */

/* What one pair of deployments shows, all over their distance. */
struct answer {
  double moved, sliced, tv, risk, gradient;
};

enum aim { MOST_MOVED, MOST_GRADIENT };

struct probing {
  struct sprint__sample *sample;
  const sprint_estimate_options *options;
  const double *base_weights; /* (n_strata) at theta */
  double radius;
  double *u, *best, *candidate;    /* (n_params) directions */
  double *gradient_a, *gradient_b; /* (n_params) */
  double *projections;             /* (projections, d) */
  sprint_real *theta_a, *theta_b;  /* (n_params) */
  struct sprint__seen a, b;
  struct sprint__tally moved, sliced, tv, risk, gradient, lipschitz;          /* over random directions */
  struct sprint__tally beyond_moved, beyond_tv, beyond_risk, beyond_gradient; /* over others */
};

static double mean_displacement(const struct probing *p) {
  const struct sprint__sample *sample = p->sample;
  double sum = 0;
  for (size_t c = 0; c < sample->n_strata; c++)
    for (size_t i = sample->start[c]; i < sample->start[c + 1]; i++)
      sum += p->base_weights[c] * sprint__distance(p->a.x + i * sample->d, p->b.x + i * sample->d, sample->d);
  return sum;
}

static double total_variation(const struct probing *p) {
  double sum = 0;
  for (size_t c = 0; c < p->sample->n_strata; c++) sum += fabs(p->a.p[c] - p->b.p[c]);
  return sum / 2;
}

/* Looks from both deployments along u. */
static sprint_status probe(struct probing *p, const double *u, struct answer *ret) {
  size_t n = p->sample->n_params;
  const sprint_real *theta = p->options->theta;
  sprint__move(theta, p->radius, u, n, p->theta_a);
  sprint__move(theta, -p->radius, u, n, p->theta_b);
  double distance = sprint__distance(p->theta_a, p->theta_b, n);
  SPRINT__TRY(sprint__sample_see(p->sample, p->theta_a, &p->a));
  SPRINT__TRY(sprint__sample_see(p->sample, p->theta_b, &p->b));
  double risk_a = sprint__sample_risk(p->sample, theta, &p->a, p->gradient_a);
  double risk_b = sprint__sample_risk(p->sample, theta, &p->b, p->gradient_b);
  for (size_t i = 0; i < n; i++) p->gradient_a[i] -= p->gradient_b[i];
  *ret = (struct answer){
      .moved = mean_displacement(p) / distance,
      .tv = total_variation(p) / distance,
      .risk = fabs(risk_a - risk_b) / distance,
      .gradient = sprint__length(p->gradient_a, n) / distance,
  };
  return SPRINT_OK;
}

static sprint_status slice(struct probing *p, double *ret_sliced) {
  const struct sprint__sample *sample = p->sample;
  double distance = sprint__distance(p->theta_a, p->theta_b, sample->n_params), w1 = 0;
  SPRINT__TRY(sprint_sliced_w1(sample->shift->context, p->a.x, p->b.x, sample->n, sample->d, p->projections,
                               p->options->projections, &w1));
  *ret_sliced = w1 / distance;
  return SPRINT_OK;
}

/* |l(x') - l(x'')| / |x' - x''| of each record: L_0 along the way that they move, for models without gradients in x. */
static void lipschitz_along(struct probing *p) {
  struct sprint__sample *sample = p->sample;
  for (size_t i = 0; i < sample->n; i++) {
    double distance = sprint__distance(p->a.x + i * sample->d, p->b.x + i * sample->d, sample->d);
    double loss_a = sprint__sample_record(sample, p->options->theta, &p->a, i, NULL);
    double loss_b = sprint__sample_record(sample, p->options->theta, &p->b, i, NULL);
    if (distance > 0) sprint__tally_add(&p->lipschitz, fabs(loss_a - loss_b) / distance);
  }
}

static sprint_status probe_at_random(struct probing *p) {
  bool moves = sprint__shift_moves(p->sample->shift), along = moves && !p->sample->model->ops->gives_gradient_x;
  for (size_t i = 0; i < p->options->probes; i++) {
    struct answer answer;
    sprint__random_direction(p->options->seed, FIRST_DIRECTION + i, p->sample->n_params, p->u);
    SPRINT__TRY(probe(p, p->u, &answer));
    if (moves) SPRINT__TRY(slice(p, &answer.sliced));
    if (along) lipschitz_along(p);
    sprint__tally_add(&p->moved, answer.moved);
    sprint__tally_add(&p->sliced, answer.sliced);
    sprint__tally_add(&p->tv, answer.tv);
    sprint__tally_add(&p->risk, answer.risk);
    sprint__tally_add(&p->gradient, answer.gradient);
  }
  return SPRINT_OK;
}

static sprint_status probe_beyond(struct probing *p, const double *u, struct answer *ret) {
  SPRINT__TRY(probe(p, u, ret));
  sprint__tally_add(&p->beyond_moved, ret->moved);
  sprint__tally_add(&p->beyond_tv, ret->tv);
  sprint__tally_add(&p->beyond_risk, ret->risk);
  sprint__tally_add(&p->beyond_gradient, ret->gradient);
  return SPRINT_OK;
}

static double aimed(const struct answer *answer, enum aim aim) {
  return aim == MOST_GRADIENT ? answer->gradient : answer->moved + answer->tv;
}

/* Keeps u as the best direction where its answer is more than `most`. */
static void keep_better(struct probing *p, const double *u, double value, double *most) {
  if (value <= *most) return;
  *most = value;
  for (size_t j = 0; j < p->sample->n_params; j++) p->best[j] = u[j];
}

static void make_unit(double *u, size_t n) {
  double length = sprint__length(u, n);
  for (size_t j = 0; j < n; j++) u[j] /= length;
}

/* From the gradient's direction and the coordinates, uphill. */
static sprint_status climb(struct probing *p, enum aim aim, const double *gradient) {
  size_t n = p->sample->n_params;
  double most = -1;
  struct answer answer;
  double length = sprint__length(gradient, n);
  for (size_t j = 0; j < n; j++) p->candidate[j] = length > 0 ? gradient[j] / length : j == 0;
  SPRINT__TRY(probe_beyond(p, p->candidate, &answer));
  keep_better(p, p->candidate, aimed(&answer, aim), &most);
  for (size_t k = 0; n <= COORDINATES && k < n; k++) {
    for (size_t j = 0; j < n; j++) p->candidate[j] = j == k;
    SPRINT__TRY(probe_beyond(p, p->candidate, &answer));
    keep_better(p, p->candidate, aimed(&answer, aim), &most);
  }
  for (int i = 0; i < CLIMBS; i++) {
    uint64_t number = FIRST_DIRECTION + p->options->probes + CLIMBS * (size_t)aim + (size_t)i;
    sprint__random_direction(p->options->seed, number, n, p->candidate);
    for (size_t j = 0; j < n; j++) p->candidate[j] = p->best[j] + CLIMB_LENGTH * p->candidate[j];
    make_unit(p->candidate, n);
    SPRINT__TRY(probe_beyond(p, p->candidate, &answer));
    keep_better(p, p->candidate, aimed(&answer, aim), &most);
  }
  return SPRINT_OK;
}

/* |gradient of the loss in x| of each record as it is at theta. */
static sprint_status feature_slopes(struct probing *p, const struct sprint__seen *seen) {
  struct sprint__sample *sample = p->sample;
  SPRINT__SCRATCH(arena, sample->shift->context);
  sprint_real *slopes = sprint__arena_take(&arena, sample->n, sample->d * sizeof *slopes);
  SPRINT__TRY(sprint__arena_status(&arena));
  struct sprint__rows rows = {.n = sample->n, .x = seen->x, .y = sample->y};
  struct sprint__sums sums = {0, 0, sample->real};
  sprint__model_sums(sample->model, p->options->theta, &rows, &sums, slopes);
  for (size_t i = 0; i < sample->n; i++)
    sprint__tally_add(&p->lipschitz, sqrt(sprint__norm_sq(slopes + i * sample->d, sample->d)));
  return SPRINT_OK;
}

/* Between the mean losses of the strata at theta. */
static sprint_estimate loss_range(const struct probing *p, const struct sprint__seen *seen) {
  struct sprint__sample *sample = p->sample;
  struct sprint__tally losses = {0}, range = {0};
  for (size_t c = 0; c < sample->n_strata; c++) {
    size_t start = sample->start[c], n = sample->start[c + 1] - start;
    struct sprint__rows rows = {.n = n, .x = seen->x + start * sample->d, .y = sample->y + start};
    struct sprint__sums sums = {0, 0, NULL};
    sprint__model_sums(sample->model, p->options->theta, &rows, &sums, NULL);
    sprint__tally_add(&losses, sums.loss / (double)n);
  }
  sprint__tally_add(&range, losses.greatest - losses.least);
  return sprint__tally_estimate(&range, NULL);
}

static void report(const struct probing *p, const struct sprint__seen *seen, sprint_estimates *ret) {
  static const struct sprint__tally none;
  const sprint_shift *shift = p->sample->shift;
  bool moves = sprint__shift_moves(shift), reweights = sprint__shift_reweights(shift);
  ret->epsilon = sprint__tally_estimate(moves ? &p->moved : &none, &p->beyond_moved);
  ret->epsilon_sliced = sprint__tally_estimate(moves ? &p->sliced : &none, NULL);
  ret->L_0 = sprint__tally_estimate(moves ? &p->lipschitz : &none, NULL);
  ret->epsilon_tv = sprint__tally_estimate(reweights ? &p->tv : &none, &p->beyond_tv);
  ret->loss_range = reweights ? loss_range(p, seen) : sprint__tally_estimate(&none, NULL);
  ret->kappa_l = sprint__tally_estimate(&p->risk, &p->beyond_risk);
  ret->kappa_g = sprint__tally_estimate(&p->gradient, &p->beyond_gradient);
  double product = (moves ? ret->L_0.value * ret->epsilon.value : 0) +
                   (reweights ? ret->loss_range.value * ret->epsilon_tv.value : 0);
  ret->kappa = fmax(product, fmax(ret->kappa_l.value, ret->kappa_g.value));
}

static sprint_status probing_new(struct sprint__arena *arena, struct probing *p) {
  size_t n = p->sample->n_params, d = p->sample->d;
  double **directions[] = {&p->u, &p->best, &p->candidate, &p->gradient_a, &p->gradient_b};
  for (size_t i = 0; i < SPRINT__COUNT(directions); i++) *directions[i] = sprint__arena_take(arena, n, sizeof(double));
  p->theta_a = sprint__arena_take(arena, n, sizeof(sprint_real));
  p->theta_b = sprint__arena_take(arena, n, sizeof(sprint_real));
  p->projections = sprint__arena_take(arena, p->options->projections, d * sizeof(double));
  p->a = sprint__seen_new(arena, p->sample);
  p->b = sprint__seen_new(arena, p->sample);
  SPRINT__TRY(sprint__arena_status(arena));
  for (size_t i = 0; i < p->options->projections; i++)
    sprint__random_direction(p->options->seed, 2 * FIRST_DIRECTION + i, d, p->projections + i * d);
  return SPRINT_OK;
}

sprint_status sprint__estimate_sensitivity(struct sprint__sample *sample, const sprint_estimate_options *options,
                                           const struct sprint__seen *seen, sprint_estimates *ret) {
  SPRINT__SCRATCH(arena, sample->shift->context);
  size_t n = sample->n_params;
  struct probing p = {.sample = sample, .options = options, .base_weights = seen->weights};
  p.radius = options->radius * fmax(1, sqrt(sprint__norm_sq(options->theta, n)));
  double *gradient = sprint__arena_take(&arena, n, sizeof *gradient);
  SPRINT__TRY(probing_new(&arena, &p));
  sprint__sample_risk(sample, options->theta, seen, gradient);
  SPRINT__TRY(probe_at_random(&p));
  SPRINT__TRY(climb(&p, MOST_MOVED, gradient));
  SPRINT__TRY(climb(&p, MOST_GRADIENT, gradient));
  if (sprint__shift_moves(sample->shift) && sample->model->ops->gives_gradient_x) SPRINT__TRY(feature_slopes(&p, seen));
  report(&p, seen, ret);
  return SPRINT_OK;
}
