/* Adam (Kingma and Ba, 2015): means of v and of its squares that decay, both freed of their start at 0; theta goes
 * against their ratio, number by number. */
#include <float.h>
#include <math.h>

#include "solver/schedule.h"

struct adam {
  double beta1, beta2, epsilon;
  double power1, power2;       /* beta^t */
  sprint_real *first, *second; /* (n_params) */
  sprint_real *turned;         /* (n_params) */
};

static sprint_status adam_setup(struct sprint__schedule *schedule, const struct sprint__section *section,
                                uint64_t planned_steps) {
  (void)planned_steps;
  struct adam *s = schedule->impl = sprint__arena_take(schedule->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  schedule->size = sprint__get_real(section, "size");
  s->beta1 = sprint__get_real(section, "beta1");
  s->beta2 = sprint__get_real(section, "beta2");
  s->epsilon = sprint__get_real(section, "epsilon");
  s->power1 = s->power2 = 1;
  s->first = sprint__arena_take(schedule->arena, schedule->n_params, sizeof *s->first);
  s->second = sprint__arena_take(schedule->arena, schedule->n_params, sizeof *s->second);
  s->turned = sprint__arena_take(schedule->arena, schedule->n_params, sizeof *s->turned);
  return sprint__arena_status(schedule->arena);
}

static const sprint_real *adam_turn(struct sprint__schedule *schedule, const sprint_real *v, uint64_t step) {
  (void)step;
  struct adam *s = schedule->impl;
  s->power1 *= s->beta1;
  s->power2 *= s->beta2;
  double whole1 = 1 / (1 - s->power1), whole2 = 1 / (1 - s->power2);
  for (size_t i = 0; i < schedule->n_params; i++) {
    double g = (double)v[i];
    double first = s->beta1 * (double)s->first[i] + (1 - s->beta1) * g;
    double second = s->beta2 * (double)s->second[i] + (1 - s->beta2) * g * g;
    s->first[i] = (sprint_real)first;
    s->second[i] = (sprint_real)second;
    s->turned[i] = (sprint_real)(first * whole1 / (sqrt(second * whole2) + s->epsilon));
  }
  return s->turned;
}

static void adam_state(struct sprint__schedule *schedule, struct sprint__state *state) {
  struct adam *s = schedule->impl;
  SPRINT__KEEP(state, s->power1);
  SPRINT__KEEP(state, s->power2);
  SPRINT__KEEP_ARRAY(state, s->first, schedule->n_params);
  SPRINT__KEEP_ARRAY(state, s->second, schedule->n_params);
}

static const struct sprint__schedule_ops adam_ops = {
    .setup = adam_setup, .size = sprint__schedule_constant, .turn = adam_turn, .state = adam_state, .resumes = true};

static const sprint_param adam_params[] = {
    SPRINT__REAL("size", "0.001", DBL_MIN, 1e6, "the step, gamma"),
    SPRINT__REAL("beta1", "0.9", 0, 0.999999, "of the mean of v: how much of it goes on"),
    SPRINT__REAL("beta2", "0.999", 0, 0.9999999, "of the mean of the squares"),
    SPRINT__REAL("epsilon", "1e-8", 0, 1, "is added to the root of the squares"),
};

const sprint_kind sprint__step_adam = {"adam", "every number has a step of its own size; no promise for v holds for it",
                                       adam_params, SPRINT__COUNT(adam_params), &adam_ops};
