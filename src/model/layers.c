/* The layer list, `dense 32, relu, dense 2`: words checked against the tables of the layer kinds. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/network.h"

static const sprint_kind *const layer_kinds[] = {
    &sprint__layer_dense, &sprint__layer_conv,    &sprint__layer_maxpool,  &sprint__layer_flatten, &sprint__layer_relu,
    &sprint__layer_tanh,  &sprint__layer_sigmoid, &sprint__layer_softplus, &sprint__layer_gelu,
};

const sprint_family sprint__layer_family = {
    .name = "layers",
    .key = "model.layers",
    .help = "the layers of a network, in order, each a name and its numbers: dense 32, relu, dense 2",
    .kinds = layer_kinds,
    .n_kinds = SPRINT__COUNT(layer_kinds),
};

enum { MAX_ARGUMENTS = 4 };

static sprint_status refuse_kind(const struct sprint__section *section, const char *name) {
  const char *names[SPRINT__COUNT(layer_kinds)];
  for (size_t i = 0; i < SPRINT__COUNT(names); i++) names[i] = layer_kinds[i]->name;
  if (sprint__kind_find(section->context, &sprint__loss_family, name))
    return sprint__refuse(section, "layers",
                          "'%s' is a loss and not a layer: model.loss applies it to what the last layer puts out",
                          name);
  const char *near = sprint__nearest(name, names, SPRINT__COUNT(names));
  return sprint__refuse(section, "layers", "'%s' is not a layer%s%s%s (`sprint list layers` shows them)", name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* A whole number within the row's range; `*end` is where it stops. */
static bool read_number(const sprint_param *param, const char *word, char **end, int64_t *ret_number) {
  errno = 0;
  *ret_number = strtoll(word, end, 10);
  return *end != word && !errno && (double)*ret_number >= param->min && (double)*ret_number <= param->max;
}

/* N, or for a TEXT row AxB. */
static bool read_word(const sprint_param *param, const char *word, struct sprint__argument *ret_argument) {
  char *end = NULL;
  if (!word || !read_number(param, word, &end, &ret_argument->number)) return false;
  ret_argument->second = ret_argument->number;
  if (param->type == SPRINT_PARAM_TEXT && *end == 'x' && !read_number(param, end + 1, &end, &ret_argument->second))
    return false;
  return *end == '\0';
}

static sprint_status read_argument(const struct sprint__section *section, const sprint_kind *kind,
                                   const sprint_param *param, const char *word, struct sprint__argument *ret_argument) {
  if (read_word(param, word, ret_argument)) return SPRINT_OK;
  return sprint__refuse(section, "layers", "layer '%s': %s%s%s; a whole number within %.0f .. %.0f was expected (%s)",
                        kind->name, word ? "'" : "", word ? word : "its number is missing",
                        word ? "' does not fit" : "", param->min, param->max, param->help);
}

/* Whether a CHOICE row, `same|valid`, has the word. */
static bool find_choice(const sprint_param *param, const char *word, size_t *ret_choice) {
  int choice = sprint__choice_find(param->choices, word);
  if (choice >= 0) *ret_choice = (size_t)choice;
  return choice >= 0;
}

/* Cuts the next word off *rest; NULL at its end. */
static char *next_word(char **rest) {
  while (isspace((unsigned char)**rest)) (*rest)++;
  if (!**rest) return NULL;
  char *word = *rest;
  while (**rest && !isspace((unsigned char)**rest)) (*rest)++;
  if (**rest) *(*rest)++ = '\0';
  return word;
}

/* After the required words: one of a row's choices, or a row's name and its number. */
static sprint_status parse_option(const struct sprint__section *section, const sprint_kind *kind, const char *word,
                                  char **rest, struct sprint__argument *arguments) {
  for (size_t i = 0; i < kind->n_params; i++) {
    const sprint_param *param = &kind->params[i];
    if (param->type == SPRINT_PARAM_CHOICE && find_choice(param, word, &arguments[i].choice)) return SPRINT_OK;
    if (param->standard && param->type == SPRINT_PARAM_INTEGER && strcmp(param->name, word) == 0)
      return read_argument(section, kind, param, next_word(rest), &arguments[i]);
  }
  return sprint__refuse(section, "layers", "layer '%s': '%s' is one word too many", kind->name, word);
}

static sprint_status parse_arguments(const struct sprint__section *section, const sprint_kind *kind, char *text,
                                     struct sprint__argument *arguments) {
  for (size_t i = 0; i < kind->n_params; i++) {
    const sprint_param *param = &kind->params[i];
    if (!param->standard)
      SPRINT__TRY(read_argument(section, kind, param, next_word(&text), &arguments[i]));
    else if (param->type == SPRINT_PARAM_INTEGER)
      arguments[i].number = strtoll(param->standard, NULL, 10);
    else
      find_choice(param, param->standard, &arguments[i].choice);
  }
  for (char *word = next_word(&text); word; word = next_word(&text))
    SPRINT__TRY(parse_option(section, kind, word, &text, arguments));
  return SPRINT_OK;
}

static sprint_status parse_layer(const struct sprint__section *section, char *text, struct sprint__layer *layer) {
  char *name = next_word(&text);
  if (!name)
    return sprint__refuse(section, "layers", "a layer is empty; a list like 'dense 32, relu, dense 2' was expected");
  layer->kind = sprint__kind_find(section->context, &sprint__layer_family, name);
  if (!layer->kind) return refuse_kind(section, name);
  struct sprint__argument arguments[MAX_ARGUMENTS] = {{0}};
  SPRINT__TRY(parse_arguments(section, layer->kind, text, arguments));
  layer->ops = layer->kind->ops;
  layer->context = section->context;
  layer->in = sprint__shape_size(&layer->from);
  const char *complaint = layer->ops->setup(layer, arguments);
  if (complaint)
    return sprint__refuse(section, "layers", "layer '%s': %s; its input is %zu x %zu x %zu", name, complaint,
                          layer->from.channels, layer->from.height, layer->from.width);
  layer->out = sprint__shape_size(&layer->to);
  return SPRINT_OK;
}

char *sprint__layers_text(const struct sprint__section *section) {
  const struct sprint__value *layers = sprint__get(section, "layers");
  return sprint__names_join(section->context, (const char *const *)layers->texts, layers->n_items, ", ");
}

static sprint_status parse_list(const struct sprint__section *section, struct sprint__shape shape, char *text,
                                struct sprint__layer *layers, size_t n) {
  size_t offset = 0;
  for (size_t i = 0; i < n; i++) {
    char *comma = strchr(text, ',');
    if (comma) *comma = '\0';
    layers[i].from = shape;
    layers[i].offset = offset;
    SPRINT__TRY(parse_layer(section, text, &layers[i]));
    shape = layers[i].to;
    offset += layers[i].n_weights + layers[i].n_biases;
    if (offset > 1000000000) return sprint__refuse(section, "layers", "%zu parameters are more than 1e9", offset);
    if (comma) text = comma + 1;
  }
  return SPRINT_OK;
}

sprint_status sprint__layers_parse(const struct sprint__section *section, struct sprint__shape shape,
                                   struct sprint__arena *arena, struct sprint__layer **ret_layers, size_t *ret_n) {
  SPRINT__SCOPED(sprint__free) char *text = sprint__layers_text(section);
  if (!text) return SPRINT_ERROR_MEMORY;
  size_t n = 1;
  for (const char *c = text; *c; c++) n += *c == ',';
  struct sprint__layer *layers = sprint__arena_take(arena, n, sizeof *layers);
  if (!layers) return SPRINT_ERROR_MEMORY;
  SPRINT__TRY(parse_list(section, shape, text, layers, n));
  *ret_layers = layers;
  *ret_n = n;
  return SPRINT_OK;
}
