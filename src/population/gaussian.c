/* Data kind `gaussian`: z ~ N(mean, sd^2), independent. The closed forms of the theory live on it. */
#include "base/random.h"
#include "population/build.h"

static const sprint_param params[] = {
    {"n", SPRINT_PARAM_INTEGER, "1000", 1, UINT32_MAX, NULL, NULL, "individuals"},
    {"d", SPRINT_PARAM_INTEGER, "1", 1, 1e6, NULL, NULL, "features, named z0, z1, ..."},
    {"mean", SPRINT_PARAM_REAL, "0", 0, 0, NULL, NULL, "of every feature"},
    {"sd", SPRINT_PARAM_REAL, "1", 0, 1e30, NULL, NULL, "standard deviation of every feature"},
    {"population_seed", SPRINT_PARAM_INTEGER, "1", 0, 0, NULL, NULL, "which population is drawn"},
    {"exact", SPRINT_PARAM_BOOL, "false", 0, 0, NULL, NULL, "shift the sample so that its mean is `mean` to rounding"},
};

static void draw(const struct sprint__section *section, struct sprint__table *table) {
  uint64_t seed = (uint64_t)sprint__get_integer(section, "population_seed");
  double mean = sprint__get_real(section, "mean"), sd = sprint__get_real(section, "sd");
  for (size_t i = 0; i < table->n; i++)
    for (size_t j = 0; j < table->d; j++) {
      struct sprint__random words = sprint__random_words(seed, SPRINT__FOR_PEOPLE, i, (uint32_t)j);
      table->x[i * table->d + j] = mean + sd * sprint__normal(&words);
    }
}

static void shift_to(struct sprint__table *table, double mean) {
  for (size_t j = 0; j < table->d; j++) {
    double excess = 0;
    for (size_t i = 0; i < table->n; i++) excess += table->x[i * table->d + j] - mean;
    excess /= (double)table->n;
    for (size_t i = 0; i < table->n; i++) table->x[i * table->d + j] -= excess;
  }
}

static sprint_status gaussian_load(const struct sprint__section *section, struct sprint__table *ret_table) {
  sprint_context *context = section->context;
  struct sprint__table table = {.context = context,
                                .n = (size_t)sprint__get_integer(section, "n"),
                                .d = (size_t)sprint__get_integer(section, "d")};
  table.x = sprint__alloc(context, table.n, table.d * sizeof *table.x);
  table.y = sprint__alloc(context, table.n, sizeof *table.y);
  table.names = sprint__names_numbered(context, "z", table.d);
  table.label_name = sprint__strdup(context, "none");
  if (!table.x || !table.y || !table.names || !table.label_name) {
    sprint__table_clear(&table);
    return SPRINT_ERROR_MEMORY;
  }
  draw(section, &table);
  if (sprint__get_flag(section, "exact")) shift_to(&table, sprint__get_real(section, "mean"));
  *ret_table = table;
  return SPRINT_OK;
}

static const struct sprint__data_ops ops = {gaussian_load};

const sprint_kind sprint__data_gaussian = {"gaussian", "a generated normal sample, for closed forms", params,
                                           SPRINT__COUNT(params), &ops};
