/* A loss and gradient of one's own: Huber regression of z on nothing, under the location family z + 0.5 theta, whose
 * stable point is known: the base sample's Huber mean m solves theta = m + 0.5 theta, so theta = 2 m. */
#include <math.h>
#include <sprint.h>
#include <stdio.h>

static void huber(void *user, const sprint_real *theta, const sprint_real *x, const sprint_real *y, size_t n,
                  double *ret_loss, sprint_real *ret_gradient) {
  (void)user;
  (void)y;
  for (size_t i = 0; i < n; i++) {
    double away = (double)theta[0] - (double)x[i];
    *ret_loss += fabs(away) <= 1 ? away * away / 2 : fabs(away) - 0.5;
    if (ret_gradient) ret_gradient[0] += (sprint_real)(away > 1 ? 1 : away < -1 ? -1 : away);
  }
}

int main(void) {
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) return 1;
  sprint_population *sample = NULL;
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_run *run = NULL;
  sprint_model_callbacks callbacks = {.size = sizeof callbacks, .n_params = 1, .n_features = 1, .gradient = huber};
  sprint_status status =
      sprint_population_load(context, "{kind: gaussian, n: 1000, mean: 3, standardize: none}", &sample, NULL);
  if (status == SPRINT_OK) status = sprint_model_new_custom(context, &callbacks, &model);
  if (status == SPRINT_OK) status = sprint_shift_new(context, "{kind: location, epsilon: 0.5}", model, sample, &shift);
  sprint_run_options options = {
      .size = sizeof options,
      .spec = "{method: {kind: sprint, correction: coupled, batch: 10}, step: {size: 0.2}, stop: {epochs: 40}}",
      .seed = 1,
      .shift = shift};
  if (status == SPRINT_OK) status = sprint_run_new(context, &options, &run);
  if (status == SPRINT_OK) status = sprint_run_go(run, NULL, NULL);
  if (status == SPRINT_OK) {
    const sprint_trace_row *last = sprint_run_row(run, sprint_run_n_rows(run) - 1);
    printf("theta %.4f, |grad J|^2 %.3g\n", (double)sprint_run_theta(run)[0], last->gradient_sq);
  } else {
    fprintf(stderr, "own_loss: %s\n", sprint_context_error(context));
  }
  sprint_run_free(run);
  sprint_shift_free(shift);
  sprint_model_free(model);
  sprint_population_free(sample);
  sprint_context_free(context);
  return status != SPRINT_OK;
}
