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
  return SPRINT_OK;
}

static const struct sprint__shift_ops none_ops = {.setup = none_setup};
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
  *ret_shift = sprint__give(&shift);
  return SPRINT_OK;
}

sprint_status sprint_shift_new(sprint_context *context, const char *spec, sprint_model *model,
                               const sprint_population *population, sprint_shift **ret_shift) {
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  SPRINT__TRY(sprint__section_parse(context, &sprint__shift_family, spec, "shift", &section));
  return sprint__shift_build(section, model, population, ret_shift);
}

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
  return sprint__shift_strata(shift, deployed, SPRINT__AT_EVALUATION, ret_p);
}

void sprint__shift_set_losses(sprint_shift *shift, const struct sprint__loss_source *source) {
  shift->losses = source ? *source : (struct sprint__loss_source){0};
  for (size_t k = 0; k < shift->n_parts; k++) sprint__shift_set_losses(shift->parts[k], source);
}

static void put_in_force(sprint_shift *shift, const sprint_real *theta) {
  shift->in_force = theta;
  for (size_t k = 0; k < shift->n_parts; k++) put_in_force(shift->parts[k], theta);
}

sprint_status sprint__shift_deploy(sprint_shift *shift, const sprint_real *theta) {
  put_in_force(shift, theta);
  return theta ? shift->ops->deployed(shift, theta) : SPRINT_OK;
}

static sprint_status refuse_column(const struct sprint__section *section, const sprint_population *population,
                                   const char *name) {
  SPRINT__SCOPED(sprint__free) const char **names = sprint__alloc(section->context, population->d, sizeof *names);
  if (!names) return SPRINT_ERROR_MEMORY;
  for (size_t j = 0; j < population->d; j++) names[j] = population->columns[j].name;
  const char *near = sprint__nearest(name, names, population->d);
  return sprint__refuse(section, "columns", "'%s' is not a feature of the data%s%s%s", name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static sprint_status find_columns(const struct sprint__section *section, const sprint_population *population,
                                  size_t *columns, size_t *ret_n) {
  const struct sprint__value *value = sprint__get(section, "columns");
  size_t n = 0;
  for (size_t i = 0; i < value->n_items; i++) {
    ptrdiff_t j = sprint__population_find(population, value->texts[i]);
    if (j < 0) return refuse_column(section, population, value->texts[i]);
    for (size_t k = 0; k < n; k++)
      if (columns[k] == (size_t)j) return sprint__refuse(section, "columns", "'%s' is named twice", value->texts[i]);
    columns[n++] = (size_t)j;
  }
  for (size_t j = 0; value->n_items == 0 && j < population->d; j++) columns[n++] = j;
  *ret_n = n;
  return SPRINT_OK;
}

sprint_status sprint__shift_columns(sprint_shift *shift, const struct sprint__section *section, size_t **ret_columns,
                                    size_t *ret_n) {
  *ret_columns = sprint__arena_take(&shift->arena, shift->population->d, sizeof **ret_columns);
  return *ret_columns ? find_columns(section, shift->population, *ret_columns, ret_n) : SPRINT_ERROR_MEMORY;
}

sprint_status sprint__shift_class(const struct sprint__section *section, const char *key,
                                  const sprint_population *population, size_t *ret_class) {
  return sprint__population_class(section, key, population, sprint__get_text(section, key), ret_class);
}
