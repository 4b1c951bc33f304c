/* What `sprint data info` prints of each kind of file. */
#ifndef SPRINT_CLI_DATA_INFO_H
#define SPRINT_CLI_DATA_INFO_H

#include "sprint.h"

/* Writes a first config for a CSV, found at `path`, to standard output; label: a column, or NULL: it is guessed, or
 * left to be filled in. Returns an exit code, after a sentence where it is not CLI_OK. */
int cli_data_config(const sprint_file_info *info, const char *path, const char *label);

void cli_print_model_info(const sprint_model_info *info);

#endif
