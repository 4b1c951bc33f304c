/* Max-pooling over square windows that do not overlap, as PyTorch's nn.MaxPool2d; and flatten, which only forgets that
 * a record was an image. */
#include <string.h>

#include "model/layer.h"

static const char *maxpool_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  if (layer->from.height * layer->from.width <= 1) return SPRINT__NO_IMAGE;
  layer->kernel[0] = layer->kernel[1] = layer->stride = (size_t)arguments[0].number;
  layer->to = (struct sprint__shape){layer->from.channels, layer->from.height / layer->stride,
                                     layer->from.width / layer->stride};
  return layer->to.height && layer->to.width ? NULL : "the window is larger than the image";
}

/* Where the largest of the window at (r, c) of a plane is: the first one of equals; a NaN wins, as in PyTorch. */
static size_t largest_at(const struct sprint__layer *layer, const sprint_real *plane, size_t r, size_t c) {
  size_t k = layer->stride, width = layer->from.width, best = r * k * width + c * k;
  for (size_t dr = 0; dr < k; dr++)
    for (size_t dc = 0; dc < k; dc++) {
      size_t at = (r * k + dr) * width + c * k + dc;
      if (plane[at] > plane[best] || plane[at] != plane[at]) best = at;
    }
  return best;
}

static void maxpool_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                            sprint_real *ret_y, sprint_real *scratch) {
  (void)theta, (void)scratch;
  size_t plane = layer->from.height * layer->from.width;
  for (size_t p = 0; p < n * layer->from.channels; p++, x += plane)
    for (size_t r = 0; r < layer->to.height; r++)
      for (size_t c = 0; c < layer->to.width; c++) *ret_y++ = x[largest_at(layer, x, r, c)];
}

static void maxpool_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                             const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx,
                             sprint_real *gradient, bool adds, sprint_real *scratch) {
  (void)theta, (void)y, (void)gradient, (void)adds, (void)scratch;
  if (!dx) return;
  size_t plane = layer->from.height * layer->from.width;
  memset(dx, 0, n * layer->in * sizeof *dx);
  for (size_t p = 0; p < n * layer->from.channels; p++, x += plane, dx += plane)
    for (size_t r = 0; r < layer->to.height; r++)
      for (size_t c = 0; c < layer->to.width; c++) dx[largest_at(layer, x, r, c)] += *dy++;
}

static const struct sprint__layer_ops maxpool_ops = {maxpool_setup, maxpool_forward, maxpool_backward};

static const sprint_param maxpool_params[] = {
    SPRINT__INTEGER("size", NULL, 1, 1024, "side of the window, and its stride"),
};

const sprint_kind sprint__layer_maxpool = {"maxpool", "the largest of each window: maxpool 2", maxpool_params,
                                           SPRINT__COUNT(maxpool_params), &maxpool_ops};

static const char *flatten_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  (void)arguments;
  layer->to = (struct sprint__shape){layer->in, 1, 1};
  return NULL;
}

static void flatten_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                            sprint_real *ret_y, sprint_real *scratch) {
  (void)theta, (void)scratch;
  memcpy(ret_y, x, n * layer->in * sizeof *x);
}

static void flatten_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                             const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx,
                             sprint_real *gradient, bool adds, sprint_real *scratch) {
  (void)theta, (void)x, (void)y, (void)gradient, (void)adds, (void)scratch;
  if (dx) memcpy(dx, dy, n * layer->in * sizeof *dx);
}

static const struct sprint__layer_ops flatten_ops = {flatten_setup, flatten_forward, flatten_backward};

const sprint_kind sprint__layer_flatten = {"flatten", "planes to one vector; dense layers do so by themselves", NULL, 0,
                                           &flatten_ops};
