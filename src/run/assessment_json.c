/* An assessment within run.json: written by a run, read again for summaries and reports. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "run/assessment.h"

/* The numbers of a set, by name. */
struct field {
  const char *name;
  size_t offset;
};

#define FIELD(NAME) \
  { #NAME, offsetof(sprint_metrics, NAME) }

static const struct field fields[] = {
    FIELD(people), FIELD(loss),   FIELD(accuracy),  FIELD(majority), FIELD(threshold),
    FIELD(auc),    FIELD(recall), FIELD(precision), FIELD(brier),    FIELD(calibration_error),
    FIELD(rmse),   FIELD(mae),    FIELD(r2),
};

static double *field_of(sprint_metrics *metrics, const struct field *field) {
  return (double *)(void *)((char *)metrics + field->offset);
}

json_t *sprint__real_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }
double sprint__real_of(const json_t *json) { return json_is_number(json) ? json_number_value(json) : NAN; }

static json_t *confusion_json(const sprint_metrics *metrics) {
  json_t *rows = json_array();
  size_t k = metrics->confusion ? metrics->n_classes : 0;
  for (size_t i = 0; i < k; i++) {
    json_t *row = json_array();
    for (size_t j = 0; j < k; j++) json_array_append_new(row, json_real(metrics->confusion[i * k + j]));
    json_array_append_new(rows, row);
  }
  return rows;
}

static json_t *set_json(const sprint_metrics *metrics) {
  sprint_metrics own = *metrics;
  json_t *json = json_object(), *roc = json_array(), *calibration = json_array();
  json_object_set_new(json, "n", json_integer((json_int_t)own.n));
  for (size_t f = 0; f < SPRINT__COUNT(fields); f++)
    json_object_set_new(json, fields[f].name, sprint__real_or_null(*field_of(&own, &fields[f])));
  for (size_t i = 0; i < own.n_roc; i++)
    json_array_append_new(roc, json_pack("[f, f]", own.roc[i].false_positives, own.roc[i].true_positives));
  for (size_t b = 0; own.n_classes && b < SPRINT_CALIBRATION_BINS; b++)
    json_array_append_new(calibration, json_pack("[o, o, o]", sprint__real_or_null(own.calibration[b].share),
                                                 sprint__real_or_null(own.calibration[b].said),
                                                 sprint__real_or_null(own.calibration[b].came)));
  json_object_set_new(json, "positive", json_integer((json_int_t)own.positive));
  json_object_set_new(json, "n_scored", json_integer((json_int_t)own.n_scored));
  json_object_set_new(json, "roc", roc);
  json_object_set_new(json, "calibration", calibration);
  json_object_set_new(json, "confusion", confusion_json(metrics));
  return json;
}

json_t *sprint__warnings_json(const sprint_assessment *assessment) {
  json_t *json = json_object();
  for (sprint_warning_kind k = 0; k < SPRINT_N_WARNINGS; k++)
    if (assessment->warnings[k])
      json_object_set_new(json, sprint_warning_word(k), json_string(assessment->warnings[k]));
  return json;
}

json_t *sprint__assessment_json(const sprint_assessment *assessment, const sprint_population *population) {
  json_t *json = json_object(), *sets = json_object(), *classes = json_array();
  for (size_t c = 0; c < population->n_classes; c++)
    json_array_append_new(classes, json_string(population->class_names[c]));
  for (sprint_set set = 0; set < SPRINT_N_SETS; set++)
    if (assessment->has[set]) json_object_set_new(sets, sprint_set_word(set), set_json(&assessment->sets[set]));
  json_object_set_new(json, "verdict", json_string(sprint_verdict_word(assessment->verdict)));
  json_object_set_new(json, "sentence", json_string(assessment->sentence));
  json_object_set_new(json, "warnings", sprint__warnings_json(assessment));
  json_object_set_new(json, "gradient_sq_mean_after_start", sprint__real_or_null(assessment->gradient_mean));
  json_object_set_new(json, "edge", sprint__real_or_null(assessment->edge));
  json_object_set_new(json, "classes", classes);
  json_object_set_new(json, "sets", sets);
  json_object_set_new(json, "moves", sprint__moves_json(assessment));
  return json;
}

static size_t count_of(const json_t *json) {
  json_int_t n = json_integer_value(json);
  return n > 0 ? (size_t)n : 0;
}

static sprint_status read_confusion(struct sprint__arena *arena, const json_t *rows, sprint_metrics *metrics) {
  size_t k = json_array_size(rows);
  if (k == 0) return SPRINT_OK;
  double *confusion = sprint__arena_take(arena, k, k * sizeof *confusion);
  if (!confusion) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < k * k; i++) confusion[i] = sprint__real_of(json_array_get(json_array_get(rows, i / k), i % k));
  metrics->confusion = confusion;
  metrics->n_classes = k;
  return SPRINT_OK;
}

static sprint_status read_set(struct sprint__arena *arena, const json_t *json, sprint_metrics *metrics) {
  const json_t *roc = json_object_get(json, "roc"), *calibration = json_object_get(json, "calibration");
  metrics->size = sizeof *metrics;
  metrics->n = count_of(json_object_get(json, "n"));
  metrics->positive = count_of(json_object_get(json, "positive"));
  metrics->n_scored = count_of(json_object_get(json, "n_scored"));
  for (size_t f = 0; f < SPRINT__COUNT(fields); f++)
    *field_of(metrics, &fields[f]) = sprint__real_of(json_object_get(json, fields[f].name));
  metrics->n_roc = json_array_size(roc) < SPRINT_ROC_POINTS ? json_array_size(roc) : SPRINT_ROC_POINTS;
  for (size_t i = 0; i < metrics->n_roc; i++) {
    metrics->roc[i].false_positives = sprint__real_of(json_array_get(json_array_get(roc, i), 0));
    metrics->roc[i].true_positives = sprint__real_of(json_array_get(json_array_get(roc, i), 1));
  }
  for (size_t b = 0; b < SPRINT_CALIBRATION_BINS; b++) {
    const json_t *bin = json_array_get(calibration, b);
    metrics->calibration[b].share = sprint__real_of(json_array_get(bin, 0));
    metrics->calibration[b].said = sprint__real_of(json_array_get(bin, 1));
    metrics->calibration[b].came = sprint__real_of(json_array_get(bin, 2));
  }
  return read_confusion(arena, json_object_get(json, "confusion"), metrics);
}

static sprint_verdict verdict_of(const char *word) {
  sprint_verdict verdict = SPRINT_VERDICT_UNKNOWN;
  for (int v = 0; word && sprint_verdict_word((sprint_verdict)v); v++)
    if (strcmp(sprint_verdict_word((sprint_verdict)v), word) == 0) verdict = (sprint_verdict)v;
  return verdict;
}

/* The text of a JSON string, "" where there is none. */
static char *text_of(struct sprint__arena *arena, const json_t *json) {
  return sprint__arena_strdup(arena, json_is_string(json) ? json_string_value(json) : "");
}

sprint_status sprint__assessment_read(const json_t *json, const char *folder, sprint_assessment *assessment) {
  struct sprint__arena *arena = &assessment->arena;
  const json_t *sets = json_object_get(json, "sets"), *warnings = json_object_get(json, "warnings");
  const char *verdict = json_string_value(json_object_get(json, "verdict"));
  if (!verdict || !json_is_object(sets) || !json_is_object(warnings))
    return sprint_fail(assessment->context, SPRINT_ERROR_INPUT,
                       "%s/run.json: its assessment is missing or broken: verdict, sets and warnings were expected",
                       folder);
  assessment->verdict = verdict_of(verdict);
  assessment->sentence = text_of(arena, json_object_get(json, "sentence"));
  assessment->gradient_mean = sprint__real_of(json_object_get(json, "gradient_sq_mean_after_start"));
  assessment->edge = sprint__real_of(json_object_get(json, "edge"));
  for (sprint_warning_kind k = 0; k < SPRINT_N_WARNINGS; k++) {
    const json_t *warning = json_object_get(warnings, sprint_warning_word(k));
    if (json_is_string(warning)) assessment->warnings[k] = text_of(arena, warning);
  }
  for (sprint_set set = 0; set < SPRINT_N_SETS; set++) {
    const json_t *one = json_object_get(sets, sprint_set_word(set));
    assessment->has[set] = json_is_object(one);
    if (assessment->has[set]) SPRINT__TRY(read_set(arena, one, &assessment->sets[set]));
  }
  return sprint__moves_read(json_object_get(json, "moves"), assessment);
}
