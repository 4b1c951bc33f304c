/* Runs of any shape on lists of pixels: whatever the batch, the steps of an epoch, the deployments and the end, each is
 * that of its slow twin. */
#define _GNU_SOURCE
#include "pixels_help.h"

enum { RUNS = 60 };

/* Number `which` of run k, below n. */
static size_t pick(size_t k, uint32_t which, size_t n) {
  return (size_t)sprint__below(sprint__random_words(12, 0, k, which).a, n);
}

static void test_pixels__any_run(void **state) {
  (void)state;
  static const char *const methods[] = {"kind: sgd", "kind: sprint, correction: paper",
                                        "kind: sprint, correction: coupled", "kind: sprint, correction: stratified",
                                        "kind: sprint, correction: unbiased"};
  static const char *const shifts[] = {
      "none", "{kind: retention, alpha: 0.5, losses: snapshot}", "{kind: retention, alpha: 3, losses: snapshot}",
      "{kind: retention, alpha: 0.5, losses: exact}", "{kind: retention, alpha: 1, losses: running}"};
  const char *const networks[] = {network, deep, deep_relu, smooth};
  for (size_t k = 0; k < RUNS; k++) {
    char spec[512];
    size_t inner = pick(k, 0, 3) ? 1 + pick(k, 1, 200) : 0, every = pick(k, 2, 2) ? 1 : 1 + pick(k, 3, 60);
    size_t steps = pick(k, 4, 2) ? 1 + pick(k, 5, 300) : 0;
    const char *model = networks[pick(k, 6, 4)], *shift = shifts[pick(k, 7, 5)];
    snprintf(spec, sizeof spec,
             "{method: {%s, batch: %zu, inner: %zu}, deploy: {kind: every, steps: %zu}, step: {size: 0.002}, stop: "
             "{epochs: %zu, steps: %zu}, eval: {every: %zu}}",
             methods[pick(k, 8, 5)], 1 + pick(k, 9, 18), inner, every, 1 + pick(k, 10, 4), steps, 1 + pick(k, 11, 3));
    print_message("%s, model %s, shift %s\n", spec, model, shift);
    compare(model, shift, spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pixels__any_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
