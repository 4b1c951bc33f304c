/* Losses by stratum: see losses.h. Rows go to the model in pieces, those of a stratum one behind the other. */
#include "shift/losses.h"

#include <string.h>

#include "population/weights.h"

enum { PIECE = 1024 }; /* rows */

struct sprint__losses {
  sprint_shift *shift;
  sprint_real *x, *y; /* (PIECE, d), (PIECE) */
  uint32_t *who;      /* (PIECE) */
  size_t *stratum;    /* (PIECE) */
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
  losses->stratum = sprint__arena_take(arena, PIECE, sizeof *losses->stratum);
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

/* People whose losses are wanted. */
struct asked {
  const uint32_t *who;  /* (n); or NULL, and y and x are given: */
  const sprint_real *y; /* (n); NULL: by `who` */
  const sprint_real *x; /* (n, d); NULL: their base records */
  size_t n;
  bool weighs; /* they were not drawn by weight, so that their weights count */
};

/* Whether whoever works on records has a way of its own to sum the losses of these. */
static bool are_known(const sprint_shift *shift, const struct sprint__rows *people) {
  return !people->x && !people->weight && shift->losses.sum;
}

/* The sum over at most PIECE people; x NULL: of their base records. */
static double sum_piece(struct sprint__losses *losses, const sprint_real *theta, const struct sprint__rows *people) {
  const sprint_shift *shift = losses->shift;
  if (are_known(shift, people)) return shift->losses.sum(shift->losses.user, theta, people->who, people->n);
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

/* The losses of people of a piece, as rows.losses has them: all at once or, where nobody tells them apart, those of one
 * stratum after the other. */
static void tell_each(struct sprint__losses *losses, const sprint_real *theta, const struct sprint__rows *people) {
  const sprint_shift *shift = losses->shift;
  if (shift->model->ops->tells_losses && !are_known(shift, people)) {
    sum_piece(losses, theta, people);
    return;
  }
  memset(people->losses, 0, people->n * sizeof *people->losses);
  for (size_t start = 0, end; start < people->n; start = end) {
    for (end = start + 1; end < people->n && losses->stratum[end] == losses->stratum[start];) end++;
    struct sprint__rows some = sprint__rows_part(people, shift->population->d, start, end);
    some.losses = NULL;
    people->losses[start] = sum_piece(losses, theta, &some);
  }
}

/* Adds the losses of the first n people that were collected, by stratum, and what they count for. */
static void add_piece(struct sprint__losses *losses, const sprint_real *theta, const struct asked *asked, size_t n,
                      double *sums, size_t *counts) {
  const double *weight =
      asked->weighs ? sprint__weights_gather(losses->shift->population, losses->who, n, losses->weight) : NULL;
  struct sprint__rows people = {.n = n,
                                .who = asked->who ? losses->who : NULL,
                                .x = asked->x ? losses->x : NULL,
                                .y = losses->y,
                                .weight = weight,
                                .losses = losses->each};
  tell_each(losses, theta, &people);
  for (size_t i = 0; i < n; i++) {
    size_t c = losses->stratum[i];
    sums[c] += losses->each[i];
    losses->people[c] += weight ? weight[i] : 1;
    counts[c]++;
  }
}

/* Puts person i in place k of the piece; whether they are of stratum c, and so stay there. No jump depends on it:
 * nobody can foretell whose turn it is. */
static bool collect(struct sprint__losses *losses, const struct asked *asked, size_t c, size_t i, size_t k) {
  const sprint_population *population = losses->shift->population;
  size_t d = population->d;
  sprint_real y = asked->y ? asked->y[i] : population->y[asked->who[i]];
  bool belongs = !population->n_classes || (size_t)y == c;
  if (asked->x && belongs) memcpy(losses->x + k * d, asked->x + i * d, d * sizeof *asked->x);
  if (asked->who) losses->who[k] = asked->who[i];
  losses->stratum[k] = c;
  losses->y[k] = y;
  return belongs;
}

static void sum_asked(struct sprint__losses *losses, const sprint_real *theta, const struct asked *asked,
                      double *ret_means, size_t *ret_counts) {
  size_t n_strata = losses->shift->population->n_strata, n = 0;
  for (size_t c = 0; c < n_strata; c++) ret_means[c] = losses->people[c] = 0, ret_counts[c] = 0;
  for (size_t c = 0; c < n_strata; c++)
    for (size_t i = 0; i < asked->n; i++) {
      n += collect(losses, asked, c, i, n);
      if (n < PIECE) continue;
      add_piece(losses, theta, asked, n, ret_means, ret_counts);
      n = 0;
    }
  if (n) add_piece(losses, theta, asked, n, ret_means, ret_counts);
  for (size_t c = 0; c < n_strata; c++)
    if (losses->people[c] > 0) ret_means[c] /= losses->people[c];
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
