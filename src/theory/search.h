/* Searches for step sizes over the recursion. */
#ifndef SPRINT_THEORY_SEARCH_H
#define SPRINT_THEORY_SEARCH_H

#include <float.h>

#include "theory/theory.h"

#define SPRINT__LEAST_BETA DBL_MIN

/* Gamma / gamma for a constant step. Falls strictly as gamma grows. */
double sprint__theory_margin(const sprint_constants *constants, double gamma, double beta);

sprint_certificate sprint__certificate_of(const sprint_constants *constants, double gamma, double beta);

/* The beta of the largest Gamma at this gamma. */
double sprint__theory_beta_for(const sprint_constants *constants, double gamma);

#endif
