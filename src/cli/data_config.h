/* A first config for a CSV, while it is decided and written. */
#ifndef SPRINT_CLI_DATA_CONFIG_H
#define SPRINT_CLI_DATA_CONFIG_H

#include "sprint.h"

enum cli_role { CLI_LABEL, CLI_A_NUMBER, CLI_A_CATEGORY, CLI_A_BOOLEAN, CLI_A_DATE, CLI_AN_ID, CLI_IGNORED };

/* What a label would be: nothing that can be predicted, one of some classes, a value. */
enum cli_target { CLI_NO_TARGET, CLI_CLASSES, CLI_VALUES };

struct cli_draft {
  const sprint_file_info *info;
  const char *path;
  const sprint_column_info *label; /* NULL: to be filled in */
  const char *label_why;           /* it was guessed; NULL: it was said */
  enum cli_target target;
  size_t n_classes;
  enum cli_role *roles; /* (n_columns) */
  bool *repeated;       /* (n_columns) another one has the same name */
  const char **why;     /* (n_columns) of those that are ignored */
  size_t n_whole_rows;  /* at least so many have no missing value */
  size_t n_features;    /* columns */
  bool drops;           /* rows with a missing value, as the label is missing in some */
};

/* What the column would be as a label, its classes, and, of CLI_NO_TARGET, why. */
enum cli_target cli_target_of(const sprint_file_info *info, const sprint_column_info *column, size_t *ret_n_classes,
                              const char **ret_why);

/* Settles roles, why and the rest from the label on. */
void cli_draft_columns(struct cli_draft *draft);

/* data_config_hint.c: what the column might be with a little help, on standard output. */
void cli_print_hint(const sprint_column_info *column, enum cli_role role);

/* Writes it to standard output. */
void cli_draft_write(const struct cli_draft *draft);

#endif
