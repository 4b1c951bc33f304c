/* A section as JSON, defaults included: what a run was really made with. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "config/section.h"

static json_t *section_json(const struct sprint__section *section);

static json_t *end_json(double end) { return isfinite(end) ? json_real(end) : json_null(); }

/* As a config says it. */
static json_t *pairs_json(const struct sprint__value *value) {
  json_t *json = json_object();
  bool ranges = value->param->type == SPRINT_PARAM_RANGES;
  if (value->text) {
    json_decref(json);
    return json_string(value->text);
  }
  for (size_t i = 0; i < value->n_items; i++)
    json_object_set_new(json, value->texts[i],
                        value->words[i] ? json_string(value->words[i])
                        : ranges ? json_pack("[o, o]", end_json(value->reals[2 * i]), end_json(value->reals[2 * i + 1]))
                                 : json_real(value->reals[i]));
  return json;
}

static json_t *value_json(const struct sprint__value *value) {
  json_t *list;
  switch (value->param->type) {
    case SPRINT_PARAM_BOOL:
      return json_boolean(value->flag);
    case SPRINT_PARAM_INTEGER:
      return json_integer((json_int_t)value->integer);
    case SPRINT_PARAM_REAL:
      return json_real(value->real);
    case SPRINT_PARAM_TEXT:
    case SPRINT_PARAM_CHOICE:
      return json_string(value->text);
    case SPRINT_PARAM_TEXTS:
      list = json_array();
      for (size_t i = 0; i < value->n_items; i++) json_array_append_new(list, json_string(value->texts[i]));
      return list;
    case SPRINT_PARAM_REALS:
      list = json_array();
      for (size_t i = 0; i < value->n_items; i++) json_array_append_new(list, json_real(value->reals[i]));
      return list;
    case SPRINT_PARAM_NUMBERS:
    case SPRINT_PARAM_RANGES:
      return pairs_json(value);
    case SPRINT_PARAM_MAPS:
    case SPRINT_PARAM_MAP:
      return json_null();
    case SPRINT_PARAM_KIND:
      return value->section ? section_json(value->section) : json_null();
  }
  return json_null();
}

static json_t *section_json(const struct sprint__section *section) {
  json_t *json = json_object();
  if (section->kind->name[0]) json_object_set_new(json, "kind", json_string(section->kind->name));
  for (size_t i = 0; i < section->n_values; i++)
    json_object_set_new(json, section->values[i].param->name, value_json(&section->values[i]));
  return json;
}

char *sprint__settings_text(sprint_context *context, const struct sprint__section *section) {
  json_t *json = section_json(section);
  char *dumped = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(json);
  char *text = dumped ? sprint__strdup(context, dumped) : NULL;
  free(dumped);
  return text;
}
