/* Saved models, through sprint_predictor_load; those that are taken score rows. The inputs are models that a run saves
 * here. */
#define _XOPEN_SOURCE 700
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mutate.h"

static const char *const tokens[] = {
    "\"dtype\":",
    "\"F32\"",
    "\"F64\"",
    "\"F16\"",
    "\"shape\":",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "\\\"",
    "\"0.weight\":",
    "\"data_offsets\":[0,8]",
    "\"__metadata__\":",
    "\"features\":",
    "\"layers\":",
    "\"classes\":",
    "dense 2",
    "relu, ",
    "softmax",
    "squared",
    "mean",
    "{kind: sigmoid, c: 2}",
    "\\\"scale\\\":0",
    "\\\"fill\\\":null",
    "-1",
    "9223372036854775807",
    "1e400",
    "null",
    "true",
    "\\u0000",
    "\\n",
    "'",
};

static uint64_t header_size(const struct mutator *mutator) {
  uint64_t size = 0;
  for (size_t i = 8; i-- > 0 && mutator->size >= 8;) size = size << 8 | mutator->bytes[i];
  return size;
}

/* Half the mutants get a length that fits their header again, else few would come further than that. Wide layers are
 * rejected: a network of a thousand million parameters is a lawful wish. */
static bool mend(struct mutator *mutator) {
  if (mutator->size >= 8 && mutate_below(mutator, 2)) {
    size_t end = mutator->size;
    while (end > 8 && mutator->bytes[end - 1] != '}') end--;
    for (size_t i = 0; i < 8; i++) mutator->bytes[i] = (unsigned char)((uint64_t)(end - 8) >> (8 * i));
  }
  for (size_t i = 0; i + 9 < mutator->size && i < 8 + header_size(mutator); i++)
    if (memcmp(mutator->bytes + i, "dense", 5) == 0 && fuzz_has_large_number(mutator->bytes + i, 14)) return false;
  return true;
}

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  sprint_predictor *predictor = NULL;
  sprint_status status = sprint_predictor_load(context, path, &predictor);
  (void)mutator;
  if (status != SPRINT_OK) return status;
  size_t d = sprint_predictor_n_features(predictor), k = sprint_predictor_n_scores(predictor);
  double *raw = calloc(2 * d, sizeof *raw), *scores = calloc(2 * k, sizeof *scores);
  if (!raw || !scores) exit(2);
  raw[0] = NAN;
  for (size_t j = 0; j < d; j++)
    if (!sprint_predictor_feature(predictor, j)) exit(2);
  status = sprint_predictor_score(predictor, raw, 2, scores);
  free(raw);
  free(scores);
  sprint_predictor_free(predictor);
  return status;
}

/* Trains one step by the config and returns the model file's bytes. */
static struct fuzz_input model_of(const char *folder, const char *config) {
  char path[128];
  sprint_context *context = NULL;
  sprint_experiment *experiment = NULL;
  sprint_run *run = NULL;
  snprintf(path, sizeof path, "%s/c.yaml", folder);
  FILE *stream = fopen(path, "w");
  if (!stream || fputs(config, stream) < 0 || fclose(stream) != 0) exit(2);
  if (sprint_context_new(&context) != SPRINT_OK) exit(2);
  if (sprint_experiment_load(context, path, NULL, 0, &experiment) != SPRINT_OK ||
      sprint_experiment_start(experiment, 0, 0, 0, &run) != SPRINT_OK || sprint_run_go(run, NULL, NULL) != SPRINT_OK ||
      sprint_run_save(run, folder) != SPRINT_OK) {
    fprintf(stderr, "%s\n", sprint_context_error(context));
    exit(2);
  }
  sprint_run_free(run);
  sprint_experiment_free(experiment);
  sprint_context_free(context);
  snprintf(path, sizeof path, "%s/model.safetensors", folder);
  return fuzz_read(path);
}

static void remove_files(const char *folder) {
  static const char *const names[] = {"c.yaml", "trace.csv", "timing.csv", "run.json", "model.safetensors"};
  char path[128];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
}

int main(void) {
  char folder[] = "/tmp/sprint-fuzz-XXXXXX";
  if (!mkdtemp(folder)) return 2;
  const struct fuzz_input inputs[] = {
      model_of(folder, "{data: {kind: gaussian, n: 8, d: 2}, model: {loss: squared}, stop: {steps: 1}}"),
      model_of(folder, "{data: {n: 30}, model: {layers: 'dense 2, relu, dense 1'}, stop: {steps: 1}}"),
      model_of(folder, "{data: {n: 30}, model: {layers: dense 2, loss: softmax}, stop: {steps: 1}}"),
  };
  remove_files(folder);
  int code = fuzz_run(&(struct fuzz){.name = "safetensors",
                                     .tokens = tokens,
                                     .n_tokens = sizeof tokens / sizeof tokens[0],
                                     .n_mutants = 2500,
                                     .inputs = inputs,
                                     .n_inputs = sizeof inputs / sizeof inputs[0],
                                     .ending = ".safetensors",
                                     .prepare = mend,
                                     .feed = load});
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) free((void *)inputs[i].bytes);
  return code;
}
