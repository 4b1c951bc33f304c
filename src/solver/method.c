/* The estimators, and the sections that make up a method. */
#include "solver/solver.h"

static const sprint_kind *const method_kinds[] = {
    &sprint__estimator_svrg,      &sprint__estimator_sgd,    &sprint__estimator_clipped,     &sprint__estimator_saga,
    &sprint__estimator_sarah,     &sprint__estimator_spider, &sprint__estimator_page,        &sprint__estimator_full,
    &sprint__estimator_rrm,       &sprint__estimator_perfgd, &sprint__estimator_perfgd_full, &sprint__estimator_dfo,
    &sprint__estimator_two_stage,
};

static const sprint_param method_params[] = {
    SPRINT__INTEGER("batch", "64", 1, 1e7, "samples a step, b (rgd, rrm and perfgd-full look at everybody instead)"),
    SPRINT__INTEGER("inner", "0", 0, 1e12, "steps of an epoch, m; 0: n/b rounded up (rgd, rrm, perfgd-full: 1)"),
};

const sprint_family sprint__method_family = {
    .name = "methods",
    .key = "method",
    .help = "the gradient estimator",
    .params = method_params,
    .n_params = SPRINT__COUNT(method_params),
    .kinds = method_kinds,
    .n_kinds = SPRINT__COUNT(method_kinds),
    .standard = "sprint",
};

bool sprint__want_batch(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_BATCH;
  return false;
}

struct sprint__method sprint__method_of(const struct sprint__section *section) {
  return (struct sprint__method){
      sprint__get_section(section, "method"),
      sprint__get_section(section, "step"),
      sprint__get_section(section, "deploy"),
      sprint__get_section(section, "stop"),
  };
}
