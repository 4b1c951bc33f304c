/* The drift meter: see drift.h. */
#include "solver/drift.h"

#include <math.h>

#include "base/fast.h"
#include "base/lanes.h"
#include "base/vector.h"
#include "solver/solver.h"

/* A look costs a step that takes its two gradients apart: it is at every 16th, but at 4 of an epoch at least. */
enum { STEPS_PER_LOOK = 16, LEAST_LOOKS = 4 };

sprint_status sprint__drift_setup(sprint_solver *solver, struct sprint__drift *ret_drift) {
  uint64_t looks = solver->inner / STEPS_PER_LOOK;
  if (looks < LEAST_LOOKS) looks = LEAST_LOOKS < solver->inner ? LEAST_LOOKS : solver->inner;
  *ret_drift = (struct sprint__drift){
      .stride = solver->inner / looks,
      .sum = sprint__arena_take(&solver->arena, solver->n_params, sizeof *ret_drift->sum),
      .gradient = sprint__arena_take(&solver->arena, solver->n_params, sizeof *ret_drift->gradient),
  };
  return sprint__arena_status(&solver->arena);
}

void sprint__drift_clear(struct sprint__drift *drift) {
  drift->squares = drift->distance = 0;
  drift->looks = 0;
}

/* The first batch of an epoch was brought about by theta~ itself: nothing has drifted yet. */
bool sprint__drift_looks(const sprint_solver *solver, const struct sprint__drift *drift) {
  return drift->stride && solver->epoch_step > 0 && (solver->epoch_step + 1) % drift->stride == 0;
}

enum { PARTS = 8, COST = 20 }; /* parameters that are added up side by side, and what each of them costs */

struct look {
  const struct sprint__drift *drift;
  const sprint_real *theta, *anchor, *control; /* theta, theta~, g^ */
  double scale;                                /* of drift->gradient */
  double squares[SPRINT__MAX_LANES];           /* of b = scale * gradient - control, by lane */
  double away[SPRINT__MAX_LANES];              /* of theta - theta~ */
};

/* Parameters first .. end: sum += b, at the first look of an epoch sum := b. */
SPRINT__FAST static void look_at(void *user, int lane, size_t first, size_t end) {
  struct look *look = user;
  const sprint_real *restrict gradient = look->drift->gradient, *restrict control = look->control,
                              *restrict theta = look->theta, *restrict anchor = look->anchor;
  double *restrict sum = look->drift->sum, squares[PARTS] = {0}, away[PARTS] = {0};
  bool first_look = look->drift->looks == 0;
  for (size_t start = first; start < end; start += PARTS) {
    size_t parts = end - start < PARTS ? end - start : PARTS;
    for (size_t k = 0; k < parts; k++) {
      size_t i = start + k;
      double b = look->scale * (double)gradient[i] - (double)control[i], moved = (double)theta[i] - (double)anchor[i];
      sum[i] = (first_look ? 0 : sum[i]) + b;
      squares[k] += b * b;
      away[k] += moved * moved;
    }
  }
  for (size_t k = 0; k < PARTS; k++) {
    look->squares[lane] += squares[k];
    look->away[lane] += away[k];
  }
}

void sprint__drift_look(sprint_solver *solver, struct sprint__drift *drift, size_t n, const sprint_real *anchor,
                        const sprint_real *control) {
  struct look look = {drift, solver->theta, anchor, control, 1.0 / (double)n, {0}, {0}};
  double away = 0;
  sprint__long_run(solver->context, &solver->cut, COST, look_at, &look);
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) {
    drift->squares += look.squares[lane];
    away += look.away[lane];
  }
  drift->distance += sqrt(away);
  drift->looks++;
}

sprint_drift sprint__drift_read(const sprint_solver *solver, const struct sprint__drift *drift) {
  sprint_drift ret = {.size = sizeof ret, .bias = NAN, .noise = NAN, .distance = NAN, .kappa = NAN};
  double k = (double)drift->looks, mean_sq = 0;
  if (drift->looks == 0) return ret;
  for (size_t i = 0; i < solver->n_params; i++) mean_sq += drift->sum[i] / k * (drift->sum[i] / k);
  ret.looks = drift->looks;
  ret.bias = sqrt(mean_sq);
  ret.noise = drift->looks > 1 ? sqrt(fmax(0, drift->squares - k * mean_sq) / (k * (k - 1))) : NAN;
  ret.distance = drift->distance / k;
  ret.kappa = ret.bias / ret.distance;
  return ret;
}

void sprint__drift_state(const sprint_solver *solver, struct sprint__drift *drift, struct sprint__state *state) {
  SPRINT__KEEP_ARRAY(state, drift->sum, solver->n_params);
  SPRINT__KEEP(state, drift->squares);
  SPRINT__KEEP(state, drift->distance);
  SPRINT__KEEP(state, drift->looks);
}
