/* Rows that are copied from and to places far from each other: see rows.h. */
#include "base/rows.h"

#include <string.h>

#include "base/lanes.h"

struct work {
  const sprint_real *from;
  sprint_real *to;
  const uint32_t *who;
  size_t d;
};

static void take_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct work *work = user;
  size_t d = work->d;
  for (size_t i = start; i < end; i++) memcpy(work->to + i * d, work->from + work->who[i] * d, d * sizeof *work->to);
}

static void put_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct work *work = user;
  size_t d = work->d;
  for (size_t i = start; i < end; i++) memcpy(work->to + work->who[i] * d, work->from + i * d, d * sizeof *work->to);
}

static void run(sprint_context *context, size_t n, sprint__lane_work lane, struct work *work) {
  int n_lanes = sprint__lanes_for(n, SPRINT__COST_OF_MOVING * (double)work->d, 0);
  if (n_lanes == 1)
    lane(work, 0, 0, n);
  else
    sprint__lanes_run(context, n, n_lanes, lane, work);
}

void sprint__rows_take(sprint_context *context, const sprint_real *all, size_t d, const uint32_t *who, size_t n,
                       sprint_real *ret_rows) {
  run(context, n, take_lane, &(struct work){all, ret_rows, who, d});
}

void sprint__rows_put(sprint_context *context, const sprint_real *rows, size_t d, const uint32_t *who, size_t n,
                      sprint_real *ret_all) {
  run(context, n, put_lane, &(struct work){rows, ret_all, who, d});
}
