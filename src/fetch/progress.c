/* The bar of a transfer, on a terminal. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>

#include "cli.h"
#include "fetch.h"

#define REDRAW_EVERY 0.1 /* seconds */
#define BAR_WIDTH    30

void fetch_progress_start(struct fetch_progress *progress, const char *name, uint64_t first, uint64_t total) {
  *progress = (struct fetch_progress){
      .name = name, .total = total, .first = first, .started = cli_clock(), .terminal = isatty(STDERR_FILENO)};
}

void fetch_progress_show(struct fetch_progress *progress, uint64_t done) {
  double now = cli_clock(), seconds = now - progress->started;
  if (!progress->terminal || !progress->total || now - progress->printed < REDRAW_EVERY) return;
  progress->printed = now;
  double share = (double)done / (double)progress->total;
  double rate = seconds > 0 && done > progress->first ? (double)(done - progress->first) / seconds : 0;
  char bar[BAR_WIDTH + 1];
  for (int i = 0; i < BAR_WIDTH; i++) bar[i] = share * BAR_WIDTH > i ? '#' : ' ';
  bar[BAR_WIDTH] = '\0';
  cli_print(stderr, "\r\033[K%s [%s] %3.0f %%  %.1f of %.1f MB  %.1f MB/s", progress->name, bar, 100 * share,
            (double)done / 1e6, (double)progress->total / 1e6, rate / 1e6);
  if (rate > 0) fprintf(stderr, "  %.0f s left", (double)(progress->total - done) / rate);
}

void fetch_progress_end(struct fetch_progress *progress) {
  if (progress->terminal) fputs("\r\033[K", stderr);
}
