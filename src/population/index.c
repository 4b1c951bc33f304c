/* An index of texts, a hash table with open addressing: see index.h. */
#include "population/index.h"

#include <string.h>

enum { FIRST_SLOTS = 16 };

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash_of(const char *text) {
  uint64_t hash = 14695981039346656037u;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash ^ hash >> 32;
}

/* The slot of the text, or the free one where it belongs; the table is never full. */
static size_t slot_of(const struct sprint__index *index, const char *text) {
  size_t at = hash_of(text) & (index->n_slots - 1);
  while (index->slots[at] && strcmp(sprint__index_text(index, index->slots[at] - 1), text) != 0)
    at = (at + 1) & (index->n_slots - 1);
  return at;
}

bool sprint__index_find(const struct sprint__index *index, const char *text, size_t *ret_number) {
  uint32_t found = index->n_slots ? index->slots[slot_of(index, text)] : 0;
  if (found) *ret_number = found - 1;
  return found > 0;
}

static void fill_slots(struct sprint__index *index) {
  for (size_t i = 0; i < index->n; i++) index->slots[slot_of(index, sprint__index_text(index, i))] = (uint32_t)(i + 1);
}

/* Twice the slots, so that at most half are taken. */
static sprint_status widen(struct sprint__index *index) {
  size_t n_slots = index->n_slots ? 2 * index->n_slots : FIRST_SLOTS;
  if (index->n >= UINT32_MAX / 2)
    return sprint_fail(index->context, SPRINT_ERROR_INPUT, "more than %lu different texts are too many",
                       (unsigned long)(UINT32_MAX / 2));
  uint32_t *slots = sprint__alloc(index->context, n_slots, sizeof *slots);
  if (!slots) return SPRINT_ERROR_MEMORY;
  sprint__free(index->slots);
  index->slots = slots;
  index->n_slots = n_slots;
  fill_slots(index);
  return SPRINT_OK;
}

sprint_status sprint__index_add(struct sprint__index *index, const char *text, size_t *ret_number) {
  if (sprint__index_find(index, text, ret_number)) return SPRINT_OK;
  size_t size = strlen(text) + 1;
  if (2 * (index->n + 1) > index->n_slots) SPRINT__TRY(widen(index));
  SPRINT__TRY(sprint__grow(index->context, (void **)&index->bytes, index->n_bytes, &index->bytes_room,
                           index->n_bytes + size, 1));
  SPRINT__TRY(sprint__grow(index->context, (void **)&index->starts, index->n, &index->starts_room, index->n + 1,
                           sizeof *index->starts));
  size_t slot = slot_of(index, text);
  memcpy(index->bytes + index->n_bytes, text, size);
  index->starts[index->n] = index->n_bytes;
  index->n_bytes += size;
  *ret_number = index->n++;
  index->slots[slot] = (uint32_t)index->n;
  return SPRINT_OK;
}

void sprint__index_cut(struct sprint__index *index, size_t n) {
  if (n >= index->n) return;
  index->n_bytes = index->starts[n];
  index->n = n;
  memset(index->slots, 0, index->n_slots * sizeof *index->slots);
  fill_slots(index);
}

void sprint__index_clear(struct sprint__index *index) {
  sprint__free(index->starts);
  sprint__free(index->bytes);
  sprint__free(index->slots);
  *index = (struct sprint__index){.context = index->context};
}
