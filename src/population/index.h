/* An index of texts: each different one has a number, by first appearance. */
#ifndef SPRINT_POPULATION_INDEX_H
#define SPRINT_POPULATION_INDEX_H

#include "base/arena.h"

/* Start with the context alone: {.context = context}. */
struct sprint__index {
  sprint_context *context;
  size_t n;        /* different texts */
  size_t *starts;  /* (n) of each, in `bytes` */
  char *bytes;     /* the texts, each ended by a NUL */
  uint32_t *slots; /* (n_slots) the number of a text + 1; 0: free */
  size_t n_slots;  /* a power of 2, or 0 */
  size_t n_bytes, starts_room, bytes_room;
};

/* The number of the text, which is new where it equals what index->n was. */
sprint_status sprint__index_add(struct sprint__index *index, const char *text, size_t *ret_number);
bool sprint__index_find(const struct sprint__index *index, const char *text, size_t *ret_number);

/* Lent until the next text is added. */
static inline const char *sprint__index_text(const struct sprint__index *index, size_t number) {
  return index->bytes + index->starts[number];
}

/* Forgets all but the first n texts; takes no memory. */
void sprint__index_cut(struct sprint__index *index, size_t n);

void sprint__index_clear(struct sprint__index *index);

#endif
