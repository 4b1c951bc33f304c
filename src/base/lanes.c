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

void sprint__split_do(const struct sprint__split *split, int part, int thread) {
  size_t start, end = sprint__lane_rows(split->n_rows, split->n_parts, part, &start);
  split->work(split->user, split->tasks ? thread : part, start, end);
}

static void do_all(const struct sprint__split *split) {
  for (int part = 0; part < split->n_parts; part++) sprint__split_do(split, part, 0);
}

static void run(sprint_context *context, const struct sprint__split *split) {
  if (split->n_parts == 1 || context->in_lanes) {
    do_all(split);
    return;
  }
  context->in_lanes = true;
  if (context->n_threads == 1 || !sprint__team_share(context, split)) do_all(split);
  context->in_lanes = false;
}

void sprint__lanes_run(sprint_context *context, size_t n_rows, int n_lanes, sprint__lane_work work, void *user) {
  run(context, &(struct sprint__split){n_rows, n_lanes, work, user, false});
}

bool sprint__lanes_shared(const sprint_context *context) { return context->team && !context->in_lanes; }

void sprint__tasks_run(sprint_context *context, size_t n_rows, int n_tasks, sprint__lane_work work, void *user) {
  run(context, &(struct sprint__split){n_rows, n_tasks, work, user, true});
}
