/* An encoding: how the columns of a table of texts become raw features. Numbers, booleans and dates are one feature
 * each; a category is one for each of its levels, 1 for those who have it. Travels with the saved model. */
#ifndef SPRINT_POPULATION_ENCODING_H
#define SPRINT_POPULATION_ENCODING_H

#include "population/build.h"
#include "population/dialect.h"
#include "population/labels.h"

/* A level that nobody of the training rows has: refused, or none of the levels. In the order of the key's choices. */
enum sprint__unseen { SPRINT__UNSEEN_REFUSE, SPRINT__UNSEEN_ZEROS };

#define SPRINT__MISSING_LEVEL "missing" /* the level of those whose category is missing, with missing: median */

/* A column of the file that features are made of. */
struct sprint__field {
  char *name;
  enum sprint__column_kind kind; /* SPRINT__LEVEL: a category */
  struct sprint__labels levels;  /* of a category */
  size_t first;                  /* feature, once the levels are settled */
};

struct sprint__encoding {
  struct sprint__arena arena;
  char *file; /* that it was made for, in messages */
  size_t n_fields;
  struct sprint__field *fields;
  bool has_categories;
  bool settled;      /* the levels are known: all fields have their features */
  size_t n_features; /* once settled */
  enum sprint__missing missing;
  enum sprint__unseen unseen;
  struct sprint__dialect dialect;
  char *id;     /* the column that says who somebody is; NULL: none */
  char *weight; /* and the one that says how many people a row stands for; NULL: none */
};

sprint_status sprint__encoding_new(sprint_context *context, const char *file, struct sprint__encoding **ret_encoding);
void sprint__encoding_free(struct sprint__encoding *encoding);
SPRINT__FREE_AT(sprint__encoding_free, struct sprint__encoding)

/* Room for so many fields, of which n_fields says how many there are. */
sprint_status sprint__encoding_reserve(struct sprint__encoding *encoding, size_t n_fields);
sprint_status sprint__encoding_add(struct sprint__encoding *encoding, const char *name, enum sprint__column_kind kind);

/* Gives every field its features; the levels of categories are settled. */
void sprint__encoding_place(struct sprint__encoding *encoding);

/* Codes (n_fields): numbers, and levels by number, -1 for none; to features (n_features). */
void sprint__encoding_expand(const struct sprint__encoding *encoding, const double *codes, double *ret_x);

/* Of a table whose x are codes, levels by first appearance: settles the levels by the rows that are trained on, and
 * turns x into features, with their names. A level that only others have is refused where `unseen` says so and they are
 * held out. Nothing is done where the table has no encoding. */
sprint_status sprint__table_encode(struct sprint__table *table, const struct sprint__selection *selection);

#endif
