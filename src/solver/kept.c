/* Records kept as they were told, for methods that look at everybody again: see solver.h. */
#include <assert.h>
#include <string.h>

#include "solver/solver.h"

struct sprint__kept {
  sprint_records records; /* of the arrays below */
  sprint_real *x, *y;     /* (n, d), (n) */
  uint32_t *stratum, *who;
  double *weight;
};

void sprint__kept_clear(sprint_solver *solver) {
  struct sprint__kept *kept = solver->kept;
  kept->records = (sprint_records){.size = sizeof kept->records,
                                   .x = kept->x,
                                   .y = kept->y,
                                   .stratum = kept->stratum,
                                   .who = kept->who,
                                   .weight = kept->weight};
}

static sprint_status kept_sums(void *user, const sprint_real *theta, sprint__sum_rows sum, void *sum_user,
                               struct sprint__strata_sums *ret_sums) {
  sprint_solver *solver = user;
  sprint__strata_sums_clear(ret_sums);
  sprint__solver_add_records(solver, &solver->kept->records, theta, sum, sum_user, ret_sums);
  memcpy(ret_sums->p, solver->told.p, solver->n_strata * sizeof *ret_sums->p);
  return SPRINT_OK;
}

sprint_status sprint__kept_setup(sprint_solver *solver) {
  struct sprint__arena *arena = &solver->arena;
  struct sprint__kept *kept = sprint__arena_take(arena, 1, sizeof *kept);
  if (!kept) return SPRINT_ERROR_MEMORY;
  size_t n = solver->n;
  kept->x = sprint__arena_take(arena, n, solver->model->n_features * sizeof *kept->x);
  kept->y = sprint__arena_take(arena, n, sizeof *kept->y);
  kept->stratum = sprint__arena_take(arena, n, sizeof *kept->stratum);
  kept->who = sprint__arena_take(arena, n, sizeof *kept->who);
  kept->weight = sprint__arena_take(arena, n, sizeof *kept->weight);
  SPRINT__TRY(sprint__arena_status(arena));
  solver->kept = kept;
  solver->revisit = (struct sprint__revisit){solver, kept_sums};
  sprint__kept_clear(solver);
  return SPRINT_OK;
}

void sprint__kept_add(sprint_solver *solver, const sprint_records *records) {
  struct sprint__kept *kept = solver->kept;
  size_t at = kept->records.n, n = records->n, d = solver->model->n_features;
  assert(at + n <= solver->n); /* who tells more than are wanted is refused before */
  if (n == 0) return;
  if (records->x)
    memcpy(kept->x + at * d, records->x, n * d * sizeof *kept->x);
  else
    sprint__population_gather(records->images, records->who, 0, n, kept->x + at * d);
  memcpy(kept->y + at, records->y, n * sizeof *kept->y);
  for (size_t i = 0; i < n; i++) {
    kept->stratum[at + i] = records->stratum ? records->stratum[i] : 0;
    kept->who[at + i] = records->who ? records->who[i] : 0;
    kept->weight[at + i] = records->weight ? records->weight[i] : 1;
  }
  kept->records.n += n;
}

void sprint__kept_state(sprint_solver *solver, struct sprint__state *state) {
  struct sprint__kept *kept = solver->kept;
  sprint__state_count(state, "kept->records.n", &kept->records.n, solver->n);
  size_t n = kept->records.n;
  SPRINT__KEEP_ARRAY(state, kept->x, n * solver->model->n_features);
  SPRINT__KEEP_ARRAY(state, kept->y, n);
  SPRINT__KEEP_ARRAY(state, kept->stratum, n);
  SPRINT__KEEP_ARRAY(state, kept->who, n);
  SPRINT__KEEP_ARRAY(state, kept->weight, n);
}
