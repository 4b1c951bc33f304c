/* What is in a file: counts, ranges, missing values. Oracle: files small enough to count. */
#define _GNU_SOURCE
#include <math.h>

#include "test_population_help.h"

static sprint_file_info *describe(struct fixture *f, const char *name) {
  sprint_file_info *info = NULL;
  if (sprint_file_info_read(f->context, path_of(f, name), &info) != SPRINT_OK)
    fail_msg("%s", sprint_context_error(f->context));
  return info;
}

static void test_describe__counts_a_csv(void **state) {
  struct fixture *f = *state;
  static const char csv[] = "a,b,y\n1,,no\n2.5,NA,yes\n1,4,no\n";
  write_bytes(f, "train.csv", csv, sizeof csv - 1);
  sprint_file_info *info = describe(f, "train.csv");
  const sprint_column_info *c = info->columns;
  assert_string_equal(info->format, "csv");
  assert_true(info->n_rows == 3 && info->n_columns == 3 && info->n_dims == 0);
  assert_true(c[0].min == 1 && c[0].max == 2.5 && c[0].mean == 1.5 && c[0].n_missing == 0);
  assert_true(c[0].n_values == 2 && c[0].values[0].n == 2 && c[0].values[1].n == 1);
  assert_true(c[1].n_missing == 2 && c[1].min == 4 && c[1].max == 4);
  assert_true(c[2].n_texts == 3 && isnan(c[2].min) && c[2].n_values == 2);
  assert_string_equal(c[2].values[0].text, "no");
  assert_true(c[2].values[0].n == 2);
  sprint_file_info_free(info);
}

static void test_describe__guesses_what_columns_are(void **state) {
  struct fixture *f = *state;
  static const char csv[] = "n;w;d;k;b;i\n1,5;?;2020-01-01;x;yes;p\n2;7;2020-01-02;y;no;q\n1,5;7;2021-01-01;x;yes;r\n";
  static const char *const guesses[] = {"number", "constant", "date", "category", "boolean", "id"};
  write_bytes(f, "train.csv", csv, sizeof csv - 1);
  sprint_file_info *info = describe(f, "train.csv");
  const sprint_column_info *c = info->columns;
  for (size_t j = 0; j < 6; j++) assert_string_equal(c[j].guess, guesses[j]);
  assert_true(info->separator == ';' && info->decimal == ',');
  assert_true(c[1].n_missing == 0 && c[1].n_seem_missing == 1 && c[1].n_words == 1 && c[1].n_levels == 1);
  assert_string_equal(c[1].words[0], "?");
  assert_true(c[3].n_levels == 2 && !c[3].distinct && c[5].distinct && c[5].n_levels == 3);
  assert_string_equal(c[3].levels[0], "x");
  sprint_file_info_free(info);
}

static void test_describe__gives_up_on_many_values(void **state) {
  struct fixture *f = *state;
  char csv[512] = "a,b\n";
  for (int i = 0; i < 21; i++) {
    char row[24];
    snprintf(row, sizeof row, "%d,%d\n", 20 - i, i % 20);
    strcat(csv, row);
  }
  write_bytes(f, "train.csv", csv, strlen(csv));
  sprint_file_info *info = describe(f, "train.csv");
  assert_true(info->columns[0].n_values == 0 && info->columns[0].max == 20);
  assert_true(info->columns[1].n_values == 20 && info->columns[1].values[0].n == 2);
  sprint_file_info_free(info);
}

static void test_describe__reads_arrays(void **state) {
  struct fixture *f = *state;
  const double x[6] = {1, -2, 3, NAN, 5, 6};
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "x.npy"), 2, (size_t[]){3, 2}, x), SPRINT_OK);
  sprint_file_info *info = describe(f, "x.npy");
  assert_string_equal(info->format, "npy");
  assert_true(info->n_rows == 3 && info->n_columns == 2 && info->columns[1].n_missing == 1);
  assert_true(info->columns[1].min == -2 && info->columns[0].mean == 3);
  sprint_file_info_free(info);
  write_bytes(f, "y.npy", "\0\0\10\1\0\0\0\4\1\0\1\7", 12);
  info = describe(f, "y.npy");
  assert_string_equal(info->format, "idx");
  assert_true(info->n_rows == 4 && info->columns[0].n_values == 3 && info->columns[0].values[1].n == 2);
  sprint_file_info_free(info);
}

static void test_describe__refuses(void **state) {
  struct fixture *f = *state;
  sprint_file_info *info = NULL;
  write_bytes(f, "x.npy", "", 0);
  assert_int_equal(sprint_file_info_read(f->context, f->path, &info), SPRINT_ERROR_INPUT);
  assert_non_null(strstr(sprint_context_error(f->context), "x.npy: is empty"));
  assert_int_equal(sprint_file_info_read(f->context, f->folder, &info), SPRINT_ERROR_IO);
  assert_int_equal(sprint_file_info_read(f->context, "no/such", &info), SPRINT_ERROR_IO);
  assert_null(info);
}

static void test_describe__survives_failed_allocations(void **state) {
  struct fixture *f = *state;
  write_bytes(f, "train.csv", "a,b\n1,x\n?,y\n", 12);
  sprint_status status = SPRINT_ERROR_MEMORY;
  for (int64_t k = 0; status != SPRINT_OK; k++) {
    sprint_file_info *info = NULL;
    f->context->n_allocations = 0;
    f->context->fail_allocation = k;
    status = sprint_file_info_read(f->context, f->path, &info);
    assert_true(status == SPRINT_OK || status == SPRINT_ERROR_MEMORY);
    sprint_file_info_free(info);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_describe__##name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(counts_a_csv), TEST(guesses_what_columns_are),    TEST(gives_up_on_many_values), TEST(reads_arrays),
      TEST(refuses),      TEST(survives_failed_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
