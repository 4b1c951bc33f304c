/* Public structs that may grow: see sized.h. */
#include "base/sized.h"

#include <string.h>

static sprint_status check_size(sprint_context *context, const char *name, const void *theirs, size_t *ret_size) {
  if (!theirs) return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "NULL was given for a %s", name);
  memcpy(ret_size, theirs, sizeof *ret_size);
  if (*ret_size > sizeof *ret_size && *ret_size < 1 << 16) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "the size of a %s is %zu; .size = sizeof(%s) was expected", name,
                     *ret_size, name);
}

sprint_status sprint__sized_take(sprint_context *context, const char *name, const void *theirs, void *ours,
                                 size_t our_size) {
  size_t size = 0;
  SPRINT__TRY(check_size(context, name, theirs, &size));
  for (size_t i = our_size; i < size; i++)
    if (((const char *)theirs)[i])
      return sprint_fail(context, SPRINT_ERROR_ARGUMENT,
                         "a %s uses fields that version " SPRINT_VERSION " of the library does not know", name);
  memset(ours, 0, our_size);
  memcpy(ours, theirs, size < our_size ? size : our_size);
  return SPRINT_OK;
}

sprint_status sprint__sized_give(sprint_context *context, const char *name, const void *ours, size_t our_size,
                                 void *theirs) {
  size_t size = 0;
  SPRINT__TRY(check_size(context, name, theirs, &size));
  memcpy(theirs, ours, size < our_size ? size : our_size);
  memcpy(theirs, &size, sizeof size);
  return SPRINT_OK;
}
