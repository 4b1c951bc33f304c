/* Compositions: shifts that act one after the other. Features go through every part that moves them; of several parts
 * that reweight, p_c is the base frequency times all their factors, p_c ~ b_c prod_k (p_c^(k) / b_c). Parts may be
 * compositions themselves, so that there may be any number of them. */
#include "shift/wrap.h"

struct composition {
  struct sprint__shift_ops ops; /* what its parts do, and no more */
  double *p;                    /* (n_strata) room for one part's */
};

static sprint_status compose_deployed(sprint_shift *shift, const sprint_real *theta) {
  for (size_t k = 0; k < shift->n_parts; k++)
    if (shift->parts[k]->ops->deployed) SPRINT__CALL_PART(shift, shift->parts[k], deployed, theta);
  return SPRINT_OK;
}

static sprint_status compose_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                     const sprint_real *y, size_t n, sprint_real *x) {
  for (size_t k = 0; k < shift->n_parts; k++)
    if (shift->parts[k]->ops->respond) SPRINT__CALL_PART(shift, shift->parts[k], respond, deployed, who, y, n, x);
  return SPRINT_OK;
}

static sprint_status compose_drawn(sprint_shift *shift, const sprint_real *deployed,
                                   const struct sprint__drawn *drawn) {
  for (size_t k = 0; k < shift->n_parts; k++)
    if (shift->parts[k]->ops->drawn) SPRINT__CALL_PART(shift, shift->parts[k], drawn, deployed, drawn);
  return SPRINT_OK;
}

static sprint_status compose_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                    double *ret_p) {
  const sprint_population *population = shift->population;
  double *p = ((struct composition *)shift->impl)->p, sum = 0;
  bool first = true;
  for (size_t k = 0; k < shift->n_parts; k++) {
    if (!shift->parts[k]->ops->strata) continue;
    SPRINT__CALL_PART(shift, shift->parts[k], strata, deployed, moment, first ? ret_p : p);
    for (size_t c = 0; !first && c < population->n_strata; c++) sum += ret_p[c] *= p[c] / population->base_p[c];
    for (size_t c = 0; !first && c < population->n_strata; c++) ret_p[c] /= sum;
    first = false;
    sum = 0;
  }
  return SPRINT_OK;
}

/* What the composition does, and when it looks at theta, follow from a part. */
static void take_after(sprint_shift *shift, const sprint_shift *part) {
  struct sprint__shift_ops *ops = &((struct composition *)shift->impl)->ops;
  if (part->ops->deployed) ops->deployed = compose_deployed;
  if (part->ops->respond) {
    shift->affine = part->affine && (shift->affine || !ops->respond);
    ops->respond = compose_respond;
  }
  if (part->ops->strata) ops->strata = compose_strata;
  if (part->ops->drawn) ops->drawn = compose_drawn;
  if (part->uses_theta < shift->uses_theta) shift->uses_theta = part->uses_theta;
  shift->hears_losses = shift->hears_losses || part->hears_losses;
  shift->keeps_records = shift->keeps_records || part->keeps_records;
  shift->remembers_deployments = shift->remembers_deployments || part->remembers_deployments;
}

/* The parts are the shifts of two keys of the section. */
static sprint_status compose(sprint_shift *shift, const struct sprint__section *section, const char *const keys[2]) {
  struct composition *own = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *own);
  if (!own) return SPRINT_ERROR_MEMORY;
  shift->ops = &own->ops;
  own->ops.resumes = true; /* where its parts do */
  own->p = sprint__arena_take(&shift->arena, shift->population->n_strata, sizeof *own->p);
  shift->parts = sprint__arena_take(&shift->arena, 2, sizeof *shift->parts);
  SPRINT__TRY(sprint__arena_status(&shift->arena));
  shift->n_parts = 2;
  shift->uses_theta = SPRINT__USES_THETA_AT_EPOCH;
  for (size_t k = 0; k < shift->n_parts; k++) {
    SPRINT__TRY(
        sprint__shift_build(sprint__get_section(section, keys[k]), shift->model, shift->population, &shift->parts[k]));
    take_after(shift, shift->parts[k]);
  }
  return SPRINT_OK;
}

static sprint_status both_setup(sprint_shift *shift, const struct sprint__section *section) {
  SPRINT__TRY(compose(shift, section, (const char *const[]){"response", "strata"}));
  if (!sprint__shift_moves(shift->parts[0]) || sprint__shift_reweights(shift->parts[0]))
    return sprint__refuse(section, "response", "a shift that moves features, and does no more, was expected");
  if (!sprint__shift_reweights(shift->parts[1]) || sprint__shift_moves(shift->parts[1]))
    return sprint__refuse(section, "strata", "a shift that reweights strata, and does no more, was expected");
  return sprint__shift_say(
      shift, sprint__printf(shift->context, "%s; and %s", shift->parts[0]->people, shift->parts[1]->people));
}

static sprint_status chain_setup(sprint_shift *shift, const struct sprint__section *section) {
  SPRINT__TRY(compose(shift, section, (const char *const[]){"first", "then"}));
  const sprint_shift *first = shift->parts[0], *then = shift->parts[1];
  if (sprint__shift_moves(first) && sprint__shift_moves(then) && then->keeps_records)
    return sprint__refuse(section, "then", "people who remember where they stand come first in a chain");
  if (sprint__shift_moves(shift) || sprint__shift_reweights(shift))
    return sprint__shift_say(shift, sprint__printf(shift->context, "%s; then %s", first->people, then->people));
  return sprint__refuse(section, "first", "a chain of shifts under which nobody reacts");
}

static const struct sprint__shift_ops both_ops = {.setup = both_setup}, chain_ops = {.setup = chain_setup};

static const sprint_param both_params[] = {
    SPRINT__SECTION("response", "strategic", &sprint__shift_family, "the shift that moves features"),
    SPRINT__SECTION("strata", "retention", &sprint__shift_family, "the shift that reweights classes"),
};

static const sprint_param chain_params[] = {
    SPRINT__SECTION("first", "strategic", &sprint__shift_family, "the shift that acts first"),
    SPRINT__SECTION("then", "retention", &sprint__shift_family, "the one that acts on what it leaves; may be a chain"),
};

const sprint_kind sprint__shift_both = {"both", "features move by one shift, strata are reweighted by another",
                                        both_params, SPRINT__COUNT(both_params), &both_ops};
const sprint_kind sprint__shift_chain = {"chain", "two shifts one after the other; of chains, any number", chain_params,
                                         SPRINT__COUNT(chain_params), &chain_ops};
