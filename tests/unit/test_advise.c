/* Which method: the rule of docs/methods.md, case by case, and what is seen of a config. */
#include <string.h>

#include "experiment_help.h"

static const sprint_problem usual = {.size = sizeof usual, .moves = true, .n = 100000, .batch = 64, .n_params = 1000};

static sprint_advice advise(sprint_context *context, sprint_problem problem) {
  sprint_advice advice = {.size = sizeof advice};
  MUST(context, sprint_advise(context, &problem, &advice));
  assert_true(strlen(advice.because) > 20 && strlen(advice.instead) > 20);
  return advice;
}

static void test_advise__by_the_rule(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_problem problem = usual;
  assert_string_equal(advise(context, problem).method, "sprint");
  problem.moves = false;
  assert_string_equal(advise(context, problem).method, "sgd"); /* nobody reacts */
  problem.reweights = true;
  assert_string_equal(advise(context, problem).method, "sprint");
  problem.batch = problem.n / 4;
  assert_string_equal(advise(context, problem).method, "rgd");
  problem.few_deployments = true;
  assert_string_equal(advise(context, problem).method, "sprint");
  assert_string_equal(advise(context, problem).deploy, "{kind: every, steps: 0}");
  problem.endless = true;
  assert_string_equal(advise(context, problem).method, "{kind: sprint, snapshot: growing, inner: 1000}");
  sprint_context_free(context);
}

static void test_advise__sees_the_problem(void **state) {
  (void)state;
  static const struct {
    const char *rest;
    sprint_problem expected;
  } cases[] = {
      {"shift: none", {.n = 500, .batch = 64, .n_params = 11}},
      {"shift: {kind: strategic, good: '1'}", {.moves = true, .n = 500, .batch = 64, .n_params = 11}},
      {"shift: {kind: strategic, good: '1'}\nmethod: {correction: paper}",
       {.moves = true, .biased = true, .n = 500, .batch = 64, .n_params = 11}},
      {"shift: {kind: strategic, good: '1'}\nmethod: {correction: coupled}",
       {.moves = true, .n = 500, .batch = 64, .n_params = 11}},
      {"shift: retention\nmethod: {kind: sarah, correction: coupled}",
       {.reweights = true, .biased = true, .n = 500, .batch = 64, .n_params = 11}},
      {"shift: none\nmethod: {correction: paper}", {.n = 500, .batch = 64, .n_params = 11}},
      {"shift: retention", {.reweights = true, .n = 500, .batch = 64, .n_params = 11}},
      {"method: {batch: 7}\ndeploy: {kind: every, steps: 3}",
       {.few_deployments = true, .n = 500, .batch = 7, .n_params = 11}},
      {"stop: {epochs: 0, deployments: 20}", {.few_deployments = true, .n = 500, .batch = 64, .n_params = 11}},
  };
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[400];
    snprintf(text, sizeof text, "data: {kind: lending, n: 500}\nmodel: {layers: dense 1, loss: logistic}\n%s\n",
             cases[i].rest);
    sprint_experiment *experiment = experiment_of(context, text);
    sprint_problem problem = {.size = sizeof problem};
    MUST(context, sprint_experiment_problem(experiment, 0, 0, &problem));
    const sprint_problem *expected = &cases[i].expected;
    assert_true(problem.moves == expected->moves && problem.reweights == expected->reweights);
    assert_true(problem.few_deployments == expected->few_deployments && !problem.endless);
    assert_true(problem.n == expected->n && problem.batch == expected->batch);
    assert_true(problem.n_params == expected->n_params && problem.biased == expected->biased);
    sprint_experiment_free(experiment);
  }
  sprint_context_free(context);
}

/* What is advised can be written into a config as it is. */
static void test_advise__is_a_config(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (int k = 0; k < 16; k++) {
    sprint_problem problem = usual;
    problem.moves = k & 1;
    problem.endless = k & 2;
    problem.few_deployments = k & 4;
    if (k & 8) problem.n = 100;
    sprint_advice advice = advise(context, problem);
    char text[600];
    snprintf(text, sizeof text, "data: {kind: lending%s}\nmethod: %s\n%s%s\n",
             problem.endless ? ", endless: true" : ", n: 100", advice.method, *advice.deploy ? "deploy: " : "",
             advice.deploy);
    sprint_experiment_free(experiment_of(context, text));
  }
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_advise__by_the_rule),
      cmocka_unit_test(test_advise__sees_the_problem),
      cmocka_unit_test(test_advise__is_a_config),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
