/* A solver told by hand: few records of d features, a model, maybe a shift. */
#ifndef SPRINT_TESTS_BENCH_HELP_H
#define SPRINT_TESTS_BENCH_HELP_H

#include "help.h"

struct bench {
  sprint_context *context;
  sprint_population *population;
  sprint_model *model;
  sprint_shift *shift;
  sprint_solver *solver;
};

/* Of values; shift NULL: there is none. The solver's shift is that one too. */
static inline struct bench bench_of(size_t n, size_t d, const sprint_real *x, const char *model, const char *shift) {
  struct bench b = {0};
  sprint_real *zeros = calloc(n, sizeof *zeros);
  assert_int_equal(sprint_context_new(&b.context), SPRINT_OK);
  MUST(b.context, sprint_population_new(b.context, n, d, x, zeros, 0, &b.population));
  MUST(b.context, sprint_model_new(b.context, model, b.population, &b.model));
  if (shift) MUST(b.context, sprint_shift_new(b.context, shift, b.model, b.population, &b.shift));
  free(zeros);
  return b;
}

static inline sprint_status bench_start(struct bench *b, const char *spec, const sprint_real *theta, size_t n_strata) {
  sprint_solver_options options = {.size = sizeof options,
                                   .spec = spec,
                                   .model = b->model,
                                   .n = sprint_population_n(b->population),
                                   .n_strata = n_strata,
                                   .theta = theta,
                                   .seed = 7,
                                   .shift = b->shift};
  return sprint_solver_new(b->context, &options, &b->solver);
}

static inline void bench_free(struct bench *b) {
  sprint_solver_free(b->solver);
  sprint_shift_free(b->shift);
  sprint_model_free(b->model);
  sprint_population_free(b->population);
  sprint_context_free(b->context);
}

static inline sprint_want ask(struct bench *b) {
  sprint_want want = {.size = sizeof want};
  MUST(b->context, sprint_solver_ask(b->solver, &want));
  return want;
}

/* A run of the bench's shift to its end. */
static inline sprint_run *bench_run(struct bench *b, const char *spec, const sprint_real *theta) {
  sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 3, .shift = b->shift, .theta = theta};
  sprint_run *run = NULL;
  MUST(b->context, sprint_run_new(b->context, &options, &run));
  MUST(b->context, sprint_run_go(run, NULL, NULL));
  return run;
}

/* The run is refused, with these words. */
static inline void bench_refused(struct bench *b, const char *spec, const char *words) {
  sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 3, .shift = b->shift};
  sprint_run *run = NULL;
  REFUSED(b->context, SPRINT_ERROR_INPUT, words, sprint_run_new(b->context, &options, &run));
  assert_null(run);
}

#endif
