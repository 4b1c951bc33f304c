/* Parts: the temporary files under which outputs are written, beside their targets. A part is locked by whoever writes
 * it, so that one which nobody holds is left over from a process that died. */
#ifndef SPRINT_BASE_PART_H
#define SPRINT_BASE_PART_H

#include "base/context.h"

/* A new part of the target, TARGET.part- and sixteen digits by chance, open to write and locked. Its name is yours to
 * free. Fails with errno set and no sentence, or with SPRINT_ERROR_MEMORY. */
sprint_status sprint__part_open(sprint_context *context, const char *target, char **ret_part, int *ret_descriptor);

/* Removes the parts of the target that nobody writes any more. What cannot be removed stays. */
void sprint__parts_sweep(const char *target);

#endif
