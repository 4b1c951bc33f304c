/* Geometric decay: the distance to the response shrinks by 1 - rate at each deployment; fixed points are those of the
 * shift within; what is asked leaves no mark. */
#include "help.h"

#include "shift/shift.h"

static const char lending[] = "{kind: lending, n: 3000, select: balanced, size: 40, holdout: 0.25}";
static const char linear[] = "{layers: dense 1, loss: logistic}";
static const char line[] = "{kind: gaussian, n: 20, d: 1, mean: 0.7, standardize: none}";

enum { D = 10, SOME = 6 };

static const uint32_t some[SOME] = {3, 0, 29, 7, 7, 12};

static void some_theta(const struct world *w, sprint_real *theta) {
  MUST(w->context, sprint_model_start(w->model, 5, theta));
  for (size_t j = 0; j < D + 1; j++) theta[j] += (sprint_real)0.4;
}

/* The full response, by a shift of its own. */
static void full_response(struct world *w, const char *spec, const sprint_real *theta, sprint_real *ret_x) {
  sprint_shift *full = NULL;
  MUST(w->context, sprint_shift_new(w->context, spec, w->model, w->population, &full));
  MUST(w->context, sprint_shift_respond(full, theta, some, SOME, ret_x));
  sprint_shift_free(full);
}

static void base_records(const struct world *w, sprint_real *ret_x) {
  MUST(w->context, sprint_population_rows(w->population, some, 0, SOME, ret_x));
}

/* Records in force: a response to the very parameters that were deployed. */
static void in_force(struct world *w, sprint_real *ret_x) {
  MUST(w->context, sprint_shift_respond(w->shift, w->shift->in_force, some, SOME, ret_x));
}

/* Oracle: r - x_t = (1 - rate)^t (r - x_0). Each deployment rounds numbers below 16 a few times. */
static void test_decay__distance_shrinks(void **state) {
  (void)state;
  static const char *const inner[] = {"{kind: strategic, good: 0, alpha: 2, score: probability}",
                                      "{kind: linear, epsilon: 0.8}"};
  for (size_t k = 0; k < 2; k++) {
    char spec[128];
    snprintf(spec, sizeof spec, "{kind: decay, rate: 0.3, of: %s}", inner[k]);
    struct world w = world_new(lending, linear, spec);
    sprint_real theta[D + 1], other[D + 1], full[SOME * D], start[SOME * D], x[SOME * D], supposed[SOME * D];
    some_theta(&w, theta);
    memcpy(other, theta, sizeof other);
    full_response(&w, inner[k], theta, full);
    base_records(&w, start);
    for (int t = 1; t <= 12; t++) {
      double left = pow(0.7, t);
      MUST(w.context, sprint_shift_respond(w.shift, other, some, SOME, supposed)); /* if theta were deployed next */
      MUST(w.context, sprint__shift_deploy(w.shift, theta));
      in_force(&w, x);
      in_force(&w, x);
      for (size_t i = 0; i < SOME * D; i++) {
        CLOSE(x[i], (double)full[i] + left * ((double)start[i] - (double)full[i]), 16 * (4 + t));
        CLOSE(supposed[i], x[i], 16 * 4);
      }
    }
    assert_int_equal(w.shift->n_state, k == 0 ? 30 * D : D + 1); /* features, or parameters where that will do */
    assert_int_equal(w.shift->evals, k == 0 ? 12 * (30 + SOME) : 0);
    world_free(&w);
  }
}

/* Of affine responses, also in a chain, parameters are averaged. Oracle: features that decay one by one, as they do by
 * `drawn`, with everybody drawn at each deployment. */
static void test_decay__mean_parameters_are_mean_features(void **state) {
  (void)state;
  static const char form[] =
      "{kind: decay, rate: 0.3, moves: %s, of: {kind: chain, first: {kind: linear, epsilon: 0.8}, then: {kind: linear, "
      "epsilon: 0.5, only_label: 1}}}";
  char spec[192];
  snprintf(spec, sizeof spec, form, "everybody");
  struct world w = world_new(lending, linear, spec);
  sprint_shift *twin = NULL;
  snprintf(spec, sizeof spec, form, "drawn");
  MUST(w.context, sprint_shift_new(w.context, spec, w.model, w.population, &twin));
  sprint_real theta[D + 1], x[30 * D], expected[30 * D];
  uint32_t who[30];
  for (uint32_t i = 0; i < 30; i++) who[i] = i;
  some_theta(&w, theta);
  for (int t = 1; t <= 10; t++) {
    theta[t % D] = -theta[t % D];
    MUST(w.context, sprint_shift_respond(twin, theta, who, 30, expected));
    MUST(w.context, twin->ops->drawn(twin, theta, &(struct sprint__drawn){.n = 30, .who = who, .x = expected}));
    MUST(w.context, sprint__shift_deploy(w.shift, theta));
    MUST(w.context, sprint_shift_respond(w.shift, theta, who, 30, x));
    for (size_t i = 0; i < 30 * D; i++) CLOSE(x[i], expected[i], 16 * (4 + t));
  }
  assert_int_equal(w.shift->n_state, D + 1);
  assert_int_equal(twin->n_state, 30 * D);
  sprint_shift_free(twin);
  world_free(&w);
}

/* Oracle: p_t = q + (1 - rate)^t (b - q), q that of retention, b the base frequencies. */
static void test_decay__strata(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, "{kind: decay, rate: 0.25, of: {kind: retention, alpha: 3}}");
  sprint_shift *full = NULL;
  sprint_real theta[D + 1];
  double q[2], p[2], supposed[2];
  some_theta(&w, theta);
  MUST(w.context, sprint_shift_new(w.context, "{kind: retention, alpha: 3}", w.model, w.population, &full));
  MUST(w.context, sprint_shift_strata(full, theta, q));
  for (int t = 1; t <= 10; t++) {
    double left = pow(0.75, t);
    MUST(w.context, sprint_shift_strata(w.shift, theta, supposed));
    MUST(w.context, sprint__shift_strata(w.shift, theta, SPRINT__AT_DEPLOYMENT, p));
    for (size_t c = 0; c < 2; c++) {
      CLOSE(p[c], q[c] + left * (w.population->base_p[c] - q[c]), 4 + t);
      CLOSE(supposed[c], p[c], 4);
    }
  }
  assert_false(sprint__shift_moves(w.shift));
  sprint_shift_free(full);
  world_free(&w);
}

/* Only whoever is drawn moves, and stays there. */
static void test_decay__drawn(void **state) {
  (void)state;
  static const char inner[] = "{kind: linear, epsilon: 0.8}";
  struct world w =
      world_new(lending, linear, "{kind: decay, rate: 0.5, moves: drawn, of: {kind: linear, epsilon: 0.8}}");
  sprint_real theta[D + 1], full[SOME * D], start[SOME * D], x[SOME * D];
  some_theta(&w, theta);
  full_response(&w, inner, theta, full);
  base_records(&w, start);
  for (int t = 1; t <= 5; t++) {
    MUST(w.context, sprint_shift_respond(w.shift, theta, some, SOME, x));
    for (size_t i = 0; i < SOME * D; i++) { /* individual 3 has been drawn t - 1 times, the others never */
      double left = pow(0.5, i < D ? t : 1);
      CLOSE(x[i], (double)full[i] + left * ((double)start[i] - (double)full[i]), 16 * (4 + t));
    }
    MUST(w.context, w.shift->ops->drawn(w.shift, theta, &(struct sprint__drawn){.n = 1, .who = some, .x = x}));
  }
  assert_null(w.shift->ops->deployed);
  world_free(&w);
}

/* Somebody from outside is at the first step, whatever was deployed before. */
static void test_decay__outsiders_take_the_first_step(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, "{kind: decay, rate: 0.3, of: {kind: linear, epsilon: 0.8}}");
  sprint_real theta[D + 1], x[SOME * D], start[SOME * D], y[SOME] = {0};
  some_theta(&w, theta);
  base_records(&w, start);
  memcpy(x, start, sizeof x);
  for (int t = 0; t < 4; t++) MUST(w.context, sprint__shift_deploy(w.shift, theta));
  MUST(w.context, sprint__shift_respond(w.shift, theta, NULL, y, SOME, x));
  for (size_t i = 0; i < SOME * D; i++) CLOSE(x[i], (double)start[i] - 0.3 * 0.8 * (double)theta[i % D], 16);
  world_free(&w);
}

static double mean_of(const struct world *w) {
  double sum = 0;
  for (size_t i = 0; i < 20; i++) sum += (double)sprint_population_x(w->population)[i] / 20;
  return sum;
}

/* Oracle: a run of RGD on z + epsilon theta by hand, in double: o is what all have moved by. Rows leave no mark. Sixty
 * steps with roundings of numbers below 2. */
static void test_decay__run_has_a_twin(void **state) {
  (void)state;
  for (int every = 1; every <= 60; every += 59) {
    char spec[128];
    struct world w = world_new(line, "{loss: mean}", "{kind: decay, rate: 0.2, of: {kind: location, epsilon: 0.5}}");
    snprintf(spec, sizeof spec, "{method: rgd, step: {size: 0.3}, stop: {epochs: 60}, eval: {every: %d}}", every);
    sprint_run *run = run_done(&w, spec, 1);
    double theta = 0, o = 0, mean = mean_of(&w);
    for (int t = 0; t < 60; t++) {
      o += 0.2 * (0.5 * theta - o);
      theta -= 0.3 * (theta - mean - o);
    }
    CLOSE(sprint_run_theta(run)[0], theta, 60 * 8);
    sprint_run_free(run);
    world_free(&w);
  }
}

/* Oracle: theta_PS = mean z / (1 - epsilon), as without decay: where nothing moves any more, the state is the response.
 * Every method gets there. Of RGD and `unbiased`, (theta, what all have moved by) has the error's matrix (0.775 0.15;
 * 0.25 0.5), whose larger eigenvalue is 0.875; `paper` halves it in an epoch of 20 steps, as q + (1 - q) epsilon of
 * docs/math.md says. After 60 epochs 1e-18 of it is left at most; the rest is some twenty roundings, twice. */
static void test_decay__stable_point_is_that_of_the_shift(void **state) {
  (void)state;
  static const char *const methods[] = {"{kind: sprint, correction: unbiased, batch: 1}",
                                        "{kind: sprint, correction: paper, batch: 1}", "rgd"};
  for (size_t m = 0; m < 3; m++) {
    char spec[160];
    struct world w = world_new(line, "{loss: mean}", "{kind: decay, rate: 0.5, of: {kind: location, epsilon: 0.5}}");
    snprintf(spec, sizeof spec, "{method: %s, step: {size: 0.3}, stop: {epochs: 1200, steps: 1200}}", methods[m]);
    sprint_run *run = run_done(&w, spec, 1);
    CLOSE(sprint_run_theta(run)[0], mean_of(&w) / 0.5, 100);
    sprint_run_free(run);
    world_free(&w);
  }
}

/* Features and strata decay together, around a composition, with held-out people; the numbers of threads and of rows
 * change no bit. */
static void test_decay__around_both(void **state) {
  (void)state;
  sprint_real theta[2][D + 1];
  for (int k = 0; k < 2; k++) {
    struct world w =
        world_new(lending, linear, "{kind: decay, of: {kind: both, response: {kind: strategic, good: 0}}}");
    MUST(w.context, sprint_context_set_threads(w.context, k + 1));
    char spec[160];
    snprintf(spec, sizeof spec,
             "{method: {kind: sprint, correction: unbiased, batch: 3}, step: {size: 0.05}, stop: {epochs: 4}, eval: "
             "{every: %d}}",
             k + 1);
    sprint_run *run = run_done(&w, spec, 2);
    assert_int_equal(sprint_run_stop(run), SPRINT_STOP_EPOCHS);
    assert_true(isnan(last_row(run)->loss_heldout) && isfinite(last_row(run)->loss)); /* nobody there has moved yet */
    assert_int_equal(w.shift->n_state, 30 * D + 2);
    memcpy(theta[k], sprint_run_theta(run), sizeof theta[k]);
    sprint_run_free(run);
    assert_null(w.shift->in_force);
    world_free(&w);
  }
  assert_memory_equal(theta[0], theta[1], sizeof theta[0]);
}

static void test_decay__refusals(void **state) {
  (void)state;
  struct world w = world_new(lending, linear, NULL);
  const char *const cases[][2] = {
      {"{kind: decay, rate: 0}", "key 'shift.rate'"},
      {"{kind: decay, rate: 1.1}", "key 'shift.rate'"},
      {"{kind: decay, of: none}", "key 'shift.of': a shift under which somebody reacts was expected"},
      {"{kind: decay, of: {kind: decay, of: {kind: strategic, good: 0}}}",
       "key 'shift.of': a shift whose people do not remember where they stand was expected"},
      {"{kind: decay, of: {kind: strategic, good: 0, memory: accumulating}}", "do not remember where they stand"},
      {"{kind: chain, first: linear, then: {kind: decay, of: linear}}",
       "key 'shift.then': people who remember where they stand come first in a chain"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    REFUSED(w.context, SPRINT_ERROR_INPUT, cases[i][1],
            sprint_shift_new(w.context, cases[i][0], w.model, w.population, &w.shift));
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_decay__distance_shrinks),
      cmocka_unit_test(test_decay__mean_parameters_are_mean_features),
      cmocka_unit_test(test_decay__strata),
      cmocka_unit_test(test_decay__drawn),
      cmocka_unit_test(test_decay__outsiders_take_the_first_step),
      cmocka_unit_test(test_decay__run_has_a_twin),
      cmocka_unit_test(test_decay__stable_point_is_that_of_the_shift),
      cmocka_unit_test(test_decay__around_both),
      cmocka_unit_test(test_decay__refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
