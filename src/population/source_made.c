/* The source of a generator. A draw is of a row number below 2^63, by the random numbers of its step: as from a finite
 * population, but nobody is met twice. So a draw depends neither on what was drawn before nor on the method.
 *
 * Batches of the steps to come are made ahead, a piece at a time, on all threads: making a person takes longer than
 * learning from them. */
#include <string.h>

#include "base/lanes.h"
#include "population/source.h"

enum { AHEAD_SIZE = 1 << 17 }; /* bytes of features that are made ahead */

#define COST_OF_MAKING 100.0 /* operations per feature, roughly */

struct made {
  sprint__make_row make;
  void *state;
};

/* Batches of `each` records of the steps draws.step, draws.step + 1, ...; of no step where n_steps is 0. */
struct ahead {
  struct sprint__draws draws;
  size_t each, n_steps, room;
  sprint_real *x, *y; /* (room, d), (room) */
  double *raw;        /* (lanes, d) */
};

static void free_made(struct sprint__source *source) {
  struct made *made = source->impl;
  if (made) sprint__free(made->state);
  sprint__free(made);
}

static void close_made(struct sprint__tap *tap) {
  struct ahead *ahead = tap->impl;
  void *const owned[] = {ahead->x, ahead->y, ahead->raw, ahead};
  for (size_t i = 0; i < SPRINT__COUNT(owned); i++) sprint__free(owned[i]);
}

static sprint_status open_made(struct sprint__tap *tap) {
  sprint_context *context = tap->source->context;
  size_t d = tap->source->population->d, row_size = d * sizeof(sprint_real);
  struct ahead *ahead = tap->impl = sprint__alloc(context, 1, sizeof *ahead);
  if (!ahead) return SPRINT_ERROR_MEMORY;
  ahead->room = AHEAD_SIZE / row_size;
  ahead->x = sprint__alloc(context, ahead->room, row_size);
  ahead->y = sprint__alloc(context, ahead->room, sizeof *ahead->y);
  ahead->raw = sprint__alloc(context, SPRINT__MAX_LANES, d * sizeof *ahead->raw);
  return ahead->x && ahead->y && ahead->raw ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

/* Records being made: number i is draw i % each of the (i / each)-th step from that of `draws` on. */
struct making {
  const struct sprint__source *source;
  struct sprint__draws draws;
  size_t each;
  double *raw; /* (lanes, d) */
  sprint_real *x, *y;
};

static void make_records(void *user, int lane, size_t start, size_t end) {
  const struct making *m = user;
  const struct made *made = m->source->impl;
  const sprint_population *population = m->source->population;
  size_t d = population->d;
  double *raw = m->raw + (size_t)lane * d, y;
  for (size_t i = start; i < end; i++) {
    struct sprint__random words = sprint__random_words(m->draws.seed, m->draws.purpose, m->draws.step + i / m->each,
                                                       m->draws.first + (uint32_t)(i % m->each));
    made->make(made->state, (size_t)(words.a >> 1), raw, &y);
    for (size_t j = 0; j < d; j++) m->x[i * d + j] = sprint__column_feature(&population->columns[j], raw[j]);
    m->y[i] = (sprint_real)y;
  }
}

static void make(const struct making *making, size_t n) {
  const struct sprint__source *source = making->source;
  int n_lanes = sprint__lanes_for(n, COST_OF_MAKING * (double)source->population->d, 0);
  sprint__lanes_run(source->context, n, n_lanes, make_records, (void *)making);
}

/* Whether the batch is one of those made ahead. */
static bool is_there(const struct ahead *ahead, const struct sprint__draws *draws, size_t n) {
  return n == ahead->each && draws->step >= ahead->draws.step && draws->step - ahead->draws.step < ahead->n_steps &&
         draws->seed == ahead->draws.seed && draws->purpose == ahead->draws.purpose;
}

static sprint_status read_made(struct sprint__tap *tap, const struct sprint__draws *draws, size_t n, sprint_real *ret_x,
                               sprint_real *ret_y, size_t *ret_n) {
  struct ahead *ahead = tap->impl;
  const struct sprint__source *source = tap->source;
  size_t d = source->population->d;
  *ret_n = n;
  if (draws->purpose != SPRINT__FOR_DRAWS || draws->first != 0 || 2 * n > ahead->room) {
    make(&(struct making){source, *draws, n, ahead->raw, ret_x, ret_y}, n);
    return SPRINT_OK;
  }
  if (!is_there(ahead, draws, n)) {
    ahead->draws = *draws;
    ahead->each = n;
    ahead->n_steps = ahead->room / n;
    make(&(struct making){source, *draws, n, ahead->raw, ahead->x, ahead->y}, n * ahead->n_steps);
  }
  size_t at = (size_t)(draws->step - ahead->draws.step) * n;
  memcpy(ret_x, ahead->x + at * d, n * d * sizeof *ret_x);
  memcpy(ret_y, ahead->y + at, n * sizeof *ret_y);
  return SPRINT_OK;
}

static const struct sprint__source_ops made_ops = {
    .open = open_made, .close = close_made, .read = read_made, .free = free_made, .again = true};

sprint_status sprint__source_made(sprint_context *context, sprint__make_row make_row, void *state,
                                  struct sprint__source **ret_source) {
  struct sprint__source *source = sprint__alloc(context, 1, sizeof *source);
  struct made *made = sprint__alloc(context, 1, sizeof *made);
  if (!source || !made) {
    sprint__free(state);
    sprint__free(made);
    sprint__free(source);
    return SPRINT_ERROR_MEMORY;
  }
  *made = (struct made){make_row, state};
  *source = (struct sprint__source){.ops = &made_ops, .context = context, .impl = made};
  *ret_source = source;
  return SPRINT_OK;
}
