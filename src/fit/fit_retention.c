/* alpha of retention from how often classes show up: with l_c the mean loss of class c on base records,
 *
 *     log p_c(theta_k) = mu_c - alpha l_c(theta_k) + b_c t_k - log of the sum over classes,
 *
 * mu what classes have of their own, b the steady drift where logs tell it. A multinomial likelihood, which is concave,
 * by Newton's method. With one model alone mu is 0, as the shift has it. The bootstrap draws people again and works the
 * losses out again with them. */
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "fit/retention.h"

/* Numbers of a person: counts (n_logs, n_classes), base records (n_classes), losses (n_models, n_classes). */
static size_t width_of(const struct sprint__retention *r) { return r->n_classes * (r->n_logs + 1 + r->fit->n_models); }

/* Mean losses (n_models, n_classes) from sums of people. */
static void mean_losses(const struct sprint__retention *r, const double *sums, double *ret) {
  const double *base = sums + r->n_logs * r->n_classes, *losses = base + r->n_classes;
  for (size_t k = 0; k < r->fit->n_models; k++)
    for (size_t c = 0; c < r->n_classes; c++) ret[k * r->n_classes + c] = losses[k * r->n_classes + c] / base[c];
}

/* All groups together, in the first. */
static void add_groups(const struct sprint__retention *r, const double *sums, double *ret_sums) {
  size_t width = width_of(r);
  memset(ret_sums, 0, width * sizeof *ret_sums);
  for (size_t g = 0; g < r->fit->people.n_groups; g++)
    for (size_t i = 0; i < width; i++) ret_sums[i] += sums[g * width + i];
}

static void params_of_sums(const void *user, const double *sums, double *room, double *ret) {
  const struct sprint__retention *r = user;
  double *all = room, *losses = all + width_of(r), *rest = losses + r->fit->n_models * r->n_classes;
  add_groups(r, sums, all);
  mean_losses(r, all, losses);
  bool found = sprint__retention_maximise(r, losses, all, rest, ret);
  for (size_t a = 0; !found && a < r->n_params; a++) ret[a] = NAN;
}

/* The loss of a record under a model, as its class. */
static sprint_status loss_of(const sprint_fit *fit, size_t number, size_t record, sprint_real *x, double *ret_loss) {
  const struct sprint__fit_model *model = &fit->models[number];
  sprint_model *network = sprint__predictor_model(model->predictor);
  const sprint_real *theta = sprint__predictor_theta(model->predictor);
  sprint_real y = (sprint_real)fit->people.label[record];
  for (size_t j = 0; j < fit->d; j++) {
    size_t own = model->feature[j];
    x[own] =
        sprint__column_feature(sprint__predictor_column(model->predictor, own), fit->people.x[record * fit->d + j]);
  }
  sprint_batch row = {.size = sizeof row, .n = 1, .x = x, .y = &y};
  SPRINT__TRY(sprint_model_gradient(network, theta, &row, ret_loss, NULL, NULL, NULL));
  *ret_loss -= sprint__model_penalty(network, theta);
  return SPRINT_OK;
}

static sprint_status fill_rows(const struct sprint__retention *r, double *rows) {
  const sprint_fit *fit = r->fit;
  const struct sprint__fit_people *people = &fit->people;
  SPRINT__SCRATCH(room, fit->context);
  sprint_real *x = sprint__arena_take(&room, fit->d, sizeof *x);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t i = 0; i < people->n; i++)
    for (size_t o = people->start[i]; o < people->start[i + 1]; o++) {
      double *row = rows + i * width_of(r), *base = row + r->n_logs * r->n_classes, *losses = base + r->n_classes;
      bool bare = fit->logs[people->log[o]].model == SPRINT__FIT_NO_MODEL;
      for (size_t k = 0; k < r->n_logs; k++)
        if (r->log[k] == people->log[o]) row[k * r->n_classes + people->label[o]]++;
      if (r->from_base && !bare) continue;
      base[people->label[o]]++;
      for (size_t k = 0; k < fit->n_models; k++) {
        double loss = 0;
        SPRINT__TRY(loss_of(fit, k, o, x, &loss));
        losses[k * r->n_classes + people->label[o]] += loss;
      }
    }
  return SPRINT_OK;
}

static sprint_status set_up(sprint_fit *fit, struct sprint__retention *r) {
  *r = (struct sprint__retention){.fit = fit, .n_classes = fit->n_classes, .own = fit->n_models > 1};
  r->log = sprint__arena_take(&fit->arena, fit->n_logs, sizeof *r->log);
  SPRINT__TRY(sprint__arena_status(&fit->arena));
  for (size_t k = 0; k < fit->n_logs; k++) {
    if (fit->logs[k].model == SPRINT__FIT_NO_MODEL)
      r->from_base = true;
    else
      r->log[r->n_logs++] = k;
  }
  r->n_params = 1 + (r->n_classes - 1) * (r->own + fit->drift);
  if (r->own) return SPRINT_OK;
  return sprint__fit_note(
      fit,
      "there is one model only: classes are taken to be as frequent as their losses say and nothing "
      "else, p_c ~ exp(-alpha l_c), as the shift has it; two models would not need that");
}

/* Every class must be seen, and its loss known. */
static sprint_status check_classes(const struct sprint__retention *r, const double *sums) {
  const double *base = sums + r->n_logs * r->n_classes;
  for (size_t c = 0; c < r->n_classes; c++) {
    double seen = 0;
    for (size_t k = 0; k < r->n_logs; k++) seen += sums[k * r->n_classes + c];
    if (base[c] > 0 && seen > 0) continue;
    return sprint_fail(r->fit->context, SPRINT_ERROR_INPUT,
                       base[c] > 0 ? "class '%s' is in no log under a model: whether it left cannot be told"
                                   : "there is no base record of class '%s', so that its loss cannot be told",
                       sprint__predictor_class(r->fit->models[0].predictor, c));
  }
  return SPRINT_OK;
}

/* Pearson's chi^2 of class frequencies, and the greatest total variation between two logs as fitted. */
static sprint_status measure_fit(const struct sprint__retention *r, const double *losses, const double *counts,
                                 const double *params) {
  SPRINT__SCRATCH(room, r->fit->context);
  sprint_fit_summary *summary = &r->fit->summary;
  size_t n = r->n_classes;
  double *prob = sprint__arena_take(&room, r->n_logs, n * sizeof *prob);
  double *rest = sprint__arena_take(&room, r->n_params, sizeof *rest);
  SPRINT__TRY(sprint__arena_status(&room));
  summary->chi2 = summary->power = 0;
  for (size_t k = 0; k < r->n_logs; k++) {
    double all = 0;
    sprint__retention_p(r, losses, k, params, counts + k * n, rest, prob + k * n);
    for (size_t c = 0; c < n; c++) all += counts[k * n + c];
    for (size_t c = 0; c < n; c++) {
      double expected = all * prob[k * n + c], off = counts[k * n + c] - expected;
      if (expected > 0) summary->chi2 += off * off / expected;
    }
    for (size_t l = 0; l < k; l++) {
      double distance = 0;
      for (size_t c = 0; c < n; c++) distance += fabs(prob[k * n + c] - prob[l * n + c]) / 2;
      summary->power = fmax(summary->power, distance);
    }
  }
  summary->chi2_df = (double)(r->n_logs * (n - 1)) - (double)r->n_params;
  if (summary->chi2_df > 0) summary->fit_p = sprint__tail_chi2(summary->chi2, summary->chi2_df);
  return SPRINT_OK;
}

/* Twice what the likelihood gains by alpha: chi^2 with one degree of freedom where there is no response, however little
 * the losses tell alpha. */
static double gain_of_alpha(const struct sprint__retention *r, const double *losses, const double *counts, double *room,
                            const double *params, double *ret_null) {
  struct sprint__retention still = *r;
  still.still = true;
  if (!sprint__retention_maximise(&still, losses, counts, room, ret_null)) return NAN;
  return 2 * (sprint__retention_likelihood(r, losses, counts, params, room) -
              sprint__retention_likelihood(&still, losses, counts, ret_null, room));
}

static sprint_status judge(const struct sprint__retention *r, const double *params, const double *values) {
  SPRINT__SCRATCH(room, r->fit->context);
  sprint_fit *fit = r->fit;
  size_t others = r->n_classes - 1, alpha = 0;
  double square = NAN;
  struct sprint__wald wald;
  fit->n_resamples = sprint__covariance(values, fit->options.resamples, r->n_params, &alpha, 1, &square);
  if (fit->n_resamples < fit->options.resamples / 2)
    return sprint_fail(
        fit->context, SPRINT_ERROR_INPUT,
        "more than half of the bootstrap's resamples do not tell alpha; there are too few records, or the "
        "models' class losses are too much alike");
  square += sprint__fit_rounding() * sprint__fit_rounding() * params[0] * params[0];
  double error = sqrt(square), t = sprint__quantile_t(0.975, (double)(fit->people.n - r->n_params));
  fit->parameters[0] = (sprint_fit_parameter){
      "alpha", NULL, 0, params[0], error, params[0] - t * error, params[0] + t * error, params[0], error};
  if (!fit->drift) return SPRINT_OK;
  size_t *which = sprint__arena_take(&room, others, sizeof *which);
  double *v = sprint__arena_take(&room, others, others * sizeof *v),
         *more = sprint__arena_take(&room, 2 * others, sizeof *v);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t c = 0; c < others; c++) which[c] = 1 + (r->own ? others : 0) + c;
  sprint__covariance(values, fit->options.resamples, r->n_params, which, others, v);
  wald = sprint__wald(params + which[0], v, others, fit->people.n, more);
  fit->summary.drift_statistic = wald.statistic;
  fit->summary.drift_df1 = wald.df1;
  fit->summary.drift_df2 = wald.df2;
  fit->summary.drift_p = wald.p;
  return SPRINT_OK;
}

static sprint_status resample(struct sprint__retention *r, const struct sprint__bootstrap *bootstrap,
                              struct sprint__arena *room) {
  sprint_fit *fit = r->fit;
  double *sums = sprint__arena_take(room, bootstrap->n_groups, bootstrap->width * sizeof *sums);
  double *all = sprint__arena_take(room, bootstrap->room_size, sizeof *all);
  double *values = sprint__arena_take(room, bootstrap->n_resamples, r->n_params * sizeof *values);
  double *params = sprint__arena_take(room, r->n_params, sizeof *params);
  SPRINT__TRY(sprint__arena_status(room));
  double *losses = all + bootstrap->width, *rest = losses + fit->n_models * r->n_classes;
  sprint__bootstrap_sums(bootstrap, sums);
  add_groups(r, sums, all);
  SPRINT__TRY(check_classes(r, all));
  mean_losses(r, all, losses);
  if (!sprint__retention_maximise(r, losses, all, rest, params))
    return sprint_fail(
        fit->context, SPRINT_ERROR_INPUT,
        "alpha cannot be told: the models' losses differ between classes by the same amounts, or a class "
        "is all there is in a log");
  fit->summary.likelihood_error = sprint__retention_error(r, losses, all, rest, params);
  SPRINT__TRY(sprint__bootstrap_run(bootstrap, values));
  SPRINT__TRY(judge(r, params, values));
  fit->summary.statistic = gain_of_alpha(r, losses, all, rest, params, values); /* values are done with */
  fit->summary.df1 = 1;
  fit->summary.p = sprint__tail_chi2(fit->summary.statistic, 1);
  fit->summary.response = fit->summary.p < fit->summary.level;
  return measure_fit(r, losses, all, params);
}

static sprint_status retention_estimate(sprint_fit *fit) {
  SPRINT__SCRATCH(room, fit->context);
  struct sprint__retention r;
  SPRINT__TRY(set_up(fit, &r));
  size_t width = width_of(&r);
  double *rows = sprint__arena_take(&room, fit->people.n, width * sizeof *rows);
  SPRINT__TRY(sprint__arena_status(&room));
  SPRINT__TRY(fill_rows(&r, rows));
  SPRINT__TRY(sprint__fit_take_parameters(fit, 1));
  struct sprint__bootstrap bootstrap = sprint__bootstrap_of(fit, rows, width);
  bootstrap.n_values = r.n_params;
  bootstrap.room_size = width + sprint__retention_room(&r);
  bootstrap.values = params_of_sums;
  bootstrap.user = &r;
  return resample(&r, &bootstrap, &room);
}

static void retention_section(const sprint_fit *fit, FILE *stream) {
  const sprint_fit_parameter *alpha = &fit->parameters[0];
  if (alpha->value < 0) {
    sprint__fprintf(
        stream,
        "  alpha: 0  # it came out as %.6g, standard error %.2g: classes come where they are served badly, which "
        "retention does not know\n",
        alpha->value, alpha->error);
    return;
  }
  sprint__fprintf(stream, "  alpha: %.6g  # standard error %.2g (by the likelihood %.2g), 95 %% within %.4g .. %.4g\n",
                  alpha->value, alpha->error, fit->summary.likelihood_error, alpha->low, alpha->high);
}

const struct sprint__fit_kind sprint__fit_retention = {.name = "retention",
                                                       .asks_label = true,
                                                       .keeps_alone = true,
                                                       .estimate = retention_estimate,
                                                       .section = retention_section};
