/* Minimising a smooth function whose gradient is known, by L-BFGS (liblbfgs; Liu and Nocedal 1989). For methods whose
 * step is an argmin. */
#ifndef SPRINT_SOLVER_MINIMIZE_H
#define SPRINT_SOLVER_MINIMIZE_H

#include "base/arena.h"

/* The function at x (n), and its gradient. Not finite: x is of no use, and neither is the gradient; the search turns
 * back. One that cannot go on says so of every x, and the search ends where it stands. */
typedef double (*sprint__objective)(void *user, const double *x, double *ret_gradient);

struct sprint__minimizer {
  size_t n;
  double tolerance; /* met where |gradient| < tolerance * max(1, |x|) */
  int iterations;   /* at most */
  double *x;        /* (n) where the search starts, then where it ended: no worse a value than at its start */

  sprint__objective objective;
  void *user;
  bool started;
  double *at, *gradient; /* (n) the newest point that the search went on from, and the gradient there */
  double value;
};

/* Room from the arena, whose status tells whether there was any. */
void sprint__minimizer_setup(struct sprint__arena *arena, size_t n, struct sprint__minimizer *minimizer);

/* *ret_met false: the search ended short of the tolerance. Fails where liblbfgs finds no memory: its own room, of 14
 * times n doubles, is not taken by our door. */
sprint_status sprint__minimize(sprint_context *context, struct sprint__minimizer *minimizer, bool *ret_met);

/* What a tolerance of 0 stands for: what sums in the build's precision can meet. */
double sprint__minimize_tolerance(double tolerance);

#endif
