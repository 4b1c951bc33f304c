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

void cli_progress_start(struct cli_progress *progress, size_t number, size_t total, const char *name, uint64_t seed) {
  *progress = (struct cli_progress){.terminal = isatty(STDERR_FILENO),
                                    .number = number,
                                    .total = total,
                                    .name = name,
                                    .seed = seed,
                                    .loss = NAN,
                                    .gradient_sq = NAN,
                                    .started = cli_clock()};
  progress->printed = progress->started;
}

/* "12 s", "3 min", "1.5 h". */
static void print_time(char *text, size_t size, double seconds) {
  if (seconds < 100)
    snprintf(text, size, "%.0f s", seconds);
  else if (seconds < 6000)
    snprintf(text, size, "%.0f min", seconds / 60);
  else
    snprintf(text, size, "%.1f h", seconds / 3600);
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
  uint64_t planned = sprint_run_steps_planned(run);
  char left[64] = "";
  if (planned && cost->steps) {
    char time_left[32];
    double share = (double)cost->steps / (double)planned;
    print_time(time_left, sizeof time_left, (now - progress->started) * (1 - share) / share);
    snprintf(left, sizeof left, "  %3.0f %%, %s left", 100 * share, time_left);
  }
  fprintf(stderr, "%s[%zu/%zu] %s, seed %llu  epoch %.4g  loss %.4g  |grad J|^2 %.3g%s%s",
          progress->terminal ? "\r\033[K" : "", progress->number, progress->total, progress->name,
          (unsigned long long)progress->seed, progress->epochs_done, progress->loss, progress->gradient_sq, left,
          progress->terminal ? "" : "\n");
}

void cli_progress_end(struct cli_progress *progress) {
  if (progress->terminal) fputs("\r\033[K", stderr);
}
