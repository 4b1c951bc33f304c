/* Losses by stratum: see losses.h. Rows go to the model in pieces, those of a stratum together. */
#include "shift/losses.h"

#include <string.h>

#include "population/weights.h"

enum { PIECE = 1024 }; /* rows */

struct sprint__losses {
  sprint_shift *shift;
  sprint_real *x, *y; /* (PIECE, d), (PIECE) */
  uint32_t *who;      /* (PIECE) */
  double *weight;     /* (PIECE) */
};

sprint_status sprint__losses_new(struct sprint__arena *arena, sprint_shift *shift, struct sprint__losses **ret_losses) {
  struct sprint__losses *losses = sprint__arena_take(arena, 1, sizeof *losses);
  if (!losses) return SPRINT_ERROR_MEMORY;
  losses->shift = shift;
  losses->x = sprint__arena_take(arena, PIECE, shift->population->d * sizeof *losses->x);
  losses->y = sprint__arena_take(arena, PIECE, sizeof *losses->y);
  losses->who = sprint__arena_take(arena, PIECE, sizeof *losses->who);
  losses->weight = sprint__arena_take(arena, PIECE, sizeof *losses->weight);
  *ret_losses = losses;
  return sprint__arena_status(arena);
}

sprint_status sprint__losses_probe(sprint_shift *shift, size_t each, uint64_t seed, uint32_t **ret_probe,
                                   size_t *ret_n) {
  const sprint_population *population = shift->population;
  uint32_t *probe = sprint__arena_take(&shift->arena, population->n, sizeof *probe);
  SPRINT__SCOPED(sprint__free) uint32_t *order = sprint__alloc(shift->context, population->n, sizeof *order);
  if (!probe || !order) return SPRINT_ERROR_MEMORY;
  size_t n_probe = 0;
  memcpy(order, population->by_stratum, population->n * sizeof *order);
  for (size_t c = 0; c < population->n_strata; c++) {
    uint32_t *members = order + population->stratum_start[c];
    size_t size = population->stratum_start[c + 1] - population->stratum_start[c], n = size < each ? size : each;
    sprint__shuffle(seed + c, SPRINT__FOR_PROBE, members, (uint32_t)size);
    memcpy(probe + n_probe, members, n * sizeof *members);
    n_probe += n;
  }
  *ret_probe = probe;
  *ret_n = n_probe;
  return SPRINT_OK;
}

/* People whose losses are wanted. */
struct asked {
  const uint32_t *who;  /* (n); or NULL, and y and x are given: */
  const sprint_real *y; /* (n); NULL: by `who` */
  const sprint_real *x; /* (n, d); NULL: their base records */
  size_t n;
  bool weighs; /* they were not drawn by weight, so that their weights count */
};

/* The sum over n <= PIECE rows: of x with labels losses->y, or, where it is NULL, of the base records of `who`; weight
 * (n) or NULL. */
static double sum_piece(struct sprint__losses *losses, const sprint_real *theta, const uint32_t *who,
                        const sprint_real *x, const double *weight, size_t n) {
  const sprint_shift *shift = losses->shift;
  const sprint_population *population = shift->population;
  if (!x && !weight && shift->losses.sum) return shift->losses.sum(shift->losses.user, theta, who, n);
  struct sprint__rows rows = {
      .n = n, .x = x, .y = losses->y, .pixels = &population->pixels, .who = who, .weight = weight};
  struct sprint__sums sums = {0, 0, NULL};
  for (size_t i = 0; !x && i < n; i++) losses->y[i] = population->y[who[i]];
  if (!x && !sprint__shift_by_reference(shift)) {
    sprint__population_gather(population, who, 0, n, losses->x);
    rows.x = losses->x;
  }
  sprint__model_sums(shift->model, theta, &rows, &sums, NULL);
  return sums.loss;
}

void sprint__losses_of_everybody(struct sprint__losses *losses, const sprint_real *theta, enum sprint__moment moment,
                                 double *ret_means) {
  sprint_shift *shift = losses->shift;
  const sprint_population *population = shift->population;
  const struct sprint__loss_source *source = &shift->losses;
  shift->evals += source->by_stratum ? source->by_stratum(source->user, theta, moment, ret_means) : population->n;
  for (size_t c = 0; c < population->n_strata; c++) {
    size_t start = population->stratum_start[c], end = population->stratum_start[c + 1];
    if (!source->by_stratum) ret_means[c] = 0;
    for (size_t i = start; !source->by_stratum && i < end; i += PIECE) {
      const uint32_t *who = population->by_stratum + i;
      size_t n = end - i < PIECE ? end - i : PIECE;
      ret_means[c] +=
          sum_piece(losses, theta, who, NULL, sprint__weights_gather(population, who, n, losses->weight), n);
    }
    ret_means[c] /= population->stratum_size[c];
  }
}

/* From *start on, the next of the people who are of stratum c, at most PIECE of them; returns how many, *start behind
 * the last. */
static size_t collect(struct sprint__losses *losses, const struct asked *asked, size_t c, size_t *start) {
  const sprint_population *population = losses->shift->population;
  size_t d = population->d, rows = 0, i = *start;
  for (; i < asked->n && rows < PIECE; i++) {
    sprint_real y = asked->y ? asked->y[i] : population->y[asked->who[i]];
    bool belongs = !population->n_classes || (size_t)y == c;
    if (asked->x && belongs) memcpy(losses->x + rows * d, asked->x + i * d, d * sizeof *asked->x);
    if (asked->who) losses->who[rows] = asked->who[i];
    losses->y[rows] = y;
    rows += belongs; /* no jump depends on it: nobody can foretell whose turn it is */
  }
  *start = i;
  return rows;
}

static void sum_asked(struct sprint__losses *losses, const sprint_real *theta, const struct asked *asked,
                      double *ret_means, size_t *ret_counts) {
  const sprint_population *population = losses->shift->population;
  for (size_t c = 0; c < population->n_strata; c++) {
    double all = 0; /* that they count for */
    ret_means[c] = 0;
    ret_counts[c] = 0;
    for (size_t start = 0; start < asked->n;) {
      size_t rows = collect(losses, asked, c, &start);
      const double *weight =
          asked->weighs ? sprint__weights_gather(population, losses->who, rows, losses->weight) : NULL;
      if (rows) ret_means[c] += sum_piece(losses, theta, losses->who, asked->x ? losses->x : NULL, weight, rows);
      for (size_t i = 0; i < rows; i++) all += weight ? weight[i] : 1;
      ret_counts[c] += rows;
    }
    if (all > 0) ret_means[c] /= all;
  }
  losses->shift->evals += asked->n;
}

void sprint__losses_of_probe(struct sprint__losses *losses, const sprint_real *theta, const uint32_t *probe, size_t n,
                             double *ret_means, size_t *ret_counts) {
  sum_asked(losses, theta, &(struct asked){.who = probe, .n = n, .weighs = true}, ret_means, ret_counts);
}

void sprint__losses_of(struct sprint__losses *losses, const sprint_real *theta, const uint32_t *who, size_t n,
                       const sprint_real *x, double *ret_means, size_t *ret_counts) {
  sum_asked(losses, theta, &(struct asked){.who = who, .x = x, .n = n}, ret_means, ret_counts);
}

void sprint__losses_of_answers(struct sprint__losses *losses, const sprint_real *theta, const sprint_real *y, size_t n,
                               const sprint_real *x, double *ret_means, size_t *ret_counts) {
  sum_asked(losses, theta, &(struct asked){.y = y, .x = x, .n = n}, ret_means, ret_counts);
}
