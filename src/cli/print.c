/* printf for people, the one door by which foreign texts reach a terminal: see cli_print in cli.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "text.h"

/* One conversion of a format: %-12.4g. */
struct conversion {
  char text[32];        /* as it stands, with stars */
  int width, precision; /* -1: none is said */
  bool left, width_star, precision_star;
  char size; /* l, L (for ll), z or 0 */
  char kind;
};

static int digits_of(const char **at) {
  int n = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) n = 10 * n + (**at - '0');
  return n;
}

/* From the % on; returns what follows it. */
static const char *read_conversion(const char *format, struct conversion *ret_conversion) {
  struct conversion c = {.width = -1, .precision = -1};
  const char *at = format + 1;
  for (; *at && strchr("-+ #0", *at); at++) c.left = c.left || *at == '-';
  if ((c.width_star = *at == '*'))
    at++;
  else if (*at >= '1' && *at <= '9')
    c.width = digits_of(&at);
  if (*at == '.') {
    at++;
    if ((c.precision_star = *at == '*'))
      at++;
    else
      c.precision = digits_of(&at);
  }
  if (*at == 'z' || *at == 'l') c.size = *at++;
  if (*at == 'l') {
    c.size = 'L';
    at++;
  }
  c.kind = *at ? *at++ : '%';
  size_t length = (size_t)(at - format);
  if (length >= sizeof c.text) abort(); /* no format of ours */
  memcpy(c.text, format, length);
  *ret_conversion = c;
  return at;
}

/* A text without control characters, filled up to the width, cut to the precision: both count columns of a terminal. */
static void print_text(FILE *stream, const struct conversion *c, const char *text) {
  char *clean = cli_clean(text ? text : "(null)");
  if (c->precision >= 0) clean[cli_at_width(clean, c->precision) - clean] = '\0';
  int pad = c->width > cli_width(clean) ? c->width - cli_width(clean) : 0;
  fprintf(stream, "%*s%s%*s", c->left ? 0 : pad, "", clean, c->left ? pad : 0, "");
  free(clean);
}

/* Prints VALUE, with the numbers that stars stand for. */
#define PRINT(VALUE)                                                            \
  do {                                                                          \
    if (c->width_star && c->precision_star)                                     \
      fprintf(stream, c->text, c->width, c->precision, VALUE);                  \
    else if (c->width_star || c->precision_star)                                \
      fprintf(stream, c->text, c->width_star ? c->width : c->precision, VALUE); \
    else                                                                        \
      fprintf(stream, c->text, VALUE);                                          \
  } while (0)

static void print_real(FILE *stream, const struct conversion *c, double value) { PRINT(value); }
static void print_int(FILE *stream, const struct conversion *c, int value) { PRINT(value); }
static void print_long(FILE *stream, const struct conversion *c, long value) { PRINT(value); }
static void print_long_long(FILE *stream, const struct conversion *c, long long value) { PRINT(value); }
static void print_size(FILE *stream, const struct conversion *c, size_t value) { PRINT(value); }

void cli_print(FILE *stream, const char *format, ...) {
  va_list args;
  va_start(args, format);
  while (*format) {
    size_t plain = strcspn(format, "%");
    fwrite(format, 1, plain, stream);
    format += plain;
    if (!*format) break;
    struct conversion c;
    format = read_conversion(format, &c);
    if (c.width_star) c.width = va_arg(args, int);
    if (c.precision_star) c.precision = va_arg(args, int);
    if (c.kind == '%')
      fputc('%', stream);
    else if (c.kind == 's')
      print_text(stream, &c, va_arg(args, const char *));
    else if (strchr("aefgAEFG", c.kind))
      print_real(stream, &c, va_arg(args, double));
    else if (c.size == 'z')
      print_size(stream, &c, va_arg(args, size_t));
    else if (c.size == 'L')
      print_long_long(stream, &c, va_arg(args, long long));
    else if (c.size == 'l')
      print_long(stream, &c, va_arg(args, long));
    else
      print_int(stream, &c, va_arg(args, int));
  }
  va_end(args);
}
