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
#include "config/number.h"
#include "run/assessment.h"
#include "run/encoding_json.h"
#include "run/safetensors.h"
#include "run/saved.h"

/* The columns of trace.csv, in order: the name, and where its number is. */
struct column {
  const char *name;
  size_t offset;
  bool count; /* uint64_t, else double */
};

#define REAL(NAME) \
  { #NAME, offsetof(sprint_trace_row, NAME), false }
#define COUNT(NAME, FIELD) \
  { NAME, offsetof(sprint_trace_row, cost.FIELD), true }

static const struct column columns[] = {
    REAL(epoch),
    COUNT("step", steps),
    COUNT("ifo", ifo),
    COUNT("samples", samples),
    COUNT("deployments", deployments),
    COUNT("shift_evals", shift_evals),
    REAL(loss),
    REAL(accuracy),
    REAL(loss_base),
    REAL(accuracy_base),
    REAL(loss_heldout),
    REAL(accuracy_heldout),
    REAL(gradient_sq),
    REAL(gradient_sq_mean),
    REAL(moved),
    REAL(displacement),
    REAL(entropy),
    REAL(effective_classes),
    REAL(bias),
    REAL(drift),
    REAL(drift_noise),
    REAL(kappa),
    REAL(distance),
    REAL(bias_deployed),
};

static double column_real(const sprint_trace_row *row, const struct column *column) {
  double value;
  memcpy(&value, (const char *)row + column->offset, sizeof value);
  return value;
}

static uint64_t column_count(const sprint_trace_row *row, const struct column *column) {
  uint64_t value;
  memcpy(&value, (const char *)row + column->offset, sizeof value);
  return value;
}

/* nan without a sign, whatever made it. */
static void print_real(FILE *stream, double value) {
  if (isnan(value))
    fputs("nan", stream);
  else
    sprint__fprintf(stream, "%.17g", value);
}

/* The probabilities of the strata follow, where the shift reweights: p_0, p_1, ... by class number. */
static void print_strata(const sprint_run *run, size_t row, FILE *stream) {
  for (size_t c = 0; sprint__shift_reweights(run->shift) && c < run->shift->population->n_strata; c++) {
    fputc(',', stream);
    print_real(stream, sprint_run_strata(run, row)[c]);
  }
}

static void print_header(const sprint_run *run, FILE *stream) {
  for (size_t c = 0; c < SPRINT__COUNT(columns); c++) fprintf(stream, "%s%s", c ? "," : "", columns[c].name);
  for (size_t c = 0; sprint__shift_reweights(run->shift) && c < run->shift->population->n_strata; c++)
    fprintf(stream, ",p_%zu", c);
  fputc('\n', stream);
}

static void print_trace(const sprint_run *run, FILE *stream) {
  print_header(run, stream);
  for (size_t r = 0; r < run->n_rows; r++) {
    for (size_t c = 0; c < SPRINT__COUNT(columns); c++) {
      if (c) fputc(',', stream);
      if (columns[c].count)
        fprintf(stream, "%llu", (unsigned long long)column_count(&run->rows[r], &columns[c]));
      else
        print_real(stream, column_real(&run->rows[r], &columns[c]));
    }
    print_strata(run, r, stream);
    fputc('\n', stream);
  }
}

/* Time is the one thing that no two runs share: it has a file of its own. */
static void print_timing(const sprint_run *run, FILE *stream) {
  fputs("epoch,seconds\n", stream);
  for (size_t r = 0; r < run->n_rows; r++)
    sprint__fprintf(stream, "%.17g,%.9g\n", run->rows[r].epoch, run->rows[r].seconds);
}

static json_t *real_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *row_json(const sprint_trace_row *row) {
  json_t *json = json_object();
  for (size_t c = 0; c < SPRINT__COUNT(columns); c++)
    json_object_set_new(json, columns[c].name,
                        columns[c].count ? json_integer((json_int_t)column_count(row, &columns[c]))
                                         : real_or_null(column_real(row, &columns[c])));
  return json;
}

void sprint__row_read(const json_t *json, sprint_trace_row *ret_row) {
  for (size_t c = 0; c < SPRINT__COUNT(columns); c++) {
    const json_t *item = json_object_get(json, columns[c].name);
    uint64_t count = (uint64_t)json_integer_value(item);
    double real = json_is_number(item) ? json_number_value(item) : NAN;
    if (columns[c].count)
      memcpy((char *)ret_row + columns[c].offset, &count, sizeof count);
    else
      memcpy((char *)ret_row + columns[c].offset, &real, sizeof real);
  }
}

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
  json_object_set_new(json, "final", row_json(last));
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

static json_t *model_metadata(const sprint_run *run, double epoch) {
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

static void print_sidecar(const sprint_run *run, FILE *stream) {
  json_t *json = run_json(run);
  json_dumpf(json, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  fputc('\n', stream);
  json_decref(json);
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

/* The model; of a run that diverged instead the parameters of its newest sound row, under a name of their own. Of the
 * two files the other one, of an older run, goes away first: a model must never be taken for another run's. */
static sprint_status save_model(const sprint_run *run, const char *folder) {
  bool diverged = run->solver->stop == SPRINT_STOP_DIVERGED;
  size_t row = 0;
  const sprint_real *theta = diverged ? sprint_run_last_sound(run, &row) : sprint_run_theta(run);
  SPRINT__SCOPED(sprint__free) char *model = sprint__printf(run->context, "%s/" SPRINT__MODEL_FILE, folder);
  SPRINT__SCOPED(sprint__free) char *last = sprint__printf(run->context, "%s/" SPRINT__LAST_FINITE_FILE, folder);
  if (!model || !last) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__file_remove(run->context, diverged ? model : last));
  if (!theta) return sprint__file_remove(run->context, last);
  double epoch = diverged ? run->rows[row].epoch : sprint__solver_epoch(run->solver);
  SPRINT__SCOPED(json_decref) json_t *metadata = model_metadata(run, epoch);
  return sprint__safetensors_write(run->shift->model, diverged ? last : model, metadata, theta);
}

sprint_status sprint_run_save(const sprint_run *run, const char *folder) {
  if (!run) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(run->context, folder);
  if (run->n_rows == 0)
    return sprint_fail(run->context, SPRINT_ERROR_ARGUMENT, "%s: the run has not been started, nothing to save",
                       folder);
  const sprint_assessment *assessment = NULL;
  SPRINT__TRY(sprint_run_assess(run, &assessment));
  SPRINT__TRY(sprint__folder_make(run->context, folder));
  SPRINT__TRY(sprint__saved_forget(run->context, folder));
  SPRINT__TRY(save_text(run, folder, "trace.csv", print_trace));
  SPRINT__TRY(save_text(run, folder, "timing.csv", print_timing));
  SPRINT__TRY(save_model(run, folder));
  return save_text(run, folder, "run.json", print_sidecar);
}
