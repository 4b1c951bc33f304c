/* YAML to tree, over libfyaml's events rather than its documents: events come one at a time, with a line each, so depth
 * and size are bounded while reading, and aliases are copied here, where what they cost is counted. */
#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

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
  struct sprint__shown said; /* what libfyaml would have printed first */
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
static void move_place(struct builder *builder, struct fy_event *event) {
  const struct fy_mark *mark = fy_event_start_mark(event);
  if (mark && !builder->key && builder->start.line) builder->place.line = builder->start.line + mark->line;
}

static sprint_status complain_byte(sprint_context *context, struct sprint__place place, char byte) {
  if (byte == '\0') return sprint__complain(context, place, "a NUL byte is not text");
  return sprint__complain(context, place, "the byte 0x%02x is not UTF-8 text", (unsigned)(unsigned char)byte);
}

/* A token's text, copied. An escape such as "\0" may have made it something other than text. */
static sprint_status copy_token(struct builder *builder, struct fy_token *token, char **ret_text) {
  size_t size = 0;
  const char *text = token ? fy_token_get_text(token, &size) : NULL;
  if (!text) size = 0;
  size_t good = sprint__text_check(text, size);
  if (good < size) return complain_byte(builder->context, builder->place, text[good]);
  char *copy = sprint__alloc(builder->context, size + 1, 1);
  if (!copy) return SPRINT_ERROR_MEMORY;
  if (size) memcpy(copy, text, size);
  *ret_text = copy;
  return SPRINT_OK;
}

static sprint_status count_nodes(struct builder *builder, size_t n) {
  builder->n_nodes += n;
  if (builder->n_nodes <= MAX_NODES) return SPRINT_OK;
  return sprint__complain(builder->context, builder->place, "the config has more than %d values", MAX_NODES);
}

static sprint_status remember_anchor(struct builder *builder, struct fy_event *event, const struct sprint__node *node) {
  struct fy_token *token = fy_event_get_anchor_token(event);
  if (!token) return SPRINT_OK;
  if (builder->n_anchors == MAX_ANCHORS)
    return sprint__complain(builder->context, builder->place, "there are more than %d anchors", MAX_ANCHORS);
  void *anchors = builder->anchors;
  SPRINT__TRY(sprint__grow(builder->context, &anchors, builder->n_anchors, &builder->n_anchors_room,
                           builder->n_anchors + 1, sizeof *builder->anchors));
  builder->anchors = anchors;
  struct anchor *anchor = &builder->anchors[builder->n_anchors];
  anchor->node = node;
  SPRINT__TRY(copy_token(builder, token, &anchor->name));
  builder->n_anchors++;
  return SPRINT_OK;
}

/* Puts the node, which it takes over, where the next value belongs. */
static sprint_status attach(struct builder *builder, struct sprint__node *node) {
  struct sprint__node *parent = innermost(builder);
  sprint__free(node->key); /* of a copy that an alias made */
  node->key = builder->key;
  builder->key = NULL;
  if (parent) return sprint__node_append(builder->context, parent, node);
  builder->root = node;
  return SPRINT_OK;
}

static sprint_status add_node(struct builder *builder, struct fy_event *event, enum sprint__node_type type,
                              struct sprint__node **ret_node) {
  struct sprint__node *node = NULL;
  if (fy_event_get_tag_token(event))
    return sprint__complain(builder->context, builder->place, "tags (such as !!str) are not supported");
  SPRINT__TRY(count_nodes(builder, 1));
  SPRINT__TRY(sprint__node_new(builder->context, type, builder->place, &node));
  SPRINT__TRY(attach(builder, node));
  SPRINT__TRY(remember_anchor(builder, event, node));
  *ret_node = node;
  return SPRINT_OK;
}

static sprint_status on_key(struct builder *builder, struct fy_event *event) {
  const struct sprint__node *map = innermost(builder);
  char *key = NULL;
  SPRINT__TRY(copy_token(builder, fy_event_get_token(event), &key));
  builder->key = key;
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

static sprint_status on_scalar(struct builder *builder, struct fy_event *event) {
  struct sprint__node *node = NULL;
  if (wants_key(builder)) return on_key(builder, event);
  if (has_merge_key(builder)) return complain_merge(builder);
  struct fy_token *token = fy_event_get_token(event);
  char *text = NULL;
  SPRINT__TRY(copy_token(builder, token, &text));
  sprint_status status = add_node(builder, event, SPRINT__NODE_SCALAR, &node);
  if (status != SPRINT_OK) {
    sprint__free(text);
    return status;
  }
  node->text = text;
  node->quoted = token && fy_token_scalar_style(token) != FYSS_PLAIN;
  return SPRINT_OK;
}

static sprint_status on_open(struct builder *builder, struct fy_event *event, enum sprint__node_type type) {
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
  sprint__free(builder->key);
  builder->key = NULL;
  return SPRINT_OK;
}

static sprint_status on_alias(struct builder *builder, struct fy_event *event) {
  const struct sprint__node *node = NULL;
  struct sprint__node *copy = NULL;
  char *name = NULL;
  if (wants_key(builder))
    return sprint__complain(builder->context, builder->place, "a key must be a plain text, not an alias");
  SPRINT__TRY(copy_token(builder, fy_event_get_token(event), &name));
  sprint_status status = find_anchor(builder, name, &node);
  sprint__free(name);
  SPRINT__TRY(status);
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

static sprint_status on_event(struct builder *builder, struct fy_event *event) {
  move_place(builder, event);
  switch (event->type) {
    case FYET_SCALAR:
      return on_scalar(builder, event);
    case FYET_MAPPING_START:
      return on_open(builder, event, SPRINT__NODE_MAP);
    case FYET_SEQUENCE_START:
      return on_open(builder, event, SPRINT__NODE_LIST);
    case FYET_MAPPING_END:
      return on_map_end(builder);
    case FYET_SEQUENCE_END:
      builder->depth--;
      return SPRINT_OK;
    case FYET_ALIAS:
      return on_alias(builder, event);
    case FYET_DOCUMENT_START:
      if (builder->n_documents++ == 0) return SPRINT_OK;
      return sprint__complain(builder->context, builder->place, "a second document starts here; one was expected");
    default:
      return SPRINT_OK;
  }
}

/* Complaints that have no token are printed instead of collected, unless there is somebody else to hear them. */
static void hear(struct fy_diag *diag, void *user, const char *bytes, size_t n) {
  struct builder *builder = user;
  char line[sizeof builder->said.text];
  (void)diag;
  if (builder->said.text[0]) return;
  while (n > 0 && bytes[n - 1] == '\n') n--;
  snprintf(line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line), bytes);
  builder->said = sprint__show(line);
}

static int last_line(const char *text, size_t size) {
  int line = 1;
  for (size_t i = 0; i + 1 < size; i++) line += text[i] == '\n';
  return line;
}

/* libfyaml's first complaint is the cause, the others follow from it. Its lines count from 1, and the end of the text
 * may be a line of its own. */
static sprint_status complain_syntax(struct builder *builder, struct fy_diag *diag, int n_lines) {
  void *at = NULL;
  const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &at);
  struct sprint__place place = builder->place;
  if (error && error->line > 0 && builder->start.line)
    place.line = builder->start.line - 1 + (error->line < n_lines ? error->line : n_lines);
  if (error && error->msg) builder->said = sprint__show(error->msg);
  return sprint__complain(builder->context, place, "the YAML is malformed: %s",
                          builder->said.text[0] ? builder->said.text : "it cannot be read");
}

static sprint_status build(struct builder *builder, struct fy_parser *parser) {
  struct fy_event *event;
  while ((event = fy_parser_parse(parser))) {
    sprint_status status = on_event(builder, event);
    fy_parser_event_free(parser, event);
    SPRINT__TRY(status);
  }
  if (builder->root) return SPRINT_OK;
  SPRINT__TRY(sprint__node_new(builder->context, SPRINT__NODE_SCALAR, builder->start, &builder->root));
  builder->root->text = sprint__strdup(builder->context, "");
  return builder->root->text ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static bool is_one_of(char c, const char *set) { return c && strchr(set, c); }

/* What no config needs and libfyaml 0.7.12 cannot take: directives (it may read them for hours), keys set off by ? (it
 * crashes where a tab and a block text follow) and long runs of single quotes (it leaks). */
static sprint_status check_hazards(sprint_context *context, const char *text, size_t size, struct sprint__place start) {
  size_t first = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark may come first */
  size_t n_quotes = 0;
  bool fresh = true, leading = true;
  const char *hazard = NULL;
  for (size_t i = first; i < size && !hazard; i++) {
    char c = text[i], next = i + 1 < size ? text[i + 1] : '\n';
    n_quotes = c == '\'' ? n_quotes + 1 : 0;
    if (fresh && c == '%') hazard = "directives (lines that start with %) are not supported";
    if (leading && c == '?' && is_one_of(next, " \t\r\n")) hazard = "keys set off by '? ' are not supported";
    if (n_quotes == 10) hazard = "ten single quotes in a row are not supported";
    fresh = is_one_of(c, "\r\n");
    leading = fresh || (leading && is_one_of(c, " \t-"));
    if (start.line && !hazard) start.line += c == '\n';
  }
  return hazard ? sprint__complain(context, start, "%s", hazard) : SPRINT_OK;
}

static sprint_status check_bytes(sprint_context *context, const char *text, size_t size, struct sprint__place start) {
  if (size > MAX_BYTES)
    return sprint__complain(context, (struct sprint__place){start.file, 0}, "is larger than %d MiB", MAX_BYTES >> 20);
  size_t good = sprint__text_check(text, size);
  if (good == size) return SPRINT_OK;
  for (size_t i = 0; i < good && start.line; i++) start.line += text[i] == '\n';
  return complain_byte(context, start, text[good]);
}

/* Runs the parser over the text. A syntax error ends the events early and wins over what was made of them. */
static sprint_status parse(struct builder *builder, struct fy_parser *parser, struct fy_diag *diag, const char *text,
                           size_t size) {
  if (fy_parser_set_string(parser, text, size) != 0) return complain_syntax(builder, diag, 1);
  sprint_status status = build(builder, parser);
  if (status != SPRINT_ERROR_MEMORY && (fy_parser_get_stream_error(parser) || fy_diag_got_error(diag)))
    return complain_syntax(builder, diag, last_line(text, size));
  return status;
}

sprint_status sprint__yaml_parse(sprint_context *context, const char *text, size_t size, struct sprint__place start,
                                 struct sprint__node **ret_node) {
  SPRINT__TRY(check_bytes(context, text, size, start));
  SPRINT__TRY(check_hazards(context, text, size, start));
  struct builder builder = {.context = context, .start = start, .place = start};
  struct fy_diag_cfg hearing = {.output_fn = hear, .user = &builder, .level = FYET_ERROR, .module_mask = ~0U};
  struct fy_diag *diag = fy_diag_create(&hearing);
  struct fy_parse_cfg options = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_SLOPPY_FLOW_INDENTATION, .diag = diag};
  if (diag) fy_diag_set_collect_errors(diag, true);
  struct fy_parser *parser = diag ? fy_parser_create(&options) : NULL;
  sprint_status status = parser ? parse(&builder, parser, diag, text, size)
                                : sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory: no YAML reader");
  if (status == SPRINT_OK) {
    *ret_node = builder.root;
    builder.root = NULL;
  }
  builder_clear(&builder);
  fy_parser_destroy(parser);
  fy_diag_destroy(diag);
  return status;
}
