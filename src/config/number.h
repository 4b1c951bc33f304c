/* Numbers as a config may say them: decimal, in JSON's grammar, except that either side of the point may be missing.
 * No hex, no underscores, no inf or nan, no + in front, no leading zeros. The locale does not matter. */
#ifndef SPRINT_CONFIG_NUMBER_H
#define SPRINT_CONFIG_NUMBER_H

#include <stdint.h>

enum sprint__number {
  SPRINT__NUMBER_OK,
  SPRINT__NUMBER_NONE, /* not a number, or not a whole one where that was asked for */
  SPRINT__NUMBER_BIG,  /* a number beyond the type */
};

/* The output is set where SPRINT__NUMBER_OK is returned. */
enum sprint__number sprint__number_real(const char *text, double *ret_real);

/* Exact: 5000, 5e3 and 5000.0 are the same whole number. */
enum sprint__number sprint__number_integer(const char *text, int64_t *ret_integer);

/* strtod as in the C locale, whatever the program's is. */
double sprint__number_strtod(const char *text);
double sprint__number_strtod_end(const char *text, char **ret_end);

#endif
