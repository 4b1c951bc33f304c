/* Networks: blocks of rows go through all layers and back while they sit in cache. */
#include "model/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Reals of activations that one block may hold, half a megabyte of floats: they stay in cache, and the weights are read
 * once for many rows. */
#define BLOCK_REALS 131072

static void network_free(sprint_model *model) {
  struct sprint__network *net = model->impl;
  if (net) sprint__free(net->layers);
  sprint__free(net);
}

enum { MAX_LAYERS = 64 };

/* Where the parts of a lane's scratch are, for one block. */
struct tape {
  sprint_real *y[MAX_LAYERS];      /* y[l] (block, out_l): outputs of layer l */
  sprint_real *delta, *delta_next; /* (block, max_width) each */
  sprint_real *scratch;            /* the layers' */
};

static struct tape tape_of(const struct sprint__network *net, const struct sprint__lane *lane) {
  struct tape tape;
  sprint_real *at = lane->scratch;
  for (size_t l = 0; l < net->n_layers; l++) {
    tape.y[l] = at;
    at += net->block * net->layers[l].out;
  }
  tape.delta = at;
  tape.delta_next = at + net->block * net->max_width;
  tape.scratch = tape.delta_next + net->block * net->max_width;
  return tape;
}

static const sprint_real *forward(const struct sprint__network *net, const struct tape *tape, const sprint_real *theta,
                                  const sprint_real *x, size_t n) {
  const sprint_real *input = x;
  for (size_t l = 0; l < net->n_layers; l++) {
    const struct sprint__layer *layer = &net->layers[l];
    layer->ops->forward(layer, theta + layer->offset, input, n, tape->y[l], tape->scratch);
    input = tape->y[l];
  }
  return input;
}

/* From tape->delta, the gradient in the outputs, back to the parameters (unless NULL) and to the input (unless NULL).
 */
static void backward(const struct sprint__network *net, struct tape *tape, const sprint_real *theta,
                     const sprint_real *x, size_t n, sprint_real *gradient, bool adds, sprint_real *dx) {
  for (size_t l = net->n_layers; l-- > 0;) {
    const struct sprint__layer *layer = &net->layers[l];
    sprint_real *next = l ? tape->delta_next : dx;
    layer->ops->backward(layer, theta + layer->offset, l ? tape->y[l - 1] : x, tape->y[l], n, tape->delta, next,
                         gradient ? gradient + layer->offset : NULL, adds, tape->scratch);
    sprint_real *swap = tape->delta;
    tape->delta = tape->delta_next;
    tape->delta_next = swap;
  }
}

static size_t block_size(const struct sprint__network *net, size_t n, size_t start) {
  return n - start < net->block ? n - start : net->block;
}

static void network_sums(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                         const sprint_batch *rows, struct sprint__sums *sums, sprint_real *gradient_x) {
  const struct sprint__network *net = model->impl;
  size_t d = model->n_features;
  for (size_t start = 0; start < rows->n; start += net->block) {
    struct tape tape = tape_of(net, lane);
    size_t n = block_size(net, rows->n, start);
    const sprint_real *x = rows->x + start * d;
    const sprint_real *f = forward(net, &tape, theta, x, n);
    bool back = sums->gradient || gradient_x;
    sums->loss += net->loss.ops->sum(&net->loss, f, rows->y + start, n, back ? tape.delta : NULL, &sums->correct);
    if (back) backward(net, &tape, theta, x, n, sums->gradient, start > 0, gradient_x ? gradient_x + start * d : NULL);
  }
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
  for (size_t i = 0; i < n; i++) {
    double e = exp(-fabs((double)odds[i]));
    double slope = score->sign * (score->probability ? e / ((1 + e) * (1 + e)) : 1.0);
    for (size_t j = 0; j < k; j++) delta[i * k + j] *= (sprint_real)slope;
  }
}

static void network_score_gradient(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                   const sprint_real *x, size_t n_rows, const struct sprint__score *score,
                                   sprint_real *ret_dx) {
  const struct sprint__network *net = model->impl;
  size_t d = model->n_features;
  for (size_t start = 0; start < n_rows; start += net->block) {
    struct tape tape = tape_of(net, lane);
    size_t n = block_size(net, n_rows, start);
    const sprint_real *f = forward(net, &tape, theta, x + start * d, n);
    score_delta(net, f, n, score, tape.delta_next, tape.delta);
    backward(net, &tape, theta, x + start * d, n, NULL, false, ret_dx + start * d);
  }
}

static void network_outputs(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                            const sprint_real *x, size_t n_rows, sprint_real *ret_outputs) {
  const struct sprint__network *net = model->impl;
  size_t k = model->n_outputs;
  for (size_t start = 0; start < n_rows; start += net->block) {
    struct tape tape = tape_of(net, lane);
    size_t n = block_size(net, n_rows, start);
    const sprint_real *f = forward(net, &tape, theta, x + start * model->n_features, n);
    memcpy(ret_outputs + start * k, f, n * k * sizeof *f);
  }
}

/* p_c = 1 / (1 + exp(-log-odds of c)), whatever the loss. */
sprint_status sprint__network_scores(const sprint_model *model, const sprint_real *outputs, size_t n,
                                     double *ret_scores) {
  const struct sprint__network *net = model->impl;
  size_t k = model->classifies ? model->n_classes : 1;
  sprint_real *room = sprint__alloc(model->context, n, (1 + model->n_outputs) * sizeof *room);
  if (!room) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; !model->classifies && i < n; i++) ret_scores[i] = (double)outputs[i];
  for (size_t c = 0; model->classifies && c < k; c++) {
    net->loss.ops->log_odds(&net->loss, outputs, n, c, room, room + n);
    for (size_t i = 0; i < n; i++) ret_scores[i * k + c] = 1 / (1 + exp(-(double)room[i]));
  }
  sprint__free(room);
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

static const struct sprint__model_ops network_ops = {
    .gives_gradient_x = true,
    .free = network_free,
    .sums = network_sums,
    .score_gradient = network_score_gradient,
    .outputs = network_outputs,
    .start = network_start,
};

/* Names, views and sizes that follow from the layers. */
static sprint_status describe(sprint_model *model, bool l2_biases) {
  struct sprint__network *net = model->impl;
  model->tensors = sprint__alloc(model->context, 2 * net->n_layers, sizeof *model->tensors);
  if (!model->tensors) return SPRINT_ERROR_MEMORY;
  size_t widths = 0, scratch = 0;
  double products = 0;
  for (size_t l = 0; l < net->n_layers; l++) {
    const struct sprint__layer *layer = &net->layers[l];
    model->n_params += layer->n_weights + layer->n_biases;
    widths += layer->out;
    products += layer->products;
    if (layer->scratch > scratch) scratch = layer->scratch;
    if (layer->out > net->max_width) net->max_width = layer->out;
    if (!layer->n_weights) continue;
    struct sprint__tensor_view *view = &model->tensors[model->n_tensors];
    view[0] = (struct sprint__tensor_view){"", layer->offset, layer->n_dims, {0}};
    memcpy(view[0].shape, layer->dims, sizeof layer->dims);
    view[1] = (struct sprint__tensor_view){"", layer->offset + layer->n_weights, 1, {layer->n_biases}};
    snprintf(view[0].name, sizeof view[0].name, "%zu.weight", l);
    snprintf(view[1].name, sizeof view[1].name, "%zu.bias", l);
    model->n_tensors += 2;
  }
  size_t reals = widths + 2 * net->max_width;
  net->block = BLOCK_REALS / reals < 16 ? 16 : BLOCK_REALS / reals > 256 ? 256 : BLOCK_REALS / reals;
  model->scratch_size = net->block * reals + scratch;
  model->cost_per_row = 6.0 * products;
  if (l2_biases) return SPRINT_OK;
  model->undecayed = sprint__alloc(model->context, model->n_params, 1);
  if (!model->undecayed) return SPRINT_ERROR_MEMORY;
  for (size_t l = 0; l < net->n_layers; l++)
    memset(model->undecayed + net->layers[l].offset + net->layers[l].n_weights, 1, net->layers[l].n_biases);
  return SPRINT_OK;
}

static char *loss_text(const struct sprint__section *loss, double sharpness) {
  if (loss->kind->n_params == 0) return sprint__strdup(loss->context, loss->kind->name);
  return sprint__printf(loss->context, "{kind: %s, c: %.17g}", loss->kind->name, sharpness);
}

static sprint_status check_loss(const struct sprint__section *section, const struct sprint__network *net,
                                size_t n_outputs, size_t n_classes) {
  size_t wanted = net->loss.ops->n_outputs(n_classes);
  const char *name = sprint__get_section(section, "loss")->kind->name;
  if (wanted == 0)
    return sprint__refuse(section, "loss", "'%s' needs %s; the data has %zu classes", name, net->loss.ops->needs,
                          n_classes);
  if (wanted != n_outputs)
    return sprint__refuse(section, "layers", "the last layer has %zu outputs; the loss '%s' needs %zu for this data",
                          n_outputs, name, wanted);
  return SPRINT_OK;
}

static sprint_status fill_network(const struct sprint__section *section, struct sprint__shape shape,
                                  sprint_model *model) {
  struct sprint__network *net = model->impl;
  const struct sprint__section *loss = sprint__get_section(section, "loss");
  SPRINT__TRY(sprint__layers_parse(section, shape, &net->layers, &net->n_layers));
  if (net->n_layers > MAX_LAYERS)
    return sprint__refuse(section, "layers", "%zu layers are more than %d", net->n_layers, MAX_LAYERS);
  model->n_outputs = net->layers[net->n_layers - 1].out;
  net->init = sprint__get_section(section, "init")->kind->ops;
  net->loss = (struct sprint__loss){loss->kind->ops, model->n_outputs, model->n_classes, 1.0};
  if (loss->kind == &sprint__loss_sigmoid) net->loss.sharpness = sprint__get_real(loss, "c");
  SPRINT__TRY(check_loss(section, net, model->n_outputs, model->n_classes));
  model->classifies = net->loss.ops->classifies;
  model->l2 = sprint__get_real(section, "l2");
  SPRINT__TRY(describe(model, sprint__get_flag(section, "l2_biases")));
  if (model->n_params == 0)
    return sprint__refuse(section, "layers", "no layer has parameters; a dense one was expected");
  model->layers_text = sprint__layers_text(section);
  model->loss_text = loss_text(loss, net->loss.sharpness);
  if (!model->layers_text || !model->loss_text) return SPRINT_ERROR_MEMORY;
  return sprint__model_finish(model);
}

sprint_status sprint__network_build(const struct sprint__section *section, struct sprint__shape shape, size_t n_classes,
                                    sprint_model **ret_model) {
  sprint_model *model = sprint__alloc(section->context, 1, sizeof *model);
  if (!model) return SPRINT_ERROR_MEMORY;
  model->context = section->context;
  model->ops = &network_ops;
  model->n_features = sprint__shape_size(&shape);
  model->n_classes = n_classes;
  model->impl = sprint__alloc(section->context, 1, sizeof(struct sprint__network));
  sprint_status status = model->impl ? fill_network(section, shape, model) : SPRINT_ERROR_MEMORY;
  if (status != SPRINT_OK) {
    sprint_model_free(model);
    return status;
  }
  *ret_model = model;
  return SPRINT_OK;
}
