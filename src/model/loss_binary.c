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

/* A group of rows: the slope of log(1 + exp(-margin)) in f; and, unless NULL, the loss itself. */
SPRINT__INLINE group logistic_group(group f, group y, group *ret_loss) {
  group side = blend(y > 0, SPRINT__ALL((sprint_real)1), SPRINT__ALL((sprint_real)-1)), margin = side * f;
  group_mask wrong = margin < 0;
  group e = group_exp(blend(wrong, margin, -margin)), one = SPRINT__ALL((sprint_real)1);
  if (ret_loss) *ret_loss = blend(wrong, -margin, (group){0}) + group_log1p(e);
  return -side * blend(wrong, one, e) / (1 + e);
}

/* The rows of part of a group. */
SPRINT__INLINE double logistic_part(const sprint_real *f, const sprint_real *y, size_t n, sprint_real *delta,
                                    size_t *correct, double *each) {
  sprint_real outputs[G] = {0}, labels[G] = {0};
  memcpy(outputs, f, n * sizeof *f);
  memcpy(labels, y, n * sizeof *y);
  group losses = {0}, slopes = logistic_group(load(outputs), load(labels), correct ? &losses : NULL);
  for (size_t g = 0; delta && g < n; g++) delta[g] = slopes[g];
  double sum = 0;
  for (size_t g = 0; correct && g < n; g++) {
    sum += (double)losses[g];
    if (each) each[g] = (double)losses[g];
    *correct += is_right(f[g], y[g]);
  }
  return sum;
}

typedef double doubles __attribute__((vector_size(G * sizeof(double))));

/* Losses are added up by their place in a group. */
SPRINT__FAST static double logistic_sum(const struct sprint__loss *loss, const sprint_real *f, const sprint_real *y,
                                        size_t n, sprint_real *delta, struct sprint__tally *tally) {
  (void)loss;
  size_t *correct = tally ? &tally->correct : NULL;
  double *each = tally ? tally->losses : NULL;
  doubles by_place = {0};
  group_mask right = {0}; /* rows, counted downwards */
  size_t i = 0;
  for (; i + G <= n; i += G) {
    group outputs = load(f + i), labels = load(y + i), losses = {0};
    group slopes = logistic_group(outputs, labels, correct ? &losses : NULL);
    if (delta) store(delta + i, slopes);
    by_place += __builtin_convertvector(losses, doubles);
    for (size_t g = 0; each && g < G; g++) each[i + g] = (double)losses[g];
    right += (outputs > 0) == (labels > 0);
  }
  double sum = 0;
  if (i < n) sum = logistic_part(f + i, y + i, n - i, delta ? delta + i : NULL, correct, each ? each + i : NULL);
  for (size_t g = 0; correct && g < G; g++) {
    sum += by_place[g];
    *correct += (size_t)-right[g];
  }
  return sum;
}

static sprint_status sigmoid_setup(struct sprint__loss *loss, const struct sprint__section *section,
                                   struct sprint__arena *arena) {
  (void)arena;
  loss->sharpness = sprint__get_real(section, "c");
  return SPRINT_OK;
}

static double sigmoid_sum(const struct sprint__loss *loss, const sprint_real *f, const sprint_real *y, size_t n,
                          sprint_real *delta, struct sprint__tally *tally) {
  double sum = 0, c = loss->sharpness;
  for (size_t i = 0; i < n; i++) {
    double s = (double)side(y[i]), value = logistic(-c * s * (double)f[i]);
    sum += value;
    if (delta) delta[i] = (sprint_real)(-c * s * value * (1 - value));
    if (tally) tally->correct += is_right(f[i], y[i]);
    if (tally && tally->losses) tally->losses[i] = value;
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
    .taken = SPRINT__TAKEN_AS_SCORES,
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
    .taken = SPRINT__TAKEN_AS_SCORES,
    .n_outputs = binary_outputs,
    .needs = needs,
    .setup = sigmoid_setup,
    .sum = sigmoid_sum,
    .odds_linear = true,
    .log_odds = binary_log_odds,
};

static const sprint_param sigmoid_params[] = {
    SPRINT__REAL("c", "1", 1e-6, 1e6, "sharpness"),
};

const sprint_kind sprint__loss_sigmoid = {"sigmoid", "1 / (1 + exp(c y f)), y = -1 or +1; two classes, one output",
                                          sigmoid_params, SPRINT__COUNT(sigmoid_params), &sigmoid_ops};
