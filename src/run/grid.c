/* Grids: see grid.h. */
#include "run/grid.h"

#include <string.h>

#include "base/ascii.h"
#include "config/text.h"
#include "run/sections.h"

/* More is a slip of the pen: every point is a whole comparison. */
enum { MAX_POINTS = 4096, MAX_NAME = 100 };

static sprint_status refuse_axis(sprint_context *context, const struct sprint__node *at,
                                 const struct sprint__node *axis, const char *sentence) {
  return sprint__complain(context, at->place, "key 'grid.%s': %s", sprint__show(axis->key).text, sentence);
}

/* Whether the path is the key or lies within it. */
static bool lies_in(const char *path, const char *key) {
  size_t length = strlen(key);
  return strncmp(path, key, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

static sprint_status refuse_key(sprint_context *context, const struct sprint__node *axis) {
  SPRINT__SCOPED(sprint__free) char *keys = sprint__keys_join(context, SPRINT__OF_GRID, " or ");
  if (!keys) return SPRINT_ERROR_MEMORY;
  return sprint__complain(context, axis->place, "key 'grid.%s': is not a setting of a run; a key of %s was expected",
                          sprint__show(axis->key).text, keys);
}

/* A dot in a key of a grid is part of it, where one of --set enters a map. */
static sprint_status refuse_map(sprint_context *context, const struct sprint__node *axis) {
  struct sprint__shown key = sprint__show(axis->key), within = sprint__show(axis->children[0]->key);
  return sprint__complain(
      context, axis->place,
      "key 'grid.%s': a list of values was expected, such as [0.1, 0.2]; keys within it are written "
      "'%s.%s: [...]', and --set %s.%s=... gives all points one value",
      key.text, key.text, within.text, key.text, within.text);
}

static sprint_status check_axis(sprint_context *context, const struct sprint__node *axis) {
  if (lies_in(axis->key, "data"))
    return refuse_axis(context, axis, axis, "all points share one population; no key of data was expected");
  if (sprint__key_is(axis->key, strcspn(axis->key, "."), SPRINT__OF_EXPERIMENT)) return refuse_key(context, axis);
  if (axis->type == SPRINT__NODE_MAP && axis->n_children > 0) return refuse_map(context, axis);
  if (axis->type != SPRINT__NODE_LIST || axis->n_children == 0)
    return refuse_axis(context, axis, axis, "a list of values was expected, such as [0.1, 0.2]");
  for (size_t i = 0; i < axis->n_children; i++)
    if (axis->children[i]->type != SPRINT__NODE_SCALAR || sprint__node_is_null(axis->children[i]))
      return refuse_axis(context, axis->children[i], axis, "a list of single values was expected, such as [0.1, 0.2]");
  return SPRINT_OK;
}

/* A character as a folder's name may have it. */
static char fit(char c) {
  return sprint__ascii_is_letter(c) || sprint__ascii_is_digit(c) || !c || strchr("-+._", c) ? c : '-';
}

void sprint__folder_fit(char *text) {
  for (; *text; text++) *text = fit(*text);
}

static bool same_folder(const char *a, const char *b) {
  while (*a && fit(*a) == fit(*b)) a++, b++;
  return fit(*a) == fit(*b);
}

/* A value is there twice, or differs from another in odd characters alone. */
static sprint_status check_names(sprint_context *context, const struct sprint__node *axis) {
  for (size_t i = 0; i < axis->n_children; i++) {
    if (strlen(axis->children[i]->text) > MAX_NAME)
      return refuse_axis(context, axis->children[i], axis, "a value is too long for a folder's name");
    for (size_t k = 0; k < i; k++)
      if (same_folder(axis->children[i]->text, axis->children[k]->text))
        return refuse_axis(context, axis->children[i], axis, "two values would have the same folder");
  }
  return SPRINT_OK;
}

sprint_status sprint__grid_read(sprint_context *context, const struct sprint__node *root,
                                struct sprint__grid *ret_grid) {
  const struct sprint__node *axes = sprint__node_child(root, "grid");
  struct sprint__grid grid = {axes, 1};
  if (!axes || sprint__node_is_null(axes) || (axes->type == SPRINT__NODE_MAP && axes->n_children == 0)) {
    *ret_grid = (struct sprint__grid){NULL, 1};
    return SPRINT_OK;
  }
  if (axes->type != SPRINT__NODE_MAP)
    return sprint__complain(context, axes->place,
                            "key 'grid': a map from keys to lists of values was expected, such as {shift.alpha: [0.1, "
                            "0.2]}");
  for (size_t a = 0; a < axes->n_children; a++) {
    SPRINT__TRY(check_axis(context, axes->children[a]));
    SPRINT__TRY(check_names(context, axes->children[a]));
    if (axes->children[a]->n_children > MAX_POINTS / grid.n_points)
      return sprint__complain(context, axes->place, "key 'grid': there are more than %d points", MAX_POINTS);
    grid.n_points *= axes->children[a]->n_children;
  }
  *ret_grid = grid;
  return SPRINT_OK;
}

const struct sprint__node *sprint__grid_value(const struct sprint__grid *grid, size_t point, size_t axis) {
  for (size_t a = grid->axes->n_children - 1; a > axis; a--) point /= grid->axes->children[a]->n_children;
  const struct sprint__node *values = grid->axes->children[axis];
  return values->children[point % values->n_children];
}

sprint_status sprint__grid_lay(sprint_context *context, const struct sprint__grid *grid, size_t point,
                               struct sprint__node *config) {
  for (size_t a = 0; grid->axes && a < grid->axes->n_children; a++)
    SPRINT__TRY(sprint__node_lay(context, config, grid->axes->children[a]->key, sprint__grid_value(grid, point, a)));
  return SPRINT_OK;
}

char *sprint__grid_name(sprint_context *context, const struct sprint__grid *grid, size_t point) {
  struct sprint__text name = {.context = context};
  sprint__text_add(&name, "");
  for (size_t a = 0; grid->axes && a < grid->axes->n_children; a++) {
    const char *key = grid->axes->children[a]->key, *dot = strrchr(key, '.');
    sprint__text_add(&name, a ? "_" : "");
    sprint__text_add(&name, dot ? dot + 1 : key);
    sprint__text_add(&name, "-");
    sprint__text_add(&name, sprint__grid_value(grid, point, a)->text);
  }
  char *text = sprint__text_take(&name);
  if (text) sprint__folder_fit(text);
  return text;
}

sprint_status sprint__grid_single(sprint_context *context, const struct sprint__grid *grid) {
  enum { MOST = 12 };
  struct sprint__text all = {.context = context};
  if (grid->n_points == 1) return SPRINT_OK;
  for (size_t a = 0; a < grid->axes->n_children; a++) {
    const struct sprint__node *axis = grid->axes->children[a];
    if (axis->n_children == 1) continue;
    sprint__text_add(&all, all.n ? ", --set " : "--set ");
    sprint__text_add(&all, sprint__show(axis->key).text);
    for (size_t i = 0; i < axis->n_children && i < MOST; i++) {
      sprint__text_add(&all, i == 0 ? "=" : i + 1 < axis->n_children ? ", " : " or ");
      sprint__text_add(&all, sprint__show(axis->children[i]->text).text);
    }
    if (axis->n_children > MOST) sprint__text_add(&all, "...");
  }
  SPRINT__SCOPED(sprint__free) char *choices = sprint__text_take(&all);
  if (!choices) return SPRINT_ERROR_MEMORY;
  return sprint__complain(context, grid->axes->place,
                          "key 'grid': it has %zu points, and one was expected here; %s chooses", grid->n_points,
                          choices);
}

/* The axis's list := the value, or the one value alone. */
static sprint_status replace_list(sprint_context *context, const struct sprint__node *value,
                                  struct sprint__node *axis) {
  SPRINT__SCOPED(sprint__node_free) struct sprint__node *list = NULL;
  struct sprint__node *copy = NULL;
  if (value->type == SPRINT__NODE_LIST) {
    SPRINT__TRY(sprint__node_copy(context, value, &list));
  } else {
    SPRINT__TRY(sprint__node_new(context, SPRINT__NODE_LIST, value->place, &list));
    SPRINT__TRY(sprint__node_copy(context, value, &copy));
    SPRINT__TRY(sprint__node_append(context, list, copy));
  }
  struct sprint__node old = *axis;
  *axis = *list;
  axis->key = old.key;
  old.key = list->key;
  *list = old;
  return SPRINT_OK;
}

static sprint_status override_axes(sprint_context *context, const struct sprint__node *value, const char *path,
                                   struct sprint__node *grid) {
  for (size_t a = grid->n_children; a-- > 0;) {
    struct sprint__node *axis = grid->children[a];
    if (strcmp(axis->key, path) == 0)
      SPRINT__TRY(replace_list(context, value, axis));
    else if (lies_in(axis->key, path))
      sprint__node_remove(grid, axis->key);
  }
  return SPRINT_OK;
}

sprint_status sprint__grid_override(sprint_context *context, struct sprint__node *root, const char *assignment) {
  SPRINT__SCOPED(sprint__free)
  char *path = sprint__printf(context, "%.*s", (int)strcspn(assignment, "="), assignment);
  if (!path) return SPRINT_ERROR_MEMORY;
  const struct sprint__node *value = sprint__node_find(root, path);
  for (size_t i = 0; value && i < root->n_children; i++)
    if (strcmp(root->children[i]->key, "grid") == 0 && root->children[i]->type == SPRINT__NODE_MAP)
      SPRINT__TRY(override_axes(context, value, path, root->children[i]));
  return SPRINT_OK;
}
