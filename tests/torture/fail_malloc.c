/* Preloaded, it makes one allocation fail, whoever asks for it: the one of the number that SPRINT_FAIL has, counted
 * from 1 once main has begun. 0: none fails, and the file that SPRINT_COUNT names gets how many there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_ullong n_asked, fails_at;
static atomic_bool armed;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static bool fails(void) {
  if (!armed || ++n_asked != fails_at) return false;
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

static void tell(void) {
  const char *path = getenv("SPRINT_COUNT");
  armed = false;
  FILE *stream = path ? fopen(path, "w") : NULL;
  if (!stream) return;
  fprintf(stream, "%llu\n", (unsigned long long)n_asked);
  fclose(stream);
}

static int (*real_main)(int, char **, char **);

static int armed_main(int argc, char **argv, char **environment) {
  const char *number = getenv("SPRINT_FAIL");
  fails_at = number ? strtoull(number, NULL, 10) : 0;
  if (fails_at == 0) atexit(tell);
  armed = number != NULL;
  return real_main(argc, argv, environment);
}

int __libc_start_main(int (*entry)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*linker_fini)(void), void *stack_end) {
  int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = entry;
  return start(armed_main, argc, argv, init, fini, linker_fini, stack_end);
}
