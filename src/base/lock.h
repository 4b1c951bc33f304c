/* One writer to a folder. A lock is on the folder itself and goes with the process that holds it, however that ends. */
#ifndef SPRINT_BASE_LOCK_H
#define SPRINT_BASE_LOCK_H

#include "base/arena.h"

struct sprint_lock {
  int descriptor; /* of the folder */
};

SPRINT__FREE_AT(sprint_lock_free, sprint_lock)

/* As sprint_folder_lock, of a folder that nobody but us makes, fills and clears: a link there, which leads to what is
 * somebody else's, is refused. */
sprint_status sprint__folder_lock_own(sprint_context *context, const char *folder, sprint_lock **ret_lock);

#endif
