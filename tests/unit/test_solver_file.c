/* A solver that is saved, freed and loaded anew between any two calls, and told in parts, goes on to the bit as one
 * that never was and is told all at once: every method and step rule of the registry. */
#define _GNU_SOURCE
#include "bench_help.h"

#include <unistd.h>

#include "registry_help.h"

enum { N = 12, D = 2, B = 3, CALLS = 24 };
static const sprint_real people[N * D] = {1, 0, 2, 1, 3, 0, 4, 1, 0, 5, 1, 1, 2, 2, 0, 3, 1, 4, 2, 0, 3, 3, 1, 2};
static const sprint_real start[D] = {0.5, -0.25};
static const char model[] = "{loss: mean, l2: 0.1}", shift[] = "{kind: location, epsilon: 0.3}";

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
  MUST(b->context, sprint_solver_tell(b->solver, &records));
}

/* Saved, freed, made anew from another start and loaded. */
static void reload(struct bench *b, const char *spec, const char *path) {
  static const sprint_real elsewhere[D] = {3, 3};
  if (!path) return;
  MUST(b->context, sprint_solver_save(b->solver, path));
  sprint_solver_free(b->solver);
  b->solver = NULL;
  MUST(b->context, bench_start(b, spec, elsewhere, 1));
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
      cmocka_unit_test(test_solver_file__refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
