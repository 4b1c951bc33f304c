/* Convolutions, what they take in and what is between them, against slow twins.
 *
 * Oracle: each layer by its definition, on planes, in double. Where records, slopes and biases are small integers and
 * weights are multiples of 4, all sums are exact whatever their order (no sum passes 2^24), so that both agree to the
 * bit, ties included; but for windows of 5x5 by Winograd's way, whose matrices have thirds: see struct rounding. */
#include "layer_chain.h"

#include <float.h>

#include "model/conv_narrow.h"
#include "model/conv_product.h"

struct step {
  const sprint_kind *kind;
  struct sprint__argument arguments[4];
};

/* clang-format off */
#define CONV(FILTERS, ROWS, COLUMNS, VALID, STRIDE) \
  {&sprint__layer_conv, {{.number = FILTERS}, {.number = ROWS, .second = COLUMNS}, {.choice = VALID}, {.number = STRIDE}}}
#define POOL(SIZE) {&sprint__layer_maxpool, {{.number = SIZE}}}
#define RELU {&sprint__layer_relu, {{0}}}
/* clang-format on */

struct trial {
  struct sprint__shape shape;
  struct step steps[MOST];
};

static const struct trial trials[] = {
    {{1, 5, 5}, {CONV(1, 3, 3, 0, 1)}},
    {{1, 28, 28}, {CONV(8, 5, 5, 0, 2)}},
    {{3, 9, 11}, {CONV(16, 3, 3, 0, 1)}},
    {{3, 9, 11}, {CONV(16, 3, 3, 0, 2), RELU}},
    {{3, 9, 11}, {CONV(17, 3, 3, 1, 3), RELU}},
    {{2, 7, 8}, {CONV(3, 5, 3, 0, 1)}},
    {{9, 8, 7}, {CONV(24, 3, 3, 0, 1), RELU}},
    {{16, 10, 9}, {CONV(33, 3, 3, 0, 1)}},
    {{17, 8, 8}, {CONV(2, 3, 3, 0, 1)}},
    {{8, 6, 6}, {CONV(8, 1, 1, 0, 1)}},
    {{5, 7, 9}, {CONV(12, 1, 1, 0, 2)}}, /* pixels that no window sees */
    {{4, 12, 13}, {CONV(9, 7, 3, 0, 2)}},
    {{6, 9, 9}, {CONV(20, 2, 4, 1, 3)}},
    {{7, 5, 4}, {CONV(11, 5, 4, 1, 1)}}, /* one window */
    {{3, 6, 17}, {CONV(40, 3, 3, 0, 5)}},
    {{64, 8, 8}, {CONV(64, 3, 3, 0, 1)}},
    {{20, 12, 12}, {CONV(50, 5, 5, 1, 1)}},
    {{5, 7, 6},
     {CONV(25, 3, 5, 0, 1), RELU}}, /* filters by twos and threes of panels, the last group beginning early */
    {{3, 9, 10}, {CONV(45, 3, 3, 0, 2), RELU}},
    {{4, 5, 7}, {CONV(77, 2, 2, 1, 1)}},
    {{2, 300, 40}, {CONV(4, 3, 3, 0, 2)}},
    {{9, 3, 3}, {CONV(10, 3, 3, 1, 1)}}, /* one window, by tiles of four */
    {{8, 1, 9}, {CONV(8, 3, 3, 0, 1)}},
    {{2, 3, 3}, {CONV(5, 7, 7, 0, 1)}}, /* most of a window is padding */
    {{2, 3, 5}, {CONV(5, 7, 5, 0, 1024)}},
    {{9, 13, 1}, {CONV(16, 5, 1, 0, 4)}},
    {{1, 9, 9}, {CONV(2, 3, 3, 0, 1), RELU}}, /* from here on by records side by side, in tiles of every kind */
    {{3, 10, 7}, {CONV(1, 5, 5, 0, 2)}},
    {{4, 6, 9}, {CONV(3, 3, 3, 0, 1)}},
    {{12, 3, 3}, {CONV(5, 3, 3, 0, 2), RELU}},
    {{10, 8, 6}, {CONV(6, 5, 3, 0, 1)}},
    {{2, 20, 21}, {CONV(10, 3, 3, 1, 2), RELU}},
    {{6, 2, 2}, {CONV(17, 3, 3, 0, 1)}},
    {{3, 160, 140}, {CONV(2, 3, 3, 0, 1)}},    /* too large for that */
    {{16, 9, 8}, {CONV(1, 3, 3, 0, 1), RELU}}, /* from here on along windows, where records are few */
    {{9, 7, 7}, {CONV(2, 3, 3, 0, 2), RELU}},
    {{20, 6, 5}, {CONV(3, 5, 5, 0, 1)}},
    {{20, 10, 9}, {CONV(4, 3, 3, 1, 1), RELU}},
    {{30, 5, 11}, {CONV(5, 3, 3, 0, 1)}},
    {{24, 12, 12}, {CONV(1, 1, 1, 0, 1)}},
    {{1, 8, 9}, {CONV(33, 3, 3, 0, 1), RELU}},
    {{2, 9, 8}, {CONV(21, 5, 5, 0, 2)}},
    {{24, 30, 25}, {CONV(2, 3, 3, 0, 1)}}, /* in bands */
    {{9, 7, 9}, {CONV(12, 5, 5, 0, 1)}},   /* from here on windows of 5x5 by tiles; with a relu 0 is on either side */
    {{8, 8, 8}, {CONV(8, 5, 5, 1, 1)}},
    {{17, 11, 10}, {CONV(29, 5, 5, 0, 1)}},
    {{2, 8, 9}, {CONV(4, 3, 3, 0, 1), RELU, CONV(5, 3, 3, 0, 1), RELU, POOL(2)}},
    {{3, 9, 9}, {CONV(9, 3, 3, 0, 1), POOL(3), RELU, CONV(7, 1, 3, 0, 1), POOL(2)}},
    {{1, 12, 12}, {POOL(2), CONV(4, 3, 3, 1, 1), RELU, CONV(6, 3, 3, 0, 2)}},
    {{2, 16, 12}, {CONV(7, 3, 3, 0, 1), RELU, POOL(2), CONV(3, 3, 3, 0, 2), RELU, POOL(2)}},
    {{3, 8, 11}, {CONV(13, 3, 3, 0, 1), POOL(2)}}, /* from channels last to planes */
    {{70, 6, 6}, {POOL(2), RELU}},
    {{3, 7, 8}, {CONV(70, 1, 1, 0, 1), POOL(3), POOL(1)}},
};
enum { N_TRIALS = sizeof trials / sizeof trials[0] };

/* As a network has it, or, in planes and nothing absorbed, as the twins take it. */
static void new_chain(const struct trial *trial, bool absorbs, struct chain *chain) {
  struct sprint__shape shape = trial->shape;
  *chain = (struct chain){.n = 0};
  for (size_t s = 0; s < MOST && trial->steps[s].kind; s++)
    add_layer(chain, trial->steps[s].kind, trial->steps[s].arguments, &shape);
  if (absorbs) {
    sprint__conv_pool_absorb(chain->layers, chain->n);
    sprint__conv_absorb(chain->layers, chain->n);
  }
  take_rooms(chain);
}

/* Calls `each` with every product of the definition: output, weight and input. */
typedef void product(void *user, size_t y, size_t w, size_t x);

static void each_product(const struct sprint__layer *layer, product *each, void *user) {
  size_t rows = layer->to.height, columns = layer->to.width, kh = layer->kernel[0], kw = layer->kernel[1];
  for (size_t y = 0; y < layer->to.channels * rows * columns; y++)
    for (size_t k = 0; k < layer->fan_in; k++) {
      size_t filter = y / (rows * columns), channel = k / (kh * kw);
      size_t r = y / columns % rows * layer->stride + k / kw % kh, c = y % columns * layer->stride + k % kw;
      if (r < layer->padding[0] || r - layer->padding[0] >= layer->from.height) continue;
      if (c < layer->padding[1] || c - layer->padding[1] >= layer->from.width) continue;
      each(user, y, filter * layer->fan_in + k,
           (channel * layer->from.height + r - layer->padding[0]) * layer->from.width + c - layer->padding[1]);
    }
}

/* One record's numbers, in double. */
struct slow {
  double *theta, *x, *y, *gradient, *dx, *dy;
};

static void add_forward(void *user, size_t y, size_t w, size_t x) {
  struct slow *slow = user;
  slow->y[y] += slow->theta[w] * slow->x[x];
}

static void add_backward(void *user, size_t y, size_t w, size_t x) {
  struct slow *slow = user;
  slow->gradient[w] += slow->dy[y] * slow->x[x];
  slow->dx[x] += slow->dy[y] * slow->theta[w];
}

static void slow_conv_forward(const struct sprint__layer *layer, struct slow *slow) {
  size_t positions = layer->to.height * layer->to.width;
  for (size_t y = 0; y < layer->out; y++) slow->y[y] = slow->theta[layer->n_weights + y / positions];
  each_product(layer, add_forward, slow);
}

static void slow_conv_backward(const struct sprint__layer *layer, struct slow *slow) {
  size_t positions = layer->to.height * layer->to.width;
  for (size_t y = 0; y < layer->out; y++) slow->gradient[layer->n_weights + y / positions] += slow->dy[y];
  each_product(layer, add_backward, slow);
}

/* Where output y's largest is: the first one of equals, the last NaN. */
static size_t largest_of(const struct sprint__layer *layer, const double *x, size_t y) {
  size_t k = layer->stride, rows = layer->to.height, columns = layer->to.width, best = 0;
  for (size_t q = 0; q < k * k; q++) {
    size_t r = y / columns % rows * k + q / k, c = y % columns * k + q % k;
    size_t at = (y / (rows * columns) * layer->from.height + r) * layer->from.width + c;
    if (q == 0 || x[at] > x[best] || isnan(x[at])) best = at;
  }
  return best;
}

static void slow_forward(const struct sprint__layer *layer, struct slow *slow) {
  if (layer->kind == &sprint__layer_conv) {
    slow_conv_forward(layer, slow);
    return;
  }
  for (size_t y = 0; y < layer->out; y++) {
    double x = layer->kind == &sprint__layer_relu ? slow->x[y] : slow->x[largest_of(layer, slow->x, y)];
    slow->y[y] = layer->kind == &sprint__layer_relu && x <= 0 ? 0 : x;
  }
}

static void slow_backward(const struct sprint__layer *layer, struct slow *slow) {
  if (layer->kind == &sprint__layer_conv) {
    slow_conv_backward(layer, slow);
    return;
  }
  for (size_t y = 0; y < layer->out; y++)
    if (layer->kind == &sprint__layer_relu)
      slow->dx[y] = slow->x[y] <= 0 ? 0 : slow->dy[y];
    else
      slow->dx[largest_of(layer, slow->x, y)] += slow->dy[y];
}

static double *new_doubles(size_t n) {
  double *values = calloc(n + 1, sizeof *values);
  assert_non_null(values);
  return values;
}

static double *widened(const sprint_real *values, size_t n) {
  double *wide = new_doubles(n);
  for (size_t i = 0; i < n; i++) wide[i] = (double)values[i];
  return wide;
}

/* What the twins make of theta, x and dy of a chain that is not absorbed: all in ret, which the caller frees. */
static void run_slowly(const struct chain *chain, struct slow *ret) {
  const struct sprint__layer *layers = chain->layers;
  size_t n = chain->n, in = layers[0].in, out = layers[n - 1].out;
  *ret = (struct slow){widened(chain->theta, n_theta(chain)), widened(chain->x, N * in), new_doubles(N * out),
                       new_doubles(n_theta(chain)),           new_doubles(N * in),       widened(chain->dy, N * out)};
  for (size_t i = 0; i < chain->records; i++) {
    double *values[MOST + 1] = {widened(chain->x + i * in, in)}, *slopes[MOST + 1];
    for (size_t l = 0; l < n; l++) {
      struct slow slow = {.theta = ret->theta + layers[l].offset, .x = values[l]};
      slow.y = values[l + 1] = new_doubles(layers[l].out);
      slow_forward(&layers[l], &slow);
    }
    memcpy(ret->y + i * out, values[n], out * sizeof *ret->y);
    slopes[n] = widened(chain->dy + i * out, out);
    for (size_t l = n; l-- > 0;) {
      struct slow slow = {
          ret->theta + layers[l].offset,         values[l],    values[l + 1], ret->gradient + layers[l].offset,
          slopes[l] = new_doubles(layers[l].in), slopes[l + 1]};
      slow_backward(&layers[l], &slow);
    }
    memcpy(ret->dx + i * in, slopes[0], in * sizeof *ret->dx);
    for (size_t l = 0; l <= n; l++) {
      free(values[l]);
      free(slopes[l]);
    }
  }
}

static void free_slow(struct slow *slow) {
  free(slow->theta);
  free(slow->x);
  free(slow->y);
  free(slow->gradient);
  free(slow->dx);
  free(slow->dy);
}

/* How far outputs, pixels' slopes and weights' may be off where a chain is one convolution of 5x5 by Winograd's way, of
 * numbers of size at most 1 and weights of size at most `weights`; elsewhere 0. In one dimension the sizes of A^T, G
 * and B^T for a number multiply and add up to 58 at most, and for a weight to 41: 3364 and 1681 in two. Sums of C
 * products have C roundings, and matrices at most 20 more. In double that leaves nothing to chance. */
struct rounding {
  double y, dx, gradient;
};

static struct rounding rounding_of(const struct chain *chain, double weights) {
  const double eps = sizeof(sprint_real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  const struct sprint__layer *conv = &chain->layers[0];
  if (conv->kernel[0] != 5 || conv->kernel[1] != 5 || conv->stride != 1) return (struct rounding){0};
  double channels = (double)conv->from.channels, filters = (double)conv->to.channels;
  double tiles = (double)(N * ((conv->to.height + 1) / 2) * ((conv->to.width + 1) / 2));
  bool forward = sprint__product_forward(conv).winograd, back = sprint__product_backward(conv, 0).winograd;
  return (struct rounding){forward ? eps * weights * 3364 * (channels + 1) * (channels + 20) : 0,
                           back ? eps * weights * 3364 * (filters + 1) * (filters + 20) : 0,
                           forward ? eps * 1681 * tiles * (tiles + 20) : 0};
}

static void assert_near(const sprint_real *a, const double *b, size_t n, double times, double tolerance,
                        const char *what, size_t trial) {
  for (size_t i = 0; i < n; i++)
    if (!(fabs((double)a[i] - times * b[i]) <= tolerance) && !(isnan(a[i]) && isnan(b[i])))
      fail_msg("trial %zu: %s %zu: %.9g, by its definition %.9g", trial, what, i, (double)a[i], times * b[i]);
}

/* Whole numbers. */
static void fill_whole(struct chain *chain, uint32_t seed) {
  for (size_t l = 0; l < chain->n; l++) {
    const struct sprint__layer *layer = &chain->layers[l];
    fill(chain->theta + layer->offset, layer->n_weights, &seed, 1, 4);
    fill(chain->theta + layer->offset + layer->n_weights, layer->n_biases, &seed, 2, 1);
  }
  fill(chain->x, N * chain->layers[0].in, &seed, 1, 1);
  fill(chain->dy, n_y(chain), &seed, 1, 1);
}

static void check_whole(struct chain *chain, const struct chain *plain, size_t trial) {
  struct slow slow;
  struct rounding off = rounding_of(chain, 4);
  run_slowly(plain, &slow);
  size_t n_x = chain->records * chain->layers[0].in, n_outputs = chain->records * (n_y(chain) / N);
  assert_near(forward(chain), slow.y, n_outputs, 1, off.y, "y", trial);
  backward(chain, true, false, true);
  assert_near(chain->gradient, slow.gradient, n_theta(chain), 1, off.gradient, "gradient", trial);
  assert_near(chain->delta[0], slow.dx, n_x, 1, off.dx, "dx", trial);
  backward(chain, true, true, false);
  assert_near(chain->gradient, slow.gradient, n_theta(chain), 2, 2 * off.gradient, "gradient twice", trial);
  memset(chain->delta[0], 0, n_x * sizeof(sprint_real));
  backward(chain, false, false, true);
  assert_near(chain->delta[0], slow.dx, n_x, 1, off.dx, "dx alone", trial);
  free_slow(&slow);
}

/* As many records as there are, and so few that they go other ways. */
static void test_conv__equals_its_twin(void **state) {
  (void)state;
  static const size_t records[] = {N, 9, 3, 1};
  enum { TURNS = sizeof records / sizeof records[0] };
  for (size_t i = 0; i < TURNS * N_TRIALS; i++) {
    const struct trial *trial = &trials[i / TURNS];
    struct chain chain, plain;
    new_chain(trial, true, &chain);
    new_chain(trial, false, &plain);
    chain.records = plain.records = records[i % TURNS];
    fill_whole(&chain, (uint32_t)i + 1);
    fill_whole(&plain, (uint32_t)i + 1);
    check_whole(&chain, &plain, i / TURNS);
    free_chain(&chain);
    free_chain(&plain);
  }
}

/* Which of a layer's products go along windows where there is one record. */
static bool forward_is_narrow(const struct sprint__layer *layer) {
  struct sprint__conv of = sprint__product_forward(layer).of;
  return sprint__narrow_pays(&of, 1);
}

static bool some_phase_is_narrow(const struct sprint__layer *layer) {
  for (size_t k = 0; k < sprint__product_phases(layer); k++) {
    struct sprint__conv of = sprint__product_backward(layer, k).of;
    if (sprint__narrow_pays(&of, 1)) return true;
  }
  return false;
}

/* The trials meet them, of every number of filters, and the gradients of weights too. */
static void test_conv__goes_along_windows(void **state) {
  (void)state;
  bool forward_of[SPRINT__NARROW_FILTERS + 1] = {false}, weights_of[SPRINT__NARROW_FILTERS + 1] = {false};
  bool back = false;
  for (size_t i = 0; i < N_TRIALS; i++) {
    struct chain chain;
    if (trials[i].steps[1].kind && trials[i].steps[1].kind != &sprint__layer_relu) continue;
    new_chain(&trials[i], true, &chain);
    const struct sprint__layer *conv = &chain.layers[0];
    struct sprint__conv of = sprint__product_forward(conv).of;
    if (forward_is_narrow(conv)) forward_of[of.filters] = true;
    if (sprint__narrow_pays_weights(&of, 1)) weights_of[of.filters] = true;
    back |= some_phase_is_narrow(conv);
    free_chain(&chain);
  }
  for (size_t f = 1; f <= SPRINT__NARROW_FILTERS; f++) assert_true(forward_of[f] && weights_of[f]);
  assert_true(back);
}

/* A NaN in a record gives NaNs just where the definition does. */
static void test_conv__nan(void **state) {
  (void)state;
  for (size_t i = 0; i < N_TRIALS; i++) {
    struct chain chain, plain;
    struct slow slow;
    new_chain(&trials[i], true, &chain);
    new_chain(&trials[i], false, &plain);
    fill_whole(&chain, 3);
    fill_whole(&plain, 3);
    size_t at = plain.layers[0].in + plain.layers[0].in / 2;
    chain.x[at] = plain.x[at] = (sprint_real)NAN;
    run_slowly(&plain, &slow);
    assert_near(forward(&chain), slow.y, n_y(&chain), 1, rounding_of(&chain, 4).y, "y", i);
    free_slow(&slow);
    free_chain(&chain);
    free_chain(&plain);
  }
}

static void fill_noise(struct chain *chain) {
  uint32_t seed = 7;
  fill(chain->theta, n_theta(chain), &seed, 10000, (sprint_real)1e-4);
  fill(chain->x, N * chain->layers[0].in, &seed, 10000, (sprint_real)1e-4);
  fill(chain->dy, n_y(chain), &seed, 10000, (sprint_real)1e-4);
}

/* Noise of size at most 1. A sum of m such products is within m eps m of the true one in any order: m is fan_in + 1
 * forward, N outputs for a weight, and kernel places times filters for a pixel. Winograd's way over C channels (or
 * filters, for a pixel) is within 81 (C + 1) (C + 10) eps: see test_conv_pool.c. For a weight it sums T tiles, of
 * numbers of size at most 4 on both sides, at each of 16 places, within 16 T (T + 4) eps, and puts those together with
 * factors whose sizes add up to 4: within 64 T (T + 10) eps. */
static void test_conv__noise(void **state) {
  (void)state;
  const double eps = sizeof(sprint_real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  for (size_t i = 0; i < N_TRIALS; i++) {
    if (trials[i].steps[1].kind) continue;
    struct chain chain;
    struct slow slow;
    new_chain(&trials[i], true, &chain);
    const struct sprint__layer *conv = &chain.layers[0];
    fill_noise(&chain);
    run_slowly(&chain, &slow);
    double forward_terms = (double)conv->fan_in + 1, outputs = (double)(N * conv->to.height * conv->to.width);
    double back_terms = (double)conv->fan_out, channels = (double)conv->from.channels;
    double filters = (double)conv->to.channels;
    bool tiles = conv->kernel[0] == 3 && conv->kernel[1] == 3 && conv->stride == 1;
    struct rounding off = rounding_of(&chain, 1);
    double more = tiles ? eps * 81 * (channels + 1) * (channels + 10) : off.y;
    double of_four = (double)(N * ((conv->to.height + 1) / 2) * ((conv->to.width + 1) / 2));
    double more_weights = tiles ? eps * 64 * of_four * (of_four + 10) : off.gradient;
    double more_back = tiles ? eps * 81 * (filters + 1) * (filters + 10) : off.dx;
    assert_near(forward(&chain), slow.y, n_y(&chain), 1, eps * forward_terms * forward_terms + more, "y", i);
    backward(&chain, true, false, true);
    assert_near(chain.gradient, slow.gradient, n_theta(&chain), 1, eps * outputs * outputs + more_weights, "gradient",
                i);
    assert_near(chain.delta[0], slow.dx, N * conv->in, 1, eps * back_terms * back_terms + more_back, "dx", i);
    free_slow(&slow);
    free_chain(&chain);
  }
}

/* Which layers take in a relu, and between which ones images have their channels last. */
static void test_conv__absorbs(void **state) {
  (void)state;
  static const struct trial trial = {
      {3, 16, 16}, {CONV(4, 3, 3, 0, 2), RELU, CONV(4, 3, 3, 0, 1), POOL(2), RELU, CONV(4, 3, 3, 0, 1), RELU}};
  struct chain chain;
  new_chain(&trial, true, &chain);
  const struct sprint__layer *l = chain.layers;
  assert_true(l[0].then_relu && l[1].absorbed && !l[0].last_in && l[0].last_out);
  assert_true(!l[2].then_relu && l[2].last_in && l[2].last_out);
  assert_true(l[3].last_in && l[3].last_out && !l[4].absorbed);
  assert_true(l[5].last_in && !l[5].last_out && l[5].then_relu && l[6].absorbed);
  free_chain(&chain);
}

/* Records side by side have the outputs and slopes that each has alone, to the bit. Winograd's way and that along
 * windows, which few records may take and many not, sum in another order. */
static void test_conv__side_by_side(void **state) {
  (void)state;
  for (size_t i = 0; i < N_TRIALS; i++) {
    struct chain all, one;
    if (trials[i].steps[1].kind || trials[i].shape.channels > 3) continue;
    new_chain(&trials[i], true, &all);
    new_chain(&trials[i], true, &one);
    fill_noise(&all);
    fill_noise(&one);
    const struct sprint__layer *conv = &all.layers[0];
    forward(&all);
    backward(&all, false, false, true);
    for (size_t k = 0; k < N; k++) {
      conv->ops->forward(conv, one.theta, one.x + k * conv->in, 1, one.y[0] + k * conv->out, one.scratch);
      conv->ops->backward(conv, one.theta, one.x + k * conv->in, one.y[0] + k * conv->out, 1, one.dy + k * conv->out,
                          one.delta[0] + k * conv->in, NULL, false, one.scratch);
    }
    if (!forward_is_narrow(conv)) assert_memory_equal(all.y[0], one.y[0], N * conv->out * sizeof *one.x);
    if (!some_phase_is_narrow(conv)) assert_memory_equal(all.delta[0], one.delta[0], N * conv->in * sizeof *one.x);
    free_chain(&all);
    free_chain(&one);
  }
}

/* One record and a few have the same outputs, slopes and gradients to the bit whether or not threads share them. */
static void test_conv__shared(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  assert_int_equal(sprint_context_set_threads(context, 3), SPRINT_OK);
  for (size_t i = 0; i < N_TRIALS; i++)
    for (size_t n = 1; n <= 3; n++) {
      struct chain one, many;
      new_chain(&trials[i], true, &one);
      new_chain(&trials[i], true, &many);
      fill_noise(&one);
      fill_noise(&many);
      assert_shared(&one, &many, n, context);
    }
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conv__equals_its_twin),
      cmocka_unit_test(test_conv__nan),
      cmocka_unit_test(test_conv__noise),
      cmocka_unit_test(test_conv__side_by_side),
      cmocka_unit_test(test_conv__absorbs),
      cmocka_unit_test(test_conv__shared),
      cmocka_unit_test(test_conv__goes_along_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
