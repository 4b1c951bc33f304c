/* One writer to a folder: see lock.h. */
#define _DEFAULT_SOURCE
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { MOST_TRIES = 100 }; /* to lock a folder that others take away and make again */

/* Whether the path still leads to the folder that is open. */
static bool is_at(int descriptor, const char *path) {
  struct stat open_one, named;
  return fstat(descriptor, &open_one) == 0 && stat(path, &named) == 0 && open_one.st_dev == named.st_dev &&
         open_one.st_ino == named.st_ino;
}

/* Opened and locked: a descriptor; -1: it could not be, and errno says why. File systems without locks go without. */
static int lock_folder(const char *path, int how) {
  int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | how);
  if (descriptor < 0) return -1;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

static bool is_link(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

/* `how`: O_NOFOLLOW, or 0. */
static sprint_status lock_as(sprint_context *context, const char *folder, int how, sprint_lock **ret_lock) {
  SPRINT__SCOPED(sprint_lock_free) sprint_lock *lock = sprint__alloc(context, 1, sizeof *lock);
  if (!lock) return SPRINT_ERROR_MEMORY;
  lock->descriptor = -1;
  for (int tries = 0; tries < MOST_TRIES; tries++) {
    if (how == O_NOFOLLOW && is_link(folder))
      return sprint_fail(context, SPRINT_ERROR_IO, "%s: is a link; a folder was expected, as what is in it is cleared",
                         folder);
    SPRINT__TRY(sprint__folder_make(context, folder));
    if (lock->descriptor >= 0) close(lock->descriptor);
    lock->descriptor = lock_folder(folder, how);
    if (lock->descriptor < 0 && errno == EWOULDBLOCK)
      return sprint_fail(context, SPRINT_ERROR_IO,
                         "%s: another process is writing there; wait for it to end, or choose another folder", folder);
    if (lock->descriptor >= 0 && is_at(lock->descriptor, folder)) {
      *ret_lock = sprint__give(&lock);
      return SPRINT_OK;
    }
  }
  return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be locked: %s", folder, strerror(errno));
}

sprint_status sprint_folder_lock(sprint_context *context, const char *folder, sprint_lock **ret_lock) {
  SPRINT__REQUIRE(context, folder, ret_lock);
  return lock_as(context, folder, 0, ret_lock);
}

sprint_status sprint__folder_lock_own(sprint_context *context, const char *folder, sprint_lock **ret_lock) {
  return lock_as(context, folder, O_NOFOLLOW, ret_lock);
}

void sprint_lock_free(sprint_lock *lock) {
  if (!lock) return;
  if (lock->descriptor >= 0) close(lock->descriptor);
  sprint__free(lock);
}
