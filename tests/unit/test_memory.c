/* Memory that runs out: every method, shift, step rule, engine, layer and loss, as the registry has them, with
 * allocations made to fail one at a time. The oracle: a status and a sentence, outputs as they were, and (under
 * sanitizers) nothing left behind. */
#define _GNU_SOURCE
#include "pixels_help.h"

#include "memory_help.h"
#include "registry_help.h"

/* A run, from its model on. */
struct start {
  const sprint_population *people;
  const char *model, *shift, *spec;
};

struct parts {
  sprint_model *model;
  sprint_shift *shift;
  sprint_run *run;
};

static sprint_status start_run(sprint_context *context, const struct start *start, struct parts *ret_parts) {
  sprint_status status = sprint_model_new(context, start->model, start->people, &ret_parts->model);
  assert_int_equal(status == SPRINT_OK, ret_parts->model != NULL);
  if (!status) status = sprint_shift_new(context, start->shift, ret_parts->model, start->people, &ret_parts->shift);
  assert_int_equal(status == SPRINT_OK, ret_parts->shift != NULL);
  sprint_run_options options = {.size = sizeof options, .spec = start->spec, .seed = 4, .shift = ret_parts->shift};
  if (!status) status = sprint_run_new(context, &options, &ret_parts->run);
  assert_int_equal(status == SPRINT_OK, ret_parts->run != NULL);
  return status;
}

static void parts_free(struct parts *parts) {
  sprint_run_free(parts->run);
  sprint_shift_free(parts->shift);
  sprint_model_free(parts->model);
}

static sprint_status set_up_and_go(sprint_context *context, const void *user) {
  struct parts parts = {0};
  sprint_status status = start_run(context, user, &parts);
  if (!status) status = sprint_run_go(parts.run, NULL, NULL);
  parts_free(&parts);
  return status;
}

/* One allocation in STEP fails, of every run another one; all of them where SPRINT_TORTURE is set. */
enum { STEP = 4 };

/* A run with each of its allocations failed; whether it is one at all. */
static bool fails_well(sprint_context *context, const struct start *start) {
  static int64_t n_starts;
  sprint_status status = SPRINT_OK;
  int64_t step = getenv("SPRINT_TORTURE") ? 1 : STEP;
  assert_true(fail_allocations(context, n_starts++ % step, step, set_up_and_go, start, &status) > 10);
  return status == SPRINT_OK;
}

/* With kinds of plugins. One thread: on a busy machine two would wait for each other at every attempt. */
static sprint_context *new_context(void) {
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_context_set_threads(context, 1));
  MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/plugin_shift.so"));
  MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/plugin_method.so"));
  return context;
}

/* Where nobody reacts, where strata are reweighted, and where there are as many parameters as features. */
static const struct start worlds[] = {
    {NULL, "{layers: 'dense 3, tanh, dense 1'}", "none", NULL},
    {NULL, "{layers: dense 1}", "{kind: retention}", NULL},
    {NULL, "{loss: mean}", "{kind: location}", NULL},
};

/* Every kind of a family, with each of its choices, takes part in a run of one of the worlds; `form` has a
 * place for it. */
static void family_fails_well(const char *family, const char *all, const char *form) {
  static char specs[MOST_SPECS][SPEC];
  bool shifts = strcmp(family, "shifts") == 0;
  sprint_context *context = new_context();
  sprint_population *people = few_people(context, 0);
  if (!shifts) MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/twins.so")); /* whose shifts refuse */
  size_t n = shifts ? shifts_of(context, specs) : specs_of(context, family, all, specs);
  for (size_t i = 0; i < n; i++) {
    bool taken = false;
    char spec[512];
    snprintf(spec, sizeof spec, form, specs[i]);
    for (size_t w = 0; w < SPRINT__COUNT(worlds); w++) {
      struct start start = {people, worlds[w].model, shifts ? specs[i] : worlds[w].shift, shifts ? form : spec};
      taken |= fails_well(context, &start);
    }
    if (!taken) fail_msg("%s: %s", specs[i], sprint_context_error(context));
  }
  sprint_population_free(people);
  sprint_context_free(context);
}

static void test_memory__methods(void **state) {
  (void)state;
  family_fails_well("methods", ", batch: 7", "{method: %s, stop: {epochs: 1}}");
}

static void test_memory__shifts(void **state) {
  (void)state;
  family_fails_well("shifts", "", "{method: {batch: 7}, deploy: {kind: every, steps: 2}, stop: {epochs: 1}}");
}

/* `sizes` is of piecewise steps, which need them. */
static void test_memory__steps(void **state) {
  (void)state;
  static char specs[MOST_SPECS][SPEC];
  sprint_context *context = new_context();
  sprint_population *people = few_people(context, 0);
  MUST(context, sprint_context_load_plugin(context, SPRINT_PLUGINS "/twins.so"));
  size_t n = specs_of(context, "steps", "", specs);
  for (size_t i = 0; i < n; i++) {
    char spec[512];
    bool pieces = strcmp(specs[i], "{kind: piecewise}") == 0;
    snprintf(spec, sizeof spec, "{method: {batch: 7}, step: %s, stop: {epochs: 1}}",
             pieces ? "{kind: piecewise, sizes: [0.1, 0.01], at: [1]}" : specs[i]);
    struct start start = {people, worlds[0].model, "none", spec};
    if (!fails_well(context, &start)) fail_msg("%s: %s", specs[i], sprint_context_error(context));
  }
  sprint_population_free(people);
  sprint_context_free(context);
}

/* Images, by every engine: batches that are drawn ahead, losses that follow the steps, and neither. */
static void test_memory__engines(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"none", "{batch: 7}"},
                                         {"{kind: retention, losses: exact}", "{batch: 7}"},
                                         {"{kind: retention, losses: snapshot}", "{batch: 64, correction: stratified}"},
                                         {"{kind: strategic, good: 0, memory: accumulating}", "{batch: 64}"}};
  const sprint_family *engines = family_of("engines");
  sprint_context *context = new_context();
  sprint_population *images = load_images(context);
  for (size_t e = 0; e < engines->n_kinds; e++) {
    size_t taken = 0;
    for (size_t c = 0; c < SPRINT__COUNT(cases); c++) {
      char spec[256];
      snprintf(spec, sizeof spec, "{method: %s, stop: {steps: 2}, engine: %s}", cases[c][1], engines->kinds[e]->name);
      taken += fails_well(context, &(struct start){images, network, cases[c][0], spec});
    }
    assert_true(taken > 0);
  }
  sprint_population_free(images);
  sprint_context_free(context);
}

static sprint_status make_model(sprint_context *context, const void *user) {
  const struct start *start = user;
  sprint_model *model = NULL;
  sprint_status status = sprint_model_new(context, start->model, start->people, &model);
  assert_int_equal(status == SPRINT_OK, model != NULL);
  sprint_model_free(model);
  return status;
}

/* Every name of the family is in one of the texts: a new kind needs a line there. */
static void all_are_in(const char *family, const char *const *texts, size_t n) {
  const sprint_family *f = family_of(family);
  for (size_t k = 0; k < f->n_kinds; k++) {
    bool found = false;
    for (size_t i = 0; i < n; i++) found |= strstr(texts[i], f->kinds[k]->name) != NULL;
    if (!found) fail_msg("%s '%s' is in none of the models", family, f->kinds[k]->name);
  }
}

/* Of images in three classes. */
static void test_memory__models(void **state) {
  (void)state;
  static const char *const models[] = {
      "{layers: 'conv 2 3x3, relu, maxpool 2, conv 3 5x5 valid, flatten, dense 4, tanh, dense 3', loss: softmax}",
      "{layers: 'dense 4, sigmoid, dense 3, softplus, dense 2, gelu, dense 1', loss: squared, l2: 0.1}", "{loss: mean}",
      "{loss: linear}"};
  static const char *const binary[] = {"{loss: logistic}", "{layers: 'dense 3, relu, dense 1', loss: {kind: sigmoid}}"};
  sprint_context *context = new_context();
  sprint_status status = SPRINT_OK;
  sprint_population *images = load_images(context), *people = few_people(context, 0);
  const char *all[SPRINT__COUNT(models) + SPRINT__COUNT(binary)];
  for (size_t i = 0; i < SPRINT__COUNT(all); i++) {
    bool of_two = i >= SPRINT__COUNT(models);
    all[i] = of_two ? binary[i - SPRINT__COUNT(models)] : models[i];
    fail_every_allocation(context, make_model, &(struct start){of_two ? people : images, all[i], NULL, NULL}, &status);
    MUST(context, status);
  }
  all_are_in("layers", all, SPRINT__COUNT(all));
  all_are_in("losses", all, SPRINT__COUNT(all));
  sprint_population_free(people);
  sprint_population_free(images);
  sprint_context_free(context);
}

static sprint_status assess(sprint_context *context, const void *user) {
  (void)context;
  const sprint_assessment *assessment = NULL;
  sprint_status status = sprint_run_assess(user, &assessment);
  assert_int_equal(status == SPRINT_OK, assessment != NULL);
  return status;
}

/* What is said of a run that is done: it can be asked for again once there is memory. */
static void test_memory__assessments(void **state) {
  (void)state;
  sprint_context *context = new_context();
  sprint_population *people = few_people(context, 0);
  for (size_t w = 0; w < SPRINT__COUNT(worlds); w++) {
    struct start start = {people, worlds[w].model, worlds[w].shift, "{method: {batch: 7}, stop: {epochs: 1}}"};
    struct parts parts = {0};
    sprint_status status = start_run(context, &start, &parts);
    MUST(context, status);
    MUST(context, sprint_run_go(parts.run, NULL, NULL));
    assert_true(fail_every_allocation(context, assess, parts.run, &status) > 3);
    MUST(context, status);
    parts_free(&parts);
  }
  sprint_population_free(people);
  sprint_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory__methods), cmocka_unit_test(test_memory__shifts),
      cmocka_unit_test(test_memory__steps),   cmocka_unit_test(test_memory__engines),
      cmocka_unit_test(test_memory__models),  cmocka_unit_test(test_memory__assessments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
