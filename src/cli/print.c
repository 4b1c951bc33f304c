/* printf for people, the one door by which foreign texts reach a terminal: see cli_print in cli.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "text.h"

/* One conversion of a format: %-12.4g. */
struct conversion {
  char text[48];        /* as it stands, with numbers in place of stars */
  int width, precision; /* -1: none is said */
  bool left;
  char size; /* l, L (for ll), z or 0 */
  char kind;
};

static int digits_of(const char **at) {
  int n = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) n = 10 * n + (**at - '0');
  return n;
}

/* A width or precision: digits, or a star, whose number is the next argument. */
static int number_of(const char **at, va_list *args) {
  if (**at != '*') return digits_of(at);
  ++*at;
  return va_arg(*args, int);
}

/* From the % on; returns what follows it. Formats are ours: they have nothing else. */
static const char *read_conversion(const char *format, va_list *args, struct conversion *ret_conversion) {
  struct conversion c = {.width = -1, .precision = -1};
  const char *at = format + 1;
  size_t n_flags = strspn(at, "-+ #0");
  c.left = memchr(at, '-', n_flags) != NULL;
  int n = snprintf(c.text, sizeof c.text, "%.*s", (int)n_flags + 1, format);
  at += n_flags;
  if (*at == '*' || (*at >= '1' && *at <= '9')) {
    c.width = number_of(&at, args);
    n += snprintf(c.text + n, sizeof c.text - (size_t)n, "%d", c.width);
  }
  if (*at == '.') {
    at++;
    c.precision = number_of(&at, args);
    n += snprintf(c.text + n, sizeof c.text - (size_t)n, ".%d", c.precision);
  }
  size_t n_sizes = strspn(at, "zl");
  c.size = n_sizes == 2 ? 'L' : n_sizes ? *at : 0;
  c.kind = at[n_sizes];
  snprintf(c.text + n, sizeof c.text - (size_t)n, "%.*s", (int)n_sizes + 1, at);
  *ret_conversion = c;
  return at + n_sizes + 1;
}

/* A text without control characters, filled up to the width, cut to the precision: both count columns of a terminal. */
static void print_text(FILE *stream, const struct conversion *c, const char *text) {
  char *clean = cli_clean(text ? text : "(null)");
  if (c->precision >= 0) clean[cli_at_width(clean, c->precision) - clean] = '\0';
  int pad = c->width > cli_width(clean) ? c->width - cli_width(clean) : 0;
  fprintf(stream, "%*s%s%*s", c->left ? 0 : pad, "", clean, c->left ? pad : 0, "");
  free(clean);
}

void cli_print(FILE *stream, const char *format, ...) {
  va_list args;
  va_start(args, format);
  while (*format) {
    size_t plain = strcspn(format, "%");
    fwrite(format, 1, plain, stream);
    format += plain;
    if (!*format) break;
    struct conversion c;
    format = read_conversion(format, &args, &c);
    if (c.kind == '%')
      fputc('%', stream);
    else if (c.kind == 's')
      print_text(stream, &c, va_arg(args, const char *));
    else if (strchr("aefgAEFG", c.kind))
      fprintf(stream, c.text, va_arg(args, double));
    else if (c.size == 'z')
      fprintf(stream, c.text, va_arg(args, size_t));
    else if (c.size == 'L')
      fprintf(stream, c.text, va_arg(args, long long));
    else if (c.size == 'l')
      fprintf(stream, c.text, va_arg(args, long));
    else
      fprintf(stream, c.text, va_arg(args, int));
  }
  va_end(args);
}
