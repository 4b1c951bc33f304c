/* Rows of a CSV for scoring: the columns that an encoding wants, and others that are carried along as they stand. */
#ifndef SPRINT_POPULATION_CSV_COLUMNS_H
#define SPRINT_POPULATION_CSV_COLUMNS_H

#include "population/csv_rows.h"

/* A column to carry along; optional: the file may lack it. */
struct sprint__csv_carried {
  const char *name;
  bool optional;
};

/* The fields of a carried column. */
struct sprint__csv_texts {
  bool there;
  char *bytes;
  size_t *starts; /* (n) into bytes */
  size_t n_bytes, bytes_room, starts_room;
};

struct sprint__csv_scored {
  size_t n;
  double *x;                       /* (n, encoding->n_features) raw features, NaN: missing */
  struct sprint__csv_texts *texts; /* (n_texts) of the columns that were to be carried */
  size_t n_texts;
};

static inline const char *sprint__csv_carried_text(const struct sprint__csv_texts *texts, size_t row) {
  return texts->bytes + texts->starts[row];
}

/* Reads all rows of the file. The encoding is settled; what its dialect leaves open is found for this file
 * alone. fill (encoding->n_fields): NaN refuses a missing value. */
sprint_status sprint__csv_score(struct sprint__encoding *encoding, const char *path, const double *fill,
                                const struct sprint__csv_carried *carried, size_t n_carried,
                                struct sprint__csv_scored *ret_scored);
void sprint__csv_scored_clear(struct sprint__csv_scored *scored);

#endif
