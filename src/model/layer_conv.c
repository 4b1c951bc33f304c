/* Convolution: planes (channels, height, width) to (filters, rows, columns), weights (filters, channels, kernel rows,
 * kernel columns) as PyTorch's nn.Conv2d; with max(., 0) where it has taken in the relu after it. Here records and
 * weights are brought into the order of conv.h's kernels and back. */
#include "model/conv_product.h"

enum { FILTERS, KERNEL, PADDING, STRIDE };
enum { SAME, VALID };

/* What the scratch holds. */
struct room {
  sprint_real *x;              /* an image in its padding, and a line and a group that may be read */
  sprint_real *y, *dx;         /* one record's, channels last */
  sprint_real *dy;             /* within its zeros, and as much behind them */
  sprint_real *weights;        /* forward, or of all phases */
  sprint_real *work;           /* what products work in */
  sprint_real *bias, *dw, *db; /* dw: panels */
};

/* Rooms for the weights and for the work of all products, forward or backward. */
static void size_products(const struct sprint__layer *layer, size_t *ret_weights, size_t *ret_work) {
  struct sprint__product forward = sprint__product_forward(layer);
  size_t weights = 0;
  *ret_weights = sprint__product_weights(&forward);
  *ret_work = sprint__product_room(&forward);
  for (size_t k = 0; k < sprint__product_phases(layer); k++) {
    struct sprint__product phase = sprint__product_backward(layer, k);
    weights += sprint__product_weights(&phase);
    if (sprint__product_room(&phase) > *ret_work) *ret_work = sprint__product_room(&phase);
  }
  if (weights > *ret_weights) *ret_weights = weights;
}

static struct room room_of(const struct sprint__layer *layer, sprint_real *scratch, size_t *ret_size) {
  struct sprint__conv of = sprint__product_forward(layer).of;
  size_t used = 0, lanes = sprint__conv_lanes(of.filters), n_weights, n_work;
  size_t lines = layer->from.height + 2 * layer->padding[0], dy_line = sprint__dy_length(layer, 1) * of.filters;
  struct room room;
  size_products(layer, &n_weights, &n_work);
  room.x = sprint__conv_take(scratch, &used, (lines + 1) * of.line + SPRINT__GROUP);
  room.y = sprint__conv_take(scratch, &used, of.rows * of.to_down);
  room.dx = sprint__conv_take(scratch, &used, layer->in);
  room.dy = sprint__conv_take(scratch, &used, (sprint__dy_length(layer, 0) + 1) * dy_line + SPRINT__GROUP);
  room.weights = sprint__conv_take(scratch, &used, n_weights);
  room.work = sprint__conv_take(scratch, &used, n_work);
  room.bias = sprint__conv_take(scratch, &used, lanes);
  room.dw = sprint__conv_take(scratch, &used, of.kernel_rows * of.run * lanes);
  room.db = sprint__conv_take(scratch, &used, lanes);
  if (ret_size) *ret_size = used + SPRINT__LINE;
  return room;
}

/* Output length of one dimension; 0: the kernel does not fit. */
static size_t conv_length(size_t length, size_t kernel, size_t padding, size_t stride) {
  return length + 2 * padding < kernel ? 0 : (length + 2 * padding - kernel) / stride + 1;
}

static const char *conv_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  bool same = arguments[PADDING].choice == SAME;
  if (layer->from.height * layer->from.width <= 1) return SPRINT__NO_IMAGE;
  layer->kernel[0] = (size_t)arguments[KERNEL].number;
  layer->kernel[1] = (size_t)arguments[KERNEL].second;
  layer->stride = (size_t)arguments[STRIDE].number;
  if (same && (layer->kernel[0] % 2 == 0 || layer->kernel[1] % 2 == 0))
    return "padding `same` needs an odd kernel (or say `valid`)";
  for (int k = 0; k < 2; k++) layer->padding[k] = same ? layer->kernel[k] / 2 : 0;
  layer->to.channels = (size_t)arguments[FILTERS].number;
  layer->to.height = conv_length(layer->from.height, layer->kernel[0], layer->padding[0], layer->stride);
  layer->to.width = conv_length(layer->from.width, layer->kernel[1], layer->padding[1], layer->stride);
  if (!layer->to.height || !layer->to.width) return "the kernel is larger than the image";
  layer->n_dims = 4;
  layer->dims[0] = layer->to.channels;
  layer->dims[1] = layer->from.channels;
  layer->dims[2] = layer->kernel[0];
  layer->dims[3] = layer->kernel[1];
  size_t window = layer->kernel[0] * layer->kernel[1];
  layer->fan_in = layer->from.channels * window;
  layer->fan_out = layer->to.channels * window;
  layer->n_weights = layer->to.channels * layer->fan_in;
  layer->n_biases = layer->to.channels;
  room_of(layer, NULL, &layer->scratch);
  layer->products = (double)layer->n_weights * (double)(layer->to.height * layer->to.width);
  return NULL;
}

/* Where an image starts within its padding. */
static size_t inner_at(const struct sprint__layer *layer, size_t line) {
  return layer->padding[0] * line + layer->padding[1] * layer->from.channels;
}

/* A vector of n in groups as the panels have them. */
static void order_bias(const sprint_real *bias, size_t n, sprint_real *to) {
  for (size_t g = 0; g < sprint__conv_groups(n); g++)
    for (size_t l = 0, first = sprint__conv_first(n, g); l < SPRINT__GROUP; l++)
      to[g * SPRINT__GROUP + l] = first + l < n ? bias[first + l] : 0;
}

static void conv_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                         sprint_real *ret_y, sprint_real *scratch) {
  struct sprint__product product = sprint__product_forward(layer);
  struct room room = room_of(layer, scratch, NULL);
  size_t line = product.of.line, filters = layer->to.channels, outputs = layer->to.height * layer->to.width;
  sprint__product_order(&product, theta, room.work, room.weights);
  order_bias(theta + layer->n_weights, filters, room.bias);
  memset(room.x, 0, (size_t)(room.y - room.x) * sizeof *x);
  for (size_t i = 0; i < n; i++, x += layer->in, ret_y += layer->out) {
    sprint_real *y = layer->last_out ? ret_y : room.y;
    sprint__conv_place(&layer->from, layer->last_in, x, line, room.x + inner_at(layer, line));
    sprint__product_run(&product, room.x, room.weights, room.bias, layer->then_relu, room.work, y);
    if (!layer->last_out) sprint__transpose(y, outputs, filters, filters, outputs, ret_y);
  }
}

/* dy where relu let y through, else 0. */
SPRINT__FAST static void mask(const sprint_real *restrict dy, const sprint_real *restrict y, size_t n,
                              sprint_real *restrict to) {
  for (size_t i = 0; i < n; i++) to[i] = y[i] <= 0 ? 0 : dy[i];
}

static void order_phases(const struct sprint__layer *layer, const sprint_real *theta, const struct room *room) {
  sprint_real *weights = room->weights;
  for (size_t k = 0; k < sprint__product_phases(layer); k++) {
    struct sprint__product phase = sprint__product_backward(layer, k);
    sprint__product_order(&phase, theta, room->work, weights);
    weights += sprint__product_weights(&phase);
  }
}

/* One record's dx, from dy within its zeros. */
static void input_gradient(const struct sprint__layer *layer, const struct room *room, sprint_real *dx) {
  size_t pixels = layer->from.height * layer->from.width, channels = layer->from.channels;
  const sprint_real *weights = room->weights;
  for (size_t k = 0; k < sprint__product_phases(layer); k++) {
    struct sprint__product phase = sprint__product_backward(layer, k);
    sprint__product_run(&phase, room->dy, weights, NULL, false, room->work, layer->last_in ? dx : room->dx);
    weights += sprint__product_weights(&phase);
  }
  if (!layer->last_in) sprint__transpose(room->dx, pixels, channels, channels, pixels, dx);
}

static void conv_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                          const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx, sprint_real *gradient,
                          bool adds, sprint_real *scratch) {
  struct sprint__product product = sprint__product_forward(layer);
  struct sprint__conv of = product.of;
  struct room room = room_of(layer, scratch, NULL);
  of.to_down = sprint__dy_length(layer, 1) * of.filters;
  sprint_real *d = room.dy + sprint__dy_before(layer, 0) * of.to_down + sprint__dy_before(layer, 1) * of.filters;
  memset(room.x, 0, (size_t)(room.y - room.x) * sizeof *x);
  memset(room.dy, 0, (size_t)(room.weights - room.dy) * sizeof *dy);
  if (gradient) memset(room.dw, 0, ((size_t)(room.db - room.dw) + sprint__conv_lanes(of.filters)) * sizeof *dy);
  if (dx) order_phases(layer, theta, &room);
  for (size_t i = 0; i < n; i++, x += layer->in, y += layer->out, dy += layer->out) {
    if (layer->then_relu) mask(dy, y, layer->out, room.y);
    sprint__conv_place(&layer->to, layer->last_out, layer->then_relu ? room.y : dy, of.to_down, d);
    if (gradient) {
      sprint__conv_place(&layer->from, layer->last_in, x, of.line, room.x + inner_at(layer, of.line));
      sprint__conv_correlate(&of, room.x, d, room.dw, room.db);
    }
    if (dx) input_gradient(layer, &room, dx + i * layer->in);
  }
  if (gradient) sprint__product_gradient(&product, room.dw, room.db, adds, gradient);
}

static const struct sprint__layer_ops conv_ops = {conv_setup, conv_forward, conv_backward};

static const sprint_param conv_params[] = {
    SPRINT__INTEGER("filters", NULL, 1, 65536, "number of output planes"),
    {.name = "kernel", .type = SPRINT_PARAM_TEXT, .min = 1, .max = 1024, .help = "rows x columns, such as 3x3"},
    SPRINT__CHOICE("padding", "same", "same|valid", "same: zeros around, so that stride 1 keeps the size; valid: none"),
    SPRINT__INTEGER("stride", "1", 1, 1024, "`stride 2` after the others"),
};

const sprint_kind sprint__layer_conv = {"conv", "convolution of images: conv 32 3x3, conv 16 5x5 valid stride 2",
                                        conv_params, SPRINT__COUNT(conv_params), &conv_ops};

/* Whether the layer that takes the outputs of layer l does so in either order. */
static bool next_takes_last(const struct sprint__layer *layers, size_t l, size_t n) {
  while (++l < n && (layers[l].absorbed || layers[l].ops->element_wise)) continue;
  return l < n && (layers[l].kind == &sprint__layer_conv || layers[l].kind == &sprint__layer_maxpool);
}

void sprint__conv_absorb(struct sprint__layer *layers, size_t n) {
  bool last = false;
  for (size_t l = 0; l < n; l++) {
    struct sprint__layer *layer = &layers[l];
    bool conv = layer->kind == &sprint__layer_conv;
    if (layer->absorbed || (!conv && layer->kind != &sprint__layer_maxpool)) continue;
    if (layer->ops == &conv_ops && l + 1 < n && layer[1].kind == &sprint__layer_relu)
      layer->then_relu = layer->reads_y = layer[1].absorbed = true;
    layer->last_in = last;
    layer->last_out = last = next_takes_last(layers, l, n);
  }
}
