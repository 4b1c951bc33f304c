/* Records in parts, wrong calls in between, records that are stale, and people without a reference record. */
#define _GNU_SOURCE
#include "bench_help.h"

#include <unistd.h>

enum { N = 6, D = 2, MANY = 20000 };
static const sprint_real people[N * D] = {1, 0, 2, 1, 3, 0, 4, 1, -5, 2, 0, 7};
static const sprint_real zeros[N];
static const sprint_real start[D] = {10, 5};
static const char *const names[N] = {"a", "b", "c", "d", "e", "f"};

/* All bytes of a saved solver. */
struct saved {
  size_t size;
  char bytes[1 << 16];
};

static void save(struct bench *b, struct saved *ret_saved) {
  char path[] = "/tmp/sprint-parts-XXXXXX";
  close(mkstemp(path));
  MUST(b->context, sprint_solver_save(b->solver, path));
  FILE *stream = fopen(path, "rb");
  assert_non_null(stream);
  ret_saved->size = fread(ret_saved->bytes, 1, sizeof ret_saved->bytes, stream);
  assert_true(ret_saved->size < sizeof ret_saved->bytes);
  fclose(stream);
  unlink(path);
}

/* The call fails with these words, and the solver is as it was, byte by byte. */
#define KEEPS(BENCH, WORDS, CALL)                                                          \
  do {                                                                                     \
    struct saved *before__ = malloc(sizeof *before__), *after__ = malloc(sizeof *after__); \
    save(&(BENCH), before__);                                                              \
    REFUSED((BENCH).context, SPRINT_ERROR_ARGUMENT, WORDS, CALL);                          \
    save(&(BENCH), after__);                                                               \
    assert_int_equal(before__->size, after__->size);                                       \
    assert_memory_equal(before__->bytes, after__->bytes, before__->size);                  \
    free(before__);                                                                        \
    free(after__);                                                                         \
  } while (0)

static struct bench started(const char *method, size_t n_strata) {
  char spec[200];
  struct bench b = bench_of(N, D, people, "{loss: mean}", NULL);
  snprintf(spec, sizeof spec, "{method: %s, step: {size: 0.1}}", method);
  MUST(b.context, bench_start(&b, spec, start, n_strata));
  return b;
}

/* n records as wanted, from person `first` on. */
static sprint_records records_of(const sprint_want *want, size_t first, size_t n) {
  return (sprint_records){.size = sizeof(sprint_records),
                          .n = n,
                          .x = people + first * D,
                          .y = zeros,
                          .x_reference = want->reference ? people + first * D : NULL,
                          .id = names + first,
                          .request = want->request,
                          .deployment = want->deployment};
}

/* Whatever is wrong with a part of what is wanted, where two of its records have been told. */
static void refuse_all(struct bench *b, const sprint_want *want) {
  sprint_records part = records_of(want, 2, 1), wrong = part;
  const char *const none[N] = {"", NULL};
  const sprint_real nan[D] = {0, (sprint_real)NAN};
  const double negative = -1;
  const uint64_t deployments[1] = {want->deployment + 1};
  KEEPS(*b, "NULL was given", sprint_solver_tell(b->solver, NULL));
  wrong.id = names;
  KEEPS(*b, "record 0 is of id 'a', of whom a record was told already", sprint_solver_tell(b->solver, &wrong));
  wrong.n = 2, wrong.id = (const char *const[]){"c", "c"}, wrong.x = people;
  if (want->kind == SPRINT_WANT_POPULATION)
    KEEPS(*b, "record 1 is of id 'c', of whom a record", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.id = none;
  KEEPS(*b, "record 0 has no id", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.id = NULL;
  KEEPS(*b, "the 2 records told so far have `id`, and these have none", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.weight = (const double[]){1};
  KEEPS(*b, "the 2 records told so far have no `weight`, and these have it", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.weight = &negative;
  KEEPS(*b, "record 0 has the weight -1", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.request = want->request + 1;
  KEEPS(*b, "were wanted", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.deployment = want->deployment + 1;
  KEEPS(*b, "were wanted", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.deployments = deployments;
  KEEPS(*b, "record 0 (id 'c'): one of deployment", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.x = nan;
  KEEPS(*b, "row 0, column 1 of `x` is", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.x = NULL;
  KEEPS(*b, "the records told have no x or no y", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.n = want->n;
  KEEPS(*b, "are left to tell", sprint_solver_tell(b->solver, &wrong));
  wrong = part, wrong.n = 0, wrong.last = true;
  KEEPS(*b, "are left to tell", sprint_solver_tell(b->solver, &wrong));
  if (want->reference && want->reference != want->deployment) {
    wrong = part, wrong.x_reference = NULL;
    KEEPS(*b, "`x_reference` was expected", sprint_solver_tell(b->solver, &wrong));
  }
}

static void test_parts__wrong_calls_change_nothing(void **state) {
  (void)state;
  struct bench b = started("{kind: sprint, correction: coupled, batch: 3}", 1);
  sprint_records early = {.size = sizeof early, .n = N, .x = people, .y = zeros, .last = true};
  KEEPS(b, "records were told that nothing had asked for", sprint_solver_tell(b.solver, &early));
  for (int round = 0; round < 5; round++) { /* a snapshot, two batches, a snapshot, a batch */
    sprint_want want = ask(&b);
    sprint_records part = records_of(&want, 0, 2), rest = records_of(&want, 2, want.n - 2);
    rest.last = true;
    MUST(b.context, sprint_solver_tell(b.solver, &part));
    refuse_all(&b, &want);
    MUST(b.context, sprint_solver_tell(b.solver, &rest));
    KEEPS(b, "records were told that nothing had asked for", sprint_solver_tell(b.solver, &rest));
  }
  assert_int_equal(sprint_solver_counters(b.solver).steps, 3);
  bench_free(&b);
}

/* People of two strata by turns, some of weight 2. */
struct crowd {
  sprint_real x[MANY * D], y[MANY];
  uint32_t stratum[MANY];
  double weight[MANY];
};

static void tell_crowd(struct bench *b, const struct crowd *crowd, size_t part) {
  const double p[2] = {0.25, 0.75};
  ask(b);
  for (size_t at = 0, n; at < MANY; at += n) {
    n = part < MANY - at ? part : MANY - at;
    sprint_records records = {.size = sizeof records,
                              .n = n,
                              .x = crowd->x + at * D,
                              .y = crowd->y + at,
                              .stratum = crowd->stratum + at,
                              .weight = crowd->weight + at,
                              .p = p,
                              .last = at + n == MANY};
    MUST(b->context, sprint_solver_tell(b->solver, &records));
  }
}

/* More than fit into a piece: whatever the parts, the sums are those of all at once. */
static void test_parts__large_populations_are_the_same_to_the_bit(void **state) {
  (void)state;
  static const size_t parts[] = {MANY, 1, 7, 8192, 8191, 8193, 12345};
  struct crowd *crowd = calloc(1, sizeof *crowd);
  sprint_real first[D] = {0};
  for (size_t i = 0; i < MANY; i++) {
    crowd->x[i * D] = (sprint_real)sin((double)i);
    crowd->x[i * D + 1] = (sprint_real)(1 / (1.0 + (double)i));
    crowd->stratum[i] = i % 5 < 2;
    crowd->weight[i] = i % 3 ? 1 : 2;
  }
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    struct bench b = bench_of(MANY, D, crowd->x, "{loss: mean}", NULL);
    MUST(b.context, bench_start(&b, "{method: rgd, step: {size: 0.1}}", start, 2));
    tell_crowd(&b, crowd, parts[k]);
    tell_crowd(&b, crowd, parts[k]);
    assert_int_equal(sprint_solver_counters(b.solver).steps, 2);
    if (k == 0) memcpy(first, sprint_solver_theta(b.solver), sizeof first);
    assert_memory_equal(first, sprint_solver_theta(b.solver), sizeof first);
    bench_free(&b);
  }
  assert_true(first[0] != start[0]);
  free(crowd);
}

/* Draws with replacement say so; everybody is there once. */
static void test_parts__repeats(void **state) {
  (void)state;
  struct bench b = started("{kind: sgd, batch: 3}", 1);
  sprint_want want = ask(&b);
  sprint_records twice = records_of(&want, 0, 3);
  twice.id = (const char *const[]){"a", "b", "a"};
  KEEPS(b, "record 2 is of id 'a'", sprint_solver_tell(b.solver, &twice));
  twice.repeats = true;
  MUST(b.context, sprint_solver_tell(b.solver, &twice));
  want = ask(&b);
  sprint_records next = records_of(&want, 0, 3); /* another request may have the same people */
  MUST(b.context, sprint_solver_tell(b.solver, &next));
  bench_free(&b);
  b = started("rgd", 1);
  want = ask(&b);
  sprint_records all = records_of(&want, 0, N);
  all.repeats = true;
  KEEPS(b, "`repeats` is for batches and samples", sprint_solver_tell(b.solver, &all));
  bench_free(&b);
}

/* Which methods take older records, and that they are counted. */
static void test_parts__stale(void **state) {
  (void)state;
  static const struct {
    const char *method;
    const char *refusal; /* NULL: it takes them */
  } cases[] = {
      {"{kind: sgd, batch: 2}", NULL},
      {"{kind: clipped, batch: 2}", NULL},
      {"{kind: sprint, batch: 2}", NULL},
      {"{kind: sprint, correction: paper, batch: 2}", NULL},
      {"{kind: sarah, batch: 2}", "the method goes by what each deployment did"},
      {"{kind: spider, batch: 2}", "the method goes by what each deployment did"},
      {"{kind: page, batch: 2}", "older ones cannot stand for them"},
      {"rgd", "what steps lean on is looked at under one deployment"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    struct bench b = started(cases[c].method, 1);
    sprint_told told = {.size = sizeof told};
    sprint_want want = ask(&b);
    for (; want.deployment < 2; want = ask(&b)) {
      sprint_records all = records_of(&want, 0, want.n);
      all.last = true;
      MUST(b.context, sprint_solver_tell(b.solver, &all));
    }
    const uint64_t mixed[N] = {2, 1, 1, 1, 1, 1};
    sprint_records records = records_of(&want, 0, want.n);
    records.deployments = mixed, records.last = true;
    KEEPS(b, "record 1 (id 'b'): one of deployment 1 was told; those of deployment 2 were wanted",
          sprint_solver_tell(b.solver, &records));
    records.stale_from = 2;
    KEEPS(b, "record 1 (id 'b'): one of deployment 1", sprint_solver_tell(b.solver, &records));
    records.stale_from = 1;
    if (cases[c].refusal)
      KEEPS(b, cases[c].refusal, sprint_solver_tell(b.solver, &records));
    else
      MUST(b.context, sprint_solver_tell(b.solver, &records));
    MUST(b.context, sprint_solver_told(b.solver, &told));
    assert_int_equal(told.stale, cases[c].refusal ? 0 : 1);
    bench_free(&b);
  }
}

/* Steps until the records of an older deployment than theirs are wanted beside a batch of one. */
static sprint_want reach_reference(struct bench *b, const uint32_t *stratum, const double *p) {
  sprint_want want = ask(b);
  for (; want.reference == 0 || want.reference == want.deployment; want = ask(b)) {
    sprint_records records = records_of(&want, 0, want.n);
    records.stratum = stratum, records.p = p, records.last = true;
    if (want.kind == SPRINT_WANT_POPULATION) records.n = N;
    MUST(b->context, sprint_solver_tell(b->solver, &records));
  }
  return want;
}

/* v where person i is the batch, with or without their reference record, from the same state each time; records have
 * moved by 3 since. */
static void direction_of(const char *path, const char *spec, size_t n_strata, size_t i, bool lacks,
                         const uint32_t *stratum, const double *p, const sprint_real *x, double *ret_direction) {
  struct bench b = bench_of(N, D, people, "{loss: mean}", NULL);
  MUST(b.context, bench_start(&b, spec, start, n_strata));
  MUST(b.context, sprint_solver_load(b.solver, path));
  sprint_want want = ask(&b);
  sprint_records one = {.size = sizeof one,
                        .n = 1,
                        .x = x + i * D,
                        .y = zeros,
                        .x_reference = i < N ? people + i * D : NULL,
                        .stratum = &stratum[i],
                        .p = p,
                        .deployment = want.deployment,
                        .lacks_reference = &lacks};
  MUST(b.context, sprint_solver_tell(b.solver, &one));
  for (size_t j = 0; j < D; j++) ret_direction[j] = (double)sprint_solver_direction(b.solver)[j];
  bench_free(&b);
}

/* Oracle: enumeration. l = |z - theta|^2 / 2 has the gradient theta - z. The snapshot had six people; today there are
 * eight, two of them new, without a reference record. Each is drawn alike: the mean of v over all eight is the gradient
 * of today's risk, theta - mean z, exactly but for rounding. And where of the six each lacks its record by a coin, the
 * mean over people and coins is that of the six. Of the tolerance: v is six operations on numbers below 16, whose
 * roundings are at most eight of those at 1 each. */
static void test_parts__people_without_a_reference_leave_no_bias(void **state) {
  (void)state;
  enum { TODAY = N + 2 };
  static const char spec[] = "{method: {kind: sprint, correction: coupled, batch: 1}, step: {size: 0.1}}";
  char path[] = "/tmp/sprint-parts-XXXXXX";
  const uint32_t stratum[TODAY] = {0};
  sprint_real x[TODAY * D];
  double mean_x[D] = {0}, mean_v[D] = {0}, coin_x[D] = {0}, coin_v[D] = {0};
  close(mkstemp(path));
  for (size_t i = 0; i < TODAY * D; i++) x[i] = (i < N * D ? people[i] : (sprint_real)(i % 5)) + 3;
  struct bench b = bench_of(N, D, people, "{loss: mean}", NULL);
  MUST(b.context, bench_start(&b, spec, start, 1));
  sprint_want want = reach_reference(&b, stratum, NULL);
  MUST(b.context, sprint_solver_save(b.solver, path));
  for (size_t i = 0; i < TODAY; i++)
    for (int lacks = i >= N; lacks < 2; lacks++) {
      double v[D];
      direction_of(path, spec, 1, i, lacks, stratum, NULL, x, v);
      for (size_t j = 0; j < D; j++) {
        if (lacks == (i >= N)) mean_v[j] += v[j] / TODAY, mean_x[j] += (double)x[i * D + j] / TODAY;
        if (i < N) coin_v[j] += v[j] / (2 * N), coin_x[j] += (double)x[i * D + j] / (2 * N);
      }
    }
  for (size_t j = 0; j < D; j++) {
    CLOSE(mean_v[j], (double)want.theta[j] - mean_x[j], 100);
    CLOSE(coin_v[j], (double)want.theta[j] - coin_x[j], 100);
  }
  unlink(path);
  bench_free(&b);
}

/* The same with two strata, drawn as today's deployment has them and not as the snapshot's had, where who lacks a
 * record is a matter of the stratum: none of the first, three in four of the second. Oracle: grad J = theta - sum_c p_c
 * mean_c z. */
static void test_parts__people_without_a_reference_by_stratum(void **state) {
  (void)state;
  static const char spec[] = "{method: {kind: sprint, correction: unbiased, batch: 1}, step: {size: 0.1}}";
  char path[] = "/tmp/sprint-parts-XXXXXX";
  const uint32_t stratum[N] = {0, 1, 0, 1, 1, 1};
  const double then[2] = {1.0 / 3, 2.0 / 3}, now[2] = {0.75, 0.25}, size[2] = {2, 4};
  sprint_real x[N * D];
  double mean_x[D] = {0}, mean_v[D] = {0};
  close(mkstemp(path));
  for (size_t i = 0; i < N * D; i++) x[i] = people[i] * (sprint_real)1.5 + 1;
  struct bench b = bench_of(N, D, people, "{loss: mean}", NULL);
  MUST(b.context, bench_start(&b, spec, start, 2));
  sprint_want want = reach_reference(&b, stratum, then);
  MUST(b.context, sprint_solver_save(b.solver, path));
  for (size_t i = 0; i < N; i++)
    for (int lacks = 0; lacks < 2; lacks++) {
      double v[D], of_stratum = stratum[i] ? 0.75 : 0, q = lacks ? of_stratum : 1 - of_stratum;
      if (q == 0) continue;
      direction_of(path, spec, 2, i, lacks, stratum, now, x, v);
      for (size_t j = 0; j < D; j++) {
        mean_v[j] += v[j] * q * now[stratum[i]] / size[stratum[i]];
        mean_x[j] += (double)x[i * D + j] * q * now[stratum[i]] / size[stratum[i]];
      }
    }
  for (size_t j = 0; j < D; j++) CLOSE(mean_v[j], (double)want.theta[j] - mean_x[j], 100);
  unlink(path);
  bench_free(&b);
}

/* In one part or in several, in any order of who lacks one; other methods refuse; all are counted. */
static void test_parts__lacking_in_parts(void **state) {
  (void)state;
  const bool lacks[4] = {true, false, true, false}, all[4] = {true, true, true, true};
  sprint_real whole[D] = {0};
  for (int cut = 0; cut <= 4; cut++) {
    struct bench b = started("{kind: sprint, correction: coupled, batch: 4, inner: 5}", 1);
    sprint_told told = {.size = sizeof told};
    sprint_want want = reach_reference(&b, NULL, NULL);
    sprint_records front = records_of(&want, 0, (size_t)cut), back = records_of(&want, (size_t)cut, 4 - (size_t)cut);
    front.lacks_reference = lacks, back.lacks_reference = lacks + cut;
    MUST(b.context, sprint_solver_tell(b.solver, &front));
    if (cut < 4) MUST(b.context, sprint_solver_tell(b.solver, &back));
    if (cut == 0) memcpy(whole, sprint_solver_theta(b.solver), sizeof whole);
    assert_memory_equal(whole, sprint_solver_theta(b.solver), sizeof whole);
    MUST(b.context, sprint_solver_told(b.solver, &told));
    assert_int_equal(told.lacking, 2);
    want = ask(&b);
    sprint_real want_theta[D];
    memcpy(want_theta, want.theta, sizeof want_theta);
    sprint_records none = records_of(&want, 0, 4);
    none.lacks_reference = all, none.x_reference = NULL;
    MUST(b.context, sprint_solver_tell(b.solver, &none)); /* which is a step of sgd */
    for (size_t j = 0; j < D; j++) {
      double v =
          (double)want_theta[j] - (double)(people[j] + people[D + j] + people[2 * D + j] + people[3 * D + j]) / 4;
      CLOSE(sprint_solver_direction(b.solver)[j], v, 100);
    }
    bench_free(&b);
  }
  struct bench b = started("{kind: sarah, correction: coupled, batch: 4}", 1);
  sprint_want want = reach_reference(&b, NULL, NULL);
  sprint_records records = records_of(&want, 0, 4);
  records.lacks_reference = lacks;
  KEEPS(b, "the method needs everybody's", sprint_solver_tell(b.solver, &records));
  bench_free(&b);
  b = started("{kind: sprint, correction: unbiased, batch: 4}", 2);
  const uint32_t stratum[N] = {0, 1, 0, 1, 0, 1};
  const double p[2] = {0.5, 0.5};
  want = reach_reference(&b, stratum, p);
  records = records_of(&want, 0, 4);
  records.lacks_reference = lacks, records.p = p;
  KEEPS(b, "`stratum`, of which of 2", sprint_solver_tell(b.solver, &records));
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts__wrong_calls_change_nothing),
      cmocka_unit_test(test_parts__large_populations_are_the_same_to_the_bit),
      cmocka_unit_test(test_parts__repeats),
      cmocka_unit_test(test_parts__stale),
      cmocka_unit_test(test_parts__people_without_a_reference_leave_no_bias),
      cmocka_unit_test(test_parts__people_without_a_reference_by_stratum),
      cmocka_unit_test(test_parts__lacking_in_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
