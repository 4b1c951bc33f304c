/* Weights: see weights.h. */
#include "population/weights.h"

static sprint_status check_weights(const sprint_population *p) {
  for (size_t i = 0; p->weight && i < p->n; i++)
    if (!isfinite(p->weight[i]) || p->weight[i] < 0)
      return sprint_fail(p->context, SPRINT_ERROR_INPUT, "row %zu: the weight %g; a number of at least 0 was expected",
                         i, p->weight[i]);
  return SPRINT_OK;
}

static double size_of(const sprint_population *p, size_t c) {
  double sum = 0;
  if (!p->weight) return (double)(p->stratum_start[c + 1] - p->stratum_start[c]);
  for (size_t i = p->stratum_start[c]; i < p->stratum_start[c + 1]; i++) sum += p->weight[p->by_stratum[i]];
  return sum;
}

static sprint_status measure(sprint_population *p, bool may_lack) {
  p->n_people = 0;
  for (size_t c = 0; c < p->n_strata; c++) p->n_people += p->stratum_size[c] = size_of(p, c);
  for (size_t c = 0; c < p->n_strata; c++) {
    if (p->stratum_size[c] <= 0 && !may_lack)
      return sprint_fail(p->context, SPRINT_ERROR_INPUT, "%s%s: all weights are 0",
                         p->n_classes ? "class " : "the rows", p->n_classes ? p->class_names[c] : "");
    p->base_p[c] = p->stratum_size[c] / p->n_people;
  }
  return SPRINT_OK;
}

/* The places of one stratum (n), whose members have `size` people in all. Members with less than the mean weight give
 * the rest of their place to one with more. `queue` (n): first those below the mean, from the end those above. */
static void fill_aliases(const sprint_population *p, const uint32_t *members, size_t n, double size,
                         struct sprint__alias *places, uint32_t *queue) {
  size_t n_small = 0, large = n;
  for (size_t k = 0; k < n; k++) {
    places[k] = (struct sprint__alias){p->weight[members[k]] * ((double)n / size), members[k], members[k]};
    if (places[k].own < 1)
      queue[n_small++] = (uint32_t)k;
    else
      queue[--large] = (uint32_t)k;
  }
  while (n_small > 0 && large < n) {
    struct sprint__alias *small = &places[queue[--n_small]], *giver = &places[queue[large]];
    small->other = giver->self;
    giver->own -= 1 - small->own;
    if (giver->own < 1) queue[n_small++] = queue[large++];
  }
  /* what is left of either is full, up to rounding */
  while (n_small > 0) places[queue[--n_small]].own = 1;
  while (large < n) places[queue[large++]].own = 1;
}

static sprint_status build_aliases(sprint_population *p) {
  SPRINT__SCOPED(sprint__free) uint32_t *queue = sprint__alloc(p->context, p->n, sizeof *queue);
  if (!p->aliases) p->aliases = sprint__arena_take(&p->arena, p->n, sizeof *p->aliases);
  if (!queue || !p->aliases) return SPRINT_ERROR_MEMORY;
  for (size_t c = 0; c < p->n_strata; c++) {
    size_t start = p->stratum_start[c];
    fill_aliases(p, p->by_stratum + start, p->stratum_start[c + 1] - start, p->stratum_size[c], p->aliases + start,
                 queue);
  }
  return SPRINT_OK;
}

sprint_status sprint__weights_settle(sprint_population *p, bool may_lack) {
  SPRINT__TRY(check_weights(p));
  SPRINT__TRY(measure(p, may_lack));
  return p->weight ? build_aliases(p) : SPRINT_OK;
}

/* The part of the word that chooses the place is not used again: what it leaves is uniform and decides within. */
uint32_t sprint__weights_draw(const sprint_population *p, size_t stratum, uint64_t word) {
  size_t start = p->stratum_start[stratum], n = p->stratum_start[stratum + 1] - start;
  size_t place = start + sprint__below(word, n);
  if (!p->aliases) return p->by_stratum[place];
  const struct sprint__alias *alias = &p->aliases[place];
  return sprint__uniform(word * n) < alias->own ? alias->self : alias->other;
}

const double *sprint__weights_gather(const sprint_population *p, const uint32_t *who, size_t n, double *room) {
  if (!p->weight) return NULL;
  for (size_t i = 0; i < n; i++) room[i] = p->weight[who[i]];
  return room;
}

sprint_status sprint__weights_set(sprint_population *p, const double *weights, const double *class_weights) {
  if (!weights && !class_weights) return SPRINT_OK;
  double *before = p->weight, *after = sprint__arena_take(&p->arena, p->n, sizeof *after);
  if (!after) return SPRINT_ERROR_MEMORY;
  for (size_t i = 0; i < p->n; i++)
    after[i] = (weights ? weights[i] : sprint__weight_of(p, i)) *
               (class_weights ? class_weights[sprint__population_stratum(p, i)] : 1);
  p->weight = after;
  sprint_status status = check_weights(p);
  if (status == SPRINT_OK) status = measure(p, false);
  if (status == SPRINT_OK) return build_aliases(p);
  p->weight = before;
  measure(p, true); /* as it was */
  return status;
}

sprint_status sprint_population_weigh(sprint_population *population, const double *weights) {
  if (!population) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(population->context, weights);
  if (population->source)
    return sprint_fail(population->context, SPRINT_ERROR_ARGUMENT, "a population without end takes no weights");
  return sprint__weights_set(population, weights, NULL);
}

const double *sprint_population_weights(const sprint_population *population) {
  return population ? population->weight : NULL;
}
