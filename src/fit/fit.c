/* sprint_fit_shift: options in, a fit out. See fit.h. */
#include "fit/fit.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/print.h"
#include "base/sized.h"
#include "config/names.h"

static const struct sprint__fit_kind *const kinds[] = {&sprint__fit_strategic, &sprint__fit_linear,
                                                       &sprint__fit_location, &sprint__fit_retention};

enum { LEAST_PEOPLE = 10, MOST_RESAMPLES = 1000000, USUAL_RESAMPLES = 1000, LEAST_RESAMPLES = 100 };

void sprint_fit_free(sprint_fit *fit) {
  if (!fit) return;
  for (size_t k = 0; k < fit->n_models; k++) sprint_predictor_free(fit->models[k].predictor);
  sprint__arena_free(&fit->arena);
  sprint__free(fit);
}
SPRINT__FREE_AT(sprint_fit_free, sprint_fit)

sprint_status sprint__fit_take_parameters(sprint_fit *fit, size_t n) {
  fit->n_parameters = n;
  fit->parameters = sprint__arena_take(&fit->arena, n, sizeof *fit->parameters);
  return sprint__arena_status(&fit->arena);
}

sprint_status sprint__fit_note(sprint_fit *fit, const char *format, ...) {
  enum { MOST_NOTES = 64 };
  char text[512];
  va_list args;
  va_start(args, format);
  sprint__vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!fit->notes) fit->notes = sprint__arena_take(&fit->arena, MOST_NOTES, sizeof *fit->notes);
  if (!fit->notes || fit->n_notes == MOST_NOTES) return sprint__arena_status(&fit->arena);
  fit->notes[fit->n_notes++] = sprint__arena_strdup(&fit->arena, text);
  return sprint__arena_status(&fit->arena);
}

static sprint_status find_kind(sprint_fit *fit) {
  const char *name = fit->options.kind ? fit->options.kind : kinds[0]->name;
  for (size_t i = 0; i < SPRINT__COUNT(kinds); i++)
    if (strcmp(kinds[i]->name, name) == 0) fit->kind = kinds[i];
  if (fit->kind) return SPRINT_OK;
  return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                     "'%s' is not a kind of response that can be fitted: strategic, linear, location or retention",
                     name);
}

static sprint_status refuse_option(const sprint_fit *fit, const char *option) {
  return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "%s: means nothing to '%s'", option, fit->kind->name);
}

static bool is_one_of(const char *word, const char *choices) { return sprint__choice_find(choices, word) >= 0; }

static sprint_status check_options(sprint_fit *fit) {
  sprint_fit_options *options = &fit->options;
  const struct sprint__fit_kind *kind = fit->kind;
  if (options->n_logs < 2 || !options->logs)
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "two or more logs are compared; there %s %zu",
                       options->n_logs == 1 ? "is" : "are", options->n_logs);
  if (options->good && !kind->asks_good) return refuse_option(fit, "good");
  if (options->score && !kind->asks_good) return refuse_option(fit, "score");
  if (options->label && !kind->asks_label) return refuse_option(fit, "label");
  if (options->n_columns && !kind->asks_columns) return refuse_option(fit, "columns");
  if (options->form && kind != &sprint__fit_location) return refuse_option(fit, "form");
  if (options->form && !is_one_of(options->form, "matrix|diagonal|scalar"))
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "form: '%s' is not one of matrix, diagonal, scalar",
                       options->form);
  if (options->score && !is_one_of(options->score, "logit|probability"))
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "score: '%s' is not one of logit, probability",
                       options->score);
  if (options->resamples == 0) options->resamples = USUAL_RESAMPLES;
  if (options->resamples >= LEAST_RESAMPLES && options->resamples <= MOST_RESAMPLES) return SPRINT_OK;
  return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "bootstrap: %zu resamples are not within %d .. %d",
                     options->resamples, LEAST_RESAMPLES, MOST_RESAMPLES);
}

/* Times about their mean. */
static sprint_status take_logs(sprint_fit *fit) {
  double mean = 0, n = (double)fit->options.n_logs;
  fit->n_logs = fit->options.n_logs;
  fit->logs = sprint__arena_take(&fit->arena, fit->n_logs, sizeof *fit->logs);
  SPRINT__TRY(sprint__arena_status(&fit->arena));
  for (size_t k = 0; k < fit->n_logs; k++) {
    const sprint_fit_log *given = &fit->options.logs[k];
    if (!given->data) return sprint_fail(fit->context, SPRINT_ERROR_ARGUMENT, "log %zu has no data", k + 1);
    fit->logs[k].data = given->data;
    fit->logs[k].time = fit->options.timed ? given->time : (double)k;
    if (!isfinite(fit->logs[k].time))
      return sprint_fail(fit->context, SPRINT_ERROR_ARGUMENT, "%s: its time is not finite", given->data);
    mean += fit->logs[k].time / n;
  }
  for (size_t k = 0; k < fit->n_logs; k++) fit->logs[k].time -= mean;
  return SPRINT_OK;
}

static sprint_status refuse_good(const sprint_fit *fit) {
  SPRINT__SCRATCH(room, fit->context);
  const char **names = sprint__arena_take(&room, fit->n_classes, sizeof *names);
  for (size_t c = 0; names && c < fit->n_classes; c++) names[c] = sprint__predictor_class(fit->models[0].predictor, c);
  char *list = names ? sprint__names_join(fit->context, names, fit->n_classes, " or ") : NULL;
  list = sprint__arena_keep(&room, list);
  SPRINT__TRY(sprint__arena_status(&room));
  if (!fit->options.good)
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                       "good: which class do people want to be in? It is not guessed; say %s", list);
  return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "good: '%s' is no class of the models; it is %s",
                     fit->options.good, list);
}

/* Of a model that predicts values people want them higher or lower; classes 0 and 1 may be named instead. */
static sprint_status choose_direction(sprint_fit *fit) {
  const char *good = fit->options.good;
  bool lower = good && strcmp(good, "lower") == 0, higher = good && strcmp(good, "higher") == 0;
  for (size_t c = 0; good && fit->n_classes == 2 && c < 2; c++)
    if (strcmp(sprint__predictor_class(fit->models[0].predictor, c), good) == 0) lower = c == 0, higher = c == 1;
  if (fit->score.probability)
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "score: a probability needs classes, and %s predicts values",
                       fit->models[0].path);
  fit->score.sign = lower ? -1 : 1;
  if (lower || higher) return SPRINT_OK;
  if (!good)
    return sprint_fail(
        fit->context, SPRINT_ERROR_INPUT,
        "good: do people want the models' value to be higher or lower? It is not guessed; say one of the "
        "two");
  return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "good: '%s' is not what a value can be; say higher or lower",
                     good);
}

static sprint_status choose_score(sprint_fit *fit) {
  const sprint_model *model = sprint__predictor_model(fit->models[0].predictor);
  const char *good = fit->options.good;
  fit->score = (struct sprint__score){.sign = 1};
  if (!fit->kind->asks_good) return SPRINT_OK;
  fit->score.probability = fit->options.score && strcmp(fit->options.score, "probability") == 0;
  if (!model->classifies) return choose_direction(fit);
  for (size_t c = 0; good && c < fit->n_classes; c++) {
    if (strcmp(sprint__predictor_class(fit->models[0].predictor, c), good) != 0) continue;
    fit->score.good = c;
    return SPRINT_OK;
  }
  return refuse_good(fit);
}

static sprint_status choose_columns(sprint_fit *fit) {
  size_t n = fit->options.n_columns;
  fit->m = n ? n : fit->d;
  fit->columns = sprint__arena_take(&fit->arena, fit->m, sizeof *fit->columns);
  SPRINT__TRY(sprint__arena_status(&fit->arena));
  for (size_t j = 0; j < fit->m; j++) {
    fit->columns[j] = n ? fit->d : j;
    for (size_t k = 0; n && k < fit->d; k++)
      if (strcmp(fit->names[k], fit->options.columns[j]) == 0) fit->columns[j] = k;
    for (size_t k = 0; k < j; k++)
      if (fit->columns[k] == fit->columns[j])
        return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "columns: '%s' is there twice", fit->options.columns[j]);
    if (fit->columns[j] < fit->d) continue;
    const char *nearest = sprint__nearest(fit->options.columns[j], fit->names, fit->d);
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "columns: '%s' is no feature of %s%s%s%s",
                       fit->options.columns[j], fit->models[0].path, nearest ? "; did you mean '" : "",
                       nearest ? nearest : "", nearest ? "'?" : "");
  }
  return SPRINT_OK;
}

/* Within logs, so that neither response nor drift counts as spread. */
static sprint_status measure_spread(sprint_fit *fit) {
  SPRINT__SCRATCH(room, fit->context);
  const struct sprint__fit_people *people = &fit->people;
  double *mean = sprint__arena_take(&room, fit->n_logs, sizeof *mean);
  fit->spread = sprint__arena_take(&fit->arena, fit->d, sizeof *fit->spread);
  SPRINT__TRY(sprint__arena_status(&room));
  SPRINT__TRY(sprint__arena_status(&fit->arena));
  for (size_t j = 0; j < fit->d; j++) {
    double square = 0;
    memset(mean, 0, fit->n_logs * sizeof *mean);
    for (size_t o = 0; o < people->n_records; o++)
      mean[people->log[o]] += people->x[o * fit->d + j] / (double)fit->logs[people->log[o]].n_rows;
    for (size_t o = 0; o < people->n_records; o++) {
      double away = people->x[o * fit->d + j] - mean[people->log[o]];
      square += away * away;
    }
    double spread = sqrt(square / (double)people->n_records);
    fit->spread[j] = spread > 1e-12 * fabs(mean[0]) && spread > 0 ? spread : 1;
  }
  return SPRINT_OK;
}

/* Whether two records tell drift apart from response: of one model, at different times; paired, of one person. */
static bool tells_drift(const sprint_fit *fit, size_t a, size_t b) {
  return fit->logs[a].model == fit->logs[b].model && fit->logs[a].time != fit->logs[b].time &&
         !(fit->kind->keeps_alone && fit->logs[a].model == SPRINT__FIT_NO_MODEL);
}

static sprint_status find_drift(sprint_fit *fit) {
  const struct sprint__fit_people *people = &fit->people;
  bool there = false;
  for (size_t a = 0; a < fit->n_logs; a++)
    for (size_t b = 0; b < a; b++) there = there || tells_drift(fit, a, b);
  fit->drift = there && (!fit->options.id || fit->kind->keeps_alone);
  for (size_t i = 0; there && i < people->n; i++)
    for (size_t a = people->start[i]; a < people->start[i + 1]; a++)
      for (size_t b = people->start[i]; b < a; b++)
        fit->drift = fit->drift || tells_drift(fit, people->log[a], people->log[b]);
  fit->summary.placebo = fit->drift;
  if (fit->drift) return SPRINT_OK;
  if (there)
    return sprint__fit_note(fit,
                            "no one is in two logs under one model, so that drift cannot be told: all that changed "
                            "counts as response");
  return sprint__fit_note(fit,
                          "there is no placebo, two logs of different times under one model: drift that would have "
                          "come anyway cannot be told apart and counts as response");
}

static sprint_status count_people(sprint_fit *fit) {
  for (size_t k = 0; k < fit->n_logs; k++) {
    const struct sprint__fit_log *log = &fit->logs[k];
    fit->summary.n_missing += log->n_missing;
    fit->summary.n_alone += log->n_alone;
    if (log->n_rows >= LEAST_PEOPLE) continue;
    return sprint_fail(fit->context, SPRINT_ERROR_INPUT, "%s: %zu of its rows can be used; at least %d are needed",
                       log->data, log->n_rows, LEAST_PEOPLE);
  }
  fit->summary.n_people = fit->people.n;
  fit->summary.n_records = fit->people.n_records;
  fit->summary.n_models = fit->n_models;
  return SPRINT_OK;
}

static sprint_status work(sprint_fit *fit) {
  SPRINT__TRY(find_kind(fit));
  fit->summary = (sprint_fit_summary){.size = sizeof fit->summary,
                                      .kind = fit->kind->name,
                                      .paired = fit->options.id && !fit->kind->keeps_alone,
                                      .level = 0.05,
                                      .statistic = NAN,
                                      .df1 = NAN,
                                      .df2 = NAN,
                                      .p = NAN,
                                      .drift_statistic = NAN,
                                      .drift_df1 = NAN,
                                      .drift_df2 = NAN,
                                      .drift_p = NAN,
                                      .r2 = NAN,
                                      .before = NAN,
                                      .after = NAN,
                                      .fit_p = NAN,
                                      .chi2 = NAN,
                                      .chi2_df = NAN,
                                      .power = NAN,
                                      .one_alpha = NAN,
                                      .one_alpha_error = NAN,
                                      .one_alpha_p = NAN,
                                      .likelihood_error = NAN};
  SPRINT__TRY(check_options(fit));
  SPRINT__TRY(take_logs(fit));
  SPRINT__TRY(sprint__fit_load_models(fit));
  SPRINT__TRY(choose_score(fit));
  SPRINT__TRY(choose_columns(fit));
  SPRINT__TRY(sprint__fit_gather(fit));
  SPRINT__TRY(count_people(fit));
  SPRINT__TRY(measure_spread(fit));
  SPRINT__TRY(find_drift(fit));
  SPRINT__TRY(fit->kind->estimate(fit));
  fit->summary.resamples = fit->n_resamples;
  return sprint__fit_write_section(fit);
}

/* Texts of the options, which the fit goes on using, are copied. */
static sprint_status copy_texts(sprint_fit *fit) {
  sprint_fit_options *options = &fit->options;
  struct sprint__arena *arena = &fit->arena;
  const char **texts[] = {&options->kind, &options->id,    &options->label,
                          &options->good, &options->score, &options->form};
  for (size_t i = 0; i < SPRINT__COUNT(texts); i++)
    if (*texts[i]) *texts[i] = sprint__arena_strdup(arena, *texts[i]);
  sprint_fit_log *logs = sprint__arena_take(arena, options->n_logs, sizeof *logs);
  const char **columns = sprint__arena_take(arena, options->n_columns, sizeof *columns);
  for (size_t k = 0; logs && options->logs && k < options->n_logs; k++) {
    logs[k] = options->logs[k];
    if (logs[k].data) logs[k].data = sprint__arena_strdup(arena, logs[k].data);
    if (logs[k].model) logs[k].model = sprint__arena_strdup(arena, logs[k].model);
  }
  for (size_t j = 0; columns && j < options->n_columns; j++) {
    if (!options->columns || !options->columns[j])
      return sprint_fail(fit->context, SPRINT_ERROR_ARGUMENT, "columns: the names of %zu were expected, not NULL",
                         options->n_columns);
    columns[j] = sprint__arena_strdup(arena, options->columns[j]);
  }
  if (options->logs) options->logs = logs;
  options->columns = columns;
  return sprint__arena_status(arena);
}

sprint_status sprint_fit_shift(sprint_context *context, const sprint_fit_options *options, sprint_fit **ret_fit) {
  SPRINT__REQUIRE(context, options, ret_fit);
  SPRINT__SCOPED(sprint_fit_free) sprint_fit *fit = sprint__alloc(context, 1, sizeof *fit);
  if (!fit) return SPRINT_ERROR_MEMORY;
  fit->context = fit->arena.context = context;
  SPRINT__SIZED_TAKE(context, sprint_fit_options, options, &fit->options);
  SPRINT__TRY(copy_texts(fit));
  SPRINT__TRY(work(fit));
  *ret_fit = sprint__give(&fit);
  return SPRINT_OK;
}

const sprint_fit_summary *sprint_fit_result(const sprint_fit *fit) { return fit ? &fit->summary : NULL; }
size_t sprint_fit_n_parameters(const sprint_fit *fit) { return fit ? fit->n_parameters : 0; }
const sprint_fit_parameter *sprint_fit_parameter_of(const sprint_fit *fit, size_t i) {
  return i < sprint_fit_n_parameters(fit) ? &fit->parameters[i] : NULL;
}
size_t sprint_fit_n_columns(const sprint_fit *fit) { return fit && fit->moved ? fit->m : 0; }
const sprint_fit_column *sprint_fit_column_of(const sprint_fit *fit, size_t i) {
  return i < sprint_fit_n_columns(fit) ? &fit->moved[i] : NULL;
}
size_t sprint_fit_n_notes(const sprint_fit *fit) { return fit ? fit->n_notes : 0; }
const char *sprint_fit_note(const sprint_fit *fit, size_t i) {
  return i < sprint_fit_n_notes(fit) ? fit->notes[i] : NULL;
}
const char *sprint_fit_section(const sprint_fit *fit) { return fit ? fit->section : NULL; }

sprint_status sprint_fit_write_matrix(const sprint_fit *fit, const char *path) {
  if (!fit) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(fit->context, path);
  if (fit->kind != &sprint__fit_location)
    return sprint_fail(fit->context, SPRINT_ERROR_ARGUMENT, "%s: a fit of '%s' has no matrix", path, fit->kind->name);
  SPRINT__SCRATCH(room, fit->context);
  size_t shape[2] = {fit->d, sprint__predictor_model(fit->models[0].predictor)->n_params};
  double *a = sprint__arena_take(&room, shape[0], shape[1] * sizeof *a);
  SPRINT__TRY(sprint__arena_status(&room));
  bool scalar = fit->n_parameters == 1 && strcmp(fit->parameters[0].name, "epsilon") == 0;
  for (size_t j = 0; scalar && j < fit->d; j++) a[j * shape[1] + j] = fit->parameters[0].value;
  for (size_t i = 0; !scalar && i < fit->n_parameters; i++) {
    size_t row = i * fit->d / fit->n_parameters;
    a[row * shape[1] + fit->parameters[i].parameter] = fit->parameters[i].value;
  }
  return sprint_npy_write_double(fit->context, path, 2, shape, a);
}
