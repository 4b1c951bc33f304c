/* Kernels read and write nothing outside their arrays: each ends where a page does that nobody may touch, and what a
 * layer works in holds NaN, as another may have left it, which no result may show. AddressSanitizer sees none of this,
 * as it has neither AVX2 nor AVX-512. Shapes are drawn; oracle: the processor. */
#define _GNU_SOURCE
#include "help.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/team.h"
#include "model/dense.h"
#include "model/layer.h"

static sprint_context alone = {.n_threads = 1};

/* n numbers that end with a page. */
struct room {
  void *pages;
  size_t size, n;
  sprint_real *values;
};

static struct room new_room(size_t n) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = n * sizeof(sprint_real);
  struct room room = {.size = ((bytes + page - 1) / page + 1) * page, .n = n};
  room.pages = mmap(NULL, room.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(room.pages, MAP_FAILED);
  assert_int_equal(mprotect((char *)room.pages + room.size - page, page, PROT_NONE), 0);
  room.values = (sprint_real *)(void *)((char *)room.pages + room.size - page - bytes);
  return room;
}

static void free_room(struct room *room) { munmap(room->pages, room->size); }

static uint32_t below(uint32_t *seed, uint32_t n) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % n;
}

/* One or more, few as often as many. */
static size_t some(uint32_t *seed, uint32_t few, uint32_t many) { return 1 + below(seed, below(seed, 2) ? few : many); }

static struct room new_numbers(size_t n, uint32_t *seed) {
  struct room room = new_room(n);
  for (size_t i = 0; i < n; i++) room.values[i] = (sprint_real)below(seed, 2001) / 1000 - 1;
  return room;
}

static void assert_numbers(const struct room *room, const struct sprint__layer *layer, size_t n, const char *what) {
  for (size_t i = 0; i < room->n; i++)
    if (isnan(room->values[i]))
      fail_msg("%s: %zux%zux%zu to %zu planes, %zux%zu, stride %zu, %zu records: element %zu is not a number", what,
               layer->from.channels, layer->from.height, layer->from.width, layer->to.channels, layer->kernel[0],
               layer->kernel[1], layer->stride, n, i);
}

/* There and back. */
static void try_layer(const struct sprint__layer *layer, size_t n, uint32_t *seed) {
  size_t n_theta = layer->n_weights + layer->n_biases;
  struct room theta = new_numbers(n_theta, seed), x = new_numbers(n * layer->in, seed),
              dy = new_numbers(n * layer->out, seed), gradient = new_numbers(n_theta, seed),
              y = new_room(n * layer->out), saved = new_room(n * (layer->out + layer->saved)),
              dx = new_room(n * layer->in), scratch = new_room(layer->scratch);
  memset(scratch.values, 0xff, scratch.n * sizeof *scratch.values);
  layer->ops->forward(layer, theta.values, x.values, n, saved.values, scratch.values);
  memcpy(y.values, saved.values, y.n * sizeof *y.values);
  layer->ops->backward(layer, theta.values, x.values, saved.values, n, dy.values, dx.values,
                       n_theta ? gradient.values : NULL, below(seed, 2), scratch.values);
  assert_numbers(&y, layer, n, "y");
  assert_numbers(&dx, layer, n, "dx");
  assert_numbers(&gradient, layer, n, "gradient");
  struct room *all[] = {&theta, &x, &dy, &gradient, &y, &saved, &dx, &scratch};
  for (size_t r = 0; r < sizeof all / sizeof all[0]; r++) free_room(all[r]);
}

/* Whether there is such a layer; its orders of images are drawn. */
static bool set_up(struct sprint__layer *layer, const sprint_kind *kind, const struct sprint__shape *from,
                   const struct sprint__argument *arguments, uint32_t *seed) {
  *layer = (struct sprint__layer){.kind = kind, .ops = kind->ops, .from = *from, .context = &alone};
  layer->in = sprint__shape_size(from);
  if (layer->ops->setup(layer, arguments)) return false;
  layer->out = sprint__shape_size(&layer->to);
  layer->last_in = below(seed, 2);
  layer->last_out = below(seed, 2);
  return true;
}

static void test_bounds__images(void **state) {
  (void)state;
  uint32_t seed = 1;
  for (int trial = 0; trial < 160; trial++) {
    struct sprint__shape shape = {some(&seed, 9, 70), 3 + below(&seed, 18), 3 + below(&seed, 18)};
    size_t side = 1 + 2 * below(&seed, 3), n = some(&seed, 8, 20);
    struct sprint__argument pool = {.number = 2}, conv[] = {{.number = (int64_t)some(&seed, 9, 70)},
                                                            {.number = (int64_t)side, .second = (int64_t)side},
                                                            {.choice = below(&seed, 2)},
                                                            {.number = below(&seed, 4) ? 1 : 2}};
    struct sprint__layer layers[3];
    if (!set_up(&layers[0], &sprint__layer_conv, &shape, conv, &seed)) continue;
    if (set_up(&layers[1], &sprint__layer_relu, &layers[0].to, NULL, &seed) &&
        set_up(&layers[2], &sprint__layer_maxpool, &layers[0].to, &pool, &seed)) {
      try_layer(&layers[2], n, &seed);
      if (below(&seed, 2)) sprint__conv_pool_absorb(layers, 3);
    }
    try_layer(&layers[0], n, &seed);
  }
}

static void try_dense(size_t n, size_t in, size_t out, uint32_t *seed) {
  struct room theta = new_numbers(in * out + out, seed), x = new_numbers(n * in, seed), dy = new_numbers(n * out, seed),
              gradient = new_numbers(in * out + out, seed), y = new_room(n * out), dx = new_room(n * in);
  struct sprint__dense dense = {.in = in, .out = out, .theta = theta.values, .relu = below(seed, 2)};
  sprint__dense_forward(&dense, x.values, n, y.values);
  sprint__dense_weight(&dense, x.values, dy.values, n, below(seed, 2), gradient.values);
  sprint__dense_input(&dense, dy.values, n, below(seed, 2) ? x.values : NULL, dx.values);
  struct room *all[] = {&theta, &x, &dy, &gradient, &y, &dx};
  for (size_t r = 0; r < sizeof all / sizeof all[0]; r++) free_room(all[r]);
}

static void test_bounds__dense(void **state) {
  (void)state;
  uint32_t seed = 2;
  for (int trial = 0; trial < 800; trial++)
    try_dense(some(&seed, 14, 150), some(&seed, 40, 400), some(&seed, 40, 400), &seed);
  try_dense(5, 1050, 1030, &seed);
  try_dense(11, 1033, 1041, &seed);
  try_dense(40, 1033, 1041, &seed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bounds__images),
      cmocka_unit_test(test_bounds__dense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
