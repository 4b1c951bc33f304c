/* sprint data: the populations of configs, and the files that they come from. */
#include "cmd_data.h"

#include <string.h>

/* A subcommand with the options that it takes of those that `data` has. */
static const struct {
  const char *name;
  size_t n_arguments; /* behind the name */
  cli_data_command run;
  bool exports, dir; /* takes --out, --set and --deployed; takes --dir */
} subcommands[] = {
    {"get", 1, cli_data_get, false, true},
    {"list", 0, cli_data_list, false, false},
    {"info", 1, cli_data_info, false, false},
    {"export", 1, cli_data_export, true, false},
};

static int data_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  const char *name = options->arguments[0];
  for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
    if (strcmp(subcommands[i].name, name) != 0) continue;
    if (options->n_arguments != subcommands[i].n_arguments + 1)
      return cli_misused(command, "'%s' takes %zu argument(s), got %zu", name, subcommands[i].n_arguments,
                         options->n_arguments - 1);
    if (!subcommands[i].exports && (options->out || options->deployed || options->n_sets))
      return cli_misused(command, "--out, --deployed and --set are for 'export'");
    if (!subcommands[i].dir && options->dir) return cli_misused(command, "--dir is for 'get'");
    return subcommands[i].run(context, command, options);
  }
  return cli_misused(command, "'%s' is not a data command; get, list, info or export was expected", name);
}

const struct cli_command cli_data = {
    "data",
    "get SET [--dir DIR] | list [--data DIR] | info FILE [--data DIR] | "
    "export CONFIG.yaml [--deployed FILE] --out PREFIX [--data DIR] [--set KEY.PATH=VALUE]... [--plugin FILE.so]...",
    "fetch public data sets; say which are here; what is in a file; a config's population as PREFIX-x.npy and -y.npy",
    "deployed out set data dir plugin",
    1,
    2,
    data_run,
};
