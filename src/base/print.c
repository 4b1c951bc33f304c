/* printf in the C locale: see print.h. The thread's locale is switched for the length of a call; the program's, which
 * other threads go by, stays as it is. */
#define _POSIX_C_SOURCE 200809L
#include "base/print.h"

#include <errno.h>
#include <locale.h>

struct switched {
  locale_t own, before;
};

static struct switched switch_locale(void) {
  struct switched s = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)}; /* a constant in glibc: nothing is allocated */
  if (s.own) s.before = uselocale(s.own);
  return s;
}

static void switch_back(struct switched s) {
  int error = errno; /* which is the call's own */
  if (!s.own) return;
  uselocale(s.before);
  freelocale(s.own);
  errno = error;
}

int sprint__vsnprintf(char *room, size_t size, const char *format, va_list args) {
  struct switched s = switch_locale();
  int length = vsnprintf(room, size, format, args);
  switch_back(s);
  return length;
}

int sprint__snprintf(char *room, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = sprint__vsnprintf(room, size, format, args);
  va_end(args);
  return length;
}

int sprint__fprintf(FILE *stream, const char *format, ...) {
  va_list args;
  va_start(args, format);
  struct switched s = switch_locale();
  int length = vfprintf(stream, format, args);
  switch_back(s);
  va_end(args);
  return length;
}
