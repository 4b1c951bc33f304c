/* Rows of a CSV as records: which columns are features, which is the label, what becomes of missing values. The kinds
 * `csv` and `stream` share it, and the keys that say so. */
#ifndef SPRINT_POPULATION_CSV_ROWS_H
#define SPRINT_POPULATION_CSV_ROWS_H

#include "population/build.h"
#include "population/csv_reader.h"
#include "population/labels.h"

#define SPRINT__CSV_PARAMS                                                                                         \
  SPRINT__TEXT("label", NULL, "the column to predict, by name"), SPRINT__TARGET,                                   \
      SPRINT__TEXTS("features", "", "the feature columns by name; all but label and ignore where none are given"), \
      SPRINT__TEXTS("ignore", "", "columns to leave out by name; \"\" is a nameless one"),                         \
      SPRINT__MISSING("an empty, NA or NaN field is refused, drops its row, or becomes the median of its column"), \
      SPRINT__TEXT("separator", ",", "between fields: one character, or tab")

struct sprint__csv_rows {
  sprint_context *context;
  struct sprint__arena *arena; /* of what is chosen; lent */
  const char *path;            /* lent */
  enum sprint__missing missing;
  enum sprint__target target;
  char separator;
  struct sprint__csv_header header;
  size_t label;       /* column */
  size_t d, *columns; /* (d) of the features */
  const char **names; /* (d) of these */
};

/* By the keys of the section; columns are chosen once the header is there. */
sprint_status sprint__csv_rows_of(const struct sprint__section *section, struct sprint__arena *arena, const char *path,
                                  struct sprint__csv_rows *ret_rows);
sprint_status sprint__csv_rows_choose(struct sprint__csv_rows *rows, const struct sprint__section *section,
                                      const struct sprint__csv_row *header);

/* The features of a row, NaN where the median will do; *ret_dropped where a value is missing and that drops the row. */
sprint_status sprint__csv_rows_features(const struct sprint__csv_rows *rows, const struct sprint__csv_row *row,
                                        double *ret_x, bool *ret_dropped);

/* The names of features and label, for a table. */
sprint_status sprint__csv_rows_name(const struct sprint__csv_rows *rows, struct sprint__table *table);

#endif
