/* Metrics by name: see metrics.h. */
#include "metrics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
  const char *name;
  size_t offset;
} table[] = {
#define METRIC(NAME) \
  { #NAME, offsetof(sprint_metrics, NAME) }
    METRIC(accuracy), METRIC(majority),          METRIC(auc),  METRIC(recall), METRIC(precision),
    METRIC(brier),    METRIC(calibration_error), METRIC(rmse), METRIC(mae),    METRIC(r2),
};

size_t cli_n_metrics(void) { return sizeof table / sizeof table[0]; }
const char *cli_metric_name(size_t metric) { return table[metric].name; }

double cli_metric_of(const sprint_metrics *metrics, size_t metric) {
  double value = NAN;
  if (metrics) memcpy(&value, (const char *)metrics + table[metric].offset, sizeof value);
  return value;
}

json_t *cli_metrics_json(const sprint_metrics *metrics) {
  json_t *json = json_object(), *calibration = json_array(), *confusion = json_array();
  size_t k = metrics->confusion ? metrics->n_classes : 0;
  for (size_t b = 0; k && b < SPRINT_CALIBRATION_BINS; b++)
    json_array_append_new(
        calibration,
        json_pack("{s:o, s:o, s:o}", "share", cli_json_real(metrics->calibration[b].share), "said",
                  cli_json_real(metrics->calibration[b].said), "came", cli_json_real(metrics->calibration[b].came)));
  for (size_t i = 0; i < k; i++) {
    json_t *row = json_array();
    for (size_t j = 0; j < k; j++) json_array_append_new(row, cli_json_real(metrics->confusion[i * k + j]));
    json_array_append_new(confusion, row);
  }
  json_object_set_new(json, "records", json_integer((json_int_t)metrics->n));
  json_object_set_new(json, "people", cli_json_real(metrics->people));
  json_object_set_new(json, "calibration", calibration);
  json_object_set_new(json, "confusion", confusion);
  return json;
}
