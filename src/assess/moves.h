/* How far people moved under a deployment: their records beside their base records, column by column, in raw units. */
#ifndef SPRINT_ASSESS_MOVES_H
#define SPRINT_ASSESS_MOVES_H

#include "shift/shift.h"

/* The columns of the shift's population in which anybody moves under theta, none of images: ret_moves (*ret_n) is the
 * arena's, their names are the population's. Nothing is counted or remembered by the shift. */
sprint_status sprint__moves_of(struct sprint__arena *arena, sprint_shift *shift, const sprint_real *theta,
                               sprint_column_move **ret_moves, size_t *ret_n);

#endif
