/* sprint data export: what a config's population looks like, for checking from outside. */
#include <stdlib.h>

#include "cli.h"

/* x.npy and y.npy of the base population; x_deployed.npy of D(theta') where parameters are given. */
static sprint_status write_x(sprint_context *context, const sprint_population *population, const char *path) {
  size_t shape[2] = {sprint_population_n(population), sprint_population_n_features(population)};
  sprint_real *x = calloc(shape[0] * shape[1], sizeof *x);
  if (!x) return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory for %zu rows", shape[0]);
  sprint_status status = sprint_population_rows(population, NULL, 0, shape[0], x);
  if (status == SPRINT_OK) status = sprint_npy_write(context, path, 2, shape, x);
  free(x);
  return status;
}

static sprint_status write_population(sprint_context *context, const sprint_population *population, const char *out) {
  size_t n = sprint_population_n(population);
  char *x_path = cli_format("%s-x.npy", out), *y_path = cli_format("%s-y.npy", out);
  sprint_status status = write_x(context, population, x_path);
  if (status == SPRINT_OK) status = sprint_npy_write(context, y_path, 1, &n, sprint_population_y(population));
  free(x_path);
  free(y_path);
  return status;
}

struct moved {
  sprint_model *model;
  sprint_shift *shift;
  sprint_real *theta, *x;
  uint32_t *who;
};

static sprint_status write_moved(sprint_context *context, const sprint_experiment *experiment, const char *params,
                                 const char *out, struct moved *moved) {
  const sprint_population *population = sprint_experiment_population(experiment);
  size_t shape[2] = {sprint_population_n(population), sprint_population_n_features(population)};
  sprint_status status = sprint_experiment_parts(experiment, 0, 0, &moved->model, &moved->shift);
  if (status != SPRINT_OK) return status;
  moved->theta = calloc(sprint_model_n_params(moved->model), sizeof *moved->theta);
  moved->x = calloc(shape[0] * shape[1], sizeof *moved->x);
  moved->who = calloc(shape[0], sizeof *moved->who);
  if (!moved->theta || !moved->x || !moved->who)
    return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory for %zu rows", shape[0]);
  for (size_t i = 0; i < shape[0]; i++) moved->who[i] = (uint32_t)i;
  status = sprint_model_read_theta(moved->model, params, moved->theta);
  if (status == SPRINT_OK) status = sprint_shift_respond(moved->shift, moved->theta, moved->who, shape[0], moved->x);
  char *path = cli_format("%s-x-deployed.npy", out);
  if (status == SPRINT_OK) status = sprint_npy_write(context, path, 2, shape, moved->x);
  free(path);
  return status;
}

static int export_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command;
  sprint_experiment *experiment = NULL;
  struct moved moved = {0};
  sprint_context_protect_inputs(context);
  sprint_status status = cli_load_point(context, options, &experiment);
  if (status == SPRINT_OK) status = write_population(context, sprint_experiment_population(experiment), options->out);
  if (status == SPRINT_OK && options->deployed)
    status = write_moved(context, experiment, options->deployed, options->out, &moved);
  free(moved.theta);
  free(moved.x);
  free(moved.who);
  sprint_shift_free(moved.shift);
  sprint_model_free(moved.model);
  sprint_experiment_free(experiment);
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const struct cli_command cli_data_export = {
    "data export",
    "a config's population as PREFIX-x.npy and PREFIX-y.npy, base or deployed",
    export_run,
    {{"CONFIG.yaml", CLI_FILE, ".yaml|.yml"}},
    1,
};
