/* Dates: see date.h. */
#include "population/date.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"

static const char *const not_a_date = "is not a date; 2023-05-17, 17.05.2023 or 2023-05-17T14:30 was expected";
static const char *const not_a_day = "is not a day of the calendar";
static const char *const not_a_time = "has no time of day behind its date; 14:30 or 14:30:05 was expected";

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* From `least` to `most` digits at *at, which moves behind them. */
static bool take_digits(const char **at, int least, int most, int *ret_number) {
  int n = 0, number = 0;
  for (; n < most && is_digit(**at); n++, (*at)++) number = 10 * number + (**at - '0');
  *ret_number = number;
  return n >= least;
}

static bool take(const char **at, char c) {
  if (**at != c) return false;
  (*at)++;
  return true;
}

static int days_in(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[month - 1];
}

/* The days of whole years in 400-year cycles; a year here starts in March, so that a leap day is its last. */
static int days_since_1970(int year, int month, int day) {
  int y = month > 2 ? year : year - 1;
  int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return 365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

/* 17.05.2023: where dots separate, the day comes first wherever this is written. */
static bool take_dotted(const char **at, int *ret_year, int *ret_month, int *ret_day) {
  const char *start = *at;
  bool dotted = take_digits(at, 1, 2, ret_day) && take(at, '.') && take_digits(at, 1, 2, ret_month) && take(at, '.') &&
                take_digits(at, 4, 4, ret_year) && !is_digit(**at);
  if (!dotted) *at = start;
  return dotted;
}

/* 2023-05-17, 2023/5/17 or 20230517. */
static bool take_marked(const char **at, int *ret_year, int *ret_month, int *ret_day) {
  if (!take_digits(at, 4, 4, ret_year)) return false;
  char mark = **at;
  bool marked = mark == '-' || mark == '/';
  if (marked) (*at)++;
  return take_digits(at, marked ? 1 : 2, 2, ret_month) && (!marked || take(at, mark)) &&
         take_digits(at, marked ? 1 : 2, 2, ret_day) && !is_digit(**at);
}

static const char *take_day(const char **at, double *ret_days) {
  int year, month, day;
  if (!take_dotted(at, &year, &month, &day) && !take_marked(at, &year, &month, &day)) return not_a_date;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return not_a_day;
  *ret_days = days_since_1970(year, month, day);
  return NULL;
}

/* Seconds may have a fraction. */
static bool take_seconds(const char **at, double *ret_seconds) {
  int whole, digit;
  double unit = 1;
  if (!take_digits(at, 2, 2, &whole) || whole > 60) return false;
  *ret_seconds = whole;
  if (!take(at, '.')) return true;
  if (!is_digit(**at)) return false;
  while (take_digits(at, 1, 1, &digit)) *ret_seconds += digit * (unit /= 10);
  return true;
}

/* Minutes that a zone is ahead: Z, +02:00, +0200, +02, or nothing. */
static bool take_zone(const char **at, int *ret_ahead) {
  int hours, minutes = 0;
  *ret_ahead = 0;
  if (take(at, 'Z')) return true;
  int sign = **at == '-' ? -1 : 1;
  if (!take(at, '+') && !take(at, '-')) return true;
  if (!take_digits(at, 2, 2, &hours)) return false;
  bool more = take(at, ':') || is_digit(**at);
  if (more && !take_digits(at, 2, 2, &minutes)) return false;
  *ret_ahead = sign * (60 * hours + minutes);
  return hours <= 14 && minutes < 60;
}

static const char *take_time(const char **at, double *days) {
  int hours, minutes, ahead;
  double seconds = 0;
  if (!take_digits(at, 1, 2, &hours) || hours > 23 || !take(at, ':') || !take_digits(at, 2, 2, &minutes) ||
      minutes > 59)
    return not_a_time;
  if (take(at, ':') && !take_seconds(at, &seconds)) return not_a_time;
  if (!take_zone(at, &ahead)) return not_a_time;
  *days += ((hours * 60 + minutes - ahead) * 60 + seconds) / 86400;
  return NULL;
}

const char *sprint__date_parse(const char *text, double *ret_days) {
  const char *at = text + strspn(text, " \t");
  double days = 0;
  const char *wrong = take_day(&at, &days);
  if (wrong) return wrong;
  bool timed = *at == 'T' || *at == 't' || (*at == ' ' && is_digit(at[strspn(at, " ")]));
  if (timed) at += *at == ' ' ? strspn(at, " ") : 1;
  if (timed && (wrong = take_time(&at, &days))) return wrong;
  if (at[strspn(at, " \t")]) return timed ? not_a_time : not_a_date;
  *ret_days = days;
  return NULL;
}

struct sprint__date sprint__date_of(double days) {
  struct sprint__date date = {""};
  double whole = floor(days);
  int year = 1, month = 1;
  if (!(whole >= days_since_1970(1, 1, 1) && whole <= days_since_1970(9999, 12, 31))) {
    sprint__snprintf(date.text, sizeof date.text, "%.6g", days);
    return date;
  }
  year = 1970 + (int)floor(whole / 365.2425);
  while (days_since_1970(year, 1, 1) > whole) year--;
  while (days_since_1970(year + 1, 1, 1) <= whole) year++;
  while (month < 12 && days_since_1970(year, month + 1, 1) <= whole) month++;
  snprintf(date.text, sizeof date.text, "%04d-%02d-%02d", year, month,
           (int)whole - days_since_1970(year, month, 1) + 1);
  return date;
}
