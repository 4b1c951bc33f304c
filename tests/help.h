/* What the tests of shifts, solvers and runs share: a context per test, and calls that must succeed. */
#ifndef SPRINT_TESTS_HELP_H
#define SPRINT_TESTS_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sprint.h"

#define MUST(CONTEXT, CALL)                                                   \
  do {                                                                        \
    sprint_status status__ = (CALL);                                          \
    if (status__ != SPRINT_OK) fail_msg("%s", sprint_context_error(CONTEXT)); \
  } while (0)

/* The call fails with this status, and its sentence has the words. */
#define REFUSED(CONTEXT, STATUS, WORDS, CALL)                                     \
  do {                                                                            \
    assert_int_equal((CALL), (STATUS));                                           \
    if (!strstr(sprint_context_error(CONTEXT), (WORDS)))                          \
      fail_msg("'%s' does not say '%s'", sprint_context_error(CONTEXT), (WORDS)); \
  } while (0)

/* Equal to `eps` roundings of the build's precision, relative to the larger of 1 and |expected|. */
#define CLOSE(GOT, EXPECTED, EPS)                                                                                \
  do {                                                                                                           \
    double got__ = (double)(GOT), expected__ = (double)(EXPECTED);                                               \
    double bound__ = (EPS) * (sizeof(sprint_real) == 8 ? 2.3e-16 : 1.2e-7) * fmax(1.0, fabs(expected__));        \
    if (!(fabs(got__ - expected__) <= bound__)) fail_msg("%s = %.17g, expected %.17g", #GOT, got__, expected__); \
  } while (0)

/* A few people of two classes that overlap; another start, other people. */
enum { FEW = 24, FEW_COLUMNS = 6 };

static inline sprint_population *few_people(sprint_context *context, size_t start) {
  sprint_real x[FEW * FEW_COLUMNS], y[FEW];
  sprint_population *people = NULL;
  for (size_t i = 0; i < FEW; i++) {
    y[i] = (sprint_real)(i % 2);
    for (size_t j = 0; j < FEW_COLUMNS; j++)
      x[i * FEW_COLUMNS + j] = (sprint_real)((start + i * 7 + j * 5) % 11) / 5 - y[i];
  }
  MUST(context, sprint_population_new(context, FEW, FEW_COLUMNS, x, y, 2, &people));
  return people;
}

/* A population, model and shift over it. */
struct world {
  sprint_context *context;
  sprint_population *population, *heldout;
  sprint_model *model;
  sprint_shift *shift;
};

static inline struct world world_new(const char *data, const char *model, const char *shift) {
  struct world w = {0};
  assert_int_equal(sprint_context_new(&w.context), SPRINT_OK);
  MUST(w.context, sprint_population_load(w.context, data, &w.population, &w.heldout));
  MUST(w.context, sprint_model_new(w.context, model, w.population, &w.model));
  if (shift) MUST(w.context, sprint_shift_new(w.context, shift, w.model, w.population, &w.shift));
  return w;
}

static inline void world_free(struct world *w) {
  sprint_shift_free(w->shift);
  sprint_model_free(w->model);
  sprint_population_free(w->heldout);
  sprint_population_free(w->population);
  sprint_context_free(w->context);
}

static inline sprint_run *run_new(struct world *w, const char *spec, uint64_t seed) {
  sprint_run_options options = {
      .size = sizeof options, .spec = spec, .seed = seed, .shift = w->shift, .heldout = w->heldout};
  sprint_run *run = NULL;
  MUST(w->context, sprint_run_new(w->context, &options, &run));
  return run;
}

/* A run to its end; the last row of its trace is lent by it. */
static inline sprint_run *run_done(struct world *w, const char *spec, uint64_t seed) {
  sprint_run *run = run_new(w, spec, seed);
  MUST(w->context, sprint_run_go(run, NULL, NULL));
  return run;
}

static inline const sprint_trace_row *last_row(const sprint_run *run) {
  return sprint_run_row(run, sprint_run_n_rows(run) - 1);
}

#endif
