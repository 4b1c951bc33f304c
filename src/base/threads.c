/* Threads and address space: see threads.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/threads.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define MB        1048576.0
#define BLAS_SIZE (144 * MB) /* what OpenBLAS maps for a thread that multiplies, 128 MB, and what lies around it */
enum { MOST_THREADS = 64 };  /* that are tried */

bool sprint__space_is_limited(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* Bytes of address space that are left; infinite where there is no limit, or nobody can tell. */
static double space_left(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INFINITY;
  FILE *stream = fopen("/proc/self/statm", "r");
  double pages = 0;
  bool known = stream && fscanf(stream, "%lf", &pages) == 1; /* NOLINT(cert-err34-c): the kernel's own number */
  if (stream) fclose(stream);
  return known ? (double)limit.rlim_cur - pages * (double)sysconf(_SC_PAGESIZE) : INFINITY;
}

static void *wait_for_all(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/* Whether so many threads can be there at once beside this one. */
static bool can_start(int n) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t threads[MOST_THREADS];
  int started = 0;
  if (n > MOST_THREADS) n = MOST_THREADS;
  pthread_mutex_lock(&gate);
  while (started < n && pthread_create(&threads[started], NULL, wait_for_all, &gate) == 0) started++;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  return started == n;
}

int sprint__threads_usable(sprint_context *context, int n) {
  if (n <= context->n_tried) return context->n_usable < n ? context->n_usable : n;
  context->n_tried = n;
  context->n_usable = can_start(n - 1) && space_left() >= (n - 1) * BLAS_SIZE ? n : 1;
  return context->n_usable;
}

sprint_status sprint__blas_check(sprint_context *context) {
  double left = space_left();
  if (left >= BLAS_SIZE) return SPRINT_OK;
  return sprint_fail(
      context, SPRINT_ERROR_MEMORY,
      "of the address space that this process may have (ulimit -v) %.0f MB are left; OpenBLAS takes %.0f "
      "for a thread",
      left / MB, BLAS_SIZE / MB);
}
