/* sprint data info --config: what a column might be with a little help. Hints for whoever reads the draft; nothing is
 * decided by them. */
#include <ctype.h>
#include <string.h>

#include "cli.h"
#include "data_config.h"

/* From 1 to `most` digits at *at, which moves behind them. */
static bool take_digits(const char **at, int most) {
  int n = 0;
  for (; n < most && isdigit((unsigned char)**at); n++) (*at)++;
  return n > 0;
}

/* 05/17/2023 or 17-05-23: a date of which nobody knows whether the day or the month comes first. */
static bool is_date_of_some_order(const char *text) {
  if (!take_digits(&text, 2) || !strchr("/-", *text) || !*text) return false;
  char mark = *text++;
  if (!take_digits(&text, 2) || *text++ != mark) return false;
  return take_digits(&text, 4) && !*text;
}

/* $1,220.50, 45 %, 3 000 €: a number among marks. */
static bool is_marked_number(const char *text) {
  static const char *const marks[] = {"$", "%", "€", "£", "¥", ",", ".", " ", "'"};
  size_t n_digits = 0, n_marks = 0;
  text += *text == '-' || *text == '+';
  while (*text) {
    size_t length = 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && !length; i++)
      if (strncmp(text, marks[i], strlen(marks[i])) == 0) length = strlen(marks[i]);
    if (isdigit((unsigned char)*text)) n_digits++;
    if (!length && !isdigit((unsigned char)*text)) return false;
    n_marks += length > 0;
    text += length ? length : 1;
  }
  return n_digits > 0 && n_marks > 0;
}

static bool all_levels(const sprint_column_info *column, bool (*are)(const char *text)) {
  for (size_t i = 0; i < column->n_levels; i++)
    if (!are(column->levels[i])) return false;
  return column->n_levels > 0;
}

/* -999 and 9999: a row of nines, at the end of a column. */
static bool is_row_of_nines(double value) {
  for (double nines = 99; nines < 1e9; nines = 10 * nines + 9)
    if (value == -nines || (value == nines && nines > 99)) return true;
  return value == -9;
}

void cli_print_hint(const sprint_column_info *column, enum cli_role role) {
  double ends[] = {column->min, column->max};
  bool texts = role == CLI_A_CATEGORY || role == CLI_IGNORED;
  if ((texts || role == CLI_AN_ID) && all_levels(column, is_date_of_some_order))
    fputs("; dates, if they were written 2023-05-17 or 17.05.2023", stdout);
  else if (texts && column->n_texts && all_levels(column, is_marked_number))
    fputs("; numbers, if they were written without marks", stdout);
  for (size_t i = 0; role == CLI_A_NUMBER && i < 2; i++)
    if (is_row_of_nines(ends[i])) printf("; if %.9g means that nothing is known, it is one of missing_words", ends[i]);
}
