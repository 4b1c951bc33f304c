/* Losses by stratum of base records, or of what people answered: what retention and replicator
 * dynamics go by. */
#ifndef SPRINT_SHIFT_LOSSES_H
#define SPRINT_SHIFT_LOSSES_H

#include "shift/shift.h"

struct sprint__losses;

/* Of the arena; keeps pointers to the shift's model, population and loss source. */
sprint_status sprint__losses_new(struct sprint__arena *arena, sprint_shift *shift, struct sprint__losses **ret_losses);

/* A probe: `each` individuals of every stratum (all of a smaller one), chosen by the seed; ret_probe (*ret_n), of the
 * shift's arena. */
sprint_status sprint__losses_probe(sprint_shift *shift, size_t each, uint64_t seed, uint32_t **ret_probe,
                                   size_t *ret_n);

/* ret_means (n_strata): the mean loss at theta of each stratum's base records, everybody's. */
void sprint__losses_of_everybody(struct sprint__losses *losses, const sprint_real *theta, enum sprint__moment moment,
                                 double *ret_means);

/* The same over a probe (n). ret_counts (n_strata): how many of them are of each stratum; where there are none the mean
 * is 0. */
void sprint__losses_of_probe(struct sprint__losses *losses, const sprint_real *theta, const uint32_t *probe, size_t n,
                             double *ret_means, size_t *ret_counts);

/* The same over those who were drawn, as they answered. */
void sprint__losses_of_drawn(struct sprint__losses *losses, const sprint_real *theta, const struct sprint__drawn *drawn,
                             double *ret_means, size_t *ret_counts);

#endif
