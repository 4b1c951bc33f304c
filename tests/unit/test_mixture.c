/* The mixture shift: who is replaced and by whom, the density that comes of it, and that it is a function of theta. */
#include "help.h"

#include "base/random.h"
#include "shift/shift.h"

enum { N = 12, D = 2, N_SEEDS = 4000 };

static const sprint_real theta[D + 1] = {(sprint_real)0.8, (sprint_real)-0.5, (sprint_real)0.1};

/* Two classes of 8 and 4 people, no two of them alike. */
static struct world small_world(const char *shift) {
  struct world w = {0};
  sprint_real x[N * D], y[N];
  for (size_t i = 0; i < N; i++) {
    x[i * D] = (sprint_real)(0.5 * (double)i - 2);
    x[i * D + 1] = (sprint_real)(0.25 * (double)(i * i % 7) - 1);
    y[i] = i % 3 == 2;
  }
  assert_int_equal(sprint_context_new(&w.context), SPRINT_OK);
  MUST(w.context, sprint_population_new(w.context, N, D, x, y, 2, &w.population));
  MUST(w.context, sprint_model_new(w.context, "{layers: dense 1, loss: logistic}", w.population, &w.model));
  if (shift) MUST(w.context, sprint_shift_new(w.context, shift, w.model, w.population, &w.shift));
  return w;
}

static const sprint_real *base(const struct world *w, size_t i) { return sprint_population_x(w->population) + i * D; }

/* Oracle: the probability of class 1 is 1 / (1 + exp(-f)), f = w.x + b; class 0 is the good one. */
static double rejection(const struct world *w, size_t i, double strength) {
  double f = (double)theta[D];
  for (size_t j = 0; j < D; j++) f += (double)theta[j] * (double)base(w, i)[j];
  return strength / (1 + exp(-f));
}

static void everybody(struct world *w, sprint_real *ret_x) {
  uint32_t who[N];
  for (uint32_t i = 0; i < N; i++) who[i] = i;
  MUST(w->context, sprint_shift_respond(w->shift, theta, who, N, ret_x));
}

/* The individual whose base record this is. */
static size_t whose(const struct world *w, const sprint_real *x) {
  for (size_t i = 0; i < N; i++)
    if (memcmp(base(w, i), x, D * sizeof *x) == 0) return i;
  fail_msg("a record that nobody had");
  return N;
}

/* Oracle: the definition, person by person. Nobody's g is so near their uniform number that a rounding decides. */
static void test_mixture__by_its_random_numbers(void **state) {
  (void)state;
  size_t n_replaced = 0;
  for (uint64_t seed = 0; seed < 50; seed++) {
    char spec[64];
    snprintf(spec, sizeof spec, "{kind: mixture, good: 0, strength: 0.9, seed: %d}", (int)seed);
    struct world w = small_world(spec);
    sprint_real x[N * D];
    everybody(&w, x);
    for (uint32_t i = 0; i < N; i++) {
      struct sprint__random words = sprint__random_words(seed, SPRINT__FOR_MIXTURE, 0, i);
      double gap = rejection(&w, i, 0.9) - sprint__uniform(words.a);
      size_t expected = i, c = i % 3 == 2;
      assert_true(fabs(gap) > 1e-6);
      if (gap > 0)
        expected = w.population->by_stratum[w.population->stratum_start[c] + sprint__below(words.b, c ? 4 : 8)];
      assert_int_equal(whose(&w, x + i * D), expected);
      n_replaced += expected != i;
    }
    assert_int_equal(w.shift->evals, N);
    world_free(&w);
  }
  assert_true(n_replaced > 100 && n_replaced < 50 * N - 100);
}

/* Oracle: p'(x_k | c) = (1 - g_k + C_c) / n_c, and the mean of x is that of (1 - g_i) x_i + g_i mean_c x. Over S seeds
 * the number of times that x_k shows up has the mean S (1 - g_k + C_c) and, as a sum of independent events, at most
 * that as its variance: five standard deviations are passed once in 2e6. */
static void test_mixture__density(void **state) {
  (void)state;
  struct world w = small_world(NULL);
  double count[N] = {0}, share[2] = {0}, size[2] = {8, 4};
  for (int seed = 0; seed < N_SEEDS; seed++) {
    char spec[64];
    sprint_real x[N * D];
    snprintf(spec, sizeof spec, "{kind: mixture, good: 0, strength: 0.7, seed: %d}", seed);
    MUST(w.context, sprint_shift_new(w.context, spec, w.model, w.population, &w.shift));
    everybody(&w, x);
    for (size_t i = 0; i < N; i++) count[whose(&w, x + i * D)]++;
    sprint_shift_free(w.shift);
    w.shift = NULL;
  }
  for (size_t i = 0; i < N; i++) share[i % 3 == 2] += rejection(&w, i, 0.7) / size[i % 3 == 2];
  double mean[D] = {0}, expected_mean[D] = {0}, spread[D] = {0};
  for (size_t k = 0; k < N; k++) {
    size_t c = k % 3 == 2;
    double expected = N_SEEDS * (1 - rejection(&w, k, 0.7) + share[c]);
    assert_true(fabs(count[k] - expected) < 5 * sqrt(expected));
    for (size_t j = 0; j < D; j++) {
      mean[j] += count[k] / N_SEEDS * (double)base(&w, k)[j];
      expected_mean[j] += (1 - rejection(&w, k, 0.7) + share[c]) * (double)base(&w, k)[j];
      spread[j] += (double)base(&w, k)[j] * (double)base(&w, k)[j];
    }
  }
  /* a person's record has at most four times the mean square around 0 as its variance: they differ by 4 at most */
  for (size_t j = 0; j < D; j++)
    assert_true(fabs(mean[j] - expected_mean[j]) < 5 * sqrt(4 * (spread[j] + N) / N_SEEDS));
  world_free(&w);
}

/* A function of theta alone: asked again, in other company, after another theta. A weaker rejection replaces some of
 * those whom a stronger one does, by the same people. */
static void test_mixture__is_coupled_by_identity(void **state) {
  (void)state;
  struct world w = small_world("{kind: mixture, good: 0, strength: 1}"),
               weaker = small_world("{kind: mixture, good: 0, strength: 0.4}");
  sprint_real x[N * D], again[D], other[D + 1] = {-3, 1, 2}, less[N * D];
  everybody(&w, x);
  everybody(&weaker, less);
  for (uint32_t i = N; i-- > 0;) {
    MUST(w.context, sprint_shift_respond(w.shift, other, &i, 1, again));
    MUST(w.context, sprint_shift_respond(w.shift, theta, &i, 1, again));
    assert_memory_equal(again, x + i * D, sizeof again);
    size_t who = whose(&weaker, less + i * D);
    assert_true(who == i || who == whose(&w, x + i * D));
  }
  assert_false(w.shift->keeps_records);
  world_free(&weaker);
  world_free(&w);
}

/* Oracle: at strength 1 all below the threshold are replaced, nobody above it; the good class may be the other one. */
static void test_mixture__threshold(void **state) {
  (void)state;
  struct world w = small_world("{kind: mixture, rejects: threshold, threshold: 0.4, good: 1}");
  sprint_real x[N * D];
  everybody(&w, x);
  for (uint32_t i = 0; i < N; i++) {
    struct sprint__random words = sprint__random_words(1, SPRINT__FOR_MIXTURE, 0, i);
    size_t c = i % 3 == 2, expected = i;
    if (rejection(&w, i, 1) < 0.4)
      expected = w.population->by_stratum[w.population->stratum_start[c] + sprint__below(words.b, c ? 4 : 8)];
    assert_int_equal(whose(&w, x + i * D), expected);
  }
  world_free(&w);
}

/* People from outside have no number and stay as they are. */
static void test_mixture__leaves_outsiders(void **state) {
  (void)state;
  struct world w = small_world("{kind: mixture, good: 0}");
  sprint_real x[N * D], y[N] = {0};
  memcpy(x, base(&w, 0), sizeof x);
  MUST(w.context, sprint__shift_respond(w.shift, theta, NULL, y, N, x));
  assert_memory_equal(x, base(&w, 0), sizeof x);
  world_free(&w);
}

static void test_mixture__refusals(void **state) {
  (void)state;
  struct world w = small_world(NULL);
  sprint_model *bed = NULL;
  MUST(w.context, sprint_model_new(w.context, "{loss: mean}", w.population, &bed));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "key 'shift.kind': 'mixture' needs a network that tells classes apart",
          sprint_shift_new(w.context, "mixture", bed, w.population, &w.shift));
  const char *const cases[][2] = {
      {"{kind: mixture, good: 0, strength: 1.5}", "key 'shift.strength'"},
      {"{kind: mixture, good: 0, threshold: -1}", "key 'shift.threshold'"},
      {"{kind: mixture, good: maybe}", "'maybe' is not a class"},
      {"{kind: mixture, good: 0, rejects: treshold}", "did you mean 'threshold'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    REFUSED(w.context, SPRINT_ERROR_INPUT, cases[i][1],
            sprint_shift_new(w.context, cases[i][0], w.model, w.population, &w.shift));
  sprint_model_free(bed);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mixture__by_its_random_numbers),  cmocka_unit_test(test_mixture__density),
      cmocka_unit_test(test_mixture__is_coupled_by_identity), cmocka_unit_test(test_mixture__threshold),
      cmocka_unit_test(test_mixture__leaves_outsiders),       cmocka_unit_test(test_mixture__refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
