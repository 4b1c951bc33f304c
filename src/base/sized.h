/* Public structs that may grow: the first field is the struct's size as the caller's header has it, so that a program
 * that was compiled against an older one, or a newer one, goes on working. */
#ifndef SPRINT_BASE_SIZED_H
#define SPRINT_BASE_SIZED_H

#include "base/context.h"

/* ours (our_size) := theirs: fields that the caller's struct does not have are 0. Refused: NULL, a size that was not
 * set, and fields in use that are not known here. `name` is the type's. */
sprint_status sprint__sized_take(sprint_context *context, const char *name, const void *theirs, void *ours,
                                 size_t our_size);

/* theirs := ours, as much of it as there is room for by its size, which stays. */
sprint_status sprint__sized_give(sprint_context *context, const char *name, const void *ours, size_t our_size,
                                 void *theirs);

#define SPRINT__SIZED_TAKE(CONTEXT, TYPE, THEIRS, OURS) \
  SPRINT__TRY(sprint__sized_take((CONTEXT), #TYPE, (THEIRS), (OURS), sizeof(TYPE)))
#define SPRINT__SIZED_GIVE(CONTEXT, TYPE, OURS, THEIRS) \
  sprint__sized_give((CONTEXT), #TYPE, (OURS), sizeof(TYPE), (THEIRS))

#endif
