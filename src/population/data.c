/* The `data:` section: its family, and the way from a section to a population. */
#include <float.h>
#include <string.h>

#include "population/encoding.h"
#include "population/source.h"
#include "population/weights.h"

static const sprint_param shared_params[] = {
    SPRINT__CHOICE("select", "all", "all|first|balanced",
                   "rows to keep: all, the first per_class of each class, or a seeded balanced subset of `size`"),
    SPRINT__INTEGER("per_class", "0", 0, UINT32_MAX, "rows of each class, with select: first"),
    SPRINT__INTEGER("size", "0", 0, UINT32_MAX, "rows in total, with select: balanced"),
    SPRINT__INTEGER("seed", "1", 0, 0, "of the balanced subset and of the held-out part"),
    SPRINT__REAL("holdout", "0", 0, 0.9, "fraction of each class that is held out"),
    SPRINT__CHOICE("standardize", "after", "none|before|after",
                   "to mean 0 and deviation 1 over all rows (before selecting) or the training rows (after); images by "
                   "channel, and none unless given: bytes / 255"),
    SPRINT__CHOICE("scaling", "deviation", "deviation|quartiles",
                   "what is subtracted and divided by: the mean and the deviation, or the median and the range between "
                   "the quartiles (the deviation where that is 0); not for images"),
    SPRINT__REAL("clip", "0", 0, 0.25,
                 "share of people at either end of each column whose values are brought to that quantile, before "
                 "scaling and by predict; not for images, levels and booleans; 0: nothing is clipped"),
    SPRINT__NUMBERS("class_weights", "", DBL_MIN, 1e12, "balanced",
                    "what a record of each class counts for, by the class's name (1 where it is not named): in draws, "
                    "losses, gradients and metrics; balanced: so that all classes count alike"),
};

enum standardize { STANDARDIZE_NONE, STANDARDIZE_BEFORE, STANDARDIZE_AFTER };
enum scaling { SCALING_DEVIATION, SCALING_QUARTILES };

static const sprint_kind *const kinds[] = {&sprint__data_csv,     &sprint__data_npy,     &sprint__data_idx,
                                           &sprint__data_cifar10, &sprint__data_lending, &sprint__data_gaussian,
                                           &sprint__data_stream};

const sprint_family sprint__data_family = {
    .name = "data",
    .key = "data",
    .help = "the population: a file or a generator, and which of its rows are used",
    .params = shared_params,
    .n_params = SPRINT__COUNT(shared_params),
    .kinds = kinds,
    .n_kinds = SPRINT__COUNT(kinds),
    .standard = "lending",
};

/* Quantiles are of rows that are there, and of columns that are not pixels. */
static sprint_status check_scaling(const struct sprint__section *section, const struct sprint__table *table,
                                   const struct sprint__scaling *scaling) {
  const char *key = scaling->clip > 0 ? "clip" : "scaling";
  if (!scaling->standardize && sprint__get(section, "scaling")->given && !table->image.channels)
    return sprint__refuse(section, "scaling",
                          "with `standardize: none` nothing is scaled; before or after was expected");
  if (!scaling->quartiles && !(scaling->clip > 0)) return SPRINT_OK;
  if (table->image.channels)
    return sprint__refuse(section, key, "images are scaled by mean and deviation, and not clipped");
  if (table->make)
    return sprint__refuse(section, key,
                          "%zu generated rows of %zu features are not kept, and have no quantiles; fewer were expected",
                          table->n, table->d);
  return SPRINT_OK;
}

/* Medians, means, scales and limits come from the same rows; with `standardize: none`, from the training rows. */
static sprint_status fit(const struct sprint__section *section, const struct sprint__table *table,
                         const struct sprint__selection *selection, struct sprint__column *columns) {
  enum standardize standardize = (enum standardize)sprint__get_choice(section, "standardize");
  if (table->image.channels && !sprint__get(section, "standardize")->given) standardize = STANDARDIZE_NONE;
  const struct sprint__scaling scaling = {.standardize = standardize != STANDARDIZE_NONE,
                                          .quartiles = sprint__get_choice(section, "scaling") == SCALING_QUARTILES,
                                          .clip = sprint__get_real(section, "clip")};
  struct sprint__view view = {table, selection->train, selection->n_train};
  if (standardize == STANDARDIZE_BEFORE) view = (struct sprint__view){table, NULL, table->n};
  SPRINT__TRY(check_scaling(section, table, &scaling));
  return sprint__columns_fit(&view, &scaling, columns);
}

/* ret_weights (n_classes): by name, or so that every class's people count for as much as any other's. */
static sprint_status read_class_weights(const struct sprint__section *section, const sprint_population *population,
                                        double *ret_weights) {
  const struct sprint__value *value = sprint__get(section, "class_weights");
  size_t k = population->n_classes;
  for (size_t c = 0; c < k; c++)
    ret_weights[c] = value->text ? population->n_people / ((double)k * population->stratum_size[c]) : 1;
  for (size_t i = 0; i < value->n_items; i++) {
    size_t c = 0;
    SPRINT__TRY(sprint__population_class(section, "class_weights", population, value->texts[i], &c));
    ret_weights[c] = value->reals[i];
  }
  return SPRINT_OK;
}

/* Those of the population go for its held-out part (or NULL) too. */
static sprint_status weigh_classes(const struct sprint__section *section, sprint_population *population,
                                   sprint_population *heldout) {
  const struct sprint__value *value = sprint__get(section, "class_weights");
  if (!value->given) return SPRINT_OK;
  if (!population->n_classes)
    return sprint__refuse(section, "class_weights", "the label holds values, and there are no classes to weigh");
  if (population->source) return sprint__refuse(section, "class_weights", "a population without end takes no weights");
  SPRINT__SCOPED(sprint__free)
  double *weights = sprint__alloc(population->context, population->n_classes, sizeof *weights);
  if (!weights) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(read_class_weights(section, population, weights));
  population->weighs_classes = true;
  if (heldout) SPRINT__TRY(sprint__weights_set(heldout, NULL, weights));
  return sprint__weights_set(population, NULL, weights);
}

static sprint_status build_parts(const struct sprint__section *section, struct sprint__table *table,
                                 const struct sprint__selection *selection, sprint_population **ret_population,
                                 sprint_population **ret_heldout) {
  SPRINT__SCOPED(sprint__free)
  struct sprint__column *columns = sprint__alloc(table->context, table->d, sizeof *columns);
  SPRINT__SCOPED(sprint_population_free) sprint_population *heldout = NULL;
  if (!columns) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(fit(section, table, selection, columns));
  if (ret_heldout && selection->n_heldout)
    SPRINT__TRY(
        sprint__population_from_table(table, columns, selection->heldout, selection->n_heldout, false, &heldout));
  SPRINT__TRY(
      sprint__population_from_table(table, columns, selection->train, selection->n_train, true, ret_population));
  if (ret_heldout) *ret_heldout = sprint__give(&heldout);
  return SPRINT_OK;
}

/* The window is the first records as they come, and nobody in it is trained on. */
static sprint_status check_window(const struct sprint__section *section, const struct sprint__table *table) {
  if (!table->endless) return SPRINT_OK;
  if (strcmp(sprint__get_text(section, "select"), "all") != 0)
    return sprint__refuse(section, "select", "rows of a population without end are not selected; all was expected");
  if (sprint__get_real(section, "holdout") > 0)
    return sprint__refuse(
        section, "holdout",
        "a population without end is evaluated on its window, which is held out already; 0 was expected");
  return SPRINT_OK;
}

/* Beyond its window, the population goes on as the stream does, or as rows are made. */
static sprint_status go_on(struct sprint__table *table, sprint__make_row make, sprint_population *population) {
  if (!table->endless) return SPRINT_OK;
  population->source = sprint__give(&table->stream);
  if (!population->source)
    SPRINT__TRY(sprint__source_made(table->context, make, sprint__give(&table->source), &population->source));
  population->source->population = population;
  return SPRINT_OK;
}

sprint_status sprint__population_build(const struct sprint__section *section, sprint_population **ret_population,
                                       sprint_population **ret_heldout) {
  const struct sprint__data_ops *ops = section->kind->ops;
  SPRINT__CLEARED(sprint__table_clear) struct sprint__table table = {.context = section->context};
  SPRINT__TRY(ops->load(section, &table));
  if (table.n > UINT32_MAX)
    return sprint_fail(section->context, SPRINT_ERROR_INPUT, "%zu rows are more than a population can have (%lu)",
                       table.n, (unsigned long)UINT32_MAX);
  SPRINT__TRY(check_window(section, &table));
  SPRINT__CLEARED(sprint__selection_clear) struct sprint__selection selection = {.train = NULL};
  sprint__make_row make = table.make;
  SPRINT__TRY(sprint__table_keep_small(&table));
  SPRINT__TRY(sprint__select_rows(section, &table, &selection));
  SPRINT__TRY(sprint__table_encode(&table, &selection));
  SPRINT__TRY(sprint__table_keep_some(&table, selection.n_train));
  SPRINT__SCOPED(sprint_population_free) sprint_population *population = NULL, *heldout = NULL;
  SPRINT__TRY(build_parts(section, &table, &selection, &population, ret_heldout ? &heldout : NULL));
  population->encoding = sprint__give(&table.encoding);
  SPRINT__TRY(go_on(&table, make, population));
  SPRINT__TRY(weigh_classes(section, population, heldout));
  if (ret_heldout) *ret_heldout = sprint__give(&heldout);
  *ret_population = sprint__give(&population);
  return SPRINT_OK;
}

sprint_status sprint_population_load(sprint_context *context, const char *spec, sprint_population **ret_population,
                                     sprint_population **ret_heldout) {
  SPRINT__REQUIRE(context, ret_population);
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  SPRINT__TRY(sprint__section_parse(context, &sprint__data_family, spec, "data", &section));
  return sprint__population_build(section, ret_population, ret_heldout);
}
