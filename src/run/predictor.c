/* A saved model that scores raw rows: everything it needs is in the file's metadata. */
#include "run/predictor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/outlet.h"
#include "base/sized.h"
#include "base/vector.h"
#include "config/names.h"
#include "config/number.h"
#include "model/network.h"
#include "population/cell.h"
#include "run/encoding_json.h"
#include "run/saved.h"

void sprint_predictor_free(sprint_predictor *predictor) {
  if (!predictor) return;
  sprint__encoding_free(predictor->encoding);
  sprint__arena_free(&predictor->arena);
  sprint__arena_free(&predictor->assessed);
  sprint_model_free(predictor->model);
  sprint__free(predictor);
}
SPRINT__FREE_AT(sprint_predictor_free, sprint_predictor)

size_t sprint_predictor_n_features(const sprint_predictor *predictor) { return predictor ? predictor->n_features : 0; }

size_t sprint_predictor_n_scores(const sprint_predictor *predictor) {
  if (!predictor) return 0;
  return predictor->model->classifies ? predictor->n_classes : 1;
}

const char *sprint_predictor_feature(const sprint_predictor *predictor, size_t feature) {
  return predictor && feature < predictor->n_features ? predictor->columns[feature].name : NULL;
}

const char *sprint_predictor_class(const sprint_predictor *predictor, size_t class_number) {
  return predictor && class_number < predictor->n_classes ? predictor->class_names[class_number] : NULL;
}

const char *sprint_predictor_label(const sprint_predictor *predictor) { return predictor ? predictor->label : NULL; }

const char *sprint_predictor_weight(const sprint_predictor *predictor) { return predictor ? predictor->weighed : NULL; }

size_t sprint_predictor_positive(const sprint_predictor *predictor) { return predictor ? predictor->positive : 0; }

double sprint_predictor_threshold(const sprint_predictor *predictor) {
  return predictor && predictor->model->classifies && predictor->n_classes == 2 ? predictor->threshold : NAN;
}

bool sprint__predictor_find_class(const sprint_predictor *predictor, const char *text, size_t *ret_class) {
  double value = NAN, named = NAN;
  bool number = sprint__cell_parse(text, &value) == SPRINT__CELL_NUMBER;
  for (size_t c = 0; c < predictor->n_classes; c++) {
    const char *name = predictor->class_names[c];
    *ret_class = c;
    if (strcmp(name, text) == 0) return true;
    if (number && sprint__cell_parse(name, &named) == SPRINT__CELL_NUMBER && named == value) return true;
  }
  return false;
}

static sprint_status refuse_metadata(const sprint_predictor *predictor, const char *key) {
  return sprint_fail(predictor->context, SPRINT_ERROR_INPUT,
                     "%s: its metadata '%s' is missing or broken; a model.safetensors of `sprint run` was expected",
                     predictor->path, key);
}

static sprint_status refuse_feature(const sprint_predictor *predictor, const char *name, const char *what) {
  return sprint_fail(predictor->context, SPRINT_ERROR_INPUT, "%s: in its metadata the feature '%s' has %s",
                     predictor->path, name, what);
}

/* What raw values are clipped to; models that do not say clip nothing. */
static sprint_status read_limits(const sprint_predictor *predictor, const json_t *feature, const char *name,
                                 struct sprint__column *column) {
  const json_t *low = json_object_get(feature, "low"), *high = json_object_get(feature, "high");
  if (low && !json_is_number(low)) return refuse_feature(predictor, name, "no number as its 'low'");
  if (high && !json_is_number(high)) return refuse_feature(predictor, name, "no number as its 'high'");
  if (low) column->low = json_number_value(low);
  if (high) column->high = json_number_value(high);
  if (column->low > column->high) return refuse_feature(predictor, name, "a 'low' above its 'high'");
  return SPRINT_OK;
}

static sprint_status read_column(sprint_predictor *predictor, const json_t *feature, size_t number,
                                 struct sprint__column *column) {
  const char *name = json_string_value(json_object_get(feature, "name"));
  const json_t *mean = json_object_get(feature, "mean"), *scale = json_object_get(feature, "scale");
  const json_t *fill = json_object_get(feature, "fill");
  if (!name)
    return sprint_fail(predictor->context, SPRINT_ERROR_INPUT, "%s: in its metadata feature number %zu has no name",
                       predictor->path, number + 1);
  if (!json_is_number(mean)) return refuse_feature(predictor, name, "no number as its 'mean'");
  if (!(json_number_value(scale) > 0)) return refuse_feature(predictor, name, "no number above 0 as its 'scale'");
  if (fill && !json_is_number(fill) && !json_is_null(fill))
    return refuse_feature(predictor, name, "neither a number nor null as its 'fill'");
  *column = sprint__column_unseen;
  column->mean = json_number_value(mean);
  column->scale = json_number_value(scale);
  column->fill = json_is_number(fill) ? json_number_value(fill) : NAN;
  column->name = sprint__arena_strdup(&predictor->arena, name);
  SPRINT__TRY(read_limits(predictor, feature, name, column));
  if (!sprint__feature_read(feature, &predictor->arena, column)) return refuse_metadata(predictor, "features");
  return sprint__arena_status(&predictor->arena);
}

static sprint_status read_columns(sprint_predictor *predictor, const json_t *features) {
  predictor->n_features = json_array_size(features);
  if (predictor->n_features == 0) return refuse_metadata(predictor, "features");
  predictor->columns = sprint__arena_take(&predictor->arena, predictor->n_features, sizeof *predictor->columns);
  SPRINT__TRY(sprint__arena_status(&predictor->arena));
  for (size_t j = 0; j < predictor->n_features; j++)
    SPRINT__TRY(read_column(predictor, json_array_get(features, j), j, &predictor->columns[j]));
  return SPRINT_OK;
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

/* How CSVs are read; models that do not say have columns of numbers. */
static sprint_status read_encoding(sprint_predictor *predictor, const struct sprint__safetensors *file) {
  const char *text = sprint__safetensors_meta(file, "table");
  SPRINT__SCOPED(json_decref) json_t *table = text ? json_loads(text, 0, NULL) : NULL;
  bool sound = true;
  if (text && !table) return refuse_metadata(predictor, "table");
  SPRINT__TRY(sprint__encoding_read(predictor->context, predictor->path, predictor->columns, predictor->n_features,
                                    table, &predictor->encoding, &sound));
  return sound ? SPRINT_OK : refuse_metadata(predictor, text ? "table" : "features");
}

/* Images say their form, "3 32 32"; other records are (d, 1, 1). */
static sprint_status read_shape(sprint_predictor *predictor, const struct sprint__safetensors *file) {
  const char *text = sprint__safetensors_meta(file, "image");
  struct sprint__shape *shape = &predictor->shape;
  *shape = (struct sprint__shape){predictor->n_features, 1, 1};
  /* NOLINTNEXTLINE(cert-err34-c): what is too large for a size is too large for the features, too */
  if (text && sscanf(text, "%zu %zu %zu", &shape->channels, &shape->height, &shape->width) != 3)
    return refuse_metadata(predictor, "image");
  if (shape->height > predictor->n_features || shape->width > predictor->n_features ||
      shape->channels > predictor->n_features ||
      shape->channels * shape->height * shape->width != predictor->n_features)
    return refuse_metadata(predictor, "image");
  return SPRINT_OK;
}

/* Whether the layers' parameters can be in a file of this size at all, and what the layers work in is in proportion to
 * it; asked before room is made for them. */
static sprint_status check_size(const sprint_predictor *predictor, const struct sprint__section *section, size_t size) {
  SPRINT__SCRATCH(room, predictor->context);
  struct sprint__layer *layers = NULL;
  size_t n = 0, n_params = 0;
  SPRINT__TRY(sprint__layers_parse(section, predictor->shape, &room, &layers, &n));
  for (size_t l = 0; l < n; l++) n_params += layers[l].n_weights + layers[l].n_biases;
  double need = sprint__layers_need(layers, n);
  if (n_params <= size / sizeof(float))
    return sprint__memory_check(predictor->context, predictor->path, need, sprint__file_size(predictor->path));
  return sprint_fail(predictor->context, SPRINT_ERROR_INPUT,
                     "%s: its layers have %zu parameters, its tensors %zu bytes", predictor->path, n_params, size);
}

static sprint_status build_model(sprint_predictor *predictor, const struct sprint__safetensors *file) {
  const char *layers = sprint__safetensors_meta(file, "layers"), *loss = sprint__safetensors_meta(file, "loss");
  if (!loss || (!layers && !predictor->any)) return refuse_metadata(predictor, loss ? "layers" : "loss");
  const char *l2 = sprint__safetensors_meta(file, "l2"), *biases = sprint__safetensors_meta(file, "l2_biases");
  SPRINT__SCOPED(sprint__free)
  char *penalty = sprint__printf(predictor->context, "l2: %s, l2_biases: %s", l2 ? l2 : "0", biases ? biases : "false");
  if (!penalty) return SPRINT_ERROR_MEMORY;
  SPRINT__SCOPED(sprint__free)
  char *spec = layers ? sprint__printf(predictor->context, "{layers: '%s', loss: %s, %s}", layers, loss, penalty)
                      : sprint__printf(predictor->context, "{loss: %s, %s}", loss, penalty);
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  if (!spec) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__section_parse(predictor->context, &sprint__model_family, spec, predictor->path, &section));
  if (layers) SPRINT__TRY(check_size(predictor, section, file->size));
  SPRINT__TRY(sprint__model_build(section, predictor->shape, predictor->n_classes, &predictor->model));
  if (!predictor->model->ops->outputs && !predictor->any)
    return sprint_fail(predictor->context, SPRINT_ERROR_INPUT, "%s: a test-bed model (loss %s) has nothing to predict",
                       predictor->path, loss);
  predictor->theta = sprint__arena_take(&predictor->arena, predictor->model->n_params, sizeof *predictor->theta);
  SPRINT__TRY(sprint__arena_status(&predictor->arena));
  return sprint__safetensors_theta(file, predictor->model, predictor->theta);
}

/* A model that nobody should act on, unless they say that they want to. */
static sprint_status check_sound(const sprint_predictor *predictor, const struct sprint__safetensors *file) {
  static const char way_out[] = "`sprint predict --anyway` (in C, sprint_predictor_open) takes it all the same";
  const char *stop = sprint__safetensors_meta(file, "stop"), *epoch = sprint__safetensors_meta(file, "epoch");
  if (predictor->anyway) return SPRINT_OK;
  if (stop && strcmp(stop, sprint_stop_word(SPRINT_STOP_DIVERGED)) == 0)
    return sprint_fail(predictor->context, SPRINT_ERROR_INPUT,
                       "%s: its run diverged, and these are the parameters of epoch %s, before it did; %s",
                       predictor->path, epoch ? epoch : "?", way_out);
  if (!sprint__all_finite(predictor->theta, predictor->model->n_params))
    return sprint_fail(predictor->context, SPRINT_ERROR_INPUT, "%s: not all of its numbers are finite; %s",
                       predictor->path, way_out);
  return SPRINT_OK;
}

/* Models that do not say it: the second class, from one half on. */
static sprint_status read_decision(sprint_predictor *predictor, const struct sprint__safetensors *file) {
  const char *positive = sprint__safetensors_meta(file, "positive");
  const char *threshold = sprint__safetensors_meta(file, "threshold");
  predictor->positive = 1;
  predictor->threshold = 0.5;
  if (predictor->n_classes != 2) return SPRINT_OK;
  if (positive && !sprint__predictor_find_class(predictor, positive, &predictor->positive))
    return refuse_metadata(predictor, "positive");
  if (threshold && (sprint__number_real(threshold, &predictor->threshold) != SPRINT__NUMBER_OK ||
                    predictor->threshold < 0 || predictor->threshold > 1))
    return refuse_metadata(predictor, "threshold");
  return SPRINT_OK;
}

static sprint_status refuse_positive(const sprint_predictor *predictor, const char *name) {
  SPRINT__SCOPED(sprint__free)
  char *all =
      sprint__names_join(predictor->context, (const char *const *)predictor->class_names, predictor->n_classes, " or ");
  if (!all) return SPRINT_ERROR_MEMORY;
  return sprint_fail(predictor->context, SPRINT_ERROR_INPUT,
                     "%s: '%s' cannot be the positive class: it is no class of the model, which has %s",
                     predictor->path, name, all);
}

/* What the caller says instead. */
static sprint_status decide_by(sprint_predictor *predictor, const sprint_predictor_options *options) {
  if (!options->positive && !options->threshold) return SPRINT_OK;
  if (!predictor->model->classifies || predictor->n_classes != 2)
    return sprint_fail(predictor->context, SPRINT_ERROR_INPUT,
                       "%s: a positive class and a threshold are of two classes, and the model %s", predictor->path,
                       predictor->model->classifies ? "has more" : "predicts values");
  if (options->positive && !sprint__predictor_find_class(predictor, options->positive, &predictor->positive))
    return refuse_positive(predictor, options->positive);
  if (!options->threshold) return SPRINT_OK;
  if (!(*options->threshold >= 0 && *options->threshold <= 1))
    return sprint_fail(predictor->context, SPRINT_ERROR_ARGUMENT,
                       "the threshold is %g; a probability within 0 .. 1 was expected", *options->threshold);
  predictor->threshold = *options->threshold;
  return SPRINT_OK;
}

/* The folder of a run is easily taken for its model. */
static sprint_status refuse_folder(const sprint_predictor *predictor) {
  if (sprint__outlet_of(predictor->path).type != SPRINT__OUTLET_FOLDER) return SPRINT_OK;
  return sprint_fail(predictor->context, SPRINT_ERROR_IO,
                     "%s: is a folder; a file was expected, such as the " SPRINT__MODEL_FILE " of a run",
                     predictor->path);
}

static sprint_status fill_predictor(sprint_predictor *predictor, const sprint_predictor_options *options) {
  SPRINT__CLEARED(sprint__safetensors_close) struct sprint__safetensors file = {0};
  SPRINT__TRY(refuse_folder(predictor));
  SPRINT__TRY(sprint__safetensors_open(predictor->context, predictor->path, &file));
  SPRINT__TRY(with_json(predictor, &file, "features", read_columns));
  SPRINT__TRY(read_encoding(predictor, &file));
  SPRINT__TRY(with_json(predictor, &file, "classes", read_classes));
  SPRINT__TRY(read_shape(predictor, &file));
  const char *label = sprint__safetensors_meta(&file, "label");
  predictor->label = sprint__arena_strdup(&predictor->arena, label ? label : "");
  SPRINT__TRY(sprint__arena_status(&predictor->arena));
  SPRINT__TRY(build_model(predictor, &file));
  SPRINT__TRY(read_decision(predictor, &file));
  SPRINT__TRY(check_sound(predictor, &file));
  return decide_by(predictor, options);
}

/* any: test beds are fine. */
static sprint_status load(sprint_context *context, const char *path, bool any, const sprint_predictor_options *options,
                          sprint_predictor **ret_predictor) {
  SPRINT__SCOPED(sprint_predictor_free) sprint_predictor *predictor = sprint__alloc(context, 1, sizeof *predictor);
  if (!predictor) return SPRINT_ERROR_MEMORY;
  predictor->any = any;
  predictor->context = predictor->arena.context = predictor->assessed.context = context;
  predictor->anyway = options->anyway;
  predictor->path = sprint__arena_strdup(&predictor->arena, path);
  SPRINT__TRY(sprint__arena_status(&predictor->arena));
  SPRINT__TRY(fill_predictor(predictor, options));
  *ret_predictor = sprint__give(&predictor);
  return SPRINT_OK;
}

sprint_status sprint_predictor_load(sprint_context *context, const char *path, sprint_predictor **ret_predictor) {
  SPRINT__REQUIRE(context, path, ret_predictor);
  return sprint_predictor_open(context, path, NULL, ret_predictor);
}

sprint_status sprint_predictor_open(sprint_context *context, const char *path, const sprint_predictor_options *options,
                                    sprint_predictor **ret_predictor) {
  SPRINT__REQUIRE(context, path, ret_predictor);
  sprint_predictor_options own = {.size = sizeof own};
  if (options) SPRINT__SIZED_TAKE(context, sprint_predictor_options, options, &own);
  return load(context, path, false, &own, ret_predictor);
}

sprint_status sprint__predictor_load_any(sprint_context *context, const char *path, sprint_predictor **ret_predictor) {
  const sprint_predictor_options options = {.size = sizeof options};
  return load(context, path, true, &options, ret_predictor);
}

sprint_model *sprint__predictor_model(const sprint_predictor *predictor) { return predictor->model; }
const sprint_real *sprint__predictor_theta(const sprint_predictor *predictor) { return predictor->theta; }
size_t sprint__predictor_n_classes(const sprint_predictor *predictor) { return predictor->n_classes; }
const char *sprint__predictor_label(const sprint_predictor *predictor) { return predictor->label; }
struct sprint__encoding *sprint__predictor_encoding(const sprint_predictor *predictor) {
  return predictor->encoding;
}

const struct sprint__column *sprint__predictor_column(const sprint_predictor *predictor, size_t feature) {
  return &predictor->columns[feature];
}

const char *sprint__predictor_class(const sprint_predictor *predictor, size_t class_number) {
  return predictor->class_names[class_number];
}

void sprint__predictor_features(const sprint_predictor *predictor, const double *raw, size_t n, sprint_real *ret_x) {
  size_t d = predictor->n_features;
  for (size_t i = 0; i < n * d; i++) ret_x[i] = sprint__column_feature(&predictor->columns[i % d], raw[i]);
}

enum { ROWS = 1024, MOST_REALS = 1 << 23 }; /* scored at once, of rows that are not very long */

static size_t rows_at_once(size_t n, size_t d) {
  size_t rows = MOST_REALS / d < 1 ? 1 : MOST_REALS / d < ROWS ? MOST_REALS / d : ROWS;
  return n < rows ? n : rows;
}

sprint_status sprint_predictor_score(sprint_predictor *predictor, const double *raw, size_t n, double *ret_scores) {
  if (!predictor) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(predictor->context, raw, ret_scores);
  SPRINT__SCRATCH(room, predictor->context);
  size_t d = predictor->n_features, n_scores = sprint_predictor_n_scores(predictor);
  size_t most = rows_at_once(n, d);
  sprint_real *x = sprint__arena_take(&room, most, d * sizeof *x);
  sprint_real *outputs = sprint__arena_take(&room, most, predictor->model->n_outputs * sizeof *outputs);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t start = 0, rows; start < n; start += rows, raw += rows * d) {
    rows = n - start < most ? n - start : most;
    sprint__predictor_features(predictor, raw, rows, x);
    SPRINT__TRY(sprint_model_outputs(predictor->model, predictor->theta, x, rows, outputs));
    SPRINT__TRY(sprint__network_scores(predictor->model, outputs, rows, ret_scores + start * n_scores));
  }
  return SPRINT_OK;
}
