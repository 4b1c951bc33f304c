/* A saved model that scores raw rows: everything it needs is in the file's metadata. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "model/network.h"
#include "population/population.h"
#include "run/safetensors.h"

struct sprint_predictor {
  sprint_context *context;
  struct sprint__arena arena; /* of all but the model */
  char *path;
  sprint_model *model;
  sprint_real *theta;
  size_t n_features, n_classes;
  struct sprint__shape shape;
  struct sprint__column *columns;
  char **class_names;
};

void sprint_predictor_free(sprint_predictor *predictor) {
  if (!predictor) return;
  sprint__arena_free(&predictor->arena);
  sprint_model_free(predictor->model);
  sprint__free(predictor);
}
SPRINT__FREE_AT(sprint_predictor_free, sprint_predictor)

size_t sprint_predictor_n_features(const sprint_predictor *predictor) { return predictor->n_features; }

size_t sprint_predictor_n_scores(const sprint_predictor *predictor) {
  return predictor->model->classifies ? predictor->n_classes : 1;
}

const char *sprint_predictor_feature(const sprint_predictor *predictor, size_t feature) {
  return predictor->columns[feature].name;
}

static sprint_status refuse_metadata(const sprint_predictor *predictor, const char *key) {
  return sprint_fail(predictor->context, SPRINT_ERROR_INPUT,
                     "%s: its metadata '%s' is missing or broken; a model.safetensors of `sprint run` was expected",
                     predictor->path, key);
}

static sprint_status read_columns(sprint_predictor *predictor, const json_t *features) {
  predictor->n_features = json_array_size(features);
  if (predictor->n_features == 0) return refuse_metadata(predictor, "features");
  predictor->columns = sprint__arena_take(&predictor->arena, predictor->n_features, sizeof *predictor->columns);
  SPRINT__TRY(sprint__arena_status(&predictor->arena));
  for (size_t j = 0; j < predictor->n_features; j++) {
    const json_t *feature = json_array_get(features, j);
    const char *name = json_string_value(json_object_get(feature, "name"));
    const json_t *fill = json_object_get(feature, "fill");
    struct sprint__column *column = &predictor->columns[j];
    column->mean = json_number_value(json_object_get(feature, "mean"));
    column->scale = json_number_value(json_object_get(feature, "scale"));
    column->fill = json_is_number(fill) ? json_number_value(fill) : NAN;
    if (!name || !(column->scale > 0)) return refuse_metadata(predictor, "features");
    column->name = sprint__arena_strdup(&predictor->arena, name);
  }
  return sprint__arena_status(&predictor->arena);
}

static sprint_status read_classes(sprint_predictor *predictor, const json_t *classes) {
  if (!json_is_array(classes)) return refuse_metadata(predictor, "classes");
  predictor->n_classes = json_array_size(classes);
  predictor->class_names = sprint__arena_take(&predictor->arena, predictor->n_classes, sizeof *predictor->class_names);
  SPRINT__TRY(sprint__arena_status(&predictor->arena));
  for (size_t c = 0; c < predictor->n_classes; c++) {
    const char *name = json_string_value(json_array_get(classes, c));
    if (!name) return refuse_metadata(predictor, "classes");
    predictor->class_names[c] = sprint__arena_strdup(&predictor->arena, name);
  }
  return sprint__arena_status(&predictor->arena);
}

/* Parses a metadata text as JSON and hands it on. */
static sprint_status with_json(sprint_predictor *predictor, const struct sprint__safetensors *file, const char *key,
                               sprint_status (*reader)(sprint_predictor *, const json_t *)) {
  const char *text = sprint__safetensors_meta(file, key);
  SPRINT__SCOPED(json_decref) json_t *json = text ? json_loads(text, 0, NULL) : NULL;
  return json ? reader(predictor, json) : refuse_metadata(predictor, key);
}

/* Images say their form, "3 32 32"; other records are (d, 1, 1). */
static sprint_status read_shape(sprint_predictor *predictor, const struct sprint__safetensors *file) {
  const char *text = sprint__safetensors_meta(file, "image");
  struct sprint__shape *shape = &predictor->shape;
  *shape = (struct sprint__shape){predictor->n_features, 1, 1};
  if (text && sscanf(text, "%zu %zu %zu", &shape->channels, &shape->height, &shape->width) != 3)
    return refuse_metadata(predictor, "image");
  if (shape->height > predictor->n_features || shape->width > predictor->n_features ||
      shape->channels > predictor->n_features ||
      shape->channels * shape->height * shape->width != predictor->n_features)
    return refuse_metadata(predictor, "image");
  return SPRINT_OK;
}

/* Whether the layers' parameters can be in a file of this size at all; asked before room is made for them. */
static sprint_status check_size(const sprint_predictor *predictor, const struct sprint__section *section, size_t size) {
  SPRINT__SCRATCH(room, predictor->context);
  struct sprint__layer *layers = NULL;
  size_t n = 0, n_params = 0;
  SPRINT__TRY(sprint__layers_parse(section, predictor->shape, &room, &layers, &n));
  for (size_t l = 0; l < n; l++) n_params += layers[l].n_weights + layers[l].n_biases;
  if (n_params <= size / sizeof(float)) return SPRINT_OK;
  return sprint_fail(predictor->context, SPRINT_ERROR_INPUT,
                     "%s: its layers have %zu parameters, its tensors %zu bytes", predictor->path, n_params, size);
}

static sprint_status build_model(sprint_predictor *predictor, const struct sprint__safetensors *file) {
  const char *layers = sprint__safetensors_meta(file, "layers"), *loss = sprint__safetensors_meta(file, "loss");
  if (!layers || !loss) return refuse_metadata(predictor, layers ? "loss" : "layers");
  SPRINT__SCOPED(sprint__free)
  char *spec = sprint__printf(predictor->context, "{layers: '%s', loss: %s}", layers, loss);
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  if (!spec) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__section_parse(predictor->context, &sprint__model_family, spec, predictor->path, &section));
  SPRINT__TRY(check_size(predictor, section, file->size));
  SPRINT__TRY(sprint__model_build(section, predictor->shape, predictor->n_classes, &predictor->model));
  if (!predictor->model->ops->outputs)
    return sprint_fail(predictor->context, SPRINT_ERROR_INPUT, "%s: a test-bed model (loss %s) has nothing to predict",
                       predictor->path, loss);
  predictor->theta = sprint__arena_take(&predictor->arena, predictor->model->n_params, sizeof *predictor->theta);
  SPRINT__TRY(sprint__arena_status(&predictor->arena));
  return sprint__safetensors_theta(file, predictor->model, predictor->theta);
}

static sprint_status fill_predictor(sprint_predictor *predictor) {
  SPRINT__CLEARED(sprint__safetensors_close) struct sprint__safetensors file = {0};
  SPRINT__TRY(sprint__safetensors_open(predictor->context, predictor->path, &file));
  SPRINT__TRY(with_json(predictor, &file, "features", read_columns));
  SPRINT__TRY(with_json(predictor, &file, "classes", read_classes));
  SPRINT__TRY(read_shape(predictor, &file));
  return build_model(predictor, &file);
}

sprint_status sprint_predictor_load(sprint_context *context, const char *path, sprint_predictor **ret_predictor) {
  SPRINT__SCOPED(sprint_predictor_free) sprint_predictor *predictor = sprint__alloc(context, 1, sizeof *predictor);
  if (!predictor) return SPRINT_ERROR_MEMORY;
  predictor->context = predictor->arena.context = context;
  predictor->path = sprint__arena_strdup(&predictor->arena, path);
  SPRINT__TRY(sprint__arena_status(&predictor->arena));
  SPRINT__TRY(fill_predictor(predictor));
  *ret_predictor = sprint__give(&predictor);
  return SPRINT_OK;
}

enum { ROWS = 1024 }; /* scored at once */

sprint_status sprint_predictor_score(sprint_predictor *predictor, const double *raw, size_t n, double *ret_scores) {
  SPRINT__SCRATCH(room, predictor->context);
  size_t d = predictor->n_features, n_scores = sprint_predictor_n_scores(predictor);
  sprint_real *x = sprint__arena_take(&room, ROWS, d * sizeof *x);
  sprint_real *outputs = sprint__arena_take(&room, ROWS, predictor->model->n_outputs * sizeof *outputs);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t start = 0, rows; start < n; start += rows, raw += rows * d) {
    rows = n - start < ROWS ? n - start : ROWS;
    for (size_t i = 0; i < rows * d; i++) x[i] = sprint__column_feature(&predictor->columns[i % d], raw[i]);
    SPRINT__TRY(sprint_model_outputs(predictor->model, predictor->theta, x, rows, outputs));
    SPRINT__TRY(sprint__network_scores(predictor->model, outputs, rows, ret_scores + start * n_scores));
  }
  return SPRINT_OK;
}

/* A CSV field, quoted where it has to be. */
static void print_field(FILE *stream, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, stream);
    return;
  }
  fputc('"', stream);
  for (; *text; text++) fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
  fputc('"', stream);
}

static void print_scores(const sprint_predictor *predictor, const double *scores, size_t n, FILE *stream) {
  size_t k = sprint_predictor_n_scores(predictor);
  bool classes = predictor->model->classifies;
  fputs("row,prediction", stream);
  for (size_t c = 0; classes && c < k; c++) {
    fputs(",p_", stream);
    print_field(stream, predictor->class_names[c]);
  }
  fputc('\n', stream);
  for (size_t i = 0; i < n; i++, scores += k) {
    fprintf(stream, "%zu,", i + 1);
    size_t best = 0;
    for (size_t c = 1; c < k; c++)
      if (scores[c] > scores[best]) best = c;
    if (classes)
      print_field(stream, predictor->class_names[best]);
    else
      fprintf(stream, "%.9g", scores[0]);
    for (size_t c = 0; classes && c < k; c++) fprintf(stream, ",%.9g", scores[c]);
    fputc('\n', stream);
  }
}

static sprint_status write_scores(const sprint_predictor *predictor, const double *scores, size_t n,
                                  const char *out_path) {
  if (!out_path || strcmp(out_path, "-") == 0) {
    print_scores(predictor, scores, n, stdout);
    if (fflush(stdout) == 0) return SPRINT_OK;
    return sprint_fail(predictor->context, SPRINT_ERROR_IO, "standard output: cannot be written: %s", strerror(errno));
  }
  struct sprint__file file;
  SPRINT__TRY(sprint__file_create(predictor->context, out_path, &file));
  print_scores(predictor, scores, n, file.stream);
  return sprint__file_commit(predictor->context, &file);
}

/* The named columns of the CSV, as raw numbers. */
static sprint_status read_raw(const sprint_predictor *predictor, const char *csv_path, size_t *ret_n,
                              double **ret_raw) {
  SPRINT__SCRATCH(room, predictor->context);
  size_t d = predictor->n_features;
  const char **names = sprint__arena_take(&room, d, sizeof *names);
  double *fill = sprint__arena_take(&room, d, sizeof *fill);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t j = 0; j < d; j++) {
    names[j] = predictor->columns[j].name;
    fill[j] = predictor->columns[j].fill;
  }
  return sprint__csv_read_columns(predictor->context, csv_path, names, fill, d, ret_n, ret_raw);
}

sprint_status sprint_predictor_score_csv(sprint_predictor *predictor, const char *csv_path, const char *out_path) {
  size_t n = 0;
  SPRINT__SCOPED(sprint__free) double *raw = NULL;
  SPRINT__TRY(read_raw(predictor, csv_path, &n, &raw));
  SPRINT__SCOPED(sprint__free)
  double *scores = sprint__alloc(predictor->context, n, sprint_predictor_n_scores(predictor) * sizeof *scores);
  if (!scores) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint_predictor_score(predictor, raw, n, scores));
  return write_scores(predictor, scores, n, out_path);
}
