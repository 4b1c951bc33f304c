/* Vectors as long as theta, by all threads: see vector.h. */
#include "base/vector.h"

#include <string.h>

#include "base/fast.h"
#include "base/lanes.h"

enum { CHUNK = 1024 }; /* numbers that stay together */

/* A number that is read, and one that is written, takes as long as some ten multiplications. */
#define COST_PER_CHUNK (10.0 * CHUNK)

struct work {
  const sprint_real *from;
  sprint_real *to;
  size_t n;
  double sums[SPRINT__MAX_LANES];
};

static void run(sprint_context *context, sprint__lane_work lane, struct work *work) {
  size_t chunks = (work->n + CHUNK - 1) / CHUNK;
  int n_lanes = work->n < SPRINT__LONG ? 1 : sprint__lanes_for(chunks, COST_PER_CHUNK, 0);
  sprint__lanes_run(context, chunks, n_lanes, lane, work);
}

/* Numbers of chunks start .. end, from *ret_first on. */
static size_t numbers(const struct work *work, size_t start, size_t end, size_t *ret_first) {
  *ret_first = start * CHUNK;
  return (end * CHUNK < work->n ? end * CHUNK : work->n) - *ret_first;
}

static void copy_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct work *work = user;
  size_t first, n = numbers(work, start, end, &first);
  memcpy(work->to + first, work->from + first, n * sizeof *work->to);
}

void sprint__long_copy(sprint_context *context, const sprint_real *from, size_t n, sprint_real *ret_to) {
  run(context, copy_lane, &(struct work){.from = from, .to = ret_to, .n = n});
}

static void clear_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct work *work = user;
  size_t first, n = numbers(work, start, end, &first);
  memset(work->to + first, 0, n * sizeof *work->to);
}

void sprint__long_clear(sprint_context *context, size_t n, sprint_real *ret_zeros) {
  run(context, clear_lane, &(struct work){.to = ret_zeros, .n = n});
}

SPRINT__FAST static void subtract(const sprint_real *restrict others, size_t n, sprint_real *restrict values) {
  for (size_t i = 0; i < n; i++) values[i] -= others[i];
}

static void subtract_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct work *work = user;
  size_t first, n = numbers(work, start, end, &first);
  subtract(work->from + first, n, work->to + first);
}

void sprint__long_subtract(sprint_context *context, const sprint_real *others, size_t n, sprint_real *values) {
  run(context, subtract_lane, &(struct work){.from = others, .to = values, .n = n});
}

/* Side by side, so that no addition waits for the one before it. */
SPRINT__FAST static double sum_of_squares(const sprint_real *a, size_t n) {
  enum { PARTS = 16 };
  double parts[PARTS] = {0}, sum = 0;
  size_t i = 0;
  for (; i + PARTS <= n; i += PARTS)
    for (size_t k = 0; k < PARTS; k++) parts[k] += (double)a[i + k] * (double)a[i + k];
  for (; i < n; i++) sum += (double)a[i] * (double)a[i];
  for (size_t k = 0; k < PARTS; k++) sum += parts[k];
  return sum;
}

static void square_lane(void *user, int lane, size_t start, size_t end) {
  struct work *work = user;
  size_t first, n = numbers(work, start, end, &first);
  work->sums[lane] = sum_of_squares(work->from + first, n);
}

double sprint__long_norm_sq(sprint_context *context, const sprint_real *a, size_t n) {
  struct work work = {.from = a, .n = n};
  double sum = 0;
  run(context, square_lane, &work);
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) sum += work.sums[lane];
  return sum;
}
