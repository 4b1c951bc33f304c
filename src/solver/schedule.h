/* Step rules: how far theta moves against v, and, of some, in which direction instead. */
#ifndef SPRINT_SOLVER_SCHEDULE_H
#define SPRINT_SOLVER_SCHEDULE_H

#include "base/state.h"
#include "config/section.h"

struct sprint__schedule;

struct sprint__schedule_ops {
  /* Reads the section; takes what it needs from schedule->arena. planned_steps 0: nobody knows how many. */
  sprint_status (*setup)(struct sprint__schedule *schedule, const struct sprint__section *section,
                         uint64_t planned_steps);
  /* gamma of a step, counted from 0. */
  double (*size)(const struct sprint__schedule *schedule, uint64_t step);
  /* The direction (n_params) to go against instead of v, called once a step; may be in the schedule's own room. NULL: v
   * itself, and a fast engine may take such steps. */
  const sprint_real *(*turn)(struct sprint__schedule *schedule, const sprint_real *v, uint64_t step);
  /* As an estimator's. */
  void (*state)(struct sprint__schedule *schedule, struct sprint__state *state);
  bool resumes;
};

struct sprint__schedule {
  const struct sprint__schedule_ops *ops;
  struct sprint__arena *arena;
  uint64_t inner;
  size_t n_params;
  double size;
  void *impl; /* the kind's */
};

/* What a schedule has to fit. */
struct sprint__schedule_frame {
  struct sprint__arena *arena;
  uint64_t planned_steps; /* 0: not known */
  uint64_t inner;
  size_t n_params;
};

sprint_status sprint__schedule_build(const struct sprint__section *section, const struct sprint__schedule_frame *frame,
                                     struct sprint__schedule **ret_schedule);

/* A kind's `size` where it is schedule->size always. */
double sprint__schedule_constant(const struct sprint__schedule *schedule, uint64_t step);

extern const sprint_kind sprint__step_momentum, sprint__step_adam;

#endif
