/* Shifts that fail in the middle of a run: every kind of the registry, under every method, by every engine, with each
 * of the answers that it or its parts give failed once. The oracle: the run says what the shift has said, word by word.
 */
#define _GNU_SOURCE
#include "pixels_help.h"

#include "registry_help.h"
#include "shift/shift.h"

/* Which answer is to fail, counted from 0 over all shifts that are watched. */
static int64_t answers, failing;

/* Shifts without parts whose answers are counted; ops are the copy that they have now. */
enum { MOST_WATCHED = 8 };
static struct watched {
  sprint_shift *shift;
  const struct sprint__shift_ops *real;
  struct sprint__shift_ops ops;
} watched[MOST_WATCHED];
static size_t n_watched;

static const struct sprint__shift_ops *real_of(const sprint_shift *shift) {
  size_t k = 0;
  while (watched[k].shift != shift) k++;
  return watched[k].real;
}

static sprint_status count_answer(sprint_shift *shift) {
  if (answers++ != failing) return SPRINT_OK;
  return sprint_fail(shift->context, SPRINT_ERROR_INPUT, "answer %d is not to be had", (int)failing);
}

static sprint_status deployed(sprint_shift *shift, const sprint_real *theta) {
  SPRINT__TRY(count_answer(shift));
  return real_of(shift)->deployed(shift, theta);
}

static sprint_status respond(sprint_shift *shift, const sprint_real *theta, const uint32_t *who, const sprint_real *y,
                             size_t n, sprint_real *x) {
  SPRINT__TRY(count_answer(shift));
  return real_of(shift)->respond(shift, theta, who, y, n, x);
}

static sprint_status strata(sprint_shift *shift, const sprint_real *theta, enum sprint__moment moment, double *ret_p) {
  SPRINT__TRY(count_answer(shift));
  return real_of(shift)->strata(shift, theta, moment, ret_p);
}

static sprint_status drawn(sprint_shift *shift, const sprint_real *theta, const struct sprint__drawn *people) {
  SPRINT__TRY(count_answer(shift));
  return real_of(shift)->drawn(shift, theta, people);
}

static void watch(sprint_shift *shift) {
  for (size_t k = 0; k < shift->n_parts; k++) watch(shift->parts[k]);
  if (shift->n_parts > 0) return;
  assert_true(n_watched < MOST_WATCHED);
  struct watched *w = &watched[n_watched++];
  *w = (struct watched){shift, shift->ops, *shift->ops};
  if (w->ops.deployed) w->ops.deployed = deployed;
  if (w->ops.respond) w->ops.respond = respond;
  if (w->ops.strata) w->ops.strata = strata;
  if (w->ops.drawn) w->ops.drawn = drawn;
  shift->ops = &w->ops;
}

struct plan {
  const sprint_population *people, *heldout;
  const char *model, *shift, *spec;
  bool assessed; /* what is said of the run is part of it */
};

/* A run and what is said of it, in which the answer of this number fails. Returns whether there is a run. */
static bool run_with_trouble(sprint_context *context, const struct plan *plan, int64_t fail,
                             sprint_status *ret_status) {
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_run *run = NULL;
  MUST(context, sprint_model_new(context, plan->model, plan->people, &model));
  bool taken = sprint_shift_new(context, plan->shift, model, plan->people, &shift) == SPRINT_OK;
  n_watched = 0;
  if (taken) watch(shift);
  sprint_run_options options = {
      .size = sizeof options, .spec = plan->spec, .seed = 4, .shift = shift, .heldout = plan->heldout};
  taken = taken && sprint_run_new(context, &options, &run) == SPRINT_OK;
  if (taken) {
    const sprint_assessment *assessment = NULL;
    answers = 0;
    failing = fail;
    *ret_status = sprint_run_go(run, NULL, NULL);
    if (*ret_status == SPRINT_OK && plan->assessed) *ret_status = sprint_run_assess(run, &assessment);
    failing = -1;
  }
  sprint_run_free(run);
  sprint_shift_free(shift);
  sprint_model_free(model);
  return taken;
}

/* Of few answers all, of many fewer and fewer. Returns how many were failed; 0: there is no such run. */
static size_t trouble_is_said(sprint_context *context, const struct plan *plan) {
  size_t n = 0;
  for (int64_t fail = 0;; fail += 1 + fail / 4, n++) {
    sprint_status status = SPRINT_OK;
    char words[64];
    snprintf(words, sizeof words, "answer %d is not to be had", (int)fail);
    if (!run_with_trouble(context, plan, fail, &status)) return 0;
    if (answers <= fail) {
      MUST(context, status);
      return n;
    }
    if (status != SPRINT_ERROR_INPUT) fail_msg("%s, %s: %s, and no word of it", plan->shift, plan->spec, words);
    REFUSED(context, SPRINT_ERROR_INPUT, words, status);
  }
}

/* Of all methods and shifts every STRIDE-th pair. */
#ifdef SPRINT_SLOWED
enum { STRIDE = 29 };
#else
enum { STRIDE = 23 };
#endif

static void test_trouble__of_every_shift_under_every_method(void **state) {
  (void)state;
  static const char *const models[] = {"{layers: 'dense 3, tanh, dense 1'}", "{layers: dense 1}", "{loss: mean}"};
  static char methods[MOST_SPECS][SPEC], shifts[MOST_SPECS][SPEC];
  sprint_context *context = NULL;
  size_t n_failed = 0;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_context_set_threads(context, 1));
  sprint_population *people = few_people(context, 0), *heldout = few_people(context, 3);
  size_t n_methods = specs_of(context, "methods", ", batch: 7", methods), n_shifts = shifts_of(context, shifts);
  for (size_t m = 0; m < n_methods; m++)
    for (size_t s = m % STRIDE; s < n_shifts; s += STRIDE) {
      char spec[512];
      snprintf(spec, sizeof spec, "{method: %s, deploy: %s, stop: {epochs: 2, ifo: 500}}", methods[m],
               m % 2 ? "greedy" : "{kind: every, steps: 2}");
      for (size_t k = 0; k < 3; k++) {
        struct plan plan = {people, heldout, models[k], shifts[s], spec, true};
        n_failed += trouble_is_said(context, &plan);
      }
    }
  assert_true(n_failed > 1000);
  sprint_population_free(people);
  sprint_population_free(heldout);
  sprint_context_free(context);
}

/* Images, by every engine. */
static void test_trouble__by_every_engine(void **state) {
  (void)state;
  static const char *const shifts[] = {"{kind: retention, losses: exact}", "{kind: retention, losses: snapshot}",
                                       "{kind: strategic, good: 0}",
                                       "{kind: both, response: {kind: strategic, good: 0}}"};
  static const char *const methods[] = {"{batch: 7}", "{batch: 64, correction: coupled, snapshot: fixed, sample: 50}"};
  const sprint_family *engines = family_of("engines");
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_context_set_threads(context, 1));
  sprint_population *images = load_images(context);
  for (size_t e = 0; e < engines->n_kinds; e++) {
    size_t n_failed = 0;
    for (size_t k = 0; k < SPRINT__COUNT(shifts) * SPRINT__COUNT(methods); k++) {
      char spec[256];
      snprintf(spec, sizeof spec, "{method: %s, stop: {epochs: 2, steps: 20}, engine: %s}", methods[k % 2],
               engines->kinds[e]->name);
      n_failed += trouble_is_said(context, &(struct plan){images, images, network, shifts[k / 2], spec, false});
    }
    assert_true(n_failed > 5);
  }
  sprint_population_free(images);
  sprint_context_free(context);
}

/* People who are met once. */
static void test_trouble__without_end(void **state) {
  (void)state;
  static const char *const shifts[] = {"{kind: retention}", "{kind: strategic, good: 0}",
                                       "{kind: both, response: {kind: strategic, good: 0}}"};
  static const char *const methods[] = {"{kind: sgd, batch: 7, inner: 3}",
                                        "{batch: 7, snapshot: fixed, sample: 30, inner: 3}",
                                        "{batch: 7, snapshot: fixed, sample: 30, inner: 3, correction: coupled}"};
  struct world w = world_new("{kind: lending, endless: true, window: 100}", "{layers: dense 1}", NULL);
  MUST(w.context, sprint_context_set_threads(w.context, 1));
  for (size_t k = 0; k < SPRINT__COUNT(shifts) * SPRINT__COUNT(methods); k++) {
    char spec[256];
    snprintf(spec, sizeof spec, "{method: %s, stop: {steps: 9}}", methods[k % 3]);
    struct plan plan = {w.population, NULL, "{layers: dense 1}", shifts[k / 3], spec, false};
    if (trouble_is_said(w.context, &plan) == 0) fail_msg("%s", sprint_context_error(w.context));
  }
  world_free(&w);
}

/* The risk of a model is that of the records that a shift answers with. */
static void test_trouble__in_risks(void **state) {
  (void)state;
  static const char *const shifts[] = {"{kind: retention}", "{kind: strategic, good: 0}"};
  for (size_t s = 0; s < SPRINT__COUNT(shifts); s++) {
    struct world w = world_new("{kind: lending, n: 50}", "{layers: dense 1}", shifts[s]);
    sprint_real theta[11] = {0};
    double loss = 7, gradient[11];
    n_watched = 0;
    watch(w.shift);
    answers = failing = 0;
    REFUSED(w.context, SPRINT_ERROR_INPUT, "answer 0 is not to be had",
            sprint_risk(w.shift, theta, theta, &loss, NULL, gradient));
    assert_true(loss == 7);
    failing = -1;
    MUST(w.context, sprint_risk(w.shift, theta, theta, &loss, NULL, gradient));
    CLOSE(loss, log(2), 20); /* theta = 0 says one half of everybody */
    world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trouble__of_every_shift_under_every_method),
      cmocka_unit_test(test_trouble__by_every_engine),
      cmocka_unit_test(test_trouble__without_end),
      cmocka_unit_test(test_trouble__in_risks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
