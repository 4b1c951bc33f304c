/* The drift meter: see drift.h. */
#include "solver/drift.h"

#include <math.h>
#include <string.h>

#include "base/fast.h"
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

/* What a look adds up. */
struct look {
  double squares, away; /* of b; of theta - theta~ */
};

enum { PARTS = 8 }; /* that are added up side by side */

/* sum += b, b = scale * gradient - control. */
SPRINT__FAST static struct look add_look(const sprint_real *restrict gradient, double scale,
                                         const sprint_real *restrict control, const sprint_real *restrict theta,
                                         const sprint_real *restrict anchor, size_t n, double *restrict sum) {
  double squares[PARTS] = {0}, away[PARTS] = {0};
  for (size_t start = 0; start < n; start += PARTS) {
    size_t parts = n - start < PARTS ? n - start : PARTS;
    for (size_t k = 0; k < parts; k++) {
      size_t i = start + k;
      double b = scale * (double)gradient[i] - (double)control[i], moved = (double)theta[i] - (double)anchor[i];
      sum[i] += b;
      squares[k] += b * b;
      away[k] += moved * moved;
    }
  }
  struct look look = {0, 0};
  for (size_t k = 0; k < PARTS; k++) {
    look.squares += squares[k];
    look.away += away[k];
  }
  return look;
}

void sprint__drift_look(sprint_solver *solver, struct sprint__drift *drift, const struct sprint__rows *rows,
                        const sprint_real *anchor, const sprint_real *control) {
  struct sprint__sums sums = {0, 0, drift->gradient};
  sprint__model_sums(solver->model, anchor, rows, &sums, NULL);
  struct look look =
      add_look(drift->gradient, 1.0 / (double)rows->n, control, solver->theta, anchor, solver->n_params, drift->sum);
  drift->squares += look.squares;
  drift->distance += sqrt(look.away);
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
