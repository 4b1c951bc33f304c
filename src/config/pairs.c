/* Values that go by name: mappings to numbers, or to ranges. See value.h. */
#include <math.h>
#include <string.h>

#include "config/text.h"
#include "config/value.h"

static sprint_status refuse_form(const struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node) {
  bool ranges = param->type == SPRINT_PARAM_RANGES, scalar = node->type == SPRINT__NODE_SCALAR;
  const char *choices = param->choices ? param->choices : "";
  return sprint__complain_key(section, node->place, param->name, "%s%s%s; a map from names to %s%s%s was expected",
                              scalar ? "'" : "a list is not what goes here",
                              scalar ? sprint__show(node->text).text : "", scalar ? "' is not what goes here" : "",
                              ranges ? "[low, high]" : "numbers", *choices ? ", or " : "", choices);
}

static sprint_status refuse_range(const struct sprint__section *section, const sprint_param *param,
                                  const struct sprint__node *node) {
  const char *choices = param->choices ? param->choices : "";
  return sprint__complain_key(section, node->place, param->name,
                              "'%s': [low, high], either of which may be ~%s%s, was expected",
                              sprint__show(node->key).text, *choices ? ", or " : "", choices);
}

static bool is_choice(const sprint_param *param, const struct sprint__node *node) {
  return node->type == SPRINT__NODE_SCALAR && param->choices && sprint__choice_find(param->choices, node->text) >= 0;
}

/* An end of a range; ~, .inf and -.inf leave it open. */
static sprint_status read_end(const struct sprint__section *section, const sprint_param *param,
                              const struct sprint__node *node, double open, double *ret_end) {
  static const char *const words[] = {"-.inf", ".inf"};
  bool plain = node->type == SPRINT__NODE_SCALAR && !node->quoted;
  if (sprint__node_is_null(node) || (plain && strcmp(node->text, words[open > 0]) == 0)) {
    *ret_end = open;
    return SPRINT_OK;
  }
  return sprint__value_real(section, param, node, ret_end);
}

static sprint_status read_range(struct sprint__section *section, const sprint_param *param,
                                const struct sprint__node *node, struct sprint__value *value, size_t i) {
  double *ends = value->reals + 2 * i;
  if (is_choice(param, node)) {
    ends[0] = ends[1] = NAN;
    value->words[i] = sprint__arena_strdup(&section->arena, node->text);
    return sprint__arena_status(&section->arena);
  }
  if (node->type != SPRINT__NODE_LIST || node->n_children != 2) return refuse_range(section, param, node);
  SPRINT__TRY(read_end(section, param, node->children[0], -INFINITY, &ends[0]));
  SPRINT__TRY(read_end(section, param, node->children[1], INFINITY, &ends[1]));
  if (ends[0] <= ends[1]) return SPRINT_OK;
  return sprint__complain_key(section, node->place, param->name, "'%s': the range from %g to %g is empty",
                              sprint__show(node->key).text, ends[0], ends[1]);
}

sprint_status sprint__pairs_read(struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node, struct sprint__value *value) {
  bool ranges = param->type == SPRINT_PARAM_RANGES;
  size_t n = node->n_children;
  if (is_choice(param, node)) {
    value->text = sprint__arena_strdup(&section->arena, node->text);
    return sprint__arena_status(&section->arena);
  }
  if (node->type != SPRINT__NODE_MAP) return refuse_form(section, param, node);
  value->n_items = n;
  value->texts = sprint__arena_take(&section->arena, n, sizeof *value->texts);
  value->reals = sprint__arena_take(&section->arena, n * 2, sizeof *value->reals);
  value->words = sprint__arena_take(&section->arena, n, sizeof *value->words);
  SPRINT__TRY(sprint__arena_status(&section->arena));
  for (size_t i = 0; i < n; i++) {
    value->texts[i] = sprint__arena_strdup(&section->arena, node->children[i]->key);
    SPRINT__TRY(ranges ? read_range(section, param, node->children[i], value, i)
                       : sprint__value_real(section, param, node->children[i], &value->reals[i]));
  }
  return sprint__arena_status(&section->arena);
}
