/* Dense layer: y = x W^T + b, W (out, in) and b (out) laid out as PyTorch's nn.Linear. */
#include <string.h>

#include "model/gemm.h"
#include "model/layer.h"

static void dense_shape(struct sprint__layer *layer, const int64_t *arguments) {
  layer->out = (size_t)arguments[0];
  layer->n_weights = layer->in * layer->out;
  layer->n_biases = layer->out;
  layer->fan_in = layer->in;
  layer->fan_out = layer->out;
}

static void dense_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                          sprint_real *ret_y) {
  const sprint_real *bias = theta + layer->n_weights;
  for (size_t i = 0; i < n; i++) memcpy(ret_y + i * layer->out, bias, layer->out * sizeof(sprint_real));
  sprint__gemm_forward(x, theta, n, layer->in, layer->out, ret_y);
}

static void dense_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                           const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx,
                           sprint_real *gradient) {
  (void)y;
  if (gradient) {
    sprint__gemm_weight(dy, x, n, layer->in, layer->out, gradient);
    sprint_real *bias = gradient + layer->n_weights;
    for (size_t i = 0; i < n; i++)
      for (size_t o = 0; o < layer->out; o++) bias[o] += dy[i * layer->out + o];
  }
  if (dx) sprint__gemm_input(dy, theta, n, layer->in, layer->out, dx);
}

static const struct sprint__layer_ops dense_ops = {dense_shape, dense_forward, dense_backward};

static const sprint_param dense_params[] = {
    {.name = "units", .type = SPRINT_PARAM_INTEGER, .min = 1, .max = 1e6, .help = "number of outputs"},
};

const sprint_kind sprint__layer_dense = {"dense", "y = x W^T + b", dense_params, SPRINT__COUNT(dense_params),
                                         &dense_ops};
