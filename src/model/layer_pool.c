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

/* The q-th number of G windows beside the largest so far, and which that is: the first one of equals; a NaN wins, as in
 * PyTorch. */
SPRINT__INLINE void keep_larger(group value, sprint_real q, group *best, group *which) {
  group_mask better = (value > *best) | (value != value);
  *best = blend(better, value, *best);
  *which = blend(better, SPRINT__ALL(q), *which);
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
  group which = {0}, best = load(x), slope = {0};
  sprint_real q = 0;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++, q++) keep_larger(load(x + i * from.row + j * from.pixel), q, &best, &which);
  if (!dy)
    store_apart(y_or_dx, to.channel, best);
  else
    slope = load_apart(dy, to.channel);
  q = 0;
  for (size_t i = 0; dy && i < k; i++)
    for (size_t j = 0; j < k; j++, q++)
      store(y_or_dx + i * from.row + j * from.pixel, blend(which == SPRINT__ALL(q), slope, (group){0}));
}

/* Windows of G channels at a time, of one record; the last group begins early where it would not be full. */
SPRINT__INLINE void pool_channels(const struct sprint__layer *layer, size_t k, struct order from, struct order to,
                                  const sprint_real *x, const sprint_real *dy, sprint_real *y_or_dx) {
  size_t channels = layer->from.channels;
  for (size_t r = 0; r < layer->to.height; r++)
    for (size_t c = 0; c < layer->to.width; c++)
      for (size_t f = 0; f < channels; f += G) {
        size_t first = f + G <= channels ? f : channels - G;
        size_t in = k * (r * from.row + c * from.pixel) + first, out = r * to.row + c * to.pixel + first * to.channel;
        pool_group(x + in, k, from, to, dy ? dy + out : NULL, y_or_dx + (dy ? in : out));
      }
}

/* Where G outputs' windows start, and the outputs are: pixel by pixel in all channels, from output o on. Where there
 * are fewer they are the last one again. */
struct outputs {
  size_t in[G], out[G];
};

SPRINT__INLINE void list_outputs(const struct sprint__layer *layer, size_t k, struct order from, struct order to,
                                 size_t o, struct outputs *ret) {
  size_t channels = layer->from.channels, f = o % channels, pixel = o / channels;
  size_t r = pixel / layer->to.width, c = pixel % layer->to.width;
  for (size_t g = 0; g < G; g++, o++) {
    ret->in[g] = k * (r * from.row + c * from.pixel) + f * from.channel;
    ret->out[g] = r * to.row + c * to.pixel + f * to.channel;
    if (o + 1 >= layer->out || ++f < channels) continue;
    f = 0;
    if (++c < layer->to.width) continue;
    c = 0;
    r++;
  }
}

SPRINT__INLINE group load_at(const sprint_real *x, const size_t *at) {
  group value = {0};
#pragma GCC unroll 8
  for (size_t g = 0; g < G; g++) value[g] = x[at[g]];
  return value;
}

SPRINT__INLINE void store_at(sprint_real *x, const size_t *at, group value) {
#pragma GCC unroll 8
  for (size_t g = 0; g < G; g++) x[at[g]] = value[g];
}

/* The windows of G outputs, wherever they are. */
SPRINT__INLINE void pool_outputs(const struct outputs *of, size_t k, struct order from, const sprint_real *x,
                                 const sprint_real *dy, sprint_real *y_or_dx) {
  group best = load_at(x, of->in), which = {0};
  sprint_real q = 0;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++, q++)
      keep_larger(load_at(x + i * from.row + j * from.pixel, of->in), q, &best, &which);
  if (!dy) {
    store_at(y_or_dx, of->out, best);
    return;
  }
  group slope = load_at(dy, of->out);
  q = 0;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++, q++)
      store_at(y_or_dx + i * from.row + j * from.pixel, of->in, blend(which == SPRINT__ALL(q), slope, (group){0}));
}

/* All windows of n records, of side k: y, or, where dy is not NULL, dx. */
SPRINT__INLINE void pool_records(const struct sprint__layer *layer, size_t k, const sprint_real *x, size_t n,
                                 const sprint_real *dy, sprint_real *y_or_dx) {
  struct order from = order_of(&layer->from, layer->last_in), to = order_of(&layer->to, layer->last_out);
  size_t in = layer->in, out = layer->out, step = dy ? in : out;
  if (from.channel == 1 && layer->from.channels >= G) {
    for (size_t i = 0; i < n; i++)
      pool_channels(layer, k, from, to, x + i * in, dy ? dy + i * out : NULL, y_or_dx + i * step);
    return;
  }
  for (size_t o = 0; o < out; o += G) {
    struct outputs some;
    list_outputs(layer, k, from, to, o, &some);
    for (size_t i = 0; i < n; i++)
      pool_outputs(&some, k, from, x + i * in, dy ? dy + i * out : NULL, y_or_dx + i * step);
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
