/* The edge of stability: how large a step may be before the way that theta takes turns unstable. */
#ifndef SPRINT_ASSESS_EDGE_H
#define SPRINT_ASSESS_EDGE_H

#include "shift/shift.h"

/* The eigenvalue of theta -> grad J(theta; theta) at theta that is largest in size, where the population reacts to
 * every theta that is looked at; by power iteration over a sample. A step size gamma is stable there while gamma times
 * it is below 2; below 0, no step size is. NaN: what was looked at is not finite. Nothing is counted or remembered. */
sprint_status sprint__edge_curvature(sprint_shift *shift, const sprint_real *theta, double *ret_curvature);

#endif
