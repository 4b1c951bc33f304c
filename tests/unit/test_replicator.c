/* Replicator dynamics: closed forms at a theta that stays, a twin of a whole run, and what leaves a mark. */
#include "help.h"

#include "shift/shift.h"

enum { N = 10, CLASSES = 3, TIMES = 40 };

static const sprint_real ys[N] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 2};

/* People on a line, in three classes of 5, 3 and 2; the loss is (z - theta)^2 / 2. */
static struct world line_world(const char *shift) {
  struct world w = {0};
  sprint_real x[N];
  for (size_t i = 0; i < N; i++) x[i] = ys[i] + (sprint_real)(0.1 * (double)i);
  assert_int_equal(sprint_context_new(&w.context), SPRINT_OK);
  MUST(w.context, sprint_population_new(w.context, N, 1, x, ys, CLASSES, &w.population));
  MUST(w.context, sprint_model_new(w.context, "{loss: mean}", w.population, &w.model));
  if (shift) MUST(w.context, sprint_shift_new(w.context, shift, w.model, w.population, &w.shift));
  return w;
}

/* The mean loss and mean record of each class. */
static void classes(const struct world *w, double theta, double *ret_losses, double *ret_means) {
  double count[CLASSES] = {5, 3, 2};
  memset(ret_losses, 0, CLASSES * sizeof *ret_losses);
  memset(ret_means, 0, CLASSES * sizeof *ret_means);
  for (size_t i = 0; i < N; i++) {
    double x = (double)sprint_population_x(w->population)[i];
    size_t c = (size_t)ys[i];
    ret_losses[c] += (x - theta) * (x - theta) / 2 / count[c];
    ret_means[c] += x / count[c];
  }
}

/* p_c exp(-eta l_c) over its sum, in place. */
static void replicate(double eta, const double *losses, double *p) {
  double sum = 0;
  for (size_t c = 0; c < CLASSES; c++) sum += p[c] *= exp(-eta * losses[c]);
  for (size_t c = 0; c < CLASSES; c++) p[c] /= sum;
}

/* Oracle: p_c(t) ~ p_c(0) exp(-eta t l_c). The logarithms kept are of the size of eta t l < 10 and are rounded once at
 * each of t times: t roundings of 10. */
static void test_replicator__constant_losses(void **state) {
  (void)state;
  struct world w = line_world("{kind: replicator, eta: 0.1}");
  const sprint_real theta = (sprint_real)1.25;
  double losses[CLASSES], means[CLASSES], p[CLASSES], supposed[CLASSES];
  classes(&w, 1.25, losses, means);
  for (int t = 1; t <= TIMES; t++) {
    double expected[CLASSES] = {0.5, 0.3, 0.2};
    replicate(0.1 * t, losses, expected);
    MUST(w.context, sprint_shift_strata(w.shift, &theta, supposed)); /* if theta were deployed now */
    MUST(w.context, sprint_shift_strata(w.shift, &theta, supposed));
    MUST(w.context, sprint__shift_strata(w.shift, &theta, t == 1 ? SPRINT__AT_EPOCH : SPRINT__AT_DEPLOYMENT, p));
    for (size_t c = 0; c < CLASSES; c++) {
      CLOSE(p[c], expected[c], 10 * t);
      CLOSE(supposed[c], expected[c], 10 * t);
    }
  }
  assert_int_equal(w.shift->n_state, CLASSES);
  world_free(&w);
}

/* Classes that are served alike stay as they are: theta is where the losses of the two are equal. */
static void test_replicator__rest_point(void **state) {
  (void)state;
  struct world w = {0};
  const sprint_real x[4] = {-1, -1, -1, 1}, y[4] = {0, 0, 0, 1}, theta = 0;
  double p[2];
  assert_int_equal(sprint_context_new(&w.context), SPRINT_OK);
  MUST(w.context, sprint_population_new(w.context, 4, 1, x, y, 2, &w.population));
  MUST(w.context, sprint_model_new(w.context, "{loss: mean}", w.population, &w.model));
  MUST(w.context, sprint_shift_new(w.context, "{kind: replicator, eta: 3}", w.model, w.population, &w.shift));
  for (int t = 0; t < TIMES; t++) MUST(w.context, sprint__shift_strata(w.shift, &theta, SPRINT__AT_DEPLOYMENT, p));
  CLOSE(p[0], 0.75, 4);
  CLOSE(p[1], 0.25, 4);
  world_free(&w);
}

/* Oracle: log p_2 / p_1, from the closed form. It is below -2000 after eight deployments at 0, where class 2 is served
 * worst: a share that no number can hold, and that must not be forgotten. Sixteen at 4 bring class 2 back. */
static void test_replicator__does_not_underflow(void **state) {
  (void)state;
  struct world w = line_world("{kind: replicator, eta: 100}");
  double p[CLASSES], low[CLASSES], high[CLASSES], means[CLASSES];
  const sprint_real bad = 0, good = 4;
  classes(&w, 0, low, means);
  classes(&w, 4, high, means);
  assert_true(-800 * (low[2] - low[1]) < -2000);
  assert_true(-800 * (low[2] - low[1]) - 1600 * (high[2] - high[1]) > 1000);
  for (int t = 0; t < 8; t++) MUST(w.context, sprint__shift_strata(w.shift, &bad, SPRINT__AT_DEPLOYMENT, p));
  assert_true(p[0] == 1 && p[2] == 0);
  for (int t = 0; t < 16; t++) MUST(w.context, sprint__shift_strata(w.shift, &good, SPRINT__AT_DEPLOYMENT, p));
  assert_true(p[2] == 1 && p[0] == 0 && p[1] == 0);
  world_free(&w);
}

/* Oracle: the run again, in double: deploy, let p move, take a gradient step. Rows of the trace at each step leave no
 * mark. Sixty steps, each with roundings of a few numbers below 3 and of p's logarithms. */
static void test_replicator__run_has_a_twin(void **state) {
  (void)state;
  struct world w = line_world("{kind: replicator, eta: 0.2}");
  sprint_run *run = run_done(&w, "{method: rgd, step: {size: 0.1}, stop: {epochs: 60}}", 1);
  double losses[CLASSES], means[CLASSES];
  double twin = 0, q[CLASSES] = {0.5, 0.3, 0.2};
  for (int t = 0; t < 60; t++) {
    double slope = 0;
    classes(&w, twin, losses, means);
    replicate(0.2, losses, q);
    for (size_t c = 0; c < CLASSES; c++) slope += q[c] * (twin - means[c]);
    twin -= 0.1 * slope;
  }
  CLOSE(sprint_run_theta(run)[0], twin, 60 * 30);
  classes(&w, twin, losses, means);
  replicate(0.2, losses, q); /* a row: if theta were deployed now */
  for (size_t c = 0; c < CLASSES; c++) CLOSE(sprint_run_strata(run, sprint_run_n_rows(run) - 1)[c], q[c], 60 * 30);
  assert_int_equal(last_row(run)->cost.deployments, 60);
  sprint_run_free(run);
  world_free(&w);
}

/* `epoch`: classes move at the first deployment of an epoch, and stay until the next; a probe of everybody is exact. */
static void test_replicator__epochs_and_probe(void **state) {
  (void)state;
  struct world w = line_world("{kind: replicator, eta: 0.5, moves: epoch, losses: probe}");
  const sprint_real theta = (sprint_real)0.5;
  double losses[CLASSES], means[CLASSES], p[CLASSES], expected[CLASSES] = {0.5, 0.3, 0.2};
  classes(&w, 0.5, losses, means);
  for (int t = 0; t < 9; t++) {
    if (t % 3 == 0) replicate(0.5, losses, expected);
    MUST(w.context, sprint__shift_strata(w.shift, &theta, t % 3 ? SPRINT__AT_DEPLOYMENT : SPRINT__AT_EPOCH, p));
    for (size_t c = 0; c < CLASSES; c++) CLOSE(p[c], expected[c], 40);
  }
  assert_int_equal(w.shift->evals, 3 * N);
  world_free(&w);
}

static void test_replicator__refusals(void **state) {
  (void)state;
  struct world w = world_new("{kind: gaussian, n: 5, d: 1}", "{loss: mean}", NULL);
  REFUSED(w.context, SPRINT_ERROR_INPUT, "needs classes to grow and shrink; the data has none",
          sprint_shift_new(w.context, "replicator", w.model, w.population, &w.shift));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "key 'shift.eta'",
          sprint_shift_new(w.context, "{kind: replicator, eta: -1}", w.model, w.population, &w.shift));
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_replicator__constant_losses),    cmocka_unit_test(test_replicator__rest_point),
      cmocka_unit_test(test_replicator__does_not_underflow), cmocka_unit_test(test_replicator__run_has_a_twin),
      cmocka_unit_test(test_replicator__epochs_and_probe),   cmocka_unit_test(test_replicator__refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
