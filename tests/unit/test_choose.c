/* run/choose.c: methods by short texts, and entries of another kind than the config's own method. */
#include <unistd.h>

#include "base/context.h"
#include "help.h"
#include "run/run.h"

static const char config[] =
    "data: {kind: lending, n: 60}\nmethod: {kind: sprint, correction: unbiased, batch: 10}\nstep: inverse-time\n"
    "deploy: {kind: every, steps: 7}\nstop: {epochs: 2}\n"
    "compare: [{name: own, method: {inner: 3}}, {name: short, method: sgd, step: {size: 0.5}}]\n";

/* The config of a text, through a file, with these methods. */
static sprint_status open_text(sprint_context *context, const char *text, const char *methods, size_t n_steps,
                               sprint_experiment **ret_experiment) {
  static const double steps[] = {0.003, 1, 1e-9};
  char path[] = "/tmp/sprint-choose-XXXXXX.yaml";
  FILE *stream = fdopen(mkstemps(path, 5), "w");
  fputs(text, stream);
  fclose(stream);
  sprint_experiment_options options = {
      .size = sizeof options, .methods = methods, .step_sizes = steps, .n_step_sizes = n_steps};
  sprint_status status = sprint_experiment_open(context, path, &options, ret_experiment);
  remove(path);
  return status;
}

/* The text gives a method of this name whose settings hold all the pieces, of which the last is NULL. */
static void check_choice(const char *text, const char *name, const char *const *pieces) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_experiment *experiment = NULL;
  MUST(context, open_text(context, config, text, 0, &experiment));
  assert_int_equal(sprint_experiment_n_methods(experiment), 1);
  assert_string_equal(sprint_experiment_method_name(experiment, 0), name);
  sprint_run *run = NULL;
  MUST(context, sprint_experiment_start(experiment, 0, 0, 0, &run));
  for (; *pieces; pieces++)
    if (!strstr(run->settings_text, *pieces)) fail_msg("%s: no %s in %s", text, *pieces, run->settings_text);
  sprint_run_free(run);
  sprint_experiment_free(experiment);
  sprint_context_free(context);
}

#define CHOICE(TEXT, NAME, ...) check_choice(TEXT, NAME, (const char *const[]){__VA_ARGS__, NULL})

/* What the kind knows (batch, size) is the config's; what it does not (correction of sgd) is left out; an entry's own
 * settings are laid over the config's section, also where that is a kind alone (step: inverse-time). */
static void test_choose__entries_kinds_and_settings(void **state) {
  (void)state;
  CHOICE("own", "own", "\"kind\":\"sprint\"", "\"correction\":\"unbiased\"", "\"inner\":3", "\"batch\":10");
  CHOICE("short", "short", "\"kind\":\"sgd\"", "\"batch\":10", "\"kind\":\"inverse-time\"", "\"size\":0.5");
  CHOICE("sgd", "sgd", "\"kind\":\"sgd\"", "\"batch\":10", "\"kind\":\"inverse-time\"");
  CHOICE("sprint", "sprint", "\"correction\":\"unbiased\"", "\"batch\":10");
  CHOICE("sprint:correction=paper:batch=5", "sprint-correction-paper-batch-5", "\"correction\":\"paper\"",
         "\"batch\":5");
  CHOICE("own:name=mine:inner=4", "mine", "\"inner\":4", "\"correction\":\"unbiased\"");
  CHOICE("own:method=rgd", "own-method-rgd", "\"kind\":\"rgd\"", "\"batch\":10");
  CHOICE("sgd:step=constant:step.size=0.25:name=a b", "a b", "\"kind\":\"constant\"", "\"size\":0.25");
  CHOICE("short:step=constant", "short-step-constant", "\"kind\":\"constant\"", "\"size\":0.10000000000000001");
  CHOICE("short:step.kind=constant", "short-step.kind-constant", "\"kind\":\"constant\"", "\"size\":0.5");
  CHOICE("sgd:deploy.steps=3", "sgd-deploy.steps-3", "\"steps\":3");
  CHOICE("sgd:step={kind: piecewise, sizes: [0.5, 0.125], at: 3}:batch=6",
         "sgd-step--kind--piecewise--sizes---0.5--0.125---at--3--batch-6", "\"sizes\":[0.5,0.125]", "\"batch\":6");
}

static void check_names(const char *text, const char *methods, size_t n_steps, const char *const *names, size_t n) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_experiment *experiment = NULL;
  MUST(context, open_text(context, text, methods, n_steps, &experiment));
  assert_int_equal(sprint_experiment_n_methods(experiment), n);
  for (size_t i = 0; i < n; i++) assert_string_equal(sprint_experiment_method_name(experiment, i), names[i]);
  if (n_steps == 3) {
    sprint_run *run = NULL;
    MUST(context, sprint_experiment_start(experiment, 0, n - 1, 0, &run));
    assert_non_null(strstr(run->settings_text, "\"size\":1.0000000000000001e-"));
    assert_true(text != config || strstr(run->settings_text, "\"kind\":\"inverse-time\""));
    sprint_run_free(run);
  }
  sprint_experiment_free(experiment);
  sprint_context_free(context);
}

#define NAMES(TEXT, METHODS, N_STEPS, ...)                                \
  check_names(TEXT, METHODS, N_STEPS, (const char *const[]){__VA_ARGS__}, \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Commas part methods, unless they are a value's own; every method gets every step size, and keeps its step rule. */
static void test_choose__lists_and_step_sizes(void **state) {
  (void)state;
  NAMES(config, "short,sgd:step={kind: piecewise, sizes: [1, 2], at: 3}:name=x,rgd", 0, "short", "x", "rgd");
  NAMES(config, NULL, 2, "own-step-0.003", "own-step-1", "short-step-0.003", "short-step-1");
  NAMES(config, "sgd", 3, "sgd-step-0.003", "sgd-step-1", "sgd-step-1e-09");
  NAMES("data: {n: 20}\nmethod: rgd\n", NULL, 3, "rgd-step-0.003", "rgd-step-1", "rgd-step-1e-09");
  NAMES("data: {n: 20}\n", NULL, 3, "sprint-step-0.003", "sprint-step-1", "sprint-step-1e-09");
}

static void check_refused(const char *words, const char *methods) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_experiment *none = NULL;
  REFUSED(context, SPRINT_ERROR_INPUT, words, open_text(context, config, methods, 0, &none));
  sprint_context_free(context);
}

static void test_choose__slips_are_refused(void **state) {
  (void)state;
  check_refused(
      "--methods sgdd: 'sgdd' is neither an entry of the config's `compare` nor a kind of method; did you mean 'sgd'?",
      "sgdd");
  check_refused("did you mean 'short'?", "shrot");
  check_refused("there are own, short, sprint", "xyzzy");
  check_refused("'' is neither", "");
  check_refused("--methods sprint:paper: 'paper' is not a setting; key=value was expected", "sprint:paper");
  check_refused("is not a setting", "sprint:=3");
  check_refused("'' is neither", "sgd,");
  check_refused("unknown key 'method.corection'; did you mean 'correction'?", "sprint:corection=paper");
  check_refused("unknown key 'method.correction'", "sgd:correction=paper");
  check_refused("key 'step.size': 'x' is not a number", "sgd:step.size=x");
  check_refused("two entries have the same name", "sgd,sgd");
  check_refused("a name is also a folder's", "sgd:name=../up");
}

/* A slip in the config's own method is refused, whatever entries are laid over it. */
static void test_choose__keeps_slips_of_the_config(void **state) {
  (void)state;
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_experiment *none = NULL;
  const char *text = "data: {n: 20}\nmethod: {kind: sprint, corection: paper}\n", *method = "sgd";
  REFUSED(context, SPRINT_ERROR_INPUT, ".yaml:2: unknown key 'method.corection'",
          open_text(context, text, method, 0, &none));
  sprint_context_free(context);
}

/* Thinner and thinner: the later ones are of what follows the choice, which test_experiment goes through one by one. */
static void test_choose__survives_failed_allocations(void **state) {
  (void)state;
  const char *const method = "own:inner=2:name=x";
  bool done = false;
  for (int64_t k = 0; !done; k += 1 + k / 40) {
    sprint_context *context = NULL;
    assert_int_equal(sprint_context_new(&context), SPRINT_OK);
    context->fail_allocation = k;
    sprint_experiment *experiment = NULL;
    sprint_status status = open_text(context, config, method, 2, &experiment);
    done = status == SPRINT_OK;
    if (!done) assert_int_equal(status, SPRINT_ERROR_MEMORY);
    sprint_experiment_free(experiment);
    sprint_context_free(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choose__entries_kinds_and_settings),
      cmocka_unit_test(test_choose__lists_and_step_sizes),
      cmocka_unit_test(test_choose__slips_are_refused),
      cmocka_unit_test(test_choose__keeps_slips_of_the_config),
      cmocka_unit_test(test_choose__survives_failed_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
