/* Samples: records drawn from the newest deployment, as many as a snapshot wants, summed by stratum piece by piece. */
#include "engine/engine.h"

/* Those of the piece who are of stratum c, in order; returns how many there are. */
static size_t of_stratum(const sprint_population *population, const uint32_t *piece, size_t n, size_t c,
                         uint32_t *ret_who) {
  size_t found = 0;
  for (size_t i = 0; i < n; i++)
    if (sprint__population_stratum(population, piece[i]) == c) ret_who[found++] = piece[i];
  return found;
}

static sprint_status add_piece(struct sprint__engine *engine, const struct sprint__pass_options *passing, size_t n,
                               struct sprint__strata_sums *sums) {
  struct sprint__pass *pass = &engine->pass;
  uint32_t *piece = pass->who, *rest = piece + n;
  if (!pass->by_stratum) return sprint__pass_add(pass, passing, piece, n, 0, sums);
  for (size_t c = 0; c < sums->n_strata; c++) {
    size_t found = of_stratum(pass->population, piece, n, c, rest);
    if (found) SPRINT__TRY(sprint__pass_add(pass, passing, rest, found, c, sums));
  }
  return SPRINT_OK;
}

static sprint_status draw_sample(struct sprint__engine *engine, const sprint_want *want,
                                 const struct sprint__pass_options *passing, struct sprint__strata_sums *sums) {
  struct sprint__draws draws = sprint__engine_draws(engine, want);
  size_t room = engine->pass.room / 2; /* the other half is for those of one stratum */
  for (size_t done = 0; done < want->n; done += room) {
    size_t n = want->n - done < room ? want->n - done : room;
    sprint__sampler_draw(engine->pass.population, sprint__engine_p(engine), &draws, n, engine->pass.who);
    draws.first += (uint32_t)n;
    SPRINT__TRY(add_piece(engine, passing, n, sums));
  }
  return SPRINT_OK;
}

sprint_status sprint__engine_sample(struct sprint__engine *engine, const sprint_want *want,
                                    struct sprint__strata_sums *ret_sums) {
  struct sprint__pass_options passing = {
      .theta = engine->solver->theta, .deployed = engine->current.theta, .sum = engine->ops->sum, .user = engine};
  sprint__strata_sums_clear(ret_sums);
  if (engine->tap)
    SPRINT__TRY(sprint__endless_sample(engine, want, &passing, ret_sums));
  else
    SPRINT__TRY(draw_sample(engine, want, &passing, ret_sums));
  for (size_t c = 0; c < ret_sums->n_strata; c++) ret_sums->p[c] = (double)ret_sums->count[c] / (double)ret_sums->n;
  return SPRINT_OK;
}
