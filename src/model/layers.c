/* The layer list, `dense 32, relu, dense 2`: words checked against the tables of the layer kinds. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/network.h"

static const sprint_kind *const layer_kinds[] = {
    &sprint__layer_dense,   &sprint__layer_relu,     &sprint__layer_tanh,
    &sprint__layer_sigmoid, &sprint__layer_softplus, &sprint__layer_gelu,
};

const sprint_family sprint__layer_family = {
    .name = "layers",
    .key = "model.layers",
    .help = "the layers of a network, in order, each a name and its numbers: dense 32, relu, dense 2",
    .kinds = layer_kinds,
    .n_kinds = SPRINT__COUNT(layer_kinds),
};

enum { MAX_ARGUMENTS = 4 };

static const sprint_kind *find_kind(const char *name) {
  for (size_t i = 0; i < SPRINT__COUNT(layer_kinds); i++)
    if (strcmp(layer_kinds[i]->name, name) == 0) return layer_kinds[i];
  return NULL;
}

static sprint_status refuse_kind(const struct sprint__section *section, const char *name) {
  const char *names[SPRINT__COUNT(layer_kinds)];
  for (size_t i = 0; i < SPRINT__COUNT(names); i++) names[i] = layer_kinds[i]->name;
  const char *near = sprint__nearest(name, names, SPRINT__COUNT(names));
  return sprint__refuse(section, "layers", "'%s' is not a layer%s%s%s (`sprint list layers` shows them)", name,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* One argument word by its table row. */
static sprint_status read_argument(const struct sprint__section *section, const sprint_kind *kind,
                                   const sprint_param *param, const char *word, int64_t *ret_value) {
  char *end = NULL;
  errno = 0;
  long long value = word ? strtoll(word, &end, 10) : 0;
  if (!word || *end || errno || (double)value < param->min || (double)value > param->max)
    return sprint__refuse(section, "layers", "layer '%s': %s%s%s; a whole number within %.0f .. %.0f was expected (%s)",
                          kind->name, word ? "'" : "", word ? word : "its number is missing",
                          word ? "' does not fit" : "", param->min, param->max, param->help);
  *ret_value = value;
  return SPRINT_OK;
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

static sprint_status parse_layer(const struct sprint__section *section, char *text, struct sprint__layer *layer) {
  char *name = next_word(&text);
  if (!name)
    return sprint__refuse(section, "layers", "a layer is empty; a list like 'dense 32, relu, dense 2' was expected");
  const sprint_kind *kind = find_kind(name);
  if (!kind) return refuse_kind(section, name);
  int64_t arguments[MAX_ARGUMENTS] = {0};
  for (size_t i = 0; i < kind->n_params; i++)
    SPRINT__TRY(read_argument(section, kind, &kind->params[i], next_word(&text), &arguments[i]));
  char *extra = next_word(&text);
  if (extra) return sprint__refuse(section, "layers", "layer '%s': '%s' is one word too many", kind->name, extra);
  layer->kind = kind;
  layer->ops = kind->ops;
  layer->ops->shape(layer, arguments);
  return SPRINT_OK;
}

char *sprint__layers_text(const struct sprint__section *section) {
  const struct sprint__value *value = sprint__get(section, "layers");
  char *text = sprint__strdup(section->context, "");
  for (size_t i = 0; text && i < value->n_items; i++) {
    char *longer = sprint__printf(section->context, "%s%s%s", text, i ? ", " : "", value->texts[i]);
    sprint__free(text);
    text = longer;
  }
  return text;
}

static sprint_status parse_list(const struct sprint__section *section, size_t d, char *text,
                                struct sprint__layer *layers, size_t n) {
  size_t width = d, offset = 0;
  for (size_t i = 0; i < n; i++) {
    char *comma = strchr(text, ',');
    if (comma) *comma = '\0';
    layers[i].in = width;
    layers[i].offset = offset;
    SPRINT__TRY(parse_layer(section, text, &layers[i]));
    width = layers[i].out;
    offset += layers[i].n_weights + layers[i].n_biases;
    if (comma) text = comma + 1;
  }
  if (offset > 1000000000) return sprint__refuse(section, "layers", "%zu parameters are more than 1e9", offset);
  return SPRINT_OK;
}

sprint_status sprint__layers_parse(const struct sprint__section *section, size_t d, struct sprint__layer **ret_layers,
                                   size_t *ret_n) {
  char *text = sprint__layers_text(section);
  if (!text) return SPRINT_ERROR_MEMORY;
  size_t n = 1;
  for (const char *c = text; *c; c++) n += *c == ',';
  struct sprint__layer *layers = sprint__alloc(section->context, n, sizeof *layers);
  sprint_status status = layers ? parse_list(section, d, text, layers, n) : SPRINT_ERROR_MEMORY;
  sprint__free(text);
  if (status != SPRINT_OK) {
    sprint__free(layers);
    return status;
  }
  *ret_layers = layers;
  *ret_n = n;
  return SPRINT_OK;
}
