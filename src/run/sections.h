/* The keys of a config, in one table: what each of them takes and what it belongs to. */
#ifndef SPRINT_RUN_SECTIONS_H
#define SPRINT_RUN_SECTIONS_H

#include "run/run.h"

/* All keys of a config; those of a run's spec; those of a solver's spec. */
extern const sprint_family sprint__config_family, sprint__run_family, sprint__solver_family;

/* Where else a key may stand, or what it does not matter for; a key may have several scopes. */
enum sprint__scope {
  SPRINT__OF_ENTRY = 1,      /* in an entry of `compare` */
  SPRINT__OF_GRID = 2,       /* in `grid`: the key, or one within its section, may be an axis */
  SPRINT__OF_EXPERIMENT = 4, /* is about the experiment as a whole: a run is the same whatever it says */
};

/* Whether the first `length` bytes of `key` are the name of a key of this scope. */
bool sprint__key_is(const char *key, size_t length, enum sprint__scope scope);

/* The family of the section that a key of a config takes; NULL: it takes none. */
const sprint_family *sprint__key_family(const char *key);

/* "a, b or c", where `last` is " or ": the names of all keys of this scope, in the order of a config. Yours to free, or
 * NULL with the error set. */
char *sprint__keys_join(sprint_context *context, enum sprint__scope scope, const char *last);

#endif
