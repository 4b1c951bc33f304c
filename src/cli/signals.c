/* Signals that end a command: the first is noted, so that what was done is kept; a second one ends it at once. What comes
 * within half a second is the first one still: `timeout` and batch systems send it to the command and to its group. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define SAME_WISH 0.5 /* seconds */

static volatile sig_atomic_t signalled; /* a signal handler can reach nothing else */
static volatile double first_at;        /* of the monotonic clock */

static void on_signal(int number) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double at = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  if (!signalled) first_at = at;
  if (signalled && at - first_at > SAME_WISH) _exit(128 + number);
  signalled = number;
}

static const int stopping[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGUSR1, SIGXCPU, SIGXFSZ};

void cli_catch_interrupts(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof stopping / sizeof stopping[0]; i++) sigaction(stopping[i], &action, NULL);
}

bool cli_interrupted(void) { return signalled != 0; }
int cli_interrupt_code(void) { return 128 + signalled; }
void cli_interrupt(int number) {
  if (!signalled) signalled = number;
}
