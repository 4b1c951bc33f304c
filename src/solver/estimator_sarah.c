/* SARAH (Nguyen, Liu, Scheinberg and Takac, 2017), under deployments: the gradient of all at the start of an epoch,
 * then the recursion of recursive.h. */
#include "solver/recursive.h"

static sprint_status sarah_setup(sprint_solver *solver, const struct sprint__section *section) {
  struct sprint__recursive *s = solver->impl = sprint__arena_take(&solver->arena, 1, sizeof *s);
  return s ? sprint__recursive_setup(solver, section, s) : SPRINT_ERROR_MEMORY;
}

static bool sarah_want(const sprint_solver *solver, sprint_want *ret_want) {
  return sprint__recursive_want(solver, solver->impl, solver->epoch_step == 0, ret_want);
}

static bool sarah_population(sprint_solver *solver, const struct sprint__strata_sums *told,
                             struct sprint__estimate *ret_estimate) {
  (void)ret_estimate;
  return sprint__recursive_population(solver, solver->impl, told);
}

static bool sarah_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                        struct sprint__estimate *ret_estimate) {
  sprint__recursive_batch(solver, solver->impl, records, rows, ret_estimate);
  return true;
}

static void sarah_state(sprint_solver *solver, struct sprint__state *state) {
  sprint__recursive_state(solver, solver->impl, state);
}

static const struct sprint__estimator_ops sarah_ops = {
    .setup = sarah_setup,
    .want = sarah_want,
    .population = sarah_population,
    .batch = sarah_batch,
    .ifo_per_epoch = sprint__recursive_ifo,
    .follows_gradient = true,
    .state = sarah_state,
    .resumes = true,
};

static const sprint_param sarah_params[] = {SPRINT__RECURSIVE_PARAMS};

const sprint_kind sprint__estimator_sarah = {
    .name = "sarah",
    .help = "SARAH: the last direction plus what a batch says has changed; n + 2b(m - 1) IFO an epoch",
    .params = sarah_params,
    .n_params = SPRINT__COUNT(sarah_params),
    .ops = &sarah_ops,
    .cites = "Nguyen, Liu, Scheinberg, Takac 2017, arXiv 1703.00102; coupled to deployments: docs/math.md",
    .cost = "2b IFO a step, n the first of an epoch",
    .memory = "2d",
};
