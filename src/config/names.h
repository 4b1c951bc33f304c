/* Lists of names; a list and its texts are one piece of memory. */
#ifndef SPRINT_CONFIG_NAMES_H
#define SPRINT_CONFIG_NAMES_H

#include "base/arena.h"

/* A copy of n names; or "z0", "z1", ... for the prefix "z". Yours to free, or NULL with the error set. */
char **sprint__names_copy(sprint_context *context, const char *const *names, size_t n);
char **sprint__names_numbered(sprint_context *context, const char *prefix, size_t n);

/* The parts of `list`, which is cut at every separator, and how many they are. Yours to free, or NULL. */
char **sprint__names_cut(sprint_context *context, const char *list, char separator, size_t *ret_n);

void sprint__names_free(char **names, size_t n); /* as sprint__free(names) */

/* "a, b, c" of n names, with `last` (", " or " or ") before the last one; yours to free, or NULL with the error set. */
char *sprint__names_join(sprint_context *context, const char *const *names, size_t n, const char *last);

/* The number of `word` in a|b|c, the form of a parameter's choices; -1: it is not there. */
int sprint__choice_find(const char *choices, const char *word);

/* The name nearest to `word` by edit distance, or NULL where none is near. Case does not count, nor does - against _.
 */
const char *sprint__nearest(const char *word, const char *const *names, size_t n);

#endif
