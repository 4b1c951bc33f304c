/* The sampler: who is in a batch. Draw c ~ p, then i in c, uniformly or by weight; with replacement. */
#ifndef SPRINT_ENGINE_SAMPLER_H
#define SPRINT_ENGINE_SAMPLER_H

#include "base/random.h"
#include "population/population.h"

/* ret_who (n): a function of which draws and p alone. p NULL: everybody is equally likely, or
 * as likely as their weight says. */
void sprint__sampler_draw(const sprint_population *population, const double *p, const struct sprint__draws *draws,
                          size_t n, uint32_t *ret_who);

#endif
