/* A YAML document as a plain tree in which every node knows its place. */
#ifndef SPRINT_CONFIG_NODE_H
#define SPRINT_CONFIG_NODE_H

#include "base/arena.h"

/* Where something was said. file: a path, or "--set" and the like; lent by the document. line 0: none. */
struct sprint__place {
  const char *file;
  int line;
};

/* Fails with SPRINT_ERROR_INPUT, "FILE:LINE: " as far as the place knows them, and the sentence. */
sprint_status sprint__complain(sprint_context *context, struct sprint__place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { SPRINT__MAX_DEPTH = 32 }; /* of what is read; a tree may grow to twice that by sprint__document_set */

enum sprint__node_type { SPRINT__NODE_SCALAR, SPRINT__NODE_MAP, SPRINT__NODE_LIST };

struct sprint__node {
  enum sprint__node_type type;
  struct sprint__place place;
  char *key;   /* of a map's child, else NULL */
  char *text;  /* of a scalar */
  bool quoted; /* a quoted scalar: never null, a number or a bool */
  size_t n_children, n_room;
  struct sprint__node **children;
};

struct sprint__document {
  sprint_context *context;
  struct sprint__node *root;
  struct sprint__arena names; /* owns those in places */
};

/* Of a file, or of a text that goes by `name`; one map, empty where nothing is said. */
sprint_status sprint__document_read(sprint_context *context, const char *path, struct sprint__document **ret_document);
sprint_status sprint__document_parse(sprint_context *context, const char *text, const char *name,
                                     struct sprint__document **ret_document);
void sprint__document_free(struct sprint__document *document);
SPRINT__FREE_AT(sprint__document_free, struct sprint__document)

/* Lays `key.path=value` over the tree: value is YAML and replaces what was there. Missing maps on the way are made; a
 * list is entered by number, from 0. The tree is unchanged on failure. */
sprint_status sprint__document_set(struct sprint__document *document, const char *assignment);

/* The same with a copy of `value`, which keeps its own place, at a key path of the map `root`. */
sprint_status sprint__node_lay(sprint_context *context, struct sprint__node *root, const char *path,
                               const struct sprint__node *value);

/* One YAML value of any shape; nothing at all is an empty scalar. `start` is the place of the text's first line: its
 * file is lent to every node, its line 0 leaves all of them without a line. */
sprint_status sprint__yaml_parse(sprint_context *context, const char *text, size_t size, struct sprint__place start,
                                 struct sprint__node **ret_node);

/* Building. A child's key is set before it is appended; append takes the child over even when it fails. */
sprint_status sprint__node_new(sprint_context *context, enum sprint__node_type type, struct sprint__place place,
                               struct sprint__node **ret_node);
sprint_status sprint__node_append(sprint_context *context, struct sprint__node *parent, struct sprint__node *child);
sprint_status sprint__node_copy(sprint_context *context, const struct sprint__node *node,
                                struct sprint__node **ret_node);

/* Lays the map `over` on top of `base`: maps merge, all else replaces. Both are copied; either may be NULL, not both.
 * The names in places stay lent by the documents of the two. */
sprint_status sprint__node_merge(sprint_context *context, const struct sprint__node *base,
                                 const struct sprint__node *over, struct sprint__node **ret_node);
void sprint__node_free(struct sprint__node *node);
SPRINT__FREE_AT(sprint__node_free, struct sprint__node)
void sprint__node_remove(struct sprint__node *map, const char *key); /* its child of that key, if it has one */
const struct sprint__node *sprint__node_child(const struct sprint__node *map, const char *key); /* NULL: none */
const struct sprint__node *sprint__node_find(const struct sprint__node *map, const char *path); /* by its dotted path */
bool sprint__node_is_null(const struct sprint__node *node);                                     /* ~, null, nothing */

/* The tree on one line, as JSON, which is YAML too: reading it gives the same tree. For the sidecar. Yours to free. */
char *sprint__node_print(sprint_context *context, const struct sprint__node *node);

#endif
