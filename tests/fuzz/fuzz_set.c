/* --set texts over a small config, through sprint_experiment_load: the bytes are one text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const struct fuzz_input inputs[] = {
    TEXT("stop.epochs=2"),
    TEXT("method={kind: sgd, batch: 5}"),
    TEXT("model.layers=dense 3, relu, dense 1"),
    TEXT("seeds=[1, 2]"),
    TEXT("seeds.0=7"),
    TEXT("step={kind: inverse-time, size: 0.1, decay: 0.5}"),
};

static const char *const tokens[] = {
    "data.", "model.",  "method.", "shift.", "step.", "stop.",  "kind: ", "=", "[",       "]",    "{",
    "}",     ": ",      ", ",      "&a ",    "*a",    "!!str ", "null",   "~", ".0.",     ".-1.", "..",
    "sgd",   "dense 2", "true",    "0.5",    ".nan",  ".inf",   "\"",     "'", "\\u0000", "\xff", "<<: ",
};

static bool is_small(struct mutator *mutator) { return !fuzz_has_large_number(mutator->bytes, mutator->size); }

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  static const char config[] = "data: {kind: lending, n: 30}\nstop: {epochs: 1}\nseeds: [1]\n";
  char *text = malloc(mutator->size + 1);
  const char *set = text;
  sprint_experiment *experiment = NULL;
  if (!text) exit(2);
  memcpy(text, mutator->bytes, mutator->size);
  text[mutator->size] = '\0';
  FILE *stream = fopen(path, "w");
  if (!stream || fputs(config, stream) < 0 || fclose(stream) != 0) exit(2);
  sprint_status status = sprint_experiment_load(context, path, &set, 1, &experiment);
  sprint_experiment_free(experiment);
  free(text);
  return status;
}

int main(void) {
  return fuzz_run(&(struct fuzz){.name = "set",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 500,
                                 .inputs = inputs,
                                 .n_inputs = sizeof inputs / sizeof inputs[0],
                                 .ending = ".yaml",
                                 .prepare = is_small,
                                 .feed = load});
}
