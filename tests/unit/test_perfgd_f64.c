/* The gradient of V(theta) = J(theta; theta), both halves of it. Oracle: central differences of V by sprint_risk, for
 * every parameter, against the mean of v over all one-sample batches, and against v over everybody. */
#include "help.h"

#include <unistd.h>

enum { PEOPLE = 12, MOST = 64 };

struct setting {
  const char *model, *shift;
};

/* A central difference with step h is off by C h^2, and by the rounding of V over h. The difference between steps h and
 * h/2 is 3/4 C h^2; twice it bounds what the smaller step is off by, with room for the higher orders. */
static double slope(struct world *w, sprint_real *theta, size_t k, double *ret_tolerance) {
  double slopes[2];
  const sprint_real middle = theta[k];
  for (int half = 0; half < 2; half++) {
    double h = half ? 5e-5 : 1e-4, up, down;
    theta[k] = middle + h;
    MUST(w->context, sprint_risk(w->shift, theta, theta, &up, NULL, NULL));
    theta[k] = middle - h;
    MUST(w->context, sprint_risk(w->shift, theta, theta, &down, NULL, NULL));
    slopes[half] = (up - down) / (2 * h);
  }
  theta[k] = middle;
  *ret_tolerance = 2 * fabs(slopes[0] - slopes[1]) + 20 * 2.3e-16 / 5e-5;
  return slopes[1];
}

static void tell(struct world *w, sprint_solver *solver, const sprint_real *theta, const uint32_t *who, size_t n) {
  sprint_real x[PEOPLE * 10], y[PEOPLE];
  for (size_t i = 0; i < n; i++) y[i] = sprint_population_y(w->population)[who[i]];
  MUST(w->context, sprint_shift_respond(w->shift, theta, who, n, x));
  sprint_records records = {.size = sizeof records, .n = n, .x = x, .y = y, .who = who, .last = true};
  MUST(w->context, sprint_solver_tell(solver, &records));
}

/* Adds v at theta of a solver that is told n individuals. */
static void add_v(struct world *w, const char *spec, const sprint_real *theta, const uint32_t *who, size_t n,
                  double weight, double *ret_v) {
  sprint_solver_options options = {
      .size = sizeof options, .spec = spec, .model = w->model, .n = PEOPLE, .theta = theta, .shift = w->shift};
  sprint_solver *solver = NULL;
  sprint_want want = {.size = sizeof want};
  MUST(w->context, sprint_solver_new(w->context, &options, &solver));
  MUST(w->context, sprint_solver_ask(solver, &want));
  tell(w, solver, theta, who, n);
  for (size_t k = 0; k < sprint_model_n_params(w->model); k++) ret_v[k] += weight * sprint_solver_direction(solver)[k];
  sprint_solver_free(solver);
}

static void check_gradient(const struct setting *setting) {
  struct world w = world_new("{kind: lending, n: 2000, select: balanced, size: 12}", setting->model, setting->shift);
  sprint_real theta[MOST];
  double enumerated[MOST] = {0}, full[MOST] = {0}, tolerance, half = 0;
  double own[MOST];
  uint32_t who[PEOPLE];
  assert_true(sprint_model_n_params(w.model) <= MOST && sprint_population_n(w.population) == PEOPLE);
  MUST(w.context, sprint_model_start(w.model, 11, theta));
  for (size_t k = 0; k < sprint_model_n_params(w.model); k++) theta[k] += 0.1 * sin((double)k + 1);
  for (uint32_t i = 0; i < PEOPLE; i++) who[i] = i;
  for (size_t i = 0; i < PEOPLE; i++)
    add_v(&w, "{method: {kind: perfgd, batch: 1}}", theta, who + i, 1, 1.0 / PEOPLE, enumerated);
  add_v(&w, "{method: perfgd-full}", theta, who, PEOPLE, 1, full);
  MUST(w.context, sprint_risk(w.shift, theta, theta, NULL, NULL, own));
  for (size_t k = 0; k < sprint_model_n_params(w.model); k++) {
    double expected = slope(&w, theta, k, &tolerance);
    /* and the error of the derivative of a network's response: 4e-11 of terms of order one */
    tolerance += 1e-10;
    if (!(fabs(enumerated[k] - expected) <= tolerance) || !(fabs(full[k] - expected) <= tolerance))
      fail_msg("%s, %s, parameter %zu: %.15g and %.15g, by differences %.15g, tolerance %.3g", setting->model,
               setting->shift, k, enumerated[k], full[k], expected, tolerance);
    half = fmax(half, fabs(own[k] - expected));
  }
  if (half < 1e-3) fail_msg("%s, %s: no second half of the gradient to be missed", setting->model, setting->shift);
  world_free(&w);
}

static void test_perfgd__gradient_of_v(void **state) {
  (void)state;
  static const struct setting settings[] = {
      {"{loss: mean, l2: 0.1}", "{kind: location, epsilon: 0.3}"},
      {"{layers: dense 1, loss: logistic, l2: 0.1}", "{kind: linear, epsilon: 0.5}"},
      {"{layers: dense 1, loss: logistic}",
       "{kind: linear, epsilon: 0.5, columns: [age, monthly_income], only_label: 1}"},
      {"{layers: dense 1, loss: logistic}", "{kind: strategic, good: 0, alpha: 0.4}"},
      {"{layers: dense 1, loss: logistic}", "{kind: strategic, good: 0, alpha: 2, score: probability}"},
      {"{layers: 'dense 4, tanh, dense 1', loss: logistic, l2: 0.01}", "{kind: strategic, good: 0, alpha: 0.4}"},
      {"{layers: 'dense 4, tanh, dense 1', loss: logistic}",
       "{kind: strategic, good: 0, alpha: 3, score: probability, sign: '-'}"},
      {"{layers: 'dense 3, softplus, dense 2', loss: softmax}",
       "{kind: strategic, alpha: 5, good: 1, columns: [age, utilization, late_30_59]}"},
      {"{layers: 'dense 4, gelu, dense 1', loss: squared}", "{kind: strategic, good: lower, alpha: 0.4}"},
      /* limits that bind for some: what does not move has no derivative */
      {"{layers: dense 1, loss: logistic}",
       "{kind: strategic, good: 0, alpha: 1, bounds: observed, only_up: [monthly_income], cost: {age: 3}}"},
      {"{layers: 'dense 4, tanh, dense 1', loss: logistic}",
       "{kind: strategic, good: 0, alpha: 2, bounds: {utilization: [0, 1], age: observed}, only_down: [debt_ratio], "
       "alpha_raw: {age: 30}}"},
  };
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) check_gradient(&settings[i]);
}

/* x_i moves by a matrix times theta: each parameter pulls at every feature. */
static void test_perfgd__gradient_of_v_by_a_matrix(void **state) {
  (void)state;
  enum { D = 10 };
  char path[] = "/tmp/sprint-matrix-XXXXXX", spec[96];
  double matrix[D * D];
  for (size_t k = 0; k < D * D; k++) matrix[k] = 0.2 * cos(3.0 * (double)k);
  sprint_context *context = NULL;
  assert_int_equal(sprint_context_new(&context), SPRINT_OK);
  close(mkstemp(path));
  MUST(context, sprint_npy_write_double(context, path, 2, (const size_t[]){D, D}, matrix));
  sprint_context_free(context);
  snprintf(spec, sizeof spec, "{kind: location, matrix: %s}", path);
  check_gradient(&(struct setting){"{loss: mean, l2: 0.1}", spec});
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_perfgd__gradient_of_v),
                                     cmocka_unit_test(test_perfgd__gradient_of_v_by_a_matrix)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
