/* Methods chosen by a short text, NAME[:KEY=VALUE]...,NAME..., in place of a config's `compare`. A comma or colon
 * within brackets, braces or quotes belongs to the value. */
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "config/text.h"
#include "run/grid.h"
#include "run/sections.h"
#include "run/variants.h"

/* One text, and what it is turned into. */
struct choice {
  struct sprint__document *document;
  const char *text;
  struct sprint__place place;
  const struct sprint__node *compare; /* the config's, or NULL */
  struct sprint__node *sections;      /* of the entry */
  char *name;                         /* what it is called; the document's */
  bool named;                         /* by a setting */
};

/* Where the part that begins at `text` ends: at a separator that stands by itself, or at the end. */
static size_t part_length(const char *text, char separator) {
  size_t depth = 0, i = 0;
  char quote = '\0';
  for (; text[i] && (depth || quote || text[i] != separator); i++) {
    if (quote)
      quote = text[i] == quote ? '\0' : quote;
    else if (text[i] == '\'' || text[i] == '"')
      quote = text[i];
    else if (strchr("[{", text[i]))
      depth++;
    else if (strchr("]}", text[i]) && depth > 0)
      depth--;
  }
  return i;
}

static char *keep_part(struct choice *choice, const char *part, size_t length) {
  struct sprint__document *document = choice->document;
  return sprint__arena_keep(&document->names, sprint__printf(document->context, "%.*s", (int)length, part));
}

static sprint_status refuse_name(const struct choice *choice, const char *name) {
  sprint_context *context = choice->document->context;
  const sprint_family *family = &sprint__method_family;
  size_t n_entries = choice->compare ? choice->compare->n_children : 0, n = 0;
  SPRINT__SCRATCH(room, context);
  size_t n_kinds = 0;
  const char **kinds = sprint__kind_names(&room, family, &n_kinds);
  const char **names = sprint__arena_take(&room, n_entries + n_kinds, sizeof *names);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t i = 0; i < n_entries; i++) names[n++] = sprint__node_child(choice->compare->children[i], "name")->text;
  for (size_t i = 0; i < n_kinds; i++) names[n++] = kinds[i];
  const char *near = sprint__nearest(name, names, n);
  char *all = near ? sprint__printf(context, "did you mean '%s'?", near) : sprint__names_join(context, names, n, ", ");
  sprint__arena_keep(&room, all);
  SPRINT__TRY(sprint__arena_status(&room));
  return sprint__complain(context, choice->place,
                          "'%s' is neither an entry of the config's `compare` nor a kind of method; %s%s",
                          sprint__show(name).text, near ? "" : "there are ", all);
}

/* The entry of the config's own, without its name. */
static sprint_status take_entry(struct choice *choice, const struct sprint__node *entry) {
  sprint_context *context = choice->document->context;
  SPRINT__TRY(sprint__node_copy(context, entry, &choice->sections));
  sprint__node_remove(choice->sections, "name");
  return sprint__name_kinds(context, choice->sections);
}

static sprint_status lay_text(struct choice *choice, const char *path, const char *text, size_t length) {
  sprint_context *context = choice->document->context;
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *value = NULL;
  SPRINT__TRY(sprint__yaml_parse(context, text, length, choice->place, &value));
  SPRINT__TRY(sprint__node_lay(context, choice->sections, path, value));
  return sprint__name_kinds(context, choice->sections);
}

static sprint_status take_name(struct choice *choice, const char *name) {
  for (size_t i = 0; choice->compare && i < choice->compare->n_children; i++)
    if (strcmp(sprint__node_child(choice->compare->children[i], "name")->text, name) == 0)
      return take_entry(choice, choice->compare->children[i]);
  sprint_context *context = choice->document->context;
  if (!sprint__kind_find(context, &sprint__method_family, name)) return refuse_name(choice, name);
  SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_MAP, choice->place, &choice->sections));
  return lay_text(choice, "method.kind", name, strlen(name));
}

/* KEY=VALUE, `length` bytes. */
static sprint_status take_setting(struct choice *choice, const char *part, size_t length) {
  sprint_context *context = choice->document->context;
  const char *equals = memchr(part, '=', length);
  if (!equals || equals == part)
    return sprint__complain(context, choice->place, "'%s' is not a setting; key=value was expected",
                            sprint__show(part).text);
  const char *value = equals + 1;
  size_t rest = length - (size_t)(value - part), key = (size_t)(equals - part), first = 0;
  while (first < key && part[first] != '.') first++;
  if (key == strlen("name") && strncmp(part, "name", key) == 0) {
    choice->name = keep_part(choice, value, rest);
    choice->named = true;
    return sprint__arena_status(&choice->document->names);
  }
  const char *within = sprint__key_is(part, first, SPRINT__OF_ENTRY) ? "" : "method.";
  SPRINT__SCOPED(sprint__free) char *path = sprint__printf(context, "%s%.*s", within, (int)key, part);
  return path ? lay_text(choice, path, value, rest) : SPRINT_ERROR_MEMORY;
}

static sprint_status take_all(struct choice *choice) {
  size_t length = part_length(choice->text, ':');
  const char *name = keep_part(choice, choice->text, length);
  choice->name = keep_part(choice, choice->text, strlen(choice->text));
  SPRINT__TRY(sprint__arena_status(&choice->document->names));
  SPRINT__TRY(take_name(choice, name));
  bool alone = choice->text[length] == '\0'; /* an entry's own name is a folder's already */
  for (const char *part = choice->text + length; *part == ':'; part += length) {
    part++;
    length = part_length(part, ':');
    SPRINT__TRY(take_setting(choice, part, length));
  }
  if (!alone && !choice->named) sprint__folder_fit(choice->name);
  return SPRINT_OK;
}

/* Gives the map a name, a text whatever it looks like. */
static sprint_status name_entry(sprint_context *context, struct sprint__node *entry, const char *text) {
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *name = NULL;
  sprint__node_remove(entry, "name");
  SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_SCALAR, entry->place, &name));
  name->key = sprint__strdup(context, "name");
  name->text = sprint__strdup(context, text);
  name->quoted = true;
  if (!name->key || !name->text) return SPRINT_ERROR_MEMORY;
  return sprint__node_append(context, entry, sprint__give(&name));
}

static sprint_status choose(struct sprint__document *document, const char *text, const struct sprint__node *compare,
                            struct sprint__node *list) {
  sprint_context *context = document->context;
  struct choice choice = {.document = document, .text = text, .compare = compare};
  choice.place.file =
      sprint__arena_keep(&document->names, sprint__printf(context, "--methods %s", sprint__show(text).text));
  SPRINT__TRY(sprint__arena_status(&document->names));
  sprint_status status = take_all(&choice);
  if (status == SPRINT_OK) {
    choice.sections->place = choice.place;
    status = name_entry(context, choice.sections, choice.name);
  }
  if (status == SPRINT_OK) status = sprint__node_append(context, list, sprint__give(&choice.sections));
  sprint__node_free(choice.sections);
  return status;
}

/* The document's `compare` := the list. */
static sprint_status put_compare(struct sprint__document *document, struct sprint__node **list) {
  sprint__node_remove(document->root, "compare");
  (*list)->key = sprint__strdup(document->context, "compare");
  if (!(*list)->key) return SPRINT_ERROR_MEMORY;
  return sprint__node_append(document->context, document->root, sprint__give(list));
}

sprint_status sprint__methods_choose(struct sprint__document *document, const char *methods) {
  sprint_context *context = document->context;
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *list = NULL;
  const struct sprint__node *compare = sprint__node_child(document->root, "compare");
  const struct sprint__place place = {"--methods", 0};
  if (sprint__text_check(methods, strlen(methods)) < strlen(methods))
    return sprint__complain(context, place, "is not UTF-8 text");
  if (compare) SPRINT__TRY(sprint__compare_check(context, compare));
  SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_LIST, place, &list));
  for (const char *part = methods;; part++) {
    size_t length = part_length(part, ',');
    SPRINT__SCOPED(sprint__free) char *text = sprint__printf(context, "%.*s", (int)length, part);
    if (!text) return SPRINT_ERROR_MEMORY;
    SPRINT__TRY(choose(document, text, compare, list));
    part += length;
    if (!*part) break;
  }
  return put_compare(document, &list);
}

/* Of a config without `compare`: the list of its one method, called as its kind. */
static sprint_status single_method(struct sprint__document *document) {
  sprint_context *context = document->context;
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *list = NULL;
  const struct sprint__node *method = sprint__node_child(document->root, "method");
  if (method && method->type == SPRINT__NODE_MAP) method = sprint__node_child(method, "kind");
  bool said = method && method->type == SPRINT__NODE_SCALAR && !sprint__node_is_null(method);
  struct sprint__node *entry = NULL;
  SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_LIST, document->root->place, &list));
  SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_MAP, document->root->place, &entry));
  SPRINT__TRY(sprint__node_append(context, list, entry));
  SPRINT__TRY(name_entry(context, entry, said ? method->text : sprint__method_family.standard));
  return put_compare(document, &list);
}

/* A copy of the entry with another step size and name. */
static sprint_status add_step(struct sprint__document *document, const struct sprint__node *entry, double size,
                              struct sprint__node *list) {
  sprint_context *context = document->context;
  struct choice choice = {.document = document, .place = entry->place};
  char text[32];
  sprint__snprintf(text, sizeof text, "%.9g", size);
  SPRINT__SCOPED(sprint__free)
  char *name = sprint__printf(context, "%s-step-%s", sprint__node_child(entry, "name")->text, text);
  if (!name) return SPRINT_ERROR_MEMORY;
  sprint_status status = take_entry(&choice, entry);
  if (status == SPRINT_OK) status = lay_text(&choice, "step.size", text, strlen(text));
  if (status == SPRINT_OK) status = name_entry(context, choice.sections, name);
  if (status == SPRINT_OK) status = sprint__node_append(context, list, sprint__give(&choice.sections));
  sprint__node_free(choice.sections);
  return status;
}

sprint_status sprint__methods_multiply(struct sprint__document *document, const double *step_sizes, size_t n) {
  sprint_context *context = document->context;
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *list = NULL;
  if (!sprint__node_child(document->root, "compare")) SPRINT__TRY(single_method(document));
  const struct sprint__node *compare = sprint__node_child(document->root, "compare");
  SPRINT__TRY(sprint__compare_check(context, compare));
  SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_LIST, compare->place, &list));
  for (size_t i = 0; i < compare->n_children * n; i++)
    SPRINT__TRY(add_step(document, compare->children[i / n], step_sizes[i % n], list));
  return put_compare(document, &list);
}
