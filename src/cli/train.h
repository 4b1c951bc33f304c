/* Training all that a config asks for: what `run` and `reproduce` share. Runs are jobs; those that are finished are
 * kept, and the same command goes on with the others. */
#ifndef SPRINT_CLI_TRAIN_H
#define SPRINT_CLI_TRAIN_H

#include "cli.h"

struct cli_training {
  const char *config; /* the file */
  const char *out;    /* NULL: by --out, the config's `out` or its name */
  bool reproduces;    /* folders by point always, an estimate of the time first, and a word for every run */
};

/* With the options --only, --jobs, --json, --quick, --seed, --seeds and --set. Returns an exit code. */
int cli_train(sprint_context *context, const struct cli_command *command, const struct cli_options *options,
              const struct cli_training *training);

#endif
