/* Progress of a run on stderr. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define REDRAW_EVERY 0.1  /* seconds, on a terminal */
#define PRINT_EVERY  20.0 /* seconds, in a pipe */

double cli_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_start(struct cli_progress *progress, size_t number, size_t total, const char *name) {
  *progress = (struct cli_progress){.terminal = isatty(STDERR_FILENO),
                                    .number = number,
                                    .total = total,
                                    .name = name,
                                    .loss = NAN,
                                    .gradient_sq = NAN,
                                    .started = cli_clock()};
  progress->printed = progress->started;
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

void cli_progress_show(struct cli_progress *progress, const sprint_run *run, const sprint_trace_row *row,
                       const sprint_counters *cost) {
  if (row) {
    progress->epochs_done = row->epoch;
    progress->loss = row->loss;
    progress->gradient_sq = row->gradient_sq;
  }
  double now = cli_clock();
  if (now - progress->printed < (progress->terminal ? REDRAW_EVERY : PRINT_EVERY)) return;
  progress->printed = now;
  double share = cost->steps ? sprint_run_share(run) : NAN;
  char left[64] = "";
  if (share > 0) {
    snprintf(left, sizeof left, "  %3.0f %%, %s left", 100 * share,
             cli_time((now - progress->started) * (1 - share) / share).text);
  }
  fprintf(stderr, "%s[%zu/%zu] %s  epoch %.4g  loss %.4g  |grad J|^2 %.3g%s%s", progress->terminal ? "\r\033[K" : "",
          progress->number, progress->total, progress->name, progress->epochs_done, progress->loss,
          progress->gradient_sq, left, progress->terminal ? "" : "\n");
}

void cli_progress_end(struct cli_progress *progress) {
  if (progress->terminal) fputs("\r\033[K", stderr);
}
