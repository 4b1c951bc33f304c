/* One process that asks and tells until a stream of records ends: requests as ask_tell_replay.py writes them, each told
 * whole. Prints what `sprint ask` and `sprint tell`, in many processes and parts, are held against.
 *
 *     ask-tell-loop START.safetensors SPEC N D RECORDS OUT.safetensors */
#include <sprint.h>
#include <stdio.h>
#include <stdlib.h>

static double *read_reals(FILE *stream, size_t n) {
  double *values = calloc(n + 1, sizeof *values);
  if (!values || fread(values, sizeof *values, n, stream) != n) exit(2);
  return values;
}

/* Doubles, which both precisions have exactly. */
static sprint_real *take(FILE *stream, size_t n) {
  double *values = read_reals(stream, n);
  sprint_real *reals = calloc(n + 1, sizeof *reals);
  for (size_t i = 0; reals && i < n; i++) reals[i] = (sprint_real)values[i];
  free(values);
  return reals;
}

static sprint_status loop(sprint_solver *solver, FILE *stream, size_t d) {
  sprint_want want = {.size = sizeof want};
  sprint_status status;
  uint64_t counts[2]; /* records, and whether there are reference records */
  while ((status = sprint_solver_ask(solver, &want)) == SPRINT_OK && fread(counts, sizeof counts, 1, stream) == 1) {
    size_t n = (size_t)counts[0];
    sprint_real *x = take(stream, n * d), *y = take(stream, n), *before = counts[1] ? take(stream, n * d) : NULL;
    sprint_records records = {.size = sizeof records, .n = n, .x = x, .y = y, .x_reference = before, .last = true};
    status = sprint_solver_tell(solver, &records);
    free(x);
    free(y);
    free(before);
    if (status != SPRINT_OK) return status;
  }
  return status;
}

int main(int argc, char **argv) {
  sprint_context *context = NULL;
  if (argc != 7 || sprint_context_new(&context) != SPRINT_OK) return 2;
  size_t n = strtoul(argv[3], NULL, 10), d = strtoul(argv[4], NULL, 10);
  FILE *stream = fopen(argv[5], "rb");
  sprint_real *x = calloc(2 * d, sizeof *x), y[2] = {0, 1}, *theta = NULL;
  sprint_population *two = NULL; /* only says how many features and classes there are */
  sprint_model *model = NULL;
  sprint_solver *solver = NULL;
  if (!stream || !x) return 2;
  sprint_status status = sprint_population_new(context, 2, d, x, y, 2, &two);
  if (status == SPRINT_OK) status = sprint_model_new(context, "{layers: dense 1}", two, &model);
  if (status == SPRINT_OK) theta = calloc(sprint_model_n_params(model), sizeof *theta);
  if (status == SPRINT_OK) status = sprint_model_read_theta(model, argv[1], theta);
  sprint_solver_options options = {
      .size = sizeof options, .spec = argv[2], .model = model, .n = n, .n_strata = 1, .theta = theta, .seed = 1};
  if (status == SPRINT_OK) status = sprint_solver_new(context, &options, &solver);
  if (status == SPRINT_OK) status = loop(solver, stream, d);
  if (status == SPRINT_OK) status = sprint_model_write_theta(model, argv[6], sprint_solver_theta(solver));
  if (status != SPRINT_OK) fprintf(stderr, "%s\n", sprint_context_error(context));
  fclose(stream);
  sprint_solver_free(solver);
  sprint_model_free(model);
  sprint_population_free(two);
  sprint_context_free(context);
  free(theta);
  free(x);
  return status != SPRINT_OK;
}
