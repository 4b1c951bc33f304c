/* What a process may still have: threads and address space, looked at before OpenMP and OpenBLAS take them. The one
 * ends the process where it cannot have a thread, the other asks for ever where it cannot have memory. */
#ifndef SPRINT_BASE_THREADS_H
#define SPRINT_BASE_THREADS_H

#include "base/context.h"

/* How many of n threads can work: all, or one alone where the others cannot be had (ulimit -u) or there is no room for
 * what each needs (ulimit -v). */
int sprint__threads_usable(sprint_context *context, int n);

/* Whether the address space of the process has a limit. */
bool sprint__space_is_limited(void);

/* Refuses a process that has no room for OpenBLAS's memory for one thread. */
sprint_status sprint__blas_check(sprint_context *context);

#endif
