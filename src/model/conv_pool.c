/* conv, relu and maxpool 2 as one layer: see conv_pool.h. Here records are brought into the kernels' order and back. */
#include "model/conv_pool.h"

#include "base/wide.h"
#include "model/conv.h"

static size_t rounded(size_t n, size_t to) { return (n + to - 1) / to * to; }

static struct sprint__conv_pool conv_pool_of(const struct sprint__layer *layer) {
  struct sprint__conv_pool of = {.channels = layer->from.channels, .filters = layer->to.channels};
  of.lanes = rounded(of.filters, 8);
  of.kernel_rows = layer->kernel[0];
  of.run = layer->kernel[1] * of.channels;
  of.run_room = rounded(of.run, sprint__has_wide() && of.run > SPRINT__GROUP ? 2 * SPRINT__GROUP : SPRINT__GROUP);
  of.line = (layer->from.width + 2 * layer->padding[1]) * of.channels;
  of.image = (layer->from.height + 2 * layer->padding[0]) * of.line + 2 * SPRINT__GROUP;
  of.rows = layer->to.height;
  of.columns = layer->to.width;
  of.winograd = layer->kernel[0] == 3 && layer->kernel[1] == 3 && of.channels >= SPRINT__WINOGRAD_WORTH;
  return of;
}

static struct sprint__winograd winograd_of(const struct sprint__conv_pool *of) {
  return (struct sprint__winograd){of->channels, of->lanes, of->line, of->rows, of->columns, of->kernel_rows + 1};
}

/* Threads that share an image, at most. */
enum { BANDS = 4 };

/* What the scratch holds. */
struct room {
  sprint_real *x, *dx;      /* (image) */
  sprint_real *y;           /* (rows, columns, lanes), or dy */
  sprint_real *weights;     /* in the order of a kernel */
  sprint_real *transformed; /* the same for Winograd's way */
  sprint_real *tiles;       /* which that works with, for each of BANDS threads */
  sprint_real *bias;        /* (lanes) */
  sprint_real *dw;          /* (filters, kernel_rows, run_room), then (filters) of biases */
  struct sprint__hits hits; /* (8, rows * columns + a group) */
  uint64_t *bits;           /* (rows, columns, 4) */
};

static struct room room_of(const struct sprint__conv_pool *of, sprint_real *scratch, size_t *ret_size) {
  struct sprint__winograd tiles = winograd_of(of);
  struct room room;
  size_t used = 0, outputs = of->rows * of->columns;
  room.x = sprint__conv_take(scratch, &used, of->image);
  room.dx = sprint__conv_take(scratch, &used, of->image);
  room.y = sprint__conv_take(scratch, &used, outputs * of->lanes);
  room.weights = sprint__conv_take(scratch, &used, of->kernel_rows * of->run_room * of->lanes);
  room.transformed =
      sprint__conv_take(scratch, &used, of->winograd ? sprint__winograd_places(&tiles) * of->channels * of->lanes : 0);
  room.tiles = sprint__conv_take(scratch, &used, of->winograd ? BANDS * sprint__winograd_room(&tiles) : 0);
  room.bias = sprint__conv_take(scratch, &used, of->lanes);
  room.dw = sprint__conv_take(scratch, &used, of->filters * (of->kernel_rows * of->run_room + 1));
  room.hits.values = sprint__conv_take(scratch, &used, SPRINT__LISTED * (outputs + SPRINT__GROUP));
  room.hits.at = (uint32_t *)sprint__conv_take(scratch, &used, SPRINT__LISTED * (outputs + SPRINT__GROUP));
  room.bits =
      (uint64_t *)sprint__conv_take(scratch, &used, outputs * SPRINT__POOLED * sizeof *room.bits / sizeof *scratch);
  if (ret_size) *ret_size = used + SPRINT__LINE;
  return room;
}

/* Where the image starts within its padding. */
static size_t inner_at(const struct sprint__layer *layer, const struct sprint__conv_pool *of) {
  return layer->padding[0] * of->line + layer->padding[1] * of->channels;
}

/* An image out of its padding. */
static void unpad(const struct sprint__layer *layer, const struct sprint__conv_pool *of, const sprint_real *padded,
                  sprint_real *x) {
  size_t width = layer->from.width, plane = layer->from.height * width, line = width * of->channels;
  padded += inner_at(layer, of);
  for (size_t r = 0; r < layer->from.height; r++, padded += of->line)
    if (layer->last_in)
      memcpy(x + r * line, padded, line * sizeof *x);
    else
      sprint__transpose(padded, width, of->channels, of->channels, plane, x + r * width);
}

/* Outputs, `from_lanes` numbers apart, without or with the filters that they were rounded up by. */
static void repack(const sprint_real *from, size_t from_lanes, size_t outputs, size_t filters, size_t to_lanes,
                   sprint_real *to) {
  for (size_t p = 0; p < outputs; p++) memcpy(to + p * to_lanes, from + p * from_lanes, filters * sizeof *to);
}

/* The codes of n records lie behind their outputs. */
static unsigned char *codes_of(const struct sprint__layer *layer, const sprint_real *y, size_t n) {
  return (unsigned char *)(y + n * layer->out);
}

/* Weights (filters, channels, kernel rows, kernel columns) to panels of two groups of filters. */
static void order_forward(const struct sprint__conv_pool *of, const sprint_real *theta, const struct room *room) {
  size_t kernel_columns = of->run / of->channels, window = of->kernel_rows * of->run, width;
  memset(room->weights, 0, window * of->lanes * sizeof *theta);
  for (size_t f = 0; f < of->filters; f++) {
    sprint_real *to = room->weights + sprint__conv_panel(of->lanes, window, f / SPRINT__GROUP, &width);
    for (size_t c = 0; c < of->channels; c++)
      for (size_t ky = 0; ky < of->kernel_rows; ky++)
        for (size_t kx = 0; kx < kernel_columns; kx++)
          to[(ky * of->run + kx * of->channels + c) * width + f % SPRINT__GROUP] = *theta++;
  }
  memset(room->bias, 0, of->lanes * sizeof *theta);
  memcpy(room->bias, theta, of->filters * sizeof *theta);
}

/* To (kernel rows, filters, run_room). */
static void order_backward(const struct sprint__conv_pool *of, const sprint_real *theta, const struct room *room) {
  size_t kernel_columns = of->run / of->channels;
  memset(room->weights, 0, of->kernel_rows * of->filters * of->run_room * sizeof *theta);
  for (size_t f = 0; f < of->filters; f++)
    for (size_t c = 0; c < of->channels; c++)
      for (size_t ky = 0; ky < of->kernel_rows; ky++)
        for (size_t kx = 0; kx < kernel_columns; kx++)
          room->weights[(ky * of->filters + f) * of->run_room + kx * of->channels + c] = *theta++;
}

/* dw (filters, kernel_rows, run_room) and db to the order of theta. */
static void put_gradient(const struct sprint__conv_pool *of, const sprint_real *dw, bool adds, sprint_real *gradient) {
  size_t kernel_columns = of->run / of->channels, n = of->filters * of->kernel_rows * of->run_room;
  for (size_t f = 0; f < of->filters; f++)
    for (size_t c = 0; c < of->channels; c++)
      for (size_t ky = 0; ky < of->kernel_rows; ky++)
        for (size_t kx = 0; kx < kernel_columns; kx++, gradient++)
          *gradient = dw[(f * of->kernel_rows + ky) * of->run_room + kx * of->channels + c] + (adds ? *gradient : 0);
  for (size_t f = 0; f < of->filters; f++, gradient++) *gradient = dw[n + f] + (adds ? *gradient : 0);
}

/* An image, its outputs and codes. */
struct image {
  const struct sprint__conv_pool *of;
  const struct room *room;
  sprint_real *y;
  unsigned char *codes;
};

/* Rows start .. end of its pools. */
static void forward_band(void *user, int band, size_t start, size_t end) {
  const struct image *image = user;
  const struct room *room = image->room;
  struct sprint__conv_pool of = *image->of;
  struct sprint__winograd tiles = winograd_of(&of);
  size_t at = start * of.columns * of.lanes;
  const sprint_real *x = room->x + sprint__window_at(&of, start, 0, 0);
  of.rows = tiles.rows = end - start;
  if (of.winograd)
    sprint__winograd_pool(&tiles, x, room->transformed, room->bias,
                          room->tiles + (size_t)band * sprint__winograd_room(&tiles), image->y + at, image->codes + at);
  else
    sprint__conv_pool_forward(&of, x, room->weights, room->bias, image->y + at, image->codes + at);
}

/* How many bands an image is worth while other threads are free; a pool does not depend on the others. */
static int bands_of(const sprint_context *context, const struct sprint__conv_pool *of) {
  double cost = 2.0 * SPRINT__POOLED * (double)(of->kernel_rows * of->run * of->lanes * of->columns);
  if (!sprint__lanes_shared(context)) return 1;
  int bands = sprint__lanes_for(of->rows, cost, 0);
  return bands < BANDS ? bands : BANDS;
}

static void conv_pool_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                              size_t n, sprint_real *ret_y, sprint_real *scratch) {
  struct sprint__conv_pool of = conv_pool_of(layer);
  struct room room = room_of(&of, scratch, NULL);
  struct sprint__winograd tiles = winograd_of(&of);
  size_t outputs = of.rows * of.columns;
  unsigned char *codes = codes_of(layer, ret_y, n);
  order_forward(&of, theta, &room);
  if (of.winograd) sprint__winograd_weights(&tiles, room.weights, room.transformed);
  memset(room.x, 0, of.image * sizeof *x);
  for (size_t i = 0; i < n; i++, x += layer->in, ret_y += layer->out, codes += outputs * of.lanes) {
    sprint_real *y = layer->last_out && of.lanes == of.filters ? ret_y : room.y;
    sprint__conv_place(&layer->from, layer->last_in, x, of.line, room.x + inner_at(layer, &of));
    struct image image = {&of, &room, y, codes};
    sprint__lanes_run(layer->context, of.rows, bands_of(layer->context, &of), forward_band, &image);
    if (!layer->last_out)
      sprint__transpose(y, outputs, of.filters, of.lanes, outputs, ret_y);
    else if (y != ret_y)
      repack(y, of.lanes, outputs, of.filters, of.filters, ret_y);
  }
}

/* The gradients of an image that are wanted, from the slopes of its outputs. */
struct gradients {
  const struct sprint__conv_pool *of;
  const struct room *room;
  const sprint_real *dy;
  const unsigned char *codes;
  bool weights, inputs;
};

enum { WEIGHTS, INPUTS, BOTH };

static void one_gradient(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct gradients *work = user;
  const struct sprint__conv_pool *of = work->of;
  const struct room *room = work->room;
  sprint_real *db = room->dw + of->filters * of->kernel_rows * of->run_room;
  if (work->weights && start == WEIGHTS)
    sprint__conv_pool_weight(of, room->x, work->dy, work->codes, &room->hits, room->dw, db);
  if (!work->inputs || end != BOTH) return;
  memset(room->dx, 0, of->image * sizeof *db);
  sprint__conv_pool_input(of, work->dy, work->codes, room->weights, room->bits, room->dx);
}

static void conv_pool_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,
                               const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx,
                               sprint_real *gradient, bool adds, sprint_real *scratch) {
  struct sprint__conv_pool of = conv_pool_of(layer);
  struct room room = room_of(&of, scratch, NULL);
  size_t outputs = of.rows * of.columns, n_dw = of.filters * of.kernel_rows * of.run_room;
  const unsigned char *codes = codes_of(layer, y, n);
  if (dx) order_backward(&of, theta, &room);
  if (gradient) memset(room.dw, 0, (n_dw + of.filters) * sizeof *dx);
  memset(room.x, 0, of.image * sizeof *x);
  for (size_t i = 0; i < n; i++, x += layer->in, dy += layer->out, codes += outputs * of.lanes) {
    const sprint_real *d = layer->last_out && of.lanes == of.filters ? dy : room.y;
    if (!layer->last_out)
      sprint__transpose(dy, of.filters, outputs, outputs, of.lanes, room.y);
    else if (d != dy)
      repack(dy, of.filters, outputs, of.filters, of.lanes, room.y);
    if (gradient) sprint__conv_place(&layer->from, layer->last_in, x, of.line, room.x + inner_at(layer, &of));
    struct gradients work = {&of, &room, d, codes, gradient != NULL, dx != NULL};
    sprint__lanes_run(layer->context, BOTH, gradient && dx && bands_of(layer->context, &of) > 1 ? BOTH : 1,
                      one_gradient, &work);
    if (dx) unpad(layer, &of, room.dx, dx + i * layer->in);
  }
  if (gradient) put_gradient(&of, room.dw, adds, gradient);
}

static const struct sprint__layer_ops conv_pool_ops = {NULL, conv_pool_forward, conv_pool_backward};

static bool is_conv_pool(const struct sprint__layer *layers) {
  return layers[0].kind == &sprint__layer_conv && layers[0].stride == 1 && layers[1].kind == &sprint__layer_relu &&
         layers[2].kind == &sprint__layer_maxpool && layers[2].stride == 2;
}

/* A few filters are done sooner one layer after the other, for several records at once, and so is the way back to a few
 * planes, which a first layer's inputs hardly ever need. */
static bool pays(const struct sprint__layer *conv, bool first) {
  enum { FEW_FILTERS = 4, FEW_PLANES = 7 };
  return conv->to.channels > FEW_FILTERS && (first || conv->from.channels > FEW_PLANES);
}

void sprint__conv_pool_absorb(struct sprint__layer *layers, size_t n) {
  for (size_t l = 0; l + 3 <= n; l++) {
    struct sprint__layer *conv = &layers[l];
    if (!is_conv_pool(conv) || !pays(conv, l == 0)) continue;
    conv->ops = &conv_pool_ops;
    conv->to = conv[2].to;
    conv->out = conv[2].out;
    conv[1].absorbed = conv[2].absorbed = true;
    struct sprint__conv_pool of = conv_pool_of(conv);
    conv->saved_size = of.rows * of.columns * of.lanes;
    conv->saved = (conv->saved_size + sizeof(sprint_real) - 1) / sizeof(sprint_real);
    room_of(&of, NULL, &conv->scratch);
  }
}
