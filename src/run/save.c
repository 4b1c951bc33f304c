/* The files of a run: trace.csv, timing.csv, model.safetensors (or, of one that diverged, last-finite.safetensors),
 * run.json. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/print.h"
#include "base/sum.h"
#include "config/number.h"
#include "run/assessment.h"
#include "run/checkpoint.h"
#include "run/encoding_json.h"
#include "run/install.h"
#include "run/safetensors.h"
#include "run/saved.h"
#include "run/trace.h"

json_t *sprint__seed_json(uint64_t seed) {
  return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_sprintf("%llu", (unsigned long long)seed);
}

json_t *sprint__reference_json(const sprint_run *run) {
  if (!run->reference) return json_null();
  return json_sprintf("%08lx",
                      crc32_z(0, (const void *)run->reference, run->solver->n_params * sizeof *run->reference));
}

json_t *sprint__population_json(const sprint_population *population) {
  json_t *classes = json_object(), *constant = json_array();
  for (size_t c = 0; c < population->n_classes; c++) {
    size_t n = population->stratum_start[c + 1] - population->stratum_start[c];
    json_object_set_new(classes, population->class_names[c], json_integer((json_int_t)n));
  }
  for (size_t j = 0; j < population->d; j++)
    if (sprint__population_is_constant(population, j))
      json_array_append_new(constant, json_string(population->columns[j].name));
  json_t *json = json_pack("{s:I, s:I, s:o, s:o, s:o}", "rows", (json_int_t)population->n, "features",
                           (json_int_t)population->d, "classes", classes, "constant_columns", constant, "checksum",
                           json_sprintf("%08lx", sprint__population_checksum(population)));
  if (population->weight) json_object_set_new(json, "people", json_real(population->n_people)); /* by weight */
  if (population->source) json_object_set_new(json, "endless", json_true()); /* and the rest is of its window */
  return json;
}

json_t *sprint__plugins_json(const sprint_context *context) {
  json_t *plugins = json_array();
  for (const struct sprint__addition *at = context->additions; at; at = at->next)
    json_array_append_new(
        plugins, json_pack("{s:s, s:o}", "path", at->path, "crc32", json_sprintf("%08x", (unsigned)at->checksum)));
  return plugins;
}

static json_t *parsed_or_null(const char *text) {
  json_t *json = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
  return json ? json : json_null();
}

static json_t *run_json(const sprint_run *run) {
  char host[256] = "unknown";
  gethostname(host, sizeof host - 1);
  const sprint_trace_row *last = &run->rows[run->n_rows - 1];
  const sprint_assessment *assessment = run->assessed->assessment;
  json_t *json = json_object();
  json_object_set_new(json, "sprint", json_string(SPRINT_VERSION));
  json_object_set_new(json, "precision", json_string(sprint_precision()));
  json_object_set_new(json, "host", json_string(host));
  json_object_set_new(json, "machine", sprint__machine_json());
  json_object_set_new(json, "threads", json_integer(run->context->n_threads));
  json_object_set_new(json, "name", json_string(run->name ? run->name : ""));
  json_object_set_new(json, "seed", sprint__seed_json(run->seed));
  json_object_set_new(json, "stop", json_string(sprint_stop_word(run->solver->stop)));
  json_object_set_new(json, "stop_reason", json_string(sprint_stop_text(run->solver->stop)));
  json_object_set_new(json, "engine", json_string(run->engine->kind->name));
  json_object_set_new(json, "engine_does", json_string(run->engine->kind->help));
  json_object_set_new(json, "unsolved", json_integer((json_int_t)run->solver->cost.unsolved));
  json_object_set_new(json, "inner", json_integer((json_int_t)run->solver->inner));
  json_object_set_new(json, "parameters", json_integer((json_int_t)run->solver->n_params));
  json_object_set_new(json, "seconds", json_real(run->seconds));
  json_object_set_new(json, "population", sprint__population_json(run->shift->population));
  json_object_set_new(json, "reference_checksum", sprint__reference_json(run));
  if (run->context->additions) json_object_set_new(json, "plugins", sprint__plugins_json(run->context));
  json_object_set_new(json, "verdict", json_string(assessment->sentence));
  json_object_set_new(json, "warnings", sprint__warnings_json(assessment));
  json_object_set_new(json, "final", sprint__row_json(last));
  json_object_set_new(json, "assessment", sprint__assessment_json(assessment, run->shift->population));
  json_object_set_new(json, "config", parsed_or_null(run->config_text));
  json_object_set_new(json, "settings", parsed_or_null(run->settings_text));
  return json;
}

/* The standardisation as JSON text: what predict needs to read raw columns. */
static char *features_text(const sprint_population *population) {
  json_t *features = json_array();
  for (size_t j = 0; j < population->d; j++)
    json_array_append_new(features, sprint__feature_json(&population->columns[j]));
  char *text = json_dumps(features, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(features);
  return text;
}

static char *classes_text(const sprint_population *population) {
  json_t *classes = json_array();
  for (size_t c = 0; c < population->n_classes; c++)
    json_array_append_new(classes, json_string(population->class_names[c]));
  char *text = json_dumps(classes, JSON_COMPACT);
  json_decref(classes);
  return text;
}

/* What the features leave unsaid of the table that they are of, as a text; where it says anything. */
static void set_table(json_t *metadata, const struct sprint__encoding *encoding) {
  json_t *table = encoding ? sprint__table_json(encoding) : NULL;
  char *text = json_object_size(table) ? json_dumps(table, JSON_COMPACT) : NULL;
  if (text) json_object_set_new(metadata, "table", json_string(text));
  free(text);
  json_decref(table);
}

/* A number as a text, as metadata has them: with as many digits as it takes to be read again. */
static json_t *real_text(double value) {
  char text[32];
  int digits = 15;
  do sprint__snprintf(text, sizeof text, "%.*g", digits, value);
  while (sprint__number_strtod(text) != value && digits++ < 17);
  return json_string(text);
}

/* Where there is one: predict states losses with it. */
static void set_penalty(json_t *metadata, const sprint_model *model) {
  if (model->l2 == 0) return;
  json_object_set_new(metadata, "l2", real_text(model->l2));
  if (!model->undecayed) json_object_set_new(metadata, "l2_biases", json_string("true"));
}

/* Of two classes which is said, and from which probability on. */
static void set_decision(json_t *metadata, const sprint_run *run) {
  const sprint_population *population = run->shift->population;
  if (!run->shift->model->classifies || population->n_classes != 2) return;
  json_object_set_new(metadata, "positive", json_string(population->class_names[run->eval_positive]));
  json_object_set_new(metadata, "threshold", real_text(run->eval_threshold));
}

json_t *sprint__model_metadata(const sprint_run *run, double epoch) {
  const sprint_model *model = run->shift->model;
  const sprint_population *population = run->shift->population;
  char *features = features_text(population), *classes = classes_text(population);
  json_t *json = json_object();
  json_object_set_new(json, "format", json_string("pt")); /* tensors are laid out as PyTorch's */
  json_object_set_new(json, "sprint", json_string(SPRINT_VERSION));
  json_object_set_new(json, "stop", json_string(sprint_stop_word(run->solver->stop))); /* how the run ended, */
  json_object_set_new(json, "epoch", real_text(epoch)); /* and when these were its parameters */
  if (model->layers_text) json_object_set_new(json, "layers", json_string(model->layers_text));
  if (model->loss_text) json_object_set_new(json, "loss", json_string(model->loss_text));
  set_penalty(json, model);
  set_decision(json, run);
  const struct sprint__shape *image = &population->image;
  if (image->channels)
    json_object_set_new(json, "image", json_sprintf("%zu %zu %zu", image->channels, image->height, image->width));
  json_object_set_new(json, "label", json_string(population->label_name ? population->label_name : ""));
  json_object_set_new(json, "features", json_string(features ? features : "[]"));
  json_object_set_new(json, "classes", json_string(classes ? classes : "[]"));
  set_table(json, population->encoding);
  free(features);
  free(classes);
  return json;
}

typedef void (*printer)(const sprint_run *run, FILE *stream);

static sprint_status save_json(sprint_context *context, const char *folder, const json_t *json) {
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(context, "%s/" SPRINT__RECORD_FILE, folder);
  struct sprint__file file;
  if (!path) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__file_create(context, path, &file));
  if (json_dumpf(json, file.stream, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 && !ferror(file.stream)) {
    sprint__file_abandon(&file);
    return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory: %s", path);
  }
  fputc('\n', file.stream);
  return sprint__file_commit(context, &file);
}

static sprint_status save_text(const sprint_run *run, const char *folder, const char *name, printer print) {
  char *path = sprint__printf(run->context, "%s/%s", folder, name);
  if (!path) return SPRINT_ERROR_MEMORY;
  struct sprint__file file;
  sprint_status status = sprint__file_create(run->context, path, &file);
  if (status == SPRINT_OK) {
    print(run, file.stream);
    status = sprint__file_commit(run->context, &file);
  }
  sprint__free(path);
  return status;
}

/* The model; of a run that diverged instead the parameters of its newest sound row, under a name of their own. */
static sprint_status save_model(const sprint_run *run, const char *folder) {
  bool diverged = run->solver->stop == SPRINT_STOP_DIVERGED;
  size_t row = 0;
  const sprint_real *theta = diverged ? sprint_run_last_sound(run, &row) : sprint_run_theta(run);
  const char *name = diverged ? SPRINT__LAST_FINITE_FILE : SPRINT__MODEL_FILE;
  if (!theta) return SPRINT_OK;
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(run->context, "%s/%s", folder, name);
  if (!path) return SPRINT_ERROR_MEMORY;
  double epoch = diverged ? run->rows[row].epoch : sprint__solver_epoch(run->solver);
  SPRINT__SCOPED(json_decref) json_t *metadata = sprint__model_metadata(run, epoch);
  return sprint__safetensors_write(run->shift->model, path, metadata, theta);
}

/* The record, which is written last: it has the sums of the others. */
static sprint_status save_record(const sprint_run *run, const char *folder) {
  static const char *const names[] = SPRINT__RUN_FILES;
  SPRINT__SCOPED(json_decref) json_t *json = run_json(run), *files = json_object();
  char sum[SPRINT__SUM_TEXT];
  for (size_t i = 0; i < SPRINT__COUNT(names); i++) {
    SPRINT__SCOPED(sprint__free) char *path = sprint__printf(run->context, "%s/%s", folder, names[i]);
    bool is_there = false;
    if (!path) return SPRINT_ERROR_MEMORY;
    SPRINT__TRY(sprint__file_exists(run->context, path, &is_there));
    if (!is_there) continue;
    if (!sprint__sum_of_file(path, sum)) return sprint_fail(run->context, SPRINT_ERROR_IO, "%s: cannot be read", path);
    json_object_set_new(files, names[i], json_string(sum));
  }
  json_object_set(json, "files", files);
  return save_json(run->context, folder, json);
}

sprint_status sprint_run_save(const sprint_run *run, const char *folder) {
  if (!run) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(run->context, folder);
  if (run->n_rows == 0)
    return sprint_fail(run->context, SPRINT_ERROR_ARGUMENT, "%s: the run has not been started, nothing to save",
                       folder);
  const sprint_assessment *assessment = NULL;
  SPRINT__SCOPED(sprint_lock_free) sprint_lock *lock = NULL;
  SPRINT__SCOPED(sprint__free) char *saving = NULL;
  SPRINT__TRY(sprint_run_assess(run, &assessment));
  SPRINT__TRY(sprint__install_begin(run->context, folder, &lock, &saving));
  SPRINT__TRY(save_text(run, saving, SPRINT__TRACE_FILE, sprint__trace_print));
  SPRINT__TRY(save_text(run, saving, SPRINT__TIMING_FILE, sprint__timing_print));
  SPRINT__TRY(save_model(run, saving));
  SPRINT__TRY(save_record(run, saving));
  SPRINT__TRY(sprint__install_commit(run->context, folder));
  return sprint__checkpoint_done(run, folder);
}
