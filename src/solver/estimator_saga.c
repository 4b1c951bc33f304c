/* SAGA by identity (Defazio, Bach and Lacoste-Julien, 2014), under deployments: a table holds each individual's last
 * gradient t_i, whatever deployment it came from, and
 *
 *     v = mean[grad l(z; theta) - t_i] + sum_c p_c(deployed) (1/n_c) sum_{i in c} t_i,   then t_i := grad l(z; theta),
 *
 * the mean over a stratum being one over its people: by weight, where records have weights.
 * Over all draws v is grad J(theta; deployed), for every shift: what is drawn by p is taken off as it is added. The
 * table starts at 0, so that somebody's first time is a sample of SGD. */
#include <string.h>

#include "solver/solver.h"

struct saga {
  sprint_real *table; /* (n, n_params) t_i */
  double *sums;       /* (n_strata, n_params) of the table, by weight */
  sprint_real *mean;  /* (n_params) the table's, weighted by today's p */
  sprint_real *fresh; /* (batch, n_params) grad l(z; theta) */
};

/* Refuses a table that would not fit the megabytes of the section, before any is taken. */
static sprint_status check_memory(const sprint_solver *solver, const struct sprint__section *section) {
  double need = (double)solver->n * (double)solver->n_params * sizeof(sprint_real) / 1e6;
  double most = (double)sprint__get_integer(section, "memory");
  if (need <= most) return SPRINT_OK;
  return sprint__refuse(section, "memory",
                        "a table of %zu gradients of %zu parameters takes %.3g megabytes; at most %.0f may be taken",
                        solver->n, solver->n_params, need, most);
}

static sprint_status saga_setup(sprint_solver *solver, const struct sprint__section *section) {
  if (solver->n == 0)
    return sprint__refuse(section, "kind", "'saga' keeps a gradient of everybody, and this population has no end");
  if (solver->n_strata > 1 && !solver->strata_sizes)
    return sprint_fail(solver->context, SPRINT_ERROR_ARGUMENT,
                       "'saga' needs to know how many people each stratum has; `strata_sizes` was expected");
  SPRINT__TRY(check_memory(solver, section));
  struct sprint__arena *arena = &solver->arena;
  struct saga *s = solver->impl = sprint__arena_take(arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  size_t d = solver->n_params;
  solver->tells_who = solver->stratifies = true;
  solver->tells_strata = solver->n_strata > 1;
  s->table = sprint__arena_take(arena, solver->n, d * sizeof *s->table);
  s->sums = sprint__arena_take(arena, solver->n_strata, d * sizeof *s->sums);
  s->mean = sprint__arena_take(arena, d, sizeof *s->mean);
  s->fresh = sprint__arena_take(arena, solver->batch, d * sizeof *s->fresh);
  return sprint__arena_status(arena);
}

static size_t stratum_of(const sprint_records *records, size_t i) { return records->stratum ? records->stratum[i] : 0; }

/* The table's mean, as today's deployment weighs the strata. */
static void weigh_table(sprint_solver *solver, const double *p) {
  struct saga *s = solver->impl;
  const double all = 1;
  struct sprint__strata_parts parts = {solver->n_strata, solver->n_params, s->sums, solver->strata_sizes, NULL};
  sprint__strata_mean(solver->context, &parts, solver->n_strata > 1 ? p : &all, s->mean, NULL);
}

/* fresh := the gradients of all rows; direction := the sum of what is new in them. Returns the sum of the losses. */
static double compare_with_table(sprint_solver *solver, const sprint_records *records,
                                 const struct sprint__rows *rows) {
  struct saga *s = solver->impl;
  size_t d = solver->n_params;
  double loss = 0;
  memset(solver->direction, 0, d * sizeof *solver->direction);
  for (size_t i = 0; i < rows->n; i++) {
    struct sprint__rows row = sprint__rows_part(rows, solver->model->n_features, i, i + 1);
    struct sprint__sums sums = {0, 0, s->fresh + i * d};
    const sprint_real *kept = s->table + records->who[i] * d;
    sprint__model_sums(solver->model, solver->theta, &row, &sums, NULL);
    for (size_t k = 0; k < d; k++) solver->direction[k] += sums.gradient[k] - kept[k];
    loss += sums.loss;
  }
  return loss;
}

/* Somebody who was drawn twice has the same gradient both times. */
static void keep(sprint_solver *solver, const sprint_records *records) {
  struct saga *s = solver->impl;
  size_t d = solver->n_params;
  for (size_t i = 0; i < records->n; i++) {
    const sprint_real *fresh = s->fresh + i * d;
    sprint_real *kept = s->table + records->who[i] * d;
    double *sums = s->sums + stratum_of(records, i) * d, weight = records->weight ? records->weight[i] : 1;
    for (size_t k = 0; k < d; k++) sums[k] += weight * ((double)fresh[k] - (double)kept[k]);
    memcpy(kept, fresh, d * sizeof *kept);
  }
}

static bool saga_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                       struct sprint__estimate *ret_estimate) {
  struct saga *s = solver->impl;
  weigh_table(solver, records->p);
  ret_estimate->loss = compare_with_table(solver, records, rows) / (double)records->n;
  ret_estimate->ifo = records->n;
  ret_estimate->control = s->mean;
  keep(solver, records);
  return true;
}

static void saga_state(sprint_solver *solver, struct sprint__state *state) {
  struct saga *s = solver->impl;
  SPRINT__KEEP_ARRAY(state, s->table, solver->n * solver->n_params);
  SPRINT__KEEP_ARRAY(state, s->sums, solver->n_strata * solver->n_params);
}

static const struct sprint__estimator_ops saga_ops = {
    .setup = saga_setup,
    .want = sprint__want_batch,
    .batch = saga_batch,
    .unbiased = true,
    .follows_gradient = true,
    .state = saga_state,
    .takes_stale = true,
    .resumes = true,
};

static const sprint_param saga_params[] = {
    SPRINT__INTEGER("memory", "1000", 0, 1e6, "megabytes that the table of gradients may take"),
};

const sprint_kind sprint__estimator_saga = {
    .name = "saga",
    .help = "SAGA by identity: everybody's last gradient is kept; unbiased, no snapshots, b IFO a step",
    .params = saga_params,
    .n_params = SPRINT__COUNT(saga_params),
    .ops = &saga_ops,
    .cites = "Defazio, Bach, Lacoste-Julien 2014, arXiv 1407.0202; under deployments: docs/math.md",
    .cost = "b IFO a step, of samples one by one",
    .memory = "nd, and bd",
};
