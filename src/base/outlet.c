/* Where a path leads: see outlet.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/outlet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

enum { MOST_LINKS = 40, MOST_LENGTH = 4096 };

/* Opening such a name anew would begin at the start of a file that is being appended to. */
static int descriptor_of(const char *path) {
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
  if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
  for (size_t i = 0; i < SPRINT__COUNT(folders); i++) {
    const char *number = path + strlen(folders[i]);
    if (strncmp(path, folders[i], strlen(folders[i])) == 0 && *number && strlen(number) < 9 &&
        strspn(number, "0123456789") == strlen(number))
      return atoi(number); /* NOLINT(cert-err34-c): eight digits at most, and nothing else */
  }
  return -1;
}

struct sprint__outlet sprint__outlet_of(const char *path) {
  struct sprint__outlet outlet = {.type = SPRINT__OUTLET_NONE, .descriptor = descriptor_of(path)};
  struct stat info;
  if (outlet.descriptor >= 0) {
    outlet.type = SPRINT__OUTLET_OPEN;
  } else if (stat(path, &info) == 0) {
    outlet.type = S_ISREG(info.st_mode)   ? SPRINT__OUTLET_FILE
                  : S_ISDIR(info.st_mode) ? SPRINT__OUTLET_FOLDER
                                          : SPRINT__OUTLET_OTHER;
    outlet.mode = info.st_mode & 0777;
    outlet.device = (uint64_t)info.st_dev;
    outlet.inode = (uint64_t)info.st_ino;
  }
  return outlet;
}

/* What the link at `path` says, from where we stand: relative ones count from the link's folder. */
static char *link_target(sprint_context *context, const char *path, char *text, ssize_t length) {
  const char *slash = strrchr(path, '/');
  text[length] = '\0';
  if (*text == '/' || !slash) return sprint__strdup(context, text);
  return sprint__printf(context, "%.*s/%s", (int)(slash - path), path, text);
}

sprint_status sprint__outlet_follow(sprint_context *context, const char *path, char **ret_target) {
  char text[MOST_LENGTH + 1];
  SPRINT__SCOPED(sprint__free) char *now = sprint__strdup(context, path);
  for (int links = 0; now; links++) {
    ssize_t length = readlink(now, text, MOST_LENGTH);
    if (length < 0) break; /* not a link; or not there, or not to be reached, as whoever opens it will find */
    if (links == MOST_LINKS)
      return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be written: %s", path, strerror(ELOOP));
    char *next = link_target(context, now, text, length);
    sprint__free(now);
    now = next;
  }
  if (!now) return SPRINT_ERROR_MEMORY;
  *ret_target = sprint__give(&now);
  return SPRINT_OK;
}
