/* Squared error: (f - y)^2 / 2 of one output. */
#include "model/loss.h"

static size_t squared_outputs(size_t n_classes) {
  (void)n_classes;
  return 1;
}

static double squared_sum(const struct sprint__loss *loss, const sprint_real *f, const sprint_real *y, size_t n,
                          sprint_real *delta, struct sprint__tally *tally) {
  (void)loss;
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double error = (double)f[i] - (double)y[i];
    sum += error * error;
    if (delta) delta[i] = (sprint_real)error;
    if (tally && tally->losses) tally->losses[i] = error * error / 2;
  }
  return sum / 2;
}

static const struct sprint__loss_ops squared_ops = {
    .taken = SPRINT__TAKEN_AS_VALUES,
    .n_outputs = squared_outputs,
    .needs = "one output",
    .sum = squared_sum,
};

const sprint_kind sprint__loss_squared = {"squared", "(f - y)^2 / 2; one output, y a value or a class number", NULL, 0,
                                          &squared_ops};
