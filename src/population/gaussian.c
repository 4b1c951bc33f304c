/* Data kind `gaussian`: z ~ N(mean, sd^2), independent. The closed forms of the theory live on it. */
#include "base/random.h"
#include "population/source.h"

static const sprint_param params[] = {
    SPRINT__INTEGER("n", "1000", 1, UINT32_MAX, "individuals"),
    SPRINT__INTEGER("d", "1", 1, 1e6, "features, named z0, z1, ..."),
    SPRINT__REAL("mean", "0", 0, 0, "of every feature"),
    SPRINT__REAL("sd", "1", 0, 1e30, "standard deviation of every feature"),
    SPRINT__INTEGER("population_seed", "1", 0, 0, "which population is drawn"),
    SPRINT__FLAG("exact", "false", "shift the sample so that its mean is `mean` to rounding"),
    SPRINT__ENDLESS,
};

struct source {
  uint64_t seed;
  size_t d;
  double mean, sd;
  double excess[]; /* (d) taken off every value */
};

static void make(const void *source, size_t row, double *ret_x, double *ret_y) {
  const struct source *s = source;
  sprint__normals_of_row(s->seed, row, s->d, ret_x);
  for (size_t j = 0; j < s->d; j++) ret_x[j] = s->mean + s->sd * ret_x[j] - s->excess[j];
  if (ret_y) *ret_y = 0;
}

struct excess {
  double *sum; /* (d) */
  double mean;
  size_t d;
};

static void add_excess(void *user, const double *x) {
  const struct excess *e = user;
  for (size_t j = 0; j < e->d; j++) e->sum[j] += x[j] - e->mean;
}

static sprint_status shift_to_mean(struct sprint__table *table) {
  struct source *source = table->source;
  SPRINT__SCOPED(sprint__free) double *sum = sprint__alloc(table->context, table->d, sizeof *sum);
  if (!sum) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__table_visit(table, NULL, table->n, add_excess, &(struct excess){sum, source->mean, table->d}));
  for (size_t j = 0; j < table->d; j++) source->excess[j] = sum[j] / (double)table->n;
  return SPRINT_OK;
}

static sprint_status gaussian_load(const struct sprint__section *section, struct sprint__table *table) {
  SPRINT__TRY(sprint__table_size(section, table));
  if (table->endless && sprint__get_flag(section, "exact"))
    return sprint__refuse(section, "exact", "there is no mean over a population without end to be exact");
  table->d = (size_t)sprint__get_integer(section, "d");
  table->make = make;
  struct source *source = sprint__alloc(table->context, 1, sizeof *source + table->d * sizeof *source->excess);
  table->source = source;
  table->names = sprint__names_numbered(table->context, "z", table->d);
  table->label_name = sprint__strdup(table->context, "none");
  if (!source || !table->names || !table->label_name) return SPRINT_ERROR_MEMORY;
  source->seed = (uint64_t)sprint__get_integer(section, "population_seed");
  source->d = table->d;
  source->mean = sprint__get_real(section, "mean");
  source->sd = sprint__get_real(section, "sd");
  return sprint__get_flag(section, "exact") ? shift_to_mean(table) : SPRINT_OK;
}

static const struct sprint__data_ops ops = {gaussian_load};

const sprint_kind sprint__data_gaussian = {"gaussian", "a generated normal sample, for closed forms", params,
                                           SPRINT__COUNT(params), &ops};
