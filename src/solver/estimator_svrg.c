/* SPRINT (Algorithm 1 of arXiv 2509.17304): a snapshot g~ = grad J(theta~; theta~) once an epoch, then
 *
 *     v = (1/b) sum [grad l(z; theta) - grad l(z~; theta~)] + g^
 *
 * with z~ and g^ set by the correction (docs/math.md section 3): whether z~ is the same shifted sample or the same
 * individual's record under theta~ (coupled), and whether g^ is g~ or the per-stratum gradients weighted by the strata
 * of today (stratified). */
#include <math.h>
#include <string.h>

#include "base/fast.h"
#include "base/lanes.h"
#include "base/vector.h"
#include "solver/correction.h"
#include "solver/drift.h"
#include "solver/snapshot.h"
#include "solver/solver.h"

struct svrg {
  struct sprint__snapshot taking;
  bool stratified;
  bool anchored;                /* there has been a snapshot */
  uint64_t anchor_step;         /* the solver's steps at the newest one */
  uint64_t anchor_deployment;   /* that theta~ was deployed as */
  sprint_real *anchor;          /* (n_params) theta~ */
  double *anchor_p;             /* (n_strata) p_c(theta~) */
  double anchor_loss;           /* J(theta~; theta~), without the penalty */
  sprint_real *snapshot;        /* (n_params) g~; all without the penalty's part */
  uint64_t version, n_versions; /* of the snapshot as g^; of all g^ so far */

  /* Where features move and z~ = z; otherwise it never looks: */
  struct sprint__drift drift;
  double patience;  /* an epoch ends once the drift is this fraction of |v|; 0: it never ends early */
  double *newest_p; /* (n_strata) of the newest batch */

  /* Where strata may be reweighted, and the correction does or the meter goes by it; otherwise NULL: */
  sprint_real *strata_gradient; /* (n_strata, n_params) g~_c */
  /* Where the correction weighs the strata anew, otherwise NULL: */
  sprint_real *control;     /* (n_params) g^ under control_p */
  double *control_p;        /* (n_strata) */
  uint64_t control_version; /* 0: none has been worked out since the snapshot */

  /* Where batches carry reference records, room for those who have none; otherwise NULL: */
  sprint_real *lacking;         /* (n_params) the sum of their gradients */
  sprint_real *lacking_control; /* (n_params) g^ less their part of it */
};

/* The meter looks at batches where z~ = z is drawn anew; where features never move it goes by the strata. */
static sprint_status setup_meter(sprint_solver *solver, const struct sprint__section *section) {
  struct svrg *s = solver->impl;
  s->patience = sprint__get_real(section, "patience");
  solver->may_end_epoch = s->patience > 0;
  if (!solver->still && !solver->coupled) return sprint__drift_setup(solver, &s->drift);
  if (s->patience == 0 || solver->still) return SPRINT_OK;
  return sprint__refuse(section, "patience", "a coupled correction does not see the drift; 0 was expected");
}

static sprint_status svrg_setup(sprint_solver *solver, const struct sprint__section *section) {
  struct sprint__arena *arena = &solver->arena;
  struct svrg *s = solver->impl = sprint__arena_take(arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  struct sprint__correction correction = sprint__correction_of(section);
  solver->anchors = true;
  solver->coupled = correction.coupled;
  solver->stratifies = correction.stratified;
  solver->corrects = true;
  s->stratified = correction.stratified && solver->n_strata > 1;
  size_t d = solver->n_params, strata = solver->n_strata;
  s->anchor = sprint__arena_take(arena, d, sizeof(sprint_real));
  s->snapshot = sprint__arena_take(arena, d, sizeof(sprint_real));
  s->anchor_p = sprint__arena_take(arena, strata, sizeof(double));
  s->newest_p = sprint__arena_take(arena, strata, sizeof(double));
  if (s->stratified || (solver->still && strata > 1))
    s->strata_gradient = sprint__arena_take(arena, strata * d, sizeof(sprint_real));
  if (s->stratified) {
    s->control = sprint__arena_take(arena, d, sizeof(sprint_real));
    s->control_p = sprint__arena_take(arena, strata, sizeof(double));
  }
  if (solver->coupled) {
    s->lacking = sprint__arena_take(arena, d, sizeof(sprint_real));
    s->lacking_control = sprint__arena_take(arena, d, sizeof(sprint_real));
  }
  SPRINT__TRY(setup_meter(solver, section));
  return sprint__snapshot_setup(solver, section, &s->taking);
}

static bool svrg_want(const sprint_solver *solver, sprint_want *ret_want) {
  const struct svrg *s = solver->impl;
  bool fresh = s->anchored && s->anchor_step == solver->cost.steps;
  bool snapshot = solver->epoch_step == 0 && !fresh;
  ret_want->kind = SPRINT_WANT_BATCH;
  if (snapshot) sprint__snapshot_want(solver, &s->taking, ret_want);
  ret_want->reference = snapshot || !solver->coupled ? 0 : s->anchor_deployment;
  return snapshot;
}

enum { CHUNK = 256 }; /* parameters */

struct strata_work {
  const sprint_solver *solver;
  const struct sprint__strata_sums *sums;
};

/* g~_c of some parameters; of a stratum that a sample has nobody of, g~. */
SPRINT__FAST static void keep_chunks(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct strata_work *work = user;
  const struct svrg *s = work->solver->impl;
  size_t d = work->solver->n_params, first = start * CHUNK, last = end * CHUNK < d ? end * CHUNK : d;
  for (size_t c = 0; c < work->solver->n_strata; c++) {
    const double *restrict sum = work->sums->gradient + c * d;
    sprint_real *restrict to = s->strata_gradient + c * d;
    double weight = work->sums->weight[c];
    if (weight > 0)
      for (size_t i = first; i < last; i++) to[i] = (sprint_real)(sum[i] / weight);
    else
      memcpy(to + first, s->snapshot + first, (last - first) * sizeof *to);
  }
}

static void keep_strata(const sprint_solver *solver, const struct sprint__strata_sums *sums) {
  size_t chunks = (solver->n_params + CHUNK - 1) / CHUNK;
  struct strata_work work = {solver, sums};
  int n_lanes = sprint__lanes_for(chunks, 10.0 * CHUNK * (double)solver->n_strata, 0);
  sprint__lanes_run(solver->context, chunks, n_lanes, keep_chunks, &work);
}

static double mean_loss(const struct sprint__strata_sums *sums) {
  double loss = 0;
  for (size_t c = 0; c < sums->n_strata; c++)
    if (sums->weight[c] > 0) loss += sums->p[c] * sums->loss[c] / sums->weight[c];
  return loss;
}

static bool svrg_population(sprint_solver *solver, const struct sprint__strata_sums *told,
                            struct sprint__estimate *ret_estimate) {
  (void)ret_estimate;
  struct svrg *s = solver->impl;
  const struct sprint__strata_sums *sums = sprint__snapshot_tell(solver, &s->taking, told);
  if (!sums) return false;
  sprint__long_copy(solver->context, &solver->cut, solver->theta, s->anchor);
  memcpy(s->anchor_p, sums->p, solver->n_strata * sizeof *s->anchor_p);
  memcpy(s->newest_p, sums->p, solver->n_strata * sizeof *s->newest_p);
  s->anchor_loss = mean_loss(sums);
  s->anchored = true;
  s->anchor_step = solver->cost.steps;
  s->anchor_deployment = solver->cost.deployments;
  s->version = ++s->n_versions;
  s->control_version = 0;
  struct sprint__strata_parts parts = sprint__strata_parts_of(sums);
  sprint__strata_mean(solver->context, &parts, sums->p, s->snapshot, NULL);
  if (s->strata_gradient) keep_strata(solver, sums);
  sprint__drift_clear(&s->drift);
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
  if (p) memcpy(s->newest_p, p, solver->n_strata * sizeof *p);
  if (!s->stratified || !p || memcmp(p, s->anchor_p, solver->n_strata * sizeof *p) == 0) return;
  weigh_strata(solver, p);
  ret_linear->control = s->control;
  ret_linear->version = s->control_version;
  ret_linear->steady = false;
}

/* The sum of b_i^2 over n <= CHUNK parameters from `start` on, b = sum_c (p_c - p_c(theta~)) g~_c. */
SPRINT__FAST static double chunk_drift(const struct svrg *s, size_t n_strata, size_t n_params, const double *p,
                                       size_t start, size_t n) {
  double b[CHUNK] = {0}, square = 0;
  for (size_t c = 0; c < n_strata; c++) {
    const sprint_real *g = s->strata_gradient + c * n_params + start;
    double weight = p[c] - s->anchor_p[c];
    for (size_t i = 0; i < n; i++) b[i] += weight * (double)g[i];
  }
  for (size_t i = 0; i < n; i++) square += b[i] * b[i];
  return square;
}

/* What the correction itself repairs is no drift. */
static sprint_drift strata_drift(const sprint_solver *solver, const double *p) {
  const struct svrg *s = solver->impl;
  size_t n = solver->n_params;
  double distance = sprint__distance(solver->theta, s->anchor, n), square = 0;
  for (size_t start = 0; s->strata_gradient && !s->stratified && start < n; start += CHUNK)
    square += chunk_drift(s, solver->n_strata, n, p, start, n - start < CHUNK ? n - start : CHUNK);
  double bias = sqrt(square);
  return (sprint_drift){sizeof(sprint_drift), bias, 0, distance, bias / distance, 0};
}

static sprint_drift svrg_drift(const sprint_solver *solver, const double *p) {
  const struct svrg *s = solver->impl;
  if (solver->still && s->anchored) return strata_drift(solver, p ? p : s->newest_p);
  return sprint__drift_read(solver, &s->drift);
}

/* Standard errors from which on a drift is no noise. */
#define SURE 3

/* Looks at the batch, and ends the epoch where v leans too much on a snapshot that no longer holds. */
static void watch_drift(sprint_solver *solver, const struct sprint__rows *rows, const struct sprint__linear *linear) {
  struct svrg *s = solver->impl;
  bool looks = sprint__drift_looks(solver, &s->drift);
  if (looks) sprint__drift_look(solver, &s->drift, rows->n, linear->anchor, linear->control);
  if (s->patience == 0 || (!looks && !solver->still)) return;
  double square = 0;
  for (size_t i = 0; i < solver->n_params; i++) {
    double v = (double)solver->direction[i] / (double)rows->n + (double)linear->control[i] +
               sprint__model_decay(solver->model, solver->theta, i);
    square += v * v;
  }
  sprint_drift drift = svrg_drift(solver, NULL);
  solver->ends_epoch = drift.bias > SURE * drift.noise && drift.bias > s->patience * sqrt(square);
}

/* The last n_lacking rows have no z~. They keep their own gradient, and leave out the difference to what it leans on,
 * -grad l(z~; theta~) and its mean g~ (of their stratum), which is zero over all of those who have a z~. */
static void add_lacking(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                        struct sprint__sums *sums, struct sprint__linear *linear) {
  struct svrg *s = solver->impl;
  size_t d = solver->n_params, first = rows->n - solver->n_lacking;
  struct sprint__rows last = sprint__rows_part(rows, solver->model->n_features, first, rows->n);
  struct sprint__sums more = {0, 0, s->lacking};
  sprint__model_sums(solver->model, solver->theta, &last, &more, NULL);
  memcpy(s->lacking_control, linear->control, d * sizeof *s->lacking_control);
  for (size_t i = first; i < rows->n; i++) {
    const sprint_real *mean = s->stratified ? s->strata_gradient + records->stratum[i] * d : s->snapshot;
    for (size_t k = 0; k < d; k++) s->lacking_control[k] -= mean[k] / (sprint_real)rows->n;
  }
  for (size_t k = 0; k < d; k++) sums->gradient[k] += s->lacking[k];
  sums->loss += more.loss;
  linear->control = s->lacking_control;
}

/* Whether this is the first step after a snapshot, at theta~ itself, and z~ is z: all differences are zero. */
static bool is_at_anchor(const sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows) {
  const struct svrg *s = solver->impl;
  const sprint_real *reference = solver->coupled ? records->x_reference : NULL;
  if (!s->anchored || s->anchor_step != solver->cost.steps || solver->n_lacking > 0) return false;
  size_t size = rows->n * solver->model->n_features * sizeof *reference;
  return !reference || (rows->x && memcmp(rows->x, reference, size) == 0);
}

/* The sum over rows of grad l(z; theta) - grad l(z~; theta~); at theta~ itself it is known, but for losses that
 * somebody wants. Where the drift meter looks, z~ is z, and the second gradient is left where it looks for it. */
static void sum_differences(sprint_solver *solver, const struct sprint__rows *rows, const sprint_real *x_reference,
                            bool at_anchor, struct sprint__sums *sums) {
  struct svrg *s = solver->impl;
  bool looks = sprint__drift_looks(solver, &s->drift);
  struct sprint__sums second = {0, 0, looks ? s->drift.gradient : NULL};
  struct sprint__rows again = *rows;
  if (!at_anchor) again.losses = NULL;
  if (looks || (at_anchor && rows->losses)) sprint__model_sums(solver->model, s->anchor, &again, &second, NULL);
  if (at_anchor) {
    sprint__long_clear(solver->context, &solver->cut, sums->gradient);
    sums->loss = s->anchor_loss * (double)rows->n;
  } else if (looks) {
    sprint__model_sums(solver->model, solver->theta, rows, sums, NULL);
    sprint__long_subtract(solver->context, &solver->cut, second.gradient, sums->gradient);
  } else {
    sprint__model_difference(solver->model, solver->theta, s->anchor, rows, x_reference, sums);
  }
}

static bool svrg_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                       struct sprint__estimate *ret_estimate) {
  struct sprint__sums sums = {0, 0, solver->direction};
  struct sprint__linear linear;
  struct sprint__rows coupled = *rows;
  coupled.n -= solver->n_lacking;
  coupled.recalled = solver->recalled;
  coupled.losses = solver->losses;
  svrg_linear(solver, records->p, &linear);
  bool at_anchor = coupled.n == 0 || is_at_anchor(solver, records, rows);
  sum_differences(solver, &coupled, linear.coupled ? records->x_reference : NULL, at_anchor, &sums);
  if (solver->n_lacking > 0) add_lacking(solver, records, rows, &sums, &linear);
  ret_estimate->control = linear.control;
  ret_estimate->loss = sums.loss / (double)records->n;
  ret_estimate->ifo = linear.ifo * coupled.n + solver->n_lacking;
  watch_drift(solver, rows, &linear);
  return true;
}

static double svrg_ifo(const sprint_solver *solver) {
  const struct svrg *s = solver->impl;
  double snapshot = solver->n ? (double)solver->n : s->taking.sample;
  if (solver->samples) snapshot = fmin(snapshot, s->taking.sample);
  return snapshot + 2 * (double)solver->inner * (double)solver->batch;
}

static void svrg_state(sprint_solver *solver, struct sprint__state *state) {
  struct svrg *s = solver->impl;
  size_t d = solver->n_params, strata = solver->n_strata;
  sprint__snapshot_state(&s->taking, state);
  SPRINT__KEEP_FLAG(state, s->anchored);
  SPRINT__KEEP(state, s->anchor_step);
  SPRINT__KEEP(state, s->anchor_deployment);
  SPRINT__KEEP_ARRAY(state, s->anchor, d);
  SPRINT__KEEP_ARRAY(state, s->anchor_p, strata);
  SPRINT__KEEP(state, s->anchor_loss);
  SPRINT__KEEP_ARRAY(state, s->snapshot, d);
  SPRINT__KEEP(state, s->version);
  SPRINT__KEEP(state, s->n_versions);
  sprint__drift_state(solver, &s->drift, state);
  SPRINT__KEEP_ARRAY(state, s->newest_p, strata);
  SPRINT__KEEP_ARRAY(state, s->strata_gradient, strata * d);
  SPRINT__KEEP_ARRAY(state, s->control, d);
  SPRINT__KEEP_ARRAY(state, s->control_p, strata);
  SPRINT__KEEP(state, s->control_version);
}

static const struct sprint__estimator_ops svrg_ops = {
    .setup = svrg_setup,
    .want = svrg_want,
    .population = svrg_population,
    .batch = svrg_batch,
    .linear = svrg_linear,
    .drift = svrg_drift,
    .leaves_losses = true,
    .ifo_per_epoch = svrg_ifo,
    .follows_gradient = true,
    .state = svrg_state,
    .takes_stale = true,
    .spares_references = true,
    .resumes = true,
};

static const sprint_param svrg_params[] = {
    SPRINT__CORRECTION_PARAM,
    SPRINT__SNAPSHOT_PARAMS,
    SPRINT__REAL(
        "patience", "0", 0, 1e12,
        "an epoch ends early once the drift meter says that the bias is beyond this fraction of |v|; 0: never"),
};

const sprint_kind sprint__estimator_svrg = {
    .name = "sprint",
    .help = "SPRINT: variance reduction by a snapshot, n + 2bm IFO an epoch",
    .params = svrg_params,
    .n_params = SPRINT__COUNT(svrg_params),
    .ops = &svrg_ops,
    .cites = "arXiv 2509.17304 (paper); its other corrections: docs/math.md",
    .cost = "2b IFO a step, n a snapshot",
    .memory = "2d, and d for each stratum where strata are reweighted",
};
