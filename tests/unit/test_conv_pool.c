/* conv, relu and maxpool 2 as one layer, against the three layers one after the other.
 *
 * Oracle: layer_conv.c, layer_activation.c and layer_pool.c, which test_conv.c holds against their definitions. Where
 * records, slopes and biases are small integers and weights are multiples of 4, all sums are exact whatever their order
 * (Winograd's transform divides weights by 4 at most; no sum passes 2^24), so that both ways agree to the bit, ties
 * included. */
#include "layer_chain.h"

#include <float.h>

struct stage {
  int64_t filters, kernel[2];
  bool valid;
};

/* conv, relu, maxpool 2, once or twice. */
struct trial {
  struct sprint__shape shape;
  struct stage stages[2];
};

static const struct trial trials[] = {
    {{3, 8, 8}, {{8, {3, 3}, false}}},
    {{3, 32, 32}, {{32, {3, 3}, false}}},
    {{32, 16, 16}, {{64, {3, 3}, false}}},
    {{1, 2, 2}, {{5, {1, 1}, false}}},
    {{1, 3, 2}, {{6, {3, 3}, false}}},
    {{2, 5, 7}, {{5, {3, 3}, true}}},
    {{8, 9, 11}, {{17, {3, 3}, false}}},
    {{9, 6, 6}, {{70, {3, 3}, true}}},
    {{17, 7, 10}, {{24, {3, 3}, false}}},
    {{10, 12, 5}, {{130, {3, 3}, true}}},
    {{3, 8, 8}, {{12, {5, 5}, false}}},
    {{4, 9, 8}, {{9, {5, 3}, false}}},
    {{16, 8, 7}, {{5, {2, 4}, true}}},
    {{3, 10, 10}, {{6, {7, 7}, false}}},
    {{40, 4, 4}, {{65, {3, 5}, false}}},
    {{33, 6, 4}, {{40, {1, 1}, false}}},
    {{12, 14, 14}, {{64, {4, 3}, true}}},
    {{3, 64, 64}, {{16, {3, 3}, false}}},
    {{130, 4, 6}, {{7, {3, 3}, false}}},
    {{6, 20, 300}, {{8, {3, 3}, false}}},
    {{3, 16, 16}, {{8, {3, 3}, false}, {16, {3, 3}, false}}}, /* the second takes the first one's order */
    {{3, 13, 11}, {{16, {3, 3}, true}, {5, {2, 2}, true}}},
    {{2, 12, 9}, {{9, {3, 3}, false}, {8, {3, 3}, false}}}, /* 9 filters are rounded up */
};
enum { N_TRIALS = sizeof trials / sizeof trials[0] };

static void new_chain(const struct trial *trial, bool absorbs, struct chain *chain) {
  struct sprint__shape shape = trial->shape;
  *chain = (struct chain){.n = 0};
  for (int s = 0; s < 2 && trial->stages[s].filters; s++) {
    const struct stage *stage = &trial->stages[s];
    const struct sprint__argument conv[] = {{.number = stage->filters},
                                            {.number = stage->kernel[0], .second = stage->kernel[1]},
                                            {.choice = stage->valid},
                                            {.number = 1}};
    add_layer(chain, &sprint__layer_conv, conv, &shape);
    add_layer(chain, &sprint__layer_relu, NULL, &shape);
    add_layer(chain, &sprint__layer_maxpool, &(struct sprint__argument){.number = 2}, &shape);
  }
  if (absorbs) {
    sprint__conv_pool_absorb(chain->layers, chain->n);
    sprint__conv_absorb(chain->layers, chain->n);
  }
  for (size_t l = 0; l < chain->n; l++) assert_int_equal(chain->layers[l].absorbed, absorbs && l % 3 > 0);
  take_rooms(chain);
}

static void assert_same(const sprint_real *a, const sprint_real *b, size_t n, const char *what, size_t trial) {
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
      fail_msg("trial %zu: %s %zu: %.9g, expected %.9g", trial, what, i, (double)a[i], (double)b[i]);
}

/* Whole numbers, the same in both; biases are `bias` and up to 2 more or less. */
static void fill_both(struct chain *one, struct chain *three, uint32_t seed, sprint_real bias) {
  for (size_t l = 0; l < three->n; l += 3) {
    const struct sprint__layer *conv = &three->layers[l];
    sprint_real *biases = three->theta + conv->offset + conv->n_weights;
    fill(three->theta + conv->offset, conv->n_weights, &seed, 2, 4);
    fill(biases, conv->n_biases, &seed, 2, 1);
    for (size_t f = 0; f < conv->n_biases; f++) biases[f] += bias;
  }
  fill(three->x, N * three->layers[0].in, &seed, 1, 1);
  fill(three->dy, n_y(three), &seed, 3, 1);
  memcpy(one->theta, three->theta, n_theta(three) * sizeof *one->theta);
  memcpy(one->x, three->x, N * three->layers[0].in * sizeof *one->x);
  memcpy(one->dy, three->dy, n_y(three) * sizeof *one->dy);
}

static void check_whole(size_t trial, sprint_real bias) {
  struct chain one, three;
  new_chain(&trials[trial], true, &one);
  new_chain(&trials[trial], false, &three);
  fill_both(&one, &three, (uint32_t)trial + 1, bias);
  assert_same(forward(&one), forward(&three), n_y(&three), "y", trial);
  for (int adds = 0; adds < 2; adds++) {
    backward(&one, true, adds, true);
    backward(&three, true, adds, true);
    assert_same(one.gradient, three.gradient, n_theta(&three), "gradient", trial);
    assert_same(one.delta[0], three.delta[0], N * three.layers[0].in, "dx", trial);
  }
  memset(one.delta[0], 0, N * one.layers[0].in * sizeof(sprint_real));
  backward(&one, false, false, true);
  assert_same(one.delta[0], three.delta[0], N * three.layers[0].in, "dx alone", trial);
  backward(&one, true, false, false);
  backward(&one, true, true, false);
  assert_same(one.gradient, three.gradient, n_theta(&three), "gradient alone", trial);
  free_chain(&one);
  free_chain(&three);
}

static void test_conv_pool__equals_three_layers(void **state) {
  (void)state;
  for (size_t i = 0; i < N_TRIALS; i++) check_whole(i, 0);
}

/* Biases that let nothing through, or everything. */
static void test_conv_pool__dead_and_alive(void **state) {
  (void)state;
  for (size_t i = 0; i < N_TRIALS; i++) {
    check_whole(i, -20000);
    if (!trials[i].stages[1].filters) check_whole(i, 20000); /* twice would pass 2^24 */
  }
}

/* Noise. With |x|, |w| <= 1 and C channels, a sum of K = C kh kw products and a bias is within (K + 1) eps (K + 1) of
 * the true one in any order. Winograd's way has terms of size at most 4 x 9/4 = 9, C of them at each of 9 places, of
 * which it makes 2 + 3 + 4 roundings more: within (C + 10) eps 81 (C + 1). Relu and the largest of four add nothing. */
static void test_conv_pool__noise(void **state) {
  (void)state;
  const double eps = sizeof(sprint_real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  for (size_t i = 0; i < N_TRIALS && !trials[i].stages[1].filters; i++) {
    struct chain one, three;
    uint32_t seed = 7;
    new_chain(&trials[i], true, &one);
    new_chain(&trials[i], false, &three);
    fill(three.theta, n_theta(&three), &seed, 10000, (sprint_real)1e-4);
    fill(three.x, N * three.layers[0].in, &seed, 10000, (sprint_real)1e-4);
    memcpy(one.theta, three.theta, n_theta(&three) * sizeof *one.theta);
    memcpy(one.x, three.x, N * three.layers[0].in * sizeof *one.x);
    double k = (double)three.layers[0].fan_in + 1, c = (double)trials[i].shape.channels;
    double tolerance = eps * (k * k + 81 * (c + 1) * (c + 10));
    const sprint_real *a = forward(&one), *b = forward(&three);
    for (size_t j = 0; j < n_y(&three); j++)
      if (!(fabs((double)(a[j] - b[j])) <= tolerance))
        fail_msg("trial %zu: y %zu: %.9g, layer by layer %.9g", i, j, (double)a[j], (double)b[j]);
    free_chain(&one);
    free_chain(&three);
  }
}

/* A NaN in a record gives NaNs just where the three layers do. */
static void test_conv_pool__nan(void **state) {
  (void)state;
  for (size_t i = 0; i < N_TRIALS; i++) {
    struct chain one, three;
    new_chain(&trials[i], true, &one);
    new_chain(&trials[i], false, &three);
    fill_both(&one, &three, 3, 0);
    size_t at = three.layers[0].in + three.layers[0].in / 2;
    one.x[at] = three.x[at] = (sprint_real)NAN;
    assert_same(forward(&one), forward(&three), n_y(&three), "y", i);
    free_chain(&one);
    free_chain(&three);
  }
}

/* Only conv of stride 1, relu, maxpool 2, in this order. */
static void test_conv_pool__leaves_others(void **state) {
  (void)state;
  struct chain chain;
  new_chain(&trials[0], false, &chain);
  sprint__conv_pool_absorb(chain.layers, 2);
  for (int k = 0; k < 5; k++) {
    struct sprint__layer other[3];
    memcpy(other, chain.layers, sizeof other);
    if (k == 0) other[0].stride = 2;
    if (k == 1) other[1].kind = &sprint__layer_tanh;
    if (k == 2) other[2].stride = 3;
    if (k == 3) other[0].kind = &sprint__layer_dense;
    if (k == 4) other[0].to.channels = 4; /* few */
    sprint__conv_pool_absorb(other, 3);
    assert_ptr_equal(other[0].ops, sprint__layer_conv.ops);
    assert_false(other[1].absorbed || other[2].absorbed);
  }
  free_chain(&chain);
}

/* One record and a few are the same to the bit whether or not threads share them. */
static void test_conv_pool__shared(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  assert_int_equal(sprint_context_set_threads(context, 3), SPRINT_OK);
  for (size_t i = 0; i < N_TRIALS; i++)
    for (size_t n = 1; n <= 2; n++) {
      struct chain chains[2];
      for (int k = 0; k < 2; k++) {
        uint32_t seed = 11;
        new_chain(&trials[i], true, &chains[k]);
        fill(chains[k].theta, n_theta(&chains[k]), &seed, 10000, (sprint_real)1e-4);
        fill(chains[k].x, N * chains[k].layers[0].in, &seed, 10000, (sprint_real)1e-4);
        fill(chains[k].dy, n_y(&chains[k]), &seed, 10000, (sprint_real)1e-4);
      }
      assert_shared(&chains[0], &chains[1], n, context);
    }
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conv_pool__equals_three_layers),
      cmocka_unit_test(test_conv_pool__dead_and_alive),
      cmocka_unit_test(test_conv_pool__noise),
      cmocka_unit_test(test_conv_pool__nan),
      cmocka_unit_test(test_conv_pool__leaves_others),
      cmocka_unit_test(test_conv_pool__shared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
