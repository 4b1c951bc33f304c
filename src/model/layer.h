/* A layer: maps n records of one shape to another, with its parameters as a view into theta. */
#ifndef SPRINT_MODEL_LAYER_H
#define SPRINT_MODEL_LAYER_H

#include "config/section.h"
#include "model/model.h"

struct sprint__layer;

/* A word of the layer list, read by the row of the kind's table that it belongs to. */
struct sprint__argument {
  int64_t number; /* INTEGER; the first of AxB for TEXT */
  int64_t second; /* of AxB */
  size_t choice;  /* CHOICE: which */
};

struct sprint__layer_ops {
  /* Sets the output's shape, weights, biases and cost from the input's shape and the arguments (one for each row of
   * the kind's table, within its range). A complaint, or NULL. */
  const char *(*setup)(struct sprint__layer *layer, const struct sprint__argument *arguments);
  void (*forward)(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                  sprint_real *ret_y, sprint_real *scratch);
  /* dy (n, out) -> dx (n, in), unless NULL; and the gradient in theta, unless NULL: added where `adds`, else written.
   */
  void (*backward)(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                   const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx, sprint_real *gradient,
                   bool adds, sprint_real *scratch);
  double least, greatest; /* what its outputs stay within, whatever comes in; both 0: nothing */
  bool element_wise;      /* an output follows from the input at its place, so that their order does not matter */
};

/* The complaint of a layer that looks at windows of an image. */
#define SPRINT__NO_IMAGE "images were expected, and what comes in has no rows and columns (a table takes dense layers)"

struct sprint__layer {
  const sprint_kind *kind;
  const struct sprint__layer_ops *ops;
  sprint_context *context; /* whose threads may share its work */
  struct sprint__shape from, to;
  size_t in, out;                       /* numbers per record: the products of the shapes */
  size_t offset;                        /* of its parameters in theta: weights, then biases */
  size_t n_weights, n_biases;           /* 0 where it has none */
  size_t n_dims, dims[4];               /* of the weights, as PyTorch shapes them */
  bool by_input;                        /* they are two-dimensional and held the other way round: (in, out) */
  bool then_relu;                       /* its outputs are the relu's that follows it */
  bool after_relu;                      /* its inputs are such: dx is wanted before that relu */
  bool absorbed;                        /* done by the layer before it: neither runs nor has outputs of its own */
  size_t fan_in, fan_out;               /* of one weight, for initialising */
  size_t kernel[2], stride, padding[2]; /* rows and columns; of windows alone */
  bool last_in, last_out;               /* images at its input or output are (rows, columns, channels) */
  size_t saved;                         /* reals per record that forward leaves behind its outputs for backward, */
  size_t saved_size;                    /* in which so many bytes are used, record after record */
  bool reads_y;                         /* its gradient in theta depends on its outputs, beside what is saved */
  bool keeps_y;                         /* its outputs are needed for some layer's gradient in theta */
  size_t activations;                   /* where in a record's activations its own are */
  bool late;                            /* a sum may leave its gradient in theta for later: see struct sprint__late */
  size_t feeds;                         /* the late layer that takes its outputs; 0: none does */
  int parts;                            /* that threads share where rows are few; otherwise 1, or 0 */
  size_t scratch;                       /* reals that forward and backward need */
  double products;                      /* multiplications of one record, forward */
};

/* Wherever three of n layers are conv, relu and maxpool 2, the first does all three, unless planes are few. */
void sprint__conv_pool_absorb(struct sprint__layer *layers, size_t n);

/* After that: any other conv takes in a relu behind it, and from one conv or maxpool to the next images stay (rows,
 * columns, channels). */
void sprint__conv_absorb(struct sprint__layer *layers, size_t n);

static inline size_t sprint__shape_size(const struct sprint__shape *shape) {
  return shape->channels * shape->height * shape->width;
}

extern const sprint_kind sprint__layer_dense, sprint__layer_conv, sprint__layer_maxpool, sprint__layer_flatten,
    sprint__layer_relu, sprint__layer_tanh, sprint__layer_sigmoid, sprint__layer_softplus, sprint__layer_gelu;

#endif
