/* What rounding leaves of a gradient that is zero. */
#ifndef SPRINT_ASSESS_ROUNDING_H
#define SPRINT_ASSESS_ROUNDING_H

#include "shift/shift.h"

/* |grad J|^2 at theta from which on it may be rounding alone: the square of 64 units in the last place of the gradient
 * of a record, by a sample of them. Records are within some units of what they should be, and theta within half a unit
 * of where it should be; their mean over a population resolves n^-1/2, which is far more. Nothing is counted or
 * remembered. */
sprint_status sprint__rounding_gradient_sq(sprint_shift *shift, const sprint_real *theta, double *ret_gradient_sq);

#endif
