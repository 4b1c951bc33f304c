/* A network: a list of layers and a loss on the last one's outputs. */
#ifndef SPRINT_MODEL_NETWORK_H
#define SPRINT_MODEL_NETWORK_H

#include "model/layer.h"
#include "model/loss.h"

enum { SPRINT__MAX_LAYERS = 64 };

/* What goes into and comes out of a late layer, for all rows that are summed together. */
struct sprint__late_rows {
  size_t n;
  int n_sides;             /* theta, and the parameters that are compared with it */
  const sprint_real *x[2]; /* (n, in) */
  sprint_real *room[2];    /* (late rows, in) that x is, but of the first layer's records where they have a place */
  sprint_real *dy[2];      /* (late rows, out) */
};

struct sprint__network {
  size_t n_layers;
  struct sprint__layer *layers;
  struct sprint__loss loss;
  const struct sprint__init_ops *init;
  size_t block;                   /* rows that go through all layers together, while they sit in cache */
  size_t max_width;               /* of any layer's output */
  size_t last;                    /* the layer that puts out what the loss takes */
  size_t activations;             /* reals of a record's that a pass can keep */
  size_t past;                    /* reals of a record's that a layer may need where activations are recalled */
  size_t scratch;                 /* reals that the layer which works in most needs */
  size_t aside;                   /* parameters of the largest layer of windows; 0: there is none */
  struct sprint__late_rows *late; /* (n_layers) */
};

extern const struct sprint__model_ops sprint__network_ops;

/* Reals that a lane needs for one block. */
size_t sprint__network_scratch(const struct sprint__network *net);

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

/* network_upper.c and network_score.c: see struct sprint__model_ops. */
const sprint_real *sprint__network_upper_sums(const sprint_model *model, struct sprint__lane *lane,
                                              const sprint_real *theta, const struct sprint__upper_rows *rows,
                                              bool adds, struct sprint__sums *sums);
void sprint__network_upper_losses(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                  const sprint_real *z, const sprint_real *y, sprint_real *ret_losses);
void sprint__network_score_gradient(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                    const sprint_real *x, size_t n, const struct sprint__score *score,
                                    sprint_real *ret_dx);
void sprint__network_score_sums(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                const sprint_real *x, size_t n, const struct sprint__score *score,
                                sprint_real *ret_gradient);
void sprint__network_outputs(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                             const sprint_real *x, size_t n, sprint_real *ret_outputs);

/* network_late.c: which layers are late, and how their gradients are cut; n_params are known. */
void sprint__network_mark_late(struct sprint__network *net);
void sprint__network_plan_late(sprint_model *model);
/* Reals of the room that it takes. */
double sprint__network_late_need(const struct sprint__network *net);

/* The network of a model section. */
sprint_status sprint__network_build(const struct sprint__section *section, struct sprint__shape shape, size_t n_classes,
                                    sprint_model **ret_model);

/* network_build.c: see `shares` in struct sprint__model_ops. */
bool sprint__network_shares(const sprint_model *model, size_t stretch);

#endif
