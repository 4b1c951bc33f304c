/* YAML to tree, over libyaml's events rather than its documents: events come one at a time, with a line each, so depth
 * and size are bounded while reading, and aliases are copied here, where what they cost is counted. */
#include <string.h>
#include <yaml.h>

#include "config/node.h"
#include "config/text.h"

enum {
  MAX_BYTES = 4 << 20, /* of a text, and of what aliases copy */
  MAX_NODES = 100000,
  MAX_KEYS = 1000,    /* of a map: each is compared with all before it */
  MAX_ANCHORS = 1000, /* each alias is compared with all of them */
  MAX_KEY = 128,      /* bytes; YAML's own bound on a key is 1024 characters, escapes and all */
};

struct anchor {
  char *name;
  const struct sprint__node *node;
};

struct builder {
  sprint_context *context;
  struct sprint__place start;
  struct sprint__node *root;                           /* owns all nodes below */
  struct sprint__node *open[SPRINT__MAX_DEPTH];        /* maps and lists around the next event, outermost first */
  const struct sprint__node *merge[SPRINT__MAX_DEPTH]; /* of an open map, what its << names */
  size_t depth;                                        /* of open */
  char *key;                                           /* of the value that comes next, or NULL */
  struct sprint__place place;                          /* of the newest key or value */
  size_t n_nodes, n_copied, n_documents;
  struct anchor *anchors;
  size_t n_anchors, n_anchors_room;
};

static void builder_clear(struct builder *builder) {
  sprint__node_free(builder->root);
  sprint__free(builder->key);
  for (size_t i = 0; i < builder->n_anchors; i++) sprint__free(builder->anchors[i].name);
  sprint__free(builder->anchors);
}

static struct sprint__node *innermost(const struct builder *builder) {
  return builder->depth ? builder->open[builder->depth - 1] : NULL;
}

static bool wants_key(const struct builder *builder) {
  return builder->depth && innermost(builder)->type == SPRINT__NODE_MAP && !builder->key;
}

/* A value of a map is placed at its key, which is what a reader looks for. */
static void move_place(struct builder *builder, const yaml_event_t *event) {
  if (!builder->key && builder->start.line) builder->place.line = builder->start.line + (int)event->start_mark.line;
}

static sprint_status complain_byte(sprint_context *context, struct sprint__place place, char byte) {
  if (byte == '\0') return sprint__complain(context, place, "a NUL byte is not text");
  return sprint__complain(context, place, "the byte 0x%02x is not UTF-8 text", (unsigned)(unsigned char)byte);
}

/* A scalar's text, copied. An escape such as "\0" may have made it something other than text. */
static sprint_status copy_scalar(struct builder *builder, const yaml_event_t *event, char **ret_text) {
  const char *text = (const char *)event->data.scalar.value;
  size_t size = event->data.scalar.length, good = sprint__text_check(text, size);
  if (good < size) return complain_byte(builder->context, builder->place, text[good]);
  *ret_text = sprint__strdup(builder->context, text);
  return *ret_text ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

/* The anchor and tag of a value; NULL: none. */
static const char *anchor_of(const yaml_event_t *event) {
  return (const char *)(event->type == YAML_SCALAR_EVENT          ? event->data.scalar.anchor
                        : event->type == YAML_MAPPING_START_EVENT ? event->data.mapping_start.anchor
                                                                  : event->data.sequence_start.anchor);
}

static bool has_tag(const yaml_event_t *event) {
  return event->type == YAML_SCALAR_EVENT          ? event->data.scalar.tag
         : event->type == YAML_MAPPING_START_EVENT ? event->data.mapping_start.tag
                                                   : event->data.sequence_start.tag;
}

static sprint_status count_nodes(struct builder *builder, size_t n) {
  builder->n_nodes += n;
  if (builder->n_nodes <= MAX_NODES) return SPRINT_OK;
  return sprint__complain(builder->context, builder->place, "the config has more than %d values", MAX_NODES);
}

static sprint_status remember_anchor(struct builder *builder, const yaml_event_t *event,
                                     const struct sprint__node *node) {
  const char *name = anchor_of(event);
  if (!name) return SPRINT_OK;
  if (builder->n_anchors == MAX_ANCHORS)
    return sprint__complain(builder->context, builder->place, "there are more than %d anchors", MAX_ANCHORS);
  SPRINT__TRY(sprint__grow(builder->context, (void **)&builder->anchors, builder->n_anchors, &builder->n_anchors_room,
                           builder->n_anchors + 1, sizeof *builder->anchors));
  struct anchor *anchor = &builder->anchors[builder->n_anchors];
  anchor->node = node;
  anchor->name = sprint__strdup(builder->context, name);
  if (!anchor->name) return SPRINT_ERROR_MEMORY;
  builder->n_anchors++;
  return SPRINT_OK;
}

/* Puts the node, which it takes over, where the next value belongs. */
static sprint_status attach(struct builder *builder, struct sprint__node *node) {
  struct sprint__node *parent = innermost(builder);
  sprint__free(node->key); /* of a copy that an alias made */
  node->key = sprint__give(&builder->key);
  if (parent) return sprint__node_append(builder->context, parent, node);
  builder->root = node;
  return SPRINT_OK;
}

static sprint_status add_node(struct builder *builder, const yaml_event_t *event, enum sprint__node_type type,
                              struct sprint__node **ret_node) {
  struct sprint__node *node = NULL;
  if (has_tag(event))
    return sprint__complain(builder->context, builder->place, "tags (such as !!str) are not supported");
  SPRINT__TRY(count_nodes(builder, 1));
  SPRINT__TRY(sprint__node_new(builder->context, type, builder->place, &node));
  SPRINT__TRY(attach(builder, node));
  SPRINT__TRY(remember_anchor(builder, event, node));
  *ret_node = node;
  return SPRINT_OK;
}

static sprint_status on_key(struct builder *builder, const yaml_event_t *event) {
  const struct sprint__node *map = innermost(builder);
  SPRINT__TRY(copy_scalar(builder, event, &builder->key));
  const char *key = builder->key;
  if (strlen(key) > MAX_KEY)
    return sprint__complain(builder->context, builder->place, "the key '%s' is longer than %d bytes",
                            sprint__show(key).text, MAX_KEY);
  if (map->n_children >= MAX_KEYS)
    return sprint__complain(builder->context, builder->place, "the map has more than %d keys", MAX_KEYS);
  if (sprint__node_child(map, key))
    return sprint__complain(builder->context, builder->place, "the key '%s' is given twice", sprint__show(key).text);
  return SPRINT_OK;
}

static sprint_status complain_merge(struct builder *builder) {
  return sprint__complain(builder->context, builder->place,
                          "'<<' takes the alias of one map, as in '<<: *name', and only once in a map");
}

static bool has_merge_key(const struct builder *builder) { return builder->key && strcmp(builder->key, "<<") == 0; }

static sprint_status on_scalar(struct builder *builder, const yaml_event_t *event) {
  struct sprint__node *node = NULL;
  if (wants_key(builder)) return on_key(builder, event);
  if (has_merge_key(builder)) return complain_merge(builder);
  SPRINT__SCOPED(sprint__free) char *text = NULL;
  SPRINT__TRY(copy_scalar(builder, event, &text));
  SPRINT__TRY(add_node(builder, event, SPRINT__NODE_SCALAR, &node));
  node->text = sprint__give(&text);
  node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  return SPRINT_OK;
}

static sprint_status on_open(struct builder *builder, const yaml_event_t *event, enum sprint__node_type type) {
  struct sprint__node *node = NULL;
  if (wants_key(builder))
    return sprint__complain(builder->context, builder->place, "a key must be a plain text, not a map or list");
  if (has_merge_key(builder)) return complain_merge(builder);
  if (builder->depth == SPRINT__MAX_DEPTH)
    return sprint__complain(builder->context, builder->place, "the config is nested deeper than %d levels",
                            SPRINT__MAX_DEPTH);
  SPRINT__TRY(add_node(builder, event, type, &node));
  builder->merge[builder->depth] = NULL;
  builder->open[builder->depth++] = node;
  return SPRINT_OK;
}

/* What a subtree would add to the tree when copied. */
struct extent {
  size_t n_nodes, n_bytes, depth;
};

static void measure(const struct sprint__node *node, size_t depth, struct extent *extent) {
  extent->n_nodes++;
  extent->n_bytes += (node->key ? strlen(node->key) : 0) + (node->text ? strlen(node->text) : 0);
  if (node->type != SPRINT__NODE_SCALAR && depth > extent->depth) extent->depth = depth;
  for (size_t i = 0; i < node->n_children; i++) measure(node->children[i], depth + 1, extent);
}

static sprint_status allow_copy(struct builder *builder, const struct sprint__node *node) {
  struct extent extent = {0, 0, 0};
  measure(node, 1, &extent);
  builder->n_copied += extent.n_bytes;
  if (builder->n_copied > MAX_BYTES)
    return sprint__complain(builder->context, builder->place, "aliases copy more than %d MiB", MAX_BYTES >> 20);
  if (builder->depth + extent.depth > SPRINT__MAX_DEPTH)
    return sprint__complain(builder->context, builder->place, "the config is nested deeper than %d levels",
                            SPRINT__MAX_DEPTH);
  return count_nodes(builder, extent.n_nodes);
}

/* The node of an alias: the newest anchor of that name, unless the alias stands inside of it. */
static sprint_status find_anchor(struct builder *builder, const char *name, const struct sprint__node **ret_node) {
  size_t i = builder->n_anchors;
  while (i > 0 && strcmp(builder->anchors[i - 1].name, name) != 0) i--;
  if (i == 0)
    return sprint__complain(builder->context, builder->place, "the alias '*%s' has no anchor '&%s' before it",
                            sprint__show(name).text, sprint__show(name).text);
  const struct sprint__node *node = builder->anchors[i - 1].node;
  for (size_t level = 0; level < builder->depth; level++)
    if (builder->open[level] == node)
      return sprint__complain(builder->context, builder->place, "the alias '*%s' contains itself",
                              sprint__show(name).text);
  *ret_node = node;
  return SPRINT_OK;
}

static sprint_status use_merge_key(struct builder *builder, const struct sprint__node *node) {
  const struct sprint__node **merge = &builder->merge[builder->depth - 1];
  if (*merge || node->type != SPRINT__NODE_MAP) return complain_merge(builder);
  *merge = node;
  sprint__free(sprint__give(&builder->key));
  return SPRINT_OK;
}

static sprint_status on_alias(struct builder *builder, const yaml_event_t *event) {
  const struct sprint__node *node = NULL;
  struct sprint__node *copy = NULL;
  if (wants_key(builder))
    return sprint__complain(builder->context, builder->place, "a key must be a plain text, not an alias");
  SPRINT__TRY(find_anchor(builder, (const char *)event->data.alias.anchor, &node));
  if (has_merge_key(builder)) return use_merge_key(builder, node);
  SPRINT__TRY(allow_copy(builder, node));
  SPRINT__TRY(sprint__node_copy(builder->context, node, &copy));
  copy->place = builder->place;
  return attach(builder, copy);
}

/* Closes a map: its own keys are all there, so << adds those that are still missing. */
static sprint_status on_map_end(struct builder *builder) {
  struct sprint__node *map = innermost(builder);
  const struct sprint__node *merge = builder->merge[builder->depth - 1];
  builder->depth--;
  for (size_t i = 0; merge && i < merge->n_children; i++) {
    struct sprint__node *copy = NULL;
    if (sprint__node_child(map, merge->children[i]->key)) continue;
    SPRINT__TRY(allow_copy(builder, merge->children[i]));
    SPRINT__TRY(sprint__node_copy(builder->context, merge->children[i], &copy));
    SPRINT__TRY(sprint__node_append(builder->context, map, copy));
  }
  return SPRINT_OK;
}

static sprint_status on_event(struct builder *builder, const yaml_event_t *event) {
  move_place(builder, event);
  switch (event->type) {
    case YAML_SCALAR_EVENT:
      return on_scalar(builder, event);
    case YAML_MAPPING_START_EVENT:
      return on_open(builder, event, SPRINT__NODE_MAP);
    case YAML_SEQUENCE_START_EVENT:
      return on_open(builder, event, SPRINT__NODE_LIST);
    case YAML_MAPPING_END_EVENT:
      return on_map_end(builder);
    case YAML_SEQUENCE_END_EVENT:
      builder->depth--;
      return SPRINT_OK;
    case YAML_ALIAS_EVENT:
      return on_alias(builder, event);
    case YAML_DOCUMENT_START_EVENT:
      if (builder->n_documents++ == 0) return SPRINT_OK;
      return sprint__complain(builder->context, builder->place, "a second document starts here; one was expected");
    default:
      return SPRINT_OK;
  }
}

static int last_line(const char *text, size_t size) {
  int line = 1;
  for (size_t i = 0; i + 1 < size; i++) line += text[i] == '\n';
  return line;
}

/* The end of the text may be a line of its own to libyaml. */
static sprint_status complain_syntax(struct builder *builder, const yaml_parser_t *parser, int n_lines) {
  struct sprint__place place = builder->place;
  if (parser->error == YAML_MEMORY_ERROR) return sprint_fail(builder->context, SPRINT_ERROR_MEMORY, "out of memory");
  int line = parser->error == YAML_READER_ERROR ? (int)parser->mark.line : (int)parser->problem_mark.line;
  if (builder->start.line) place.line = builder->start.line + (line < n_lines ? line : n_lines - 1);
  const char *problem = parser->problem ? parser->problem : "it cannot be read";
  bool dash = strstr(problem, "block sequence entries") != NULL;
  return sprint__complain(builder->context, place, "the YAML is malformed: %s%s", problem,
                          dash ? " (a '-' that is a value of its own is quoted)" : "");
}

/* The text as a scalar by itself. */
static sprint_status add_text(struct builder *builder, const char *text) {
  SPRINT__TRY(sprint__node_new(builder->context, SPRINT__NODE_SCALAR, builder->start, &builder->root));
  builder->root->text = sprint__strdup(builder->context, text);
  return builder->root->text ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static sprint_status build(struct builder *builder, yaml_parser_t *parser, int n_lines) {
  for (bool done = false; !done;) {
    yaml_event_t event;
    if (!yaml_parser_parse(parser, &event)) return complain_syntax(builder, parser, n_lines);
    done = event.type == YAML_STREAM_END_EVENT;
    sprint_status status = on_event(builder, &event);
    yaml_event_delete(&event);
    SPRINT__TRY(status);
  }
  return builder->root ? SPRINT_OK : add_text(builder, "");
}

static sprint_status check_bytes(sprint_context *context, const char *text, size_t size, struct sprint__place start) {
  if (size > MAX_BYTES)
    return sprint__complain(context, (struct sprint__place){start.file, 0}, "is larger than %d MiB", MAX_BYTES >> 20);
  size_t good = sprint__text_check(text, size);
  if (good == size) return SPRINT_OK;
  for (size_t i = 0; i < good && start.line; i++) start.line += text[i] == '\n';
  return complain_byte(context, start, text[good]);
}

sprint_status sprint__yaml_parse(sprint_context *context, const char *text, size_t size, struct sprint__place start,
                                 struct sprint__node **ret_node) {
  yaml_parser_t parser;
  SPRINT__TRY(check_bytes(context, text, size, start));
  if (!yaml_parser_initialize(&parser))
    return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory: no YAML reader");
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
  SPRINT__CLEARED(builder_clear) struct builder builder = {.context = context, .start = start, .place = start};
  bool minus = size == 1 && *text == '-'; /* to YAML, a list with nothing in it, which is of no use to anybody */
  sprint_status status = minus ? add_text(&builder, "-") : build(&builder, &parser, last_line(text, size));
  if (status == SPRINT_OK) *ret_node = sprint__give(&builder.root);
  yaml_parser_delete(&parser);
  return status;
}
