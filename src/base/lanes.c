/* How work is cut: see lanes.h. */
#include "base/lanes.h"

#include "base/team.h"

/* Below this a lane costs more to hand over than it saves: some two microseconds of arithmetic. */
#define WORTH_A_LANE 1e5

int sprint__lanes_for(size_t n_rows, double cost_per_row, double cost_per_lane) {
  double worth = (double)n_rows * cost_per_row / (WORTH_A_LANE + cost_per_lane);
  if (worth >= SPRINT__MAX_LANES) worth = SPRINT__MAX_LANES;
  if (worth > (double)n_rows) worth = (double)n_rows;
  int n_lanes = 1;
  while (2 * n_lanes <= worth) n_lanes *= 2;
  return n_lanes;
}

size_t sprint__lane_rows(size_t n_rows, int n_lanes, int lane, size_t *ret_start) {
  size_t lanes = (size_t)n_lanes, l = (size_t)lane;
  size_t each = n_rows / lanes, rest = n_rows % lanes;
  *ret_start = l * each + (l < rest ? l : rest);
  return *ret_start + each + (l < rest ? 1 : 0);
}

void sprint__laned_do(const struct sprint__laned *laned, int lane, int thread) {
  size_t start, end = sprint__lane_rows(laned->n_rows, laned->n_lanes, lane, &start);
  laned->work(laned->user, laned->pieces ? thread : lane, start, end);
}

static void run(sprint_context *context, const struct sprint__laned *laned) {
  if (laned->n_lanes > 1 && context->n_threads > 1 && sprint__team_share(context, laned)) return;
  for (int lane = 0; lane < laned->n_lanes; lane++) sprint__laned_do(laned, lane, 0);
}

void sprint__lanes_run(sprint_context *context, size_t n_rows, int n_lanes, sprint__lane_work work, void *user) {
  run(context, &(struct sprint__laned){n_rows, n_lanes, work, user, false});
}

void sprint__pieces_run(sprint_context *context, size_t n_rows, int n_pieces, sprint__lane_work work, void *user) {
  run(context, &(struct sprint__laned){n_rows, n_pieces, work, user, true});
}
