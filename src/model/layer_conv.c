/* Convolution: planes (channels, height, width) to (filters, rows, columns), weights (filters, channels, kernel rows,
 * kernel columns) as PyTorch's nn.Conv2d; with max(., 0) where it has taken in the relu after it. Here records and
 * weights are brought into the order of conv.h's kernels and back. */
#include "model/conv.h"

enum { FILTERS, KERNEL, PADDING, STRIDE };
enum { SAME, VALID };

/* Forward, and for the weights' gradient but for where dy is. */
static struct sprint__conv forward_of(const struct sprint__layer *layer) {
  size_t channels = layer->from.channels, line = (layer->from.width + 2 * layer->padding[1]) * channels;
  return (struct sprint__conv){.rows = layer->to.height,
                               .columns = layer->to.width,
                               .down = layer->stride * line,
                               .across = layer->stride * channels,
                               .kernel_rows = layer->kernel[0],
                               .run = layer->kernel[1] * channels,
                               .line = line,
                               .filters = layer->to.channels,
                               .to_down = layer->to.width * layer->to.channels,
                               .to_across = layer->to.channels};
}

/* Rows or columns (k: 0, 1) of zeros before dy, for the windows that are not all within it; and all, with those behind.
 */
static size_t dy_before(const struct sprint__layer *layer, int k) {
  return (layer->kernel[k] + layer->stride - 1) / layer->stride - 1;
}

static size_t dy_length(const struct sprint__layer *layer, int k) {
  size_t out = k ? layer->to.width : layer->to.height, in = k ? layer->from.width : layer->from.height;
  size_t seen = (in - 1 + layer->padding[k]) / layer->stride + 1;
  return dy_before(layer, k) + (seen > out ? seen : out);
}

/* One dimension of the gradient in the image. Kernel places first, first + stride, .. reach every stride-th row, from
 * row `at` on: `n` rows in all, of which the first one's window starts at row `from` of dy with its zeros. */
struct phase {
  size_t first, places, at, n, from;
};

static struct phase phase_of(const struct sprint__layer *layer, int k, size_t first) {
  size_t s = layer->stride, pad = layer->padding[k], in = k ? layer->from.width : layer->from.height;
  size_t q = pad > first ? (pad - first + s - 1) / s : 0; /* row at + pad = s q + first */
  struct phase phase = {.first = first, .at = s * q + first - pad};
  phase.places = layer->kernel[k] > first ? (layer->kernel[k] - first + s - 1) / s : 0;
  phase.n = phase.at < in ? (in - phase.at + s - 1) / s : 0;
  phase.from = phase.places ? q + dy_before(layer, k) + 1 - phase.places : 0;
  return phase;
}

static struct sprint__conv input_of(const struct sprint__layer *layer, const struct phase *down,
                                    const struct phase *across) {
  size_t filters = layer->to.channels, channels = layer->from.channels, line = dy_length(layer, 1) * filters;
  return (struct sprint__conv){.rows = down->n,
                               .columns = across->n,
                               .down = line,
                               .across = filters,
                               .kernel_rows = down->places,
                               .run = across->places * filters,
                               .line = line,
                               .filters = channels,
                               .to_down = layer->stride * layer->from.width * channels,
                               .to_across = layer->stride * channels};
}

/* Where the image starts within its padding. */
static size_t inner_at(const struct sprint__layer *layer, const struct sprint__conv *of) {
  return layer->padding[0] * of->line + layer->padding[1] * layer->from.channels;
}

/* What the scratch holds. */
struct room {
  sprint_real *x;              /* an image in its padding */
  sprint_real *y, *dx;         /* one record's, channels last */
  sprint_real *dy;             /* within its zeros */
  sprint_real *weights;        /* panels, forward or of all phases backward */
  sprint_real *bias, *dw, *db; /* dw: panels */
};

static struct room room_of(const struct sprint__layer *layer, sprint_real *scratch, size_t *ret_size) {
  struct sprint__conv of = forward_of(layer);
  size_t used = 0, lanes = sprint__conv_lanes(of.filters), window = of.kernel_rows * of.run;
  size_t back = layer->kernel[0] * layer->kernel[1] * of.filters * sprint__conv_lanes(layer->from.channels);
  struct room room;
  room.x = sprint__conv_take(scratch, &used, (layer->from.height + 2 * layer->padding[0]) * of.line);
  room.y = sprint__conv_take(scratch, &used, of.rows * of.to_down);
  room.dx = sprint__conv_take(scratch, &used, layer->in);
  room.dy = sprint__conv_take(scratch, &used, dy_length(layer, 0) * dy_length(layer, 1) * of.filters + SPRINT__GROUP);
  room.weights = sprint__conv_take(scratch, &used, window * lanes > back ? window * lanes : back);
  room.bias = sprint__conv_take(scratch, &used, lanes);
  room.dw = sprint__conv_take(scratch, &used, window * lanes);
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

/* How theta's weights are read as a matrix of panels: (rows, columns, depth) of a window, for each filter. */
struct view {
  size_t rows, columns, depth, filters;
  ptrdiff_t start, row, column, deep, filter; /* where they begin, and the way from one to the next */
};

static struct view view_forward(const struct sprint__layer *layer) {
  size_t kh = layer->kernel[0], kw = layer->kernel[1];
  return (struct view){kh,
                       kw,
                       layer->from.channels,
                       layer->to.channels,
                       0,
                       (ptrdiff_t)kw,
                       1,
                       (ptrdiff_t)(kh * kw),
                       (ptrdiff_t)layer->fan_in};
}

/* The places of a phase, the last first; filters and channels change places. */
static struct view view_backward(const struct sprint__layer *layer, const struct phase *down,
                                 const struct phase *across) {
  ptrdiff_t kw = (ptrdiff_t)layer->kernel[1], s = (ptrdiff_t)layer->stride;
  ptrdiff_t last_row = (ptrdiff_t)down->first + s * ((ptrdiff_t)down->places - 1);
  ptrdiff_t last_column = (ptrdiff_t)across->first + s * ((ptrdiff_t)across->places - 1);
  return (struct view){down->places,
                       across->places,
                       layer->to.channels,
                       layer->from.channels,
                       last_row * kw + last_column,
                       -s * kw,
                       -s,
                       (ptrdiff_t)layer->fan_in,
                       (ptrdiff_t)layer->kernel[0] * kw};
}

/* The panels of a view; how many numbers. */
static size_t order(const struct view *view, const sprint_real *theta, sprint_real *panels) {
  size_t window = view->rows * view->columns * view->depth, groups = sprint__conv_groups(view->filters), width;
  for (size_t g = 0; g < groups; g++) {
    size_t first = sprint__conv_first(view->filters, g);
    size_t used = view->filters < SPRINT__GROUP ? view->filters : SPRINT__GROUP;
    sprint_real *to = panels + sprint__conv_panel(view->filters, window, g, &width);
    for (size_t r = 0; r < view->rows; r++)
      for (size_t c = 0; c < view->columns; c++)
        for (size_t d = 0; d < view->depth; d++, to += width) {
          const sprint_real *from = theta + view->start + (ptrdiff_t)r * view->row + (ptrdiff_t)c * view->column +
                                    (ptrdiff_t)d * view->deep + (ptrdiff_t)first * view->filter;
          for (size_t l = 0; l < SPRINT__GROUP; l++) to[l] = l < used ? from[(ptrdiff_t)l * view->filter] : 0;
        }
  }
  return window * groups * SPRINT__GROUP;
}

/* A vector of n in groups as the panels have them. */
static void order_bias(const sprint_real *bias, size_t n, sprint_real *to) {
  for (size_t g = 0; g < sprint__conv_groups(n); g++)
    for (size_t l = 0, first = sprint__conv_first(n, g); l < SPRINT__GROUP; l++)
      to[g * SPRINT__GROUP + l] = first + l < n ? bias[first + l] : 0;
}

/* The panels of dw, and db behind them, to theta's order: each filter from the first group that has it. */
static void put_gradient(const struct view *view, const sprint_real *dw, const sprint_real *db, bool adds,
                         sprint_real *gradient) {
  size_t window = view->rows * view->columns * view->depth, width;
  sprint_real *biases = gradient + window * view->filters;
  for (size_t f = 0; f < view->filters; f++) {
    size_t g = f / SPRINT__GROUP, lane = f - sprint__conv_first(view->filters, g);
    const sprint_real *from = dw + sprint__conv_panel(view->filters, window, g, &width) + lane;
    for (size_t r = 0; r < view->rows; r++)
      for (size_t c = 0; c < view->columns; c++)
        for (size_t d = 0; d < view->depth; d++, from += width) {
          sprint_real *to = gradient + (ptrdiff_t)r * view->row + (ptrdiff_t)c * view->column +
                            (ptrdiff_t)d * view->deep + (ptrdiff_t)f * view->filter;
          *to = *from + (adds ? *to : 0);
        }
    biases[f] = db[g * SPRINT__GROUP + lane] + (adds ? biases[f] : 0);
  }
}

static void conv_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                         sprint_real *ret_y, sprint_real *scratch) {
  struct sprint__conv of = forward_of(layer);
  struct view view = view_forward(layer);
  struct room room = room_of(layer, scratch, NULL);
  order(&view, theta, room.weights);
  order_bias(theta + layer->n_weights, of.filters, room.bias);
  memset(room.x, 0, (size_t)(room.y - room.x) * sizeof *x);
  for (size_t i = 0; i < n; i++, x += layer->in, ret_y += layer->out) {
    sprint_real *y = layer->last_out ? ret_y : room.y;
    sprint__conv_place(&layer->from, layer->last_in, x, of.line, room.x + inner_at(layer, &of));
    sprint__conv_multiply(&of, room.x, room.weights, room.bias, layer->then_relu, y);
    if (!layer->last_out)
      sprint__transpose(y, of.rows * of.columns, of.filters, of.filters, of.rows * of.columns, ret_y);
  }
}

/* dy where relu let y through, else 0. */
SPRINT__FAST static void mask(const sprint_real *restrict dy, const sprint_real *restrict y, size_t n,
                              sprint_real *restrict to) {
  for (size_t i = 0; i < n; i++) to[i] = y[i] <= 0 ? 0 : dy[i];
}

/* All phases of one record; `weights` has their panels, one after the other. */
static void input_gradient(const struct sprint__layer *layer, const struct room *room, sprint_real *dx) {
  const sprint_real *weights = room->weights;
  for (size_t a = 0; a < layer->stride; a++)
    for (size_t b = 0; b < layer->stride; b++) {
      struct phase down = phase_of(layer, 0, a), across = phase_of(layer, 1, b);
      struct sprint__conv of = input_of(layer, &down, &across);
      sprint__conv_multiply(&of, room->dy + down.from * of.line + across.from * layer->to.channels, weights, NULL,
                            false, dx + (down.at * layer->from.width + across.at) * of.filters);
      weights += of.kernel_rows * of.run * sprint__conv_lanes(of.filters);
    }
}

static void order_phases(const struct sprint__layer *layer, const sprint_real *theta, sprint_real *weights) {
  for (size_t a = 0; a < layer->stride; a++)
    for (size_t b = 0; b < layer->stride; b++) {
      struct phase down = phase_of(layer, 0, a), across = phase_of(layer, 1, b);
      struct view view = view_backward(layer, &down, &across);
      weights += order(&view, theta, weights);
    }
}

static void conv_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                          const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx, sprint_real *gradient,
                          bool adds, sprint_real *scratch) {
  struct sprint__conv of = forward_of(layer);
  struct view view = view_forward(layer);
  struct room room = room_of(layer, scratch, NULL);
  size_t pixels = layer->from.height * layer->from.width, channels = layer->from.channels;
  of.to_down = dy_length(layer, 1) * of.filters;
  sprint_real *inner = room.x + inner_at(layer, &of);
  sprint_real *d = room.dy + dy_before(layer, 0) * of.to_down + dy_before(layer, 1) * of.filters;
  memset(room.x, 0, (size_t)(room.y - room.x) * sizeof *x);
  memset(room.dy, 0, (size_t)(room.weights - room.dy) * sizeof *dy);
  if (gradient) memset(room.dw, 0, ((size_t)(room.db - room.dw) + sprint__conv_lanes(of.filters)) * sizeof *dy);
  if (dx) order_phases(layer, theta, room.weights);
  for (size_t i = 0; i < n; i++) {
    const sprint_real *own = layer->then_relu ? room.y : dy + i * layer->out;
    if (layer->then_relu) mask(dy + i * layer->out, y + i * layer->out, layer->out, room.y);
    sprint__conv_place(&layer->to, layer->last_out, own, of.to_down, d);
    if (gradient) {
      sprint__conv_place(&layer->from, layer->last_in, x + i * layer->in, of.line, inner);
      sprint__conv_correlate(&of, room.x, d, room.dw, room.db);
    }
    if (!dx) continue;
    sprint_real *to = layer->last_in ? dx + i * layer->in : room.dx;
    input_gradient(layer, &room, to);
    if (!layer->last_in) sprint__transpose(to, pixels, channels, channels, pixels, dx + i * layer->in);
  }
  if (gradient) put_gradient(&view, room.dw, room.db, adds, gradient);
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
      layer->then_relu = layer[1].absorbed = true;
    layer->last_in = last;
    layer->last_out = last = next_takes_last(layers, l, n);
  }
}
