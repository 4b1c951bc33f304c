/* Deployment policies: see deploy.h. */
#include "solver/deploy.h"

#include "solver/solver.h"

static bool greedy_due(const struct sprint__deploy *policy, uint64_t steps_since_deploy) {
  (void)policy;
  (void)steps_since_deploy;
  return true;
}

static sprint_status every_setup(struct sprint__deploy *policy, const struct sprint__section *section, uint64_t inner) {
  policy->every = (uint64_t)sprint__get_integer(section, "steps");
  if (policy->every == 0) policy->every = inner;
  return SPRINT_OK;
}

static bool every_due(const struct sprint__deploy *policy, uint64_t steps_since_deploy) {
  return steps_since_deploy >= policy->every;
}

sprint_status sprint__deploy_read(const struct sprint__section *section, uint64_t inner,
                                  struct sprint__deploy *ret_policy) {
  struct sprint__deploy policy = {.ops = section->kind->ops};
  if (policy.ops->setup) SPRINT__TRY(policy.ops->setup(&policy, section, inner));
  *ret_policy = policy;
  return SPRINT_OK;
}

static const sprint_param every_params[] = {
    SPRINT__INTEGER("steps", NULL, 0, 1e12, "steps between deployments, K; 0: as many as an epoch has, m"),
};

static const struct sprint__deploy_ops greedy_ops = {NULL, greedy_due};
static const struct sprint__deploy_ops every_ops = {every_setup, every_due};

static const sprint_kind deploy_greedy = {"greedy", "deploy after every step", NULL, 0, &greedy_ops};
static const sprint_kind deploy_every = {"every", "lazy: deploy every K steps, and at every snapshot", every_params,
                                         SPRINT__COUNT(every_params), &every_ops};
static const sprint_kind *const kinds[] = {&deploy_greedy, &deploy_every};

const sprint_family sprint__deploy_family = {
    .name = "deployments",
    .key = "deploy",
    .help = "when theta is put in front of the population",
    .kinds = kinds,
    .n_kinds = SPRINT__COUNT(kinds),
    .standard = "greedy",
};
