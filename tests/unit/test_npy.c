/* NPY arrays and the data kind that reads them. */
#define _GNU_SOURCE
#include <math.h>

#include "population/npy.h"
#include "test_population_help.h"

/* numpy.save of numpy.array([[1, 2, 3], [4, 5, 6]], dtype=dtype), byte for byte up to the numbers: NEP 1. */
static size_t make_header(char *bytes, const char *dict) {
  size_t n = 128;
  memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
  memset(bytes + 10, ' ', n - 10);
  memcpy(bytes + 10, dict, strlen(dict));
  bytes[n - 1] = '\n';
  return n;
}

static const char *write_array(struct fixture *f, const char *dict, const void *data, size_t size) {
  char bytes[512];
  size_t n = make_header(bytes, dict);
  memcpy(bytes + n, data, size);
  return write_bytes(f, "x.npy", bytes, n + size);
}

static void test_npy__writes_the_bytes_of_numpy(void **state) {
  struct fixture *f = *state;
  char expected[512], got[512];
  const double data[6] = {1, 2, 3, 4, 5, 6};
  size_t n = make_header(expected, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }");
  memcpy(expected + n, data, sizeof data);
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "x.npy"), 2, (size_t[]){2, 3}, data), SPRINT_OK);
  FILE *stream = fopen(f->path, "rb");
  assert_int_equal(fread(got, 1, sizeof got, stream), n + sizeof data);
  fclose(stream);
  assert_memory_equal(got, expected, n + sizeof data);
}

static void test_npy__round_trips(void **state) {
  struct fixture *f = *state;
  const sprint_real data[24] = {(sprint_real)0.1, -2, (sprint_real)1e-30, 4};
  static const size_t shapes[][4] = {{24}, {4, 6}, {2, 3, 4}, {1, 2, 3, 4}};
  for (size_t n_dims = 1; n_dims <= 4; n_dims++) {
    sprint_array array = {.data = NULL};
    assert_int_equal(sprint_npy_write(f->context, path_of(f, "x.npy"), n_dims, shapes[n_dims - 1], data), SPRINT_OK);
    assert_int_equal(sprint_npy_read(f->context, f->path, &array), SPRINT_OK);
    assert_int_equal(array.n_dims, n_dims);
    for (size_t k = 0; k < n_dims; k++) assert_int_equal(array.shape[k], shapes[n_dims - 1][k]);
    for (size_t i = 0; i < 24; i++) assert_true(array.data[i] == (double)data[i]);
    sprint_array_clear(&array);
    assert_null(array.data);
  }
  sprint_array_clear(NULL);
}

static void test_npy__round_trips_scalars_and_empty_arrays(void **state) {
  struct fixture *f = *state;
  const double one = 1.5;
  sprint_array array = {.data = NULL};
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "x.npy"), 0, NULL, &one), SPRINT_OK);
  assert_int_equal(sprint_npy_read(f->context, f->path, &array), SPRINT_OK);
  assert_int_equal(array.n_dims, 0);
  assert_true(array.data[0] == one);
  sprint_array_clear(&array);
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "x.npy"), 2, (size_t[]){0, 3}, &one), SPRINT_OK);
  assert_int_equal(sprint_npy_read(f->context, f->path, &array), SPRINT_OK);
  assert_int_equal(array.shape[1], 3);
  sprint_array_clear(&array);
}

static void test_npy__reads_every_type(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *code;
    size_t size;
    unsigned char bytes[16];
    double a, b;
  } cases[] = {
      {"<f4", 4, {0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0}, 1.5, -2},
      {"<f8", 8, {0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0}, 1.5, -2},
      {"|i1", 1, {0xff, 0x7f}, -1, 127},
      {"<i2", 2, {0xff, 0xff, 0x00, 0x01}, -1, 256},
      {"<i4", 4, {0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0}, -1, 65536},
      {"<i8", 8, {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1}, -2, 4294967296.0},
      {"|u1", 1, {0xff, 0x01}, 255, 1},
      {"<u2", 2, {0xff, 0xff, 0x01}, 65535, 1},
      {"<u4", 4, {0xff, 0xff, 0xff, 0xff, 1}, 4294967295.0, 1},
      {"<u8", 8, {0, 0, 0, 0, 0, 0, 0, 0x80, 1}, 9223372036854775808.0, 1},
      {"|b1", 1, {1, 0}, 1, 0},
  };
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    char dict[96];
    sprint_array array = {.data = NULL};
    snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }", cases[i].code);
    write_array(f, dict, cases[i].bytes, 2 * cases[i].size);
    assert_int_equal(sprint_npy_read(f->context, f->path, &array), SPRINT_OK);
    assert_true(array.n_dims == 1 && array.shape[0] == 2);
    assert_true(array.data[0] == cases[i].a && array.data[1] == cases[i].b);
    sprint_array_clear(&array);
  }
}

static void test_npy__reads_version_2(void **state) {
  struct fixture *f = *state;
  char bytes[] = "\x93NUMPY\x02\x00\x38\x00\x00\x00{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}\n\x07";
  sprint_array array = {.data = NULL};
  write_bytes(f, "x.npy", bytes, sizeof bytes - 1);
  assert_int_equal(sprint_npy_read(f->context, f->path, &array), SPRINT_OK);
  assert_true(array.data[0] == 7);
  sprint_array_clear(&array);
}

/* Oracle: NumPy's own files (tests/fixtures/make_npy.py), whose elements are their indices read as digits. */
static void test_npy__reads_fortran_order_and_big_endian(void **state) {
  struct fixture *f = *state;
  static const char *const names[] = {"little-f8", "big-f4", "big-i2", "bytes"};
  for (size_t i = 0; i < SPRINT__COUNT(names); i++)
    for (size_t n_dims = 2; n_dims <= 4; n_dims++) {
      char path[256];
      sprint_array array = {.data = NULL};
      bool bytes = strcmp(names[i], "bytes") == 0;
      snprintf(path, sizeof path, "%s/fixtures/npy/%s-%zu.npy", SPRINT_TEST_FOLDER, names[i], n_dims);
      assert_int_equal(sprint_npy_read(f->context, path, &array), SPRINT_OK);
      assert_int_equal(array.n_dims, n_dims);
      for (size_t at = 0, n = 120; n_dims == 4 && at < n; at++) { /* C order: the last index runs fastest */
        size_t digits = at / 60 * 1000 + at / 20 % 3 * 100 + at / 5 % 4 * 10 + at % 5;
        assert_true(array.data[at] == (double)(bytes ? digits % 251 : digits));
      }
      for (size_t at = 0; n_dims == 3 && at < 24; at++)
        assert_true(array.data[at] == (double)(at / 12 * 100 + at / 4 % 3 * 10 + at % 4));
      for (size_t at = 0; n_dims == 2 && at < 6; at++) assert_true(array.data[at] == (double)(at / 3 * 10 + at % 3));
      sprint_array_clear(&array);
    }
}

/* Images of bytes stay bytes in either order. */
static void test_npy__reads_images_in_fortran_order(void **state) {
  struct fixture *f = *state;
  sprint_array array = {.data = NULL};
  char path[256];
  uint8_t *bytes = NULL;
  snprintf(path, sizeof path, "%s/fixtures/npy/bytes-3.npy", SPRINT_TEST_FOLDER);
  assert_int_equal(sprint__npy_read_images(f->context, path, &array, &bytes), SPRINT_OK);
  assert_null(array.data);
  for (size_t at = 0; at < 24; at++) assert_int_equal(bytes[at], at / 12 * 100 + at / 4 % 3 * 10 + at % 4);
  sprint__free(bytes);
}

static void test_npy__reads_every_byte_order(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *code;
    unsigned char bytes[8];
    double value;
  } cases[] = {
      {">f4", {0x3f, 0xc0, 0, 0}, 1.5},
      {">f8", {0x3f, 0xf8, 0, 0, 0, 0, 0, 0}, 1.5},
      {">i2", {0xff, 0xfe}, -2},
      {">i4", {0xff, 0xff, 0xff, 0xfe}, -2},
      {">u2", {0x01, 0x02}, 258},
      {">u4", {0x80, 0, 0, 1}, 2147483649.0},
      {">i8", {0, 0, 0, 1, 0, 0, 0, 2}, 4294967298.0},
      {">u8", {0x80, 0, 0, 0, 0, 0, 0, 0}, 9223372036854775808.0},
      {"=i2", {0xfe, 0xff}, -2},
      {">u1", {7}, 7},
      {"<i1", {0xff}, -1},
      {"=b1", {1}, 1},
  };
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    char dict[96];
    sprint_array array = {.data = NULL};
    snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': True, 'shape': (1,), }", cases[i].code);
    write_array(f, dict, cases[i].bytes, (size_t)(cases[i].code[2] - '0'));
    assert_int_equal(sprint_npy_read(f->context, f->path, &array), SPRINT_OK);
    assert_true(array.data[0] == cases[i].value);
    sprint_array_clear(&array);
  }
}

/* A header of 128 bytes can name any shape: memory goes by what is there. */
static void test_npy__takes_no_memory_for_nothing(void **state) {
  struct fixture *f = *state;
  static const char *const shapes[] = {"(0, 10000000)", "(10000000, 0)", "(0, 3, 10000000)", "(0, 1000000, 1000, 1)"};
  for (size_t i = 0; i < SPRINT__COUNT(shapes); i++) {
    char dict[96], spec[256];
    sprint_file_info *info = NULL;
    snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", i % 2 ? "|u1" : "<f8",
             shapes[i]);
    write_array(f, dict, "", 0);
    uint64_t before = f->context->n_bytes;
    assert_int_equal(sprint_file_info_read(f->context, f->path, &info), SPRINT_OK);
    assert_int_equal(info->n_columns, 0);
    sprint_file_info_free(info);
    snprintf(spec, sizeof spec, "{kind: npy, x: %s, y: %s}", f->path, f->path);
    assert_refused(f, spec, SPRINT_ERROR_INPUT, "x.npy: holds no ");
    assert_true(f->context->n_bytes - before < 1000000);
  }
}

static void assert_unreadable(struct fixture *f, const char *sentence) {
  sprint_array array = {.data = NULL};
  assert_int_equal(sprint_npy_read(f->context, f->path, &array), SPRINT_ERROR_INPUT);
  assert_null(array.data);
  if (!strstr(sprint_context_error(f->context), sentence))
    fail_msg("'%s' is not in '%s'", sentence, sprint_context_error(f->context));
}

static void test_npy__refuses_broken_files(void **state) {
  struct fixture *f = *state;
  static const struct {
    const char *dict, *sentence;
  } cases[] = {
      {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2,), }", "'fortran_order' that is neither True nor False"},
      {"{'descr': '>c8', 'fortran_order': False, 'shape': (2,), }", "elements of type '>c8' are not read"},
      {"{'descr': '!f8', 'fortran_order': False, 'shape': (2,), }", "elements of type '!f8' are not read"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }", "elements of type [('a' are not read"},
      {"{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }", "elements of type '<c16' are not read"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", "x.npy: is cut short: 16 bytes"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", "x.npy: has bytes after its end"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 2), }", "more than 4 dimensions"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2), }", "'shape' that cannot be"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", "'shape' that cannot be"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,), }", "'shape' that is too large"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }", "is cut short"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }", "'shape' that cannot be read"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2 3), }", "'shape' that cannot be read"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,", "'shape' that cannot be read"},
      {"{'descr': '<f8', 'fortran_order': False, }", "'shape' that cannot be read"},
      {"{'descr': '<f8', 'shape': (2,), }", "has no 'fortran_order'"},
      {"{'fortran_order': False, 'shape': (2,), }", "has no 'descr'"},
  };
  const double data[2] = {1, 2};
  for (size_t i = 0; i < SPRINT__COUNT(cases); i++) {
    write_array(f, cases[i].dict, data, sizeof data);
    assert_unreadable(f, cases[i].sentence);
  }
  write_bytes(f, "x.npy", "PK\x03\x04 a zip file", 16);
  assert_unreadable(f, "x.npy: is not an NPY file");
  write_bytes(f, "x.npy", "\x93NUM", 4);
  assert_unreadable(f, "x.npy: is not an NPY file");
  write_bytes(f, "x.npy", "\x93NUMPY\x03\x00\x10\x00", 10);
  assert_unreadable(f, "x.npy: NPY version 3 is not read");
  write_bytes(f, "x.npy", "\x93NUMPY\x01\x00\x76\x00{'descr'", 18);
  assert_unreadable(f, "x.npy: ends within its header");
  write_bytes(f, "x.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
  assert_unreadable(f, "x.npy: has a header of more than 64 KiB");
}

static void test_npy__refuses_to_write_what_is_too_large(void **state) {
  struct fixture *f = *state;
  const double one = 1;
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "x.npy"), 5, (size_t[]){1, 1, 1, 1, 1}, &one),
                   SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "x.npy"), 2, (size_t[]){SIZE_MAX / 2, 3}, &one),
                   SPRINT_ERROR_ARGUMENT);
  assert_non_null(strstr(sprint_context_error(f->context), "x.npy: the shape is too large"));
  assert_int_equal(access(f->path, F_OK), -1);
}

static void write_data(struct fixture *f, size_t n, const double *x, const double *y) {
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "x.npy"), 3, (size_t[]){n, 1, 2}, x), SPRINT_OK);
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "y.npy"), 1, &n, y), SPRINT_OK);
}

static const char *spec_of(struct fixture *f, const char *keys) {
  snprintf(f->spec, sizeof f->spec, "{kind: npy, x: '%s/x.npy', y: '%s/y.npy', standardize: none, %s}", f->folder,
           f->folder, keys);
  return f->spec;
}

static void test_npy__is_a_data_kind(void **state) {
  struct fixture *f = *state;
  write_data(f, 3, (double[]){1, 2, 3, 4, 5, 6}, (double[]){7, -1, 7});
  sprint_population *p = load(f, spec_of(f, ""), NULL);
  assert_true(p->n == 3 && p->d == 2 && p->n_classes == 2);
  assert_true(p->x[5] == 6 && p->y[0] == 1 && p->y[1] == 0);
  assert_string_equal(p->class_names[0], "-1");
  assert_string_equal(p->class_names[1], "7");
  assert_string_equal(p->columns[1].name, "x1");
  sprint_population_free(p);
  p = load(f, spec_of(f, "target: value, features: [age, income]"), NULL);
  assert_true(p->n_classes == 0 && p->y[0] == 7);
  assert_string_equal(p->columns[1].name, "income");
  sprint_population_free(p);
  assert_refused(f, spec_of(f, "features: [age]"), SPRINT_ERROR_INPUT, "1 names for the 2 features");
  assert_refused(f, spec_of(f, "features: [age, age]"), SPRINT_ERROR_INPUT, "the name 'age' is listed twice");
}

static void test_npy__treats_nan_as_missing(void **state) {
  struct fixture *f = *state;
  write_data(f, 4, (double[]){1, 2, NAN, 4, 5, 6, 9, 8}, (double[]){0, 1, 1, 0});
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "x.npy[1, 0]: nan is missing");
  sprint_population *p = load(f, spec_of(f, "missing: drop"), NULL);
  assert_true(p->n == 3 && p->x[2] == 5 && p->y[1] == 1);
  sprint_population_free(p);
  p = load(f, spec_of(f, "missing: median"), NULL);
  assert_true(p->n == 4 && p->x[2] == 5);
  sprint_population_free(p);
  write_data(f, 2, (double[]){1, 2, 3, INFINITY}, (double[]){0, 1});
  assert_refused(f, spec_of(f, "missing: drop"), SPRINT_ERROR_INPUT, "x.npy[1, 1]: inf is not a finite number");
  write_data(f, 2, (double[]){1, 2, 3, 4}, (double[]){0, NAN});
  assert_refused(f, spec_of(f, "missing: median"), SPRINT_ERROR_INPUT, "y.npy[1]: the label nan is missing");
  write_data(f, 2, (double[]){1, NAN, 3, 4}, (double[]){0, NAN});
  assert_refused(f, spec_of(f, "missing: drop"), SPRINT_ERROR_INPUT, "every row has a missing value");
}

static void test_npy__refuses_shapes_that_do_not_fit(void **state) {
  struct fixture *f = *state;
  const double four[4] = {0, 1, 0, 1};
  write_data(f, 2, four, four);
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "y.npy"), 1, (size_t[]){3}, four), SPRINT_OK);
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "y.npy: holds 3 labels for the 2 rows");
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "y.npy"), 2, (size_t[]){2, 2}, four), SPRINT_OK);
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "y.npy: has 2 dimensions, labels have one");
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "x.npy"), 2, (size_t[]){0, 2}, four), SPRINT_OK);
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "x.npy: holds no rows");
  assert_int_equal(sprint_npy_write_double(f->context, path_of(f, "x.npy"), 2, (size_t[]){2, 0}, four), SPRINT_OK);
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "x.npy: holds no features");
}

static void test_npy__survives_every_failed_allocation(void **state) {
  struct fixture *f = *state;
  write_data(f, 4, (double[]){1, 2, NAN, 4, 5, 6, 9, 8}, (double[]){0, 1, 1, 0});
  assert_true(survive_failed_allocations(f, spec_of(f, "missing: median, features: [age, income]")) > 20);
  assert_true(survive_failed_allocations(f, spec_of(f, "missing: median, holdout: 0.5")) > 20);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(test_npy__##name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(writes_the_bytes_of_numpy),
      TEST(round_trips),
      TEST(round_trips_scalars_and_empty_arrays),
      TEST(reads_every_type),
      TEST(reads_version_2),
      TEST(reads_fortran_order_and_big_endian),
      TEST(reads_images_in_fortran_order),
      TEST(reads_every_byte_order),
      TEST(takes_no_memory_for_nothing),
      TEST(refuses_broken_files),
      TEST(refuses_to_write_what_is_too_large),
      TEST(is_a_data_kind),
      TEST(treats_nan_as_missing),
      TEST(survives_every_failed_allocation),
      TEST(refuses_shapes_that_do_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
