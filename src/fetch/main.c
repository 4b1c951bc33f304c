/* sprint-fetch SET FOLDER, sprint-fetch --check SET FOLDER ...: what `sprint data get` and `data check` run. A program
 * of its own, for libcurl and libarchive bring forty libraries along, which would double the time and the memory that
 * any other command starts with. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "fetch.h"

static int misused(void) {
  fputs("usage: sprint-fetch SET FOLDER, which `sprint data get SET` calls; or sprint-fetch --check SET FOLDER ...\n",
        stderr);
  return CLI_USAGE;
}

static void say_wrong(const sprint_context *context) { cli_failed(context); }

static int check_all(sprint_context *context, char **words, int n) {
  int code = CLI_OK;
  for (int i = 0; i < n; i += 2)
    if (fetch_set_check(context, fetch_set_find(words[i]), words[i + 1], say_wrong) != SPRINT_OK) code = CLI_FAILED;
  return code;
}

int main(int argc, char **argv) {
  bool checks = argc > 1 && strcmp(argv[1], "--check") == 0;
  char **words = argv + 1 + checks;
  int n = argc - 1 - checks;
  if (n < 2 || n % 2 || (!checks && n != 2)) return misused();
  for (int i = 0; i < n; i += 2)
    if (!fetch_set_find(words[i])) return misused();
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) {
    fputs("sprint: out of memory\n", stderr);
    return CLI_FAILED;
  }
  int code = checks                                                                    ? check_all(context, words, n)
             : fetch_set_get(context, fetch_set_find(words[0]), words[1]) == SPRINT_OK ? CLI_OK
                                                                                       : cli_failed(context);
  sprint_context_free(context);
  return code;
}
