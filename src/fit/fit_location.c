/* A of the location family, z + A theta: in raw units feature j moves by scale_j (A theta)_j. Without a model nothing
 * is added, as at theta = 0. A (d, p) is told where the deployments' theta, differences of which are compared, span all
 * p directions; its forms with one number (A = epsilon I) or one in each column take two deployments. */
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "fit/moves.h"

enum form { MATRIX, DIAGONAL, SCALAR };

static size_t n_params(const sprint_fit *fit) { return sprint__predictor_model(fit->models[0].predictor)->n_params; }

/* theta of a log; 0 without a model. */
static double theta_at(const sprint_fit *fit, size_t log, size_t k) {
  ptrdiff_t model = fit->logs[log].model;
  return model == SPRINT__FIT_NO_MODEL ? 0 : (double)sprint__predictor_theta(fit->models[model].predictor)[k];
}

static double scale_at(const sprint_fit *fit, size_t log, size_t feature) {
  ptrdiff_t model = fit->logs[log].model;
  return model == SPRINT__FIT_NO_MODEL ? 1 : sprint__predictor_column(fit->models[model].predictor, feature)->scale;
}

static sprint_status check_models(const sprint_fit *fit) {
  for (size_t k = 1; k < fit->n_models; k++) {
    const struct sprint__fit_model *model = &fit->models[k];
    bool same = sprint__predictor_model(model->predictor)->n_params == n_params(fit);
    for (size_t j = 0; j < fit->d; j++) same = same && model->feature[j] == j;
    if (!same)
      return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                         "%s and %s: A theta needs models of the same parameters, with features in the same order",
                         fit->models[0].path, model->path);
  }
  return SPRINT_OK;
}

/* Takes off every other row what it has along the longest, until nothing is left: how many directions there are. */
static size_t rank_of(double *rows, size_t n, size_t p) {
  double first = 0;
  for (size_t rank = 0;; rank++) {
    double most = 0;
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
      double square = 0;
      for (size_t k = 0; k < p; k++) square += rows[i * p + k] * rows[i * p + k];
      if (square > most) most = square, best = i;
    }
    if (rank == 0) first = most;
    if (rank == n || rank == p || !(most > 1e-10 * first)) return rank;
    for (size_t i = 0; i < n; i++) {
      double product = 0;
      for (size_t k = 0; i != best && k < p; k++) product += rows[i * p + k] * rows[best * p + k];
      for (size_t k = 0; i != best && k < p; k++) rows[i * p + k] -= product / most * rows[best * p + k];
    }
    memset(rows + best * p, 0, p * sizeof *rows);
  }
}

/* The rank of differences of theta between logs; where drift is told, of those and time together, less the one that
 * time takes. */
static sprint_status find_rank(const sprint_fit *fit, size_t *ret_rank) {
  SPRINT__SCRATCH(room, fit->context);
  size_t p = n_params(fit), wide = p + fit->drift;
  double *rows = sprint__arena_take(&room, fit->n_logs, wide * sizeof *rows), longest = 0;
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t i = 0; i < fit->n_logs; i++)
    for (size_t k = 0; k < p; k++) {
      rows[i * wide + k] = theta_at(fit, i, k) - theta_at(fit, 0, k);
      longest = fmax(longest, fabs(rows[i * wide + k]));
    }
  for (size_t i = 0; fit->drift && i < fit->n_logs; i++)
    rows[i * wide + p] = longest * (fit->logs[i].time - fit->logs[0].time);
  *ret_rank = rank_of(rows, fit->n_logs, wide) - fit->drift;
  return SPRINT_OK;
}

static sprint_status choose_form(sprint_fit *fit, enum form *ret_form) {
  size_t p = n_params(fit), rank = 0;
  const char *form = fit->options.form;
  SPRINT__TRY(find_rank(fit, &rank));
  *ret_form = !form || strcmp(form, "matrix") == 0 ? MATRIX : strcmp(form, "diagonal") == 0 ? DIAGONAL : SCALAR;
  if (*ret_form != MATRIX && p != fit->d)
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                       "A of the form '%s' needs as many parameters as features; there are %zu and %zu", form, p,
                       fit->d);
  if (*ret_form != MATRIX || rank >= p) return SPRINT_OK;
  if (form || p != fit->d)
    return sprint_fail(
        fit->context, SPRINT_ERROR_INPUT,
        "A has %zu columns, one for each parameter, and the parameters of these deployments differ in %zu "
        "direction%s only, so that A cannot be told; it takes logs under %zu more models",
        p, rank, rank == 1 ? "" : "s", p - rank);
  *ret_form = SCALAR;
  return sprint__fit_note(fit,
                          "A as a whole cannot be told: it has %zu columns, and the parameters of these deployments "
                          "differ in %zu direction%s only; A = epsilon I was fitted instead",
                          p, rank, rank == 1 ? "" : "s");
}

static void location_directions(struct sprint__moves *moves, enum form form) {
  const sprint_fit *fit = moves->fit;
  for (size_t log = 0; log < fit->n_logs; log++)
    for (size_t j = 0; j < moves->m; j++)
      for (size_t k = 0; k < moves->q; k++)
        moves->u[(log * moves->m + j) * moves->q + k] =
            theta_at(fit, log, form == MATRIX ? k : j) * scale_at(fit, log, j) / fit->spread[j];
}

static sprint_status report(sprint_fit *fit, struct sprint__moves *moves, enum form form) {
  SPRINT__SCRATCH(room, fit->context);
  size_t p = form == SCALAR ? 1 : moves->m * moves->q;
  double *values = NULL;
  size_t *which = sprint__arena_take(&room, p, sizeof *which);
  SPRINT__TRY(sprint__arena_status(&room));
  SPRINT__TRY(sprint__moves_resample(moves, &values));
  SPRINT__TRY(sprint__fit_take_parameters(fit, p));
  for (size_t i = 0; i < p; i++) {
    size_t j = i / moves->q, k = i % moves->q;
    which[i] = j * moves->r + k;
    SPRINT__TRY(sprint__moves_report(moves, values, i, which[i], 1, form == SCALAR ? "epsilon" : "A",
                                     form == SCALAR ? NULL : fit->names[j]));
    fit->parameters[i].parameter = form == MATRIX ? k : j;
  }
  return sprint__moves_judge(moves, values, which, p);
}

static sprint_status location_estimate(sprint_fit *fit) {
  enum form form = MATRIX;
  struct sprint__moves moves;
  SPRINT__TRY(check_models(fit));
  SPRINT__TRY(choose_form(fit, &form));
  SPRINT__TRY(sprint__moves_start(fit, form == MATRIX ? n_params(fit) : 1, form == SCALAR, false, &moves));
  location_directions(&moves, form);
  SPRINT__TRY(sprint__moves_solve(&moves));
  for (size_t j = 0; j < moves.m; j++)
    if (isnan(moves.beta[j * moves.r]) || (form == DIAGONAL && !moves.known[j]))
      return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                         "the models have the same parameter for column '%s': how it responds cannot be told",
                         fit->names[j]);
  return report(fit, &moves, form);
}

static void location_section(const sprint_fit *fit, FILE *stream) {
  const sprint_fit_parameter *first = &fit->parameters[0];
  if (strcmp(first->name, "epsilon") == 0) {
    sprint__fprintf(stream, "  epsilon: %.6g  # A = epsilon I; standard error %.2g, 95 %% within %.4g .. %.4g\n",
                    first->value, first->error, first->low, first->high);
    return;
  }
  fprintf(stream, "  matrix: A.npy  # (%zu, %zu), features by parameters: written by --matrix A.npy\n", fit->d,
          n_params(fit));
  for (size_t i = 0; i < fit->n_parameters; i++) {
    fputs("  # A[", stream);
    sprint__fit_print_text(fit->parameters[i].column, stream);
    sprint__fprintf(stream, ", %zu] = %.6g, standard error %.2g\n", fit->parameters[i].parameter,
                    fit->parameters[i].value, fit->parameters[i].error);
  }
}

const struct sprint__fit_kind sprint__fit_location = {
    .name = "location", .any_model = true, .estimate = location_estimate, .section = location_section};
