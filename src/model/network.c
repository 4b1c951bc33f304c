/* Networks: blocks of rows go through all layers and back while they sit in cache. */
#include "model/network.h"

#include "base/vector.h"
#include "model/dense.h"
#include "model/network_pass.h"

static void network_sums(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                         const struct sprint__rows *rows, struct sprint__sums *sums, sprint_real *gradient_x) {
  const struct sprint__network *net = model->impl;
  size_t block = sprint__block_rows(rows->n, net->block);
  for (size_t start = 0; start < rows->n; start += block) {
    struct sprint__tape tape;
    sprint__tape_fill(net, lane, start, 0, &tape);
    struct sprint__block input = sprint__block_of(net, &tape, rows, start, block);
    struct sprint__whose whose = {rows->who ? rows->who + start : NULL, rows->keep, NULL};
    const sprint_real *f = sprint__forward_to(net, &tape, theta, &input, net->n_layers);
    bool back = sums->gradient || gradient_x;
    sprint__add_loss(net, &tape, f, rows, start, input.n, back, sums);
    if (!back) continue;
    sprint__backward_above(net, &tape, theta, input.n, &whose, sums->gradient, start > 0);
    sprint__backward_first(net, &tape, theta, &input, sums->gradient, start > 0,
                           gradient_x ? gradient_x + start * model->n_features : NULL);
  }
}

/* A difference of gradients: at theta on some rows, and at theta_b on the same individuals' x_b. */
struct difference {
  const struct sprint__network *net;
  const sprint_real *theta, *theta_b;
  const struct sprint__rows *rows;
  const sprint_real *x_b; /* NULL: the rows themselves */
  size_t block;           /* rows */
  bool shares; /* both have the same records, and a dense first layer is linear in its delta: one product does, with
                  the sum of the two */
};

/* One block at theta, from its loss back to the first layer's delta. */
static void differ_forward(const struct difference *of, const struct sprint__tape *tape,
                           const struct sprint__block *input, size_t start, struct sprint__sums *sums) {
  const sprint_real *f = sprint__forward_to(of->net, tape, of->theta, input, of->net->n_layers);
  sprint__add_loss(of->net, tape, f, of->rows, start, input->n, true, sums);
}

/* The second gradient is added with its sign turned where the loss's slope is, at the outputs. */
static void block_difference(const struct difference *of, const struct sprint__lane *lane, size_t start,
                             struct sprint__sums *sums) {
  const struct sprint__network *net = of->net;
  struct sprint__tape tape, tape_b;
  sprint__tape_fill(net, lane, start, 0, &tape);
  sprint__tape_fill(net, lane, start, 1, &tape_b);
  struct sprint__block input = sprint__block_of(net, &tape, of->rows, start, of->block), input_b = input;
  size_t n = input.n, n_delta = n * net->layers[0].out;
  if (of->x_b) input_b.x = of->x_b + start * net->layers[0].in;
  if (of->shares) (tape.late && net->layers[0].late ? &tape_b : &tape)->delta[0] = tape.spare;
  differ_forward(of, &tape, &input, start, sums);
  sprint__backward_above(net, &tape, of->theta, n, NULL, sums->gradient, start > 0);
  if (!of->shares) sprint__backward_first(net, &tape, of->theta, &input, sums->gradient, start > 0, NULL);

  const sprint_real *f = sprint__forward_to(net, &tape_b, of->theta_b, &input_b, net->n_layers);
  net->loss.ops->sum(&net->loss, f, of->rows->y + start, n, tape_b.delta[net->last], NULL);
  sprint__negate(tape_b.delta[net->last], n * net->loss.n_outputs, tape_b.delta[net->last]);
  sprint__backward_above(net, &tape_b, of->theta_b, n, NULL, sums->gradient, true);
  if (of->shares) sprint__add_to(tape.delta[0], tape_b.delta[0], n_delta);
  if (of->shares)
    sprint__backward_first(net, &tape, of->theta, &input, sums->gradient, start > 0, NULL);
  else
    sprint__backward_first(net, &tape_b, of->theta_b, &input_b, sums->gradient, true, NULL);
}

/* The same where the activations at theta_b are known; a block is half as long, so that they fit behind the rows. */
static void block_recalled(const struct difference *of, const struct sprint__lane *lane, size_t start,
                           struct sprint__sums *sums) {
  const struct sprint__network *net = of->net;
  const struct sprint__layer *first = &net->layers[0];
  struct sprint__tape tape;
  sprint__tape_fill(net, lane, start, 0, &tape);
  struct sprint__block input = sprint__block_of(net, &tape, of->rows, start, of->block);
  struct sprint__whose whose = {of->rows->who + start, NULL, of->rows->recalled};
  sprint__recall_ahead(net, &whose, input.n);
  differ_forward(of, &tape, &input, start, sums);
  sprint__backward_difference(net, &tape, of->theta, input.n, &whose, of->shares, sums->gradient, start > 0);
  if (of->shares || (tape.late && first->late))
    sprint__backward_first(net, &tape, of->theta, &input, sums->gradient, start > 0, NULL);
  else
    sprint__layer_difference(net, &tape, of->theta, input.n, &whose, 0, input.x,
                             of->x_b ? of->x_b + start * first->in : input.x, sums->gradient, start > 0);
  if (!of->shares && tape.late && first->late)
    sprint__recall_delta(net, &whose, input.n, 0, net->late[0].dy[1] + tape.row * first->out);
}

static void network_difference(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                               const sprint_real *theta_b, const struct sprint__rows *rows, const sprint_real *x_b,
                               struct sprint__sums *sums) {
  const struct sprint__network *net = model->impl;
  size_t block = sprint__block_rows(rows->n, rows->recalled ? net->block / 2 : net->block);
  struct difference of = {net, theta, theta_b, rows, x_b, block, !x_b && net->layers[0].kind == &sprint__layer_dense};
  for (size_t start = 0; start < rows->n; start += block)
    if (rows->recalled)
      block_recalled(&of, lane, start, sums);
    else
      block_difference(&of, lane, start, sums);
}

/* What the products over all rows will be made of: two sides where gradients differ, unless both have one sum. */
static void network_late_begin(const sprint_model *model, const struct sprint__rows *rows, bool differs,
                               const sprint_real *x_b) {
  const struct sprint__network *net = model->impl;
  for (size_t l = 0; l < net->n_layers; l++) {
    struct sprint__late_rows *late = &net->late[l];
    late->n = rows->n;
    late->n_sides = differs && (l > 0 || x_b) ? 2 : 1;
    late->x[0] = late->room[0];
    late->x[1] = late->room[1];
  }
  if (rows->x) net->late[0].x[0] = rows->x;
  if (x_b) net->late[0].x[1] = x_b;
}

static void network_late_part(const sprint_model *model, const struct sprint__part *part, bool adds,
                              sprint_real *ret_gradient) {
  const struct sprint__network *net = model->impl;
  const struct sprint__layer *layer = &net->layers[part->layer];
  const struct sprint__late_rows *late = &net->late[part->layer];
  size_t rows = part->to - part->from;
  struct sprint__dense some = {.in = rows, .out = layer->out, .bare = true, .apart = layer->in};
  for (int side = 0; side < late->n_sides; side++) {
    bool more = adds || side > 0;
    sprint__dense_weight(&some, late->x[side] + part->from, late->dy[side], late->n, more, ret_gradient);
    if (part->to == layer->in)
      sprint__dense_bias(late->dy[side], late->n, layer->out, more, ret_gradient + rows * layer->out);
  }
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
    .tells_losses = true,
    .sums = network_sums,
    .difference = network_difference,
    .late_begin = network_late_begin,
    .late_part = network_late_part,
    .upper_sums = sprint__network_upper_sums,
    .upper_losses = sprint__network_upper_losses,
    .score_gradient = sprint__network_score_gradient,
    .score_sums = sprint__network_score_sums,
    .outputs = sprint__network_outputs,
    .start = network_start,
    .shares = sprint__network_shares,
};
