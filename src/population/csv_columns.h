/* Rows of a CSV for scoring: the columns that an encoding wants, who each row is, and what came of it. */
#ifndef SPRINT_POPULATION_CSV_COLUMNS_H
#define SPRINT_POPULATION_CSV_COLUMNS_H

#include "population/csv_rows.h"

enum { SPRINT__CSV_MORE = 2 };

/* What is read beside the features. */
struct sprint__csv_wanted {
  const char *id;                       /* a column that is carried along where the file has it; NULL: none */
  const char *label;                    /* NULL: none, and no weights either */
  const struct sprint__labels *classes; /* that the label names, settled; NULL: it holds values */
  const char *weight;                   /* a column; NULL: every row is one person */
  bool weight_optional;                 /* so is it where the file lacks that column */
  const char *more[SPRINT__CSV_MORE];   /* columns that are carried along as `id` is; NULL: none */
};

/* The fields of a column as they stand. */
struct sprint__csv_texts {
  bool there;
  char *bytes;
  size_t *starts; /* (n) into bytes */
  size_t n_bytes, bytes_room, starts_room;
};

struct sprint__csv_scored {
  size_t n;
  double *x; /* (n, encoding->n_features) raw features, NaN: missing */
  struct sprint__csv_texts ids;
  double *y;      /* (n) class numbers or values, where a label was wanted; else NULL */
  double *weight; /* (n) where there are weights; else NULL */
  struct sprint__csv_texts more[SPRINT__CSV_MORE];
};

static inline const char *sprint__csv_text(const struct sprint__csv_texts *texts, size_t row) {
  return texts->bytes + texts->starts[row];
}

/* Reads all rows of the file. The encoding is settled; what its dialect leaves open is found for this file
 * alone. fill (encoding->n_fields): NaN refuses a missing value. */
sprint_status sprint__csv_score(struct sprint__encoding *encoding, const char *path, const double *fill,
                                const struct sprint__csv_wanted *wanted, struct sprint__csv_scored *ret_scored);
void sprint__csv_scored_clear(struct sprint__csv_scored *scored);

#endif
