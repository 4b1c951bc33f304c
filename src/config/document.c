/* Documents: a root map, and the names that its places lend. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "config/node.h"
#include "config/text.h"

static sprint_status fill(struct sprint__document *document, const char *text, size_t size, const char *name) {
  struct sprint__place start = {sprint__arena_strdup(&document->names, name), 1};
  SPRINT__TRY(sprint__arena_status(&document->names));
  SPRINT__TRY(sprint__yaml_parse(document->context, text, size, start, &document->root));
  struct sprint__node *root = document->root;
  if (root->type == SPRINT__NODE_SCALAR && !root->quoted && !root->text[0]) root->type = SPRINT__NODE_MAP;
  if (root->type == SPRINT__NODE_MAP) return SPRINT_OK;
  return sprint__complain(document->context, root->place, "a map of keys was expected, not %s",
                          root->type == SPRINT__NODE_LIST ? "a list" : "a single value");
}

static sprint_status document_new(sprint_context *context, const char *text, size_t size, const char *name,
                                  struct sprint__document **ret_document) {
  SPRINT__SCOPED(sprint__document_free) struct sprint__document *document = sprint__alloc(context, 1, sizeof *document);
  if (!document) return SPRINT_ERROR_MEMORY;
  document->context = document->names.context = context;
  SPRINT__TRY(fill(document, text, size, name));
  *ret_document = sprint__give(&document);
  return SPRINT_OK;
}

/* Reading stops behind the bound on YAML texts, which the parser then complains about. */
sprint_status sprint__document_read(sprint_context *context, const char *path, struct sprint__document **ret_document) {
  enum { ENOUGH = 5 << 20 };
  SPRINT__SCOPED(sprint__free) char *text = NULL;
  size_t size = 0;
  SPRINT__TRY(sprint__file_read(context, path, ENOUGH, &text, &size));
  return document_new(context, text, size, path, ret_document);
}

sprint_status sprint__document_parse(sprint_context *context, const char *text, const char *name,
                                     struct sprint__document **ret_document) {
  return document_new(context, text, strlen(text), name, ret_document);
}

void sprint__document_free(struct sprint__document *document) {
  if (!document) return;
  sprint__node_free(document->root);
  sprint__arena_free(&document->names);
  sprint__free(document);
}

/* A key path, cut at its dots. */
struct route {
  struct sprint__place place; /* of everything that the assignment says */
  char *parts[SPRINT__MAX_DEPTH];
  size_t n;
};

/* Cuts `keys`, of which the parts are then parts. NULL stands for memory that ran out. */
static sprint_status route_cut(sprint_context *context, char *keys, struct route *route) {
  if (!keys) return SPRINT_ERROR_MEMORY;
  for (char *part = keys; part;) {
    if (route->n == SPRINT__MAX_DEPTH)
      return sprint__complain(context, route->place, "the key is nested deeper than %d levels", SPRINT__MAX_DEPTH);
    route->parts[route->n++] = part;
    char *dot = strchr(part, '.');
    if (dot) *dot = '\0';
    if (!*part) return sprint__complain(context, route->place, "the key has an empty part");
    part = dot ? dot + 1 : NULL;
  }
  return SPRINT_OK;
}

/* What the first n parts lead to, "a.b". */
static struct sprint__shown reached(const struct route *route, size_t n) {
  char path[sizeof(struct sprint__shown)] = "";
  size_t used = 0;
  for (size_t i = 0; i < n && used < sizeof path; i++)
    used += (size_t)snprintf(path + used, sizeof path - used, "%s%s", i ? "." : "", route->parts[i]);
  return sprint__show(path);
}

static sprint_status enter_list(sprint_context *context, struct sprint__node *list, const struct route *route, size_t i,
                                struct sprint__node ***ret_slot) {
  const char *part = route->parts[i];
  size_t length = strlen(part), index = 0;
  for (size_t c = 0; c < length && index < list->n_children; c++)
    index = part[c] >= '0' && part[c] <= '9' ? 10 * index + (size_t)(part[c] - '0') : list->n_children;
  if (index >= list->n_children)
    return sprint__complain(context, route->place,
                            "'%s' is a list of %zu, entered by a number from 0, and '%s' is not one of them",
                            reached(route, i).text, list->n_children, sprint__show(part).text);
  *ret_slot = &list->children[index];
  return SPRINT_OK;
}

/* The slot of part i in `node`; NULL where a map does not have it yet. */
static sprint_status enter(sprint_context *context, struct sprint__node *node, const struct route *route, size_t i,
                           struct sprint__node ***ret_slot) {
  if (node->type == SPRINT__NODE_LIST) return enter_list(context, node, route, i, ret_slot);
  if (node->type == SPRINT__NODE_SCALAR)
    return sprint__complain(context, route->place, "'%s' is a single value, so it has no key '%s'",
                            reached(route, i).text, sprint__show(route->parts[i]).text);
  *ret_slot = NULL;
  for (size_t c = 0; c < node->n_children; c++)
    if (strcmp(node->children[c]->key, route->parts[i]) == 0) *ret_slot = &node->children[c];
  return SPRINT_OK;
}

/* Makes of *value what belongs at part `last` of the route: named by the final part, in a map named by the part before
 * it, and so on up to `last`. */
static sprint_status wrap(sprint_context *context, const struct route *route, size_t last,
                          struct sprint__node **value) {
  for (size_t i = route->n;; i--) {
    struct sprint__node *map = NULL;
    (*value)->key = sprint__strdup(context, route->parts[i - 1]);
    if (!(*value)->key) return SPRINT_ERROR_MEMORY;
    if (i - 1 == last) return SPRINT_OK;
    SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_MAP, route->place, &map));
    struct sprint__node *child = *value;
    *value = map;
    SPRINT__TRY(sprint__node_append(context, map, child));
  }
}

/* Puts *value at the end of the route; what is not put stays the caller's. */
static sprint_status lay(sprint_context *context, struct sprint__node *root, const struct route *route,
                         struct sprint__node **value) {
  struct sprint__node *node = root, **slot = NULL;
  size_t i = 0;
  for (;; i++) {
    SPRINT__TRY(enter(context, node, route, i, &slot));
    if (!slot || i + 1 == route->n || sprint__node_is_null(*slot)) break;
    node = *slot;
  }
  SPRINT__TRY(wrap(context, route, i, value));
  struct sprint__node *laid = sprint__give(value);
  if (!slot) return sprint__node_append(context, node, laid);
  if (node->type == SPRINT__NODE_LIST) sprint__free(sprint__give(&laid->key));
  sprint__node_free(*slot);
  *slot = laid;
  return SPRINT_OK;
}

static sprint_status check_assignment(sprint_context *context, const char *assignment, struct sprint__place place) {
  size_t size = strlen(assignment);
  if (!strchr(assignment, '=')) return sprint__complain(context, place, "there is no '='; key.path=value was expected");
  if (sprint__text_check(assignment, size) < size) return sprint__complain(context, place, "is not UTF-8 text");
  return SPRINT_OK;
}

sprint_status sprint__document_set(struct sprint__document *document, const char *assignment) {
  sprint_context *context = document->context;
  char *name = sprint__arena_keep(&document->names, sprint__printf(context, "--set %s", assignment));
  struct route route = {.place = {name, 0}};
  SPRINT__TRY(sprint__arena_status(&document->names));
  SPRINT__TRY(check_assignment(context, assignment, route.place));
  const char *equals = strchr(assignment, '=');
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *value = NULL;
  SPRINT__SCOPED(sprint__free) char *keys = sprint__printf(context, "%.*s", (int)(equals - assignment), assignment);
  SPRINT__TRY(route_cut(context, keys, &route));
  const char *text =
      strcmp(equals + 1, "-") == 0 ? "\"-\"" : equals + 1; /* standard input, and not a list of nothing */
  SPRINT__TRY(sprint__yaml_parse(context, text, strlen(text), route.place, &value));
  return lay(context, document->root, &route, &value);
}

sprint_status sprint__node_lay(sprint_context *context, struct sprint__node *root, const char *path,
                               const struct sprint__node *value) {
  struct route route = {.place = value->place};
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *copy = NULL;
  SPRINT__SCOPED(sprint__free) char *keys = sprint__strdup(context, path);
  SPRINT__TRY(route_cut(context, keys, &route));
  SPRINT__TRY(sprint__node_copy(context, value, &copy));
  sprint__free(sprint__give(&copy->key));
  return lay(context, root, &route, &copy);
}
