/* Tables as people have them: categories, booleans, dates, ids, weights, words for nothing, other separators. */
#include <math.h>
#include <zlib.h>

#include "population/encoding.h"
#include "test_csv_help.h"

static void assert_names(const sprint_population *p, const char *const *names) {
  for (size_t j = 0; j < p->d; j++) assert_string_equal(p->columns[j].name, names[j]);
}

static void test_kinds__levels_are_features(void **state) {
  sprint_population *p =
      load_csv(*state, "a,use,y\n1,house,0\n2,car,1\n3,\" car \",0\n4,\"two, three\",1\n", "label: y, categories: use");
  assert_x(p, 4, 4, (double[]){1, 0, 1, 0, 2, 1, 0, 0, 3, 1, 0, 0, 4, 0, 0, 1});
  assert_names(p, (const char *const[]){"a", "use=car", "use=house", "use=two, three"});
  assert_int_equal(p->columns[0].kind, SPRINT__NUMBER);
  assert_string_equal(p->columns[0].source, "a");
  assert_null(p->columns[0].level);
  assert_int_equal(p->columns[2].kind, SPRINT__LEVEL);
  assert_string_equal(p->columns[2].source, "use");
  assert_string_equal(p->columns[2].level, "house");
  sprint_population_free(p);
}

/* Standardising leaves them alone; the other column has mean 2 and deviation 1. */
static void test_kinds__levels_are_not_standardised(void **state) {
  struct fixture *f = *state;
  static const char text[] = "a,use,y\n1,u,0\n3,v,1\n";
  write_bytes(f, "train.csv", text, strlen(text));
  snprintf(f->spec, sizeof f->spec, "{kind: csv, path: '%s/train.csv', label: y, categories: use}", f->folder);
  sprint_population *p = load(f, f->spec, NULL);
  assert_x(p, 2, 3, (double[]){-1, 1, 0, 1, 0, 1});
  assert_true(p->columns[1].mean == 0 && p->columns[1].scale == 1 && p->columns[0].mean == 2);
  sprint_population_free(p);
}

/* As class labels: in the order of numbers, spellings merged; missing ones do not make them texts, and come last. */
static void test_kinds__levels_that_are_numbers(void **state) {
  sprint_population *p =
      load_csv(*state, "r,y\n10,0\n9.0,1\nNA,0\n9,1\n10.0,1\n", "label: y, categories: r, missing: median");
  assert_x(p, 5, 3, (double[]){0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0});
  assert_names(p, (const char *const[]){"r=9.0", "r=10", "r=missing"});
  sprint_population_free(p);
}

static void test_kinds__a_category_may_be_missing(void **state) {
  static const char text[] = "u,y\ncar,0\n,1\nNULL,0\nmissing,1\n";
  refuse_csv(*state, text, "label: y, categories: u, missing_words: [NULL]",
             "train.csv:3: column 1 'u': the value is missing; missing: drop leaves such rows out, missing: median");
  refuse_csv(*state, text, "label: y, categories: u, missing: median",
             "train.csv:4: column 1 'u': 'NULL' means missing, which is no level; missing_words: [\"NULL\"]");
  sprint_population *p = load_csv(*state, text, "label: y, categories: u, missing_words: [NULL], missing: drop");
  assert_x(p, 2, 2, (double[]){1, 0, 0, 1});
  sprint_population_free(p);
  p = load_csv(*state, text, "label: y, categories: u, missing_words: [NULL], missing: median");
  assert_x(p, 4, 2, (double[]){1, 0, 0, 1, 0, 1, 0, 1});
  sprint_population_free(p);
}

/* Levels are those of the training rows: what only the held-out part has is refused, or is none of them; and what no
 * chosen row has is no level. With seed 1 and half held out, either class has one row of each part. */
static void test_kinds__levels_come_from_training_rows(void **state) {
  struct fixture *f = *state;
  sprint_population *heldout = NULL, *p;
  static const char text[] = "u,y\na,0\nb,0\nc,1\nd,1\n";
  write_bytes(f, "train.csv", text, strlen(text));
  assert_refused(f, spec_of(f, "label: y, categories: u, holdout: 0.5"), SPRINT_ERROR_INPUT,
                 "is in rows that are held out and in none that is trained on; unseen: zeros");
  p = load(f, spec_of(f, "label: y, categories: u, holdout: 0.5, unseen: zeros"), &heldout);
  assert_x(p, 2, 2, (double[]){1, 0, 0, 1});
  assert_x(heldout, 2, 2, (double[]){0, 0, 0, 0});
  assert_string_equal(heldout->columns[0].level, p->columns[0].level);
  sprint_population_free(heldout);
  sprint_population_free(p);
  p = load(f, spec_of(f, "label: y, categories: u, select: first, per_class: 1"), NULL);
  assert_names(p, (const char *const[]){"u=a", "u=c"});
  sprint_population_free(p);
}

static void test_kinds__refuses_too_many_levels(void **state) {
  struct fixture *f = *state;
  FILE *stream = fopen(path_of(f, "train.csv"), "wb");
  fputs("u,y\n", stream);
  for (int i = 0; i <= 1000; i++) fprintf(stream, "t%d,%d\n", i, i % 2);
  fclose(stream);
  assert_refused(f, spec_of(f, "label: y, categories: u"), SPRINT_ERROR_INPUT,
                 "train.csv: column 'u' has more than 1000 distinct values, which are too many for categories");
  refuse_csv(f, "u,u=a,y\na,1,0\nb,2,1\n", "label: y, categories: u", "two features are called 'u=a'");
}

static void test_kinds__booleans_and_dates(void **state) {
  sprint_population *p =
      load_csv(*state, "b,d,y\nYES,1970-01-03,0\nn,1969-12-31T12:00,1\n", "label: y, booleans: b, dates: d");
  assert_x(p, 2, 2, (double[]){1, 2, 0, -0.5});
  assert_int_equal(p->columns[0].kind, SPRINT__BOOLEAN);
  assert_int_equal(p->columns[1].kind, SPRINT__DATE);
  sprint_population_free(p);
  refuse_csv(*state, "b,y\nyes,0\nmaybe,1\n", "label: y, booleans: b",
             "train.csv:3: column 1 'b': 'maybe' is not a boolean");
  refuse_csv(*state, "b,y\nyes,0\nnone,1\n", "label: y, booleans: b", "missing_words: [\"none\"] takes it as missing");
  refuse_csv(*state, "d,y\n2023-02-28,0\n2023-02-30,1\n", "label: y, dates: d",
             "train.csv:3: column 1 'd': '2023-02-30' is not a day of the calendar");
}

/* The median of 0, 0, 1, 1 is halfway; nobody is half true. */
static void test_kinds__missing_booleans_are_true_or_false(void **state) {
  sprint_population *p = load_csv(*state, "b,y\n1,0\n0,1\n1,0\n0,1\n,1\n", "label: y, booleans: b, missing: median");
  assert_true(p->x[4] == 0 && p->columns[0].fill == 0);
  sprint_population_free(p);
}

static void test_kinds__suggests_what_a_text_may_be(void **state) {
  refuse_csv(*state, "a,y\n1,0\ncar,1\n", "label: y",
             "column 1 'a': 'car' is not a number; categories: [\"a\"] makes a feature of each level");
  refuse_csv(*state, "a,y\n1,0\n2020-01-01,1\n", "label: y", "dates: [\"a\"] reads it as days");
  refuse_csv(*state, "a,y\n1,0\ntrue,1\n", "label: y", "booleans: [\"a\"] reads it as 1 or 0");
  refuse_csv(*state, "a,y\n1,0\n?,1\n", "label: y", "missing_words: [\"?\"] takes it as missing");
  refuse_csv(*state, "a,y\n1,0\n\"1,5\",1\n", "label: y", "decimal: comma reads it as a fraction");
  refuse_csv(*state, "a,y\n1,0\n\"1,234,567\",1\n", "label: y", "marks between thousands are not read");
}

static void test_kinds__refuses_labels_that_are_no_names(void **state) {
  static const char *const labels[] = {"inf", "-Infinity", "1e999", "NULL", "n/a", "?", "NAN"};
  for (size_t i = 0; i < SPRINT__COUNT(labels); i++) {
    char text[64];
    snprintf(text, sizeof text, "a,y\n1,0\n2,%s\n3,1\n", labels[i]);
    refuse_csv(*state, text, "label: y", "train.csv:3: column 2 'y': '");
    assert_non_null(strstr(sprint_context_error(((struct fixture *)*state)->context), "which is no class"));
  }
}

/* A number among the words means the number, however it is written. */
static void test_kinds__words_that_mean_missing(void **state) {
  sprint_population *p =
      load_csv(*state, "a,b,y\n1,-999,0\n-999.0,3,1\n5, N/A ,0\n7,8,none\n2,2,1\n3,-9.99e2,0\n4,4,0\n",
               "label: y, missing: drop, missing_words: [N/A, -999, none]");
  assert_x(p, 2, 2, (double[]){2, 2, 4, 4});
  sprint_population_free(p);
}

static void test_kinds__ids(void **state) {
  sprint_population *p = load_csv(*state, "who,a,y\nC1,1,0\nC2,2,1\n", "label: y, id: who");
  assert_x(p, 2, 1, (double[]){1, 2});
  assert_string_equal(p->encoding->id, "who");
  sprint_population_free(p);
  refuse_csv(*state, "who,a,y\nC1,1,0\nC2,2,1\nC1,3,1\n", "label: y, id: who",
             "train.csv:4: column 1 'who': 'C1' is the id of line 2 too");
  refuse_csv(*state, "who,a,y\nC1,1,0\n,2,1\n", "label: y, id: who", "train.csv:3: column 1 'who': the id is missing");
}

static void test_kinds__weights(void **state) {
  sprint_population *p = load_csv(*state, "w,a,y\n2,1,0\n0.5,2,1\n0,3,1\n", "label: y, weight: w");
  assert_x(p, 3, 1, (double[]){1, 2, 3});
  assert_true(p->weight[0] == 2 && p->weight[1] == 0.5 && p->weight[2] == 0);
  assert_true(p->n_people == 2.5 && p->base_p[0] == 0.8);
  sprint_population_free(p);
  p = load_csv(*state, "w,a,y\n2,1,0\nNA,2,1\n1,3,1\n", "label: y, weight: w, missing: drop");
  assert_true(p->n == 2 && p->weight[1] == 1);
  sprint_population_free(p);
  refuse_csv(*state, "w,a,y\n2,1,0\n-1,2,1\n", "label: y, weight: w",
             "train.csv:3: column 1 'w': '-1' is a weight below 0");
  refuse_csv(*state, "w,a,y\n2,1,0\ninf,2,1\n", "label: y, weight: w",
             "train.csv:3: column 1 'w': 'inf' is not a finite number");
  refuse_csv(*state, "w,a,y\n2,1,0\n,2,1\n", "label: y, weight: w, missing: median", "the weight is missing");
  refuse_csv(*state, "w,a,y\n2,1,0\n0,2,1\n", "label: y, weight: w", "class 1: all weights are 0");
}

/* Oracle: the same people, each in as many rows as their weight says. Sums of 12 numbers in another order: some
 * roundings of a double. */
static void test_kinds__standardises_people_not_rows(void **state) {
  struct fixture *f = *state;
  const struct {
    int weight;
    const char *a;
  } people[] = {{3, "1"}, {1, "4.5"}, {2, "NA"}, {2, "-2"}, {0, "99"}, {4, "10"}};
  char once[400] = "w,a,y\n", copies[400] = "w,a,y\n", row[40];
  for (size_t i = 0; i < SPRINT__COUNT(people); i++) {
    snprintf(row, sizeof row, "%d,%s,%zu\n", people[i].weight, people[i].a, i % 2);
    strcat(once, row);
    for (int k = 0; k < people[i].weight; k++) strcat(copies, row);
  }
  const char *form = "{kind: csv, path: '%s/train.csv', label: y, missing: median, %s}";
  write_bytes(f, "train.csv", once, strlen(once));
  snprintf(f->spec, sizeof f->spec, form, f->folder, "weight: w");
  sprint_population *a = load(f, f->spec, NULL);
  write_bytes(f, "train.csv", copies, strlen(copies));
  snprintf(f->spec, sizeof f->spec, form, f->folder, "ignore: w");
  sprint_population *b = load(f, f->spec, NULL);
  assert_true(a->n == 6 && b->n == 12);
  assert_true(a->columns[0].fill == 2.75 && b->columns[0].fill == 2.75); /* of -2 x2, 1 x3, 4.5, 10 x4: (1 + 4.5) / 2 */
  assert_true(fabs(a->columns[0].mean - b->columns[0].mean) < 1e-14);
  assert_true(fabs(a->columns[0].scale - b->columns[0].scale) < 1e-14);
  sprint_population_free(a);
  sprint_population_free(b);
}

static void test_kinds__refuses_columns_of_two_kinds(void **state) {
  static const char text[] = "a,b,y\n1,2,0\n3,4,1\n";
  refuse_csv(*state, text, "label: y, categories: a, booleans: a",
             "key 'data.booleans': column 'a' is also under categories");
  refuse_csv(*state, text, "label: y, categories: [a, a]", "column 'a' is listed twice");
  refuse_csv(*state, text, "label: y, dates: y", "key 'data.dates': column 'y' is also the label");
  refuse_csv(*state, text, "label: y, dates: a, ignore: a", "key 'data.dates': column 'a' is also under ignore");
  refuse_csv(*state, text, "label: y, id: y", "key 'data.id': column 'y' is also the label");
  refuse_csv(*state, text, "label: y, id: a, weight: a", "key 'data.weight': column 'a' is also the id");
  refuse_csv(*state, text, "label: y, features: b, booleans: a",
             "key 'data.booleans': column 'a' is not under features");
  refuse_csv(*state, text, "label: y, features: [a, b], id: a", "column 'a' is the id and cannot be a feature");
  refuse_csv(*state, text, "label: y, categories: c", "there is no column 'c'");
}

static void test_kinds__finds_separators(void **state) {
  static const char *const texts[] = {"a,b,y\n1,2,0\n3,4,1\n", "a;b;y\n1;2;0\n3;4;1\n",   "a\tb\ty\n1\t2\t0\n3\t4\t1\n",
                                      "a|b|y\n1|2|0\n3|4|1\n", "a|x,b,y\n1,2,0\n3,4,1\n", "\"a;x\",b,y\n1,2,0\n3,4,1"};
  for (size_t i = 0; i < SPRINT__COUNT(texts); i++) {
    sprint_population *p = load_csv(*state, texts[i], "label: y");
    assert_x(p, 2, 2, (double[]){1, 2, 3, 4});
    sprint_population_free(p);
  }
  refuse_csv(*state, "a,b;y\n1,5;0\n2,5;1\n", "label: y", "train.csv: its fields may be separated by ',' or by ';'");
  refuse_csv(*state, "a;b;y\n1;2;0\n3;4\n", "label: y", "train.csv:3: 2 fields, the header has 3");
  sprint_population *p = load_csv(*state, "a,b;y\n1,5;0\n2,5;1\n", "label: y, separator: ';', decimal: comma");
  assert_x(p, 2, 1, (double[]){1.5, 2.5});
  sprint_population_free(p);
}

static void test_kinds__finds_decimals(void **state) {
  sprint_population *p = load_csv(*state, "a;b;y\n1;2,125;0\n3;0,5;1\n", "label: y");
  assert_x(p, 2, 2, (double[]){1, 2.125, 3, 0.5});
  sprint_population_free(p);
  p = load_csv(*state, "a\tb\ty\n1.500\t2.5\t0\n3\t4\t1\n", "label: y"); /* 2.5 tells what 1.500 is */
  assert_x(p, 2, 2, (double[]){1.5, 2.5, 3, 4});
  sprint_population_free(p);
  p = load_csv(*state, "a,b,y\n\"1,500\",\"2,5\",0\n3,4,1\n", "label: y, decimal: comma");
  assert_x(p, 2, 2, (double[]){1.5, 2.5, 3, 4});
  sprint_population_free(p);
  refuse_csv(*state, "a;b;y\n1,500;2;0\n3;4;1\n", "label: y",
             "'1,500' may be a fraction or thousands; decimal: comma or");
  refuse_csv(*state, "a;b;y\n1.500;2;0\n3;4;1\n", "label: y", "'1.500' may be a fraction or thousands");
  refuse_csv(*state, "a;b;y\n1,5;2;0\n3.25;4;1\n", "label: y", "is not a number; decimals have a");
  refuse_csv(*state, "a;b;y\n1.234,5;2;0\n3,5;4;1\n", "label: y", "marks between thousands are not read");
}

static void test_kinds__reads_gzip(void **state) {
  struct fixture *f = *state;
  gzFile out = gzopen(path_of(f, "train.csv"), "wb");
  gzputs(out, "a;u;y\n");
  for (int i = 0; i < 20000; i++) gzprintf(out, "%d,5;%s;%d\n", i, i % 3 ? "x" : "z", i % 2);
  gzclose(out);
  sprint_population *p = load(f, spec_of(f, "label: y, categories: u"), NULL);
  assert_int_equal(p->n, 20000);
  for (size_t i = 0; i < p->n; i++)
    assert_true(p->x[3 * i] == (sprint_real)((double)i + 0.5) && p->x[3 * i + 1] == (i % 3 ? 1 : 0));
  sprint_population_free(p);
}

static void test_kinds__survives_every_failed_allocation(void **state) {
  struct fixture *f = *state;
  static const char text[] =
      "id;w;u;d;b;y\na;1;car;2020-01-01;yes;no\nb;2;;2020-01-02;no;yes\nc;1,5;bus;;t;no\n"
      "d;2;car;2020-01-02;f;yes\ne;1;bus;2020-01-01;yes;no\nf;2;car;2020-01-02;no;yes\n";
  write_bytes(f, "train.csv", text, strlen(text));
  assert_true(
      survive_failed_allocations(f, spec_of(f,
                                            "label: y, id: id, weight: w, categories: u, dates: d, booleans: b, "
                                            "missing: median, missing_words: ['?'], holdout: 0.4, "
                                            "unseen: zeros")) > 60);
  snprintf(f->spec, sizeof f->spec,
           "{kind: stream, path: '%s/train.csv', window: 10, label: y, categories: u, missing: median}", f->folder);
  FILE *stream = fopen(path_of(f, "train.csv"), "wb");
  fputs("u,a,y\n", stream);
  for (int i = 0; i < 12; i++) fprintf(stream, "%s,%d,%d\n", i % 3 ? "car" : "bus", i, i % 2);
  fclose(stream);
  assert_true(survive_failed_allocations(f, f->spec) > 30);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_kinds__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(levels_are_features),
      TEST(levels_are_not_standardised),
      TEST(levels_that_are_numbers),
      TEST(a_category_may_be_missing),
      TEST(levels_come_from_training_rows),
      TEST(refuses_too_many_levels),
      TEST(booleans_and_dates),
      TEST(missing_booleans_are_true_or_false),
      TEST(suggests_what_a_text_may_be),
      TEST(refuses_labels_that_are_no_names),
      TEST(words_that_mean_missing),
      TEST(ids),
      TEST(weights),
      TEST(standardises_people_not_rows),
      TEST(refuses_columns_of_two_kinds),
      TEST(finds_separators),
      TEST(finds_decimals),
      TEST(reads_gzip),
      TEST(survives_every_failed_allocation),
  };
  return cmocka_run_group_tests_name("csv_kinds", tests, NULL, NULL);
}
