/* Sampling by stratum: see sampler.h. */
#include "engine/sampler.h"

#include "population/weights.h"

enum { MOST_STRATA = 1024 }; /* with a guide; above that strata are searched from the first */

/* Inverse distribution function with a guide: guide[k] is the stratum of k / n_strata, so that a draw looks at one or
 * two strata. Inversion, unlike an alias table, gives two methods whose probabilities are near the same stratum. */
struct guide {
  const double *p;
  size_t n_strata, last; /* the last one that can show up */
  double below[MOST_STRATA + 1];
  uint16_t first[MOST_STRATA];
};

static void guide_build(struct guide *guide, const double *p, size_t n_strata) {
  guide->p = p;
  guide->n_strata = n_strata;
  guide->last = 0;
  for (size_t c = 0; c < n_strata; c++)
    if (p[c] > 0) guide->last = c;
  if (n_strata > MOST_STRATA) return;
  guide->below[0] = 0;
  for (size_t c = 0; c < n_strata; c++) guide->below[c + 1] = guide->below[c] + p[c];
  for (size_t k = 0, c = 0; k < n_strata; k++) {
    while (c < guide->last && guide->below[c + 1] <= (double)k / (double)n_strata) c++;
    guide->first[k] = (uint16_t)c;
  }
}

/* The stratum whose share of [0, 1) holds u; rounding at the top falls to the last one that can show up. */
static size_t stratum_at(const struct guide *guide, double u) {
  if (guide->n_strata > MOST_STRATA) {
    size_t c = 0;
    for (; c < guide->last && u >= guide->p[c]; c++) u -= guide->p[c];
    return c;
  }
  size_t c = guide->first[(size_t)(u * (double)guide->n_strata)];
  while (c < guide->last && (u >= guide->below[c + 1] || guide->p[c] <= 0)) c++;
  return c;
}

static struct sprint__random words_of(const struct sprint__draws *draws, size_t j) {
  return sprint__random_words(draws->seed, draws->purpose, draws->step, draws->first + (uint32_t)j);
}

void sprint__sampler_draw(const sprint_population *population, const double *p, const struct sprint__draws *draws,
                          size_t n, uint32_t *ret_who) {
  if (!p && population->weight) p = population->base_p;
  if (!p) {
    for (size_t j = 0; j < n; j++) ret_who[j] = (uint32_t)sprint__below(words_of(draws, j).b, population->n);
    return;
  }
  struct guide guide;
  guide_build(&guide, p, population->n_strata);
  for (size_t j = 0; j < n; j++) {
    struct sprint__random words = words_of(draws, j);
    size_t c = stratum_at(&guide, sprint__uniform(words.a));
    size_t start = population->stratum_start[c], size = population->stratum_start[c + 1] - start;
    ret_who[j] = population->weight ? sprint__weights_draw(population, c, words.b)
                                    : (uint32_t)(start + sprint__below(words.b, size));
  }
  if (population->weight) return;
  /* Apart from the arithmetic, so that many of these loads, each from somewhere else in memory, are under way at once.
   */
  for (size_t j = 0; j < n; j++) ret_who[j] = population->by_stratum[ret_who[j]];
}
