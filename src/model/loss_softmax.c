/* Softmax cross-entropy: log sum exp(f) - f_y. */
#include <math.h>

#include "base/group_math.h"
#include "model/interleaved.h"
#include "model/loss.h"

static size_t softmax_outputs(size_t n_classes) { return n_classes >= 2 ? n_classes : 0; }

/* The index of the largest of f (k), the first of equals. */
static size_t largest(const sprint_real *f, size_t k) {
  size_t best = 0;
  for (size_t j = 1; j < k; j++)
    if (f[j] > f[best]) best = j;
  return best;
}

enum { ROOM = 1024 };           /* classes whose exponentials are held though nobody wants them */
enum { FEW = 32, ABREAST = 4 }; /* classes at most and records at least that go side by side */

static sprint_real sum_only(const sprint_real *f, size_t k, sprint_real top) {
  double sum = 0;
  for (size_t j = 0; j < k; j++) sum += exp((double)f[j] - (double)top);
  return (sprint_real)sum;
}

/* e (k) := exp(f - top), and their sum. */
SPRINT__INLINE sprint_real exponentials(const sprint_real *f, size_t k, sprint_real top, sprint_real *e) {
  group sums = {0};
  size_t j = 0;
  for (; j + G <= k; j += G) {
    group value = group_exp(load(f + j) - top);
    store(e + j, value);
    sums += value;
  }
  if (j == k) return total(sums);
  sprint_real rest[G];
  for (size_t g = 0; g < G; g++) rest[g] = j + g < k ? f[j + g] - top : (sprint_real)-INFINITY;
  group value = group_exp(load(rest));
  for (size_t g = 0; j + g < k; g++) e[j + g] = value[g];
  return total(sums + value);
}

/* Records one by one, of any number of classes. */
SPRINT__INLINE double sum_by_record(const sprint_real *f, const sprint_real *y, size_t k, size_t n, sprint_real *delta,
                                    struct sprint__tally *tally) {
  double total_loss = 0;
  for (size_t i = 0; i < n; i++, f += k) {
    size_t label = (size_t)y[i], best = largest(f, k);
    sprint_real room[ROOM], *e = delta ? delta + i * k : room;
    sprint_real sum = delta || k <= ROOM ? exponentials(f, k, f[best], e) : sum_only(f, k, f[best]);
    if (tally) {
      double own = log((double)sum) + (double)f[best] - (double)f[label];
      total_loss += own;
      tally->correct += best == label;
      if (tally->losses) tally->losses[i] = own;
    }
    if (!delta) continue;
    for (size_t j = 0; j < k; j++) e[j] /= sum;
    e[label] -= 1;
  }
  return total_loss;
}

/* n records, a group at most, side by side: for few classes, which would not fill groups. Their losses (n). */
SPRINT__INLINE void sum_abreast(const sprint_real *f, const sprint_real *y, size_t k, size_t n, sprint_real *delta,
                                size_t *correct, double *losses) {
  sprint_real e[FEW * G] = {0}, labels[G] = {0};
  memcpy(labels, y, n * sizeof *y);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < k; j++) e[j * G + i] = f[i * k + j];
  group label = load(labels), top = load(e), best = {0}, own = {0}, sum = {0};
  for (size_t j = 1; j < k; j++) {
    group value = load(e + j * G);
    best = blend(value > top, SPRINT__ALL((sprint_real)j), best);
    top = blend(value > top, value, top);
  }
  for (size_t j = 0; j < k; j++) {
    group value = load(e + j * G);
    own = blend(label == (sprint_real)j, value, own);
    value = group_exp(value - top);
    store(e + j * G, value);
    sum += value;
  }
  for (size_t j = 0; delta && j < k; j++) {
    group share = load(e + j * G) / sum;
    store(e + j * G, blend(label == (sprint_real)j, share - 1, share));
  }
  for (size_t i = 0; delta && i < n; i++)
    for (size_t j = 0; j < k; j++) delta[i * k + j] = e[j * G + i];
  if (!correct) return;
  group logs = group_log(sum);
  for (size_t i = 0; i < n; i++) {
    losses[i] = (double)logs[i] + (double)top[i] - (double)own[i];
    *correct += best[i] == label[i];
  }
}

SPRINT__FAST static double softmax_sum(const struct sprint__loss *loss, const sprint_real *f, const sprint_real *y,
                                       size_t n, sprint_real *delta, struct sprint__tally *tally) {
  size_t k = loss->n_outputs;
  if (k > FEW || n < ABREAST) return sum_by_record(f, y, k, n, delta, tally);
  double total_loss = 0;
  for (size_t i = 0, rows; i < n; i += rows) {
    double room[G], *losses = tally && tally->losses ? tally->losses + i : room;
    rows = n - i < G ? n - i : G;
    sum_abreast(f + i * k, y + i, k, rows, delta ? delta + i * k : NULL, tally ? &tally->correct : NULL, losses);
    for (size_t r = 0; tally && r < rows; r++) total_loss += losses[r];
  }
  return total_loss;
}

/* Without telling anybody which class was best. */
SPRINT__FAST static void softmax_interleaved(const struct sprint__loss *loss, const sprint_real *f,
                                             const sprint_real *y, sprint_real *ret_losses) {
  size_t k = loss->n_outputs;
  for (size_t g = 0; g < SPRINT__INTERLEAVED; g += G, f += G) {
    group top = load(f), label = load(y + g), own = {0}, sum = {0};
    for (size_t j = 1; j < k; j++) {
      group value = load(f + j * SPRINT__INTERLEAVED);
      top = blend(value > top, value, top);
    }
    for (size_t j = 0; j < k; j++) {
      group value = load(f + j * SPRINT__INTERLEAVED);
      sum += group_exp(value - top);
      own = blend(label == (sprint_real)j, value, own);
    }
    store(ret_losses + g, group_log(sum) + top - own);
  }
}

/* log p_g - log(1 - p_g) = f_g - log sum over j != g of exp(f_j), and its slopes: of one record. */
SPRINT__INLINE sprint_real odds_of(const sprint_real *f, size_t k, size_t g, sprint_real *delta) {
  memcpy(delta, f, k * sizeof *delta);
  delta[g] = (sprint_real)-INFINITY; /* its exponential is 0 */
  sprint_real top = delta[largest(delta, k)], sum = exponentials(delta, k, top, delta);
  for (size_t j = 0; j < k; j++) delta[j] /= -sum;
  delta[g] = 1;
  return (sprint_real)((double)f[g] - (double)top - log((double)sum));
}

/* The same of n records, a group at most, side by side. */
SPRINT__INLINE void odds_abreast(const sprint_real *f, size_t k, size_t n, size_t g, sprint_real *odds,
                                 sprint_real *delta) {
  sprint_real e[FEW * G] = {0};
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < k; j++) e[j * G + i] = j == g ? (sprint_real)-INFINITY : f[i * k + j];
  group top = load(e), sum = {0};
  for (size_t j = 1; j < k; j++) top = blend(load(e + j * G) > top, load(e + j * G), top);
  for (size_t j = 0; j < k; j++) {
    group value = group_exp(load(e + j * G) - top);
    store(e + j * G, value);
    sum += value;
  }
  for (size_t j = 0; j < k; j++) store(e + j * G, j == g ? SPRINT__ALL((sprint_real)1) : load(e + j * G) / -sum);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < k; j++) delta[i * k + j] = e[j * G + i];
    odds[i] = (sprint_real)((double)f[i * k + g] - (double)top[i] - log((double)sum[i]));
  }
}

/* Few classes by whole groups, however few the records, so that odds do not depend on how many there are. */
SPRINT__FAST static void softmax_log_odds(const struct sprint__loss *loss, const sprint_real *f, size_t n, size_t g,
                                          sprint_real *odds, sprint_real *delta) {
  size_t k = loss->n_outputs;
  for (size_t i = 0; k <= FEW && i < n; i += G)
    odds_abreast(f + i * k, k, n - i < G ? n - i : G, g, odds + i, delta + i * k);
  for (size_t i = 0; k > FEW && i < n; i++) odds[i] = odds_of(f + i * k, k, g, delta + i * k);
}

static const struct sprint__loss_ops softmax_ops = {
    .classifies = true,
    .taken = SPRINT__TAKEN_AS_SCORES,
    .n_outputs = softmax_outputs,
    .needs = "classes, with one output for each",
    .sum = softmax_sum,
    .interleaved = softmax_interleaved,
    .log_odds = softmax_log_odds,
};

const sprint_kind sprint__loss_softmax = {"softmax", "cross-entropy of softmax(f); one output for each class", NULL, 0,
                                          &softmax_ops};
