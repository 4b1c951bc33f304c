/* Populations without end: records come from the source, each of somebody new, who has no state. Where strata are
 * reweighted, whoever comes is kept with a probability proportional to p_c / b_c, b_c the frequency of their stratum in
 * the window; the others are read and left. */
#include <math.h>
#include <string.h>

#include "engine/engine.h"

sprint_status sprint__endless_meets(const struct sprint__engine *engine, const sprint_want *want) {
  if (want->kind != SPRINT_WANT_POPULATION) return SPRINT_OK;
  return sprint_fail(engine->context, SPRINT_ERROR_INPUT,
                     "key 'method': it looks at everybody, and the population has no end; sgd, or sprint with "
                     "snapshot: fixed, growing or adaptive, was expected");
}

sprint_status sprint__endless_check(const struct sprint__engine *engine, const struct sprint__section *method) {
  const sprint_shift *shift = engine->shift;
  const sprint_population *window = shift->population;
  if (engine->solver->tells_who)
    return sprint__refuse(method, "kind",
                          "'%s' goes by who each individual is, and in a population without end nobody is met twice; "
                          "sgd, or sprint with snapshot: fixed, growing or adaptive, was expected",
                          method->kind->name);
  if (shift->keeps_records)
    return sprint_fail(engine->context, SPRINT_ERROR_INPUT,
                       "key 'shift': people keep what they answered with, and in a population without end nobody is "
                       "met twice; a shift without such a memory was expected (memory: stateless)");
  if (sprint__shift_by_identity(shift))
    return sprint_fail(engine->context, SPRINT_ERROR_INPUT,
                       "key 'shift': who is replaced, and by whom, is settled for the individuals of a finite "
                       "population; a shift that goes by records alone was expected");
  for (size_t c = 0; sprint__shift_reweights(shift) && c < window->n_strata; c++)
    if (window->base_p[c] <= 0)
      return sprint_fail(engine->context, SPRINT_ERROR_INPUT,
                         "key 'data.window': class '%s' is not in the window of %zu records, and the shift goes by how "
                         "its people fare; a larger window was expected",
                         window->class_names[c], window->n);
  sprint_want first = {.size = sizeof first, .theta = engine->solver->theta};
  engine->solver->estimator->want(engine->solver, &first);
  if (engine->solver->revisits) first.kind = SPRINT_WANT_POPULATION;
  return sprint__endless_meets(engine, &first);
}

/* Nothing more comes. What was trained is kept; before the first step there is nothing to keep. */
static sprint_status end(struct sprint__engine *engine, const sprint_want *want, size_t got) {
  const struct sprint__tap *tap = engine->tap;
  sprint_solver *solver = engine->solver;
  if (solver->cost.steps == 0 && solver->stop == SPRINT_STOP_RUNNING)
    return sprint_fail(engine->context, SPRINT_ERROR_INPUT,
                       "key 'data': %s after %zu records of the window and %llu more, before the first step: %zu of "
                       "the %zu that it wanted had come",
                       sprint_stop_text(tap->ending), engine->shift->population->n, (unsigned long long)tap->n_read,
                       got, want->n);
  sprint_solver_halt(solver, tap->ending);
  return SPRINT_OK;
}

/* The largest p_c / b_c, for acceptance by the ratio to it. */
static double largest_ratio(const sprint_population *window, const double *p) {
  double most = 0;
  for (size_t c = 0; c < window->n_strata; c++)
    if (window->base_p[c] > 0) most = fmax(most, p[c] / window->base_p[c]);
  return most;
}

static size_t stratum_of(const sprint_population *window, sprint_real y) { return window->n_classes ? (size_t)y : 0; }

/* Of n records that came as `draws`, moves those that are kept to the front; returns how many. */
static size_t keep_accepted(const struct sprint__engine *engine, const struct sprint__draws *draws, size_t n,
                            sprint_real *x, sprint_real *y) {
  const sprint_population *window = engine->shift->population;
  const double *p = engine->current.p;
  double most = largest_ratio(window, p);
  size_t d = window->d, kept = 0;
  for (size_t i = 0; i < n; i++) {
    size_t c = stratum_of(window, y[i]);
    struct sprint__random words =
        sprint__random_words(draws->seed, draws->purpose, draws->step, draws->first + (uint32_t)i);
    if (sprint__uniform(words.b) * most * window->base_p[c] >= p[c]) continue;
    memmove(x + kept * d, x + i * d, d * sizeof *x);
    y[kept++] = y[i];
  }
  return kept;
}

/* The next n records to be drawn as `draws` says, which moves on; fewer where nothing more comes. */
static sprint_status read_records(struct sprint__engine *engine, struct sprint__draws *draws, size_t n, sprint_real *x,
                                  sprint_real *y, size_t *ret_n) {
  size_t d = engine->shift->population->d, got = 0;
  for (bool more = true; got < n && more;) {
    size_t came = 0, wanted = n - got;
    SPRINT__TRY(sprint__tap_read(engine->tap, draws, wanted, x + got * d, y + got, &came));
    more = came == wanted;
    got += sprint__engine_p(engine) ? keep_accepted(engine, draws, came, x + got * d, y + got) : came;
    draws->first += (uint32_t)came;
  }
  *ret_n = got;
  return SPRINT_OK;
}

/* How many draws of the step were used up is for the next ones to know, where some were not kept. */
static void count_draws(struct sprint__engine *engine, const struct sprint__draws *draws) {
  *(draws->purpose == SPRINT__FOR_DRAWS ? &engine->drawn : &engine->sampled) = draws->first;
}

/* The batch's base records in engine->x become those under the deployment, and those it refers to. */
static sprint_status answer(struct sprint__engine *engine, const sprint_want *want, bool refers) {
  sprint_shift *shift = engine->shift;
  const struct sprint__deployment *reference = sprint__engine_reference(engine, want);
  size_t n = want->n, d = shift->population->d;
  if (refers) {
    memcpy(engine->x_anchor, engine->x, n * d * sizeof *engine->x);
    SPRINT__TRY(sprint__shift_respond(shift, reference->theta, NULL, engine->y, n, engine->x_anchor));
  }
  SPRINT__TRY(sprint__shift_respond(shift, engine->current.theta, NULL, engine->y, n, engine->x));
  return sprint__engine_hear_before(engine, NULL, n, engine->x);
}

sprint_status sprint__endless_batch(struct sprint__engine *engine, const sprint_want *want,
                                    sprint_records *ret_records) {
  struct sprint__draws draws = sprint__engine_draws(engine, want);
  bool refers = want->reference && sprint__shift_moves(engine->shift), says = engine->solver->tells_strata;
  size_t got = 0;
  SPRINT__TRY(read_records(engine, &draws, want->n, engine->x, engine->y, &got));
  count_draws(engine, &draws);
  ret_records->n = got;
  if (got < want->n) return end(engine, want, got);
  for (size_t i = 0; says && i < got; i++)
    engine->stratum[i] = (uint32_t)stratum_of(engine->shift->population, engine->y[i]);
  SPRINT__TRY(answer(engine, want, refers));
  *ret_records = (sprint_records){.size = sizeof *ret_records,
                                  .n = got,
                                  .x = engine->x,
                                  .y = engine->y,
                                  .x_reference = refers ? engine->x_anchor : NULL,
                                  .stratum = says ? engine->stratum : NULL,
                                  .p = sprint__engine_p(engine),
                                  .deployment = want->deployment};
  return SPRINT_OK;
}

/* Adds a piece of n records in the pass's room, stratum by stratum; the second half of the room is for those of one. */
static sprint_status add_piece(struct sprint__engine *engine, const struct sprint__pass_options *passing, size_t n,
                               struct sprint__strata_sums *sums) {
  struct sprint__pass *pass = &engine->pass;
  const sprint_population *window = pass->population;
  size_t d = window->d, half = pass->room / 2;
  sprint_real *x = pass->x + half * d, *y = pass->y + half;
  if (!pass->by_stratum) return sprint__pass_add_new(pass, passing, pass->x, pass->y, n, 0, sums);
  for (size_t c = 0; c < sums->n_strata; c++) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
      if (stratum_of(window, pass->y[i]) != c) continue;
      memcpy(x + found * d, pass->x + i * d, d * sizeof *x);
      y[found++] = pass->y[i];
    }
    if (found) SPRINT__TRY(sprint__pass_add_new(pass, passing, x, y, found, c, sums));
  }
  return SPRINT_OK;
}

sprint_status sprint__endless_sample(struct sprint__engine *engine, const sprint_want *want,
                                     const struct sprint__pass_options *passing, struct sprint__strata_sums *sums) {
  struct sprint__draws draws = sprint__engine_draws(engine, want);
  size_t room = engine->pass.room / 2;
  while (sums->n < want->n) {
    size_t n = want->n - sums->n < room ? want->n - sums->n : room, got = 0;
    SPRINT__TRY(read_records(engine, &draws, n, engine->pass.x, engine->pass.y, &got));
    if (got < n) return end(engine, want, sums->n + got);
    SPRINT__TRY(add_piece(engine, passing, got, sums));
  }
  count_draws(engine, &draws);
  return SPRINT_OK;
}
