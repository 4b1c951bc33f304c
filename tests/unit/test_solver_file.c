/* A solver that is saved, freed and loaded anew between any two calls, and told in parts, goes on to the bit as one
 * that never was and is told all at once: every method and step rule of the registry. */
#define _GNU_SOURCE
#include "bench_help.h"

#include <unistd.h>

#include "registry_help.h"
#include "solver/solver.h"

enum { N = 12, D = 2, B = 3, CALLS = 24 };
static const sprint_real people[N * D] = {1, 0, 2, 1, 3, 0, 4, 1, 0, 5, 1, 1, 2, 2, 0, 3, 1, 4, 2, 0, 3, 3, 1, 2};
static const sprint_real start[D] = {0.5, -0.25};
static const char model[] = "{loss: mean, l2: 0.1}", shift[] = "{kind: location, epsilon: 0.3}";

/* A call that may run out of memory, and then changes nothing: made again, it succeeds. */
#define MUST_AT_LAST(CONTEXT, CALL)                                  \
  do {                                                               \
    sprint_status first__ = (CALL);                                  \
    if (first__ == SPRINT_OK) break;                                 \
    REFUSED(CONTEXT, SPRINT_ERROR_MEMORY, "out of memory", first__); \
    MUST(CONTEXT, CALL);                                             \
  } while (0)

/* What is wanted, as a function of what it is: a share 0.3 of the deployed theta on top of base records. */
static void tell(struct bench *b, const sprint_want *want, size_t first, size_t n, bool last) {
  static const char *const names[N] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  sprint_real x[N * D], reference[N * D], y[N] = {0};
  uint32_t who[N], stratum[N] = {0};
  const char *ids[N];
  double p = 1;
  for (size_t i = 0; i < n; i++) {
    who[i] = (uint32_t)(want->kind == SPRINT_WANT_POPULATION ? first + i : (want->step * 7 + (first + i) * 5) % N);
    ids[i] = names[who[i]];
    for (size_t j = 0; j < D; j++) {
      x[i * D + j] = people[who[i] * D + j] + (sprint_real)0.3 * want->theta[j];
      reference[i * D + j] = people[who[i] * D + j] + (sprint_real)0.01 * (sprint_real)want->reference;
    }
  }
  sprint_records records = {.size = sizeof records,
                            .n = n,
                            .x = x,
                            .y = y,
                            .x_reference = want->reference ? reference : NULL,
                            .who = who,
                            .stratum = stratum,
                            .p = &p,
                            .deployment = want->deployment,
                            .request = want->request,
                            .id = ids,
                            .repeats = want->kind != SPRINT_WANT_POPULATION,
                            .last = last};
  MUST_AT_LAST(b->context, sprint_solver_tell(b->solver, &records));
}

static size_t n_half_loaded;

/* What has some of its numbers from a file and some not neither goes on nor is saved. */
static void half_loaded_is_refused(struct bench *b, const char *path) {
  static const char words[] = "the solver was not loaded whole; loading it again";
  sprint_want want = {.size = sizeof want};
  sprint_records records = {.size = sizeof records};
  REFUSED(b->context, SPRINT_ERROR_ARGUMENT, words, sprint_solver_ask(b->solver, &want));
  REFUSED(b->context, SPRINT_ERROR_ARGUMENT, words, sprint_solver_tell(b->solver, &records));
  REFUSED(b->context, SPRINT_ERROR_ARGUMENT, words, sprint_solver_discard(b->solver));
  REFUSED(b->context, SPRINT_ERROR_ARGUMENT, words, sprint_solver_save(b->solver, path));
  assert_int_equal(want.n, 0);
  n_half_loaded++;
}

/* Saved, freed, made anew from another start and loaded. */
static void reload(struct bench *b, const char *spec, const char *path) {
  static const sprint_real elsewhere[D] = {3, 3};
  if (!path) return;
  MUST_AT_LAST(b->context, sprint_solver_save(b->solver, path));
  sprint_solver_free(b->solver);
  b->solver = NULL;
  MUST_AT_LAST(b->context, bench_start(b, spec, elsewhere, 1));
  sprint_status status = sprint_solver_load(b->solver, path);
  if (status == SPRINT_OK) return;
  REFUSED(b->context, SPRINT_ERROR_MEMORY, "out of memory", status);
  if (b->solver->half_loaded) half_loaded_is_refused(b, path);
  MUST(b->context, sprint_solver_load(b->solver, path));
}

struct end {
  bool refused;
  sprint_real theta[D];
  sprint_counters cost;
  sprint_stop stop;
};

/* All that is wanted, in parts of `part` records, or (0) at once; saved and loaded behind each. */
static void tell_all(struct bench *b, const char *spec, const char *path, size_t part) {
  sprint_want want = ask(b);
  for (size_t first = 0, n; first < want.n; first += n) {
    sprint_told told = {.size = sizeof told};
    MUST(b->context, sprint_solver_told(b->solver, &told));
    assert_int_equal(told.n, first);
    n = part && part < want.n - first ? part : want.n - first;
    sprint_want again = ask(b); /* theta is lent until records are told */
    assert_int_equal(again.request, want.request);
    tell(b, &again, first, n, first + n == want.n);
    reload(b, spec, path);
  }
}

/* path NULL: never saved. */
static struct end talk(const char *spec, const char *path, size_t part) {
  struct bench b = bench_of(N, D, people, model, shift);
  struct end end = {.refused = bench_start(&b, spec, start, 1) != SPRINT_OK};
  for (uint64_t call = 1; !end.refused && call <= CALLS; call++) {
    sprint_want want = ask(&b);
    if (want.kind == SPRINT_WANT_NOTHING) break;
    assert_int_equal(want.request, call);
    reload(&b, spec, path);
    sprint_want again = ask(&b);
    assert_int_equal(again.deployment, want.deployment);
    assert_int_equal(again.n, want.n);
    assert_int_equal(again.deploy, want.deploy);
    tell_all(&b, spec, path, part);
  }
  if (!end.refused) {
    memcpy(end.theta, sprint_solver_theta(b.solver), sizeof end.theta);
    end.cost = sprint_solver_counters(b.solver);
    end.stop = sprint_solver_stop(b.solver);
  }
  bench_free(&b);
  return end;
}

static size_t n_compared;

static void compare_ends(const char *spec, const char *path) {
  struct end whole = talk(spec, NULL, 0), other;
  for (size_t part = 0; !whole.refused && part <= 5; part++) {
    other = talk(spec, part == 0 || part == 2 ? path : NULL, part);
    n_compared++;
    if (memcmp(whole.theta, other.theta, sizeof whole.theta) != 0 || whole.stop != other.stop ||
        memcmp(&whole.cost, &other.cost, sizeof whole.cost) != 0)
      fail_msg("%s goes elsewhere when it is saved between calls, and told in parts of %zu", spec, part);
  }
}

/* In memory, where there is such a folder: thousands of files are synced. */
static void name_file(char path[64]) {
  snprintf(path, 64, "%s/sprint-solver-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  close(mkstemp(path));
}

static void test_solver_file__every_method_and_step(void **state) {
  (void)state;
  static char methods[MOST_SPECS][SPEC], steps[MOST_SPECS][SPEC];
  char path[64], spec[512];
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  name_file(path);
  size_t n_methods = specs_of(context, "methods", ", batch: 3", methods),
         n_steps = specs_of(context, "steps", "", steps);
  for (size_t m = 0; m < n_methods; m++) {
    snprintf(spec, sizeof spec, "{method: %s, step: {size: 0.05}, deploy: {kind: every, steps: %zu}}", methods[m],
             1 + m % 2);
    compare_ends(spec, path);
  }
  for (size_t s = 0; s < n_steps; s++) {
    snprintf(spec, sizeof spec, "{method: {kind: sprint, batch: 3}, step: %s}", steps[s]);
    compare_ends(spec, path);
  }
  assert_true(n_compared > 6 * 30);
  unlink(path);
  sprint_context_free(context);
}

/* A short talk in parts, saved and loaded, in which the allocation of one number fails; *ret_failed: there is one. */
static struct end interrupted_talk(const char *spec, const char *path, int64_t fail, bool *ret_failed) {
  struct bench b = bench_of(N, D, people, model, shift);
  struct end end = {.refused = bench_start(&b, spec, start, 1) != SPRINT_OK};
  b.context->n_allocations = 0;
  b.context->fail_allocation = fail;
  for (int call = 0; !end.refused && call < 3 && ask(&b).kind != SPRINT_WANT_NOTHING; call++) {
    reload(&b, spec, call == 1 ? path : NULL);
    tell_all(&b, spec, call == 1 ? path : NULL, 2);
  }
  if (!end.refused) {
    memcpy(end.theta, sprint_solver_theta(b.solver), sizeof end.theta);
    end.cost = sprint_solver_counters(b.solver);
    end.stop = sprint_solver_stop(b.solver);
  }
  *ret_failed = b.context->n_allocations > (uint64_t)fail;
  bench_free(&b);
  return end;
}

/* Of all methods together every allocation of a talk fails, of each every STRIDE-th. Whatever had failed is done again,
 * and the end is to the bit that of a talk in which nothing failed. */
static void test_solver_file__goes_on_once_there_is_memory(void **state) {
  (void)state;
  enum { STRIDE = 23 };
  static char methods[MOST_SPECS][SPEC];
  char path[64], spec[512];
  sprint_context *context = NULL;
  size_t n_failures = 0;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  name_file(path);
  size_t n = specs_of(context, "methods", ", batch: 3", methods);
  for (size_t m = 0; m < n; m++) {
    snprintf(spec, sizeof spec, "{method: %s, step: {size: 0.05}}", methods[m]);
    bool failed = false;
    struct end whole = interrupted_talk(spec, path, INT64_MAX, &failed), other;
    failed = !whole.refused;
    for (int64_t fail = (int64_t)m % STRIDE; failed; fail += STRIDE) {
      other = interrupted_talk(spec, path, fail, &failed);
      n_failures += failed;
      if (memcmp(whole.theta, other.theta, sizeof whole.theta) != 0 || whole.stop != other.stop ||
          memcmp(&whole.cost, &other.cost, sizeof whole.cost) != 0)
        fail_msg("%s goes elsewhere once allocation %d has failed", spec, (int)fail);
    }
  }
  assert_true(n_failures > n && n_half_loaded > 0);
  unlink(path);
  sprint_context_free(context);
}

/* What cannot be right is a sentence, and the solver is as it was. */
static void test_solver_file__refuses(void **state) {
  (void)state;
  char path[] = "/tmp/sprint-solver-XXXXXX";
  close(mkstemp(path));
  struct bench b = bench_of(N, D, people, model, shift), other = bench_of(N, D, people, model, shift);
  MUST(b.context, bench_start(&b, "{method: {kind: sprint, batch: 3}}", start, 1));
  MUST(other.context, bench_start(&other, "{method: {kind: sprint, batch: 4}}", start, 1));
  REFUSED(b.context, SPRINT_ERROR_INPUT, "is not a saved solver, or is damaged", sprint_solver_load(b.solver, path));
  REFUSED(b.context, SPRINT_ERROR_IO, "/nowhere/x: cannot be read", sprint_solver_load(b.solver, "/nowhere/x"));
  REFUSED(b.context, SPRINT_ERROR_IO, "/nowhere/x: cannot be written", sprint_solver_save(b.solver, "/nowhere/x"));
  MUST(b.context, sprint_solver_save(b.solver, path));
  REFUSED(other.context, SPRINT_ERROR_INPUT, "is of another method, model", sprint_solver_load(other.solver, path));
  ask(&b);
  REFUSED(b.context, SPRINT_ERROR_ARGUMENT, "the solver has begun", sprint_solver_load(b.solver, path));
  /* any byte that is another one is seen */
  FILE *stream = fopen(path, "r+b");
  fseek(stream, 0, SEEK_END);
  long size = ftell(stream);
  sprint_solver_free(b.solver);
  MUST(b.context, bench_start(&b, "{method: {kind: sprint, batch: 3}}", start, 1));
  for (long at = 0; at < size; at += 7) {
    fseek(stream, at, SEEK_SET);
    int byte = fgetc(stream);
    fseek(stream, at, SEEK_SET);
    fputc(byte ^ 1, stream);
    fflush(stream);
    REFUSED(b.context, SPRINT_ERROR_INPUT, "is not a saved solver, or is damaged", sprint_solver_load(b.solver, path));
    fseek(stream, at, SEEK_SET);
    fputc(byte, stream);
  }
  fclose(stream);
  MUST(b.context, sprint_solver_load(b.solver, path));
  assert_memory_equal(sprint_solver_theta(b.solver), start, sizeof start);
  unlink(path);
  bench_free(&b);
  bench_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solver_file__every_method_and_step),
      cmocka_unit_test(test_solver_file__goes_on_once_there_is_memory),
      cmocka_unit_test(test_solver_file__refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
