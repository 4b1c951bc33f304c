/* The fetching of `sprint data get` with a set made up on the command line, for tests that have no public archive:
 *   fetch_tool FOLDER FILE SIZE SHA256 MIRROR[,MIRROR]... [MEMBER PATH SIZE]...
 * With members the file is an archive of them; else it is kept as FOLDER/FILE. In place of mirrors: check, or
 * check=SHA256 of what gzip has packed in the file, looks at what is there. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch.h"

enum { MAX_MEMBERS = 8, N_FIXED = 6 };

int main(int argc, char **argv) {
  struct fetch_member members[MAX_MEMBERS];
  int n_members = (argc - N_FIXED) / 3;
  if (argc < N_FIXED || (argc - N_FIXED) % 3 || n_members > MAX_MEMBERS) return 2;
  for (int i = 0; i < n_members; i++) {
    char **at = argv + N_FIXED + 3 * i;
    members[i] = (struct fetch_member){at[0], at[1], strtoull(at[2], NULL, 10)};
  }
  struct fetch_file file = {argv[2], argv[2], strtoull(argv[3], NULL, 10), argv[4], NULL};
  struct fetch_set set = {.name = "made-up", .title = "made up", .files = &file, .n_files = 1};
  set.members = n_members ? members : NULL;
  set.n_members = (size_t)n_members;
  bool checks = strncmp(argv[5], "check", 5) == 0;
  if (checks && argv[5][5] == '=') file.contents = argv[5] + 6;
  size_t n_mirrors = 0;
  for (char *mirror = strtok(argv[5], ","); mirror && n_mirrors < FETCH_MAX_MIRRORS; mirror = strtok(NULL, ","))
    set.mirrors[n_mirrors++] = mirror;
  sprint_context *context = NULL;
  if (sprint_context_new(&context) != SPRINT_OK) return 1;
  sprint_status status = checks ? fetch_set_check(context, &set, argv[1], NULL) : fetch_set_get(context, &set, argv[1]);
  if (status != SPRINT_OK) fprintf(stderr, "%s\n", sprint_context_error(context));
  sprint_context_free(context);
  return status == SPRINT_OK ? 0 : 1;
}
