/* Snapshots: see snapshot.h. Samples that grow, and those that go by their own variance, are the infinite-sum extension
 * of arXiv 2509.17304; a test of the variance against the squared mean is that of Byrd et al. (2012). */
#include "solver/snapshot.h"

#include <math.h>
#include <string.h>

#include "solver/solver.h"

sprint_status sprint__snapshot_setup(sprint_solver *solver, const struct sprint__section *section,
                                     struct sprint__snapshot *ret_snapshot) {
  static const char *const kinds[] = {"full", "fixed", "growing", "adaptive"};
  const char *word = sprint__get_text(section, "snapshot");
  *ret_snapshot = (struct sprint__snapshot){
      .sample = (double)sprint__get_integer(section, "sample"),
      .growth = sprint__get_real(section, "growth"),
      .fraction = sprint__get_real(section, "fraction"),
      .most = (double)sprint__get_integer(section, "most"),
  };
  while (strcmp(kinds[ret_snapshot->kind], word) != 0) ret_snapshot->kind++;
  solver->samples = ret_snapshot->kind != SPRINT__SNAPSHOT_FULL;
  if (solver->n == 0 && !solver->samples)
    return sprint__refuse(section, "snapshot",
                          "'full' looks at everybody, and this population has no end; fixed, growing or adaptive was "
                          "expected");
  if (ret_snapshot->kind == SPRINT__SNAPSHOT_ADAPTIVE)
    ret_snapshot->sums = sprint__strata_sums_of(&solver->arena, solver->n_strata, solver->n_params);
  return sprint__arena_status(&solver->arena);
}

/* The most records that a sample may have. */
static double bound(const sprint_solver *solver, const struct sprint__snapshot *snapshot) {
  return solver->n ? fmin(snapshot->most, (double)solver->n) : snapshot->most;
}

void sprint__snapshot_want(const sprint_solver *solver, const struct sprint__snapshot *snapshot,
                           sprint_want *ret_want) {
  double n = snapshot->sample;
  if (snapshot->kind == SPRINT__SNAPSHOT_GROWING) n *= pow(snapshot->growth, (double)snapshot->taken);
  bool everybody = solver->n && n >= (double)solver->n; /* who may as well be looked at once each */
  bool whole = snapshot->kind == SPRINT__SNAPSHOT_FULL || (everybody && snapshot->pieces == 0);
  n = fmin(n, bound(solver, snapshot));
  ret_want->kind = whole ? SPRINT_WANT_POPULATION : SPRINT_WANT_SAMPLE;
  if (!whole) ret_want->n = (size_t)n;
}

/* |the mean gradient of the sums, with the penalty's where that is wanted|^2. */
static double mean_sq(const sprint_solver *solver, const struct sprint__strata_sums *sums, bool penalty) {
  double total = 0;
  for (size_t i = 0; i < sums->n_params; i++) {
    double g = 0;
    for (size_t c = 0; c < sums->n_strata; c++)
      if (sums->count[c]) g += sums->gradient[c * sums->n_params + i];
    g /= (double)sums->n;
    if (penalty) g += sprint__model_decay(solver->model, solver->theta, i);
    total += g * g;
  }
  return total;
}

/* Adds b to a. */
static void add_sums(struct sprint__strata_sums *a, const struct sprint__strata_sums *b) {
  for (size_t c = 0; c < a->n_strata; c++) {
    bool had = a->count[c] > 0;
    a->loss[c] += b->loss[c];
    a->count[c] += b->count[c];
    a->weight[c] += b->weight[c];
    a->correct[c] += b->correct[c];
    for (size_t i = c * a->n_params; b->count[c] && i < (c + 1) * a->n_params; i++)
      a->gradient[i] = (had ? a->gradient[i] : 0) + b->gradient[i];
  }
  a->n += b->n;
}

/* Whether the mean's variance, from how far the pieces' means lie apart, is a small part of its square. */
static bool is_sure(const sprint_solver *solver, const struct sprint__snapshot *snapshot) {
  double k = (double)snapshot->pieces;
  if (snapshot->pieces < 2) return false;
  double spread = snapshot->squares - k * mean_sq(solver, &snapshot->sums, false);
  return spread / (k * (k - 1)) <= snapshot->fraction * mean_sq(solver, &snapshot->sums, true);
}

static const struct sprint__strata_sums *add_piece(const sprint_solver *solver, struct sprint__snapshot *snapshot,
                                                   const struct sprint__strata_sums *told) {
  struct sprint__strata_sums *sums = &snapshot->sums;
  if (snapshot->pieces == 0) sprint__strata_sums_clear(sums);
  add_sums(sums, told);
  snapshot->pieces++;
  snapshot->squares += mean_sq(solver, told, false);
  bool full = (double)sums->n + snapshot->sample > bound(solver, snapshot);
  if (!full && !is_sure(solver, snapshot)) return NULL;
  for (size_t c = 0; c < sums->n_strata; c++) sums->p[c] = (double)sums->count[c] / (double)sums->n;
  snapshot->pieces = 0;
  snapshot->squares = 0;
  return sums;
}

const struct sprint__strata_sums *sprint__snapshot_tell(sprint_solver *solver, struct sprint__snapshot *snapshot,
                                                        const struct sprint__strata_sums *told) {
  bool piece = snapshot->kind == SPRINT__SNAPSHOT_ADAPTIVE && solver->wanted.kind == SPRINT_WANT_SAMPLE;
  const struct sprint__strata_sums *whole = piece ? add_piece(solver, snapshot, told) : told;
  if (whole) snapshot->taken++;
  return whole;
}

void sprint__snapshot_state(struct sprint__snapshot *snapshot, struct sprint__state *state) {
  SPRINT__KEEP(state, snapshot->taken);
  if (snapshot->kind != SPRINT__SNAPSHOT_ADAPTIVE) return;
  SPRINT__KEEP(state, snapshot->pieces);
  SPRINT__KEEP(state, snapshot->squares);
  sprint__strata_sums_state(&snapshot->sums, state);
}
