/* Snapshots that are samples, by ask and tell on the mean bed, l = (z - theta)^2 / 2: of a population whose size nobody
 * knows, and of one whose size is known. */
#include "help.h"

static struct world bed(void) {
  return world_new("{kind: gaussian, n: 50, mean: 1, standardize: none}", "{loss: mean}", "none");
}

static sprint_status solver_new(struct world *w, const char *spec, size_t n, sprint_solver **ret_solver) {
  const sprint_real start = 4;
  sprint_solver_options options = {
      .size = sizeof options, .spec = spec, .model = w->model, .n = n, .n_strata = 1, .theta = &start};
  return sprint_solver_new(w->context, &options, ret_solver);
}

static sprint_want ask(struct world *w, sprint_solver *solver) {
  sprint_want want = {.size = sizeof want};
  MUST(w->context, sprint_solver_ask(solver, &want));
  return want;
}

/* n records of the value z. */
static sprint_status tell(sprint_solver *solver, size_t n, double z, bool last) {
  sprint_real x[64], y[64] = {0};
  assert_true(n <= 64);
  for (size_t i = 0; i < n; i++) x[i] = (sprint_real)z;
  sprint_records records = {.size = sizeof records, .n = n, .x = x, .y = y, .last = last};
  return sprint_solver_tell(solver, &records);
}

static void test_snapshot__of_an_unknown_number(void **state) {
  (void)state;
  struct world w = bed();
  sprint_solver *solver = NULL;
  MUST(w.context,
       solver_new(&w, "{method: {kind: sprint, snapshot: fixed, sample: 10, batch: 2, inner: 3}}", 0, &solver));
  sprint_want want = ask(&w, solver);
  assert_int_equal(want.kind, SPRINT_WANT_SAMPLE);
  assert_int_equal(want.n, 10);
  assert_true(want.deploy);
  MUST(w.context, tell(solver, 4, 1, false));
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "a sample of 9 records was told, 5 of them now; 10 were wanted",
          tell(solver, 5, 1, true));
  MUST(w.context, tell(solver, 6, 3, true));
  want = ask(&w, solver);
  assert_int_equal(want.kind, SPRINT_WANT_BATCH);
  MUST(w.context, tell(solver, 2, 7, true));
  CLOSE(sprint_solver_direction(solver)[0], 4 - (4 * 1 + 6 * 3) / 10.0, 10); /* v = g~ at the first step */
  assert_int_equal(sprint_solver_counters(solver).ifo, 10 + 2 * 2);
  assert_int_equal(sprint_solver_counters(solver).samples, 10 + 2);
  sprint_solver_free(solver);
  world_free(&w);
}

static void test_snapshot__what_a_population_without_end_cannot(void **state) {
  (void)state;
  struct world w = bed();
  sprint_solver *solver = NULL;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "'full' looks at everybody, and this population has no end",
          solver_new(&w, "{method: {kind: sprint, inner: 3}}", 0, &solver));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "a population without end has no n/b",
          solver_new(&w, "{method: {kind: sgd}}", 0, &solver));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "'saga' keeps a gradient of everybody",
          solver_new(&w, "{method: {kind: saga, inner: 3}}", 0, &solver));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "this population has no end",
          solver_new(&w, "{method: {kind: rgd, inner: 3}}", 0, &solver));
  world_free(&w);
}

/* The sizes that snapshots want, one after the other. */
static void check_sizes(size_t n, const char *method, const size_t *expected, size_t n_expected) {
  struct world w = bed();
  char spec[256];
  sprint_solver *solver = NULL;
  snprintf(spec, sizeof spec,
           "{method: {kind: sprint, batch: 1, inner: 1, %s}, step: {size: 0.001}, stop: {epochs: 9}}", method);
  MUST(w.context, solver_new(&w, spec, n, &solver));
  for (size_t s = 0; s < n_expected; s++) {
    sprint_want want = ask(&w, solver);
    assert_int_equal(want.kind, n && expected[s] == n ? SPRINT_WANT_POPULATION : SPRINT_WANT_SAMPLE);
    assert_int_equal(want.n, expected[s]);
    MUST(w.context, tell(solver, want.n, 1, true));
    assert_int_equal(ask(&w, solver).kind, SPRINT_WANT_BATCH);
    MUST(w.context, tell(solver, 1, 1, true));
  }
  sprint_solver_free(solver);
  world_free(&w);
}

static void test_snapshot__sizes(void **state) {
  (void)state;
  check_sizes(0, "snapshot: growing, sample: 4, growth: 2", (const size_t[]){4, 8, 16, 32}, 4);
  check_sizes(20, "snapshot: growing, sample: 4, growth: 2", (const size_t[]){4, 8, 16, 20, 20}, 5);
  check_sizes(0, "snapshot: growing, sample: 4, growth: 1.5, most: 8", (const size_t[]){4, 6, 8, 8}, 4);
  check_sizes(20, "snapshot: fixed, sample: 30", (const size_t[]){20, 20}, 2);
  check_sizes(0, "snapshot: fixed, sample: 30", (const size_t[]){30, 30}, 2);
  check_sizes(20, "snapshot: full", (const size_t[]){20, 20}, 2);
}

/* Pieces whose means are g_j: it goes on until (1/(k(k-1))) sum (g_j - g)^2 <= fraction g^2. At theta = 4, pieces of
 * z = 0 and z = 6 in turn have gradients 4 and -2. */
static void test_snapshot__adaptive_goes_by_its_variance(void **state) {
  (void)state;
  struct world w = bed();
  sprint_solver *solver = NULL;
  size_t pieces = 0, expected = 0;
  for (double k = 2; !expected; k++) {
    double mean = 0, spread = 0;
    for (int j = 0; j < (int)k; j++) mean += (j % 2 ? -2 : 4) / k;
    for (int j = 0; j < (int)k; j++) spread += ((j % 2 ? -2 : 4) - mean) * ((j % 2 ? -2 : 4) - mean);
    if (spread / (k * (k - 1)) <= 0.5 * mean * mean) expected = (size_t)k;
  }
  MUST(w.context,
       solver_new(&w, "{method: {kind: sprint, snapshot: adaptive, sample: 3, fraction: 0.5, inner: 2, batch: 1}}", 0,
                  &solver));
  while (ask(&w, solver).kind == SPRINT_WANT_SAMPLE) {
    MUST(w.context, tell(solver, 3, pieces % 2 ? 6 : 0, true));
    pieces++;
  }
  assert_int_equal(pieces, expected);
  assert_int_equal(sprint_solver_counters(solver).ifo, 3 * expected);
  sprint_solver_free(solver);
  world_free(&w);
}

/* It ends at `most` records, however unsure it is. */
static void test_snapshot__adaptive_is_bounded(void **state) {
  (void)state;
  struct world w = bed();
  sprint_solver *solver = NULL;
  size_t pieces = 0;
  MUST(w.context,
       solver_new(&w,
                  "{method: {kind: sprint, snapshot: adaptive, sample: 3, fraction: 1e-9, most: 20, inner: 2, "
                  "batch: 1}}",
                  0, &solver));
  while (ask(&w, solver).kind == SPRINT_WANT_SAMPLE) {
    MUST(w.context, tell(solver, 3, pieces % 2 ? 6 : 0, true));
    pieces++;
  }
  assert_int_equal(pieces, 6);
  sprint_solver_free(solver);
  world_free(&w);
}

/* A run draws a sample for each snapshot: the counters say so. */
static void test_snapshot__samples_of_a_run(void **state) {
  (void)state;
  struct world w = bed();
  sprint_run *run = run_done(&w,
                             "{method: {kind: sprint, snapshot: fixed, sample: 10, batch: 5, inner: 4}, "
                             "step: {size: 0.1}, stop: {epochs: 3}}",
                             1);
  sprint_counters cost = last_row(run)->cost;
  assert_int_equal(cost.ifo, 3 * (10 + 4 * 2 * 5));
  assert_int_equal(cost.samples, 3 * (10 + 4 * 5));
  sprint_run_free(run);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_snapshot__of_an_unknown_number),
      cmocka_unit_test(test_snapshot__what_a_population_without_end_cannot),
      cmocka_unit_test(test_snapshot__sizes),
      cmocka_unit_test(test_snapshot__adaptive_goes_by_its_variance),
      cmocka_unit_test(test_snapshot__adaptive_is_bounded),
      cmocka_unit_test(test_snapshot__samples_of_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
