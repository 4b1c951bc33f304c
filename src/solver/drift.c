/* The drift meter: see drift.h. */
#include "solver/drift.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "solver/solver.h"

/* A look costs a gradient of the batch, half as much as its step: it is at every 16th, but at 4 of an epoch at least.
 */
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

void sprint__drift_clear(const sprint_solver *solver, struct sprint__drift *drift) {
  if (!drift->sum) return;
  memset(drift->sum, 0, solver->n_params * sizeof *drift->sum);
  drift->squares = drift->distance = 0;
  drift->looks = 0;
}

bool sprint__drift_looks(const sprint_solver *solver, const struct sprint__drift *drift) {
  return drift->stride && (solver->epoch_step + 1) % drift->stride == 0;
}

void sprint__drift_look(sprint_solver *solver, struct sprint__drift *drift, const struct sprint__rows *rows,
                        const sprint_real *anchor, const sprint_real *control) {
  struct sprint__sums sums = {0, 0, drift->gradient};
  sprint__model_sums(solver->model, anchor, rows, &sums, NULL);
  for (size_t i = 0; i < solver->n_params; i++) {
    double b = (double)drift->gradient[i] / (double)rows->n - (double)control[i];
    drift->sum[i] += b;
    drift->squares += b * b;
  }
  drift->distance += sprint__distance(solver->theta, anchor, solver->n_params);
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
