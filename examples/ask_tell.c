/* Drive the solver by hand: ask what it wants, tell it records, read theta. Here the "production system" is a function
 * of our own; it could as well be a lender's database, with days between ask and tell. */
#include <sprint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PEOPLE = 400, BATCH = 20 };

/* Person i's income when a model with this weight is deployed: everybody games it a little. */
static sprint_real income(int i, sprint_real weight) {
  return (sprint_real)(i % 17) / 8 - 1 + (sprint_real)0.2 * weight;
}

static sprint_real repaid(int i) { return (sprint_real)(i % 17 + i % 5 > 9); }

int main(void) {
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) return 1;
  sprint_real x[PEOPLE], x_reference[BATCH], y[PEOPLE], theta[2] = {0, 0}, deployed = 0, snapshot = 0;
  for (int i = 0; i < PEOPLE; i++) x[i] = income(i, 0), y[i] = repaid(i);

  sprint_population *people = NULL; /* only says that there is one feature and two classes */
  sprint_model *model = NULL;
  sprint_solver *solver = NULL;
  sprint_status status = sprint_population_new(context, PEOPLE, 1, x, y, 2, &people);
  if (status == SPRINT_OK) status = sprint_model_new(context, "{layers: dense 1, loss: logistic}", people, &model);
  sprint_solver_options options = {
      .size = sizeof options,
      .spec = "{method: {kind: sprint, correction: coupled, batch: 20}, step: {size: 0.5}, stop: {epochs: 30}}",
      .model = model,
      .n = PEOPLE,
      .theta = theta};
  if (status == SPRINT_OK) status = sprint_solver_new(context, &options, &solver);

  sprint_want want = {.size = sizeof want};
  srand(1);
  while (status == SPRINT_OK && (status = sprint_solver_ask(solver, &want)) == SPRINT_OK &&
         want.kind != SPRINT_WANT_NOTHING) {
    if (want.deploy) deployed = want.theta[0]; /* weight of the model that people now react to */
    if (want.kind == SPRINT_WANT_POPULATION) snapshot = deployed;
    for (int k = 0; k < (int)want.n; k++) {
      int i = want.kind == SPRINT_WANT_POPULATION ? k : rand() % PEOPLE;
      x[k] = income(i, deployed);
      y[k] = repaid(i);
      if (want.reference) x_reference[k] = income(i, snapshot); /* the same person, when the snapshot was taken */
    }
    sprint_records records = {.size = sizeof records,
                              .n = want.n,
                              .x = x,
                              .y = y,
                              .x_reference = want.reference ? x_reference : NULL,
                              .last = true};
    status = sprint_solver_tell(solver, &records);
  }
  if (status == SPRINT_OK) {
    sprint_counters cost = sprint_solver_counters(solver);
    const sprint_real *found = sprint_solver_theta(solver);
    printf("theta (%.3f, %.3f) after %llu steps, %llu deployments, %llu samples\n", (double)found[0], (double)found[1],
           (unsigned long long)cost.steps, (unsigned long long)cost.deployments, (unsigned long long)cost.samples);
  } else {
    fprintf(stderr, "ask_tell: %s\n", sprint_context_error(context));
  }
  sprint_solver_free(solver);
  sprint_model_free(model);
  sprint_population_free(people);
  sprint_context_free(context);
  return status != SPRINT_OK;
}
