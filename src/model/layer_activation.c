/* Activations: y = f(x) element by element, and f' from x and y. */
#include <math.h>

#include "base/wide.h"
#include "model/activation.h"
#include "model/layer.h"

static const char *activation_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  (void)arguments;
  layer->to = layer->from;
  return NULL;
}

#define COST 40.0 /* of a number, in floating-point operations, roughly */

/* For threads that have nothing else to do, as where a batch is one image; an element does not depend on the others. */
static void share(sprint_context *context, struct sprint__elements *of, sprint__lane_work work) {
  size_t chunks = (of->n + SPRINT__CHUNK - 1) / SPRINT__CHUNK;
  if (chunks > 1 && sprint__lanes_shared(context))
    sprint__lanes_run(context, chunks, sprint__lanes_for(chunks, SPRINT__CHUNK * COST, 0), work, of);
  else
    work(of, 0, 0, chunks);
}

static const struct sprint__sweep *sweep_of(enum sprint__activation which) {
  return (sprint__has_wide() ? sprint__wide_sweeps : sprint__sweeps) + which;
}

/* Defines NAME_forward, NAME_backward and the kind; outputs are within LEAST .. GREATEST. */
#define ACTIVATION(NAME, WHICH, LEAST, GREATEST, HELP)                                                           \
  static void NAME##_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,  \
                             size_t n, sprint_real *ret_y, sprint_real *scratch) {                               \
    (void)theta, (void)scratch;                                                                                  \
    struct sprint__elements of = {x, NULL, NULL, n * layer->out, ret_y};                                         \
    share(layer->context, &of, sweep_of(WHICH)->values);                                                         \
  }                                                                                                              \
  static void NAME##_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x, \
                              const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx,            \
                              sprint_real *gradient, bool adds, sprint_real *scratch) {                          \
    (void)theta, (void)gradient, (void)adds, (void)scratch;                                                      \
    struct sprint__elements of = {x, y, dy, n * layer->out, dx};                                                 \
    if (dx) share(layer->context, &of, sweep_of(WHICH)->slopes);                                                 \
  }                                                                                                              \
  static const struct sprint__layer_ops NAME##_ops = {                                                           \
      activation_setup, NAME##_forward, NAME##_backward, LEAST, GREATEST, true};                                 \
  const sprint_kind sprint__layer_##NAME = {#NAME, HELP, NULL, 0, &NAME##_ops}

#define GELU_LEAST -0.17 /* at x = -0.7518 */

ACTIVATION(relu, SPRINT__RELU, 0, INFINITY, "max(x, 0)");
ACTIVATION(tanh, SPRINT__TANH, -1, 1, "hyperbolic tangent");
ACTIVATION(sigmoid, SPRINT__SIGMOID, 0, 1, "1 / (1 + exp(-x))");
ACTIVATION(softplus, SPRINT__SOFTPLUS, 0, INFINITY, "log(1 + exp(x))");
ACTIVATION(gelu, SPRINT__GELU, GELU_LEAST, INFINITY, "x Phi(x), by the normal distribution's tail");
