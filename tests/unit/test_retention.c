/* The retention shift: probabilities against an independent computation, the four ways to know the class losses, and
 * the bias of the four corrections under reweighting. */
#include "help.h"

#include "population/population.h"
#include "shift/shift.h"

static const char lending[] = "{kind: lending, n: 3000, select: balanced, size: 200}";
static const char network[] = "{layers: 'dense 6, tanh, dense 2', loss: softmax, l2: 0.01}";

enum { P = 80 };

/* The mean losses of the two classes at theta, row by row through the public gradient call, penalty taken off. */
static void class_losses(struct world *w, const sprint_real *theta, double *ret_losses, double *ret_penalty) {
  double penalty = 0, count[2] = {0, 0};
  for (size_t k = 0; k < P; k++)
    if (k < 60 || (k >= 66 && k < 78)) penalty += 0.01 / 2 * (double)theta[k] * (double)theta[k]; /* weights alone */
  ret_losses[0] = ret_losses[1] = 0;
  for (size_t i = 0; i < 200; i++) {
    sprint_batch row = {sizeof row, 1, sprint_population_x(w->population) + 10 * i,
                        sprint_population_y(w->population) + i};
    double loss = 0;
    MUST(w->context, sprint_model_gradient(w->model, theta, &row, &loss, NULL, NULL, NULL));
    size_t c = (size_t)row.y[0];
    ret_losses[c] += loss - penalty;
    count[c]++;
  }
  for (size_t c = 0; c < 2; c++) ret_losses[c] /= count[c];
  if (ret_penalty) *ret_penalty = penalty;
}

/* Oracle: p_1 / p_0 = exp(-alpha (l_1 - l_0)). */
static void test_retention__probabilities(void **state) {
  (void)state;
  struct world w = world_new(lending, network, "{kind: retention, alpha: 5}");
  sprint_real theta[P];
  double losses[2], p[2];
  assert_int_equal(sprint_model_n_params(w.model), P);
  MUST(w.context, sprint_model_start(w.model, 3, theta));
  class_losses(&w, theta, losses, NULL);
  MUST(w.context, sprint_shift_strata(w.shift, theta, p));
  CLOSE(p[1], 1 / (1 + exp(5 * (losses[1] - losses[0]))), 500);
  CLOSE(p[0] + p[1], 1, 4);
  world_free(&w);
}

/* At alpha 1e6 naive exponentials underflow; the smallest loss keeps all the mass. */
static void test_retention__does_not_underflow(void **state) {
  (void)state;
  struct world w = world_new(lending, network, "{kind: retention, alpha: 1e6}");
  sprint_real theta[P];
  double losses[2], p[2];
  MUST(w.context, sprint_model_start(w.model, 3, theta));
  class_losses(&w, theta, losses, NULL);
  MUST(w.context, sprint_shift_strata(w.shift, theta, p));
  assert_true(p[losses[0] < losses[1] ? 0 : 1] == 1.0);
  world_free(&w);
}

static void at(struct world *w, const sprint_real *theta, enum sprint__moment moment, double *p) {
  MUST(w->context, sprint__shift_strata(w->shift, theta, moment, p));
}

/* `snapshot` answers with the losses of the newest refresh; looking is always exact and leaves no mark. */
static void test_retention__snapshot_is_refreshed_seldom(void **state) {
  (void)state;
  struct world w = world_new(lending, network, "{kind: retention, alpha: 5, losses: snapshot}");
  sprint_real first[P], second[P];
  double p_first[2], p_second[2], p[2];
  MUST(w.context, sprint_model_start(w.model, 1, first));
  MUST(w.context, sprint_model_start(w.model, 2, second));
  at(&w, first, SPRINT__AT_EVALUATION, p_first);
  at(&w, second, SPRINT__AT_EVALUATION, p_second);
  assert_true(fabs(p_first[0] - p_second[0]) > 0.01);
  at(&w, first, SPRINT__AT_EPOCH, p);
  CLOSE(p[0], p_first[0], 50);
  at(&w, second, SPRINT__AT_EVALUATION, p);
  at(&w, second, SPRINT__AT_DEPLOYMENT, p);
  CLOSE(p[0], p_first[0], 50);
  at(&w, second, SPRINT__AT_EPOCH, p);
  CLOSE(p[0], p_second[0], 50);
  world_free(&w);
}

/* `running`: l_c moves by the rate towards the batch's mean, for the classes that were drawn. */
static void test_retention__running_means(void **state) {
  (void)state;
  struct world w = world_new(lending, network, "{kind: retention, alpha: 5, losses: running, rate: 0.25}");
  sprint_real theta[P], x[10], y[1];
  double p[2], losses[2], loss = 0;
  MUST(w.context, sprint_model_start(w.model, 1, theta));
  at(&w, theta, SPRINT__AT_DEPLOYMENT, p);
  class_losses(&w, theta, losses, NULL);
  uint32_t who = 4;
  memcpy(x, sprint_population_x(w.population) + 40, sizeof x);
  y[0] = sprint_population_y(w.population)[4];
  size_t c = (size_t)y[0];
  struct sprint__sums sums = {0, 0, NULL};
  sprint_batch row = {sizeof row, 1, x, y};
  struct sprint__rows rows = sprint__rows_of(&row);
  sprint__model_sums(w.model, theta, &rows, &sums, NULL);
  loss = sums.loss;
  MUST(w.context, w.shift->ops->drawn(w.shift, theta, &(struct sprint__drawn){.n = 1, .who = &who, .y = y, .x = x}));
  losses[c] += 0.25 * (loss - losses[c]);
  at(&w, theta, SPRINT__AT_DEPLOYMENT, p);
  CLOSE(p[1], 1 / (1 + exp(5 * (losses[1] - losses[0]))), 500);
  double told[] = {0.5, 2, 0.25}; /* it takes losses that it is told, as they are */
  sprint_real classes[] = {1, 0, 1};
  uint64_t evals = w.shift->evals;
  MUST(w.context, w.shift->ops->drawn(w.shift, theta, &(struct sprint__drawn){.n = 3, .y = classes, .losses = told}));
  losses[0] += 0.25 * (2 - losses[0]);
  losses[1] += 0.25 * (0.375 - losses[1]);
  at(&w, theta, SPRINT__AT_DEPLOYMENT, p);
  CLOSE(p[1], 1 / (1 + exp(5 * (losses[1] - losses[0]))), 500);
  assert_int_equal(w.shift->evals, evals + 3); /* which count as what they simulate */
  world_free(&w);
}

/* A probe of everybody is exact; a smaller one is near, and its cost is its size. */
static void test_retention__probe(void **state) {
  (void)state;
  struct world all = world_new(lending, network, "{kind: retention, alpha: 5, losses: probe, probe: 1000}");
  struct world few = world_new(lending, network, "{kind: retention, alpha: 5, losses: probe, probe: 20}");
  sprint_real theta[P];
  double exact[2], p[2];
  MUST(all.context, sprint_model_start(all.model, 1, theta));
  at(&all, theta, SPRINT__AT_EVALUATION, exact);
  at(&all, theta, SPRINT__AT_DEPLOYMENT, p);
  CLOSE(p[0], exact[0], 50);
  at(&few, theta, SPRINT__AT_DEPLOYMENT, p);
  assert_int_equal(few.shift->evals, 40);
  assert_true(p[0] != exact[0] && fabs(p[0] - exact[0]) < 0.3);
  world_free(&all);
  world_free(&few);
}

/* The bias at the end of two epochs, by enumeration of all draws under the deployed probabilities. */
static double bias_of(const char *shift, const char *correction) {
  struct world w = world_new(lending, network, shift);
  char spec[160];
  snprintf(spec, sizeof spec,
           "{method: {kind: sprint, correction: %s, batch: 4}, step: {size: 0.05}, stop: {epochs: 2}}", correction);
  sprint_run *run = run_done(&w, spec, 5);
  double bias = last_row(run)->bias;
  assert_true(last_row(run)->effective_classes > 1 && last_row(run)->effective_classes < 2);
  sprint_run_free(run);
  world_free(&w);
  return bias;
}

static void test_retention__bias_of_the_corrections(void **state) {
  (void)state;
  static const char *const ways[] = {"exact", "probe", "running", "snapshot"};
  for (size_t i = 0; i < 4; i++) {
    char shift[64];
    snprintf(shift, sizeof shift, "{kind: retention, alpha: 3, losses: %s}", ways[i]);
    CLOSE(bias_of(shift, "stratified"), 0, 100);
    CLOSE(bias_of(shift, "unbiased"), 0, 100);
    bool fixed = i == 3; /* probabilities that only a snapshot changes are the snapshot's: nobody is off */
    assert_true(fixed ? bias_of(shift, "paper") < 1e-5 : bias_of(shift, "paper") > 1e-4);
    assert_true(fixed ? bias_of(shift, "coupled") < 1e-5 : bias_of(shift, "coupled") > 1e-4);
  }
}

/* Features that move and classes that leave: `unbiased` alone is exact. */
static void test_both__bias_of_the_corrections(void **state) {
  (void)state;
  static const char shift[] =
      "{kind: both, response: {kind: strategic, good: 0, alpha: 0.5}, strata: {kind: retention, alpha: 3}}";
  CLOSE(bias_of(shift, "unbiased"), 0, 100);
  assert_true(bias_of(shift, "paper") > 1e-3);
  assert_true(bias_of(shift, "coupled") > 1e-4);
  assert_true(bias_of(shift, "stratified") > 1e-3);
}

static void test_both__counts_and_refuses(void **state) {
  (void)state;
  struct world w =
      world_new(lending, network,
                "{kind: both, response: {kind: strategic, good: 0}, strata: {kind: retention, losses: snapshot}}");
  sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 50}, stop: {epochs: 1}}", 5);
  assert_int_equal(last_row(run)->cost.shift_evals, 200 + 4 * 50); /* one refresh, four batches */
  sprint_run_free(run);
  sprint_shift *shift = NULL;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "a shift that moves features",
          sprint_shift_new(w.context, "{kind: both, response: retention}", w.model, w.population, &shift));
  REFUSED(w.context, SPRINT_ERROR_INPUT, "a shift that reweights",
          sprint_shift_new(w.context,
                           "{kind: both, response: {kind: strategic, good: 0}, strata: {kind: strategic, good: 0}}",
                           w.model, w.population, &shift));
  world_free(&w);
  w = world_new("{kind: gaussian, n: 10}", "{loss: mean}", NULL);
  REFUSED(w.context, SPRINT_ERROR_INPUT, "needs classes",
          sprint_shift_new(w.context, "{kind: retention}", w.model, w.population, &shift));
  world_free(&w);
}

/* theta that is finite but so large that losses are not: a stop reason with its trace, not a failure. */
static void test_retention__diverging_is_a_stop_reason(void **state) {
  (void)state;
  static const char *const ways[] = {"exact", "running"};
  for (size_t i = 0; i < 2; i++) {
    char shift[64];
    snprintf(shift, sizeof shift, "{kind: retention, alpha: 2, losses: %s}", ways[i]);
    struct world w = world_new(lending,
                               "{layers: 'dense 32, dense 32, dense 32, dense 32, dense 32, dense 32, dense 2', loss: "
                               "softmax, init: kaiming-normal}",
                               shift);
    sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 20}, step: {size: 1e5}, stop: {epochs: 50}}", 1);
    assert_int_equal(sprint_run_stop(run), SPRINT_STOP_DIVERGED);
    assert_true(isnan(last_row(run)->loss) || last_row(run)->loss > 1e3);
    sprint_run_free(run);
    world_free(&w);
  }
}

/* Every deployment of this run is the first of its epoch, so that `snapshot` is `exact`, also after epochs without one.
 */
static void test_retention__snapshot_survives_epochs_without_deployment(void **state) {
  (void)state;
  static const char *const ways[] = {"exact", "snapshot"};
  double loss[2];
  for (size_t i = 0; i < 2; i++) {
    char shift[64];
    snprintf(shift, sizeof shift, "{kind: retention, alpha: 3, losses: %s}", ways[i]);
    struct world w = world_new(lending, network, shift);
    sprint_run *run =
        run_done(&w, "{method: rgd, step: {size: 0.5}, deploy: {kind: every, steps: 2}, stop: {epochs: 9}}", 1);
    loss[i] = last_row(run)->loss;
    sprint_run_free(run);
    world_free(&w);
  }
  CLOSE(loss[1], loss[0], 2000); /* the state keeps losses in the build's precision */
}

/* The row's losses under the probabilities and at base frequencies, against the class losses (100 rows a class); `both`
 * at base records. */
static void test_retention__base_losses_of_the_trace(void **state) {
  (void)state;
  static const char *const shifts[] = {
      "{kind: retention, alpha: 5}",
      "{kind: both, response: {kind: strategic, good: 0, alpha: 0.5}, strata: {kind: retention, alpha: 5}}"};
  for (size_t i = 0; i < 2; i++) {
    struct world w = world_new(lending, network, shifts[i]);
    sprint_run *run = run_done(&w, "{method: {kind: sgd, batch: 20}, step: {size: 0.1}, stop: {epochs: 2}}", 1);
    const sprint_trace_row *row = last_row(run);
    double losses[2], p[2], penalty = 0;
    class_losses(&w, sprint_run_theta(run), losses, &penalty);
    MUST(w.context, sprint_shift_strata(w.shift, sprint_run_theta(run), p));
    assert_true(fabs(p[0] - 0.5) > 0.01);
    CLOSE(row->loss_base, (losses[0] + losses[1]) / 2 + penalty, 500);
    if (i == 0) CLOSE(row->loss, p[0] * losses[0] + p[1] * losses[1] + penalty, 500);
    sprint_run_free(run);
    world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_retention__probabilities),
      cmocka_unit_test(test_retention__does_not_underflow),
      cmocka_unit_test(test_retention__snapshot_is_refreshed_seldom),
      cmocka_unit_test(test_retention__running_means),
      cmocka_unit_test(test_retention__probe),
      cmocka_unit_test(test_retention__base_losses_of_the_trace),
      cmocka_unit_test(test_retention__bias_of_the_corrections),
      cmocka_unit_test(test_retention__diverging_is_a_stop_reason),
      cmocka_unit_test(test_retention__snapshot_survives_epochs_without_deployment),
      cmocka_unit_test(test_both__bias_of_the_corrections),
      cmocka_unit_test(test_both__counts_and_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
