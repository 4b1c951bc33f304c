/* What is above a network's first layer, for an engine that works out that layer's products itself: see struct
 * sprint__upper. */
#include <string.h>

#include "model/interleaved.h"
#include "model/network_pass.h"

static struct sprint__dense dense_at(const struct sprint__network *net, size_t l, const sprint_real *theta) {
  const struct sprint__layer *layer = &net->layers[l];
  return (struct sprint__dense){layer->in, layer->out, theta + layer->offset, layer->then_relu};
}

/* Whether all that is above the first layer can be done with records side by side. */
static bool can_interleave(const struct sprint__network *net) {
  for (size_t l = 1; l < net->n_layers; l++)
    if (!net->layers[l].absorbed && net->layers[l].kind != &sprint__layer_dense) return false;
  return net->loss.ops->interleaved != NULL;
}

void sprint__network_upper_losses(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                  const sprint_real *z, const sprint_real *y, sprint_real *ret_losses) {
  const struct sprint__network *net = model->impl;
  struct sprint__tape tape;
  sprint__tape_fill(net, lane, 0, 0, &tape);
  size_t out = net->layers[0].out, k = net->loss.n_outputs;
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
  const sprint_real *f = sprint__forward_above(net, &tape, theta, SPRINT__INTERLEAVED, net->n_layers);
  struct sprint__tally tally = {0};
  for (size_t i = 0; i < SPRINT__INTERLEAVED; i++)
    ret_losses[i] = (sprint_real)net->loss.ops->sum(&net->loss, f + i * k, y + i, 1, NULL, &tally);
}

const sprint_real *sprint__network_upper_sums(const sprint_model *model, struct sprint__lane *lane,
                                              const sprint_real *theta, const struct sprint__upper_rows *rows,
                                              bool adds, struct sprint__sums *sums) {
  const struct sprint__network *net = model->impl;
  const struct sprint__layer *first = &net->layers[0];
  struct sprint__tape tape;
  sprint__tape_fill(net, lane, 0, 0, &tape);
  struct sprint__whose whose = {rows->who, rows->keep, rows->recalled};
  sprint__dense_activate(rows->z, rows->n * first->out, first->then_relu, tape.y[0]);
  const sprint_real *f = sprint__forward_above(net, &tape, theta, rows->n, net->n_layers);
  sprint__add_loss(net, &tape, f, &(struct sprint__rows){.y = rows->y, .losses = rows->losses}, 0, rows->n,
                   sums->gradient != NULL, sums);
  if (!sums->gradient) return NULL;
  if (rows->recalled)
    sprint__backward_difference(net, &tape, theta, rows->n, &whose, true, sums->gradient, adds);
  else
    sprint__backward_above(net, &tape, theta, rows->n, &whose, sums->gradient, adds);
  if (!rows->delta) return tape.delta[0];
  return memcpy(rows->delta, tape.delta[0], rows->n * first->out * sizeof *rows->delta);
}
