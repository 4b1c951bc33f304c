/* What of an engine goes on, between two of the solver's wishes: see base/state.h. */
#include "engine/engine.h"

const char *sprint__engine_unresumable(const struct sprint__engine *engine) {
  if (!sprint__shift_resumes(engine->shift)) return "the shift does not say what it remembers";
  if (engine->tap && !engine->tap->source->ops->again) return "a stream does not bring its records again";
  return sprint__solver_unresumable(engine->solver);
}

bool sprint__engine_rests(const struct sprint__engine *engine) {
  return !engine->solver->asked && (!engine->ops->rests || engine->ops->rests(engine));
}

static void deployment_state(struct sprint__engine *engine, struct sprint__deployment *deployment,
                             struct sprint__state *state) {
  SPRINT__KEEP_ARRAY(state, deployment->theta, engine->solver->n_params);
  SPRINT__KEEP_ARRAY(state, deployment->p, engine->shift->population->n_strata);
  SPRINT__KEEP(state, deployment->number);
}

/* A survey can be taken again, to the bit, unless its records are gone: then it is kept. */
static void survey_state(struct sprint__engine *engine, struct sprint__state *state) {
  struct sprint__survey *survey = &engine->survey;
  bool kept = engine->anchor_x && survey->known && survey->told;
  SPRINT__KEEP_FLAG(state, kept);
  if (state->reads) *survey = (struct sprint__survey){.sums = survey->sums, .known = kept, .told = kept};
  if (!kept) return;
  SPRINT__KEEP(state, survey->step);
  SPRINT__KEEP_FLAG(state, survey->own);
  SPRINT__KEEP_FLAG(state, survey->displaced);
  SPRINT__KEEP(state, survey->displacement);
  SPRINT__KEEP(state, survey->evals);
  sprint__strata_sums_state(&survey->sums, state);
}

void sprint__engine_state(struct sprint__engine *engine, struct sprint__state *state) {
  const sprint_population *population = engine->shift->population;
  sprint__solver_state(engine->solver, state);
  sprint__shift_state(engine->shift, state);
  deployment_state(engine, &engine->current, state);
  deployment_state(engine, &engine->anchor, state);
  deployment_state(engine, &engine->before, state);
  SPRINT__KEEP(state, engine->n_epochs_begun);
  SPRINT__KEEP(state, engine->drawn_step);
  SPRINT__KEEP(state, engine->drawn);
  SPRINT__KEEP(state, engine->sampled);
  SPRINT__KEEP_ARRAY(state, engine->anchor_x, population->n * population->d);
  if (engine->tap) SPRINT__KEEP(state, engine->tap->n_read);
  survey_state(engine, state);
  if (state->reads && engine->shift->ops->deployed && engine->current.number > 0)
    sprint__shift_put_in_force(engine->shift, engine->current.theta);
}
