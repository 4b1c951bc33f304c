/* Bytes on their way: see inflow.h. */
#define _POSIX_C_SOURCE 200809L
#include "population/inflow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

/* Milliseconds between looks at the clock, and between looks at the end of a file that grows. */
enum { LOOK_EVERY = 100, NAP = 10 };

static sprint_status check_kind(struct sprint__inflow *inflow) {
  struct stat info;
  if (fstat(inflow->file, &info) != 0)
    return sprint_fail(inflow->context, SPRINT_ERROR_IO, "%s: cannot be read: %s", inflow->path, strerror(errno));
  if (S_ISDIR(info.st_mode))
    return sprint_fail(inflow->context, SPRINT_ERROR_IO, "%s: is a folder, a file or pipe was expected", inflow->path);
  inflow->regular = S_ISREG(info.st_mode) && !inflow->given;
  return SPRINT_OK;
}

/* Not blocking: to open a pipe that nobody writes to yet would take as long as nobody does. */
sprint_status sprint__inflow_open(sprint_context *context, const char *path, struct sprint__inflow *ret_inflow) {
  bool given = strcmp(path, SPRINT__STANDARD_INPUT) == 0;
  struct sprint__inflow inflow = {.context = context, .path = path, .given = given};
  inflow.file = given ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (inflow.file < 0) return sprint_fail(context, SPRINT_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
  sprint_status status = check_kind(&inflow);
  if (status == SPRINT_OK)
    *ret_inflow = inflow;
  else
    sprint__inflow_close(&inflow);
  return status;
}

void sprint__inflow_close(struct sprint__inflow *inflow) {
  if (!inflow->given && inflow->file >= 0) close(inflow->file);
  inflow->file = -1;
}

/* Waits for a while, until there is something to read or the writer is gone. A file is always ready, even where it
 * ends. */
static bool is_ready(const struct sprint__inflow *inflow) {
  struct pollfd watched = {.fd = inflow->file, .events = POLLIN};
  return poll(&watched, 1, LOOK_EVERY) > 0;
}

enum outcome { CAME, NOT_YET, ENDED, BROKEN };

static enum outcome try_to_read(struct sprint__inflow *inflow, char *bytes, size_t size, size_t *ret_n) {
  if (!is_ready(inflow)) return NOT_YET;
  ssize_t n = inflow->regular ? pread(inflow->file, bytes, size, (off_t)inflow->at) : read(inflow->file, bytes, size);
  *ret_n = n > 0 ? (size_t)n : 0;
  inflow->at += (int64_t)*ret_n;
  if (n > 0) return CAME;
  if (n < 0) return errno == EINTR || errno == EAGAIN ? NOT_YET : BROKEN;
  if (!inflow->follow) return ENDED;
  poll(NULL, 0, NAP);
  return NOT_YET;
}

sprint_status sprint__inflow_read(struct sprint__inflow *inflow, const struct sprint__idle *idle, char *ret_bytes,
                                  size_t size, size_t *ret_n, sprint_stop *ret_ending) {
  double since = sprint__clock();
  size_t n = 0;
  enum outcome outcome;
  *ret_ending = SPRINT_STOP_STREAM;
  while ((outcome = try_to_read(inflow, ret_bytes, size, &n)) == NOT_YET) {
    *ret_ending = SPRINT_STOP_STREAM;
    if (inflow->patience > 0 && sprint__clock() - since >= inflow->patience) *ret_ending = SPRINT_STOP_STALLED;
    if (idle->go_on && !idle->go_on(idle->user)) *ret_ending = SPRINT_STOP_REQUESTED;
    if (*ret_ending != SPRINT_STOP_STREAM) break;
  }
  if (outcome == BROKEN)
    return sprint_fail(inflow->context, SPRINT_ERROR_IO, "%s: cannot be read: %s", inflow->path, strerror(errno));
  *ret_n = n;
  return SPRINT_OK;
}
