/* Lists of names: see names.h. */
#include "config/names.h"

#include <string.h>

#include "config/text.h"

/* Of `names`, or numbered where that is NULL. */
static char **make_names(sprint_context *context, const char *const *names, const char *prefix, size_t n) {
  char **made = sprint__alloc(context, n, sizeof *made);
  for (size_t i = 0; made && i < n; i++) {
    made[i] = names ? sprint__strdup(context, names[i]) : sprint__printf(context, "%s%zu", prefix, i);
    if (made[i]) continue;
    sprint__names_free(made, i);
    return NULL;
  }
  return made;
}

char **sprint__names_copy(sprint_context *context, const char *const *names, size_t n) {
  return make_names(context, names, "", n);
}

char **sprint__names_numbered(sprint_context *context, const char *prefix, size_t n) {
  return make_names(context, NULL, prefix, n);
}

char **sprint__names_cut(sprint_context *context, const char *list, char separator, size_t *ret_n) {
  char **names = NULL;
  size_t n = 0, n_room = 0;
  for (const char *end; list; list = end ? end + 1 : NULL) {
    end = strchr(list, separator);
    char *name = sprint__printf(context, "%.*s", (int)(end ? end - list : (ptrdiff_t)strlen(list)), list);
    if (sprint__names_append(context, name, &names, &n, &n_room) == SPRINT_OK) continue;
    sprint__names_free(names, n);
    return NULL;
  }
  *ret_n = n;
  return names;
}

void sprint__names_free(char **names, size_t n) {
  for (size_t i = 0; names && i < n; i++) sprint__free(names[i]);
  sprint__free(names);
}

sprint_status sprint__names_append(sprint_context *context, char *name, char ***names, size_t *n, size_t *n_room) {
  void *items = *names;
  sprint_status status = name ? sprint__grow(context, &items, *n, n_room, *n + 1, sizeof **names) : SPRINT_ERROR_MEMORY;
  if (status != SPRINT_OK) {
    sprint__free(name);
    return status;
  }
  *names = items;
  (*names)[(*n)++] = name;
  return SPRINT_OK;
}

char *sprint__names_join(sprint_context *context, const char *const *names, size_t n, const char *last) {
  struct sprint__text text = {.context = context};
  for (size_t i = 0; i < n; i++) {
    if (i > 0) sprint__text_add(&text, i + 1 < n ? ", " : last);
    sprint__text_add(&text, names[i]);
  }
  return sprint__text_take(&text);
}

int sprint__choice_find(const char *choices, const char *word) {
  size_t length = strlen(word);
  for (int i = 0; choices; i++) {
    if (strcspn(choices, "|") == length && strncmp(choices, word, length) == 0) return i;
    choices = strchr(choices, '|');
    if (choices) choices++;
  }
  return -1;
}
