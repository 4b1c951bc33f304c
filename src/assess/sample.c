/* Samples of a population: see sample.h. */
#include "assess/sample.h"

#include <math.h>
#include <string.h>

#include "population/weights.h"

enum { LEAST_OF_STRATUM = 8, LEAST_SINGLES = 32 }; /* individuals, where strata have probabilities of their own */
#define SINGLES_COST   2e7                         /* numbers moved for the gradients of all singles, at most */
#define WEIGHTED_DRAWS ((uint64_t)1 << 40)         /* the step that they are drawn at; directions have smaller ones */
#define FLOPS          20                          /* floating-point operations that take as long as moving a number */

/* How many of a stratum of `size` are looked at. */
static size_t share_of(const sprint_shift *shift, size_t size, size_t wanted) {
  double share = (double)wanted * (double)size / (double)shift->population->n;
  size_t n = (size_t)(share + 0.5), least = sprint__shift_reweights(shift) ? LEAST_OF_STRATUM : 1;
  if (n < least) n = least;
  return n < size ? n : size;
}

/* `n` of the members (size) of stratum c: each once; or, where they have weights, drawn by them, so that whoever is in
 * the sample counts once each time. */
static void choose_members(const sprint_population *population, size_t c, uint64_t seed, size_t n, uint32_t *members,
                           size_t size) {
  if (population->weight)
    for (size_t i = 0; i < n; i++)
      members[i] = sprint__weights_draw(
          population, c, sprint__random_words(seed + c, SPRINT__FOR_THEORY, WEIGHTED_DRAWS, (uint32_t)i).a);
  else if (n < size)
    sprint__shuffle(seed + c, SPRINT__FOR_THEORY, members, (uint32_t)size);
}

static sprint_status choose(struct sprint__sample *sample, size_t wanted, uint64_t seed) {
  const sprint_population *population = sample->shift->population;
  SPRINT__SCOPED(sprint__free) uint32_t *order = sprint__alloc(population->context, population->n, sizeof *order);
  if (!order) return SPRINT_ERROR_MEMORY;
  memcpy(order, population->by_stratum, population->n * sizeof *order);
  for (size_t c = 0; c < sample->n_strata; c++) {
    uint32_t *members = order + population->stratum_start[c];
    size_t size = population->stratum_start[c + 1] - population->stratum_start[c];
    size_t n = share_of(sample->shift, size, wanted);
    choose_members(population, c, seed, n, members, size);
    memcpy(sample->who + sample->n, members, n * sizeof *members);
    sample->start[c] = sample->n;
    sample->n += n;
  }
  sample->start[sample->n_strata] = sample->n;
  for (size_t i = 0; i < sample->n; i++) sample->y[i] = population->y[sample->who[i]];
  const sprint_model *model = sample->model;
  double singles = SINGLES_COST / ((double)model->n_params + model->cost_per_row / FLOPS);
  singles = fmax(singles, LEAST_SINGLES);
  sample->n_singles = singles < (double)sample->n ? (size_t)singles : sample->n;
  sample->whole = sample->n_singles == population->n && !population->weight;
  return SPRINT_OK;
}

sprint_status sprint__sample_new(struct sprint__arena *arena, sprint_shift *shift, size_t wanted, uint64_t seed,
                                 struct sprint__sample *ret_sample) {
  const sprint_population *population = shift->population;
  size_t strata = population->n_strata, most = wanted + (LEAST_OF_STRATUM + 1) * strata;
  if (most > population->n) most = population->n;
  size_t n_params = shift->model->n_params;
  *ret_sample = (struct sprint__sample){
      .shift = shift,
      .model = shift->model,
      .n_params = n_params,
      .d = population->d,
      .n_strata = strata,
      .who = sprint__arena_take(arena, most, sizeof(uint32_t)),
      .y = sprint__arena_take(arena, most, sizeof(sprint_real)),
      .start = sprint__arena_take(arena, strata + 1, sizeof(size_t)),
      .weight = sprint__arena_take(arena, most, sizeof(double)),
      .p = sprint__arena_take(arena, strata, sizeof(double)),
      .row = sprint__arena_take(arena, n_params, sizeof(double)),
      .real = sprint__arena_take(arena, n_params, sizeof(sprint_real)),
  };
  SPRINT__TRY(sprint__arena_status(arena));
  return choose(ret_sample, wanted, seed);
}

struct sampled_losses {
  struct sprint__sample *sample;
  sprint_real *x; /* (n, d) base records */
};

/* The mean over the sample's members of a stratum stands for all of them. */
static uint64_t losses_by_stratum(void *user, const sprint_real *theta, enum sprint__moment moment, double *ret_sums) {
  (void)moment;
  const struct sampled_losses *losses = user;
  const struct sprint__sample *sample = losses->sample;
  const double *sizes = sample->shift->population->stratum_size;
  for (size_t c = 0; c < sample->n_strata; c++) {
    size_t start = sample->start[c], n = sample->start[c + 1] - start;
    struct sprint__rows rows = {.n = n, .x = losses->x + start * sample->d, .y = sample->y + start};
    struct sprint__sums sums = {0, 0, NULL};
    sprint__model_sums(sample->model, theta, &rows, &sums, NULL);
    ret_sums[c] = sums.loss / (double)n * sizes[c];
  }
  return sample->n;
}

sprint_status sprint__sample_losses(struct sprint__arena *arena, struct sprint__sample *sample,
                                    struct sprint__loss_source *ret_source) {
  struct sampled_losses *losses = sprint__arena_take(arena, 1, sizeof *losses);
  sprint_real *x = sprint__arena_take(arena, sample->n, sample->d * sizeof *x);
  SPRINT__TRY(sprint__arena_status(arena));
  sprint__population_gather(sample->shift->population, sample->who, 0, sample->n, x);
  *losses = (struct sampled_losses){sample, x};
  *ret_source = (struct sprint__loss_source){.user = losses, .by_stratum = losses_by_stratum};
  return SPRINT_OK;
}

struct sprint__seen sprint__seen_new(struct sprint__arena *arena, const struct sprint__sample *sample) {
  return (struct sprint__seen){
      .x = sprint__arena_take(arena, sample->n, sample->d * sizeof(sprint_real)),
      .p = sprint__arena_take(arena, sample->n_strata, sizeof(double)),
      .weights = sprint__arena_take(arena, sample->n_strata, sizeof(double)),
  };
}

sprint_status sprint__sample_see(struct sprint__sample *sample, const sprint_real *deployed,
                                 struct sprint__seen *seen) {
  SPRINT__TRY(sprint_shift_respond(sample->shift, deployed, sample->who, sample->n, seen->x));
  SPRINT__TRY(sprint_shift_strata(sample->shift, deployed, seen->p));
  for (size_t c = 0; c < sample->n_strata; c++)
    seen->weights[c] = seen->p[c] / (double)(sample->start[c + 1] - sample->start[c]);
  return SPRINT_OK;
}

static void add_decay(const struct sprint__sample *sample, const sprint_real *theta, double *gradient) {
  if (sample->model->l2 == 0) return;
  for (size_t j = 0; j < sample->n_params; j++) gradient[j] += sprint__model_decay(sample->model, theta, j);
}

/* What each record counts for, about 1; NULL: all alike. */
static const double *weights_of(struct sprint__sample *sample, const struct sprint__seen *seen) {
  bool alike = true;
  for (size_t c = 0; c < sample->n_strata; c++) {
    alike = alike && seen->weights[c] == seen->weights[0];
    for (size_t i = sample->start[c]; i < sample->start[c + 1]; i++)
      sample->weight[i] = seen->weights[c] * (double)sample->n;
  }
  return alike ? NULL : sample->weight;
}

/* In one pass over all strata: one for each would move a gradient as long as theta for a few records. */
double sprint__sample_risk(struct sprint__sample *sample, const sprint_real *theta, const struct sprint__seen *seen,
                           double *ret_gradient) {
  const double *weights = weights_of(sample, seen);
  struct sprint__rows rows = {.n = sample->n, .x = seen->x, .y = sample->y, .weight = weights};
  struct sprint__total total = {ret_gradient, weights ? 1 / (double)sample->n : seen->weights[0], false};
  struct sprint__sums sums;
  sprint__model_sums_to(sample->model, theta, &rows, &total, &sums);
  if (ret_gradient) add_decay(sample, theta, ret_gradient);
  return sprint__model_penalty(sample->model, theta) + total.weight * sums.loss;
}

double sprint__sample_record(struct sprint__sample *sample, const sprint_real *theta, const struct sprint__seen *seen,
                             size_t i, double *ret_gradient) {
  struct sprint__rows rows = {.n = 1, .x = seen->x + i * sample->d, .y = sample->y + i};
  struct sprint__sums sums = {0, 0, ret_gradient ? sample->real : NULL};
  sprint__model_sums(sample->model, theta, &rows, &sums, NULL);
  if (ret_gradient) {
    for (size_t j = 0; j < sample->n_params; j++) ret_gradient[j] = (double)sample->real[j];
    add_decay(sample, theta, ret_gradient);
  }
  return sums.loss + sprint__model_penalty(sample->model, theta);
}

double sprint__length(const double *a, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * a[i];
  return sqrt(sum);
}

void sprint__random_direction(uint64_t seed, uint64_t number, size_t n, double *ret_direction) {
  sprint__normals(seed, SPRINT__FOR_THEORY, number, n, ret_direction);
  double length = sprint__length(ret_direction, n);
  for (size_t i = 0; i < n; i++) ret_direction[i] = length > 0 ? ret_direction[i] / length : i == 0;
}

void sprint__move(const sprint_real *theta, double length, const double *direction, size_t n, sprint_real *ret_theta) {
  for (size_t i = 0; i < n; i++) ret_theta[i] = (sprint_real)((double)theta[i] + length * direction[i]);
}
