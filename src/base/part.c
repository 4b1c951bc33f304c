/* Parts: see part.h. */
#define _DEFAULT_SOURCE
#include "base/part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

enum { MOST_TRIES = 16, N_DIGITS = 16 };
static const char mark[] = ".part-";

/* Whether the part is ours: one who sweeps may have locked and removed it before we held it. Where files cannot be
 * locked nobody sweeps. */
static bool hold(int descriptor) {
  struct stat info;
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  return fstat(descriptor, &info) == 0 && info.st_nlink > 0;
}

/* Under a name that nobody else has or could have laid a link under. -1 with EEXIST: another one may do. */
static int open_new(const char *part) {
  int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0 || hold(descriptor)) return descriptor;
  close(descriptor);
  errno = EEXIST;
  return -1;
}

sprint_status sprint__part_open(sprint_context *context, const char *target, char **ret_part, int *ret_descriptor) {
  for (int tries = 0; tries < MOST_TRIES; tries++) {
    uint64_t chance = 0;
    if (getentropy(&chance, sizeof chance) != 0) return SPRINT_ERROR_IO;
    SPRINT__SCOPED(sprint__free)
    char *part = sprint__printf(context, "%s%s%016llx", target, mark, (unsigned long long)chance);
    if (!part) return SPRINT_ERROR_MEMORY;
    int descriptor = open_new(part);
    if (descriptor >= 0) {
      *ret_part = sprint__give(&part);
      *ret_descriptor = descriptor;
      return SPRINT_OK;
    }
    if (errno != EEXIST) return SPRINT_ERROR_IO;
  }
  return SPRINT_ERROR_IO;
}

static bool is_part(const char *entry, const char *name, size_t length) {
  size_t n_mark = sizeof mark - 1;
  if (strncmp(entry, name, length) != 0 || strncmp(entry + length, mark, n_mark) != 0) return false;
  const char *digits = entry + length + n_mark;
  return strlen(digits) == N_DIGITS && strspn(digits, "0123456789abcdef") == N_DIGITS;
}

/* Removed while it is locked: its writer, if it has only just made it, finds out. */
static void sweep_one(int folder, const char *entry) {
  struct stat info;
  int descriptor = openat(folder, entry, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    unlinkat(folder, entry, 0);
  close(descriptor);
}

void sprint__parts_sweep(const char *target) {
  char folder[4096] = ".";
  const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
  size_t length = slash ? (size_t)(slash - target) + 1 : 0;
  if (length >= sizeof folder) return;
  if (slash) {
    memcpy(folder, target, length);
    folder[length] = '\0';
  }
  DIR *entries = opendir(folder);
  if (!entries) return;
  for (const struct dirent *entry; (entry = readdir(entries));)
    if (is_part(entry->d_name, name, strlen(name))) sweep_one(dirfd(entries), entry->d_name);
  closedir(entries);
}
