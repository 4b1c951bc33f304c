/* Fields of a CSV as numbers, booleans and dates, and what to say of those that are none: see csv_reader.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"
#include "population/csv_reader.h"
#include "population/date.h"
#include "population/words.h"

static sprint_status refuse_field(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                  size_t column, const char *complaint, const char *advice) {
  const char *text = sprint__csv_field(row, column);
  char rest[500];
  snprintf(rest, sizeof rest, "'%s' %s%s", sprint__show(text).text, complaint, header->dialect->advises ? advice : "");
  return sprint__csv_refuse(header, row, column, rest);
}

/* The advice on one that means missing and is not listed. */
static void advise_word(char *room, size_t size, const char *text) {
  snprintf(room, size, "; missing_words: [\"%s\"] takes it as missing", sprint__show(text).text);
}

/* Digits in groups of three with a mark between them, and perhaps another before the decimals. */
static bool has_thousands(const char *text) {
  size_t n_points = 0, n_commas = 0, n_digits = 0, n_others = 0;
  for (text += strspn(text, " \t+-"); *text && *text != ' '; text++) {
    if (*text == '.') n_points++;
    if (*text == ',') n_commas++;
    if (*text >= '0' && *text <= '9') n_digits++;
    if (!strchr(".,'0123456789", *text)) n_others++;
  }
  return n_digits > 3 && !n_others && n_points + n_commas > 1;
}

static bool has_other_mark(const struct sprint__dialect *dialect, const char *text) {
  double value;
  char other = dialect->decimal == SPRINT__DECIMAL_COMMA ? '.' : ',';
  return sprint__cell_parse_mark(text, other, &value) == SPRINT__CELL_NUMBER;
}

/* What a text in a column of numbers may be, and what to say of it in a config; features may be other things. */
static void advise_number(const struct sprint__csv_header *header, const char *text, const char *name, bool feature,
                          char *room, size_t size) {
  double value;
  bool comma = header->dialect->decimal == SPRINT__DECIMAL_COMMA;
  if (sprint__seems_missing(text))
    advise_word(room, size, text);
  else if (has_other_mark(header->dialect, text))
    snprintf(room, size, "; decimals have a %s here%s", comma ? "comma" : "point",
             comma ? ", and thousands are not marked; decimal: point reads it"
                   : ", and thousands are not marked; decimal: comma reads it as a fraction");
  else if (has_thousands(text))
    snprintf(room, size, "; marks between thousands are not read");
  else if (!feature)
    return;
  else if (sprint__boolean_parse(text, &value))
    snprintf(room, size, "; booleans: [\"%s\"] reads it as 1 or 0", name);
  else if (!sprint__date_parse(text, &value))
    snprintf(room, size, "; dates: [\"%s\"] reads it as days", name);
  else
    snprintf(room, size, "; categories: [\"%s\"] makes a feature of each level, ignore: [\"%s\"] leaves it out", name,
             name);
}

static sprint_status refuse_number(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                   size_t column, bool feature, enum sprint__cell cell) {
  const char *text = sprint__csv_field(row, column);
  char advice[300] = "";
  if (cell == SPRINT__CELL_EITHER) snprintf(advice, sizeof advice, "; decimal: comma or decimal: point says which");
  if (cell == SPRINT__CELL_NOT) {
    struct sprint__shown name = sprint__show(header->names[column]);
    advise_number(header, text, name.text, feature, advice, sizeof advice);
  }
  return refuse_field(header, row, column, sprint__cell_complaint(cell), advice);
}

static sprint_status read_number(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                 size_t column, bool feature, double *ret_value) {
  enum sprint__cell cell = sprint__dialect_number(header->dialect, sprint__csv_field(row, column), ret_value);
  if (cell == SPRINT__CELL_NUMBER || cell == SPRINT__CELL_MISSING) return SPRINT_OK;
  return refuse_number(header, row, column, feature, cell);
}

sprint_status sprint__csv_number(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                 size_t column, double *ret_value) {
  return read_number(header, row, column, false, ret_value);
}

sprint_status sprint__csv_feature(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                  size_t column, double *ret_value) {
  return read_number(header, row, column, true, ret_value);
}

/* NaN where it is missing, which is asked first: a missing word may look like anything. */
static bool is_missing(const struct sprint__csv_header *header, const char *text, double *ret_value) {
  if (!sprint__dialect_is_missing(header->dialect, text)) return false;
  *ret_value = NAN;
  return true;
}

static sprint_status refuse_other(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                  size_t column, const char *complaint) {
  const char *text = sprint__csv_field(row, column);
  char advice[200] = "";
  if (sprint__seems_missing(text)) advise_word(advice, sizeof advice, text);
  return refuse_field(header, row, column, complaint, advice);
}

sprint_status sprint__csv_boolean(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                                  size_t column, double *ret_value) {
  const char *text = sprint__csv_field(row, column);
  if (is_missing(header, text, ret_value) || sprint__boolean_parse(text, ret_value)) return SPRINT_OK;
  return refuse_other(
      header, row, column,
      "is not a boolean; true/false, yes/no, t/f, y/n, on/off or 1/0 was expected (other words go under "
      "categories)");
}

sprint_status sprint__csv_date(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                               size_t column, double *ret_value) {
  const char *text = sprint__csv_field(row, column);
  const char *wrong = is_missing(header, text, ret_value) ? NULL : sprint__date_parse(text, ret_value);
  return wrong ? refuse_other(header, row, column, wrong) : SPRINT_OK;
}

sprint_status sprint__csv_name(const struct sprint__csv_header *header, const struct sprint__csv_row *row,
                               size_t column, const char *what, bool *ret_missing) {
  const char *text = sprint__csv_field(row, column);
  double value;
  char complaint[120], advice[200];
  enum sprint__cell cell = sprint__cell_parse(text, &value);
  *ret_missing = sprint__dialect_is_missing(header->dialect, text);
  bool infinite = cell == SPRINT__CELL_NOT_FINITE;
  if (*ret_missing || cell == SPRINT__CELL_NUMBER || (!infinite && !sprint__means_missing(text))) return SPRINT_OK;
  advise_word(advice, sizeof advice, text);
  snprintf(complaint, sizeof complaint, "%s, which is no %s", infinite ? "is not finite" : "means missing", what);
  return refuse_field(header, row, column, complaint, advice);
}
