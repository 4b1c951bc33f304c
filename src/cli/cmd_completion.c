/* sprint completion: a script that completes commands, options and their values, for a shell. */
#include <string.h>

#include "completion.h"

static int completion_run(sprint_context *context, const struct cli_command *command,
                          const struct cli_options *options) {
  static const struct {
    const char *shell;
    void (*print)(void);
  } scripts[] = {{"bash", cli_completion_bash}, {"zsh", cli_completion_zsh}, {"fish", cli_completion_fish}};
  (void)context;
  for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
    if (strcmp(scripts[i].shell, options->arguments[0]) == 0) {
      scripts[i].print();
      return CLI_OK;
    }
  return cli_misused(command, "'%s' is not bash, zsh or fish", options->arguments[0]);
}

const struct cli_command cli_completion = {
    "completion",
    "a script that completes commands, options and settings in bash, zsh or fish; `make install` puts it in place",
    completion_run,
    {{"bash|zsh|fish", CLI_CHOICE, "bash|zsh|fish"}},
    1,
};
