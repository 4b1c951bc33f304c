/* SPIDER (Fang, Li, Lin and Zhang, 2018), under deployments: the recursion of SARAH, with steps whose length is
 * bounded: v is cut to `length`, so that far from rest theta moves by gamma * length, near it by gamma * v. */
#include <math.h>

#include "base/vector.h"
#include "solver/recursive.h"

struct spider {
  struct sprint__recursive recursive;
  double length;
};

static sprint_status spider_setup(sprint_solver *solver, const struct sprint__section *section) {
  struct spider *s = solver->impl = sprint__arena_take(&solver->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  s->length = sprint__get_real(section, "length");
  return sprint__recursive_setup(solver, section, &s->recursive);
}

static bool spider_want(const sprint_solver *solver, sprint_want *ret_want) {
  const struct spider *s = solver->impl;
  return sprint__recursive_want(solver, &s->recursive, solver->epoch_step == 0, ret_want);
}

/* The recursion goes on with v as it is: what is cut is the step, all of it, the penalty's part too. */
static void cut(sprint_solver *solver, struct sprint__estimate *estimate) {
  const struct spider *s = solver->impl;
  sprint__model_add_decay(solver->model, solver->theta, 1, solver->direction);
  double norm = sqrt(sprint__norm_sq(solver->direction, solver->n_params));
  estimate->scale = (sprint_real)(norm > s->length ? s->length / norm : 1);
  estimate->penalized = true;
}

static bool spider_population(sprint_solver *solver, const struct sprint__strata_sums *told,
                              struct sprint__estimate *ret_estimate) {
  struct spider *s = solver->impl;
  if (!sprint__recursive_population(solver, &s->recursive, told)) return false;
  cut(solver, ret_estimate);
  return true;
}

static bool spider_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                         struct sprint__estimate *ret_estimate) {
  struct spider *s = solver->impl;
  sprint__recursive_batch(solver, &s->recursive, records, rows, ret_estimate);
  cut(solver, ret_estimate);
  return true;
}

static void spider_state(sprint_solver *solver, struct sprint__state *state) {
  struct spider *s = solver->impl;
  sprint__recursive_state(solver, &s->recursive, state);
}

static const struct sprint__estimator_ops spider_ops = {
    .setup = spider_setup,
    .want = spider_want,
    .population = spider_population,
    .batch = spider_batch,
    .state = spider_state,
    .resumes = true,
    .ifo_per_epoch = sprint__recursive_ifo,
};

static const sprint_param spider_params[] = {
    SPRINT__REAL("length", "0.1", 1e-300, 1e12, "v is cut to this length: a step goes no farther than gamma times it"),
    SPRINT__RECURSIVE_PARAMS,
};

const sprint_kind sprint__estimator_spider = {
    .name = "spider",
    .help = "SPIDER: as sarah, with steps of a bounded length; n + 2b(m - 1) IFO an epoch",
    .params = spider_params,
    .n_params = SPRINT__COUNT(spider_params),
    .ops = &spider_ops,
    .cites = "Fang, Li, Lin, Zhang 2018, arXiv 1807.01695; coupled to deployments: docs/math.md",
    .cost = "2b IFO a step, n the first of an epoch",
    .memory = "2d",
};
