/* Matrix products: every shape that picks another kernel, against the slow readable twin below. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "engine/pixel_products.h"
#include "model/dense.h"
#include "model/gemm.h"
#include "model/interleaved.h"

enum { MOST = 1 << 21 };
static sprint_real a[MOST], b[MOST], c[MOST], relu_x[MOST];
static double expected[MOST];

static void fill(sprint_real *values, size_t n, uint64_t stream) {
  assert_true(n <= MOST);
  for (size_t i = 0; i < n; i++)
    values[i] = (sprint_real)(2 * sprint__uniform(sprint__random_words(1, 0, stream, (uint32_t)i).a) - 1);
}

/* expected (m, n) = start + op(a) op(b); a is (m, k) or, transposed, (k, m), and so on. */
static void twin(size_t m, size_t n, size_t k, bool a_transposed, bool b_transposed, bool adds) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = adds ? (double)c[i * n + j] : 0;
      for (size_t l = 0; l < k; l++)
        sum +=
            (double)(a_transposed ? a[l * m + i] : a[i * k + l]) * (double)(b_transposed ? b[j * k + l] : b[l * n + j]);
      expected[i * n + j] = sum;
    }
}

/* A sum of k products of numbers within 1 is off by at most about k roundings of a partial sum within k. */
static void compare(size_t m, size_t n, size_t k, const char *what) {
  double bound = (double)(k + 2) * (double)(k + 2) * (sizeof(sprint_real) == 8 ? 1.2e-16 : 6e-8);
  for (size_t i = 0; i < m * n; i++)
    if (!(fabs((double)c[i] - expected[i]) <= bound))
      fail_msg("%s (%zu, %zu, %zu), element %zu: %.9g, expected %.9g", what, m, n, k, i, (double)c[i], expected[i]);
}

static void check_forward(size_t n, const struct sprint__dense *dense) {
  size_t in = dense->in, out = dense->out;
  fill(a, n * in, 1);
  for (size_t i = 0; i < n; i++) memcpy(c + i * out, b + in * out, out * sizeof *c);
  twin(n, out, in, false, false, true);
  for (size_t i = 0; dense->relu && i < n * out; i++) expected[i] = fmax(expected[i], 0);
  fill(c, n * out, 3);
  sprint__dense_forward(dense, a, n, c);
  compare(n, out, in, dense->relu ? "forward with relu" : "forward");
}

static void check_input(size_t n, const struct sprint__dense *dense, bool masked) {
  size_t in = dense->in, out = dense->out;
  fill(a, n * out, 4);
  fill(relu_x, n * in, 8);
  twin(n, in, out, false, true, false);
  for (size_t i = 0; masked && i < n * in; i++)
    if (relu_x[i] <= 0) expected[i] = 0;
  fill(c, n * in, 5);
  sprint__dense_input(dense, a, n, masked ? relu_x : NULL, c);
  compare(n, in, out, masked ? "input, masked" : "input");
}

static void check_weight(size_t n, size_t in, size_t out, bool adds) {
  struct sprint__dense dense = {in, out, NULL, false};
  fill(a, n * in, 6);
  fill(b, n * out, 4);
  fill(c, in * out + out, 7);
  twin(in, out, n, true, false, adds);
  for (size_t o = 0; o < out; o++) {
    expected[in * out + o] = adds ? (double)c[in * out + o] : 0;
    for (size_t i = 0; i < n; i++) expected[in * out + o] += (double)b[i * out + o];
  }
  sprint__dense_weight(&dense, a, b, n, adds, c);
  compare(in + 1, out, n, adds ? "weight, added" : "weight");
}

static void check(size_t n, size_t in, size_t out) {
  for (int way = 0; way < 2; way++) {
    struct sprint__dense dense = {in, out, b, way == 1};
    fill(b, in * out + out, 2);
    check_forward(n, &dense);
    check_input(n, &dense, way == 1);
    check_weight(n, in, out, way == 1);
  }
}

static void test_gemm__dense_shapes(void **state) {
  (void)state;
  static const size_t rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 30, 48, 49, 64, 65, 100},
                      sizes[] = {1, 2, 4, 5, 7, 8, 9, 10, 16, 31, 64, 65, 128, 130, 200};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
      for (size_t o = 0; o < sizeof sizes / sizeof sizes[0]; o++) check(rows[r], sizes[i], sizes[o]);
}

/* Products that go by blocks: of many rows, and of weights that come from memory, for fewer rows than are worth it too. */
static void test_gemm__large_shapes(void **state) {
  (void)state;
  check(129, 300, 31);
  check(300, 70, 33);
  check(260, 9, 410);
  check(7, 1100, 960);
  check(9, 1100, 960);
  check(33, 1025, 1030);
}

/* Every number of outputs below a group, and more weights than are turned round at once, for few rows and for many. */
static void test_gemm__narrow_shapes(void **state) {
  (void)state;
  for (size_t out = 2; out <= 7; out++) check(1000000 / (2100 * out) + 1, 2100, out);
  static const size_t rows[] = {1, 3, 20}, ins[] = {3, 8, 9, 20, 61, 130, 583, 1100};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
    for (size_t i = 0; i < sizeof ins / sizeof ins[0]; i++)
      for (size_t out = 2; out <= 7; out++) check(rows[r], ins[i], out);
}

/* Few rows of large layers, whose weights are cut for the threads: y, dx, and gradients written or added to. */
static void check_cut(sprint_context *context, int parts, size_t n, size_t in, size_t out, bool relu) {
  static sprint_real room[SPRINT__CUT_ROOM * 300], dx[MOST];
  struct sprint__dense dense = {in, out, b, relu};
  fill(b, in * out + out, 2);
  fill(a, n * in, 1);
  for (size_t i = 0; i < n; i++) memcpy(c + i * out, b + in * out, out * sizeof *c);
  twin(n, out, in, false, false, true);
  for (size_t i = 0; relu && i < n * out; i++) expected[i] = fmax(expected[i], 0);
  sprint__cut_forward(context, &dense, parts, a, n, c, room);
  compare(n, out, in, "cut forward");

  fill(a, n * out, 4);
  fill(relu_x, n * in, 8);
  twin(n, in, out, false, true, false);
  for (size_t i = 0; relu && i < n * in; i++)
    if (relu_x[i] <= 0) expected[i] = 0;
  sprint__cut_backward(context, &dense, parts, relu_x, a, n, relu, dx, NULL, false);
  memcpy(c, dx, n * in * sizeof *c);
  compare(n, in, out, "cut input");

  memcpy(b, a, n * out * sizeof *b);
  memcpy(a, relu_x, n * in * sizeof *a);
  fill(c, in * out + out, 7);
  twin(in, out, n, true, false, relu);
  for (size_t o = 0; o < out; o++) {
    expected[in * out + o] = relu ? (double)c[in * out + o] : 0;
    for (size_t i = 0; i < n; i++) expected[in * out + o] += (double)b[i * out + o];
  }
  sprint__cut_backward(context, &dense, parts, a, b, n, relu, NULL, c, relu);
  compare(in + 1, out, n, "cut weight");
}

static void test_gemm__cut_shapes(void **state) {
  (void)state;
  static const size_t rows[] = {1, 2, 3, 6, 8, 15, 16, 31},
                      shapes[][2] = {{32, 290},  {47, 45},  {64, 300},  {131, 130}, {200, 64},
                                     {203, 255}, {300, 33}, {1200, 40}, {1803, 15}};
  sprint_context *context;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  for (int threads = 1; threads <= 3; threads++) {
    assert_int_equal(sprint_context_set_threads(context, threads), SPRINT_OK);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
      for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int parts = 2; parts <= (shapes[s][0] < 64 ? 2 : SPRINT__CUT_PARTS); parts += 2)
          for (int relu = 0; relu < 2; relu++) check_cut(context, parts, rows[r], shapes[s][0], shapes[s][1], relu);
  }
  sprint_context_free(context);
}

static void test_gemm__plain_shapes(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 5, 27, 64};
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 4; j++)
      for (size_t l = 0; l < 4; l++) {
        size_t m = sizes[i], n = sizes[j], k = sizes[l];
        fill(a, m * k, 1);
        fill(b, k * n, 2);
        fill(c, m * n, 3);
        twin(m, n, k, false, false, true);
        sprint__gemm_plain(a, k, b, m, k, n, true, c);
        compare(m, n, k, "add");
        twin(m, n, k, true, false, false);
        sprint__gemm_transposed(a, m, b, k, m, n, false, c);
        compare(m, n, k, "transposed");
        twin(m, n, k, false, true, false);
        sprint__gemm_by_transposed(a, b, m, k, n, c, n);
        compare(m, n, k, "by transposed");
      }
}

enum { TILE = SPRINT__INTERLEAVED };

/* A layer of records side by side, which take x or what a relu puts out of it: against the twin. */
static void check_interleaved_forward(size_t n, size_t in, size_t out, bool of_relu) {
  static sprint_real x[MOST], tile[MOST];
  struct sprint__dense dense = {in, out, b, n % 2 == 1};
  fill(b, in * out + out, 2);
  fill(a, n * in, 1);
  sprint__interleaved_from_rows(a, n, in, x);
  for (size_t i = 0; of_relu && i < n * in; i++) a[i] = a[i] > 0 ? a[i] : 0;
  for (size_t i = 0; i < n; i++) memcpy(c + i * out, b + in * out, out * sizeof *c);
  twin(n, out, in, false, false, true);
  for (size_t i = 0; dense.relu && i < n * out; i++) expected[i] = fmax(expected[i], 0);
  sprint__interleaved_forward(&dense, x, of_relu, tile);
  sprint__interleaved_to_rows(tile, n, out, c);
  compare(n, out, in, "interleaved");
}

/* A tile there and back; and the move of a tile by deltas (k, out) and a tile of k numbers, and along another tile:
 * against the twin, with n of the tile's records there. */
static void check_interleaved(size_t n, size_t in, size_t out) {
  static sprint_real x[MOST], tile[MOST], y[MOST], p[MOST];
  check_interleaved_forward(n, in, out, false);
  check_interleaved_forward(n, in, out, true);
  fill(a, n * in, 1);
  sprint__interleaved_from_rows(a, n, in, x);
  sprint__interleaved_to_rows(x, n, in, y);
  assert_memory_equal(a, y, n * in * sizeof *a);
  if (out % SPRINT__INTERLEAVED_UNITS) return;
  const sprint_real *rows[300];
  for (size_t k = 0; k < in; k++) rows[k] = x + k * TILE;
  for (int along = 0; along < 2; along++) {
    struct sprint__interleaved_update move = {
        .n = in, .d = y, .k = x, .p = along ? p : NULL, .size = 0.5, .next_k = rows};
    fill(c, n * out, 3);
    sprint__interleaved_from_rows(c, n, out, tile);
    fill(c, n * out, 4);
    sprint__interleaved_from_rows(c, n, out, p);
    sprint__interleaved_to_rows(tile, n, out, c);
    for (size_t k = 0; along && k < n * out; k++) c[k] -= (sprint_real)0.5 * p[k % out * TILE + k / out];
    twin(n, out, in, false, false, true);
    sprint__interleaved_pack(b, 1, in, out, y);
    sprint__interleaved_add(&move, out, tile);
    sprint__interleaved_to_rows(tile, n, out, c);
    compare(n, out, in, "interleaved, moved");
  }
}

static void test_gemm__interleaved_records(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 4, 5, 10, 64, 128, 130};
  for (size_t i = 0; i < 9; i++)
    for (size_t o = 0; o < 9; o++) {
      check_interleaved(1, sizes[i], sizes[o]);
      check_interleaved(TILE - 2, sizes[i], sizes[o]);
      check_interleaved(TILE, sizes[i], sizes[o]);
    }
}

/* What a relu leaves, and what nothing does. */
static void test_gemm__put_out(void **state) {
  (void)state;
  enum { WIDTH = 3, NUMBERS = WIDTH * TILE };
  fill(a, NUMBERS, 1);
  for (int relu = 0; relu < 2; relu++) {
    sprint__dense_activate(a, NUMBERS, relu, c);
    for (size_t i = 0; i < NUMBERS; i++) expected[i] = relu ? fmax((double)a[i], 0) : (double)a[i];
    compare(WIDTH, TILE, 1, "put out");
  }
}

enum { IMAGES = 37, MOST_PIXELS = 300 };
static uint8_t bytes[IMAGES * MOST_PIXELS];

/* Images of which a fifth is not zero, one of them all zero and one without a zero; levels of 0 at 0. */
static void fill_images(size_t d, sprint_real *levels) {
  for (size_t i = 0; i < 512; i++) levels[i] = (sprint_real)((double)i / (i < 256 ? 255 : 700));
  levels[256] = 0;
  for (size_t i = 0; i < IMAGES * d; i++) {
    uint64_t word = sprint__random_words(2, 0, 0, (uint32_t)i).a;
    bytes[i] = i / d == 3 || (i / d != 5 && word % 5) ? 0 : (uint8_t)(1 + word / 5 % 255);
  }
}

/* Lists of such images. */
static struct sprint__pixel_lists lists_of(size_t channels, size_t plane, sprint_real *levels) {
  static sprint_context context = {.fail_allocation = -1};
  struct sprint__pixel_lists lists;
  fill_images(channels * plane, levels);
  sprint_population images = {.context = &context,
                              .n = IMAGES,
                              .d = channels * plane,
                              .bytes = bytes,
                              .levels = levels,
                              .pixels = {bytes, levels, channels, plane}};
  assert_int_equal(sprint__pixel_lists_new(&images, &lists), SPRINT_OK);
  return lists;
}

/* Sparse products against the dense ones on the same numbers: sums of at most d, or n, products of numbers within 1. */
static void check_pixels(size_t n, size_t channels, size_t plane, size_t out) {
  static sprint_real levels[512], x[IMAGES * MOST_PIXELS], ours[MOST];
  static struct sprint__pixel sorted[IMAGES * MOST_PIXELS];
  uint32_t from[SPRINT__PIXEL_FROM(MOST_PIXELS)];
  uint32_t who[IMAGES];
  size_t d = channels * plane;
  struct sprint__pixel_lists lists = lists_of(channels, plane, levels);
  struct sprint__pixels pixels = {bytes, levels, channels, plane};
  struct sprint__pixel_rows rows = {.lists = &lists, .who = who, .sorted = sorted, .from = from};
  struct sprint__dense dense = {d, out, b, false};
  double bound = (double)(d + n + 2) * (double)(d + n + 2) * (sizeof(sprint_real) == 8 ? 1.2e-16 : 6e-8);
  fill(b, (d + 1) * out, 2);
  for (size_t i = 0; i < n; i++) who[i] = (uint32_t)(IMAGES - 1 - i * 7 % IMAGES);
  sprint__pixels_unpack(&pixels, who, 0, n, x);
  sprint__dense_forward(&dense, x, n, c);
  sprint__pixel_forward(&dense, &rows, n, ours);
  for (size_t i = 0; i < n * out; i++) assert_true(fabs((double)(c[i] - ours[i])) <= bound);
  for (int adds = 0; adds < 2; adds++) {
    fill(a, n * out, 3);
    fill(c, (d + 1) * out, 4);
    fill(ours, (d + 1) * out, 4);
    sprint__dense_weight(&dense, x, a, n, adds, c);
    sprint__pixel_weight(&dense, &rows, a, n, adds, ours);
    for (size_t i = 0; i < (d + 1) * out; i++) assert_true(fabs((double)(c[i] - ours[i])) <= bound);
  }
  sprint__pixel_lists_clear(&lists);
}

/* Records' products with those before them, added to what is there. */
static void test_gemm__pixel_gram(void **state) {
  (void)state;
  enum { D = 250, N = (int)IMAGES < (int)SPRINT__PIXEL_COLUMNS ? (int)IMAGES : (int)SPRINT__PIXEL_COLUMNS };
  static sprint_real levels[512], x[IMAGES * D], room[SPRINT__PIXEL_GRAM_ROOM], gram[N * SPRINT__PIXEL_COLUMNS];
  uint32_t who[N];
  struct sprint__pixel_lists lists = lists_of(1, D, levels);
  struct sprint__pixels pixels = {bytes, levels, 1, D};
  struct sprint__pixel_rows rows = {.lists = &lists, .who = who};
  for (uint32_t i = 0; i < N; i++) who[i] = i < 2 ? 5 : i; /* one twice */
  for (size_t i = 0; i < N * SPRINT__PIXEL_COLUMNS; i++) gram[i] = 1;
  sprint__pixels_unpack(&pixels, who, 0, N, x);
  sprint__pixel_gram(&rows, N, room, gram);
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < i; j++) {
      double sum = 1;
      for (size_t k = 0; k < D; k++) sum += (double)x[i * D + k] * (double)x[j * D + k];
      assert_true(fabs(sum - (double)gram[i * SPRINT__PIXEL_COLUMNS + j]) <=
                  (D + 1) * sum * (sizeof(sprint_real) == 8 ? 1.2e-16 : 6e-8));
    }
  sprint__pixel_lists_clear(&lists);
}

static void test_gemm__pixel_images(void **state) {
  (void)state;
  static const size_t rows[] = {1, 2, 37}, planes[] = {1, 7, 8, 63, 150};
  for (size_t r = 0; r < 3; r++)
    for (size_t p = 0; p < 5; p++)
      for (size_t channels = 1; channels <= 2; channels++)
        for (size_t out = SPRINT__PIXEL_COLUMNS; out <= 2 * SPRINT__PIXEL_COLUMNS; out += SPRINT__PIXEL_COLUMNS)
          check_pixels(rows[r], channels, planes[p], out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm__dense_shapes),  cmocka_unit_test(test_gemm__large_shapes),
      cmocka_unit_test(test_gemm__narrow_shapes), cmocka_unit_test(test_gemm__cut_shapes),
      cmocka_unit_test(test_gemm__plain_shapes), cmocka_unit_test(test_gemm__interleaved_records),
      cmocka_unit_test(test_gemm__put_out),      cmocka_unit_test(test_gemm__pixel_images),
      cmocka_unit_test(test_gemm__pixel_gram),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
