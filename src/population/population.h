/* The population: n base records that never change, their labels and strata. */
#ifndef SPRINT_POPULATION_POPULATION_H
#define SPRINT_POPULATION_POPULATION_H

#include <math.h>

#include "base/context.h"
#include "config/section.h"
#include "population/pixels.h"
#include "population/shape.h"

/* What the raw numbers of a column are. Of a level they are 1 for those who have it and 0 for all others; levels are
 * not standardised. */
enum sprint__column_kind { SPRINT__NUMBER, SPRINT__BOOLEAN, SPRINT__DATE, SPRINT__LEVEL };

/* How raw columns became features: x = (raw - mean) / scale, a missing raw value first replaced by fill, and the value
 * clipped to low .. high. With `scaling: quartiles` the mean is a median. Travels with the saved model. */
struct sprint__column {
  char *name;
  double mean, scale;     /* 0 and 1 where nothing was standardised */
  double fill;            /* NaN where a missing value is refused or its row dropped */
  double least, greatest; /* raw values seen, as clipped, in the rows that it was fitted to; NaN: none were looked at */
  bool whole;             /* all of these are whole numbers */
  enum sprint__column_kind kind;
  const char *source; /* the column of the file: `purpose` of the level `purpose=car`, else the name. Lent, as is: */
  const char *level;  /* `car`; NULL: it is no level */
  double low, high;   /* what raw values are clipped to; infinite: they are not */
};

static const struct sprint__column sprint__column_unseen = {NULL,           0,    1,    NAN,       NAN,     NAN, true,
                                                            SPRINT__NUMBER, NULL, NULL, -INFINITY, INFINITY};

/* A raw value within the limits; NaN stays. */
static inline double sprint__column_clip(const struct sprint__column *column, double raw) {
  return raw < column->low ? column->low : raw > column->high ? column->high : raw;
}

/* Takes note of a raw value; NaN: missing. */
static inline void sprint__column_see(struct sprint__column *column, double raw) {
  if (isnan(raw)) return;
  raw = sprint__column_clip(column, raw);
  if (!(raw >= column->least)) column->least = raw; /* also where none was seen before */
  if (!(raw <= column->greatest)) column->greatest = raw;
  if (raw != floor(raw)) column->whole = false;
}

/* The value that a record's raw value (NaN: missing) counts as: filled in and clipped. */
static inline double sprint__column_value(const struct sprint__column *column, double raw) {
  return sprint__column_clip(column, isnan(raw) ? column->fill : raw);
}

/* Any value as a feature, also one beyond the limits: where people may go. */
static inline sprint_real sprint__column_place(const struct sprint__column *column, double value) {
  return (sprint_real)((value - column->mean) / column->scale);
}

/* A record's raw value (NaN: missing) as a feature. */
static inline sprint_real sprint__column_feature(const struct sprint__column *column, double raw) {
  return sprint__column_place(column, sprint__column_value(column, raw));
}

/* And back, up to the rounding of a feature. */
static inline double sprint__column_raw(const struct sprint__column *column, sprint_real feature) {
  return column->mean + column->scale * (double)feature;
}

struct sprint__source;   /* source.h */
struct sprint__alias;    /* weights.h */
struct sprint__encoding; /* encoding.h */

/* Where a feature comes from; texts are lent by the encoding. */
struct sprint__origin {
  enum sprint__column_kind kind;
  const char *source, *level;
};

struct sprint_population {
  sprint_context *context;
  struct sprint__arena arena; /* of all that it has */
  size_t n, d;
  sprint_real *x;                 /* (n, d); NULL where records are kept as bytes */
  uint8_t *bytes;                 /* (n, d), or NULL */
  sprint_real *levels;            /* (channels, 256): what a byte of a channel is as a feature; with bytes alone */
  struct sprint__pixels pixels;   /* the view of both */
  struct sprint__shape image;     /* all 0 for records that are not images */
  sprint_real *y;                 /* (n) class number, or value */
  double *weight;                 /* (n) how many people each stands for, or NULL: one each; see weights.h */
  struct sprint__column *columns; /* (d) */
  char *label_name;
  size_t n_classes; /* 0: y holds values */
  char **class_names;

  size_t n_strata;               /* at least 1 */
  uint32_t *by_stratum;          /* (n) individuals, stratum by stratum, in their own order within each */
  size_t *stratum_start;         /* (n_strata + 1) into by_stratum; no stratum is empty, but in a window */
  double *stratum_size;          /* (n_strata) people of each, by weight */
  double n_people;               /* in all */
  double *base_p;                /* (n_strata) the share of each */
  bool weighs_classes;           /* weights are, or are multiplied by, those of classes */
  struct sprint__alias *aliases; /* (n) for draws by weight; NULL: everybody within a stratum is as likely */

  struct sprint__source *source;     /* of a population without end, whose window the records are; NULL: they are all */
  struct sprint__encoding *encoding; /* of a table of texts, for whoever reads more of them; NULL: there is none */
};

/* Makes row number `row` of a generated table: its features (d) and, unless ret_y is NULL, its label. The same row each
 * time; called from several threads. */
typedef void (*sprint__make_row)(const void *source, size_t row, double *ret_x, double *ret_y);

/* Raw rows as loaders and generators deliver them, before selecting and standardising. Owned arrays. Loaders deliver
 * arrays; generators deliver `make`, and the arrays then hold the first n_kept rows, which need not be made again. */
struct sprint__table {
  sprint_context *context;
  size_t n, d;
  double *x;                  /* (n, d), NaN: missing; NULL where bytes are given */
  uint8_t *bytes;             /* (n, d) pixels, or NULL */
  struct sprint__shape image; /* or all 0 */
  double *y;                  /* (n) class number, or value */
  double *weight;             /* (n) of loaded tables: how many people each row stands for; NULL: one each */
  sprint__make_row make;
  void *source;  /* of make; owned */
  size_t n_kept; /* with make alone */
  char **names;  /* (d) */
  char *label_name;
  size_t n_classes;
  char **class_names;
  bool fill_median;                  /* missing values remain, to be filled by the median */
  bool endless;                      /* the rows are the window of a population without end, which may lack classes */
  struct sprint__source *stream;     /* that the window was read from; NULL: `make` goes on for ever. Owned */
  struct sprint__encoding *encoding; /* of a table of texts, whose x are codes until sprint__table_encode; or NULL */
  struct sprint__origin *origins;    /* (d) or NULL: every feature is a column of numbers */
};

void sprint__table_clear(struct sprint__table *table);

/* Strata are the classes; values are all in stratum 0. */
static inline uint32_t sprint__population_stratum(const sprint_population *population, size_t individual) {
  return population->n_classes ? (uint32_t)population->y[individual] : 0;
}

/* A data kind: one loader or generator. */
struct sprint__data_ops {
  /* Fills the table, which has its context. The caller clears it, also after a failure. */
  sprint_status (*load)(const struct sprint__section *section, struct sprint__table *table);
};

extern const sprint_family sprint__data_family;

/* The `data:` section: load, select, standardise, split. */
sprint_status sprint__population_build(const struct sprint__section *section, sprint_population **ret_population,
                                       sprint_population **ret_heldout);

/* Rows of a piece where records of d features are worked on piece by piece: enough for all threads to be busy, and few
 * megabytes. */
static inline size_t sprint__piece_rows(size_t d) {
  size_t rows = ((size_t)1 << 20) / d;
  return rows > 8192 ? 8192 : rows < 256 ? 256 : rows;
}

/* Writes the base records of `who` (NULL: start, start+1, ...) to ret_x (n, d). */
void sprint__population_gather(const sprint_population *population, const uint32_t *who, size_t start, size_t n,
                               sprint_real *ret_x);

/* CRC-32 of all records and labels: tells one population from another. */
unsigned long sprint__population_checksum(const sprint_population *population);

/* The shape of its records, as a model takes them. */
static inline struct sprint__shape sprint__population_shape(const sprint_population *population) {
  return population->image.channels ? population->image : (struct sprint__shape){population->d, 1, 1};
}

/* Whether everybody has the same value. */
bool sprint__population_is_constant(const sprint_population *population, size_t feature);

/* "0, 1", at most a dozen of its classes; yours to free, or NULL. */
char *sprint__population_class_list(const sprint_population *population);

/* The class of this name, which the section's key has; or a refusal that lists those there are. */
sprint_status sprint__population_class(const struct sprint__section *section, const char *key,
                                       const sprint_population *population, const char *name, size_t *ret_class);

/* The feature of this name, or -1. */
ptrdiff_t sprint__population_find(const sprint_population *population, const char *name);

/* Reads the named columns of a CSV as numbers (NaN: missing): ret_x (n, n_names), owned by the caller. fill[j] NaN: a
 * missing value of column j is refused. */
sprint_status sprint__csv_read_columns(sprint_context *context, const char *path, const char *const *names,
                                       const double *fill, size_t n_names, size_t *ret_n, double **ret_x);

#endif
