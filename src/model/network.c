/* Networks: blocks of rows go through all layers and back while they sit in cache. */
#include "model/network.h"

#include <math.h>
#include <string.h>

#include "base/group.h"
#include "model/interleaved.h"

/* Where the parts of a lane's scratch are, for one block. */
struct tape {
  sprint_real *y[SPRINT__MAX_LAYERS];      /* y[l] (block, out_l): outputs of layer l */
  sprint_real *delta, *delta_next, *saved; /* (block, max_width) each */
  sprint_real *x;                          /* (block, d) images unpacked */
  sprint_real *scratch;                    /* the layers' */
};

/* A block of records as the first layer takes them. */
struct input {
  size_t n;
  const sprint_real *x;
};

static struct tape tape_of(const struct sprint__network *net, const struct sprint__lane *lane) {
  struct tape tape;
  sprint_real *at = lane->scratch;
  for (size_t l = 0; l < net->n_layers; l++) {
    tape.y[l] = net->layers[l].absorbed ? tape.y[l - 1] : at;
    if (!net->layers[l].absorbed) at += net->block * (net->layers[l].out + net->layers[l].saved);
  }
  tape.delta = at;
  tape.delta_next = tape.delta + net->block * net->max_width;
  tape.saved = tape.delta_next + net->block * net->max_width;
  tape.x = tape.saved + net->block * net->max_width;
  tape.scratch = tape.x + net->block * net->layers[0].in;
  return tape;
}

size_t sprint__network_scratch(const struct sprint__network *net, size_t layer_scratch) {
  size_t widths = 3 * net->max_width;
  for (size_t l = 0; l < net->n_layers; l++)
    widths += net->layers[l].absorbed ? 0 : net->layers[l].out + net->layers[l].saved;
  return net->block * (widths + net->layers[0].in) + layer_scratch;
}

/* The block of rows from `start` on. */
static struct input input_of(const struct sprint__network *net, const struct tape *tape,
                             const struct sprint__rows *rows, size_t start) {
  struct input input = {.n = rows->n - start < net->block ? rows->n - start : net->block};
  if (rows->x) {
    input.x = rows->x + start * net->layers[0].in;
  } else {
    sprint__pixels_unpack(rows->pixels, rows->who + start, 0, input.n, tape->x);
    input.x = tape->x;
  }
  return input;
}

static struct sprint__dense dense_at(const struct sprint__network *net, size_t l, const sprint_real *theta) {
  const struct sprint__layer *layer = &net->layers[l];
  return (struct sprint__dense){layer->in, layer->out, theta + layer->offset, layer->then_relu};
}

/* From the first layer's outputs on, up to layer `end`. */
static const sprint_real *forward_above(const struct sprint__network *net, const struct tape *tape,
                                        const sprint_real *theta, size_t n, size_t end) {
  for (size_t l = 1; l < end; l++) {
    const struct sprint__layer *layer = &net->layers[l];
    if (!layer->absorbed)
      layer->ops->forward(layer, theta + layer->offset, tape->y[l - 1], n, tape->y[l], tape->scratch);
  }
  return tape->y[end - 1];
}

static const sprint_real *forward_to(const struct sprint__network *net, const struct tape *tape,
                                     const sprint_real *theta, const struct input *input, size_t end) {
  const struct sprint__layer *first = &net->layers[0];
  first->ops->forward(first, theta + first->offset, input->x, input->n, tape->y[0], tape->scratch);
  return forward_above(net, tape, theta, input->n, end);
}

static const sprint_real *forward(const struct sprint__network *net, const struct tape *tape, const sprint_real *theta,
                                  const struct input *input) {
  return forward_to(net, tape, theta, input, net->n_layers);
}

/* to := -from, which may be the same. */
SPRINT__FAST static void negate(const sprint_real *from, size_t n, sprint_real *to) {
  for (size_t i = 0; i < n; i++) to[i] = -from[i];
}

/* Where row i's part of the activations of layer l is: minus the delta in its outputs, then the outputs. */
static size_t activations_at(const struct sprint__network *net, const struct sprint__upper_rows *rows, size_t i,
                             size_t l) {
  return rows->who[i] * net->activations + net->layers[l].activations;
}

/* Keeps those of layer l, if the rows want it; rows NULL: nobody does. */
static void keep_activations(const struct sprint__network *net, const struct tape *tape,
                             const struct sprint__upper_rows *rows, size_t l) {
  size_t out = net->layers[l].out;
  if (!rows || !rows->keep) return;
  for (size_t i = 0; i < rows->n; i++) {
    sprint_real *to = rows->keep + activations_at(net, rows, i, l);
    negate(tape->delta + i * out, out, to);
    memcpy(to + out, tape->y[l] + i * out, out * sizeof *to);
  }
}

static void swap(sprint_real **a, sprint_real **b) {
  sprint_real *other = *a;
  *a = *b;
  *b = other;
}

/* The layer whose outputs layer l takes. */
static size_t layer_below(const struct sprint__network *net, size_t l) {
  while (net->layers[--l].absorbed) continue;
  return l;
}

/* From tape->delta, the gradient in the outputs, back to tape->delta, that in the first layer's outputs; and, unless
 * gradient is NULL, to the parameters of the layers above it. */
static void backward_above(const struct sprint__network *net, struct tape *tape, const sprint_real *theta, size_t n,
                           const struct sprint__upper_rows *rows, sprint_real *gradient, bool adds) {
  keep_activations(net, tape, rows, net->last);
  for (size_t l = net->last, below; l > 0; l = below) {
    const struct sprint__layer *layer = &net->layers[l];
    below = layer_below(net, l);
    layer->ops->backward(layer, theta + layer->offset, tape->y[below], tape->y[l], n, tape->delta, tape->delta_next,
                         gradient ? gradient + layer->offset : NULL, adds, tape->scratch);
    swap(&tape->delta, &tape->delta_next);
    keep_activations(net, tape, rows, below);
  }
}

/* From delta, the gradient in the first layer's outputs, to its parameters (unless NULL) and the records (unless
 * NULL). */
static void backward_first(const struct sprint__network *net, const struct tape *tape, const sprint_real *theta,
                           const struct input *input, sprint_real *gradient, bool adds, sprint_real *dx) {
  const struct sprint__layer *first = &net->layers[0];
  first->ops->backward(first, theta + first->offset, input->x, tape->y[0], input->n, tape->delta, dx,
                       gradient ? gradient + first->offset : NULL, adds, tape->scratch);
}

/* Adds the loss of n outputs f, with its slope in tape->delta where that is wanted. Rows that count for more or less
 * than others go one by one. weight (n) or NULL. */
static void add_loss(const struct sprint__network *net, const struct tape *tape, const sprint_real *f,
                     const sprint_real *y, const double *weight, size_t n, bool slope, struct sprint__sums *sums) {
  const struct sprint__loss *loss = &net->loss;
  size_t k = loss->n_outputs, together = weight ? 1 : n;
  for (size_t i = 0; i < n; i += together) {
    double counts = weight ? weight[i] : 1;
    size_t correct = 0;
    sprint_real *delta = slope ? tape->delta + i * k : NULL;
    sums->loss += counts * loss->ops->sum(loss, f + i * k, y + i, together, delta, &correct);
    sums->correct += counts * (double)correct;
    for (size_t j = 0; weight && delta && j < k; j++) delta[j] *= (sprint_real)counts;
  }
}

static void network_sums(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                         const struct sprint__rows *rows, struct sprint__sums *sums, sprint_real *gradient_x) {
  const struct sprint__network *net = model->impl;
  for (size_t start = 0; start < rows->n; start += net->block) {
    struct tape tape = tape_of(net, lane);
    struct input input = input_of(net, &tape, rows, start);
    const sprint_real *f = forward(net, &tape, theta, &input);
    bool back = sums->gradient || gradient_x;
    add_loss(net, &tape, f, rows->y + start, rows->weight ? rows->weight + start : NULL, input.n, back, sums);
    if (!back) continue;
    backward_above(net, &tape, theta, input.n, NULL, sums->gradient, start > 0);
    backward_first(net, &tape, theta, &input, sums->gradient, start > 0,
                   gradient_x ? gradient_x + start * model->n_features : NULL);
  }
}

/* Whether all that is above the first layer can be done with records side by side. */
static bool can_interleave(const struct sprint__network *net) {
  for (size_t l = 1; l < net->n_layers; l++)
    if (!net->layers[l].absorbed && net->layers[l].kind != &sprint__layer_dense) return false;
  return net->loss.ops->interleaved != NULL;
}

static void network_upper_losses(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                 const sprint_real *z, const sprint_real *y, sprint_real *ret_losses) {
  const struct sprint__network *net = model->impl;
  struct tape tape = tape_of(net, lane);
  size_t out = net->layers[0].out, k = net->loss.n_outputs, correct = 0;
  bool relu = net->layers[0].then_relu;
  if (can_interleave(net)) {
    const sprint_real *x = z;
    for (size_t l = 1; l < net->n_layers; l++) {
      if (net->layers[l].absorbed) continue;
      struct sprint__dense dense = dense_at(net, l, theta);
      sprint__interleaved_forward(&dense, x, relu, tape.y[l]);
      x = tape.y[l];
      relu = false;
    }
    if (relu) sprint__dense_activate(z, out * SPRINT__INTERLEAVED, true, tape.y[0]);
    net->loss.ops->interleaved(&net->loss, relu ? tape.y[0] : x, y, ret_losses);
    return;
  }
  sprint__interleaved_to_rows(z, SPRINT__INTERLEAVED, out, tape.y[0]);
  sprint__dense_activate(tape.y[0], out * SPRINT__INTERLEAVED, relu, tape.y[0]);
  const sprint_real *f = forward_above(net, &tape, theta, SPRINT__INTERLEAVED, net->n_layers);
  for (size_t i = 0; i < SPRINT__INTERLEAVED; i++)
    ret_losses[i] = (sprint_real)net->loss.ops->sum(&net->loss, f + i * k, y + i, 1, NULL, &correct);
}

SPRINT__FAST static void add(sprint_real *restrict values, const sprint_real *restrict others, size_t n) {
  for (size_t i = 0; i < n; i++) values[i] += others[i];
}

/* One block. The second gradient is added with its sign turned where the loss's slope is, at the outputs. Where both
 * have the same records, a dense first layer is linear in its delta: one product with the sum of the two does. */
static void block_difference(const struct sprint__network *net, struct tape *tape, const sprint_real *theta,
                             const sprint_real *theta_b, const struct sprint__rows *rows, const sprint_real *x_b,
                             size_t start, struct sprint__sums *sums) {
  struct input input = input_of(net, tape, rows, start), input_b = input;
  const sprint_real *y = rows->y + start, *f = forward(net, tape, theta, &input);
  bool shares = !x_b && net->layers[0].kind == &sprint__layer_dense;
  add_loss(net, tape, f, y, NULL, input.n, true, sums);
  backward_above(net, tape, theta, input.n, NULL, sums->gradient, start > 0);
  if (shares)
    swap(&tape->delta, &tape->saved);
  else
    backward_first(net, tape, theta, &input, sums->gradient, start > 0, NULL);
  if (x_b) input_b.x = x_b + start * net->layers[0].in;
  f = forward(net, tape, theta_b, &input_b);
  net->loss.ops->sum(&net->loss, f, y, input.n, tape->delta, NULL);
  negate(tape->delta, input.n * net->loss.n_outputs, tape->delta);
  backward_above(net, tape, theta_b, input.n, NULL, sums->gradient, true);
  if (shares) add(tape->delta, tape->saved, input.n * net->layers[0].out);
  backward_first(net, tape, theta_b, &input_b, sums->gradient, !shares || start > 0, NULL);
}

static void network_difference(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                               const sprint_real *theta_b, const struct sprint__rows *rows, const sprint_real *x_b,
                               struct sprint__sums *sums) {
  const struct sprint__network *net = model->impl;
  for (size_t start = 0; start < rows->n; start += net->block) {
    struct tape tape = tape_of(net, lane);
    block_difference(net, &tape, theta, theta_b, rows, x_b, start, sums);
  }
}

/* to (n, width) := what is `skip` reals into each row's activations of layer l. */
static void recall(const struct sprint__network *net, const struct sprint__upper_rows *rows, size_t l, size_t skip,
                   size_t width, sprint_real *to) {
  for (size_t i = 0; i < rows->n; i++)
    memcpy(to + i * width, rows->subtracted + activations_at(net, rows, i, l) + skip, width * sizeof *to);
}

/* As backward_above, minus the gradients that the activations taken off stand for: they go behind the rows', so that
 * each layer's parameters take one product of both. */
static void backward_difference(const struct sprint__network *net, struct tape *tape, const sprint_real *theta,
                                const struct sprint__upper_rows *rows, sprint_real *gradient, bool adds) {
  size_t n = rows->n, out = net->layers[0].out;
  for (size_t l = net->last, below; l > 0; l = below) {
    const struct sprint__layer *layer = &net->layers[l];
    below = layer_below(net, l);
    layer->ops->backward(layer, theta + layer->offset, tape->y[below], tape->y[l], n, tape->delta, tape->delta_next,
                         NULL, false, tape->scratch);
    if (layer->n_weights) {
      recall(net, rows, l, 0, layer->out, tape->delta + n * layer->out);
      recall(net, rows, below, layer->in, layer->in, tape->y[below] + n * layer->in);
      layer->ops->backward(layer, theta + layer->offset, tape->y[below], tape->y[l], 2 * n, tape->delta, NULL,
                           gradient + layer->offset, adds, tape->scratch);
    }
    swap(&tape->delta, &tape->delta_next);
  }
  for (size_t i = 0; i < n; i++) add(tape->delta + i * out, rows->subtracted + activations_at(net, rows, i, 0), out);
}

static const sprint_real *network_upper_sums(const sprint_model *model, struct sprint__lane *lane,
                                             const sprint_real *theta, const struct sprint__upper_rows *rows, bool adds,
                                             struct sprint__sums *sums) {
  const struct sprint__network *net = model->impl;
  const struct sprint__layer *first = &net->layers[0];
  struct tape tape = tape_of(net, lane);
  sprint__dense_activate(rows->z, rows->n * first->out, first->then_relu, tape.y[0]);
  const sprint_real *f = forward_above(net, &tape, theta, rows->n, net->n_layers);
  add_loss(net, &tape, f, rows->y, NULL, rows->n, sums->gradient != NULL, sums);
  if (!sums->gradient) return NULL;
  if (rows->subtracted)
    backward_difference(net, &tape, theta, rows, sums->gradient, adds);
  else
    backward_above(net, &tape, theta, rows->n, rows, sums->gradient, adds);
  if (!rows->delta) return tape.delta;
  return memcpy(rows->delta, tape.delta, rows->n * first->out * sizeof *rows->delta);
}

/* delta := sign * dscore/df, where the score is the log-odds of the good class or its probability. */
static void score_delta(const struct sprint__network *net, const sprint_real *f, size_t n,
                        const struct sprint__score *score, sprint_real *odds, sprint_real *delta) {
  size_t k = net->loss.n_outputs;
  if (!net->loss.ops->log_odds) { /* a regression: its output is the score */
    for (size_t i = 0; i < n; i++) delta[i] = (sprint_real)score->sign;
    return;
  }
  net->loss.ops->log_odds(&net->loss, f, n, score->good, odds, delta);
  if (!score->probability && score->sign > 0) return;
  for (size_t i = 0; i < n; i++) {
    double e = score->probability ? exp(-fabs((double)odds[i])) : 0;
    double slope = score->sign * (score->probability ? e / ((1 + e) * (1 + e)) : 1.0);
    for (size_t j = 0; j < k; j++) delta[i * k + j] *= (sprint_real)slope;
  }
}

static void network_score_gradient(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                   const sprint_real *x, size_t n_rows, const struct sprint__score *score,
                                   sprint_real *ret_dx) {
  const struct sprint__network *net = model->impl;
  const struct sprint__loss_ops *loss = net->loss.ops;
  size_t last = net->n_layers - 1;
  bool outputs_idle = !score->probability && last > 0 && net->layers[last].kind == &sprint__layer_dense &&
                      (!loss->log_odds || loss->odds_linear);
  struct sprint__rows rows = {.n = n_rows, .x = x};
  for (size_t start = 0; start < n_rows; start += net->block) {
    struct tape tape = tape_of(net, lane);
    struct input input = input_of(net, &tape, &rows, start);
    const sprint_real *f = forward_to(net, &tape, theta, &input, net->n_layers - outputs_idle);
    score_delta(net, outputs_idle ? NULL : f, input.n, score, tape.delta_next, tape.delta);
    backward_above(net, &tape, theta, input.n, NULL, NULL, false);
    backward_first(net, &tape, theta, &input, NULL, false, ret_dx + start * model->n_features);
  }
}

static void network_score_sums(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                               const sprint_real *x, size_t n_rows, const struct sprint__score *score,
                               sprint_real *ret_gradient) {
  const struct sprint__network *net = model->impl;
  struct sprint__rows rows = {.n = n_rows, .x = x};
  for (size_t start = 0; start < n_rows; start += net->block) {
    struct tape tape = tape_of(net, lane);
    struct input input = input_of(net, &tape, &rows, start);
    const sprint_real *f = forward(net, &tape, theta, &input);
    score_delta(net, f, input.n, score, tape.delta_next, tape.delta);
    backward_above(net, &tape, theta, input.n, NULL, ret_gradient, start > 0);
    backward_first(net, &tape, theta, &input, ret_gradient, start > 0, NULL);
  }
}

static void network_outputs(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                            const sprint_real *x, size_t n_rows, sprint_real *ret_outputs) {
  const struct sprint__network *net = model->impl;
  size_t k = model->n_outputs;
  struct sprint__rows rows = {.n = n_rows, .x = x};
  for (size_t start = 0; start < n_rows; start += net->block) {
    struct tape tape = tape_of(net, lane);
    struct input input = input_of(net, &tape, &rows, start);
    const sprint_real *f = forward(net, &tape, theta, &input);
    memcpy(ret_outputs + start * k, f, input.n * k * sizeof *f);
  }
}

void sprint__network_log_odds(const sprint_model *model, const sprint_real *outputs, size_t n, size_t class_number,
                              sprint_real *ret_odds, sprint_real *room) {
  const struct sprint__network *net = model->impl;
  net->loss.ops->log_odds(&net->loss, outputs, n, class_number, ret_odds, room);
}

/* p_c = 1 / (1 + exp(-log-odds of c)), whatever the loss. */
sprint_status sprint__network_scores(const sprint_model *model, const sprint_real *outputs, size_t n,
                                     double *ret_scores) {
  size_t k = model->classifies ? model->n_classes : 1;
  SPRINT__SCOPED(sprint__free)
  sprint_real *room = sprint__alloc(model->context, n, (1 + model->n_outputs) * sizeof *room);
  if (!room) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; !model->classifies && i < n; i++) ret_scores[i] = (double)outputs[i];
  for (size_t c = 0; model->classifies && c < k; c++) {
    sprint__network_log_odds(model, outputs, n, c, room, room + n);
    for (size_t i = 0; i < n; i++) ret_scores[i * k + c] = 1 / (1 + exp(-(double)room[i]));
  }
  return SPRINT_OK;
}

static void network_start(const sprint_model *model, uint64_t seed, sprint_real *ret_theta) {
  const struct sprint__network *net = model->impl;
  for (size_t l = 0; l < net->n_layers; l++) {
    const struct sprint__layer *layer = &net->layers[l];
    sprint_real *weights = ret_theta + layer->offset;
    if (layer->n_weights) net->init->layer(layer, seed, l, weights, weights + layer->n_weights);
  }
}

const struct sprint__model_ops sprint__network_ops = {
    .gives_gradient_x = true,
    .reads_pixels = true,
    .sums = network_sums,
    .difference = network_difference,
    .upper_sums = network_upper_sums,
    .upper_losses = network_upper_losses,
    .score_gradient = network_score_gradient,
    .score_sums = network_score_sums,
    .outputs = network_outputs,
    .start = network_start,
};
