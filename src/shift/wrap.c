/* Shifts around another shift: see wrap.h. */
#include "shift/wrap.h"

#include <assert.h>

static size_t piece_for(const sprint_population *population) {
  size_t rows = sprint__piece_rows(population->d);
  return rows < population->n ? rows : population->n;
}

sprint_status sprint__wrap_new(sprint_shift *shift, const struct sprint__section *section,
                               struct sprint__wrap *ret_wrap) {
  struct sprint__arena *arena = &shift->arena;
  struct sprint__wrap wrap = {.shift = shift, .piece = piece_for(shift->population)};
  shift->parts = sprint__arena_take(arena, 1, sizeof *shift->parts);
  if (!shift->parts) return SPRINT_ERROR_MEMORY;
  shift->n_parts = 1;
  SPRINT__TRY(
      sprint__shift_build(sprint__get_section(section, "of"), shift->model, shift->population, &shift->parts[0]));
  wrap.inner = shift->parts[0];
  if (wrap.inner->keeps_records)
    return sprint__refuse(section, "of", "a shift whose people do not remember where they stand was expected");
  assert(!wrap.inner->ops->deployed); /* who hears of deployments keeps records */
  if (sprint__shift_moves(wrap.inner)) {
    wrap.who = sprint__arena_take(arena, wrap.piece, sizeof *wrap.who);
    wrap.x = sprint__arena_take(arena, wrap.piece, shift->population->d * sizeof *wrap.x);
  }
  *ret_wrap = wrap;
  return sprint__arena_status(arena);
}

sprint_status sprint__wrap_everybody(const struct sprint__wrap *wrap, const sprint_real *theta, sprint__wrap_take take,
                                     void *user) {
  const sprint_population *population = wrap->shift->population;
  for (size_t start = 0; start < population->n; start += wrap->piece) {
    size_t left = population->n - start, n = left < wrap->piece ? left : wrap->piece;
    for (size_t i = 0; i < n; i++) wrap->who[i] = (uint32_t)(start + i);
    sprint__population_gather(population, NULL, start, n, wrap->x);
    SPRINT__CALL_PART(wrap->shift, wrap->inner, respond, theta, wrap->who, population->y + start, n, wrap->x);
    take(user, start, n, wrap->x);
  }
  return SPRINT_OK;
}
