/* Layer lists and what they say when they are wrong; starting points by their laws. */
#include "test_model_help.h"

static void test_layers__reads_texts_and_lists_alike(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_people(f, 5, 4, 3);
  static const char *const same[] = {"{layers: 'dense 6, relu, dense 3', loss: softmax}",
                                     "{layers: [dense 6, relu, dense 3], loss: softmax}",
                                     "{layers: ['dense 6 , relu', '  dense   3 '], loss: softmax}"};
  for (size_t i = 0; i < SPRINT__COUNT(same); i++) {
    sprint_model *model = new_model(f, people, same[i]);
    assert_int_equal(sprint_model_n_params(model), 4 * 6 + 6 + 6 * 3 + 3);
    assert_int_equal(sprint_model_n_outputs(model), 3);
    assert_int_equal(sprint_model_n_features(model), 4);
    sprint_model_free(model);
  }
  sprint_population_free(people);
}

static void refuse_layers(struct fixture *f, const sprint_population *people, const char *layers, const char *text) {
  char spec[640];
  snprintf(spec, sizeof spec, "{loss: squared, layers: '%s'}", layers);
  assert_refused(f, people, spec, text);
}

static void test_layers__refuses_lists_that_do_not_fit(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_people(f, 5, 1, 0);
  static const char empty[] =
      "key 'model.layers': a layer is empty; a list like 'dense 32, relu, dense 2' was expected";
  refuse_layers(f, people, "", empty);
  refuse_layers(f, people, "dense 3,, dense 1", empty);
  refuse_layers(f, people, "dense 1,", empty);
  refuse_layers(f, people, "dens 3, dense 1",
                "'dens' is not a layer; did you mean 'dense'? (`sprint list layers` shows them)");
  refuse_layers(f, people, "transformer, dense 1", "'transformer' is not a layer (`sprint list layers` shows them)");
  refuse_layers(f, people, "dense",
                "layer 'dense': its number is missing; a whole number within 1 .. 1000000 was expected (number of "
                "outputs)");
  static const char *const numbers[] = {"x", "0", "-3", "1000001", "2.5", "99999999999999999999", "1x"};
  for (size_t i = 0; i < SPRINT__COUNT(numbers); i++) {
    char layers[64], text[96];
    snprintf(layers, sizeof layers, "dense %s", numbers[i]);
    snprintf(text, sizeof text, "layer 'dense': '%s' does not fit; a whole number within", numbers[i]);
    refuse_layers(f, people, layers, text);
  }
  refuse_layers(f, people, "dense 3, relu 3, dense 1", "layer 'relu': '3' is one word too many");
  refuse_layers(f, people, "dense 1000000, dense 1000, dense 1", "parameters are more than 1e9");
  refuse_layers(f, people, "relu, tanh", "no layer has parameters; a dense one was expected");
  sprint_population_free(people);
}

static void test_layers__refuses_more_than_64(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_people(f, 5, 1, 0);
  char layers[512] = "dense 1";
  for (int i = 0; i < 63; i++) strcat(layers, ", relu");
  char spec[640];
  snprintf(spec, sizeof spec, "{loss: squared, layers: '%s'}", layers);
  sprint_model_free(new_model(f, people, spec));
  strcat(layers, ", relu");
  refuse_layers(f, people, layers, "65 layers are more than 64");
  sprint_population_free(people);
}

static void test_layers__refuses_outputs_that_do_not_fit_the_loss(void **state) {
  struct fixture *f = *state;
  sprint_population *three = new_people(f, 6, 4, 3), *values = new_people(f, 6, 4, 0);
  assert_refused(f, three, "{layers: dense 1, loss: logistic}",
                 "'logistic' needs two classes and one output; the data has 3 classes");
  assert_refused(f, three, "{layers: dense 1, loss: sigmoid}", "'sigmoid' needs two classes and one output");
  assert_refused(f, values, "{layers: dense 3, loss: softmax}",
                 "'softmax' needs classes, with one output for each; the data has 0 classes");
  assert_refused(f, three, "{layers: dense 2, loss: softmax}",
                 "the last layer has 2 outputs; the loss 'softmax' needs 3 for this data");
  assert_refused(f, values, "{layers: dense 2, loss: squared}",
                 "the last layer has 2 outputs; the loss 'squared' needs 1 for this data");
  assert_refused(f, values, "{layers: dense 2, loss: mean}",
                 "the loss 'mean' is a function of record and theta and takes no layers");
  sprint_population_free(three);
  sprint_population_free(values);
}

/* The network of the tests of starting points: 100-100-100-300-1. The first two dense layers are alike in shape. */
enum { D = 100, WIDE = 300 };
#define LAYERS "layers: 'dense 100, tanh, dense 100, tanh, dense 300, dense 1'"

struct start {
  sprint_real *theta;
  const sprint_real *weights[3], *biases[3];
  size_t n_weights[3], n_biases[3], n_params;
  double in[3], out[3];
};

static struct start start_of(struct fixture *f, const char *init, uint64_t seed) {
  static const size_t width[] = {D, D, D, WIDE};
  sprint_population *people = new_people(f, 2, D, 0);
  char spec[160];
  snprintf(spec, sizeof spec, "{" LAYERS ", loss: squared, init: %s}", init);
  sprint_model *model = new_model(f, people, spec);
  struct start s = {.n_params = sprint_model_n_params(model)};
  s.theta = new_reals(s.n_params);
  assert_ok(f, sprint_model_start(model, seed, s.theta));
  const sprint_real *at = s.theta;
  for (size_t l = 0; l < 3; l++) {
    s.in[l] = (double)width[l];
    s.out[l] = (double)width[l + 1];
    s.n_weights[l] = width[l] * width[l + 1];
    s.n_biases[l] = width[l + 1];
    s.weights[l] = at;
    s.biases[l] = at + s.n_weights[l];
    at += s.n_weights[l] + s.n_biases[l];
  }
  sprint_model_free(model);
  sprint_population_free(people);
  return s;
}

struct moments {
  double mean, variance, largest; /* largest: of the absolute values */
};

static struct moments moments_of(const sprint_real *values, size_t n) {
  struct moments m = {0, 0, 0};
  for (size_t i = 0; i < n; i++) {
    double v = (double)values[i];
    m.mean += v / (double)n;
    m.variance += v * v / (double)n; /* the laws have mean 0 */
    if (fabs(v) > m.largest) m.largest = fabs(v);
  }
  return m;
}

/* Bounds at five standard deviations: of the mean b / sqrt(3 n), of the mean square b^2 sqrt((1/5 - 1/9) / n). The
 * largest of n stays below b (1 - 20/n) with probability exp(-20). */
static void assert_uniform(const sprint_real *values, size_t n, double b) {
  struct moments m = moments_of(values, n);
  assert_true(m.largest <= b * (1 + REAL_EPSILON) && m.largest > b * (1 - 20.0 / (double)n));
  assert_true(fabs(m.mean) < 5 * b / sqrt(3.0 * (double)n));
  assert_true(fabs(m.variance - b * b / 3) < 5 * b * b * sqrt((1.0 / 5 - 1.0 / 9) / (double)n));
}

/* Five standard deviations again: sigma / sqrt n and sigma^2 sqrt(2 / n). Of 10000 and more, one lies beyond 3 sigma
 * but for probability exp(-27), and none beyond 6.5 sigma but for 3e-6; a uniform law ends at 1.7 sigma. */
static void assert_normal(const sprint_real *values, size_t n, double sigma) {
  struct moments m = moments_of(values, n);
  assert_true(m.largest > 3 * sigma && m.largest < 6.5 * sigma);
  assert_true(fabs(m.mean) < 5 * sigma / sqrt((double)n));
  assert_true(fabs(m.variance - sigma * sigma) < 5 * sigma * sigma * sqrt(2.0 / (double)n));
}

static void assert_zeros(const sprint_real *values, size_t n) {
  for (size_t i = 0; i < n; i++) assert_true(values[i] == 0);
}

static void test_layers__torch_start_is_uniform_with_biases(void **state) {
  struct start s = start_of(*state, "torch", 1);
  for (size_t l = 0; l < 3; l++) {
    assert_uniform(s.weights[l], s.n_weights[l], 1 / sqrt(s.in[l]));
    assert_uniform(s.biases[l], s.n_biases[l], 1 / sqrt(s.in[l]));
  }
  free(s.theta);
}

static void test_layers__named_starts_follow_their_laws(void **state) {
  static const struct {
    const char *name;
    bool normal, glorot;
  } laws[] = {{"kaiming-uniform", false, false},
              {"kaiming-normal", true, false},
              {"xavier-uniform", false, true},
              {"xavier-normal", true, true}};
  for (size_t i = 0; i < SPRINT__COUNT(laws); i++) {
    struct start s = start_of(*state, laws[i].name, 1);
    for (size_t l = 0; l < 3; l++) {
      double variance = 2 / (laws[i].glorot ? s.in[l] + s.out[l] : s.in[l]);
      if (laws[i].normal)
        assert_normal(s.weights[l], s.n_weights[l], sqrt(variance));
      else
        assert_uniform(s.weights[l], s.n_weights[l], sqrt(3 * variance));
      assert_zeros(s.biases[l], s.n_biases[l]);
    }
    free(s.theta);
  }
  struct start s = start_of(*state, "zeros", 1);
  assert_zeros(s.theta, s.n_params);
  free(s.theta);
}

/* The correlation of independent numbers is within five of its standard deviations, 1 / sqrt n. */
static void assert_unrelated(const sprint_real *a, const sprint_real *b, size_t n) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < n; i++) {
    ab += (double)a[i] * (double)b[i];
    aa += (double)a[i] * (double)a[i];
    bb += (double)b[i] * (double)b[i];
  }
  assert_true(fabs(ab) < 5 * sqrt(aa * bb / (double)n));
}

static void test_layers__a_start_is_a_function_of_the_seed(void **state) {
  static const char *const inits[] = {"torch", "kaiming-uniform", "kaiming-normal", "xavier-uniform", "xavier-normal"};
  for (size_t i = 0; i < SPRINT__COUNT(inits); i++) {
    struct start s = start_of(*state, inits[i], 1), again = start_of(*state, inits[i], 1);
    struct start other = start_of(*state, inits[i], 2);
    assert_memory_equal(s.theta, again.theta, s.n_params * sizeof(sprint_real));
    assert_unrelated(s.weights[0], other.weights[0], s.n_weights[0]);
    assert_unrelated(s.weights[0], s.weights[1], s.n_weights[0]);
    assert_unrelated(s.weights[0], s.weights[2], s.n_weights[0]);
    if (i == 0) assert_unrelated(s.weights[0], s.biases[0], s.n_biases[0]);
    if (i == 0) assert_unrelated(s.biases[0], s.biases[1], s.n_biases[0]);
    free(s.theta);
    free(again.theta);
    free(other.theta);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layers__reads_texts_and_lists_alike),
      cmocka_unit_test(test_layers__refuses_lists_that_do_not_fit),
      cmocka_unit_test(test_layers__refuses_more_than_64),
      cmocka_unit_test(test_layers__refuses_outputs_that_do_not_fit_the_loss),
      cmocka_unit_test(test_layers__torch_start_is_uniform_with_biases),
      cmocka_unit_test(test_layers__named_starts_follow_their_laws),
      cmocka_unit_test(test_layers__a_start_is_a_function_of_the_seed),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
