/* Constants estimated on problems where they are known exactly. */
#include "help.h"

/* What central differences of gradients of size g lose to rounding: g eps / h with h = eps^(1/3), as they are taken;
 * nearby deployments are 0.01 apart. */
#define EPS         (sizeof(sprint_real) == 8 ? 2.3e-16 : 1.2e-7)
#define BY_POWER(g) (10 * (g)*pow(EPS, 2.0 / 3))
#define BY_PROBE(g) (10 * (g)*EPS / 0.01)

#define WITHIN(GOT, EXPECTED, BOUND)                                                        \
  do {                                                                                      \
    double got__ = (GOT), expected__ = (EXPECTED), bound__ = (BOUND);                       \
    if (!(fabs(got__ - expected__) <= bound__))                                             \
      fail_msg("%s = %.12g, expected %.12g within %.3g", #GOT, got__, expected__, bound__); \
  } while (0)

static sprint_estimates estimate(struct world *w, const sprint_real *theta, size_t sample) {
  sprint_estimate_options options = {.size = sizeof options, .shift = w->shift, .theta = theta, .sample = sample};
  sprint_estimates found = {.size = sizeof found};
  MUST(w->context, sprint_theory_estimate(w->context, &options, &found));
  return found;
}

/* l = |z - theta|^2 / 2 (+ lambda |theta|^2 / 2), z(theta') = z + epsilon theta': the Hessian of every record is (1 +
 * lambda) I; everybody moves by epsilon |theta' - theta''|; grad J moves by as much; the variance of a gradient is that
 * of z, wherever theta is; the slope in z is |z(theta) - theta|. */
static void test_estimate__location(void **state) {
  (void)state;
  const double epsilon = 0.4, lambda = 0.25;
  struct world w = world_new("{kind: gaussian, n: 300, mean: 1, standardize: none}", "{loss: mean, l2: 0.25}",
                             "{kind: location, epsilon: 0.4}");
  const sprint_real *z = sprint_population_x(w.population), theta = (sprint_real)0.5;
  double mean = 0, variance = 0, slope = 0;
  for (size_t i = 0; i < 300; i++) mean += (double)z[i] / 300;
  for (size_t i = 0; i < 300; i++) variance += ((double)z[i] - mean) * ((double)z[i] - mean) / 300;
  for (size_t i = 0; i < 300; i++) slope = fmax(slope, fabs((double)z[i] + epsilon * 0.5 - 0.5));
  sprint_estimates found = estimate(&w, &theta, 0);
  assert_int_equal(found.sample, 300);
  WITHIN(found.L.value, 1 + lambda, BY_POWER(5));
  WITHIN(found.L.least, 1 + lambda, BY_POWER(5));
  WITHIN(found.L_risk.value, 1 + lambda, BY_POWER(5));
  WITHIN(found.epsilon.value, epsilon, BY_PROBE(5));
  WITHIN(found.epsilon.least, epsilon, BY_PROBE(5));
  WITHIN(found.epsilon_sliced.value, epsilon, BY_PROBE(5)); /* on a line, a shift keeps the order: W_1 is the mean */
  WITHIN(found.kappa_g.value, epsilon, BY_PROBE(5));
  WITHIN(found.L_0.value, slope, 10 * EPS * slope);
  WITHIN(found.kappa, slope * epsilon, BY_PROBE(5) * slope);
  WITHIN(found.sigma_0, sqrt(variance), 1000 * EPS);
  WITHIN(found.sigma_0_fit, sqrt(variance), 1000 * EPS);
  WITHIN(found.sigma_1 * found.sigma_1, 0, 1000 * EPS);
  assert_true(isnan(found.epsilon_tv.value) && !found.below_zero && !found.remembers);
  double risk = 0;
  MUST(w.context, sprint_risk(w.shift, &theta, &theta, &risk, NULL, NULL));
  assert_true(found.risk == risk);
  world_free(&w);
}

/* A linear model under squared loss: the Hessian of a record is (x, 1) (x, 1)^T, that of J their mean, the Gram matrix,
 * whose largest eigenvalue is found here by powers of the matrix itself. x moves by -epsilon w, w all but the bias. */
static void test_estimate__linear(void **state) {
  (void)state;
  enum { D = 10, P = D + 1 };
  struct world w = world_new("{kind: lending, n: 200, standardize: after}", "{layers: dense 1, loss: squared}",
                             "{kind: linear, epsilon: 0.3}");
  assert_int_equal(sprint_model_n_params(w.model), P);
  sprint_real theta[P], x[200 * D];
  uint32_t who[200];
  double gram[P][P] = {{0}}, v[P], next[P], most = 0, length = 0;
  MUST(w.context, sprint_model_start(w.model, 3, theta));
  for (uint32_t i = 0; i < 200; i++) who[i] = i;
  MUST(w.context, sprint_shift_respond(w.shift, theta, who, 200, x));
  for (size_t i = 0; i < 200; i++) {
    double z[P], square = 0;
    for (size_t j = 0; j < P; j++) z[j] = j < D ? (double)x[i * D + j] : 1;
    for (size_t j = 0; j < P; j++) square += z[j] * z[j];
    for (size_t j = 0; j < P * P; j++) gram[j / P][j % P] += z[j / P] * z[j % P] / 200;
    most = fmax(most, square);
  }
  for (size_t j = 0; j < P; j++) v[j] = 1;
  for (int k = 0; k < 2000; k++) {
    length = 0;
    for (size_t i = 0; i < P; i++) {
      next[i] = 0;
      for (size_t j = 0; j < P; j++) next[i] += gram[i][j] * v[j];
      length += next[i] * next[i];
    }
    length = sqrt(length);
    for (size_t j = 0; j < P; j++) v[j] = next[j] / length;
  }
  sprint_estimates found = estimate(&w, theta, 200);
  WITHIN(found.L.value, most, BY_POWER(most * most));
  /* the iteration stops where |H v| changes by 1e-7 of itself: near enough where the second eigenvalue is not nearly
   * the first, of which it then falls short by 1e-7 / (1 - ratio^2) */
  WITHIN(found.L_risk.value, length, 1e-5 * length + BY_POWER(length * length));
  /* a direction within the weights shows all of epsilon, one with the bias in it less */
  WITHIN(found.epsilon.value, 0.3, BY_PROBE(10));
  assert_true(found.epsilon.mean < 0.3);
  world_free(&w);
}

/* Retention of two classes, z on a line: p_0 = 1/(1 + exp(alpha (l_0 - l_1))), l_0 - l_1 of slope mu_1 - mu_0 in theta.
 * The total variation is |p_0' - p_0''|, of slope alpha p_0 p_1 |mu_0 - mu_1|; grad J = theta - sum_c p_c mu_c moves by
 * |mu_0 - mu_1| times that; J by |l_0 - l_1| times. Differences over 2 r = 0.02: the third derivative of p takes at
 * most (alpha |mu_0 - mu_1| r)^2 / 6 of it. */
static void test_estimate__retention(void **state) {
  (void)state;
  const sprint_real z[] = {0, 1, 2, 2, 3, 4, 5}, y[] = {0, 0, 0, 1, 1, 1, 1};
  const double mu_0 = 1, mu_1 = 3.5, alpha = 0.5, at = 2.5;
  struct world w = {0};
  assert_int_equal(sprint_context_new(&w.context), SPRINT_OK);
  MUST(w.context, sprint_population_new(w.context, 7, 1, z, y, 2, &w.population));
  MUST(w.context, sprint_model_new(w.context, "{loss: mean}", w.population, &w.model));
  MUST(w.context, sprint_shift_new(w.context, "{kind: retention, alpha: 0.5}", w.model, w.population, &w.shift));
  const sprint_real theta = (sprint_real)at;
  double l_0 = (2.0 / 3 + (mu_0 - at) * (mu_0 - at)) / 2, l_1 = (5.0 / 4 + (mu_1 - at) * (mu_1 - at)) / 2;
  double p_0 = 1 / (1 + exp(alpha * (l_0 - l_1))), slope = alpha * p_0 * (1 - p_0) * (mu_1 - mu_0);
  double r = 0.01 * at, bound = slope * pow(alpha * (mu_1 - mu_0) * r, 2) / 6 + BY_PROBE(3);
  sprint_estimates found = estimate(&w, &theta, 0);
  WITHIN(found.epsilon_tv.value, slope, bound);
  WITHIN(found.kappa_g.value, slope * (mu_1 - mu_0), bound * (mu_1 - mu_0));
  WITHIN(found.kappa_l.value, slope * fabs(l_0 - l_1), bound);
  WITHIN(found.loss_range.value, fabs(l_0 - l_1), 10 * EPS);
  assert_true(isnan(found.epsilon.value) && isnan(found.L_0.value));
  world_free(&w);
}

static void half_square(void *user, const sprint_real *theta, const sprint_real *x, const sprint_real *y, size_t n,
                        double *ret_loss, sprint_real *ret_gradient) {
  (void)user;
  (void)y;
  for (size_t i = 0; i < n; i++) {
    double product = (double)x[i] * (double)theta[0];
    *ret_loss += product * product / 2;
    if (ret_gradient) ret_gradient[0] += (sprint_real)(product * (double)x[i]);
  }
}

/* l = (x theta)^2 / 2: the gradient x^2 theta has mean theta E x^2 and variance theta^2 Var x^2, so that sigma_0 = 0
 * and sigma_1^2 = Var x^2 / (E x^2)^2; L = max x^2. The model has no gradient in x, and is probed for L_0 along the
 * shift. */
static void test_estimate__noise_in_proportion(void **state) {
  (void)state;
  const sprint_real x[] = {1, 2, 3, 4}, y[] = {0, 0, 0, 0};
  sprint_model_callbacks own = {.size = sizeof own, .n_params = 1, .n_features = 1, .gradient = half_square};
  struct world w = {0};
  assert_int_equal(sprint_context_new(&w.context), SPRINT_OK);
  MUST(w.context, sprint_population_new(w.context, 4, 1, x, y, 0, &w.population));
  MUST(w.context, sprint_model_new_custom(w.context, &own, &w.model));
  MUST(w.context, sprint_shift_new(w.context, "none", w.model, w.population, &w.shift));
  const sprint_real theta = 2;
  const double mean = 7.5, fourth = (1 + 16 + 81 + 256) / 4.0;
  sprint_estimates found = estimate(&w, &theta, 0);
  WITHIN(found.sigma_1 * found.sigma_1, (fourth - mean * mean) / (mean * mean), 1000 * EPS);
  WITHIN(found.sigma_0 * found.sigma_0, 0, 1e4 * EPS * fourth);
  WITHIN(found.L.value, 16, BY_POWER(32 * 2));
  WITHIN(found.kappa, 0, 0);
  sprint_shift_free(w.shift);
  MUST(w.context, sprint_shift_new(w.context, "{kind: location, epsilon: 1}", w.model, w.population, &w.shift));
  found = estimate(&w, &theta, 0);
  /* records are x + theta, 6 the largest: the slope x theta^2 between two of them is exact for a quadratic */
  WITHIN(found.L_0.value, 6 * 4, BY_PROBE(100));
  world_free(&w);
}

/* Two samples of five on a line: the best of all 120 couplings is what sorting finds. */
static void test_estimate__sliced_w1(void **state) {
  (void)state;
  enum { N = 5 };
  const sprint_real a[] = {3, -1, 4, 1, -5}, b[] = {9, 2, -6, 5, 3};
  double best = INFINITY, one = 1, got = 0;
  for (int code = 0; code < 3125; code++) {
    int used = 0, rest = code;
    double sum = 0;
    for (int i = 0; i < N; i++, rest /= N) {
      used |= 1 << rest % N;
      sum += fabs((double)a[i] - (double)b[rest % N]) / N;
    }
    if (used == (1 << N) - 1) best = fmin(best, sum);
  }
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  MUST(context, sprint_sliced_w1(context, a, b, N, 1, &one, 1, &got));
  WITHIN(got, best, 1e-14);
  /* in the plane, moved by (3, 4): 3 and 4 along the axes, 5 along the move, 0 across it */
  const sprint_real x[] = {0, 0, 1, 2, -3, 5}, y[] = {3, 4, 4, 6, 0, 9};
  const double directions[] = {1, 0, 0, 1, 0.6, 0.8, -0.8, 0.6};
  MUST(context, sprint_sliced_w1(context, x, y, 3, 2, directions, 4, &got));
  WITHIN(got, (3 + 4 + 5 + 0) / 4.0, 1e-14);
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "at least one of each",
          sprint_sliced_w1(context, x, y, 0, 2, directions, 4, &got));
  sprint_context_free(context);
}

static void test_estimate__same_at_any_thread_count(void **state) {
  (void)state;
  struct world w = world_new("{kind: lending, n: 3000}", "{layers: \"dense 8, relu, dense 1\", loss: logistic}",
                             "{kind: strategic, good: 0, alpha: 0.2}");
  sprint_real *theta = calloc(sprint_model_n_params(w.model), sizeof *theta);
  MUST(w.context, sprint_model_start(w.model, 1, theta));
  MUST(w.context, sprint_context_set_threads(w.context, 1));
  sprint_estimates one = estimate(&w, theta, 200);
  MUST(w.context, sprint_context_set_threads(w.context, 3));
  sprint_estimates three = estimate(&w, theta, 200);
  assert_int_equal(one.sample, 200);
  assert_memory_equal(&one.kappa, &three.kappa, sizeof one.kappa);
  assert_memory_equal(&one.L, &three.L, sizeof one.L);
  assert_memory_equal(&one.L_risk, &three.L_risk, sizeof one.L_risk);
  assert_memory_equal(&one.epsilon_sliced, &three.epsilon_sliced, sizeof one.epsilon_sliced);
  assert_memory_equal(&one.sigma_0, &three.sigma_0, sizeof one.sigma_0);
  free(theta);
  world_free(&w);
}

static void test_estimate__what_cannot_be(void **state) {
  (void)state;
  struct world w = world_new("{kind: gaussian, n: 30, mean: -2, standardize: none}", "{loss: linear}",
                             "{kind: location, epsilon: 0.4}");
  sprint_estimates found = {.size = sizeof found};
  const sprint_real nowhere = (sprint_real)NAN, theta = 1;
  sprint_estimate_options options = {.size = sizeof options, .shift = w.shift, .theta = &nowhere};
  REFUSED(w.context, SPRINT_ERROR_INPUT, "not finite", sprint_theory_estimate(w.context, &options, &found));
  options.theta = NULL;
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "are needed", sprint_theory_estimate(w.context, &options, &found));
  options.theta = &theta;
  options.radius = -1;
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "radius is -1", sprint_theory_estimate(w.context, &options, &found));
  assert_true(estimate(&w, &theta, 0).below_zero); /* theta z, z around -2 */
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_estimate__location),       cmocka_unit_test(test_estimate__linear),
      cmocka_unit_test(test_estimate__retention),      cmocka_unit_test(test_estimate__noise_in_proportion),
      cmocka_unit_test(test_estimate__sliced_w1),      cmocka_unit_test(test_estimate__same_at_any_thread_count),
      cmocka_unit_test(test_estimate__what_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
