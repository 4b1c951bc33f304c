/* What all engines share: picking one, deploying, snapshots, drawn records, and losses for the shift. */
#include "engine/engine.h"

#include <math.h>
#include <string.h>

#include "base/rows.h"
#include "base/vector.h"
#include "population/weights.h"

static const sprint_kind *const engine_kinds[] = {
    &sprint__engine_auto,
    &sprint__engine_plain,
    &sprint__engine_recall,
    &sprint__engine_pixels,
};

static const sprint_param engine_params[] = {
    SPRINT__INTEGER("memory", "1000", 0, 1e6, "megabytes that an engine may take for tables which make it faster"),
};

const sprint_family sprint__engine_family = {
    .name = "engines",
    .key = "engine",
    .help = "who works on records; all give the same numbers, up to rounding",
    .params = engine_params,
    .n_params = SPRINT__COUNT(engine_params),
    .kinds = engine_kinds,
    .n_kinds = SPRINT__COUNT(engine_kinds),
    .standard = "auto",
};

const sprint_kind sprint__engine_auto = {"auto", "the fastest that fits the run", NULL, 0, NULL};

static struct sprint__deployment deployment_new(struct sprint__engine *engine) {
  const sprint_shift *shift = engine->shift;
  return (struct sprint__deployment){sprint__arena_take(&engine->arena, shift->model->n_params, sizeof(sprint_real)),
                                     sprint__arena_take(&engine->arena, shift->population->n_strata, sizeof(double)),
                                     0};
}

void sprint__engine_free(struct sprint__engine *engine) {
  if (!engine) return;
  if (engine->shift->losses.user == engine) sprint__shift_set_losses(engine->shift, NULL);
  if (engine->shift->in_force && engine->shift->in_force == engine->current.theta)
    sprint__shift_deploy(engine->shift, NULL); /* which cannot fail */
  if (engine->ops && engine->ops->free) engine->ops->free(engine);
  sprint__tap_close(engine->tap);
  sprint__arena_free(&engine->arena);
  sprint__free(engine);
}

/* A step allocates nothing: all room is taken here. */
static sprint_status allocate(struct sprint__engine *engine, const struct sprint__engine_options *options) {
  struct sprint__arena *arena = &engine->arena;
  sprint_shift *shift = engine->shift;
  const sprint_solver *solver = engine->solver;
  const sprint_population *heldout = options->heldout;
  size_t b = solver->batch, d = shift->population->d, n_params = solver->n_params;
  engine->survey.sums = sprint__strata_sums_of(arena, solver->n_strata, n_params);
  engine->losses = sprint__strata_sums_of(arena, solver->n_strata, 0);
  if (heldout) engine->heldout_sums = sprint__strata_sums_of(arena, heldout->n_strata, 0);
  if (heldout) sprint__pass_new(arena, shift, heldout, &engine->heldout_pass);
  sprint__pass_new(arena, shift, shift->population, &engine->pass);
  engine->current = deployment_new(engine);
  engine->anchor = deployment_new(engine);
  engine->before = deployment_new(engine);
  if (solver->samples) engine->sample = sprint__strata_sums_of(arena, solver->n_strata, n_params);
  engine->stratum = sprint__arena_take(arena, b, sizeof *engine->stratum);
  engine->who = sprint__arena_take(arena, b, sizeof *engine->who);
  engine->x = sprint__arena_take(arena, b, d * sizeof *engine->x);
  engine->x_anchor = sprint__arena_take(arena, b, d * sizeof *engine->x);
  engine->y = sprint__arena_take(arena, b, sizeof *engine->y);
  if (shift->hears_losses && shift->model->ops->tells_losses)
    engine->drawn_losses = sprint__arena_take(arena, b, sizeof *engine->drawn_losses);
  if (shift->population->weight) engine->weight = sprint__arena_take(arena, b, sizeof *engine->weight);
  if (!engine->tap && !solver->deploy.ops->due(&solver->deploy, 1))
    engine->expected = sprint__arena_take(arena, n_params, sizeof *engine->expected);
  if (shift->keeps_records && solver->coupled && solver->anchors)
    engine->anchor_x = sprint__arena_take(arena, shift->population->n, d * sizeof *engine->anchor_x);
  return sprint__arena_status(arena);
}

static const char *misfit_of(const struct sprint__engine *engine, const sprint_kind *kind) {
  const struct sprint__engine_ops *ops = kind->ops;
  if (engine->tap && kind != &sprint__engine_plain) return "the population has no end";
  return ops->misfit ? ops->misfit(engine) : NULL;
}

static bool suits_auto(const struct sprint__engine *engine, const sprint_kind *kind) {
  const struct sprint__engine_ops *ops = kind->ops;
  return !misfit_of(engine, kind) && (!ops->pays || ops->pays(engine));
}

/* Of `auto`: the last of the kinds that suits it; they are in the order of their speed. */
static sprint_status pick(struct sprint__engine *engine, const struct sprint__section *section) {
  engine->kind = section->kind;
  if (!engine->kind->ops) {
    size_t k = SPRINT__COUNT(engine_kinds) - 1;
    while (engine_kinds[k] != &sprint__engine_plain && !suits_auto(engine, engine_kinds[k])) k--;
    engine->kind = engine_kinds[k];
  }
  const char *misfit = misfit_of(engine, engine->kind);
  if (misfit) return sprint__refuse(section, "kind", "'%s' cannot do this run: %s", engine->kind->name, misfit);
  engine->ops = engine->kind->ops;
  return engine->ops->setup ? engine->ops->setup(engine) : SPRINT_OK;
}

/* The losses at theta of some individuals' base records. */
static void tell_losses(void *user, const sprint_real *theta, const uint32_t *who, size_t n, double *ret_losses) {
  struct sprint__engine *engine = user;
  const sprint_population *population = engine->shift->population;
  for (size_t start = 0; start < n; start += engine->pass.room) {
    size_t rows = n - start < engine->pass.room ? n - start : engine->pass.room;
    for (size_t i = 0; i < rows; i++) engine->pass.y[i] = population->y[who[start + i]];
    struct sprint__rows part = {.n = rows,
                                .y = engine->pass.y,
                                .pixels = &population->pixels,
                                .who = who + start,
                                .losses = ret_losses + start};
    struct sprint__sums sums;
    engine->ops->sum(engine, theta, &part, NULL, &sums);
  }
}

/* The losses of everybody's base record at theta. Those of the solver's theta may be at hand. What training goes by
 * does not depend on whether a row of the trace was taken: a survey's losses are to the bit those of a pass for losses
 * alone. */
static uint64_t losses_by_stratum(void *user, const sprint_real *theta, enum sprint__moment moment, double *ret_sums) {
  struct sprint__engine *engine = user;
  const struct sprint__survey *survey = &engine->survey;
  const struct sprint__strata_sums *sums = &survey->sums;
  bool evaluates = moment == SPRINT__AT_EVALUATION, fresh = engine->asking && sprint__survey_is_fresh(engine);
  uint64_t cost = fresh && survey->told ? 0 : engine->pass.population->n;
  if (!fresh || (!survey->told && !evaluates)) {
    if (engine->asking && engine->ops->losses && engine->ops->losses(engine, ret_sums)) return cost;
    /* a pass for losses alone, which is what training would have done, takes a third to a half of one with gradients */
    if (fresh) engine->seconds_reused += survey->seconds / 2;
  }
  if (!fresh) {
    if (engine->asking && engine->ops->settle) engine->ops->settle(engine); /* theta is the solver's, all of it */
    struct sprint__pass_options passing = {.theta = theta, .sum = engine->ops->sum, .user = engine};
    sprint__pass_over(&engine->pass, &passing, &engine->losses); /* base records: nothing in it can fail */
    sums = &engine->losses;
  }
  memcpy(ret_sums, sums->loss, sums->n_strata * sizeof *ret_sums);
  return cost;
}

/* Losses of base records are looked up where features do not move; where they do, the engine sees other records. */
static void answer_for_losses(struct sprint__engine *engine) {
  struct sprint__loss_source source = {engine, engine->ops->sum ? tell_losses : NULL, losses_by_stratum};
  if (!sprint__shift_moves(engine->shift) && sprint__shift_reweights(engine->shift))
    sprint__shift_set_losses(engine->shift, &source);
}

/* Everybody's records under the newest deployment, at another theta. */
static sprint_status revisit(void *user, const sprint_real *theta, sprint__sum_rows sum, void *sum_user,
                             struct sprint__strata_sums *ret_sums) {
  struct sprint__engine *engine = user;
  struct sprint__pass_options passing = {.theta = theta,
                                         .deployed = engine->current.theta,
                                         .sum = sum ? sum : engine->ops->sum,
                                         .user = sum ? sum_user : engine};
  const double *p = sprint__engine_p(engine);
  SPRINT__TRY(sprint__pass_over(&engine->pass, &passing, ret_sums));
  for (size_t c = 0; c < ret_sums->n_strata; c++) ret_sums->p[c] = p ? p[c] : 1;
  return SPRINT_OK;
}

/* A population without end: what goes with it, and this run's way to its records. */
static sprint_status open_source(struct sprint__engine *engine, const struct sprint__section *method) {
  struct sprint__source *source = engine->shift->population->source;
  if (!source) return SPRINT_OK;
  SPRINT__TRY(sprint__endless_check(engine, method));
  return sprint__tap_open(source, &engine->tap);
}

/* Where people keep what they answered with, their older records are known if a snapshot of everybody kept them. */
static sprint_status check_references(const struct sprint__engine *engine, const struct sprint__section *method) {
  const sprint_solver *solver = engine->solver;
  if (!engine->shift->keeps_records || !solver->coupled || (solver->anchors && !solver->samples)) return SPRINT_OK;
  return sprint__refuse(method, "kind",
                        "'%s' refers to people's records under %s, which are gone where people keep what they "
                        "answered with; a correction that is not coupled (paper, stratified) was expected",
                        method->kind->name, solver->anchors ? "a snapshot that was a sample" : "the deployment before");
}

sprint_status sprint__engine_new(sprint_context *context, const struct sprint__engine_options *options,
                                 struct sprint__engine **ret_engine) {
  SPRINT__SCOPED(sprint__engine_free) struct sprint__engine *engine = sprint__alloc(context, 1, sizeof *engine);
  if (!engine) return SPRINT_ERROR_MEMORY;
  engine->context = engine->arena.context = context;
  engine->solver = options->solver;
  engine->shift = options->shift;
  engine->seed = options->seed;
  engine->most_bytes = 1e6 * (double)sprint__get_integer(options->section, "memory");
  SPRINT__TRY(open_source(engine, options->method));
  SPRINT__TRY(check_references(engine, options->method));
  SPRINT__TRY(allocate(engine, options));
  SPRINT__TRY(pick(engine, options->section));
  answer_for_losses(engine);
  if (engine->solver->revisits) engine->solver->revisit = (struct sprint__revisit){engine, revisit};
  *ret_engine = sprint__give(&engine);
  return SPRINT_OK;
}

const sprint_real *sprint__engine_theta(const struct sprint__engine *engine, sprint_real *room) {
  const sprint_solver *solver = engine->solver;
  if (!engine->ops->show) return solver->theta;
  memcpy(room, solver->theta, solver->n_params * sizeof *room);
  engine->ops->show(engine, room);
  return room;
}

sprint_status sprint__engine_strata(struct sprint__engine *engine, const sprint_real *theta, enum sprint__moment moment,
                                    double *ret_p) {
  engine->asking = theta == engine->solver->theta;
  sprint_status status = sprint__shift_strata(engine->shift, theta, moment, ret_p);
  engine->asking = false;
  return status;
}

bool sprint__engine_is_finite(const struct sprint__engine *engine) {
  for (size_t c = 0; c < engine->shift->population->n_strata; c++)
    if (!isfinite(engine->current.p[c])) return false;
  return true;
}

/* The newest deployment is kept as the one before. */
static void keep_before(struct sprint__engine *engine) {
  if (!engine->solver->follows) return;
  struct sprint__deployment before = engine->before;
  engine->before = engine->current;
  engine->current = before;
}

/* Whether somebody may ask what was deployed: people who react to it, or a shift that is told. */
static bool keeps_theta(const sprint_shift *shift) {
  return shift->ops->deployed || shift->uses_theta == SPRINT__USES_THETA_ALWAYS;
}

/* theta becomes what the population reacts to; the first deployment of an epoch refreshes what the shift knows. */
static sprint_status deploy(struct sprint__engine *engine, const sprint_want *want) {
  sprint_solver *solver = engine->solver;
  sprint_shift *shift = engine->shift;
  bool first = solver->cost.epochs >= engine->n_epochs_begun;
  enum sprint__moment moment = first ? SPRINT__AT_EPOCH : SPRINT__AT_DEPLOYMENT;
  if (first) engine->n_epochs_begun = solver->cost.epochs + 1;
  keep_before(engine);
  engine->current.number = want->deployment;
  if (shift->ops->deployed && engine->ops->settle) engine->ops->settle(engine);
  if (keeps_theta(shift)) sprint__long_copy(engine->context, &solver->cut, want->theta, engine->current.theta);
  if (shift->ops->deployed) SPRINT__TRY(sprint__shift_deploy(shift, engine->current.theta));
  if (want->kind == SPRINT_WANT_POPULATION) SPRINT__TRY(sprint__survey_for_solver(engine));
  if (!first && shift->uses_theta == SPRINT__USES_THETA_AT_EPOCH) { /* p is what it was */
    if (solver->follows) memcpy(engine->current.p, engine->before.p, shift->population->n_strata * sizeof(double));
    return SPRINT_OK;
  }
  SPRINT__TRY(sprint__engine_strata(engine, want->theta, moment, engine->current.p));
  if (!sprint__engine_is_finite(engine)) sprint_solver_halt(solver, SPRINT_STOP_DIVERGED);
  return SPRINT_OK;
}

sprint_status sprint__engine_ask(struct sprint__engine *engine, sprint_want *ret_want) {
  SPRINT__TRY(sprint_solver_ask(engine->solver, ret_want));
  if (engine->tap) SPRINT__TRY(sprint__endless_meets(engine, ret_want));
  return ret_want->deploy && ret_want->kind != SPRINT_WANT_NOTHING ? deploy(engine, ret_want) : SPRINT_OK;
}

/* Later batches may refer back to the newest deployment. */
static void keep_anchor(struct sprint__engine *engine) {
  const struct sprint__deployment *current = &engine->current;
  if (keeps_theta(engine->shift))
    sprint__long_copy(engine->context, &engine->solver->cut, current->theta, engine->anchor.theta);
  memcpy(engine->anchor.p, current->p, engine->shift->population->n_strata * sizeof *current->p);
  engine->anchor.number = current->number;
}

/* Everybody's record, or those of a sample. */
static sprint_status tell_sums(struct sprint__engine *engine, const sprint_want *want) {
  struct sprint__strata_sums *sums = &engine->survey.sums;
  const double *p = sprint__engine_p(engine);
  keep_anchor(engine);
  if (want->kind == SPRINT_WANT_SAMPLE) {
    SPRINT__TRY(sprint__engine_sample(engine, want, &engine->sample));
    if (engine->sample.n < want->n) return SPRINT_OK;
    return sprint__solver_tell_sums(engine->solver, &engine->sample);
  }
  SPRINT__TRY(sprint__survey_for_solver(engine));
  for (size_t c = 0; c < sums->n_strata; c++) sums->p[c] = p ? p[c] : 1;
  return sprint__solver_tell_sums(engine->solver, sums);
}

sprint_status sprint__engine_advance(struct sprint__engine *engine, bool *ret_more) {
  sprint_want want = {.size = sizeof want};
  SPRINT__TRY(sprint__engine_ask(engine, &want));
  *ret_more = want.kind != SPRINT_WANT_NOTHING;
  if (!*ret_more || engine->solver->stop != SPRINT_STOP_RUNNING) return SPRINT_OK;
  return want.kind == SPRINT_WANT_BATCH ? engine->ops->step(engine, &want) : tell_sums(engine, &want);
}

struct sprint__draws sprint__engine_draws(struct sprint__engine *engine, const sprint_want *want) {
  bool batch = want->kind == SPRINT_WANT_BATCH;
  uint64_t *drawn = batch ? &engine->drawn : &engine->sampled;
  if (engine->drawn_step != want->step) engine->drawn = engine->sampled = 0;
  engine->drawn_step = want->step;
  struct sprint__draws draws = {engine->seed, want->step, batch ? SPRINT__FOR_DRAWS : SPRINT__FOR_SAMPLES,
                                (uint32_t)*drawn};
  *drawn += want->n;
  return draws;
}

void sprint__engine_draw(struct sprint__engine *engine, const sprint_want *want) {
  struct sprint__draws draws = sprint__engine_draws(engine, want);
  sprint__sampler_draw(engine->shift->population, sprint__engine_p(engine), &draws, want->n, engine->who);
}

const struct sprint__deployment *sprint__engine_reference(const struct sprint__engine *engine,
                                                          const sprint_want *want) {
  if (!engine->solver->follows) return &engine->anchor;
  return want->reference == engine->current.number ? &engine->current : &engine->before;
}

/* The drawn individuals' records at the snapshot, or under the deployment before. */
static sprint_status fetch_reference(struct sprint__engine *engine, const uint32_t *who, const sprint_want *want) {
  const sprint_population *population = engine->shift->population;
  const struct sprint__deployment *reference = sprint__engine_reference(engine, want);
  size_t d = population->d, n = want->n;
  if (engine->anchor_x) {
    sprint__rows_take(engine->context, engine->anchor_x, d, who, n, engine->x_anchor);
    return SPRINT_OK;
  }
  sprint__population_gather(population, who, 0, n, engine->x_anchor);
  return sprint__shift_respond(engine->shift, reference->theta, who, engine->y, n, engine->x_anchor);
}

sprint_status sprint__engine_fetch(struct sprint__engine *engine, const uint32_t *who, const sprint_want *want,
                                   sprint_records *ret_records) {
  sprint_shift *shift = engine->shift;
  const sprint_population *population = shift->population;
  const sprint_real *deployed = engine->current.theta;
  bool moves = sprint__shift_moves(shift), refers = moves && want->reference;
  sprint_real *x = sprint__shift_by_reference(shift) ? NULL : engine->x;
  for (size_t i = 0; i < want->n; i++) engine->y[i] = population->y[who[i]];
  if (engine->known_x)
    sprint__rows_take(engine->context, engine->known_x, population->d, who, want->n, x);
  else if (x)
    sprint__population_gather(population, who, 0, want->n, x);
  if (moves && !engine->known_x) SPRINT__TRY(sprint__shift_respond(shift, deployed, who, engine->y, want->n, x));
  if (refers) SPRINT__TRY(fetch_reference(engine, who, want));
  for (size_t i = 0; engine->solver->tells_strata && i < want->n; i++)
    engine->stratum[i] = (uint32_t)sprint__population_stratum(population, who[i]);
  SPRINT__TRY(sprint__engine_hear_before(engine, who, want->n, x));
  *ret_records = (sprint_records){.size = sizeof *ret_records,
                                  .n = want->n,
                                  .x = x,
                                  .y = engine->y,
                                  .x_reference = refers ? engine->x_anchor : NULL,
                                  .stratum = engine->solver->tells_strata ? engine->stratum : NULL,
                                  .p = sprint__engine_p(engine),
                                  .images = population,
                                  .who = who,
                                  .deployment = want->deployment,
                                  .weight = sprint__weights_gather(population, who, want->n, engine->weight)};
  return SPRINT_OK;
}

/* Whether the step to come works out the losses that the shift is to hear: those of the drawn records at the parameters
 * deployed. */
static bool step_tells_losses(const struct sprint__engine *engine) {
  const sprint_solver *solver = engine->solver;
  return engine->drawn_losses && solver->estimator->leaves_losses && sprint__solver_is_deployed(solver);
}

static sprint_status hear(struct sprint__engine *engine, const uint32_t *who, size_t n, const sprint_real *x,
                          const double *losses) {
  sprint_shift *shift = engine->shift;
  struct sprint__drawn drawn = {.n = n, .who = who, .y = engine->y, .x = x, .losses = losses};
  return shift->ops->drawn ? shift->ops->drawn(shift, engine->current.theta, &drawn) : SPRINT_OK;
}

sprint_status sprint__engine_hear_before(struct sprint__engine *engine, const uint32_t *who, size_t n,
                                         const sprint_real *x) {
  engine->solver->losses = step_tells_losses(engine) ? engine->drawn_losses : NULL;
  return engine->solver->losses ? SPRINT_OK : hear(engine, who, n, x, NULL);
}

sprint_status sprint__engine_hear_after(struct sprint__engine *engine, const sprint_records *records) {
  const double *losses = engine->solver->losses;
  engine->solver->losses = NULL;
  return losses ? hear(engine, records->who, records->n, records->x, losses) : SPRINT_OK;
}

sprint_status sprint__engine_tell(struct sprint__engine *engine, const sprint_records *records) {
  SPRINT__TRY(sprint__solver_tell_made(engine->solver, records));
  return sprint__engine_hear_after(engine, records);
}

sprint_status sprint__engine_batch(struct sprint__engine *engine, const sprint_want *want,
                                   sprint_records *ret_records) {
  if (engine->tap) return sprint__endless_batch(engine, want, ret_records);
  sprint__engine_draw(engine, want);
  return sprint__engine_fetch(engine, engine->who, want, ret_records);
}
