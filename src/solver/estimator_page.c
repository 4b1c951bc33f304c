/* PAGE (Li, Bao, Zhang and Richtarik, 2021), under deployments: with a probability the gradient of all, otherwise the
 * recursion of recursive.h. */
#include "base/random.h"
#include "solver/recursive.h"

struct page {
  struct sprint__recursive recursive;
  double chance;
};

static sprint_status page_setup(sprint_solver *solver, const struct sprint__section *section) {
  struct page *s = solver->impl = sprint__arena_take(&solver->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  s->chance = sprint__get_real(section, "chance");
  if (s->chance == 0) s->chance = 1 / (double)solver->inner;
  return sprint__recursive_setup(solver, section, &s->recursive);
}

/* The coin of a step is the same whenever it is looked at. */
static bool page_want(const sprint_solver *solver, sprint_want *ret_want) {
  const struct page *s = solver->impl;
  double u = sprint__uniform(sprint__random_words(solver->seed, SPRINT__FOR_COINS, solver->cost.steps, 0).a);
  bool all = solver->cost.steps == 0 || u < s->chance;
  return sprint__recursive_want(solver, &s->recursive, all, ret_want);
}

static bool page_population(sprint_solver *solver, const struct sprint__strata_sums *told,
                            struct sprint__estimate *ret_estimate) {
  (void)ret_estimate;
  struct page *s = solver->impl;
  return sprint__recursive_population(solver, &s->recursive, told);
}

static bool page_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                       struct sprint__estimate *ret_estimate) {
  struct page *s = solver->impl;
  sprint__recursive_batch(solver, &s->recursive, records, rows, ret_estimate);
  return true;
}

static double page_ifo(const sprint_solver *solver) {
  const struct page *s = solver->impl;
  double steps = (double)solver->inner;
  return steps * (s->chance * (double)solver->n + (1 - s->chance) * 2 * (double)solver->batch);
}

static void page_state(sprint_solver *solver, struct sprint__state *state) {
  struct page *s = solver->impl;
  sprint__recursive_state(solver, &s->recursive, state);
}

static const struct sprint__estimator_ops page_ops = {
    .setup = page_setup,
    .want = page_want,
    .population = page_population,
    .batch = page_batch,
    .state = page_state,
    .resumes = true,
    .ifo_per_epoch = page_ifo,
    .follows_gradient = true,
};

static const sprint_param page_params[] = {
    SPRINT__REAL("chance", "0", 0, 1, "of a step by the gradient of all; 0: 1/m"),
    SPRINT__RECURSIVE_PARAMS,
};

const sprint_kind sprint__estimator_page = {
    .name = "page",
    .help = "PAGE: as sarah, but a coin says when the gradient of all is taken",
    .params = page_params,
    .n_params = SPRINT__COUNT(page_params),
    .ops = &page_ops,
    .cites = "Li, Bao, Zhang, Richtarik 2021, arXiv 2008.10898; coupled to deployments: docs/math.md",
    .cost = "2b IFO a step, with the chance n",
    .memory = "2d",
};
