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

/* Numbers from one channel to the next, from one pixel to the next and from one row to the next. */
struct order {
  size_t channel, pixel, row;
};

static struct order order_of(const struct sprint__shape *shape, bool last) {
  size_t plane = shape->height * shape->width, channels = shape->channels;
  return last ? (struct order){1, channels, shape->width * channels} : (struct order){plane, 1, shape->width};
}

/* The largest of a window of side k and which it is, counted by rows: the first one of equals; a NaN wins, as in
 * PyTorch. In one channel, and in G of them side by side. */
SPRINT__INLINE sprint_real find_largest(const sprint_real *x, size_t k, struct order from, size_t *ret_which) {
  sprint_real best = x[0];
  size_t which = 0;
  for (size_t i = 0, q = 0; i < k; i++)
    for (size_t j = 0; j < k; j++, q++) {
      sprint_real value = x[i * from.row + j * from.pixel];
      bool better = value > best || value != value;
      best = better ? value : best;
      which = better ? q : which;
    }
  *ret_which = which;
  return best;
}

SPRINT__INLINE group find_largest_group(const sprint_real *x, size_t k, struct order from, group *ret_which) {
  group best = load(x), which = {0};
  sprint_real q = 0;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++, q++) {
      group value = load(x + i * from.row + j * from.pixel);
      group_mask better = (value > best) | (value != value);
      best = blend(better, value, best);
      which = blend(better, SPRINT__ALL(q), which);
    }
  *ret_which = which;
  return best;
}

/* A window's output, or, where dy is not NULL, dx. */
SPRINT__INLINE void pool_one(const sprint_real *x, size_t k, struct order from, const sprint_real *dy,
                             sprint_real *y_or_dx) {
  size_t which;
  sprint_real best = find_largest(x, k, from, &which);
  if (!dy) *y_or_dx = best;
  for (size_t i = 0, q = 0; dy && i < k; i++)
    for (size_t j = 0; j < k; j++, q++) y_or_dx[i * from.row + j * from.pixel] = q == which ? *dy : 0;
}

/* G numbers so far apart. */
SPRINT__INLINE group load_apart(const sprint_real *at, size_t apart) {
  group value = {0};
  if (apart == 1) return load(at);
#pragma GCC unroll 8
  for (size_t g = 0; g < G; g++) value[g] = at[g * apart];
  return value;
}

SPRINT__INLINE void store_apart(sprint_real *at, size_t apart, group value) {
  if (apart == 1) {
    store(at, value);
    return;
  }
#pragma GCC unroll 8
  for (size_t g = 0; g < G; g++) at[g * apart] = value[g];
}

/* Channels lie beside each other where windows are, and may be apart where outputs are. */
SPRINT__INLINE void pool_group(const sprint_real *x, size_t k, struct order from, struct order to,
                               const sprint_real *dy, sprint_real *y_or_dx) {
  group which, best = find_largest_group(x, k, from, &which), slope = {0};
  sprint_real q = 0;
  if (!dy)
    store_apart(y_or_dx, to.channel, best);
  else
    slope = load_apart(dy, to.channel);
  for (size_t i = 0; dy && i < k; i++)
    for (size_t j = 0; j < k; j++, q++)
      store(y_or_dx + i * from.row + j * from.pixel, blend(which == SPRINT__ALL(q), slope, (group){0}));
}

/* The same in all channels; the last group begins early where it would not be full. */
SPRINT__INLINE void pool_window(const sprint_real *x, size_t k, struct order from, struct order to, size_t channels,
                                const sprint_real *dy, sprint_real *y_or_dx) {
  bool groups = from.channel == 1 && channels >= G;
  for (size_t f = 0; groups && f < channels; f += G) {
    size_t c = f + G <= channels ? f : channels - G;
    pool_group(x + c, k, from, to, dy ? dy + c * to.channel : NULL, y_or_dx + (dy ? c : c * to.channel));
  }
  for (size_t c = 0; !groups && c < channels; c++)
    pool_one(x + c * from.channel, k, from, dy ? dy + c * to.channel : NULL, y_or_dx + c * (dy ? from : to).channel);
}

/* All windows of n records, of side k: y, or, where dy is not NULL, dx. */
SPRINT__INLINE void pool_records(const struct sprint__layer *layer, size_t k, const sprint_real *x, size_t n,
                                 const sprint_real *dy, sprint_real *y_or_dx) {
  struct order from = order_of(&layer->from, layer->last_in), to = order_of(&layer->to, layer->last_out);
  for (size_t i = 0; i < n; i++)
    for (size_t r = 0; r < layer->to.height; r++)
      for (size_t c = 0; c < layer->to.width; c++) {
        size_t in = i * layer->in + k * (r * from.row + c * from.pixel);
        size_t out = i * layer->out + r * to.row + c * to.pixel;
        pool_window(x + in, k, from, to, layer->from.channels, dy ? dy + out : NULL, y_or_dx + (dy ? in : out));
      }
}

/* The usual side is known when this is compiled. */
SPRINT__FAST static void maxpool_forward(const struct sprint__layer *layer, const sprint_real *theta,
                                         const sprint_real *x, size_t n, sprint_real *ret_y, sprint_real *scratch) {
  (void)theta, (void)scratch;
  if (layer->stride == 2)
    pool_records(layer, 2, x, n, NULL, ret_y);
  else
    pool_records(layer, layer->stride, x, n, NULL, ret_y);
}

SPRINT__FAST static void maxpool_backward(const struct sprint__layer *layer, const sprint_real *theta,
                                          const sprint_real *x, const sprint_real *y, size_t n, const sprint_real *dy,
                                          sprint_real *dx, sprint_real *gradient, bool adds, sprint_real *scratch) {
  (void)theta, (void)y, (void)gradient, (void)adds, (void)scratch;
  if (!dx) return;
  memset(dx, 0, n * layer->in * sizeof *dx);
  if (layer->stride == 2)
    pool_records(layer, 2, x, n, dy, dx);
  else
    pool_records(layer, layer->stride, x, n, dy, dx);
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
