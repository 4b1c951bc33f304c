/* Rows of a CSV as records: which columns are features and of what kind, which is the label, what becomes of missing
 * values. The kinds `csv` and `stream` share it, and the keys that say so; so does whoever scores rows. */
#ifndef SPRINT_POPULATION_CSV_ROWS_H
#define SPRINT_POPULATION_CSV_ROWS_H

#include "population/csv_reader.h"
#include "population/encoding.h"

#define SPRINT__CSV_PARAMS                                                                                             \
  SPRINT__TEXT("label", NULL, "the column to predict, by name"), SPRINT__TARGET,                                       \
      SPRINT__TEXTS("features", "", "the feature columns by name; where none are given, all that no other key names"), \
      SPRINT__TEXTS("categories", "", "feature columns that hold texts: one feature of 0 and 1 for each level"),       \
      SPRINT__TEXTS("booleans", "", "feature columns of true/false, yes/no, t/f, y/n, on/off or 1/0, as 1 and 0"),     \
      SPRINT__TEXTS("dates", "", "feature columns of dates (2023-05-17, with or without a time), as days since 1970"), \
      SPRINT__TEXTS("ignore", "", "columns to leave out by name; \"\" is a nameless one"),                             \
      SPRINT__TEXT("id", "", "the column that says who somebody is; no feature, and predict shows it"),                \
      SPRINT__TEXT("weight", "", "the column that says how many people a row stands for; no feature"),                 \
      SPRINT__MISSING(                                                                                                 \
          "an empty, NA or NaN field is refused, drops its row, or becomes the median of its column; of "              \
          "categories a level of its own, missing"),                                                                   \
      SPRINT__TEXTS("missing_words", "", "what else means missing: NULL, N/A, \"?\", -999"),                           \
      SPRINT__CHOICE("unseen", "refuse", "refuse|zeros",                                                               \
                     "a level that no training row has is refused, or is none of the levels"),                         \
      SPRINT__TEXT("separator", "auto",                                                                                \
                   "between fields: one character, or tab; auto: comma, semicolon, tab or | as "                       \
                   "the header has it"),                                                                               \
      SPRINT__CHOICE("decimal", "auto", "auto|point|comma",                                                            \
                     "the mark of decimals; auto: a point where commas separate fields, else as the fields have it")

struct sprint__csv_rows {
  sprint_context *context;
  struct sprint__arena *arena;       /* of what is chosen; lent */
  const char *path;                  /* lent */
  struct sprint__encoding *encoding; /* lent */
  const double *fill; /* (encoding->n_fields) of those who score: NaN refuses a missing value; NULL: they train */
  enum sprint__target target;
  struct sprint__csv_header header;
  const struct sprint__labels *classes; /* of those who score, and of a label that holds classes: settled; lent */
  bool has_label, has_weight, has_id;
  size_t label, weight, id; /* columns, where there are such */
  size_t *columns;          /* (encoding->n_fields) */
};

/* Settings of an encoding by the keys of the section. */
sprint_status sprint__csv_encoding(const struct sprint__section *section, const char *path,
                                   struct sprint__encoding **ret_encoding);

/* The columns by the keys of the section, into an encoding without fields. */
sprint_status sprint__csv_rows_choose(struct sprint__csv_rows *rows, const struct sprint__section *section,
                                      const struct sprint__csv_row *header);

/* The columns of the fields that the encoding has. */
sprint_status sprint__csv_rows_match(struct sprint__csv_rows *rows, const struct sprint__csv_row *header);

/* The fields of a row as codes (encoding->n_fields): numbers, NaN where the median will do; of categories the number of
 * the level by first appearance or, once levels are settled, in order. *ret_dropped: a value is missing, and that drops
 * the row. */
sprint_status sprint__csv_rows_codes(const struct sprint__csv_rows *rows, const struct sprint__csv_row *row,
                                     double *ret_codes, bool *ret_dropped);

/* The label of a row to be held against its score: its number among the classes, or its value. Refused: one that is
 * missing, or no class. And how many people the row stands for, 1 where no column says it. */
sprint_status sprint__csv_rows_label(const struct sprint__csv_rows *rows, const struct sprint__csv_row *row,
                                     double *ret_y, double *ret_weight);

/* Reads a row to be trained on: as above, and whether label or weight are missing; the weight, 1 where there are none.
 */
sprint_status sprint__csv_rows_read(const struct sprint__csv_rows *rows, const struct sprint__csv_row *row,
                                    double *ret_codes, double *ret_weight, bool *ret_dropped);

#endif
