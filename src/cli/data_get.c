/* sprint data get: fetch a public set. sprint data list: which sets are here. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fetch_sets.h"

static void print_names(FILE *stream) {
  for (size_t i = 0; i < n_fetch_sets; i++) cli_print(stream, "%s%s", i ? ", " : "", fetch_sets[i]->name);
}

static int get_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  const struct fetch_set *set = fetch_set_find(options->arguments[0]);
  const char *folder = options->dir ? options->dir : sprint_context_data(context);
  if (!set) {
    const char *names[CLI_MAX] = {NULL}, *word = options->arguments[0];
    for (size_t i = 0; i < n_fetch_sets; i++) names[i] = fetch_sets[i]->name;
    const char *near = sprint_nearest(word, names, n_fetch_sets);
    cli_print(stderr, "sprint data get: '%s' is not a known set; ", word);
    if (near) cli_print(stderr, "did you mean '%s'? ", near);
    fputs("known are ", stderr);
    print_names(stderr);
    fputc('\n', stderr);
    return CLI_USAGE;
  }
  if (!*folder) {
    fputs("sprint data get: there is no data folder; --dir DIR or SPRINT_DATA=DIR names one\n", stderr);
    return CLI_FAILED;
  }
  return cli_become_fetch(command, (const char *[]){set->name, folder}, 2);
}

const struct cli_command cli_data_get = {
    "data get", "fetch a public data set: mnist, fashion-mnist, cifar10 or credit", get_run, {{"SET", CLI_SET}}, 1,
};

/* Says in which folder a set is complete, else in which it was begun. */
static void print_set(const struct fetch_set *set, const char *const *folders, size_t n) {
  cli_print(stdout, "%-14s ", set->name);
  for (size_t i = 0; i < n; i++)
    if (!fetch_set_missing(set, folders[i])) {
      cli_print(stdout, "complete in %s\n", folders[i]);
      return;
    }
  for (size_t i = 0; i < n; i++)
    if (fetch_set_begun(set, folders[i])) {
      cli_print(stdout, "not complete in %s: %s is missing, or is not what was published\n", folders[i],
                fetch_set_missing(set, folders[i]));
      return;
    }
  cli_print(stdout, "not here; `sprint data get %s` fetches it\n", set->name);
}

static int list_run(sprint_context *context, const struct cli_command *command, const struct cli_options *options) {
  (void)command, (void)options;
  const char *folders[] = {".", sprint_context_data(context)};
  size_t n = *folders[1] ? 2 : 1;
  for (size_t i = 0; i < n_fetch_sets; i++) {
    print_set(fetch_sets[i], folders, n);
    cli_print(stdout, "%-14s %s\n", "", fetch_sets[i]->title);
  }
  cli_print(stdout, "\nlooked for in the working folder%s%s\n",
            n > 1 ? ", then in the data folder " : "; there is no data folder", n > 1 ? folders[1] : "");
  return CLI_OK;
}

const struct cli_command cli_data_list = {
    "data list",
    "which public data sets are here, and where was looked",
    list_run,
};
