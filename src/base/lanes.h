/* Lanes: how work on rows is cut. The cut depends on the work alone, never on the threads that do it, and partial sums
 * are combined in lane order, so results are equal to the bit at any thread count. */
#ifndef SPRINT_BASE_LANES_H
#define SPRINT_BASE_LANES_H

#include "base/context.h"

enum { SPRINT__MAX_LANES = 8 };

/* How many lanes n rows of `cost_per_row` floating-point operations are worth, where a lane costs `cost_per_lane` of
 * them by being there (a buffer to clear and to add up): a power of two, so that two or four threads share them
 * evenly. */
int sprint__lanes_for(size_t n_rows, double cost_per_row, double cost_per_lane);

/* The rows of a lane: [*ret_start, return value). */
size_t sprint__lane_rows(size_t n_rows, int n_lanes, int lane, size_t *ret_start);

/* Calls work(user, lane, start, end) for every lane, on up to context->n_threads threads; on this one alone where it is
 * called in one of several lanes. */
typedef void (*sprint__lane_work)(void *user, int lane, size_t start, size_t end);
void sprint__lanes_run(sprint_context *context, size_t n_rows, int n_lanes, sprint__lane_work work, void *user);

/* Whether this is called in one of several lanes or tasks, of which each is one thread's, however many there are. */
static inline bool sprint__lanes_nested(const sprint_context *context) { return context->in_lanes; }

/* Whether other threads wait to do some of them. For work that gives the same bits however it is cut, and is cut for no
 * other reason. */
bool sprint__lanes_shared(const sprint_context *context);

/* Tasks: the same where nothing is summed by lane, so that there may be more of them than lanes (up to 254). `lane` is
 * then the number of the thread that does the task, below SPRINT__MAX_LANES, and says no more than whose room it may
 * use. Not to be called in a lane, where all threads would be the first. */
void sprint__tasks_run(sprint_context *context, size_t n_rows, int n_tasks, sprint__lane_work work, void *user);

/* Work that is split into lanes or tasks, to be handed over to other threads. */
struct sprint__split {
  size_t n_rows;
  int n_parts;
  sprint__lane_work work;
  void *user;
  bool tasks;
};
void sprint__split_do(const struct sprint__split *split, int part, int thread);

#endif
