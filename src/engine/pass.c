/* Passes over a population: see pass.h. */
#include "engine/pass.h"

#include <math.h>
#include "base/clock.h"
#include "base/rows.h"
#include "base/vector.h"
#include "population/weights.h"

/* A piece is large enough for all threads to be busy, and what is copied of it takes some megabytes. */
enum { MOST_ROWS = 16384, LEAST_ROWS = 512, COPIED_REALS = 1 << 20 };

static size_t room_for(const sprint_shift *shift) {
  size_t rows = COPIED_REALS / shift->population->d;
  return sprint__shift_by_reference(shift) || rows > MOST_ROWS ? MOST_ROWS : rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

void sprint__pass_new(struct sprint__arena *arena, sprint_shift *shift, const sprint_population *population,
                      struct sprint__pass *ret_pass) {
  size_t room = room_for(shift), d = population->d;
  bool copies = !sprint__shift_by_reference(shift);
  *ret_pass = (struct sprint__pass){
      .shift = shift,
      .population = population,
      .by_stratum = sprint__shift_reweights(shift) || population != shift->population,
      .room = room,
      .x = copies ? sprint__arena_take(arena, room, d * sizeof(sprint_real)) : NULL,
      .y = sprint__arena_take(arena, room, sizeof(sprint_real)),
      .who = sprint__arena_take(arena, room, sizeof(uint32_t)),
      .weight = population->weight ? sprint__arena_take(arena, room, sizeof(double)) : NULL,
      .base = sprint__arena_take(arena, SPRINT__MAX_LANES * d, sizeof(sprint_real)),
  };
}

/* A piece: n individuals, in the population's order where in_order, and of one stratum where the pass is by strata.
 * Those who were drawn were drawn by weight, and count once each time. */
struct piece {
  size_t n, stratum;
  const uint32_t *who;
  bool in_order, drawn;
};

/* The piece's records under the deployment, as the model takes them. */
static sprint_status records_of(struct sprint__pass *pass, const sprint_real *deployed, const struct piece *piece,
                                struct sprint__rows *ret_rows) {
  sprint_shift *shift = pass->shift;
  const sprint_population *population = pass->population;
  bool inside = population == shift->population, moves = deployed && sprint__shift_moves(shift);
  *ret_rows = (struct sprint__rows){.n = piece->n, .y = pass->y, .pixels = &population->pixels, .who = piece->who};
  if (!piece->drawn) ret_rows->weight = sprint__weights_gather(population, piece->who, piece->n, pass->weight);
  if (piece->in_order && population->x && !moves) {
    ret_rows->x = population->x + piece->who[0] * population->d;
    ret_rows->y = population->y + piece->who[0];
    return SPRINT_OK;
  }
  for (size_t i = 0; i < piece->n; i++) pass->y[i] = population->y[piece->who[i]];
  ret_rows->x = pass->x;
  if (!pass->x) return SPRINT_OK;
  sprint__population_gather(population, piece->in_order ? NULL : piece->who, piece->who[0], piece->n, pass->x);
  if (!moves) return SPRINT_OK;
  return sprint__shift_respond(shift, deployed, inside ? piece->who : NULL, pass->y, piece->n, pass->x);
}

struct displaced {
  const struct sprint__pass *pass;
  const struct sprint__rows *rows;
  double sums[SPRINT__MAX_LANES];
};

static void displaced_lane(void *user, int lane, size_t start, size_t end) {
  struct displaced *of = user;
  const sprint_population *population = of->pass->population;
  size_t d = population->d;
  sprint_real *base = of->pass->base + (size_t)lane * d;
  for (size_t i = start; i < end; i++) {
    uint32_t who = of->rows->who[i];
    sprint__population_gather(population, &who, 0, 1, base);
    of->sums[lane] += sprint__weight_of(population, who) * sprint__distance(of->rows->x + i * d, base, d);
  }
}

/* The sum over rows of |x - base x|, by weight. */
static double displacement(const struct sprint__pass *pass, const struct sprint__rows *rows) {
  enum { COST_OF_NUMBER = 40 }; /* of which each waits for the one before it */
  struct displaced of = {pass, rows, {0}};
  int n_lanes = sprint__lanes_for(rows->n, COST_OF_NUMBER * (double)pass->population->d, 0);
  double sum = 0;
  sprint__lanes_run(pass->shift->context, rows->n, n_lanes, displaced_lane, &of);
  for (int lane = 0; lane < n_lanes; lane++) sum += of.sums[lane];
  return sum;
}

static void sum_rows(const struct sprint__pass *pass, const struct sprint__pass_options *passing,
                     const struct sprint__rows *rows, const struct sprint__total *total, struct sprint__sums *sums) {
  if (passing->sum)
    passing->sum(passing->user, passing->theta, rows, total, sums);
  else
    sprint__model_sums_to(pass->shift->model, passing->theta, rows, total, sums);
}

/* Sums over rows, all of stratum c. */
static void add_rows(const struct sprint__pass *pass, const struct sprint__pass_options *passing,
                     const struct sprint__rows *rows, size_t c, struct sprint__strata_sums *all) {
  struct sprint__sums sums;
  struct sprint__total total = {all->gradient ? all->gradient + c * all->n_params : NULL, 1, all->count[c] > 0};
  sum_rows(pass, passing, rows, &total, &sums);
  sprint__strata_count(all, c, rows->n, rows->weight, sums.loss, sums.correct);
}

static sprint_status visit(struct sprint__pass *pass, const struct sprint__pass_options *passing,
                           const struct piece *piece, struct sprint__strata_sums *all) {
  struct sprint__rows rows;
  SPRINT__TRY(records_of(pass, passing->deployed, piece, &rows));
  add_rows(pass, passing, &rows, piece->stratum, all);
  if (passing->ret_displacement) {
    double start = sprint__clock();
    *passing->ret_displacement += displacement(pass, &rows) / pass->population->n_people;
    *passing->ret_seconds += sprint__clock() - start;
  }
  if (passing->ret_x)
    sprint__rows_put(pass->shift->context, rows.x, pass->population->d, rows.who, rows.n, passing->ret_x);
  return SPRINT_OK;
}

sprint_status sprint__pass_add(struct sprint__pass *pass, const struct sprint__pass_options *passing,
                               const uint32_t *who, size_t n, size_t stratum, struct sprint__strata_sums *sums) {
  struct piece piece = {.n = n, .stratum = stratum, .who = who, .drawn = true};
  return visit(pass, passing, &piece, sums);
}

sprint_status sprint__pass_add_new(struct sprint__pass *pass, const struct sprint__pass_options *passing,
                                   sprint_real *x, const sprint_real *y, size_t n, size_t stratum,
                                   struct sprint__strata_sums *sums) {
  struct sprint__rows rows = {.n = n, .x = x, .y = y};
  if (passing->deployed) SPRINT__TRY(sprint__shift_respond(pass->shift, passing->deployed, NULL, y, n, x));
  add_rows(pass, passing, &rows, stratum, sums);
  return SPRINT_OK;
}

static sprint_status over_rows(struct sprint__pass *pass, const struct sprint__pass_options *passing,
                               struct sprint__strata_sums *all) {
  for (size_t start = 0; start < pass->population->n; start += pass->room) {
    size_t left = pass->population->n - start;
    struct piece piece = {.n = left < pass->room ? left : pass->room, .who = pass->who, .in_order = true};
    for (size_t i = 0; i < piece.n; i++) pass->who[i] = (uint32_t)(start + i);
    SPRINT__TRY(visit(pass, passing, &piece, all));
  }
  return SPRINT_OK;
}

static sprint_status over_strata(struct sprint__pass *pass, const struct sprint__pass_options *passing,
                                 struct sprint__strata_sums *all) {
  const sprint_population *population = pass->population;
  for (size_t c = 0; c < population->n_strata; c++)
    for (size_t start = population->stratum_start[c]; start < population->stratum_start[c + 1]; start += pass->room) {
      size_t left = population->stratum_start[c + 1] - start;
      struct piece piece = {
          .n = left < pass->room ? left : pass->room, .stratum = c, .who = population->by_stratum + start};
      SPRINT__TRY(visit(pass, passing, &piece, all));
    }
  return SPRINT_OK;
}

sprint_status sprint__pass_over(struct sprint__pass *pass, const struct sprint__pass_options *passing,
                                struct sprint__strata_sums *ret_sums) {
  sprint__strata_sums_clear(ret_sums);
  if (passing->ret_displacement) *passing->ret_displacement = 0;
  return pass->by_stratum ? over_strata(pass, passing, ret_sums) : over_rows(pass, passing, ret_sums);
}

/* The probability of all strata that have records: a population from outside may lack some. */
static double share_of_present(const struct sprint__strata_sums *sums, const double *p) {
  double share = 0;
  for (size_t c = 0; c < sums->n_strata; c++)
    if (sums->weight[c] > 0) share += p[c];
  return share;
}

void sprint__pass_risk(const struct sprint__pass *pass, const sprint_real *theta,
                       const struct sprint__strata_sums *sums, const double *p, double *ret_loss,
                       double *ret_accuracy) {
  const sprint_model *model = pass->shift->model;
  double loss = sprint__model_penalty(model, theta), accuracy = 0, share = 1, all = sprint__strata_weight(sums);
  if (p && pass->population != pass->shift->population) share = share_of_present(sums, p);
  for (size_t c = 0; c < sums->n_strata; c++) {
    if (sums->weight[c] <= 0 || share == 0) continue;
    double weight = p ? p[c] / share / sums->weight[c] : 1.0 / all;
    loss += weight * sums->loss[c];
    accuracy += weight * sums->correct[c];
  }
  *ret_loss = loss;
  *ret_accuracy = model->classifies ? accuracy : NAN;
}
