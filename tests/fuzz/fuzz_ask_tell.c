/* Sequences of calls to a solver: each byte is a call, right or wrong. A wrong one is a sentence and changes nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

enum { N = 12, D = 2, MOST = 64 };

/* a ask, t tell, and what is wrong: n too many, z none, m a feature that is not a number, u nothing at all, o an older
 * deployment; the first byte picks the method. */
static const struct fuzz_input inputs[] = {
    TEXT("0atatatat"),    TEXT("1atatatatatat"), TEXT("2aatatatnat"),
    TEXT("3atmatzatuat"), TEXT("4ataotat"),      TEXT("5atatdat"),
};
static const char *const tokens[] = {"at", "aa", "tt", "an", "am", "au", "ao", "d"};
static const char *const methods[] = {
    "{kind: sgd, batch: 4}", "{kind: sprint, batch: 4}", "{kind: saga, batch: 4}", "{kind: sarah, batch: 4}",
    "{kind: rgd}",           "{kind: page, batch: 4}"};

struct told {
  sprint_real x[MOST * D], x_reference[MOST * D], y[MOST];
  uint32_t who[MOST];
};

/* Records as wanted, all of them at once, but for what the call gets wrong. */
static sprint_status tell(sprint_solver *solver, const sprint_want *want, char call, struct told *told) {
  size_t n = want->n && want->n <= MOST ? want->n : N;
  if (call == 'u') return sprint_solver_tell(solver, NULL);
  sprint_records records = {.size = sizeof records, .x = told->x, .y = told->y, .last = true};
  records.n = call == 'n' ? n + 1 : call == 'z' ? 0 : n;
  if (want->reference) records.x_reference = told->x_reference;
  records.deployment = call == 'o' ? want->deployment - 1 : want->deployment;
  if (call == 'm') told->x[0] = NAN;
  sprint_status status = sprint_solver_tell(solver, &records);
  told->x[0] = 1;
  return status;
}

static sprint_status load(sprint_context *context, const char *path, struct mutator *mutator) {
  struct told told;
  sprint_population *population = NULL;
  sprint_model *model = NULL;
  sprint_solver *solver = NULL;
  sprint_want want = {.size = sizeof want};
  sprint_real theta[D + 1] = {0};
  char spec[128];
  (void)path;
  for (size_t i = 0; i < MOST * D; i++) told.x[i] = told.x_reference[i] = (sprint_real)(i % 5) - 2;
  for (size_t i = 0; i < MOST; i++) told.y[i] = (sprint_real)(i % 2);
  snprintf(spec, sizeof spec, "{method: %s, stop: {epochs: 3}}",
           methods[mutator->size ? mutator->bytes[0] % (sizeof methods / sizeof methods[0]) : 0]);
  if (sprint_population_new(context, N, D, told.x, told.y, 2, &population) != SPRINT_OK ||
      sprint_model_new(context, "{layers: dense 1}", population, &model) != SPRINT_OK)
    exit(2);
  sprint_solver_options options = {
      .size = sizeof options, .model = model, .n = N, .n_strata = 1, .theta = theta, .spec = spec};
  sprint_status status = sprint_solver_new(context, &options, &solver);
  for (size_t i = 1; status == SPRINT_OK && i < mutator->size && i < 200; i++) {
    if (mutator->bytes[i] == 'a')
      sprint_solver_ask(solver, &want);
    else if (mutator->bytes[i] == 'd')
      sprint_solver_drift(solver, &(sprint_drift){.size = sizeof(sprint_drift)});
    else
      tell(solver, &want, (char)mutator->bytes[i], &told);
    for (size_t j = 0; j < D + 1; j++)
      if (!isfinite((double)sprint_solver_theta(solver)[j]) && sprint_solver_stop(solver) != SPRINT_STOP_DIVERGED)
        abort();
  }
  sprint_solver_free(solver);
  sprint_model_free(model);
  sprint_population_free(population);
  return status;
}

int main(void) {
  return fuzz_run(&(struct fuzz){.name = "ask_tell",
                                 .tokens = tokens,
                                 .n_tokens = sizeof tokens / sizeof tokens[0],
                                 .n_mutants = 400,
                                 .inputs = inputs,
                                 .n_inputs = sizeof inputs / sizeof inputs[0],
                                 .ending = ".calls",
                                 .feed = load});
}
