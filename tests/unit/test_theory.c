/* Step sizes with a guarantee: the recursion, the closed form, the searches, costs. All of it is in double. */
#include "help.h"

#define NEAR(GOT, EXPECTED, RELATIVE)                                  \
  do {                                                                 \
    double got__ = (GOT), expected__ = (EXPECTED);                     \
    if (!(fabs(got__ - expected__) <= (RELATIVE)*fabs(expected__)))    \
      fail_msg("%s = %.17g, expected %.17g", #GOT, got__, expected__); \
  } while (0)

#define ROUNDING 1e-14 /* some tens of operations, each to half a unit in the last place of a double */

static sprint_constants constants_of(double L, double kappa, double m) {
  return (sprint_constants){sizeof(sprint_constants), L, kappa, m, 10000, 1, 1, 1, 0};
}

static sprint_context *context_of(void **state) { return *state; }

static int set_up(void **state) { return sprint_context_new((sprint_context **)state) == SPRINT_OK ? 0 : -1; }

static int tear_down(void **state) {
  sprint_context_free(*state);
  return 0;
}

/* By hand, in fractions: L = 1, kappa = 1/2, beta = 2, gamma = 1/10, so that 2 L^2 + kappa^2 = 9/4.
 *   c_1 = 1/20 + 9/400 + 1/20 = 49/400
 *   c_0 = 1/20 + 49/400 (1 + 1/5 + 1/10) + 9/4 (1/100 + 49/20000) + 1/20 = 22981/80000
 *   Gamma_1 = 1/10 - 1/80 - 1/50 = 27/400
 *   Gamma_0 = 1/10 - (49/400 + 1/4)/20 - 1/50 - 49/10000 = 2259/40000 */
static void test_theory__recursion_by_hand(void **state) {
  sprint_constants a = constants_of(1, 0.5, 2);
  double c[3], Gamma[2];
  MUST(context_of(state), sprint_theory_epoch(context_of(state), &a, 0.1, 2, c, Gamma));
  assert_true(c[2] == 0);
  NEAR(c[1], 49.0 / 400, ROUNDING);
  NEAR(c[0], 22981.0 / 80000, ROUNDING);
  NEAR(Gamma[1], 27.0 / 400, ROUNDING);
  NEAR(Gamma[0], 2259.0 / 40000, ROUNDING);
  sprint_certificate step = {.size = sizeof step};
  MUST(context_of(state), sprint_theory_check(context_of(state), &a, 0.1, 2, &step));
  assert_true(step.valid);
  NEAR(step.c_0, 22981.0 / 80000, ROUNDING);
  NEAR(step.Gamma, 2259.0 / 40000 - 1.0 / 40, ROUNDING);
  /* Delta_1 = (1/16 + 1/2 + 1/2) gamma / Gamma */
  NEAR(step.remaining, 17.0 / 16 * 0.1 / (2259.0 / 40000 - 1.0 / 40), ROUNDING);
}

/* The oracle is the loop over an epoch; what is compared is a geometric sum. 1e-11: 2000 rounded steps of the loop. */
static void test_theory__certificate_is_the_recursion(void **state) {
  enum { M = 2000 };
  static double c[M + 1], Gamma[M];
  sprint_constants a = constants_of(0.7, 0.3, M);
  for (double gamma = 1e-6; gamma < 1e-2; gamma *= 4) {
    sprint_certificate step = {.size = sizeof step};
    double least = INFINITY;
    MUST(context_of(state), sprint_theory_epoch(context_of(state), &a, gamma, 1.5, c, Gamma));
    for (size_t k = 0; k < M; k++) least = fmin(least, Gamma[k] - gamma / 4);
    MUST(context_of(state), sprint_theory_check(context_of(state), &a, gamma, 1.5, &step));
    NEAR(step.c_0, c[0], 1e-11);
    NEAR(step.Gamma / gamma - 0.75, least / gamma - 0.75, 1e-11);
    assert_int_equal(step.valid, least > 0);
  }
}

/* By hand: L = 1, kappa = 0: c = 1/3, beta = 4, C_0 = 11/6, C_1 = 10/3, so gamma = 1/(31 m);
 * L = 1, kappa = 3: c = 1/6, beta = 8, C_0 = 89/6, C_1 = 44/3, so gamma = 1/(354 m). */
static void test_theory__closed_form_by_hand(void **state) {
  static const struct {
    double kappa, m, gamma, beta;
  } cases[] = {{0, 1, 1.0 / 31, 4}, {0, 2, 1.0 / 62, 4}, {3, 1, 1.0 / 354, 8}, {3, 5, 1.0 / 1770, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sprint_constants a = constants_of(1, cases[i].kappa, cases[i].m);
    sprint_certificate step = {.size = sizeof step};
    MUST(context_of(state), sprint_theory_closed_form(context_of(state), &a, &step));
    NEAR(step.gamma, cases[i].gamma, ROUNDING);
    NEAR(step.beta, cases[i].beta, ROUNDING);
    assert_true(step.valid);
  }
}

/* The theorem: Gamma >= gamma/4, wherever kappa < 6 L; and beyond there is no such form. */
static void test_theory__closed_form_holds(void **state) {
  for (double L = 0.01; L < 200; L *= 7)
    for (double r = 0; r < 6; r += 0.37)
      for (double m = 1; m < 1e6; m *= 31) {
        sprint_constants a = constants_of(L, r * L, floor(m));
        sprint_certificate step = {.size = sizeof step};
        MUST(context_of(state), sprint_theory_closed_form(context_of(state), &a, &step));
        assert_true(step.valid && step.Gamma >= step.gamma / 4 * (1 - ROUNDING));
      }
  sprint_constants a = constants_of(1, 6, 10);
  sprint_certificate none = {.size = sizeof none};
  MUST(context_of(state), sprint_theory_closed_form(context_of(state), &a, &none));
  assert_true(!none.valid && none.gamma == 0);
}

/* m = 1, kappa = 0: c_1 = 0, Gamma = gamma (3/4 - 2 L gamma), positive up to 3/(8 L), largest at 3/(16 L). The edge is
 * found to the last bits; the top of a parabola is flat, so that its place is good to a root of the rounding. */
static void test_theory__searches_where_they_are_known(void **state) {
  sprint_constants a = constants_of(2, 0, 1);
  sprint_certificate edge = {.size = sizeof edge}, best = {.size = sizeof best};
  MUST(context_of(state), sprint_theory_largest(context_of(state), &a, &edge));
  MUST(context_of(state), sprint_theory_best(context_of(state), &a, 0, &best));
  NEAR(edge.gamma, 3.0 / 16, 1e-12);
  assert_true(edge.valid);
  NEAR(best.gamma, 3.0 / 32, 1e-6);
  NEAR(best.Gamma, 9.0 / 256, 1e-12);
}

/* The oracle is a grid over gamma and beta, through the loop: nothing on it is valid beyond the edge, and nothing has a
 * larger Gamma; and the grid comes close to both, so that the searches have not stopped short either: neighbours on it
 * are 3 % apart. */
static void test_theory__searches_against_a_grid(void **state) {
  enum { M = 30 };
  static const double kappas[] = {0, 0.2, 2, 12};
  for (size_t i = 0; i < 4; i++) {
    sprint_constants a = constants_of(1, kappas[i], M);
    sprint_certificate edge = {.size = sizeof edge}, best = {.size = sizeof best};
    MUST(context_of(state), sprint_theory_largest(context_of(state), &a, &edge));
    MUST(context_of(state), sprint_theory_best(context_of(state), &a, 0, &best));
    double gamma_most = 0, Gamma_most = 0;
    for (double beta = 1e-2; beta < 1e3; beta *= 1.03)
      for (double gamma = edge.gamma / 100; gamma < edge.gamma * 100; gamma *= 1.03) {
        double Gamma[M];
        MUST(context_of(state), sprint_theory_epoch(context_of(state), &a, gamma, beta, NULL, Gamma));
        if (Gamma[0] - gamma / 4 > 0) gamma_most = fmax(gamma_most, gamma);
        Gamma_most = fmax(Gamma_most, Gamma[0] - gamma / 4);
      }
    assert_true(edge.valid && best.valid);
    assert_true(gamma_most <= edge.gamma && gamma_most > edge.gamma * 0.95);
    assert_true(Gamma_most <= best.Gamma * (1 + ROUNDING) && Gamma_most > best.Gamma * 0.99);
  }
}

/* With kappa = 0.1, L = 1 nothing below 4/3 (0.0001 + 0.02 + 0.02) is promised; above it, the fewest steps keep it. */
static void test_theory__what_can_be_reached(void **state) {
  sprint_constants a = constants_of(1, 0.1, 50);
  NEAR(sprint_theory_floor(&a), 4.0 / 3 * 0.0401, ROUNDING);
  sprint_certificate none = {.size = sizeof none}, some = {.size = sizeof some};
  MUST(context_of(state), sprint_theory_best(context_of(state), &a, 0.0534, &none));
  assert_true(!none.valid && none.gamma == 0);
  MUST(context_of(state), sprint_theory_best(context_of(state), &a, 0.1, &some));
  assert_true(some.valid && some.remaining < 0.1);
  sprint_theory_cost cost = {.size = sizeof cost};
  MUST(context_of(state), sprint_theory_cost_sprint(context_of(state), &a, &some, 0.1, &cost));
  assert_true(1 / (cost.all_steps * some.Gamma) + some.remaining <= 0.1);
  assert_true(1 / ((cost.all_steps - 1) * some.Gamma) + some.remaining > 0.1);
  /* another step has to take longer */
  sprint_certificate other = {.size = sizeof other};
  sprint_theory_cost slower = {.size = sizeof slower};
  MUST(context_of(state), sprint_theory_check(context_of(state), &a, some.gamma * 1.1, some.beta, &other));
  MUST(context_of(state), sprint_theory_cost_sprint(context_of(state), &a, &other, 0.1, &slower));
  assert_true(slower.all_steps > cost.all_steps);
}

/* By hand: T = Delta_0/(Gamma delta), IFO T (2b + n/m); 16 (Delta_0 + L sigma_0^2/2)^2 / delta^2, 4 kappa (sigma_0 + (1
 * + sigma_1^2) kappa). */
static void test_theory__costs_by_hand(void **state) {
  sprint_constants a = {sizeof a, 2, 0.25, 10, 1000, 4, 3, 1, 2};
  sprint_certificate step = {sizeof step, true, 0.5, 1, 1, 0.125, 0.7};
  sprint_theory_cost cost = {.size = sizeof cost};
  MUST(context_of(state), sprint_theory_cost_sprint(context_of(state), &a, &step, 0.5, &cost));
  NEAR(cost.steps, 48, ROUNDING);
  NEAR(cost.ifo, 48 * 108, ROUNDING);
  MUST(context_of(state), sprint_theory_cost_sgd(context_of(state), &a, 0.5, &cost));
  NEAR(cost.steps, 16 * 16 * 4, ROUNDING);
  NEAR(cost.remaining, 2.25, ROUNDING);
  assert_true(isinf(cost.all_steps));
  MUST(context_of(state), sprint_theory_cost_sgd(context_of(state), &a, 4.25, &cost));
  NEAR(cost.all_steps, 16 * 16 / 4.0, ROUNDING);
}

static void test_theory__what_cannot_be(void **state) {
  sprint_context *context = context_of(state);
  sprint_certificate step = {.size = sizeof step};
  sprint_constants a = constants_of(0, 1, 10);
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "L is 0; a number above 0", sprint_theory_largest(context, &a, &step));
  a = constants_of(1, -1, 10);
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "kappa is -1", sprint_theory_best(context, &a, 0, &step));
  a = constants_of(1, NAN, 10);
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "kappa is nan", sprint_theory_closed_form(context, &a, &step));
  a = constants_of(1, 1, 2.5);
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "whole number", sprint_theory_closed_form(context, &a, &step));
  a = constants_of(1, 1, 10);
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "gamma is 0", sprint_theory_check(context, &a, 0, 1, &step));
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "beta is 0", sprint_theory_epoch(context, &a, 1, 0, NULL, NULL));
  step.size = 0;
  REFUSED(context, SPRINT_ERROR_ARGUMENT, "size", sprint_theory_check(context, &a, 1, 1, &step));
  step.size = sizeof step;
  REFUSED(context, SPRINT_ERROR_INPUT, "ending in .svg, .png or .pdf",
          sprint_theory_draw(context, &a, &(sprint_certificate){sizeof step, true, 0.01, 1, 1, 1, 1}, "a.jpg"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_theory__recursion_by_hand, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_theory__certificate_is_the_recursion, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_theory__closed_form_by_hand, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_theory__closed_form_holds, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_theory__searches_where_they_are_known, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_theory__searches_against_a_grid, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_theory__what_can_be_reached, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_theory__costs_by_hand, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_theory__what_cannot_be, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
