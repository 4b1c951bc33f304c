/* Recursive estimators: see recursive.h. */
#include "solver/recursive.h"

static void take_room(sprint_solver *solver, struct sprint__recursive *s) {
  struct sprint__arena *arena = &solver->arena;
  size_t n = solver->n_params, size = solver->model->n_features * sizeof(sprint_real);
  s->before = sprint__arena_take(arena, n, sizeof *s->before);
  s->v = sprint__arena_take(arena, n, sizeof *s->v);
  s->p = sprint__arena_take(arena, solver->n_strata, sizeof *s->p);
  if (!s->stratified) return;
  s->x = sprint__arena_take(arena, solver->batch, size);
  s->x_reference = sprint__arena_take(arena, solver->batch, size);
  s->y = sprint__arena_take(arena, solver->batch, sizeof *s->y);
  s->part = sprint__arena_take(arena, n, sizeof *s->part);
}

sprint_status sprint__recursive_setup(sprint_solver *solver, const struct sprint__section *section,
                                      struct sprint__recursive *ret_recursive) {
  struct sprint__correction correction = sprint__correction_of(section);
  solver->coupled = solver->follows = correction.coupled;
  solver->corrects = true;
  solver->steps_by_snapshots = true;
  solver->stratifies = correction.stratified;
  SPRINT__TRY(sprint__snapshot_setup(solver, section, &ret_recursive->taking));
  ret_recursive->stratified = solver->tells_strata = correction.stratified && solver->n_strata > 1;
  take_room(solver, ret_recursive);
  return sprint__arena_status(&solver->arena);
}

bool sprint__recursive_want(const sprint_solver *solver, const struct sprint__recursive *s, bool all,
                            sprint_want *ret_want) {
  ret_want->kind = SPRINT_WANT_BATCH;
  if (all) sprint__snapshot_want(solver, &s->taking, ret_want);
  ret_want->reference = all || !solver->coupled ? 0 : s->deployment;
  return all;
}

/* What the next step builds on. */
static void keep(sprint_solver *solver, struct sprint__recursive *s, const double *p) {
  memcpy(s->before, solver->theta, solver->n_params * sizeof *s->before);
  memcpy(s->v, solver->direction, solver->n_params * sizeof *s->v);
  if (p) memcpy(s->p, p, solver->n_strata * sizeof *p);
  s->deployment = solver->cost.deployments;
}

bool sprint__recursive_population(sprint_solver *solver, struct sprint__recursive *s,
                                  const struct sprint__strata_sums *told) {
  const struct sprint__strata_sums *sums = sprint__snapshot_tell(solver, &s->taking, told);
  if (!sums) return false;
  struct sprint__strata_parts parts = sprint__strata_parts_of(sums);
  sprint__strata_mean(solver->context, &parts, sums->p, solver->direction, NULL);
  keep(solver, s, sums->p);
  return true;
}

/* The records of stratum c go to the front of the room. Returns how many they are. */
static size_t collect(const sprint_solver *solver, struct sprint__recursive *s, const sprint_records *records,
                      size_t c) {
  size_t d = solver->model->n_features, n = 0;
  for (size_t i = 0; i < records->n; i++) {
    if (records->stratum[i] != c) continue;
    if (records->x)
      memcpy(s->x + n * d, records->x + i * d, d * sizeof *s->x);
    else
      sprint_population_rows(records->images, &records->who[i], 0, 1, s->x + n * d);
    if (records->x_reference) memcpy(s->x_reference + n * d, records->x_reference + i * d, d * sizeof *s->x);
    s->y[n++] = records->y[i];
  }
  return n;
}

/* Of the batch, the sum of the gradients at the step before, each stratum weighted by how much rarer it was then, is
 * taken off the direction. */
static void take_off_weighted(sprint_solver *solver, struct sprint__recursive *s, const sprint_records *records) {
  for (size_t c = 0; c < solver->n_strata; c++) {
    size_t n = collect(solver, s, records, c);
    if (n == 0) continue;
    struct sprint__rows rows = {.n = n, .x = records->x_reference ? s->x_reference : s->x, .y = s->y};
    struct sprint__sums sums = {0, 0, s->part};
    double weight = records->p ? s->p[c] / records->p[c] : 1;
    sprint__model_sums(solver->model, s->before, &rows, &sums, NULL);
    for (size_t i = 0; i < solver->n_params; i++) solver->direction[i] -= (sprint_real)weight * s->part[i];
  }
}

void sprint__recursive_batch(sprint_solver *solver, struct sprint__recursive *s, const sprint_records *records,
                             const struct sprint__rows *rows, struct sprint__estimate *ret_estimate) {
  struct sprint__sums sums = {0, 0, solver->direction};
  if (s->stratified) {
    sprint__model_sums(solver->model, solver->theta, rows, &sums, NULL);
    take_off_weighted(solver, s, records);
  } else {
    sprint__model_difference(solver->model, solver->theta, s->before, rows,
                             solver->coupled ? records->x_reference : NULL, &sums);
  }
  for (size_t i = 0; i < solver->n_params; i++)
    solver->direction[i] = s->v[i] + solver->direction[i] * ret_estimate->scale;
  keep(solver, s, records->p);
  ret_estimate->scale = 1;
  ret_estimate->loss = sums.loss / (double)records->n;
  ret_estimate->ifo = 2 * records->n;
}

void sprint__recursive_state(const sprint_solver *solver, struct sprint__recursive *s, struct sprint__state *state) {
  sprint__snapshot_state(&s->taking, state);
  SPRINT__KEEP(state, s->deployment);
  SPRINT__KEEP_ARRAY(state, s->before, solver->n_params);
  SPRINT__KEEP_ARRAY(state, s->v, solver->n_params);
  SPRINT__KEEP_ARRAY(state, s->p, solver->n_strata);
}

double sprint__recursive_ifo(const sprint_solver *solver) {
  return (double)solver->n + 2 * (double)(solver->inner - 1) * (double)solver->batch;
}
