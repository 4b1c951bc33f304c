/* Deployment policies: when theta is put in front of the population. */
#ifndef SPRINT_SOLVER_DEPLOY_H
#define SPRINT_SOLVER_DEPLOY_H

#include "config/section.h"

struct sprint__deploy;

/* A policy. Snapshots are deployed whatever it says, and the same theta is never deployed twice. */
struct sprint__deploy_ops {
  /* Reads the section, of a method with so many steps an epoch; NULL: there is nothing to read. */
  sprint_status (*setup)(struct sprint__deploy *policy, const struct sprint__section *section, uint64_t inner);
  /* Whether to deploy, so many steps (at least 1) after the newest deployment. */
  bool (*due)(const struct sprint__deploy *policy, uint64_t steps_since_deploy);
};

struct sprint__deploy {
  const struct sprint__deploy_ops *ops;
  uint64_t every; /* steps */
};

/* inner: steps of an epoch. */
sprint_status sprint__deploy_read(const struct sprint__section *section, uint64_t inner,
                                  struct sprint__deploy *ret_policy);

#endif
