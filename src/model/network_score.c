/* What a network's outputs say: scores that people want higher, their gradients, probabilities. */
#include <math.h>
#include <string.h>

#include "model/network_pass.h"

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

void sprint__network_score_gradient(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                    const sprint_real *x, size_t n_rows, const struct sprint__score *score,
                                    sprint_real *ret_dx) {
  const struct sprint__network *net = model->impl;
  const struct sprint__loss_ops *loss = net->loss.ops;
  size_t last = net->n_layers - 1;
  bool outputs_idle = !score->probability && last > 0 && net->layers[last].kind == &sprint__layer_dense &&
                      (!loss->log_odds || loss->odds_linear);
  struct sprint__rows rows = {.n = n_rows, .x = x};
  size_t block = sprint__block_rows(n_rows, net->block);
  for (size_t start = 0; start < n_rows; start += block) {
    struct sprint__tape tape;
    sprint__tape_fill(net, lane, start, 0, &tape);
    struct sprint__block input = sprint__block_of(net, &tape, &rows, start, block);
    const sprint_real *f = sprint__forward_to(net, &tape, theta, &input, net->n_layers - outputs_idle);
    score_delta(net, outputs_idle ? NULL : f, input.n, score, tape.spare, tape.delta[net->last]);
    sprint__backward_above(net, &tape, theta, input.n, NULL, NULL, false);
    sprint__backward_first(net, &tape, theta, &input, NULL, false, ret_dx + start * model->n_features);
  }
}

void sprint__network_score_sums(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                const sprint_real *x, size_t n_rows, const struct sprint__score *score,
                                sprint_real *ret_gradient) {
  const struct sprint__network *net = model->impl;
  struct sprint__rows rows = {.n = n_rows, .x = x};
  size_t block = sprint__block_rows(n_rows, net->block);
  for (size_t start = 0; start < n_rows; start += block) {
    struct sprint__tape tape;
    sprint__tape_fill(net, lane, start, 0, &tape);
    struct sprint__block input = sprint__block_of(net, &tape, &rows, start, block);
    const sprint_real *f = sprint__forward_to(net, &tape, theta, &input, net->n_layers);
    score_delta(net, f, input.n, score, tape.spare, tape.delta[net->last]);
    sprint__backward_above(net, &tape, theta, input.n, NULL, ret_gradient, start > 0);
    sprint__backward_first(net, &tape, theta, &input, ret_gradient, start > 0, NULL);
  }
}

void sprint__network_outputs(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                             const sprint_real *x, size_t n_rows, sprint_real *ret_outputs) {
  const struct sprint__network *net = model->impl;
  size_t k = model->n_outputs;
  struct sprint__rows rows = {.n = n_rows, .x = x};
  size_t block = sprint__block_rows(n_rows, net->block);
  for (size_t start = 0; start < n_rows; start += block) {
    struct sprint__tape tape;
    sprint__tape_fill(net, lane, start, 0, &tape);
    struct sprint__block input = sprint__block_of(net, &tape, &rows, start, block);
    const sprint_real *f = sprint__forward_to(net, &tape, theta, &input, net->n_layers);
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
