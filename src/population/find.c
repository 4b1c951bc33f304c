/* Where data files are: the working folder first, then the data folder. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "population/build.h"

/* The set of `sprint data get` that a path in a data folder belongs to, or NULL. */
static const char *set_of(const char *path) {
  static const char *const sets[][2] = {
      {"mnist/", "mnist"},
      {"fashion-mnist/", "fashion-mnist"},
      {"cifar-10-batches-bin", "cifar10"},
      {"credit/cs-training.csv", "credit"},
  };
  for (size_t i = 0; i < SPRINT__COUNT(sets); i++)
    if (strncmp(path, sets[i][0], strlen(sets[i][0])) == 0) return sets[i][1];
  return NULL;
}

static bool exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static sprint_status refuse(sprint_context *context, const char *path) {
  const char *set = set_of(path), *folder = context->data_folder;
  char hint[96] = "";
  if (set) snprintf(hint, sizeof hint, "; `sprint data get %s` fetches it", set);
  return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s%s%s%s", path, strerror(ENOENT),
                     *folder ? " here, nor in " : "", folder, hint);
}

sprint_status sprint__data_find(struct sprint__arena *arena, const char *path, char **ret_path) {
  sprint_context *context = arena->context;
  bool here = !*path || *path == '/' || exists(path);
  if (!here && !*context->data_folder) return refuse(context, path);
  char *found = here ? sprint__strdup(context, path) : sprint__printf(context, "%s/%s", context->data_folder, path);
  if (!sprint__arena_keep(arena, found)) return SPRINT_ERROR_MEMORY;
  if (!here && !exists(found)) return refuse(context, path);
  *ret_path = found;
  return SPRINT_OK;
}
