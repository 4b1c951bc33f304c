/* Files of what goes on (state.h): a line that says what it is, an identity, the parts, and the SHA-256 sum of all that
 * in 64 digits. A file is read only where it is as it was written, and of the same identity. */
#ifndef SPRINT_BASE_STATEFILE_H
#define SPRINT_BASE_STATEFILE_H

#include "base/arena.h"
#include "base/state.h"

struct sprint__statefile_frame {
  const char *magic;    /* a line */
  const char *identity; /* whose it is, and by which settings */
  void (*visit)(void *user, struct sprint__state *state);
  void *user;
};

/* Under another name, synced and renamed; what was there is renamed to `before` first, unless that is NULL. */
sprint_status sprint__statefile_write(sprint_context *context, const char *path, const char *before,
                                      const struct sprint__statefile_frame *frame);

/* Bytes of the parts. */
uint64_t sprint__statefile_size(sprint_context *context, const struct sprint__statefile_frame *frame);

enum sprint__statefile_found {
  SPRINT__STATEFILE_NONE,    /* there is no such file */
  SPRINT__STATEFILE_DAMAGED, /* it is not as it was written */
  SPRINT__STATEFILE_OTHER,   /* it is of another identity, or no such file at all */
  SPRINT__STATEFILE_GOOD
};

struct sprint__statefile {
  const char *path; /* lent */
  FILE *stream;     /* at the first part */
  uint64_t left;    /* bytes of the parts */
};

/* Looks at a file; a good one is open then, to be read or closed. */
enum sprint__statefile_found sprint__statefile_open(const char *path, const struct sprint__statefile_frame *frame,
                                                    struct sprint__statefile *ret_file);
sprint_status sprint__statefile_read(sprint_context *context, struct sprint__statefile *file,
                                     const struct sprint__statefile_frame *frame);
void sprint__statefile_close(struct sprint__statefile *file);

#endif
