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
static sprint_status open_text(sprint_context *context, const char *text, const char *const *methods, size_t n,
                               sprint_experiment **ret_experiment) {
  char path[] = "/tmp/sprint-choose-XXXXXX.yaml";
  FILE *stream = fdopen(mkstemps(path, 5), "w");
  fputs(text, stream);
  fclose(stream);
  sprint_experiment_options options = {.size = sizeof options, .methods = methods, .n_methods = n};
  sprint_status status = sprint_experiment_open(context, path, &options, ret_experiment);
  remove(path);
  return status;
}

/* The text gives a method of this name whose settings hold all the pieces, of which the last is NULL. */
static void check_choice(const char *text, const char *name, const char *const *pieces) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_experiment *experiment = NULL;
  MUST(context, open_text(context, config, &text, 1, &experiment));
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

/* What all kinds share (batch) is the config's; what is a kind's own (correction) stays with that kind; an entry's own
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
  CHOICE("sgd:deploy.steps=3", "sgd-deploy.steps-3", "\"steps\":3");
  CHOICE("sgd:step={kind: piecewise, sizes: [0.5, 0.125], at: 3}:batch=6",
         "sgd-step--kind--piecewise--sizes---0.5--0.125---at--3--batch-6", "\"sizes\":[0.5,0.125]", "\"batch\":6");
}

static void check_refused(const char *words, const char *const *methods, size_t n) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_experiment *none = NULL;
  REFUSED(context, SPRINT_ERROR_INPUT, words, open_text(context, config, methods, n, &none));
  sprint_context_free(context);
}

#define WRONG(WORDS, ...)                                  \
  check_refused(WORDS, (const char *const[]){__VA_ARGS__}, \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void test_choose__slips_are_refused(void **state) {
  (void)state;
  WRONG(
      "--methods sgdd: 'sgdd' is neither an entry of the config's `compare` nor a kind of method; did you mean 'sgd'?",
      "sgdd");
  WRONG("did you mean 'short'?", "shrot");
  WRONG("there are own, short, sprint", "xyzzy");
  WRONG("'' is neither", "");
  WRONG("--methods sprint:paper: 'paper' is not a setting; key=value was expected", "sprint:paper");
  WRONG("is not a setting", "sprint:=3");
  WRONG("unknown key 'method.corection'; did you mean 'correction'?", "sprint:corection=paper");
  WRONG("unknown key 'method.correction'", "sgd:correction=paper");
  WRONG("key 'step.size': 'x' is not a number", "sgd:step.size=x");
  WRONG("two entries have the same name", "sgd", "sgd");
  WRONG("a name is also a folder's", "sgd:name=../up");
}

/* A slip in the config's own method is refused, whatever entries are laid over it. */
static void test_choose__keeps_slips_of_the_config(void **state) {
  (void)state;
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_experiment *none = NULL;
  const char *text = "data: {n: 20}\nmethod: {kind: sprint, corection: paper}\n", *method = "sgd";
  REFUSED(context, SPRINT_ERROR_INPUT, ".yaml:2: unknown key 'method.corection'",
          open_text(context, text, &method, 1, &none));
  sprint_context_free(context);
}

static void test_choose__survives_every_failed_allocation(void **state) {
  (void)state;
  const char *const method = "own:inner=2:name=x";
  bool done = false;
  for (int64_t k = 0; !done; k++) {
    sprint_context *context = NULL;
    assert_int_equal(sprint_context_new(&context), SPRINT_OK);
    context->fail_allocation = k;
    sprint_experiment *experiment = NULL;
    sprint_status status = open_text(context, config, &method, 1, &experiment);
    done = status == SPRINT_OK;
    if (!done) assert_int_equal(status, SPRINT_ERROR_MEMORY);
    sprint_experiment_free(experiment);
    sprint_context_free(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choose__entries_kinds_and_settings),
      cmocka_unit_test(test_choose__slips_are_refused),
      cmocka_unit_test(test_choose__keeps_slips_of_the_config),
      cmocka_unit_test(test_choose__survives_every_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
