/* Fields of tables that are not numbers: dates, booleans, words for nothing, an index of texts, and guesses. */
#include "test_population_help.h"

#include <math.h>
#include <time.h>

#include "population/cell.h"
#include "population/date.h"
#include "population/guess.h"
#include "population/words.h"

/* Oracle: timegm of the C library, over every day of 800 years and then some. */
static void test_guess__dates_are_days_since_1970(void **state) {
  (void)state;
  for (long day = -400000; day <= 400000; day++) {
    time_t seconds = (time_t)day * 86400;
    struct tm tm;
    char text[40];
    double days = NAN;
    gmtime_r(&seconds, &tm);
    const char *const forms[] = {"%04d-%02d-%02d", "%04d/%d/%d", "%04d%02d%02d", " %04d-%02d-%02d "};
    snprintf(text, sizeof text, forms[(size_t)(day + 400000) % 4], tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
    assert_null(sprint__date_parse(text, &days));
    assert_true(days == (double)day);
    snprintf(text, sizeof text, day % 2 ? "%02d.%02d.%04d" : "%d.%d.%04d", tm.tm_mday, tm.tm_mon + 1,
             tm.tm_year + 1900);
    assert_null(sprint__date_parse(text, &days));
    assert_true(days == (double)day);
    snprintf(text, sizeof text, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
    assert_string_equal(sprint__date_of((double)day + (double)(day & 3) / 4).text, text);
  }
  assert_string_equal(sprint__date_of(-719162).text, "0001-01-01"); /* the first that has a name, and the last */
  assert_string_equal(sprint__date_of(2932896).text, "9999-12-31");
  assert_string_equal(sprint__date_of(-719163).text, "-719163");
  assert_string_equal(sprint__date_of(2932897).text, "2.9329e+06");
  assert_string_equal(sprint__date_of(INFINITY).text, "inf");
}

static void test_guess__dates_may_have_a_time(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double days;
  } cases[] = {{"1970-01-02T12:00", 1.5},          {"1970-01-02 06:00:00", 1.25},   {"1970-01-02T00:00:00Z", 1},
               {"1970-01-02T00:00:00+06:00", .75}, {"1970-01-02T00:00-0600", 1.25}, {"1970-01-02  18:00:00.000", 1.75},
               {"1970-01-02T00:00:43.2", 1.0005}};
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    double days = NAN;
    assert_null(sprint__date_parse(cases[i].text, &days));
    assert_true(fabs(days - cases[i].days) < 1e-15); /* a few roundings of numbers of order 1 */
  }
}

static void test_guess__refuses_what_is_no_date(void **state) {
  (void)state;
  static const char *const days[] = {"2023-02-29", "1900-02-29", "2023-13-01", "2023-00-10", "2023-04-31",
                                     "20230230",   "29.02.2023", "05.17.2023", "0000-01-01", "2023-01-00"};
  static const char *const texts[] = {"",          "17.05.23",    "17.05.20231", "17.05-2023", "05/17/2023",
                                      "2023-05",   "2023-05-17x", "2023-05/17",  "23-05-17",   "abc",
                                      "202305171", "2023",        "-2023-05-17", "2023-05-171"};
  static const char *const times[] = {"2023-05-17T",           "2023-05-17T25:00",    "2023-05-17 12",
                                      "2023-05-17T12:60",      "2023-05-17T12:00:61", "2023-05-17T12:00 noon",
                                      "2023-05-17T12:00+99:00"};
  double value = 7;
  for (size_t i = 0; i < SPRINT__COUNT(days); i++)
    assert_string_equal(sprint__date_parse(days[i], &value), "is not a day of the calendar");
  for (size_t i = 0; i < SPRINT__COUNT(texts); i++)
    assert_non_null(strstr(sprint__date_parse(texts[i], &value), "is not a date"));
  for (size_t i = 0; i < SPRINT__COUNT(times); i++)
    assert_non_null(strstr(sprint__date_parse(times[i], &value), "has no time of day"));
  double leap = 0;
  assert_null(sprint__date_parse("2000-02-29", &leap));
  assert_true(value == 7 && leap == 11016); /* 30 years of 365 days, 7 leap days, 59 days */
}

static void test_guess__booleans(void **state) {
  (void)state;
  static const char *const words[][2] = {{"false", "true"}, {"No", "YES"}, {"f", "T"},      {"n", "Y"},
                                         {"OFF", "on"},     {"0", "1"},    {"0.0", " 1.00"}};
  static const char *const others[] = {"", "2", "-1", "tru", "yes no", "NA", "0.5", "truest"};
  double value;
  for (size_t i = 0; i < SPRINT__COUNT(words); i++)
    for (int k = 0; k < 2; k++) assert_true(sprint__boolean_parse(words[i][k], &value) && value == k);
  for (size_t i = 0; i < SPRINT__COUNT(others); i++) assert_false(sprint__boolean_parse(others[i], &value));
}

static void test_guess__numbers_with_a_comma(void **state) {
  (void)state;
  double value = 0;
  assert_int_equal(sprint__cell_parse_mark("-1,5", ',', &value), SPRINT__CELL_NUMBER);
  assert_true(value == -1.5);
  assert_int_equal(sprint__cell_parse_mark(" 3,14159265358979323846 ", ',', &value), SPRINT__CELL_NUMBER);
  assert_true(value == 3.14159265358979323846);
  assert_int_equal(sprint__cell_parse_mark("1,5e-300", ',', &value), SPRINT__CELL_NUMBER);
  assert_true(value == 1.5e-300);
  assert_int_equal(sprint__cell_parse_mark("1.5", ',', &value), SPRINT__CELL_NOT);
  assert_int_equal(sprint__cell_parse_mark("1,5", '.', &value), SPRINT__CELL_NOT);
  assert_int_equal(sprint__cell_parse_mark("1.234,5", ',', &value), SPRINT__CELL_NOT);
}

/* Oracle: a search through all texts before. */
static void test_guess__indexes_texts(void **state) {
  struct fixture *f = *state;
  struct sprint__index index = {.context = f->context};
  size_t number = 99;
  assert_false(sprint__index_find(&index, "0", &number));
  for (size_t i = 0; i < 3000; i++) {
    char text[24];
    size_t value = i * i % 1009;
    snprintf(text, sizeof text, "%zu", value);
    size_t n = index.n;
    bool known = false;
    for (size_t k = 0; k < i && !known; k++) known = k * k % 1009 == value;
    assert_int_equal(sprint__index_add(&index, text, &number), SPRINT_OK);
    assert_int_equal(index.n, known ? n : n + 1);
    assert_string_equal(sprint__index_text(&index, number), text);
  }
  assert_int_equal(index.n, 505); /* squares modulo an odd prime: half of the others, and 0 */
  assert_false(sprint__index_find(&index, "", &number));
  sprint__index_clear(&index);
}

static void assert_guess(struct fixture *f, const char *fields, enum sprint__guessed expected) {
  struct sprint__guess guess = {.mark = '.', .values = {.context = f->context}};
  char copy[400];
  snprintf(copy, sizeof copy, "%s", fields);
  for (char *at = copy, *end; at; at = end) {
    if ((end = strchr(at, '|'))) *end++ = '\0';
    assert_int_equal(sprint__guess_see(&guess, at), SPRINT_OK);
  }
  if (sprint__guess_kind(&guess) != expected)
    fail_msg("%s: %s, %s was expected", fields, sprint__guessed_word(sprint__guess_kind(&guess)),
             sprint__guessed_word(expected));
  sprint__guess_clear(&guess);
}

static void test_guess__says_what_columns_are(void **state) {
  assert_guess(*state, "", SPRINT__GUESS_EMPTY);
  assert_guess(*state, "NA||NULL|?", SPRINT__GUESS_EMPTY);
  assert_guess(*state, "12|12|NA|12", SPRINT__GUESS_CONSTANT);
  assert_guess(*state, "x|x", SPRINT__GUESS_CONSTANT);
  assert_guess(*state, "0|1|1|NA", SPRINT__GUESS_BOOLEAN);
  assert_guess(*state, "yes|no|N/A|yes", SPRINT__GUESS_BOOLEAN);
  assert_guess(*state, "1|2|3|4|5", SPRINT__GUESS_ID);
  assert_guess(*state, "C7|C1|C9|D2", SPRINT__GUESS_ID);
  assert_guess(*state, "1|2|3|5|4", SPRINT__GUESS_INTEGER);
  assert_guess(*state, "3|5.0|4|null", SPRINT__GUESS_INTEGER);
  assert_guess(*state, "1.5|2|3|-", SPRINT__GUESS_NUMBER);
  assert_guess(*state, "2023-01-01|2023-05-17 12:00", SPRINT__GUESS_DATE);
  assert_guess(*state, "20230101|20230517|20210101", SPRINT__GUESS_DATE);
  assert_guess(*state, "20230101|20230541", SPRINT__GUESS_INTEGER);
  assert_guess(*state, "car|house|car|unknown", SPRINT__GUESS_CATEGORY);
  assert_guess(*state, "1|2|A|A", SPRINT__GUESS_CATEGORY);
  assert_guess(*state, "t|yes|n", SPRINT__GUESS_ID); /* three values are not two */
}

static void test_guess__bounds_categories_and_lists_words_for_nothing(void **state) {
  struct fixture *f = *state;
  struct sprint__guess guess = {.mark = '.', .values = {.context = f->context}};
  for (int i = 0; i < 3000; i++) {
    char text[24];
    snprintf(text, sizeof text, i % 100 ? "t%d" : i % 200 ? "NULL" : "?", i % 2999);
    assert_int_equal(sprint__guess_see(&guess, text), SPRINT_OK);
  }
  assert_int_equal(sprint__guess_see(&guess, "t1"), SPRINT_OK);
  assert_int_equal(sprint__guess_kind(&guess), SPRINT__GUESS_TEXT);
  assert_int_equal(guess.n_missing, 30);
  assert_int_equal(guess.words.n, 2);
  assert_string_equal(sprint__index_text(&guess.words, 0), "?");
  assert_string_equal(sprint__index_text(&guess.words, 1), "NULL");
  sprint__guess_clear(&guess);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_guess__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(dates_are_days_since_1970), TEST(dates_may_have_a_time),
      TEST(refuses_what_is_no_date),   TEST(booleans),
      TEST(numbers_with_a_comma),      TEST(indexes_texts),
      TEST(says_what_columns_are),     TEST(bounds_categories_and_lists_words_for_nothing),
  };
  return cmocka_run_group_tests_name("guess", tests, NULL, NULL);
}
