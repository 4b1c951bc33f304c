/* Models as a whole: lanes, threads, pairs, penalties, counts of rows right. Gradients are in test_model_f64.c. */
#include "model/model.h"
#include "test_model_help.h"

/* Enough rows of `large` for all lanes, and not a multiple of their number. */
enum { N_LARGE = 9001, D_LARGE = 10 };
static const char large[] = "{layers: 'dense 64, relu, dense 1', loss: logistic}";

/* What a model gives for a batch. */
struct results {
  size_t n_params, n_x;
  double loss;
  size_t correct;
  sprint_real *gradient, *gradient_x;
};

static struct results results_of(struct fixture *f, sprint_model *model, const sprint_real *theta,
                                 const sprint_batch *batch) {
  struct results r = {.n_params = sprint_model_n_params(model), .n_x = batch->n * sprint_model_n_features(model)};
  r.gradient = new_reals(r.n_params);
  r.gradient_x = new_reals(r.n_x);
  assert_ok(f, sprint_model_gradient(model, theta, batch, &r.loss, &r.correct, r.gradient, r.gradient_x));
  return r;
}

static void results_clear(struct results *r) {
  free(r->gradient);
  free(r->gradient_x);
}

/* The slow twin of the lane driver: row after row, each on its own, summed in double. */
struct twin {
  double loss, size; /* size: the mean of the norms of the rows' gradients */
  size_t correct;
  double *gradient, *gradient_x;
};

static struct twin twin_of(struct fixture *f, sprint_model *model, const sprint_real *theta,
                           const sprint_batch *batch) {
  size_t n = sprint_model_n_params(model), d = sprint_model_n_features(model);
  struct twin t = {.gradient = calloc(n, sizeof(double)), .gradient_x = calloc(batch->n * d, sizeof(double))};
  double *zeros = calloc(n, sizeof(double));
  for (size_t i = 0; i < batch->n; i++) {
    const sprint_batch row = {sizeof row, 1, batch->x + i * d, batch->y + i};
    struct results r = results_of(f, model, theta, &row);
    t.loss += r.loss / (double)batch->n;
    t.correct += r.correct;
    t.size += distance(r.gradient, zeros, n) / (double)batch->n;
    for (size_t j = 0; j < n; j++) t.gradient[j] += (double)r.gradient[j] / (double)batch->n;
    for (size_t k = 0; k < d; k++) t.gradient_x[i * d + k] = (double)r.gradient_x[k];
    results_clear(&r);
  }
  free(zeros);
  return t;
}

/* A lane adds some 500 rows up in sprint_real, each rounded at its running sum: 512 eps of the size of the rows, which
 * is 6e-5 in float and 1.1e-13, within 1e-12, in double. Loss and features meet only the 64 terms of a layer. */
#ifdef SPRINT_DOUBLE
#define TOLERANCE 1e-12
#else
#define TOLERANCE (512 * REAL_EPSILON)
#endif

static void test_model__lanes_equal_the_sum_over_rows(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_people(f, N_LARGE, D_LARGE, 2);
  sprint_model *model = new_model(f, people, large);
  assert_int_equal(sprint__lanes_for(N_LARGE, model->cost_per_row, 300.0 * (double)model->n_params), SPRINT__MAX_LANES);
  sprint_real *theta = new_noise(21, model->n_params);
  sprint_batch batch = everybody(people);
  struct results r = results_of(f, model, theta, &batch);
  struct twin t = twin_of(f, model, theta, &batch);
  assert_true(fabs(r.loss - t.loss) <= TOLERANCE * t.loss);
  assert_int_equal(r.correct, t.correct);
  assert_true(distance(r.gradient, t.gradient, r.n_params) <= TOLERANCE * t.size);
  assert_true(distance(r.gradient_x, t.gradient_x, r.n_x) <= TOLERANCE * norm(t.gradient_x, r.n_x));
  results_clear(&r);
  free(t.gradient);
  free(t.gradient_x);
  free(theta);
  sprint_model_free(model);
  sprint_population_free(people);
}

/* Everything that goes through lanes, equal to the bit. */
static void test_model__threads_change_nothing(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_people(f, N_LARGE, D_LARGE, 2);
  sprint_model *model = new_model(f, people, large);
  sprint_real *theta = new_noise(22, model->n_params), *outputs[3], *answers[3];
  sprint_shift *shift = NULL;
  assert_ok(f, sprint_shift_new(f->context, "{kind: strategic, good: 0, alpha: 1}", model, people, &shift));
  uint32_t *who = calloc(N_LARGE, sizeof *who);
  for (uint32_t i = 0; i < N_LARGE; i++) who[i] = i;
  sprint_batch batch = everybody(people);
  struct results r[3];
  for (int t = 0; t < 3; t++) {
    assert_ok(f, sprint_context_set_threads(f->context, t + 1));
    r[t] = results_of(f, model, theta, &batch);
    outputs[t] = new_reals(N_LARGE);
    answers[t] = new_reals(r[t].n_x);
    assert_ok(f, sprint_model_outputs(model, theta, batch.x, N_LARGE, outputs[t]));
    assert_ok(f, sprint_shift_respond(shift, theta, who, N_LARGE, answers[t]));
    assert_true(r[t].loss == r[0].loss && r[t].correct == r[0].correct);
    assert_memory_equal(r[t].gradient, r[0].gradient, r[0].n_params * sizeof(sprint_real));
    assert_memory_equal(r[t].gradient_x, r[0].gradient_x, r[0].n_x * sizeof(sprint_real));
    assert_memory_equal(outputs[t], outputs[0], N_LARGE * sizeof(sprint_real));
    assert_memory_equal(answers[t], answers[0], r[0].n_x * sizeof(sprint_real));
  }
  for (int t = 0; t < 3; t++) {
    results_clear(&r[t]);
    free(outputs[t]);
    free(answers[t]);
  }
  assert_ok(f, sprint_context_set_threads(f->context, 0));
  free(who);
  free(theta);
  sprint_shift_free(shift);
  sprint_model_free(model);
  sprint_population_free(people);
}

/* Equal to the bit too: the pair is the same work. */
static void check_pair(struct fixture *f, const char *spec, size_t n, size_t d, size_t n_classes, bool moved) {
  sprint_population *people = new_people(f, n, d, n_classes);
  sprint_model *model = new_model(f, people, spec);
  size_t n_params = sprint_model_n_params(model), size = n_params * sizeof(sprint_real);
  sprint_real *theta_a = new_noise(23, n_params), *theta_b = new_noise(24, n_params), *x_b = new_noise(25, n * d);
  sprint_real *gradient_a = new_reals(n_params), *gradient_b = new_reals(n_params);
  sprint_batch batch = everybody(people), batch_b = {sizeof batch_b, n, moved ? x_b : batch.x, batch.y};
  double loss_a = 0;
  struct results a = results_of(f, model, theta_a, &batch), b = results_of(f, model, theta_b, &batch_b);
  assert_ok(f, sprint_model_gradient_pair(model, &batch, theta_a, theta_b, moved ? x_b : NULL, &loss_a, gradient_a,
                                          gradient_b));
  assert_true(loss_a == a.loss);
  assert_memory_equal(gradient_a, a.gradient, size);
  assert_memory_equal(gradient_b, b.gradient, size);
  assert_true(memcmp(gradient_a, gradient_b, size) != 0);
  results_clear(&a);
  results_clear(&b);
  free(theta_a);
  free(theta_b);
  free(x_b);
  free(gradient_a);
  free(gradient_b);
  sprint_model_free(model);
  sprint_population_free(people);
}

static void test_model__pair_equals_two_gradients(void **state) {
  static const char mlp[] = "{layers: 'dense 6, gelu, dense 3', loss: softmax, l2: 0.1}";
  check_pair(*state, mlp, 9, 4, 3, false);
  check_pair(*state, mlp, 9, 4, 3, true);
  check_pair(*state, "{loss: mean}", 9, 4, 0, true);
  check_pair(*state, large, N_LARGE, D_LARGE, 2, true);
}

/* l2/2 of the squared weights, and of the biases where told; theta by its layout, 4-3-1. */
static double penalty_of(const sprint_real *theta, bool weights, bool biases) {
  double sum = 0;
  for (size_t j = 0; j < 19; j++) {
    bool bias = (j >= 12 && j < 15) || j == 18;
    if (bias ? biases : weights) sum += (double)theta[j] * (double)theta[j];
  }
  return 0.3 / 2 * sum;
}

static void test_model__penalty_takes_biases_only_if_told(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_people(f, 5, 4, 0);
  static const char *const specs[] = {"{layers: 'dense 3, tanh, dense 1', loss: squared}",
                                      "{layers: 'dense 3, tanh, dense 1', loss: squared, l2: 0.3}",
                                      "{layers: 'dense 3, tanh, dense 1', loss: squared, l2: 0.3, l2_biases: true}"};
  double loss[3], x_sum[3] = {0};
  sprint_real *theta = new_noise(26, 19);
  sprint_batch batch = everybody(people);
  for (size_t i = 0; i < 3; i++) {
    sprint_model *model = new_model(f, people, specs[i]);
    struct results r = results_of(f, model, theta, &batch);
    loss[i] = r.loss;
    for (size_t j = 0; j < r.n_x; j++) x_sum[i] += (double)r.gradient_x[j];
    results_clear(&r);
    sprint_model_free(model);
  }
  /* Sums of a few tens of numbers below 1, in double in both builds. */
  assert_true(fabs(loss[1] - loss[0] - penalty_of(theta, true, false)) < 1e-14);
  assert_true(fabs(loss[2] - loss[0] - penalty_of(theta, true, true)) < 1e-14);
  assert_true(x_sum[1] == x_sum[0] && x_sum[2] == x_sum[0]);
  free(theta);
  sprint_population_free(people);
}

/* Of several outputs the largest is the class said; of one, its sign. */
static bool says(const sprint_real *outputs, size_t n_outputs, size_t label) {
  if (n_outputs == 1) return (outputs[0] > 0) == (label == 1);
  for (size_t j = 0; j < n_outputs; j++)
    if (outputs[j] > outputs[label]) return false;
  return true;
}

static void check_correct(struct fixture *f, const char *spec, size_t n_classes) {
  sprint_population *people = new_people(f, 60, 4, n_classes);
  sprint_model *model = new_model(f, people, spec);
  size_t k = sprint_model_n_outputs(model), correct = 0, expected = 0;
  sprint_real *theta = new_noise(29, sprint_model_n_params(model)), *outputs = new_reals(60 * k);
  sprint_batch batch = everybody(people);
  assert_ok(f, sprint_model_outputs(model, theta, batch.x, 60, outputs));
  for (size_t i = 0; i < 60; i++) expected += says(outputs + i * k, k, (size_t)batch.y[i]);
  assert_in_range(expected, 1, 59);
  assert_true(2 * expected != 60); /* or the wrong rows would be as many */
  assert_ok(f, sprint_model_gradient(model, theta, &batch, NULL, &correct, NULL, NULL));
  assert_int_equal(correct, expected);
  free(theta);
  free(outputs);
  sprint_model_free(model);
  sprint_population_free(people);
}

static void test_model__counts_rows_right(void **state) {
  check_correct(*state, "{layers: dense 3, loss: softmax}", 3);
  check_correct(*state, "{layers: dense 2, loss: softmax}", 2);
  check_correct(*state, "{layers: dense 1, loss: logistic}", 2);
  check_correct(*state, "{layers: dense 1, loss: {kind: sigmoid, c: 2}}", 2);
}

/* A NaN anywhere in theta reaches the loss: no activation swallows it, or a diverged run would look alive. */
static void test_model__nan_reaches_the_loss(void **state) {
  static const char *const activations[] = {"relu", "tanh", "sigmoid", "softplus", "gelu"};
  struct fixture *f = *state;
  sprint_population *people = new_people(f, 6, 4, 2);
  sprint_batch batch = everybody(people);
  for (size_t i = 0; i < SPRINT__COUNT(activations); i++) {
    char spec[96];
    snprintf(spec, sizeof spec, "{layers: 'dense 3, %s, dense 1', loss: logistic}", activations[i]);
    sprint_model *model = new_model(f, people, spec);
    size_t n = sprint_model_n_params(model);
    sprint_real *theta = new_noise(28, n);
    for (size_t j = 0; j < n; j++) {
      const sprint_real kept = theta[j];
      double loss = 0;
      theta[j] = (sprint_real)NAN;
      assert_ok(f, sprint_model_gradient(model, theta, &batch, &loss, NULL, NULL, NULL));
      if (!isnan(loss)) fail_msg("%s: theta[%zu] is NaN and the loss is %g", activations[i], j, loss);
      theta[j] = kept;
    }
    free(theta);
    sprint_model_free(model);
  }
  sprint_population_free(people);
}

static void test_model__refuses_an_empty_batch(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_people(f, 5, 4, 2);
  sprint_model *model = new_model(f, people, "{layers: dense 1, loss: logistic}");
  sprint_real theta[5] = {0}, gradient[5];
  const sprint_batch empty = {sizeof empty, 0, sprint_population_x(people), sprint_population_y(people)};
  assert_failed(f, sprint_model_gradient(model, theta, &empty, NULL, NULL, gradient, NULL), SPRINT_ERROR_ARGUMENT,
                "the batch is empty: at least one row was expected");
  assert_failed(f, sprint_model_gradient_pair(model, &empty, theta, theta, NULL, NULL, gradient, gradient),
                SPRINT_ERROR_ARGUMENT, "the batch is empty");
  sprint_model_free(model);
  sprint_model_free(NULL);
  sprint_population_free(people);
}

/* Losses and gradients of softmax over few classes and many, with room for their exponentials and without. Oracle: the
 * definition, in double, from the outputs. A sum of k exponentials, each within 10 roundings, takes k / 4 additions in
 * a row where 4 are added at a time: its logarithm is off by as many roundings, and a probability, which is at most 1,
 * by no more. */
static void test_model__softmax_over_many_classes(void **state) {
  struct fixture *f = *state;
  static const size_t counts[] = {2, 7, 8, 9, 16, 23, 32, 33, 1100}, batches[] = {60, 5, 3};
  for (size_t c = 0; c < SPRINT__COUNT(counts) * SPRINT__COUNT(batches); c++) {
    enum { D = 3 };
    size_t k = counts[c / SPRINT__COUNT(batches)], n = batches[c % SPRINT__COUNT(batches)];
    double tolerance = ((double)k / 4 + 20) * (sizeof(sprint_real) == 8 ? 2.3e-16 : 1.2e-7);
    char spec[64];
    snprintf(spec, sizeof spec, "{layers: dense %zu, loss: softmax}", k);
    sprint_population *people = new_people(f, k > n ? k : n, D, k);
    sprint_model *model = new_model(f, people, spec);
    size_t n_params = sprint_model_n_params(model);
    sprint_real *theta = new_noise(31, n_params), *outputs = new_reals(n * k), *gradient = new_reals(n_params);
    sprint_batch batch = {
        .size = sizeof batch, .n = n, .x = sprint_population_x(people), .y = sprint_population_y(people)};
    double *biases = calloc(k, sizeof *biases), expected = 0, losses[2];
    assert_ok(f, sprint_model_outputs(model, theta, batch.x, n, outputs));
    for (size_t i = 0; i < n; i++) {
      const sprint_real *row = outputs + i * k;
      double sum = 0;
      for (size_t j = 0; j < k; j++) sum += exp((double)row[j]);
      for (size_t j = 0; j < k; j++) biases[j] += (exp((double)row[j]) / sum - (j == (size_t)batch.y[i])) / (double)n;
      expected += (log(sum) - (double)row[(size_t)batch.y[i]]) / (double)n;
    }
    assert_ok(f, sprint_model_gradient(model, theta, &batch, &losses[0], NULL, NULL, NULL));
    assert_ok(f, sprint_model_gradient(model, theta, &batch, &losses[1], NULL, gradient, NULL));
    for (int with = 0; with < 2; with++)
      if (!(fabs(losses[with] - expected) <= tolerance))
        fail_msg("%zu classes: %.17g, %.17g", k, losses[with], expected);
    for (size_t j = 0; j < k; j++) /* the biases come last */
      if (!(fabs((double)gradient[n_params - k + j] - biases[j]) <= tolerance)) fail_msg("%zu classes, bias %zu", k, j);
    free(biases);
    free(theta);
    free(outputs);
    free(gradient);
    sprint_model_free(model);
    sprint_population_free(people);
  }
}

/* Sums over rows start .. end of a batch; the gradient is n_params new reals. */
static sprint_real *gradient_over(sprint_model *model, const sprint_real *theta, const sprint_batch *batch,
                                  size_t start, size_t end) {
  struct sprint__rows rows = {.n = end - start, .x = batch->x + start * model->n_features, .y = batch->y + start};
  struct sprint__sums sums = {0, 0, new_reals(model->n_params)};
  sprint__model_sums(model, theta, &rows, &sums, NULL);
  return sums.gradient;
}

/* Too few rows for two lanes of 16, and enough work for two: each half by itself is one lane, and the whole is what
 * they add up to in double, to the bit, whether another thread has one of them or not. */
static void test_model__few_rows_in_two_lanes(void **state) {
  struct fixture *f = *state;
  enum { ROWS = 26, HALF = ROWS / 2 };
  sprint_population *people = new_people(f, ROWS, 40, 2);
  sprint_model *model = new_model(f, people, "{layers: 'dense 96, tanh, dense 48, relu, dense 1', loss: logistic}");
  sprint_real *theta = new_noise(5, model->n_params);
  sprint_batch batch = everybody(people);
  for (int n_threads = 1; n_threads <= 2; n_threads++) {
    assert_ok(f, sprint_context_set_threads(f->context, n_threads));
    sprint_real *first = gradient_over(model, theta, &batch, 0, HALF);
    sprint_real *second = gradient_over(model, theta, &batch, HALF, ROWS);
    sprint_real *whole = gradient_over(model, theta, &batch, 0, ROWS);
    for (size_t i = 0; i < model->n_params; i++) {
      sprint_real sum = (sprint_real)((double)first[i] + (double)second[i]);
      assert_memory_equal(&whole[i], &sum, sizeof sum);
    }
    free(first);
    free(second);
    free(whole);
  }
  assert_ok(f, sprint_context_set_threads(f->context, 1));
  free(theta);
  sprint_model_free(model);
  sprint_population_free(people);
}

/* Every allocation of a new model fails once; ASan finds what is then left behind. */
static void test_model__survives_failed_allocations(void **state) {
  struct fixture *f = *state;
  static const char *const specs[] = {"{layers: 'dense 3, relu, dense 1', loss: {kind: sigmoid, c: 2}}",
                                      "{loss: mean}"};
  sprint_population *people = new_people(f, 5, 4, 2);
  for (size_t i = 0; i < SPRINT__COUNT(specs); i++) {
    sprint_model *model = NULL;
    for (int64_t k = 0; !model; k++) {
      f->context->n_allocations = 0;
      f->context->fail_allocation = k;
      sprint_status status = sprint_model_new(f->context, specs[i], people, &model);
      assert_int_equal(status, model ? SPRINT_OK : SPRINT_ERROR_MEMORY);
    }
    f->context->fail_allocation = -1;
    sprint_model_free(model);
  }
  sprint_population_free(people);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_model__lanes_equal_the_sum_over_rows),
      cmocka_unit_test(test_model__few_rows_in_two_lanes),
      cmocka_unit_test(test_model__threads_change_nothing),
      cmocka_unit_test(test_model__pair_equals_two_gradients),
      cmocka_unit_test(test_model__penalty_takes_biases_only_if_told),
      cmocka_unit_test(test_model__counts_rows_right),
      cmocka_unit_test(test_model__softmax_over_many_classes),
      cmocka_unit_test(test_model__nan_reaches_the_loss),
      cmocka_unit_test(test_model__refuses_an_empty_batch),
      cmocka_unit_test(test_model__survives_failed_allocations),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
