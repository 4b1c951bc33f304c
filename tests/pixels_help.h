/* Images that are mostly zero, and a run on them against its slow twin: the same run on the same numbers as plain
 * features. Define _GNU_SOURCE first. */
#ifndef SPRINT_TESTS_PIXELS_HELP_H
#define SPRINT_TESTS_PIXELS_HELP_H

#include "help.h"

#include <unistd.h>

#include "base/random.h"
#include "engine/pixel_lists.h"
#include "run/run.h"

enum { N = 210, SIDE = 12, D = SIDE * SIDE, CLASSES = 3 };

static const char network[] = "{layers: 'dense 64, relu, dense 3', loss: softmax}";
static const char deep[] = "{layers: 'dense 64, relu, dense 16, relu, dense 9, tanh, dense 3', loss: softmax}";
static const char deep_relu[] = "{layers: 'dense 64, relu, dense 13, relu, dense 3', loss: softmax}";
static const char smooth[] = "{layers: 'dense 128, tanh, dense 3', loss: softmax}";

static void write_npy(const char *path, const char *shape, const uint8_t *data, size_t size) {
  char header[128];
  memset(header, ' ', sizeof header);
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
  char dict[118];
  snprintf(dict, sizeof dict, "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }", shape);
  memcpy(header + 10, dict, strlen(dict));
  header[127] = '\n';
  FILE *stream = fopen(path, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(header, 1, 128, stream), 128);
  assert_int_equal(fwrite(data, 1, size, stream), size);
  assert_int_equal(fclose(stream), 0);
}

/* Classes are bright in different thirds; four fifths of the pixels are zero, one image is all zero. */
static void write_images(const char *folder) {
  static uint8_t x[N * D], y[N];
  for (size_t i = 0; i < N; i++) {
    y[i] = (uint8_t)(i % CLASSES);
    for (size_t k = 0; k < D; k++) {
      uint64_t word = sprint__random_words(9, 0, i, (uint32_t)k).a;
      bool bright = k * CLASSES / D == y[i];
      x[i * D + k] = i == 8 || word % 10 >= (bright ? 4u : 1u) ? 0 : (uint8_t)(20 + word / 10 % 236);
    }
  }
  char path[128];
  snprintf(path, sizeof path, "%s/x.npy", folder);
  write_npy(path, "(210, 12, 12)", x, sizeof x);
  snprintf(path, sizeof path, "%s/y.npy", folder);
  write_npy(path, "(210,)", y, sizeof y);
}

static sprint_population *load_images(sprint_context *context) {
  char folder[] = "/tmp/sprint-listed-XXXXXX", spec[256], path[64];
  assert_non_null(mkdtemp(folder));
  write_images(folder);
  snprintf(spec, sizeof spec, "{kind: npy, x: %s/x.npy, y: %s/y.npy}", folder, folder);
  sprint_population *images = NULL, *heldout = NULL;
  MUST(context, sprint_population_load(context, spec, &images, &heldout));
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/%s.npy", folder, k ? "y" : "x");
    unlink(path);
  }
  rmdir(folder);
  assert_true(sprint__pixel_lists_pay(images));
  return images;
}

static sprint_population *as_features(sprint_context *context, const sprint_population *images) {
  static sprint_real x[N * D];
  sprint_population *plain = NULL;
  MUST(context, sprint_population_rows(images, NULL, 0, N, x));
  MUST(context, sprint_population_new(context, N, D, x, sprint_population_y(images), CLASSES, &plain));
  return plain;
}

struct result {
  size_t n_params, n_rows;
  sprint_real theta[20000];
  sprint_trace_row last;
};

static void go(sprint_context *context, const sprint_population *people, const char *model_spec, const char *shift_spec,
               const char *spec, const char *engine, struct result *ret_result) {
  sprint_model *model = NULL;
  sprint_shift *shift = NULL;
  sprint_run *run = NULL;
  MUST(context, sprint_model_new(context, model_spec, people, &model));
  MUST(context, sprint_shift_new(context, shift_spec, model, people, &shift));
  sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 4, .shift = shift};
  MUST(context, sprint_run_new(context, &options, &run));
  assert_string_equal(sprint_run_engine(run), engine);
  uint64_t allocations = context->n_allocations;
  MUST(context, sprint_run_go(run, NULL, NULL));
  assert_int_equal(context->n_allocations, allocations);
  assert_int_not_equal(sprint_run_stop(run), SPRINT_STOP_DIVERGED);
  ret_result->n_params = sprint_model_n_params(model);
  memcpy(ret_result->theta, sprint_run_theta(run), ret_result->n_params * sizeof(sprint_real));
  ret_result->n_rows = sprint_run_n_rows(run);
  ret_result->last = *last_row(run);
  sprint_run_free(run);
  sprint_shift_free(shift);
  sprint_model_free(model);
}

/* Steps of size 0.02: in 400 of them some thousand roundings of sums of 200 terms, each within its own, add up. */
enum { ROUNDINGS = 20000 };

static inline void compare(const char *model, const char *shift, const char *spec) {
  static struct result ours, twin, threaded;
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_population *images = load_images(context), *plain = as_features(context, images);
  MUST(context, sprint_context_set_threads(context, 1));
  go(context, images, model, shift, spec, "pixels", &ours);
  char by_plain[512];
  const char *engine = strstr(spec, "engine: {"); /* and its settings, which `plain` has too */
  int before = (int)(engine ? engine + strlen("engine: {") - spec : (ptrdiff_t)strlen(spec) - 1);
  snprintf(by_plain, sizeof by_plain, "%.*s%s%s", before, spec, engine ? "kind: plain, " : ", engine: plain",
           spec + before);
  go(context, plain, model, shift, by_plain, "plain", &twin);
  for (size_t i = 0; i < ours.n_params; i++) CLOSE(ours.theta[i], twin.theta[i], ROUNDINGS);
  CLOSE(ours.last.loss, twin.last.loss, ROUNDINGS);
  CLOSE(ours.last.gradient_sq, twin.last.gradient_sq, ROUNDINGS);
  CLOSE(ours.last.entropy, twin.last.entropy, ROUNDINGS);
  if (!isnan(twin.last.bias)) CLOSE(ours.last.bias, twin.last.bias, ROUNDINGS);
  MUST(context, sprint_context_set_threads(context, 2));
  go(context, images, model, shift, spec, "pixels", &threaded);
  assert_memory_equal(ours.theta, threaded.theta, ours.n_params * sizeof(sprint_real));
  sprint_population_free(plain);
  sprint_population_free(images);
  sprint_context_free(context);
}

#endif
