/* Clipped SGD under greedy deployment (Li, Yau and Wai, "Clipped SGD algorithms for performative prediction", 2024):
 * the batch's mean of gradients that are each cut to a length; or the mean itself is. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "solver/solver.h"

struct clipped {
  double length;
  bool each;         /* sample; otherwise the mean */
  sprint_real *part; /* (n_params) a sample's */
};

static sprint_status clipped_setup(sprint_solver *solver, const struct sprint__section *section) {
  struct clipped *s = solver->impl = sprint__arena_take(&solver->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  s->length = sprint__get_real(section, "length");
  s->each = strcmp(sprint__get_text(section, "of"), "sample") == 0;
  s->part = sprint__arena_take(&solver->arena, solver->n_params, sizeof *s->part);
  return sprint__arena_status(&solver->arena);
}

/* What a gradient is multiplied by to be no longer than the length. */
static sprint_real factor(const struct clipped *s, double norm) {
  return (sprint_real)(norm > s->length ? s->length / norm : 1);
}

/* direction := the sum of all samples' gradients, the penalty's in each, cut; returns the sum of the losses. */
static double sum_cut(sprint_solver *solver, const struct sprint__rows *rows) {
  struct clipped *s = solver->impl;
  double loss = 0;
  memset(solver->direction, 0, solver->n_params * sizeof *solver->direction);
  for (size_t i = 0; i < rows->n; i++) {
    struct sprint__rows row = sprint__rows_part(rows, solver->model->n_features, i, i + 1);
    struct sprint__sums sums = {0, 0, s->part};
    sprint__model_sums(solver->model, solver->theta, &row, &sums, NULL);
    sprint__model_add_decay(solver->model, solver->theta, 1, s->part);
    sprint_real by = factor(s, sqrt(sprint__norm_sq(s->part, solver->n_params)));
    for (size_t k = 0; k < solver->n_params; k++) solver->direction[k] += by * s->part[k];
    loss += sums.loss;
  }
  return loss;
}

static bool clipped_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                          struct sprint__estimate *ret_estimate) {
  struct clipped *s = solver->impl;
  struct sprint__sums sums = {0, 0, solver->direction};
  if (s->each) {
    sums.loss = sum_cut(solver, rows);
  } else {
    sprint__model_sums(solver->model, solver->theta, rows, &sums, NULL);
    sprint__model_add_decay(solver->model, solver->theta, (double)rows->n, solver->direction);
    double norm = sqrt(sprint__norm_sq(solver->direction, solver->n_params)) / (double)rows->n;
    ret_estimate->scale *= factor(s, norm);
  }
  ret_estimate->loss = sums.loss / (double)records->n;
  ret_estimate->ifo = records->n;
  ret_estimate->penalized = true;
  return true;
}

static const struct sprint__estimator_ops clipped_ops = {
    .setup = clipped_setup,
    .want = sprint__want_batch,
    .batch = clipped_batch,
    .takes_stale = true,
    .resumes = true,
};

static const sprint_param clipped_params[] = {
    SPRINT__REAL("length", "1", 1e-300, 1e12, "gradients are cut to this length"),
    SPRINT__CHOICE("of", "sample", "sample|batch", "what is cut: every sample's gradient, or the batch's mean"),
};

const sprint_kind sprint__estimator_clipped = {
    .name = "clipped",
    .help = "clipped SGD-GD: gradients are cut to a length, which biases them; b IFO a step",
    .params = clipped_params,
    .n_params = SPRINT__COUNT(clipped_params),
    .ops = &clipped_ops,
    .cites = "Li, Yau, Wai 2024, Clipped SGD algorithms for performative prediction",
    .cost = "b IFO a step, of samples one by one",
    .memory = "d",
};
