/* What a section says, by key. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "config/value.h"

static const struct sprint__value *find(const struct sprint__section *section, const char *key) {
  for (size_t i = 0; i < section->n_values; i++)
    if (strcmp(section->values[i].param->name, key) == 0) return &section->values[i];
  return NULL;
}

const struct sprint__value *sprint__get(const struct sprint__section *section, const char *key) {
  const struct sprint__value *value = find(section, key);
  assert(value && "a key that the tables do not have");
  return value;
}

/* Defines a getter of values of one type. */
#define GETTER(NAME, C_TYPE, TYPE, FIELD)                                             \
  C_TYPE sprint__get_##NAME(const struct sprint__section *section, const char *key) { \
    assert(sprint__get(section, key)->param->type == TYPE);                           \
    return sprint__get(section, key)->FIELD;                                          \
  }
GETTER(real, double, SPRINT_PARAM_REAL, real)
GETTER(integer, int64_t, SPRINT_PARAM_INTEGER, integer)
GETTER(flag, bool, SPRINT_PARAM_BOOL, flag)
GETTER(section, const struct sprint__section *, SPRINT_PARAM_KIND, section)

const char *sprint__get_text(const struct sprint__section *section, const char *key) {
  const struct sprint__value *value = sprint__get(section, key);
  assert(value->param->type == SPRINT_PARAM_TEXT || value->param->type == SPRINT_PARAM_CHOICE);
  return value->text;
}

int sprint__get_choice(const struct sprint__section *section, const char *key) {
  const struct sprint__value *value = sprint__get(section, key);
  assert(value->param->type == SPRINT_PARAM_CHOICE);
  int choice = sprint__choice_find(value->param->choices, value->text);
  assert((choice >= 0 || !value->text[0]) && "a choice that was not checked");
  return choice;
}

sprint_status sprint__refuse(const struct sprint__section *section, const char *key, const char *format, ...) {
  char sentence[sizeof section->context->error];
  const struct sprint__value *value = find(section, key);
  assert((value || strcmp(key, "kind") == 0) && "a key that the tables do not have");
  va_list args;
  va_start(args, format);
  sprint__vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  return sprint__complain_key(section, value ? value->place : section->place, key, "%s", sentence);
}
