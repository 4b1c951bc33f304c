/* See conv_product.h. */
#include "model/conv_product.h"

#include "model/conv_narrow.h"

/* Whether Winograd's tiles, which go by fours, are full enough for fewer products to be worth the way there and back:
 * of windows of 3x3 they always are, of 5x5 not where images are small. */
static bool tiles_pay(const struct sprint__conv *of) {
  size_t tiles = (of->rows + 1) / 2 * ((of->columns + 1) / 2), whole = (tiles + 3) / 4 * 4;
  return of->kernel_rows == 3 || 5 * 25 * of->rows * of->columns >= 8 * 36 * whole;
}

/* Windows of 3x3 or 5x5 that are one pixel apart, of channels enough. */
static bool by_winograd(const struct sprint__conv *of) {
  bool has = of->kernel_rows == 3 || of->kernel_rows == 5;
  return has && of->run == of->kernel_rows * of->across && of->lines_down == 1 &&
         of->across >= SPRINT__WINOGRAD_WORTH && of->filters >= SPRINT__GROUP && tiles_pay(of);
}

static struct sprint__product product_of(const struct sprint__conv *of) {
  struct sprint__winograd tiles = {of->across,         sprint__conv_lanes(of->filters), of->line,
                                   (of->rows + 1) / 2, (of->columns + 1) / 2,           of->kernel_rows + 1};
  return (struct sprint__product){.of = *of, .winograd = by_winograd(of), .tiles = tiles};
}

struct sprint__product sprint__product_forward(const struct sprint__layer *layer) {
  size_t channels = layer->from.channels, filters = layer->to.channels, kernel = layer->kernel[0] * layer->kernel[1];
  size_t line = (layer->from.width + 2 * layer->padding[1]) * channels;
  struct sprint__conv of = {.rows = layer->to.height,
                            .columns = layer->to.width,
                            .down = layer->stride * line,
                            .across = layer->stride * channels,
                            .lines_down = layer->stride,
                            .kernel_rows = layer->kernel[0],
                            .run = layer->kernel[1] * channels,
                            .line = line,
                            .blank = layer->padding[0],
                            .end = layer->padding[0] + layer->from.height,
                            .filters = filters,
                            .to_down = layer->to.width * filters,
                            .to_across = filters};
  struct sprint__product product = product_of(&of);
  product.rows = layer->kernel[0];
  product.columns = layer->kernel[1];
  product.depth = channels;
  product.row = (ptrdiff_t)layer->kernel[1];
  product.column = 1;
  product.deep = (ptrdiff_t)kernel;
  product.filter = (ptrdiff_t)(kernel * channels);
  return product;
}

size_t sprint__dy_before(const struct sprint__layer *layer, int k) {
  return (layer->kernel[k] + layer->stride - 1) / layer->stride - 1;
}

size_t sprint__dy_length(const struct sprint__layer *layer, int k) {
  size_t out = k ? layer->to.width : layer->to.height, in = k ? layer->from.width : layer->from.height;
  size_t seen = (in - 1 + layer->padding[k]) / layer->stride + 1;
  return sprint__dy_before(layer, k) + (seen > out ? seen : out);
}

/* One dimension of a phase. Kernel places first, first + stride, .. reach every stride-th row, from row `at` on: n rows
 * in all, of which the first one's window starts at row `from` of dy with its zeros. */
struct phase {
  size_t first, places, at, n, from;
};

/* Phases that a dimension has: the rows that a window can start at, up to the stride. */
static size_t n_phases(const struct sprint__layer *layer, int k) {
  size_t rows = (k ? layer->from.width : layer->from.height) + layer->padding[k];
  return layer->stride < rows ? layer->stride : rows;
}

static struct phase phase_of(const struct sprint__layer *layer, int k, size_t first) {
  size_t s = layer->stride, pad = layer->padding[k], in = k ? layer->from.width : layer->from.height;
  size_t q = pad > first ? (pad - first + s - 1) / s : 0; /* row at + pad = s q + first */
  struct phase phase = {.first = first, .at = s * q + first - pad};
  phase.places = layer->kernel[k] > first ? (layer->kernel[k] - first + s - 1) / s : 0;
  phase.n = phase.at < in ? (in - phase.at + s - 1) / s : 0;
  phase.from = phase.places ? q + sprint__dy_before(layer, k) + 1 - phase.places : 0;
  return phase;
}

/* The last kernel place of a phase, with which its window begins. */
static ptrdiff_t last_place(const struct sprint__layer *layer, const struct phase *phase) {
  return (ptrdiff_t)phase->first + (ptrdiff_t)layer->stride * ((ptrdiff_t)phase->places - 1);
}

size_t sprint__product_phases(const struct sprint__layer *layer) { return n_phases(layer, 0) * n_phases(layer, 1); }

struct sprint__product sprint__product_backward(const struct sprint__layer *layer, size_t phase) {
  size_t across_phases = n_phases(layer, 1), filters = layer->to.channels, channels = layer->from.channels;
  size_t line = sprint__dy_length(layer, 1) * filters;
  struct phase down = phase_of(layer, 0, phase / across_phases), across = phase_of(layer, 1, phase % across_phases);
  size_t first = sprint__dy_before(layer, 0), end = first + layer->to.height; /* lines of dy that are not zeros */
  struct sprint__conv of = {.rows = down.n,
                            .columns = across.n,
                            .down = line,
                            .across = filters,
                            .lines_down = 1,
                            .kernel_rows = down.places,
                            .run = across.places * filters,
                            .line = line,
                            .blank = first > down.from ? first - down.from : 0,
                            .end = end > down.from ? end - down.from : 0,
                            .filters = channels,
                            .to_down = layer->stride * layer->from.width * channels,
                            .to_across = layer->stride * channels};
  ptrdiff_t kernel_columns = (ptrdiff_t)layer->kernel[1], stride = (ptrdiff_t)layer->stride;
  struct sprint__product product = product_of(&of);
  product.from = down.from * line + across.from * filters;
  product.to = (down.at * layer->from.width + across.at) * channels;
  product.rows = down.places;
  product.columns = across.places;
  product.depth = filters;
  product.start = last_place(layer, &down) * kernel_columns + last_place(layer, &across);
  product.row = -stride * kernel_columns;
  product.column = -stride;
  product.filter = (ptrdiff_t)layer->kernel[0] * kernel_columns;
  product.deep = product.filter * (ptrdiff_t)channels;
  return product;
}

static size_t n_panels(const struct sprint__product *product) {
  return product->rows * product->columns * product->depth * sprint__conv_lanes(product->of.filters);
}

size_t sprint__product_weights(const struct sprint__product *product) {
  size_t panels = n_panels(product),
         narrow = sprint__narrow_fits(&product->of) ? sprint__narrow_weights(&product->of) : 0;
  if (product->winograd)
    return sprint__winograd_places(&product->tiles) * product->tiles.channels * product->tiles.lanes;
  return panels > narrow ? panels : narrow;
}

/* Of one band. */
static size_t band_room(const struct sprint__product *product) {
  return product->winograd ? sprint__winograd_room(&product->tiles) : 0;
}

size_t sprint__product_room(const struct sprint__product *product) {
  size_t panels = n_panels(product), tiles = SPRINT__PRODUCT_BANDS * band_room(product);
  if (!product->winograd && !sprint__narrow_fits(&product->of)) return 0;
  return panels > tiles ? panels : tiles;
}

/* Where in theta the weight of a place of the window is, of filter 0 and depth 0. */
static ptrdiff_t weight_at(const struct sprint__product *product, size_t row, size_t column) {
  return product->start + (ptrdiff_t)row * product->row + (ptrdiff_t)column * product->column;
}

/* Where the places of a window lie beside each other in theta, 1 forwards, -1 backwards; 0 where they do not, or are
 * too few for a group. */
static ptrdiff_t direction_of(const struct sprint__product *product) {
  bool beside = product->column == 1 || product->column == -1;
  bool lines = product->rows == 1 || product->row == product->column * (ptrdiff_t)product->columns;
  return beside && lines && product->rows * product->columns >= SPRINT__GROUP ? product->column : 0;
}

/* The first of them, whichever place it is, and which it is. */
static ptrdiff_t first_beside(const struct sprint__product *product, size_t *ret_place) {
  size_t places = product->rows * product->columns;
  *ret_place = product->column > 0 ? 0 : places - 1;
  return product->column > 0 ? product->start : product->start - (ptrdiff_t)(places - 1);
}

/* Places beside each other of a group of filters, and the rows of a window for them: squares that are turned round. */
struct squares {
  size_t n;            /* of them; places behind them are left */
  ptrdiff_t next;      /* numbers from a place's row of the window to the next place's */
  ptrdiff_t in_theta;  /* where the first filter's first place is */
  ptrdiff_t in_window; /* and its row */
};

static struct squares squares_of(const struct sprint__product *product, size_t first, size_t width) {
  size_t place, size = product->depth * width, places = product->rows * product->columns;
  ptrdiff_t direction = direction_of(product), start = first_beside(product, &place);
  return (struct squares){direction ? places / SPRINT__GROUP : 0, direction * (ptrdiff_t)size,
                          start + (ptrdiff_t)first * product->filter, (ptrdiff_t)(place * size)};
}

SPRINT__FAST static void order_squares(const struct sprint__product *product, const struct squares *of,
                                       const sprint_real *theta, size_t width, sprint_real *to) {
  for (size_t d = 0; d < product->depth; d++)
    for (size_t s = 0; s < of->n; s++) {
      const sprint_real *from = theta + of->in_theta + (ptrdiff_t)d * product->deep + (ptrdiff_t)(s * G);
      sprint_real *row = to + of->in_window + (ptrdiff_t)(s * G) * of->next + (ptrdiff_t)(d * width);
      group rows[G];
#pragma GCC unroll 8
      for (size_t l = 0; l < G; l++) rows[l] = load(from + (ptrdiff_t)l * product->filter);
      turn_square(rows);
#pragma GCC unroll 8
      for (size_t p = 0; p < G; p++) store(row + (ptrdiff_t)p * of->next, rows[p]);
    }
}

SPRINT__FAST static void put_squares(const struct sprint__product *product, const struct squares *of,
                                     const sprint_real *dw, size_t width, bool adds, sprint_real *gradient) {
  for (size_t d = 0; d < product->depth; d++)
    for (size_t s = 0; s < of->n; s++) {
      const sprint_real *row = dw + of->in_window + (ptrdiff_t)(s * G) * of->next + (ptrdiff_t)(d * width);
      sprint_real *to = gradient + of->in_theta + (ptrdiff_t)d * product->deep + (ptrdiff_t)(s * G);
      group rows[G];
#pragma GCC unroll 8
      for (size_t p = 0; p < G; p++) rows[p] = load(row + (ptrdiff_t)p * of->next);
      turn_square(rows);
#pragma GCC unroll 8
      for (size_t l = 0; l < G; l++) put(to + (ptrdiff_t)l * product->filter, rows[l], adds);
    }
}

/* Whether squares have done this place already. */
static bool is_done(const struct sprint__product *product, const struct squares *of, size_t row, size_t column) {
  size_t place = row * product->columns + column, places = product->rows * product->columns;
  return (product->column > 0 ? place : places - 1 - place) < of->n * SPRINT__GROUP;
}

/* to (window, width): the weights of `filters` filters from `first` on, and zeros up to `lanes`. */
SPRINT__INLINE void order_window(const struct sprint__product *product, const sprint_real *theta, size_t first,
                                 size_t filters, size_t lanes, size_t width, sprint_real *to) {
  ptrdiff_t next = product->filter;
  struct squares squares = squares_of(product, first, width);
  if (filters != SPRINT__GROUP || lanes != SPRINT__GROUP) squares.n = 0;
  order_squares(product, &squares, theta, width, to);
  theta += (ptrdiff_t)first * next;
  for (size_t r = 0; r < product->rows; r++)
    for (size_t c = 0; c < product->columns; c++) {
      const sprint_real *from = theta + weight_at(product, r, c);
      if (is_done(product, &squares, r, c)) {
        to += product->depth * width;
        continue;
      }
      for (size_t d = 0; d < product->depth; d++, to += width, from += product->deep)
        for (size_t l = 0; l < lanes; l++) to[l] = l < filters ? from[(ptrdiff_t)l * next] : 0;
    }
}

static void order_panels(const struct sprint__product *product, const sprint_real *theta, sprint_real *panels) {
  size_t filters = product->of.filters, window = product->rows * product->columns * product->depth, width;
  for (size_t g = 0; g < sprint__conv_groups(filters); g++) {
    sprint_real *to = panels + sprint__conv_panel(filters, window, g, &width);
    if (filters >= SPRINT__GROUP)
      order_window(product, theta, sprint__conv_first(filters, g), SPRINT__GROUP, SPRINT__GROUP, width, to);
    else
      order_window(product, theta, 0, filters, SPRINT__GROUP, width, to);
  }
}

void sprint__product_order_plain(const struct sprint__product *product, const sprint_real *theta,
                                 sprint_real *ret_weights) {
  size_t filters = product->of.filters;
  order_window(product, theta, 0, filters, filters, filters, ret_weights);
}

void sprint__product_order(const struct sprint__product *product, const sprint_real *theta, sprint_real *room,
                           sprint_real *ret_weights) {
  if (product->narrow) {
    sprint__product_order_plain(product, theta, room);
    sprint__narrow_order(&product->of, room, ret_weights);
    return;
  }
  order_panels(product, theta, product->winograd ? room : ret_weights);
  if (product->winograd) sprint__winograd_weights(&product->tiles, room, ret_weights);
}

struct run {
  const struct sprint__product *product;
  const sprint_real *x, *weights, *bias;
  bool relu;
  sprint_real *room, *y;
};

/* Rows of outputs that are cut together. */
static size_t rows_of_unit(const struct sprint__product *product) { return product->winograd ? 2 : 1; }
static size_t n_units(const struct sprint__product *product) {
  return product->winograd ? product->tiles.rows : product->of.rows;
}

/* Units start .. end of the product. */
static void run_band(void *user, int band, size_t start, size_t end) {
  const struct run *run = user;
  struct sprint__product part = *run->product;
  size_t first = start * rows_of_unit(&part), last = end * rows_of_unit(&part);
  const sprint_real *x = run->x + part.from + first * part.of.down;
  sprint_real *y = run->y + part.to + first * part.of.to_down;
  part.tiles.rows = end - start;
  part.of.rows = (last < part.of.rows ? last : part.of.rows) - first;
  part.of.top = first * part.of.lines_down;
  if (part.winograd)
    sprint__winograd_plain(&part.tiles, &part.of, x, run->weights, run->bias, run->relu,
                           run->room + (size_t)band * band_room(&part), y);
  else if (part.narrow)
    sprint__narrow_multiply(&part.of, x, run->weights, run->bias, run->relu, y);
  else
    sprint__conv_multiply(&part.of, x, run->weights, run->bias, run->relu, y);
}

/* How many bands it is worth while other threads are free. An output's sum does not depend on the others. */
static int bands_of(const sprint_context *context, const struct sprint__product *product) {
  const struct sprint__conv *of = &product->of;
  double cost = 2.0 * (double)(of->kernel_rows * of->run * sprint__conv_lanes(of->filters) * of->columns);
  if (!sprint__lanes_shared(context)) return 1;
  int bands = sprint__lanes_for(n_units(product), cost * (double)rows_of_unit(product), 0);
  return bands < SPRINT__PRODUCT_BANDS ? bands : SPRINT__PRODUCT_BANDS;
}

void sprint__product_run(sprint_context *context, const struct sprint__product *product, const sprint_real *x,
                         const sprint_real *weights, const sprint_real *bias, bool relu, sprint_real *room,
                         sprint_real *y) {
  struct run run = {product, x, weights, bias, relu, room, y};
  int bands = bands_of(context, product);
  if (bands == 1)
    run_band(&run, 0, 0, n_units(product));
  else
    sprint__lanes_run(context, n_units(product), bands, run_band, &run);
}

/* dw (window, width) of n filters from `first` on to theta's order. */
static void put_window(const struct sprint__product *product, const sprint_real *dw, size_t width, size_t first,
                       size_t n, bool adds, sprint_real *gradient) {
  struct squares squares = squares_of(product, first, width);
  if (n != SPRINT__GROUP) squares.n = 0;
  put_squares(product, &squares, dw, width, adds, gradient);
  gradient += (ptrdiff_t)first * product->filter;
  for (size_t r = 0; r < product->rows; r++)
    for (size_t c = 0; c < product->columns; c++) {
      sprint_real *to = gradient + weight_at(product, r, c);
      if (is_done(product, &squares, r, c)) {
        dw += product->depth * width;
        continue;
      }
      for (size_t d = 0; d < product->depth; d++, dw += width, to += product->deep)
        for (size_t l = 0; l < n; l++) {
          sprint_real *at = to + (ptrdiff_t)l * product->filter;
          *at = dw[l] + (adds ? *at : 0);
        }
    }
}

static void put_biases(const sprint_real *db, size_t n, bool adds, sprint_real *biases) {
  for (size_t l = 0; l < n; l++) biases[l] = db[l] + (adds ? biases[l] : 0);
}

/* Each filter from the first group that has it. */
void sprint__product_gradient(const struct sprint__product *product, const sprint_real *dw, const sprint_real *db,
                              bool adds, sprint_real *gradient) {
  size_t filters = product->of.filters, window = product->rows * product->columns * product->depth, width;
  sprint_real *biases = gradient + window * filters;
  for (size_t f = 0, n; f < filters; f += n) {
    size_t g = f / SPRINT__GROUP, lane = f - sprint__conv_first(filters, g), own = SPRINT__GROUP - lane;
    n = filters - f < own ? filters - f : own;
    const sprint_real *from = dw + sprint__conv_panel(filters, window, g, &width) + lane;
    put_window(product, from, width, f, n, adds, gradient);
    put_biases(db + g * SPRINT__GROUP + lane, n, adds, biases + f);
  }
}

void sprint__product_gradient_plain(const struct sprint__product *product, const sprint_real *dw, const sprint_real *db,
                                    bool adds, sprint_real *gradient) {
  size_t filters = product->of.filters, window = product->rows * product->columns * product->depth;
  put_window(product, dw, filters, 0, filters, adds, gradient);
  put_biases(db, filters, adds, gradient + window * filters);
}
