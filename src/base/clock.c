/* Time: see clock.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sprint__clock(void) { return seconds_of(CLOCK_MONOTONIC); }
double sprint__clock_coarse(void) { return seconds_of(CLOCK_MONOTONIC_COARSE); }
