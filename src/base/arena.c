/* Arenas: see arena.h. */
#include "base/arena.h"

#include <string.h>

struct sprint__ending {
  void (*call)(void *user);
  void *user;
  struct sprint__ending *before;
};

void *sprint__arena_keep(struct sprint__arena *arena, void *memory) {
  bool kept = memory && !arena->failed &&
              sprint__grow(arena->context, (void **)&arena->items, arena->n, &arena->n_room, arena->n + 1,
                           sizeof *arena->items) == SPRINT_OK;
  if (kept) return arena->items[arena->n++] = memory;
  arena->failed = true;
  sprint__free(memory);
  return NULL;
}

void *sprint__arena_take(struct sprint__arena *arena, size_t n, size_t size) {
  return arena->failed ? NULL : sprint__arena_keep(arena, sprint__alloc(arena->context, n, size));
}

char *sprint__arena_strdup(struct sprint__arena *arena, const char *text) {
  return arena->failed ? NULL : sprint__arena_keep(arena, sprint__strdup(arena->context, text));
}

void sprint__arena_at_end(struct sprint__arena *arena, void (*call)(void *user), void *user) {
  struct sprint__ending *ending = sprint__arena_take(arena, 1, sizeof *ending);
  if (!ending) {
    call(user);
    return;
  }
  *ending = (struct sprint__ending){call, user, arena->endings};
  arena->endings = ending;
}

void sprint__arena_free(struct sprint__arena *arena) {
  for (const struct sprint__ending *ending = arena->endings; ending; ending = ending->before)
    ending->call(ending->user);
  for (size_t i = 0; i < arena->n; i++) sprint__free(arena->items[i]);
  sprint__free(arena->items);
  *arena = (struct sprint__arena){.context = arena->context};
}

void sprint__free_at(void *at) { sprint__free(sprint__give(at)); }

void *sprint__give(void *at) {
  void *given;
  memcpy(&given, at, sizeof given);
  memset(at, 0, sizeof given);
  return given;
}
