/* What a method of an experiment does, as the theory counts it. */
#include "base/sized.h"
#include "run/experiment.h"
#include "theory/theory.h"

enum { LOOKS = 64, FAR = 1 << 20 }; /* steps at which gamma is looked at; the last of them, where there is no end */

static double size_at(const sprint_solver *solver, uint64_t step) {
  return solver->schedule->ops->size(solver->schedule, step);
}

static bool is_constant(const sprint_solver *solver, uint64_t steps) {
  double first = size_at(solver, 0);
  for (uint64_t i = 1; i <= LOOKS; i++)
    if (size_at(solver, (steps - 1) / LOOKS * i) != first) return false;
  return size_at(solver, steps - 1) == first;
}

sprint_status sprint_theory_plan_of(sprint_experiment *experiment, size_t point, size_t method,
                                    sprint_theory_plan *ret_plan) {
  if (!experiment) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(experiment->context, ret_plan);
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
  SPRINT__TRY(sprint_experiment_start(experiment, point, method, 0, &run));
  const sprint_solver *solver = run->solver;
  const struct sprint__section *config =
      experiment->variants.items[point * experiment->variants.n_methods + method].config;
  uint64_t steps = sprint_run_steps_planned(run);
  sprint_theory_plan plan = {
      .m = (double)solver->inner,
      .n = (double)solver->n,
      .batch = (double)solver->batch,
      .gamma = size_at(solver, 0),
      .constant = is_constant(solver, steps ? steps : FAR),
      .plain = !solver->schedule->ops->turn,
      .steps = (double)steps,
      .method = sprint__get_section(config, "method")->kind->name,
  };
  return SPRINT__SIZED_GIVE(experiment->context, sprint_theory_plan, &plan, ret_plan);
}
