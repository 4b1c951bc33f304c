/* Lists of names: see names.h. */
#define _POSIX_C_SOURCE 200809L
#include "config/names.h"

#include <stdio.h>
#include <string.h>

#include "config/text.h"

char **sprint__names_copy(sprint_context *context, const char *const *names, size_t n) {
  size_t size = n * sizeof *names;
  for (size_t i = 0; i < n; i++) size += strlen(names[i]) + 1;
  char **copy = sprint__alloc(context, size, 1);
  if (!copy) return NULL;
  char *at = (char *)(copy + n);
  for (size_t i = 0; i < n; i++) at = stpcpy(copy[i] = at, names[i]) + 1;
  return copy;
}

char **sprint__names_numbered(sprint_context *context, const char *prefix, size_t n) {
  size_t most = strlen(prefix) + sizeof "18446744073709551615";
  char **names = sprint__alloc(context, n, sizeof *names + most);
  if (!names) return NULL;
  char *at = (char *)(names + n);
  for (size_t i = 0; i < n; i++) at += snprintf(names[i] = at, most, "%s%zu", prefix, i) + 1;
  return names;
}

char **sprint__names_cut(sprint_context *context, const char *list, char separator, size_t *ret_n) {
  size_t n = 1;
  for (const char *at = list; (at = strchr(at, separator)); at++) n++;
  char **names = sprint__alloc(context, 1, n * sizeof *names + strlen(list) + 1);
  if (!names) return NULL;
  char *at = strcpy((char *)(names + n), list);
  for (size_t i = 0; i < n; i++, at++) {
    names[i] = at;
    at += strcspn(at, (char[]){separator, '\0'});
    *at = '\0';
  }
  *ret_n = n;
  return names;
}

void sprint__names_free(char **names, size_t n) {
  (void)n;
  sprint__free(names);
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
