/* cli/text.c, print.c, clock.c: texts of any bytes and times as a terminal gets them. */
#define _POSIX_C_SOURCE 200809L
#include "cli/text.h"

#include "cli/cli.h"
#include "help.h"

static void test_text__clean(void **state) {
  (void)state;
  static const struct {
    const char *text, *clean;
    bool utf8;
  } cases[] = {
      {"plain, \"quoted\" \\", "plain, \"quoted\" \\", true},
      {"a\nb\tc\rd", "a\\nb\\tc\\rd", true},
      {"\x1b[31m\x7f", "\\x1b[31m\\x7f", true},
      {"\xc2\x85", "\\u0085", true},     /* next line */
      {"\xc2\xa0", "\xc2\xa0", true},    /* a space that does not break */
      {"\xd8\x9c", "\\u061c", true},     /* marks of direction, */
      {"\xe2\x80\x8e", "\\u200e", true}, /* one after the other */
      {"\xe2\x80\x8f", "\\u200f", true}, /* and */
      {"\xe2\x80\xa8", "\\u2028", true}, /* line ends */
      {"\xe2\x80\xae", "\\u202e", true}, /* turned round */
      {"\xe2\x80\xaf", "\xe2\x80\xaf", true},
      {"\xe2\x81\xa6", "\\u2066", true},
      {"\xe2\x81\xa9", "\\u2069", true},
      {"\xe2\x81\xaa", "\xe2\x81\xaa", true},
      {"\xef\xbb\xbf", "\\ufeff", true},
      {"\xef\xbf\xbe", "\\ufffe", true},
      {"\xef\xbf\xbf", "\\uffff", true},
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", true},
      {"\xff", "\\xff", false},
      {"\x80", "\\x80", false},                            /* goes on without a beginning */
      {"\xc3", "\\xc3", false},                            /* ends too early */
      {"\xc0\xaf", "\\xc0\\xaf", false},                   /* longer than it need be */
      {"\xed\xa0\x80", "\\xed\\xa0\\x80", false},          /* half of a pair */
      {"\xee\x80\x80", "\xee\x80\x80", true},              /* just behind those */
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", false}, /* beyond all characters */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char *clean = cli_clean(cases[i].text);
    assert_string_equal(clean, cases[i].clean);
    assert_int_equal(cli_is_utf8(cases[i].text), cases[i].utf8);
    free(clean);
  }
}

static void test_text__width(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int width;
  } cases[] = {{"", 0},
               {"abc", 3},
               {"e\xcc\x81", 1},
               {"\xe6\x97\xa5\xe6\x9c\xac", 4},
               {"\xf0\x9f\x98\x80!", 3},
               {"a\xff"
                "b",
                3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_int_equal(cli_width(cases[i].text), cases[i].width);
  const char *wide = "\xe6\x97\xa5\xe6\x9c\xac";
  assert_ptr_equal(cli_at_width(wide, 4), wide + 6);
  assert_ptr_equal(cli_at_width(wide, 3), wide + 3); /* half of a character is none */
  assert_ptr_equal(cli_at_width(wide, 1), wide);
  const char *odd =
      "a\xff"
      "b";
  assert_ptr_equal(cli_at_width(odd, 2), odd + 2);
}

/* What is printed, to be freed. */
#define PRINTED(...)                                \
  do {                                              \
    size_t size = 0;                                \
    FILE *stream = open_memstream(&printed, &size); \
    assert_non_null(stream);                        \
    cli_print(stream, __VA_ARGS__);                 \
    assert_int_equal(fclose(stream), 0);            \
  } while (0)

/* Oracle: printf itself, where no text is foreign. */
#define AS_PRINTF(...)                                \
  do {                                                \
    char expected[256], *printed = NULL;              \
    snprintf(expected, sizeof expected, __VA_ARGS__); \
    PRINTED(__VA_ARGS__);                             \
    assert_string_equal(printed, expected);           \
    free(printed);                                    \
  } while (0)

static void test_print__as_printf(void **state) {
  (void)state;
  AS_PRINTF("nothing, 100 %%, and %%d");
  AS_PRINTF("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]", 12, 12, 12, 12, 12, 12);
  AS_PRINTF("[%*d] [%-*d] [%.*f] [%*.*g]", 6, 7, 6, 7, 2, 3.14159, 9, 3, 2.71828);
  AS_PRINTF("[%ld] [%8ld] [%lld] [%-9lld] [%zu] [%3zu] [%llu]", 1L, -2L, 3LL, -4LL, (size_t)5, (size_t)6, 7ULL);
  AS_PRINTF("[%g] [%.17g] [%-12.4g] [%8.4f] [%e] [%c] [%x] [%04x]", 0.5, 0.1, 1e9, 2.5, 1e-9, 'z', 255u, 255u);
  AS_PRINTF("[%s] [%8s] [%-8s] [%.2s] [%*s] [%.*s] [%-*.*s]", "abc", "abc", "abc", "abc", 5, "abc", 1, "abc", 5, 2,
            "abc");
}

static void test_print__foreign_texts(void **state) {
  (void)state;
  char *printed = NULL;
  PRINTED("[%s] [%-5s] [%4s] [%.1s]", "\x1b[2J", "\xe6\x97\xa5", "\xe6\x97\xa5", "\xe6\x97\xa5");
  assert_string_equal(printed, "[\\x1b[2J] [\xe6\x97\xa5   ] [  \xe6\x97\xa5] []");
  free(printed);
}

static void test_time__as_people_say_it(void **state) {
  (void)state;
  static const struct {
    double seconds;
    const char *text;
  } cases[] = {{0, "0.0 s"},      {9.94, "9.9 s"}, {9.96, "10 s"},     {99, "99 s"},        {120, "2 min"},
               {5990, "100 min"}, {6000, "1.7 h"}, {172799, "48.0 h"}, {172800, "2.0 days"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_string_equal(cli_time(cases[i].seconds).text, cases[i].text);
  double before = cli_clock();
  assert_true(cli_clock() >= before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text__clean),
      cmocka_unit_test(test_text__width),
      cmocka_unit_test(test_print__as_printf),
      cmocka_unit_test(test_print__foreign_texts),
      cmocka_unit_test(test_time__as_people_say_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
