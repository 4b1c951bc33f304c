/* The clock, and times as people say them. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "cli.h"

double cli_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct cli_time cli_time(double seconds) {
  struct cli_time time;
  if (seconds < 9.95)
    snprintf(time.text, sizeof time.text, "%.1f s", seconds);
  else if (seconds < 100)
    snprintf(time.text, sizeof time.text, "%.0f s", seconds);
  else if (seconds < 6000)
    snprintf(time.text, sizeof time.text, "%.0f min", seconds / 60);
  else if (seconds < 48 * 3600.0)
    snprintf(time.text, sizeof time.text, "%.1f h", seconds / 3600);
  else
    snprintf(time.text, sizeof time.text, "%.1f days", seconds / 86400);
  return time;
}
