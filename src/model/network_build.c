/* Building a network: the layers of a list, what they take in, names, views and sizes. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/dense.h"
#include "model/gemm.h"
#include "model/interleaved.h"
#include "model/network.h"

/* Reals of activations that one block may hold: half a megabyte of floats, so that they stay in the second cache and
 * large weights are read once for many rows; where the weights are few, what fits the first cache. */
#define BLOCK_REALS       131072
#define BLOCK_REALS_SMALL 20480
#define FEW_PARAMS        8192

/* And at most where large dense layers ask for longer blocks: 32 MB of floats for a lane. */
#define BLOCK_REALS_LATE (8 << 20)

/* Rows of a block at least; where interleaved records may come in above the first layer, room for a tile; and at most,
 * as where dense layers are large, which want many rows of a product, whatever cache that takes. */
enum { LEAST_ROWS = 16, LEAST_UPPER_ROWS = 32, MOST_ROWS = 256 };
_Static_assert((int)LEAST_UPPER_ROWS >= (int)SPRINT__INTERLEAVED, "a tile fits a block");

/* A relu between dense layers is done by them: the one before puts out max(., 0), the one after leaves out what that
 * cut off. */
static void absorb_relus(struct sprint__network *net) {
  for (size_t l = 0; l + 2 < net->n_layers; l++) {
    struct sprint__layer *layer = &net->layers[l];
    if (layer[0].kind != &sprint__layer_dense || layer[1].kind != &sprint__layer_relu ||
        layer[2].kind != &sprint__layer_dense)
      continue;
    layer[0].then_relu = layer[1].absorbed = layer[2].after_relu = true;
  }
}

/* What follows from the layers for a block of rows: how many, and what they need. */
struct extent {
  size_t n_params;
  size_t widths;          /* reals of a row's activations */
  double products, saved; /* of a row; operations that its activations spare a later pass */
  size_t late;            /* weights of large dense layers */
  bool windows;           /* there are layers that look at windows of images, whose activations are many */
};

/* Of a layer whose outputs and deltas are at hand: the way forward and, above the first, the gradient of the inputs; of
 * an activation but the relu, its value and its slope. */
static double saved_by(const struct sprint__layer *layer, bool first) {
  enum { COST_OF_ELEMENT = 80 };
  bool counts = layer->ops->element_wise && layer->kind != &sprint__layer_relu;
  return (first ? 2 : 4) * layer->products + (counts ? COST_OF_ELEMENT * (double)layer->out : 0);
}

static struct extent measure(struct sprint__network *net) {
  struct extent e = {0};
  for (size_t l = 0; l < net->n_layers; l++) {
    struct sprint__layer *layer = &net->layers[l];
    e.n_params += layer->n_weights + layer->n_biases;
    e.products += layer->products;
    e.saved += saved_by(layer, l == 0);
    if (layer->scratch > net->scratch) net->scratch = layer->scratch;
    if (layer->kernel[0] > 0 && layer->n_weights + layer->n_biases > net->aside)
      net->aside = layer->n_weights + layer->n_biases;
    if (layer->absorbed) continue;
    e.widths += layer->out + layer->saved;
    e.late += layer->late ? layer->n_weights : 0;
    e.windows |= layer->kernel[0] > 0;
    if (layer->out > net->max_width) net->max_width = layer->out;
    net->last = l;
  }
  return e;
}

/* What of a record's activations its whole gradient is put together from, beside the record. */
static void plan_activations(struct sprint__network *net) {
  for (size_t l = 0, below = 0; l < net->n_layers; l++) {
    struct sprint__layer *layer = &net->layers[l];
    if (layer->absorbed) continue;
    if (l > 0 && layer->n_weights) net->layers[below].keeps_y = true;
    if (layer->reads_y) layer->keeps_y = true;
    below = l;
  }
  for (size_t l = 0; l < net->n_layers; l++) {
    struct sprint__layer *layer = &net->layers[l];
    if (layer->absorbed) continue;
    layer->activations = net->activations;
    net->activations += (layer->n_weights ? layer->out : 0) + (layer->keeps_y ? layer->out : 0) + layer->saved;
    if (layer->n_weights && layer->out + layer->saved > net->past) net->past = layer->out + layer->saved;
  }
}

/* Outputs of a first layer that interleaved records may come in above; 0: they may not. */
static size_t upper_width(const struct sprint__network *net) {
  const struct sprint__layer *first = &net->layers[0];
  return first->kind == &sprint__layer_dense && first->out % SPRINT__GROUP == 0 ? first->out : 0;
}

/* Rows that large layers ask for: so many that a block takes less by their weights than by its activations. */
static size_t rows_for_large(const struct extent *e, size_t reals) {
  if (!e->late || !e->windows) return e->late ? MOST_ROWS : 0;
  return (e->late < BLOCK_REALS_LATE ? e->late : BLOCK_REALS_LATE) / reals;
}

static size_t block_of(const struct sprint__network *net, const struct extent *e) {
  size_t reals = e->widths + 3 * net->max_width, late = rows_for_large(e, reals);
  size_t rows = (e->n_params > FEW_PARAMS ? BLOCK_REALS : BLOCK_REALS_SMALL) / reals;
  size_t least = upper_width(net) ? LEAST_UPPER_ROWS : LEAST_ROWS;
  if (late > least) least = late;
  if (rows < least) rows = least;
  return rows > MOST_ROWS ? MOST_ROWS : rows / 16 * 16;
}

/* Layers that threads share where rows are few. */
static void mark_shared(struct sprint__network *net) {
  for (size_t l = 0; l < net->n_layers; l++) {
    struct sprint__layer *layer = &net->layers[l];
    layer->parts = layer->kind == &sprint__layer_dense ? sprint__cut_parts(layer->in, layer->out) : 1;
  }
}

static void absorb(struct sprint__network *net) {
  absorb_relus(net);
  sprint__conv_pool_absorb(net->layers, net->n_layers);
  sprint__conv_absorb(net->layers, net->n_layers);
  sprint__network_mark_late(net);
  mark_shared(net);
}

double sprint__layers_need(struct sprint__layer *layers, size_t n) {
  struct sprint__network net = {.n_layers = n, .layers = layers};
  absorb(&net);
  struct extent e = measure(&net);
  net.block = block_of(&net, &e);
  plan_activations(&net);
  double reals = (double)sprint__network_scratch(&net) + (double)e.n_params;
  return (SPRINT__MAX_LANES * reals + sprint__network_late_need(&net)) * (double)sizeof(sprint_real);
}

static void name_tensors(sprint_model *model) {
  const struct sprint__network *net = model->impl;
  for (size_t l = 0; l < net->n_layers; l++) {
    const struct sprint__layer *layer = &net->layers[l];
    if (!layer->n_weights) continue;
    struct sprint__tensor_view *view = &model->tensors[model->n_tensors];
    view[0] = (struct sprint__tensor_view){"", layer->offset, layer->n_dims, {0}, layer->by_input};
    memcpy(view[0].shape, layer->dims, sizeof layer->dims);
    view[1] = (struct sprint__tensor_view){"", layer->offset + layer->n_weights, 1, {layer->n_biases}, false};
    snprintf(view[0].name, sizeof view[0].name, "%zu.weight", l);
    snprintf(view[1].name, sizeof view[1].name, "%zu.bias", l);
    model->n_tensors += 2;
  }
}

/* A layer's parameters: those that may be shared where rows are few are cut as their products are then. */
static struct sprint__stretch stretch_of(const struct sprint__layer *layer) {
  enum { STEP = 64 };
  size_t n = layer->n_weights + layer->n_biases;
  if (layer->parts <= 1) return (struct sprint__stretch){n, STEP, n / STEP};
  return (struct sprint__stretch){n, SPRINT__CUT_STEP * layer->out, sprint__cut_steps(layer->in)};
}

static sprint_status stretch_theta(sprint_model *model) {
  const struct sprint__network *net = model->impl;
  struct sprint__stretch *all = sprint__arena_take(&model->arena, net->n_layers, sizeof *all);
  if (!all) return SPRINT_ERROR_MEMORY;
  model->stretches = (struct sprint__stretches){model->n_params, 0, all};
  for (size_t l = 0; l < net->n_layers; l++)
    if (net->layers[l].n_weights) all[model->stretches.n_stretches++] = stretch_of(&net->layers[l]);
  return SPRINT_OK;
}

/* Names, views and sizes that follow from the layers. */
static sprint_status describe(sprint_model *model, bool l2_biases) {
  struct sprint__network *net = model->impl;
  model->tensors = sprint__arena_take(&model->arena, 2 * net->n_layers, sizeof *model->tensors);
  SPRINT__TRY(sprint__arena_status(&model->arena));
  struct extent e = measure(net);
  size_t upper = upper_width(net);
  model->n_params = e.n_params;
  name_tensors(model);
  SPRINT__TRY(stretch_theta(model));
  net->block = block_of(net, &e);
  plan_activations(net);
  model->n_activations = net->activations;
  model->recall_saves = e.saved;
  if (upper) model->upper = (struct sprint__upper){upper, net->block};
  model->scratch_size = sprint__network_scratch(net);

  model->cost_per_row = 6.0 * e.products;
  if (l2_biases) return SPRINT_OK;
  model->undecayed = sprint__arena_take(&model->arena, model->n_params, 1);
  SPRINT__TRY(sprint__arena_status(&model->arena));
  for (size_t l = 0; l < net->n_layers; l++)
    memset(model->undecayed + net->layers[l].offset + net->layers[l].n_weights, 1, net->layers[l].n_biases);
  return SPRINT_OK;
}

bool sprint__network_shares(const sprint_model *model, size_t stretch) {
  const struct sprint__network *net = model->impl;
  const struct sprint__layer *layer = net->layers;
  for (;; layer++)
    if (layer->n_weights && stretch-- == 0) break;
  return layer->parts > 1;
}

/* Found before memory is taken that a machine does not have. */
static sprint_status check_room(const struct sprint__section *section, const sprint_model *model) {
  double reals = SPRINT__MAX_LANES * ((double)model->scratch_size + (double)model->n_params);
  double need = (reals + sprint__network_late_need(model->impl)) * (double)sizeof(sprint_real);
  double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  if (need <= there) return SPRINT_OK;
  return sprint__refuse(section, "layers", "they need %.3g GB to work in, and this machine has %.3g", need / 1e9,
                        there / 1e9);
}

static sprint_status check_loss(const struct sprint__section *section, const struct sprint__network *net,
                                size_t n_outputs, size_t n_classes) {
  size_t wanted = net->loss.ops->n_outputs(n_classes);
  const char *name = sprint__get_section(section, "loss")->kind->name;
  if (wanted == 0 && n_classes == 0)
    return sprint__refuse(section, "loss",
                          "'%s' needs %s; the data has 0 classes: its labels are values, which loss: squared learns",
                          name, net->loss.ops->needs);
  if (wanted == 0)
    return sprint__refuse(section, "loss",
                          "'%s' needs %s; the data has %zu classes: loss: softmax and `dense %zu` tell them apart "
                          "(labels that are values have data.target: value)",
                          name, net->loss.ops->needs, n_classes, n_classes);
  if (wanted != n_outputs)
    return sprint__refuse(section, "layers", "the last layer has %zu outputs; the loss '%s' needs %zu for this data",
                          n_outputs, name, wanted);
  return SPRINT_OK;
}

static sprint_status fill_network(const struct sprint__section *section, struct sprint__shape shape,
                                  sprint_model *model) {
  struct sprint__network *net = model->impl = sprint__arena_take(&model->arena, 1, sizeof *net);
  const struct sprint__section *loss = sprint__get_section(section, "loss");
  SPRINT__TRY(sprint__arena_status(&model->arena));
  SPRINT__TRY(sprint__layers_parse(section, shape, &model->arena, &net->layers, &net->n_layers));
  if (net->n_layers > SPRINT__MAX_LAYERS)
    return sprint__refuse(section, "layers", "%zu layers are more than %d", net->n_layers, SPRINT__MAX_LAYERS);
  absorb(net);
  model->n_outputs = net->layers[net->n_layers - 1].out;
  model->linear = net->n_layers == 1 && net->layers[0].kind == &sprint__layer_dense;
  net->init = sprint__get_section(section, "init")->kind->ops;
  net->loss = (struct sprint__loss){loss->kind->ops, model->n_outputs, model->n_classes, 1.0, NULL};
  SPRINT__TRY(check_loss(section, net, model->n_outputs, model->n_classes));
  if (net->loss.ops->setup) SPRINT__TRY(net->loss.ops->setup(&net->loss, loss, &model->arena));
  model->classifies = net->loss.ops->classifies;
  model->l2 = sprint__get_real(section, "l2");
  SPRINT__TRY(describe(model, sprint__get_flag(section, "l2_biases")));
  if (model->n_params == 0)
    return sprint__refuse(section, "layers", "no layer has parameters; a dense one was expected");
  SPRINT__TRY(check_room(section, model));
  sprint__network_plan_late(model);
  SPRINT__TRY(sprint__gemm_start(section->context));
  model->layers_text = sprint__arena_keep(&model->arena, sprint__layers_text(section));
  model->loss_text = sprint__arena_keep(&model->arena, sprint__section_text(loss));
  return sprint__model_finish(model);
}

sprint_status sprint__network_build(const struct sprint__section *section, struct sprint__shape shape, size_t n_classes,
                                    sprint_model **ret_model) {
  SPRINT__SCOPED(sprint_model_free) sprint_model *model = sprint__alloc(section->context, 1, sizeof *model);
  if (!model) return SPRINT_ERROR_MEMORY;
  model->context = model->arena.context = section->context;
  model->ops = &sprint__network_ops;
  model->n_features = sprint__shape_size(&shape);
  model->n_classes = n_classes;
  SPRINT__TRY(fill_network(section, shape, model));
  *ret_model = sprint__give(&model);
  return SPRINT_OK;
}
