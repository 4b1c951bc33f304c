/* Experiments: a config, its `compare` list laid over it method by method, and runs that start from equal terms. */
#include "run/experiment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const sprint_param config_params[] = {
    {.name = "name", .type = SPRINT_PARAM_TEXT, .standard = "run", .help = "what the experiment is called"},
    {.name = "data",
     .type = SPRINT_PARAM_KIND,
     .standard = "lending",
     .family = &sprint__data_family,
     .help = "the population"},
    {.name = "model",
     .type = SPRINT_PARAM_KIND,
     .standard = "",
     .family = &sprint__model_family,
     .help = "what is learnt"},
    {.name = "shift",
     .type = SPRINT_PARAM_KIND,
     .standard = "none",
     .family = &sprint__shift_family,
     .help = "how the population reacts"},
    {.name = "method",
     .type = SPRINT_PARAM_KIND,
     .standard = "sprint",
     .family = &sprint__method_family,
     .help = "the gradient estimator"},
    {.name = "step",
     .type = SPRINT_PARAM_KIND,
     .standard = "constant",
     .family = &sprint__step_family,
     .help = "step sizes"},
    {.name = "deploy",
     .type = SPRINT_PARAM_KIND,
     .standard = "greedy",
     .family = &sprint__deploy_family,
     .help = "when to deploy"},
    {.name = "stop", .type = SPRINT_PARAM_KIND, .standard = "", .family = &sprint__stop_family, .help = "when to stop"},
    {.name = "eval", .type = SPRINT_PARAM_KIND, .standard = "", .family = &sprint__eval_family, .help = "the trace"},
    {.name = "compare",
     .type = SPRINT_PARAM_MAPS,
     .standard = "",
     .help = "methods to compare: a list of {name, method, step, deploy} laid over the sections above"},
    {.name = "seeds",
     .type = SPRINT_PARAM_REALS,
     .standard = "1",
     .min = 0,
     .max = 9007199254740992.0,
     .help = "one run each; whole numbers"},
    {.name = "out", .type = SPRINT_PARAM_TEXT, .standard = "", .help = "folder of the results (--out goes first)"},
};

static const sprint_kind config_kind = {"", "a whole experiment", config_params, SPRINT__COUNT(config_params), NULL};
static const sprint_kind *const config_kinds[] = {&config_kind};

const sprint_family sprint__config_family = {
    .name = "config",
    .key = "",
    .help = "the sections of a config file",
    .kinds = config_kinds,
    .n_kinds = 1,
};

void sprint_experiment_free(sprint_experiment *experiment) {
  if (!experiment) return;
  for (size_t i = 0; i < experiment->n_variants; i++) {
    sprint__free(experiment->variants[i].name);
    sprint__free(experiment->variants[i].config_text);
    sprint__section_free(experiment->variants[i].config);
  }
  sprint__free(experiment->variants);
  sprint__free(experiment->seeds);
  sprint_population_free(experiment->population);
  sprint_population_free(experiment->heldout);
  sprint__free(experiment);
}

size_t sprint_experiment_n_methods(const sprint_experiment *experiment) { return experiment->n_variants; }
size_t sprint_experiment_n_seeds(const sprint_experiment *experiment) { return experiment->n_seeds; }
uint64_t sprint_experiment_seed(const sprint_experiment *experiment, size_t seed) { return experiment->seeds[seed]; }

const char *sprint_experiment_method_name(const sprint_experiment *experiment, size_t method) {
  return experiment->variants[method].name;
}

const char *sprint_experiment_name(const sprint_experiment *experiment) {
  return sprint__get_text(experiment->variants[0].config, "name");
}

const char *sprint_experiment_out(const sprint_experiment *experiment) {
  return sprint__get_text(experiment->variants[0].config, "out");
}

const sprint_population *sprint_experiment_population(const sprint_experiment *experiment) {
  return experiment->population;
}

/* Reads `node`, a whole config, as variant number n_variants. */
static sprint_status add_variant(sprint_experiment *experiment, const struct sprint__node *node, const char *name) {
  sprint_context *context = experiment->context;
  struct sprint__variant *variant = &experiment->variants[experiment->n_variants++];
  SPRINT__TRY(sprint__section_read(context, &sprint__config_family, node, "", &variant->config));
  const char *kind = sprint__get_section(variant->config, "method")->kind->name;
  variant->name = sprint__strdup(context, name ? name : kind);
  variant->config_text = sprint__node_print(context, node);
  return variant->name && variant->config_text ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status refuse_entry(sprint_context *context, const struct sprint__node *at, const char *sentence) {
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s:%d: key 'compare': %s", at->place.file, at->place.line, sentence);
}

/* An entry is a map with a name of its own that can be a folder's, and the sections that a method is made of. */
static sprint_status check_entry(const sprint_experiment *experiment, const struct sprint__node *entry) {
  static const char *const keys[] = {"name", "method", "step", "deploy"};
  sprint_context *context = experiment->context;
  const struct sprint__node *name = sprint__node_child(entry, "name");
  if (entry->type != SPRINT__NODE_MAP || !name || name->type != SPRINT__NODE_SCALAR || !name->text[0])
    return refuse_entry(context, entry, "an entry is not a mapping with a name; {name: ..., method: ...} was expected");
  if (name->text[0] == '.' || strchr(name->text, '/'))
    return refuse_entry(context, name, "a name is also a folder's: no '/' and no '.' in front was expected");
  for (size_t i = 0; i < experiment->n_variants; i++)
    if (strcmp(experiment->variants[i].name, name->text) == 0)
      return refuse_entry(context, name, "two entries have the same name");
  for (size_t i = 0; i < entry->n_children; i++) {
    bool known = false;
    for (size_t k = 0; k < SPRINT__COUNT(keys); k++) known = known || strcmp(entry->children[i]->key, keys[k]) == 0;
    if (!known)
      return sprint_fail(context, SPRINT_ERROR_INPUT,
                         "%s:%d: unknown key 'compare.%s'; one of name, method, step, deploy was expected",
                         entry->children[i]->place.file, entry->children[i]->place.line, entry->children[i]->key);
  }
  return SPRINT_OK;
}

/* A copy of the map without one child. */
static sprint_status without(sprint_context *context, const struct sprint__node *map, const char *key,
                             struct sprint__node **ret_node) {
  struct sprint__node *copy = NULL;
  SPRINT__TRY(sprint__node_merge(context, map, NULL, &copy));
  for (size_t i = 0; i < copy->n_children; i++)
    if (strcmp(copy->children[i]->key, key) == 0) {
      sprint__node_free(copy->children[i]);
      memmove(&copy->children[i], &copy->children[i + 1], (--copy->n_children - i) * sizeof *copy->children);
      break;
    }
  *ret_node = copy;
  return SPRINT_OK;
}

/* `method: sgd` in an entry means {kind: sgd}, laid over what the config says of all methods. */
static sprint_status name_kinds(sprint_context *context, struct sprint__node *sections) {
  for (size_t i = 0; i < sections->n_children; i++) {
    struct sprint__node *kind = sections->children[i], *map = NULL;
    if (kind->type != SPRINT__NODE_SCALAR) continue;
    SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_MAP, kind->place, &map));
    map->key = kind->key;
    sections->children[i] = map;
    kind->key = sprint__strdup(context, "kind");
    if (!kind->key) {
      sprint__node_free(kind);
      return SPRINT_ERROR_MEMORY;
    }
    SPRINT__TRY(sprint__node_append(context, map, kind));
  }
  return SPRINT_OK;
}

/* `base` with the entry's sections laid over it. */
static sprint_status add_entry(sprint_experiment *experiment, const struct sprint__node *base,
                               const struct sprint__node *entry) {
  SPRINT__TRY(check_entry(experiment, entry));
  struct sprint__node *sections = NULL, *merged = NULL;
  SPRINT__TRY(without(experiment->context, entry, "name", &sections));
  sprint_status status = name_kinds(experiment->context, sections);
  if (status == SPRINT_OK) status = sprint__node_merge(experiment->context, base, sections, &merged);
  sprint__node_free(sections);
  if (status == SPRINT_OK) status = add_variant(experiment, merged, sprint__node_child(entry, "name")->text);
  sprint__node_free(merged);
  return status;
}

static sprint_status read_variants(sprint_experiment *experiment, const struct sprint__node *root) {
  const struct sprint__node *compare = sprint__node_child(root, "compare");
  if (compare && (compare->type != SPRINT__NODE_LIST || compare->n_children == 0))
    return refuse_entry(experiment->context, compare, "a list of {name: ..., method: ...} was expected");
  size_t n = compare ? compare->n_children : 1;
  experiment->variants = sprint__alloc(experiment->context, n, sizeof *experiment->variants);
  if (!experiment->variants) return SPRINT_ERROR_MEMORY;
  if (!compare) return add_variant(experiment, root, NULL);
  struct sprint__node *base = NULL;
  SPRINT__TRY(without(experiment->context, root, "compare", &base));
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; status == SPRINT_OK && i < n; i++) status = add_entry(experiment, base, compare->children[i]);
  sprint__node_free(base);
  return status;
}

static sprint_status read_seeds(sprint_experiment *experiment) {
  const struct sprint__section *config = experiment->variants[0].config;
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

static sprint_status fill_experiment(sprint_experiment *experiment, struct sprint__document *document,
                                     const char *const *sets, size_t n_sets) {
  for (size_t i = 0; i < n_sets; i++) SPRINT__TRY(sprint__document_set(document, sets[i]));
  SPRINT__TRY(read_variants(experiment, document->root));
  SPRINT__TRY(read_seeds(experiment));
  SPRINT__TRY(sprint__population_build(sprint__get_section(experiment->variants[0].config, "data"),
                                       &experiment->population, &experiment->heldout));
  /* A method that cannot be built is found now, not after hours of the ones before it. */
  for (size_t i = 0; i < experiment->n_variants; i++) {
    sprint_run *run = NULL;
    SPRINT__TRY(sprint_experiment_start(experiment, i, 0, &run));
    sprint_run_free(run);
  }
  return SPRINT_OK;
}

sprint_status sprint_experiment_load(sprint_context *context, const char *path, const char *const *sets, size_t n_sets,
                                     sprint_experiment **ret_experiment) {
  sprint_experiment *experiment = sprint__alloc(context, 1, sizeof *experiment);
  if (!experiment) return SPRINT_ERROR_MEMORY;
  experiment->context = context;
  struct sprint__document *document = NULL;
  sprint_status status = sprint__document_read(context, path, &document);
  if (status == SPRINT_OK) status = fill_experiment(experiment, document, sets, n_sets);
  sprint__document_free(document);
  if (status != SPRINT_OK) {
    sprint_experiment_free(experiment);
    return status;
  }
  *ret_experiment = experiment;
  return SPRINT_OK;
}

sprint_status sprint_experiment_parts(const sprint_experiment *experiment, size_t method, sprint_model **ret_model,
                                      sprint_shift **ret_shift) {
  const struct sprint__section *config = experiment->variants[method].config;
  const sprint_population *population = experiment->population;
  sprint_model *model = NULL;
  SPRINT__TRY(sprint__model_build(sprint__get_section(config, "model"), sprint__population_shape(population), population->n_classes, &model));
  sprint_status status = sprint__shift_build(sprint__get_section(config, "shift"), model, population, ret_shift);
  if (status != SPRINT_OK) {
    sprint_model_free(model);
    return status;
  }
  *ret_model = model;
  return SPRINT_OK;
}

static sprint_status describe_run(const struct sprint__variant *variant, sprint_run *run) {
  run->name = sprint__strdup(run->context, variant->name);
  run->config_text = sprint__strdup(run->context, variant->config_text);
  run->settings_text = sprint__settings_text(run->context, variant->config);
  return run->name && run->config_text && run->settings_text ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

sprint_status sprint_experiment_start(sprint_experiment *experiment, size_t method, size_t seed, sprint_run **ret_run) {
  if (method >= experiment->n_variants || seed >= experiment->n_seeds)
    return sprint_fail(experiment->context, SPRINT_ERROR_ARGUMENT, "method %zu, seed number %zu: there are %zu and %zu",
                       method, seed, experiment->n_variants, experiment->n_seeds);
  const struct sprint__variant *variant = &experiment->variants[method];
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  SPRINT__TRY(sprint_experiment_parts(experiment, method, &model, &shift));
  struct sprint__plan plan = sprint__plan_of(variant->config);
  sprint_run_options options = {.seed = experiment->seeds[seed], .shift = shift, .heldout = experiment->heldout};
  sprint_run *run = NULL;
  sprint_status status = sprint__run_build(experiment->context, &plan, &options, &run);
  if (status != SPRINT_OK) {
    sprint_shift_free(shift);
    sprint_model_free(model);
    return status;
  }
  run->owned_model = model;
  run->owned_shift = shift;
  status = describe_run(variant, run);
  if (status != SPRINT_OK) {
    sprint_run_free(run);
    return status;
  }
  *ret_run = run;
  return SPRINT_OK;
}
