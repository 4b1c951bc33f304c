/* Who listens to whom: a row-stochastic matrix W by its numbers that are not zero, from a file or as a ring. */
#ifndef SPRINT_SHIFT_CONTACTS_H
#define SPRINT_SHIFT_CONTACTS_H

#include "shift/shift.h"

struct sprint__contacts {
  size_t n;
  size_t *start;       /* (n + 1) into the following: the contacts of individual i are start[i] .. start[i+1]-1 */
  uint32_t *whom;      /* in rising order within an individual */
  sprint_real *weight; /* more than 0; of an individual they add up to 1 */
};

/* By the section's `network` (a file) or `neighbours` (a ring), from the shift's arena. Somebody without contacts
 * listens to themselves. */
sprint_status sprint__contacts_read(sprint_shift *shift, const struct sprint__section *section,
                                    struct sprint__contacts *ret_contacts);

#endif
