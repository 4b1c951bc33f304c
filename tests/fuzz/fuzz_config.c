/* Configs and --set texts, through sprint_experiment_load: YAML, tables, data, model, shift and method. */
#include <string.h>

#include "mutate.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const struct fuzz_input inputs[] = {
    TEXT("name: small\n"
         "data: {kind: lending, n: 40, default_rate: 0.4}\n"
         "model:\n"
         "  layers: dense 3, relu, dense 1\n"
         "  loss: logistic\n"
         "shift: {kind: strategic, alpha: 0.2, good: 0}\n"
         "method: {kind: sprint, correction: unbiased, batch: 8}\n"
         "step: {kind: piecewise, sizes: [0.2, 0.1], at: 2}\n"
         "deploy: {kind: every, steps: 2}\n"
         "stop: {epochs: 2}\n"
         "seeds: [1, 2]\n"),
    TEXT("# a comparison, in block style\n"
         "data:\n"
         "  kind: lending\n"
         "  n: 30\n"
         "  default_rate: 0.5\n"
         "  select: balanced\n"
         "  size: 20\n"
         "  holdout: 0.2\n"
         "method: &m\n"
         "  kind: sgd\n"
         "  batch: 4\n"
         "compare:\n"
         "  - name: one\n"
         "    method: *m\n"
         "  - {name: \"two\", method: {kind: rgd}, step: {kind: inverse-time, decay: 0.5}}\n"),
    TEXT("data: {kind: gaussian, n: 20, d: 2, exact: true}\n"
         "model: {loss: mean, l2: 0.1}\n"
         "shift: {kind: location, epsilon: 0.5}\n"
         "method: rgd\n"
         "step: {kind: inverse-root, radius: 5}\n"
         "stop:\n"
         "  epochs: 3\n"
         "  gradient: 0.001\n"
         "eval: {every: 2, bias: false}\n"
         "out: 'a folder'\n"),
    TEXT("{data: {n: 30}, model: {layers: [dense 2], loss: {kind: softmax}, init: zeros}, shift: none}\n"),
};

static const char *const tokens[] = {
    "kind: ",    "data: ",  "model: ",   "shift: ",  "method: ",     "step: ",  "stop: ",
    "compare: ", "seeds: ", "layers: ",  "loss: ",   "columns: ",    "sgd",     "rgd",
    "sprint",    "linear",  "strategic", "location", "softmax",      "squared", "mean",
    "sigmoid",   "dense 2", "relu",      "value",    "accumulating", "{",       "}",
    "[",         "]",       ": ",        ", ",       "- ",           "\n",      "\n  ",
    "\t",        "&a ",     "*a",        "<<: *m",   "!!str ",       "|\n  ",   ">\n",
    "\"",        "'",       "''",        "# ",       "---\n",        "...\n",   "%YAML 1.2\n",
    "? ",        "-1",      "0",         "0.5",      ".nan",         ".inf",    "null",
    "~",         "true",    "\xc3\xa9",  "\xff",     "\xef\xbb\xbf", "\\u0000", "\\",
};

static bool is_small(struct mutator *mutator) { return !fuzz_has_large_number(mutator->bytes, mutator->size); }

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  static const char *const sets[] = {"stop.epochs=1", "method={kind: sgd, batch: 5}", "shift.alpha=0.1",
                                     "compare.0.name=x"};
  char text[64] = "";
  const char *set = text;
  sprint_experiment *experiment = NULL;
  size_t n_sets = mutate_below(mutator, 4) == 0;
  if (n_sets) {
    struct mutator other = {.state = mutator->state, .tokens = mutator->tokens, .n_tokens = mutator->n_tokens};
    const char *input = sets[mutate_below(mutator, sizeof sets / sizeof sets[0])];
    mutate(&other, input, strlen(input));
    size_t size = other.size < sizeof text - 1 ? other.size : sizeof text - 1;
    if (!fuzz_has_large_number(other.bytes, size)) memcpy(text, other.bytes, size);
  }
  sprint_status status = sprint_experiment_load(context, path, &set, n_sets, &experiment);
  sprint_experiment_free(experiment);
  return status;
}

int main(void) {
  return fuzz_run(&(struct fuzz){.name = "config",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 1200,
                                 .inputs = inputs,
                                 .n_inputs = sizeof inputs / sizeof inputs[0],
                                 .ending = ".yaml",
                                 .prepare = is_small,
                                 .feed = load});
}
