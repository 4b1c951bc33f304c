/* Activations: y = f(x) element by element, and f' from x and y. */
#include <math.h>

#include "base/group_math.h"
#include "model/layer.h"

static const char *activation_setup(struct sprint__layer *layer, const struct sprint__argument *arguments) {
  (void)arguments;
  layer->to = layer->from;
  return NULL;
}

/* Numbers and what becomes of them: f(x), or dy f'(x). */
struct elements {
  const sprint_real *x, *y, *dy;
  size_t n;
  sprint_real *to;
};

enum { CHUNK = 256 }; /* numbers, whole groups */
#define COST 40.0     /* of a number, in floating-point operations, roughly */

/* For threads that have nothing else to do, as where a batch is one image; an element does not depend on the others. */
static void share(sprint_context *context, struct elements *of, sprint__lane_work work) {
  size_t chunks = (of->n + CHUNK - 1) / CHUNK;
  if (chunks > 1 && sprint__lanes_shared(context))
    sprint__lanes_run(context, chunks, sprint__lanes_for(chunks, CHUNK * COST, 0), work, of);
  else
    work(of, 0, 0, chunks);
}

/* Defines NAME_forward, NAME_backward and the kind from NAME_value(v) and NAME_slope(v, y), functions of groups of the
 * input and the output, which is within LEAST .. GREATEST. What does not fill a group at the end is done in one. */
#define ACTIVATION(NAME, LEAST, GREATEST, HELP)                                                                        \
  SPRINT__FAST static void NAME##_values(void *user, int lane, size_t start, size_t stop) {                            \
    (void)lane;                                                                                                        \
    const struct elements *of = user;                                                                                  \
    size_t i = start * CHUNK, end = stop * CHUNK < of->n ? stop * CHUNK : of->n;                                       \
    for (; i + G <= end; i += G) store(of->to + i, NAME##_value(load(of->x + i)));                                     \
    if (i < end) store_end(of->to + i, NAME##_value(load_end(of->x + i, end - i)), end - i);                           \
  }                                                                                                                    \
  SPRINT__FAST static void NAME##_slopes(void *user, int lane, size_t start, size_t stop) {                            \
    (void)lane;                                                                                                        \
    const struct elements *of = user;                                                                                  \
    size_t i = start * CHUNK, end = stop * CHUNK < of->n ? stop * CHUNK : of->n, left;                                 \
    for (; i + G <= end; i += G) store(of->to + i, load(of->dy + i) * NAME##_slope(load(of->x + i), load(of->y + i))); \
    if ((left = end - i) == 0) return;                                                                                 \
    group slope = NAME##_slope(load_end(of->x + i, left), load_end(of->y + i, left));                                  \
    store_end(of->to + i, load_end(of->dy + i, left) * slope, left);                                                   \
  }                                                                                                                    \
  static void NAME##_forward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,        \
                             size_t n, sprint_real *ret_y, sprint_real *scratch) {                                     \
    (void)theta, (void)scratch;                                                                                        \
    share(layer->context, &(struct elements){x, NULL, NULL, n * layer->out, ret_y}, NAME##_values);                    \
  }                                                                                                                    \
  static void NAME##_backward(const struct sprint__layer *layer, const sprint_real *theta, const sprint_real *x,       \
                              const sprint_real *y, size_t n, const sprint_real *dy, sprint_real *dx,                  \
                              sprint_real *gradient, bool adds, sprint_real *scratch) {                                \
    (void)theta, (void)gradient, (void)adds, (void)scratch;                                                            \
    if (dx) share(layer->context, &(struct elements){x, y, dy, n * layer->out, dx}, NAME##_slopes);                    \
  }                                                                                                                    \
  static const struct sprint__layer_ops NAME##_ops = {                                                                 \
      activation_setup, NAME##_forward, NAME##_backward, LEAST, GREATEST, true};                                       \
  const sprint_kind sprint__layer_##NAME = {#NAME, HELP, NULL, 0, &NAME##_ops}

/* n numbers, fewer than a group. */
SPRINT__INLINE group load_end(const sprint_real *at, size_t n) {
  sprint_real values[G] = {0};
  memcpy(values, at, n * sizeof *at);
  return load(values);
}

SPRINT__INLINE void store_end(sprint_real *at, group value, size_t n) {
  sprint_real values[G];
  store(values, value);
  memcpy(at, values, n * sizeof *at);
}

/* Compared this way round a NaN stays one, as in PyTorch: a diverged run is seen to be. */
SPRINT__INLINE group relu_value(group v) { return positive(v); }
SPRINT__INLINE group relu_slope(group v, group y) {
  (void)y;
  return masked((group){0} + 1, v);
}

SPRINT__INLINE group tanh_value(group v) { return group_tanh(v); }
SPRINT__INLINE group tanh_slope(group v, group y) {
  (void)v;
  return 1 - y * y;
}

SPRINT__INLINE group sigmoid_value(group v) { return group_logistic(v); }
SPRINT__INLINE group sigmoid_slope(group v, group y) {
  (void)v;
  return y * (1 - y);
}

SPRINT__INLINE group softplus_value(group v) { return positive(v) + group_log1p(group_exp(-group_abs(v))); }
SPRINT__INLINE group softplus_slope(group v, group y) {
  (void)y;
  return group_logistic(v);
}

/* |v|, or a number of which the tail is 0 in any case: v Phi(v) is then right at infinity too. */
SPRINT__INLINE group gelu_size(group v) {
  group size = group_abs(v), most = SPRINT__ALL(GROUP_TAIL_END);
  return blend(size > most, most, size);
}

SPRINT__INLINE group gelu_value(group v) {
  group density, size = gelu_size(v), tail = group_tail(size, &density);
  return blend(v < 0, -size * tail, v * (1 - tail));
}
SPRINT__INLINE group gelu_slope(group v, group y) {
  (void)y;
  group density, size = gelu_size(v), below = group_tail(size, &density) - size * density;
  return blend(v < 0, below, 1 - below);
}

#define GELU_LEAST -0.17 /* at x = -0.7518 */

ACTIVATION(relu, 0, INFINITY, "max(x, 0)");
ACTIVATION(tanh, -1, 1, "hyperbolic tangent");
ACTIVATION(sigmoid, 0, 1, "1 / (1 + exp(-x))");
ACTIVATION(softplus, 0, INFINITY, "log(1 + exp(x))");
ACTIVATION(gelu, GELU_LEAST, INFINITY, "x Phi(x), by the normal distribution's tail");
