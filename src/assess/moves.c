/* How far people moved: see moves.h. Who left the range of the data is asked of features, which rise with raw values:
 * so nobody leaves it by the rounding on the way there and back. */
#include "assess/moves.h"

#include <float.h>
#include <math.h>

#include "base/lanes.h"
#include "base/quantile.h"
#include "population/weights.h"

enum { MOST_KEPT = 1 << 24 }; /* features kept for quantiles */
#define TAIL 0.005            /* of people on either side who are in the histograms' outer bins, wherever they are */

/* Of one column, over everybody. */
struct tally {
  double moved, left; /* people */
  sprint_real least, greatest;
  sprint_real floor, ceiling; /* the range of the data, as features */
};

struct survey {
  sprint_shift *shift;
  const sprint_population *population;
  const sprint_real *theta;
  size_t room, stride, n_kept;
  uint32_t *who;             /* (room) */
  sprint_real *x, *base, *y; /* (room, d), (room, d), (room) */
  sprint_real *kept;         /* (n_kept, d) records of every stride-th, under theta */
  struct tally *tallies;     /* (d) */
};

static sprint_status survey_new(struct sprint__arena *room, sprint_shift *shift, const sprint_real *theta,
                                struct survey *ret_survey) {
  const sprint_population *population = shift->population;
  size_t n = population->n, d = population->d, rows = sprint__piece_rows(d),
         most = MOST_KEPT / d > 0 ? MOST_KEPT / d : 1;
  struct survey survey = {.shift = shift, .population = population, .theta = theta, .room = rows};
  survey.stride = (n + most - 1) / most;
  survey.n_kept = (n + survey.stride - 1) / survey.stride;
  survey.who = sprint__arena_take(room, rows, sizeof *survey.who);
  survey.x = sprint__arena_take(room, rows, d * sizeof *survey.x);
  survey.base = sprint__arena_take(room, rows, d * sizeof *survey.base);
  survey.y = sprint__arena_take(room, rows, sizeof *survey.y);
  survey.kept = sprint__arena_take(room, survey.n_kept, d * sizeof *survey.kept);
  survey.tallies = sprint__arena_take(room, d, sizeof *survey.tallies);
  SPRINT__TRY(sprint__arena_status(room));
  for (size_t j = 0; j < d; j++) {
    const struct sprint__column *column = &population->columns[j];
    survey.tallies[j] = (struct tally){
        .least = (sprint_real)INFINITY,
        .greatest = (sprint_real)-INFINITY,
        .floor = isnan(column->least) ? (sprint_real)-INFINITY : sprint__column_feature(column, column->least),
        .ceiling = isnan(column->greatest) ? (sprint_real)INFINITY : sprint__column_feature(column, column->greatest)};
  }
  *ret_survey = survey;
  return SPRINT_OK;
}

/* Whether the two differ by more than the rounding of a feature. */
static bool differ(sprint_real a, sprint_real b) {
  double unit = sizeof(sprint_real) == 8 ? DBL_EPSILON : (double)FLT_EPSILON, x = (double)a, y = (double)b;
  return fabs(x - y) > 2 * unit * fmax(fabs(x), fabs(y));
}

static void count(struct tally *tally, sprint_real before, sprint_real after, double people) {
  bool moved = differ(before, after);
  if (people <= 0) return;
  if (moved) tally->moved += people;
  if (moved && (after < tally->floor || after > tally->ceiling)) tally->left += people;
  if (after < tally->least) tally->least = after;
  if (after > tally->greatest) tally->greatest = after;
}

static sprint_status see_rows(struct survey *s, size_t start, size_t n) {
  const sprint_population *population = s->population;
  size_t d = population->d;
  for (size_t i = 0; i < n; i++) {
    s->who[i] = (uint32_t)(start + i);
    s->y[i] = population->y[start + i];
  }
  sprint__population_gather(population, NULL, start, n, s->base);
  sprint__population_gather(population, NULL, start, n, s->x);
  SPRINT__TRY(sprint__shift_respond(s->shift, s->theta, s->who, s->y, n, s->x));
  for (size_t i = 0; i < n; i++) {
    double people = sprint__weight_of(population, start + i);
    for (size_t j = 0; j < d; j++) count(&s->tallies[j], s->base[i * d + j], s->x[i * d + j], people);
    for (size_t j = 0; (start + i) % s->stride == 0 && j < d; j++)
      s->kept[(start + i) / s->stride * d + j] = s->x[i * d + j];
  }
  return SPRINT_OK;
}

static sprint_status see_everybody(struct survey *s) {
  size_t n = s->population->n;
  uint64_t evals = s->shift->evals;
  sprint_status status = SPRINT_OK;
  for (size_t start = 0; status == SPRINT_OK && start < n; start += s->room)
    status = see_rows(s, start, n - start < s->room ? n - start : s->room);
  s->shift->evals = evals;
  return status;
}

/* The number of the fewest decimals that is the same feature as a raw value: what the data may have said. */
static double plain(const struct sprint__column *column, double raw) {
  if (!isfinite(raw)) return raw;
  for (int decimals = 0; decimals < 10; decimals++) {
    double unit = pow(10, decimals), near = round(raw * unit) / unit;
    if (!differ(sprint__column_place(column, near), sprint__column_place(column, raw))) return near + 0.0; /* no -0 */
  }
  return raw;
}

enum number { BEFORE, AFTER, MOVE, LENGTH };

/* one (n_kept) := a number of column j of everybody who was kept. */
static void fill(const struct survey *s, size_t j, enum number number, struct sprint__counted *one) {
  const struct sprint__column *column = &s->population->columns[j];
  size_t d = s->population->d;
  for (size_t k = 0; k < s->n_kept; k++) {
    size_t who = k * s->stride;
    sprint_real before = s->population->x[who * d + j], after = s->kept[k * d + j];
    double move = column->scale * ((double)after - (double)before);
    one[k].people = sprint__weight_of(s->population, who);
    one[k].value = number == BEFORE  ? sprint__column_raw(column, before)
                   : number == AFTER ? sprint__column_raw(column, after)
                   : number == MOVE  ? move
                                     : fabs(move);
  }
}

/* Shares of people by bins, of n. */
static void sort_into_bins(const struct sprint__counted *one, size_t n, double low, double high,
                           double bins[SPRINT_MOVE_BINS]) {
  double all = 0, width = (high - low) / SPRINT_MOVE_BINS;
  for (size_t k = 0; k < n; k++) all += one[k].people;
  for (size_t b = 0; b < SPRINT_MOVE_BINS; b++) bins[b] = 0;
  for (size_t k = 0; k < n; k++) {
    double place = width > 0 ? floor((one[k].value - low) / width) : 0;
    bins[(size_t)fmin(fmax(place, 0), SPRINT_MOVE_BINS - 1)] += one[k].people / all;
  }
}

/* one (n_kept): room. */
static void measure(const struct survey *s, size_t j, struct sprint__counted *one, sprint_column_move *move) {
  const struct sprint__column *column = &s->population->columns[j];
  const struct tally *tally = &s->tallies[j];
  double people = s->population->n_people;
  size_t n = s->n_kept;
  *move = (sprint_column_move){.size = sizeof *move,
                               .name = column->name,
                               .moved = tally->moved / people,
                               .left = tally->left / people,
                               .people_left = tally->left,
                               .least = plain(column, sprint__column_raw(column, tally->least)),
                               .greatest = plain(column, sprint__column_raw(column, tally->greatest)),
                               .observed_least = column->least,
                               .observed_greatest = column->greatest,
                               .n_ranked = n};
  fill(s, j, MOVE, one);
  move->median = sprint__quantile(one, n, 0.5);
  fill(s, j, LENGTH, one);
  move->q95 = sprint__quantile(one, n, 0.95);
  fill(s, j, BEFORE, one);
  move->median_before = plain(column, sprint__quantile(one, n, 0.5));
  double low = sprint__quantile(one, n, TAIL), high = sprint__quantile(one, n, 1 - TAIL);
  fill(s, j, AFTER, one);
  move->median_after = plain(column, sprint__quantile(one, n, 0.5));
  move->bins_low = plain(column, fmin(low, sprint__quantile(one, n, TAIL)));
  move->bins_high = plain(column, fmax(high, sprint__quantile(one, n, 1 - TAIL)));
  sort_into_bins(one, n, move->bins_low, move->bins_high, move->after);
  fill(s, j, BEFORE, one);
  sort_into_bins(one, n, move->bins_low, move->bins_high, move->before);
}

/* Columns that people moved in, each by itself. */
struct columns {
  const struct survey *survey;
  const size_t *which;
  struct sprint__counted *ones; /* (parts, n_kept) */
  sprint_column_move *moves;
};

static void measure_columns(void *user, int part, size_t start, size_t end) {
  const struct columns *of = user;
  struct sprint__counted *one = of->ones + (size_t)part * of->survey->n_kept;
  for (size_t k = start; k < end; k++) measure(of->survey, of->which[k], one, &of->moves[k]);
}

/* As many parts as threads, each with room of its own: what is measured does not depend on the cut. */
static sprint_status measure_all(struct sprint__arena *room, const struct survey *survey, const size_t *which, size_t n,
                                 sprint_column_move *ret_moves) {
  sprint_context *context = survey->shift->context;
  size_t threads = (size_t)context->n_threads, most = threads < SPRINT__MAX_LANES ? threads : SPRINT__MAX_LANES;
  size_t parts = n < most ? n : most;
  struct columns of = {survey, which, NULL, ret_moves};
  of.ones = sprint__arena_take(room, parts * survey->n_kept, sizeof *of.ones);
  SPRINT__TRY(sprint__arena_status(room));
  sprint__lanes_run(context, n, (int)parts, measure_columns, &of);
  return SPRINT_OK;
}

sprint_status sprint__moves_of(struct sprint__arena *arena, sprint_shift *shift, const sprint_real *theta,
                               sprint_column_move **ret_moves, size_t *ret_n) {
  SPRINT__SCRATCH(room, arena->context);
  struct survey survey;
  size_t n = 0, d = shift->population->d;
  *ret_n = 0;
  if (!sprint__shift_moves(shift) || shift->population->image.channels) return SPRINT_OK;
  SPRINT__TRY(survey_new(&room, shift, theta, &survey));
  SPRINT__TRY(see_everybody(&survey));
  size_t *which = sprint__arena_take(&room, d, sizeof *which);
  SPRINT__TRY(sprint__arena_status(&room));
  for (size_t j = 0; j < d; j++)
    if (survey.tallies[j].moved > 0) which[n++] = j;
  sprint_column_move *moves = sprint__arena_take(arena, n, sizeof *moves);
  SPRINT__TRY(sprint__arena_status(arena));
  if (n > 0) SPRINT__TRY(measure_all(&room, &survey, which, n, moves));
  *ret_moves = moves;
  *ret_n = n;
  return SPRINT_OK;
}
