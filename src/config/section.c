/* Sections: see section.h. */
#include "config/section.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"
#include "config/value.h"

static bool is_plain(const sprint_family *family) { return family->n_kinds == 1 && !family->kinds[0]->name[0]; }

/* Parameter i of the section: the family's come first, then the kind's. */
static const sprint_param *param_at(const struct sprint__section *section, size_t i) {
  size_t n = section->family->n_params;
  return i < n ? &section->family->params[i] : &section->kind->params[i - n];
}

static size_t n_params(const struct sprint__section *section) {
  return section->family->n_params + section->kind->n_params;
}

/* A place whose file name the section owns, so that the document need not outlive it. */
static struct sprint__place own_place(struct sprint__section *section, struct sprint__place place) {
  const char *own = section->place.file;
  if (place.file && own && strcmp(own, place.file) == 0)
    place.file = own;
  else if (place.file)
    place.file = sprint__arena_strdup(&section->arena, place.file);
  return place;
}

/* The node, which stands for the section (key "") or for its kind, is of the wrong type. */
static sprint_status refuse_form(const struct sprint__section *section, const struct sprint__node *node,
                                 const char *key) {
  bool plain = is_plain(section->family), scalar = node->type == SPRINT__NODE_SCALAR;
  char wanted[160] = "a map";
  if (!plain) snprintf(wanted, sizeof wanted, "a kind of %.99s%s", section->family->key, *key ? "" : " or a map");
  SPRINT__SCOPED(sprint__free) char *subject = sprint__subject(section, key);
  if (!subject) return SPRINT_ERROR_MEMORY;
  if (sprint__node_is_null(node))
    return sprint__complain(section->context, node->place, "%s has no value; %s was expected", subject, wanted);
  if (scalar)
    return sprint__complain(section->context, node->place, "%s: '%s' is a single value; %s was expected", subject,
                            sprint__show(node->text).text, wanted);
  return sprint__complain(section->context, node->place, "%s is a %s; %s was expected", subject,
                          node->type == SPRINT__NODE_MAP ? "map" : "list", wanted);
}

static sprint_status refuse_kind(const struct sprint__section *section, const struct sprint__node *said,
                                 const char *key) {
  SPRINT__SCRATCH(room, section->context);
  size_t n = 0;
  const char **names = sprint__kind_names(&room, section->family, &n);
  char *what = sprint__arena_keep(&room, sprint__printf(section->context, "a kind of %s", section->family->key));
  SPRINT__TRY(sprint__arena_status(&room));
  return sprint__complain_name(section, key, said, what, names, n);
}

/* "section 'data': " or, at the root, nothing. */
static sprint_status refuse_missing(const struct sprint__section *section, const char *key, const char *why) {
  bool root = !section->path[0];
  return sprint__complain(section->context, section->place, "%s%s%skey '%s' is required%s%s%s", root ? "" : "section '",
                          section->path, root ? "" : "': ", key, why && *why ? " (" : "", why ? why : "",
                          why && *why ? ")" : "");
}

static sprint_status refuse_no_kind(const struct sprint__section *section) {
  SPRINT__SCRATCH(room, section->context);
  size_t n = 0;
  const char **names = sprint__kind_names(&room, section->family, &n);
  char *all = names ? sprint__names_join(section->context, names, n, ", ") : NULL;
  char *why = sprint__arena_keep(&room, all) ? sprint__printf(section->context, "one of %s", all) : NULL;
  return sprint__arena_keep(&room, why) ? refuse_missing(section, "kind", why) : SPRINT_ERROR_MEMORY;
}

static sprint_status choose_kind(struct sprint__section *section, const struct sprint__node *node) {
  const sprint_family *family = section->family;
  bool plain = is_plain(family), map = node && node->type == SPRINT__NODE_MAP;
  if (node && !map && (plain || node->type == SPRINT__NODE_LIST || sprint__node_is_null(node)))
    return refuse_form(section, node, "");
  const struct sprint__node *said = plain ? NULL : map ? sprint__node_child(node, "kind") : node;
  const char *key = map ? "kind" : "";
  if (said && (said->type != SPRINT__NODE_SCALAR || sprint__node_is_null(said))) return refuse_form(section, said, key);
  if (!said && !plain && !family->standard) return refuse_no_kind(section);
  section->kind =
      plain ? family->kinds[0] : sprint__kind_find(section->context, family, said ? said->text : family->standard);
  if (section->kind) return SPRINT_OK;
  assert(said && "a default kind that the family does not have");
  return refuse_kind(section, said, key);
}

static sprint_status refuse_key(const struct sprint__section *section, const struct sprint__node *child,
                                const char *const *names, size_t n) {
  const char *near = sprint__nearest(child->key, names, n);
  SPRINT__SCOPED(sprint__free)
  char *all = near ? sprint__printf(section->context, "did you mean '%s'?", near)
                   : sprint__names_join(section->context, names, n, ", ");
  if (!all) return SPRINT_ERROR_MEMORY;
  return sprint__complain(section->context, child->place, "unknown key '%s%s%s'; %s%s", section->path,
                          sprint__dot(section), sprint__show(child->key).text,
                          near ? ""
                          : n  ? "the keys here are "
                               : "there are no keys here",
                          all);
}

static bool has_name(const char *const *names, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static sprint_status check_keys(const struct sprint__section *section, const struct sprint__node *node) {
  if (!node || node->type != SPRINT__NODE_MAP) return SPRINT_OK;
  SPRINT__SCOPED(sprint__free)
  const char **names = sprint__alloc(section->context, n_params(section) + 1, sizeof *names);
  if (!names) return SPRINT_ERROR_MEMORY;
  size_t n = 0;
  if (!is_plain(section->family)) names[n++] = "kind";
  for (size_t i = 0; i < n_params(section); i++) names[n++] = param_at(section, i)->name;
  for (size_t i = 0; i < node->n_children; i++)
    if (!has_name(names, n, node->children[i]->key)) return refuse_key(section, node->children[i], names, n);
  return SPRINT_OK;
}

static sprint_status read_nested(const struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node, struct sprint__value *value) {
  SPRINT__SCOPED(sprint__free)
  char *path = sprint__printf(section->context, "%s%s%s", section->path, sprint__dot(section), param->name);
  if (!path) return SPRINT_ERROR_MEMORY;
  return sprint__section_read(section->context, param->family, node, path, &value->section);
}

/* A default of a nested section may itself leave a required key open, which is the user's to fill. */
static sprint_status default_nested(const struct sprint__section *section, const sprint_param *param,
                                    struct sprint__value *value) {
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *node = NULL;
  /* what is not in a config has no line there */
  struct sprint__place place = {section->place.file, section->path[0] ? section->place.line : 0};
  bool plain = is_plain(param->family);
  if (!plain && !param->standard[0]) return SPRINT_OK;
  const char *text = plain ? "{}" : param->standard;
  SPRINT__TRY(sprint__yaml_parse(section->context, text, strlen(text), place, &node));
  return read_nested(section, param, node, value);
}

static sprint_status read_value(struct sprint__section *section, const sprint_param *param,
                                const struct sprint__node *node, struct sprint__value *value) {
  bool nested = param->type == SPRINT_PARAM_KIND;
  value->param = param;
  value->given = node != NULL;
  value->place = own_place(section, node ? node->place : section->place);
  SPRINT__TRY(sprint__arena_status(&section->arena));
  if (param->type == SPRINT_PARAM_MAPS || param->type == SPRINT_PARAM_MAP)
    return SPRINT_OK; /* whoever owns the key reads it from the node */
  if (node) return nested ? read_nested(section, param, node, value) : sprint__value_read(section, param, node, value);
  if (!param->standard) return refuse_missing(section, param->name, param->help);
  return nested ? default_nested(section, param, value) : sprint__value_default(section, param, value);
}

static sprint_status fill(struct sprint__section *section, const struct sprint__node *node, const char *path) {
  section->path = sprint__arena_strdup(&section->arena, path);
  if (node) section->place = own_place(section, node->place);
  SPRINT__TRY(sprint__arena_status(&section->arena));
  SPRINT__TRY(choose_kind(section, node));
  SPRINT__TRY(check_keys(section, node));
  section->values = sprint__arena_take(&section->arena, n_params(section), sizeof *section->values);
  SPRINT__TRY(sprint__arena_status(&section->arena));
  section->n_values = n_params(section);
  for (size_t i = 0; i < section->n_values; i++) {
    const sprint_param *param = param_at(section, i);
    SPRINT__TRY(read_value(section, param, node ? sprint__node_child(node, param->name) : NULL, &section->values[i]));
  }
  return SPRINT_OK;
}

sprint_status sprint__section_read(sprint_context *context, const sprint_family *family,
                                   const struct sprint__node *node, const char *path,
                                   struct sprint__section **ret_section) {
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = sprint__alloc(context, 1, sizeof *section);
  if (!section) return SPRINT_ERROR_MEMORY;
  section->context = section->arena.context = context;
  section->family = family;
  SPRINT__TRY(fill(section, node, path));
  *ret_section = sprint__give(&section);
  return SPRINT_OK;
}

sprint_status sprint__section_parse(sprint_context *context, const sprint_family *family, const char *text,
                                    const char *name, struct sprint__section **ret_section) {
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *node = NULL;
  if (text) SPRINT__TRY(sprint__yaml_parse(context, text, strlen(text), (struct sprint__place){name, 1}, &node));
  bool empty = node && node->type == SPRINT__NODE_SCALAR && !node->quoted && !node->text[0];
  return sprint__section_read(context, family, empty ? NULL : node, family->key ? family->key : "", ret_section);
}

void sprint__section_free(struct sprint__section *section) {
  if (!section) return;
  for (size_t i = 0; i < section->n_values; i++) sprint__section_free(section->values[i].section);
  sprint__arena_free(&section->arena);
  sprint__free(section);
}
