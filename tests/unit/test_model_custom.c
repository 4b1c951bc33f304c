/* Models of the caller's own. Oracle: the built-in test bed of the same loss, and plain arithmetic. */
#include "test_model_help.h"

enum { N = 9, D = 4 };

/* |x - theta|^2 / 2 times *user. */
static void own_gradient(void *user, const sprint_real *theta, const sprint_real *x, const sprint_real *y, size_t n,
                         double *ret_loss, sprint_real *ret_gradient) {
  (void)y;
  const double scale = *(const double *)user;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < D; k++) {
      double away = (double)theta[k] - (double)x[i * D + k];
      *ret_loss += scale * away * away / 2;
      if (ret_gradient) ret_gradient[k] += (sprint_real)(scale * away);
    }
}

static void own_score(void *user, const sprint_real *theta, const sprint_real *x, size_t n,
                      sprint_real *ret_gradient_x) {
  (void)user;
  (void)x;
  for (size_t i = 0; i < n * D; i++) ret_gradient_x[i] = theta[i % D];
}

static void own_start(void *user, uint64_t seed, sprint_real *ret_theta) {
  (void)user;
  for (size_t k = 0; k < D; k++) ret_theta[k] = (sprint_real)(seed + k);
}

static sprint_model *new_custom(struct fixture *f, const sprint_model_callbacks *callbacks) {
  sprint_model *model = NULL;
  assert_ok(f, sprint_model_new_custom(f->context, callbacks, &model));
  return model;
}

static void test_model_custom__equals_the_test_bed(void **state) {
  struct fixture *f = *state;
  double scale = 1, loss, expected_loss;
  sprint_population *people = new_people(f, N, D, 0);
  sprint_model *bed = new_model(f, people, "{loss: mean}");
  sprint_model *model =
      new_custom(f, &(sprint_model_callbacks){sizeof(sprint_model_callbacks), &scale, D, D, own_gradient, NULL, NULL});
  assert_int_equal(sprint_model_n_params(model), D);
  assert_int_equal(sprint_model_n_features(model), D);
  sprint_real theta[D], gradient[D], pair[D], expected[D];
  fill_noise(31, theta, D);
  sprint_batch batch = everybody(people);
  size_t correct = 99;
  assert_ok(f, sprint_model_gradient(model, theta, &batch, &loss, &correct, gradient, NULL));
  assert_ok(f, sprint_model_gradient(bed, theta, &batch, &expected_loss, NULL, expected, NULL));
  assert_int_equal(correct, 0);
  /* The same sums in the same order, with the differences taken in double here: a rounding for each of the rows. */
  assert_true(fabs(loss - expected_loss) <= N * REAL_EPSILON * expected_loss);
  for (size_t k = 0; k < D; k++) assert_true(fabs((double)(gradient[k] - expected[k])) <= N * REAL_EPSILON * 2);
  assert_ok(f, sprint_model_gradient_pair(model, &batch, theta, theta, NULL, NULL, pair, gradient));
  assert_memory_equal(pair, gradient, sizeof pair);
  scale = 3;
  assert_ok(f, sprint_model_gradient(model, theta, &batch, &loss, NULL, NULL, NULL));
  assert_true(fabs(loss - 3 * expected_loss) <= 3 * N * REAL_EPSILON * expected_loss);
  sprint_model_free(model);
  sprint_model_free(bed);
  sprint_population_free(people);
}

static void test_model_custom__starts_at_zero_or_where_told(void **state) {
  struct fixture *f = *state;
  double scale = 1;
  sprint_model_callbacks callbacks = {sizeof callbacks, &scale, D, D, own_gradient, NULL, NULL};
  sprint_real theta[D] = {9, 9, 9, 9};
  sprint_model *model = new_custom(f, &callbacks);
  assert_ok(f, sprint_model_start(model, 5, theta));
  for (size_t k = 0; k < D; k++) assert_true(theta[k] == 0);
  sprint_model_free(model);
  callbacks.start = own_start;
  model = new_custom(f, &callbacks);
  assert_ok(f, sprint_model_start(model, 5, theta));
  for (size_t k = 0; k < D; k++) assert_true(theta[k] == (sprint_real)(5 + k));
  sprint_model_free(model);
}

static void test_model_custom__moves_people_by_its_score(void **state) {
  struct fixture *f = *state;
  double scale = 1;
  sprint_population *people = new_people(f, N, D, 0);
  sprint_model *model = new_custom(
      f, &(sprint_model_callbacks){sizeof(sprint_model_callbacks), &scale, D, D, own_gradient, own_score, NULL});
  const sprint_real theta[D] = {1, -2, (sprint_real)0.5, 4}, *x = sprint_population_x(people);
  for (int way = 0; way < 2; way++) {
    sprint_shift *shift = NULL;
    const char *spec = way ? "{kind: strategic, alpha: 1, sign: '-'}" : "{kind: strategic, alpha: 1}";
    assert_ok(f, sprint_shift_new(f->context, spec, model, people, &shift));
    sprint_real answer[D];
    assert_ok(f, sprint_shift_respond(shift, theta, (uint32_t[]){3}, 1, answer));
    for (size_t k = 0; k < D; k++) assert_true(answer[k] == x[3 * D + k] + (way ? -theta[k] : theta[k]));
    sprint_shift_free(shift);
  }
  sprint_model_free(model);
  sprint_population_free(people);
}

static void test_model_custom__refuses_what_it_cannot_give(void **state) {
  struct fixture *f = *state;
  double scale = 1;
  sprint_population *people = new_people(f, N, D, 0);
  sprint_model *model =
      new_custom(f, &(sprint_model_callbacks){sizeof(sprint_model_callbacks), &scale, D, D, own_gradient, NULL, NULL});
  sprint_real theta[D] = {0}, gradient_x[N * D] = {7}, outputs[N];
  sprint_batch batch = everybody(people);
  double loss = 7;
  assert_failed(f, sprint_model_gradient(model, theta, &batch, &loss, NULL, NULL, gradient_x), SPRINT_ERROR_ARGUMENT,
                "this model's callbacks give no gradient in the features");
  assert_true(loss == 7 && gradient_x[0] == 7);
  assert_failed(f, sprint_model_outputs(model, theta, batch.x, N, outputs), SPRINT_ERROR_ARGUMENT,
                "this model has no outputs: a network was expected");
  sprint_shift *shift = NULL;
  assert_failed(f, sprint_shift_new(f->context, "{kind: strategic}", model, people, &shift), SPRINT_ERROR_INPUT,
                "'strategic' needs a model with a score");
  assert_null(shift);
  sprint_model_free(model);
  sprint_population_free(people);
}

static void test_model_custom__refuses_callbacks_that_do_not_fit(void **state) {
  struct fixture *f = *state;
  enum { SIZE = sizeof(sprint_model_callbacks) };
  const sprint_model_callbacks bad[] = {{SIZE, NULL, D, D, NULL, NULL, NULL},
                                        {SIZE, NULL, 0, D, own_gradient, NULL, NULL},
                                        {SIZE, NULL, D, 0, own_gradient, NULL, NULL}};
  for (size_t i = 0; i < SPRINT__COUNT(bad); i++) {
    sprint_model *model = NULL;
    assert_failed(f, sprint_model_new_custom(f->context, &bad[i], &model), SPRINT_ERROR_ARGUMENT,
                  "a custom model needs a gradient callback, n_params and n_features of at least 1");
    assert_null(model);
  }
}

static void test_model_custom__survives_failed_allocations(void **state) {
  struct fixture *f = *state;
  const sprint_model_callbacks callbacks = {sizeof callbacks, NULL, D, D, own_gradient, NULL, NULL};
  sprint_model *model = NULL;
  for (int64_t k = 0; !model; k++) {
    f->context->n_allocations = 0;
    f->context->fail_allocation = k;
    sprint_status status = sprint_model_new_custom(f->context, &callbacks, &model);
    assert_int_equal(status, model ? SPRINT_OK : SPRINT_ERROR_MEMORY);
  }
  f->context->fail_allocation = -1;
  sprint_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_model_custom__equals_the_test_bed),
      cmocka_unit_test(test_model_custom__starts_at_zero_or_where_told),
      cmocka_unit_test(test_model_custom__moves_people_by_its_score),
      cmocka_unit_test(test_model_custom__refuses_what_it_cannot_give),
      cmocka_unit_test(test_model_custom__refuses_callbacks_that_do_not_fit),
      cmocka_unit_test(test_model_custom__survives_failed_allocations),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
