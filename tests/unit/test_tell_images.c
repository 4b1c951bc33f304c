/* Images told by reference: in parts, they are taken to the same bits as at once. */
#define _GNU_SOURCE
#include "help.h"

#include <unistd.h>

enum { N = 700, SIDE = 20, D = SIDE * SIDE, CLASSES = 3 };

static void write_idx(const char *path, const uint8_t *header, size_t n_header, size_t n, size_t each) {
  FILE *stream = fopen(path, "wb");
  assert_non_null(stream);
  fwrite(header, 1, n_header, stream);
  for (size_t i = 0; i < n * each; i++) fputc((int)(each == 1 ? i % CLASSES : i % 7 ? 0 : i * 37 % 256), stream);
  assert_int_equal(fclose(stream), 0);
}

static sprint_population *load_images(sprint_context *context) {
  static const uint8_t x[] = {0, 0, 8, 3, 0, 0, N / 256, N % 256, 0, 0, 0, SIDE, 0, 0, 0, SIDE};
  static const uint8_t y[] = {0, 0, 8, 1, 0, 0, N / 256, N % 256};
  char images[] = "/tmp/sprint-images-XXXXXX", labels[] = "/tmp/sprint-labels-XXXXXX", spec[160];
  sprint_population *population = NULL;
  close(mkstemp(images));
  close(mkstemp(labels));
  write_idx(images, x, sizeof x, N, D);
  write_idx(labels, y, sizeof y, N, 1);
  snprintf(spec, sizeof spec, "{kind: idx, images: %s, labels: %s}", images, labels);
  MUST(context, sprint_population_load(context, spec, &population, NULL));
  unlink(images);
  unlink(labels);
  return population;
}

/* theta after some steps, told in parts of `part`. */
static sprint_real *train(const char *spec, size_t part, size_t *ret_n) {
  sprint_context *context = NULL;
  sprint_model *model = NULL;
  sprint_solver *solver = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  sprint_population *images = load_images(context);
  MUST(context, sprint_model_new(context, "{layers: 'dense 16, relu, dense 3', loss: softmax}", images, &model));
  size_t n = *ret_n = sprint_model_n_params(model);
  sprint_real *theta = calloc(n, sizeof *theta);
  for (size_t i = 0; i < n; i++) theta[i] = (sprint_real)sin((double)i) / 20;
  sprint_solver_options options = {
      .size = sizeof options, .spec = spec, .model = model, .n = N, .n_strata = 1, .theta = theta};
  MUST(context, sprint_solver_new(context, &options, &solver));
  for (int call = 0; call < 4; call++) {
    sprint_want want = {.size = sizeof want};
    MUST(context, sprint_solver_ask(solver, &want));
    for (size_t at = 0, some; at < want.n; at += some) {
      uint32_t who[N];
      sprint_real y[N];
      some = part < want.n - at ? part : want.n - at;
      for (size_t i = 0; i < some; i++) {
        who[i] = (uint32_t)((at + i) * 11 % N);
        y[i] = (sprint_real)(who[i] % CLASSES);
      }
      sprint_records records = {
          .size = sizeof records, .n = some, .y = y, .images = images, .who = who, .last = at + some == want.n};
      MUST(context, sprint_solver_tell(solver, &records));
    }
  }
  assert_true(sprint_solver_counters(solver).steps > 1);
  memcpy(theta, sprint_solver_theta(solver), n * sizeof *theta);
  sprint_solver_free(solver);
  sprint_model_free(model);
  sprint_population_free(images);
  sprint_context_free(context);
  return theta;
}

static void test_tell_images__parts(void **state) {
  (void)state;
  static const char *const specs[] = {"{method: {kind: sgd, batch: 30}}", "{method: rgd}",
                                      "{method: {kind: sprint, correction: paper, batch: 30}}",
                                      "{method: {kind: rrm, inner_solver: gradient, steps: 3}}"};
  static const size_t parts[] = {1, 7, 29, 256, 333};
  size_t n = 0;
  for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
    sprint_real *whole = train(specs[s], N, &n);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
      sprint_real *theta = train(specs[s], parts[k], &n);
      assert_memory_equal(whole, theta, n * sizeof *theta);
      free(theta);
    }
    free(whole);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tell_images__parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
