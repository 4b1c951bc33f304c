/* Without end, on the `mean` bed (docs/math.md section 6): where SGD-GD and sampled snapshots come to rest, against the
 * closed form. l = (z - theta)^2 / 2, z = z_0 + eps theta', z_0 ~ N(mu, s^2), e = theta - mu / (1 - eps). The
 * coordinates of a record are independent, so that each is an experiment of its own, and so is each seed. e is Gaussian
 * with the mean 0 up to rho^(steps) of its start: the mean of n squares has the relative standard error sqrt(2 / n). */
#include "help.h"

enum { D = 400, SEEDS = 4, B = 4, M = 10, SAMPLE = 16 };
static const double mu = 1, s = 2, eps = 0.5, step = 0.2;

/* 4 standard errors of a mean of D * SEEDS squares; of all comparisons below, one in a thousand would fail by chance.
 */
#define TOLERANCE (4 * sqrt(2.0 / (D * SEEDS)))

/* The mean of e^2 over coordinates and seeds, at the end of runs of a method. */
static double mean_square(struct world *w, const char *spec) {
  double sum = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    sprint_run *run = run_done(w, spec, seed);
    for (size_t j = 0; j < D; j++) {
      double e = (double)sprint_run_theta(run)[j] - mu / (1 - eps);
      sum += e * e;
    }
    sprint_run_free(run);
  }
  return sum / (D * SEEDS);
}

static void expect(const char *what, double got, double expected) {
  print_message("%-22s E e^2 = %.4g, closed form %.4g (%+.1f %%, 4 standard errors are %.1f %%)\n", what, got, expected,
                100 * (got / expected - 1), 100 * TOLERANCE);
  if (!(fabs(got / expected - 1) < TOLERANCE)) fail_msg("%s: %g, expected %g", what, got, expected);
}

static struct world bed(void) {
  char data[160], shift[60];
  snprintf(data, sizeof data, "{kind: gaussian, endless: true, window: 10, d: %d, mean: %g, sd: %g, standardize: none}",
           D, mu, s);
  snprintf(shift, sizeof shift, "{kind: location, epsilon: %g}", eps);
  return world_new(data, "{loss: mean}", shift);
}

/* r and c of e_{s+1} = r e_s + c xi_s over an epoch, xi_s the error of the snapshot's mean. */
struct epoch {
  double r, c;
};

static struct epoch coupled_epoch(void) {
  double r = pow(1 - step * (1 - eps), M);
  return (struct epoch){r, (1 - r) / (1 - eps)};
}

static struct epoch paper_epoch(void) {
  double q = pow(1 - step, M);
  return (struct epoch){q + (1 - q) * eps, 1 - q};
}

static double floor_of(struct epoch epoch, double sample) {
  return epoch.c * epoch.c / (1 - epoch.r * epoch.r) * s * s / sample;
}

static void test_floors__sgd_rests_at_a_floor_of_the_step(void **state) {
  (void)state;
  struct world w = bed();
  char spec[200];
  /* 160 steps: what is left of the start is rho^320 = 2e-15 of it */
  snprintf(spec, sizeof spec, "{method: {kind: sgd, batch: %d, inner: 160}, step: {size: %g}, stop: {epochs: 1}}", B,
           step);
  expect("sgd", mean_square(&w, spec), step * s * s / (B * (1 - eps) * (2 - step * (1 - eps))));
  snprintf(spec, sizeof spec, "{method: {kind: sgd, batch: %d, inner: 320}, step: {size: %g}, stop: {epochs: 1}}", B,
           step / 2);
  expect("sgd, half the step", mean_square(&w, spec), step / 2 * s * s / (B * (1 - eps) * (2 - step / 2 * (1 - eps))));
  world_free(&w);
}

static void fixed(struct world *w, const char *correction, int sample, int batch, struct epoch epoch) {
  char spec[240], what[60];
  /* 16 epochs: r^32 is 2e-15 for `coupled`, 1e-8 for `paper` */
  snprintf(spec, sizeof spec,
           "{method: {kind: sprint, correction: %s, snapshot: fixed, sample: %d, batch: %d, inner: %d},"
           " step: {size: %g}, stop: {epochs: 16}}",
           correction, sample, batch, M, step);
  snprintf(what, sizeof what, "%s, fixed %d", correction, sample);
  expect(what, mean_square(w, spec), floor_of(epoch, sample));
}

static void test_floors__a_fixed_sample_rests_at_a_floor_of_the_sample(void **state) {
  (void)state;
  struct world w = bed();
  fixed(&w, "coupled", SAMPLE, B, coupled_epoch());
  fixed(&w, "coupled", 4 * SAMPLE, 1, coupled_epoch()); /* whatever the batch */
  fixed(&w, "paper", SAMPLE, B, paper_epoch());
  world_free(&w);
}

/* B_s = B_0 a^s: E e_S^2 = r^(2S) e_0^2 + c^2 s^2 / B_0 (a^-S - r^(2S)) / (1/a - r^2), which goes to 0 as a^-S. */
static double growing_square(struct epoch epoch, double first, double a, int epochs) {
  double e_0 = mu / (1 - eps), left = pow(epoch.r, 2.0 * epochs);
  return left * e_0 * e_0 + epoch.c * epoch.c * s * s / first * (pow(a, -epochs) - left) / (1 / a - epoch.r * epoch.r);
}

static void test_floors__a_growing_sample_has_no_floor(void **state) {
  (void)state;
  struct world w = bed();
  double before = INFINITY;
  for (int epochs = 4; epochs <= 8; epochs += 2) {
    char spec[240], what[60];
    snprintf(spec, sizeof spec,
             "{method: {kind: sprint, correction: coupled, snapshot: growing, sample: 2, growth: 2, batch: 1,"
             " inner: %d}, step: {size: %g}, stop: {epochs: %d}}",
             M, step, epochs);
    snprintf(what, sizeof what, "growing, %d epochs", epochs);
    double got = mean_square(&w, spec);
    expect(what, got, growing_square(coupled_epoch(), 2, 2, epochs));
    assert_true(got < before / 2);
    before = got;
  }
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floors__sgd_rests_at_a_floor_of_the_step),
      cmocka_unit_test(test_floors__a_fixed_sample_rests_at_a_floor_of_the_sample),
      cmocka_unit_test(test_floors__a_growing_sample_has_no_floor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
