/* printf in the C locale: see print.h. The thread's locale is switched for the length of a call; the program's, which
 * other threads go by, stays as it is. */
#define _POSIX_C_SOURCE 200809L
#include "base/print.h"

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>

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

size_t sprint__show_control(const char *text, char *room) {
  const unsigned char *at = (const unsigned char *)text;
  bool second = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0; /* U+0080 to U+009F in UTF-8 */
  if (!second && (*at >= 0x20 || !*at) && *at != 0x7f) return 0;
  snprintf(room, 8, "\\x%02x", at[second]);
  return second ? 2 : 1;
}

size_t sprint__print_control(FILE *stream, const char *text) {
  char shown[8];
  size_t n = sprint__show_control(text, shown);
  if (n) fputs(shown, stream);
  return n;
}

/* What stands for the character at `text` goes into shown (8); returns its bytes, of UTF-8 all of them. */
static size_t show_character(const char *text, char *shown) {
  size_t n = sprint__show_control(text, shown);
  if (*text == '\n' || *text == '\r' || *text == '\t') memcpy(shown, " ", 2);
  if (n) return n;
  for (n = 1; n < 4 && ((unsigned char)text[n] & 0xc0) == 0x80;) n++;
  memcpy(shown, text, n);
  shown[n] = '\0';
  return n;
}

size_t sprint__one_line(const char *text, char *room, size_t size) {
  size_t used = 0;
  const char *at = text;
  while (*at) {
    char shown[8];
    size_t n = show_character(at, shown), length = strlen(shown);
    if (used + length >= size) break;
    memcpy(room + used, shown, length);
    used += length;
    at += n;
  }
  room[used] = '\0';
  return (size_t)(at - text);
}
