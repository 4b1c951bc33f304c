/* Sums and means by stratum: see strata.h. */
#include "solver/strata.h"

#include <string.h>

#include "base/group.h"
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

enum { CHUNK = 256, BLOCK = 16 }; /* parameters of a task; of those whose sums stay in registers */

typedef double quad __attribute__((vector_size(4 * sizeof(double))));
enum { QUADS = BLOCK / 4 };

/* Four of a stratum's, from number `at` of all on. Named one by one: gcc takes a conversion of a vector apart. */
SPRINT__INLINE quad load_part(const struct sprint__strata_parts *parts, bool sums, size_t at) {
  if (sums) {
    const double *x = parts->sums + at;
    return (quad){x[0], x[1], x[2], x[3]};
  }
  const sprint_real *x = parts->means + at;
  return (quad){(double)x[0], (double)x[1], (double)x[2], (double)x[3]};
}

/* totals (BLOCK) of the parameters from `start` on. */
SPRINT__INLINE void mean_block(const struct mean_work *work, bool sums, size_t start, double *totals) {
  const struct sprint__strata_parts *parts = work->parts;
  quad all[QUADS];
#pragma GCC unroll 4
  for (size_t q = 0; q < QUADS; q++) all[q] = (quad){0};
  for (size_t c = 0; c < parts->n_strata; c++) {
    if ((sums && parts->weight[c] <= 0) || work->p[c] <= NEVER) continue;
    double weight = sums ? work->p[c] / parts->weight[c] : work->p[c];
    size_t at = c * parts->n_params + start;
#pragma GCC unroll 4
    for (size_t q = 0; q < QUADS; q++) all[q] += weight * load_part(parts, sums, at + 4 * q);
  }
#pragma GCC unroll 4
  for (size_t q = 0; q < QUADS; q++) memcpy(totals + 4 * q, &all[q], sizeof all[q]);
}

/* The same of a parameter by itself. */
SPRINT__INLINE double mean_at(const struct mean_work *work, size_t i) {
  const struct sprint__strata_parts *parts = work->parts;
  double total = 0;
  for (size_t c = 0; c < parts->n_strata; c++) {
    if ((parts->sums && parts->weight[c] <= 0) || work->p[c] <= NEVER) continue;
    size_t at = c * parts->n_params + i;
    total += parts->sums ? work->p[c] / parts->weight[c] * parts->sums[at] : work->p[c] * (double)parts->means[at];
  }
  return total;
}

SPRINT__FAST static void mean_chunk(const struct mean_work *work, size_t start, size_t n) {
  double totals[CHUNK];
  size_t i = 0;
  for (; i + BLOCK <= n; i += BLOCK)
    if (work->parts->sums)
      mean_block(work, true, start + i, totals + i);
    else
      mean_block(work, false, start + i, totals + i);
  for (; i < n; i++) totals[i] = mean_at(work, start + i);
  if (work->exact) memcpy(work->exact + start, totals, n * sizeof *totals);
  for (i = 0; !work->exact && i < n; i++) work->mean[start + i] = (sprint_real)totals[i];
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
