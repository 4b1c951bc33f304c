/* Sampling by stratum: see sampler.h. */
#include "run/sampler.h"

#include "base/random.h"

/* The stratum whose share of [0, 1) holds u; rounding at the top falls to the last one that can show up. */
static size_t stratum_at(const double *p, size_t n_strata, double u) {
  size_t last = 0;
  for (size_t c = 0; c < n_strata; c++) {
    if (p[c] <= 0) continue;
    last = c;
    if (u < p[c]) return c;
    u -= p[c];
  }
  return last;
}

void sprint__sampler_draw(const sprint_population *population, const double *p, uint64_t seed, uint64_t step, size_t n,
                          uint32_t *ret_who) {
  for (size_t j = 0; j < n; j++) {
    struct sprint__random words = sprint__random_words(seed, SPRINT__FOR_DRAWS, step, (uint32_t)j);
    if (!p) {
      ret_who[j] = (uint32_t)sprint__below(words.b, population->n);
      continue;
    }
    size_t c = stratum_at(p, population->n_strata, sprint__uniform(words.a));
    size_t start = population->stratum_start[c], size = population->stratum_start[c + 1] - start;
    ret_who[j] = population->by_stratum[start + sprint__below(words.b, size)];
  }
}
