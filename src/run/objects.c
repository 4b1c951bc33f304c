/* Objects from specs, and parameters in files: what needs more than one of the folders below. */
#include <string.h>

#include "run/safetensors.h"
#include "run/sections.h"

sprint_status sprint_model_new(sprint_context *context, const char *spec, const sprint_population *population,
                               sprint_model **ret_model) {
  struct sprint__section *section = NULL;
  SPRINT__TRY(sprint__section_parse(context, &sprint__model_family, spec, "model", &section));
  sprint_status status =
      sprint__model_build(section, sprint__population_shape(population), population->n_classes, ret_model);
  sprint__section_free(section);
  return status;
}

sprint_status sprint_solver_new(sprint_context *context, const sprint_solver_options *options,
                                sprint_solver **ret_solver) {
  struct sprint__section *section = NULL;
  SPRINT__TRY(sprint__section_parse(context, &sprint__solver_family, options->spec, "solver", &section));
  struct sprint__method method = sprint__method_of(section);
  sprint_status status = sprint__solver_build(context, &method, options, ret_solver);
  sprint__section_free(section);
  return status;
}

sprint_status sprint_run_new(sprint_context *context, const sprint_run_options *options, sprint_run **ret_run) {
  struct sprint__section *section = NULL;
  SPRINT__TRY(sprint__section_parse(context, &sprint__run_family, options->spec, "run", &section));
  struct sprint__plan plan = sprint__plan_of(section);
  sprint_status status = sprint__run_build(context, &plan, options, ret_run);
  sprint__section_free(section);
  return status;
}

struct sprint__plan sprint__plan_of(const struct sprint__section *section) {
  return (struct sprint__plan){sprint__method_of(section), sprint__get_section(section, "eval")};
}

static bool ends_in(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static sprint_status refuse_ending(sprint_context *context, const char *path) {
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: a file ending in .npy or .safetensors was expected", path);
}

static sprint_status read_npy(sprint_model *model, const char *path, sprint_real *ret_theta) {
  sprint_array array = {0};
  SPRINT__TRY(sprint_npy_read(model->context, path, &array));
  size_t count = 1;
  for (size_t k = 0; k < array.n_dims; k++) count *= array.shape[k];
  sprint_status status = SPRINT_OK;
  if (count != model->n_params)
    status = sprint_fail(model->context, SPRINT_ERROR_INPUT, "%s: holds %zu numbers; the model has %zu parameters",
                         path, count, model->n_params);
  for (size_t i = 0; status == SPRINT_OK && i < count; i++)
    ret_theta[sprint_model_place(model, i)] = (sprint_real)array.data[i];
  sprint_array_clear(&array);
  return status;
}

static sprint_status read_safetensors(sprint_model *model, const char *path, sprint_real *ret_theta) {
  struct sprint__safetensors file;
  SPRINT__TRY(sprint__safetensors_open(model->context, path, &file));
  sprint_status status = sprint__safetensors_theta(&file, model, ret_theta);
  sprint__safetensors_close(&file);
  return status;
}

sprint_status sprint_model_read_theta(sprint_model *model, const char *path, sprint_real *ret_theta) {
  if (ends_in(path, ".npy")) return read_npy(model, path, ret_theta);
  if (ends_in(path, ".safetensors")) return read_safetensors(model, path, ret_theta);
  return refuse_ending(model->context, path);
}

static sprint_status write_npy(sprint_model *model, const char *path, const sprint_real *theta) {
  sprint_real *flat = sprint__alloc(model->context, model->n_params, sizeof *flat);
  if (!flat) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < model->n_params; i++) flat[i] = theta[sprint_model_place(model, i)];
  sprint_status status = sprint_npy_write(model->context, path, 1, &model->n_params, flat);
  sprint__free(flat);
  return status;
}

sprint_status sprint_model_write_theta(sprint_model *model, const char *path, const sprint_real *theta) {
  if (ends_in(path, ".npy")) return write_npy(model, path, theta);
  if (ends_in(path, ".safetensors")) return sprint__safetensors_write(model, path, NULL, theta);
  return refuse_ending(model->context, path);
}
