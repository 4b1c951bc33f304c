/* Layer lists, through sprint_model_new on records of images: those that are taken have a gradient. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const struct fuzz_input inputs[] = {
    TEXT("dense 3, relu, dense 2"),
    TEXT("conv 2 3x3, relu, maxpool 2, flatten, dense 2"),
    TEXT("conv 3 1x1 valid stride 2, tanh, flatten, dense 4, gelu, dense 2"),
    TEXT("conv 2 5x5 same, softplus, maxpool 3, flatten, sigmoid, dense 2"),
};

static const char *const tokens[] = {"dense ",
                                     "conv ",
                                     "maxpool ",
                                     "flatten",
                                     "relu",
                                     "tanh",
                                     "sigmoid",
                                     "softplus",
                                     "gelu",
                                     "same",
                                     "valid",
                                     "stride ",
                                     "3x3",
                                     "1x1",
                                     "x",
                                     ", ",
                                     ",",
                                     "0",
                                     "-1",
                                     "2",
                                     "1000001",
                                     " ",
                                     "99999999999999999999"};

/* Words of the list alone: it is put into YAML between quotes. */
static bool is_plain(struct mutator *mutator) {
  for (size_t i = 0; i < mutator->size; i++)
    if (mutator->bytes[i] < 0x20 || mutator->bytes[i] > 0x7e || strchr("'\\", mutator->bytes[i])) return false;
  return !fuzz_has_large_number(mutator->bytes, mutator->size) && mutator->size < 2000;
}

enum { SIDE = 6, N = 2 };

/* Two images and their labels. */
static sprint_population *images_at(sprint_context *context, const char *path, const sprint_real *x,
                                    const sprint_real *y) {
  char labels[128], spec[320];
  sprint_population *population = NULL;
  snprintf(labels, sizeof labels, "%s-y.npy", path);
  snprintf(spec, sizeof spec, "{kind: npy, x: '%s', y: '%s'}", path, labels);
  if (sprint_npy_write(context, path, 3, (size_t[]){N, SIDE, SIDE}, x) != SPRINT_OK ||
      sprint_npy_write(context, labels, 1, (size_t[]){N}, y) != SPRINT_OK ||
      sprint_population_load(context, spec, &population, NULL) != SPRINT_OK) {
    fprintf(stderr, "%s\n", sprint_context_error(context));
    exit(2);
  }
  remove(labels);
  return population;
}

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  char spec[2100];
  sprint_real x[N * SIDE * SIDE], y[N] = {0, 1};
  sprint_model *model = NULL;
  for (size_t i = 0; i < N * SIDE * SIDE; i++) x[i] = (sprint_real)(i % 7) - 3;
  sprint_population *population = images_at(context, path, x, y);
  snprintf(spec, sizeof spec, "{layers: '%.*s', loss: softmax}", (int)mutator->size, (const char *)mutator->bytes);
  sprint_status status = sprint_model_new(context, spec, population, &model);
  size_t n_params = sprint_model_n_params(model), correct = 0;
  sprint_real *theta = calloc(2 * n_params + 1, sizeof *theta);
  double loss = 0;
  if (!theta) exit(2);
  sprint_batch batch = {sizeof batch, N, x, y};
  if (status == SPRINT_OK) status = sprint_model_start(model, 1, theta);
  if (status == SPRINT_OK)
    status = sprint_model_gradient(model, theta, &batch, &loss, &correct, theta + n_params, NULL);
  free(theta);
  sprint_model_free(model);
  sprint_population_free(population);
  return status;
}

int main(void) {
  return fuzz_run(&(struct fuzz){.name = "layers",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 300,
                                 .inputs = inputs,
                                 .n_inputs = sizeof inputs / sizeof inputs[0],
                                 .ending = ".npy",
                                 .prepare = is_plain,
                                 .feed = load});
}
