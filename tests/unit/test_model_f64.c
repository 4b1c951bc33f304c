/* Gradients of every layer under every loss. Oracle: central differences, with a tolerance derived in
 * test_model_help.h; coordinates whose step crosses a kink of relu are left out, and counted. */
#include "test_model_help.h"

enum { N = 7, D = 4, HIDDEN = 5 };

/* A model at a point, and the rows that are being looked at. */
struct place {
  struct fixture *f;
  sprint_model *model;
  sprint_real *theta;
  sprint_batch rows;
  bool kinks; /* layers are dense 5, relu, ... */
  size_t n_coordinates, n_left_out, n_wrong_left_out;
};

static double mean_loss(void *user) {
  struct place *p = user;
  double loss = 0;
  assert_ok(p->f, sprint_model_gradient(p->model, p->theta, &p->rows, &loss, NULL, NULL, NULL));
  return loss;
}

static double hidden_input(const struct place *p, size_t row, size_t unit) {
  double v = (double)p->theta[HIDDEN * D + unit];
  for (size_t k = 0; k < D; k++) v += (double)p->theta[k * HIDDEN + unit] * (double)p->rows.x[row * D + k];
  return v;
}

/* Which hidden units are on, for up to 7 rows. */
static uint64_t hidden_sides(void *user) {
  const struct place *p = user;
  uint64_t sides = 0;
  for (size_t i = 0; i < p->rows.n; i++)
    for (size_t u = 0; u < HIDDEN; u++) sides = 2 * sides + (hidden_input(p, i, u) > 0);
  return sides;
}

static void compare(struct place *p, sprint_real *coordinate, double gradient, const char *what, size_t j) {
  const struct probe probe = {mean_loss, p->kinks ? hidden_sides : NULL, p};
  struct slope slope = central_difference(&probe, coordinate);
  bool wrong = !(fabs(gradient - slope.value) <= slope.tolerance);
  p->n_coordinates++;
  p->n_left_out += slope.kink;
  p->n_wrong_left_out += slope.kink && wrong;
  if (wrong && !slope.kink)
    fail_msg("%s %zu: %.17g, by differences %.17g, apart %.3g, tolerance %.3g", what, j, gradient, slope.value,
             fabs(gradient - slope.value), slope.tolerance);
}

static void compare_theta(struct place *p) {
  size_t n = sprint_model_n_params(p->model);
  sprint_real *gradient = new_reals(n);
  assert_ok(p->f, sprint_model_gradient(p->model, p->theta, &p->rows, NULL, NULL, gradient, NULL));
  for (size_t j = 0; j < n; j++) compare(p, &p->theta[j], (double)gradient[j], "theta", j);
  free(gradient);
}

/* Row by row: the gradient in the features is of each row's own loss. */
static void compare_features(struct place *p) {
  const sprint_batch rows = p->rows;
  sprint_real gradient_x[N * D], x[D];
  assert_ok(p->f, sprint_model_gradient(p->model, p->theta, &rows, NULL, NULL, NULL, gradient_x));
  for (size_t i = 0; i < rows.n; i++) {
    memcpy(x, rows.x + i * D, sizeof x);
    p->rows = (sprint_batch){sizeof(sprint_batch), 1, x, rows.y + i};
    for (size_t k = 0; k < D; k++) compare(p, &x[k], (double)gradient_x[i * D + k], "feature", i * D + k);
  }
  p->rows = rows;
}

static struct place place_of(struct fixture *f, const sprint_population *people, const char *spec) {
  struct place p = {.f = f, .model = new_model(f, people, spec), .rows = everybody(people)};
  p.theta = new_noise(13, sprint_model_n_params(p.model));
  return p;
}

static void leave(struct place *p) {
  free(p->theta);
  sprint_model_free(p->model);
}

struct loss_case {
  const char *loss;
  size_t n_classes, n_outputs; /* 0 outputs: a test bed, no layers */
};

static const struct loss_case losses[] = {
    {"softmax", 3, 3}, {"logistic", 2, 1}, {"{kind: sigmoid, c: 1.7}", 2, 1},
    {"squared", 0, 1}, {"mean", 0, 0},     {"linear", 0, 0},
};

static const char *const penalties[] = {"", ", l2_biases: true", ", l2: 0.3", ", l2: 0.3, l2_biases: true"};

/* Every loss and penalty over one hidden layer of an activation; NULL: a dense layer alone. */
static void check_activation(struct fixture *f, const char *activation) {
  size_t n_coordinates = 0, n_left_out = 0;
  for (size_t i = 0; i < SPRINT__COUNT(losses); i++) {
    sprint_population *people = new_people(f, N, D, losses[i].n_classes);
    char layers[64] = "", spec[160];
    if (losses[i].n_outputs && activation)
      snprintf(layers, sizeof layers, "layers: 'dense 5, %s, dense %zu', ", activation, losses[i].n_outputs);
    else if (losses[i].n_outputs)
      snprintf(layers, sizeof layers, "layers: 'dense %zu', ", losses[i].n_outputs);
    for (size_t j = 0; j < SPRINT__COUNT(penalties); j++) {
      snprintf(spec, sizeof spec, "{%sloss: %s%s}", layers, losses[i].loss, penalties[j]);
      struct place p = place_of(f, people, spec);
      p.kinks = losses[i].n_outputs && activation && strcmp(activation, "relu") == 0;
      compare_theta(&p);
      compare_features(&p);
      n_coordinates += p.n_coordinates;
      n_left_out += p.n_left_out;
      leave(&p);
    }
    sprint_population_free(people);
  }
  /* A coordinate moves a hidden input by 6e-6 of its range of a few units; of 35 inputs and 1000 coordinates none or
   * one pair is hit, and far from one in a hundred. */
  assert_true(n_coordinates > 700);
  assert_true(n_left_out * 100 <= n_coordinates);
}

static void test_model__gradient_of_dense_alone(void **state) { check_activation(*state, NULL); }
static void test_model__gradient_through_relu(void **state) { check_activation(*state, "relu"); }
static void test_model__gradient_through_tanh(void **state) { check_activation(*state, "tanh"); }
static void test_model__gradient_through_sigmoid(void **state) { check_activation(*state, "sigmoid"); }
static void test_model__gradient_through_softplus(void **state) { check_activation(*state, "softplus"); }
static void test_model__gradient_through_gelu(void **state) { check_activation(*state, "gelu"); }

/* Row 0 is put a tenth of a step on the far side of unit 0's kink: the coordinates of that unit are left out, they
 * alone, and differences would have called them wrong. */
static void test_model__differences_see_a_planted_kink(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_people(f, N, D, 0);
  struct place p = place_of(f, people, "{layers: 'dense 5, relu, dense 1', loss: squared}");
  p.kinks = true;
  p.theta[HIDDEN * D] = (sprint_real)((double)p.theta[HIDDEN * D] - hidden_input(&p, 0, 0) + cbrt(DBL_EPSILON) / 10);
  compare_theta(&p);
  assert_in_range(p.n_left_out, 1, D + 1);
  assert_in_range(p.n_wrong_left_out, 1, p.n_left_out);
  leave(&p);
  sprint_population_free(people);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_model__gradient_of_dense_alone),
      cmocka_unit_test(test_model__gradient_through_relu),
      cmocka_unit_test(test_model__gradient_through_tanh),
      cmocka_unit_test(test_model__gradient_through_sigmoid),
      cmocka_unit_test(test_model__gradient_through_softplus),
      cmocka_unit_test(test_model__gradient_through_gelu),
      cmocka_unit_test(test_model__differences_see_a_planted_kink),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
