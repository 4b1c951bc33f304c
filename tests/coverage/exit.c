/* Children end by _exit, which does not write what was counted: this one does. Linked by --wrap=_exit where coverage is
 * measured. Memory that tests/torture/fail_malloc.c would make fail is not gcov's, which would not outlive it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

extern void __gcov_dump(void);
extern _Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);

_Noreturn void __wrap__exit(int code) {
  void (*end)(void);
  *(void **)&end = dlsym(RTLD_DEFAULT, "fail_malloc_end");
  if (end) end();
  __gcov_dump();
  __real__exit(code);
}
