/* The recall engine: a snapshot's pass already had everybody's gradient at theta~. It keeps the activations that this
 * gradient is put together from, so that a step takes one pass forward and back, at theta, instead of two. All else is
 * as `plain` has it. */
#include "base/rows.h"
#include "engine/engine.h"

struct recall {
  sprint_real *activations; /* (everybody, the model's n_activations) */
  sprint_real *x;           /* (everybody, d) their records then; NULL where features do not move */
  bool known;
  uint64_t step; /* the solver's steps at the theta of that pass */
};

/* Reals that are kept of everybody. */
static size_t kept_of_each(const struct sprint__engine *engine) {
  const sprint_shift *shift = engine->shift;
  return engine->solver->model->n_activations + (sprint__shift_moves(shift) ? shift->population->d : 0);
}

static double bytes_of(const struct sprint__engine *engine) {
  return (double)engine->shift->population->n * (double)kept_of_each(engine) * (double)sizeof(sprint_real);
}

/* A number that is kept in memory and comes back in another order takes the time of so many operations, of layers whose
 * weights are in a cache. Where features move, the way back to the weights and a response are spared too. */
static bool recall_pays(const struct sprint__engine *engine) {
  enum { COST_OF_KEEPING = 55 };
  const sprint_model *model = engine->solver->model;
  double saved = model->recall_saves + (sprint__shift_moves(engine->shift) ? model->cost_per_row : 0);
  return saved >= COST_OF_KEEPING * (double)kept_of_each(engine);
}

static const char *recall_misfit(const struct sprint__engine *engine) {
  const sprint_solver *solver = engine->solver;
  const sprint_shift *shift = engine->shift;
  if (!solver->estimator->linear || !solver->anchors) return "the method's steps do not lean on a snapshot";
  if (solver->samples) return "a snapshot may be a sample";
  if (solver->model->n_activations == 0) return "the model is not a network";
  if (shift->population->weight) return "records have weights";
  if (sprint__shift_moves(shift) && !solver->coupled)
    return "features move, and the method compares records that the snapshot has not seen";
  if (sprint__shift_moves(shift) && (shift->keeps_records || shift->remembers_deployments))
    return "features move, and the shift remembers";
  if (sprint__shift_moves(shift) && sprint__shift_reweights(shift)) return "features move, and strata too";
  return bytes_of(engine) <= engine->most_bytes ? NULL : "everybody's activations take more than engine.memory";
}

static sprint_status recall_setup(struct sprint__engine *engine) {
  struct recall *recall = engine->impl = sprint__arena_take(&engine->arena, 1, sizeof *recall);
  if (!recall) return SPRINT_ERROR_MEMORY;
  const sprint_population *population = engine->shift->population;
  size_t size = engine->solver->model->n_activations * sizeof *recall->activations;
  recall->activations = sprint__arena_take(&engine->arena, population->n, size);
  if (sprint__shift_moves(engine->shift))
    recall->x = sprint__arena_take(&engine->arena, population->n, population->d * sizeof *recall->x);
  return sprint__arena_status(&engine->arena);
}

static void recall_survey(void *user, const sprint_real *theta, const struct sprint__rows *rows,
                          const struct sprint__total *total, struct sprint__sums *ret_sums) {
  struct sprint__engine *engine = user;
  struct recall *recall = engine->impl;
  struct sprint__rows kept = *rows;
  kept.keep = recall->activations;
  if (recall->x)
    sprint__rows_put(engine->context, rows->x, engine->shift->population->d, rows->who, rows->n, recall->x);
  recall->known = true;
  recall->step = engine->survey.step;
  sprint__model_sums_to(engine->solver->model, theta, &kept, total, ret_sums);
}

/* The activations at theta~ are worked out again where another survey has been taken since, which nobody counts. */
static sprint_status ensure(struct sprint__engine *engine, const struct sprint__linear *linear) {
  const struct recall *recall = engine->impl;
  uint64_t evals = engine->shift->evals;
  if (recall->known && recall->step == linear->anchor_step) return SPRINT_OK;
  engine->survey.known = false;
  SPRINT__TRY(sprint__survey_anchor(engine, linear));
  engine->shift->evals = evals;
  return SPRINT_OK;
}

/* Whether the population still reacts to theta~, so that everybody's record is at hand. */
static bool repeats(const struct sprint__engine *engine, const struct sprint__linear *linear) {
  const struct recall *recall = engine->impl;
  return recall->x && linear->anchor && engine->current.number == engine->anchor.number;
}

/* As sprint__engine_fetch, but that the records under theta~ are recalled; they count as if they were made, by as much
 * as a survey counts for each of everybody. */
static sprint_status fetch(struct sprint__engine *engine, const sprint_want *want, const struct sprint__linear *linear,
                           sprint_records *ret_records) {
  const struct recall *recall = engine->impl;
  const sprint_population *population = engine->shift->population;
  uint64_t each = engine->survey.evals / population->n;
  sprint_want current = *want;
  current.reference = 0;
  if (repeats(engine, linear)) {
    engine->known_x = recall->x;
    engine->shift->evals += each * want->n;
  }
  sprint_status status = sprint__engine_fetch(engine, engine->who, &current, ret_records);
  engine->known_x = NULL;
  if (status || !recall->x || !want->reference) return status;
  sprint__rows_take(engine->context, recall->x, population->d, engine->who, want->n, engine->x_anchor);
  ret_records->x_reference = engine->x_anchor;
  engine->shift->evals += each * want->n;
  return SPRINT_OK;
}

static sprint_status recall_step(struct sprint__engine *engine, const sprint_want *want) {
  struct sprint__linear linear;
  const struct recall *recall = engine->impl;
  sprint_solver *solver = engine->solver;
  sprint_records records;
  solver->estimator->linear(solver, sprint__engine_p(engine), &linear);
  if (linear.anchor) SPRINT__TRY(ensure(engine, &linear));
  sprint__engine_draw(engine, want);
  SPRINT__TRY(fetch(engine, want, &linear, &records));
  solver->recalled = linear.anchor ? recall->activations : NULL;
  sprint_status status = sprint__engine_tell(engine, &records);
  solver->recalled = NULL;
  return status;
}

static const struct sprint__engine_ops recall_ops = {
    .misfit = recall_misfit, .pays = recall_pays, .setup = recall_setup, .survey = recall_survey, .step = recall_step};

const sprint_kind sprint__engine_recall = {
    "recall", "networks under a snapshot's method: gradients at theta~ from the snapshot's activations", NULL, 0,
    &recall_ops};
