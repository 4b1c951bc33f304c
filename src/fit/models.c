/* The models of the logs: see fit.h. */
#include <string.h>

#include "config/names.h"
#include "fit/fit.h"

static sprint_status refuse(const sprint_fit *fit, const struct sprint__fit_model *model, const char *what) {
  return sprint_fail(
      fit->context, SPRINT_ERROR_INPUT,
      "%s and %s cannot be compared: %s; logs are compared under models of the same features and classes",
      fit->models[0].path, model->path, what);
}

/* Which of the model's features is called so, or -1. */
static ptrdiff_t find_feature(const sprint_predictor *predictor, const char *name) {
  for (size_t j = 0; j < sprint_predictor_n_features(predictor); j++)
    if (strcmp(sprint_predictor_feature(predictor, j), name) == 0) return (ptrdiff_t)j;
  return -1;
}

static bool same_columns(const sprint_predictor *a, const sprint_predictor *b) {
  for (size_t j = 0; j < sprint_predictor_n_features(a); j++) {
    const struct sprint__column *p = sprint__predictor_column(a, j), *q = sprint__predictor_column(b, j);
    if (strcmp(p->name, q->name) != 0 || p->mean != q->mean || p->scale != q->scale) return false;
    if (p->low != q->low || p->high != q->high) return false;
  }
  return true;
}

static bool same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

/* Whether two files are one and the same model: people cannot tell them apart. */
static bool same_model(const sprint_predictor *a, const sprint_predictor *b) {
  const sprint_model *p = sprint__predictor_model(a), *q = sprint__predictor_model(b);
  return p->n_params == q->n_params && p->n_features == q->n_features && same_text(p->layers_text, q->layers_text) &&
         same_text(p->loss_text, q->loss_text) && same_columns(a, b) &&
         memcmp(sprint__predictor_theta(a), sprint__predictor_theta(b), p->n_params * sizeof(sprint_real)) == 0;
}

static sprint_status check_classes(const sprint_fit *fit, const struct sprint__fit_model *model) {
  const sprint_predictor *first = fit->models[0].predictor, *other = model->predictor;
  size_t n = sprint__predictor_n_classes(first);
  if (sprint__predictor_model(first)->classifies != sprint__predictor_model(other)->classifies)
    return refuse(fit, model, "one is of classes, the other of values");
  if (sprint__predictor_n_classes(other) != n) return refuse(fit, model, "they have different classes");
  for (size_t c = 0; c < n; c++)
    if (strcmp(sprint__predictor_class(first, c), sprint__predictor_class(other, c)) != 0)
      return refuse(fit, model, "they have different classes");
  return SPRINT_OK;
}

/* Where the fit's features, which are the first model's, are among this one's. */
static sprint_status match_features(sprint_fit *fit, struct sprint__fit_model *model) {
  model->feature = sprint__arena_take(&fit->arena, fit->d, sizeof *model->feature);
  SPRINT__TRY(sprint__arena_status(&fit->arena));
  if (sprint_predictor_n_features(model->predictor) != fit->d)
    return refuse(fit, model, "they have different numbers of features");
  for (size_t j = 0; j < fit->d; j++) {
    ptrdiff_t at = find_feature(model->predictor, fit->names[j]);
    if (at < 0) return refuse(fit, model, "they have different features");
    model->feature[j] = (size_t)at;
  }
  return SPRINT_OK;
}

static sprint_status name_features(sprint_fit *fit) {
  const sprint_predictor *first = fit->models[0].predictor;
  fit->d = sprint_predictor_n_features(first);
  fit->n_classes = sprint__predictor_n_classes(first);
  fit->names = sprint__arena_take(&fit->arena, fit->d, sizeof *fit->names);
  SPRINT__TRY(sprint__arena_status(&fit->arena));
  for (size_t j = 0; j < fit->d; j++) fit->names[j] = sprint_predictor_feature(first, j);
  return SPRINT_OK;
}

/* Loads the model of a log, unless it is one that is there already. */
static sprint_status load_model(sprint_fit *fit, struct sprint__fit_log *log, const char *path) {
  struct sprint__fit_model *model = &fit->models[fit->n_models];
  model->path = sprint__arena_strdup(&fit->arena, path);
  SPRINT__TRY(sprint__arena_status(&fit->arena));
  SPRINT__TRY((fit->kind->any_model ? sprint__predictor_load_any : sprint_predictor_load)(fit->context, path,
                                                                                          &model->predictor));
  fit->n_models++;
  log->model = (ptrdiff_t)fit->n_models - 1;
  if (fit->n_models == 1) SPRINT__TRY(name_features(fit));
  for (ptrdiff_t k = 0; k < log->model; k++) {
    if (!same_model(fit->models[k].predictor, model->predictor)) continue;
    sprint_predictor_free(model->predictor);
    model->predictor = NULL;
    fit->n_models--;
    log->model = k;
    return SPRINT_OK;
  }
  SPRINT__TRY(match_features(fit, model));
  return check_classes(fit, model);
}

/* What the logs must have to be compared at all. */
static sprint_status check_deployments(const sprint_fit *fit) {
  size_t n_none = 0;
  for (size_t k = 0; k < fit->n_logs; k++) n_none += fit->logs[k].model == SPRINT__FIT_NO_MODEL;
  if (fit->n_models == 0)
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                       "no log was collected under a model; without one there is nothing that people respond to");
  if (fit->n_models + (n_none > 0) >= 2) return SPRINT_OK;
  return sprint_fail(
      fit->context, SPRINT_ERROR_INPUT,
      "all %zu logs were collected under one and the same model (%s): they show how people drift, not how "
      "they respond; give a log under another model, or base records (DATA.csv=none)",
      fit->n_logs, fit->models[0].path);
}

sprint_status sprint__fit_load_models(sprint_fit *fit) {
  fit->models = sprint__arena_take(&fit->arena, fit->n_logs, sizeof *fit->models);
  SPRINT__TRY(sprint__arena_status(&fit->arena));
  for (size_t k = 0; k < fit->n_logs; k++) {
    const char *path = fit->options.logs[k].model;
    fit->logs[k].model = SPRINT__FIT_NO_MODEL;
    if (path) SPRINT__TRY(load_model(fit, &fit->logs[k], path));
  }
  return check_deployments(fit);
}
