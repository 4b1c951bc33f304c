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
  sprint__columns_free(predictor->columns, predictor->n_features);
  sprint__names_free(predictor->class_names, predictor->n_classes);
  sprint__free(predictor->theta);
  sprint__free(predictor->path);
  sprint_model_free(predictor->model);
  sprint__free(predictor);
}

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
  predictor->columns = sprint__alloc(predictor->context, predictor->n_features, sizeof *predictor->columns);
  if (!predictor->columns) return SPRINT_ERROR_MEMORY;
  for (size_t j = 0; j < predictor->n_features; j++) {
    const json_t *feature = json_array_get(features, j);
    const char *name = json_string_value(json_object_get(feature, "name"));
    const json_t *fill = json_object_get(feature, "fill");
    struct sprint__column *column = &predictor->columns[j];
    column->mean = json_number_value(json_object_get(feature, "mean"));
    column->scale = json_number_value(json_object_get(feature, "scale"));
    column->fill = json_is_number(fill) ? json_number_value(fill) : NAN;
    if (!name || !(column->scale > 0)) return refuse_metadata(predictor, "features");
    column->name = sprint__strdup(predictor->context, name);
    if (!column->name) return SPRINT_ERROR_MEMORY;
  }
  return SPRINT_OK;
}

static sprint_status read_classes(sprint_predictor *predictor, const json_t *classes) {
  if (!json_is_array(classes)) return refuse_metadata(predictor, "classes");
  predictor->n_classes = json_array_size(classes);
  predictor->class_names = sprint__alloc(predictor->context, predictor->n_classes, sizeof *predictor->class_names);
  if (!predictor->class_names) return SPRINT_ERROR_MEMORY;
  for (size_t c = 0; c < predictor->n_classes; c++) {
    const char *name = json_string_value(json_array_get(classes, c));
    if (!name) return refuse_metadata(predictor, "classes");
    predictor->class_names[c] = sprint__strdup(predictor->context, name);
    if (!predictor->class_names[c]) return SPRINT_ERROR_MEMORY;
  }
  return SPRINT_OK;
}

/* Parses a metadata text as JSON and hands it on. */
static sprint_status with_json(sprint_predictor *predictor, const struct sprint__safetensors *file, const char *key,
                               sprint_status (*reader)(sprint_predictor *, const json_t *)) {
  const char *text = sprint__safetensors_meta(file, key);
  json_t *json = text ? json_loads(text, 0, NULL) : NULL;
  sprint_status status = json ? reader(predictor, json) : refuse_metadata(predictor, key);
  json_decref(json);
  return status;
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
  struct sprint__layer *layers = NULL;
  size_t n = 0, n_params = 0;
  SPRINT__TRY(sprint__layers_parse(section, predictor->shape, &layers, &n));
  for (size_t l = 0; l < n; l++) n_params += layers[l].n_weights + layers[l].n_biases;
  sprint__free(layers);
  if (n_params <= size / sizeof(float)) return SPRINT_OK;
  return sprint_fail(predictor->context, SPRINT_ERROR_INPUT,
                     "%s: its layers have %zu parameters, its tensors %zu bytes", predictor->path, n_params, size);
}

static sprint_status build_model(sprint_predictor *predictor, const struct sprint__safetensors *file) {
  const char *layers = sprint__safetensors_meta(file, "layers"), *loss = sprint__safetensors_meta(file, "loss");
  if (!layers || !loss) return refuse_metadata(predictor, layers ? "loss" : "layers");
  char *spec = sprint__printf(predictor->context, "{layers: '%s', loss: %s}", layers, loss);
  if (!spec) return SPRINT_ERROR_MEMORY;
  struct sprint__section *section = NULL;
  sprint_status status =
      sprint__section_parse(predictor->context, &sprint__model_family, spec, predictor->path, &section);
  sprint__free(spec);
  if (status == SPRINT_OK) status = check_size(predictor, section, file->size);
  if (status == SPRINT_OK)
    status = sprint__model_build(section, predictor->shape, predictor->n_classes, &predictor->model);
  sprint__section_free(section);
  if (status != SPRINT_OK) return status;
  if (!predictor->model->ops->outputs)
    return sprint_fail(predictor->context, SPRINT_ERROR_INPUT, "%s: a test-bed model (loss %s) has nothing to predict",
                       predictor->path, loss);
  predictor->theta = sprint__alloc(predictor->context, predictor->model->n_params, sizeof *predictor->theta);
  if (!predictor->theta) return SPRINT_ERROR_MEMORY;
  return sprint__safetensors_theta(file, predictor->model, predictor->theta);
}

static sprint_status fill_predictor(sprint_predictor *predictor) {
  struct sprint__safetensors file;
  SPRINT__TRY(sprint__safetensors_open(predictor->context, predictor->path, &file));
  sprint_status status = with_json(predictor, &file, "features", read_columns);
  if (status == SPRINT_OK) status = with_json(predictor, &file, "classes", read_classes);
  if (status == SPRINT_OK) status = read_shape(predictor, &file);
  if (status == SPRINT_OK) status = build_model(predictor, &file);
  sprint__safetensors_close(&file);
  return status;
}

sprint_status sprint_predictor_load(sprint_context *context, const char *path, sprint_predictor **ret_predictor) {
  sprint_predictor *predictor = sprint__alloc(context, 1, sizeof *predictor);
  if (!predictor) return SPRINT_ERROR_MEMORY;
  predictor->context = context;
  predictor->path = sprint__strdup(context, path);
  sprint_status status = predictor->path ? fill_predictor(predictor) : SPRINT_ERROR_MEMORY;
  if (status != SPRINT_OK) {
    sprint_predictor_free(predictor);
    return status;
  }
  *ret_predictor = predictor;
  return SPRINT_OK;
}

enum { ROWS = 1024 }; /* scored at once */

struct score_room {
  sprint_real *x, *outputs;
};

static sprint_status score_rows(sprint_predictor *predictor, const struct score_room *room, const double *raw, size_t n,
                                double *ret_scores) {
  size_t d = predictor->n_features;
  for (size_t i = 0; i < n * d; i++) room->x[i] = sprint__column_feature(&predictor->columns[i % d], raw[i]);
  SPRINT__TRY(sprint_model_outputs(predictor->model, predictor->theta, room->x, n, room->outputs));
  return sprint__network_scores(predictor->model, room->outputs, n, ret_scores);
}

sprint_status sprint_predictor_score(sprint_predictor *predictor, const double *raw, size_t n, double *ret_scores) {
  struct score_room room = {
      sprint__alloc(predictor->context, ROWS, predictor->n_features * sizeof(sprint_real)),
      sprint__alloc(predictor->context, ROWS, predictor->model->n_outputs * sizeof(sprint_real)),
  };
  sprint_status status = room.x && room.outputs ? SPRINT_OK : SPRINT_ERROR_MEMORY;
  for (size_t start = 0; status == SPRINT_OK && start < n; start += ROWS)
    status = score_rows(predictor, &room, raw + start * predictor->n_features, n - start < ROWS ? n - start : ROWS,
                        ret_scores + start * sprint_predictor_n_scores(predictor));
  sprint__free(room.x);
  sprint__free(room.outputs);
  return status;
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
  size_t d = predictor->n_features;
  const char **names = sprint__alloc(predictor->context, d, sizeof *names);
  double *fill = sprint__alloc(predictor->context, d, sizeof *fill);
  sprint_status status = names && fill ? SPRINT_OK : SPRINT_ERROR_MEMORY;
  for (size_t j = 0; status == SPRINT_OK && j < d; j++) {
    names[j] = predictor->columns[j].name;
    fill[j] = predictor->columns[j].fill;
  }
  if (status == SPRINT_OK)
    status = sprint__csv_read_columns(predictor->context, csv_path, names, fill, d, ret_n, ret_raw);
  sprint__free(names);
  sprint__free(fill);
  return status;
}

sprint_status sprint_predictor_score_csv(sprint_predictor *predictor, const char *csv_path, const char *out_path) {
  size_t n = 0;
  double *raw = NULL;
  SPRINT__TRY(read_raw(predictor, csv_path, &n, &raw));
  double *scores = sprint__alloc(predictor->context, n, sprint_predictor_n_scores(predictor) * sizeof *scores);
  sprint_status status = scores ? sprint_predictor_score(predictor, raw, n, scores) : SPRINT_ERROR_MEMORY;
  if (status == SPRINT_OK) status = write_scores(predictor, scores, n, out_path);
  sprint__free(raw);
  sprint__free(scores);
  return status;
}
