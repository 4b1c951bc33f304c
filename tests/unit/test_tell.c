/* What is told to a solver and cannot be right is refused in a sentence, and the solver is as it was. */
#include "bench_help.h"

enum { N = 4, D = 2 };
static const sprint_real people[N * D] = {1, 0, 2, 1, 3, 0, 4, 1};
static const sprint_real zeros[N];
static const sprint_real start[D] = {10, 5};

/* Two solvers that are told the same but for what is refused; afterwards they agree to the bit. */
struct twins {
  struct bench tried, calm;
};

static struct twins twins_new(const char *spec) {
  struct twins t = {bench_of(N, D, people, "{loss: mean}", NULL), bench_of(N, D, people, "{loss: mean}", NULL)};
  MUST(t.tried.context, bench_start(&t.tried, spec, start, 1));
  MUST(t.calm.context, bench_start(&t.calm, spec, start, 1));
  return t;
}

static void both_tell(struct twins *t, const sprint_records *records) {
  MUST(t->tried.context, sprint_solver_tell(t->tried.solver, records));
  MUST(t->calm.context, sprint_solver_tell(t->calm.solver, records));
  assert_memory_equal(sprint_solver_theta(t->tried.solver), sprint_solver_theta(t->calm.solver), sizeof start);
  sprint_counters a = sprint_solver_counters(t->tried.solver), b = sprint_solver_counters(t->calm.solver);
  assert_memory_equal(&a, &b, sizeof a);
}

static void twins_free(struct twins *t) {
  bench_free(&t->tried);
  bench_free(&t->calm);
}

/* Every kind of thing that is told, at every place, by every number that is none. */
static void test_tell__refuses_what_is_not_finite(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  struct twins t = twins_new("{method: {kind: sprint, correction: coupled, batch: 2}, step: {size: 0.1}}");
  sprint_real x[N * D], reference[N * D], y[N] = {0};
  memcpy(x, people, sizeof x);
  memcpy(reference, people, sizeof reference);
  for (int round = 0; round < 4; round++) { /* a snapshot, two batches, a snapshot */
    sprint_want want = ask(&t.tried);
    ask(&t.calm);
    sprint_records records = {.size = sizeof records, .n = want.n, .x = x, .y = y, .last = true};
    if (want.reference) records.x_reference = reference;
    for (size_t k = 0; k < 3; k++)
      for (size_t i = 0; i < want.n * D; i++) {
        char words[64];
        snprintf(words, sizeof words, "row %zu, column %zu of `x` is ", i / D, i % D);
        x[i] = (sprint_real)bad[k];
        REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, words, sprint_solver_tell(t.tried.solver, &records));
        x[i] = people[i];
        snprintf(words, sizeof words, "row %zu, column %zu of `x_reference` is ", i / D, i % D);
        reference[i] = (sprint_real)bad[k];
        if (want.reference)
          REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, words, sprint_solver_tell(t.tried.solver, &records));
        reference[i] = people[i];
        y[i / D] = (sprint_real)bad[k];
        REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, ": the label ", sprint_solver_tell(t.tried.solver, &records));
        y[i / D] = 0;
      }
    both_tell(&t, &records);
  }
  assert_int_equal(sprint_solver_counters(t.tried.solver).steps, 2);
  twins_free(&t);
}

static void test_tell__refuses_a_start_that_is_not_finite(void **state) {
  (void)state;
  struct bench b = bench_of(N, D, people, "{loss: mean}", "none");
  const sprint_real bad[D] = {1, (sprint_real)NAN};
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "number 1 of the starting point's 2 is ", bench_start(&b, NULL, bad, 1));
  sprint_run_options options = {.size = sizeof options, .shift = b.shift, .theta = bad};
  sprint_run *run = NULL;
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "number 1 of the starting point's 2 is ",
          sprint_run_new(b.context, &options, &run));
  assert_null(run);
  bench_free(&b);
}

/* Half of them, or more than all, in one piece or in several; what was told before still counts then, unless it is
 * taken back. */
static void test_tell__refuses_another_number_of_people(void **state) {
  (void)state;
  struct twins t = twins_new("{method: rgd, step: {size: 0.1}}");
  sprint_records half = {.size = sizeof half, .n = N / 2, .x = people, .y = zeros, .last = true}, part = half,
                 all = {.size = sizeof all, .n = N, .x = people, .y = zeros, .last = true}, more = all;
  part.last = more.last = false;
  for (int round = 0; round < 2; round++) {
    sprint_told told = {.size = sizeof told};
    ask(&t.tried);
    ask(&t.calm);
    REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, "a population of 2 records was told; 4 were wanted",
            sprint_solver_tell(t.tried.solver, &half));
    MUST(t.tried.context, sprint_solver_tell(t.tried.solver, &part));
    REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, "a population of 6 records was told, 4 of them now; 4 were wanted",
            sprint_solver_tell(t.tried.solver, &all));
    REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, "2 are left", sprint_solver_tell(t.tried.solver, &more));
    MUST(t.tried.context, sprint_solver_told(t.tried.solver, &told));
    assert_int_equal(told.n, 2);
    MUST(t.tried.context, sprint_solver_discard(t.tried.solver));
    MUST(t.tried.context, sprint_solver_told(t.tried.solver, &told));
    assert_int_equal(told.n, 0);
    both_tell(&t, &all);
  }
  twins_free(&t);
}

/* A coupled correction without the records that it goes by would be `paper`. They are not needed where the deployment
 * is the snapshot's, nor where features never move, which has a field to say so. */
static void test_tell__refuses_to_do_without_references(void **state) {
  (void)state;
  static const char *const methods[] = {"{kind: sprint, correction: coupled, batch: 2}",
                                        "{kind: sprint, correction: unbiased, batch: 2}",
                                        "{kind: sarah, correction: coupled, batch: 2}"};
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
    for (int still = 0; still < 2; still++) {
      struct bench b = bench_of(N, D, people, "{loss: mean}", NULL);
      char spec[160];
      snprintf(spec, sizeof spec, "{method: %s, step: {size: 0.1}}", methods[m]);
      sprint_solver_options options = {.size = sizeof options,
                                       .spec = spec,
                                       .model = b.model,
                                       .n = N,
                                       .n_strata = 1,
                                       .theta = start,
                                       .still = still};
      MUST(b.context, sprint_solver_new(b.context, &options, &b.solver));
      bool refused = false;
      for (int k = 0; k < 4; k++) {
        sprint_want want = ask(&b);
        sprint_records records = {.size = sizeof records, .n = want.n, .x = people, .y = zeros, .last = true};
        if (want.reference && want.reference != want.deployment && !still) {
          refused = true;
          REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "`x_reference` was expected",
                  sprint_solver_tell(b.solver, &records));
          records.x_reference = people;
        }
        MUST(b.context, sprint_solver_tell(b.solver, &records));
      }
      assert_true(refused == !still);
      bench_free(&b);
    }
}

/* A correction that weighs strata, without strata or their probabilities. */
static void test_tell__refuses_to_do_without_strata(void **state) {
  (void)state;
  static const char *const corrections[] = {"stratified", "unbiased"};
  const uint32_t stratum[N] = {0, 1, 0, 1};
  const double p[2] = {0.25, 0.75};
  for (size_t c = 0; c < 2; c++) {
    struct bench b = bench_of(N, D, people, "{loss: mean}", NULL);
    char spec[160];
    snprintf(spec, sizeof spec, "{method: {kind: sprint, correction: %s, batch: 2}, step: {size: 0.1}}",
             corrections[c]);
    REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "n_strata of sprint_solver_options is not set",
            bench_start(&b, spec, start, 0));
    REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "n_strata of sprint_solver_options is not set",
            bench_start(&b, "{method: {kind: saga, batch: 2}}", start, 0));
    MUST(b.context, bench_start(&b, spec, start, 2));
    ask(&b);
    sprint_records records = {.size = sizeof records, .n = N, .x = people, .y = zeros, .p = p, .last = true};
    REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "`stratum`, of which of 2", sprint_solver_tell(b.solver, &records));
    records.stratum = stratum;
    records.p = NULL;
    REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "`p`, the 2 strata probabilities of deployment 1",
            sprint_solver_tell(b.solver, &records));
    records.p = p;
    MUST(b.context, sprint_solver_tell(b.solver, &records));
    for (int k = 0; k < 2; k++) {
      sprint_want want = ask(&b);
      records = (sprint_records){.size = sizeof records, .n = want.n, .x = people, .y = zeros};
      if (want.reference) records.x_reference = people;
      REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "`p`, the 2 strata", sprint_solver_tell(b.solver, &records));
      records.p = p;
      MUST(b.context, sprint_solver_tell(b.solver, &records));
    }
    bench_free(&b);
  }
}

/* Strata, probabilities and weights that no population has, each alone in records that are right otherwise; afterwards
 * these are taken, as a solver takes them that heard nothing else. */
static void test_tell__refuses_strata_and_weights_that_cannot_be(void **state) {
  (void)state;
  static const char spec[] = "{method: {kind: sprint, correction: stratified, batch: 2}, step: {size: 0.1}}";
  static const uint32_t stratum[N] = {0, 1, 0, 1}, high[N] = {0, 1, 2, 1}, none_of_1[N] = {0, 0, 0, 0};
  static const double p[2] = {0.25, 0.75}, negative[2] = {-0.25, 1.25}, weight[N] = {1, 2, 3, 0};
  static const double below[N] = {1, -1, 1, 1}, endless[N] = {1, 1, 1, INFINITY}, nobody[N] = {0};
  static const struct {
    const uint32_t *stratum;
    const double *p, *weight;
    const char *words;
  } cases[] = {
      {high, p, weight, "record 2 is of stratum 2; there are 2"},
      {none_of_1, p, weight, "stratum 1 has probability 0.75 but none of the population's records"},
      {stratum, negative, weight, "the strata probabilities told add up to nan; 1 was expected"},
      {stratum, p, below, "record 1 has the weight -1; a number of at least 0 was expected"},
      {stratum, p, endless, "record 3 has the weight inf"},
      {stratum, p, nobody, "the records told stand for nobody: every weight is 0"},
  };
  struct twins t = {bench_of(N, D, people, "{loss: mean}", NULL), bench_of(N, D, people, "{loss: mean}", NULL)};
  MUST(t.tried.context, bench_start(&t.tried, spec, start, 2));
  MUST(t.calm.context, bench_start(&t.calm, spec, start, 2));
  ask(&t.tried);
  ask(&t.calm);
  sprint_records records = {.size = sizeof records, .n = N, .x = people, .y = zeros, .last = true};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    records.stratum = cases[i].stratum;
    records.p = cases[i].p;
    records.weight = cases[i].weight;
    REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, cases[i].words, sprint_solver_tell(t.tried.solver, &records));
  }
  records.stratum = stratum;
  records.p = p;
  records.weight = weight;
  both_tell(&t, &records);
  twins_free(&t);
}

/* Records that are to be looked up where no images are, and reference records of people who have one. */
static void test_tell__refuses_records_that_are_not_there(void **state) {
  (void)state;
  static const uint32_t who[N] = {0, 1, 2, 3};
  static const bool lacks[2] = {true, false};
  struct twins t = twins_new("{method: {kind: sprint, correction: coupled, batch: 2}, step: {size: 0.1}}");
  ask(&t.tried);
  ask(&t.calm);
  sprint_records records = {.size = sizeof records, .n = N, .y = zeros, .who = who, .last = true};
  REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, "no x or no y", sprint_solver_tell(t.tried.solver, &records));
  records.images = t.tried.population;
  REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, "a network and images kept as bytes were expected",
          sprint_solver_tell(t.tried.solver, &records));
  records.who = NULL;
  REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, "no x or no y", sprint_solver_tell(t.tried.solver, &records));
  records.x = people;
  both_tell(&t, &records);
  for (int k = 0; k < 2; k++) { /* the second batch is of another deployment than the snapshot */
    sprint_want want = ask(&t.tried);
    ask(&t.calm);
    sprint_real reference[2 * D] = {NAN, NAN, 1, k ? (sprint_real)NAN : 2};
    sprint_records batch = {
        .size = sizeof batch, .n = want.n, .x = people, .y = zeros, .x_reference = reference, .lacks_reference = lacks};
    assert_true(k == 0 || want.reference > 0);
    if (k == 1)
      REFUSED(t.tried.context, SPRINT_ERROR_ARGUMENT, "row 1 of `x_reference` is not finite",
              sprint_solver_tell(t.tried.solver, &batch));
    reference[3] = 2;
    both_tell(&t, &batch);
  }
  twins_free(&t);
}

static void test_tell__refuses_solvers_without_what_they_need(void **state) {
  (void)state;
  struct bench b = bench_of(N, D, people, "{loss: mean}", NULL);
  sprint_solver_options options = {.size = sizeof options, .theta = start, .n = N, .n_strata = 1};
  static const char words[] = "a solver needs a model and a starting point";
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, words, sprint_solver_new(b.context, &options, &b.solver));
  options.model = b.model;
  options.theta = NULL;
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, words, sprint_solver_new(b.context, &options, &b.solver));
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "`strata_sizes` was expected",
          bench_start(&b, "{method: {kind: saga, batch: 2}}", start, 2));
  assert_null(b.solver);
  bench_free(&b);
}

/* Oracle: l = |z - theta|^2 / 2 has the gradient theta - mean z (+ l2 theta), and a step of 0.5 halves its distance to
 * 0; 4 steps take |g|^2 below 1/100 of the first. */
static void test_tell__stops_by_the_gradient(void **state) {
  (void)state;
  static const char *const methods[] = {"rgd", "{kind: sprint, correction: paper, batch: 4, inner: 1}"};
  for (size_t m = 0; m < 2; m++) {
    struct bench b = bench_of(N, D, people, "{loss: mean}", NULL);
    double first = 7.5 * 7.5 + 4.5 * 4.5;
    char spec[160];
    snprintf(spec, sizeof spec, "{method: %s, step: {size: 0.5}, stop: {epochs: 100, gradient: %.17g}}", methods[m],
             first / 100);
    MUST(b.context, bench_start(&b, spec, start, 1));
    assert_true(isnan(sprint_solver_gradient_sq(b.solver)));
    size_t looks = 0;
    for (sprint_want want = ask(&b); want.kind != SPRINT_WANT_NOTHING; want = ask(&b)) {
      sprint_records records = {.size = sizeof records, .n = want.n, .x = people, .y = zeros, .last = true};
      MUST(b.context, sprint_solver_tell(b.solver, &records));
      if (want.kind == SPRINT_WANT_POPULATION)
        CLOSE(sprint_solver_gradient_sq(b.solver), first / pow(4, (double)looks++), 20);
    }
    assert_int_equal(sprint_solver_stop(b.solver), SPRINT_STOP_GRADIENT);
    assert_int_equal(sprint_solver_counters(b.solver).steps, 4);
    assert_int_equal(looks, 5);
    CLOSE(sprint_solver_theta(b.solver)[0], 2.5 + 7.5 / 16, 10);
    sprint_solver_free(b.solver);
    b.solver = NULL;
    REFUSED(b.context, SPRINT_ERROR_INPUT, "'sgd' is never told everybody",
            bench_start(&b, "{method: sgd, stop: {gradient: 1}}", start, 1));
    bench_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tell__refuses_what_is_not_finite),
      cmocka_unit_test(test_tell__refuses_a_start_that_is_not_finite),
      cmocka_unit_test(test_tell__refuses_another_number_of_people),
      cmocka_unit_test(test_tell__refuses_to_do_without_references),
      cmocka_unit_test(test_tell__refuses_to_do_without_strata),
      cmocka_unit_test(test_tell__refuses_strata_and_weights_that_cannot_be),
      cmocka_unit_test(test_tell__refuses_records_that_are_not_there),
      cmocka_unit_test(test_tell__refuses_solvers_without_what_they_need),
      cmocka_unit_test(test_tell__stops_by_the_gradient),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
