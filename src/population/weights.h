/* Weights: a record may stand for more than one person, or for less. D(theta') then draws the individuals of a stratum
 * in proportion to their weights, and every mean over people is a weighted one. */
#ifndef SPRINT_POPULATION_WEIGHTS_H
#define SPRINT_POPULATION_WEIGHTS_H

#include "base/random.h"
#include "population/population.h"

/* One place of an alias table (Walker 1977, built as Vose 1991): a draw that falls on it is its own individual with
 * probability `own`, and `other` otherwise. */
struct sprint__alias {
  double own;
  uint32_t self, other;
};

/* What individual i counts for. */
static inline double sprint__weight_of(const sprint_population *population, size_t i) {
  return population->weight ? population->weight[i] : 1;
}

/* Sets stratum_size and base_p, and the aliases where there are weights. Refused: a weight that is negative or not
 * finite, and a stratum whose people have none, unless may_lack. */
sprint_status sprint__weights_settle(sprint_population *population, bool may_lack);

/* Somebody of a stratum, by a random word. */
uint32_t sprint__weights_draw(const sprint_population *population, size_t stratum, uint64_t word);

/* The weights of `who` (n), in room (n); NULL where there are none. */
const double *sprint__weights_gather(const sprint_population *population, const uint32_t *who, size_t n, double *room);

/* Everybody's weight times that of their class; one of them may be NULL. A population without end takes none. */
sprint_status sprint__weights_set(sprint_population *population, const double *weights, const double *class_weights);

#endif
