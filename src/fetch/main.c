/* sprint-fetch SET FOLDER: what `sprint data get` runs. A program of its own, for libcurl and libarchive bring forty
 * libraries along, which would double the time and the memory that any other command starts with. */
#include <stdio.h>

#include "cli.h"
#include "fetch.h"

int main(int argc, char **argv) {
  const struct fetch_set *set = argc == 3 ? fetch_set_find(argv[1]) : NULL;
  if (!set) {
    fputs("usage: sprint-fetch SET FOLDER; `sprint data get SET` calls it\n", stderr);
    return CLI_USAGE;
  }
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) {
    fputs("sprint: out of memory\n", stderr);
    return CLI_FAILED;
  }
  int code = fetch_set_get(context, set, argv[2]) == SPRINT_OK ? CLI_OK : cli_failed(context);
  sprint_context_free(context);
  return code;
}
