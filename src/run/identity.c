/* What makes a run, or a solver, this one and no other: see identity.h. */
#include "run/identity.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "run/saved.h"
#include "run/sections.h"

void sprint__keep_own_settings(json_t *settings) {
  const char *key;
  json_t *value;
  void *next;
  json_object_foreach_safe(settings, next, key, value) {
    if (sprint__key_is(key, strlen(key), SPRINT__OF_EXPERIMENT)) json_object_del(settings, key);
  }
}

/* A set of names and values that remembers whether memory ran out. */
struct identity {
  json_t *json;
  bool failed;
};

static void add(struct identity *identity, const char *name, json_t *value) {
  if (json_object_set_new(identity->json, name, value) != 0) identity->failed = true;
}

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }

/* What a run and a solver share. */
static void add_shared(struct identity *identity, const sprint_solver *solver) {
  const sprint_model *model = solver->model;
  add(identity, "sprint", json_string(SPRINT_VERSION));
  add(identity, "precision", json_string(sprint_precision()));
  add(identity, "seed", sprint__seed_json(solver->seed));
  add(identity, "layers", text_or_null(model->layers_text));
  add(identity, "loss", text_or_null(model->loss_text));
  add(identity, "l2", json_real(model->l2));
  add(identity, "parameters", json_integer((json_int_t)solver->n_params));
  add(identity, "shift", text_or_null(solver->shift ? solver->shift->settings : NULL));
  add(identity, "plugins", sprint__plugins_json(solver->context));
}

static char *text_of(sprint_context *context, struct identity *identity) {
  char *dumped =
      identity->failed ? NULL : json_dumps(identity->json, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
  char *text = dumped ? sprint__strdup(context, dumped) : NULL;
  if (!dumped) sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory");
  free(dumped);
  json_decref(identity->json);
  return text;
}

char *sprint__run_identity(const sprint_run *run) {
  struct identity identity = {json_object(), false};
  const sprint_solver *solver = run->solver;
  const void *start = solver->theta;
  json_t *settings = run->settings_text ? json_loads(run->settings_text, 0, NULL) : json_null();
  sprint__keep_own_settings(settings);
  add_shared(&identity, solver);
  add(&identity, "engine", json_string(run->engine->kind->name));
  add(&identity, "start", json_integer((json_int_t)crc32_z(0, start, solver->n_params * sizeof *solver->theta)));
  add(&identity, "population", sprint__population_json(run->shift->population));
  add(&identity, "reference", sprint__reference_json(run));
  add(&identity, "settings", settings);
  add(&identity, "sections", text_or_null(run->sections_text));
  return text_of(run->context, &identity);
}

char *sprint__solver_identity(const sprint_solver *solver) {
  struct identity identity = {json_object(), false};
  add_shared(&identity, solver);
  add(&identity, "sections", text_or_null(solver->settings));
  add(&identity, "n", json_integer((json_int_t)solver->n));
  add(&identity, "strata", json_integer((json_int_t)solver->n_strata));
  add(&identity, "still", json_boolean(solver->still));
  return text_of(solver->context, &identity);
}
