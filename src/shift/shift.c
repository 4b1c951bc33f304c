/* What all shifts share: the family, building, responding, strata. */
#include "shift/shift.h"

#include <string.h>

static const sprint_kind *const shift_kinds[] = {
    &sprint__shift_none,       &sprint__shift_strategic, &sprint__shift_linear,  &sprint__shift_location,
    &sprint__shift_retention,  &sprint__shift_both,      &sprint__shift_chain,   &sprint__shift_mixture,
    &sprint__shift_replicator, &sprint__shift_decay,     &sprint__shift_opinion,
};

const sprint_family sprint__shift_family = {
    .name = "shifts",
    .key = "shift",
    .help = "how the population reacts to the deployed model",
    .kinds = shift_kinds,
    .n_kinds = SPRINT__COUNT(shift_kinds),
    .standard = "none",
};

static sprint_status none_setup(sprint_shift *shift, const struct sprint__section *section) {
  (void)section;
  shift->uses_theta = SPRINT__USES_THETA_AT_EPOCH;
  return sprint__shift_say(shift, sprint__printf(shift->context, "nobody reacts"));
}

static const struct sprint__shift_ops none_ops = {.setup = none_setup, .resumes = true};
const sprint_kind sprint__shift_none = {"none", "nobody reacts: ordinary learning", NULL, 0, &none_ops};

sprint_status sprint__shift_check(sprint_context *context, const sprint_model *model,
                                  const sprint_population *population) {
  if (model->n_features != population->d)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "the model takes %zu features, the population has %zu",
                       model->n_features, population->d);
  if (model->classifies && model->n_classes != population->n_classes)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "the model knows %zu classes, the population has %zu",
                       model->n_classes, population->n_classes);
  return SPRINT_OK;
}

sprint_status sprint__shift_build(const struct sprint__section *section, sprint_model *model,
                                  const sprint_population *population, sprint_shift **ret_shift) {
  SPRINT__TRY(sprint__shift_check(section->context, model, population));
  SPRINT__SCOPED(sprint_shift_free) sprint_shift *shift = sprint__alloc(section->context, 1, sizeof *shift);
  if (!shift) return SPRINT_ERROR_MEMORY;
  shift->context = shift->arena.context = section->context;
  shift->ops = section->kind->ops;
  shift->model = model;
  shift->population = population;
  if (shift->ops->setup) SPRINT__TRY(shift->ops->setup(shift, section));
  shift->settings = sprint__arena_keep(&shift->arena, sprint__settings_text(section->context, section));
  if (!shift->people) shift->people = sprint__arena_strdup(&shift->arena, section->kind->help);
  SPRINT__TRY(sprint__arena_status(&shift->arena));
  *ret_shift = sprint__give(&shift);
  return SPRINT_OK;
}

sprint_status sprint_shift_new(sprint_context *context, const char *spec, sprint_model *model,
                               const sprint_population *population, sprint_shift **ret_shift) {
  SPRINT__REQUIRE(context, model, population, ret_shift);
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  SPRINT__TRY(sprint__section_parse(context, &sprint__shift_family, spec, "shift", &section));
  return sprint__shift_build(section, model, population, ret_shift);
}

sprint_status sprint__shift_say(sprint_shift *shift, char *sentence) {
  shift->people = sprint__arena_keep(&shift->arena, sentence);
  return sprint__arena_status(&shift->arena);
}

const char *sprint_shift_people(const sprint_shift *shift) { return shift ? shift->people : NULL; }

void sprint_shift_free(sprint_shift *shift) {
  if (!shift) return;
  if (shift->ops->free) shift->ops->free(shift);
  for (size_t k = 0; k < shift->n_parts; k++) sprint_shift_free(shift->parts[k]);
  sprint__arena_free(&shift->arena);
  sprint__free(shift);
}

sprint_status sprint__shift_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                    const sprint_real *y, size_t n, sprint_real *x) {
  return shift->ops->respond ? shift->ops->respond(shift, deployed, who, y, n, x) : SPRINT_OK;
}

sprint_status sprint_shift_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who, size_t n,
                                   sprint_real *ret_x) {
  if (!shift) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(shift->context, deployed, who, ret_x);
  const sprint_population *population = shift->population;
  for (size_t i = 0; i < n; i++)
    if (who[i] >= population->n)
      return sprint_fail(shift->context, SPRINT_ERROR_ARGUMENT, "individual %u is not one of the population's %zu",
                         (unsigned)who[i], population->n);
  SPRINT__SCOPED(sprint__free) sprint_real *y = sprint__alloc(shift->context, n, sizeof *y);
  if (!y) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) y[i] = population->y[who[i]];
  sprint__population_gather(population, who, 0, n, ret_x);
  return sprint__shift_respond(shift, deployed, who, y, n, ret_x);
}

bool sprint__shift_by_identity(const sprint_shift *shift) {
  bool any = shift->by_identity;
  for (size_t k = 0; k < shift->n_parts; k++) any = any || sprint__shift_by_identity(shift->parts[k]);
  return any;
}

bool sprint__shift_moves_outsiders(const sprint_shift *shift) {
  return !sprint__shift_moves(shift) || !(shift->keeps_records || sprint__shift_by_identity(shift));
}

sprint_status sprint__shift_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                   double *ret_p) {
  size_t n = shift->population->n_strata;
  if (!shift->ops->strata) {
    memcpy(ret_p, shift->population->base_p, n * sizeof *ret_p);
    return SPRINT_OK;
  }
  return shift->ops->strata(shift, deployed, moment, ret_p);
}

sprint_status sprint_shift_strata(sprint_shift *shift, const sprint_real *deployed, double *ret_p) {
  if (!shift) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(shift->context, deployed, ret_p);
  return sprint__shift_strata(shift, deployed, SPRINT__AT_EVALUATION, ret_p);
}

void sprint__shift_set_losses(sprint_shift *shift, const struct sprint__loss_source *source) {
  shift->losses = source ? *source : (struct sprint__loss_source){0};
  for (size_t k = 0; k < shift->n_parts; k++) sprint__shift_set_losses(shift->parts[k], source);
}

void sprint__shift_put_in_force(sprint_shift *shift, const sprint_real *theta) {
  shift->in_force = theta;
  for (size_t k = 0; k < shift->n_parts; k++) sprint__shift_put_in_force(shift->parts[k], theta);
}

sprint_status sprint__shift_deploy(sprint_shift *shift, const sprint_real *theta) {
  sprint__shift_put_in_force(shift, theta);
  return theta ? shift->ops->deployed(shift, theta) : SPRINT_OK;
}

void sprint__shift_state(sprint_shift *shift, struct sprint__state *state) {
  SPRINT__KEEP_ARRAY(state, shift->state, shift->n_state);
  SPRINT__KEEP(state, shift->evals);
  if (shift->ops->remember) shift->ops->remember(shift, state);
  for (size_t k = 0; k < shift->n_parts; k++) sprint__shift_state(shift->parts[k], state);
}

bool sprint__shift_resumes(const sprint_shift *shift) {
  bool all = shift->ops->resumes;
  for (size_t k = 0; k < shift->n_parts; k++) all = all && sprint__shift_resumes(shift->parts[k]);
  return all;
}
