/* How a CSV is written: what stands between its fields, the mark of its decimals, the words that mean missing. */
#ifndef SPRINT_POPULATION_DIALECT_H
#define SPRINT_POPULATION_DIALECT_H

#include "base/arena.h"
#include "population/cell.h"

/* In the order of the choices of the key `decimal`. */
enum sprint__decimal { SPRINT__DECIMAL_AUTO, SPRINT__DECIMAL_POINT, SPRINT__DECIMAL_COMMA };

struct sprint__dialect {
  char separator;               /* '\0': to be found */
  enum sprint__decimal decimal; /* AUTO: to be found */
  /* What is taken where a file could be either; '\0' and AUTO: nothing, and it is refused. */
  char usual_separator;
  enum sprint__decimal usual_decimal;
  bool findable;  /* the separator is what would have been found */
  bool advises;   /* whoever is refused a field is told what key of a config would read it */
  size_t n_words; /* that mean missing, beside the empty field, NA, NaN and nan */
  char **words;
  double *values; /* (n_words) of those that are numbers, else NaN */
};

/* The words are lent; their values are the arena's. */
sprint_status sprint__dialect_words(struct sprint__dialect *dialect, struct sprint__arena *arena, char **words,
                                    size_t n_words);

/* Finds what is to be found from the start of a file: comma, semicolon, tab or | from the header and first rows; the
 * decimals where the fields leave no doubt. A separator that could be several is refused. */
sprint_status sprint__dialect_find(struct sprint__dialect *dialect, sprint_context *context, const char *path,
                                   const char *sample, size_t size);

/* The text as a number. The first with a mark settles the decimals, where they are not; one that does not say which it
 * is (1,500) is SPRINT__CELL_EITHER until then. */
enum sprint__cell sprint__dialect_number(struct sprint__dialect *dialect, const char *text, double *ret_value);

/* Whether a text that need not be a number means missing. */
bool sprint__dialect_is_missing(const struct sprint__dialect *dialect, const char *text);

#endif
