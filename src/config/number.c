/* Numbers: see number.h. */
#define _GNU_SOURCE
#include "config/number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a decimal text; whole and fraction may be empty, not both. */
struct decimal {
  bool negative;
  const char *whole, *fraction;
  size_t n_whole, n_fraction;
  long exponent;
};

static size_t n_digits(const char *text) { return strspn(text, "0123456789"); }

/* Reads an exponent, clamped to +-10^8: no text that fits in memory has the digits to make up for more. */
static long exponent_of(const char *digits, size_t n, bool negative) {
  long exponent = 0;
  for (size_t i = 0; i < n && exponent < 100000000; i++) exponent = 10 * exponent + (digits[i] - '0');
  return negative ? -exponent : exponent;
}

static bool decimal_split(const char *text, struct decimal *ret_decimal) {
  struct decimal decimal = {.negative = *text == '-', .fraction = ""};
  decimal.whole = text + decimal.negative;
  decimal.n_whole = n_digits(decimal.whole);
  const char *rest = decimal.whole + decimal.n_whole;
  if (decimal.n_whole > 1 && *decimal.whole == '0') return false;
  if (*rest == '.') {
    decimal.fraction = rest + 1;
    decimal.n_fraction = n_digits(decimal.fraction);
    rest = decimal.fraction + decimal.n_fraction;
  }
  if (decimal.n_whole + decimal.n_fraction == 0) return false;
  if (*rest == 'e' || *rest == 'E') {
    bool negative = rest[1] == '-';
    const char *digits = rest + 1 + (rest[1] == '-' || rest[1] == '+');
    size_t n = n_digits(digits);
    if (n == 0) return false;
    decimal.exponent = exponent_of(digits, n, negative);
    rest = digits + n;
  }
  if (*rest != '\0') return false;
  *ret_decimal = decimal;
  return true;
}

double sprint__number_strtod_end(const char *text, char **ret_end) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a constant in glibc: nothing is allocated */
  double value = strtod_l(text, ret_end, c);
  freelocale(c);
  return value;
}

double sprint__number_strtod(const char *text) { return sprint__number_strtod_end(text, NULL); }

enum sprint__number sprint__number_real(const char *text, double *ret_real) {
  struct decimal decimal;
  if (!decimal_split(text, &decimal)) return SPRINT__NUMBER_NONE;
  double real = sprint__number_strtod(text);
  if (!isfinite(real)) return SPRINT__NUMBER_BIG;
  *ret_real = real;
  return SPRINT__NUMBER_OK;
}

static int digit_at(const struct decimal *decimal, size_t i) {
  return (i < decimal->n_whole ? decimal->whole[i] : decimal->fraction[i - decimal->n_whole]) - '0';
}

/* The digits without the point are an integer times a power of ten; trailing zeros go over to the power. The sum is
 * kept negative, where there is room for one more. */
enum sprint__number sprint__number_integer(const char *text, int64_t *ret_integer) {
  struct decimal decimal;
  if (!decimal_split(text, &decimal)) return SPRINT__NUMBER_NONE;
  size_t n = decimal.n_whole + decimal.n_fraction;
  long power = decimal.exponent - (long)decimal.n_fraction;
  for (; n > 0 && digit_at(&decimal, n - 1) == 0; n--) power++;
  if (n == 0) power = 0;
  if (power < 0) return SPRINT__NUMBER_NONE;
  int64_t sum = 0;
  for (size_t i = 0; i < n; i++)
    if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, digit_at(&decimal, i), &sum))
      return SPRINT__NUMBER_BIG;
  for (; power > 0; power--)
    if (__builtin_mul_overflow(sum, 10, &sum)) return SPRINT__NUMBER_BIG;
  if (!decimal.negative && __builtin_sub_overflow(0, sum, &sum)) return SPRINT__NUMBER_BIG;
  *ret_integer = sum;
  return SPRINT__NUMBER_OK;
}
