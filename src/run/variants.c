/* Variants: see variants.h. The layers, each over the one before: the file, its `quick`, assignments, methods
 * that were chosen, a point of the grid, an entry of `compare`. */
#include "run/variants.h"

#include <string.h>

#include "config/text.h"
#include "run/grid.h"
#include "run/sections.h"

void sprint__variants_clear(struct sprint__variants *variants) {
  for (size_t i = 0; i < variants->n; i++) sprint__section_free(variants->items[i].config);
  sprint__arena_free(&variants->arena);
  *variants = (struct sprint__variants){0};
}

bool sprint__is_folder_name(const char *text) {
  if (!text[0] || text[0] == '.' || strchr(text, '/')) return false;
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127) return false;
  return true;
}

/* Reads `node`, a whole config, as the next variant. */
static sprint_status add_variant(sprint_context *context, const struct sprint__node *node, const char *name,
                                 struct sprint__variants *variants) {
  struct sprint__variant *variant = &variants->items[variants->n++];
  SPRINT__TRY(sprint__section_read(context, &sprint__config_family, node, "", &variant->config));
  sprint__stop_settle(variant->config);
  const char *kind = sprint__get_section(variant->config, "method")->kind->name;
  variant->name = sprint__arena_strdup(&variants->arena, name ? name : kind);
  variant->config_text = sprint__arena_keep(&variants->arena, sprint__node_print(context, node));
  return sprint__arena_status(&variants->arena);
}

static sprint_status refuse_entry(sprint_context *context, const struct sprint__node *at, const char *sentence) {
  return sprint__complain(context, at->place, "key 'compare': %s", sentence);
}

static sprint_status refuse_key(sprint_context *context, const struct sprint__node *child) {
  SPRINT__SCOPED(sprint__free) char *keys = sprint__keys_join(context, SPRINT__OF_ENTRY, ", ");
  if (!keys) return SPRINT_ERROR_MEMORY;
  return sprint__complain(context, child->place, "unknown key 'compare.%s'; one of %s was expected",
                          sprint__show(child->key).text, keys);
}

/* An entry is a map with a name of its own that can be a folder's, and the sections that a method is made of. */
static sprint_status check_entry(sprint_context *context, const struct sprint__node *compare, size_t number) {
  const struct sprint__node *entry = compare->children[number], *name = sprint__node_child(entry, "name");
  if (!name || name->type != SPRINT__NODE_SCALAR || !name->text[0])
    return refuse_entry(context, entry, "an entry is not a mapping with a name; {name: ..., method: ...} was expected");
  if (!sprint__is_folder_name(name->text))
    return refuse_entry(context, name, "a name is also a folder's: " SPRINT__FOLDER_NAME);
  for (size_t i = 0; i < number; i++)
    if (strcmp(sprint__node_child(compare->children[i], "name")->text, name->text) == 0)
      return refuse_entry(context, name, "two entries have the same name");
  for (size_t i = 0; i < entry->n_children; i++)
    if (!sprint__key_is(entry->children[i]->key, strlen(entry->children[i]->key), SPRINT__OF_ENTRY))
      return refuse_key(context, entry->children[i]);
  return SPRINT_OK;
}

sprint_status sprint__compare_check(sprint_context *context, const struct sprint__node *compare) {
  if (compare->type != SPRINT__NODE_LIST || compare->n_children == 0)
    return refuse_entry(context, compare, "a list of {name: ..., method: ...} was expected");
  for (size_t i = 0; i < compare->n_children; i++) SPRINT__TRY(check_entry(context, compare, i));
  return SPRINT_OK;
}

/* The child, a scalar, becomes {kind: it}. */
static sprint_status name_kind(sprint_context *context, struct sprint__node **child) {
  struct sprint__node *kind = *child, *map = NULL;
  SPRINT__SCOPED(sprint__free) char *key = sprint__strdup(context, "kind");
  if (!key) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_MAP, kind->place, &map));
  *child = map;
  map->key = kind->key;
  kind->key = sprint__give(&key);
  return sprint__node_append(context, map, kind);
}

sprint_status sprint__name_kinds(sprint_context *context, struct sprint__node *sections) {
  for (size_t i = 0; i < sections->n_children; i++)
    if (sections->children[i]->type == SPRINT__NODE_SCALAR) SPRINT__TRY(name_kind(context, &sections->children[i]));
  return SPRINT_OK;
}

/* The kind that a section's map names; the family's own where it names none, NULL where it is not known. */
static const sprint_kind *kind_of(const sprint_context *context, const sprint_family *family,
                                  const struct sprint__node *map) {
  const struct sprint__node *said = sprint__node_child(map, "kind");
  if (said && said->type != SPRINT__NODE_SCALAR) return NULL;
  const char *name = said ? said->text : family->standard;
  return name ? sprint__kind_find(context, family, name) : NULL;
}

static bool has_param(const sprint_param *params, size_t n, const char *key) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(params[i].name, key) == 0) return true;
  return false;
}

/* A key that the config's own kind does not have is refused as such, not as one that the entry's kind lacks. */
static sprint_status check_own_keys(sprint_context *context, const sprint_family *family, const sprint_kind *kind,
                                    const struct sprint__node *mine) {
  bool known = true;
  for (size_t i = 0; i < mine->n_children; i++) {
    const char *key = mine->children[i]->key;
    known = known && (strcmp(key, "kind") == 0 || has_param(kind->params, kind->n_params, key) ||
                      has_param(family->params, family->n_params, key));
  }
  if (known) return SPRINT_OK;
  SPRINT__SCOPED(sprint__section_free) struct sprint__section *section = NULL;
  return sprint__section_read(context, family, mine, family->key, &section);
}

/* Makes the config's section ready for an entry's, which is laid over it: a setting that its kind has and the entry's
 * has not (`correction` of sprint, where the entry is sgd) is left out. */
static sprint_status make_way(sprint_context *context, const struct sprint__node *section, struct sprint__node **mine) {
  const sprint_family *family = sprint__key_family(section->key);
  if (section->type != SPRINT__NODE_MAP || !family || sprint__node_is_null(*mine)) return SPRINT_OK;
  if ((*mine)->type == SPRINT__NODE_SCALAR) SPRINT__TRY(name_kind(context, mine));
  if ((*mine)->type != SPRINT__NODE_MAP || !sprint__node_child(section, "kind")) return SPRINT_OK;
  const sprint_kind *before = kind_of(context, family, *mine), *now = kind_of(context, family, section);
  if (!before || !now) return SPRINT_OK;
  SPRINT__TRY(check_own_keys(context, family, before, *mine));
  for (size_t i = (*mine)->n_children; i-- > 0;) {
    const char *key = (*mine)->children[i]->key;
    if (has_param(before->params, before->n_params, key) && !has_param(now->params, now->n_params, key))
      sprint__node_remove(*mine, key);
  }
  return SPRINT_OK;
}

/* *ret_merged: `base` with the sections laid over it. */
static sprint_status lay_sections(sprint_context *context, const struct sprint__node *base,
                                  const struct sprint__node *sections, struct sprint__node **ret_merged) {
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *own = NULL;
  SPRINT__TRY(sprint__node_copy(context, base, &own));
  for (size_t s = 0; s < sections->n_children; s++)
    for (size_t i = 0; i < own->n_children; i++)
      if (strcmp(own->children[i]->key, sections->children[s]->key) == 0)
        SPRINT__TRY(make_way(context, sections->children[s], &own->children[i]));
  return sprint__node_merge(context, own, sections, ret_merged);
}

/* An entry that sets a key of the grid would make all points alike. */
static sprint_status check_axes(sprint_context *context, const struct sprint__grid *grid,
                                const struct sprint__node *sections) {
  for (size_t a = 0; grid->axes && a < grid->axes->n_children; a++) {
    const struct sprint__node *twice = sprint__node_find(sections, grid->axes->children[a]->key);
    if (twice)
      return sprint__complain(context, twice->place, "key 'compare': the key '%s' is in the grid too",
                              sprint__show(grid->axes->children[a]->key).text);
  }
  return SPRINT_OK;
}

/* `base` with the entry's sections laid over it. */
static sprint_status add_entry(sprint_context *context, const struct sprint__grid *grid,
                               const struct sprint__node *base, const struct sprint__node *entry,
                               struct sprint__variants *variants) {
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *sections = NULL;
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *merged = NULL;
  SPRINT__TRY(sprint__node_copy(context, entry, &sections));
  sprint__node_remove(sections, "name");
  SPRINT__TRY(sprint__name_kinds(context, sections));
  SPRINT__TRY(check_axes(context, grid, sections));
  SPRINT__TRY(lay_sections(context, base, sections, &merged));
  return add_variant(context, merged, sprint__node_child(entry, "name")->text, variants);
}

/* The methods of one point; `base` is the config without grid and comparison. */
static sprint_status add_point(sprint_context *context, const struct sprint__grid *grid, size_t point,
                               const struct sprint__node *compare, struct sprint__node *base,
                               struct sprint__variants *variants) {
  SPRINT__TRY(sprint__grid_lay(context, grid, point, base));
  variants->points[point] = sprint__arena_keep(&variants->arena, sprint__grid_name(context, grid, point));
  SPRINT__TRY(sprint__arena_status(&variants->arena));
  if (!compare) return add_variant(context, base, NULL, variants);
  for (size_t i = 0; i < compare->n_children; i++)
    SPRINT__TRY(add_entry(context, grid, base, compare->children[i], variants));
  return SPRINT_OK;
}

/* The variants of a config that is as it is, without `quick`. */
static sprint_status read_root(sprint_context *context, const struct sprint__node *root,
                               struct sprint__variants *variants) {
  const struct sprint__node *compare = sprint__node_child(root, "compare");
  struct sprint__grid grid;
  SPRINT__TRY(sprint__grid_read(context, root, &grid));
  if (compare) SPRINT__TRY(sprint__compare_check(context, compare));
  variants->n_methods = compare ? compare->n_children : 1;
  variants->arena.context = context;
  variants->items = sprint__arena_take(&variants->arena, grid.n_points * variants->n_methods, sizeof *variants->items);
  variants->points = sprint__arena_take(&variants->arena, grid.n_points, sizeof *variants->points);
  SPRINT__TRY(sprint__arena_status(&variants->arena));
  variants->n_points = grid.n_points;
  for (size_t point = 0; point < grid.n_points; point++) {
    SPRINT__SCOPED(sprint__node_free) struct sprint__node *base = NULL;
    SPRINT__TRY(sprint__node_copy(context, root, &base));
    sprint__node_remove(base, "compare");
    sprint__node_remove(base, "grid");
    SPRINT__TRY(add_point(context, &grid, point, compare, base, variants));
  }
  return SPRINT_OK;
}

/* The kind that a section names: itself, a single value, or its key `kind`; NULL where it names none. */
static const struct sprint__node *named_kind(const struct sprint__node *section) {
  if (!section || section->type == SPRINT__NODE_SCALAR) return section;
  return sprint__node_child(section, "kind");
}

/* Whether every entry of the comparison names a kind of the section `key` itself. */
static bool all_name_kinds(const struct sprint__node *compare, const char *key) {
  for (size_t i = 0; i < compare->n_children; i++)
    if (!named_kind(sprint__node_child(compare->children[i], key))) return false;
  return true;
}

/* A kind that was set, `method=saga`, must not be passed over without a word because all entries have others. */
static sprint_status check_heard(sprint_context *context, const struct sprint__node *root, const char *assignment) {
  const struct sprint__node *compare = sprint__node_child(root, "compare");
  size_t length = strcspn(assignment, ".=");
  const char *rest = assignment + length;
  if (!compare || !sprint__key_is(assignment, length, SPRINT__OF_ENTRY)) return SPRINT_OK;
  if (*rest == '.' && strncmp(rest, ".kind=", strlen(".kind=")) != 0) return SPRINT_OK;
  SPRINT__SCOPED(sprint__free) char *key = sprint__printf(context, "%.*s", (int)length, assignment);
  if (!key) return SPRINT_ERROR_MEMORY;
  const struct sprint__node *kind = named_kind(sprint__node_child(root, key));
  if (!kind || kind->type != SPRINT__NODE_SCALAR || !all_name_kinds(compare, key)) return SPRINT_OK;
  return sprint__complain(context, kind->place,
                          "key '%s': '%s' would not be used, as every entry of `compare` names a kind of its own; "
                          "`compare=[]` leaves them out",
                          key, sprint__show(kind->text).text);
}

/* The checked comparison of the document; without entries it is none. */
static sprint_status settle_compare(struct sprint__document *document, const struct sprint__overlay *overlay) {
  const struct sprint__node *compare = sprint__node_child(document->root, "compare");
  if (!compare) return SPRINT_OK;
  if (compare->type == SPRINT__NODE_LIST && compare->n_children == 0) {
    sprint__node_remove(document->root, "compare");
    return SPRINT_OK;
  }
  SPRINT__TRY(sprint__compare_check(document->context, compare));
  for (size_t i = 0; !overlay->methods && i < overlay->n_sets; i++)
    SPRINT__TRY(check_heard(document->context, document->root, overlay->sets[i]));
  return SPRINT_OK;
}

/* The assignments over the document's root, and the variants of what that gives. */
static sprint_status read_form(struct sprint__document *document, const struct sprint__overlay *overlay,
                               struct sprint__variants *variants) {
  for (size_t i = 0; i < overlay->n_sets; i++) {
    SPRINT__TRY(sprint__document_set(document, overlay->sets[i]));
    SPRINT__TRY(sprint__grid_override(document->context, document->root, overlay->sets[i]));
  }
  const struct sprint__node *quick = sprint__node_child(document->root, "quick");
  if (quick)
    return sprint__complain(document->context, quick->place,
                            "key 'quick': is a matter of the file; set the key itself");
  SPRINT__TRY(settle_compare(document, overlay));
  if (overlay->methods) SPRINT__TRY(sprint__methods_choose(document, overlay->methods));
  if (overlay->n_step_sizes)
    SPRINT__TRY(sprint__methods_multiply(document, overlay->step_sizes, overlay->n_step_sizes));
  return read_root(document->context, document->root, variants);
}

/* A config that says nothing, or a section that says nothing, is no config of anybody's: what would run is a guess. */
static sprint_status check_filled(const struct sprint__document *document, const struct sprint__overlay *overlay) {
  const struct sprint__node *root = document->root;
  if (root->n_children == 0 && overlay->n_sets == 0)
    return sprint__complain(document->context, (struct sprint__place){root->place.file, 0},
                            "is empty; sections such as `data` and `model` were expected (`sprint data info FILE "
                            "--config` writes a first config for a table)");
  for (size_t i = 0; i < root->n_children; i++) {
    const struct sprint__node *section = root->children[i];
    if (section->type == SPRINT__NODE_MAP && section->n_children == 0 && sprint__key_family(section->key))
      return sprint__complain(document->context, section->place,
                              "key '%s' is an empty map; its keys were expected, or to leave it out", section->key);
  }
  return SPRINT_OK;
}

/* The document's root becomes the config without `quick`, *ret_quick the same with it laid over; untouched where the
 * file has no `quick`. */
static sprint_status split_quick(struct sprint__document *document, struct sprint__node **ret_quick) {
  const struct sprint__node *quick = sprint__node_child(document->root, "quick");
  if (!quick) return SPRINT_OK;
  if (quick->type != SPRINT__NODE_MAP)
    return sprint__complain(document->context, quick->place, "key 'quick': a map of keys was expected");
  if (sprint__node_child(quick, "quick"))
    return sprint__complain(document->context, sprint__node_child(quick, "quick")->place,
                            "key 'quick.quick': is within itself");
  struct sprint__node *merged = NULL;
  SPRINT__TRY(sprint__node_merge(document->context, document->root, quick, &merged));
  sprint__node_remove(merged, "quick");
  sprint__node_remove(document->root, "quick");
  *ret_quick = merged;
  return SPRINT_OK;
}

/* Both forms of the config are read, the one that is asked for last: a slip in the other is found as well. */
sprint_status sprint__variants_read(struct sprint__document *document, const struct sprint__overlay *overlay,
                                    struct sprint__variants *variants) {
  struct sprint__node *plain = document->root;
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *quick = NULL;
  SPRINT__TRY(check_filled(document, overlay));
  SPRINT__TRY(split_quick(document, &quick));
  struct sprint__node *forms[] = {overlay->quick ? plain : quick, overlay->quick && quick ? quick : plain};
  sprint_status status = SPRINT_OK;
  for (size_t i = quick ? 0 : 1; i < SPRINT__COUNT(forms) && status == SPRINT_OK; i++) {
    sprint__variants_clear(variants);
    document->root = forms[i];
    status = read_form(document, overlay, variants);
  }
  struct sprint__grid grid;
  if (status == SPRINT_OK && overlay->one_point) status = sprint__grid_read(document->context, document->root, &grid);
  if (status == SPRINT_OK && overlay->one_point) status = sprint__grid_single(document->context, &grid);
  document->root = plain;
  return status;
}
