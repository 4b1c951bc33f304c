/* Values: see value.h. */
#include "config/value.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "config/number.h"
#include "config/text.h"

/* A number of this size or more in a table stands for an open end. */
#define OPEN_END 9e18

const char *sprint__dot(const struct sprint__section *section) { return section->path[0] ? "." : ""; }

sprint_status sprint__complain_key(const struct sprint__section *section, struct sprint__place place, const char *key,
                                   const char *format, ...) {
  char sentence[sizeof section->context->error];
  va_list args;
  va_start(args, format);
  sprint__vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  return sprint__complain(section->context, place, "key '%s%s%s': %s", section->path, sprint__dot(section), key,
                          sentence);
}

char *sprint__subject(const struct sprint__section *section, const char *key) {
  if (!section->path[0] && !key[0]) return sprint__strdup(section->context, "the section");
  return sprint__printf(section->context, "key '%s%s%s'", section->path, *key ? sprint__dot(section) : "", key);
}

sprint_status sprint__complain_name(const struct sprint__section *section, const char *key,
                                    const struct sprint__node *word, const char *what, const char *const *names,
                                    size_t n) {
  const char *near = sprint__nearest(word->text, names, n);
  SPRINT__SCOPED(sprint__free) char *subject = sprint__subject(section, key);
  SPRINT__SCOPED(sprint__free) char *all = sprint__names_join(section->context, names, n, ", ");
  if (!subject || !all) return SPRINT_ERROR_MEMORY;
  return sprint__complain(section->context, word->place, "%s: '%s' is not %s%s%s%s (one of %s)", subject,
                          sprint__show(word->text).text, what, near ? "; did you mean '" : "", near ? near : "",
                          near ? "'?" : "", all);
}

/* What a parameter takes, in words. */
struct phrase {
  char text[256];
};

/* A bound as a person writes it. */
static struct phrase bound(double x) {
  struct phrase phrase = {""};
  sprint__snprintf(phrase.text, sizeof phrase.text, floor(x) == x && fabs(x) < 1e15 ? "%.0f" : "%.9g", x);
  return phrase;
}

static struct phrase range(const sprint_param *param) {
  struct phrase phrase = {""};
  bool any = param->min == 0 && param->max == 0, positive = param->min == DBL_MIN;
  bool from = !any && param->min > -OPEN_END, to = !any && param->max < OPEN_END;
  size_t size = sizeof phrase.text;
  if (from && to && positive)
    snprintf(phrase.text, size, " greater than 0 and at most %.32s", bound(param->max).text);
  else if (from && to)
    snprintf(phrase.text, size, " within %.32s .. %.32s", bound(param->min).text, bound(param->max).text);
  else if (from && positive)
    snprintf(phrase.text, size, " greater than 0");
  else if (from)
    snprintf(phrase.text, size, " of at least %.32s", bound(param->min).text);
  else if (to)
    snprintf(phrase.text, size, " of at most %.32s", bound(param->max).text);
  return phrase;
}

static struct phrase choices(const sprint_param *param) {
  struct phrase phrase = {"one of "};
  size_t n = strlen(phrase.text);
  for (const char *at = param->choices; *at && n + 3 < sizeof phrase.text; at++) {
    phrase.text[n++] = *at == '|' ? ',' : *at;
    if (*at == '|') phrase.text[n++] = ' ';
  }
  return phrase;
}

/* The kind of thing that a scalar of this type is: "'abc' is not ...". */
static const char *noun(const sprint_param *param) {
  switch (param->type) {
    case SPRINT_PARAM_BOOL:
      return "a boolean";
    case SPRINT_PARAM_INTEGER:
      return "a whole number";
    case SPRINT_PARAM_REAL:
    case SPRINT_PARAM_REALS:
    case SPRINT_PARAM_NUMBERS:
    case SPRINT_PARAM_RANGES:
      return "a number";
    default:
      return "a text";
  }
}

static struct phrase expected(const sprint_param *param) {
  struct phrase phrase;
  if (param->type == SPRINT_PARAM_CHOICE) return choices(param);
  if (param->type == SPRINT_PARAM_BOOL) return (struct phrase){"true or false"};
  snprintf(phrase.text, sizeof phrase.text, "%s%.200s", noun(param), range(param).text);
  return phrase;
}

static sprint_status refuse_form(const struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node) {
  const char *dot = sprint__dot(section), *form = node->type == SPRINT__NODE_MAP ? "a map" : "a list";
  if (node->type == SPRINT__NODE_SCALAR)
    return sprint__complain(section->context, node->place, "key '%s%s%s' has no value; %s was expected", section->path,
                            dot, param->name, expected(param).text);
  return sprint__complain_key(section, node->place, param->name, "%s is not %s; %s was expected", form, noun(param),
                              expected(param).text);
}

static sprint_status refuse_number(const struct sprint__section *section, const sprint_param *param,
                                   const struct sprint__node *node, bool out_of_range) {
  return sprint__complain_key(section, node->place, param->name, "'%s' is %s%s; %s was expected",
                              sprint__show(node->text).text, out_of_range ? "out of range" : "not ",
                              out_of_range ? "" : noun(param), expected(param).text);
}

static bool in_range(const sprint_param *param, double x) {
  if (param->min == 0 && param->max == 0) return true;
  if (param->min == DBL_MIN) return x > 0 && x <= param->max;
  return x >= param->min && x <= param->max;
}

sprint_status sprint__value_real(const struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node, double *ret_real) {
  double real = 0;
  if (node->type != SPRINT__NODE_SCALAR || sprint__node_is_null(node)) return refuse_form(section, param, node);
  enum sprint__number found = node->quoted ? SPRINT__NUMBER_NONE : sprint__number_real(node->text, &real);
  if (found != SPRINT__NUMBER_OK || !in_range(param, real))
    return refuse_number(section, param, node, found != SPRINT__NUMBER_NONE);
  *ret_real = real;
  return SPRINT_OK;
}

static sprint_status read_integer(const struct sprint__section *section, const sprint_param *param,
                                  const struct sprint__node *node, int64_t *ret_integer) {
  int64_t integer = 0;
  enum sprint__number found = node->quoted ? SPRINT__NUMBER_NONE : sprint__number_integer(node->text, &integer);
  if (found != SPRINT__NUMBER_OK || !in_range(param, (double)integer))
    return refuse_number(section, param, node, found != SPRINT__NUMBER_NONE);
  *ret_integer = integer;
  return SPRINT_OK;
}

/* yes, no, on and off count even in quotes, since that is how sprint__node_print leaves them. */
static sprint_status read_flag(const struct sprint__section *section, const sprint_param *param,
                               const struct sprint__node *node, bool *ret_flag) {
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
  for (size_t i = 0; i < SPRINT__COUNT(words); i++) {
    if (strcmp(node->text, words[i]) != 0 || (node->quoted && i < 2)) continue;
    *ret_flag = i % 2 == 1;
    return SPRINT_OK;
  }
  return refuse_number(section, param, node, false);
}

static sprint_status read_text(struct sprint__section *section, const char *text, char **ret_text) {
  *ret_text = sprint__arena_strdup(&section->arena, text);
  return sprint__arena_status(&section->arena);
}

static sprint_status read_choice(struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node, char **ret_text) {
  if (sprint__choice_find(param->choices, node->text) >= 0) return read_text(section, node->text, ret_text);
  size_t n = 0;
  SPRINT__SCOPED(sprint__free) char **names = sprint__names_cut(section->context, param->choices, '|', &n);
  if (!names) return SPRINT_ERROR_MEMORY;
  return sprint__complain_name(section, param->name, node, "a choice", (const char *const *)names, n);
}

static sprint_status read_item(struct sprint__section *section, const sprint_param *param,
                               const struct sprint__node *node, struct sprint__value *value, size_t i) {
  bool text = param->type == SPRINT_PARAM_TEXTS && node->text && *node->text; /* NULL in a list of words is a word */
  if (node->type != SPRINT__NODE_SCALAR || (sprint__node_is_null(node) && !text))
    return refuse_form(section, param, node);
  if (param->type == SPRINT_PARAM_REALS) return sprint__value_real(section, param, node, &value->reals[i]);
  return read_text(section, node->text, &value->texts[i]);
}

static sprint_status read_items(struct sprint__section *section, const sprint_param *param,
                                const struct sprint__node *const *items, size_t n, struct sprint__value *value) {
  if (param->type == SPRINT_PARAM_REALS)
    value->reals = sprint__arena_take(&section->arena, n, sizeof *value->reals);
  else
    value->texts = sprint__arena_take(&section->arena, n, sizeof *value->texts);
  SPRINT__TRY(sprint__arena_status(&section->arena));
  value->n_items = n;
  for (size_t i = 0; i < n; i++) SPRINT__TRY(read_item(section, param, items[i], value, i));
  return SPRINT_OK;
}

sprint_status sprint__value_read(struct sprint__section *section, const sprint_param *param,
                                 const struct sprint__node *node, struct sprint__value *value) {
  bool list = param->type == SPRINT_PARAM_TEXTS || param->type == SPRINT_PARAM_REALS;
  if (param->type == SPRINT_PARAM_NUMBERS || param->type == SPRINT_PARAM_RANGES)
    return sprint__pairs_read(section, param, node, value);
  if (list && node->type == SPRINT__NODE_LIST)
    return read_items(section, param, (const struct sprint__node *const *)node->children, node->n_children, value);
  if (node->type != SPRINT__NODE_SCALAR || sprint__node_is_null(node)) return refuse_form(section, param, node);
  switch (param->type) {
    case SPRINT_PARAM_BOOL:
      return read_flag(section, param, node, &value->flag);
    case SPRINT_PARAM_INTEGER:
      return read_integer(section, param, node, &value->integer);
    case SPRINT_PARAM_REAL:
      return sprint__value_real(section, param, node, &value->real);
    case SPRINT_PARAM_TEXT:
      return read_text(section, node->text, &value->text);
    case SPRINT_PARAM_CHOICE:
      return read_choice(section, param, node, &value->text);
    case SPRINT_PARAM_TEXTS:
    case SPRINT_PARAM_REALS:
      return read_items(section, param, &node, 1, value);
    case SPRINT_PARAM_NUMBERS:
    case SPRINT_PARAM_RANGES:
    case SPRINT_PARAM_MAPS:
    case SPRINT_PARAM_MAP:
    case SPRINT_PARAM_KIND:
      break;
  }
  assert(false && "values of this type are not scalars");
  return SPRINT_ERROR_ARGUMENT;
}

/* A list that a table spells "a, b, c". */
static sprint_status default_items(struct sprint__section *section, const sprint_param *param,
                                   struct sprint__value *value) {
  size_t n = 0;
  SPRINT__SCRATCH(room, section->context);
  char **words = sprint__arena_keep(&room, sprint__names_cut(section->context, param->standard, ',', &n));
  struct sprint__node *nodes = sprint__arena_take(&room, n, sizeof *nodes);
  const struct sprint__node **items = sprint__arena_take(&room, n, sizeof *items);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t i = 0; i < n; i++) {
    nodes[i].text = words[i] + strspn(words[i], " ");
    items[i] = &nodes[i];
  }
  return read_items(section, param, items, n, value);
}

sprint_status sprint__value_default(struct sprint__section *section, const sprint_param *param,
                                    struct sprint__value *value) {
  bool list = param->type == SPRINT_PARAM_TEXTS || param->type == SPRINT_PARAM_REALS;
  bool word = param->type == SPRINT_PARAM_TEXT || param->type == SPRINT_PARAM_CHOICE;
  sprint_status status = SPRINT_OK;
  if (!param->standard[0]) {
    value->real = NAN;
    if (word) status = read_text(section, "", &value->text);
  } else if (list) {
    status = default_items(section, param, value);
  } else {
    SPRINT__SCOPED(sprint__free) char *text = sprint__strdup(section->context, param->standard);
    struct sprint__node node = {.type = SPRINT__NODE_SCALAR, .text = text};
    status = text ? sprint__value_read(section, param, &node, value) : SPRINT_ERROR_MEMORY;
  }
  assert(status != SPRINT_ERROR_INPUT && "a default that its own table refuses");
  return status;
}
