/* Step sizes gamma_t: constant, 1/sqrt(T), inverse time, piecewise; and the shared radius of the projection. */
#include <float.h>
#include <math.h>

#include "solver/solver.h"

struct pieces {
  size_t n;
  double *sizes, *from; /* (n) from which epoch on */
};

static sprint_status constant_setup(struct sprint__schedule *schedule, const struct sprint__section *section,
                                    uint64_t planned_steps) {
  (void)planned_steps;
  schedule->size = sprint__get_real(section, "size");
  return SPRINT_OK;
}

double sprint__schedule_constant(const struct sprint__schedule *schedule, uint64_t step) {
  (void)step;
  return schedule->size;
}

static sprint_status root_setup(struct sprint__schedule *schedule, const struct sprint__section *section,
                                uint64_t planned_steps) {
  if (planned_steps == 0)
    return sprint__refuse(section, "kind", "'inverse-root' needs T: a stop by epochs or steps was expected");
  schedule->size = sprint__get_real(section, "size") / sqrt((double)planned_steps);
  return SPRINT_OK;
}

static sprint_status time_setup(struct sprint__schedule *schedule, const struct sprint__section *section,
                                uint64_t planned_steps) {
  double *decay = schedule->impl = sprint__arena_take(schedule->arena, 1, sizeof *decay);
  if (!decay) return SPRINT_ERROR_MEMORY;
  *decay = sprint__get_real(section, "decay");
  return constant_setup(schedule, section, planned_steps);
}

static double time_size(const struct sprint__schedule *schedule, uint64_t step) {
  const double *decay = schedule->impl;
  return schedule->size / (1 + *decay * (double)step);
}

/* One size more than there are changes, changes in order. */
static sprint_status pieces_check(const struct sprint__section *section, const struct sprint__value *sizes,
                                  const struct sprint__value *at) {
  if (sizes->n_items != at->n_items + 1)
    return sprint__refuse(section, "at", "%zu sizes need %zu epochs to change at; there are %zu", sizes->n_items,
                          sizes->n_items ? sizes->n_items - 1 : 0, at->n_items);
  for (size_t i = 0; i < at->n_items; i++)
    if (at->reals[i] <= (i ? at->reals[i - 1] : 0))
      return sprint__refuse(section, "at", "%g is not after the epoch before it; rising epochs were expected",
                            at->reals[i]);
  return SPRINT_OK;
}

static sprint_status pieces_setup(struct sprint__schedule *schedule, const struct sprint__section *section,
                                  uint64_t planned_steps) {
  (void)planned_steps;
  const struct sprint__value *sizes = sprint__get(section, "sizes"), *at = sprint__get(section, "at");
  SPRINT__TRY(pieces_check(section, sizes, at));
  struct pieces *pieces = schedule->impl = sprint__arena_take(schedule->arena, 1, sizeof *pieces);
  if (!pieces) return SPRINT_ERROR_MEMORY;
  pieces->n = sizes->n_items;
  pieces->sizes = sprint__arena_take(schedule->arena, sizes->n_items, sizeof(double));
  pieces->from = sprint__arena_take(schedule->arena, sizes->n_items, sizeof(double));
  SPRINT__TRY(sprint__arena_status(schedule->arena));
  for (size_t i = 0; i < sizes->n_items; i++) {
    pieces->sizes[i] = sizes->reals[i];
    pieces->from[i] = i ? at->reals[i - 1] : 0;
  }
  return SPRINT_OK;
}

static double pieces_size(const struct sprint__schedule *schedule, uint64_t step) {
  double epoch = (double)(step / schedule->inner);
  const struct pieces *pieces = schedule->impl;
  size_t i = pieces->n - 1;
  while (i > 0 && pieces->from[i] > epoch) i--;
  return pieces->sizes[i];
}

sprint_status sprint__schedule_build(const struct sprint__section *section, const struct sprint__schedule_frame *frame,
                                     struct sprint__schedule **ret_schedule) {
  struct sprint__schedule *schedule = sprint__arena_take(frame->arena, 1, sizeof *schedule);
  if (!schedule) return SPRINT_ERROR_MEMORY;
  *schedule = (struct sprint__schedule){
      .ops = section->kind->ops, .arena = frame->arena, .inner = frame->inner, .n_params = frame->n_params};
  *ret_schedule = schedule;
  return schedule->ops->setup(schedule, section, frame->planned_steps);
}

#define SIZE(STANDARD, HELP) SPRINT__REAL("size", STANDARD, DBL_MIN, 1e6, HELP)

static const sprint_param constant_params[] = {SIZE("0.1", "the step, gamma")};
static const sprint_param root_params[] = {SIZE("1", "gamma = size / sqrt(T), T all steps of the run")};
static const sprint_param time_params[] = {
    SIZE("0.1", "the first step"),
    SPRINT__REAL("decay", "0.001", 0, 1e6, "gamma_t = size / (1 + decay t), t in steps"),
};
static const sprint_param pieces_params[] = {
    SPRINT__REALS("sizes", NULL, DBL_MIN, 1e6, "the steps, one after the other"),
    SPRINT__REALS("at", "", 1, 1e12, "epochs at which the next size takes over; one fewer than sizes"),
};

static const struct sprint__schedule_ops constant_ops = {
    .setup = constant_setup, .size = sprint__schedule_constant, .resumes = true};
static const struct sprint__schedule_ops root_ops = {
    .setup = root_setup, .size = sprint__schedule_constant, .resumes = true};
static const struct sprint__schedule_ops time_ops = {.setup = time_setup, .size = time_size, .resumes = true};
static const struct sprint__schedule_ops pieces_ops = {.setup = pieces_setup, .size = pieces_size, .resumes = true};

static const sprint_kind step_constant = {"constant", "the same step always", constant_params, 1, &constant_ops};
static const sprint_kind step_root = {"inverse-root", "a constant step that fits the length of the run", root_params, 1,
                                      &root_ops};
static const sprint_kind step_time = {"inverse-time", "steps that shrink like 1/t", time_params,
                                      SPRINT__COUNT(time_params), &time_ops};
static const sprint_kind step_pieces = {"piecewise", "steps that change at given epochs", pieces_params,
                                        SPRINT__COUNT(pieces_params), &pieces_ops};
static const sprint_kind *const step_kinds[] = {&step_constant,         &step_root,        &step_time, &step_pieces,
                                                &sprint__step_momentum, &sprint__step_adam};

static const sprint_param step_params[] = {
    SPRINT__REAL("radius", "0", 0, 1e12, "theta is projected onto the ball of this radius around 0; 0: not at all"),
};

const sprint_family sprint__step_family = {
    .name = "steps",
    .key = "step",
    .help = "step sizes and projection",
    .params = step_params,
    .n_params = SPRINT__COUNT(step_params),
    .kinds = step_kinds,
    .n_kinds = SPRINT__COUNT(step_kinds),
    .standard = "constant",
};
