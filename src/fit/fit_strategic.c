/* alpha of the strategic response, column by column: x_j + alpha_j df/dx_j. In raw units that is alpha_raw times the
 * score's slope in the raw column, whatever a model standardises by; alpha_raw = alpha scale^2. */
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "fit/base.h"

static double scale_of_last(const sprint_fit *fit, size_t column) {
  const struct sprint__fit_model *model = &fit->models[fit->n_models - 1];
  return sprint__predictor_column(model->predictor, model->feature[column])->scale;
}

/* One alpha for all columns, in features: generalised least squares, and Wald's test of what it leaves. */
static sprint_status fit_one_alpha(sprint_fit *fit, const struct sprint__moves *moves, const double *values,
                                   const size_t *which, size_t p) {
  SPRINT__SCRATCH(room, fit->context);
  double *v = sprint__arena_take(&room, p, p * sizeof *v), *copy = sprint__arena_take(&room, p, p * sizeof *copy);
  double *alpha = sprint__arena_take(&room, p, sizeof *alpha), *unit = sprint__arena_take(&room, p, sizeof *unit);
  double *weight = sprint__arena_take(&room, 2 * p, sizeof *weight), top = 0, bottom = 0;
  SPRINT__TRY(sprint__arena_status(&room));
  sprint__covariance(values, fit->options.resamples, moves->m * moves->r, which, p, v);
  for (size_t a = 0; a < p; a++) {
    size_t column = fit->columns[which[a] / moves->r];
    unit[a] = fit->spread[column] * fit->spread[column] / (scale_of_last(fit, column) * scale_of_last(fit, column));
    alpha[a] = moves->beta[which[a]] * unit[a];
    weight[a] = 1;
  }
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b < p; b++) copy[a * p + b] = v[a * p + b] *= unit[a] * unit[b];
  if (!sprint__solve(copy, weight, p, 1e-13)) return SPRINT_OK;
  for (size_t a = 0; a < p; a++) {
    top += weight[a] * alpha[a];
    bottom += weight[a];
  }
  fit->summary.one_alpha = top / bottom;
  fit->summary.one_alpha_error = sqrt(1 / bottom);
  for (size_t a = 0; a < p; a++) alpha[a] -= top / bottom;
  struct sprint__wald wald = sprint__wald(alpha, v, p, fit->people.n, weight);
  fit->summary.one_alpha_p = sprint__tail_chi2(wald.statistic, (double)p - 1);
  return SPRINT_OK;
}

static sprint_status report(sprint_fit *fit, struct sprint__moves *moves) {
  SPRINT__SCRATCH(room, fit->context);
  size_t p = 0, *which = sprint__arena_take(&room, moves->m, sizeof *which);
  double *values = NULL;
  SPRINT__TRY(sprint__arena_status(&room));
  SPRINT__TRY(sprint__moves_resample(moves, &values));
  SPRINT__TRY(sprint__fit_take_parameters(fit, moves->m));
  for (size_t j = 0; j < moves->m; j++) {
    size_t column = fit->columns[j];
    double spread = fit->spread[column], scale = scale_of_last(fit, column);
    SPRINT__TRY(sprint__moves_report(moves, values, j, j * moves->r, spread * spread, "alpha", fit->names[column]));
    fit->parameters[j].feature_value = fit->parameters[j].value / (scale * scale);
    fit->parameters[j].feature_error = fit->parameters[j].error / (scale * scale);
    if (moves->known[j]) which[p++] = j * moves->r;
  }
  if (p > 1) SPRINT__TRY(fit_one_alpha(fit, moves, values, which, p));
  return sprint__moves_judge(moves, values, which, p);
}

static sprint_status note_unknown(sprint_fit *fit, const struct sprint__moves *moves) {
  size_t known = 0;
  for (size_t j = 0; j < moves->m; j++) {
    known += moves->known[j];
    if (!moves->known[j])
      SPRINT__TRY(sprint__fit_note(fit,
                                   "%s: the models' scores have the same slope in this column, so that how people "
                                   "respond in it cannot be told",
                                   fit->names[fit->columns[j]]));
  }
  if (known) return SPRINT_OK;
  return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                     "the models' scores have the same slopes in all columns that people can change: how they respond "
                     "cannot be told; give a log under another model, or base records (DATA.csv=none)");
}

static sprint_status strategic_estimate(sprint_fit *fit) {
  struct sprint__moves moves;
  SPRINT__TRY(sprint__moves_start(fit, 1, false, true, &moves));
  SPRINT__TRY(sprint__base_new(&moves));
  SPRINT__TRY(sprint__base_update(&moves)); /* u, where it does not depend on the response */
  if (sprint__base_depends(&moves)) moves.update = sprint__base_update;
  SPRINT__TRY(sprint__moves_solve(&moves));
  SPRINT__TRY(note_unknown(fit, &moves));
  if (sprint__base_lost(&moves) > 0.01)
    SPRINT__TRY(sprint__fit_note(fit,
                                 "of %.1f %% of people the base record could not be found from where they ended; their "
                                 "part in the estimate is rough",
                                 100 * sprint__base_lost(&moves)));
  return report(fit, &moves);
}

/* Whether people go away from what the score asks for, in all columns where that is told. */
static bool goes_away(const sprint_fit *fit) {
  bool away = false;
  for (size_t j = 0; j < fit->m; j++) {
    if (fit->parameters[j].low > 0) return false;
    away = away || fit->parameters[j].high < 0;
  }
  return away;
}

/* A column's alpha; one of the wrong sign is none, and said. */
static void print_alpha(const sprint_fit_parameter *alpha, double sign, FILE *stream) {
  double value = sign * alpha->value;
  fputs("    ", stream);
  sprint__fit_print_text(alpha->column, stream);
  sprint__fprintf(stream, ": %.6g  # standard error %.2g, 95 %% within %.4g .. %.4g", fmax(value, 0), alpha->error,
                  sign > 0 ? alpha->low : -alpha->high, sign > 0 ? alpha->high : -alpha->low);
  if (value < 0) sprint__fprintf(stream, "; it came out as %.6g", value);
  fputc('\n', stream);
}

static void strategic_section(const sprint_fit *fit, FILE *stream) {
  fputs("  good: ", stream);
  sprint__fit_print_text(fit->options.good, stream);
  fputc('\n', stream);
  if (fit->score.probability) fputs("  score: probability\n", stream);
  sprint__fit_print_columns(fit, stream);
  double sign = goes_away(fit) ? -1 : 1;
  if (sign < 0) fputs("  sign: minus  # people move away from the good outcome\n", stream);
  fputs("  alpha_raw:\n", stream);
  for (size_t j = 0; j < fit->m; j++)
    if (!isnan(fit->parameters[j].value)) print_alpha(&fit->parameters[j], sign, stream);
  if (fit->summary.one_alpha_p >= fit->summary.level && sign * fit->summary.one_alpha > 0)
    sprint__fprintf(stream,
                    "  # alpha: %.6g  # instead: one for all columns, standard error %.2g, fits as well (p = %.2g)\n",
                    sign * fit->summary.one_alpha, fit->summary.one_alpha_error, fit->summary.one_alpha_p);
}

const struct sprint__fit_kind sprint__fit_strategic = {.name = "strategic",
                                                       .asks_good = true,
                                                       .asks_columns = true,
                                                       .estimate = strategic_estimate,
                                                       .section = strategic_section};
