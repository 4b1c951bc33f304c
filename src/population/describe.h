/* Columns of a file being described: how values are counted. */
#ifndef SPRINT_POPULATION_DESCRIBE_H
#define SPRINT_POPULATION_DESCRIBE_H

#include "base/arena.h"

enum { SPRINT__MAX_VALUES = 20 }; /* distinct values of a column that are counted one by one */

/* A description, and the memory of what it says. */
struct sprint__info {
  sprint_file_info file;
  struct sprint__arena arena;
};

struct sprint__value_seen {
  bool number;
  double value;
  char *text; /* of an arena; NULL: the number's digits */
  size_t n;
};

struct sprint__tally {
  struct sprint__arena *arena; /* of the description */
  size_t n_missing, n_texts, n_numbers;
  double min, max, sum;
  size_t n_seen; /* SPRINT__MAX_VALUES + 1: more than that, and none is kept */
  size_t n_room;
  struct sprint__value_seen *seen; /* (n_room) of the arena */
};

/* n times this number (NaN: missing), or this text. */
sprint_status sprint__tally_number(struct sprint__tally *tally, double value, size_t n);
sprint_status sprint__tally_text(struct sprint__tally *tally, const char *text);

/* Room for the columns of the info, and a tally for each, yours to free. */
sprint_status sprint__info_columns(struct sprint__info *info, size_t n_columns, struct sprint__tally **ret_tallies);

/* Turns tallies into columns. */
sprint_status sprint__info_finish(struct sprint__info *info, struct sprint__tally *tallies);

/* The formats; each fills all but `format`. */
sprint_status sprint__describe_csv(const char *path, struct sprint__info *info);
sprint_status sprint__describe_npy(const char *path, struct sprint__info *info);
sprint_status sprint__describe_idx(const char *path, struct sprint__info *info);
sprint_status sprint__describe_cifar10(const char *path, struct sprint__info *info);

#endif
