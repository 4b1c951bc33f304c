/* Parameters and gradients of a model in files, in PyTorch's order: .npy or .safetensors, as the path ends. */
#include <string.h>

#include "base/file.h"
#include "population/npy.h"
#include "run/safetensors.h"

static sprint_status refuse_ending(sprint_context *context, const char *path) {
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: a file ending in .npy or .safetensors was expected", path);
}

static sprint_status read_npy(sprint_model *model, const char *path, sprint_real *ret_theta) {
  SPRINT__CLEARED(sprint_array_clear) sprint_array array = {0};
  SPRINT__TRY(sprint_npy_read(model->context, path, &array));
  size_t count = sprint__array_size(&array);
  if (count != model->n_params)
    return sprint_fail(model->context, SPRINT_ERROR_INPUT, "%s: holds %zu numbers; the model has %zu parameters", path,
                       count, model->n_params);
  for (size_t i = 0; i < count; i++) ret_theta[sprint_model_place(model, i)] = (sprint_real)array.data[i];
  return SPRINT_OK;
}

static sprint_status read_safetensors(sprint_model *model, const char *path, sprint_real *ret_theta) {
  SPRINT__CLEARED(sprint__safetensors_close) struct sprint__safetensors file = {0};
  SPRINT__TRY(sprint__safetensors_open(model->context, path, &file));
  return sprint__safetensors_theta(&file, model, ret_theta);
}

sprint_status sprint_model_read_theta(sprint_model *model, const char *path, sprint_real *ret_theta) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, path, ret_theta);
  if (sprint__path_ends_in(path, ".npy")) return read_npy(model, path, ret_theta);
  if (sprint__path_ends_in(path, ".safetensors")) return read_safetensors(model, path, ret_theta);
  return refuse_ending(model->context, path);
}

/* `values` (n_params) have `size` bytes each: sprint_real or double. */
static sprint_status write_npy(sprint_model *model, const char *path, const void *values, size_t size) {
  SPRINT__SCOPED(sprint__free) char *flat = sprint__alloc(model->context, model->n_params, size);
  if (!flat) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < model->n_params; i++)
    memcpy(flat + i * size, (const char *)values + sprint_model_place(model, i) * size, size);
  return size == sizeof(double) ? sprint_npy_write_double(model->context, path, 1, &model->n_params, (void *)flat)
                                : sprint_npy_write(model->context, path, 1, &model->n_params, (void *)flat);
}

sprint_status sprint_model_write_theta(sprint_model *model, const char *path, const sprint_real *theta) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, path, theta);
  if (sprint__path_ends_in(path, ".npy")) return write_npy(model, path, theta, sizeof *theta);
  if (sprint__path_ends_in(path, ".safetensors")) return sprint__safetensors_write(model, path, NULL, theta);
  return refuse_ending(model->context, path);
}

sprint_status sprint_model_write_gradient(sprint_model *model, const char *path, const double *gradient) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, path, gradient);
  if (sprint__path_ends_in(path, ".npy")) return write_npy(model, path, gradient, sizeof *gradient);
  SPRINT__SCOPED(sprint__free) sprint_real *reals = sprint__alloc(model->context, model->n_params, sizeof *reals);
  if (!reals) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < model->n_params; i++) reals[i] = (sprint_real)gradient[i];
  return sprint_model_write_theta(model, path, reals);
}
