/* Saved runs: see saved.h. */
#include "run/saved.h"

#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/sized.h"
#include "base/sum.h"
#include "run/assessment.h"
#include "run/checkpoint.h"
#include "run/identity.h"
#include "run/install.h"
#include "run/sections.h"
#include "run/trace.h"

sprint_status sprint__saved_read(sprint_context *context, const char *folder, json_t **ret_json) {
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(context, "%s/" SPRINT__RECORD_FILE, folder);
  if (!path) return SPRINT_ERROR_MEMORY;
  json_error_t error;
  SPRINT__SCOPED(json_decref) json_t *json = json_load_file(path, 0, &error);
  if (!json_is_object(json)) SPRINT__TRY(sprint__json_status(context));
  if (!json_is_object(json))
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: cannot be read as the record of a run: %s", path,
                       json ? "an object was expected" : error.text);
  *ret_json = sprint__give(&json);
  return SPRINT_OK;
}

sprint_status sprint__saved_forget(sprint_context *context, const char *folder) {
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(context, "%s/" SPRINT__RECORD_FILE, folder);
  return path ? sprint__file_remove(context, path) : SPRINT_ERROR_MEMORY;
}

static bool says(const json_t *json, const char *key, const char *word) {
  const char *said = json_string_value(json_object_get(json, key));
  return said && strcmp(said, word) == 0;
}

/* The reason of that word; SPRINT_STOP_RUNNING where there is none. */
static sprint_stop stop_of(const json_t *json) {
#define X(name, word, text) \
  if (says(json, "stop", word)) return SPRINT_STOP_##name;
  SPRINT_STOP_LIST(X)
#undef X
  return SPRINT_STOP_RUNNING;
}

static bool same_settings(const sprint_run *run, json_t *saved) {
  SPRINT__SCOPED(json_decref)
  json_t *settings = run->settings_text ? json_loads(run->settings_text, 0, NULL) : NULL;
  sprint__keep_own_settings(settings);
  sprint__keep_own_settings(saved);
  return settings && json_equal(settings, saved);
}

static bool same_population(const sprint_run *run, const json_t *saved) {
  SPRINT__SCOPED(json_decref) json_t *population = sprint__population_json(run->shift->population);
  return population && json_equal(population, saved);
}

/* The same path may hold another point by now. */
static bool same_reference(const sprint_run *run, const json_t *saved) {
  SPRINT__SCOPED(json_decref) json_t *reference = sprint__reference_json(run);
  return json_equal(reference, saved) || (json_is_null(reference) && !saved);
}

/* A stream may bring other records each time. */
static bool can_repeat(const sprint_run *run) {
  const struct sprint__source *source = run->shift->population->source;
  return !source || source->ops->again;
}

/* A plugin that was built anew may do something else under the same name. */
static bool same_plugins(const sprint_run *run, const json_t *saved) {
  SPRINT__SCOPED(json_decref) json_t *plugins = sprint__plugins_json(run->context);
  return saved ? json_equal(plugins, saved) : json_array_size(plugins) == 0;
}

/* Whether the files that the record lists are there, as they were written. */
static bool has_files(const sprint_run *run, const char *folder, const json_t *files) {
  const char *name;
  json_t *expected;
  char sum[SPRINT__SUM_TEXT];
  json_object_foreach((json_t *)files, name, expected) {
    SPRINT__SCOPED(sprint__free) char *path = sprint__printf(run->context, "%s/%s", folder, name);
    if (!path || !sprint__sum_of_file(path, sum) || !json_is_string(expected)) return false;
    if (strcmp(sum, json_string_value(expected)) != 0) return false;
  }
  return json_object_get(files, SPRINT__TRACE_FILE) != NULL;
}

static bool is_saved(const sprint_run *run, const char *folder) {
  SPRINT__SCOPED(json_decref) json_t *json = NULL;
  if (!can_repeat(run) || sprint__install_settle(run->context, folder) != SPRINT_OK) return false;
  if (sprint__saved_read(run->context, folder, &json) != SPRINT_OK) return false;
  sprint_stop stop = stop_of(json);
  const json_t *seed = json_object_get(json, "seed");
  SPRINT__SCOPED(json_decref) json_t *own_seed = sprint__seed_json(run->seed);
  return stop != SPRINT_STOP_RUNNING && stop != SPRINT_STOP_REQUESTED &&
         has_files(run, folder, json_object_get(json, "files")) && says(json, "sprint", SPRINT_VERSION) &&
         says(json, "precision", sprint_precision()) && json_equal(own_seed, seed) &&
         same_population(run, json_object_get(json, "population")) &&
         same_reference(run, json_object_get(json, "reference_checksum")) &&
         same_plugins(run, json_object_get(json, "plugins")) && same_settings(run, json_object_get(json, "settings")) &&
         json_is_object(json_object_get(json, "assessment"));
}

bool sprint_run_is_saved(const sprint_run *run, const char *folder) {
  if (!run || !folder || !is_saved(run, folder)) return false;
  sprint__checkpoint_sweep(run->context, folder);
  return true;
}

sprint_status sprint_saved_final(sprint_context *context, const char *folder, sprint_trace_row *ret_row,
                                 sprint_stop *ret_stop) {
  SPRINT__REQUIRE(context, folder, ret_row, ret_stop);
  SPRINT__SCOPED(json_decref) json_t *json = NULL;
  SPRINT__TRY(sprint__install_settle(context, folder));
  SPRINT__TRY(sprint__saved_read(context, folder, &json));
  sprint_trace_row row = {.size = sizeof row, .seconds = json_number_value(json_object_get(json, "seconds"))};
  sprint__row_read(json_object_get(json, "final"), &row);
  row.cost.unsolved = (uint64_t)json_integer_value(json_object_get(json, "unsolved"));
  SPRINT__TRY(SPRINT__SIZED_GIVE(context, sprint_trace_row, &row, ret_row));
  *ret_stop = stop_of(json);
  return SPRINT_OK;
}

sprint_status sprint_saved_assessment(sprint_context *context, const char *folder, sprint_assessment **ret_assessment) {
  SPRINT__REQUIRE(context, folder, ret_assessment);
  SPRINT__SCOPED(json_decref) json_t *json = NULL;
  SPRINT__SCOPED(sprint_assessment_free)
  sprint_assessment *assessment = sprint__alloc(context, 1, sizeof *assessment);
  if (!assessment) return SPRINT_ERROR_MEMORY;
  assessment->context = assessment->arena.context = context;
  SPRINT__TRY(sprint__saved_read(context, folder, &json));
  SPRINT__TRY(sprint__assessment_read(json_object_get(json, "assessment"), folder, assessment));
  *ret_assessment = sprint__give(&assessment);
  return SPRINT_OK;
}
