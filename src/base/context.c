/* Contexts, error sentences and the allocation door. */
#define _DEFAULT_SOURCE
#include "base/context.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/json.h"
#include "base/print.h"

#define ALIGNMENT 64
#define HUGE_PAGE ((size_t)2 << 20)
#define TIMES     64.0 /* the size of a file that may be taken for it unasked, */
#define AND_MB    256.0
#define MB        1048576.0

const char *sprint_status_text(sprint_status status) {
  static const char *const texts[] = {
#define X(name, text) text,
      SPRINT_STATUS_LIST(X)
#undef X
  };
  return (size_t)status < SPRINT__COUNT(texts) ? texts[status] : "unknown status";
}

sprint_status sprint_context_new(sprint_context **ret_context) {
  if (!ret_context) return SPRINT_ERROR_ARGUMENT;
  sprint_context *context = calloc(1, sizeof *context);
  if (!context) return SPRINT_ERROR_MEMORY;
  context->n_threads = omp_get_num_procs();
  context->fail_allocation = -1;
  if (sprint_context_set_data(context, NULL) != SPRINT_OK) {
    free(context);
    return SPRINT_ERROR_MEMORY;
  }
  openblas_set_num_threads(1);
  sprint__json_watch();
  *ret_context = context;
  return SPRINT_OK;
}

void sprint_context_free(sprint_context *context) {
  if (!context) return;
  for (struct sprint__addition *addition = context->additions, *next; addition; addition = next) {
    next = addition->next;
    addition->free(addition);
  }
  free(context->data_folder);
  free(context);
}

const char *sprint_context_error(const sprint_context *context) { return context ? context->error : ""; }

sprint_status sprint_context_set_threads(sprint_context *context, int n_threads) {
  if (!context) return SPRINT_ERROR_ARGUMENT;
  if (n_threads < 0 || n_threads > 1024)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "threads: %d is not within 0 .. 1024", n_threads);
  context->n_threads = n_threads ? n_threads : omp_get_num_procs();
  return SPRINT_OK;
}

int sprint_context_threads(const sprint_context *context) { return context ? context->n_threads : 1; }

/* FOLDER + rest in malloc's memory; NULL: out of memory. */
static char *join(const char *folder, const char *rest) {
  size_t size = strlen(folder) + strlen(rest) + 1;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s%s", folder, rest);
  return path;
}

static char *standard_data_folder(void) {
  const char *named = getenv("SPRINT_DATA"), *data_home = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (named && *named) return join(named, "");
  if (data_home && *data_home == '/') return join(data_home, "/sprint");
  return home && *home ? join(home, "/.local/share/sprint") : join("", "");
}

sprint_status sprint_context_set_data(sprint_context *context, const char *folder) {
  if (!context) return SPRINT_ERROR_ARGUMENT;
  char *copy = folder ? join(folder, "") : standard_data_folder();
  if (!copy) return sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory");
  free(context->data_folder);
  context->data_folder = copy;
  return SPRINT_OK;
}

const char *sprint_context_data(const sprint_context *context) { return context ? context->data_folder : ""; }

sprint_status sprint_context_set_memory(sprint_context *context, uint64_t most) {
  if (!context) return SPRINT_ERROR_ARGUMENT;
  context->most_memory = most;
  return SPRINT_OK;
}

sprint_status sprint__memory_check(sprint_context *context, const char *path, double need, double size) {
  double most = context->most_memory ? (double)context->most_memory : TIMES * size + AND_MB * MB;
  if (need <= most) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_INPUT,
                     "%s: %.0f MB of memory are needed for it, and %s are %.0f MB; `--memory %.0f` (in C, "
                     "sprint_context_set_memory) allows as many",
                     path, need / MB, context->most_memory ? "what is allowed" : "64 times its size and 256 MB",
                     most / MB, ceil(need / MB));
}

sprint_status sprint_fail(sprint_context *context, sprint_status status, const char *format, ...) {
  if (!context) return status;
  char sentence[sizeof context->error];
  va_list args;
  va_start(args, format);
  sprint__vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  sprint__one_line(sentence, context->error, sizeof context->error);
  return status;
}

sprint_status sprint__require(sprint_context *context, const char *function, const char *names,
                              const void *const *pointers, size_t n) {
  if (!context) return SPRINT_ERROR_ARGUMENT;
  for (size_t i = 0; i < n; i++) {
    size_t length = strcspn(names, ",");
    if (!pointers[i])
      return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "%s: NULL was given for `%.*s`", function, (int)length, names);
    names += length + strspn(names + length, ", ");
  }
  return SPRINT_OK;
}

/* Zeros. Memory that takes some huge pages is made of them where the system has them: the first touch and every later
 * look into it then cost a fraction. Linux gives such memory back as zeros when it is touched again, so that what nobody
 * ever touches, as lanes that a network does not use, costs nothing. */
static void *take_memory(size_t bytes) {
  bool huge = bytes >= 2 * HUGE_PAGE;
  void *memory = NULL;
  if (posix_memalign(&memory, huge ? HUGE_PAGE : ALIGNMENT, bytes) != 0) return NULL;
  size_t zeros = 0;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  size_t whole = bytes / HUGE_PAGE * HUGE_PAGE;
  if (huge) madvise(memory, bytes, MADV_HUGEPAGE); /* or not: nothing depends on it */
  if (huge && madvise(memory, whole, MADV_DONTNEED) == 0) zeros = whole;
#endif
  memset((char *)memory + zeros, 0, bytes - zeros);
  return memory;
}

void *sprint__alloc(sprint_context *context, size_t n, size_t size) {
  if (context->fail_allocation >= 0 && context->n_allocations == (uint64_t)context->fail_allocation) {
    sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory (allocation %llu, made to fail)",
                (unsigned long long)context->n_allocations++);
    return NULL;
  }
  context->n_allocations++;
  size_t bytes = 0;
  void *memory = NULL;
  if (!__builtin_mul_overflow(n, size, &bytes) && bytes <= SIZE_MAX - ALIGNMENT) {
    bytes = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    memory = take_memory(bytes);
  }
  if (!memory) {
    sprint_fail(context, SPRINT_ERROR_MEMORY, "out of memory: %zu items of %zu bytes could not be had", n, size);
    return NULL;
  }
  context->n_bytes += bytes;
  return memory;
}

sprint_status sprint__grow(sprint_context *context, void **items, size_t n_used, size_t *n_room, size_t n_needed,
                           size_t size) {
  if (n_needed <= *n_room) return SPRINT_OK;
  size_t room = *n_room ? *n_room : 16;
  while (room < n_needed) room *= 2;
  void *grown = sprint__alloc(context, room, size);
  if (!grown) return SPRINT_ERROR_MEMORY;
  if (n_used) memcpy(grown, *items, n_used * size);
  sprint__free(*items);
  *items = grown;
  *n_room = room;
  return SPRINT_OK;
}

void *sprint__shrink(void *memory, size_t n, size_t size) {
  void *kept = n && size ? realloc(memory, n * size) : NULL;
  return kept ? kept : memory;
}

void sprint__free(void *memory) { free(memory); }

char *sprint__strdup(sprint_context *context, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = sprint__alloc(context, size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}

char *sprint__printf(sprint_context *context, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = sprint__vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length < 0 ? NULL : sprint__alloc(context, (size_t)length + 1, 1);
  if (!text) return NULL;
  va_start(args, format);
  sprint__vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}
