/* The sampler: who is in a batch. Draw c ~ p, then i uniformly in c; with replacement. */
#ifndef SPRINT_ENGINE_SAMPLER_H
#define SPRINT_ENGINE_SAMPLER_H

#include "population/population.h"

/* ret_who (n): a function of seed, step and p alone. p NULL: everybody is equally likely. */
void sprint__sampler_draw(const sprint_population *population, const double *p, uint64_t seed, uint64_t step, size_t n,
                          uint32_t *ret_who);

#endif
