/* Parts of `sprint verify`. */
#ifndef SPRINT_RUN_VERIFY_H
#define SPRINT_RUN_VERIFY_H

#include "run/run.h"

struct sprint__verify {
  sprint_context *context;
  sprint_verify_report report;
  void *user;
  bool all_ok;
};

/* Reports a case; ok where the two differ by at most 1e-9 (double) or 1e-5 (float) of the larger of 1 and |expected|:
 * in double that is far above the rounding of some thousand steps, in float it is that rounding. */
void sprint__verify_compare(struct sprint__verify *verify, const char *name, double expected, double got);

/* verify_enumeration.c: the mean of v over all one-sample batches, for the four corrections. */
sprint_status sprint__verify_enumeration(struct sprint__verify *verify);

#endif
