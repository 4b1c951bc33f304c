/* A composition: features respond by one shift, strata are reweighted by another. */
#include "shift/shift.h"

static sprint_status both_setup(sprint_shift *shift, const struct sprint__section *section) {
  static const char *const keys[] = {"response", "strata"};
  shift->parts = sprint__alloc(shift->context, SPRINT__COUNT(keys), sizeof *shift->parts);
  if (!shift->parts) return SPRINT_ERROR_MEMORY;
  shift->n_parts = SPRINT__COUNT(keys);
  for (size_t k = 0; k < shift->n_parts; k++)
    SPRINT__TRY(
        sprint__shift_build(sprint__get_section(section, keys[k]), shift->model, shift->population, &shift->parts[k]));
  if (!sprint__shift_moves(shift->parts[0]) || sprint__shift_reweights(shift->parts[0]))
    return sprint__refuse(section, "response", "a shift that moves features, and does no more, was expected");
  if (!sprint__shift_reweights(shift->parts[1]) || sprint__shift_moves(shift->parts[1]))
    return sprint__refuse(section, "strata", "a shift that reweights strata, and does no more, was expected");
  shift->keeps_records = shift->parts[0]->keeps_records;
  for (size_t k = 0; k < shift->n_parts; k++)
    shift->remembers_deployments = shift->remembers_deployments || shift->parts[k]->remembers_deployments;
  return SPRINT_OK;
}

static sprint_status both_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                  const sprint_real *y, size_t n, sprint_real *x) {
  sprint_shift *part = shift->parts[0];
  uint64_t before = part->evals;
  SPRINT__TRY(part->ops->respond(part, deployed, who, y, n, x));
  shift->evals += part->evals - before;
  return SPRINT_OK;
}

static sprint_status both_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                 double *ret_p) {
  sprint_shift *part = shift->parts[1];
  uint64_t before = part->evals;
  SPRINT__TRY(part->ops->strata(part, deployed, moment, ret_p));
  shift->evals += part->evals - before;
  return SPRINT_OK;
}

static sprint_status both_drawn(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                const sprint_real *y, size_t n, const sprint_real *x) {
  for (size_t k = 0; k < shift->n_parts; k++) {
    sprint_shift *part = shift->parts[k];
    uint64_t before = part->evals;
    if (part->ops->drawn) SPRINT__TRY(part->ops->drawn(part, deployed, who, y, n, x));
    shift->evals += part->evals - before;
  }
  return SPRINT_OK;
}

static sprint_status both_deployed(sprint_shift *shift, const sprint_real *theta) {
  for (size_t k = 0; k < shift->n_parts; k++)
    if (shift->parts[k]->ops->deployed) SPRINT__TRY(shift->parts[k]->ops->deployed(shift->parts[k], theta));
  return SPRINT_OK;
}

static const struct sprint__shift_ops both_ops = {
    .setup = both_setup,
    .deployed = both_deployed,
    .respond = both_respond,
    .strata = both_strata,
    .drawn = both_drawn,
};

static const sprint_param both_params[] = {
    SPRINT__SECTION("response", "strategic", &sprint__shift_family, "the shift that moves features"),
    SPRINT__SECTION("strata", "retention", &sprint__shift_family, "the shift that reweights classes"),
};

const sprint_kind sprint__shift_both = {"both", "features move by one shift, strata are reweighted by another",
                                        both_params, SPRINT__COUNT(both_params), &both_ops};
