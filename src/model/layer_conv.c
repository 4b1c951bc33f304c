/* Convolution: planes (channels, height, width) to (filters, rows, columns), weights (filters, channels, kernel rows,
 * kernel columns) as PyTorch's nn.Conv2d; with max(., 0) where it has taken in the relu after it. Which
 * kernels its products go by is decided here; records are brought to them in conv_room.c. */
#include "model/conv_abreast.h"
#include "model/conv_narrow.h"
#include "model/conv_product.h"
#include "model/conv_room.h"

enum { FILTERS, KERNEL, PADDING, STRIDE };
enum { SAME, VALID };

/* Whether n records go side by side through a product. */
static bool product_abreast(const struct sprint__product *product, size_t n) {
  return !sprint__narrow_pays(&product->of, n) && sprint__abreast_pays(&product->of, product->winograd, n);
}

/* And for the gradient of the weights. */
static bool weights_go_abreast(const struct sprint__product *product, size_t n) {
  return !sprint__narrow_pays_weights(&product->of, n) && sprint__abreast_pays_weights(&product->of, n);
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
  sprint__conv_room_of(layer, NULL, &layer->scratch);
  /* of a record by itself, whose filters go by whole groups, but where windows do */
  struct sprint__conv of = sprint__product_forward(layer).of;
  size_t filters = sprint__narrow_pays(&of, 1) ? of.filters : sprint__conv_lanes(of.filters);
  layer->products = (double)(filters * layer->fan_in) * (double)(layer->to.height * layer->to.width);
  return NULL;
}

/* A vector of n in groups as the panels have them. */
static void order_bias(const sprint_real *bias, size_t n, sprint_real *to) {
  for (size_t g = 0; g < sprint__conv_groups(n); g++)
    for (size_t l = 0, first = sprint__conv_first(n, g); l < SPRINT__GROUP; l++)
      to[g * SPRINT__GROUP + l] = first + l < n ? bias[first + l] : 0;
}

/* Records that go abreast next, of n; 0: the rest go one by one. */
static size_t next_abreast(bool pays, size_t n, size_t side) { return !pays ? 0 : n < side ? n : side; }

static size_t forward_abreast(const struct sprint__layer *layer, const struct sprint__product *product,
                              const sprint_real *theta, const sprint_real *x, size_t n, sprint_real *ret_y,
                              const struct sprint__conv_room *room) {
  size_t done = 0, now, side = sprint__abreast_side(n);
  struct sprint__conv of = sprint__conv_abreast(&product->of, side);
  if (!product_abreast(product, n)) return 0;
  sprint__conv_clear_x(layer, room, product->of.line, n);
  sprint__product_order_plain(product, theta, room->weights);
  for (; (now = next_abreast(product_abreast(product, n - done), n - done, side)) > 0; done += now) {
    sprint__conv_place_x(layer, room, product->of.line, x + done * layer->in, now, side);
    sprint__abreast_multiply(&of, side, room->x, room->weights, theta + layer->n_weights, layer->then_relu, room->y);
    sprint__abreast_take(&layer->to, layer->last_out, room->y, now, side, layer->out, ret_y + done * layer->out);
  }
  return done;
}

static void conv_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, size_t n,
                         sprint_real *ret_y, sprint_real *scratch) {
  struct sprint__product product = sprint__product_forward(layer);
  struct sprint__conv_room room = sprint__conv_room_of(layer, scratch, NULL);
  size_t filters = layer->to.channels, outputs = layer->to.height * layer->to.width;
  size_t i = forward_abreast(layer, &product, theta, x, n, ret_y, &room);
  if (i == n) return;
  product.narrow = sprint__narrow_pays(&product.of, n - i);
  sprint__conv_clear_x(layer, &room, product.of.line, 0);
  sprint__product_order(&product, theta, room.work, room.weights);
  order_bias(theta + layer->n_weights, filters, room.bias);
  for (; i < n; i++) {
    sprint_real *to = ret_y + i * layer->out, *y = layer->last_out ? to : room.y;
    sprint__conv_place_x(layer, &room, product.of.line, x + i * layer->in, 0, 1);
    sprint__product_run(layer->context, &product, room.x, room.weights, room.bias, layer->then_relu, room.work, y);
    if (!layer->last_out) sprint__transpose(y, outputs, filters, filters, outputs, to);
  }
}

/* A layer's records on its way back. */
struct records {
  size_t n;
  const sprint_real *x, *y, *dy;
};

static size_t weights_abreast(const struct sprint__layer *layer, const struct sprint__product *product,
                              const struct records *of, const struct sprint__conv_room *room, bool adds,
                              sprint_real *gradient) {
  struct sprint__conv wide = product->of;
  size_t done = 0, now, side = sprint__abreast_side(of->n), filters = wide.filters,
         sums = wide.kernel_rows * wide.run * filters;
  if (!weights_go_abreast(product, of->n)) return 0;
  wide.to_down = sprint__dy_length(layer, 1) * filters;
  wide = sprint__conv_abreast(&wide, side);
  sprint__conv_clear_x(layer, room, product->of.line, of->n);
  sprint__conv_clear_dy(layer, room, of->n);
  sprint__conv_zero(room->dw, side * sums);
  sprint__conv_zero(room->db, side * filters);
  for (; (now = next_abreast(weights_go_abreast(product, of->n - done), of->n - done, side)) > 0; done += now) {
    if (now < side) sprint__conv_zero(room->dy, side * room->n_dy);
    sprint__conv_place_x(layer, room, product->of.line, of->x + done * layer->in, now, side);
    sprint__conv_place_dy(layer, room, of->dy + done * layer->out, of->y + done * layer->out, now, side);
    sprint__abreast_correlate(&wide, side, room->x, room->dy + sprint__dy_at(layer) * side, room->dw, room->db);
  }
  sprint__abreast_total(room->dw, side, sums, room->sums);
  sprint__abreast_total(room->db, side, filters, room->sums + sums);
  sprint__product_gradient_plain(product, room->sums, room->sums + sums, adds, gradient);
  return done;
}

/* How records that are not side by side go through the weights' gradient. */
enum way { BY_TILES, ALONG_WINDOWS, BY_WINOGRAD };

static enum way way_of_weights(const struct sprint__product *product, size_t n) {
  enum { WORTH = 24 }; /* tiles that are as many products as what is done once */
  if (product->winograd && n * product->tiles.rows * product->tiles.columns >= WORTH) return BY_WINOGRAD;
  return sprint__narrow_pays_weights(&product->of, n) ? ALONG_WINDOWS : BY_TILES;
}

/* What sums over records start from. */
static void clear_weights(const struct sprint__product *product, const struct sprint__conv_room *room, enum way way) {
  const struct sprint__conv *of = &product->of;
  size_t lanes = sprint__conv_lanes(of->filters);
  sprint__conv_zero(room->db, lanes);
  if (way == BY_WINOGRAD)
    sprint__conv_zero(room->places, sprint__winograd_sums(&product->tiles));
  else
    sprint__conv_zero(room->dw, way == ALONG_WINDOWS ? sprint__narrow_weights(of) : of->kernel_rows * of->run * lanes);
}

/* The record in the room is added to them. */
static void add_weights(const struct sprint__layer *layer, const struct sprint__product *product,
                        const struct sprint__conv_room *room, enum way way) {
  struct sprint__conv windows = product->of;
  const sprint_real *dy = room->dy + sprint__dy_at(layer);
  windows.to_down = sprint__dy_length(layer, 1) * windows.filters;
  if (way == BY_WINOGRAD)
    sprint__winograd_correlate(&product->tiles, &windows, room->x, dy, room->tiles, room->places, room->db);
  else if (way == ALONG_WINDOWS)
    sprint__narrow_correlate(&windows, room->x, dy, room->dw, room->db);
  else
    sprint__conv_correlate(&windows, room->x, dy, room->dw, room->db);
}

/* And they go to theta's order. */
static void put_weights(const struct sprint__product *product, const struct sprint__conv_room *room, enum way way,
                        bool adds, sprint_real *gradient) {
  if (way == ALONG_WINDOWS) {
    sprint__narrow_take(&product->of, room->dw, room->sums);
    sprint__product_gradient_plain(product, room->sums, room->db, adds, gradient);
    return;
  }
  if (way == BY_WINOGRAD) sprint__winograd_gradient(&product->tiles, room->places, room->dw);
  sprint__product_gradient(product, room->dw, room->db, adds, gradient);
}

static void weight_gradient(const struct sprint__layer *layer, const struct records *of,
                            const struct sprint__conv_room *room, bool adds, sprint_real *gradient) {
  struct sprint__product product = sprint__product_forward(layer);
  size_t i = weights_abreast(layer, &product, of, room, adds, gradient);
  enum way way = way_of_weights(&product, of->n - i);
  if (i == of->n) return;
  adds |= i > 0;
  sprint__conv_clear_x(layer, room, product.of.line, 0);
  sprint__conv_clear_dy(layer, room, 0);
  clear_weights(&product, room, way);
  for (; i < of->n; i++) {
    sprint__conv_place_x(layer, room, product.of.line, of->x + i * layer->in, 0, 1);
    sprint__conv_place_dy(layer, room, of->dy + i * layer->out, of->y + i * layer->out, 0, 1);
    add_weights(layer, &product, room, way);
  }
  put_weights(&product, room, way, adds, gradient);
}

/* Phase k, as n records go through it one by one. */
static struct sprint__product phase_for(const struct sprint__layer *layer, size_t k, size_t n) {
  struct sprint__product phase = sprint__product_backward(layer, k);
  phase.narrow = sprint__narrow_pays(&phase.of, n);
  return phase;
}

/* The weights of all phases, as their kernels take them, for n records side by side or one by one. */
static void order_phases(const struct sprint__layer *layer, const sprint_real *theta,
                         const struct sprint__conv_room *room, size_t n, bool abreast) {
  sprint_real *weights = room->weights;
  for (size_t k = 0; k < sprint__product_phases(layer); k++) {
    struct sprint__product phase = phase_for(layer, k, n);
    if (abreast)
      sprint__product_order_plain(&phase, theta, weights);
    else
      sprint__product_order(&phase, theta, room->work, weights);
    weights += sprint__product_weights(&phase);
  }
}

/* dx in the room, or at `dx` where one record's may go there, from dy within its zeros. */
static void run_phases(const struct sprint__layer *layer, const struct sprint__conv_room *room, size_t n, bool abreast,
                       sprint_real *dx) {
  const sprint_real *weights = room->weights;
  size_t side = sprint__abreast_side(n);
  for (size_t k = 0; k < sprint__product_phases(layer); k++) {
    struct sprint__product phase = phase_for(layer, k, n);
    struct sprint__conv wide = sprint__conv_abreast(&phase.of, side);
    if (abreast)
      sprint__abreast_multiply(&wide, side, room->dy + phase.from * side, weights, NULL, false, dx + phase.to * side);
    else
      sprint__product_run(layer->context, &phase, room->dy, weights, NULL, false, room->work, dx);
    weights += sprint__product_weights(&phase);
  }
}

static size_t inputs_abreast(const struct sprint__layer *layer, const sprint_real *theta, const struct records *of,
                             const struct sprint__conv_room *room, sprint_real *ret_dx) {
  struct sprint__product phase = sprint__product_backward(layer, 0);
  size_t done = 0, now, side = sprint__abreast_side(of->n);
  if (!product_abreast(&phase, of->n)) return 0;
  sprint__conv_clear_dy(layer, room, of->n);
  order_phases(layer, theta, room, of->n, true);
  for (; (now = next_abreast(product_abreast(&phase, of->n - done), of->n - done, side)) > 0; done += now) {
    sprint__conv_place_dy(layer, room, of->dy + done * layer->out, of->y + done * layer->out, now, side);
    run_phases(layer, room, of->n, true, room->dx);
    sprint__abreast_take(&layer->from, layer->last_in, room->dx, now, side, layer->in, ret_dx + done * layer->in);
  }
  return done;
}

static void input_gradient(const struct sprint__layer *layer, const sprint_real *theta, const struct records *of,
                           const struct sprint__conv_room *room, sprint_real *ret_dx) {
  size_t pixels = layer->from.height * layer->from.width, channels = layer->from.channels;
  size_t i = inputs_abreast(layer, theta, of, room, ret_dx);
  if (i == of->n) return;
  sprint__conv_clear_dy(layer, room, 0);
  size_t left = of->n - i;
  order_phases(layer, theta, room, left, false);
  for (; i < of->n; i++) {
    sprint_real *to = ret_dx + i * layer->in, *dx = layer->last_in ? to : room->dx;
    sprint__conv_place_dy(layer, room, of->dy + i * layer->out, of->y + i * layer->out, 0, 1);
    run_phases(layer, room, left, false, dx);
    if (!layer->last_in) sprint__transpose(dx, pixels, channels, channels, pixels, to);
  }
}

/* Both gradients, for two threads. */
struct both {
  const struct sprint__layer *layer;
  const sprint_real *theta;
  struct records of;
  struct sprint__conv_room room;
  sprint_real *dx, *gradient;
  bool adds;
};

static void one_of_both(void *user, int which, size_t start, size_t end) {
  (void)start, (void)end;
  const struct both *both = user;
  struct sprint__conv_room other = both->room;
  other.y = other.other_y;
  other.dy = other.other_dy;
  if (which == 0)
    weight_gradient(both->layer, &both->of, &both->room, both->adds, both->gradient);
  else
    input_gradient(both->layer, both->theta, &both->of, &other, both->dx);
}

/* Whether a second thread has nothing else to do than one of n records' gradients; and room for it. */
static bool shares_gradients(const struct sprint__layer *layer, size_t n) {
  struct sprint__product phase = sprint__product_backward(layer, 0);
  return sprint__lanes_shared(layer->context) && sprint__lanes_for(2, 2 * (double)n * layer->products, 0) == 2 &&
         !product_abreast(&phase, n);
}

static void conv_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                          const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx, sprint_real *gradient,
                          bool adds, sprint_real *scratch) {
  struct sprint__conv_room room = sprint__conv_room_of(layer, scratch, NULL);
  struct records of = {n, x, y, dy};
  if (gradient && dx && shares_gradients(layer, n)) {
    struct both both = {layer, theta, of, room, dx, gradient, adds};
    sprint__lanes_run(layer->context, 2, 2, one_of_both, &both);
    return;
  }
  if (gradient) weight_gradient(layer, &of, &room, adds, gradient);
  if (dx) input_gradient(layer, theta, &of, &room, dx);
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
