/* CSV files: what is read, and every sentence of what is refused. */
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <sys/stat.h>

#include "population/cell.h"
#include "population/csv_reader.h"
#include "test_csv_help.h"

static void test_csv__reads_plain_rows(void **state) {
  sprint_population *p = load_csv(*state, "a,y,b\n1,0,2\n-3.5,1,4e1\n", "label: y");
  assert_x(p, 2, 2, (double[]){1, 2, -3.5, 40});
  assert_string_equal(sprint_population_feature_name(p, 0), "a");
  assert_string_equal(sprint_population_feature_name(p, 1), "b");
  assert_null(sprint_population_feature_name(p, 2));
  assert_string_equal(p->label_name, "y");
  assert_int_equal(sprint_population_n_classes(p), 2);
  assert_true(p->y[0] == 0 && p->y[1] == 1);
  sprint_population_free(p);
}

static void test_csv__reads_crlf_mark_quotes_blank_lines_and_no_last_end(void **state) {
  sprint_population *p =
      load_csv(*state, "\xef\xbb\xbf\"a\",y,\"the \"\"b\"\"\"\r\n\r\n\"1\", 0 ,2\r\n  \r\n3,1,\" 4 \"", "label: y");
  assert_x(p, 2, 2, (double[]){1, 2, 3, 4});
  assert_string_equal(sprint_population_feature_name(p, 0), "a");
  assert_string_equal(sprint_population_feature_name(p, 1), "the \"b\"");
  sprint_population_free(p);
}

static void test_csv__reads_lone_carriage_returns(void **state) {
  sprint_population *p = load_csv(*state, "a,y\r1,0\r2,1\r", "label: y");
  assert_x(p, 2, 1, (double[]){1, 2});
  sprint_population_free(p);
  refuse_csv(*state, "a,y\r1,0\rz,1\r", "label: y", "train.csv:3: column 1 'a': 'z' is not a number");
}

static void test_csv__reads_tabs_and_semicolons(void **state) {
  sprint_population *p = load_csv(*state, "a\ty\n1\t0\n2\t1\n", "label: y, separator: tab");
  assert_x(p, 2, 1, (double[]){1, 2});
  sprint_population_free(p);
  p = load_csv(*state, "a;y\n1;0\n2;1\n", "label: y, separator: ';'");
  assert_x(p, 2, 1, (double[]){1, 2});
  sprint_population_free(p);
  p = load_csv(*state, "a\tb\ty\n\t1\t0\n\t2\t1\n", "label: y, separator: tab, features: b");
  assert_x(p, 2, 1, (double[]){1, 2});
  sprint_population_free(p);
}

static void test_csv__chooses_features_in_the_order_given(void **state) {
  sprint_population *p = load_csv(*state, "a,b,y,c\n1,2,0,3\n4,5,1,6\n", "label: y, features: [c, a]");
  assert_x(p, 2, 2, (double[]){3, 1, 6, 4});
  assert_int_equal(sprint__population_find(p, "a"), 1);
  assert_int_equal(sprint__population_find(p, "b"), -1);
  sprint_population_free(p);
}

static void test_csv__ignores_columns_nameless_ones_too(void **state) {
  sprint_population *p = load_csv(*state, ",a,why,y\n1,5,x,0\n2,6,,1\n", "label: y, ignore: ['', why]");
  assert_x(p, 2, 1, (double[]){5, 6});
  sprint_population_free(p);
  refuse_csv(*state, ",a,y\n1,5,0\n2,6,1\n", "label: y", "train.csv:1: column 1 has no name");
}

static void test_csv__orders_classes_as_numbers_and_merges_spellings(void **state) {
  sprint_population *p = load_csv(*state, "a,y\n1,10\n2,9\n3,1.0\n4,1\n", "label: y");
  assert_int_equal(p->n_classes, 3);
  assert_string_equal(sprint_population_class_name(p, 0), "1.0");
  assert_string_equal(sprint_population_class_name(p, 1), "9");
  assert_string_equal(sprint_population_class_name(p, 2), "10");
  assert_null(sprint_population_class_name(p, 3));
  assert_true(p->y[0] == 2 && p->y[1] == 1 && p->y[2] == 0 && p->y[3] == 0);
  sprint_population_free(p);
}

static void test_csv__orders_classes_as_texts(void **state) {
  sprint_population *p = load_csv(*state, "a,y\n1,no\n2,10\n3,Yes\n4,!\n", "label: y");
  assert_int_equal(p->n_classes, 4);
  assert_string_equal(p->class_names[0], "!");
  assert_string_equal(p->class_names[1], "10");
  assert_string_equal(p->class_names[2], "Yes");
  assert_string_equal(p->class_names[3], "no");
  sprint_population_free(p);
}

static void test_csv__reads_values(void **state) {
  sprint_population *p = load_csv(*state, "a,y\n1,2.5\n2,2.5\n", "label: y, target: value");
  assert_int_equal(p->n_classes, 0);
  assert_int_equal(p->n_strata, 1);
  assert_true(p->y[0] == (sprint_real)2.5 && p->y[1] == (sprint_real)2.5);
  sprint_population_free(p);
  refuse_csv(*state, "a,y\n1,2.5\n2,x\n", "label: y, target: value", "train.csv:3: column 2 'y': 'x' is not a number");
}

static void test_csv__drops_rows_with_missing_values(void **state) {
  sprint_population *p =
      load_csv(*state, "a,u,y\n1,,0\nNA,1,1\n3,,1\n4,,\nnan,,0\n6,,0\n", "label: y, ignore: u, missing: drop");
  assert_x(p, 3, 1, (double[]){1, 3, 6});
  assert_true(isnan(p->columns[0].fill));
  sprint_population_free(p);
  refuse_csv(*state, "a,y\nNA,0\n,1\n", "label: y, missing: drop", "every row has a missing value, and none is left");
}

/* Oracle: the median of 1, 3, 10 and of 1, 3, 10, 20. */
static void test_csv__fills_medians(void **state) {
  sprint_population *p = load_csv(*state, "a,y\n1,0\nNA,1\n10,1\n3,0\n", "label: y, missing: median");
  assert_x(p, 4, 1, (double[]){1, 3, 10, 3});
  assert_true(p->columns[0].fill == 3);
  sprint_population_free(p);
  p = load_csv(*state, "a,y\n1,0\n,1\n20,0\n10,1\n3,0\n", "label: y, missing: median");
  assert_x(p, 5, 1, (double[]){1, 6.5, 20, 10, 3});
  sprint_population_free(p);
  refuse_csv(*state, "a,b,y\n1,,0\n2,NaN,1\n", "label: y, missing: median", "column 'b': every value is missing");
  refuse_csv(*state, "a,y\n1,0\n2,\n", "label: y, missing: median", "train.csv:3: column 2 'y': the label is missing");
}

static void test_csv__refuses_what_is_not_a_finite_number(void **state) {
  refuse_csv(*state, "y,a,b,income\n0,1,2,3\n1,1,2,abc\n", "label: y",
             "train.csv:3: column 4 'income': 'abc' is not a number");
  static const struct {
    const char *text, *complaint;
  } cases[] = {{"1x", "'1x' is not a number"},
               {"0x10", "'0x10' is not a number"},
               {"1e", "'1e' is not a number"},
               {".", "'.' is not a number"},
               {"1 2", "'1 2' is not a number"},
               {"--1", "'--1' is not a number"},
               {"?", "'?' is not a number"},
               {"na", "'na' is not a number"},
               {"inf", "'inf' is not a finite number"},
               {"-Infinity", "'-Infinity' is not a finite number"},
               {"1e999", "'1e999' is not a finite number"}};
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    char text[64];
    snprintf(text, sizeof text, "a,y\n1,0\n%s,1\n", cases[i].text);
    refuse_csv(*state, text, "label: y", cases[i].complaint);
  }
#ifndef SPRINT_DOUBLE
  refuse_csv(*state, "a,y\n1,0\n-1e39,1\n", "label: y", "'-1e39' is too large for single precision");
#endif
}

static void test_csv__refuses_missing_values_unless_told(void **state) {
  refuse_csv(*state, "a,y\n1,0\nNA,1\n", "label: y", "train.csv:3: column 1 'a': the value is missing");
  refuse_csv(*state, "a,y\n1,0\n2,NA\n", "label: y", "train.csv:3: column 2 'y': the label is missing");
}

static void test_csv__refuses_ragged_rows(void **state) {
  refuse_csv(*state, "a,b,y\n1,2,0\n1,2\n", "label: y", "train.csv:3: 2 fields, the header has 3");
  refuse_csv(*state, "a,b,y\n1,2,0\n7\n", "label: y", "train.csv:3: 1 field, the header has 3");
}

/* The physical line of the row's start: row 3 starts on line 5 as row 2 spans lines 2 .. 4. */
static void test_csv__counts_physical_lines(void **state) {
  refuse_csv(*state, "a,note,y\n1,\"one\ntwo\r\nthree\",0\nz,ok,1\n", "label: y, ignore: note",
             "train.csv:5: column 1 'a': 'z'");
  refuse_csv(*state, "\n\na,note,y\n\n1,\"\n\n\",0\n\nz,\"\n\",1\n", "label: y, ignore: note",
             "train.csv:9: column 1 'a': 'z'");
  refuse_csv(*state, "a,y\r\n1,0\r\n\r\nz,1\r\n", "label: y", "train.csv:4: column 1 'a': 'z'");
}

/* A row and line ends that straddle the reader's 64 KiB blocks. */
static void test_csv__reads_across_blocks(void **state) {
  struct fixture *f = *state;
  FILE *stream = fopen(path_of(f, "train.csv"), "wb");
  fputs("a,note,y\r\n", stream);
  for (int i = 0; i < 30000; i++) fprintf(stream, "%d,\"n%d\r\n\",%d\r\n", i, i, i % 2);
  fclose(stream);
  sprint_population *p = load(f, spec_of(f, "label: y, ignore: note"), NULL);
  assert_int_equal(p->n, 30000);
  for (int i = 0; i < 30000; i++) assert_true(p->x[i] == (sprint_real)i && p->y[i] == (sprint_real)(i % 2));
  sprint_population_free(p);
  stream = fopen(path_of(f, "train.csv"), "ab");
  fputs("z,,0\r\n", stream);
  fclose(stream);
  assert_refused(f, spec_of(f, "label: y, ignore: note"), SPRINT_ERROR_INPUT, "train.csv:60002: column 1 'a': 'z'");
}

static void test_csv__refuses_broken_files(void **state) {
  struct fixture *f = *state;
  refuse_csv(f, "", "label: y", "train.csv: the file is empty");
  refuse_csv(f, "\n \n", "label: y", "train.csv: the file is empty");
  refuse_csv(f, "a,y\n", "label: y", "train.csv: there are no rows below the header");
  refuse_csv(f, "a,y\n1,0\n\"2,1\n3,0\n", "label: y", "train.csv:3: a quote is opened in this row and never closed");
  refuse_csv(f, "a,y\n1,0\n2\"3,1\n", "label: y", "train.csv:3: a quote in the middle of a field");
  write_bytes(f, "train.csv", "a,y\n1,0\n\0,1\n", 12);
  assert_refused(f, spec_of(f, "label: y"), SPRINT_ERROR_INPUT, "train.csv:3: a NUL byte");
  unlink(path_of(f, "train.csv"));
  assert_refused(f, spec_of(f, "label: y"), SPRINT_ERROR_IO, "train.csv: cannot be read");
  assert_int_equal(mkdir(path_of(f, "train.csv"), 0700), 0);
  assert_refused(f, spec_of(f, "label: y"), SPRINT_ERROR_IO, "train.csv: is a folder");
  assert_int_equal(rmdir(path_of(f, "train.csv")), 0);
}

static void test_csv__refuses_columns_that_do_not_fit(void **state) {
  const char *text = "age,b,b,label\n1,2,3,0\n4,5,6,1\n";
  refuse_csv(*state, text, "label: lable", "train.csv:1: there is no column 'lable'; did you mean 'label'?");
  refuse_csv(*state, text, "label: label, features: [agee]", "there is no column 'agee'; did you mean 'age'?");
  refuse_csv(*state, text, "label: label, ignore: [agee]", "there is no column 'agee'; did you mean 'age'?");
  refuse_csv(*state, text, "label: label, ignore: [qwertyuiop]", "train.csv:1: there is no column 'qwertyuiop'");
  refuse_csv(*state, text, "label: label", "train.csv:1: columns 2 and 3 are both called 'b'");
  refuse_csv(*state, text, "label: b", "train.csv:1: columns 2 and 3 are both called 'b'");
  refuse_csv(*state, text, "label: label, features: [age, label]", "column 'label' is the label");
  refuse_csv(*state, text, "label: label, features: [age, age]", "column 'age' is listed twice");
  refuse_csv(*state, text, "label: label, features: [age], ignore: age", "column 'age' is also under features");
  refuse_csv(*state, text, "label: label, ignore: [b, label]", "column 'label' is also the label");
  refuse_csv(*state, text, "label: label, ignore: [b, age]", "train.csv:1: no column is left to be a feature");
  refuse_csv(*state, text, "label: label, ignore: b, separator: '::'", "'::' is not one character, 'tab' or 'auto'");
  sprint_population *p = load_csv(*state, text, "label: label, ignore: b");
  assert_x(p, 2, 1, (double[]){1, 4});
  sprint_population_free(p);
}

static void test_csv__refuses_labels_that_are_no_classes(void **state) {
  struct fixture *f = *state;
  refuse_csv(f, "a,y\n1,0\n2,0.0\n", "label: y", "train.csv: every label is '0'; at least two classes are needed");
  FILE *stream = fopen(path_of(f, "train.csv"), "wb");
  fputs("a,y\n", stream);
  for (int i = 0; i <= 1000; i++) fprintf(stream, "1,%d\n", i);
  fclose(stream);
  assert_refused(
      f, spec_of(f, "label: y"), SPRINT_ERROR_INPUT,
      "train.csv: the label has more than 1000 distinct values; where it is a number to predict, say target: value");
}

/* Oracle: strtod in the C locale, over short and long mantissas, exponents of either sign and both paths. */
static void test_csv__reads_numbers_as_strtod_does(void **state) {
  (void)state;
  char text[64];
  for (int mantissa = -3; mantissa <= 40; mantissa++)
    for (int exponent = -45; exponent <= 30; exponent++) {
      snprintf(text, sizeof text, "%d.%0*de%d", mantissa * 7919, mantissa > 0 ? mantissa : 1, 77 + mantissa, exponent);
      double value = 0, expected = strtod(text, NULL);
      enum sprint__cell cell = sprint__cell_parse(text, &value);
      assert_true(cell == SPRINT__CELL_NUMBER ? value == expected : cell == SPRINT__CELL_TOO_LARGE);
    }
  static const char *const texts[] = {"1.",
                                      ".5",
                                      "+2",
                                      "-0",
                                      "007",
                                      "0.1",
                                      "123456789012345",
                                      "1234567890123456789",
                                      "9007199254740993",
                                      "1e-400",
                                      "0e999",
                                      "4.35",
                                      "0.000001",
                                      "2.2250738585072011e-30"};
  for (size_t i = 0; i < SPRINT__COUNT(texts); i++) {
    double value = -1;
    assert_int_equal(sprint__cell_parse(texts[i], &value), SPRINT__CELL_NUMBER);
    assert_true(value == strtod(texts[i], NULL));
  }
}

static void test_csv__reads_numbers_in_any_locale(void **state) {
  (void)state;
  static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  bool found = false;
  for (size_t i = 0; i < SPRINT__COUNT(locales) && !found; i++) found = setlocale(LC_ALL, locales[i]) != NULL;
  double short_one = 0, long_one = 0;
  enum sprint__cell a = sprint__cell_parse("1.5", &short_one),
                    b = sprint__cell_parse("1.50000000000000000001", &long_one);
  setlocale(LC_ALL, "C");
  if (!found) skip();
  assert_true(a == SPRINT__CELL_NUMBER && b == SPRINT__CELL_NUMBER && short_one == 1.5 && long_one == 1.5);
}

static void test_csv__reads_columns_for_scoring(void **state) {
  struct fixture *f = *state;
  static const char text[] = "id,b,a\nx,1,2\ny,NA,4\n";
  const char *const names[] = {"a", "b"};
  size_t n = 0;
  double *x = NULL;
  write_bytes(f, "train.csv", text, strlen(text));
  assert_int_equal(sprint__csv_read_columns(f->context, f->path, names, (double[]){NAN, 7}, 2, &n, &x), SPRINT_OK);
  assert_int_equal(n, 2);
  assert_true(x[0] == 2 && x[1] == 1 && x[2] == 4 && isnan(x[3]));
  sprint__free(x);
  x = NULL;
  assert_int_equal(sprint__csv_read_columns(f->context, f->path, names, (double[]){7, NAN}, 2, &n, &x),
                   SPRINT_ERROR_INPUT);
  assert_non_null(strstr(sprint_context_error(f->context),
                         "train.csv:3: column 2 'b': the value is missing, and there is nothing to fill it with"));
  const char *const wrong[] = {"c", "b"};
  assert_int_equal(sprint__csv_read_columns(f->context, f->path, wrong, (double[]){7, 7}, 2, &n, &x),
                   SPRINT_ERROR_INPUT);
  assert_null(x);
}

static void test_csv__refuses_what_is_not_utf_8(void **state) {
  refuse_csv(*state,
             "gr\xf6\xdf"
             "e,y\n1,0\n2,1\n",
             "label: y", "train.csv:1: the name of column 1 is not UTF-8");
  refuse_csv(*state, "a,y\n1,b\xf6s\n2,1\n", "label: y", "is not UTF-8");
}

static void test_csv__survives_every_failed_allocation(void **state) {
  struct fixture *f = *state;
  static const char text[] = "a,b,y\n1,,no\n3,4,yes\n5,6,no\n7,8,yes\n1,2,no\n3,4,yes\n";
  write_bytes(f, "train.csv", text, strlen(text));
  const char *spec = spec_of(f, "label: y, missing: median, select: balanced, size: 4, holdout: 0.5");
  assert_true(survive_failed_allocations(f, spec) > 40);
}

static void test_csv__a_stream_survives_every_failed_allocation(void **state) {
  struct fixture *f = *state;
  static const char text[] =
      "a,b,y\n1,,no\n3,4,yes\n5,6,no\n7,8,yes\n1,2,no\n3,4,yes\n1,,no\n3,4,yes\n5,6,no\n7,8,yes\n";
  write_bytes(f, "train.csv", text, strlen(text));
  snprintf(f->spec, sizeof f->spec, "{kind: stream, path: '%s/train.csv', window: 10, label: y, missing: median}",
           f->folder);
  assert_true(survive_failed_allocations(f, f->spec) > 30);
}

/* What a reader hands on, in one text: fields, |, rows with their lines. */
struct heard {
  char text[400];
  size_t n;
};

static sprint_status hear_row(void *user, const struct sprint__csv_row *row) {
  struct heard *h = user;
  h->n += (size_t)snprintf(h->text + h->n, sizeof h->text - h->n, "%zu:", row->line);
  for (size_t j = 0; j < row->n; j++)
    h->n += (size_t)snprintf(h->text + h->n, sizeof h->text - h->n, "%s|", sprint__csv_field(row, j));
  return SPRINT_OK;
}

static sprint_status hear_header(void *user, const struct sprint__csv_row *row, size_t n_rows_guess) {
  (void)n_rows_guess;
  return hear_row(user, row);
}

/* Pieces of any size come to the same rows, one a call at most; nothing is a row before its line ends. */
static void test_csv__is_fed_in_pieces(void **state) {
  struct fixture *f = *state;
  static const char *const texts[] = {
      "\xef\xbb\xbfname,y\r\n\"two\nlines\",1\r\n\r\nb,2\rc,3\nd,4",
      "\xef\xbb,y\n1,2\n", /* starts like a byte-order mark, and is none */
      "\xef\xbb\xbfy\n1\n",
  };
  static const char *const expected[] = {
      "1:name|y|2:two\nlines|1|5:b|2|6:c|3|7:d|4|",
      "1:\xef\xbb|y|2:1|2|",
      "1:y|2:1|",
  };
  for (size_t t = 0; t < 3; t++)
    for (size_t piece = 1; piece <= strlen(texts[t]); piece++) {
      struct heard heard = {.n = 0};
      struct sprint__csv_sink sink = {&heard, hear_header, hear_row};
      struct sprint__csv_reader *reader = NULL;
      struct sprint__dialect dialect = {.separator = piece % 2 ? ',' : '\0'}; /* told, or to be found */
      assert_int_equal(SPRINT_OK, sprint__csv_reader_new(f->context, "it", &dialect, &sink, &reader));
      const char *end = texts[t] + strlen(texts[t]);
      for (const char *at = texts[t]; at < end;) {
        size_t used = 0, size = (size_t)(end - at) < piece ? (size_t)(end - at) : piece;
        assert_int_equal(SPRINT_OK, sprint__csv_feed_line(reader, at, size, &used));
        assert_true(used > 0);
        at += used;
      }
      if (t == 0) assert_null(strstr(heard.text, "d|4"));
      assert_int_equal(SPRINT_OK, sprint__csv_finish(reader));
      assert_string_equal(heard.text, expected[t]);
      sprint__csv_reader_free(reader);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_csv__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(reads_plain_rows),
      TEST(reads_crlf_mark_quotes_blank_lines_and_no_last_end),
      TEST(reads_lone_carriage_returns),
      TEST(reads_tabs_and_semicolons),
      TEST(chooses_features_in_the_order_given),
      TEST(ignores_columns_nameless_ones_too),
      TEST(orders_classes_as_numbers_and_merges_spellings),
      TEST(orders_classes_as_texts),
      TEST(reads_values),
      TEST(drops_rows_with_missing_values),
      TEST(fills_medians),
      TEST(refuses_what_is_not_a_finite_number),
      TEST(refuses_missing_values_unless_told),
      TEST(refuses_ragged_rows),
      TEST(counts_physical_lines),
      TEST(reads_across_blocks),
      TEST(is_fed_in_pieces),
      TEST(refuses_broken_files),
      TEST(refuses_columns_that_do_not_fit),
      TEST(refuses_labels_that_are_no_classes),
      TEST(reads_numbers_as_strtod_does),
      TEST(reads_numbers_in_any_locale),
      TEST(reads_columns_for_scoring),
      TEST(refuses_what_is_not_utf_8),
      TEST(survives_every_failed_allocation),
      TEST(a_stream_survives_every_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
