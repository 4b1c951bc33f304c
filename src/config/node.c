/* The tree: see node.h. Recursion goes no deeper than the tree, whose depth is bounded where it is made. */
#include "config/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"

sprint_status sprint__complain(sprint_context *context, struct sprint__place place, const char *format, ...) {
  char sentence[sizeof context->error];
  va_list args;
  va_start(args, format);
  sprint__vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  if (!place.file) return sprint_fail(context, SPRINT_ERROR_INPUT, "%s", sentence);
  if (!place.line) return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: %s", place.file, sentence);
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s:%d: %s", place.file, place.line, sentence);
}

sprint_status sprint__node_new(sprint_context *context, enum sprint__node_type type, struct sprint__place place,
                               struct sprint__node **ret_node) {
  struct sprint__node *node = sprint__alloc(context, 1, sizeof *node);
  if (!node) return SPRINT_ERROR_MEMORY;
  node->type = type;
  node->place = place;
  *ret_node = node;
  return SPRINT_OK;
}

void sprint__node_free(struct sprint__node *node) {
  if (!node) return;
  for (size_t i = 0; i < node->n_children; i++) sprint__node_free(node->children[i]);
  sprint__free(node->children);
  sprint__free(node->key);
  sprint__free(node->text);
  sprint__free(node);
}

sprint_status sprint__node_append(sprint_context *context, struct sprint__node *parent, struct sprint__node *child) {
  sprint_status status = sprint__grow(context, (void **)&parent->children, parent->n_children, &parent->n_room,
                                      parent->n_children + 1, sizeof *parent->children);
  if (status == SPRINT_OK)
    parent->children[parent->n_children++] = child;
  else
    sprint__node_free(child);
  return status;
}

/* The children of `base` (NULL: none), each with what `over` lays on it, then those of `over` that are new. */
static sprint_status merge_children(sprint_context *context, const struct sprint__node *base,
                                    const struct sprint__node *over, struct sprint__node *merged) {
  struct sprint__node *child = NULL;
  for (size_t i = 0; base && i < base->n_children; i++) {
    const struct sprint__node *under = base->children[i];
    SPRINT__TRY(sprint__node_merge(context, under, sprint__node_child(over, under->key), &child));
    SPRINT__TRY(sprint__node_append(context, merged, child));
  }
  for (size_t i = 0; i < over->n_children; i++) {
    if (base && sprint__node_child(base, over->children[i]->key)) continue;
    SPRINT__TRY(sprint__node_copy(context, over->children[i], &child));
    SPRINT__TRY(sprint__node_append(context, merged, child));
  }
  return SPRINT_OK;
}

/* A copy of `over` on top of the map `base` (NULL: of nothing). */
static sprint_status copy_over(sprint_context *context, const struct sprint__node *base,
                               const struct sprint__node *over, struct sprint__node **ret_node) {
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *copy = NULL;
  SPRINT__TRY(sprint__node_new(context, over->type, over->place, &copy));
  copy->quoted = over->quoted;
  if (over->key && !(copy->key = sprint__strdup(context, over->key))) return SPRINT_ERROR_MEMORY;
  if (over->text && !(copy->text = sprint__strdup(context, over->text))) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(merge_children(context, base, over, copy));
  *ret_node = sprint__give(&copy);
  return SPRINT_OK;
}

sprint_status sprint__node_copy(sprint_context *context, const struct sprint__node *node,
                                struct sprint__node **ret_node) {
  return copy_over(context, NULL, node, ret_node);
}

sprint_status sprint__node_merge(sprint_context *context, const struct sprint__node *base,
                                 const struct sprint__node *over, struct sprint__node **ret_node) {
  if (!over) return sprint__node_copy(context, base, ret_node);
  bool maps = base && base->type == SPRINT__NODE_MAP && over->type == SPRINT__NODE_MAP;
  return copy_over(context, maps ? base : NULL, over, ret_node);
}

void sprint__node_remove(struct sprint__node *map, const char *key) {
  for (size_t i = 0; i < map->n_children; i++) {
    if (strcmp(map->children[i]->key, key) != 0) continue;
    sprint__node_free(map->children[i]);
    memmove(&map->children[i], &map->children[i + 1], (--map->n_children - i) * sizeof *map->children);
    return;
  }
}

const struct sprint__node *sprint__node_find(const struct sprint__node *map, const char *path) {
  size_t length = strcspn(path, ".");
  for (size_t i = 0; map->type == SPRINT__NODE_MAP && i < map->n_children; i++) {
    const struct sprint__node *child = map->children[i];
    if (strlen(child->key) != length || strncmp(child->key, path, length) != 0) continue;
    return path[length] ? sprint__node_find(child, path + length + 1) : child;
  }
  return NULL;
}

const struct sprint__node *sprint__node_child(const struct sprint__node *map, const char *key) {
  if (map->type != SPRINT__NODE_MAP) return NULL;
  for (size_t i = 0; i < map->n_children; i++)
    if (strcmp(map->children[i]->key, key) == 0) return map->children[i];
  return NULL;
}

bool sprint__node_is_null(const struct sprint__node *node) {
  static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
  if (node->type != SPRINT__NODE_SCALAR || node->quoted) return false;
  for (size_t i = 0; i < SPRINT__COUNT(nulls); i++)
    if (strcmp(node->text, nulls[i]) == 0) return true;
  return false;
}
