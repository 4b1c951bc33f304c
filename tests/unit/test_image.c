/* Populations of bytes: NPY images in their layouts, standardising by channel, gathering, selecting, CIFAR-10, and
 * where files are looked for. Oracles: b / 255 and the means and deviations of the bytes by hand. */
#define _GNU_SOURCE
#include <math.h>
#include <sys/stat.h>

#include "population/cifar10.h"
#include "test_population_help.h"

enum { N = 6, H = 2, W = 3, PLANE = H * W, D = 3 * PLANE };

/* Pixel (i, channel, k): each channel has another range, and no two pixels of an image are equal. */
static uint8_t pixel(size_t i, size_t channel, size_t k) { return (uint8_t)(80 * channel + 11 * k + 3 * i * (k + 1)); }

static void write_npy(struct fixture *f, const char *name, const char *code, const char *shape, const void *data,
                      size_t size) {
  char bytes[4096], dict[128];
  snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", code, shape);
  memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
  memset(bytes + 10, ' ', 118);
  memcpy(bytes + 10, dict, strlen(dict));
  bytes[127] = '\n';
  memcpy(bytes + 128, data, size);
  write_bytes(f, name, bytes, 128 + size);
}

/* Labels 0, 1, 0, 1, ... and the images with the channels first or last. */
static void write_images(struct fixture *f, bool channels_first) {
  uint8_t x[N * D], y[N];
  for (size_t i = 0; i < N; i++) {
    y[i] = i % 2;
    for (size_t c = 0; c < 3; c++)
      for (size_t k = 0; k < PLANE; k++) x[i * D + (channels_first ? c * PLANE + k : k * 3 + c)] = pixel(i, c, k);
  }
  write_npy(f, "x.npy", "|u1", channels_first ? "(6, 3, 2, 3)" : "(6, 2, 3, 3)", x, sizeof x);
  write_npy(f, "y.npy", "|u1", "(6,)", y, sizeof y);
}

static const char *spec_of(struct fixture *f, const char *more) {
  snprintf(f->spec, sizeof f->spec, "{kind: npy, x: %s/x.npy, y: %s/y.npy%s}", f->folder, f->folder, more);
  return f->spec;
}

static void assert_shape(const sprint_population *p, size_t channels, size_t height, size_t width) {
  size_t shape[3] = {0};
  assert_true(sprint_population_image(p, shape));
  assert_true(shape[0] == channels && shape[1] == height && shape[2] == width);
}

static void test_image__keeps_bytes_and_gathers_them_by_255(void **state) {
  struct fixture *f = *state;
  static const char *const layouts[] = {", layout: hwc", ", layout: chw"};
  for (size_t first = 0; first < 2; first++) {
    write_images(f, first);
    sprint_population *p = load(f, spec_of(f, layouts[first]), NULL);
    assert_shape(p, 3, H, W);
    assert_true(p->bytes && !p->x && !sprint_population_x(p));
    sprint_real x[3 * D];
    const uint32_t who[3] = {4, 0, 4};
    assert_int_equal(sprint_population_rows(p, who, 99, 3, x), SPRINT_OK);
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < D; j++)
        assert_true(x[i * D + j] == (sprint_real)(pixel(who[i], j / PLANE, j % PLANE) / 255.0));
    assert_int_equal(sprint_population_rows(p, NULL, 3, 2, x), SPRINT_OK);
    for (size_t j = 0; j < 2 * D; j++)
      assert_true(x[j] == (sprint_real)(pixel(3 + j / D, j % D / PLANE, j % PLANE) / 255.0));
    assert_true(p->columns[7].mean == 0 && p->columns[7].scale == 255);
    sprint_population_free(p);
  }
}

static void test_image__refuses_rows_that_are_not_there(void **state) {
  struct fixture *f = *state;
  write_images(f, true);
  sprint_population *p = load(f, spec_of(f, ", layout: chw"), NULL);
  sprint_real x[D];
  assert_int_equal(sprint_population_rows(p, NULL, 6, 1, x), SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_population_rows(p, NULL, SIZE_MAX, 2, x), SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_population_rows(p, (uint32_t[]){6}, 0, 1, x), SPRINT_ERROR_ARGUMENT);
  assert_int_equal(sprint_population_rows(p, NULL, 6, 0, x), SPRINT_OK);
  sprint_population_free(p);
}

/* Mean and population deviation of the bytes of a channel over the rows first, first + step, ... */
static void by_hand(size_t channel, size_t first, size_t step, double *ret_mean, double *ret_deviation) {
  double n = 0, sum = 0, squares = 0;
  for (size_t i = first; i < N; i += step)
    for (size_t k = 0; k < PLANE; k++, n++) sum += pixel(i, channel, k);
  for (size_t i = first; i < N; i += step)
    for (size_t k = 0; k < PLANE; k++) squares += pow(pixel(i, channel, k) - sum / n, 2);
  *ret_mean = sum / n;
  *ret_deviation = sqrt(squares / n);
}

/* Sums of at most 36 terms of bytes: 40 roundings of double are plenty; a feature has one more of its own type. */
static void assert_standardized(const sprint_population *p, size_t first, size_t step) {
  sprint_real x[N * D];
  assert_int_equal(sprint_population_rows(p, NULL, 0, p->n, x), SPRINT_OK);
  for (size_t j = 0; j < p->n * D; j++) {
    size_t channel = j % D / PLANE;
    double mean, deviation, bound = sizeof(sprint_real) == 8 ? 1e-14 : 3e-7;
    by_hand(channel, first, step, &mean, &deviation);
    double expected = (pixel(j / D, channel, j % PLANE) - mean) / deviation;
    assert_true(fabs((double)x[j] - expected) <= bound * fmax(1, fabs(expected)));
  }
}

static void test_image__standardizes_by_channel(void **state) {
  struct fixture *f = *state;
  write_images(f, true);
  sprint_population *p = load(f, spec_of(f, ", layout: chw, standardize: after"), NULL);
  assert_standardized(p, 0, 1);
  sprint_population_free(p);
  p = load(f, spec_of(f, ", layout: chw, standardize: before, select: first, per_class: 1"), NULL);
  assert_int_equal(p->n, 2);
  assert_standardized(p, 0, 1);
  sprint_population_free(p);
}

static void test_image__selects_and_holds_out_bytes(void **state) {
  struct fixture *f = *state;
  write_images(f, true);
  sprint_population *heldout = NULL;
  sprint_population *p = load(f, spec_of(f, ", layout: chw, holdout: 0.34, seed: 4"), &heldout);
  assert_true(p->n == 4 && heldout->n == 2 && heldout->bytes);
  assert_shape(heldout, 3, H, W);
  bool seen[N] = {false};
  for (size_t i = 0; i < N; i++) {
    const uint8_t *row = i < 4 ? p->bytes + i * D : heldout->bytes + (i - 4) * D;
    size_t who = (size_t)(row[0]) / 3; /* pixel (i, 0, 0) is 3 i */
    assert_true(who < N && !seen[who]);
    seen[who] = true;
    for (size_t j = 0; j < D; j++) assert_int_equal(row[j], pixel(who, j / PLANE, j % PLANE));
    assert_true((i < 4 ? p->y[i] : heldout->y[i - 4]) == (sprint_real)(who % 2));
  }
  sprint_population_free(p);
  sprint_population_free(heldout);
}

static void test_image__has_one_channel_without_a_fourth_dimension(void **state) {
  struct fixture *f = *state;
  write_images(f, true);
  uint8_t x[N * PLANE];
  for (size_t i = 0; i < N * PLANE; i++) x[i] = (uint8_t)(5 * i);
  write_npy(f, "x.npy", "|u1", "(6, 2, 3)", x, sizeof x);
  sprint_population *p = load(f, spec_of(f, ""), NULL);
  assert_shape(p, 1, H, W);
  assert_true(p->bytes[7] == 35);
  sprint_population_free(p);
  assert_refused(f, spec_of(f, ", layout: hwc"), SPRINT_ERROR_INPUT, "layout': is for arrays of 4 dimensions");
  memset(x, 9, sizeof x);
  write_npy(f, "x.npy", "|u1", "(6, 2, 3)", x, sizeof x);
  p = load(f, spec_of(f, ", standardize: after"), NULL); /* a constant channel: scale 1 */
  assert_true(p->levels[9] == 0 && p->levels[10] == 1);
  sprint_population_free(p);
}

static void test_image__finds_the_channels(void **state) {
  struct fixture *f = *state;
  write_images(f, true);
  uint8_t x[N * 24] = {0, 1, 2};
  static const struct {
    const char *shape;
    size_t size, channels, height, width; /* 0 channels: refused */
  } cases[] = {
      {"(6, 2, 4, 3)", 24, 3, 2, 4}, {"(6, 3, 2, 4)", 24, 3, 2, 4}, {"(6, 2, 4, 1)", 8, 1, 2, 4},
      {"(6, 1, 2, 4)", 8, 1, 2, 4},  {"(6, 3, 2, 3)", 18, 0, 0, 0}, {"(6, 2, 3, 4)", 24, 0, 0, 0},
  };
  for (size_t k = 0; k < SPRINT__COUNT(cases); k++) {
    write_npy(f, "x.npy", "|u1", cases[k].shape, x, N * cases[k].size);
    if (!cases[k].channels) {
      assert_refused(f, spec_of(f, ""), SPRINT_ERROR_INPUT, "key 'data.layout': the images of");
      continue;
    }
    sprint_population *p = load(f, spec_of(f, ""), NULL);
    assert_shape(p, cases[k].channels, cases[k].height, cases[k].width);
    sprint_population_free(p);
  }
}

/* The same images as bytes and as doubles b / 255: equal to the bit, with the default and by channel to rounding. */
static void test_image__equals_real_images(void **state) {
  struct fixture *f = *state;
  double reals[N * D];
  sprint_real bytes_x[2][N * D];
  write_images(f, false);
  for (size_t s = 0; s < 2; s++) {
    sprint_population *p = load(f, spec_of(f, s ? ", layout: hwc, standardize: after" : ", layout: hwc"), NULL);
    sprint_population_rows(p, NULL, 0, N, bytes_x[s]);
    sprint_population_free(p);
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < D; j++) reals[i * D + j] = pixel(i, j % 3, j / 3) / 255.0;
  write_npy(f, "x.npy", "<f8", "(6, 2, 3, 3)", reals, sizeof reals);
  for (size_t s = 0; s < 2; s++) {
    sprint_population *p = load(f, spec_of(f, s ? ", layout: hwc, standardize: after" : ", layout: hwc"), NULL);
    assert_shape(p, 3, H, W);
    assert_true(p->x && !p->bytes);
    double bound = s == 0 ? 0 : sizeof(sprint_real) == 8 ? 1e-14 : 3e-7;
    for (size_t j = 0; j < N * D; j++) assert_true(fabs((double)(p->x[j] - bytes_x[s][j])) <= bound * 3);
    sprint_population_free(p);
  }
}

static void test_image__survives_failed_allocations(void **state) {
  struct fixture *f = *state;
  write_images(f, false);
  assert_true(survive_failed_allocations(f, spec_of(f, ", layout: hwc, holdout: 0.34")) > 20);
}

/* Ten records in each batch, record r of batch b: label r, every pixel b + r. */
static void write_batches(struct fixture *f, size_t n_records) {
  static const char *const names[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                      "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};
  uint8_t *batch = calloc(n_records, SPRINT__CIFAR10_RECORD);
  for (size_t b = 0; b < SPRINT__COUNT(names); b++) {
    for (size_t r = 0; r < n_records; r++) {
      memset(batch + r * SPRINT__CIFAR10_RECORD, (int)(b + r), SPRINT__CIFAR10_RECORD);
      batch[r * SPRINT__CIFAR10_RECORD] = (uint8_t)r;
    }
    write_bytes(f, names[b], batch, n_records * SPRINT__CIFAR10_RECORD);
  }
  free(batch);
}

static void remove_batches(struct fixture *f) {
  static const char *const names[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                                      "data_batch_5.bin", "test_batch.bin",   "batches.meta.txt"};
  for (size_t b = 0; b < SPRINT__COUNT(names); b++) unlink(path_of(f, names[b]));
}

static const char *cifar10_spec(struct fixture *f, const char *more) {
  snprintf(f->spec, sizeof f->spec, "{kind: cifar10, path: %s%s}", f->folder, more);
  return f->spec;
}

/* Most allocations are names of the 3072 pixels: after the first hundred, every 307th fails. */
static void survive_some_failed_allocations(struct fixture *f, const char *spec) {
  sprint_status status = SPRINT_ERROR_MEMORY;
  for (int64_t k = 0; status != SPRINT_OK; k += k < 100 ? 1 : 307) {
    sprint_population *population = NULL;
    f->context->n_allocations = 0;
    f->context->fail_allocation = k;
    status = sprint_population_load(f->context, spec, &population, NULL);
    assert_true(status == (population ? SPRINT_OK : SPRINT_ERROR_MEMORY));
    sprint_population_free(population);
  }
  f->context->fail_allocation = -1;
}

static void test_image__reads_cifar10(void **state) {
  struct fixture *f = *state;
  write_batches(f, 10);
  sprint_population *p = load(f, cifar10_spec(f, ""), NULL);
  assert_shape(p, 3, 32, 32);
  assert_true(p->n == 50 && p->d == 3072 && p->n_classes == 10);
  for (size_t i = 0; i < 50; i++) {
    assert_true(p->y[i] == (sprint_real)(i % 10));
    for (size_t j = 0; j < 3072; j++) assert_int_equal(p->bytes[i * 3072 + j], i / 10 + i % 10);
  }
  assert_string_equal(sprint_population_class_name(p, 9), "truck");
  sprint_population_free(p);
  write_bytes(f, "batches.meta.txt", "a\nb\r\nc\n\nd\ne\nf\ng\nh\ni\nlast\n\n", 27);
  p = load(f, cifar10_spec(f, ", part: test"), NULL);
  assert_true(p->n == 10 && p->bytes[0] == 5);
  assert_string_equal(sprint_population_class_name(p, 1), "b");
  assert_string_equal(sprint_population_class_name(p, 9), "last");
  sprint_population_free(p);
  survive_some_failed_allocations(f, cifar10_spec(f, ", part: test"));
  remove_batches(f);
}

static void test_image__refuses_wrong_cifar10(void **state) {
  struct fixture *f = *state;
  uint8_t batch[10 * SPRINT__CIFAR10_RECORD] = {0};
  write_batches(f, 10);
  write_bytes(f, "batches.meta.txt", "one\ntwo\n", 8);
  assert_refused(f, cifar10_spec(f, ""), SPRINT_ERROR_INPUT, "batches.meta.txt: has 2 class names, 10 were expected");
  unlink(path_of(f, "batches.meta.txt"));
  write_bytes(f, "data_batch_4.bin", batch, sizeof batch - 1);
  assert_refused(f, cifar10_spec(f, ""), SPRINT_ERROR_INPUT, "data_batch_4.bin: has 30729 bytes, a whole number of");
  write_bytes(f, "data_batch_4.bin", batch, sizeof batch - SPRINT__CIFAR10_RECORD);
  assert_refused(f, cifar10_spec(f, ""), SPRINT_ERROR_INPUT,
                 "data_batch_4.bin: has 9 records; 10, as in data_batch_1.bin, were expected");
  batch[7 * SPRINT__CIFAR10_RECORD] = 10;
  write_bytes(f, "data_batch_4.bin", batch, sizeof batch);
  assert_refused(f, cifar10_spec(f, ""), SPRINT_ERROR_INPUT, "data_batch_4.bin: record 7 has the label 10, 0 to 9");
  write_bytes(f, "test_batch.bin", batch, 0);
  assert_refused(f, cifar10_spec(f, ", part: test"), SPRINT_ERROR_INPUT, "test_batch.bin: has 0 bytes");
  unlink(path_of(f, "data_batch_2.bin"));
  assert_refused(f, cifar10_spec(f, ""), SPRINT_ERROR_IO, "data_batch_2.bin: cannot be read");
  remove_batches(f);
}

static void test_image__files_are_found_in_the_data_folder(void **state) {
  struct fixture *f = *state;
  const char *spec = "{kind: csv, path: train.csv, label: y}";
  write_bytes(f, "train.csv", "x,y\n1,a\n2,b\n", 12);
  assert_int_equal(sprint_context_set_data(f->context, f->folder), SPRINT_OK);
  sprint_population_free(load(f, spec, NULL));
  setenv("SPRINT_DATA", f->folder, 1);
  assert_int_equal(sprint_context_set_data(f->context, NULL), SPRINT_OK);
  assert_string_equal(sprint_context_data(f->context), f->folder);
  sprint_population_free(load(f, spec, NULL));
  unsetenv("SPRINT_DATA");
  setenv("XDG_DATA_HOME", "/nowhere/data", 1);
  assert_int_equal(sprint_context_set_data(f->context, NULL), SPRINT_OK);
  assert_refused(f, spec, SPRINT_ERROR_IO,
                 "train.csv: cannot be read: No such file or directory here, nor in "
                 "/nowhere/data/sprint");
  assert_refused(f, "{kind: idx, images: mnist/a, labels: b}", SPRINT_ERROR_IO, "; `sprint data get mnist` fetches it");
  assert_refused(f, "{kind: cifar10}", SPRINT_ERROR_IO, "; `sprint data get cifar10` fetches it");
  unsetenv("XDG_DATA_HOME");
  setenv("HOME", "/home/nobody", 1);
  assert_int_equal(sprint_context_set_data(f->context, NULL), SPRINT_OK);
  assert_string_equal(sprint_context_data(f->context), "/home/nobody/.local/share/sprint");
  unsetenv("HOME");
  assert_int_equal(sprint_context_set_data(f->context, NULL), SPRINT_OK);
  assert_string_equal(sprint_context_data(f->context), "");
  assert_refused(f, spec, SPRINT_ERROR_IO, "train.csv: cannot be read: No such file or directory");
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_image__##name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(keeps_bytes_and_gathers_them_by_255),
      TEST(refuses_rows_that_are_not_there),
      TEST(standardizes_by_channel),
      TEST(selects_and_holds_out_bytes),
      TEST(has_one_channel_without_a_fourth_dimension),
      TEST(finds_the_channels),
      TEST(equals_real_images),
      TEST(survives_failed_allocations),
      TEST(reads_cifar10),
      TEST(refuses_wrong_cifar10),
      TEST(files_are_found_in_the_data_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
