/* A shift of one's own: people drift towards the mean of what they see rewarded, and defaulters stay away the more the
 * harder the deployed model is on them. One callback moves features, the other reweights the classes. */
#include <math.h>
#include <sprint.h>
#include <stdio.h>

static sprint_status respond(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                             size_t n, sprint_real *x) {
  size_t d = *(const size_t *)user;
  (void)who;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d && y[i] > 0; j++)
      x[i * d + j] -= (sprint_real)0.3 * (sprint_real)tanh((double)deployed[j]);
  return SPRINT_OK;
}

static sprint_status strata(void *user, const sprint_real *deployed, double *ret_p) {
  (void)user;
  ret_p[1] = 0.5 / (1 + exp((double)deployed[0]));
  ret_p[0] = 1 - ret_p[1];
  return SPRINT_OK;
}

int main(void) {
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) return 1;
  sprint_population *people = NULL;
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_run *run = NULL;
  sprint_status status =
      sprint_population_load(context, "{kind: lending, n: 20000, select: balanced, size: 2000}", &people, NULL);
  if (status == SPRINT_OK) status = sprint_model_new(context, "{layers: dense 1, loss: logistic}", people, &model);
  size_t d = status == SPRINT_OK ? sprint_population_n_features(people) : 0;
  sprint_shift_callbacks callbacks = {.size = sizeof callbacks, .user = &d, .respond = respond, .strata = strata};
  if (status == SPRINT_OK) status = sprint_shift_new_custom(context, &callbacks, model, people, &shift);
  sprint_run_options options = {.size = sizeof options,
                                .spec = "{method: {kind: sprint, correction: unbiased}, stop: {epochs: 20}}",
                                .seed = 1,
                                .shift = shift};
  if (status == SPRINT_OK) status = sprint_run_new(context, &options, &run);
  if (status == SPRINT_OK) status = sprint_run_go(run, NULL, NULL);
  if (status == SPRINT_OK) {
    const sprint_trace_row *first = sprint_run_row(run, 0), *last = sprint_run_row(run, sprint_run_n_rows(run) - 1);
    printf("loss %.4f -> %.4f, |grad J|^2 %.3g -> %.3g\n", first->loss, last->loss, first->gradient_sq,
           last->gradient_sq);
  } else {
    fprintf(stderr, "own_shift: %s\n", sprint_context_error(context));
  }
  sprint_run_free(run);
  sprint_shift_free(shift);
  sprint_model_free(model);
  sprint_population_free(people);
  sprint_context_free(context);
  return status != SPRINT_OK;
}
