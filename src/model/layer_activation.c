/* Activations: y = f(x) element by element, and f' from x and y. */
#include <tgmath.h>

#include "base/fast.h"
#include "model/layer.h"

static const char *activation_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  (void)arguments;
  layer->to = layer->from;
  return NULL;
}

/* Defines NAME_forward, NAME_backward and the kind from expressions in `v` (the input) and `y` (the output), which is
 * within LEAST .. GREATEST. */
#define ACTIVATION(NAME, LEAST, GREATEST, VALUE, SLOPE, HELP)                                                        \
  SPRINT__FAST static void NAME##_forward(const struct sprint__layer *layer, const sprint_real *theta,               \
                                          const sprint_real *restrict x_, size_t n, sprint_real *restrict ret_y,     \
                                          sprint_real *scratch) {                                                    \
    (void)theta, (void)scratch;                                                                                      \
    for (size_t i = 0; i < n * layer->out; i++) {                                                                    \
      const sprint_real v = x_[i];                                                                                   \
      ret_y[i] = (VALUE);                                                                                            \
    }                                                                                                                \
  }                                                                                                                  \
  SPRINT__FAST static void NAME##_backward(const struct sprint__layer *layer, const sprint_real *theta,              \
                                           const sprint_real *restrict x_, const sprint_real *restrict y_, size_t n, \
                                           const sprint_real *restrict dy, sprint_real *restrict dx,                 \
                                           sprint_real *gradient, bool adds, sprint_real *scratch) {                 \
    (void)theta, (void)gradient, (void)adds, (void)scratch;                                                          \
    if (!dx) return;                                                                                                 \
    for (size_t i = 0; i < n * layer->out; i++) {                                                                    \
      const sprint_real v = x_[i], y = y_[i];                                                                        \
      (void)v, (void)y;                                                                                              \
      dx[i] = dy[i] * (SLOPE);                                                                                       \
    }                                                                                                                \
  }                                                                                                                  \
  static const struct sprint__layer_ops NAME##_ops = {                                                               \
      activation_setup, NAME##_forward, NAME##_backward, LEAST, GREATEST, true};                                     \
  const sprint_kind sprint__layer_##NAME = {#NAME, HELP, NULL, 0, &NAME##_ops}

static sprint_real logistic(sprint_real v) {
  sprint_real e = exp(-fabs(v));
  return (v >= 0 ? 1 : e) / (1 + e);
}

#define ROOT_HALF           ((sprint_real)0.70710678118654752440)
#define ROOT_TWO_PI_INVERSE ((sprint_real)0.39894228040143267794)
#define GELU_LEAST          -0.17 /* at x = -0.7518 */
#define HALF                ((sprint_real)0.5)

/* Compared this way round a NaN stays one, as in PyTorch: a diverged run is seen to be. */
ACTIVATION(relu, 0, INFINITY, v <= 0 ? 0 : v, v <= 0 ? 0 : (sprint_real)1, "max(x, 0)");
ACTIVATION(tanh, -1, 1, tanh(v), 1 - y * y, "hyperbolic tangent");
ACTIVATION(sigmoid, 0, 1, logistic(v), y *(1 - y), "1 / (1 + exp(-x))");
ACTIVATION(softplus, 0, INFINITY, fmax(v, (sprint_real)0) + log1p(exp(-fabs(v))), logistic(v), "log(1 + exp(x))");
ACTIVATION(gelu, GELU_LEAST, INFINITY, v *HALF *(1 + erf(v * ROOT_HALF)),
           HALF *(1 + erf(v * ROOT_HALF)) + v * ROOT_TWO_PI_INVERSE * exp(-HALF * v * v),
           "x Phi(x), by the error function");
