/* Steps on lists of pixels: see listed.h. */
#include "solver/listed.h"

#include "base/group.h"
#include "model/sparse.h"
#include "population/population.h"

/* Batches of up to so many rows owe: they touch a small part of W. */
enum { OWING_ROWS = 8 };

void sprint__listed_end(sprint_solver *solver) {
  struct sprint__listed *listed = solver->listed;
  if (!listed) return;
  sprint__free(listed->delta);
  sprint__free(listed->trace);
  sprint__free(listed->by_feature);
  sprint__free(listed->from);
  sprint__free(listed->products);
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

sprint_status sprint__listed_begin(sprint_solver *solver, const sprint_population *population, bool may_owe) {
  sprint_context *context = solver->context;
  const sprint_model *model = solver->model;
  if (!model->list_out || !population->pixels.list || solver->n != population->n || model->l2 > 0 ||
      solver->radius > 0 || solver->batch > UINT16_MAX)
    return SPRINT_OK;
  struct sprint__listed *listed = solver->listed = sprint__alloc(context, 1, sizeof *listed);
  if (!listed) return SPRINT_ERROR_MEMORY;
  listed->in = model->n_features;
  listed->out = model->list_out;
  listed->owes = may_owe && solver->batch <= OWING_ROWS;
  listed->delta = sprint__alloc(context, solver->batch, listed->out * sizeof *listed->delta);
  listed->by_feature = sprint__alloc(context, solver->batch * longest_list(population), sizeof *listed->by_feature);
  listed->from = sprint__alloc(context, SPRINT__SPARSE_FROM(listed->in) + 2 * SPRINT__MAX_LANES, sizeof *listed->from);
  bool ok = listed->delta && listed->by_feature && listed->from;
  if (ok && solver->estimator->control)
    ok = (listed->trace = sprint__alloc(context, population->n, model->list_trace * sizeof *listed->trace)) != NULL;
  if (ok && solver->estimator->control && listed->owes)
    ok = (listed->products = sprint__alloc(context, population->n, listed->out * sizeof *listed->products)) != NULL;
  if (ok) return SPRINT_OK;
  sprint__listed_end(solver);
  return SPRINT_ERROR_MEMORY;
}

SPRINT__FAST void sprint__listed_settle(const sprint_solver *solver, sprint_real *theta) {
  struct sprint__listed *listed = solver->listed;
  if (!listed || !listed->control) return;
  sprint_real owed = (sprint_real)listed->moved;
  for (size_t i = 0; i < (listed->in + 1) * listed->out; i += G)
    store(theta + i, load(theta + i) - owed * load(listed->control + i));
  if (theta != solver->theta) return;
  listed->moved = 0;
  listed->control = NULL;
}

struct products_work {
  const struct sprint__listed *listed;
  const struct sprint__pixels *pixels;
};

/* products := x g^ of individuals start .. end. */
static void products_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  enum { BLOCK = 64 };
  const struct products_work *work = user;
  const struct sprint__listed *listed = work->listed;
  struct sprint__dense dense = {listed->in, listed->out, listed->control, false};
  for (size_t i = start; i < end; i += BLOCK) {
    struct sprint__sparse x = {.pixels = work->pixels, .first = i};
    sprint__sparse_forward(&dense, &x, end - i < BLOCK ? end - i : BLOCK, listed->products + i * listed->out);
  }
}

/* From here on g^ is owed. */
static void owe(sprint_solver *solver, const struct sprint__pixels *pixels, const sprint_real *control) {
  struct sprint__listed *listed = solver->listed;
  sprint__listed_settle(solver, solver->theta);
  listed->control = control;
  if (!control) return;
  struct products_work work = {listed, pixels};
  int n_lanes = sprint__lanes_for(solver->n, 2.0 * (double)listed->out * (double)listed->in / 3, 0);
  sprint__lanes_run(solver->context, solver->n, n_lanes, products_lane, &work);
}

/* The rows of the batch's pixels alone; g^ is owed. */
static bool step_owing(sprint_solver *solver, const struct sprint__rows *rows) {
  const struct sprint__listed *listed = solver->listed;
  struct sprint__sparse x = {.pixels = rows->pixels, .who = rows->who, .first = rows->first};
  return sprint__sparse_move_unsorted(&x, listed->in, listed->out, &listed->newest, solver->theta);
}

struct step_work {
  sprint_solver *solver;
  const struct sprint__rows *rows;
  bool finite[SPRINT__MAX_LANES];
};

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
  int n_lanes = sprint__lanes_for(tiles, 3 * columns * (sums + sweep) / (double)tiles, 0);
  sprint__lanes_run(solver->context, tiles, n_lanes, step_lane, &work);
  bool finite = true;
  for (int lane = 0; lane < n_lanes; lane++) finite = finite && work.finite[lane];
  return finite;
}

bool sprint__listed_step(sprint_solver *solver, const struct sprint__rows *rows,
                         const struct sprint__estimate *estimate, sprint_real size) {
  struct sprint__listed *listed = solver->listed;
  listed->newest = (struct sprint__move){rows->n, rows->who,         listed->delta,   size * estimate->scale,
                                         size,    estimate->control, estimate->steady};
  if (!listed->owes || !estimate->steady) {
    sprint__listed_settle(solver, solver->theta);
    return step_all(solver, rows);
  }
  if (estimate->control != listed->control) owe(solver, rows->pixels, estimate->control);
  listed->moved += (double)size;
  return step_owing(solver, rows);
}
