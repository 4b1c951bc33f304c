/* A second implementation of the whole loop, written from docs/math.md section 3 in the plainest way for logistic
 * regression with the strategic shift, reweighted or not: theta after two epochs must agree with the driver's. */
#include "help.h"

#include "base/random.h"
#include "population/population.h"

enum { N = 60, D = 10, P = D + 1, B = 4, M = 7, EPOCHS = 2 };
static const double alpha = 0.5, gamma_step = 0.3, l2 = 0.02;

static double sigma(double v) { return 1 / (1 + exp(-v)); }

/* p_1(theta'): how often defaulters show up, when the shift reweights. */
static double share(const double *theta) { return 0.15 + 0.6 * sigma(theta[0] - theta[3]); }

struct twin {
  const sprint_population *population;
  bool reweights;
};

/* x_i(theta'): the good class is 0, its logit -(w.x + b). */
static void record(const struct twin *t, const double *deployed, size_t i, double *x) {
  for (size_t j = 0; j < D; j++) x[j] = (double)t->population->x[i * D + j] - alpha * deployed[j];
}

/* g += weight * grad l(x, y_i; theta), l2 on the weights alone. */
static void add_gradient(const struct twin *t, const double *x, size_t i, const double *theta, double weight,
                         double *g) {
  double f = theta[D];
  for (size_t j = 0; j < D; j++) f += theta[j] * x[j];
  double delta = sigma(f) - (double)t->population->y[i];
  for (size_t j = 0; j < D; j++) g[j] += weight * (delta * x[j] + l2 * theta[j]);
  g[D] += weight * delta;
}

static double p_of(const struct twin *t, const double *theta, size_t c) {
  size_t n_1 = 0;
  for (size_t i = 0; i < N; i++) n_1 += t->population->y[i] > 0;
  double p_1 = t->reweights ? share(theta) : (double)n_1 / N;
  return c ? p_1 : 1 - p_1;
}

/* The per-class snapshot gradients g_c (2, P) at theta~ under D(theta~). */
static void snapshot(const struct twin *t, const double *anchor, double g[2][P]) {
  memset(g, 0, 2 * sizeof g[0]);
  size_t count[2] = {0, 0};
  for (size_t i = 0; i < N; i++) count[t->population->y[i] > 0]++;
  for (size_t i = 0; i < N; i++) {
    size_t c = t->population->y[i] > 0;
    double x[D];
    record(t, anchor, i, x);
    add_gradient(t, x, i, anchor, 1.0 / (double)count[c], g[c]);
  }
}

/* Draw j of the batch of a step, by the sampler's definition: c from the first word, i within c from the second. */
static size_t draw(const struct twin *t, const double *theta, uint64_t seed, uint64_t step, uint32_t j) {
  struct sprint__random words = sprint__random_words(seed, SPRINT__FOR_DRAWS, step, j);
  if (!t->reweights) return (size_t)sprint__below(words.b, N);
  size_t c = sprint__uniform(words.a) >= 1 - share(theta), members[N], n = 0;
  for (size_t i = 0; i < N; i++)
    if ((t->population->y[i] > 0) == c) members[n++] = i;
  return members[sprint__below(words.b, n)];
}

static void run_twin(const struct twin *t, bool coupled, bool stratified, uint64_t seed, double *theta) {
  uint64_t step = 0;
  for (int epoch = 0; epoch < EPOCHS; epoch++) {
    double anchor[P], g[2][P];
    memcpy(anchor, theta, sizeof anchor);
    snapshot(t, anchor, g);
    for (int k = 0; k < M; k++, step++) {
      double v[P], x[D];
      const double *weights_of = stratified ? theta : anchor;
      for (size_t j = 0; j < P; j++) v[j] = p_of(t, weights_of, 0) * g[0][j] + p_of(t, weights_of, 1) * g[1][j];
      for (uint32_t j = 0; j < B; j++) {
        size_t i = draw(t, theta, seed, step, j);
        record(t, theta, i, x);
        add_gradient(t, x, i, theta, 1.0 / B, v);
        record(t, coupled ? anchor : theta, i, x);
        add_gradient(t, x, i, anchor, -1.0 / B, v);
      }
      for (size_t j = 0; j < P; j++) theta[j] -= gamma_step * v[j];
    }
  }
}

/* The same shift for the library, as callbacks around the built-in response. */
static sprint_status respond(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                             size_t n, sprint_real *x) {
  (void)user;
  (void)who;
  (void)y;
  for (size_t i = 0; i < n * D; i++) x[i] -= alpha * deployed[i % D];
  return SPRINT_OK;
}

static sprint_status strata(void *user, const sprint_real *deployed, double *ret_p) {
  (void)user;
  ret_p[1] = share(deployed);
  ret_p[0] = 1 - ret_p[1];
  return SPRINT_OK;
}

static void compare(bool reweights, const char *correction, bool coupled, bool stratified) {
  struct world w =
      world_new("{kind: lending, n: 4000, select: balanced, size: 60}", "{layers: dense 1, loss: logistic, l2: 0.02}",
                reweights ? NULL : "{kind: strategic, good: 0, alpha: 0.5}");
  sprint_shift_callbacks callbacks = {sizeof callbacks, NULL, respond, strata, NULL};
  if (reweights) MUST(w.context, sprint_shift_new_custom(w.context, &callbacks, w.model, w.population, &w.shift));
  char spec[160];
  snprintf(spec, sizeof spec,
           "{method: {kind: sprint, correction: %s, batch: %d, inner: %d}, step: {size: 0.3}, stop: {epochs: %d}}",
           correction, B, M, EPOCHS);
  double theta[P];
  MUST(w.context, sprint_model_start(w.model, 77, theta));
  struct twin t = {w.population, reweights};
  run_twin(&t, coupled, stratified, 77, theta);
  sprint_run *run = run_done(&w, spec, 77);
  for (size_t j = 0; j < P; j++) CLOSE(sprint_run_theta(run)[j], theta[j], 2000); /* 14 steps of 60-term sums */
  sprint_run_free(run);
  world_free(&w);
}

static void test_twin__transport(void **state) {
  (void)state;
  compare(false, "paper", false, false);
  compare(false, "coupled", true, false);
  compare(false, "stratified", false, true);
  compare(false, "unbiased", true, true);
}

static void test_twin__transport_and_reweighting(void **state) {
  (void)state;
  compare(true, "paper", false, false);
  compare(true, "coupled", true, false);
  compare(true, "stratified", false, true);
  compare(true, "unbiased", true, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_twin__transport),
      cmocka_unit_test(test_twin__transport_and_reweighting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
