/* shift/: responses against closed forms. */
#include "help.h"

#include <unistd.h>

#include "memory_help.h"
#include "shift/shift.h"

static const char lending[] = "{kind: lending, n: 3000, select: balanced, size: 40}";
static const char linear[] = "{layers: dense 1, loss: logistic}";

enum { D = 10 };

static void some_theta(sprint_real *theta) {
  for (size_t j = 0; j < D + 1; j++) theta[j] = (sprint_real)(0.1 * (double)j - 0.35);
}

/* The record of individual `who` under theta, and its base. */
static void respond(struct world *w, const sprint_real *theta, uint32_t who, sprint_real *x, sprint_real *base) {
  MUST(w->context, sprint_shift_respond(w->shift, theta, &who, 1, x));
  memcpy(base, sprint_population_x(w->population) + who * D, D * sizeof *base);
}

/* Oracle: f = w.x + b is the logit of class 1, so the good class 0 has the gradient -w. */
static void test_strategic__linear_logit(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, "{kind: strategic, good: 0, alpha: 0.3}");
  sprint_real theta[D + 1], x[D], base[D];
  some_theta(theta);
  respond(&w, theta, 7, x, base);
  for (size_t j = 0; j < D; j++) CLOSE(x[j], (double)base[j] - 0.3 * (double)theta[j], 4);
  world_free(&w);
}

/* Oracle: the gradient of 1 - p is -p (1 - p) w. */
static void test_strategic__linear_probability(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, "{kind: strategic, good: 0, alpha: 2, score: probability}");
  sprint_real theta[D + 1], x[D], base[D];
  some_theta(theta);
  respond(&w, theta, 3, x, base);
  double f = (double)theta[D];
  for (size_t j = 0; j < D; j++) f += (double)theta[j] * (double)base[j];
  double p = 1 / (1 + exp(-f));
  for (size_t j = 0; j < D; j++) CLOSE(x[j], (double)base[j] - 2 * p * (1 - p) * (double)theta[j], 20);
  world_free(&w);
}

static void test_strategic__sign_good_and_columns(void **state) {
  (void)state;
  struct world w =
      world_new(lending, linear, "{kind: strategic, good: 0, alpha: 1, sign: '-', columns: [age, monthly_income]}");
  struct world other =
      world_new(lending, linear, "{kind: strategic, alpha: 1, good: 1, columns: [age, monthly_income]}");
  sprint_real theta[D + 1], x[D], y[D], base[D];
  some_theta(theta);
  respond(&w, theta, 0, x, base);
  respond(&other, theta, 0, y, base);
  for (size_t j = 0; j < D; j++) {
    const char *name = sprint_population_feature_name(w.population, j);
    bool moves = strcmp(name, "age") == 0 || strcmp(name, "monthly_income") == 0;
    CLOSE(x[j], (double)base[j] + (moves ? (double)theta[j] : 0), 4);
    CLOSE(y[j], x[j], 0);
  }
  world_free(&w);
  world_free(&other);
}

/* Whoever is drawn keeps the answer and moves on from it; asking alone leaves no mark; others stay. */
static void test_strategic__accumulating(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, "{kind: strategic, good: 0, alpha: 0.5, memory: accumulating}");
  sprint_real theta[D + 1], x[D], base[D];
  uint32_t who = 5;
  some_theta(theta);
  for (int round = 1; round <= 3; round++) {
    respond(&w, theta, who, x, base);
    respond(&w, theta, who, x, base);
    for (size_t j = 0; j < D; j++) CLOSE(x[j], (double)base[j] - round * 0.5 * (double)theta[j], 8);
    MUST(w.context, w.shift->ops->drawn(w.shift, theta, &(struct sprint__drawn){.n = 1, .who = &who, .x = x}));
  }
  respond(&w, theta, 6, x, base);
  for (size_t j = 0; j < D; j++) CLOSE(x[j], (double)base[j] - 0.5 * (double)theta[j], 8);
  assert_int_equal(w.shift->n_state, 40 * D);
  world_free(&w);
}

static void test_linear__moves_one_class(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, "{kind: linear, epsilon: 0.4, only_label: 1}");
  sprint_real theta[D + 1], x[D], base[D];
  some_theta(theta);
  for (uint32_t i = 0; i < 40; i++) {
    double epsilon = sprint_population_y(w.population)[i] > 0 ? 0.4 : 0;
    respond(&w, theta, i, x, base);
    for (size_t j = 0; j < D; j++) CLOSE(x[j], (double)base[j] - epsilon * (double)theta[j], 4);
  }
  world_free(&w);
}

/* Oracle: A theta by hand, for a matrix that is no multiple of the identity. */
static void test_location__matrix(void **state) {
  (void)state;
  char path[] = "/tmp/sprint-matrix-XXXXXX.npy", spec[96];
  close(mkstemps(path, 4));
  struct world w = world_new("{kind: gaussian, n: 5, d: 2, standardize: none}", "{loss: mean}", NULL);
  const sprint_real matrix[4] = {1, 2, 3, (sprint_real)0.5}, theta[2] = {10, -4};
  MUST(w.context, sprint_npy_write(w.context, path, 2, (const size_t[]){2, 2}, matrix));
  snprintf(spec, sizeof spec, "{kind: location, matrix: '%s'}", path);
  MUST(w.context, sprint_shift_new(w.context, spec, w.model, w.population, &w.shift));
  remove(path);
  uint32_t who = 2;
  sprint_real x[2];
  MUST(w.context, sprint_shift_respond(w.shift, theta, &who, 1, x));
  CLOSE(x[0], sprint_population_x(w.population)[4] + 2, 4);
  CLOSE(x[1], sprint_population_x(w.population)[5] + 28, 4);
  world_free(&w);
}

static sprint_status odd_strata(void *user, const sprint_real *deployed, double *ret_p) {
  (void)deployed;
  memcpy(ret_p, user, 2 * sizeof *ret_p);
  return SPRINT_OK;
}

static sprint_status failing_strata(void *user, const sprint_real *deployed, double *ret_p) {
  (void)user;
  (void)deployed;
  (void)ret_p;
  return SPRINT_ERROR_IO;
}

static sprint_status explaining_strata(void *user, const sprint_real *deployed, double *ret_p) {
  (void)deployed;
  (void)ret_p;
  return sprint_fail(user, SPRINT_ERROR_INPUT, "the register is closed on Sundays");
}

/* A callback's own sentence reaches the caller. */
static void test_custom__sentence_is_kept(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, NULL);
  double p[2];
  sprint_real theta[D + 1] = {0};
  sprint_shift_callbacks callbacks = {.size = sizeof callbacks, .user = w.context, .strata = explaining_strata};
  MUST(w.context, sprint_shift_new_custom(w.context, &callbacks, w.model, w.population, &w.shift));
  REFUSED(w.context, SPRINT_ERROR_CALLBACK, "closed on Sundays", sprint_shift_strata(w.shift, theta, p));
  world_free(&w);
}

static void test_custom__strata_are_checked(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, NULL);
  double p[2] = {0.25, 0.75}, got[2];
  sprint_real theta[D + 1] = {0};
  sprint_shift_callbacks callbacks = {.size = sizeof callbacks, .user = p, .strata = odd_strata};
  MUST(w.context, sprint_shift_new_custom(w.context, &callbacks, w.model, w.population, &w.shift));
  MUST(w.context, sprint_shift_strata(w.shift, theta, got));
  assert_true(got[0] == 0.25 && got[1] == 0.75);
  p[0] = 0.5;
  REFUSED(w.context, SPRINT_ERROR_CALLBACK, "add up to 1.25", sprint_shift_strata(w.shift, theta, got));
  p[0] = -0.5;
  REFUSED(w.context, SPRINT_ERROR_CALLBACK, "-0.5", sprint_shift_strata(w.shift, theta, got));
  p[0] = NAN;
  REFUSED(w.context, SPRINT_ERROR_CALLBACK, "nan", sprint_shift_strata(w.shift, theta, got));
  sprint_shift_free(w.shift);
  callbacks.strata = failing_strata;
  MUST(w.context, sprint_shift_new_custom(w.context, &callbacks, w.model, w.population, &w.shift));
  REFUSED(w.context, SPRINT_ERROR_CALLBACK, "strata callback failed", sprint_shift_strata(w.shift, theta, got));
  world_free(&w);
}

/* People whose answers fade in: half of the way from where the deployment before had led them. */
struct fading {
  size_t n_deployments;
  double where; /* what all have moved by */
};

static sprint_status fading_deployed(void *user, const sprint_real *theta) {
  struct fading *fading = user;
  fading->n_deployments++;
  fading->where += 0.5 * ((double)theta[0] - fading->where);
  return SPRINT_OK;
}

static sprint_status fading_respond(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                                    size_t n, sprint_real *x) {
  (void)deployed;
  (void)who;
  (void)y;
  const struct fading *fading = user;
  for (size_t i = 0; i < n; i++) x[i * D] += (sprint_real)fading->where;
  return SPRINT_OK;
}

/* A shift hears of every deployment, once; rows of the trace are no deployments, and change nothing. */
static void test_custom__hears_of_deployments(void **state) {
  (void)state;
  static const char *const methods[] = {"sgd", "{kind: sprint, correction: paper}",
                                        "{kind: sprint, correction: coupled}"};
  for (size_t m = 0; m < 3; m++) {
    sprint_real theta[2][D + 1];
    for (int rows = 0; rows < 2; rows++) {
      struct world w = world_new(lending, linear, NULL);
      struct fading fading = {0};
      sprint_shift_callbacks callbacks = {
          .size = sizeof callbacks, .user = &fading, .respond = fading_respond, .deployed = fading_deployed};
      MUST(w.context, sprint_shift_new_custom(w.context, &callbacks, w.model, w.population, &w.shift));
      char spec[160];
      snprintf(spec, sizeof spec, "{method: %s, step: {size: 0.1}, stop: {epochs: 6}, eval: {every: %d}}", methods[m],
               rows ? 1 : 6);
      sprint_run *run = run_done(&w, spec, 3);
      assert_int_equal(fading.n_deployments, last_row(run)->cost.deployments);
      memcpy(theta[rows], sprint_run_theta(run), sizeof theta[rows]);
      sprint_run_free(run);
      world_free(&w);
    }
    assert_memory_equal(theta[0], theta[1], sizeof theta[0]);
  }
}

static sprint_status failing_deployed(void *user, const sprint_real *theta) {
  (void)theta;
  return user ? sprint_fail(user, SPRINT_ERROR_INPUT, "nobody looks at %s", "it") : SPRINT_ERROR_INPUT;
}

static sprint_status still_respond(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                                   size_t n, sprint_real *x) {
  (void)user;
  (void)deployed;
  (void)who;
  (void)y;
  (void)n;
  (void)x;
  return SPRINT_OK;
}

/* A shift that cannot take a deployment ends the run, by its own words if it has some. */
static void test_custom__deployments_may_fail(void **state) {
  (void)state;
  for (int speaks = 0; speaks < 2; speaks++) {
    struct world w = world_new(lending, linear, NULL);
    sprint_shift_callbacks callbacks = {.size = sizeof callbacks,
                                        .user = speaks ? w.context : NULL,
                                        .respond = still_respond,
                                        .deployed = failing_deployed};
    MUST(w.context, sprint_shift_new_custom(w.context, &callbacks, w.model, w.population, &w.shift));
    sprint_run *run = run_new(&w, "{method: sgd, stop: {epochs: 1}}", 1);
    REFUSED(w.context, SPRINT_ERROR_CALLBACK,
            speaks ? "nobody looks at it" : "the shift's deployed callback failed: a file, config",
            sprint_run_go(run, NULL, NULL));
    sprint_run_free(run);
    world_free(&w);
  }
}

static sprint_status make_custom(sprint_context *context, const void *user) {
  const struct world *w = user;
  sprint_shift_callbacks callbacks = {.size = sizeof callbacks, .strata = odd_strata};
  sprint_shift *shift = NULL;
  sprint_status status = sprint_shift_new_custom(context, &callbacks, w->model, w->population, &shift);
  assert_int_equal(status == SPRINT_OK, shift != NULL);
  sprint_shift_free(shift);
  return status;
}

static void test_custom__needs_callbacks_and_memory(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, NULL);
  sprint_shift_callbacks callbacks = {.size = sizeof callbacks, .deployed = failing_deployed};
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "a custom shift needs a respond or a strata callback",
          sprint_shift_new_custom(w.context, &callbacks, w.model, w.population, &w.shift));
  sprint_status status = SPRINT_OK;
  assert_true(fail_every_allocation(w.context, make_custom, &w, &status) >= 3);
  MUST(w.context, status);
  world_free(&w);
}

/* A model of other people: of fewer features, of more classes. */
static void test_shift__refuses_models_of_others(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, NULL);
  sprint_real x[3 * D] = {0};
  const sprint_real y[3] = {0, 1, 2};
  sprint_population *narrow = NULL, *three = NULL;
  sprint_model *model = NULL;
  MUST(w.context, sprint_population_new(w.context, 3, 2, x, y, 3, &narrow));
  MUST(w.context, sprint_population_new(w.context, 3, D, x, y, 3, &three));
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "the model takes 10 features, the population has 2",
          sprint_shift_new(w.context, "none", w.model, narrow, &w.shift));
  MUST(w.context, sprint_model_new(w.context, "{layers: dense 3, loss: softmax}", three, &model));
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "the model knows 3 classes, the population has 2",
          sprint_shift_new(w.context, "none", model, w.population, &w.shift));
  assert_null(w.shift);
  sprint_model_free(model);
  sprint_population_free(narrow);
  sprint_population_free(three);
  world_free(&w);
}

/* Oracles: moves of linear responses add up; on classes of equal size factors exp(-alpha l_c) multiply, so that two
 * retentions are one of the sum of their alphas. Four parts, chains within chains. */
static void test_chain__parts_act_one_after_the_other(void **state) {
  (void)state;
  static const char chain[] =
      "{kind: chain, first: {kind: linear, epsilon: 0.5}, then: {kind: chain, first: {kind: "
      "linear, epsilon: 0.25}, then: {kind: chain, first: {kind: retention, alpha: 1}, then: "
      "{kind: retention, alpha: 2}}}}";
  struct world w = world_new("{kind: lending, n: 2000, select: balanced, size: 40}", linear, chain);
  sprint_shift *moves = NULL, *weighs = NULL;
  MUST(w.context, sprint_shift_new(w.context, "{kind: linear, epsilon: 0.75}", w.model, w.population, &moves));
  MUST(w.context, sprint_shift_new(w.context, "{kind: retention, alpha: 3}", w.model, w.population, &weighs));
  sprint_real theta[D + 1], x[D], expected[D];
  MUST(w.context, sprint_model_start(w.model, 5, theta));
  uint32_t who = 7;
  MUST(w.context, sprint_shift_respond(w.shift, theta, &who, 1, x));
  MUST(w.context, sprint_shift_respond(moves, theta, &who, 1, expected));
  for (size_t j = 0; j < D; j++) CLOSE(x[j], expected[j], 4);
  double p[2], one[2];
  MUST(w.context, sprint_shift_strata(w.shift, theta, p));
  MUST(w.context, sprint_shift_strata(weighs, theta, one));
  for (size_t c = 0; c < 2; c++) assert_true(fabs(p[c] - one[c]) < 1e-12);
  sprint_run *run = run_done(&w, "{step: {size: 0.05}, stop: {epochs: 3}}", 1);
  assert_int_equal(sprint_run_stop(run), SPRINT_STOP_EPOCHS);
  sprint_run_free(run);
  sprint_shift_free(weighs);
  sprint_shift_free(moves);
  world_free(&w);
}

/* A kind with no more than what nobody can guess: what people want. */
static void spec_of(const sprint_kind *kind, char *spec, size_t size) {
  int n = snprintf(spec, size, "{kind: %s", kind->name);
  for (size_t p = 0; p < kind->n_params; p++) {
    const sprint_param *param = &kind->params[p];
    bool people = param->type == SPRINT_PARAM_KIND && strcmp(param->standard, "strategic") == 0;
    if (strcmp(param->name, "good") == 0) n += snprintf(spec + n, size - (size_t)n, ", good: 0");
    if (people) n += snprintf(spec + n, size - (size_t)n, ", %s: {kind: strategic, good: 0}", param->name);
  }
  snprintf(spec + n, size - (size_t)n, "}");
}

/* Every kind that takes this model, as it comes: whichever allocation fails, the shift is not made and says so; and
 * once a run is set up, it allocates nothing. */
static void test_shift__all_kinds_and_memory(void **state) {
  (void)state;
  const sprint_family *family = &sprint__shift_family;
  size_t n_taken = 0;
  for (size_t k = 0; k < family->n_kinds; k++) {
    struct world w = world_new(lending, linear, NULL);
    sprint_status status = SPRINT_ERROR_MEMORY;
    char spec[160];
    spec_of(family->kinds[k], spec, sizeof spec);
    for (int64_t fail = 0; status == SPRINT_ERROR_MEMORY; fail++) {
      w.context->n_allocations = 0;
      w.context->fail_allocation = fail;
      status = sprint_shift_new(w.context, spec, w.model, w.population, &w.shift);
      w.context->fail_allocation = -1;
      if (status == SPRINT_ERROR_MEMORY) assert_true(w.context->n_allocations > (uint64_t)fail);
    }
    if (status == SPRINT_OK) {
      sprint_run *run = run_new(&w, "{method: {correction: unbiased, batch: 8}, stop: {epochs: 3}}", 1);
      uint64_t first = w.context->n_allocations;
      MUST(w.context, sprint_run_go(run, NULL, NULL));
      assert_int_equal(w.context->n_allocations, first);
      sprint_run_free(run);
      n_taken++;
    }
    world_free(&w);
  }
  assert_int_equal(n_taken, family->n_kinds - 1); /* `location` needs as many parameters as features */
}

static void test_shift__refusals(void **state) {
  (void)state;
  struct world w = world_new(lending, "{layers: 'dense 4, relu, dense 1'}", NULL);
  sprint_shift *shift = NULL;
  const char *const cases[][2] = {
      {"{kind: linear}", "needs a linear model"},
      {"{kind: location}", "as many parameters as features"},
      {"{kind: strategic, good: 0, columns: [agee]}", "did you mean 'age'"},
      {"{kind: strategic, good: 0, columns: [age, age]}", "named twice"},
      {"{kind: strategic, good: maybe}", "'maybe' is not a class"},
      {"{kind: chain, first: none, then: none}", "nobody reacts"},
      {"{kind: location, matrix: /nowhere.npy}", "/nowhere.npy"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    REFUSED(w.context, (i == 6 ? SPRINT_ERROR_IO : SPRINT_ERROR_INPUT), cases[i][1],
            sprint_shift_new(w.context, cases[i][0], w.model, w.population, &shift));
  uint32_t nobody = 40;
  sprint_real x[D], theta[49] = {0};
  MUST(w.context, sprint_shift_new(w.context, "{kind: none}", w.model, w.population, &w.shift));
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "individual 40", sprint_shift_respond(w.shift, theta, &nobody, 1, x));
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strategic__linear_logit),
      cmocka_unit_test(test_strategic__linear_probability),
      cmocka_unit_test(test_strategic__sign_good_and_columns),
      cmocka_unit_test(test_strategic__accumulating),
      cmocka_unit_test(test_linear__moves_one_class),
      cmocka_unit_test(test_location__matrix),
      cmocka_unit_test(test_custom__strata_are_checked),
      cmocka_unit_test(test_custom__sentence_is_kept),
      cmocka_unit_test(test_custom__hears_of_deployments),
      cmocka_unit_test(test_custom__deployments_may_fail),
      cmocka_unit_test(test_custom__needs_callbacks_and_memory),
      cmocka_unit_test(test_shift__refuses_models_of_others),
      cmocka_unit_test(test_chain__parts_act_one_after_the_other),
      cmocka_unit_test(test_shift__all_kinds_and_memory),
      cmocka_unit_test(test_shift__refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
