/* sprint grad: the gradient of J(theta; theta') over the whole population, and the loss, for any two parameter files.
 * sprint init: a starting point. */
#include <stdlib.h>

#include "cli.h"

/* The experiment's model and shift, and room for what is computed with them. */
struct bench {
  sprint_experiment *experiment;
  sprint_model *model;
  sprint_shift *shift;
  sprint_real *theta, *deployed;
  double *gradient;
};

static void bench_clear(struct bench *bench) {
  free(bench->theta);
  free(bench->deployed);
  free(bench->gradient);
  sprint_shift_free(bench->shift);
  sprint_model_free(bench->model);
  sprint_experiment_free(bench->experiment);
}

static sprint_status bench_new(sprint_context *context, const struct cli_options *options, struct bench *bench) {
  *bench = (struct bench){0};
  sprint_status status = cli_load_point(context, options, &bench->experiment);
  if (status == SPRINT_OK) status = sprint_experiment_parts(bench->experiment, 0, 0, &bench->model, &bench->shift);
  if (status != SPRINT_OK) return status;
  size_t n = sprint_model_n_params(bench->model);
  bench->theta = calloc(n, sizeof *bench->theta);
  bench->deployed = calloc(n, sizeof *bench->deployed);
  bench->gradient = calloc(n, sizeof *bench->gradient);
  if (bench->theta && bench->deployed && bench->gradient) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory for %zu parameters", n);
}

static sprint_status grad(sprint_context *context, const struct cli_options *options, struct bench *bench) {
  sprint_status status = bench_new(context, options, bench);
  if (status == SPRINT_OK) status = sprint_model_read_theta(bench->model, options->params, bench->theta);
  if (status == SPRINT_OK)
    status =
        sprint_model_read_theta(bench->model, options->deployed ? options->deployed : options->params, bench->deployed);
  double loss = 0, accuracy = 0, square = 0;
  if (status == SPRINT_OK)
    status = sprint_risk(bench->shift, bench->theta, bench->deployed, &loss, &accuracy, bench->gradient);
  if (status == SPRINT_OK) status = sprint_model_write_gradient(bench->model, options->out, bench->gradient);
  if (status != SPRINT_OK) return status;
  for (size_t i = 0; i < sprint_model_n_params(bench->model); i++) square += bench->gradient[i] * bench->gradient[i];
  printf("loss %.17g\naccuracy %.17g\ngradient_sq %.17g\n", loss, accuracy, square);
  return SPRINT_OK;
}

static int grad_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command;
  struct bench bench;
  sprint_context_protect_inputs(context);
  sprint_status status = grad(context, options, &bench);
  bench_clear(&bench);
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const struct cli_command cli_grad = {
    "grad",   "gradient of J(theta; theta') over the whole population to FILE (.npy or .safetensors); prints the loss",
    grad_run, {{"CONFIG.yaml", CLI_FILE, ".yaml|.yml"}},
    1,
};

static int init_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command;
  struct bench bench;
  sprint_context_protect_inputs(context);
  sprint_status status = bench_new(context, options, &bench);
  if (status == SPRINT_OK)
    status = sprint_model_start(bench.model, sprint_experiment_seed(bench.experiment, 0), bench.theta);
  if (status == SPRINT_OK) status = sprint_model_write_theta(bench.model, options->out, bench.theta);
  bench_clear(&bench);
  return status == SPRINT_OK ? CLI_OK : cli_failed(context);
}

const struct cli_command cli_init = {
    "init",   "the starting point of a seed to FILE (.npy or .safetensors)",
    init_run, {{"CONFIG.yaml", CLI_FILE, ".yaml|.yml"}},
    1,
};
