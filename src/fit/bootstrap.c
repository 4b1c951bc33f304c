/* The bootstrap: people are drawn with replacement, within groups of the same logs, so that every resample has as many
 * of each. All that an estimate depends on are sums over people, so that a resample is one pass over their numbers.
 * Resamples are functions of seed and number: threads share them, and the result does not depend on who did which. */
#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "base/random.h"
#include "fit/fit.h"

struct work {
  const struct sprint__bootstrap *bootstrap;
  double *values; /* (n_resamples, n_values) */
  uint32_t *counts[SPRINT__MAX_LANES];
  double *sums[SPRINT__MAX_LANES], *room[SPRINT__MAX_LANES];
};

struct sprint__bootstrap sprint__bootstrap_of(const sprint_fit *fit, const double *rows, size_t width) {
  return (struct sprint__bootstrap){.context = fit->context,
                                    .n = fit->people.n,
                                    .width = width,
                                    .rows = rows,
                                    .n_groups = fit->people.n_groups,
                                    .group = fit->people.group,
                                    .n_resamples = fit->options.resamples,
                                    .seed = fit->options.seed};
}

/* How often each person is drawn. */
static void draw(const struct sprint__bootstrap *b, size_t resample, uint32_t *counts) {
  memset(counts, 0, b->n * sizeof *counts);
  for (size_t g = 0; g < b->n_groups; g++) {
    size_t start = b->group[g], size = b->group[g + 1] - start;
    for (size_t i = 0; i < size; i += 2) {
      struct sprint__random words =
          sprint__random_words(b->seed, SPRINT__FOR_BOOTSTRAP, resample, (uint32_t)(start + i));
      counts[start + sprint__below(words.a, size)]++;
      if (i + 1 < size) counts[start + sprint__below(words.b, size)]++;
    }
  }
}

/* counts NULL: everybody once. */
static void add_up(const struct sprint__bootstrap *b, const uint32_t *counts, double *ret_sums) {
  size_t width = b->width;
  memset(ret_sums, 0, b->n_groups * width * sizeof *ret_sums);
  for (size_t g = 0; g < b->n_groups; g++) {
    double *restrict sums = ret_sums + g * width;
    for (size_t i = b->group[g]; i < b->group[g + 1]; i++) {
      if (counts && !counts[i]) continue;
      const double *restrict row = b->rows + i * width;
      double times = counts ? counts[i] : 1;
      for (size_t j = 0; j < width; j++) sums[j] += times * row[j];
    }
  }
}

void sprint__bootstrap_sums(const struct sprint__bootstrap *bootstrap, double *ret_sums) {
  add_up(bootstrap, NULL, ret_sums);
}

static void do_resamples(void *user, int lane, size_t start, size_t end) {
  struct work *work = user;
  const struct sprint__bootstrap *b = work->bootstrap;
  for (size_t r = start; r < end; r++) {
    draw(b, r, work->counts[lane]);
    add_up(b, work->counts[lane], work->sums[lane]);
    b->values(b->user, work->sums[lane], work->room[lane], work->values + r * b->n_values);
  }
}

sprint_status sprint__bootstrap_run(const struct sprint__bootstrap *b, double *ret_values) {
  SPRINT__SCRATCH(room, b->context);
  struct work work = {b, ret_values};
  enum { MOST_TASKS = 128 };
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) {
    work.counts[lane] = sprint__arena_take(&room, b->n, sizeof **work.counts);
    work.sums[lane] = sprint__arena_take(&room, b->n_groups, b->width * sizeof **work.sums);
    work.room[lane] = sprint__arena_take(&room, b->room_size, sizeof **work.room);
  }
  SPRINT__TRY(sprint__arena_status(&room));
  sprint__tasks_run(b->context, b->n_resamples, b->n_resamples < MOST_TASKS ? (int)b->n_resamples : MOST_TASKS,
                    do_resamples, &work);
  return SPRINT_OK;
}

static bool is_known(const double *row, const size_t *which, size_t p) {
  for (size_t j = 0; j < p; j++)
    if (!isfinite(row[which[j]])) return false;
  return true;
}

size_t sprint__covariance(const double *values, size_t n, size_t width, const size_t *which, size_t p, double *ret) {
  size_t known = 0;
  memset(ret, 0, p * p * sizeof *ret);
  for (size_t i = 0; i < n; i++) known += is_known(values + i * width, which, p);
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b <= a; b++) {
      double sum_a = 0, sum_b = 0, sum = 0, mean_a, mean_b;
      for (size_t i = 0; i < n; i++) {
        if (!is_known(values + i * width, which, p)) continue;
        sum_a += values[i * width + which[a]];
        sum_b += values[i * width + which[b]];
      }
      mean_a = sum_a / (double)known;
      mean_b = sum_b / (double)known;
      for (size_t i = 0; i < n; i++) {
        if (!is_known(values + i * width, which, p)) continue;
        sum += (values[i * width + which[a]] - mean_a) * (values[i * width + which[b]] - mean_b);
      }
      ret[a * p + b] = ret[b * p + a] = known > 1 ? sum / (double)(known - 1) : NAN;
    }
  return known;
}
