/* Losses of one output f against a label of -1 or +1 (classes 0 and 1): logistic, and the sigmoid loss of
 * Li & Wai, "Stochastic optimization schemes for performative prediction with nonconvex loss" (2024). */
#include <math.h>
#include <string.h>

#include "base/group_math.h"
#include "model/loss.h"

static size_t binary_outputs(size_t n_classes) { return n_classes == 2 ? 1 : 0; }

static sprint_real side(sprint_real y) { return y > 0 ? 1 : -1; }

static double logistic(double v) {
  double e = exp(-fabs(v));
  return (v >= 0 ? 1 : e) / (1 + e);
}

static size_t is_right(sprint_real f, sprint_real y) { return (f > 0) == (y > 0); }

/* One group of rows: log(1 + exp(-margin)) and, to *ret_slope, its slope in f. */
SPRINT__INLINE group logistic_group(group f, group y, group *ret_slope) {
  group side = chosen(y > 0, SPRINT__ALL((sprint_real)1), SPRINT__ALL((sprint_real)-1)), margin = side * f;
  group_mask wrong = margin < 0;
  group e = group_exp(chosen(wrong, margin, -margin)), one = SPRINT__ALL((sprint_real)1);
  *ret_slope = -side * chosen(wrong, one, e) / (1 + e);
  return chosen(wrong, -margin, (group){0}) + group_log1p(e);
}

SPRINT__FAST static double logistic_sum(const struct sprint__loss *loss, const sprint_real *f, const sprint_real *y,
                                        size_t n, sprint_real *delta, size_t *correct) {
  (void)loss;
  double sum = 0;
  for (size_t i = 0; i < n; i += G) {
    size_t used = n - i < G ? n - i : G;
    sprint_real room[3][G] = {{0}};
    memcpy(room[0], f + i, used * sizeof *f);
    memcpy(room[1], y + i, used * sizeof *y);
    group slope, value = logistic_group(load(room[0]), load(room[1]), &slope);
    store(room[2], slope);
    if (delta) memcpy(delta + i, room[2], used * sizeof *delta);
    for (size_t g = 0; correct && g < used; g++) {
      sum += (double)value[g];
      *correct += is_right(f[i + g], y[i + g]);
    }
  }
  return sum;
}

static double sigmoid_sum(const struct sprint__loss *loss, const sprint_real *f, const sprint_real *y, size_t n,
                          sprint_real *delta, size_t *correct) {
  double sum = 0, c = loss->sharpness;
  for (size_t i = 0; i < n; i++) {
    double s = (double)side(y[i]), value = logistic(-c * s * (double)f[i]);
    sum += value;
    if (delta) delta[i] = (sprint_real)(-c * s * value * (1 - value));
    if (correct) *correct += is_right(f[i], y[i]);
  }
  return sum;
}

/* The log-odds of class 1 are c f; the logistic loss has c = 1. */
static void binary_log_odds(const struct sprint__loss *loss, const sprint_real *f, size_t n, size_t class_number,
                            sprint_real *odds, sprint_real *delta) {
  sprint_real slope = (sprint_real)(class_number == 1 ? loss->sharpness : -loss->sharpness);
  for (size_t i = 0; i < n; i++) {
    if (f) odds[i] = slope * f[i];
    delta[i] = slope;
  }
}

static const char needs[] = "two classes and one output";

static const struct sprint__loss_ops logistic_ops = {
    .classifies = true,
    .n_outputs = binary_outputs,
    .needs = needs,
    .sum = logistic_sum,
    .odds_linear = true,
    .log_odds = binary_log_odds,
};

const sprint_kind sprint__loss_logistic = {"logistic", "log(1 + exp(-y f)), y = -1 or +1; two classes, one output",
                                           NULL, 0, &logistic_ops};

static const struct sprint__loss_ops sigmoid_ops = {
    .classifies = true,
    .n_outputs = binary_outputs,
    .needs = needs,
    .sum = sigmoid_sum,
    .odds_linear = true,
    .log_odds = binary_log_odds,
};

static const sprint_param sigmoid_params[] = {
    {.name = "c", .type = SPRINT_PARAM_REAL, .standard = "1", .min = 1e-6, .max = 1e6, .help = "sharpness"},
};

const sprint_kind sprint__loss_sigmoid = {"sigmoid", "1 / (1 + exp(c y f)), y = -1 or +1; two classes, one output",
                                          sigmoid_params, SPRINT__COUNT(sigmoid_params), &sigmoid_ops};
