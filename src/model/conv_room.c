/* See conv_room.h. */
#include "model/conv_room.h"

#include "model/conv_abreast.h"
#include "model/conv_narrow.h"

static bool may_go_abreast(const struct sprint__product *product) {
  return sprint__abreast_pays(&product->of, product->winograd, sprint__abreast_most());
}

/* Rooms for the weights and for the work of all products, forward or backward; whether one may go abreast. */
static bool size_products(const struct sprint__layer *layer, size_t *ret_weights, size_t *ret_work) {
  struct sprint__product forward = sprint__product_forward(layer);
  bool abreast = may_go_abreast(&forward) || sprint__abreast_pays_weights(&forward.of, sprint__abreast_most());
  size_t weights = 0;
  *ret_weights = sprint__product_weights(&forward);
  *ret_work = sprint__product_room(&forward);
  for (size_t k = 0; k < sprint__product_phases(layer); k++) {
    struct sprint__product phase = sprint__product_backward(layer, k);
    abreast |= may_go_abreast(&phase);
    weights += sprint__product_weights(&phase);
    if (sprint__product_room(&phase) > *ret_work) *ret_work = sprint__product_room(&phase);
  }
  if (weights > *ret_weights) *ret_weights = weights;
  return abreast;
}

/* Numbers behind an image and a line more that Winograd's last tile may read: those of a pixel, by groups of 64 bytes.
 */
static size_t behind(size_t channels) { return channels + 2 * SPRINT__GROUP; }

struct sprint__conv_room sprint__conv_room_of(const struct sprint__layer *layer, sprint_real *scratch,
                                              size_t *ret_size) {
  struct sprint__product forward = sprint__product_forward(layer);
  struct sprint__conv of = forward.of;
  size_t used = 0, lanes = sprint__conv_lanes(of.filters), window = of.kernel_rows * of.run, n_weights, n_work;
  size_t lines = layer->from.height + 2 * layer->padding[0], dy_line = sprint__dy_length(layer, 1) * of.filters;
  size_t sides = size_products(layer, &n_weights, &n_work) ? sprint__abreast_most() : 1;
  size_t groups = sides > 1 ? (window * of.filters + SPRINT__GROUP) * sides : 0;
  size_t narrow = sprint__narrow_fits(&of) ? sprint__narrow_weights(&of) : 0;
  size_t panels = narrow > window * lanes ? narrow : window * lanes;
  struct sprint__conv_room room;
  room.n_x = (lines + 1) * of.line + behind(layer->from.channels);
  room.n_dy = (sprint__dy_length(layer, 0) + 1) * dy_line + behind(of.filters);
  room.x = sprint__conv_take(scratch, &used, sides * room.n_x);
  room.y = sprint__conv_take(scratch, &used, sides * of.rows * of.to_down);
  room.dx = sprint__conv_take(scratch, &used, sides * layer->in);
  room.dy = sprint__conv_take(scratch, &used, sides * room.n_dy);
  room.weights = sprint__conv_take(scratch, &used, n_weights);
  room.work = sprint__conv_take(scratch, &used, n_work);
  room.bias = sprint__conv_take(scratch, &used, lanes);
  room.dw = sprint__conv_take(scratch, &used, groups > panels ? groups : panels);
  room.db = sprint__conv_take(scratch, &used, sides * (lanes + SPRINT__GROUP));
  room.sums = sprint__conv_take(scratch, &used, window * of.filters + SPRINT__GROUP + 2 * lanes);
  room.places = sprint__conv_take(scratch, &used, forward.winograd ? sprint__winograd_sums(&forward.tiles) : 0);
  room.tiles = sprint__conv_take(scratch, &used, forward.winograd ? sprint__winograd_weights_room(&forward.tiles) : 0);
  room.other_y = sprint__conv_take(scratch, &used, of.rows * of.to_down);
  room.other_dy = sprint__conv_take(scratch, &used, room.n_dy);
  if (ret_size) *ret_size = used + SPRINT__LINE;
  return room;
}

/* Where an image starts within its padding. */
static size_t inner_at(const struct sprint__layer *layer, size_t line) {
  return layer->padding[0] * line + layer->padding[1] * layer->from.channels;
}

/* Where an image is within so many numbers. */
struct frame {
  size_t all, inner, rows, width, line;
};

/* Zeros around images, of `records` records side by side or, 0, of one by itself; and within, where they do not fill
 * their sides. */
static void zero_around(const struct frame *frame, size_t records, sprint_real *to) {
  size_t at = 0, sides = records ? sprint__abreast_side(records) : 1;
  bool full = records == 0 || records >= sides;
  for (size_t r = 0; full && r < frame->rows; r++) {
    size_t start = (frame->inner + r * frame->line) * sides;
    sprint__conv_zero(to + at, start - at);
    at = start + frame->width * sides;
  }
  sprint__conv_zero(to + at, frame->all * sides - at);
}

void sprint__conv_clear_x(const struct sprint__layer *layer, const struct sprint__conv_room *room, size_t line,
                          size_t records) {
  struct frame frame = {room->n_x, inner_at(layer, line), layer->from.height, layer->from.width * layer->from.channels,
                        line};
  zero_around(&frame, records, room->x);
}

void sprint__conv_place_x(const struct sprint__layer *layer, const struct sprint__conv_room *room, size_t line,
                          const sprint_real *x, size_t abreast, size_t side) {
  if (abreast)
    sprint__abreast_place(&layer->from, layer->last_in, x, layer->in, abreast, side, line,
                          room->x + inner_at(layer, line) * side);
  else
    sprint__conv_place(&layer->from, layer->last_in, x, line, room->x + inner_at(layer, line));
}

/* dy where relu let y through, else 0. */
SPRINT__FAST static void mask(const sprint_real *restrict dy, const sprint_real *restrict y, size_t n,
                              sprint_real *restrict to) {
  for (size_t i = 0; i < n; i++) to[i] = y[i] <= 0 ? 0 : dy[i];
}

size_t sprint__dy_at(const struct sprint__layer *layer) {
  size_t column = layer->to.channels, line = sprint__dy_length(layer, 1) * column;
  return sprint__dy_before(layer, 0) * line + sprint__dy_before(layer, 1) * column;
}

void sprint__conv_clear_dy(const struct sprint__layer *layer, const struct sprint__conv_room *room, size_t records) {
  size_t filters = layer->to.channels;
  struct frame frame = {room->n_dy, sprint__dy_at(layer), layer->to.height, layer->to.width * filters,
                        sprint__dy_length(layer, 1) * filters};
  zero_around(&frame, records, room->dy);
}

/* One record's slopes into the room, masked on their way there. */
static void place_masked(const struct sprint__layer *layer, const sprint_real *dy, const sprint_real *y, size_t line,
                         sprint_real *to) {
  size_t width = layer->to.width * layer->to.channels;
  for (size_t r = 0; r < layer->to.height; r++) mask(dy + r * width, y + r * width, width, to + r * line);
}

void sprint__conv_place_dy(const struct sprint__layer *layer, const struct sprint__conv_room *room,
                           const sprint_real *dy, const sprint_real *y, size_t abreast, size_t side) {
  size_t line = sprint__dy_length(layer, 1) * layer->to.channels;
  if (layer->then_relu && layer->last_out && !abreast) {
    place_masked(layer, dy, y, line, room->dy + sprint__dy_at(layer));
    return;
  }
  if (layer->then_relu) mask(dy, y, (abreast ? abreast : 1) * layer->out, room->y);
  if (layer->then_relu) dy = room->y;
  if (abreast)
    sprint__abreast_place(&layer->to, layer->last_out, dy, layer->out, abreast, side, line,
                          room->dy + sprint__dy_at(layer) * side);
  else
    sprint__conv_place(&layer->to, layer->last_out, dy, line, room->dy + sprint__dy_at(layer));
}
