/* solver/: ask and tell on the scalar test bed, whose every number can be written down. */
#include "help.h"

#include <stddef.h>

#include "solver/solver.h"

enum { N = 6 };
static const sprint_real z[N] = {1, 2, 3, 4, 5, 9}; /* mean 4 */
static const sprint_real zeros[N];

/* The loss |z - theta|^2 / 2 and a solver for it. */
struct bench {
  sprint_context *context;
  sprint_population *population;
  sprint_model *model;
  sprint_solver *solver;
};

static struct bench bench_new(const char *spec, sprint_real start) {
  struct bench b = {0};
  assert_int_equal(sprint_context_new(&b.context), SPRINT_OK);
  MUST(b.context, sprint_population_new(b.context, N, 1, z, zeros, 0, &b.population));
  MUST(b.context, sprint_model_new(b.context, "{loss: mean}", b.population, &b.model));
  sprint_solver_options options = {
      .size = sizeof options, .spec = spec, .model = b.model, .n = N, .n_strata = 1, .theta = &start};
  MUST(b.context, sprint_solver_new(b.context, &options, &b.solver));
  return b;
}

static void bench_free(struct bench *b) {
  sprint_solver_free(b->solver);
  sprint_model_free(b->model);
  sprint_population_free(b->population);
  sprint_context_free(b->context);
}

static sprint_want ask(struct bench *b) {
  sprint_want want = {.size = sizeof want};
  MUST(b->context, sprint_solver_ask(b->solver, &want));
  return want;
}

/* Answers with the first records of z. */
static void tell(struct bench *b, size_t n) {
  sprint_records records = {.size = sizeof records, .n = n, .x = z, .y = zeros, .last = true};
  MUST(b->context, sprint_solver_tell(b->solver, &records));
}

static double theta(const struct bench *b) { return (double)sprint_solver_theta(b->solver)[0]; }

static void test_sgd__takes_the_batch_mean(void **state) {
  (void)state;
  struct bench b = bench_new("{method: {kind: sgd, batch: 2}, step: {size: 0.5}, stop: {steps: 1}}", 10);
  sprint_want want = ask(&b);
  assert_int_equal(want.kind, SPRINT_WANT_BATCH);
  assert_int_equal(want.n, 2);
  assert_true(want.deploy && want.deployment == 1 && want.reference == 0);
  tell(&b, 2);
  CLOSE(theta(&b), 10 - 0.5 * (10 - 1.5), 2);
  CLOSE(sprint_solver_direction(b.solver)[0], 8.5, 2);
  assert_int_equal(ask(&b).kind, SPRINT_WANT_NOTHING);
  assert_int_equal(sprint_solver_stop(b.solver), SPRINT_STOP_STEPS);
  bench_free(&b);
}

static void test_rgd__takes_everybody_in_pieces(void **state) {
  (void)state;
  struct bench b = bench_new("{method: rgd, step: {size: 0.25}, stop: {epochs: 2}}", 10);
  assert_int_equal(ask(&b).kind, SPRINT_WANT_POPULATION);
  sprint_records first = {.size = sizeof first, .n = 4, .x = z, .y = zeros},
                 rest = {.size = sizeof rest, .n = 2, .x = z + 4, .y = zeros, .last = true};
  MUST(b.context, sprint_solver_tell(b.solver, &first));
  CLOSE(theta(&b), 10, 0);
  MUST(b.context, sprint_solver_tell(b.solver, &rest));
  CLOSE(theta(&b), 10 - 0.25 * 6, 2);
  sprint_counters cost = sprint_solver_counters(b.solver);
  assert_true(cost.ifo == N && cost.samples == N && cost.epochs == 1 && cost.deployments == 1);
  bench_free(&b);
}

/* Oracle: docs/math.md section 3 by hand. The snapshot is at theta~ = 10, so g~ = 6; a batch of z = 1, 2 at theta = 10
 * gives v = 8.5 - 8.5 + 6; the next at theta = 7 gives 5.5 - 8.5 + 6 = 3. */
static void test_sprint__first_steps_by_hand(void **state) {
  (void)state;
  struct bench b = bench_new(
      "{method: {kind: sprint, correction: paper, batch: 2, inner: 2}, step: {size: 0.5}, stop: {epochs: 1}}", 10);
  sprint_want want = ask(&b);
  assert_true(want.kind == SPRINT_WANT_POPULATION && want.deploy && want.deployment == 1 && want.n == N);
  tell(&b, N);
  want = ask(&b);
  assert_true(want.kind == SPRINT_WANT_BATCH && !want.deploy && want.deployment == 1 && want.reference == 0);
  tell(&b, 2);
  CLOSE(theta(&b), 7, 2);
  want = ask(&b);
  assert_true(want.deploy && want.deployment == 2);
  tell(&b, 2);
  CLOSE(sprint_solver_direction(b.solver)[0], 3, 4);
  CLOSE(theta(&b), 5.5, 4);
  sprint_counters cost = sprint_solver_counters(b.solver);
  assert_true(cost.ifo == N + 2 * 2 * 2 && cost.samples == N + 2 * 2 && cost.deployments == 2 && cost.epochs == 1);
  bench_free(&b);
}

/* z~ is the reference record where coupled: v = (10 - 1.5) - (10 - 0.5) + 6 = 5 with references 0 and 1. */
static void test_sprint__coupled_uses_the_reference(void **state) {
  (void)state;
  struct bench b =
      bench_new("{method: {kind: sprint, correction: coupled, batch: 2}, step: {size: 1}, stop: {epochs: 1}}", 10);
  const sprint_real reference[2] = {0, 1};
  ask(&b);
  tell(&b, N);
  assert_true(ask(&b).reference == 1);
  sprint_records records = {.size = sizeof records, .n = 2, .x = z, .y = zeros, .x_reference = reference};
  MUST(b.context, sprint_solver_tell(b.solver, &records));
  CLOSE(sprint_solver_direction(b.solver)[0], 5, 4);
  bench_free(&b);
}

/* The steps at which something new is deployed, as bits. */
static unsigned deployments(const char *spec, int n_steps) {
  struct bench b = bench_new(spec, 10);
  unsigned bits = 0;
  for (int step = 0; step < n_steps;) {
    sprint_want want = ask(&b);
    if (want.deploy) bits |= 1u << step;
    tell(&b, want.n);
    step += want.kind == SPRINT_WANT_BATCH;
  }
  bench_free(&b);
  return bits;
}

static void test_deploy__policies(void **state) {
  (void)state;
  const char *greedy = "{method: {kind: sgd, batch: 1}, step: {size: 0.01}}";
  const char *lazy = "{method: {kind: sgd, batch: 1}, step: {size: 0.01}, deploy: {kind: every, steps: 3}}";
  const char *sprint = "{method: {kind: sprint, correction: paper, batch: 1, inner: 4}, step: {size: 0.01}}";
  const char *sprint_lazy =
      "{method: {kind: sprint, correction: paper, batch: 1, inner: 4}, step: {size: 0.01}, deploy: {kind: every, "
      "steps: 3}}";
  const char *fixed =
      "{method: {kind: sprint, correction: paper, batch: 1, inner: 4}, step: {size: 0.01}, deploy: {kind: every, "
      "steps: 4}}";
  assert_int_equal(deployments(greedy, 8), 0xff);
  assert_int_equal(deployments(lazy, 8), 1 << 0 | 1 << 3 | 1 << 6);
  assert_int_equal(deployments(sprint, 8), 0xff);
  assert_int_equal(deployments(sprint_lazy, 8), 1 << 0 | 1 << 3 | 1 << 4 | 1 << 7); /* snapshots at 0 and 4 */
  assert_int_equal(deployments(fixed, 8), 1 << 0 | 1 << 4);
  const char *by_epoch =
      "{method: {kind: sgd, batch: 1, inner: 4}, step: {size: 0.01}, deploy: {kind: every, steps: 0}}";
  assert_int_equal(deployments(by_epoch, 8), 1 << 0 | 1 << 4); /* K = m */
}

/* Step sizes through the solver: a batch of z = 1 at theta, so gamma = (before - after) / (before - 1). */
static double next_size(struct bench *b) {
  double before = theta(b);
  tell(b, ask(b).n);
  return (before - theta(b)) / (before - 1);
}

static void test_schedule__sizes(void **state) {
  (void)state;
  struct bench b = bench_new(
      "{method: {kind: sgd, batch: 1}, step: {kind: inverse-root, size: 2}, stop: {steps: 400, epochs: 0}}", 100);
  for (int t = 0; t < 3; t++) CLOSE(next_size(&b), 0.1, 50);
  bench_free(&b);
  b = bench_new("{method: {kind: sgd, batch: 1}, step: {kind: inverse-time, size: 0.2, decay: 0.5}}", 100);
  for (int t = 0; t < 4; t++) CLOSE(next_size(&b), 0.2 / (1 + 0.5 * t), 50);
  bench_free(&b);
  b = bench_new("{method: {kind: sgd, batch: 3}, step: {kind: piecewise, sizes: [0.3, 0.2, 0.1], at: [1, 3]}}", 100);
  const double expected[] = {0.3, 0.3, 0.2, 0.2, 0.2, 0.2, 0.1, 0.1};
  for (int t = 0; t < 8; t++) { /* epochs of two steps; the batch's mean is 2 */
    double before = theta(&b);
    tell(&b, ask(&b).n);
    CLOSE((before - theta(&b)) / (before - 2), expected[t], 200);
  }
  bench_free(&b);
}

static void test_step__projects_onto_the_ball(void **state) {
  (void)state;
  struct bench b = bench_new("{method: {kind: sgd, batch: 1}, step: {size: 1, radius: 0.5}}", 10);
  ask(&b);
  tell(&b, 1);
  CLOSE(theta(&b), 0.5, 2);
  bench_free(&b);
}

static sprint_stop stop_of(const char *spec, uint64_t *ret_steps) {
  struct bench b = bench_new(spec, 10);
  for (sprint_want want = ask(&b); want.kind != SPRINT_WANT_NOTHING; want = ask(&b)) tell(&b, want.n);
  sprint_stop stop = sprint_solver_stop(b.solver);
  *ret_steps = sprint_solver_counters(b.solver).steps;
  bench_free(&b);
  return stop;
}

static void test_stop__reasons(void **state) {
  (void)state;
  uint64_t steps = 0;
#define METHOD "{method: {kind: sprint, correction: paper, batch: 2}, step: {size: 0.01}, "
  assert_int_equal(stop_of(METHOD "stop: {epochs: 2}}", &steps), SPRINT_STOP_EPOCHS);
  assert_int_equal(steps, 6);
  assert_int_equal(stop_of(METHOD "stop: {steps: 4}}", &steps), SPRINT_STOP_STEPS);
  assert_int_equal(steps, 4);
  assert_int_equal(stop_of(METHOD "stop: {ifo: 10}}", &steps), SPRINT_STOP_IFO); /* 6 for the snapshot, 4 for a step */
  assert_int_equal(steps, 1);
  assert_int_equal(stop_of(METHOD "stop: {samples: 10}}", &steps), SPRINT_STOP_SAMPLES); /* 6 + 2 + 2 */
  assert_int_equal(steps, 2);
  assert_int_equal(stop_of(METHOD "stop: {deployments: 2}}", &steps), SPRINT_STOP_DEPLOYMENTS);
  assert_int_equal(steps, 2);
  assert_int_equal(stop_of("{method: {kind: sgd, batch: 1}, step: {size: 50}, stop: {epochs: 1000}}", &steps),
                   SPRINT_STOP_DIVERGED);
  assert_true(steps < 10);
  assert_int_equal(
      stop_of("{method: {kind: sgd, batch: 1}, step: {size: 1e6}, stop: {epochs: 1000, explosion: 1e300}}", &steps),
      SPRINT_STOP_DIVERGED);                                                     /* not before theta itself overflows */
  assert_int_equal(stop_of(METHOD "stop: {ifo: 24}}", &steps), SPRINT_STOP_IFO); /* 18 an epoch: no room for a step */
  assert_int_equal(steps, 3);
#undef METHOD
}

/* A budget that is given alone binds alone: the default of 40 epochs (of 3 steps and 6 IFO here) is not another. Where
 * epochs are given too, whichever comes first. */
static void test_stop__a_bound_alone_binds_alone(void **state) {
  (void)state;
  static const struct {
    const char *stop;
    sprint_stop reason;
    uint64_t steps;
  } cases[] = {
      {"{}", SPRINT_STOP_EPOCHS, 120},
      {"{explosion: 10}", SPRINT_STOP_EPOCHS, 120},
      {"{ifo: 600}", SPRINT_STOP_IFO, 300},
      {"{samples: 600}", SPRINT_STOP_SAMPLES, 300},
      {"{steps: 300}", SPRINT_STOP_STEPS, 300},
      {"{deployments: 300}", SPRINT_STOP_DEPLOYMENTS, 300},
      {"{ifo: 0}", SPRINT_STOP_EPOCHS, 120},
      {"{ifo: 600, epochs: 2}", SPRINT_STOP_EPOCHS, 6},
      {"{ifo: 600, epochs: 0}", SPRINT_STOP_IFO, 300},
      {"{ifo: 600, epochs: 40}", SPRINT_STOP_EPOCHS, 120},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char spec[160];
    uint64_t steps = 0;
    snprintf(spec, sizeof spec, "{method: {kind: sgd, batch: 2}, step: {size: 0.01}, stop: %s}", cases[i].stop);
    assert_int_equal(stop_of(spec, &steps), cases[i].reason);
    assert_int_equal(steps, cases[i].steps);
  }
}

/* Where the gradient of all is a step of itself, a budget that is left is spent on it, as by rgd: 6 + 4 + 4 an epoch.
 */
static void test_stop__a_snapshot_that_is_a_step(void **state) {
  (void)state;
  static const char *const methods[] = {"sarah", "spider"};
  static const struct {
    const char *stop;
    uint64_t steps;
  } cases[] = {{"ifo: 5", 1},  {"ifo: 6", 1},      {"ifo: 7", 2},     {"ifo: 14", 3},
               {"ifo: 15", 4}, {"samples: 10", 3}, {"samples: 11", 4}};
  for (size_t m = 0; m < 2; m++)
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      char spec[160];
      uint64_t steps = 0;
      snprintf(spec, sizeof spec, "{method: {kind: %s, correction: paper, batch: 2}, step: {size: 0.01}, stop: {%s}}",
               methods[m], cases[i].stop);
      stop_of(spec, &steps);
      assert_int_equal(steps, cases[i].steps);
    }
}

static void test_solver__misuse_is_refused(void **state) {
  (void)state;
  struct bench b = bench_new("{method: {kind: sprint, correction: paper, batch: 2}}", 10);
  sprint_records records = {.size = sizeof records, .n = 2, .x = z, .y = zeros, .last = true};
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "nothing had asked", sprint_solver_tell(b.solver, &records));
  sprint_want first = ask(&b), again = ask(&b);
  assert_memory_equal(&first, &again, sizeof first);
  records.x = NULL, records.last = false;
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "no x or no y", sprint_solver_tell(b.solver, &records));
  records.n = 0, records.last = true;
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "0 records", sprint_solver_tell(b.solver, &records));
  tell(&b, N);
  ask(&b);
  records = (sprint_records){.size = sizeof records, .n = 3, .x = z, .y = zeros};
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "3 records was told; 2 were wanted",
          sprint_solver_tell(b.solver, &records));
  sprint_solver_halt(b.solver, SPRINT_STOP_REQUESTED);
  assert_int_equal(ask(&b).kind, SPRINT_WANT_NOTHING);
  assert_string_equal(sprint_stop_word(sprint_solver_stop(b.solver)), "requested");
  bench_free(&b);
}

/* Structs of another version: an older one lacks fields, a newer one may use some that are not known here. */
static void test_solver__structs_may_grow(void **state) {
  (void)state;
  struct bench b = bench_new("{method: {kind: sgd, batch: 2}}", 10);
  struct {
    sprint_records records;
    uint64_t later;
  } newer = {{.size = sizeof newer, .n = 2, .x = z, .y = zeros}, 0};
  sprint_want want = {.size = 0};
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "sizeof(sprint_want) was expected", sprint_solver_ask(b.solver, &want));
  want = (sprint_want){.size = offsetof(sprint_want, step), .step = 77};
  MUST(b.context, sprint_solver_ask(b.solver, &want));
  assert_true(want.kind == SPRINT_WANT_BATCH && want.step == 77 && want.size == offsetof(sprint_want, step));
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "NULL was given", sprint_solver_tell(b.solver, NULL));
  newer.later = 1;
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "does not know", sprint_solver_tell(b.solver, &newer.records));
  newer.records.size = 0;
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, ".size = sizeof(sprint_records)",
          sprint_solver_tell(b.solver, &newer.records));
  assert_int_equal(sprint_solver_counters(b.solver).steps, 0);
  newer.later = 0;
  newer.records.size = sizeof newer;
  MUST(b.context, sprint_solver_tell(b.solver, &newer.records));
  ask(&b);
  newer.records.size = offsetof(sprint_records, images);
  MUST(b.context, sprint_solver_tell(b.solver, &newer.records));
  assert_int_equal(sprint_solver_counters(b.solver).steps, 2);
  assert_string_equal(sprint_version(), SPRINT_VERSION);
  assert_string_equal(sprint_precision(), sizeof(sprint_real) == 8 ? "double" : "float");
  bench_free(&b);
}

/* Records that say which deployment made them are taken from the one that was wanted alone. */
static void test_solver__stale_records_are_refused(void **state) {
  (void)state;
  struct bench b = bench_new("{method: {kind: sgd, batch: 2}}", 10);
  sprint_records records = {.size = sizeof records, .n = 2, .x = z, .y = zeros, .deployment = 1};
  ask(&b);
  MUST(b.context, sprint_solver_tell(b.solver, &records));
  assert_int_equal(ask(&b).deployment, 2);
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "records of deployment 1 were told; those of deployment 2 were wanted",
          sprint_solver_tell(b.solver, &records));
  records.deployment = 2;
  MUST(b.context, sprint_solver_tell(b.solver, &records));
  bench_free(&b);
}

/* A method that looks at two batches before it steps: v is the mean of both. A coin of the seed settles which of them
 * counts twice. */
struct pair {
  sprint_real first;
  bool waits;
};

static sprint_status pair_setup(sprint_solver *solver, const struct sprint__section *section) {
  (void)section;
  solver->impl = sprint__arena_take(&solver->arena, 1, sizeof(struct pair));
  return solver->impl ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static bool pair_want(const sprint_solver *solver, sprint_want *ret_want) {
  (void)solver;
  ret_want->kind = SPRINT_WANT_BATCH;
  return false;
}

static bool pair_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                       struct sprint__estimate *ret_estimate) {
  struct pair *pair = solver->impl;
  struct sprint__sums sums = {0, 0, solver->direction};
  sprint__model_sums(solver->model, solver->theta, rows, &sums, NULL);
  ret_estimate->ifo = records->n;
  pair->waits = !pair->waits;
  if (pair->waits)
    pair->first = solver->direction[0];
  else
    solver->direction[0] = (pair->first + solver->direction[0] + (solver->seed == 5 ? pair->first : 0)) / 2;
  return !pair->waits;
}

static void test_solver__a_batch_may_ask_for_more(void **state) {
  (void)state;
  static const struct sprint__estimator_ops ops = {.setup = pair_setup, .want = pair_want, .batch = pair_batch};
  static const sprint_kind kind = {"pair", "", NULL, 0, &ops}, *const kinds[] = {&kind};
  const sprint_family family = {"own", "method", "",  sprint__method_family.params, sprint__method_family.n_params,
                                kinds, 1,        NULL};
  struct bench b = bench_new("{}", 0);
  sprint_solver_free(b.solver);
  struct sprint__section *sections[4];
  MUST(b.context, sprint__section_parse(b.context, &family, "{kind: pair, batch: 2}", "method", &sections[0]));
  MUST(b.context, sprint__section_parse(b.context, &sprint__step_family, "{size: 0.5}", "step", &sections[1]));
  MUST(b.context, sprint__section_parse(b.context, &sprint__deploy_family, NULL, "deploy", &sections[2]));
  MUST(b.context, sprint__section_parse(b.context, &sprint__stop_family, NULL, "stop", &sections[3]));
  struct sprint__method method = {sections[0], sections[1], sections[2], sections[3]};
  sprint_real start = 10;
  sprint_solver_options options = {
      .size = sizeof options, .model = b.model, .n = N, .n_strata = 1, .theta = &start, .seed = 5};
  MUST(b.context, sprint__solver_build(b.context, &method, &options, &b.solver));
  for (int k = 0; k < 2; k++) {
    assert_int_equal(sprint_solver_counters(b.solver).steps, 0);
    assert_int_equal(ask(&b).deployment, 1); /* the second is of the same deployment */
    sprint_records records = {.size = sizeof records, .n = 2, .x = z + 2 * k, .y = zeros};
    REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "which tells it records itself", sprint_solver_tell(b.solver, &records));
    MUST(b.context, sprint__solver_tell_made(b.solver, &records));
  }
  assert_int_equal(sprint_solver_counters(b.solver).steps, 1);
  assert_int_equal(sprint_solver_counters(b.solver).ifo, 4);
  double first = 10 - 1.5, second = 10 - 3.5; /* mean gradients of the two batches */
  CLOSE(theta(&b), 10 - 0.5 * (2 * first + second) / 2, 4);
  for (size_t i = 0; i < 4; i++) sprint__section_free(sections[i]);
  bench_free(&b);
}

/* What a caller tells is checked before it is used as an index. */
static void test_solver__labels_and_strata_are_checked(void **state) {
  (void)state;
  sprint_context *context = NULL;
  sprint_population *population = NULL;
  sprint_model *model = NULL;
  sprint_solver *solver = NULL;
  const sprint_real x[3] = {1, 2, 3}, y[3] = {0, 1, 2}, theta[6] = {0};
  sprint_real wrong[3] = {0, 1, 7};
  const uint32_t stratum[3] = {0, 1, 2};
  double p[3] = {0.5, 0.5, 0};
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_population_new(context, 3, 1, x, y, 3, &population));
  MUST(context, sprint_model_new(context, "{layers: dense 3, loss: softmax}", population, &model));
  sprint_solver_options options = {.size = sizeof options, .model = model, .n = 3, .n_strata = 3, .theta = theta};
  MUST(context, sprint_solver_new(context, &options, &solver));
  sprint_want want = {.size = sizeof want};
  MUST(context, sprint_solver_ask(solver, &want));
  sprint_records records = {
      .size = sizeof records, .n = 3, .x = x, .y = wrong, .stratum = stratum, .p = p, .last = true};
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "row 2: the label 7", sprint_solver_tell(solver, &records));
  wrong[2] = (sprint_real)NAN;
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "row 2: the label", sprint_solver_tell(solver, &records));
  sprint_batch batch = {sizeof batch, 3, x, wrong};
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "row 2: the label",
          sprint_model_gradient(model, theta, &batch, NULL, NULL, NULL, NULL));
  records.y = y;
  p[2] = 0.5;
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "add up to 1.5", sprint_solver_tell(solver, &records));
  p[2] = 0;
  MUST(context, sprint_solver_tell(solver, &records));
  sprint_solver_free(solver);
  sprint_model_free(model);
  sprint_population_free(population);
  sprint_context_free(context);
}

static void test_solver__bad_specs_are_refused(void **state) {
  (void)state;
  struct bench b = bench_new(NULL, 0);
  const sprint_real start = 0;
  const char *const cases[][2] = {
      {"{step: {kind: piecewise, sizes: [1, 2]}}", "2 sizes need 1 epochs"},
      {"{step: {kind: piecewise, sizes: [1, 2, 3], at: [4, 2]}}", "rising epochs"},
      {"{step: {kind: inverse-root}, stop: {epochs: 0, ifo: 10}}", "needs T"},
      {"{deploy: every}", "key 'steps' is required"},
      {"{method: {batch: 0}}", "method.batch"},
      {"{method: sprnt}", "did you mean 'sprint'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sprint_solver *solver = NULL;
    sprint_solver_options options = {
        .size = sizeof options, .spec = cases[i][0], .model = b.model, .n = N, .n_strata = 1, .theta = &start};
    REFUSED(b.context, SPRINT_ERROR_INPUT, cases[i][1], sprint_solver_new(b.context, &options, &solver));
    assert_null(solver);
  }
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sgd__takes_the_batch_mean),
      cmocka_unit_test(test_rgd__takes_everybody_in_pieces),
      cmocka_unit_test(test_sprint__first_steps_by_hand),
      cmocka_unit_test(test_sprint__coupled_uses_the_reference),
      cmocka_unit_test(test_deploy__policies),
      cmocka_unit_test(test_schedule__sizes),
      cmocka_unit_test(test_step__projects_onto_the_ball),
      cmocka_unit_test(test_stop__reasons),
      cmocka_unit_test(test_stop__a_bound_alone_binds_alone),
      cmocka_unit_test(test_stop__a_snapshot_that_is_a_step),
      cmocka_unit_test(test_solver__misuse_is_refused),
      cmocka_unit_test(test_solver__structs_may_grow),
      cmocka_unit_test(test_solver__stale_records_are_refused),
      cmocka_unit_test(test_solver__a_batch_may_ask_for_more),
      cmocka_unit_test(test_solver__labels_and_strata_are_checked),
      cmocka_unit_test(test_solver__bad_specs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
