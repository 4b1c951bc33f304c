/* Convolution and pooling against central differences, and against a convolution written out as its definition. */
#include "test_model_help.h"

#include "population/population.h"

enum { N = 3 };

static sprint_population *new_images(struct fixture *f, struct sprint__shape image) {
  sprint_population *people = new_people(f, N, image.channels * image.height * image.width, 3);
  people->image = image;
  return people;
}

struct place {
  struct fixture *f;
  sprint_model *model;
  sprint_real *theta, *x;
  const sprint_real *y;
};

static double mean_loss(void *user) {
  struct place *p = user;
  sprint_batch rows = {sizeof rows, N, p->x, p->y};
  double loss = 0;
  assert_ok(p->f, sprint_model_gradient(p->model, p->theta, &rows, &loss, NULL, NULL, NULL));
  return loss;
}

static void compare(struct place *p, sprint_real *coordinate, double gradient, const char *what, size_t j) {
  const struct probe probe = {mean_loss, NULL, p};
  struct slope slope = central_difference(&probe, coordinate);
  if (!(fabs(gradient - slope.value) <= slope.tolerance))
    fail_msg("%s %zu: %.17g, by differences %.17g", what, j, gradient, slope.value);
}

/* Smooth activations, so that only ties within a pooling window could make a kink: noise has none. */
static void check_network(struct fixture *f, struct sprint__shape image, const char *layers) {
  char spec[160];
  snprintf(spec, sizeof spec, "{layers: '%s', loss: softmax, l2: 0.1}", layers);
  sprint_population *people = new_images(f, image);
  sprint_model *model = new_model(f, people, spec);
  size_t n = sprint_model_n_params(model), d = people->d;
  sprint_real *theta = new_noise(5, n), *gradient = new_reals(n), *gradient_x = new_reals(N * d);
  struct place p = {f, model, theta, people->x, people->y};
  sprint_batch rows = everybody(people);
  assert_ok(f, sprint_model_gradient(model, theta, &rows, NULL, NULL, gradient, gradient_x));
  for (size_t j = 0; j < n; j++) compare(&p, &theta[j], (double)gradient[j], "theta", j);
  for (size_t j = 0; j < N * d; j++) compare(&p, &people->x[j], (double)gradient_x[j] / N, "x", j);
  free(theta);
  free(gradient);
  free(gradient_x);
  sprint_model_free(model);
  sprint_population_free(people);
}

static void test_conv__gradients(void **state) {
  struct fixture *f = *state;
  check_network(f, (struct sprint__shape){2, 5, 4}, "conv 3 3x3, tanh, flatten, dense 3");
  check_network(f, (struct sprint__shape){1, 6, 6}, "conv 2 3x3 valid, softplus, dense 3");
  check_network(f, (struct sprint__shape){3, 7, 5}, "conv 2 5x3 stride 2, sigmoid, dense 3");
  check_network(f, (struct sprint__shape){2, 6, 7}, "conv 2 2x3 valid stride 3, gelu, dense 3");
}

static void test_maxpool__gradients(void **state) {
  struct fixture *f = *state;
  check_network(f, (struct sprint__shape){2, 6, 6}, "maxpool 2, dense 3");
  check_network(f, (struct sprint__shape){1, 7, 8}, "conv 2 3x3, tanh, maxpool 3, dense 3");
  check_network(f, (struct sprint__shape){3, 8, 8},
                "conv 2 3x3, tanh, maxpool 2, conv 3 3x3, tanh, maxpool 2, flatten, dense 4, tanh, dense 3");
}

/* Oracle: y[f][r][c] = b_f + sum w[f][k][i][j] x[k][r s + i - p][c s + j - p], the definition. */
static void test_conv__equals_its_definition(void **state) {
  struct fixture *f = *state;
  enum { C = 2, H = 5, W = 6, F = 3, K = 3, S = 2, R = 3, Q = 3 };
  sprint_population *people = new_images(f, (struct sprint__shape){C, H, W});
  sprint_model *model = new_model(f, people, "{layers: 'conv 3 3x3 stride 2, flatten, dense 3', loss: softmax}");
  sprint_real *theta = new_noise(9, sprint_model_n_params(model)), outputs[N * 3];
  const sprint_real *w = theta, *b = theta + F * C * K * K, *dense = b + F;
  assert_ok(f, sprint_model_outputs(model, theta, people->x, N, outputs));
  for (size_t n = 0; n < N; n++)
    for (size_t o = 0; o < 3; o++) {
      double sum = (double)dense[3 * F * R * Q + o];
      for (size_t k = 0; k < F * R * Q; k++) {
        size_t filter = k / (R * Q), r = k / Q % R, c = k % Q;
        double y = (double)b[filter];
        for (size_t in = 0; in < C * K * K; in++) {
          ptrdiff_t row = (ptrdiff_t)(r * S + in / K % K) - 1, column = (ptrdiff_t)(c * S + in % K) - 1;
          if (row < 0 || row >= H || column < 0 || column >= W) continue;
          y += (double)w[filter * C * K * K + in] *
               (double)people->x[n * C * H * W + in / (K * K) * H * W + (size_t)row * W + (size_t)column];
        }
        sum += (double)dense[k * 3 + o] * y;
      }
      assert_true(fabs((double)outputs[n * 3 + o] - sum) < 1e-12); /* some hundred terms of size 1 */
    }
  free(theta);
  sprint_model_free(model);
  sprint_population_free(people);
}

static void test_conv__refusals(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_images(f, (struct sprint__shape){1, 4, 4});
  static const char *const cases[][2] = {
      {"{layers: 'conv 2 5x5 valid, dense 3', loss: softmax}", "the kernel is larger than the image"},
      {"{layers: 'conv 2 2x2, dense 3', loss: softmax}", "padding `same` needs an odd kernel"},
      {"{layers: 'conv 2, dense 3', loss: softmax}", "its number is missing"},
      {"{layers: 'conv 2 3x, dense 3', loss: softmax}", "'3x' does not fit"},
      {"{layers: 'conv 2 3x3 stride 0, dense 3', loss: softmax}", "'0' does not fit"},
      {"{layers: 'conv 2 3x3 sideways, dense 3', loss: softmax}", "'sideways' is one word too many"},
      {"{layers: 'maxpool 5, dense 3', loss: softmax}", "the window is larger than the image"},
      {"{layers: 'maxpool, dense 3', loss: softmax}", "its number is missing"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) assert_refused(f, people, cases[i][0], cases[i][1]);
  sprint_population_free(people);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_conv__gradients, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_maxpool__gradients, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_conv__equals_its_definition, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_conv__refusals, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
