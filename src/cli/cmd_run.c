/* sprint run: train by a config, save every run, print a table. */
#include "cli.h"
#include "train.h"

static int run_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  return cli_train(context, command, options, &(struct cli_training){.config = options->arguments[0]});
}

const struct cli_command cli_run = {
    "run",   "train by a config: every point of its grid, method and seed; finished runs are kept and skipped",
    run_run, {{"CONFIG.yaml", CLI_FILE, ".yaml|.yml"}},
    1,
};
