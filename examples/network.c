/* Load data, define a network, train it under a strategic shift, save it, score a row. */
#include <sprint.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const char *out = argc > 1 ? argv[1] : "runs/network";
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) return 1;
  sprint_population *people = NULL, *heldout = NULL;
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_run *run = NULL;
  sprint_status status = sprint_population_load(
      context, "{kind: lending, n: 20000, select: balanced, size: 2000, holdout: 0.25}", &people, &heldout);
  if (status == SPRINT_OK)
    status = sprint_model_new(context, "{layers: 'dense 16, tanh, dense 1', loss: logistic}", people, &model);
  if (status == SPRINT_OK)
    status = sprint_shift_new(context, "{kind: strategic, good: 0, alpha: 0.2, columns: [utilization, debt_ratio]}",
                              model, people, &shift);
  sprint_run_options options = {
      .size = sizeof options,
      .spec = "{method: {kind: sprint, correction: unbiased, batch: 32}, step: {size: 0.05}, stop: {epochs: 10}}",
      .seed = 1,
      .shift = shift,
      .heldout = heldout,
  };
  if (status == SPRINT_OK) status = sprint_run_new(context, &options, &run);
  if (status == SPRINT_OK) status = sprint_run_go(run, NULL, NULL);
  if (status == SPRINT_OK) status = sprint_run_save(run, out);
  if (status == SPRINT_OK) {
    const sprint_trace_row *last = sprint_run_row(run, sprint_run_n_rows(run) - 1);
    printf("stopped by %s: loss %.4f, accuracy %.1f %% (held out %.1f %%), |grad J|^2 %.3g\n",
           sprint_stop_word(sprint_run_stop(run)), last->loss, 100 * last->accuracy, 100 * last->accuracy_heldout,
           last->gradient_sq);
  } else {
    fprintf(stderr, "network: %s\n", sprint_context_error(context));
  }
  sprint_run_free(run);
  sprint_shift_free(shift);
  sprint_model_free(model);
  sprint_population_free(heldout);
  sprint_population_free(people);
  sprint_context_free(context);
  return status != SPRINT_OK;
}
