/* One writer to a folder. A lock is on the folder itself and goes with the process that holds it, however that ends. */
#ifndef SPRINT_BASE_LOCK_H
#define SPRINT_BASE_LOCK_H

#include "base/arena.h"

struct sprint_lock {
  int descriptor; /* of the folder */
};

SPRINT__FREE_AT(sprint_lock_free, sprint_lock)

#endif
