/* Estimators by enumeration: all one-sample batches at one point of a run, told by hand, on a network whose population
 * moves and is reweighted (docs/math.md sections 3 and 4). */
#include "help.h"

#include "base/vector.h"
#include "engine/pass.h"
#include "population/weights.h"
#include "solver/solver.h"

enum { PEOPLE = 24, FEATURES = 10, MOST = 128, MOST_DEPLOYED = 16 };

/* Tells a solver whatever it wants; individuals are drawn as the script says, one after the other. */
struct teller {
  struct world *world;
  sprint_real deployed[MOST_DEPLOYED][MOST]; /* by number */
  const uint32_t *script;
  sprint_want want; /* the newest */
  double p[2];      /* of the newest deployment */
};

static struct world scene(const char *shift) {
  return world_new("{kind: lending, n: 2000, select: balanced, size: 24}",
                   "{layers: 'dense 6, tanh, dense 1', loss: logistic}", shift);
}

/* The same, its people standing for 0.5 to 2.5 each. */
static struct world weighted_scene(const char *shift) {
  struct world w = scene(shift);
  double weights[PEOPLE];
  for (size_t i = 0; i < PEOPLE; i++) weights[i] = 0.5 * (double)(1 + i * 7 % 5);
  MUST(w.context, sprint_population_weigh(w.population, weights));
  return w;
}

/* The same, its loss with a penalty that is as large as the rest. */
static struct world penalized_scene(void) {
  return world_new("{kind: lending, n: 2000, select: balanced, size: 24}",
                   "{layers: 'dense 6, tanh, dense 1', loss: logistic, l2: 0.5}", "none");
}

static const char both[] =
    "{kind: both, response: {kind: strategic, good: 0, alpha: 0.4}, strata: {kind: retention, alpha: 2}}";

static void respond(const struct teller *t, uint64_t deployment, const uint32_t *who, size_t n, sprint_real *x) {
  MUST(t->world->context, sprint_shift_respond(t->world->shift, t->deployed[deployment], who, n, x));
}

static void tell_everybody(struct teller *t, sprint_solver *solver) {
  sprint_real x[PEOPLE * FEATURES];
  uint32_t who[PEOPLE], stratum[PEOPLE];
  for (uint32_t i = 0; i < PEOPLE; i++) {
    who[i] = i;
    stratum[i] = sprint__population_stratum(t->world->population, i);
  }
  respond(t, t->want.deployment, who, PEOPLE, x);
  sprint_records records = {.size = sizeof records,
                            .n = PEOPLE,
                            .x = x,
                            .y = sprint_population_y(t->world->population),
                            .stratum = stratum,
                            .p = t->p,
                            .last = true,
                            .weight = sprint_population_weights(t->world->population)};
  MUST(t->world->context, sprint_solver_tell(solver, &records));
}

static void tell_one(struct teller *t, sprint_solver *solver, uint32_t who) {
  sprint_real x[FEATURES], x_reference[FEATURES];
  uint32_t stratum = sprint__population_stratum(t->world->population, who);
  double weight = sprint__weight_of(t->world->population, who);
  respond(t, t->want.deployment, &who, 1, x);
  if (t->want.reference) respond(t, t->want.reference, &who, 1, x_reference);
  sprint_records records = {.size = sizeof records,
                            .n = 1,
                            .x = x,
                            .y = sprint_population_y(t->world->population) + who,
                            .x_reference = t->want.reference ? x_reference : NULL,
                            .stratum = &stratum,
                            .who = &who,
                            .p = t->p,
                            .weight = &weight};
  MUST(t->world->context, sprint_solver_tell(solver, &records));
}

static sprint_solver *solver_new(struct world *w, const char *spec, bool still) {
  sprint_real start[MOST];
  const double *sizes = w->population->stratum_size;
  assert_true(w->model->n_params <= MOST);
  MUST(w->context, sprint_model_start(w->model, 11, start));
  sprint_solver_options options = {.size = sizeof options,
                                   .spec = spec,
                                   .model = w->model,
                                   .n = PEOPLE,
                                   .n_strata = 2,
                                   .theta = start,
                                   .seed = 3,
                                   .still = still,
                                   .strata_sizes = sizes};
  sprint_solver *solver = NULL;
  MUST(w->context, sprint_solver_new(w->context, &options, &solver));
  return solver;
}

/* Drives the solver until `batches` batches have been told. */
static void drive(struct teller *t, sprint_solver *solver, size_t batches) {
  struct world *w = t->world;
  for (size_t told = 0; told < batches;) {
    t->want = (sprint_want){.size = sizeof t->want};
    MUST(w->context, sprint_solver_ask(solver, &t->want));
    assert_true(t->want.deployment < MOST_DEPLOYED);
    if (t->want.deploy) {
      memcpy(t->deployed[t->want.deployment], t->want.theta, w->model->n_params * sizeof(sprint_real));
      MUST(w->context, sprint_shift_strata(w->shift, t->want.theta, t->p));
    }
    if (t->want.kind == SPRINT_WANT_POPULATION) {
      tell_everybody(t, solver);
    } else {
      assert_int_equal(t->want.kind, SPRINT_WANT_BATCH);
      tell_one(t, solver, t->script[told++]);
    }
  }
}

/* What is known where the last of a script's batches is drawn. */
struct point {
  sprint_real theta[MOST], before[MOST];
  double v_before[MOST];    /* v of the step before */
  double p[2], p_before[2]; /* strata probabilities then and before */
  double mean[MOST];        /* over all individuals, as often as they are drawn: E[v] */
};

/* Two batches of individuals 3 and 17, then each individual in turn. */
static void enumerate(struct world *w, const char *spec, struct point *point) {
  static struct teller t;
  size_t n = w->model->n_params;
  *point = (struct point){0};
  for (uint32_t i = 0; i < PEOPLE; i++) {
    const uint32_t script[] = {3, 17, i};
    sprint_solver *solver = solver_new(w, spec, false);
    t = (struct teller){.world = w, .script = script};
    drive(&t, solver, 2);
    for (size_t k = 0; k < n; k++) point->v_before[k] = (double)sprint_solver_direction(solver)[k];
    memcpy(point->before, t.deployed[t.want.deployment], n * sizeof(sprint_real));
    memcpy(point->p_before, t.p, sizeof t.p);
    t.script = &script[2];
    drive(&t, solver, 1);
    memcpy(point->theta, t.deployed[t.want.deployment], n * sizeof(sprint_real));
    memcpy(point->p, t.p, sizeof t.p);
    uint32_t c = sprint__population_stratum(w->population, i);
    double often = t.p[c] * sprint__weight_of(w->population, i) / w->population->stratum_size[c];
    for (size_t k = 0; k < n; k++) point->mean[k] += often * (double)sprint_solver_direction(solver)[k];
    sprint_solver_free(solver);
  }
}

static void check_saga(struct world w) {
  struct point point;
  double gradient[MOST];
  enumerate(&w, "{method: {kind: saga, batch: 1, inner: 8}, step: {size: 0.5}, stop: {epochs: 1}}", &point);
  MUST(w.context, sprint_risk(w.shift, point.theta, point.theta, NULL, NULL, gradient));
  /* sums of 24 vectors of numbers about 1: some tens of roundings */
  for (size_t k = 0; k < w.model->n_params; k++) CLOSE(point.mean[k], gradient[k], 60);
  world_free(&w);
}

static void test_saga__is_unbiased(void **state) {
  (void)state;
  check_saga(scene(both));
  check_saga(weighted_scene(both));
}

/* E[v_k] = v_{k-1} + grad J(theta_k; theta_k) - (the gradient at theta_{k-1} that the correction takes off). */
static void check_recursion_of(struct world w, const char *method, const char *correction, bool coupled,
                               bool stratified) {
  struct point point;
  double gradient[MOST], off[MOST];
  char spec[256];
  snprintf(spec, sizeof spec,
           "{method: {kind: %s, correction: %s, batch: 1, inner: 8%s}, step: {size: 0.5}, stop: {epochs: 1}}", method,
           correction, strcmp(method, "spider") == 0 ? ", length: 1e9" : "");
  enumerate(&w, spec, &point);
  const double *p = stratified ? point.p_before : point.p;
  MUST(w.context, sprint_risk(w.shift, point.theta, point.theta, NULL, NULL, gradient));
  MUST(w.context, sprint__risk_at(w.shift, point.before, coupled ? point.before : point.theta, p, NULL, NULL, off));
  for (size_t k = 0; k < w.model->n_params; k++)
    CLOSE(point.mean[k], point.v_before[k] + gradient[k] - off[k], 60); /* as saga's */
  world_free(&w);
}

static void check_recursion(const char *method, const char *correction, bool coupled, bool stratified) {
  check_recursion_of(scene(both), method, correction, coupled, stratified);
  check_recursion_of(weighted_scene(both), method, correction, coupled, stratified);
}

static void test_recursive__takes_off_what_it_says(void **state) {
  (void)state;
  static const char *const methods[] = {"sarah", "spider", "page"};
  for (size_t m = 0; m < 3; m++) {
    check_recursion(methods[m], "paper", false, false);
    check_recursion(methods[m], "coupled", true, false);
    check_recursion(methods[m], "stratified", false, true);
    check_recursion(methods[m], "unbiased", true, true);
  }
}

/* The first step of an epoch of sarah is the gradient of all. */
static void test_sarah__starts_with_the_gradient_of_all(void **state) {
  (void)state;
  static const uint32_t script[] = {5};
  static struct teller t;
  struct world w = scene(both);
  sprint_solver *solver =
      solver_new(&w, "{method: {kind: sarah, batch: 1, inner: 4}, step: {size: 0.5}, stop: {steps: 1}}", false);
  double gradient[MOST];
  t = (struct teller){.world = &w, .script = script};
  t.want = (sprint_want){.size = sizeof t.want};
  MUST(w.context, sprint_solver_ask(solver, &t.want));
  memcpy(t.deployed[1], t.want.theta, w.model->n_params * sizeof(sprint_real));
  MUST(w.context, sprint_shift_strata(w.shift, t.deployed[1], t.p));
  tell_everybody(&t, solver);
  MUST(w.context, sprint_risk(w.shift, t.deployed[1], t.deployed[1], NULL, NULL, gradient));
  for (size_t k = 0; k < w.model->n_params; k++) CLOSE(sprint_solver_direction(solver)[k], gradient[k], 20);
  assert_int_equal(sprint_solver_counters(solver).ifo, PEOPLE);
  sprint_solver_free(solver);
  world_free(&w);
}

/* The drift meter of `paper`, with a look at every batch of an epoch of four but the first, which theta~ itself brought
 * about: after one look b is grad l(z; theta~) - g~, and over all draws its mean is
 * grad J(theta~; theta) - grad J(theta~; theta~). */
static void test_drift__is_the_running_mean(void **state) {
  (void)state;
  static const char spec[] =
      "{method: {kind: sprint, correction: paper, batch: 1, inner: 4}, step: {size: 0.5}, stop: {epochs: 1}}";
  static struct teller t;
  struct world w = scene("{kind: strategic, good: 0, alpha: 0.4}");
  size_t n = w.model->n_params;
  for (uint32_t i = 0; i < PEOPLE; i++) {
    const uint32_t script[] = {5, i, 9};
    sprint_solver *solver = solver_new(&w, spec, false);
    sprint_drift drift = {.size = sizeof drift};
    MUST(w.context, sprint_solver_drift(solver, &drift));
    assert_true(isnan(drift.bias) && drift.looks == 0);
    t = (struct teller){.world = &w, .script = script};
    drive(&t, solver, 1);
    MUST(w.context, sprint_solver_drift(solver, &drift));
    assert_true(isnan(drift.bias) && drift.looks == 0);
    t.script = script + 1;
    drive(&t, solver, 2);
    MUST(w.context, sprint_solver_drift(solver, &drift));
    assert_int_equal(drift.looks, 2);
    double all[MOST], square = 0, spread = 0, b[2][MOST], distance = 0;
    MUST(w.context, sprint_risk(w.shift, t.deployed[1], t.deployed[1], NULL, NULL, all));
    for (size_t k = 0; k < 2; k++) {
      sprint_real x[FEATURES], gradient[MOST];
      respond(&t, k + 2, &script[k + 1], 1, x);
      sprint_batch one = {sizeof one, 1, x, sprint_population_y(w.population) + script[k + 1]};
      MUST(w.context, sprint_model_gradient(w.model, t.deployed[1], &one, NULL, NULL, gradient, NULL));
      for (size_t j = 0; j < n; j++) b[k][j] = (double)gradient[j] - all[j];
      distance += sprint__distance(t.deployed[k + 2], t.deployed[1], n) / 2;
    }
    for (size_t j = 0; j < n; j++) {
      square += (b[0][j] + b[1][j]) * (b[0][j] + b[1][j]) / 4;
      spread += (b[0][j] - b[1][j]) * (b[0][j] - b[1][j]) / 4;
    }
    CLOSE(drift.bias, sqrt(square), 40);
    CLOSE(drift.noise * drift.noise, spread, 40);
    CLOSE(drift.distance, distance, 40);
    CLOSE(drift.kappa, sqrt(square) / distance, 200);
    sprint_solver_free(solver);
  }
  world_free(&w);
}

/* Where features never move the meter is exact: |grad J(theta~; theta) - grad J(theta~; theta~)|, and 0 for a
 * correction that weighs the strata anew. */
static void test_drift__is_exact_by_strata(void **state) {
  (void)state;
  static const uint32_t script[] = {3, 17, 5};
  static struct teller t;
  struct world w = scene("{kind: retention, alpha: 2}");
  for (int stratified = 0; stratified < 2; stratified++) {
    char spec[160];
    snprintf(spec, sizeof spec,
             "{method: {kind: sprint, correction: %s, batch: 1, inner: 8}, step: {size: 0.5}, stop: {epochs: 1}}",
             stratified ? "stratified" : "paper");
    sprint_solver *solver = solver_new(&w, spec, true);
    sprint_drift drift = {.size = sizeof drift};
    double then[MOST], now[MOST], square = 0;
    t = (struct teller){.world = &w, .script = script};
    drive(&t, solver, 3);
    MUST(w.context, sprint_solver_drift(solver, &drift));
    MUST(w.context, sprint_risk(w.shift, t.deployed[1], t.deployed[1], NULL, NULL, then));
    MUST(w.context, sprint_risk(w.shift, t.deployed[1], t.deployed[t.want.deployment], NULL, NULL, now));
    for (size_t k = 0; k < w.model->n_params; k++) square += (now[k] - then[k]) * (now[k] - then[k]);
    CLOSE(drift.bias, stratified ? 0 : sqrt(square), 40);
    assert_true(sqrt(square) > 1e-3 && drift.noise == 0);
    sprint_solver_free(solver);
  }
  world_free(&w);
}

/* An epoch ends once the drift passes the fraction of |v|: at strong retention with a tiny fraction, after its first
 * steps; without patience it goes on to the end. */
static void test_drift__ends_an_epoch(void **state) {
  (void)state;
  struct world w = scene("{kind: retention, alpha: 5}");
  static const char form[] =
      "{method: {kind: sprint, correction: paper, batch: 4, inner: 20, patience: %s}, step: {size: 0.3}, "
      "stop: {epochs: 3}}";
  uint64_t steps[2];
  for (int k = 0; k < 2; k++) {
    char spec[160];
    snprintf(spec, sizeof spec, form, k ? "0.01" : "0");
    sprint_run *run = run_done(&w, spec, 1);
    steps[k] = last_row(run)->cost.steps;
    assert_int_equal(last_row(run)->cost.epochs, 3);
    assert_int_equal(sprint_run_n_rows(run), 4);
    sprint_run_free(run);
  }
  assert_int_equal(steps[0], 60);
  assert_true(steps[1] >= 6 && steps[1] < 20);
  world_free(&w);
}

/* Cut sample by sample, and as a whole, by hand. The penalty is part of every loss: it is cut with the rest. */
static void check_clipped(struct world w) {
  const double length = 0.3;
  sprint_real start[MOST], parts[2][MOST];
  const uint32_t who[] = {2, 19};
  sprint_real x[2 * FEATURES], y[2];
  MUST(w.context, sprint_model_start(w.model, 11, start));
  MUST(w.context, sprint_population_rows(w.population, who, 0, 2, x));
  for (size_t i = 0; i < 2; i++) {
    y[i] = sprint_population_y(w.population)[who[i]];
    sprint_batch one = {sizeof one, 1, x + i * FEATURES, y + i};
    MUST(w.context, sprint_model_gradient(w.model, start, &one, NULL, NULL, parts[i], NULL));
  }
  for (int each = 0; each < 2; each++) {
    char spec[160];
    double expected[MOST] = {0}, square = 0;
    snprintf(spec, sizeof spec, "{method: {kind: clipped, batch: 2, inner: 4, length: 0.3, of: %s}, stop: {steps: 1}}",
             each ? "sample" : "batch");
    for (size_t i = 0; i < 2; i++) {
      double norm = sqrt(sprint__norm_sq(parts[i], w.model->n_params)), by = each && norm > length ? length / norm : 1;
      assert_true(norm > length);
      for (size_t k = 0; k < w.model->n_params; k++) expected[k] += by * (double)parts[i][k] / 2;
    }
    for (size_t k = 0; k < w.model->n_params; k++) square += expected[k] * expected[k];
    double by = !each && sqrt(square) > length ? length / sqrt(square) : 1;
    sprint_solver *solver = solver_new(&w, spec, true);
    sprint_want want = {.size = sizeof want};
    const double p[] = {0.5, 0.5};
    MUST(w.context, sprint_solver_ask(solver, &want));
    sprint_records records = {.size = sizeof records, .n = 2, .x = x, .y = y, .p = p};
    MUST(w.context, sprint_solver_tell(solver, &records));
    for (size_t k = 0; k < w.model->n_params; k++) CLOSE(sprint_solver_direction(solver)[k], by * expected[k], 20);
    sprint_solver_free(solver);
  }
  world_free(&w);
}

static void test_clipped__cuts(void **state) {
  (void)state;
  check_clipped(scene("none"));
  check_clipped(penalized_scene());
}

/* No step goes farther than gamma times the length, and the penalty is part of v: the first is grad J, cut, and all of
 * them keep to the bound. */
static void test_spider__cuts_all_of_v(void **state) {
  (void)state;
  struct world w = penalized_scene();
  const double length = 0.3;
  sprint_real start[MOST];
  double gradient[MOST], square = 0;
  MUST(w.context, sprint_model_start(w.model, 11, start));
  MUST(w.context, sprint_risk(w.shift, start, start, NULL, NULL, gradient));
  for (size_t k = 0; k < w.model->n_params; k++) square += gradient[k] * gradient[k];
  assert_true(sqrt(square) > length);
  static struct teller t;
  const uint32_t script[] = {3, 17, 5};
  sprint_solver *solver =
      solver_new(&w, "{method: {kind: spider, batch: 1, inner: 8, length: 0.3}, stop: {epochs: 1}}", false);
  t = (struct teller){.world = &w, .script = script};
  sprint_want want = {.size = sizeof want};
  MUST(w.context, sprint_solver_ask(solver, &want));
  memcpy(t.deployed[want.deployment], want.theta, w.model->n_params * sizeof(sprint_real));
  MUST(w.context, sprint_shift_strata(w.shift, want.theta, t.p));
  t.want = want;
  tell_everybody(&t, solver);
  for (size_t k = 0; k < w.model->n_params; k++)
    CLOSE(sprint_solver_direction(solver)[k], length / sqrt(square) * gradient[k], 20);
  for (int s = 0; s < 3; s++, t.script++) {
    drive(&t, solver, 1);
    double norm = sqrt(sprint__norm_sq(sprint_solver_direction(solver), w.model->n_params));
    assert_true(norm <= length * (1 + 1e-5)); /* roundings of a norm in single precision */
  }
  sprint_solver_free(solver);
  world_free(&w);
}

/* A solver that is told the same two records again and again, with v from them, is a deterministic map: momentum and
 * Adam against the formulas of their papers, in double. */
static void check_rule(const char *step, bool adam, double beta, bool nesterov) {
  struct world w = scene("none");
  enum { STEPS = 12 };
  size_t n = w.model->n_params;
  char spec[256];
  snprintf(spec, sizeof spec, "{method: {kind: sgd, batch: 1, inner: 50}, step: %s, stop: {steps: 12}}", step);
  sprint_solver *solver = solver_new(&w, spec, true);
  double theta[MOST], first[MOST] = {0}, second[MOST] = {0};
  for (size_t k = 0; k < n; k++) theta[k] = (double)sprint_solver_theta(solver)[k];
  for (int s = 0; s < STEPS; s++) {
    uint32_t who = (uint32_t)(s % PEOPLE);
    sprint_real x[FEATURES];
    const double p[] = {0.5, 0.5};
    sprint_want want = {.size = sizeof want};
    MUST(w.context, sprint_population_rows(w.population, &who, 0, 1, x));
    MUST(w.context, sprint_solver_ask(solver, &want));
    sprint_records records = {
        .size = sizeof records, .n = 1, .x = x, .y = sprint_population_y(w.population) + who, .p = p};
    MUST(w.context, sprint_solver_tell(solver, &records));
    for (size_t k = 0; k < n; k++) {
      double v = (double)sprint_solver_direction(solver)[k], u;
      if (adam) {
        first[k] = 0.9 * first[k] + 0.1 * v;
        second[k] = 0.999 * second[k] + 0.001 * v * v;
        u = first[k] / (1 - pow(0.9, s + 1)) / (sqrt(second[k] / (1 - pow(0.999, s + 1))) + 1e-8);
      } else {
        first[k] = beta * first[k] + v;
        u = nesterov ? v + beta * first[k] : first[k];
      }
      theta[k] -= 0.05 * u;
    }
  }
  /* twelve steps of a few roundings each; Adam's root of a small square loses half the digits of those near 0 */
  for (size_t k = 0; k < n; k++) CLOSE(sprint_solver_theta(solver)[k], theta[k], adam ? 2000 : 100);
  sprint_solver_free(solver);
  world_free(&w);
}

static void test_step__momentum_and_adam(void **state) {
  (void)state;
  check_rule("{kind: momentum, size: 0.05, beta: 0.8}", false, 0.8, false);
  check_rule("{kind: momentum, size: 0.05, beta: 0.8, nesterov: true}", false, 0.8, true);
  check_rule("{kind: momentum, size: 0.05, beta: 0}", false, 0, false);
  check_rule("{kind: adam, size: 0.05}", true, 0, false);
}

static void test_saga__a_table_that_does_not_fit(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, n: 3000}", "{layers: 'dense 64, tanh, dense 1'}", "none");
  sprint_run *run = NULL;
  sprint_run_options options = {
      .size = sizeof options, .spec = "{method: {kind: saga, memory: 9}, stop: {epochs: 1}}", .shift = w.shift};
  bool fits = 3000.0 * 769 * sizeof(sprint_real) <= 9e6;
  assert_false(fits);
  REFUSED(w.context, SPRINT_ERROR_INPUT, "a table of 3000 gradients of 769 parameters takes",
          sprint_run_new(w.context, &options, &run));
  world_free(&w);
}

/* Ask and tell: what saga needs and is not told is refused, and the state is as it was. */
static void test_saga__needs_identities(void **state) {
  (void)state;
  struct world w = scene("none");
  sprint_solver *solver = solver_new(&w, "{method: {kind: saga, batch: 1, inner: 4}}", true);
  sprint_want want = {.size = sizeof want};
  sprint_real x[FEATURES];
  const double p[] = {0.5, 0.5};
  const uint32_t who = 0, nobody = PEOPLE, stratum = 0;
  MUST(w.context, sprint_population_rows(w.population, &who, 0, 1, x));
  MUST(w.context, sprint_solver_ask(solver, &want));
  sprint_records records = {.size = sizeof records, .n = 1, .x = x, .y = sprint_population_y(w.population), .p = p};
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "`stratum` was expected", sprint_solver_tell(solver, &records));
  records.stratum = &stratum;
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "`who` was expected", sprint_solver_tell(solver, &records));
  records.who = &nobody;
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "individual 24; there are 24", sprint_solver_tell(solver, &records));
  records.who = &who;
  MUST(w.context, sprint_solver_tell(solver, &records));
  assert_int_equal(sprint_solver_counters(solver).steps, 1);
  sprint_solver_free(solver);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_saga__is_unbiased),
      cmocka_unit_test(test_recursive__takes_off_what_it_says),
      cmocka_unit_test(test_sarah__starts_with_the_gradient_of_all),
      cmocka_unit_test(test_drift__is_the_running_mean),
      cmocka_unit_test(test_drift__is_exact_by_strata),
      cmocka_unit_test(test_drift__ends_an_epoch),
      cmocka_unit_test(test_clipped__cuts),
      cmocka_unit_test(test_spider__cuts_all_of_v),
      cmocka_unit_test(test_step__momentum_and_adam),
      cmocka_unit_test(test_saga__a_table_that_does_not_fit),
      cmocka_unit_test(test_saga__needs_identities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
