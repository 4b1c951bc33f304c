/* What a column of texts may be: a guess from its fields, for people to confirm. Nothing is read by it. */
#ifndef SPRINT_POPULATION_GUESS_H
#define SPRINT_POPULATION_GUESS_H

#include "population/index.h"

enum sprint__guessed {
  SPRINT__GUESS_EMPTY,    /* every field is missing */
  SPRINT__GUESS_CONSTANT, /* one value throughout */
  SPRINT__GUESS_BOOLEAN,  /* two values that mean true and false */
  SPRINT__GUESS_ID,       /* no text comes twice, or whole numbers that count up by one */
  SPRINT__GUESS_INTEGER,  /* whole numbers */
  SPRINT__GUESS_NUMBER,
  SPRINT__GUESS_DATE,
  SPRINT__GUESS_CATEGORY, /* texts that come again */
  SPRINT__GUESS_TEXT,     /* texts, too many different ones for categories */
};

enum { SPRINT__GUESS_LEVELS = 1000 }; /* different values that are remembered */

/* A column so far. Start with {.mark = '.', .values = {.context = context}}. */
struct sprint__guess {
  char mark;                   /* of decimals */
  struct sprint__index values; /* the first SPRINT__GUESS_LEVELS different ones that are not missing */
  bool many;                   /* there are more */
  bool repeats;                /* one of the remembered came again */
  size_t n_there, n_missing;   /* fields with a value; fields that are empty, NA or nan, or seem to mean it */
  size_t n_numbers, n_whole, n_booleans, n_dates;
  double last;                /* number */
  bool skips;                 /* a number was not the last one plus 1 */
  struct sprint__index words; /* those that seem to mean missing and are not read as such unless listed: NULL, ? */
};

sprint_status sprint__guess_see(struct sprint__guess *guess, const char *text);
enum sprint__guessed sprint__guess_kind(const struct sprint__guess *guess);

/* "number", "integer", "boolean", "date", "category", "id", "constant", "text", "empty" */
const char *sprint__guessed_word(enum sprint__guessed guessed);

void sprint__guess_clear(struct sprint__guess *guess);

#endif
