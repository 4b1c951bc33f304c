/* sprint check --json: the same for programs. Times and memory are of this machine; all else is the same every time. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "files.h"

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *count(uint64_t value) { return json_integer((json_int_t)value); }

static json_t *hints_json(const struct cli_checked *it) {
  char *hints[CHECK_MAX_HINTS];
  json_t *json = json_array();
  cli_check_hints(it, hints);
  for (size_t i = 0; i < CHECK_MAX_HINTS && hints[i]; i++) {
    json_array_append_new(json, json_string(hints[i]));
    free(hints[i]);
  }
  return json;
}

static json_t *cost_json(const sprint_step_check *step) {
  if (!(step->rows > 0)) return json_null();
  json_t *json = json_object();
  json_object_set_new(json, "epochs", number(step->planned));
  json_object_set_new(json, "steps", count(step->cost.steps));
  json_object_set_new(json, "ifo", count(step->cost.ifo));
  json_object_set_new(json, "samples", count(step->cost.samples));
  json_object_set_new(json, "deployments", count(step->cost.deployments));
  json_object_set_new(json, "shift_evals", count(step->cost.shift_evals));
  json_object_set_new(json, "rows", number(step->rows));
  json_object_set_new(json, "seconds", number(step->epoch_seconds * step->planned));
  return json;
}

static json_t *checked_json(const struct cli_check *check, const struct cli_checked *it) {
  const sprint_step_check *step = &it->step;
  json_t *json = json_object();
  json_object_set_new(json, "point", json_string(sprint_experiment_point_name(check->experiment, it->point)));
  json_object_set_new(json, "method", json_string(sprint_experiment_method_name(check->experiment, it->method)));
  json_object_set_new(json, "people", json_string(sprint_experiment_people(check->experiment, it->point, it->method)));
  json_object_set_new(json, "verdict", json_string(cli_check_word(it->level)));
  json_object_set_new(json, "step", number(step->step));
  json_object_set_new(json, "largest", number(step->largest));
  json_object_set_new(json, "least_left", number(step->least_left));
  json_object_set_new(json, "starts", count(step->starts));
  json_object_set_new(json, "left", count(step->left));
  json_object_set_new(json, "edge", number(step->edge));
  json_object_set_new(json, "epochs_tried", number(step->epochs));
  json_object_set_new(json, "biased", json_boolean(it->problem.biased));
  json_object_set_new(json, "cost", cost_json(step));
  json_object_set_new(json, "change", hints_json(it));
  return json;
}

static json_t *data_json(const struct cli_check *check) {
  const struct cli_data_look *data = &check->data;
  const sprint_population *population = sprint_experiment_population(check->experiment);
  json_t *json = json_object();
  json_object_set_new(json, "n", count(sprint_population_n(population)));
  json_object_set_new(json, "features", count(sprint_population_n_features(population)));
  json_object_set_new(json, "majority", number(data->majority));
  json_object_set_new(json, "minority", number(data->minority));
  json_object_set_new(json, "constant_features", count(data->n_constant));
  return json;
}

static json_t *advice_json(const sprint_advice *advice) {
  json_t *json = json_object();
  json_object_set_new(json, "method", json_string(advice->method));
  json_object_set_new(json, "deploy", json_string(advice->deploy));
  json_object_set_new(json, "because", json_string(advice->because));
  json_object_set_new(json, "instead", json_string(advice->instead));
  return json;
}

static void add_doubt(void *list, const char *doubt) { json_array_append_new(list, json_string(doubt)); }

void cli_check_print_json(const struct cli_check *check) {
  json_t *json = json_object(), *methods = json_array(), *warnings = json_array();
  for (size_t i = 0; i < check->n; i++) json_array_append_new(methods, checked_json(check, &check->checked[i]));
  json_object_set_new(json, "name", json_string(sprint_experiment_name(check->experiment)));
  json_object_set_new(json, "data", data_json(check));
  cli_each_doubt(check->experiment, add_doubt, warnings);
  json_object_set_new(json, "warnings", warnings);
  json_object_set_new(json, "checked", methods);
  json_object_set_new(json, "advice", advice_json(&check->advice));
  json_object_set_new(json, "runs", count(cli_n_runs(check->experiment)));
  json_object_set_new(json, "seconds", number(check->seconds));
  json_object_set_new(json, "memory", number(check->memory));
  cli_json_print_digits(json, 9, stdout);
}
