/* The kinds that a context knows of a family: the library's own, and after them those that were added to it. The one
 * place where kinds are looked up, so that what is added is found, listed and suggested like the rest. */
#include <string.h>

#include "config/section.h"

/* Kind i of the family among those that were added; NULL: there are not so many. *ret_n counts them up to there. */
static const sprint_kind *added(const sprint_context *context, const sprint_family *family, size_t i, size_t *ret_n) {
  *ret_n = 0;
  for (const struct sprint__addition *at = context->additions; at; at = at->next)
    for (size_t k = 0; k < at->n_kinds; k++)
      if (at->families[k] == family && (*ret_n)++ == i) return &at->kinds[k];
  return NULL;
}

size_t sprint_context_n_kinds(const sprint_context *context, const sprint_family *family) {
  size_t n = 0;
  if (!context || !family) return 0;
  added(context, family, SIZE_MAX, &n);
  return family->n_kinds + n;
}

const sprint_kind *sprint_context_kind(const sprint_context *context, const sprint_family *family, size_t kind) {
  size_t n = 0;
  if (!context || !family) return NULL;
  return kind < family->n_kinds ? family->kinds[kind] : added(context, family, kind - family->n_kinds, &n);
}

const sprint_kind *sprint__kind_find(const sprint_context *context, const sprint_family *family, const char *name) {
  const sprint_kind *kind = NULL;
  for (size_t i = 0; (kind = sprint_context_kind(context, family, i)); i++)
    if (strcmp(kind->name, name) == 0) return kind;
  return NULL;
}

const char **sprint__kind_names(struct sprint__arena *arena, const sprint_family *family, size_t *ret_n) {
  size_t n = sprint_context_n_kinds(arena->context, family);
  const char **names = sprint__arena_take(arena, n, sizeof *names);
  for (size_t i = 0; names && i < n; i++) names[i] = sprint_context_kind(arena->context, family, i)->name;
  *ret_n = n;
  return names;
}
