/* Theory: what the files of this folder share. */
#ifndef SPRINT_THEORY_THEORY_H
#define SPRINT_THEORY_THEORY_H

#include "base/context.h"

/* Copies the caller's constants, or says which one cannot be. */
sprint_status sprint__constants_take(sprint_context *context, const sprint_constants *given, sprint_constants *ret_own);

/* kappa^4 + 2 kappa^2 L^2 + 2 kappa^2: the part of Delta_1 that has no step size in it. */
double sprint__theory_drift(const sprint_constants *constants);

#endif
