/* Compositions: shifts that act one after the other. Features go through every part that moves them; of several parts
 * that reweight, p_c is the base frequency times all their factors, p_c ~ b_c prod_k (p_c^(k) / b_c). Parts may be
 * compositions themselves, so that there may be any number of them. */
#include "shift/shift.h"

static void compose_free(sprint_shift *shift) { sprint__free(shift->impl); }

/* The parts are the shifts of two keys of the section; impl (n_strata): room for one part's probabilities. */
static sprint_status compose(sprint_shift *shift, const struct sprint__section *section, const char *const keys[2]) {
  shift->impl = sprint__alloc(shift->context, shift->population->n_strata, sizeof(double));
  shift->parts = sprint__alloc(shift->context, 2, sizeof *shift->parts);
  if (!shift->impl || !shift->parts) return SPRINT_ERROR_MEMORY;
  shift->n_parts = 2;
  shift->uses_theta = SPRINT__USES_THETA_AT_EPOCH;
  for (size_t k = 0; k < shift->n_parts; k++) {
    SPRINT__TRY(
        sprint__shift_build(sprint__get_section(section, keys[k]), shift->model, shift->population, &shift->parts[k]));
    const sprint_shift *part = shift->parts[k];
    if (part->uses_theta < shift->uses_theta) shift->uses_theta = part->uses_theta; /* the part that asks most */
    shift->keeps_records = shift->keeps_records || part->keeps_records;
    shift->remembers_deployments = shift->remembers_deployments || part->remembers_deployments;
  }
  return SPRINT_OK;
}

/* Calls part->ops->OP and counts the evaluations of the part as the composition's. */
#define CALL_PART(SHIFT, PART, OP, ...)                \
  do {                                                 \
    uint64_t before__ = (PART)->evals;                 \
    SPRINT__TRY((PART)->ops->OP((PART), __VA_ARGS__)); \
    (SHIFT)->evals += (PART)->evals - before__;        \
  } while (0)

static sprint_status compose_deployed(sprint_shift *shift, const sprint_real *theta) {
  for (size_t k = 0; k < shift->n_parts; k++)
    if (shift->parts[k]->ops->deployed) CALL_PART(shift, shift->parts[k], deployed, theta);
  return SPRINT_OK;
}

static sprint_status compose_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                     const sprint_real *y, size_t n, sprint_real *x) {
  for (size_t k = 0; k < shift->n_parts; k++)
    if (shift->parts[k]->ops->respond) CALL_PART(shift, shift->parts[k], respond, deployed, who, y, n, x);
  return SPRINT_OK;
}

static sprint_status compose_drawn(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                   const sprint_real *y, size_t n, const sprint_real *x) {
  for (size_t k = 0; k < shift->n_parts; k++)
    if (shift->parts[k]->ops->drawn) CALL_PART(shift, shift->parts[k], drawn, deployed, who, y, n, x);
  return SPRINT_OK;
}

static sprint_status compose_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                    double *ret_p) {
  const sprint_population *population = shift->population;
  double *p = shift->impl, sum = 0;
  bool first = true;
  for (size_t k = 0; k < shift->n_parts; k++) {
    if (!shift->parts[k]->ops->strata) continue;
    CALL_PART(shift, shift->parts[k], strata, deployed, moment, first ? ret_p : p);
    for (size_t c = 0; !first && c < population->n_strata; c++) sum += ret_p[c] *= p[c] / population->base_p[c];
    for (size_t c = 0; !first && c < population->n_strata; c++) ret_p[c] /= sum;
    first = false;
    sum = 0;
  }
  return SPRINT_OK;
}

static const struct sprint__shift_ops moves_ops = {
    .free = compose_free, .deployed = compose_deployed, .respond = compose_respond, .drawn = compose_drawn};
static const struct sprint__shift_ops reweights_ops = {
    .free = compose_free, .deployed = compose_deployed, .strata = compose_strata, .drawn = compose_drawn};
static const struct sprint__shift_ops does_both_ops = {.free = compose_free,
                                                       .deployed = compose_deployed,
                                                       .respond = compose_respond,
                                                       .strata = compose_strata,
                                                       .drawn = compose_drawn};

static sprint_status both_setup(sprint_shift *shift, const struct sprint__section *section) {
  shift->ops = &does_both_ops;
  SPRINT__TRY(compose(shift, section, (const char *const[]){"response", "strata"}));
  if (!sprint__shift_moves(shift->parts[0]) || sprint__shift_reweights(shift->parts[0]))
    return sprint__refuse(section, "response", "a shift that moves features, and does no more, was expected");
  if (!sprint__shift_reweights(shift->parts[1]) || sprint__shift_moves(shift->parts[1]))
    return sprint__refuse(section, "strata", "a shift that reweights strata, and does no more, was expected");
  return SPRINT_OK;
}

static sprint_status chain_setup(sprint_shift *shift, const struct sprint__section *section) {
  shift->ops = &does_both_ops;
  SPRINT__TRY(compose(shift, section, (const char *const[]){"first", "then"}));
  bool moves = sprint__shift_moves(shift->parts[0]) || sprint__shift_moves(shift->parts[1]);
  bool reweights = sprint__shift_reweights(shift->parts[0]) || sprint__shift_reweights(shift->parts[1]);
  if (!moves && !reweights) return sprint__refuse(section, "first", "a chain of shifts under which nobody reacts");
  shift->ops = !reweights ? &moves_ops : !moves ? &reweights_ops : &does_both_ops;
  return SPRINT_OK;
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
