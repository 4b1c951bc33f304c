/* Every allocation of a piece of work made to fail, one after the other. What is then left behind, the sanitizers'
 * build finds. */
#ifndef SPRINT_TESTS_MEMORY_HELP_H
#define SPRINT_TESTS_MEMORY_HELP_H

#include "help.h"

#include "base/context.h"

/* Does all of the work and frees all that it has made. */
typedef sprint_status sprint_work(sprint_context *context, const void *user);

/* Whichever allocation fails of those from `first` on, one in `step`, the work says that memory is out, in a sentence
 * too. Returns the number of the first that there was none of; `*ret_status`: what the work says where none fails. */
static inline int64_t fail_allocations(sprint_context *context, int64_t first, int64_t step, sprint_work *work,
                                       const void *user, sprint_status *ret_status) {
  for (int64_t k = first;; k += step) {
    context->n_allocations = 0;
    context->fail_allocation = k;
    sprint_status status = work(context, user);
    bool failed = context->n_allocations > (uint64_t)k;
    context->fail_allocation = -1;
    if (!failed) {
      *ret_status = status;
      return k;
    }
    REFUSED(context, SPRINT_ERROR_MEMORY, "out of memory", status);
    context->error[0] = '\0';
  }
}

/* The same of all; returns how many there are. */
static inline int64_t fail_every_allocation(sprint_context *context, sprint_work *work, const void *user,
                                            sprint_status *ret_status) {
  return fail_allocations(context, 0, 1, work, user, ret_status);
}

#endif
