/* SPRINT (Algorithm 1 of arXiv 2509.17304): a snapshot g~ = grad J(theta~; theta~) once an epoch, then
 *
 *     v = (1/b) sum [grad l(z; theta) - grad l(z~; theta~)] + g^
 *
 * with z~ and g^ set by the correction (MATH.md section 3): whether z~ is the same shifted sample or the same
 * individual's record under theta~ (coupled), and whether g^ is g~ or the per-stratum gradients weighted by the strata
 * of today (stratified). */
#include <string.h>

#include "base/fast.h"
#include "solver/solver.h"

struct svrg {
  bool coupled, stratified;
  bool fresh;                   /* the snapshot is of this epoch */
  uint64_t anchor_deployment;   /* that theta~ was deployed as */
  sprint_real *anchor;          /* (n_params) theta~ */
  sprint_real *strata_gradient; /* (n_strata, n_params) g~_c; where the strata are weighted anew, NULL otherwise */
  double *anchor_p;             /* (n_strata) p_c(theta~) */
  sprint_real *snapshot;        /* (n_params) g~; all without the penalty's part */
  sprint_real *control;         /* (n_params) g^ of today; as strata_gradient */
};

static void svrg_free(sprint_solver *solver) {
  struct svrg *s = solver->impl;
  if (!s) return;
  sprint__free(s->anchor);
  sprint__free(s->strata_gradient);
  sprint__free(s->anchor_p);
  sprint__free(s->snapshot);
  sprint__free(s->control);
  sprint__free(s);
}

static sprint_status svrg_setup(sprint_solver *solver, const struct sprint__section *section) {
  sprint_context *context = solver->context;
  struct svrg *s = solver->impl = sprint__alloc(context, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  const char *correction = sprint__get_text(section, "correction");
  bool unbiased = strcmp(correction, "unbiased") == 0;
  s->coupled = unbiased || strcmp(correction, "coupled") == 0;
  s->stratified = (unbiased || strcmp(correction, "stratified") == 0) && solver->n_strata > 1;
  size_t d = solver->n_params;
  s->anchor = sprint__alloc(context, d, sizeof(sprint_real));
  s->snapshot = sprint__alloc(context, d, sizeof(sprint_real));
  s->anchor_p = sprint__alloc(context, solver->n_strata, sizeof(double));
  if (!s->anchor || !s->snapshot || !s->anchor_p) return SPRINT_ERROR_MEMORY;
  if (!s->stratified) return SPRINT_OK;
  s->control = sprint__alloc(context, d, sizeof(sprint_real));
  s->strata_gradient = sprint__alloc(context, solver->n_strata * d, sizeof(sprint_real));
  return s->control && s->strata_gradient ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static bool svrg_want(const sprint_solver *solver, sprint_want *ret_want) {
  const struct svrg *s = solver->impl;
  bool snapshot = solver->epoch_step == 0 && !s->fresh;
  ret_want->kind = snapshot ? SPRINT_WANT_POPULATION : SPRINT_WANT_BATCH;
  ret_want->reference = snapshot || !s->coupled ? 0 : s->anchor_deployment;
  return snapshot;
}

/* Below this a stratum's share of g^ is far beneath the rounding of any other. */
#define NEVER 1e-30

/* g^ under strata probabilities p, stratum by stratum; those that never show up are left out. */
SPRINT__FAST static void control(const sprint_solver *solver, const double *p, sprint_real *restrict ret_g) {
  const struct svrg *s = solver->impl;
  enum { CHUNK = 256 };
  for (size_t start = 0; start < solver->n_params; start += CHUNK) {
    size_t n = solver->n_params - start < CHUNK ? solver->n_params - start : CHUNK;
    double sums[CHUNK] = {0};
    for (size_t c = 0; c < solver->n_strata; c++) {
      const sprint_real *part = s->strata_gradient + c * solver->n_params + start;
      for (size_t i = 0; p[c] > NEVER && i < n; i++) sums[i] += p[c] * (double)part[i];
    }
    for (size_t i = 0; i < n; i++) ret_g[start + i] = (sprint_real)sums[i];
  }
}

static bool svrg_population(sprint_solver *solver, const struct sprint__gathered *gathered,
                            struct sprint__estimate *ret_estimate) {
  (void)ret_estimate;
  struct svrg *s = solver->impl;
  size_t d = solver->n_params;
  memcpy(s->anchor, solver->theta, d * sizeof *s->anchor);
  memcpy(s->anchor_p, gathered->p, solver->n_strata * sizeof *s->anchor_p);
  s->anchor_deployment = solver->cost.deployments;
  for (size_t c = 0; s->stratified && c < solver->n_strata; c++)
    for (size_t i = 0; i < d; i++)
      s->strata_gradient[c * d + i] =
          gathered->count[c] ? (sprint_real)(gathered->gradient[c * d + i] / (double)gathered->count[c]) : 0;
  sprint__gathered_mean(solver, gathered, gathered->p, s->snapshot);
  s->fresh = true;
  return false;
}

/* Whether strata probabilities p are not those of the snapshot. */
static bool other_mix(const sprint_solver *solver, const double *p) {
  const struct svrg *s = solver->impl;
  return s->stratified && p && memcmp(p, s->anchor_p, solver->n_strata * sizeof *s->anchor_p) != 0;
}

static const sprint_real *svrg_steady(const sprint_solver *solver, const double *p) {
  const struct svrg *s = solver->impl;
  return other_mix(solver, p) ? NULL : s->snapshot;
}

static void svrg_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                       struct sprint__estimate *ret_estimate) {
  struct svrg *s = solver->impl;
  struct sprint__sums sums = {0, 0, solver->direction};
  sprint__model_difference(solver->model, solver->theta, s->anchor, rows, s->coupled ? records->x_reference : NULL,
                           &sums);
  ret_estimate->control = s->snapshot;
  if (other_mix(solver, records->p)) {
    control(solver, records->p, s->control);
    ret_estimate->control = s->control;
    ret_estimate->steady = false;
  }
  s->fresh = false;
  ret_estimate->loss = sums.loss / (double)records->n;
  ret_estimate->ifo = 2 * records->n;
}

static const sprint_real *svrg_control(const sprint_solver *solver, const double *p, bool *ret_coupled, double *ret_g) {
  const struct svrg *s = solver->impl;
  *ret_coupled = s->coupled;
  if (s->anchor_deployment == 0) return NULL;
  for (size_t i = 0; ret_g && i < solver->n_params; i++) {
    double g = (double)s->snapshot[i];
    for (size_t c = 0; p && s->stratified && c < solver->n_strata; c++)
      g = (c ? g : 0) + p[c] * (double)s->strata_gradient[c * solver->n_params + i];
    ret_g[i] = g + sprint__model_decay(solver->model, s->anchor, i);
  }
  return s->anchor;
}

static const struct sprint__estimator_ops svrg_ops = {
    .setup = svrg_setup,
    .free = svrg_free,
    .want = svrg_want,
    .population = svrg_population,
    .batch = svrg_batch,
    .steady = svrg_steady,
    .control = svrg_control,
};

static const sprint_param svrg_params[] = {
    {.name = "correction",
     .type = SPRINT_PARAM_CHOICE,
     .standard = "paper",
     .choices = "paper|coupled|stratified|unbiased",
     .help = "paper: the published algorithm, biased; coupled: exact where features move; stratified: exact where "
             "strata are reweighted; unbiased: exact for both"},
};

const sprint_kind sprint__estimator_svrg = {"sprint", "SPRINT: variance reduction by a snapshot, n + 2bm IFO an epoch",
                                            svrg_params, SPRINT__COUNT(svrg_params), &svrg_ops};
