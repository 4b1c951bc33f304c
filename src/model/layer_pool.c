/* Max-pooling over square windows that do not overlap, as PyTorch's nn.MaxPool2d; and flatten, which only forgets that
 * a record was an image. */
#include <string.h>

#include "base/group.h"
#include "model/layer.h"

static const char *maxpool_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  if (layer->from.height * layer->from.width <= 1) return SPRINT__NO_IMAGE;
  layer->kernel[0] = layer->kernel[1] = layer->stride = (size_t)arguments[0].number;
  layer->to = (struct sprint__shape){layer->from.channels, layer->from.height / layer->stride,
                                     layer->from.width / layer->stride};
  return layer->to.height && layer->to.width ? NULL : "the window is larger than the image";
}

/* Numbers from one channel to the next, and from one pixel to the next. */
struct order {
  size_t channel, pixel;
};

static struct order order_of(const struct sprint__shape *shape, bool last) {
  return last ? (struct order){1, shape->channels} : (struct order){shape->height * shape->width, 1};
}

/* Channels that go through together. */
enum { CHANNELS = 64 };

/* The largest of a window in each of n channels, and which it is: the first one of equals; a NaN wins, as in PyTorch.
 */
SPRINT__INLINE void find_largest(const struct sprint__layer *layer, const sprint_real *x, struct order from, size_t n,
                                 sprint_real *best, int32_t *which) {
  size_t k = layer->stride;
  for (size_t c = 0; c < n; c++) best[c] = x[c * from.channel], which[c] = 0;
  for (size_t q = 0; q < k * k; q++) {
    const sprint_real *at = x + (q / k * layer->from.width + q % k) * from.pixel;
    for (size_t c = 0; c < n; c++) {
      sprint_real value = at[c * from.channel];
      bool better = value > best[c] || value != value;
      best[c] = better ? value : best[c];
      which[c] = better ? (int32_t)q : which[c];
    }
  }
}

/* A window's outputs in n channels, or, where dx is not NULL, their slopes to where they came from. */
SPRINT__INLINE void pool_window(const struct sprint__layer *layer, const sprint_real *x, struct order from, size_t n,
                                struct order to, const sprint_real *dy, sprint_real *y_or_dx) {
  sprint_real best[CHANNELS];
  int32_t which[CHANNELS];
  size_t k = layer->stride;
  find_largest(layer, x, from, n, best, which);
  for (size_t c = 0; !dy && c < n; c++) y_or_dx[c * to.channel] = best[c];
  for (size_t q = 0; dy && q < k * k; q++) {
    sprint_real *at = y_or_dx + (q / k * layer->from.width + q % k) * from.pixel;
    for (size_t c = 0; c < n; c++) at[c * from.channel] = which[c] == (int32_t)q ? dy[c * to.channel] : 0;
  }
}

/* All windows of n records: y, or, where dy is not NULL, dx. */
SPRINT__INLINE void pool_records(const struct sprint__layer *layer, const sprint_real *x, size_t n, struct order from,
                                 struct order to, const sprint_real *dy, sprint_real *y_or_dx) {
  size_t width = layer->from.width, channels = layer->from.channels, k = layer->stride;
  for (size_t i = 0; i < n; i++, x += layer->in, y_or_dx += dy ? layer->in : layer->out, dy += dy ? layer->out : 0)
    for (size_t r = 0; r < layer->to.height; r++)
      for (size_t c = 0; c < layer->to.width; c++) {
        size_t in = (r * k * width + c * k) * from.pixel, out = (r * layer->to.width + c) * to.pixel;
        for (size_t f = 0; f < channels; f += CHANNELS)
          pool_window(layer, x + in + f * from.channel, from, channels - f < CHANNELS ? channels - f : CHANNELS, to,
                      dy ? dy + out + f * to.channel : NULL,
                      y_or_dx + (dy ? in + f * from.channel : out + f * to.channel));
      }
}

SPRINT__FAST static void maxpool_forward(const struct sprint__layer *layer, const sprint_real *theta,
                                         const sprint_real *x, size_t n, sprint_real *ret_y, sprint_real *scratch) {
  (void)theta, (void)scratch;
  struct order from = order_of(&layer->from, layer->last_in), to = order_of(&layer->to, layer->last_out);
  if (layer->last_in && layer->last_out)
    pool_records(layer, x, n, (struct order){1, from.pixel}, (struct order){1, to.pixel}, NULL, ret_y);
  else
    pool_records(layer, x, n, from, to, NULL, ret_y);
}

SPRINT__FAST static void maxpool_backward(const struct sprint__layer *layer, const sprint_real *theta,
                                          const sprint_real *x, const sprint_real *y, size_t n, const sprint_real *dy,
                                          sprint_real *dx, sprint_real *gradient, bool adds, sprint_real *scratch) {
  (void)theta, (void)y, (void)gradient, (void)adds, (void)scratch;
  struct order from = order_of(&layer->from, layer->last_in), to = order_of(&layer->to, layer->last_out);
  if (!dx) return;
  memset(dx, 0, n * layer->in * sizeof *dx);
  if (layer->last_in && layer->last_out)
    pool_records(layer, x, n, (struct order){1, from.pixel}, (struct order){1, to.pixel}, dy, dx);
  else
    pool_records(layer, x, n, from, to, dy, dx);
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
