/* Guessing what columns are: see guess.h. */
#include "population/guess.h"

#include <math.h>

#include "population/cell.h"
#include "population/date.h"
#include "population/words.h"

static sprint_status remember(struct sprint__guess *guess, const char *text) {
  size_t number, n = guess->values.n;
  if (sprint__index_find(&guess->values, text, &number))
    guess->repeats = true;
  else if (n == SPRINT__GUESS_LEVELS)
    guess->many = true;
  else
    return sprint__index_add(&guess->values, text, &number);
  return SPRINT_OK;
}

static void count_number(struct sprint__guess *guess, double value) {
  if (guess->n_numbers++ && value != guess->last + 1) guess->skips = true;
  if (value == floor(value)) guess->n_whole++;
  guess->last = value;
}

/* Eight digits are a date only where they could hardly be anything else. */
static bool is_date(const char *text, bool number, double value) {
  double days;
  return !sprint__date_parse(text, &days) && (!number || (value >= 19000101 && value <= 21001231));
}

sprint_status sprint__guess_see(struct sprint__guess *guess, const char *text) {
  double value = 0, truth;
  enum sprint__cell cell = sprint__cell_parse_mark(text, guess->mark, &value);
  if (cell == SPRINT__CELL_MISSING || (cell == SPRINT__CELL_NOT && sprint__seems_missing(text))) {
    size_t number;
    guess->n_missing++;
    guess->words.context = guess->values.context;
    return cell == SPRINT__CELL_MISSING ? SPRINT_OK : sprint__index_add(&guess->words, text, &number);
  }
  guess->n_there++;
  if (cell == SPRINT__CELL_NUMBER) count_number(guess, value);
  if (sprint__boolean_parse(text, &truth)) guess->n_booleans++;
  if (is_date(text, cell == SPRINT__CELL_NUMBER, value)) guess->n_dates++;
  return remember(guess, text);
}

static enum sprint__guessed kind_of_texts(const struct sprint__guess *guess) {
  if (!guess->repeats && guess->n_there > 2) return SPRINT__GUESS_ID;
  return guess->many ? SPRINT__GUESS_TEXT : SPRINT__GUESS_CATEGORY;
}

enum sprint__guessed sprint__guess_kind(const struct sprint__guess *guess) {
  size_t n = guess->n_there;
  if (!n) return SPRINT__GUESS_EMPTY;
  if (guess->values.n == 1) return SPRINT__GUESS_CONSTANT;
  if (guess->n_booleans == n && guess->values.n == 2) return SPRINT__GUESS_BOOLEAN;
  if (guess->n_dates == n) return SPRINT__GUESS_DATE;
  if (guess->n_whole == n) return n > 2 && !guess->skips ? SPRINT__GUESS_ID : SPRINT__GUESS_INTEGER;
  if (guess->n_numbers == n) return SPRINT__GUESS_NUMBER;
  return kind_of_texts(guess);
}

const char *sprint__guessed_word(enum sprint__guessed guessed) {
  static const char *const words[] = {"empty",  "constant", "boolean",  "id",  "integer",
                                      "number", "date",     "category", "text"};
  return words[guessed];
}

void sprint__guess_clear(struct sprint__guess *guess) {
  sprint__index_clear(&guess->values);
  sprint__index_clear(&guess->words);
}
