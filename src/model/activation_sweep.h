/* Activations by groups: f(x), and dy f'(x) from x and y = f(x). Included once for every width of a group, by files
 * that say what their functions are compiled for, SWEEP_FAST, and what their table is called, SWEEPS:
 * activation_sweep.c and activation_wide.c. */
#include "base/group_math.h"
#include "model/activation.h"

/* Defines NAME_values and NAME_slopes from NAME_value(v) and NAME_slope(v, y), functions of groups of the input and the
 * output. What does not fill a group at the end is done in one. */
#define SWEEP(NAME)                                                                                                    \
  SWEEP_FAST static void NAME##_values(void *user, int lane, size_t start, size_t stop) {                              \
    (void)lane;                                                                                                        \
    const struct sprint__elements *of = user;                                                                          \
    size_t i = start * SPRINT__CHUNK, end = chunks_end(of, stop);                                                      \
    for (; i + G <= end; i += G) store(of->to + i, NAME##_value(load(of->x + i)));                                     \
    if (i < end) store_end(of->to + i, NAME##_value(load_end(of->x + i, end - i)), end - i);                           \
  }                                                                                                                    \
  SWEEP_FAST static void NAME##_slopes(void *user, int lane, size_t start, size_t stop) {                              \
    (void)lane;                                                                                                        \
    const struct sprint__elements *of = user;                                                                          \
    size_t i = start * SPRINT__CHUNK, end = chunks_end(of, stop), left;                                                \
    for (; i + G <= end; i += G) store(of->to + i, load(of->dy + i) * NAME##_slope(load(of->x + i), load(of->y + i))); \
    if ((left = end - i) == 0) return;                                                                                 \
    group slope = NAME##_slope(load_end(of->x + i, left), load_end(of->y + i, left));                                  \
    store_end(of->to + i, load_end(of->dy + i, left) * slope, left);                                                   \
  }

static size_t chunks_end(const struct sprint__elements *of, size_t stop) {
  return stop * SPRINT__CHUNK < of->n ? stop * SPRINT__CHUNK : of->n;
}

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

/* Added to v, and half of it to y, it leaves all but the least of them as they are, and makes y / v 1/2 at 0. */
#define GELU_NEAR (sprint_real)1e-30

/* |v|, or a number of which the tail is 0 in any case: v Phi(v) is then right at infinity too. */
SPRINT__INLINE group gelu_size(group v) {
  group size = group_abs(v), most = SPRINT__ALL(GROUP_TAIL_END);
  return blend(size > most, most, size);
}

SPRINT__INLINE group gelu_value(group v) {
  group size = gelu_size(v), tail = group_tail(size);
  return blend(v < 0, -size * tail, v * (1 - tail));
}

/* Phi(v) + v times the density; Phi is y / v, both of which are far from 0 and finite here. */
SPRINT__INLINE group gelu_slope(group v, group y) {
  group size = gelu_size(v), share = (gelu_size(y) + GELU_NEAR / 2) / (size + GELU_NEAR);
  group_bits sign = (group_bits)v ^ (group_bits)group_abs(v);
  return share + (group)((group_bits)size | sign) * group_density(size);
}

SWEEP(relu)
SWEEP(tanh)
SWEEP(sigmoid)
SWEEP(softplus)
SWEEP(gelu)

const struct sprint__sweep SWEEPS[SPRINT__N_ACTIVATIONS] = {
    [SPRINT__RELU] = {relu_values, relu_slopes},          [SPRINT__TANH] = {tanh_values, tanh_slopes},
    [SPRINT__SIGMOID] = {sigmoid_values, sigmoid_slopes}, [SPRINT__SOFTPLUS] = {softplus_values, softplus_slopes},
    [SPRINT__GELU] = {gelu_values, gelu_slopes},
};
