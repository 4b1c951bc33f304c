/* Cells: numbers as data files write them. */
#ifndef SPRINT_POPULATION_CELL_H
#define SPRINT_POPULATION_CELL_H

#include "base/context.h"

/* How a text reads as a number. */
enum sprint__cell {
  SPRINT__CELL_NUMBER,
  SPRINT__CELL_MISSING,    /* empty, NA, NaN, nan */
  SPRINT__CELL_NOT,        /* anything else that is not a decimal number: words, hexadecimals, trailing letters */
  SPRINT__CELL_NOT_FINITE, /* inf, infinity, or beyond double */
  SPRINT__CELL_TOO_LARGE,  /* a finite double beyond sprint_real */
  SPRINT__CELL_EITHER,     /* 1,500 where the mark of decimals is not known: see dialect.h */
};

/* Reads a decimal number, correctly rounded, with '.' in any locale; spaces around it are fine. *ret_value is NaN where
 * the result is MISSING and untouched where it is another failure. */
enum sprint__cell sprint__cell_parse(const char *text, double *ret_value);

/* The same with another mark of decimals than '.': ','. */
enum sprint__cell sprint__cell_parse_mark(const char *text, char mark, double *ret_value);

/* Whether the text, but for spaces around it, is the word. */
bool sprint__cell_is(const char *text, const char *word);

/* The same test for a number that is already one: NaN is missing. */
enum sprint__cell sprint__cell_check(double value);

/* What is wrong with it, to follow the value in a sentence: "is not a number". */
const char *sprint__cell_complaint(enum sprint__cell cell);

#endif
