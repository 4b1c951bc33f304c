/* The subcommands of `sprint data`. Each returns an exit code. */
#ifndef SPRINT_CLI_CMD_DATA_H
#define SPRINT_CLI_CMD_DATA_H

#include "cli.h"

typedef int (*cli_data_command)(sprint_context *context, const struct cli_command *command,
                                const struct cli_options *options);

int cli_data_export(sprint_context *context, const struct cli_command *command, const struct cli_options *options);
int cli_data_get(sprint_context *context, const struct cli_command *command, const struct cli_options *options);
int cli_data_list(sprint_context *context, const struct cli_command *command, const struct cli_options *options);
int cli_data_info(sprint_context *context, const struct cli_command *command, const struct cli_options *options);

#endif
