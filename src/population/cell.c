/* Cells: numbers as data files write them: see cell.h.
 *
 * The grammar is checked here, so that what strtod would also take (hexadecimals, inf, a prefix of the text) is
 * refused. Nearly all numbers of real files have at most 15 digits and a small exponent; for these digits * 10^exponent
 * is one correctly rounded operation on exact doubles (Clinger 1990, "How to read floating point numbers accurately").
 * The rest go through strtod in the C locale. */
#define _GNU_SOURCE
#include "population/cell.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "config/number.h"

#ifdef SPRINT_DOUBLE
#define LARGEST DBL_MAX
#else
#define LARGEST ((double)FLT_MAX)
#endif

#define MAX_EXACT_DIGITS 15
#define MAX_EXACT_POWER  22

/* A decimal as scanned: digits * 10^exponent. */
struct decimal {
  bool negative;
  uint64_t digits;
  int n_digits; /* from the first that is not zero */
  int exponent;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits at `at`, into the decimal; each moves its exponent by `shift`. */
static const char *scan_digits(const char *at, struct decimal *decimal, int shift) {
  for (; is_digit(*at); at++) {
    if (decimal->n_digits || *at != '0') decimal->n_digits++;
    if (decimal->n_digits <= MAX_EXACT_DIGITS) decimal->digits = decimal->digits * 10 + (uint64_t)(*at - '0');
    decimal->exponent += shift;
  }
  return at;
}

static const char *scan_exponent(const char *at, struct decimal *decimal) {
  const char *mark = at++;
  bool negative = *at == '-';
  if (*at == '-' || *at == '+') at++;
  if (!is_digit(*at)) return mark;
  int exponent = 0;
  for (; is_digit(*at); at++)
    if (exponent < 100000) exponent = exponent * 10 + (*at - '0');
  decimal->exponent += negative ? -exponent : exponent;
  return at;
}

/* The end of the decimal number that starts at `text`, or NULL where none does. */
static const char *scan(const char *text, char mark, struct decimal *ret_decimal) {
  struct decimal decimal = {.negative = *text == '-'};
  const char *at = text + (*text == '-' || *text == '+');
  const char *whole = at;
  at = scan_digits(at, &decimal, 0);
  size_t n_seen = (size_t)(at - whole);
  if (*at == mark) {
    const char *fraction = ++at;
    at = scan_digits(at, &decimal, -1);
    n_seen += (size_t)(at - fraction);
  }
  if (!n_seen) return NULL;
  if (*at == 'e' || *at == 'E') at = scan_exponent(at, &decimal);
  *ret_decimal = decimal;
  return at;
}

/* strtod of the number at `text`, which ends before `end`; NaN where a comma in it would take more room than there is.
 */
static double strtod_mark(const char *text, const char *end, char mark) {
  char copy[1100];
  size_t n = (size_t)(end - text);
  if (mark == '.') return sprint__number_strtod(text);
  if (n >= sizeof copy) return NAN;
  memcpy(copy, text, n);
  copy[n] = '\0';
  char *comma = memchr(copy, mark, n);
  if (comma) *comma = '.';
  return sprint__number_strtod(copy);
}

static bool is_exact(const struct decimal *decimal) {
  return decimal->n_digits <= MAX_EXACT_DIGITS && abs(decimal->exponent) <= MAX_EXACT_POWER;
}

static double exact_value(const struct decimal *decimal) {
  static const double powers[MAX_EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  int power = abs(decimal->exponent);
  double digits = (double)decimal->digits;
  double value = decimal->exponent < 0 ? digits / powers[power] : digits * powers[power];
  return decimal->negative ? -value : value;
}

static const char *skip_spaces(const char *text) {
  while (*text == ' ' || *text == '\t') text++;
  return text;
}

bool sprint__cell_is(const char *text, const char *word) {
  size_t length = strlen(word);
  text = skip_spaces(text);
  return strncmp(text, word, length) == 0 && !*skip_spaces(text + length);
}

static bool is_missing(const char *text) {
  if (*text != 'N' && *text != 'n') return !*text;
  return sprint__cell_is(text, "NA") || sprint__cell_is(text, "NaN") || sprint__cell_is(text, "nan");
}

static bool is_infinity(const char *text) {
  text += *text == '-' || *text == '+';
  return sprint__ascii_same(text, "inf", SIZE_MAX) || sprint__ascii_same(text, "infinity", SIZE_MAX);
}

enum sprint__cell sprint__cell_parse(const char *text, double *ret_value) {
  return sprint__cell_parse_mark(text, '.', ret_value);
}

enum sprint__cell sprint__cell_parse_mark(const char *text, char mark, double *ret_value) {
  text = skip_spaces(text);
  if (is_missing(text)) {
    *ret_value = NAN;
    return SPRINT__CELL_MISSING;
  }
  struct decimal decimal;
  const char *end = scan(text, mark, &decimal);
  if (!end) return is_infinity(text) ? SPRINT__CELL_NOT_FINITE : SPRINT__CELL_NOT;
  if (*skip_spaces(end)) return SPRINT__CELL_NOT;
  double value = is_exact(&decimal) ? exact_value(&decimal) : strtod_mark(text, end, mark);
  if (isnan(value)) return SPRINT__CELL_NOT;
  enum sprint__cell cell = sprint__cell_check(value);
  if (cell == SPRINT__CELL_NUMBER) *ret_value = value;
  return cell;
}

enum sprint__cell sprint__cell_check(double value) {
  if (isnan(value)) return SPRINT__CELL_MISSING;
  if (isinf(value)) return SPRINT__CELL_NOT_FINITE;
  return fabs(value) > LARGEST ? SPRINT__CELL_TOO_LARGE : SPRINT__CELL_NUMBER;
}

const char *sprint__cell_complaint(enum sprint__cell cell) {
  switch (cell) {
    case SPRINT__CELL_NUMBER:
      return "is a number";
    case SPRINT__CELL_MISSING:
      return "is missing";
    case SPRINT__CELL_NOT:
      return "is not a number";
    case SPRINT__CELL_NOT_FINITE:
      return "is not a finite number";
    case SPRINT__CELL_TOO_LARGE:
      return "is too large for single precision";
    case SPRINT__CELL_EITHER:
      return "may be a fraction or thousands";
  }
  return "";
}
