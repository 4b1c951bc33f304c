/* SPRINT (Algorithm 1 of arXiv 2509.17304): a snapshot g~ = grad J(theta~; theta~) once an epoch, then
 *
 *     v = (1/b) sum [grad l(z; theta) - grad l(z~; theta~)] + g^
 *
 * with z~ and g^ set by the correction (docs/math.md section 3): whether z~ is the same shifted sample or the same
 * individual's record under theta~ (coupled), and whether g^ is g~ or the per-stratum gradients weighted by the strata
 * of today (stratified). */
#include <string.h>

#include "solver/solver.h"

struct svrg {
  bool stratified;
  bool anchored;                /* there has been a snapshot */
  uint64_t anchor_step;         /* the solver's steps at the newest one */
  uint64_t anchor_deployment;   /* that theta~ was deployed as */
  sprint_real *anchor;          /* (n_params) theta~ */
  double *anchor_p;             /* (n_strata) p_c(theta~) */
  sprint_real *snapshot;        /* (n_params) g~; all without the penalty's part */
  uint64_t version, n_versions; /* of the snapshot as g^; of all g^ so far */

  /* Where the strata are weighted anew, otherwise NULL: */
  sprint_real *strata_gradient; /* (n_strata, n_params) g~_c */
  sprint_real *control;         /* (n_params) g^ under control_p */
  double *control_p;            /* (n_strata) */
  uint64_t control_version;     /* 0: none has been worked out since the snapshot */
};

static sprint_status svrg_setup(sprint_solver *solver, const struct sprint__section *section) {
  struct sprint__arena *arena = &solver->arena;
  struct svrg *s = solver->impl = sprint__arena_take(arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  const char *correction = sprint__get_text(section, "correction");
  bool unbiased = strcmp(correction, "unbiased") == 0;
  solver->anchors = true;
  solver->coupled = unbiased || strcmp(correction, "coupled") == 0;
  s->stratified = (unbiased || strcmp(correction, "stratified") == 0) && solver->n_strata > 1;
  size_t d = solver->n_params, strata = solver->n_strata;
  s->anchor = sprint__arena_take(arena, d, sizeof(sprint_real));
  s->snapshot = sprint__arena_take(arena, d, sizeof(sprint_real));
  s->anchor_p = sprint__arena_take(arena, strata, sizeof(double));
  if (s->stratified) {
    s->strata_gradient = sprint__arena_take(arena, strata * d, sizeof(sprint_real));
    s->control = sprint__arena_take(arena, d, sizeof(sprint_real));
    s->control_p = sprint__arena_take(arena, strata, sizeof(double));
  }
  return sprint__arena_status(arena);
}

static bool svrg_want(const sprint_solver *solver, sprint_want *ret_want) {
  const struct svrg *s = solver->impl;
  bool fresh = s->anchored && s->anchor_step == solver->cost.steps;
  bool snapshot = solver->epoch_step == 0 && !fresh;
  ret_want->kind = snapshot ? SPRINT_WANT_POPULATION : SPRINT_WANT_BATCH;
  ret_want->reference = snapshot || !solver->coupled ? 0 : s->anchor_deployment;
  return snapshot;
}

static bool svrg_population(sprint_solver *solver, const struct sprint__strata_sums *everybody,
                            struct sprint__estimate *ret_estimate) {
  (void)ret_estimate;
  struct svrg *s = solver->impl;
  size_t d = solver->n_params;
  memcpy(s->anchor, solver->theta, d * sizeof *s->anchor);
  memcpy(s->anchor_p, everybody->p, solver->n_strata * sizeof *s->anchor_p);
  s->anchored = true;
  s->anchor_step = solver->cost.steps;
  s->anchor_deployment = solver->cost.deployments;
  s->version = ++s->n_versions;
  s->control_version = 0;
  for (size_t c = 0; s->stratified && c < solver->n_strata; c++)
    for (size_t i = 0; i < d; i++)
      s->strata_gradient[c * d + i] =
          everybody->count[c] ? (sprint_real)(everybody->gradient[c * d + i] / (double)everybody->count[c]) : 0;
  struct sprint__strata_parts parts = sprint__strata_parts_of(everybody);
  sprint__strata_mean(solver->context, &parts, everybody->p, s->snapshot, NULL);
  return false;
}

/* control := g^ under strata probabilities p, unless that is what it is. */
static void weigh_strata(sprint_solver *solver, const double *p) {
  struct svrg *s = solver->impl;
  size_t size = solver->n_strata * sizeof *p;
  if (s->control_version && memcmp(p, s->control_p, size) == 0) return;
  struct sprint__strata_parts parts = {solver->n_strata, solver->n_params, NULL, NULL, s->strata_gradient};
  sprint__strata_mean(solver->context, &parts, p, s->control, NULL);
  memcpy(s->control_p, p, size);
  s->control_version = ++s->n_versions;
}

static void svrg_linear(sprint_solver *solver, const double *p, struct sprint__linear *ret_linear) {
  struct svrg *s = solver->impl;
  *ret_linear = (struct sprint__linear){.ifo = 2, .steady = true};
  if (!s->anchored) return;
  ret_linear->anchor = s->anchor;
  ret_linear->anchor_step = s->anchor_step;
  ret_linear->coupled = solver->coupled;
  ret_linear->control = s->snapshot;
  ret_linear->version = s->version;
  if (!s->stratified || !p || memcmp(p, s->anchor_p, solver->n_strata * sizeof *p) == 0) return;
  weigh_strata(solver, p);
  ret_linear->control = s->control;
  ret_linear->version = s->control_version;
  ret_linear->steady = false;
}

static bool svrg_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                       struct sprint__estimate *ret_estimate) {
  struct sprint__sums sums = {0, 0, solver->direction};
  struct sprint__linear linear;
  svrg_linear(solver, records->p, &linear);
  sprint__model_difference(solver->model, solver->theta, linear.anchor, rows,
                           linear.coupled ? records->x_reference : NULL, &sums);
  ret_estimate->control = linear.control;
  ret_estimate->loss = sums.loss / (double)records->n;
  ret_estimate->ifo = linear.ifo * records->n;
  return true;
}

static double svrg_ifo(const sprint_solver *solver) {
  return (double)solver->n + 2 * (double)solver->inner * (double)solver->batch;
}

static const struct sprint__estimator_ops svrg_ops = {
    .setup = svrg_setup,
    .want = svrg_want,
    .population = svrg_population,
    .batch = svrg_batch,
    .linear = svrg_linear,
    .ifo_per_epoch = svrg_ifo,
};

static const sprint_param svrg_params[] = {
    SPRINT__CHOICE(
        "correction", "paper", "paper|coupled|stratified|unbiased",
        "paper: the published algorithm, biased; coupled: exact where features move; stratified: exact where "
        "strata are reweighted; unbiased: exact for both"),
};

const sprint_kind sprint__estimator_svrg = {"sprint", "SPRINT: variance reduction by a snapshot, n + 2bm IFO an epoch",
                                            svrg_params, SPRINT__COUNT(svrg_params), &svrg_ops};
