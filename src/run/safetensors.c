/* Reading and writing safetensors files: see safetensors.h. */
#include "run/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* A header larger than this is not one of a model. */
#define MAX_HEADER (64u << 20)

static const char *real_type(void) { return sizeof(sprint_real) == 8 ? "F64" : "F32"; }

static json_t *header_of(const sprint_model *model, const json_t *metadata) {
  json_t *header = json_object();
  if (metadata) json_object_set_new(header, "__metadata__", json_deep_copy(metadata));
  size_t at = 0;
  for (size_t t = 0; t < model->n_tensors; t++) {
    const struct sprint__tensor_view *view = &model->tensors[t];
    json_t *shape = json_array();
    for (size_t k = 0; k < view->n_dims; k++) json_array_append_new(shape, json_integer((json_int_t)view->shape[k]));
    size_t end = at + sprint__tensor_size(view) * sizeof(sprint_real);
    json_object_set_new(header, view->name,
                        json_pack("{s:s, s:o, s:[I, I]}", "dtype", real_type(), "shape", shape, "data_offsets",
                                  (json_int_t)at, (json_int_t)end));
    at = end;
  }
  return header;
}

static void write_header(FILE *stream, const char *text) {
  size_t length = strlen(text), padded = (length + 7) / 8 * 8;
  for (int byte = 0; byte < 8; byte++) fputc((int)((uint64_t)padded >> (8 * byte) & 0xff), stream);
  fwrite(text, 1, length, stream);
  for (size_t i = length; i < padded; i++) fputc(' ', stream);
}

static void write_tensor(FILE *stream, const struct sprint__tensor_view *view, const sprint_real *theta) {
  for (size_t i = 0; i < sprint__tensor_size(view); i++)
    fwrite(theta + sprint__tensor_at(view, i), sizeof *theta, 1, stream);
}

sprint_status sprint__safetensors_write(const sprint_model *model, const char *path, const json_t *metadata,
                                        const sprint_real *theta) {
  json_t *header = header_of(model, metadata);
  char *text = json_dumps(header, JSON_COMPACT);
  json_decref(header);
  if (!text) return sprint_fail(model->context, SPRINT_ERROR_MEMORY, "%s: out of memory for the header", path);
  struct sprint__file file;
  sprint_status status = sprint__file_create(model->context, path, &file);
  if (status == SPRINT_OK) {
    write_header(file.stream, text);
    for (size_t t = 0; t < model->n_tensors; t++) write_tensor(file.stream, &model->tensors[t], theta);
    status = sprint__file_commit(model->context, &file);
  }
  free(text);
  return status;
}

void sprint__safetensors_close(struct sprint__safetensors *file) {
  sprint__free(file->path);
  json_decref(file->header);
  sprint__free(file->data);
  *file = (struct sprint__safetensors){0};
}

static sprint_status parse_header(sprint_context *context, struct sprint__safetensors *file) {
  uint64_t length = 0;
  for (int byte = 7; byte >= 0 && file->size >= 8; byte--) length = length << 8 | (unsigned char)file->data[byte];
  if (file->size < 8 || length > MAX_HEADER || length > file->size - 8)
    return sprint_fail(context, SPRINT_ERROR_INPUT,
                       "%s: is not a safetensors file: its header does not fit its %zu bytes", file->path, file->size);
  json_error_t error;
  file->header = json_loadb(file->data + 8, (size_t)length, JSON_REJECT_DUPLICATES, &error);
  if (!file->header)
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: is not a safetensors file: its header is not good: %s",
                       file->path, error.text);
  if (!json_is_object(file->header))
    return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: is not a safetensors file: its header is not a JSON object",
                       file->path);
  file->size -= 8 + (size_t)length;
  memmove(file->data, file->data + 8 + length, file->size);
  return SPRINT_OK;
}

sprint_status sprint__safetensors_open(sprint_context *context, const char *path,
                                       struct sprint__safetensors *ret_file) {
  SPRINT__CLEARED(sprint__safetensors_close) struct sprint__safetensors file = {.path = sprint__strdup(context, path)};
  if (!file.path) return SPRINT_ERROR_MEMORY;
  SPRINT__SCOPED(fclose) FILE *stream = NULL;
  SPRINT__TRY(sprint__file_open_regular(context, path, "a model", &stream));
  SPRINT__TRY(sprint__file_take(context, path, stream, SIZE_MAX, &file.data, &file.size));
  SPRINT__TRY(parse_header(context, &file));
  SPRINT__TRY(sprint__safetensors_check(context, &file));
  *ret_file = file;
  file = (struct sprint__safetensors){0};
  return SPRINT_OK;
}

const char *sprint__safetensors_meta(const struct sprint__safetensors *file, const char *key) {
  return json_string_value(json_object_get(json_object_get(file->header, "__metadata__"), key));
}

static bool same_shape(const json_t *shape, const struct sprint__tensor_view *view) {
  if (json_array_size(shape) != view->n_dims) return false;
  for (size_t k = 0; k < view->n_dims; k++)
    if (json_integer_value(json_array_get(shape, k)) != (json_int_t)view->shape[k]) return false;
  return true;
}

/* "(10, 784)", the model's or, of NULL, the file's; cut where it is long. */
struct shape_text {
  char text[128];
};
static struct shape_text print_shape(const struct sprint__tensor_view *view, const json_t *shape) {
  struct shape_text shown = {"("};
  size_t used = 1, n = view ? view->n_dims : json_array_size(shape);
  for (size_t k = 0; k < n && used < sizeof shown.text; k++) {
    unsigned long long side = view ? view->shape[k] : (unsigned long long)json_integer_value(json_array_get(shape, k));
    used += (size_t)snprintf(shown.text + used, sizeof shown.text - used, k ? ", %llu" : "%llu", side);
  }
  if (used < sizeof shown.text - 1) strcpy(shown.text + used, ")");
  return shown;
}

static void copy_tensor(const struct sprint__safetensors *file, const struct sprint__tensor_view *view, size_t start,
                        size_t width, sprint_real *ret_theta) {
  for (size_t i = 0; i < sprint__tensor_size(view); i++) {
    const char *at = file->data + start + i * width;
    float single = 0;
    double value = 0;
    if (width == 4) {
      memcpy(&single, at, 4);
      value = (double)single;
    } else {
      memcpy(&value, at, 8);
    }
    ret_theta[sprint__tensor_at(view, i)] = (sprint_real)value;
  }
}

/* Reads one tensor of F32 or F64 into theta. */
static sprint_status read_tensor(const struct sprint__safetensors *file, const sprint_model *model,
                                 const struct sprint__tensor_view *view, sprint_real *ret_theta) {
  const json_t *entry = json_object_get(file->header, view->name), *shape = json_object_get(entry, "shape");
  if (!entry)
    return sprint_fail(model->context, SPRINT_ERROR_INPUT, "%s: has no tensor '%s', which this model needs", file->path,
                       view->name);
  const char *type = json_string_value(json_object_get(entry, "dtype"));
  size_t width = strcmp(type, "F32") == 0 ? 4 : strcmp(type, "F64") == 0 ? 8 : 0;
  if (width == 0)
    return sprint_fail(model->context, SPRINT_ERROR_INPUT, "%s: tensor '%s' is of type %s; F32 or F64 was expected",
                       file->path, view->name, type);
  if (!same_shape(shape, view))
    return sprint_fail(model->context, SPRINT_ERROR_INPUT, "%s: tensor '%s' has the shape %s; this model's is %s",
                       file->path, view->name, print_shape(NULL, shape).text, print_shape(view, NULL).text);
  const json_t *start = json_array_get(json_object_get(entry, "data_offsets"), 0);
  copy_tensor(file, view, (size_t)json_integer_value(start), width, ret_theta);
  return SPRINT_OK;
}

/* A tensor that the model has no place for is a sign of another model. */
static sprint_status refuse_others(const struct sprint__safetensors *file, const sprint_model *model) {
  const char *name;
  json_t *entry;
  json_object_foreach(file->header, name, entry) {
    bool known = strcmp(name, "__metadata__") == 0;
    for (size_t t = 0; t < model->n_tensors && !known; t++) known = strcmp(name, model->tensors[t].name) == 0;
    if (!known)
      return sprint_fail(model->context, SPRINT_ERROR_INPUT, "%s: has a tensor '%s', which this model does not",
                         file->path, name);
  }
  return SPRINT_OK;
}

sprint_status sprint__safetensors_theta(const struct sprint__safetensors *file, const sprint_model *model,
                                        sprint_real *ret_theta) {
  for (size_t t = 0; t < model->n_tensors; t++) SPRINT__TRY(read_tensor(file, model, &model->tensors[t], ret_theta));
  return refuse_others(file, model);
}
