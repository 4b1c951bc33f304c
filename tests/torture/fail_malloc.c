/* Preloaded, it makes one allocation fail, whoever asks for it: the one of the number that SPRINT_FAIL has, counted
 * from 1 once main has begun. 0: none fails, and the file that SPRINT_COUNT names gets a line for each, of any process:
 * its number, and where it comes from, by the nearest SPRINT_DEPTH calls within the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "place.h"

static atomic_ullong n_asked, fails_at;
static atomic_bool armed;
static int list = -1; /* the file of SPRINT_COUNT */
static struct place place;
static _Thread_local bool is_listing;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void list_it(unsigned long long number) {
  char line[64];
  if (is_listing) return;
  is_listing = true;
  int length = snprintf(line, sizeof line, "%llu %llx\n", number, (unsigned long long)place_here(&place));
  if (write(list, line, (size_t)length) != length) abort();
  is_listing = false;
}

static bool fails(void) {
  if (!armed) return false;
  unsigned long long number = ++n_asked;
  if (list >= 0) list_it(number);
  if (number != fails_at) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **ret_memory, size_t alignment, size_t size) {
  void *memory = fails() ? NULL : __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *ret_memory = memory;
  return 0;
}

/* What comes when the program has ended is not ours: gcov's writing of its counters, which calls this too. */
void fail_malloc_end(void) { armed = false; }

static int (*real_main)(int, char **, char **);

static void open_list(const char *path) {
  if (!path) return;
  place = place_start();
  list = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

static int armed_main(int argc, char **argv, char **environment) {
  const char *number = getenv("SPRINT_FAIL");
  fails_at = number ? strtoull(number, NULL, 10) : 0;
  atexit(fail_malloc_end);
  if (number && fails_at == 0) open_list(getenv("SPRINT_COUNT"));
  armed = number != NULL;
  unsetenv("SPRINT_FAIL"); /* for programs that this one runs */
  return real_main(argc, argv, environment);
}

int __libc_start_main(int (*entry)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*linker_fini)(void), void *stack_end) {
  int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = entry;
  return start(armed_main, argc, argv, init, fini, linker_fini, stack_end);
}
