/* A look at what a plugin says: see plugin.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/sized.h"
#include "plugin/plugin.h"

enum { MOST_KINDS = 1000, MOST_PARAMS = 100, MOST_LETTERS = 40 };

sprint_status sprint__plugin_refuse(const struct sprint__plugin *plugin, const char *format, ...) {
  char sentence[sizeof plugin->context->error];
  va_list args;
  va_start(args, format);
  sprint__vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  return sprint_fail(plugin->context, SPRINT_ERROR_INPUT, "plugin %s: %s", plugin->addition.path, sentence);
}

sprint_status sprint__plugin_take(const struct sprint__plugin *plugin, const char *type, const void *theirs, void *ours,
                                  size_t size) {
  if (sprint__sized_take(plugin->context, type, theirs, ours, size) == SPRINT_OK) return SPRINT_OK;
  char why[sizeof plugin->context->error];
  memcpy(why, plugin->context->error, sizeof why);
  return sprint__plugin_refuse(plugin, "%s", why);
}

sprint_status sprint__plugin_room(struct sprint__plugin *plugin) {
  const sprint_plugin *own = &plugin->own;
  const struct {
    const char *name;
    const void *list;
    size_t n;
  } lists[] = {
      {"methods", own->methods, own->n_methods},
      {"shifts", own->shifts, own->n_shifts},
      {"losses", own->losses, own->n_losses},
      {"steps", own->steps, own->n_steps},
  };
  for (size_t i = 0; i < SPRINT__COUNT(lists); i++) {
    if (lists[i].n > MOST_KINDS || (lists[i].n > 0 && !lists[i].list))
      return sprint__plugin_refuse(plugin, "says that it has %zu %s, %s", lists[i].n, lists[i].name,
                                   lists[i].list ? "which is too many" : "but their list is NULL");
    plugin->n_room += lists[i].n;
  }
  plugin->kinds = sprint__arena_take(&plugin->arena, plugin->n_room, sizeof *plugin->kinds);
  plugin->addition.families = sprint__arena_take(&plugin->arena, plugin->n_room, sizeof *plugin->addition.families);
  plugin->addition.kinds = plugin->kinds;
  return sprint__arena_status(&plugin->arena);
}

sprint_status sprint__plugin_needs(const struct sprint__plugin *plugin, const sprint_family *family, const char *kind,
                                   const char *what, bool there) {
  return there ? SPRINT_OK : sprint__plugin_refuse(plugin, "the %s '%s' has no %s", family->key, kind, what);
}

/* Small letters, digits and '-', or whatever else is joint: a name is a key or a folder's name. */
static bool is_name(const char *text, const char *joints) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  if (!text || !strspn(text, letters) || strlen(text) > MOST_LETTERS) return false;
  for (; *text; text++)
    if (!strchr(letters, *text) && !strchr(joints, *text)) return false;
  return true;
}

/* Whose kind that is. */
static const char *owner(const sprint_context *context, const sprint_kind *kind) {
  for (const struct sprint__addition *at = context->additions; at; at = at->next)
    for (size_t k = 0; k < at->n_kinds; k++)
      if (&at->kinds[k] == kind) return at->path;
  return "the library";
}

static sprint_status check_name(const struct sprint__plugin *plugin, const sprint_family *family, const char *name) {
  if (!is_name(name, "-"))
    return sprint__plugin_refuse(plugin, "a %s is called '%.80s'; up to %d small letters, digits and '-' were expected",
                                 family->key, name ? name : "", MOST_LETTERS);
  const sprint_kind *other = sprint__kind_find(plugin->context, family, name);
  if (other)
    return sprint__plugin_refuse(plugin, "the name of the %s '%s' is taken by %s; another name was expected",
                                 family->key, name, owner(plugin->context, other));
  for (size_t k = 0; k < plugin->addition.n_kinds; k++)
    if (plugin->addition.families[k] == family && strcmp(plugin->kinds[k].name, name) == 0)
      return sprint__plugin_refuse(plugin, "it has two of the %s '%s'", family->key, name);
  return SPRINT_OK;
}

/* Whether the kind may have a parameter of this name. */
static sprint_status check_key(const struct sprint__plugin *plugin, const sprint_family *family,
                               const sprint_kind *kind, size_t number) {
  const char *key = kind->params[number].name;
  if (!is_name(key, "-_"))
    return sprint__plugin_refuse(plugin,
                                 "a parameter of the %s '%s' is called '%.80s'; up to %d small letters, digits, "
                                 "'-' and '_' were expected",
                                 family->key, kind->name, key ? key : "", MOST_LETTERS);
  bool taken = strcmp(key, "kind") == 0;
  for (size_t i = 0; i < family->n_params; i++) taken = taken || strcmp(family->params[i].name, key) == 0;
  for (size_t i = 0; i < number; i++) taken = taken || strcmp(kind->params[i].name, key) == 0;
  if (!taken) return SPRINT_OK;
  return sprint__plugin_refuse(plugin, "the %s '%s' has a parameter '%s', which there is already", family->key,
                               kind->name, key);
}

/* A default must be what its own parameter takes: it is read as a config would say it. */
static sprint_status check_default(const struct sprint__plugin *plugin, const sprint_family *family,
                                   const sprint_kind *kind, const sprint_param *param) {
  const sprint_kind one = {.name = kind->name, .help = "", .params = param, .n_params = 1}, *const kinds[] = {&one};
  const sprint_family alone = {.key = family->key, .kinds = kinds, .n_kinds = 1};
  if (!param->standard || !*param->standard || param->type == SPRINT_PARAM_TEXT || param->type == SPRINT_PARAM_TEXTS)
    return SPRINT_OK;
  bool list = param->type == SPRINT_PARAM_REALS;
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  SPRINT__SCOPED(sprint__free)
  char *spec = sprint__printf(plugin->context, "{kind: %s, %s: %s%s%s}", kind->name, param->name, list ? "[" : "",
                              param->standard, list ? "]" : "");
  if (!spec) return SPRINT_ERROR_MEMORY;
  sprint_status status = sprint__section_parse(plugin->context, &alone, spec, "default", &section);
  if (status != SPRINT_ERROR_INPUT) return status;
  char why[sizeof plugin->context->error];
  memcpy(why, plugin->context->error, sizeof why);
  return sprint__plugin_refuse(plugin, "the %s '%s': %s", family->key, kind->name, why);
}

static sprint_status check_param(const struct sprint__plugin *plugin, const sprint_family *family,
                                 const sprint_kind *kind, size_t number) {
  const sprint_param *param = &kind->params[number];
  SPRINT__TRY(check_key(plugin, family, kind, number));
  bool chooses = param->type == SPRINT_PARAM_CHOICE;
  if ((unsigned)param->type > SPRINT_PARAM_REALS || (chooses && (!param->choices || !*param->choices)) || !param->help)
    return sprint__plugin_refuse(plugin, "the parameter '%s' of the %s '%s' has no %s", param->name, family->key,
                                 kind->name,
                                 !param->help ? "help"
                                 : chooses    ? "choices"
                                              : "type from BOOL to REALS");
  return check_default(plugin, family, kind, param);
}

sprint_status sprint__plugin_add(struct sprint__plugin *plugin, const sprint_family *family, const sprint_kind *kind) {
  SPRINT__TRY(check_name(plugin, family, kind->name));
  SPRINT__TRY(sprint__plugin_needs(plugin, family, kind->name, "help", kind->help));
  SPRINT__TRY(sprint__plugin_needs(plugin, family, kind->name, "params, though it counts some",
                                   kind->params || kind->n_params == 0));
  SPRINT__TRY(
      sprint__plugin_needs(plugin, family, kind->name, "n_params of at most 100", kind->n_params <= MOST_PARAMS));
  for (size_t i = 0; i < kind->n_params; i++) SPRINT__TRY(check_param(plugin, family, kind, i));
  size_t at = plugin->addition.n_kinds++;
  plugin->kinds[at] = *kind;
  plugin->addition.families[at] = family;
  return SPRINT_OK;
}
