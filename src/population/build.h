/* The steps from a table to a population: choose rows, fit the columns, copy. */
#ifndef SPRINT_POPULATION_BUILD_H
#define SPRINT_POPULATION_BUILD_H

#include "population/population.h"

extern const sprint_kind sprint__data_csv;
extern const sprint_kind sprint__data_npy;
extern const sprint_kind sprint__data_idx;
extern const sprint_kind sprint__data_cifar10;
extern const sprint_kind sprint__data_lending;
extern const sprint_kind sprint__data_gaussian;
extern const sprint_kind sprint__data_stream;

/* The keys `missing` and `target` of loaders, and what they say, in the order of their choices. */
#define SPRINT__MISSING(HELP) SPRINT__CHOICE("missing", "refuse", "refuse|drop|median", HELP)
#define SPRINT__TARGET                             \
  SPRINT__CHOICE("target", "class", "class|value", \
                 "what the label holds: one of a few classes, or a value (regression)")
enum sprint__missing { SPRINT__MISSING_REFUSE, SPRINT__MISSING_DROP, SPRINT__MISSING_MEDIAN };
enum sprint__target { SPRINT__TARGET_CLASS, SPRINT__TARGET_VALUE };

/* A row's features: lent by the table where it has them, else made in `buffer` (d). Its label too unless ret_y is
 * NULL. Not for bytes. */
const double *sprint__table_row(const struct sprint__table *table, size_t row, double *buffer, double *ret_y);

/* The labels of all rows, to ret_y (n). */
sprint_status sprint__table_labels(const struct sprint__table *table, sprint_real *ret_y);

/* Shows the features of the given rows (NULL: the first n) one after the other, in order. Rows to be made are made a
 * piece at a time on all threads. */
typedef void (*sprint__row_visit)(void *user, const double *x);
sprint_status sprint__table_visit(const struct sprint__table *table, const uint32_t *rows, size_t n,
                                  sprint__row_visit visit, void *user);

/* Keep rows of a generated table, so that they are not made again. A table of a few MB is made whole and is then like a
 * loaded one. Of a larger one, n rows of which will become a population, as many raw rows are kept as fit into the
 * memory that the population's features will need. */
sprint_status sprint__table_keep_small(struct sprint__table *table);
sprint_status sprint__table_keep_some(struct sprint__table *table, size_t n);

/* Lanes for work on n rows that looks at each once. */
int sprint__table_lanes(const struct sprint__table *table, size_t n);

/* Rows of a table, in its order: those of the population and those held out. */
struct sprint__selection {
  uint32_t *train, *heldout; /* one allocation: heldout lies behind train. NULL: all rows, none held out */
  size_t n_train, n_heldout;
};

/* By the keys select, per_class, size, seed and holdout. */
sprint_status sprint__select_rows(const struct sprint__section *section, const struct sprint__table *table,
                                  struct sprint__selection *ret_selection);
void sprint__selection_clear(struct sprint__selection *selection);

/* What columns are fitted to: the given rows (NULL: the first n of the table). */
struct sprint__view {
  const struct sprint__table *table;
  const uint32_t *rows;
  size_t n;
};

static inline size_t sprint__view_number(const struct sprint__view *view, size_t i) {
  return view->rows ? view->rows[i] : i;
}

static inline double sprint__view_weight(const struct sprint__view *view, size_t i) {
  return view->table->weight ? view->table->weight[sprint__view_number(view, i)] : 1;
}

/* And how. Quartiles and clip: for tables that have all their rows, and no images. */
struct sprint__scaling {
  bool standardize, quartiles;
  double clip; /* the share of people at either end; 0: nobody */
};

/* Fills mean, scale, fill, low and high of ret_columns (d). Without `standardize` mean and scale are 0 and 1, of bytes
 * 0 and 255. Images have one mean and scale per channel. */
sprint_status sprint__columns_fit(const struct sprint__view *view, const struct sprint__scaling *scaling,
                                  struct sprint__column *ret_columns);

/* The parts of it that take quantiles (quartiles.c), of the values that are there. Medians to fill in. */
sprint_status sprint__columns_fit_medians(const struct sprint__view *view, struct sprint__column *columns);

struct sprint__quartiles {
  double median, range; /* the range is between the first and the third; NaN: the column has none */
};

/* Sets low and high where something is to be clipped; ret_quartiles (d): of values as clipped. Levels and booleans are
 * neither clipped nor do they have quartiles. */
sprint_status sprint__columns_fit_quartiles(const struct sprint__view *view, double clip,
                                            struct sprint__column *columns, struct sprint__quartiles *ret_quartiles);

/* The population of these rows (NULL: all), each feature (raw or fill - mean) / scale. `use_up`: nothing else will be
 * asked of the table, whose arrays may become the population's. */
sprint_status sprint__population_from_table(struct sprint__table *table, const struct sprint__column *columns,
                                            const uint32_t *rows, size_t n, bool use_up,
                                            sprint_population **ret_population);

/* The file or folder at `path`: as it stands where it is absolute or exists, else in the data folder. *ret_path is
 * the arena's. A sentence says where it was looked for and, of the known sets, how to get it. */
sprint_status sprint__data_find(struct sprint__arena *arena, const char *path, char **ret_path);

/* Names for what image files do not name: the features x0, x1, ..., the label. */
sprint_status sprint__table_name_pixels(struct sprint__table *table);

/* The classes of labels 0 .. k-1, each named by `names` (k), or by its number where that is NULL. At least two,
 * and none without an image. */
sprint_status sprint__table_set_labels(struct sprint__table *table, const char *file, const uint8_t *labels,
                                       const char *const *names, size_t n_names);

#endif
