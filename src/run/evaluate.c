/* A trace row: everything that is measured at theta. Nothing here is counted, drawn or remembered by the shift. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "run/run.h"

/* The file's sentence, with the key in front. */
static sprint_status read_reference(sprint_run *run, const struct sprint__section *eval, const char *path) {
  sprint_model *model = run->shift->model;
  run->reference = sprint__alloc(run->context, model->n_params, sizeof *run->reference);
  if (!run->reference) return SPRINT_ERROR_MEMORY;
  sprint_status status = sprint_model_read_theta(model, path, run->reference);
  if (status == SPRINT_OK && !sprint__all_finite(run->reference, model->n_params))
    status = sprint_fail(run->context, SPRINT_ERROR_INPUT, "%s: not all of its numbers are finite", path);
  if (status == SPRINT_OK || status == SPRINT_ERROR_MEMORY) return status;
  SPRINT__SCOPED(sprint__free) char *why = sprint__strdup(run->context, sprint_context_error(run->context));
  return why ? sprint__refuse(eval, "reference", "%s", why) : SPRINT_ERROR_MEMORY;
}

/* Of two classes the second is the positive one, unless told otherwise. */
static sprint_status read_decision(sprint_run *run, const struct sprint__section *eval) {
  const sprint_population *population = run->shift->population;
  const char *positive = sprint__get_text(eval, "positive");
  run->eval_threshold = sprint__get_real(eval, "threshold");
  run->eval_positive = 1;
  if (!*positive) return SPRINT_OK;
  if (population->n_classes != 2)
    return sprint__refuse(eval, "positive", "one of two classes can be the positive one, and the data has %zu",
                          population->n_classes);
  return sprint__population_class(eval, "positive", population, positive, &run->eval_positive);
}

sprint_status sprint__run_evaluates(sprint_run *run, const struct sprint__section *eval) {
  const char *reference = sprint__get_text(eval, "reference");
  run->eval_every = (uint64_t)sprint__get_integer(eval, "every");
  run->eval_bias = sprint__get_flag(eval, "bias");
  SPRINT__TRY(read_decision(run, eval));
  return *reference ? read_reference(run, eval, reference) : SPRINT_OK;
}

/* A theta that has diverged has nothing to be measured. */
static void measure_nothing(double *p, size_t n_strata, sprint_trace_row *row) {
  for (size_t c = 0; c < n_strata; c++) p[c] = NAN;
  row->loss = row->accuracy = row->loss_base = row->accuracy_base = row->loss_heldout = row->accuracy_heldout = NAN;
  row->gradient_sq = row->displacement = row->bias = row->bias_deployed = NAN;
  row->drift = row->drift_noise = row->kappa = row->distance = NAN;
}

/* p (n_strata) gets the probabilities at theta. */
static sprint_status measure(sprint_run *run, double *p, sprint_trace_row *row) {
  struct sprint__measures look;
  bool finite = false;
  look.bias = row->bias_deployed = NAN;
  if (run->eval_bias) SPRINT__TRY(sprint__engine_bias(run->engine, run->room, &row->bias_deployed));
  SPRINT__TRY(sprint__engine_measure(run->engine, run->room, p, &look, &finite));
  if (!finite) {
    measure_nothing(p, run->shift->population->n_strata, row);
    return SPRINT_OK;
  }
  const sprint_solver *solver = run->solver;
  row->distance = run->reference ? sprint__distance(solver->theta, run->reference, solver->n_params) : NAN;
  row->bias = run->engine->lags ? look.bias : row->bias_deployed;
  row->loss = look.loss;
  row->accuracy = look.accuracy;
  row->displacement = look.displacement;
  row->gradient_sq = look.gradient_sq;
  row->loss_base = look.loss_base;
  row->accuracy_base = look.accuracy_base;
  row->loss_heldout = look.loss_heldout;
  row->accuracy_heldout = look.accuracy_heldout;
  sprint_drift drift = sprint__solver_drift(run->solver, p);
  row->drift = drift.bias;
  row->drift_noise = drift.noise;
  row->kappa = drift.kappa;
  return SPRINT_OK;
}

/* How many classes are left. */
static void measure_strata(const double *p, size_t n, sprint_trace_row *row) {
  row->entropy = isfinite(row->gradient_sq) ? 0 : NAN;
  for (size_t c = 0; c < n; c++)
    if (p[c] > 0) row->entropy -= p[c] * log(p[c]);
  row->effective_classes = exp(row->entropy);
}

/* A row stands for the epochs since the one before it, the first for the start, which counts as one. */
static double mean_over_epochs(const sprint_trace_row *before, const sprint_trace_row *row) {
  double gone = 1 + before->epoch, new = row->epoch - before->epoch;
  return (row->gradient_sq * new + before->gradient_sq_mean *gone) / (gone + new);
}

sprint_status sprint__run_evaluate(sprint_run *run) {
  const sprint_solver *solver = run->solver;
  size_t n = solver->n_params, rows = run->n_rows, n_strata = run->shift->population->n_strata;
  SPRINT__TRY(sprint__grow(run->context, (void **)&run->rows, rows, &run->n_rows_room, rows + 1, sizeof *run->rows));
  SPRINT__TRY(sprint__grow(run->context, (void **)&run->strata, rows * n_strata, &run->n_strata_room,
                           (rows + 1) * n_strata, sizeof *run->strata));
  sprint_trace_row *row = &run->rows[rows];
  double *p = run->strata + rows * n_strata;
  *row = (sprint_trace_row){
      .size = sizeof *row,
      .epoch = sprint__solver_epoch(solver),
      .cost = solver->cost,
      .seconds = run->seconds,
  };
  uint64_t evals = run->shift->evals;
  SPRINT__TRY(measure(run, p, row));
  run->shift->evals = evals;
  measure_strata(p, n_strata, row);
  row->gradient_sq_mean = rows ? mean_over_epochs(&row[-1], row) : row->gradient_sq;
  row->moved = rows ? sprint__distance(solver->theta, run->theta_before, n) : 0;
  memcpy(run->theta_before, solver->theta, n * sizeof *solver->theta);
  run->n_rows++;
  return SPRINT_OK;
}

static const sprint_param eval_params[] = {
    SPRINT__INTEGER("every", "1", 1, 1e12, "epochs between two rows of the trace"),
    SPRINT__FLAG(
        "bias", "true",
        "whether the estimator's bias is worked out at every row (where features move, maybe by one more pass)"),
    SPRINT__TEXT("positive", "",
                 "of two classes, the one that recall, precision, ROC and calibration are about, by its name in the "
                 "data; default: the second"),
    SPRINT__REAL("threshold", "0.5", 0, 1, "of its probability, from which on it is said"),
    SPRINT__TEXT("reference", "",
                 "a point to measure the distance to: model.safetensors of a run, or theta as a flat .npy; none: the "
                 "trace's distance is nan"),
};

static const sprint_kind eval_kind = {"", "what is measured, and how often", eval_params, SPRINT__COUNT(eval_params),
                                      NULL};
static const sprint_kind *const eval_kinds[] = {&eval_kind};

const sprint_family sprint__eval_family = {
    .name = "evals",
    .key = "eval",
    .help = "the trace; evaluation costs nothing in the counters",
    .kinds = eval_kinds,
    .n_kinds = 1,
};
