/* Where a path leads that is to be written to. */
#ifndef SPRINT_BASE_OUTLET_H
#define SPRINT_BASE_OUTLET_H

#include "base/context.h"

enum sprint__outlet_type {
  SPRINT__OUTLET_NONE, /* there is nothing yet */
  SPRINT__OUTLET_FILE, /* a regular file */
  SPRINT__OUTLET_FOLDER,
  SPRINT__OUTLET_OTHER, /* a device, a FIFO: written to as it is */
  SPRINT__OUTLET_OPEN,  /* an open descriptor of this process, by a name such as /dev/stdout */
};

struct sprint__outlet {
  enum sprint__outlet_type type;
  unsigned mode;          /* the permissions of a file */
  uint64_t device, inode; /* of a file */
  int descriptor;         /* of what is open */
};

struct sprint__outlet sprint__outlet_of(const char *path);

/* The path with its last part's links followed, also to what is not there yet; yours to free. */
sprint_status sprint__outlet_follow(sprint_context *context, const char *path, char **ret_target);

#endif
