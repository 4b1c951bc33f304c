/* What is in a model file, for people who look: nothing of it is built, so that any file of the format will do. */
#include <math.h>
#include <string.h>

#include "population/build.h"
#include "run/safetensors.h"

/* An info, and the memory of what it says. */
struct model_info {
  sprint_model_info model;
  struct sprint__arena arena;
};

static void info_free(struct model_info *info) {
  if (info) sprint__arena_free(&info->arena);
  sprint__free(info);
}
SPRINT__FREE_AT(info_free, struct model_info)

/* Numbers of this width that are not finite; they need not be aligned. */
static size_t count_nonfinite(const char *data, size_t n, size_t width) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    float single = 0;
    double wide = 0;
    if (width == sizeof single) memcpy(&single, data + i * width, width);
    if (width == sizeof wide) memcpy(&wide, data + i * width, width);
    if (!isfinite(single) || !isfinite(wide)) count++;
  }
  return count;
}

/* The tensor was checked when the file was opened. */
static void count_tensor(const struct sprint__safetensors *file, const json_t *tensor, sprint_model_info *model) {
  const char *type = json_string_value(json_object_get(tensor, "dtype"));
  const json_t *shape = json_object_get(tensor, "shape");
  size_t n = 1, start = (size_t)json_integer_value(json_array_get(json_object_get(tensor, "data_offsets"), 0));
  for (size_t k = 0; k < json_array_size(shape); k++) n *= (size_t)json_integer_value(json_array_get(shape, k));
  bool single = strcmp(type, "F32") == 0, wide = strcmp(type, "F64") == 0;
  if (single || wide) model->n_nonfinite += count_nonfinite(file->data + start, n, single ? 4 : 8);
  model->n_tensors++;
  model->n_params += n;
}

static char *meta(struct model_info *info, const struct sprint__safetensors *file, const char *key) {
  const char *text = sprint__safetensors_meta(file, key);
  return text ? sprint__arena_strdup(&info->arena, text) : NULL;
}

/* Texts of a list in the metadata, or the names of its objects; what is neither is "?". */
static char **meta_list(struct model_info *info, const struct sprint__safetensors *file, const char *key,
                        size_t *ret_n) {
  const char *text = sprint__safetensors_meta(file, key);
  SPRINT__SCOPED(json_decref) json_t *list = text ? json_loads(text, 0, NULL) : NULL;
  if (json_array_size(list) == 0) return NULL;
  char **names = sprint__arena_take(&info->arena, json_array_size(list), sizeof *names);
  for (size_t i = 0; names && i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    const char *name = json_string_value(json_is_object(item) ? json_object_get(item, "name") : item);
    names[i] = sprint__arena_strdup(&info->arena, name ? name : "?");
  }
  *ret_n = json_array_size(list);
  return names;
}

static sprint_status fill(struct model_info *info) {
  sprint_model_info *model = &info->model;
  SPRINT__CLEARED(sprint__safetensors_close) struct sprint__safetensors file = {0};
  const char *name;
  json_t *tensor;
  SPRINT__TRY(sprint__safetensors_open(info->arena.context, model->path, &file));
  json_object_foreach(file.header, name, tensor) {
    if (strcmp(name, "__metadata__") != 0) count_tensor(&file, tensor, model);
  }
  model->version = meta(info, &file, "sprint");
  model->layers = meta(info, &file, "layers");
  model->loss = meta(info, &file, "loss");
  model->label = meta(info, &file, "label");
  model->stop = meta(info, &file, "stop");
  model->epoch = meta(info, &file, "epoch");
  model->positive = meta(info, &file, "positive");
  model->threshold = meta(info, &file, "threshold");
  model->features = meta_list(info, &file, "features", &model->n_features);
  model->classes = meta_list(info, &file, "classes", &model->n_classes);
  return sprint__arena_status(&info->arena);
}

sprint_status sprint_model_info_read(sprint_context *context, const char *path, sprint_model_info **ret_info) {
  SPRINT__REQUIRE(context, path, ret_info);
  SPRINT__SCOPED(info_free) struct model_info *info = sprint__alloc(context, 1, sizeof *info);
  if (!info) return SPRINT_ERROR_MEMORY;
  info->arena.context = context;
  SPRINT__TRY(sprint__data_find(&info->arena, path, &info->model.path));
  SPRINT__TRY(fill(info));
  *ret_info = sprint__give(&info); /* its first member */
  return SPRINT_OK;
}

/* The info is the first of what was allocated with it. */
void sprint_model_info_free(sprint_model_info *info) { info_free((struct model_info *)info); }
