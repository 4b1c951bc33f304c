/* Parts of files that are fetched or unpacked. Their names are known, for a transfer goes on where an earlier one broke
 * off: so a link or another's file may lie there, which is never written to. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fetch.h"

/* Whether the name still leads to what is open: whoever held it before us may have given it its final name. */
static bool is_still(const char *part, const struct stat *open_one) {
  struct stat now;
  return lstat(part, &now) == 0 && now.st_dev == open_one->st_dev && now.st_ino == open_one->st_ino;
}

static sprint_status check_part(sprint_context *context, const char *part, int descriptor) {
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", part, strerror(errno));
  if (!S_ISREG(info.st_mode) || info.st_nlink > 1 || info.st_uid != geteuid())
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: is not a regular file of our own; move it away to fetch it",
                       part);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 || !is_still(part, &info))
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: is being fetched by another program", part);
  return SPRINT_OK;
}

sprint_status fetch_part_open(sprint_context *context, const char *part, FILE **ret_stream) {
  int descriptor = open(part, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == ELOOP)
    return sprint_fail(context, SPRINT_ERROR_IO, "%s: is a link; move it away to fetch it", part);
  if (descriptor < 0) return fetch_unwritable(context, part);
  sprint_status status = check_part(context, part, descriptor);
  FILE *stream = status == SPRINT_OK ? fdopen(descriptor, "ab") : NULL;
  if (status == SPRINT_OK && !stream) status = fetch_unwritable(context, part);
  if (status == SPRINT_OK)
    *ret_stream = stream;
  else
    close(descriptor);
  return status;
}
