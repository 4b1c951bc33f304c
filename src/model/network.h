/* A network: a list of layers and a loss on the last one's outputs. */
#ifndef SPRINT_MODEL_NETWORK_H
#define SPRINT_MODEL_NETWORK_H

#include "model/layer.h"
#include "model/loss.h"

enum { SPRINT__MAX_LAYERS = 64 };

struct sprint__network {
  size_t n_layers;
  struct sprint__layer *layers;
  struct sprint__loss loss;
  const struct sprint__init_ops *init;
  size_t block;       /* rows that go through all layers together, while they sit in cache */
  size_t max_width;   /* of any layer's output */
  size_t last;        /* the layer that puts out what the loss takes */
  size_t activations; /* reals of a record's: see struct sprint__upper */
};

extern const struct sprint__model_ops sprint__network_ops;

/* Reals that a lane needs for one block, where the layers want layer_scratch of them for themselves. */
size_t sprint__network_scratch(const struct sprint__network *net, size_t layer_scratch);

/* Fills layers, of the arena, from the `layers` value of a model section; offsets and shapes are set. */
sprint_status sprint__layers_parse(const struct sprint__section *section, struct sprint__shape shape,
                                   struct sprint__arena *arena, struct sprint__layer **ret_layers, size_t *ret_n);

/* Bytes that a network of these layers takes for its lanes, found without taking them; marks what is absorbed. */
double sprint__layers_need(struct sprint__layer *layers, size_t n);

/* The list as one text with commas, whether it was given as a text or as a YAML list; owned by the caller. */
char *sprint__layers_text(const struct sprint__section *section);

/* An initialisation: the value of one weight from its random words. */
struct sprint__init_ops {
  void (*layer)(const struct sprint__layer *layer, uint64_t seed, size_t number, sprint_real *ret_weights,
                sprint_real *ret_biases);
};

/* The network of a model section. */
sprint_status sprint__network_build(const struct sprint__section *section, struct sprint__shape shape, size_t n_classes,
                                    sprint_model **ret_model);

#endif
