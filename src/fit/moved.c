/* What the moves come to: errors and tests from the bootstrap, how far people went, how well it fits. */
#include <math.h>
#include <string.h>

#include "fit/moves.h"

/* Root of the mean square of u in the parameter's column: what a unit of it moves people by. */
static double reach(const struct sprint__moves *moves, size_t at) {
  const struct sprint__fit_people *people = &moves->fit->people;
  size_t j = at / moves->r, k = at % moves->r;
  double sum = 0;
  if (k == moves->q) return 1; /* drift */
  for (size_t o = 0; o < people->n_records; o++) {
    double u = moves->varying ? moves->u[o * moves->m + j] : moves->u[(people->log[o] * moves->m + j) * moves->q + k];
    sum += u * u;
  }
  return sqrt(sum / (double)people->n_records);
}

/* What rounding alone may do to a parameter: features and gradients have so many digits. */
static double rounding(const struct sprint__moves *moves, size_t at) {
  double size = reach(moves, at);
  return sprint__fit_rounding() * (fabs(moves->beta[at]) + (size > 0 ? 1 / size : 0));
}

/* The covariance of the parameters `which` (p): the bootstrap's, made wider by what least squares takes up, with
 * rounding added. */
static sprint_status covariance(const struct sprint__moves *moves, const double *values, const size_t *which, size_t p,
                                double *ret) {
  sprint_fit *fit = moves->fit;
  double n = (double)fit->people.n, widen = n / (n - (double)moves->r);
  fit->n_resamples = sprint__covariance(values, fit->options.resamples, moves->m * moves->r, which, p, ret);
  if (fit->n_resamples < fit->options.resamples / 2)
    return sprint_fail(
        fit->context, SPRINT_ERROR_INPUT,
        "more than half of the bootstrap's resamples do not tell the response; there are too few people, "
        "or the models are too much alike");
  for (size_t a = 0; a < p * p; a++) ret[a] *= widen;
  for (size_t a = 0; a < p; a++) ret[a * p + a] += rounding(moves, which[a]) * rounding(moves, which[a]);
  return SPRINT_OK;
}

static sprint_status test(const struct sprint__moves *moves, const double *values, const size_t *which, size_t p,
                          struct sprint__wald *ret_wald) {
  SPRINT__SCRATCH(room, moves->fit->context);
  double *v = sprint__arena_take(&room, p, p * sizeof *v), *value = sprint__arena_take(&room, p, sizeof *value);
  double *rest = sprint__arena_take(&room, 2 * p, sizeof *rest);
  SPRINT__TRY(sprint__arena_status(&room));
  SPRINT__TRY(covariance(moves, values, which, p, v));
  for (size_t a = 0; a < p; a++) value[a] = moves->beta[which[a]];
  *ret_wald = sprint__wald(value, v, p, moves->fit->people.n, rest);
  return SPRINT_OK;
}

sprint_status sprint__moves_report(const struct sprint__moves *moves, const double *values, size_t i, size_t at,
                                   double unit, const char *name, const char *column) {
  sprint_fit *fit = moves->fit;
  sprint_fit_parameter *parameter = &fit->parameters[i];
  double square = NAN, value = moves->beta[at] * unit;
  double t = sprint__quantile_t(0.975, (double)(fit->people.n - moves->r));
  *parameter = (sprint_fit_parameter){name, column, 0, NAN, NAN, NAN, NAN, NAN, NAN};
  if (!moves->known[at / moves->r] && !moves->shared) return SPRINT_OK;
  SPRINT__TRY(covariance(moves, values, &at, 1, &square));
  double error = sqrt(square) * fabs(unit);
  *parameter =
      (sprint_fit_parameter){name, column, 0, value, error, value - t * error, value + t * error, value, error};
  return SPRINT_OK;
}

/* How far people went, in each column and in all. */
static void measure_power(const struct sprint__moves *moves) {
  sprint_fit *fit = moves->fit;
  const struct sprint__fit_people *people = &fit->people;
  double all = 0, n = 0;
  for (size_t o = 0; o < people->n_records; o++) {
    double square = 0;
    if (fit->logs[people->log[o]].model == SPRINT__FIT_NO_MODEL) continue;
    for (size_t j = 0; j < moves->m; j++) {
      double move = sprint__moves_of(moves, o, j);
      square += move * move;
      fit->moved[j].power += fabs(move);
    }
    all += sqrt(square);
    n++;
  }
  fit->summary.power = all / n;
  for (size_t j = 0; j < moves->m; j++) {
    fit->moved[j].power /= n;
    fit->moved[j].power_raw = fit->moved[j].power * fit->moved[j].sd;
  }
}

/* What least squares leaves of yy in column j, and what the drift alone would leave. */
static void explain(const struct sprint__moves *moves, const struct sprint__normal *normal, size_t j, double *ret_left,
                    double *ret_before) {
  size_t r = moves->r, q = moves->q;
  const double *s = normal->s + j * r * r, *v = normal->v + j * r, *beta = moves->beta + j * r;
  *ret_left = *ret_before = normal->yy[j];
  if (r > q && s[r * r - 1] > 0) *ret_before -= v[q] * v[q] / s[r * r - 1];
  for (size_t k = 0; k < r; k++) {
    *ret_left -= 2 * beta[k] * v[k];
    for (size_t l = 0; l < r; l++) *ret_left += beta[k] * s[k * r + l] * beta[l];
  }
}

static sprint_status measure_r2(const struct sprint__moves *moves) {
  SPRINT__SCRATCH(room, moves->fit->context);
  struct sprint__normal normal;
  double all_left = 0, all_before = 0;
  SPRINT__TRY(sprint__moves_normal(moves, &room, &normal));
  for (size_t j = 0; j < moves->m; j++) {
    double left, before;
    explain(moves, &normal, j, &left, &before);
    moves->fit->moved[j].r2 = before > 0 ? 1 - left / before : NAN;
    all_left += left;
    all_before += before;
  }
  moves->fit->summary.r2 = all_before > 0 ? 1 - all_left / all_before : NAN;
  return SPRINT_OK;
}

/* The same logs by plain differences between deployments, one number for each but the first, whatever the models ask
 * for: what changed with the model, and what changed under one and the same. */
static sprint_status look_plainly(struct sprint__moves *moves, struct sprint__moves *ret_plain, double **ret_values) {
  sprint_fit *fit = moves->fit;
  size_t n = fit->n_models, q = 0;
  bool none = false;
  for (size_t k = 0; k < fit->n_logs; k++) none = none || fit->logs[k].model == SPRINT__FIT_NO_MODEL;
  SPRINT__TRY(sprint__moves_start(fit, q = none ? n : n - 1, false, false, ret_plain));
  for (size_t k = 0; k < fit->n_logs; k++)
    for (size_t j = 0; j < moves->m; j++)
      if (fit->logs[k].model >= (none ? 0 : 1))
        ret_plain->u[(k * moves->m + j) * q + (size_t)fit->logs[k].model - (none ? 0 : 1)] = 1;
  SPRINT__TRY(sprint__moves_solve(ret_plain));
  return sprint__moves_resample(ret_plain, ret_values);
}

static void take_test(const struct sprint__wald *wald, double *ret_statistic, double *ret_df1, double *ret_df2,
                      double *ret_p) {
  *ret_statistic = wald->statistic;
  *ret_df1 = wald->df1;
  *ret_df2 = wald->df2;
  *ret_p = wald->p;
}

/* Drift is what two logs under one model show, and tested by them. */
static sprint_status judge_drift(const struct sprint__moves *plain, const double *values) {
  SPRINT__SCRATCH(room, plain->fit->context);
  sprint_fit *fit = plain->fit;
  sprint_fit_summary *summary = &fit->summary;
  size_t *which = sprint__arena_take(&room, plain->m, sizeof *which);
  struct sprint__wald wald;
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t j = 0; j < plain->m; j++) {
    double square = NAN;
    which[j] = j * plain->r + plain->q;
    SPRINT__TRY(covariance(plain, values, &which[j], 1, &square));
    fit->moved[j].drift = plain->beta[which[j]] * fit->moved[j].sd;
    fit->moved[j].drift_error = sqrt(square) * fit->moved[j].sd;
  }
  SPRINT__TRY(test(plain, values, which, plain->m, &wald));
  take_test(&wald, &summary->drift_statistic, &summary->drift_df1, &summary->drift_df2, &summary->drift_p);
  return SPRINT_OK;
}

/* The response's test. Where u is a mean over records that are not the same people's, it may be hardly more than noise,
 * by which nothing should be divided: there, whether means differ between deployments at all is asked. */
static sprint_status judge_response(const struct sprint__moves *moves, const double *values, const size_t *which,
                                    size_t p, const struct sprint__moves *plain, const double *plain_values) {
  SPRINT__SCRATCH(room, moves->fit->context);
  sprint_fit_summary *summary = &moves->fit->summary;
  bool plainly = moves->varying && !moves->paired;
  size_t n = plain->m * plain->q, *all = sprint__arena_take(&room, n, sizeof *all);
  struct sprint__wald wald;
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t i = 0; i < n; i++) all[i] = i / plain->q * plain->r + i % plain->q;
  SPRINT__TRY(plainly ? test(plain, plain_values, all, n, &wald) : test(moves, values, which, p, &wald));
  take_test(&wald, &summary->statistic, &summary->df1, &summary->df2, &summary->p);
  summary->response = wald.p < summary->level;
  return SPRINT_OK;
}

sprint_status sprint__moves_judge(struct sprint__moves *moves, const double *values, const size_t *which, size_t p) {
  sprint_fit *fit = moves->fit;
  struct sprint__moves plain;
  double *plain_values = NULL;
  SPRINT__TRY(look_plainly(moves, &plain, &plain_values));
  SPRINT__TRY(judge_response(moves, values, which, p, &plain, plain_values));
  fit->moved = sprint__arena_take(&fit->arena, moves->m, sizeof *fit->moved);
  SPRINT__TRY(sprint__arena_status(&fit->arena));
  for (size_t j = 0; j < moves->m; j++) {
    size_t column = fit->columns[j];
    fit->moved[j] = (sprint_fit_column){fit->names[column], fit->spread[column], 0, 0, NAN, NAN, NAN};
  }
  measure_power(moves);
  if (fit->drift) SPRINT__TRY(judge_drift(&plain, plain_values));
  return moves->paired ? measure_r2(moves) : sprint__moves_distance(moves);
}
