/* Experiments: loading a config, and runs that start from equal terms. */
#include "run/experiment.h"

#include <math.h>

#include "base/sized.h"

void sprint_experiment_free(sprint_experiment *experiment) {
  if (!experiment) return;
  sprint__variants_clear(&experiment->variants);
  sprint__free(experiment->seeds);
  sprint_population_free(experiment->population);
  sprint_population_free(experiment->heldout);
  sprint__free(experiment);
}

size_t sprint_experiment_n_points(const sprint_experiment *experiment) {
  return experiment ? experiment->variants.n_points : 0;
}
size_t sprint_experiment_n_methods(const sprint_experiment *experiment) {
  return experiment ? experiment->variants.n_methods : 0;
}
size_t sprint_experiment_n_seeds(const sprint_experiment *experiment) { return experiment ? experiment->n_seeds : 0; }
uint64_t sprint_experiment_seed(const sprint_experiment *experiment, size_t seed) {
  return experiment && seed < experiment->n_seeds ? experiment->seeds[seed] : 0;
}

const char *sprint_experiment_point_name(const sprint_experiment *experiment, size_t point) {
  return experiment && point < experiment->variants.n_points ? experiment->variants.points[point] : NULL;
}

const char *sprint_experiment_method_name(const sprint_experiment *experiment, size_t method) {
  return experiment && method < experiment->variants.n_methods ? experiment->variants.items[method].name : NULL;
}

const sprint_kind *sprint_experiment_method_kind(const sprint_experiment *experiment, size_t method) {
  if (!experiment || method >= experiment->variants.n_methods) return NULL;
  return sprint__get_section(experiment->variants.items[method].config, "method")->kind;
}

/* NULL: there is none. */
static const struct sprint__variant *variant_at(const sprint_experiment *experiment, size_t point, size_t method) {
  if (!experiment) return NULL;
  const struct sprint__variants *variants = &experiment->variants;
  bool known = point < variants->n_points && method < variants->n_methods;
  return known ? &variants->items[point * variants->n_methods + method] : NULL;
}

const char *sprint_experiment_people(const sprint_experiment *experiment, size_t point, size_t method) {
  const struct sprint__variant *variant = variant_at(experiment, point, method);
  return variant ? variant->people : NULL;
}

const char *sprint_experiment_doubt(const sprint_experiment *experiment, size_t point, size_t method,
                                    sprint_warning_kind kind) {
  const struct sprint__variant *variant = variant_at(experiment, point, method);
  return variant && (unsigned)kind < SPRINT_N_WARNINGS ? variant->doubts[kind] : NULL;
}

const char *sprint_experiment_name(const sprint_experiment *experiment) {
  return experiment ? sprint__get_text(experiment->variants.items[0].config, "name") : NULL;
}

const char *sprint_experiment_out(const sprint_experiment *experiment) {
  return experiment ? sprint__get_text(experiment->variants.items[0].config, "out") : NULL;
}

const sprint_population *sprint_experiment_population(const sprint_experiment *experiment) {
  return experiment ? experiment->population : NULL;
}

bool sprint_experiment_names_data(const sprint_experiment *experiment) {
  return experiment && sprint__get(experiment->variants.items[0].config, "data")->given;
}

static sprint_status read_seeds(sprint_experiment *experiment) {
  const struct sprint__section *config = experiment->variants.items[0].config;
  const struct sprint__value *seeds = sprint__get(config, "seeds");
  experiment->seeds = sprint__alloc(experiment->context, seeds->n_items, sizeof *experiment->seeds);
  if (!experiment->seeds) return SPRINT_ERROR_MEMORY;
  if (seeds->n_items == 0) return sprint__refuse(config, "seeds", "the list is empty; at least one seed was expected");
  for (size_t i = 0; i < seeds->n_items; i++) {
    if (seeds->reals[i] != floor(seeds->reals[i]))
      return sprint__refuse(config, "seeds", "%g is not a whole number", seeds->reals[i]);
    for (size_t k = 0; k < i; k++)
      if (seeds->reals[k] == seeds->reals[i])
        return sprint__refuse(config, "seeds", "%.0f is there twice", seeds->reals[i]);
    experiment->seeds[i] = (uint64_t)seeds->reals[i];
  }
  experiment->n_seeds = seeds->n_items;
  return SPRINT_OK;
}

/* What can be read once is enough for one run. */
static sprint_status check_source(const sprint_experiment *experiment) {
  const struct sprint__source *source = experiment->population->source;
  size_t n_runs = experiment->variants.n * experiment->n_seeds;
  if (!source || !source->once || n_runs == 1) return SPRINT_OK;
  return sprint__refuse(sprint__get_section(experiment->variants.items[0].config, "data"), "path",
                        "standard input or a pipe can be read by one run, and there are %zu; a file was expected",
                        n_runs);
}

static sprint_status fill_experiment(sprint_experiment *experiment, struct sprint__document *document,
                                     const struct sprint__overlay *overlay) {
  SPRINT__TRY(sprint__variants_read(document, overlay, &experiment->variants));
  SPRINT__TRY(read_seeds(experiment));
  if (!sprint__is_folder_name(sprint_experiment_name(experiment)))
    return sprint__refuse(experiment->variants.items[0].config, "name", "it is also a folder's: " SPRINT__FOLDER_NAME);
  SPRINT__TRY(sprint__population_build(sprint__get_section(experiment->variants.items[0].config, "data"),
                                       &experiment->population, &experiment->heldout));
  SPRINT__TRY(check_source(experiment));
  /* A method that cannot be built is found now, not after hours of the ones before it. */
  for (size_t i = 0; i < experiment->variants.n; i++) {
    SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
    SPRINT__TRY(sprint_experiment_start(experiment, i / experiment->variants.n_methods,
                                        i % experiment->variants.n_methods, 0, &run));
    experiment->variants.items[i].people = sprint__arena_strdup(&experiment->variants.arena, run->shift->people);
    SPRINT__TRY(sprint__run_doubts(run, &experiment->variants.arena, experiment->variants.items[i].doubts));
  }
  return SPRINT_OK;
}

/* Lists that are as long as they say. */
static sprint_status check_overlay(sprint_context *context, const struct sprint__overlay *overlay) {
  if (overlay->n_step_sizes && !overlay->step_sizes)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "NULL was given for %zu step sizes", overlay->n_step_sizes);
  for (size_t i = 0; i < overlay->n_sets; i++)
    if (!overlay->sets || !overlay->sets[i])
      return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "NULL was given for set %zu of %zu", i, overlay->n_sets);
  return SPRINT_OK;
}

static sprint_status load_experiment(sprint_context *context, const char *path, const struct sprint__overlay *overlay,
                                     sprint_experiment **ret_experiment) {
  SPRINT__TRY(check_overlay(context, overlay));
  SPRINT__SCOPED(sprint_experiment_free) sprint_experiment *experiment = sprint__alloc(context, 1, sizeof *experiment);
  SPRINT__SCOPED(sprint__document_free) struct sprint__document *document = NULL;
  if (!experiment) return SPRINT_ERROR_MEMORY;
  experiment->context = context;
  SPRINT__TRY(sprint__document_read(context, path, &document));
  SPRINT__TRY(fill_experiment(experiment, document, overlay));
  *ret_experiment = sprint__give(&experiment);
  return SPRINT_OK;
}

sprint_status sprint_experiment_open(sprint_context *context, const char *path,
                                     const sprint_experiment_options *options, sprint_experiment **ret_experiment) {
  SPRINT__REQUIRE(context, path, options, ret_experiment);
  sprint_experiment_options own;
  SPRINT__SIZED_TAKE(context, sprint_experiment_options, options, &own);
  const struct sprint__overlay overlay = {own.sets,       own.n_sets,       own.quick,    own.methods,
                                          own.step_sizes, own.n_step_sizes, own.one_point};
  return load_experiment(context, path, &overlay, ret_experiment);
}

sprint_status sprint_experiment_load(sprint_context *context, const char *path, const char *const *sets, size_t n_sets,
                                     sprint_experiment **ret_experiment) {
  SPRINT__REQUIRE(context, path, ret_experiment);
  return load_experiment(context, path, &(struct sprint__overlay){.sets = sets, .n_sets = n_sets}, ret_experiment);
}

sprint_status sprint_experiment_load_quick(sprint_context *context, const char *path, const char *const *sets,
                                           size_t n_sets, sprint_experiment **ret_experiment) {
  SPRINT__REQUIRE(context, path, ret_experiment);
  const struct sprint__overlay overlay = {.sets = sets, .n_sets = n_sets, .quick = true};
  return load_experiment(context, path, &overlay, ret_experiment);
}

static sprint_status find_variant(const sprint_experiment *experiment, size_t point, size_t method,
                                  const struct sprint__variant **ret_variant) {
  const struct sprint__variant *variant = variant_at(experiment, point, method);
  if (!variant)
    return sprint_fail(experiment->context, SPRINT_ERROR_ARGUMENT, "point %zu, method %zu: there are %zu and %zu",
                       point, method, experiment->variants.n_points, experiment->variants.n_methods);
  *ret_variant = variant;
  return SPRINT_OK;
}

sprint_status sprint_experiment_parts(const sprint_experiment *experiment, size_t point, size_t method,
                                      sprint_model **ret_model, sprint_shift **ret_shift) {
  if (!experiment) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(experiment->context, ret_model, ret_shift);
  const struct sprint__variant *variant = NULL;
  SPRINT__TRY(find_variant(experiment, point, method, &variant));
  const struct sprint__section *config = variant->config;
  const sprint_population *population = experiment->population;
  SPRINT__SCOPED(sprint_model_free) sprint_model *model = NULL;
  const struct sprint__section *section = sprint__get_section(config, "model");
  SPRINT__TRY(sprint__model_build(section, sprint__population_shape(population), population->n_classes, &model));
  SPRINT__TRY(sprint__model_suits(section, population, model));
  SPRINT__TRY(sprint__shift_build(sprint__get_section(config, "shift"), model, population, ret_shift));
  *ret_model = sprint__give(&model);
  return SPRINT_OK;
}

static sprint_status describe_run(const struct sprint__variant *variant, sprint_run *run) {
  run->name = sprint__strdup(run->context, variant->name);
  run->config_text = sprint__strdup(run->context, variant->config_text);
  run->settings_text = sprint__settings_text(run->context, variant->config);
  return run->name && run->config_text && run->settings_text ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

sprint_status sprint__experiment_start(sprint_experiment *experiment, size_t point, size_t method, uint64_t seed,
                                       sprint_run **ret_run) {
  const struct sprint__variant *variant = NULL;
  SPRINT__SCOPED(sprint_model_free) sprint_model *model = NULL;
  SPRINT__SCOPED(sprint_shift_free) sprint_shift *shift = NULL;
  SPRINT__SCOPED(sprint_run_free) sprint_run *run = NULL;
  SPRINT__TRY(find_variant(experiment, point, method, &variant));
  SPRINT__TRY(sprint_experiment_parts(experiment, point, method, &model, &shift));
  struct sprint__run_sections plan = sprint__run_sections_of(variant->config);
  sprint_run_options options = {.size = sizeof options, .seed = seed, .shift = shift, .heldout = experiment->heldout};
  SPRINT__TRY(sprint__run_build(experiment->context, &plan, &options, &run));
  run->owned_model = sprint__give(&model);
  run->owned_shift = sprint__give(&shift);
  SPRINT__TRY(describe_run(variant, run));
  *ret_run = sprint__give(&run);
  return SPRINT_OK;
}

sprint_status sprint_experiment_start(sprint_experiment *experiment, size_t point, size_t method, size_t seed,
                                      sprint_run **ret_run) {
  if (!experiment) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(experiment->context, ret_run);
  if (seed >= experiment->n_seeds)
    return sprint_fail(experiment->context, SPRINT_ERROR_ARGUMENT, "seed number %zu: there are %zu", seed,
                       experiment->n_seeds);
  return sprint__experiment_start(experiment, point, method, experiment->seeds[seed], ret_run);
}
