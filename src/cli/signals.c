/* Ctrl-C and SIGTERM. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>

#include "cli.h"

static volatile sig_atomic_t interrupted; /* a signal handler can reach nothing else */

static void on_signal(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

void cli_catch_interrupts(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
}

bool cli_interrupted(void) { return interrupted; }
