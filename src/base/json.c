/* Memory for jansson: see json.h.
 *
 * The two variables are the only ones of the library that are neither constant nor part of an object: jansson has one
 * allocator for the whole process, and hands it nothing that could lead to a context. */
#include "base/json.h"

#include <jansson.h>
#include <pthread.h>

static json_malloc_t allocate; /* as it was set before */
static _Thread_local bool failed;

static void *allocate_watched(size_t size) {
  void *memory = allocate(size);
  if (!memory) failed = true;
  return memory;
}

static void watch(void) {
  json_free_t release = NULL;
  json_get_alloc_funcs(&allocate, &release);
  json_set_alloc_funcs(allocate_watched, release);
}

void sprint__json_watch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch);
}

sprint_status sprint__json_status(sprint_context *context) {
  if (!failed) return SPRINT_OK;
  failed = false;
  return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory for what was to be written");
}
