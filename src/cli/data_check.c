/* sprint data check: whether the public sets that are here are what was published. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "fetch_sets.h"

int cli_become_fetch(const struct cli_command *command, const char *const *arguments, size_t n) {
  char *path = cli_beside("sprint-fetch");
  if (!path) {
    cli_print(stderr,
              "sprint %s: sprint-fetch, which does the work, is beside this program, and where that is cannot be found "
              "out without /proc; call sprint-fetch by its path: it takes the set and the folder\n",
              command->name);
    return CLI_FAILED;
  }
  char **all = cli_room(n + 2, sizeof *all);
  all[0] = path;
  for (size_t i = 0; i < n; i++) all[i + 1] = (char *)arguments[i];
  fflush(stdout);
  execv(path, all);
  cli_print(stderr, "sprint %s: %s, which does the fetching, cannot be run: %s\n", command->name, path,
            strerror(errno));
  free(all);
  free(path);
  return CLI_FAILED;
}

/* Words for sprint-fetch: --check, then pairs of a set and its folder. */
struct words {
  const char *words[1 + 4 * CLI_MAX];
  size_t n;
};

static void add_sets(struct words *words, const struct fetch_set *only, const char *folder) {
  for (size_t i = 0; i < n_fetch_sets && words->n + 2 <= sizeof words->words / sizeof words->words[0]; i++) {
    if ((only && only != fetch_sets[i]) || !fetch_set_begun(fetch_sets[i], folder)) continue;
    words->words[words->n++] = fetch_sets[i]->name;
    words->words[words->n++] = folder;
  }
}

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int check_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  const char *what = options->n_arguments ? options->arguments[0] : NULL, *data = sprint_context_data(context);
  const struct fetch_set *set = what ? fetch_set_find(what) : NULL;
  struct words words = {.words = {"--check"}, .n = 1};
  if (what && !set && !is_folder(what))
    return cli_misused(command, "'%s' is neither a public set, as `sprint data list` names them, nor a folder", what);
  if (what && !set) {
    add_sets(&words, NULL, what);
  } else {
    add_sets(&words, set, ".");
    if (*data && strcmp(data, ".") != 0) add_sets(&words, set, data);
  }
  if (words.n > 1) return cli_become_fetch(command, words.words, words.n);
  cli_print(stderr, "sprint data check: %s is not in %s%s%s\n", set ? set->name : "any public set",
            what && !set ? what : "the working folder", (what && !set) || !*data ? "" : " nor in the data folder ",
            (what && !set) ? "" : data);
  return CLI_FAILED;
}

const struct cli_command cli_data_check = {
    "data check",
    "whether the public sets that are here are what was published, by their sums or contents",
    check_run,
    {{"SET|DIR", CLI_SET}},
};
