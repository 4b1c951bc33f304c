/* Settings: what a plugin's setup sees of its section. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "plugin/plugin.h"

/* The value of a key by the type that is asked for. A slip of the plugin's author must not go unseen into a run, and
 * the getters have no status: it is noted, and the setup fails. */
static const struct sprint__value *find(sprint_settings *settings, const char *key, int types) {
  if (!settings || !key) return NULL;
  const struct sprint__section *section = settings->section;
  for (size_t i = 0; i < section->n_values; i++) {
    const sprint_param *param = section->values[i].param;
    if (strcmp(param->name, key) == 0 && types & 1 << param->type) return &section->values[i];
  }
  if (!settings->misread)
    sprint__refuse(section, "kind", "the plugin asks '%s' for a key '%s' of a type that its parameters do not have",
                   section->kind->name, key);
  settings->misread = true;
  return NULL;
}

/* A sentence from before would be taken for the setup's. */
sprint_settings sprint__settings_begin(const struct sprint__section *section, struct sprint__arena *arena) {
  section->context->error[0] = '\0';
  return (sprint_settings){section, arena, false};
}

sprint_status sprint__settings_end(const sprint_settings *settings, sprint_status status) {
  sprint_context *context = settings->section->context;
  if (settings->misread) return SPRINT_ERROR_INPUT;
  if (status != SPRINT_OK && !context->error[0])
    return sprint__refuse(settings->section, "kind", "the plugin's setup of '%s' failed: %s",
                          settings->section->kind->name, sprint_status_text(status));
  return status == SPRINT_OK ? sprint__arena_status(settings->arena) : status;
}

double sprint_settings_real(sprint_settings *settings, const char *key) {
  const struct sprint__value *value = find(settings, key, 1 << SPRINT_PARAM_REAL);
  return value ? value->real : NAN;
}

int64_t sprint_settings_integer(sprint_settings *settings, const char *key) {
  const struct sprint__value *value = find(settings, key, 1 << SPRINT_PARAM_INTEGER);
  return value ? value->integer : 0;
}

bool sprint_settings_flag(sprint_settings *settings, const char *key) {
  const struct sprint__value *value = find(settings, key, 1 << SPRINT_PARAM_BOOL);
  return value && value->flag;
}

const char *sprint_settings_text(sprint_settings *settings, const char *key) {
  const struct sprint__value *value = find(settings, key, 1 << SPRINT_PARAM_TEXT | 1 << SPRINT_PARAM_CHOICE);
  return value ? value->text : "";
}

const double *sprint_settings_reals(sprint_settings *settings, const char *key, size_t *ret_n) {
  const struct sprint__value *value = find(settings, key, 1 << SPRINT_PARAM_REALS);
  if (ret_n) *ret_n = value ? value->n_items : 0;
  return value ? value->reals : NULL;
}

const char *const *sprint_settings_texts(sprint_settings *settings, const char *key, size_t *ret_n) {
  const struct sprint__value *value = find(settings, key, 1 << SPRINT_PARAM_TEXTS);
  if (ret_n) *ret_n = value ? value->n_items : 0;
  return value ? (const char *const *)value->texts : NULL;
}

void *sprint_settings_memory(sprint_settings *settings, size_t n, size_t size) {
  return settings ? sprint__arena_take(settings->arena, n, size) : NULL;
}

void sprint_settings_at_end(sprint_settings *settings, void (*call)(void *user), void *user) {
  if (settings && call) sprint__arena_at_end(settings->arena, call, user);
}

sprint_context *sprint_settings_context(sprint_settings *settings) {
  return settings ? settings->section->context : NULL;
}

sprint_status sprint_settings_refuse(sprint_settings *settings, const char *key, const char *format, ...) {
  if (!settings || !key || !format) return SPRINT_ERROR_INPUT;
  const struct sprint__section *section = settings->section;
  char sentence[sizeof section->context->error];
  va_list args;
  va_start(args, format);
  sprint__vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  bool known = strcmp(key, "kind") == 0;
  for (size_t i = 0; i < section->n_values; i++) known = known || strcmp(section->values[i].param->name, key) == 0;
  return sprint__refuse(section, known ? key : "kind", "%s", sentence);
}
