/* Weights: whoever stands for k people is k people. The oracle is a population in which everybody is there as often as
 * their weight says; draws are held against the weights by adding up the alias tables. */
#include "help.h"

#include "base/random.h"
#include "engine/pass.h"
#include "engine/sampler.h"
#include "population/weights.h"

enum { PEOPLE = 60, FEATURES = 4, CLASSES = 3, MOST = 5 * PEOPLE };

/* A population of arrays: weighted, or with everybody repeated. */
struct crowd {
  sprint_real x[MOST * FEATURES], y[MOST];
  double weights[MOST];
  size_t n;
};

static double weight_of(size_t i) { return (double)(i * 7 % 5); } /* 0 .. 4 */

static void crowd_fill(struct crowd *crowd, bool repeated) {
  crowd->n = 0;
  for (size_t i = 0; i < PEOPLE; i++)
    for (size_t copy = 0; copy < (repeated ? (size_t)weight_of(i) : 1); copy++) {
      for (size_t j = 0; j < FEATURES; j++) {
        struct sprint__random words = sprint__random_words(5, SPRINT__FOR_PEOPLE, i, (uint32_t)j);
        crowd->x[crowd->n * FEATURES + j] = (sprint_real)(sprint__normal(&words) + (j == i % CLASSES ? 1 : 0));
      }
      crowd->y[crowd->n] = (sprint_real)(i % CLASSES);
      crowd->weights[crowd->n++] = repeated ? 1 : weight_of(i);
    }
}

static struct world crowd_world(bool repeated, const char *shift) {
  static struct crowd crowd;
  struct world w = {0};
  crowd_fill(&crowd, repeated);
  assert_int_equal(sprint_context_new(&w.context), SPRINT_OK);
  MUST(w.context, sprint_population_new(w.context, crowd.n, FEATURES, crowd.x, crowd.y, CLASSES, &w.population));
  if (!repeated) MUST(w.context, sprint_population_weigh(w.population, crowd.weights));
  MUST(w.context, sprint_model_new(w.context, "{layers: 'dense 5, tanh, dense 3', loss: softmax, l2: 0.1}",
                                   w.population, &w.model));
  MUST(w.context, sprint_shift_new(w.context, shift, w.model, w.population, &w.shift));
  return w;
}

static const char *const shifts[] = {
    "none",
    "{kind: strategic, alpha: 0.4, good: '0'}",
    "{kind: retention, alpha: 2}",
    "{kind: retention, alpha: 2, losses: probe, probe: 1000}",
    "{kind: replicator, eta: 0.5}",
    "{kind: both, response: {kind: strategic, alpha: 0.4, good: '0'}, strata: {kind: retention, alpha: 2}}",
};

/* J, its gradient, accuracy and p; sums of up to 120 numbers of order 1 in another order: some tens of roundings. */
static void test_weights__stand_for_people(void **state) {
  (void)state;
  for (size_t s = 0; s < SPRINT__COUNT(shifts); s++) {
    struct world a = crowd_world(false, shifts[s]), b = crowd_world(true, shifts[s]);
    size_t n = a.model->n_params;
    sprint_real theta[100], deployed[100];
    double loss[2], accuracy[2], gradient[2][100], p[2][CLASSES];
    assert_true(n <= 100);
    MUST(a.context, sprint_model_start(a.model, 1, theta));
    MUST(a.context, sprint_model_start(a.model, 2, deployed));
    MUST(a.context, sprint_risk(a.shift, theta, deployed, &loss[0], &accuracy[0], gradient[0]));
    MUST(b.context, sprint_risk(b.shift, theta, deployed, &loss[1], &accuracy[1], gradient[1]));
    MUST(a.context, sprint_shift_strata(a.shift, deployed, p[0]));
    MUST(b.context, sprint_shift_strata(b.shift, deployed, p[1]));
    CLOSE(loss[0], loss[1], 60);
    CLOSE(accuracy[0], accuracy[1], 60);
    for (size_t k = 0; k < n; k++) CLOSE(gradient[0][k], gradient[1][k], 60);
    for (size_t c = 0; c < CLASSES; c++) CLOSE(p[0][c], p[1][c], 60);
    world_free(&a);
    world_free(&b);
  }
}

/* Methods without chance go the same way, rows of the trace included. Ten steps at a size of 0.3 enlarge the roundings
 * of each by no more than some tens. perfgd takes differences of the response, whose own error is 4e-11 in double
 * precision and 2e-5 in single (shift_strategic.c), and depends on who is in a piece. */
static void test_weights__leave_methods_the_same(void **state) {
  (void)state;
  static const char *const specs[] = {
      "{method: rgd, step: {size: 0.3}, stop: {steps: 10}}",
      "{method: {kind: rrm, inner_solver: gradient, steps: 3, size: 0.3}, stop: {steps: 3}}",
      "{method: perfgd-full, step: {size: 0.3}, stop: {steps: 10}}",
  };
  for (size_t s = 0; s < SPRINT__COUNT(shifts); s++)
    for (size_t m = 0; m < SPRINT__COUNT(specs); m++) {
      struct world a = crowd_world(false, shifts[s]), b = crowd_world(true, shifts[s]);
      if (m == 2 && !sprint__shift_pulls(a.shift)) {
        world_free(&a);
        world_free(&b);
        continue;
      }
      sprint_run *one = run_done(&a, specs[m], 1), *other = run_done(&b, specs[m], 1);
      double eps = m == 2 && sizeof(sprint_real) == 8 ? 2e6 : 2000;
      const sprint_trace_row *left = last_row(one), *right = last_row(other);
      for (size_t k = 0; k < a.model->n_params; k++) CLOSE(sprint_run_theta(one)[k], sprint_run_theta(other)[k], eps);
      CLOSE(left->loss, right->loss, eps);
      CLOSE(left->loss_base, right->loss_base, eps);
      CLOSE(left->gradient_sq, right->gradient_sq, eps);
      CLOSE(left->displacement, right->displacement, eps);
      CLOSE(left->entropy, right->entropy, eps);
      sprint_run_free(one);
      sprint_run_free(other);
      world_free(&a);
      world_free(&b);
    }
}

/* Over the places of a stratum's alias table, everybody's probability is their share of its people. */
static void test_weights__alias_tables_add_up(void **state) {
  (void)state;
  struct world w = crowd_world(false, "none");
  const sprint_population *p = w.population;
  double likely[PEOPLE] = {0};
  for (size_t c = 0; c < CLASSES; c++) {
    size_t start = p->stratum_start[c], end = p->stratum_start[c + 1];
    for (size_t k = start; k < end; k++) {
      assert_true(p->aliases[k].own >= 0 && p->aliases[k].own <= 1 + 1e-12);
      likely[p->aliases[k].self] += p->aliases[k].own / (double)(end - start);
      likely[p->aliases[k].other] += (1 - p->aliases[k].own) / (double)(end - start);
    }
  }
  for (size_t i = 0; i < PEOPLE; i++)
    assert_true(fabs(likely[i] - weight_of(i) / p->stratum_size[i % CLASSES]) < 1e-14);
  world_free(&w);
}

/* Draws: nobody of weight 0, and everybody as often as they should be, within 5 standard deviations of the count. */
static void test_weights__draws(void **state) {
  (void)state;
  enum { DRAWS = 200000 };
  static uint32_t who[DRAWS];
  struct world w = crowd_world(false, "none");
  const double half[CLASSES] = {0.5, 0.5, 0};
  for (int by_strata = 0; by_strata < 2; by_strata++) {
    struct sprint__draws draws = {9, 0, SPRINT__FOR_DRAWS, 0};
    double counts[PEOPLE] = {0};
    sprint__sampler_draw(w.population, by_strata ? half : NULL, &draws, DRAWS, who);
    for (size_t k = 0; k < DRAWS; k++) counts[who[k]]++;
    for (size_t i = 0; i < PEOPLE; i++) {
      double p = by_strata ? half[i % CLASSES] * weight_of(i) / w.population->stratum_size[i % CLASSES]
                           : weight_of(i) / w.population->n_people;
      assert_true(fabs(counts[i] - p * DRAWS) <= 5 * sqrt(p * (1 - p) * DRAWS));
    }
  }
  world_free(&w);
}

/* The model's own sums, row by row, and a callback's. */
static double callback_loss(const sprint_real *theta, const sprint_real *x, sprint_real y) {
  double away = (double)theta[0] * (double)x[0] + (double)theta[1] - (double)y;
  return away * away / 2;
}

static void callback(void *user, const sprint_real *theta, const sprint_real *x, const sprint_real *y, size_t n,
                     double *ret_loss, sprint_real *ret_gradient) {
  (void)user;
  for (size_t i = 0; i < n; i++) {
    const sprint_real *row = x + i * FEATURES;
    *ret_loss += callback_loss(theta, row, y[i]);
    sprint_real away = theta[0] * row[0] + theta[1] - y[i];
    if (ret_gradient) ret_gradient[0] += away * row[0];
    if (ret_gradient) ret_gradient[1] += away;
  }
}

static void test_weights__of_a_models_sums(void **state) {
  (void)state;
  static struct crowd crowd;
  struct world w = crowd_world(false, "none");
  crowd_fill(&crowd, false);
  sprint_model *own = NULL;
  sprint_model_callbacks callbacks = {
      .size = sizeof callbacks, .n_params = 2, .n_features = FEATURES, .gradient = callback};
  MUST(w.context, sprint_model_new_custom(w.context, &callbacks, &own));
  sprint_model *const models[] = {w.model, own};
  for (size_t m = 0; m < 2; m++) {
    size_t n = models[m]->n_params;
    sprint_real theta[100], gradient[100], one[100];
    double sum[100] = {0}, loss = 0, correct = 0;
    for (size_t k = 0; k < n; k++) theta[k] = (sprint_real)(0.1 * (double)(k % 7) - 0.3);
    struct sprint__rows rows = {.n = PEOPLE, .x = crowd.x, .y = crowd.y, .weight = crowd.weights};
    struct sprint__sums sums = {0, 0, gradient};
    sprint__model_sums(models[m], theta, &rows, &sums, NULL);
    for (size_t i = 0; i < PEOPLE; i++) {
      struct sprint__rows row = {.n = 1, .x = crowd.x + i * FEATURES, .y = crowd.y + i};
      struct sprint__sums single = {0, 0, one};
      sprint__model_sums(models[m], theta, &row, &single, NULL);
      loss += weight_of(i) * single.loss;
      correct += weight_of(i) * single.correct;
      for (size_t k = 0; k < n; k++) sum[k] += weight_of(i) * (double)one[k];
    }
    CLOSE(sums.loss, loss, 60);
    CLOSE(sums.correct, correct, 60);
    for (size_t k = 0; k < n; k++) CLOSE(gradient[k], sum[k], 200); /* 120 numbers, which cancel */
  }
  sprint_model_free(own);
  world_free(&w);
}

static void test_weights__of_classes(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, n: 3000, holdout: 0.2, class_weights: balanced}",
                             "{layers: 'dense 1', loss: logistic}", "none");
  const sprint_population *p = w.population;
  assert_true(fabs(p->base_p[0] - 0.5) < 1e-12 && fabs(p->base_p[1] - 0.5) < 1e-12);
  assert_true(fabs(p->n_people - (double)p->n) < 1e-9);
  const double *train = sprint_population_weights(p), *held = sprint_population_weights(w.heldout);
  for (size_t c = 0; c < 2; c++)
    assert_true(train[p->by_stratum[p->stratum_start[c]]] == held[w.heldout->by_stratum[w.heldout->stratum_start[c]]]);
  sprint_population *other = NULL;
  MUST(w.context, sprint_population_load(w.context, "{kind: lending, n: 3000, class_weights: {'1': 4}}", &other, NULL));
  double n_0 = (double)other->stratum_start[1], n_1 = (double)other->n - n_0;
  assert_true(fabs(other->base_p[1] - 4 * n_1 / (n_0 + 4 * n_1)) < 1e-15);
  sprint_population_free(other);
  REFUSED(w.context, SPRINT_ERROR_INPUT, "key 'data.class_weights': 'bad' is not a class of the data",
          sprint_population_load(w.context, "{kind: lending, n: 3000, class_weights: {bad: 4}}", &other, NULL));
  sprint_shift *shift = NULL;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "data.class_weights would change nothing",
          sprint_shift_new(w.context, "retention", w.model, w.population, &shift));
  world_free(&w);
}

static void test_weights__are_checked(void **state) {
  (void)state;
  struct world w = crowd_world(false, "none");
  double weights[PEOPLE];
  for (size_t i = 0; i < PEOPLE; i++) weights[i] = 1;
  weights[7] = -1;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "row 7: the weight -1", sprint_population_weigh(w.population, weights));
  weights[7] = NAN;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "row 7: the weight", sprint_population_weigh(w.population, weights));
  for (size_t i = 0; i < PEOPLE; i++) weights[i] = i % CLASSES == 2 ? 0 : 1;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "class 2: all weights are 0", sprint_population_weigh(w.population, weights));
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "NULL was given for `weights`",
          sprint_population_weigh(w.population, NULL));
  assert_true(sprint_population_weights(w.population)[7] == weight_of(7)); /* what was refused has changed nothing */
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weights__stand_for_people),    cmocka_unit_test(test_weights__leave_methods_the_same),
      cmocka_unit_test(test_weights__alias_tables_add_up), cmocka_unit_test(test_weights__draws),
      cmocka_unit_test(test_weights__of_a_models_sums),    cmocka_unit_test(test_weights__of_classes),
      cmocka_unit_test(test_weights__are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
