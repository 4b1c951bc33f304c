/* Metrics of scores: see metrics.h. */
#include "assess/metrics.h"

#include <math.h>
#include <stdlib.h>

/* Scores kept for the ROC, at most: 24 bytes each. */
enum { MOST_KEPT = 1 << 21 };

static const sprint_metrics unknown = {
    .size = sizeof unknown,
    .loss = NAN,
    .accuracy = NAN,
    .majority = NAN,
    .threshold = NAN,
    .auc = NAN,
    .recall = NAN,
    .precision = NAN,
    .brier = NAN,
    .calibration_error = NAN,
    .rmse = NAN,
    .mae = NAN,
    .r2 = NAN,
};

sprint_status sprint__tester_new(struct sprint__arena *arena, struct sprint__arena *room, size_t n, size_t n_classes,
                                 size_t positive, double threshold, struct sprint__tester *ret_tester) {
  size_t n_curves = n_classes == 2 ? 1 : n_classes, most = n_curves ? MOST_KEPT / n_curves : 1;
  if (most == 0) most = 1;
  size_t stride = (n + most - 1) / most;
  struct sprint__tester tester = {.n_classes = n_classes,
                                  .positive = positive,
                                  .threshold = threshold,
                                  .n_curves = n_curves,
                                  .stride = stride ? stride : 1};
  tester.n_room = (n + tester.stride - 1) / tester.stride;
  tester.confusion = sprint__arena_take(arena, n_classes, n_classes * sizeof *tester.confusion);
  tester.kept = sprint__arena_take(room, n_curves, tester.n_room * sizeof *tester.kept);
  *ret_tester = tester;
  SPRINT__TRY(sprint__arena_status(room));
  return sprint__arena_status(arena);
}

size_t sprint__class_said(const double *scores, size_t n_classes, size_t positive, double threshold) {
  size_t best = 0;
  if (n_classes == 2) return scores[positive] >= threshold ? positive : 1 - positive;
  for (size_t c = 1; c < n_classes; c++)
    if (scores[c] > scores[best]) best = c;
  return best;
}

static void keep_scores(struct sprint__tester *tester, const double *scores, size_t label, double people) {
  for (size_t k = 0; k < tester->n_curves; k++) {
    size_t c = tester->n_curves == 1 ? tester->positive : k;
    tester->kept[k * tester->n_room + tester->n_kept] = (struct sprint__scored){scores[c], people, label == c};
  }
  tester->n_kept++;
}

/* Of two classes the positive one's probability is held against how often it comes true; of more, that of the class
 * which was said. */
static void add_to_bin(struct sprint__tester *tester, double probability, bool right, double people) {
  int bin = (int)(probability * SPRINT_CALIBRATION_BINS);
  if (bin >= SPRINT_CALIBRATION_BINS) bin = SPRINT_CALIBRATION_BINS - 1;
  double *sums = tester->bins[bin > 0 ? bin : 0];
  sums[0] += people;
  sums[1] += people * probability;
  sums[2] += people * right;
}

static void add_class(struct sprint__tester *tester, const double *scores, size_t label, double people) {
  size_t k = tester->n_classes, guess = sprint__class_said(scores, k, tester->positive, tester->threshold);
  size_t calibrated = k == 2 ? tester->positive : guess;
  tester->confusion[label * k + guess] += people;
  for (size_t c = 0; c < k; c++) {
    double away = scores[c] - (c == label);
    if (k > 2 || c == tester->positive) tester->brier += people * away * away;
  }
  add_to_bin(tester, scores[calibrated], label == calibrated, people);
  if ((tester->n - 1) % tester->stride == 0) keep_scores(tester, scores, label, people);
}

static void add_value(struct sprint__tester *tester, double f, double y, double people) {
  if (tester->n == 1) tester->first = y;
  /* Welford's sums, of the distance to the first y: a mean far from 0 costs no digits */
  double from_first = y - tester->first, away = from_first - tester->mean;
  if (tester->people > 0) tester->mean += away * people / tester->people;
  tester->spread += people * away * (from_first - tester->mean);
  tester->error_sq += people * (y - f) * (y - f);
  tester->error += people * fabs(y - f);
}

void sprint__tester_add(struct sprint__tester *tester, const double *scores, const sprint_real *y, const double *people,
                        size_t n) {
  size_t k = tester->n_classes;
  for (size_t i = 0; i < n; i++) {
    double counts = people ? people[i] : 1;
    tester->n++;
    tester->people += counts;
    if (k)
      add_class(tester, scores + i * k, (size_t)y[i], counts);
    else
      add_value(tester, scores[i], (double)y[i], counts);
  }
}

static int by_score(const void *left, const void *right) {
  const struct sprint__scored *a = left, *b = right;
  return (a->score < b->score) - (a->score > b->score); /* the highest first */
}

/* Notes a point of the curve, if it is the first beyond the next of equal steps along the way; its end is noted apart.
 */
static void draw_point(sprint_metrics *metrics, double wrong, double right) {
  double along = (wrong + right) / 2 * (SPRINT_ROC_POINTS - 1);
  if (along < (double)metrics->n_roc || metrics->n_roc == SPRINT_ROC_POINTS - 1) return;
  metrics->roc[metrics->n_roc].false_positives = wrong;
  metrics->roc[metrics->n_roc++].true_positives = right;
}

/* The area under the ROC of scores (n), which are put in order: how often somebody of the class has a higher score than
 * somebody else, ties counting half. NaN where either side is empty. `metrics`: the curve is drawn there; or NULL. */
static double area(struct sprint__scored *scores, size_t n, sprint_metrics *metrics) {
  double own = 0, others = 0;
  long double below = 0, area = 0;
  for (size_t i = 0; i < n; i++) *(scores[i].own ? &own : &others) += scores[i].people;
  if (own <= 0 || others <= 0) return NAN;
  qsort(scores, n, sizeof *scores, by_score);
  if (metrics) draw_point(metrics, 0, 0);
  double so_far = 0, so_far_others = 0;
  for (size_t i = 0, end; i < n; i = end) {
    long double tied_own = 0, tied_others = 0;
    for (end = i; end < n && scores[end].score == scores[i].score; end++)
      *(scores[end].own ? &tied_own : &tied_others) += (long double)scores[end].people;
    area += tied_others * (below + tied_own / 2);
    below += tied_own;
    so_far += (double)tied_own;
    so_far_others += (double)tied_others;
    if (metrics && end < n) draw_point(metrics, so_far_others / others, so_far / own);
  }
  if (metrics) {
    metrics->roc[metrics->n_roc].false_positives = 1;
    metrics->roc[metrics->n_roc++].true_positives = 1;
  }
  return (double)(area / ((long double)own * (long double)others));
}

/* Of two classes the positive one's; of more, the mean over classes of each against the rest. */
static void measure_roc(struct sprint__tester *tester, sprint_metrics *metrics) {
  double sum = 0, n = 0;
  for (size_t k = 0; k < tester->n_curves; k++) {
    double one = area(tester->kept + k * tester->n_room, tester->n_kept, tester->n_curves == 1 ? metrics : NULL);
    if (isnan(one)) continue;
    sum += one;
    n++;
  }
  metrics->auc = n > 0 ? sum / n : NAN;
  metrics->n_scored = tester->n_kept;
}

/* Recall and precision of class c: those of its people who were said to be of it, and those said to be who are. NaN
 * where there are none to say it of. */
static void measure_class(const struct sprint__tester *tester, size_t c, double *ret_recall, double *ret_precision) {
  size_t k = tester->n_classes;
  double right = tester->confusion[c * k + c], of = 0, called = 0;
  for (size_t other = 0; other < k; other++) {
    of += tester->confusion[c * k + other];
    called += tester->confusion[other * k + c];
  }
  *ret_recall = of > 0 ? right / of : NAN;
  *ret_precision = called > 0 ? right / called : NAN;
}

static void measure_decisions(const struct sprint__tester *tester, sprint_metrics *metrics) {
  size_t k = tester->n_classes, n_recall = 0, n_precision = 0;
  double right = 0, recall = 0, precision = 0, largest = 0;
  for (size_t c = 0; c < k; c++) {
    double of = 0, own_recall, own_precision;
    for (size_t other = 0; other < k; other++) of += tester->confusion[c * k + other];
    largest = fmax(largest, of);
    right += tester->confusion[c * k + c];
    if (k == 2 && c != tester->positive) continue;
    measure_class(tester, c, &own_recall, &own_precision);
    recall += isnan(own_recall) ? 0 : own_recall;
    precision += isnan(own_precision) ? 0 : own_precision;
    if (!isnan(own_recall)) n_recall++;
    if (k > 2 || !isnan(own_precision)) n_precision++; /* of many, a class that nobody was said to be of counts as 0 */
  }
  metrics->accuracy = right / tester->people;
  metrics->majority = largest / tester->people;
  metrics->recall = n_recall ? recall / (double)n_recall : NAN;
  metrics->precision = n_precision ? precision / (double)n_precision : NAN;
}

static void measure_calibration(const struct sprint__tester *tester, sprint_metrics *metrics) {
  metrics->calibration_error = 0;
  for (size_t b = 0; b < SPRINT_CALIBRATION_BINS; b++) {
    const double *sums = tester->bins[b];
    bool any = sums[0] > 0;
    metrics->calibration[b].share = sums[0] / tester->people;
    metrics->calibration[b].said = any ? sums[1] / sums[0] : NAN;
    metrics->calibration[b].came = any ? sums[2] / sums[0] : NAN;
    metrics->calibration_error += fabs(sums[1] - sums[2]) / tester->people;
  }
}

static void measure_values(const struct sprint__tester *tester, sprint_metrics *metrics) {
  metrics->rmse = sqrt(tester->error_sq / tester->people);
  metrics->mae = tester->error / tester->people;
  metrics->r2 = tester->spread > 0 ? 1 - tester->error_sq / tester->spread : NAN;
}

sprint_metrics sprint__tester_metrics(struct sprint__tester *tester) {
  sprint_metrics metrics = unknown;
  metrics.n = tester->n;
  metrics.people = tester->people;
  metrics.n_classes = tester->n_classes;
  if (tester->people <= 0) return metrics;
  if (!tester->n_classes) {
    measure_values(tester, &metrics);
    return metrics;
  }
  size_t k = tester->n_classes;
  metrics.positive = tester->positive;
  metrics.threshold = k == 2 ? tester->threshold : NAN;
  metrics.brier = tester->brier / tester->people;
  measure_decisions(tester, &metrics);
  measure_calibration(tester, &metrics);
  measure_roc(tester, &metrics);
  metrics.confusion = tester->confusion;
  return metrics;
}
