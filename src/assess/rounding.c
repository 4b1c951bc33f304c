/* Rounding of gradients: see rounding.h. */
#include "assess/rounding.h"

#include <float.h>

#include "assess/sample.h"

enum { PEOPLE = 256, SEED = 1 };
#define UNITS 64

/* The mean square length of a record's gradient, over the singles. */
static double mean_square(struct sprint__sample *sample, const sprint_real *theta, const struct sprint__seen *seen) {
  double squares = 0, weights = 0;
  for (size_t k = 0, c = 0; k < sample->n_singles; k++) {
    size_t i = sprint__sample_single(sample, k);
    while (i >= sample->start[c + 1]) c++;
    sprint__sample_record(sample, theta, seen, i, sample->row);
    double length = sprint__length(sample->row, sample->n_params);
    squares += seen->weights[c] * length * length;
    weights += seen->weights[c];
  }
  return weights > 0 ? squares / weights : 0;
}

static sprint_status measure(struct sprint__arena *arena, sprint_shift *shift, const sprint_real *theta,
                             double *ret_square) {
  struct sprint__sample sample;
  struct sprint__loss_source losses, before = shift->losses;
  SPRINT__TRY(sprint__sample_new(arena, shift, PEOPLE, SEED, &sample));
  SPRINT__TRY(sprint__sample_losses(arena, &sample, &losses));
  struct sprint__seen seen = sprint__seen_new(arena, &sample);
  SPRINT__TRY(sprint__arena_status(arena));
  sprint__shift_set_losses(shift, &losses);
  sprint_status status = sprint__sample_see(&sample, theta, &seen);
  sprint__shift_set_losses(shift, before.by_stratum ? &before : NULL);
  if (status == SPRINT_OK) *ret_square = mean_square(&sample, theta, &seen);
  return status;
}

sprint_status sprint__rounding_gradient_sq(sprint_shift *shift, const sprint_real *theta, double *ret_gradient_sq) {
  SPRINT__SCRATCH(arena, shift->context);
  uint64_t evals = shift->evals;
  double square = 0, units = UNITS * (sizeof(sprint_real) == 8 ? DBL_EPSILON : (double)FLT_EPSILON);
  sprint_status status = measure(&arena, shift, theta, &square);
  shift->evals = evals;
  *ret_gradient_sq = units * units * square;
  return status;
}
