/* What the page knows of runs but for their traces: see page.h. Of run.json goes in what is shown, and only what has
 * the type that it should: a file that somebody has edited must not break the page. */
#include <stdlib.h>
#include <string.h>

#include "config/number.h"
#include "config/text.h"
#include "report/figure.h"
#include "report/page.h"
#include "report/styles.h"

/* The text with a question mark for every byte that is not UTF-8, as names of folders may hold; the arena's, "" where
 * memory is out. */
static const char *clean(struct sprint__arena *arena, const char *text) {
  char *copy = sprint__arena_strdup(arena, text);
  size_t n = copy ? strlen(copy) : 0;
  for (size_t at; (at = sprint__text_check(copy, n)) < n;) copy[at] = '?';
  return copy ? copy : "";
}

/* Texts that many runs share, each once; runs refer to them by number. */
struct texts {
  json_t *all;     /* array */
  json_t *numbers; /* text: number */
};

static json_t *text_number(struct texts *texts, const json_t *value) {
  char *text = json_is_object(value) ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
  if (!text) return NULL;
  json_t *number = json_object_get(texts->numbers, text);
  if (!number) {
    json_object_set_new(texts->numbers, text, json_integer((json_int_t)json_array_size(texts->all)));
    json_array_append_new(texts->all, json_string(text));
    number = json_object_get(texts->numbers, text);
  }
  free(text);
  return json_incref(number);
}

/* The number of a name in an array of names, which gets it where it is new. */
static size_t name_number(json_t *names, const char *name) {
  size_t i;
  json_t *item;
  json_array_foreach(names, i, item) {
    if (strcmp(json_string_value(item), name) == 0) return i;
  }
  json_array_append_new(names, json_string(name));
  return json_array_size(names) - 1;
}

static void copy_typed(json_t *to, const json_t *from, const char *key, bool (*fits)(const json_t *)) {
  json_t *value = json_object_get(from, key);
  if (value && fits(value)) json_object_set(to, key, value);
}

static bool is_text(const json_t *json) { return json_is_string(json); }
static bool is_number(const json_t *json) { return json_is_number(json); }
static bool is_truth(const json_t *json) { return json_is_boolean(json); }

/* An object of texts. */
static bool is_texts(const json_t *json) {
  const char *key;
  json_t *value;
  if (!json_is_object(json)) return false;
  json_object_foreach((json_t *)json, key, value) {
    if (!json_is_string(value)) return false;
  }
  return true;
}

static json_t *population_json(const json_t *population) {
  json_t *json = json_object();
  copy_typed(json, population, "rows", is_number);
  copy_typed(json, population, "features", is_number);
  copy_typed(json, population, "endless", is_truth);
  return json;
}

static json_t *record_json(const json_t *run) {
  static const char *const texts[] = {"sprint", "precision",   "host",    "stop",
                                      "engine", "engine_does", "verdict", "stop_reason"};
  static const char *const numbers[] = {"threads", "inner", "parameters", "seconds"};
  json_t *json = json_object();
  for (size_t i = 0; i < SPRINT__COUNT(texts); i++) copy_typed(json, run, texts[i], is_text);
  for (size_t i = 0; i < SPRINT__COUNT(numbers); i++) copy_typed(json, run, numbers[i], is_number);
  copy_typed(json, run, "warnings", is_texts);
  const json_t *population = json_object_get(run, "population");
  if (json_is_number(json_object_get(population, "rows")) && json_is_number(json_object_get(population, "features")))
    json_object_set_new(json, "population", population_json(population));
  return json;
}

/* A set of records without what the page does not draw. */
static json_t *set_json(const json_t *set) {
  json_t *json = json_copy((json_t *)set);
  json_object_del(json, "confusion");
  return json;
}

static json_t *assessment_json(const json_t *assessment) {
  const char *name;
  json_t *json = json_object(), *sets = json_object(), *set;
  json_object_foreach(json_object_get(assessment, "sets"), name, set) {
    if (json_is_object(set)) json_object_set_new(sets, name, set_json(set));
  }
  copy_typed(json, assessment, "verdict", is_text);
  copy_typed(json, assessment, "gradient_sq_mean_after_start", is_number);
  json_object_set(json, "classes", json_object_get(assessment, "classes"));
  json_object_set(json, "moves", json_object_get(assessment, "moves"));
  json_object_set_new(json, "sets", sets);
  return json;
}

/* Points as people write them, in the order of their names. */
static json_t *titles_json(struct sprint__arena *arena, const json_t *points) {
  size_t i;
  json_t *json = json_array(), *point;
  json_array_foreach((json_t *)points, i, point) {
    const char *title = sprint__point_title(arena, json_string_value(point), false);
    json_array_append_new(json, json_string(title ? title : ""));
  }
  return json;
}

static json_t *columns_json(const struct sprint__result *run) {
  json_t *json = json_array();
  for (size_t c = 0; c < run->n_columns; c++) json_array_append_new(json, json_string(run->columns[c].name));
  return json;
}

static json_t *run_json(struct sprint__arena *arena, const struct sprint__result *run, struct texts *texts,
                        json_t *points, json_t *methods) {
  json_t *json = json_object(), *config = text_number(texts, json_object_get(run->json, "config")),
         *settings = text_number(texts, json_object_get(run->json, "settings"));
  json_object_set_new(json, "folder", json_string(clean(arena, run->folder)));
  json_object_set_new(json, "point", json_integer((json_int_t)name_number(points, clean(arena, run->point))));
  json_object_set_new(json, "method", json_integer((json_int_t)name_number(methods, clean(arena, run->method))));
  json_object_set_new(json, "seed", json_sprintf("%llu", (unsigned long long)run->seed));
  json_object_set_new(json, "state", json_string(sprint__result_state_word(run->state)));
  json_object_set_new(json, "rows", json_integer((json_int_t)run->n_rows));
  json_object_set_new(json, "columns", columns_json(run));
  json_object_set_new(json, "record", record_json(run->json));
  const json_t *assessment = json_object_get(run->json, "assessment");
  if (json_is_object(assessment)) json_object_set_new(json, "assessment", assessment_json(assessment));
  if (run->complaint) json_object_set_new(json, "complaint", json_string(clean(arena, run->complaint)));
  if (config) json_object_set_new(json, "config", config);
  if (settings) json_object_set_new(json, "settings", settings);
  return json;
}

/* Methods with the looks that they have in every figure. */
static json_t *methods_json(struct sprint__arena *arena, const struct sprint__results *results, const json_t *names) {
  size_t n = json_array_size(names);
  struct sprint__styled *methods = sprint__arena_take(arena, n, sizeof *methods);
  struct sprint__style *styles = sprint__arena_take(arena, n, sizeof *styles);
  if (sprint__arena_status(arena) != SPRINT_OK) return NULL;
  for (size_t m = 0; m < n; m++) {
    methods[m] = (struct sprint__styled){json_string_value(json_array_get(names, m)), "", ""};
    for (size_t i = 0; i < results->n_runs && !*methods[m].kind; i++)
      if (strcmp(results->runs[i].method, methods[m].name) == 0)
        methods[m] = (struct sprint__styled){methods[m].name, results->runs[i].kind, results->runs[i].correction};
  }
  sprint__styles_assign(methods, n, styles);
  json_t *json = json_array();
  for (size_t m = 0; m < n; m++)
    json_array_append_new(
        json, json_pack("{s:s, s:s, s:s}", "name", methods[m].name, "color", styles[m].colour, "dash", styles[m].dash));
  return json;
}

static const char *config_name(const struct sprint__result *run) {
  return json_string_value(json_object_get(json_object_get(run->json, "config"), "name"));
}

/* The name of the experiment where all runs agree on it, else that of the folder. */
static const char *title_of(const struct sprint__results *results, const char *folder) {
  const char *name = NULL, *slash = strrchr(folder, '/');
  for (size_t i = 0; i < results->n_runs; i++) {
    const char *own = config_name(&results->runs[i]);
    if (own && name && strcmp(own, name) != 0) return slash && slash[1] ? slash + 1 : folder;
    if (own && *own) name = own;
  }
  return name ? name : slash && slash[1] ? slash + 1 : folder;
}

/* What the columns of traces are called in figures. */
static json_t *labels_json(struct sprint__arena *arena, const struct sprint__results *results) {
  json_t *json = json_object();
  for (size_t i = 0; i < results->n_runs; i++)
    for (size_t c = 0; c < results->runs[i].n_columns; c++) {
      const char *name = results->runs[i].columns[c].name;
      if (json_object_get(json, name)) continue;
      const char *label = sprint__measure_find(arena, name).label;
      json_object_set_new(json, name, json_string(label ? label : name));
    }
  return json;
}

json_t *sprint__page_json(struct sprint__arena *arena, const struct sprint__results *results, const char *folder,
                          const char *const *notes, size_t n_notes) {
  json_t *json = json_object(), *points = json_array(), *names = json_array(), *runs = json_array(),
         *said = json_array();
  struct texts texts = {json_array(), json_object()};
  for (size_t i = 0; i < results->n_runs; i++)
    json_array_append_new(runs, run_json(arena, &results->runs[i], &texts, points, names));
  for (size_t i = 0; i < n_notes; i++) json_array_append_new(said, json_string(clean(arena, notes[i])));
  json_object_set_new(json, "version", json_string(SPRINT_VERSION));
  json_object_set_new(json, "title", json_string(clean(arena, title_of(results, folder))));
  json_object_set_new(json, "folder", json_string(clean(arena, folder)));
  json_object_set_new(json, "notes", said);
  json_object_set_new(json, "points", points);
  json_object_set_new(json, "titles", titles_json(arena, points));
  json_object_set_new(json, "methods", methods_json(arena, results, names));
  json_object_set_new(json, "labels", labels_json(arena, results));
  json_object_set_new(json, "configs", texts.all);
  json_object_set_new(json, "runs", runs);
  json_decref(names);
  json_decref(texts.numbers);
  return json;
}
