/* Momentum (Polyak, 1964; Nesterov, 1983): u := beta u + v, and theta goes against u, or ahead of it, against
 * v + beta u. */
#include <float.h>

#include "solver/schedule.h"

struct momentum {
  sprint_real beta;
  bool ahead;
  sprint_real *u, *turned; /* (n_params) */
};

static sprint_status momentum_setup(struct sprint__schedule *schedule, const struct sprint__section *section,
                                    uint64_t planned_steps) {
  (void)planned_steps;
  struct momentum *s = schedule->impl = sprint__arena_take(schedule->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  schedule->size = sprint__get_real(section, "size");
  s->beta = (sprint_real)sprint__get_real(section, "beta");
  s->ahead = sprint__get_flag(section, "nesterov");
  s->u = sprint__arena_take(schedule->arena, schedule->n_params, sizeof *s->u);
  s->turned = s->ahead ? sprint__arena_take(schedule->arena, schedule->n_params, sizeof *s->turned) : s->u;
  return sprint__arena_status(schedule->arena);
}

static const sprint_real *momentum_turn(struct sprint__schedule *schedule, const sprint_real *v, uint64_t step) {
  (void)step;
  struct momentum *s = schedule->impl;
  for (size_t i = 0; i < schedule->n_params; i++) s->u[i] = s->beta * s->u[i] + v[i];
  for (size_t i = 0; s->ahead && i < schedule->n_params; i++) s->turned[i] = v[i] + s->beta * s->u[i];
  return s->turned;
}

static void momentum_state(struct sprint__schedule *schedule, struct sprint__state *state) {
  struct momentum *s = schedule->impl;
  SPRINT__KEEP_ARRAY(state, s->u, schedule->n_params);
}

static const struct sprint__schedule_ops momentum_ops = {.setup = momentum_setup,
                                                         .size = sprint__schedule_constant,
                                                         .turn = momentum_turn,
                                                         .state = momentum_state,
                                                         .resumes = true};

static const sprint_param momentum_params[] = {
    SPRINT__REAL("size", "0.01", DBL_MIN, 1e6, "the step, gamma"),
    SPRINT__REAL("beta", "0.9", 0, 0.999999, "how much of the last direction goes on"),
    SPRINT__FLAG("nesterov", "false", "look ahead: go against v + beta u instead of u"),
};

const sprint_kind sprint__step_momentum = {
    "momentum", "heavy ball: u := beta u + v, theta goes against u; no promise for v holds for u", momentum_params,
    SPRINT__COUNT(momentum_params), &momentum_ops};
