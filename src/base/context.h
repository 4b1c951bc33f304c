/* The context: error sentence, threads, and the one door through which memory is taken. */
#ifndef SPRINT_BASE_CONTEXT_H
#define SPRINT_BASE_CONTEXT_H

#include "sprint.h"

/* Kinds that are not the library's own: those of one plugin. */
struct sprint__addition {
  const char *path;  /* of the plugin, as it was opened */
  uint32_t checksum; /* of the file */
  size_t n_kinds;
  const sprint_family **families; /* (n_kinds) that each is of */
  const sprint_kind *kinds;       /* (n_kinds) */
  void (*free)(struct sprint__addition *addition);
  struct sprint__addition *next;
};

/* Which file it is, whatever its name. */
struct sprint__input {
  uint64_t device, inode;
};

enum { SPRINT__MOST_INPUTS = 64 }; /* that are remembered */

struct sprint_context {
  char error[1024];
  int n_threads;                      /* resolved: at least 1 */
  bool blas_started;                  /* OpenBLAS has its memory for one thread */
  int n_tried, n_usable;              /* threads that were tried, and how many of them can work: base/threads.h */
  struct sprint__team *team;          /* base/team.h; NULL: there is none */
  bool in_lanes;                      /* work is being done that is cut into several: base/lanes.h */
  char *data_folder;                  /* where files are looked for that are not here; "": nowhere */
  struct sprint__addition *additions; /* in the order of loading; freed with the context */
  uint64_t most_memory;               /* for what is out of proportion to its file; 0: see sprint__memory_check */
  uint64_t n_allocations;             /* through the door, so far */
  uint64_t n_bytes;                   /* asked for there, whether or not since freed */
  int64_t fail_allocation;            /* tests: the allocation of this number (from 0) fails; -1: none */
  struct sprint__input
      inputs[SPRINT__MOST_INPUTS]; /* files that were opened to read; the newest where there are more */
  size_t n_inputs, next_input;
  bool protects_inputs; /* they are not overwritten */
};

/* Zeroed, 64-byte aligned memory for n items of `size` bytes, or NULL with the error set. n == 0 gives a pointer that
 * can be freed. Never called in a step. */
void *sprint__alloc(sprint_context *context, size_t n, size_t size);

/* Refuses to take `need` bytes for what a file of `size` bytes asks for, where that is out of proportion to it and
 * nobody has allowed more. Asked before they are taken. */
sprint_status sprint__memory_check(sprint_context *context, const char *path, double need, double size);

/* Grows `*items` (n_used of n_room used) to hold at least n_needed; doubles. Contents move, the pointer changes. */
sprint_status sprint__grow(sprint_context *context, void **items, size_t n_used, size_t *n_room, size_t n_needed,
                           size_t size);

/* Gives back what lies behind the first n items of `size` bytes; returns where they are now, which need not be as
 * aligned as it was. */
void *sprint__shrink(void *memory, size_t n, size_t size);
void sprint__free(void *memory);
char *sprint__strdup(sprint_context *context, const char *text);

/* printf into a new string; NULL with the error set when memory is out. */
char *sprint__printf(sprint_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define SPRINT__TRY(call)                       \
  do {                                          \
    sprint_status status__ = (call);            \
    if (status__ != SPRINT_OK) return status__; \
  } while (0)

/* Refuses NULL for one of the pointers, which it names. `names` is what they are called, "a, b". */
sprint_status sprint__require(sprint_context *context, const char *function, const char *names,
                              const void *const *pointers, size_t n);

#define SPRINT__REQUIRE(CONTEXT, ...)                                                                       \
  do {                                                                                                      \
    const void *const pointers__[] = {__VA_ARGS__};                                                         \
    SPRINT__TRY(sprint__require((CONTEXT), __func__, #__VA_ARGS__, pointers__, SPRINT__COUNT(pointers__))); \
  } while (0)

#define SPRINT__COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
