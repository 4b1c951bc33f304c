/* Steps on lists of pixels: see listed.h. */
#include "solver/listed.h"

#include "model/sparse.h"
#include "population/population.h"

/* Batches of up to so many rows are foreseen. */
enum { FORESEEN_BATCH = 16 };

void sprint__listed_end(sprint_solver *solver) {
  struct sprint__listed *listed = solver->listed;
  if (!listed) return;
  sprint__free(listed->delta);
  sprint__free(listed->trace);
  sprint__free(listed->by_feature);
  sprint__free(listed->from);
  sprint__foreseen_free(listed->foreseen);
  sprint__free(listed);
  solver->listed = NULL;
}

static size_t longest_list(const sprint_population *population) {
  size_t longest = 0, length;
  for (size_t i = 0; i < population->n; i++) {
    sprint__pixels_of(&population->pixels, i, &length);
    if (length > longest) longest = length;
  }
  return longest;
}

sprint_status sprint__listed_begin(sprint_solver *solver, const sprint_population *population, bool foresees) {
  sprint_context *context = solver->context;
  const sprint_model *model = solver->model;
  if (!model->list_out || !population->pixels.list || solver->n != population->n || model->l2 > 0 ||
      solver->radius > 0 || solver->batch > UINT16_MAX)
    return SPRINT_OK;
  struct sprint__listed *listed = solver->listed = sprint__alloc(context, 1, sizeof *listed);
  if (!listed) return SPRINT_ERROR_MEMORY;
  listed->in = model->n_features;
  listed->out = model->list_out;
  size_t longest = longest_list(population);
  listed->delta = sprint__alloc(context, solver->batch, listed->out * sizeof *listed->delta);
  listed->by_feature = sprint__alloc(context, solver->batch * longest, sizeof *listed->by_feature);
  listed->from = sprint__alloc(context, SPRINT__SPARSE_FROM(listed->in) + 2 * SPRINT__MAX_LANES, sizeof *listed->from);
  bool ok = listed->delta && listed->by_feature && listed->from;
  if (ok && solver->estimator->control)
    ok = (listed->trace = sprint__alloc(context, population->n, model->list_trace * sizeof *listed->trace)) != NULL;
  if (ok && foresees && solver->batch <= FORESEEN_BATCH)
    ok = sprint__foreseen_new(context, &population->pixels, longest, listed->in, listed->out, &listed->foreseen) ==
         SPRINT_OK;
  if (ok) return SPRINT_OK;
  sprint__listed_end(solver);
  return SPRINT_ERROR_MEMORY;
}

struct step_work {
  sprint_solver *solver;
  const struct sprint__rows *rows;
  bool finite[SPRINT__MAX_LANES];
};

/* What a lane of a step costs by being there, in floating-point operations: every list of the batch is looked up for
 * its part of it, and sorted with fewer others. */
#define COST_OF_A_LANE 2e6

/* Pixels of the batch in tiles before t. */
static size_t pixels_before(const struct sprint__rows *rows, size_t t) {
  const struct sprint__pixels *pixels = rows->pixels;
  size_t sum = 0;
  for (size_t i = 0; i < rows->n; i++) {
    const size_t *start = pixels->start + sprint__rows_individual(rows, i) * pixels->tiles;
    sum += start[t] - start[0];
  }
  return sum;
}

/* Tiles start .. end. */
static void step_lane(void *user, int lane, size_t start, size_t end) {
  struct step_work *work = user;
  const struct sprint__listed *listed = work->solver->listed;
  const struct sprint__rows *rows = work->rows;
  struct sprint__sparse x = {.pixels = rows->pixels,
                             .who = rows->who,
                             .first = rows->first,
                             .sorted = listed->by_feature + pixels_before(rows, start),
                             .from = listed->from + start * SPRINT__PIXEL_TILE + 2 * (size_t)lane};
  sprint__sparse_sort(&x, start, end, rows->n);
  work->finite[lane] =
      sprint__sparse_move(&x, start, end, listed->in, listed->out, &listed->newest, work->solver->theta);
}

static bool step_all(sprint_solver *solver, const struct sprint__rows *rows) {
  const struct sprint__listed *listed = solver->listed;
  struct step_work work = {.solver = solver, .rows = rows};
  size_t tiles = rows->pixels->tiles;
  /* a multiplication by numbers from the second cache takes as long as three floating-point operations of a product,
   * and reading and writing a number of W as ten of them */
  double columns = (double)listed->out, sums = (double)pixels_before(rows, tiles), sweep = 10.0 * (double)listed->in;
  int n_lanes = sprint__lanes_for(tiles, 3 * columns * (sums + sweep) / (double)tiles, COST_OF_A_LANE);
  sprint__lanes_run(solver->context, tiles, n_lanes, step_lane, &work);
  bool finite = true;
  for (int lane = 0; lane < n_lanes; lane++) finite = finite && work.finite[lane];
  return finite;
}

void sprint__listed_settle(const sprint_solver *solver, sprint_real *theta) {
  struct sprint__foreseen *f = solver->listed ? solver->listed->foreseen : NULL;
  if (!f) return;
  sprint__foreseen_settle(f, theta);
  if (theta == solver->theta) sprint__foreseen_clear(f);
}

const uint32_t *sprint__listed_next(const sprint_solver *solver) {
  const struct sprint__foreseen *f = solver->listed ? solver->listed->foreseen : NULL;
  return f && f->now->done < f->now->n ? f->now->who + f->now->done : NULL;
}

size_t sprint__listed_foresight(const sprint_solver *solver, size_t steps) {
  if (!solver->listed || !solver->listed->foreseen) return 0;
  uint64_t most = SPRINT__WINDOW_ROWS / solver->batch, left = solver->inner - solver->epoch_step - steps;
  return (size_t)(left < most ? left : most);
}

bool sprint__listed_owe(sprint_solver *solver, const double *p) {
  struct sprint__foreseen *f = solver->listed->foreseen;
  const sprint_real *control = solver->estimator->steady ? solver->estimator->steady(solver, p) : NULL;
  if (control == f->control) return false;
  sprint__listed_settle(solver, solver->theta);
  f->control = control;
  return true;
}

/* Fetches what the batch after this one reads of the trace: rows far from each other. */
static void fetch_ahead(const struct sprint__listed *listed, size_t width, size_t n) {
  enum { LINE = 64 / sizeof(sprint_real) };
  const struct sprint__window *w = listed->foreseen->now;
  for (size_t i = w->done + n; i < w->done + 2 * n && i < w->n; i++)
    for (size_t k = 0; k < width; k += LINE) __builtin_prefetch(listed->trace + w->who[i] * width + k);
}

void sprint__listed_take(sprint_solver *solver, struct sprint__rows *rows) {
  struct sprint__listed *listed = solver->listed;
  if (!listed || !sprint__rows_listed(rows)) return;
  struct sprint__foreseen *f = listed->foreseen;
  rows->delta = listed->delta;
  rows->trace_b = listed->trace;
  if (!f) return;
  if (!sprint__foreseen_are(f, rows->who, rows->n)) {
    sprint__listed_settle(solver, solver->theta);
    return;
  }
  if (listed->trace) fetch_ahead(listed, solver->model->list_trace, rows->n);
  rows->delta = f->now->delta + f->now->done * f->out;
  rows->products = sprint__foreseen_products(f, rows->n);
}

bool sprint__listed_step(sprint_solver *solver, const struct sprint__rows *rows,
                         const struct sprint__estimate *estimate, sprint_real size) {
  struct sprint__listed *listed = solver->listed;
  sprint_real factor = size * estimate->scale;
  listed->newest =
      (struct sprint__move){rows->n, rows->who, rows->delta, factor, size, estimate->control, estimate->steady};
  if (rows->products && estimate->steady && estimate->control == listed->foreseen->control)
    return sprint__foreseen_step(listed->foreseen, rows->n, factor, size);
  sprint__listed_settle(solver, solver->theta);
  return step_all(solver, rows);
}
