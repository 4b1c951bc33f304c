/* The largest stable step, where it is known: on the mean test bed theta - gamma (1 - epsilon) e shrinks while
 * gamma (1 - epsilon) < 2, whatever the method and the draws. */
#include "help.h"

static sprint_experiment *experiment_of(sprint_context *context, const char *text) {
  char path[] = "/tmp/sprint-test-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  FILE *stream = fdopen(file, "w");
  fputs(text, stream);
  assert_int_equal(fclose(stream), 0);
  sprint_experiment *experiment = NULL;
  sprint_status status = sprint_experiment_load(context, path, NULL, 0, &experiment);
  remove(path);
  MUST(context, status);
  return experiment;
}

static sprint_step_check check(sprint_context *context, const char *text, const sprint_step_options *options) {
  sprint_step_check found = {.size = sizeof found};
  sprint_experiment *experiment = experiment_of(context, text);
  MUST(context, sprint_experiment_check_step(experiment, 0, 0, options, &found));
  sprint_experiment_free(experiment);
  return found;
}

/* What stays and what is left lie within a factor of 2^(1/4) of each other, and of the edge as far as 40 epochs tell:
 * (1.05)^40 is seven times, which has not left yet. */
static void test_check_step__finds_the_edge(void **state) {
  (void)state;
  static const char *const methods[] = {"rgd", "{kind: sgd, batch: 20}", "{kind: sprint, batch: 20}",
                                        "{kind: sarah, batch: 20}"};
  static const double steps[] = {0.01, 0.7, 40}; /* of the config: from below and from above */
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (size_t m = 0; m < 4; m++)
    for (size_t s = 0; s < 3; s++)
      for (double epsilon = -1; epsilon < 0.6; epsilon += 0.75) {
        char text[400];
        double edge = 2 / (1 - epsilon);
        snprintf(text, sizeof text,
                 "data: {kind: gaussian, n: 400, d: 2, standardize: none}\nmodel: {loss: mean}\n"
                 "shift: {kind: location, epsilon: %g}\nmethod: %s\nstep: {size: %g}\nstop: {epochs: 40}\n",
                 epsilon, methods[m], steps[s]);
        sprint_step_check found = check(context, text, NULL);
        assert_true(found.step == steps[s] && found.starts == 3 && found.planned == 40);
        assert_true((found.left == 0) == (steps[s] < edge));
        if (!(found.largest < 1.2 * edge && found.least_left > 0.84 * edge && found.least_left < 1.2 * found.largest))
          fail_msg("%s at %g: %g stayed, %g was left; the edge is %g", methods[m], steps[s], found.largest,
                   found.least_left, edge);
        if (found.left == 0) assert_true(fabs(found.edge - steps[s] * (1 - epsilon)) < 0.02 * (1 + steps[s]));
      }
  sprint_context_free(context);
}

static void test_check_step__of_methods_without_steps(void **state) {
  (void)state;
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_step_check found = check(context,
                                  "data: {kind: gaussian, n: 100, d: 2, standardize: none}\nmodel: {loss: mean}\n"
                                  "shift: {kind: location, epsilon: 0.5}\nmethod: rrm\n",
                                  NULL);
  assert_true(isnan(found.step) && isnan(found.largest));
  sprint_context_free(context);
}

/* Little effort cuts the runs short, and more starts than seeds are found. */
static void test_check_step__effort(void **state) {
  (void)state;
  static const char text[] =
      "data: {kind: lending, n: 2000}\nmodel: {layers: 'dense 16, relu, dense 1', loss: logistic}\n"
      "method: {kind: sgd, batch: 20}\nstop: {epochs: 50}\nseeds: [4]\n";
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_step_options options = {.size = sizeof options, .starts = 2, .effort = 1e9};
  sprint_step_check found = check(context, text, &options);
  assert_true(found.starts == 2 && found.planned == 50 && found.epochs < 50 && found.epochs >= 0.2);
  assert_true(found.largest >= 0.1 && found.epoch_seconds > 0);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_check_step__finds_the_edge),
      cmocka_unit_test(test_check_step__of_methods_without_steps),
      cmocka_unit_test(test_check_step__effort),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
