/* Losses by stratum: see losses.h. Rows go to the model in pieces. */
#include "shift/losses.h"

#include <string.h>

#include "population/weights.h"

enum { PIECE = 1024 }; /* rows */

struct sprint__losses {
  sprint_shift *shift;
  sprint_real *x, *y; /* (PIECE, d), (PIECE) */
  uint32_t *who;      /* (PIECE) */
  double *weight;     /* (PIECE) */
  double *each;       /* (PIECE) losses */
  double *people;     /* (n_strata) asked so far */
};

sprint_status sprint__losses_new(struct sprint__arena *arena, sprint_shift *shift, struct sprint__losses **ret_losses) {
  struct sprint__losses *losses = sprint__arena_take(arena, 1, sizeof *losses);
  if (!losses) return SPRINT_ERROR_MEMORY;
  losses->shift = shift;
  losses->x = sprint__arena_take(arena, PIECE, shift->population->d * sizeof *losses->x);
  losses->y = sprint__arena_take(arena, PIECE, sizeof *losses->y);
  losses->who = sprint__arena_take(arena, PIECE, sizeof *losses->who);
  losses->weight = sprint__arena_take(arena, PIECE, sizeof *losses->weight);
  losses->each = sprint__arena_take(arena, PIECE, sizeof *losses->each);
  losses->people = sprint__arena_take(arena, shift->population->n_strata, sizeof *losses->people);
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

/* The sum over at most PIECE people; x NULL: of their base records. */
static double sum_piece(struct sprint__losses *losses, const sprint_real *theta, const struct sprint__rows *people) {
  const sprint_shift *shift = losses->shift;
  struct sprint__rows rows = *people;
  struct sprint__sums sums = {0, 0, NULL};
  rows.pixels = &shift->population->pixels;
  if (!rows.x && !sprint__shift_by_reference(shift)) {
    sprint__population_gather(shift->population, rows.who, 0, rows.n, losses->x);
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
      const double *weight = sprint__weights_gather(population, who, n, losses->weight);
      for (size_t k = 0; k < n; k++) losses->y[k] = population->y[who[k]];
      ret_means[c] +=
          sum_piece(losses, theta, &(struct sprint__rows){.n = n, .who = who, .y = losses->y, .weight = weight});
    }
    ret_means[c] /= population->stratum_size[c];
  }
}

/* Adds what n people count for, and their losses, which are theirs already weighted, to their strata's. */
static void add_each(struct sprint__losses *losses, const sprint_real *y, const double *weight, size_t n,
                     const double *each, double *sums, size_t *counts) {
  bool classes = losses->shift->population->n_classes > 0;
  for (size_t i = 0; i < n; i++) {
    size_t c = classes ? (size_t)y[i] : 0;
    sums[c] += each[i];
    losses->people[c] += weight ? weight[i] : 1;
    counts[c]++;
  }
}

/* The losses of at most PIECE people: by whoever has a way of its own, all at once, or, where nobody tells them apart,
 * one by one. */
static void tell_each(struct sprint__losses *losses, const sprint_real *theta, const struct sprint__rows *people) {
  const sprint_shift *shift = losses->shift;
  const struct sprint__loss_source *source = &shift->losses;
  if (!people->x && !people->weight && source->each) {
    source->each(source->user, theta, people->who, people->n, people->losses);
    return;
  }
  if (shift->model->ops->tells_losses) {
    sum_piece(losses, theta, people);
    return;
  }
  for (size_t i = 0; i < people->n; i++) {
    struct sprint__rows one = sprint__rows_part(people, shift->population->d, i, i + 1);
    people->losses[i] = sum_piece(losses, theta, &one);
  }
}

/* The means over people, whose weights count where they were not drawn by weight. */
static void sum_asked(struct sprint__losses *losses, const sprint_real *theta, const struct sprint__drawn *asked,
                      bool weighs, double *ret_means, size_t *ret_counts) {
  const sprint_population *population = losses->shift->population;
  size_t d = population->d, n_strata = population->n_strata;
  for (size_t c = 0; c < n_strata; c++) ret_means[c] = losses->people[c] = 0, ret_counts[c] = 0;
  for (size_t start = 0; start < asked->n; start += PIECE) {
    size_t n = asked->n - start < PIECE ? asked->n - start : PIECE;
    const uint32_t *who = asked->who ? asked->who + start : NULL;
    const double *weight = weighs ? sprint__weights_gather(population, who, n, losses->weight) : NULL;
    const double *each = asked->losses ? asked->losses + start : losses->each;
    for (size_t i = 0; !asked->y && i < n; i++) losses->y[i] = population->y[who[i]];
    struct sprint__rows people = {.n = n,
                                  .who = who,
                                  .x = asked->x ? asked->x + start * d : NULL,
                                  .y = asked->y ? asked->y + start : losses->y,
                                  .weight = weight,
                                  .losses = losses->each};
    if (!asked->losses) tell_each(losses, theta, &people);
    add_each(losses, people.y, weight, n, each, ret_means, ret_counts);
  }
  for (size_t c = 0; c < n_strata; c++)
    if (losses->people[c] > 0) ret_means[c] /= losses->people[c];
  losses->shift->evals += asked->n;
}

void sprint__losses_of_probe(struct sprint__losses *losses, const sprint_real *theta, const uint32_t *probe, size_t n,
                             double *ret_means, size_t *ret_counts) {
  sum_asked(losses, theta, &(struct sprint__drawn){.who = probe, .n = n}, true, ret_means, ret_counts);
}

void sprint__losses_of_drawn(struct sprint__losses *losses, const sprint_real *theta, const struct sprint__drawn *drawn,
                             double *ret_means, size_t *ret_counts) {
  sum_asked(losses, theta, drawn, false, ret_means, ret_counts);
}
