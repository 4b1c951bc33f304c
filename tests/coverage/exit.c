/* Children end by _exit, and programs become others by execv, neither of which writes what was counted: these do.
 * Linked by --wrap where coverage is measured. Memory that tests/torture/fail_malloc.c would make fail is not gcov's,
 * which would not outlive it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

extern void __gcov_dump(void);
extern void __gcov_reset(void);
extern _Noreturn void __real__exit(int code);
extern int __real_execv(const char *path, char *const *arguments);
_Noreturn void __wrap__exit(int code);
int __wrap_execv(const char *path, char *const *arguments);

static void write_counters(void) {
  void (*end)(void);
  *(void **)&end = dlsym(RTLD_DEFAULT, "fail_malloc_end");
  if (end) end();
  __gcov_dump();
}

_Noreturn void __wrap__exit(int code) {
  write_counters();
  __real__exit(code);
}

int __wrap_execv(const char *path, char *const *arguments) {
  write_counters();
  __gcov_reset(); /* what was written is not counted twice where we go on as we are */
  return __real_execv(path, arguments);
}
