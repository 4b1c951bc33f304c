/* What goes on: the numbers by which an object differs from one that was built anew from the same settings. An object
 * lists them in one function, which serves to write them and to read them again, so that the two cannot drift apart.
 * They are of one build and one machine: as they are in memory. */
#ifndef SPRINT_BASE_STATE_H
#define SPRINT_BASE_STATE_H

#include <stdio.h>

#include "base/sum.h"

struct sprint__state {
  sprint_context *context;
  FILE *stream; /* NULL: nothing is written, only counted */
  const char *path;
  bool reads;            /* otherwise it writes */
  uint64_t left;         /* bytes that there are to read; of a writer, those that it has written */
  struct sha256_ctx sum; /* of what was written */
  sprint_status status;  /* the first failure: after it nothing is done any more */
};

/* `size` bytes under a name. What is read must have the name and the size that were written. */
void sprint__state_part(struct sprint__state *state, const char *name, void *data, size_t size);

/* An array of n items of `size` bytes; NULL has none. */
void sprint__state_array(struct sprint__state *state, const char *name, void *array, size_t n, size_t size);

/* A flag; and a number that may be no larger than `most`, which what follows depends on. */
void sprint__state_flag(struct sprint__state *state, const char *name, bool *flag);
void sprint__state_count(struct sprint__state *state, const char *name, size_t *count, size_t most);

/* Whether all went well so far: for what is read before it is used. */
static inline bool sprint__state_ok(const struct sprint__state *state) { return state->status == SPRINT_OK; }

/* A number, and an array of n of them (NULL: there is none, as the settings have it). */
#define SPRINT__KEEP(STATE, NUMBER)    sprint__state_part((STATE), #NUMBER, &(NUMBER), sizeof(NUMBER))
#define SPRINT__KEEP_FLAG(STATE, FLAG) sprint__state_flag((STATE), #FLAG, &(FLAG))
#define SPRINT__KEEP_ARRAY(STATE, ARRAY, N) sprint__state_array((STATE), #ARRAY, (ARRAY), (N), sizeof *(ARRAY))

#endif
