/* A model: l(x, y; theta) over one flat theta. The lane driver in model.c cuts rows into lanes; an implementation
 * (network, test bed, callbacks) computes plain sums over the rows of one lane. */
#ifndef SPRINT_MODEL_MODEL_H
#define SPRINT_MODEL_MODEL_H

#include "base/context.h"
#include "base/lanes.h"
#include "config/section.h"
#include "population/pixels.h"
#include "population/shape.h"

/* Rows of records: by value, or, where x is NULL, images by reference. */
struct sprint__rows {
  size_t n;
  const sprint_real *x; /* (n, d), or NULL */
  const sprint_real *y; /* (n), or NULL where no loss is wanted */
  const struct sprint__pixels *pixels;
  const uint32_t *who; /* (n) whose images; NULL: first, first + 1, ... */
  size_t first;

  /* Of a first layer that takes lists of pixels (sprint_model.list_out outputs); each NULL: not so. */
  sprint_real *delta;          /* (n, list_out) its delta goes here, the gradient of its parameters is left out */
  sprint_real *trace;          /* (everybody, list_trace) what the pass at theta leaves of each individual */
  const sprint_real *trace_b;  /* (everybody, list_trace) what that at theta_b left */
  const sprint_real *products; /* (n, list_out) what it puts out at theta, before its relu */
};

/* Whose image row i is. */
static inline size_t sprint__rows_individual(const struct sprint__rows *rows, size_t i) {
  return rows->who ? rows->who[i] : rows->first + i;
}

/* Whether rows come as lists of the pixels that are not zero. */
static inline bool sprint__rows_listed(const struct sprint__rows *rows) { return !rows->x && rows->pixels->list; }

/* How a step moved such a layer's parameters: W -= factor * sum over the batch of x delta^T + size * control, the
 * biases as if a feature were 1. */
struct sprint__move {
  size_t n;
  const uint32_t *who;      /* (n) */
  const sprint_real *delta; /* (n, list_out) */
  sprint_real factor, size;
  const sprint_real *control; /* (d + 1, list_out), or NULL */
  bool steady;                /* the control stays the same until the epoch ends */
};

/* Sums over rows, without the L2 penalty. gradient NULL: not wanted. */
struct sprint__sums {
  double loss;
  size_t correct;
  sprint_real *gradient; /* (n_params) */
};

/* The score that individuals want higher. */
struct sprint__score {
  size_t good;      /* the class wanted */
  bool probability; /* of the good class, instead of its log-odds */
  double sign;      /* +1 or -1 */
};

/* What one lane works with; two lanes never share one. */
struct sprint__lane {
  sprint_real *scratch;
  sprint_real *gradient; /* (n_params) partial sums */
  double loss;
  size_t correct;
};

struct sprint__tensor_view {
  char name[32]; /* as PyTorch's nn.Sequential names it: "0.weight" */
  size_t offset; /* into theta */
  size_t n_dims, shape[4];
  bool by_input; /* two-dimensional, held in theta the other way round */
};

/* Where number i of a matrix (shape[0], shape[1]) is in its transpose. */
static inline size_t sprint__transposed(const size_t *shape, size_t i) {
  return i % shape[1] * shape[0] + i / shape[1];
}

/* Where number i of a tensor, in its own order, is in theta. */
static inline size_t sprint__tensor_at(const struct sprint__tensor_view *view, size_t i) {
  return view->offset + (view->by_input ? sprint__transposed(view->shape, i) : i);
}

static inline size_t sprint__tensor_size(const struct sprint__tensor_view *view) {
  size_t size = 1;
  for (size_t k = 0; k < view->n_dims; k++) size *= view->shape[k];
  return size;
}

struct sprint__model_ops {
  bool gives_gradient_x; /* whether sums can write gradient_x */
  bool reads_pixels;     /* whether rows may come by reference */
  void (*free)(sprint_model *model);
  /* Adds to sums.loss and correct; writes sums.gradient unless NULL, and gradient_x (n, d) unless NULL. */
  void (*sums)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
               const struct sprint__rows *rows, struct sprint__sums *sums, sprint_real *gradient_x);
  /* Writes to sums.gradient that at theta on rows minus that at theta_b on the same individuals' x_b (NULL: the rows
   * themselves); loss and correct are those at theta. NULL: is put together from sums. */
  void (*difference)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                     const sprint_real *theta_b, const struct sprint__rows *rows, const sprint_real *x_b,
                     struct sprint__sums *sums);
  /* The losses of SPRINT__ABREAST records from z, a tile of what a first layer that takes lists of pixels puts out,
   * before its relu. */
  void (*losses_above)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                       const sprint_real *z, const sprint_real *y, sprint_real *ret_losses);
  /* Writes (n, d). NULL: the model has no score. */
  void (*score_gradient)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                         const sprint_real *x, size_t n, const struct sprint__score *score, sprint_real *ret_dx);
  /* Writes (n, n_outputs). NULL: the model has no outputs. */
  void (*outputs)(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta, const sprint_real *x,
                  size_t n, sprint_real *ret_outputs);
  void (*start)(const sprint_model *model, uint64_t seed, sprint_real *ret_theta);
};

struct sprint_model {
  sprint_context *context;
  const struct sprint__model_ops *ops;
  void *impl; /* struct network and the like */
  size_t n_params, n_features, n_outputs, n_classes;
  bool classifies;
  double l2;
  unsigned char *undecayed; /* (n_params) 1: L2 leaves it alone; NULL: all decay */
  double cost_per_row;      /* floating-point operations of a gradient, roughly */
  size_t scratch_size;      /* reals per lane */
  size_t list_out;          /* outputs of a first layer that takes lists of pixels; its parameters are theta's first */
  size_t list_trace;        /* reals that, with the record, make up an individual's gradient in such a model */
  size_t n_tensors;
  struct sprint__tensor_view *tensors;
  char *layers_text, *loss_text; /* as a config would say them; NULL for custom models */
  struct sprint__lane lanes[SPRINT__MAX_LANES];
  sprint_real *other; /* (n_params) for differences, where ops has none */
};

extern const sprint_family sprint__model_family;
extern const sprint_family sprint__layer_family;
extern const sprint_family sprint__init_family;
extern const sprint_family sprint__loss_family;

/* The model of a `model:` section for records of a shape and n_classes classes (0: values). */
sprint_status sprint__model_build(const struct sprint__section *section, struct sprint__shape shape, size_t n_classes,
                                  sprint_model **ret_model);

/* Implementations fill the struct, then call this to allocate lanes. */
sprint_status sprint__model_finish(sprint_model *model);

static inline struct sprint__rows sprint__rows_of(const sprint_batch *batch) {
  return (struct sprint__rows){.n = batch->n, .x = batch->x, .y = batch->y};
}

/* Sums over rows, cut into lanes. Overwrites *ret_sums; the gradient goes to ret_sums->gradient. */
void sprint__model_sums(sprint_model *model, const sprint_real *theta, const struct sprint__rows *rows,
                        struct sprint__sums *ret_sums, sprint_real *gradient_x);

/* The same, with weight * gradient written to total (n_params), or added to it where `adds`. */
void sprint__model_add_sums(sprint_model *model, const sprint_real *theta, const struct sprint__rows *rows,
                            double weight, bool adds, double *total, struct sprint__sums *ret_sums);

/* The gradient at theta on rows minus that at theta_b on the same individuals' x_b (NULL: the rows themselves), both
 * summed; loss and correct at theta. */
void sprint__model_difference(sprint_model *model, const sprint_real *theta, const sprint_real *theta_b,
                              const struct sprint__rows *rows, const sprint_real *x_b, struct sprint__sums *ret_sums);

/* Labels from outside: class numbers, where the model classifies. */
sprint_status sprint__model_check_labels(const sprint_model *model, const sprint_real *y, size_t n);

/* The L2 penalty and its gradient's element i. */
double sprint__model_penalty(const sprint_model *model, const sprint_real *theta);
static inline double sprint__model_decay(const sprint_model *model, const sprint_real *theta, size_t i) {
  return model->undecayed && model->undecayed[i] ? 0.0 : model->l2 * (double)theta[i];
}

/* What a network's outputs say: class probabilities (n, n_classes), or values (n) of a regression. */
sprint_status sprint__network_scores(const sprint_model *model, const sprint_real *outputs, size_t n,
                                     double *ret_scores);

void sprint__model_score_gradient(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                  const struct sprint__score *score, sprint_real *ret_dx);

#endif
