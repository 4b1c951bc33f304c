/* Dense layer: y = x W^T + b, W (out, in) and b (out) laid out as PyTorch's nn.Linear. */
#include <string.h>

#include "base/fast.h"
#include "model/gemm.h"
#include "model/layer.h"

static const char *dense_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  layer->to = (struct sprint__shape){(size_t)arguments[0].number, 1, 1};
  layer->n_biases = layer->to.channels;
  layer->n_weights = layer->in * layer->n_biases;
  layer->n_dims = 2;
  layer->dims[0] = layer->fan_out = layer->n_biases;
  layer->dims[1] = layer->fan_in = layer->in;
  layer->products = (double)layer->n_weights;
  return NULL;
}

static void dense_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                          sprint_real *ret_y, sprint_real *scratch) {
  (void)scratch;
  const sprint_real *bias = theta + layer->n_weights;
  for (size_t i = 0; i < n; i++) memcpy(ret_y + i * layer->out, bias, layer->out * sizeof(sprint_real));
  sprint__gemm_forward(x, theta, n, layer->in, layer->out, ret_y);
}

SPRINT__FAST static void add_rows(const sprint_real *restrict dy, size_t n, size_t out, sprint_real *restrict bias) {
  for (size_t i = 0; i < n; i++)
    for (size_t o = 0; o < out; o++) bias[o] += dy[i * out + o];
}

static void dense_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                           const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx,
                           sprint_real *gradient, bool adds, sprint_real *scratch) {
  (void)y;
  (void)scratch;
  if (gradient) {
    sprint__gemm_weight(dy, x, n, layer->in, layer->out, adds, gradient);
    if (!adds) memset(gradient + layer->n_weights, 0, layer->out * sizeof *gradient);
    add_rows(dy, n, layer->out, gradient + layer->n_weights);
  }
  if (dx) sprint__gemm_input(dy, theta, n, layer->in, layer->out, dx);
}

static const struct sprint__layer_ops dense_ops = {dense_setup, dense_forward, dense_backward};

static const sprint_param dense_params[] = {
    {.name = "units", .type = SPRINT_PARAM_INTEGER, .min = 1, .max = 1e6, .help = "number of outputs"},
};

const sprint_kind sprint__layer_dense = {"dense", "y = x W^T + b", dense_params, SPRINT__COUNT(dense_params),
                                         &dense_ops};
