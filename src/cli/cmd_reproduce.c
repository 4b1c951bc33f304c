/* sprint reproduce: the paper's experiments by name, or any config. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "train.h"

/* The folder that came with the program: beside it where it was built, else that of the installation; to be freed. */
static char *own_experiments(void) {
  char *built = cli_beside("experiments");
  if (built && access(built, X_OK) == 0) return built;
  free(built);
  return cli_beside(SPRINT_SHARE "/experiments");
}

/* NAME.yaml in one of the folders for it; to be freed. NULL, after a sentence: nowhere. */
static char *find_experiment(const char *name) {
  const char *named = getenv("SPRINT_EXPERIMENTS");
  char *own = own_experiments();
  const char *const folders[] = {named && *named ? named : "experiments", "experiments", own ? own : "experiments"};
  char *path = NULL;
  for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !path; i++) {
    path = cli_format("%s/%s.yaml", folders[i], name);
    if (access(path, R_OK) == 0) continue;
    free(path);
    path = NULL;
  }
  if (!path)
    cli_print(stderr, "sprint: '%s' is not an experiment: there is no %s.yaml in %s%sexperiments or %s\n", name, name,
              named ? named : "", named ? ", " : "", folders[2]);
  free(own);
  return path;
}

static bool ends_in(const char *text, const char *tail) {
  size_t n = strlen(text), length = strlen(tail);
  return n >= length && strcmp(text + n - length, tail) == 0;
}

/* What has a slash or ends in .yaml is a file. */
static bool is_path(const char *name) { return strchr(name, '/') || ends_in(name, ".yaml"); }

/* The name of an experiment: of a file, what comes after its folder and before .yaml; to be freed. */
static char *name_of(const char *argument) {
  const char *slash = strrchr(argument, '/'), *name = slash ? slash + 1 : argument;
  char *text = cli_format("%s", name);
  if (is_path(argument) && ends_in(text, ".yaml")) text[strlen(text) - strlen(".yaml")] = '\0';
  return text;
}

static int reproduce(sprint_context *context, const struct cli_command *command, const struct cli_options *options,
                     const char *argument, bool all) {
  char *path = is_path(argument) ? cli_format("%s", argument) : find_experiment(argument);
  if (!path) return CLI_FAILED;
  const char *tail = options->quick ? "-quick" : "";
  char *name = name_of(argument);
  char *out = !options->out ? cli_format("runs/%s%s", name, tail)
              : all         ? cli_format("%s/%s%s", options->out, name, tail)
                            : cli_format("%s", options->out);
  struct cli_training training = {.config = path, .out = out, .reproduces = true};
  int code = cli_train(context, command, options, &training);
  free(out);
  free(name);
  free(path);
  return code;
}

static int reproduce_run(sprint_context *context, const struct cli_command *command,
                         const struct cli_options *options) {
  static const char *const all[] = {"credit", "mnist", "cifar10"};
  const char *name = options->arguments[0];
  int code = CLI_OK;
  if (strcmp(name, "all") != 0) return reproduce(context, command, options, name, false);
  if (options->json) return cli_misused(command, "--json: 'all' is three experiments; one was expected");
  for (size_t i = 0; i < sizeof all / sizeof all[0] && !cli_interrupted(); i++) {
    int one = reproduce(context, command, options, all[i], true);
    if (one == CLI_USAGE) return one;
    if (code == CLI_OK || (one != CLI_OK && one != CLI_DIVERGED)) code = one; /* a failure goes before it */
  }
  return code;
}

const struct cli_command cli_reproduce = {
    "reproduce",
    "the paper's experiments: every point of the grid, method and seed; finished runs are kept and skipped",
    reproduce_run,
    {{"credit|mnist|mnist-mild|cifar10|cifar10-mild|all|CONFIG.yaml", CLI_EXPERIMENT,
      "credit|mnist|mnist-mild|cifar10|cifar10-mild|all"}},
    1,
};
