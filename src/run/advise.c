/* Which method for a problem: the rule of docs/methods.md, "Which method?". The first line that fits holds. */
#include "base/sized.h"
#include "run/experiment.h"

#define NEARLY_EVERYBODY 8 /* batches that everybody is, from which on down there is little noise to take away */

static bool nobody_reacts(const sprint_problem *problem) { return !problem->moves && !problem->reweights; }
static bool has_no_end(const sprint_problem *problem) { return problem->endless; }
static bool deploys_seldom(const sprint_problem *problem) { return problem->few_deployments; }
static bool has_large_batches(const sprint_problem *problem) { return problem->n <= NEARLY_EVERYBODY * problem->batch; }
static bool always(const sprint_problem *problem) {
  (void)problem;
  return true;
}

static const struct {
  bool (*fits)(const sprint_problem *problem);
  sprint_advice advice;
} rule[] = {
    {has_no_end,
     {.method = "{kind: sprint, snapshot: growing, inner: 1000}",
      .deploy = "",
      .because = "nobody can look at everybody of a population without end, so that a snapshot is a sample; one that "
                 "grows leaves no floor",
      .instead = "sgd with falling steps (step: inverse-time) where a snapshot's records are not to be had"}},
    {nobody_reacts,
     {.method = "sgd",
      .deploy = "",
      .because = "nobody reacts: this is ordinary learning, where sgd has the lowest loss for its gradients",
      .instead = "sprint where the gradient is to become small, and not only the loss"}},
    {deploys_seldom,
     {.method = "sprint",
      .deploy = "{kind: every, steps: 0}",
      .because = "deployments are dear: one an epoch instead of one a step, and its steps are still unbiased for the "
                 "people who are there",
      .instead = "rrm, which deploys least of all, where the shift is mild enough for retraining to settle"}},
    {has_large_batches,
     {.method = "rgd",
      .deploy = "",
      .because = "a batch is a large part of everybody: there is little noise to take away, and an epoch of sprint "
                 "costs three full gradients",
      .instead = "sprint with a smaller batch, which takes more steps for the same gradients"}},
    {always,
     {.method = "sprint",
      .deploy = "",
      .because = "it ends far closer to a stable point than sgd, with fewer deployments and samples for the same "
                 "gradients",
      .instead = "sgd where the loss is all that counts (for the same gradients it is often lower); saga where people "
                 "react strongly and n x parameters numbers fit into memory"}},
};

sprint_status sprint_advise(sprint_context *context, const sprint_problem *problem, sprint_advice *ret_advice) {
  sprint_problem own;
  SPRINT__REQUIRE(context, problem, ret_advice);
  SPRINT__SIZED_TAKE(context, sprint_problem, problem, &own);
  size_t i = 0;
  while (!rule[i].fits(&own)) i++;
  sprint_advice advice = rule[i].advice;
  advice.size = sizeof advice;
  return SPRINT__SIZED_GIVE(context, sprint_advice, &advice, ret_advice);
}

sprint_status sprint_experiment_problem(sprint_experiment *experiment, size_t point, size_t method,
                                        sprint_problem *ret_problem) {
  if (!experiment) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(experiment->context, ret_problem);
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
  SPRINT__TRY(sprint__experiment_start(experiment, point, method, experiment->seeds[0], &run));
  const sprint_solver *solver = run->solver;
  bool moves = sprint__shift_moves(run->shift), reweights = sprint__shift_reweights(run->shift);
  sprint_problem problem = {
      .size = sizeof problem,
      .moves = moves,
      .reweights = reweights,
      .endless = sprint_population_is_endless(experiment->population),
      .few_deployments = !solver->deploy.ops->due(&solver->deploy, 1) || solver->rules.deployments > 0,
      .n = (double)experiment->population->n,
      .batch = (double)solver->batch,
      .n_params = (double)solver->n_params,
      .biased = solver->corrects && ((moves && !solver->coupled) || (reweights && !solver->stratifies)),
  };
  return SPRINT__SIZED_GIVE(experiment->context, sprint_problem, &problem, ret_problem);
}
