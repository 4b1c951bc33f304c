/* Vectors as long as theta, by all threads: see vector.h. */
#include "base/vector.h"

#include <string.h>

#include "base/fast.h"
#include "base/lanes.h"

enum { PARTS = SPRINT__MAX_LANES }; /* that a stretch is cut into */

struct long_work {
  const struct sprint__stretches *of;
  sprint__long_work work;
  void *user;
};

/* Where a part of a stretch begins; one that is never cut is the first one's. */
static size_t part_start(const struct sprint__stretch *stretch, size_t part) {
  if (part == PARTS || (stretch->n_steps == 0 && part > 0)) return stretch->n;
  return sprint__part_start(stretch->n_steps, PARTS, part) * stretch->step;
}

static void do_parts(void *user, int lane, size_t start, size_t end) {
  const struct long_work *work = user;
  for (size_t s = 0, at = 0; s < work->of->n_stretches; at += work->of->all[s++].n) {
    size_t first = part_start(&work->of->all[s], start), stop = part_start(&work->of->all[s], end);
    if (first < stop) work->work(work->user, lane, at + first, at + stop);
  }
}

/* Numbers of stretches that are cut. */
static size_t shareable(const struct sprint__stretches *of) {
  size_t n = 0;
  for (size_t s = 0; s < of->n_stretches; s++) n += of->all[s].n_steps ? of->all[s].n : 0;
  return n;
}

double sprint__long_cost(const struct sprint__stretches *of, double cost) {
  return shareable(of) < SPRINT__LONG ? 0 : cost;
}

void sprint__long_run(sprint_context *context, const struct sprint__stretches *of, double cost, sprint__long_work work,
                      void *user) {
  int n_lanes = sprint__lanes_for(PARTS, cost * (double)shareable(of) / PARTS, 0);
  struct long_work parts = {of, work, user};
  if (n_lanes == 1)
    work(user, 0, 0, of->n);
  else
    sprint__lanes_run(context, PARTS, n_lanes, do_parts, &parts);
}

/* A number that is read, and one that is written, takes as long as some ten multiplications. */
#define COST 10.0

struct work {
  const sprint_real *from;
  sprint_real *to;
  double sums[SPRINT__MAX_LANES];
};

static void copy_range(void *user, int lane, size_t first, size_t end) {
  (void)lane;
  const struct work *work = user;
  memcpy(work->to + first, work->from + first, (end - first) * sizeof *work->to);
}

void sprint__long_copy(sprint_context *context, const struct sprint__stretches *of, const sprint_real *from,
                       sprint_real *ret_to) {
  sprint__long_run(context, of, sprint__long_cost(of, COST), copy_range, &(struct work){.from = from, .to = ret_to});
}

static void clear_range(void *user, int lane, size_t first, size_t end) {
  (void)lane;
  const struct work *work = user;
  memset(work->to + first, 0, (end - first) * sizeof *work->to);
}

void sprint__long_clear(sprint_context *context, const struct sprint__stretches *of, sprint_real *ret_zeros) {
  sprint__long_run(context, of, sprint__long_cost(of, COST), clear_range, &(struct work){.to = ret_zeros});
}

SPRINT__FAST void sprint__add_to(sprint_real *restrict values, const sprint_real *restrict others, size_t n) {
  for (size_t i = 0; i < n; i++) values[i] += others[i];
}

SPRINT__FAST static void subtract(const sprint_real *restrict others, size_t n, sprint_real *restrict values) {
  for (size_t i = 0; i < n; i++) values[i] -= others[i];
}

static void subtract_range(void *user, int lane, size_t first, size_t end) {
  (void)lane;
  const struct work *work = user;
  subtract(work->from + first, end - first, work->to + first);
}

void sprint__long_subtract(sprint_context *context, const struct sprint__stretches *of, const sprint_real *others,
                           sprint_real *values) {
  sprint__long_run(context, of, sprint__long_cost(of, COST), subtract_range,
                   &(struct work){.from = others, .to = values});
}

/* Side by side, so that no addition waits for the one before it. */
SPRINT__FAST static double sum_of_squares(const sprint_real *a, size_t n) {
  enum { ABREAST = 16 };
  double parts[ABREAST] = {0}, sum = 0;
  size_t i = 0;
  for (; i + ABREAST <= n; i += ABREAST)
    for (size_t k = 0; k < ABREAST; k++) parts[k] += (double)a[i + k] * (double)a[i + k];
  for (; i < n; i++) sum += (double)a[i] * (double)a[i];
  for (size_t k = 0; k < ABREAST; k++) sum += parts[k];
  return sum;
}

static void square_range(void *user, int lane, size_t first, size_t end) {
  struct work *work = user;
  work->sums[lane] += sum_of_squares(work->from + first, end - first);
}

double sprint__long_norm_sq(sprint_context *context, const struct sprint__stretches *of, const sprint_real *a) {
  struct work work = {.from = a};
  double sum = 0;
  sprint__long_run(context, of, sprint__long_cost(of, COST), square_range, &work);
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) sum += work.sums[lane];
  return sum;
}
