/* A layer: maps (n, in) to (n, out), with its parameters as a view into theta. */
#ifndef SPRINT_MODEL_LAYER_H
#define SPRINT_MODEL_LAYER_H

#include "base/context.h"

struct sprint__layer;

struct sprint__layer_ops {
  /* Sets out, n_weights and n_biases from in and the layer's arguments (checked against the kind's table). */
  void (*shape)(struct sprint__layer *layer, const int64_t *arguments);
  void (*forward)(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                  sprint_real *ret_y);
  /* dy (n, out) -> dx (n, in), unless NULL; adds the gradient in theta unless NULL. */
  void (*backward)(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                   const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx, sprint_real *gradient);
};

struct sprint__layer {
  const sprint_kind *kind;
  const struct sprint__layer_ops *ops;
  size_t in, out;
  size_t offset;              /* of its parameters in theta: weights, then biases */
  size_t n_weights, n_biases; /* 0 for activations */
  size_t fan_in, fan_out;     /* of one weight, for initialising */
};

extern const sprint_kind sprint__layer_dense, sprint__layer_relu, sprint__layer_tanh, sprint__layer_sigmoid,
    sprint__layer_softplus, sprint__layer_gelu;

#endif
