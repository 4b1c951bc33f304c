/* Memory that is freed together: an object's arrays, or what a function needs until it returns. */
#ifndef SPRINT_BASE_ARENA_H
#define SPRINT_BASE_ARENA_H

#include "base/context.h"

/* Start with the context alone: {.context = context}. Failure sticks, so that a row of takings needs one check. */
struct sprint__arena {
  sprint_context *context;
  void **items; /* (n) */
  size_t n, n_room;
  struct sprint__ending *endings; /* calls before all is freed, the newest first; of the arena's own memory */
  bool failed;
};

/* As sprint__alloc and sprint__strdup, and the arena's to free. NULL once one of them has failed. */
void *sprint__arena_take(struct sprint__arena *arena, size_t n, size_t size);
char *sprint__arena_strdup(struct sprint__arena *arena, const char *text);

/* Memory from the same door that is the arena's from now on, even on failure; NULL stands for memory that ran out. */
void *sprint__arena_keep(struct sprint__arena *arena, void *memory);

/* call(user) before all is freed, the newest of several first; at once where there is no memory to remember it by. */
void sprint__arena_at_end(struct sprint__arena *arena, void (*call)(void *user), void *user);

/* SPRINT_ERROR_MEMORY, with the error set, once anything has failed. */
static inline sprint_status sprint__arena_status(const struct sprint__arena *arena) {
  return arena->failed ? SPRINT_ERROR_MEMORY : SPRINT_OK;
}

/* Frees all, and may take again. */
void sprint__arena_free(struct sprint__arena *arena);

/* In front of a declaration: where the scope of the struct ends, clear(&it) is called. */
#define SPRINT__CLEARED(clear) __attribute__((cleanup(clear)))

/* An arena that is freed where its scope ends. */
#define SPRINT__SCRATCH(name, in) SPRINT__CLEARED(sprint__arena_free) struct sprint__arena name = {.context = in}

/* The same of a pointer: free(it), which must take NULL. For `free` there is a free_at, made by SPRINT__FREE_AT in the
 * header that declares it. sprint__give(&it) returns the pointer and keeps it from being freed. */
#define SPRINT__SCOPED(free) SPRINT__CLEARED(free##_at)
#define SPRINT__FREE_AT(free, type) \
  static inline void free##_at(type **at) { free(*at); }

void sprint__free_at(void *at); /* of pointers of any type */
void *sprint__give(void *at);

SPRINT__FREE_AT(sprint_population_free, sprint_population)
SPRINT__FREE_AT(sprint_model_free, sprint_model)
SPRINT__FREE_AT(sprint_shift_free, sprint_shift)
SPRINT__FREE_AT(sprint_solver_free, sprint_solver)
SPRINT__FREE_AT(sprint_run_free, sprint_run)

#endif
