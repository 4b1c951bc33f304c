/* A model's scores on a population: under a deployment of its own, or as if nobody had reacted. */
#ifndef SPRINT_ASSESS_SCORES_H
#define SPRINT_ASSESS_SCORES_H

#include "assess/metrics.h"
#include "shift/shift.h"

struct sprint__scoring {
  sprint_shift *shift;
  const sprint_population *population; /* the shift's, or a held-out part */
  const sprint_real *theta;
  bool reacts;     /* records under D(theta); otherwise base records */
  const double *p; /* (n_strata) of D(theta), where it reacts and the shift reweights; otherwise NULL */
  size_t positive;
  double threshold;
};

/* ret_metrics is the caller's struct; its confusion is the arena's. Nothing is counted or remembered by the shift. */
sprint_status sprint__assess(struct sprint__arena *arena, const struct sprint__scoring *scoring,
                             sprint_metrics *ret_metrics);

#endif
