/* How good scores are: what a person decides by. Records are added with what they count for, and the numbers follow:
 * of classes accuracy, ROC, recall, precision, Brier score and calibration, of values RMSE and R^2. */
#ifndef SPRINT_ASSESS_METRICS_H
#define SPRINT_ASSESS_METRICS_H

#include "base/arena.h"

/* Records of one set, as they are added. */
struct sprint__tester {
  size_t n_classes; /* 0: values */
  size_t positive;  /* the class that recall and precision are about, where there are two */
  double threshold; /* of its probability */

  size_t n;
  double people;
  /* of classes */
  double *confusion; /* (n_classes, n_classes) people: of the class, said to be of the class */
  double brier;
  double bins[SPRINT_CALIBRATION_BINS][3]; /* people, sums of the probability said and of those it was said right of */
  /* for the ROC: scores of the positive class, or of every class; of records at a fixed stride where all are too many
   */
  size_t n_curves, stride, n_kept, n_room;
  struct sprint__scored *kept; /* (n_curves, n_room) */
  /* of values: the first y, the mean of y less that, the sum of the squared deviations, sums of (y - f)^2 and |y - f|
   */
  double first, mean, spread, error_sq, error;
};

struct sprint__scored {
  double score, people;
  bool own; /* the record is of the class that is scored */
};

/* For up to n records; the confusion is of the arena, what else it keeps of the room. */
sprint_status sprint__tester_new(struct sprint__arena *arena, struct sprint__arena *room, size_t n, size_t n_classes,
                                 size_t positive, double threshold, struct sprint__tester *ret_tester);

/* Adds n records: scores (n, n_classes) are probabilities, or (n) values; people (n), NULL: 1 each. */
void sprint__tester_add(struct sprint__tester *tester, const double *scores, const sprint_real *y, const double *people,
                        size_t n);

/* The class that scores (n_classes) say: of two, the positive one from the threshold on; of more, the likeliest. */
size_t sprint__class_said(const double *scores, size_t n_classes, size_t positive, double threshold);

/* What they come to, but for the loss. */
sprint_metrics sprint__tester_metrics(struct sprint__tester *tester);

#endif
