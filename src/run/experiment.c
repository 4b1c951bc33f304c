/* Experiments: a config, its grid and its `compare` list laid over it point by point and method by method, and runs
 * that start from equal terms. */
#include "run/experiment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"
#include "run/grid.h"

/* What a config is read with. */
struct load {
  const char *const *sets;
  size_t n_sets;
  bool quick;
};

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
    {.name = "engine",
     .type = SPRINT_PARAM_KIND,
     .standard = "auto",
     .family = &sprint__engine_family,
     .help = "who works on records"},
    {.name = "compare",
     .type = SPRINT_PARAM_MAPS,
     .standard = "",
     .help = "methods to compare: a list of {name, method, step, deploy} laid over the sections above"},
    {.name = "grid",
     .type = SPRINT_PARAM_MAP,
     .standard = "",
     .help = "settings to go through: a map from keys to lists of values; every combination is laid over the config"},
    {.name = "quick",
     .type = SPRINT_PARAM_MAP,
     .standard = "",
     .help = "laid over the config where a quick run is asked for: maps merge, all else replaces"},
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

static void clear_variants(sprint_experiment *experiment) {
  for (size_t i = 0; i < experiment->n_variants; i++) {
    sprint__free(experiment->variants[i].name);
    sprint__free(experiment->variants[i].config_text);
    sprint__section_free(experiment->variants[i].config);
  }
  for (size_t i = 0; experiment->points && i < experiment->n_points; i++) sprint__free(experiment->points[i]);
  sprint__free(experiment->variants);
  sprint__free(experiment->points);
  experiment->variants = NULL;
  experiment->points = NULL;
  experiment->n_variants = experiment->n_points = experiment->n_methods = 0;
}

void sprint_experiment_free(sprint_experiment *experiment) {
  if (!experiment) return;
  clear_variants(experiment);
  sprint__free(experiment->seeds);
  sprint_population_free(experiment->population);
  sprint_population_free(experiment->heldout);
  sprint__free(experiment);
}

size_t sprint_experiment_n_points(const sprint_experiment *experiment) { return experiment->n_points; }
size_t sprint_experiment_n_methods(const sprint_experiment *experiment) { return experiment->n_methods; }
size_t sprint_experiment_n_seeds(const sprint_experiment *experiment) { return experiment->n_seeds; }
uint64_t sprint_experiment_seed(const sprint_experiment *experiment, size_t seed) { return experiment->seeds[seed]; }

const char *sprint_experiment_point_name(const sprint_experiment *experiment, size_t point) {
  return experiment->points[point];
}

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

static bool is_folder_name(const char *text) {
  if (!text[0] || text[0] == '.' || strchr(text, '/')) return false;
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127) return false;
  return true;
}

/* An entry is a map with a name of its own that can be a folder's, and the sections that a method is made of. */
static sprint_status check_entry(sprint_context *context, const struct sprint__node *compare, size_t number) {
  static const char *const keys[] = {"name", "method", "step", "deploy"};
  const struct sprint__node *entry = compare->children[number];
  const struct sprint__node *name = sprint__node_child(entry, "name");
  if (entry->type != SPRINT__NODE_MAP || !name || name->type != SPRINT__NODE_SCALAR || !name->text[0])
    return refuse_entry(context, entry, "an entry is not a mapping with a name; {name: ..., method: ...} was expected");
  if (!is_folder_name(name->text))
    return refuse_entry(context, name,
                        "a name is also a folder's: no '/', no control character and no '.' in front was expected");
  for (size_t i = 0; i < number; i++)
    if (strcmp(sprint__node_child(compare->children[i], "name")->text, name->text) == 0)
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

/* An entry that sets a key of the grid would make all points alike. */
static sprint_status check_axes(sprint_context *context, const struct sprint__grid *grid,
                                const struct sprint__node *sections) {
  for (size_t a = 0; grid->axes && a < grid->axes->n_children; a++) {
    const struct sprint__node *twice = sprint__node_find(sections, grid->axes->children[a]->key);
    if (twice)
      return sprint__complain(context, twice->place, "key 'compare': the key '%s' is in the grid too",
                              sprint__show(grid->axes->children[a]->key).text);
  }
  return SPRINT_OK;
}

/* `base` with the entry's sections laid over it. */
static sprint_status add_entry(sprint_experiment *experiment, const struct sprint__grid *grid,
                               const struct sprint__node *base, const struct sprint__node *entry) {
  struct sprint__node *sections = NULL, *merged = NULL;
  SPRINT__TRY(sprint__node_copy(experiment->context, entry, &sections));
  sprint__node_remove(sections, "name");
  sprint_status status = name_kinds(experiment->context, sections);
  if (status == SPRINT_OK) status = check_axes(experiment->context, grid, sections);
  if (status == SPRINT_OK) status = sprint__node_merge(experiment->context, base, sections, &merged);
  sprint__node_free(sections);
  if (status == SPRINT_OK) status = add_variant(experiment, merged, sprint__node_child(entry, "name")->text);
  sprint__node_free(merged);
  return status;
}

/* The methods of one point; `base` is the config without grid and comparison. */
static sprint_status add_point(sprint_experiment *experiment, const struct sprint__grid *grid, size_t point,
                               const struct sprint__node *compare, struct sprint__node *base) {
  SPRINT__TRY(sprint__grid_lay(experiment->context, grid, point, base));
  experiment->points[point] = sprint__grid_name(experiment->context, grid, point);
  if (!experiment->points[point]) return SPRINT_ERROR_MEMORY;
  if (!compare) return add_variant(experiment, base, NULL);
  for (size_t i = 0; i < compare->n_children; i++) SPRINT__TRY(add_entry(experiment, grid, base, compare->children[i]));
  return SPRINT_OK;
}

static sprint_status check_compare(sprint_context *context, const struct sprint__node *compare) {
  if (compare->type != SPRINT__NODE_LIST || compare->n_children == 0)
    return refuse_entry(context, compare, "a list of {name: ..., method: ...} was expected");
  for (size_t i = 0; i < compare->n_children; i++) SPRINT__TRY(check_entry(context, compare, i));
  return SPRINT_OK;
}

static sprint_status read_variants(sprint_experiment *experiment, const struct sprint__node *root) {
  sprint_context *context = experiment->context;
  const struct sprint__node *compare = sprint__node_child(root, "compare");
  struct sprint__grid grid;
  SPRINT__TRY(sprint__grid_read(context, root, &grid));
  if (compare) SPRINT__TRY(check_compare(context, compare));
  experiment->n_methods = compare ? compare->n_children : 1;
  experiment->variants = sprint__alloc(context, grid.n_points * experiment->n_methods, sizeof *experiment->variants);
  experiment->points = sprint__alloc(context, grid.n_points, sizeof *experiment->points);
  if (!experiment->variants || !experiment->points) return SPRINT_ERROR_MEMORY;
  experiment->n_points = grid.n_points;
  for (size_t point = 0; point < grid.n_points; point++) {
    struct sprint__node *base = NULL;
    SPRINT__TRY(sprint__node_copy(context, root, &base));
    sprint__node_remove(base, "compare");
    sprint__node_remove(base, "grid");
    sprint_status status = add_point(experiment, &grid, point, compare, base);
    sprint__node_free(base);
    if (status != SPRINT_OK) return status;
  }
  return SPRINT_OK;
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

/* The assignments over the document's root, and the methods of what that gives. */
static sprint_status read_config(sprint_experiment *experiment, struct sprint__document *document,
                                 const char *const *sets, size_t n_sets) {
  for (size_t i = 0; i < n_sets; i++) {
    SPRINT__TRY(sprint__document_set(document, sets[i]));
    SPRINT__TRY(sprint__grid_override(document->context, document->root, sets[i]));
  }
  const struct sprint__node *quick = sprint__node_child(document->root, "quick");
  if (quick)
    return sprint__complain(document->context, quick->place,
                            "key 'quick': is a matter of the file; set the key itself");
  return read_variants(experiment, document->root);
}

/* The document's root becomes the config without `quick`, *ret_quick (NULL: the file has none) the same with it laid
 * over. */
static sprint_status split_quick(struct sprint__document *document, struct sprint__node **ret_quick) {
  const struct sprint__node *quick = sprint__node_child(document->root, "quick");
  if (!quick) return SPRINT_OK;
  if (quick->type != SPRINT__NODE_MAP)
    return sprint__complain(document->context, quick->place, "key 'quick': a map of keys was expected");
  if (sprint__node_child(quick, "quick"))
    return sprint__complain(document->context, sprint__node_child(quick, "quick")->place,
                            "key 'quick.quick': is within itself");
  struct sprint__node *merged = NULL;
  SPRINT__TRY(sprint__node_merge(document->context, document->root, quick, &merged));
  sprint__node_remove(merged, "quick");
  sprint__node_remove(document->root, "quick");
  *ret_quick = merged;
  return SPRINT_OK;
}

/* Both forms of the config are read, the one that is asked for last: a slip in the other is found as well. */
static sprint_status read_forms(sprint_experiment *experiment, struct sprint__document *document,
                                const struct load *load) {
  struct sprint__node *plain = document->root, *quick = NULL;
  SPRINT__TRY(split_quick(document, &quick));
  struct sprint__node *forms[] = {load->quick ? plain : quick, load->quick && quick ? quick : plain};
  sprint_status status = SPRINT_OK;
  for (size_t i = 0; i < SPRINT__COUNT(forms) && status == SPRINT_OK; i++) {
    if (!quick && i == 0) continue;
    clear_variants(experiment);
    document->root = forms[i];
    status = read_config(experiment, document, load->sets, load->n_sets);
  }
  document->root = plain;
  sprint__node_free(quick);
  return status;
}

static sprint_status fill_experiment(sprint_experiment *experiment, struct sprint__document *document,
                                     const struct load *load) {
  SPRINT__TRY(read_forms(experiment, document, load));
  SPRINT__TRY(read_seeds(experiment));
  if (!is_folder_name(sprint_experiment_name(experiment)))
    return sprint__refuse(experiment->variants[0].config, "name",
                          "it is also a folder's: a text without '/', without control characters and without '.' in "
                          "front was expected");
  SPRINT__TRY(sprint__population_build(sprint__get_section(experiment->variants[0].config, "data"),
                                       &experiment->population, &experiment->heldout));
  /* A method that cannot be built is found now, not after hours of the ones before it. */
  for (size_t i = 0; i < experiment->n_variants; i++) {
    sprint_run *run = NULL;
    SPRINT__TRY(sprint_experiment_start(experiment, i / experiment->n_methods, i % experiment->n_methods, 0, &run));
    sprint_run_free(run);
  }
  return SPRINT_OK;
}

static sprint_status load_experiment(sprint_context *context, const char *path, const struct load *load,
                                     sprint_experiment **ret_experiment) {
  sprint_experiment *experiment = sprint__alloc(context, 1, sizeof *experiment);
  if (!experiment) return SPRINT_ERROR_MEMORY;
  experiment->context = context;
  struct sprint__document *document = NULL;
  sprint_status status = sprint__document_read(context, path, &document);
  if (status == SPRINT_OK) status = fill_experiment(experiment, document, load);
  sprint__document_free(document);
  if (status != SPRINT_OK) {
    sprint_experiment_free(experiment);
    return status;
  }
  *ret_experiment = experiment;
  return SPRINT_OK;
}

sprint_status sprint_experiment_load(sprint_context *context, const char *path, const char *const *sets, size_t n_sets,
                                     sprint_experiment **ret_experiment) {
  return load_experiment(context, path, &(struct load){sets, n_sets, false}, ret_experiment);
}

sprint_status sprint_experiment_load_quick(sprint_context *context, const char *path, const char *const *sets,
                                           size_t n_sets, sprint_experiment **ret_experiment) {
  return load_experiment(context, path, &(struct load){sets, n_sets, true}, ret_experiment);
}

static sprint_status find_variant(const sprint_experiment *experiment, size_t point, size_t method,
                                  const struct sprint__variant **ret_variant) {
  if (point >= experiment->n_points || method >= experiment->n_methods)
    return sprint_fail(experiment->context, SPRINT_ERROR_ARGUMENT, "point %zu, method %zu: there are %zu and %zu",
                       point, method, experiment->n_points, experiment->n_methods);
  *ret_variant = &experiment->variants[point * experiment->n_methods + method];
  return SPRINT_OK;
}

sprint_status sprint_experiment_parts(const sprint_experiment *experiment, size_t point, size_t method,
                                      sprint_model **ret_model, sprint_shift **ret_shift) {
  const struct sprint__variant *variant = NULL;
  SPRINT__TRY(find_variant(experiment, point, method, &variant));
  const struct sprint__section *config = variant->config;
  const sprint_population *population = experiment->population;
  sprint_model *model = NULL;
  SPRINT__TRY(sprint__model_build(sprint__get_section(config, "model"), sprint__population_shape(population),
                                  population->n_classes, &model));
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

sprint_status sprint_experiment_start(sprint_experiment *experiment, size_t point, size_t method, size_t seed,
                                      sprint_run **ret_run) {
  if (seed >= experiment->n_seeds)
    return sprint_fail(experiment->context, SPRINT_ERROR_ARGUMENT, "seed number %zu: there are %zu", seed,
                       experiment->n_seeds);
  const struct sprint__variant *variant = NULL;
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  SPRINT__TRY(find_variant(experiment, point, method, &variant));
  SPRINT__TRY(sprint_experiment_parts(experiment, point, method, &model, &shift));
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
