/* What a method of an experiment does, as the theory counts it. */
#include "base/sized.h"
#include "run/experiment.h"
#include "theory/theory.h"

enum { LOOKS = 64, FAR = 1 << 20 }; /* steps at which gamma is looked at; the last of them, where there is no end */

static bool is_constant(const sprint_solver *solver, uint64_t steps) {
  double first = sprint__schedule_size(solver->schedule, 0);
  for (uint64_t i = 1; i <= LOOKS; i++)
    if (sprint__schedule_size(solver->schedule, (steps - 1) / LOOKS * i) != first) return false;
  return sprint__schedule_size(solver->schedule, steps - 1) == first;
}

sprint_status sprint_theory_plan_of(sprint_experiment *experiment, size_t point, size_t method,
                                    sprint_theory_plan *ret_plan) {
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
      .gamma = sprint__schedule_size(solver->schedule, 0),
      .constant = is_constant(solver, steps ? steps : FAR),
      .steps = (double)steps,
      .method = sprint__get_section(config, "method")->kind->name,
  };
  return SPRINT__SIZED_GIVE(experiment->context, sprint_theory_plan, &plan, ret_plan);
}
