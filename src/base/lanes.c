/* Lanes over OpenMP: see lanes.h. */
#include "base/lanes.h"

/* Below this a lane costs more to start than it saves: some 100 microseconds of arithmetic. */
#define WORTH_A_LANE 2e6

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

static void run_lane(size_t n_rows, int n_lanes, int lane, sprint__lane_work work, void *user) {
  size_t start, end = sprint__lane_rows(n_rows, n_lanes, lane, &start);
  work(user, lane, start, end);
}

void sprint__lanes_run(sprint_context *context, size_t n_rows, int n_lanes, sprint__lane_work work, void *user) {
  if (n_lanes == 1 || context->n_threads == 1) { /* a team of one would still take some hundred nanoseconds */
    for (int lane = 0; lane < n_lanes; lane++) run_lane(n_rows, n_lanes, lane, work, user);
    return;
  }
#pragma omp parallel for num_threads(context->n_threads) schedule(static)
  for (int lane = 0; lane < n_lanes; lane++) run_lane(n_rows, n_lanes, lane, work, user);
}
