/* The bias in the trace, against grad J(theta; theta) and against grad J(theta; deployed): for every method that there
 * is, greedy and lazy. */
#include "help.h"

#include "run/run.h"

enum { MOST = 128 };
static const char lending[] = "{kind: lending, n: 120}";
static const char network[] = "{layers: 'dense 4, tanh, dense 1', loss: logistic}";

static const char *const shifts[] = {
    "{kind: strategic, good: '0', alpha: 0.4}",
    "{kind: retention, alpha: 3, losses: exact}",
    ("{kind: both, response: {kind: strategic, good: '0', alpha: 0.4}, "
     "strata: {kind: retention, alpha: 3, losses: exact}}"),
};

/* What an observer sees of the last two rows. */
struct seen {
  sprint_real before[MOST], now[MOST];
};

static bool see(void *user, const sprint_run *run, const sprint_trace_row *row, const sprint_counters *cost) {
  (void)cost;
  struct seen *seen = user;
  size_t size = sprint_model_n_params(run->shift->model) * sizeof(sprint_real);
  if (!row) return true;
  memcpy(seen->before, seen->now, size);
  memcpy(seen->now, sprint_run_theta(run), size);
  return true;
}

static void gradient(struct world *w, const sprint_real *theta, const sprint_real *deployed, double *ret_gradient) {
  MUST(w->context, sprint_risk(w->shift, theta, deployed, NULL, NULL, ret_gradient));
}

static double apart(const double *a, const double *b, size_t n) {
  double square = 0;
  for (size_t i = 0; i < n; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(square);
}

/* Oracle: grad J by itself. With K = m the newest deployment is of the theta of the row before, and the snapshot's:
 * E[v] is grad J(theta; that) for every method that says what it expects. Greedy, every step is of the theta that it
 * deployed. Gradients of order 1 are sums over 120 records, each right to some roundings: 100 of them are allowed. */
static void test_bias__of_every_method(void **state) {
  (void)state;
  static const char *const policies[] = {"greedy", "{kind: every, steps: 0}"};
  size_t known = 0, lagged = 0;
  for (size_t k = 0; k < sprint__method_family.n_kinds; k++)
    for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++)
      for (size_t p = 0; p < 2; p++) {
        const char *method = sprint__method_family.kinds[k]->name;
        struct world w = world_new(lending, network, shifts[s]);
        char spec[240];
        snprintf(spec, sizeof spec,
                 "{method: {kind: %s, batch: 4, inner: 5}, step: {size: 0.2}, deploy: %s, stop: {epochs: 2}}", method,
                 policies[p]);
        sprint_run_options options = {.size = sizeof options, .spec = spec, .seed = 3, .shift = w.shift};
        sprint_run *run = NULL;
        struct seen seen = {{0}, {0}};
        double here[MOST], there[MOST];
        size_t n = sprint_model_n_params(w.model);
        assert_true(n <= MOST);
        if (sprint_run_new(w.context, &options, &run) != SPRINT_OK) { /* not of such a model or shift */
          world_free(&w);
          continue;
        }
        MUST(w.context, sprint_run_go(run, see, &seen));
        const sprint_trace_row *row = last_row(run);
        if (isnan(row->bias_deployed)) {
          assert_true(isnan(row->bias));
        } else if (p == 0) {
          assert_true(row->bias == row->bias_deployed);
          known++;
        } else {
          gradient(&w, seen.now, seen.now, here);
          gradient(&w, seen.now, seen.before, there);
          CLOSE(row->bias_deployed, 0, 100);
          CLOSE(row->bias, apart(here, there, n), 100);
          lagged += row->bias > 0.01 * sqrt(row->gradient_sq);
        }
        sprint_run_free(run);
        world_free(&w);
      }
  assert_true(known >= 12 && lagged >= 12); /* rgd, sgd, saga, sprint by three shifts */
}

/* Between: K = 3 of 5 steps. Oracle: docs/math.md section 3, E[v] = grad J(theta; deployed) + g^ - grad J(theta~;
 * deployed) of `paper`, where g^ = grad J(theta~; theta~), and theta~ is theta of the row before. */
static void test_bias__between_snapshot_and_row(void **state) {
  (void)state;
  struct world w = world_new(lending, network, shifts[0]);
  sprint_run *run = run_new(&w,
                            "{method: {kind: sprint, correction: paper, batch: 4, inner: 5}, step: {size: 0.2}, "
                            "deploy: {kind: every, steps: 3}, stop: {epochs: 2}}",
                            3);
  struct seen seen = {{0}, {0}};
  double here[MOST], there[MOST], anchor[MOST], moved[MOST];
  MUST(w.context, sprint_run_go(run, see, &seen));
  const sprint_real *deployed = run->engine->current.theta;
  size_t n = sprint_model_n_params(w.model);
  gradient(&w, seen.now, seen.now, here);
  gradient(&w, seen.now, deployed, there);
  gradient(&w, seen.before, seen.before, anchor);
  gradient(&w, seen.before, deployed, moved);
  const sprint_trace_row *row = last_row(run);
  CLOSE(row->bias_deployed, apart(anchor, moved, n), 100);
  for (size_t i = 0; i < n; i++) there[i] += anchor[i] - moved[i];
  CLOSE(row->bias, apart(there, here, n), 100);
  assert_true(row->bias > 1e-4 && row->bias_deployed > 1e-4 && fabs(row->bias - row->bias_deployed) > 1e-5);
  sprint_run_free(run);
  world_free(&w);
}

/* The mean over epochs weighs rows by the epochs that they stand for. Oracle: by hand from the rows; and rows at every
 * epoch give the plain mean. */
static void test_mean__is_over_epochs(void **state) {
  (void)state;
  static const char *const specs[] = {
      "{method: rgd, step: {size: 0.5}, stop: {epochs: 10}}",
      "{method: rgd, step: {size: 0.5}, stop: {epochs: 10}, eval: {every: 4}}",
      "{method: {kind: sgd, batch: 10}, stop: {steps: 31}, eval: {every: 2}}", /* 12 steps an epoch: a part is left */
  };
  for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
    struct world w = world_new(lending, network, "none");
    sprint_run *run = run_done(&w, specs[s], 1);
    double sum = sprint_run_row(run, 0)->gradient_sq, rest = 0, plain = sum, before = 0;
    size_t n = sprint_run_n_rows(run);
    for (size_t r = 1; r < n; r++) {
      const sprint_trace_row *row = sprint_run_row(run, r);
      rest += row->gradient_sq * (row->epoch - before);
      plain += row->gradient_sq;
      before = row->epoch;
      double expected = (sum + rest) / (1 + row->epoch);
      assert_true(fabs(row->gradient_sq_mean - expected) <= 1e-14 * expected);
    }
    const sprint_assessment *assessment = NULL;
    MUST(w.context, sprint_run_assess(run, &assessment));
    double mean = sprint_assessment_gradient_mean(assessment);
    assert_true(fabs(mean - rest / before) <= 1e-14 * mean);
    if (s == 0) assert_true(fabs(last_row(run)->gradient_sq_mean - plain / (double)n) <= 1e-14 * plain);
    sprint_run_free(run);
    world_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bias__of_every_method),
      cmocka_unit_test(test_bias__between_snapshot_and_row),
      cmocka_unit_test(test_mean__is_over_epochs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
