/* Dense layer: y = x W + b, or max(x W + b, 0) where it has taken in the relu after it. Files hold W^T (out, in) as
 * PyTorch's nn.Linear does. */
#include "base/lanes.h"
#include "model/dense.h"
#include "model/layer.h"

static const char *dense_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  layer->to = (struct sprint__shape){(size_t)arguments[0].number, 1, 1};
  layer->n_biases = layer->to.channels;
  layer->n_weights = layer->in * layer->n_biases;
  layer->n_dims = 2;
  layer->dims[0] = layer->fan_out = layer->n_biases;
  layer->dims[1] = layer->fan_in = layer->in;
  layer->by_input = true;
  layer->products = (double)layer->n_weights;
  layer->scratch = SPRINT__CUT_ROOM * layer->n_biases;
  return NULL;
}

static struct sprint__dense dense_of(const struct sprint__layer *layer, const sprint_real *theta) {
  return (struct sprint__dense){.in = layer->in, .out = layer->out, .theta = theta, .relu = layer->then_relu};
}

/* One of several lanes is one thread's, and gains nothing by it. */
static bool is_cut(const struct sprint__layer *layer, size_t n) {
  return layer->parts > 1 && n < SPRINT__CUT_ROWS && !sprint__lanes_nested(layer->context);
}

static void dense_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                          sprint_real *ret_y, sprint_real *scratch) {
  struct sprint__dense dense = dense_of(layer, theta);
  if (is_cut(layer, n))
    sprint__cut_forward(layer->context, &dense, layer->parts, x, n, ret_y, scratch);
  else
    sprint__dense_forward(&dense, x, n, ret_y);
}

static void dense_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                           const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx,
                           sprint_real *gradient, bool adds, sprint_real *scratch) {
  (void)y;
  (void)scratch;
  struct sprint__dense dense = dense_of(layer, theta);
  if (is_cut(layer, n)) {
    sprint__cut_backward(layer->context, &dense, layer->parts, x, dy, n, layer->after_relu, dx, gradient, adds);
    return;
  }
  if (gradient) sprint__dense_weight(&dense, x, dy, n, adds, gradient);
  if (dx) sprint__dense_input(&dense, dy, n, layer->after_relu ? x : NULL, dx);
}

static const struct sprint__layer_ops dense_ops = {dense_setup, dense_forward, dense_backward};

static const sprint_param dense_params[] = {
    SPRINT__INTEGER("units", NULL, 1, 1e6, "number of outputs"),
};

const sprint_kind sprint__layer_dense = {"dense", "y = x W^T + b", dense_params, SPRINT__COUNT(dense_params),
                                         &dense_ops};
