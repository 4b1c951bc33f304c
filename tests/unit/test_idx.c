/* IDX files and the data kind that reads them. Oracle: bytes written by hand after the format's description. */
#define _GNU_SOURCE
#include <zlib.h>

#include "test_population_help.h"

/* Three images of 2 x 2, labels 1, 0, 2. */
static const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0,   3, 0, 0, 0,   2, 0,  0,
                                       0, 2, 0, 1, 2, 3, 255, 4, 5, 6, 128, 7, 64, 9};
static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 1, 0, 2};

static const char *spec_of(struct fixture *f, const char *more) {
  snprintf(f->spec, sizeof f->spec, "{kind: idx, images: %s/x.npy, labels: %s/y.npy%s}", f->folder, f->folder, more);
  return f->spec;
}

/* Files are called as the fixture removes them; their names say nothing here. */
static void write_both(struct fixture *f, const void *x, size_t x_size, const void *y, size_t y_size) {
  write_bytes(f, "x.npy", x, x_size);
  write_bytes(f, "y.npy", y, y_size);
}

static size_t pack(const void *bytes, size_t size, unsigned char *ret_packed, size_t room) {
  z_stream stream = {.next_in = (unsigned char *)bytes, .avail_in = (unsigned)size};
  stream.next_out = ret_packed;
  stream.avail_out = (unsigned)room;
  assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  deflateEnd(&stream);
  return room - stream.avail_out;
}

static void check_population(struct fixture *f) {
  sprint_population *p = load(f, spec_of(f, ""), NULL);
  size_t shape[3] = {0};
  sprint_real x[12];
  assert_true(sprint_population_image(p, shape));
  assert_true(shape[0] == 1 && shape[1] == 2 && shape[2] == 2);
  assert_true(sprint_population_n(p) == 3 && sprint_population_n_features(p) == 4);
  assert_null(sprint_population_x(p));
  assert_int_equal(sprint_population_rows(p, NULL, 0, 3, x), SPRINT_OK);
  for (size_t i = 0; i < 12; i++) assert_true(x[i] == (sprint_real)(images[16 + i] / 255.0));
  for (size_t i = 0; i < 3; i++) assert_true(sprint_population_y(p)[i] == (sprint_real)labels[8 + i]);
  assert_string_equal(sprint_population_class_name(p, 2), "2");
  sprint_population_free(p);
}

static void test_idx__reads_bytes_written_by_hand(void **state) {
  struct fixture *f = *state;
  write_both(f, images, sizeof images, labels, sizeof labels);
  check_population(f);
}

static void test_idx__reads_gzip_and_members_in_a_row(void **state) {
  struct fixture *f = *state;
  unsigned char x[256], y[256];
  write_both(f, x, pack(images, sizeof images, x, sizeof x), y, pack(labels, sizeof labels, y, sizeof y));
  check_population(f);
  size_t first = pack(images, 20, x, sizeof x);
  size_t n = first + pack(images + 20, sizeof images - 20, x + first, sizeof x - first);
  write_bytes(f, "x.npy", x, n);
  check_population(f);
}

static void refuse_images(struct fixture *f, const void *bytes, size_t size, const char *words) {
  write_both(f, bytes, size, labels, sizeof labels);
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, words);
  if (!strstr(sprint_context_error(f->context), "x.npy: ")) fail_msg("%s", sprint_context_error(f->context));
}

static void test_idx__refuses_what_is_not_as_it_says(void **state) {
  struct fixture *f = *state;
  unsigned char b[64] = {0};
#define CHANGED(at, value) (memcpy(b, images, sizeof images), b[at] = (value), b)
  refuse_images(f, b, 0, "is empty");
  refuse_images(f, images, 3, "is not an IDX file");
  refuse_images(f, images, 14, "ends within its header");
  refuse_images(f, images, sizeof images - 1, "is cut short: its header says 3 x 2 x 2, which is 12 bytes, and 11");
  refuse_images(f, CHANGED(0, 1), sizeof images, "is not an IDX file");
  refuse_images(f, CHANGED(2, 0x0d), sizeof images, "type 0x0d are not read");
  refuse_images(f, CHANGED(3, 0), sizeof images, "has 0 dimensions, an IDX file of images has 3");
  refuse_images(f, CHANGED(3, 4), sizeof images, "has 4 dimensions");
  refuse_images(f, CHANGED(7, 2), sizeof images, "has bytes after its end");
  refuse_images(f, CHANGED(7, 0), sizeof images, "holds nothing");
  refuse_images(f, CHANGED(4, 255), sizeof images, "is cut short: its header says 4278190083 x 2 x 2");
  memset(CHANGED(0, 0) + 4, 255, 12);
  refuse_images(f, b, sizeof images, "shape that is too large");
  refuse_images(f, labels, sizeof labels, "has 1 dimension, an IDX file of images has 3");
  refuse_images(f, "a,b,y\n1,2,0\n", 12, "is not an IDX file");
}

static void test_idx__refuses_labels_that_do_not_fit(void **state) {
  struct fixture *f = *state;
  unsigned char y[16];
  memcpy(y, labels, sizeof labels);
  y[7] = 2;
  write_both(f, images, sizeof images, y, sizeof labels - 1);
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "y.npy: holds 2 labels for the 3 images of");
  write_both(f, images, sizeof images, images, sizeof images);
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "y.npy: has 3 dimensions, an IDX file of labels has 1");
  memcpy(y, labels, sizeof labels);
  memset(y + 8, 0, 3);
  write_both(f, images, sizeof images, y, sizeof labels);
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "y.npy: every label is 0; at least two classes are needed");
  y[8] = 3;
  write_both(f, images, sizeof images, y, sizeof labels);
  assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "y.npy: no image is of class 1, all of 0 .. 3 were expected");
}

/* Every cut of a gzip file, and a bit flipped in every byte behind its header: a sentence or, of the bits that pad the
 * last byte of the stream, the same population. */
static void test_idx__refuses_damaged_gzip(void **state) {
  struct fixture *f = *state;
  unsigned char x[256];
  size_t n = pack(images, sizeof images, x, sizeof x), n_taken = 0;
  for (size_t cut = 2; cut < n; cut++) {
    write_both(f, x, cut, labels, sizeof labels);
    assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "x.npy: is cut short: its gzip stream does not end");
  }
  for (size_t i = 10; i < n; i++) {
    x[i] ^= 0x10;
    write_both(f, x, n, labels, sizeof labels);
    sprint_population *p = NULL;
    sprint_status status = sprint_population_load(f->context, spec_of(f, ""), &p, NULL);
    sprint_population_free(p);
    if (status == SPRINT_OK)
      check_population(f);
    else
      assert_refused(f, f->spec, SPRINT_ERROR_INPUT, "x.npy: ");
    n_taken += status == SPRINT_OK;
    x[i] ^= 0x10;
  }
  assert_true(n_taken <= 1);
  x[n] = 'x';
  refuse_images(f, x, n + 1, "has bytes after the end of its gzip stream");
  unsigned char long_header[16] = {0, 0, 8, 3, 0, 255, 255, 255, 0, 0, 0, 28, 0, 0, 0, 28};
  n = pack(long_header, sizeof long_header, x, sizeof x);
  refuse_images(f, x, n, "is cut short: its header says 16777215 x 28 x 28");
}

static void test_idx__survives_failed_allocations(void **state) {
  struct fixture *f = *state;
  unsigned char x[256];
  write_both(f, x, pack(images, sizeof images, x, sizeof x), labels, sizeof labels);
  assert_true(survive_failed_allocations(f, spec_of(f, ", standardize: after")) > 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_idx__##name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(reads_bytes_written_by_hand),    TEST(reads_gzip_and_members_in_a_row),
      TEST(refuses_what_is_not_as_it_says), TEST(refuses_labels_that_do_not_fit),
      TEST(refuses_damaged_gzip),           TEST(survives_failed_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
