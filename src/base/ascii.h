/* Letters and digits of ASCII, whatever the locale of the program that uses the library. */
#ifndef SPRINT_BASE_ASCII_H
#define SPRINT_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline char sprint__ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static inline bool sprint__ascii_is_letter(char c) {
  c = sprint__ascii_lower(c);
  return c >= 'a' && c <= 'z';
}

static inline bool sprint__ascii_is_digit(char c) { return c >= '0' && c <= '9'; }

/* Whether the first n characters are the same but for their case, as far as the texts go. */
static inline bool sprint__ascii_same(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (sprint__ascii_lower(a[i]) != sprint__ascii_lower(b[i])) return false;
    if (!a[i]) return true;
  }
  return true;
}

#endif
