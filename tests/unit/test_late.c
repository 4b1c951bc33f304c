/* Networks with large dense layers, whose gradients are products over all rows, cut by parameters; and gradients that
 * are put together from activations that a pass kept. Oracle: the same sums over eight rows at a time, too few for
 * either, added up in double: the same products in another order. */
#define _GNU_SOURCE
#include "pixels_help.h"

#include "model/model.h"
#include "model/network_pass.h"

/* Sums of some thousand products, in layers above each other, each within its own rounding. */
enum { SUMMED = 5000 };

enum { MOST = 1300 };

struct bed {
  sprint_context *context;
  sprint_population *images;
  sprint_model *model;
  sprint_real *x, *x_b, *y; /* (MOST, D) and (MOST): people of `images`, who come more than once */
  uint32_t *who;
  sprint_real *theta, *theta_b, *gradient, *part, *activations;
  double *expected;
};

static void *room(size_t n, size_t size) {
  void *values = calloc(n, size);
  assert_non_null(values);
  return values;
}

static struct bed bed_of(const char *layers) {
  struct bed b = {.x = room(MOST * D, sizeof *b.x), .y = room(MOST, sizeof *b.y), .who = room(MOST, sizeof *b.who)};
  char spec[256];
  assert_int_equal(sprint_context_new(&b.context), SPRINT_OK);
  b.images = load_images(b.context);
  snprintf(spec, sizeof spec, "{layers: \"%s\", loss: softmax}", layers);
  MUST(b.context, sprint_model_new(b.context, spec, b.images, &b.model));
  for (size_t i = 0; i < MOST; i++) b.who[i] = (uint32_t)(i * 11 % N);
  for (size_t i = 0; i < MOST; i++) b.y[i] = sprint_population_y(b.images)[b.who[i]];
  MUST(b.context, sprint_population_rows(b.images, b.who, 0, MOST, b.x));
  size_t n = b.model->n_params;
  b.theta = room(n, sizeof *b.theta), b.theta_b = room(n, sizeof *b.theta), b.gradient = room(n, sizeof *b.theta);
  b.part = room(n, sizeof *b.part), b.expected = room(n, sizeof *b.expected);
  b.activations = room(N * b.model->n_activations, sizeof *b.activations);
  b.x_b = room(MOST * D, sizeof *b.x_b);
  MUST(b.context, sprint_model_start(b.model, 1, b.theta));
  MUST(b.context, sprint_model_start(b.model, 2, b.theta_b));
  for (size_t i = 0; i < MOST * D; i++) b.x_b[i] = (sprint_real)((double)(b.who[i / D] * 31 + i % D * 17 % 29) / 1e4);
  return b;
}

static void bed_free(struct bed *b) {
  free(b->x), free(b->x_b), free(b->y), free(b->who), free(b->theta), free(b->theta_b), free(b->gradient);
  free(b->part), free(b->expected), free(b->activations);
  sprint_model_free(b->model);
  sprint_population_free(b->images);
  sprint_context_free(b->context);
}

/* What is summed, and how records come. */
struct way {
  bool images;   /* by reference */
  bool differs;  /* a difference of gradients, */
  bool moved;    /* at theta_b of other records, */
  bool recalled; /* whose activations are known */
};

static double sum(struct bed *b, const struct way *way, size_t start, size_t n, sprint_real *gradient) {
  struct sprint__rows rows = {.n = n,
                              .x = way->images ? NULL : b->x + start * D,
                              .y = b->y + start,
                              .pixels = &b->images->pixels,
                              .who = b->who + start,
                              .recalled = way->recalled ? b->activations : NULL};
  struct sprint__sums sums = {0, 0, gradient};
  if (way->differs)
    sprint__model_difference(b->model, b->theta, b->theta_b, &rows, way->moved ? b->x_b + start * D : NULL, &sums);
  else
    sprint__model_sums(b->model, b->theta, &rows, &sums, NULL);
  return sums.loss;
}

/* The activations at theta_b of everybody's record, as a pass with gradients leaves them. */
static void keep(struct bed *b, const struct way *way) {
  struct sprint__rows rows = {.n = N,
                              .x = way->moved    ? b->x_b
                                   : way->images ? NULL
                                                 : b->x,
                              .y = b->y,
                              .pixels = &b->images->pixels,
                              .who = b->who,
                              .keep = b->activations};
  struct sprint__sums sums = {0, 0, b->gradient};
  sprint__model_sums(b->model, b->theta_b, &rows, &sums, NULL);
}

/* The slow sum, whose loss is returned. */
static double expect(struct bed *b, const struct way *slow, size_t n) {
  double loss = 0;
  memset(b->expected, 0, b->model->n_params * sizeof *b->expected);
  for (size_t start = 0; start < n; start += 8) {
    loss += sum(b, slow, start, n - start < 8 ? n - start : 8, b->part);
    for (size_t i = 0; i < b->model->n_params; i++) b->expected[i] += (double)b->part[i];
  }
  return loss;
}

static void check(struct bed *b, const struct way *way, size_t n, double expected) {
  size_t n_params = b->model->n_params;
  double loss = 0;
  if (way->recalled) keep(b, way);
  for (int threads = 1; threads <= 2; threads++) {
    MUST(b->context, sprint_context_set_threads(b->context, threads));
    loss = sum(b, way, 0, n, threads == 1 ? b->gradient : b->part);
    CLOSE(loss, expected, SUMMED);
  }
  assert_memory_equal(b->gradient, b->part, n_params * sizeof *b->part);
  double scale = 1; /* cancelling sums are as exact as their terms */
  for (size_t i = 0; i < n_params; i++) scale = fmax(scale, fabs(b->expected[i]));
  for (size_t i = 0; i < n_params; i++) CLOSE(b->gradient[i] / scale, b->expected[i] / scale, SUMMED);
}

static const char *const networks[] = {
    "dense 96, relu, dense 160, relu, dense 3",                 /* all but the last are large */
    "dense 8, tanh, dense 1200, tanh, dense 40, gelu, dense 3", /* one: not the first, nor the one of few inputs, */
    "dense 20, tanh, dense 1700, tanh, dense 3",                /* unless it has many weights */
    "dense 3",                                                  /* none */
    "conv 6 3x3, relu, maxpool 2, dense 200, relu, dense 3",    /* fused, with codes behind its outputs */
    "conv 5 3x3 stride 2, tanh, conv 7 5x5, relu, flatten, dense 300, relu, dense 30, relu, dense 3",
};

/* Under a sanitizer, where a sum takes thirty times as long, every STRIDE-th is looked at. */
#ifdef SPRINT_SLOWED
enum { STRIDE = 4 };
#else
enum { STRIDE = 1 };
#endif

/* By every way to a sum that is the same as the slow one. */
static void check_ways(struct bed *b, const struct way *slow, size_t n) {
  double expected = expect(b, slow, n);
  for (int w = 0; w < 4; w++) {
    struct way way = {w & 1, slow->differs, slow->moved, w & 2};
    if ((way.recalled && !way.differs) || (way.images && way.moved)) continue;
    check(b, &way, n, expected);
  }
}

static void test_late__all_ways(void **state) {
  (void)state;
  static const struct way slow[] = {{0}, {.differs = true}, {.differs = true, .moved = true}};
  static const size_t rows[] = {5, 16, 33, 200, 1300};
  for (size_t k = 0; k < SPRINT__COUNT(networks); k++) {
    struct bed b = bed_of(networks[k]);
    for (size_t s = 0; s < SPRINT__COUNT(slow); s++)
      for (size_t r = 0; r < SPRINT__COUNT(rows); r++)
        if ((k + s + r) % STRIDE == 0) check_ways(&b, &slow[s], rows[r]);
    bed_free(&b);
  }
}

/* A pass for losses alone says to the bit what one with gradients says. */
static void test_late__losses_alone(void **state) {
  (void)state;
  struct bed b = bed_of(networks[0]);
  double *total = room(b.model->n_params, sizeof *total);
  struct sprint__rows rows = {.n = MOST, .x = b.x, .y = b.y};
  struct sprint__total with = {total, 1, false}, without = {NULL, 1, false};
  struct sprint__sums sums = {0}, alone = {0};
  sprint__model_sums_to(b.model, b.theta, &rows, &with, &sums);
  sprint__model_sums_to(b.model, b.theta, &rows, &without, &alone);
  assert_memory_equal(&sums.loss, &alone.loss, sizeof sums.loss);
  assert_memory_equal(&sums.correct, &alone.correct, sizeof sums.correct);
  sum(&b, &(struct way){0}, 0, MOST, b.gradient);
  for (size_t i = 0; i < b.model->n_params; i++) CLOSE(b.gradient[i], total[i], SUMMED);
  with = (struct sprint__total){total, 2, true}; /* twice as much again */
  sprint__model_sums_to(b.model, b.theta, &rows, &with, &sums);
  for (size_t i = 0; i < b.model->n_params; i++) CLOSE(3 * (double)b.gradient[i], total[i], SUMMED);
  free(total);
  bed_free(&b);
}

/* Other work in the lanes after such a sum, of more rows than it took at a time, keeps to its own room. */
static void test_late__outputs_after_it(void **state) {
  (void)state;
  enum { ROWS = 4 * MOST };
  struct bed b = bed_of(networks[1]);
  sprint_real *x = room(ROWS * D, sizeof *x), *outputs = room(ROWS * 3, sizeof *outputs), few[8 * 3];
  for (size_t i = 0; i < 4; i++) memcpy(x + i * MOST * D, b.x, MOST * D * sizeof *x);
  sum(&b, &(struct way){0}, 0, MOST, b.gradient);
  MUST(b.context, sprint_model_outputs(b.model, b.theta, x, ROWS, outputs));
  for (size_t start = 0; start < ROWS; start += 8) {
    MUST(b.context, sprint_model_outputs(b.model, b.theta, x + start * D, 8, few));
    for (size_t i = 0; i < 8 * 3; i++) CLOSE(outputs[start * 3 + i], few[i], SUMMED);
  }
  free(x), free(outputs);
  bed_free(&b);
}

/* As many blocks as have to be, none of them longer than fits, and the last one not much shorter than the others. */
static void test_late__blocks_are_equal(void **state) {
  (void)state;
  for (size_t most = 8; most <= 256; most += 8)
    for (size_t n = 1; n <= 600; n++) {
      size_t rows = sprint__block_rows(n, most), blocks = (n + rows - 1) / rows, last = n - (blocks - 1) * rows;
      assert_true(rows >= 1 && rows <= most && blocks == (n + most - 1) / most);
      assert_true(rows - last < 8 * blocks || blocks == 1);
    }
}

/* How theta is cut for threads: of many rows all layers are; of few those whose products are cut, each where
 * its products are. */
static void test_late__theta_is_cut_as_layers_are(void **state) {
  (void)state;
  static const struct {
    const char *layers;
    bool shared[3]; /* of few rows */
  } cases[] = {{"dense 300, relu, dense 200, relu, dense 3", {true, true, false}},
               {"dense 24, relu, dense 1400, relu, dense 3", {false, false, false}}, /* 24 inputs are not cut */
               {"dense 150, relu, dense 40, relu, dense 3", {true, false, false}},
               {"dense 90, relu, dense 600, relu, dense 3", {false, true, false}}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    struct bed b = bed_of(cases[k].layers);
    struct sprint__stretch few[3], many[3];
    size_t n = 0;
    assert_int_equal(b.model->stretches.n_stretches, 3);
    assert_int_equal(b.model->stretches.n, b.model->n_params);
    sprint__model_stretches(b.model, 8, few);
    sprint__model_stretches(b.model, 64, many);
    for (size_t l = 0; l < 3; n += few[l++].n) {
      assert_int_equal(few[l].n, many[l].n);
      assert_int_equal(few[l].n_steps > 0, cases[k].shared[l]);
      if (few[l].n_steps) assert_int_equal(few[l].n_steps, many[l].n_steps);
      assert_true(many[l].n_steps > 0 && many[l].n_steps * many[l].step <= many[l].n);
    }
    assert_int_equal(n, b.model->n_params);
    bed_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_late__all_ways),         cmocka_unit_test(test_late__blocks_are_equal),
      cmocka_unit_test(test_late__losses_alone),     cmocka_unit_test(test_late__theta_is_cut_as_layers_are),
      cmocka_unit_test(test_late__outputs_after_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
