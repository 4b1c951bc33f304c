/* A trace row: everything that is measured at theta. Nothing here is counted, drawn or remembered by the shift. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "run/run.h"

static double norm_sq(const double *a, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * a[i];
  return sum;
}

struct bias_work {
  sprint_run *run;
  const sprint_real *theta;
};

/* Subtracts the piece's share of E[grad l(z~; theta~)], z~ the records that were kept at the snapshot. */
static sprint_status subtract_kept(void *user, const struct sprint__piece *piece) {
  const struct bias_work *work = user;
  sprint_run *run = work->run;
  sprint_model *model = run->shift->model;
  size_t d = run->shift->population->d;
  for (size_t i = 0; i < piece->n; i++)
    memcpy(run->pass.x + i * d, run->anchor_x + piece->who[i] * d, d * sizeof *run->pass.x);
  struct sprint__rows rows = {.n = piece->n, .x = run->pass.x, .y = piece->y};
  struct sprint__sums sums;
  sprint__model_add_sums(model, work->theta, &rows, -piece->weight, true, run->control, &sums);
  return SPRINT_OK;
}

/* |E[v] - grad J(theta; deployed)| of the newest step = |g^ - E[grad l(z~; theta~)]|, by enumeration of all draws. */
static sprint_status measure_bias(sprint_run *run, double *ret_bias) {
  const sprint_solver *solver = run->solver;
  size_t n = solver->n_params;
  bool coupled = false;
  *ret_bias = 0;
  if (!solver->estimator->control || !run->eval_bias) {
    if (!run->eval_bias) *ret_bias = NAN;
    return SPRINT_OK;
  }
  const double *p = sprint__run_p(run);
  const sprint_real *anchor = solver->estimator->control(solver, p, &coupled, run->control);
  if (!anchor) return SPRINT_OK;
  if (coupled && run->anchor_x) {
    struct bias_work work = {run, anchor};
    for (size_t i = 0; i < n; i++) run->control[i] -= sprint__model_decay(solver->model, anchor, i);
    SPRINT__TRY(sprint__pass_over(&run->pass, NULL, &run->current, subtract_kept, &work));
  } else {
    struct sprint__risk risk = {.gradient = run->gradient};
    const struct sprint__deployment *records = coupled ? &run->anchor : &run->current;
    SPRINT__TRY(sprint__risk_of(&run->pass, anchor, records, &run->current, &risk));
    for (size_t i = 0; i < n; i++) run->control[i] -= run->gradient[i];
  }
  *ret_bias = sqrt(norm_sq(run->control, n));
  return SPRINT_OK;
}

/* A theta that has diverged has nothing to be measured. */
static void measure_nothing(sprint_run *run, sprint_trace_row *row) {
  for (size_t c = 0; c < run->shift->population->n_strata; c++) run->here.p[c] = NAN;
  row->loss = row->accuracy = row->loss_base = row->accuracy_base = row->loss_heldout = row->accuracy_heldout = NAN;
  row->gradient_sq = row->displacement = row->bias = NAN;
}

static sprint_status measure(sprint_run *run, sprint_trace_row *row) {
  const sprint_real *theta = run->solver->theta;
  if (!sprint__all_finite(theta, run->solver->n_params)) {
    measure_nothing(run, row);
    return SPRINT_OK;
  }
  SPRINT__TRY(sprint__deployment_set(&run->here, run->shift, theta, SPRINT__LOOKING));
  if (!sprint__deployment_finite(&run->here, run->shift) || !sprint__deployment_finite(&run->current, run->shift)) {
    measure_nothing(run, row);
    return SPRINT_OK;
  }
  SPRINT__TRY(measure_bias(run, &row->bias));
  struct sprint__risk here = {.gradient = run->gradient}, base, heldout = {.loss = NAN, .accuracy = NAN};
  SPRINT__TRY(sprint__risk_of(&run->pass, theta, &run->here, &run->here, &here));
  base = here;
  base.gradient = NULL;
  if (sprint__shift_moves(run->shift)) SPRINT__TRY(sprint__risk_of(&run->pass, theta, NULL, NULL, &base));
  if (run->heldout) SPRINT__TRY(sprint__risk_heldout(&run->pass, run->heldout, theta, &run->here, &heldout));
  row->loss = here.loss;
  row->accuracy = here.accuracy;
  row->displacement = here.displacement;
  row->gradient_sq = norm_sq(run->gradient, run->solver->n_params);
  row->loss_base = base.loss_base;
  row->accuracy_base = base.accuracy_base;
  row->loss_heldout = heldout.loss;
  row->accuracy_heldout = heldout.accuracy;
  return SPRINT_OK;
}

/* Keeps p, and works out how many classes are left. */
static sprint_status measure_strata(sprint_run *run, sprint_trace_row *row) {
  size_t n = run->shift->population->n_strata;
  SPRINT__TRY(sprint__grow(run->context, (void **)&run->strata, run->n_rows * n, &run->n_strata_room,
                           (run->n_rows + 1) * n, sizeof *run->strata));
  double *p = run->strata + run->n_rows * n;
  memcpy(p, run->here.p, n * sizeof *p);
  row->entropy = isfinite(row->gradient_sq) ? 0 : NAN;
  for (size_t c = 0; c < n; c++)
    if (p[c] > 0) row->entropy -= p[c] * log(p[c]);
  row->effective_classes = exp(row->entropy);
  return SPRINT_OK;
}

sprint_status sprint__run_evaluate(sprint_run *run) {
  const sprint_solver *solver = run->solver;
  size_t n = solver->n_params, rows = run->n_rows;
  SPRINT__TRY(sprint__grow(run->context, (void **)&run->rows, rows, &run->n_rows_room, rows + 1, sizeof *run->rows));
  sprint_trace_row *row = &run->rows[rows];
  *row = (sprint_trace_row){
      .epoch = (double)solver->cost.epochs + (double)solver->epoch_step / (double)solver->inner,
      .cost = solver->cost,
      .seconds = run->seconds,
  };
  uint64_t evals = run->shift->evals;
  SPRINT__TRY(measure(run, row));
  run->shift->evals = evals;
  SPRINT__TRY(measure_strata(run, row));
  double total = row->gradient_sq + (rows ? row[-1].gradient_sq_mean * (double)rows : 0);
  row->gradient_sq_mean = total / (double)(rows + 1);
  row->moved = rows ? sprint__distance(solver->theta, run->theta_before, n) : 0;
  memcpy(run->theta_before, solver->theta, n * sizeof *solver->theta);
  run->n_rows++;
  return SPRINT_OK;
}

static const sprint_param eval_params[] = {
    {.name = "every",
     .type = SPRINT_PARAM_INTEGER,
     .standard = "1",
     .min = 1,
     .max = 1e12,
     .help = "epochs between two rows of the trace"},
    {.name = "bias",
     .type = SPRINT_PARAM_BOOL,
     .standard = "true",
     .help = "whether the estimator's bias is worked out at every row (one more pass)"},
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
