/* Passes of a block through the layers and back: see network_pass.h. */
#include "model/network_pass.h"

#include <string.h>

#include "base/group.h"
#include "base/vector.h"

/* Where layer m's rows are among those whose gradient is left for later. */
static sprint_real *late_input(const struct sprint__network *net, const struct sprint__tape *tape, size_t m) {
  return net->late[m].room[tape->side] + tape->row * net->layers[m].in;
}

void sprint__tape_fill(const struct sprint__network *net, const struct sprint__lane *lane, size_t start, int side,
                       struct sprint__tape *tape) {
  tape->late = lane->late;
  tape->row = lane->row + start;
  tape->side = side;
  sprint_real *at = lane->scratch, *deltas[2];
  for (size_t l = 0; l < net->n_layers; l++) {
    tape->y[l] = net->layers[l].absorbed ? tape->y[l - 1] : at;
    if (!net->layers[l].absorbed) at += net->block * (net->layers[l].out + net->layers[l].saved);
  }
  deltas[0] = at;
  deltas[1] = deltas[0] + net->block * net->max_width;
  tape->spare = deltas[1] + net->block * net->max_width;
  tape->x = tape->spare + net->block * net->max_width;
  tape->past = tape->x + net->block * net->layers[0].in;
  tape->scratch = tape->past + net->block * net->past;
  tape->aside = tape->scratch + net->scratch;
  size_t turn = 0;
  for (size_t l = 0; l < net->n_layers; l++) {
    const struct sprint__layer *layer = &net->layers[l];
    if (layer->absorbed) continue;
    tape->delta[l] = deltas[turn++ % 2];
    if (!tape->late) continue;
    if (layer->feeds && !layer->saved) tape->y[l] = late_input(net, tape, layer->feeds);
    if (layer->late) tape->delta[l] = net->late[l].dy[side] + tape->row * layer->out;
  }
}

size_t sprint__network_scratch(const struct sprint__network *net) {
  size_t widths = 3 * net->max_width, aside = net->aside ? net->aside + net->scratch : 0;
  for (size_t l = 0; l < net->n_layers; l++)
    widths += net->layers[l].absorbed ? 0 : net->layers[l].out + net->layers[l].saved;
  return net->block * (widths + net->layers[0].in + net->past) + net->scratch + aside;
}

struct sprint__block sprint__block_of(const struct sprint__network *net, const struct sprint__tape *tape,
                                      const struct sprint__rows *rows, size_t start, size_t block) {
  struct sprint__block input = {.n = rows->n - start < block ? rows->n - start : block};
  if (rows->x) {
    input.x = rows->x + start * net->layers[0].in;
  } else {
    sprint_real *x = tape->late && net->layers[0].late ? late_input(net, tape, 0) : tape->x;
    sprint__pixels_unpack(rows->pixels, rows->who + start, 0, input.n, x);
    input.x = x;
  }
  return input;
}

static void forward_layer(const struct sprint__network *net, const struct sprint__tape *tape, const sprint_real *theta,
                          size_t l, const sprint_real *x, size_t n) {
  const struct sprint__layer *layer = &net->layers[l];
  layer->ops->forward(layer, theta + layer->offset, x, n, tape->y[l], tape->scratch);
  if (tape->late && layer->feeds && layer->saved)
    memcpy(late_input(net, tape, layer->feeds), tape->y[l], n * layer->out * sizeof *x);
}

const sprint_real *sprint__forward_above(const struct sprint__network *net, const struct sprint__tape *tape,
                                         const sprint_real *theta, size_t n, size_t end) {
  size_t below = 0;
  for (size_t l = 1; l < end; l++) {
    if (net->layers[l].absorbed) continue;
    forward_layer(net, tape, theta, l, tape->y[below], n);
    below = l;
  }
  return tape->y[below];
}

const sprint_real *sprint__forward_to(const struct sprint__network *net, const struct sprint__tape *tape,
                                      const sprint_real *theta, const struct sprint__block *input, size_t end) {
  forward_layer(net, tape, theta, 0, input->x, input->n);
  return sprint__forward_above(net, tape, theta, input->n, end);
}

/* Rows that count for more or less than others go one by one. */
void sprint__add_loss(const struct sprint__network *net, const struct sprint__tape *tape, const sprint_real *f,
                      const struct sprint__rows *rows, size_t start, size_t n, bool slope, struct sprint__sums *sums) {
  const struct sprint__loss *loss = &net->loss;
  const sprint_real *y = rows->y + start;
  const double *weight = rows->weight ? rows->weight + start : NULL;
  for (size_t i = 0, k = loss->n_outputs, together = weight ? 1 : n; i < n; i += together) {
    double counts = weight ? weight[i] : 1;
    struct sprint__tally tally = {.losses = rows->losses ? rows->losses + start + i : NULL};
    sprint_real *delta = slope ? tape->delta[net->last] + i * k : NULL;
    sums->loss += counts * loss->ops->sum(loss, f + i * k, y + i, together, delta, &tally);
    sums->correct += counts * (double)tally.correct;
    for (size_t j = 0; weight && delta && j < k; j++) delta[j] *= (sprint_real)counts;
    if (weight && tally.losses) tally.losses[0] *= counts;
  }
}

/* to (n) := from. Rows are short, and calls of memcpy for each take longer than the copies. */
SPRINT__INLINE void copy_row(const sprint_real *from, size_t n, sprint_real *to) {
  enum { SHORT = 512 };
  if (n < G || n > SHORT) {
    memcpy(to, from, n * sizeof *to);
    return;
  }
  for (size_t i = 0; i + G <= n; i += G) store(to + i, load(from + i));
  store(to + n - G, load(from + n - G));
}

/* to (n) := -from, which may be the same. */
SPRINT__INLINE void negate_row(const sprint_real *from, size_t n, sprint_real *to) {
  if (n < G) {
    for (size_t i = 0; i < n; i++) to[i] = -from[i];
    return;
  }
  group last = -load(from + n - G);
  for (size_t i = 0; i + G <= n; i += G) store(to + i, -load(from + i));
  store(to + n - G, last);
}

SPRINT__FAST void sprint__negate(const sprint_real *from, size_t n, sprint_real *to) { negate_row(from, n, to); }

/* Of record i's activations: those of layer l, minus its delta where it has parameters; then its outputs where they are
 * needed again, and what it saved. */
static size_t kept_at(const struct sprint__network *net, const struct sprint__whose *whose, size_t i, size_t l) {
  return whose->who[i] * net->activations + net->layers[l].activations;
}

static size_t kept_delta(const struct sprint__layer *layer) { return layer->n_weights ? layer->out : 0; }
static size_t kept_y(const struct sprint__layer *layer) { return layer->keeps_y ? layer->out : 0; }

/* What layer l saved of record i, of n whose outputs are at y. */
static unsigned char *saved_of(const struct sprint__layer *layer, sprint_real *y, size_t n, size_t i) {
  return (unsigned char *)(y + n * layer->out) + i * layer->saved_size;
}

/* Keeps the activations of layer l, if anybody wants them. */
SPRINT__FAST static void keep_layer(const struct sprint__network *net, const struct sprint__tape *tape,
                                    const struct sprint__whose *whose, size_t n, size_t l) {
  const struct sprint__layer *layer = &net->layers[l];
  size_t out = layer->out;
  if (!whose || !whose->keep) return;
  for (size_t i = 0; i < n; i++) {
    sprint_real *to = whose->keep + kept_at(net, whose, i, l);
    if (layer->n_weights) negate_row(tape->delta[l] + i * out, out, to);
    if (layer->keeps_y) copy_row(tape->y[l] + i * out, out, to + kept_delta(layer));
    if (layer->saved)
      memcpy(to + kept_delta(layer) + kept_y(layer), saved_of(layer, tape->y[l], n, i), layer->saved_size);
  }
}

/* The layer whose outputs layer l takes. */
static size_t layer_below(const struct sprint__network *net, size_t l) {
  while (net->layers[--l].absorbed) continue;
  return l;
}

void sprint__backward_above(const struct sprint__network *net, const struct sprint__tape *tape,
                            const sprint_real *theta, size_t n, const struct sprint__whose *whose,
                            sprint_real *gradient, bool adds) {
  keep_layer(net, tape, whose, n, net->last);
  for (size_t l = net->last, below; l > 0; l = below) {
    const struct sprint__layer *layer = &net->layers[l];
    bool now = gradient && !(tape->late && layer->late);
    below = layer_below(net, l);
    layer->ops->backward(layer, theta + layer->offset, tape->y[below], tape->y[l], n, tape->delta[l],
                         tape->delta[below], now ? gradient + layer->offset : NULL, adds, tape->scratch);
    keep_layer(net, tape, whose, n, below);
  }
}

void sprint__backward_first(const struct sprint__network *net, const struct sprint__tape *tape,
                            const sprint_real *theta, const struct sprint__block *input, sprint_real *gradient,
                            bool adds, sprint_real *dx) {
  const struct sprint__layer *first = &net->layers[0];
  bool now = gradient && !(tape->late && first->late);
  if (!now && !dx) return;
  first->ops->backward(first, theta + first->offset, input->x, tape->y[0], input->n, tape->delta[0], dx,
                       now ? gradient + first->offset : NULL, adds, tape->scratch);
}

void sprint__recall_ahead(const struct sprint__network *net, const struct sprint__whose *whose, size_t n) {
  enum { LINE = 64 / sizeof(sprint_real), MOST = 1 << 16 }; /* reals that the second cache holds beside all else */
  if (n * net->activations > MOST) return;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < net->activations; k += LINE)
      __builtin_prefetch(whose->recalled + whose->who[i] * net->activations + k, 0, 2);
}

/* to (n, width) := what is `skip` reals into each row's activations of layer l. */
SPRINT__FAST static void recall(const struct sprint__network *net, const struct sprint__whose *whose, size_t n,
                                size_t l, size_t skip, size_t width, sprint_real *to) {
  for (size_t i = 0; i < n; i++) copy_row(whose->recalled + kept_at(net, whose, i, l) + skip, width, to + i * width);
}

void sprint__recall_delta(const struct sprint__network *net, const struct sprint__whose *whose, size_t n, size_t l,
                          sprint_real *to) {
  recall(net, whose, n, l, 0, net->layers[l].out, to);
}

static void recall_y(const struct sprint__network *net, const struct sprint__whose *whose, size_t n, size_t l,
                     sprint_real *to) {
  recall(net, whose, n, l, kept_delta(&net->layers[l]), net->layers[l].out, to);
}

/* A dense layer's gradient, of the rows and of those recalled, which go behind them: one product of both. */
static void stacked_gradient(const struct sprint__network *net, const struct sprint__tape *tape,
                             const sprint_real *theta, size_t n, const struct sprint__whose *whose, size_t l,
                             sprint_real *gradient, bool adds) {
  const struct sprint__layer *layer = &net->layers[l];
  size_t below = layer_below(net, l);
  sprint__recall_delta(net, whose, n, l, tape->delta[l] + n * layer->out);
  recall_y(net, whose, n, below, tape->y[below] + n * layer->in);
  layer->ops->backward(layer, theta + layer->offset, tape->y[below], tape->y[l], 2 * n, tape->delta[l], NULL,
                       gradient + layer->offset, adds, tape->scratch);
}

/* Two gradients in a layer's parameters, of rows and of what is recalled. */
struct two_gradients {
  const struct sprint__network *net;
  const struct sprint__tape *tape;
  const sprint_real *theta;
  size_t n, l;
  const struct sprint__whose *whose;
  const sprint_real *x, *x_recalled;
  sprint_real *gradient; /* the layer's part of it */
  bool adds;
};

/* Minus the gradient that the recalled activations stand for; to the layer's part of a gradient. */
static void recalled_gradient(const struct two_gradients *of, bool adds, sprint_real *scratch, sprint_real *to) {
  const struct sprint__layer *layer = &of->net->layers[of->l];
  size_t n = of->n, skip = kept_delta(layer) + kept_y(layer);
  sprint_real *delta = of->tape->past, *y = delta + n * layer->out;
  const sprint_real *x = of->x_recalled ? of->x_recalled : of->tape->spare;
  sprint__recall_delta(of->net, of->whose, n, of->l, delta);
  if (!of->x_recalled) recall_y(of->net, of->whose, n, layer_below(of->net, of->l), of->tape->spare);
  if (layer->keeps_y) recall_y(of->net, of->whose, n, of->l, y);
  for (size_t i = 0; layer->saved && i < n; i++)
    memcpy(saved_of(layer, y, n, i), of->whose->recalled + kept_at(of->net, of->whose, i, of->l) + skip,
           layer->saved_size);
  layer->ops->backward(layer, of->theta + layer->offset, x, y, n, delta, NULL, to, adds, scratch);
}

static void own_gradient(const struct two_gradients *of) {
  const struct sprint__layer *layer = &of->net->layers[of->l];
  const struct sprint__tape *tape = of->tape;
  layer->ops->backward(layer, of->theta + layer->offset, of->x, tape->y[of->l], of->n, tape->delta[of->l], NULL,
                       of->gradient, of->adds, tape->scratch);
}

static void one_of_two(void *user, int which, size_t start, size_t end) {
  (void)start, (void)end;
  const struct two_gradients *of = user;
  if (which == 0)
    own_gradient(of);
  else
    recalled_gradient(of, false, of->tape->aside + of->net->aside, of->tape->aside);
}

/* Windows that are worth it have the second by itself, for a thread that has nothing else to do; whether there is one,
 * the sums are the same. */
void sprint__layer_difference(const struct sprint__network *net, const struct sprint__tape *tape,
                              const sprint_real *theta, size_t n, const struct sprint__whose *whose, size_t l,
                              const sprint_real *x, const sprint_real *x_recalled, sprint_real *gradient, bool adds) {
  const struct sprint__layer *layer = &net->layers[l];
  sprint_real *to = gradient + layer->offset;
  struct two_gradients of = {net, tape, theta, n, l, whose, x, x_recalled, to, adds};
  if (layer->kernel[0] == 0 || sprint__lanes_for(2, 2 * (double)n * layer->products, 0) < 2) {
    own_gradient(&of);
    recalled_gradient(&of, true, tape->scratch, to);
    return;
  }
  sprint__lanes_run(layer->context, 2, 2, one_of_two, &of);
  sprint__add_to(to, tape->aside, layer->n_weights + layer->n_biases);
}

/* The part of layer l, not the first, in a gradient minus that of the recalled activations. */
static void differ(const struct sprint__network *net, const struct sprint__tape *tape, const sprint_real *theta,
                   size_t n, const struct sprint__whose *whose, size_t l, sprint_real *gradient, bool adds) {
  const struct sprint__layer *layer = &net->layers[l];
  size_t below = layer_below(net, l);
  if (tape->late && layer->late) {
    sprint__recall_delta(net, whose, n, l, net->late[l].dy[1] + tape->row * layer->out);
    recall_y(net, whose, n, below, net->late[l].room[1] + tape->row * layer->in);
  } else if (layer->kind == &sprint__layer_dense && !net->layers[below].saved) {
    stacked_gradient(net, tape, theta, n, whose, l, gradient, adds);
  } else {
    sprint__layer_difference(net, tape, theta, n, whose, l, tape->y[below], NULL, gradient, adds);
  }
}

void sprint__backward_difference(const struct sprint__network *net, const struct sprint__tape *tape,
                                 const sprint_real *theta, size_t n, const struct sprint__whose *whose, bool first,
                                 sprint_real *gradient, bool adds) {
  size_t out = net->layers[0].out;
  for (size_t l = net->last, below; l > 0; l = below) {
    const struct sprint__layer *layer = &net->layers[l];
    below = layer_below(net, l);
    layer->ops->backward(layer, theta + layer->offset, tape->y[below], tape->y[l], n, tape->delta[l],
                         tape->delta[below], NULL, false, tape->scratch);
    if (layer->n_weights) differ(net, tape, theta, n, whose, l, gradient, adds);
  }
  for (size_t i = 0; first && i < n; i++)
    sprint__add_to(tape->delta[0] + i * out, whose->recalled + kept_at(net, whose, i, 0), out);
}
