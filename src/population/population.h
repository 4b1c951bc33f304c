/* The population: n base records that never change, their labels and strata. */
#ifndef SPRINT_POPULATION_POPULATION_H
#define SPRINT_POPULATION_POPULATION_H

#include "base/context.h"
#include "config/section.h"
#include "population/pixels.h"

/* How raw columns became features: x = (raw - mean) / scale, a missing raw value first replaced by fill. Travels with
 * the saved model. */
struct sprint__column {
  char *name;
  double mean, scale; /* 0 and 1 where nothing was standardised */
  double fill;        /* NaN where a missing value is refused or its row dropped */
};

/* An image's form: planes of rows of pixels. Feature (channel, row, column) is number (channel * height + row) * width
 * + column. All 0 for records that are not images. */
struct sprint__image {
  size_t channels, height, width;
};

struct sprint_population {
  sprint_context *context;
  size_t n, d;
  sprint_real *x;               /* (n, d); NULL where records are kept as bytes */
  uint8_t *bytes;               /* (n, d), or NULL */
  sprint_real *levels;          /* (channels, 256): what a byte of a channel is as a feature; with bytes alone */
  struct sprint__pixels pixels; /* the view of both */
  struct sprint__image image;
  sprint_real *y;                 /* (n) class number, or value */
  struct sprint__column *columns; /* (d) */
  char *label_name;
  size_t n_classes; /* 0: y holds values */
  char **class_names;

  size_t n_strata;       /* at least 1 */
  uint32_t *by_stratum;  /* (n) individuals, stratum by stratum, in their own order within each */
  size_t *stratum_start; /* (n_strata + 1) into by_stratum; no stratum is empty */
  double *base_p;        /* (n_strata) n_c / n */
};

/* Makes row number `row` of a generated table: its features (d) and, unless ret_y is NULL, its label. The same row each
 * time; called from several threads. */
typedef void (*sprint__make_row)(const void *source, size_t row, double *ret_x, double *ret_y);

/* Raw rows as loaders and generators deliver them, before selecting and standardising. Owned arrays. Loaders deliver
 * arrays; generators deliver `make`, and the arrays then hold the first n_kept rows, which need not be made again. */
struct sprint__table {
  sprint_context *context;
  size_t n, d;
  double *x;      /* (n, d), NaN: missing; NULL where bytes are given */
  uint8_t *bytes; /* (n, d) pixels, or NULL */
  struct sprint__image image;
  double *y; /* (n) class number, or value */
  sprint__make_row make;
  void *source;  /* of make; owned */
  size_t n_kept; /* with make alone */
  char **names;  /* (d) */
  char *label_name;
  size_t n_classes;
  char **class_names;
  bool fill_median; /* missing values remain, to be filled by the median */
};

void sprint__table_clear(struct sprint__table *table);

/* Strata are the classes; values are all in stratum 0. */
static inline uint32_t sprint__population_stratum(const sprint_population *population, size_t individual) {
  return population->n_classes ? (uint32_t)population->y[individual] : 0;
}

/* A data kind: one loader or generator. */
struct sprint__data_ops {
  sprint_status (*load)(const struct sprint__section *section, struct sprint__table *ret_table);
};

extern const sprint_family sprint__data_family;

/* The `data:` section: load, select, standardise, split. */
sprint_status sprint__population_build(const struct sprint__section *section, sprint_population **ret_population,
                                       sprint_population **ret_heldout);

/* Writes the base records of `who` (NULL: start, start+1, ...) to ret_x (n, d). */
void sprint__population_gather(const sprint_population *population, const uint32_t *who, size_t start, size_t n,
                               sprint_real *ret_x);

/* CRC-32 of all records and labels: tells one population from another. */
unsigned long sprint__population_checksum(const sprint_population *population);

/* Whether everybody has the same value. */
bool sprint__population_is_constant(const sprint_population *population, size_t feature);

/* The feature of this name, or -1. */
ptrdiff_t sprint__population_find(const sprint_population *population, const char *name);

/* Reads the named columns of a CSV as numbers (NaN: missing), for scoring: ret_x (n, n_names), owned by the caller.
 * fill[j] NaN: a missing value of column j is refused. */
sprint_status sprint__csv_read_columns(sprint_context *context, const char *path, const char *const *names,
                                       const double *fill, size_t n_names, size_t *ret_n, double **ret_x);

#endif
