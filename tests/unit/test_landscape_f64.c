/* Landscapes of problems whose points are known: docs/math.md, section 6. The risk is quadratic there, so that both
 * kinds of interpolation are exact and only rounding is left: values of J are sums over n records, whose relative
 * rounding is below n 2^-53 = 1e-13 here; a vertex divides differences of J by second differences, which are
 * (2/40)^2 = 1/400 of its size and above, so that t is good to 1e-9. */
#include "help.h"

#include "report/landscape.h"

#define NEAR 1e-9

static sprint_landscape *landscape_of(struct world *w, const sprint_real *theta, const sprint_real *towards,
                                      const sprint_real *second) {
  sprint_landscape_options options = {
      .size = sizeof options, .shift = w->shift, .theta = theta, .towards = towards, .second = second};
  sprint_landscape *landscape = NULL;
  MUST(w->context, sprint_landscape_new(w->context, &options, &landscape));
  return landscape;
}

static double mean_of(const sprint_population *population, size_t column) {
  size_t n = sprint_population_n(population), d = sprint_population_n_features(population);
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += sprint_population_x(population)[i * d + column];
  return sum / (double)n;
}

/* Ridge: theta_PS = mu / (1 - eps + lambda), theta_PO = (1 - eps) mu / ((1 - eps)^2 + lambda). */
static void test_landscape__of_the_ridge_bed_has_its_points(void **state) {
  (void)state;
  static const double cases[][2] = {{0.5, 0.25}, {-0.7, 0.1}, {0.3, 0.05}};
  for (size_t c = 0; c < 3; c++) {
    char model[64], shift[64];
    double epsilon = cases[c][0], lambda = cases[c][1];
    snprintf(model, sizeof model, "{loss: mean, l2: %g}", lambda);
    snprintf(shift, sizeof shift, "{kind: location, epsilon: %g}", epsilon);
    struct world w = world_new("{kind: gaussian, n: 500, d: 1, mean: 2, standardize: none}", model, shift);
    double mu = mean_of(w.population, 0), stable = mu / (1 - epsilon + lambda);
    double optimum = (1 - epsilon) * mu / ((1 - epsilon) * (1 - epsilon) + lambda);
    sprint_real theta = (sprint_real)(1.1 * stable), towards = (sprint_real)(0.2 * stable);
    sprint_landscape *landscape = landscape_of(&w, &theta, &towards, NULL);
    double t, across, risk, v;
    assert_false(sprint_landscape_has_plane(landscape));
    assert_true(sprint_landscape_mark(landscape, SPRINT_MARK_STABLE, false, &t, &across, &risk));
    assert_true(fabs(theta + t * (towards - theta) - stable) < NEAR);
    sprint_real at = (sprint_real)stable;
    MUST(w.context, sprint_risk(w.shift, &at, &at, &v, NULL, NULL));
    assert_true(fabs(risk - v) < NEAR);
    assert_true(sprint_landscape_mark(landscape, SPRINT_MARK_OPTIMUM, false, &t, &across, &risk));
    assert_true(fabs(theta + t * (towards - theta) - optimum) < NEAR);
    at = (sprint_real)optimum;
    MUST(w.context, sprint_risk(w.shift, &at, &at, &v, NULL, NULL));
    assert_true(fabs(risk - v) < NEAR);
    sprint_landscape_free(landscape);
    world_free(&w);
  }
}

/* In two dimensions the same holds of each coordinate: the plane is the whole space, whatever its directions. */
static void test_landscape__of_a_plane_has_its_points(void **state) {
  (void)state;
  const double epsilon = 0.5, lambda = 0.25;
  struct world w = world_new("{kind: gaussian, n: 500, d: 2, mean: 2, standardize: none}", "{loss: mean, l2: 0.25}",
                             "{kind: location, epsilon: 0.5}");
  double stable[2], optimum[2], t, across, risk;
  for (size_t j = 0; j < 2; j++) {
    double mu = mean_of(w.population, j);
    stable[j] = mu / (1 - epsilon + lambda);
    optimum[j] = (1 - epsilon) * mu / ((1 - epsilon) * (1 - epsilon) + lambda);
  }
  sprint_real theta[2] = {(sprint_real)(stable[0] + 0.3), (sprint_real)(stable[1] + 0.2)}, towards[2] = {0.5, 1};
  sprint_real second[2] = {3, 3};
  for (int given = 0; given < 2; given++) {
    sprint_landscape *landscape = landscape_of(&w, theta, towards, given ? second : NULL);
    assert_true(sprint_landscape_has_plane(landscape));
    double u[2] = {towards[0] - theta[0],
                   towards[1] - theta[1]}; /* the second direction is it turned by a right angle */
    for (int mark = 0; mark < 2; mark++) {
      const double *point = mark == SPRINT_MARK_STABLE ? stable : optimum;
      assert_true(sprint_landscape_mark(landscape, (sprint_mark)mark, true, &t, &across, &risk));
      double side = (point[1] - theta[1]) * u[0] - (point[0] - theta[0]) * u[1]; /* across, times |u|^2, up to sign */
      double along = (point[0] - theta[0]) * u[0] + (point[1] - theta[1]) * u[1];
      double square = u[0] * u[0] + u[1] * u[1];
      assert_true(fabs(t - along / square) < NEAR);
      assert_true(fabs(fabs(across) - fabs(side / square)) < NEAR);
    }
    sprint_landscape_free(landscape);
  }
  world_free(&w);
}

/* The map itself: J(theta; theta') = ((theta - z - eps theta')^2 summed) / 2n, by hand. */
static void test_landscape__is_the_decoupled_risk(void **state) {
  (void)state;
  struct world w =
      world_new("{kind: gaussian, n: 50, d: 1, standardize: none}", "{loss: mean}", "{kind: location, epsilon: 0.5}");
  sprint_real theta = 1, towards = -1;
  sprint_landscape *it = landscape_of(&w, &theta, &towards, NULL);
  for (size_t i = 0; i < it->n; i += 7)
    for (size_t j = 0; j < it->n; j += 5) {
      double evaluated = 1 - 2 * it->t[j], deployed = 1 - 2 * it->t[i], sum = 0;
      for (size_t k = 0; k < 50; k++) {
        double away = evaluated - (sprint_population_x(w.population)[k] + 0.5 * deployed);
        sum += away * away / 2 / 50;
      }
      assert_true(fabs(it->line[i * it->n + j] - sum) < 1e-12);
    }
  sprint_landscape_free(it);
  world_free(&w);
}

static void test_landscape__says_what_is_not_there(void **state) {
  (void)state;
  struct world w = world_new("{kind: gaussian, n: 50, d: 2, mean: 2, standardize: none}", "{loss: mean}",
                             "{kind: location, epsilon: 0.5}");
  sprint_real theta[2] = {0, 0}, towards[2] = {-1, -1}, broken[2] = {(sprint_real)NAN, 0};
  sprint_landscape *landscape = NULL;
  sprint_landscape_options options = {.size = sizeof options, .shift = w.shift, .theta = theta, .towards = theta};
  REFUSED(w.context, SPRINT_ERROR_INPUT, "there is no direction",
          sprint_landscape_new(w.context, &options, &landscape));
  options.towards = broken;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "is not finite", sprint_landscape_new(w.context, &options, &landscape));
  options.towards = options.second = towards;
  REFUSED(w.context, SPRINT_ERROR_INPUT, "they make no plane", sprint_landscape_new(w.context, &options, &landscape));
  options.second = NULL;
  options.grid = 2;
  REFUSED(w.context, SPRINT_ERROR_ARGUMENT, "the grid is 2", sprint_landscape_new(w.context, &options, &landscape));
  options.grid = 9; /* both points are at 4 and 4, far behind the model */
  MUST(w.context, sprint_landscape_new(w.context, &options, &landscape));
  double t, across, risk;
  assert_false(sprint_landscape_mark(landscape, SPRINT_MARK_STABLE, false, &t, &across, &risk));
  assert_false(sprint_landscape_mark(landscape, SPRINT_MARK_OPTIMUM, false, &t, &across, &risk));
  sprint_landscape_free(landscape);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_landscape__of_the_ridge_bed_has_its_points),
      cmocka_unit_test(test_landscape__of_a_plane_has_its_points),
      cmocka_unit_test(test_landscape__is_the_decoupled_risk),
      cmocka_unit_test(test_landscape__says_what_is_not_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
