/* Run a config: the `sprint run` command as a few calls.
 *   cc run_config.c $(pkg-config --cflags --libs sprint) -o run_config && ./run_config CONFIG.yaml OUT */
#include <sprint.h>
#include <stdio.h>

static bool watch(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  (void)user;
  (void)run;
  (void)cost;
  if (row) printf("epoch %g: loss %.4f, |grad J|^2 %.3g\n", row->epoch, row->loss, row->gradient_sq);
  return true; /* false would stop the run and keep its trace */
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: run_config CONFIG.yaml OUT\n"), 2;
  sprint_context *context = NULL;
  sprint_experiment *experiment = NULL;
  sprint_run *run = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) return 1;
  const char *sets[] = {"stop.epochs=3"};
  sprint_status status = sprint_experiment_load(context, argv[1], sets, 1, &experiment);
  if (status == SPRINT_OK) status = sprint_experiment_start(experiment, 0, 0, 0, &run);
  if (status == SPRINT_OK) status = sprint_run_go(run, watch, NULL);
  if (status == SPRINT_OK) status = sprint_run_save(run, argv[2]);
  if (status != SPRINT_OK) fprintf(stderr, "run_config: %s\n", sprint_context_error(context));
  sprint_run_free(run);
  sprint_experiment_free(experiment);
  sprint_context_free(context);
  return status != SPRINT_OK;
}
