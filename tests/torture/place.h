/* Where in the program something happens: a number for the calls that lead there, the same in every process. */
#ifndef SPRINT_TESTS_TORTURE_PLACE_H
#define SPRINT_TESTS_TORTURE_PLACE_H

#include <dlfcn.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>

enum { PLACE_CALLS = 64 };

struct place {
  void *program; /* where it begins in memory */
  int depth;     /* how many of its calls count, the nearest ones: SPRINT_DEPTH */
};

/* Of the program that is running. */
static inline struct place place_start(void) {
  const char *depth = getenv("SPRINT_DEPTH");
  void *calls[1];
  Dl_info found = {0};
  dladdr((void *)getauxval(AT_ENTRY), &found);
  backtrace(calls, 1); /* loads what it needs */
  return (struct place){found.dli_fbase, depth ? atoi(depth) : 1};
}

static inline uint64_t place_here(const struct place *place) {
  void *calls[PLACE_CALLS];
  int n = backtrace(calls, PLACE_CALLS), left = place->depth;
  uint64_t sum = 0;
  for (int i = 0; i < n && left > 0; i++) {
    Dl_info found;
    if (!dladdr(calls[i], &found) || found.dli_fbase != place->program) continue;
    sum = sum * 1000003 + (uint64_t)((char *)calls[i] - (char *)place->program);
    left--;
  }
  return sum;
}

#endif
