/* Sums and means by stratum: see strata.h. */
#include "solver/strata.h"

#include <string.h>

#include "base/fast.h"
#include "base/lanes.h"

struct sprint__strata_sums sprint__strata_sums_of(struct sprint__arena *arena, size_t n_strata, size_t n_params) {
  return (struct sprint__strata_sums){
      .n_strata = n_strata,
      .n_params = n_params,
      .gradient = n_params ? sprint__arena_take(arena, n_strata * n_params, sizeof(double)) : NULL,
      .loss = sprint__arena_take(arena, n_strata, sizeof(double)),
      .count = sprint__arena_take(arena, n_strata, sizeof(size_t)),
      .weight = sprint__arena_take(arena, n_strata, sizeof(double)),
      .correct = sprint__arena_take(arena, n_strata, sizeof(double)),
      .p = sprint__arena_take(arena, n_strata, sizeof(double)),
  };
}

void sprint__strata_sums_clear(struct sprint__strata_sums *sums) {
  memset(sums->loss, 0, sums->n_strata * sizeof *sums->loss);
  memset(sums->count, 0, sums->n_strata * sizeof *sums->count);
  memset(sums->weight, 0, sums->n_strata * sizeof *sums->weight);
  memset(sums->correct, 0, sums->n_strata * sizeof *sums->correct);
  sums->n = 0;
}

void sprint__strata_count(struct sprint__strata_sums *sums, size_t c, size_t n, const double *weights, double loss,
                          double correct) {
  double total = weights ? 0 : (double)n;
  for (size_t i = 0; weights && i < n; i++) total += weights[i];
  sums->loss[c] += loss;
  sums->correct[c] += correct;
  sums->weight[c] += total;
  sums->count[c] += n;
  sums->n += n;
}

double sprint__strata_weight(const struct sprint__strata_sums *sums) {
  double total = 0;
  for (size_t c = 0; c < sums->n_strata; c++) total += sums->weight[c];
  return total;
}

struct mean_work {
  const struct sprint__strata_parts *parts;
  const double *p;
  sprint_real *mean;
  double *exact;
};

/* Below this a stratum's share is far beneath the rounding of any other. */
#define NEVER 1e-30

enum { CHUNK = 256 }; /* parameters */

SPRINT__FAST static void mean_chunk(const struct mean_work *work, size_t start, size_t n) {
  const struct sprint__strata_parts *parts = work->parts;
  double totals[CHUNK] = {0};
  for (size_t c = 0; c < parts->n_strata; c++) {
    if ((parts->sums && parts->weight[c] <= 0) || work->p[c] <= NEVER) continue;
    size_t at = c * parts->n_params + start;
    double weight = parts->sums ? work->p[c] / parts->weight[c] : work->p[c];
    if (parts->sums)
      for (size_t i = 0; i < n; i++) totals[i] += weight * parts->sums[at + i];
    else
      for (size_t i = 0; i < n; i++) totals[i] += weight * (double)parts->means[at + i];
  }
  for (size_t i = 0; i < n; i++)
    if (work->exact)
      work->exact[start + i] = totals[i];
    else
      work->mean[start + i] = (sprint_real)totals[i];
}

static void mean_chunks(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct mean_work *work = user;
  size_t n = work->parts->n_params;
  for (size_t c = start; c < end; c++) mean_chunk(work, c * CHUNK, n - c * CHUNK < CHUNK ? n - c * CHUNK : CHUNK);
}

void sprint__strata_mean(sprint_context *context, const struct sprint__strata_parts *parts, const double *p,
                         sprint_real *ret_mean, double *ret_exact) {
  struct mean_work work = {parts, p, ret_mean, ret_exact};
  size_t chunks = (parts->n_params + CHUNK - 1) / CHUNK;
  int n_lanes = sprint__lanes_for(chunks, 10.0 * CHUNK * (double)parts->n_strata, 0);
  sprint__lanes_run(context, chunks, n_lanes, mean_chunks, &work);
}

void sprint__strata_sums_state(struct sprint__strata_sums *sums, struct sprint__state *state) {
  SPRINT__KEEP_ARRAY(state, sums->gradient, sums->n_strata * sums->n_params);
  SPRINT__KEEP_ARRAY(state, sums->loss, sums->n_strata);
  SPRINT__KEEP_ARRAY(state, sums->count, sums->n_strata);
  SPRINT__KEEP_ARRAY(state, sums->weight, sums->n_strata);
  SPRINT__KEEP_ARRAY(state, sums->correct, sums->n_strata);
  SPRINT__KEEP_ARRAY(state, sums->p, sums->n_strata);
  SPRINT__KEEP(state, sums->n);
}
