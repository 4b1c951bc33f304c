/* The score that individuals want higher, as the strategic shift uses it. Oracle: central differences of a score made
 * here from the network's outputs. */
#include "test_model_help.h"

enum { N = 35, D = 4, MOST_CLASSES = 33 };

struct score {
  struct fixture *f;
  sprint_model *model;
  sprint_real *theta, x[D];
  double sharpness; /* log-odds of class 1 = sharpness x output, of one output */
  size_t n_outputs, good;
  bool probability, regression;
  double sign;
};

static double log_odds(const struct score *s, const sprint_real *outputs) {
  if (s->n_outputs == 1) return (s->good == 1 ? 1 : -1) * s->sharpness * (double)outputs[0];
  double others = 0;
  for (size_t j = 0; j < s->n_outputs; j++)
    if (j != s->good) others += exp((double)outputs[j]);
  return (double)outputs[s->good] - log(others);
}

static double score_value(void *user) {
  struct score *s = user;
  sprint_real outputs[MOST_CLASSES];
  assert_ok(s->f, sprint_model_outputs(s->model, s->theta, s->x, 1, outputs));
  double odds = log_odds(s, outputs);
  return s->sign * (s->probability ? 1 / (1 + exp(-odds)) : odds);
}

/* The response of everybody less the base record, column by column; x0 and x2 stay where only x1 and x3 can move. */
static void check_response(struct score *s, const sprint_population *people, const sprint_real *answer, bool subset) {
  const struct probe probe = {score_value, NULL, s};
  const sprint_real *base = sprint_population_x(people);
  for (size_t i = 0; i < N; i++) {
    memcpy(s->x, base + i * D, sizeof s->x);
    for (size_t k = 0; k < D; k++) {
      double moved = (double)answer[i * D + k] - (double)base[i * D + k];
      if (subset && k % 2 == 0) {
        assert_true(moved == 0);
        continue;
      }
      struct slope slope = central_difference(&probe, &s->x[k]);
      if (!(fabs(moved - slope.value) <= slope.tolerance))
        fail_msg("row %zu, feature %zu: moved %.17g, by differences %.17g, tolerance %.3g", i, k, moved, slope.value,
                 slope.tolerance);
    }
  }
}

static void check_shift(struct score *s, const sprint_population *people, bool subset) {
  char spec[160], good[32] = "";
  if (s->regression)
    snprintf(good, sizeof good, ", good: %s", s->good ? "higher" : "lower");
  else
    snprintf(good, sizeof good, ", good: %zu", s->good);
  snprintf(spec, sizeof spec, "{kind: strategic, alpha: 1, score: %s%s, sign: '%c'%s}",
           s->probability ? "probability" : "logit", good, s->sign < 0 ? '-' : '+',
           subset ? ", columns: [x3, x1]" : "");
  sprint_shift *shift = NULL;
  assert_ok(s->f, sprint_shift_new(s->f->context, spec, s->model, people, &shift));
  uint32_t who[N];
  sprint_real answer[N * D];
  for (uint32_t i = 0; i < N; i++) who[i] = i;
  assert_ok(s->f, sprint_shift_respond(shift, s->theta, who, N, answer));
  check_response(s, people, answer, subset);
  sprint_shift_free(shift);
}

/* Both scores, both signs, every good class, all columns and some. */
static void check_score(struct fixture *f, const char *loss, size_t n_classes, size_t n_outputs, double sharpness) {
  sprint_population *people = new_people(f, N, D, n_classes);
  char spec[160];
  snprintf(spec, sizeof spec, "{layers: 'dense 5, tanh, dense %zu', loss: %s}", n_outputs, loss);
  struct score s = {.f = f, .model = new_model(f, people, spec), .sharpness = sharpness, .n_outputs = n_outputs};
  s.theta = new_noise(13, sprint_model_n_params(s.model));
  for (s.good = 0; s.good < n_classes; s.good++)
    for (int way = 0; way < 8; way++) {
      s.probability = way & 1;
      s.sign = way & 2 ? -1 : 1;
      check_shift(&s, people, way & 4);
    }
  free(s.theta);
  sprint_model_free(s.model);
  sprint_population_free(people);
}

static void test_model__score_of_logistic(void **state) { check_score(*state, "logistic", 2, 1, 1); }
static void test_model__score_of_sigmoid(void **state) { check_score(*state, "{kind: sigmoid, c: 1.7}", 2, 1, 1.7); }
static void test_model__score_of_softmax_2(void **state) { check_score(*state, "softmax", 2, 2, 0); }
static void test_model__score_of_softmax_3(void **state) { check_score(*state, "softmax", 3, 3, 0); }
static void test_model__score_of_softmax_33(void **state) { check_score(*state, "softmax", 33, 33, 0); }

/* The score of a regression is its output, or minus that; it has no probability, and no class that could be the good
 * one. */
static void test_model__score_of_a_regression(void **state) {
  struct fixture *f = *state;
  sprint_population *people = new_people(f, N, D, 0);
  struct score s = {.f = f, .sharpness = 1, .n_outputs = 1, .good = 1, .sign = -1, .regression = true};
  s.model = new_model(f, people, "{layers: 'dense 5, tanh, dense 1', loss: squared}");
  s.theta = new_noise(13, sprint_model_n_params(s.model));
  for (int way = 0; way < 4; way++) {
    s.good = way & 1;
    s.sign = way & 2 ? -1 : 1;
    check_shift(&s, people, false);
  }
  sprint_shift *shift = NULL;
  assert_failed(
      f, sprint_shift_new(f->context, "{kind: strategic, good: higher, score: probability}", s.model, people, &shift),
      SPRINT_ERROR_INPUT, "'probability' needs a loss of classes");
  assert_failed(f, sprint_shift_new(f->context, "{kind: strategic, good: 0}", s.model, people, &shift),
                SPRINT_ERROR_INPUT, "key 'shift.good': '0' is not what a value can be; higher or lower was expected");
  assert_failed(f, sprint_shift_new(f->context, "{kind: strategic, good: nonsense}", s.model, people, &shift),
                SPRINT_ERROR_INPUT, "'nonsense' is not what a value can be");
  assert_failed(f, sprint_shift_new(f->context, "strategic", s.model, people, &shift), SPRINT_ERROR_INPUT,
                "do people want the model's value of 'y' to be higher or lower?");
  assert_null(shift);
  free(s.theta);
  sprint_model_free(s.model);
  sprint_population_free(people);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_model__score_of_logistic),   cmocka_unit_test(test_model__score_of_sigmoid),
      cmocka_unit_test(test_model__score_of_softmax_2),  cmocka_unit_test(test_model__score_of_softmax_3),
      cmocka_unit_test(test_model__score_of_softmax_33), cmocka_unit_test(test_model__score_of_a_regression),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
