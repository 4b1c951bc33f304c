/* Columns of a file being described: how values are counted. */
#ifndef SPRINT_POPULATION_DESCRIBE_H
#define SPRINT_POPULATION_DESCRIBE_H

#include "base/context.h"

enum { SPRINT__MAX_VALUES = 20 }; /* distinct values of a column that are counted one by one */

struct sprint__value_seen {
  bool number;
  double value;
  char *text;
  size_t n;
};

struct sprint__tally {
  sprint_context *context;
  size_t n_missing, n_texts, n_numbers;
  double min, max, sum;
  size_t n_seen; /* SPRINT__MAX_VALUES + 1: more than that, and none is kept */
  struct sprint__value_seen seen[SPRINT__MAX_VALUES];
};

/* n times this number (NaN: missing), or this text. */
sprint_status sprint__tally_number(struct sprint__tally *tally, double value, size_t n);
sprint_status sprint__tally_text(struct sprint__tally *tally, const char *text);

/* Room for the columns of the info, and a tally for each. */
sprint_status sprint__info_columns(sprint_context *context, size_t n_columns, sprint_file_info *info,
                                   struct sprint__tally **ret_tallies);

/* Turns tallies into columns where counting went well (`status`), else returns that; the tallies are done with. */
sprint_status sprint__info_finish(sprint_status status, struct sprint__tally *tallies, sprint_file_info *info);

/* The formats; each fills all but `format`. */
sprint_status sprint__describe_csv(sprint_context *context, const char *path, sprint_file_info *info);
sprint_status sprint__describe_npy(sprint_context *context, const char *path, sprint_file_info *info);
sprint_status sprint__describe_idx(sprint_context *context, const char *path, sprint_file_info *info);
sprint_status sprint__describe_cifar10(sprint_context *context, const char *path, sprint_file_info *info);

#endif
