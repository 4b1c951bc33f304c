/* Steps on lists of pixels: see listed.h. */
#include "solver/listed.h"

#include <string.h>

#include "model/sparse.h"
#include "population/population.h"

/* Batches of up to so many rows are foreseen. */
enum { FORESEEN_BATCH = 16 };

/* Rows of a step that go to W at once; of such parts, how many it may be owed. */
enum { PART = SPRINT__SPARSE_ROWS, OWED_PARTS = 16 };

void sprint__listed_end(sprint_solver *solver) {
  struct sprint__listed *listed = solver->listed;
  if (!listed) return;
  sprint__free(listed->delta);
  sprint__free(listed->trace);
  sprint__free(listed->by_feature);
  sprint__free(listed->from);
  sprint__free(listed->owed.who);
  sprint__free(listed->owed.delta);
  sprint__foreseen_free(listed->foreseen);
  sprint__free(listed);
  solver->listed = NULL;
}

/* Where a lane that begins with this tile sorts a part of the rows. */
static size_t room_before(size_t tile) { return tile * SPRINT__PIXEL_TILE * PART; }

static size_t longest_list(const sprint_population *population) {
  size_t longest = 0, length;
  for (size_t i = 0; i < population->n; i++) {
    sprint__pixels_of(&population->pixels, i, &length);
    if (length > longest) longest = length;
  }
  return longest;
}

static bool allocate_owed(sprint_solver *solver) {
  struct sprint__owed *owed = &solver->listed->owed;
  owed->room = solver->batch > OWED_PARTS * PART ? solver->batch : OWED_PARTS * PART;
  owed->who = sprint__alloc(solver->context, owed->room, sizeof *owed->who);
  owed->delta = sprint__alloc(solver->context, owed->room, solver->listed->out * sizeof *owed->delta);
  return owed->who && owed->delta;
}

sprint_status sprint__listed_begin(sprint_solver *solver, const sprint_population *population, bool foresees) {
  sprint_context *context = solver->context;
  const sprint_model *model = solver->model;
  if (!model->list_out || !population->pixels.list || solver->n != population->n || model->l2 > 0 || solver->radius > 0)
    return SPRINT_OK;
  struct sprint__listed *listed = solver->listed = sprint__alloc(context, 1, sizeof *listed);
  if (!listed) return SPRINT_ERROR_MEMORY;
  listed->pixels = &population->pixels;
  listed->in = model->n_features;
  listed->out = model->list_out;
  listed->delta = sprint__alloc(context, solver->batch, listed->out * sizeof *listed->delta);
  listed->by_feature = sprint__alloc(context, room_before(population->pixels.tiles), sizeof *listed->by_feature);
  listed->from = sprint__alloc(context, SPRINT__SPARSE_FROM(listed->in) + 2 * SPRINT__MAX_LANES, sizeof *listed->from);
  bool ok = listed->delta && listed->by_feature && listed->from;
  if (ok && solver->estimator->control)
    ok = (listed->trace = sprint__alloc(context, population->n, model->list_trace * sizeof *listed->trace)) != NULL;
  ok = ok && (foresees || allocate_owed(solver));
  if (ok && foresees && solver->batch <= FORESEEN_BATCH)
    ok = sprint__foreseen_new(context, &population->pixels, longest_list(population), listed->in, listed->out,
                              &listed->foreseen) == SPRINT_OK;
  if (ok) return SPRINT_OK;
  sprint__listed_end(solver);
  return SPRINT_ERROR_MEMORY;
}

struct step_work {
  const struct sprint__listed *listed;
  const struct sprint__move *move;
  sprint_real *theta;
  bool finite[SPRINT__MAX_LANES];
};

/* What a lane of a step costs by being there, in floating-point operations: every list of the batch is looked up for
 * its part of it, and sorted with fewer others. */
#define COST_OF_A_LANE 2e6

static size_t pixels_of_all(const struct sprint__pixels *pixels, const uint32_t *who, size_t n) {
  size_t sum = 0, length;
  for (size_t i = 0; i < n; i++, sum += length) sprint__pixels_of(pixels, who[i], &length);
  return sum;
}

/* Tiles start .. end, which stay in the caches while all rows go by. */
static void step_lane(void *user, int lane, size_t start, size_t end) {
  struct step_work *work = user;
  const struct sprint__listed *listed = work->listed;
  struct sprint__sparse x = {.pixels = listed->pixels,
                             .sorted = listed->by_feature + room_before(start),
                             .from = listed->from + start * SPRINT__PIXEL_TILE + 2 * (size_t)lane};
  work->finite[lane] = true;
  for (size_t i = 0, n; i < work->move->n; i += n) {
    n = work->move->n - i < PART ? work->move->n - i : PART;
    struct sprint__move move = *work->move;
    move.n = n;
    move.delta += i * listed->out;
    if (i > 0) move.control = NULL;
    x.who = move.who + i;
    sprint__sparse_sort(&x, start, end, n);
    bool finite = sprint__sparse_move(&x, start, end, listed->in, listed->out, &move, work->theta);
    work->finite[lane] = work->finite[lane] && finite;
  }
}

static bool run_lanes(sprint_context *context, struct step_work *work, int n_lanes) {
  sprint__lanes_run(context, work->listed->pixels->tiles, n_lanes, step_lane, work);
  bool finite = true;
  for (int lane = 0; lane < n_lanes; lane++) finite = finite && work->finite[lane];
  return finite;
}

/* The step that is taken now. */
static bool step_all(sprint_solver *solver) {
  const struct sprint__listed *listed = solver->listed;
  const struct sprint__pixels *pixels = listed->pixels;
  const struct sprint__move *move = &listed->newest;
  struct step_work work = {listed, move, solver->theta, {false}};
  /* a multiplication by numbers from the second cache takes as long as three floating-point operations of a product,
   * and reading and writing a number of W as ten of them */
  double columns = (double)listed->out, sums = (double)pixels_of_all(pixels, move->who, move->n);
  double cost = 3 * columns * (sums + 10.0 * (double)listed->in);
  return run_lanes(solver->context, &work,
                   sprint__lanes_for(pixels->tiles, cost / (double)pixels->tiles, COST_OF_A_LANE));
}

/* All steps that are owed. */
static void pay(const sprint_solver *solver, sprint_real *theta) {
  const struct sprint__listed *listed = solver->listed;
  const struct sprint__owed *owed = &listed->owed;
  struct sprint__move move = {.n = owed->n,
                              .who = owed->who,
                              .delta = owed->delta,
                              .factor = 1,
                              .size = (sprint_real)owed->moved,
                              .control = owed->control};
  struct step_work work = {listed, &move, theta, {false}};
  size_t tiles = listed->pixels->tiles;
  run_lanes(solver->context, &work, tiles < SPRINT__MAX_LANES ? (int)tiles : SPRINT__MAX_LANES);
}

bool sprint__listed_lags(const sprint_solver *solver) {
  const struct sprint__listed *listed = solver->listed;
  return listed && (listed->foreseen || listed->owed.n > 0);
}

void sprint__listed_settle(const sprint_solver *solver, sprint_real *theta) {
  struct sprint__listed *listed = solver->listed;
  if (!listed) return;
  if (listed->owed.n) pay(solver, theta);
  if (listed->foreseen) sprint__foreseen_settle(listed->foreseen, theta);
  if (theta != solver->theta) return;
  listed->owed.n = 0;
  listed->owed.moved = 0;
  if (listed->foreseen) sprint__foreseen_clear(listed->foreseen);
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

void sprint__listed_lend(const sprint_solver *solver, const sprint_real *products) { solver->listed->lent = products; }

void sprint__listed_take(sprint_solver *solver, struct sprint__rows *rows) {
  struct sprint__listed *listed = solver->listed;
  if (!listed || !sprint__rows_listed(rows)) return;
  struct sprint__foreseen *f = listed->foreseen;
  struct sprint__owed *owed = &listed->owed;
  rows->delta = listed->delta;
  rows->trace_b = listed->trace;
  if (owed->n && (owed->n + rows->n > owed->room || !listed->lent)) sprint__listed_settle(solver, solver->theta);
  if (listed->lent) {
    rows->delta = owed->delta + owed->n * listed->out;
    rows->products = listed->lent;
  }
  if (!f) return;
  if (!sprint__foreseen_are(f, rows->who, rows->n)) {
    sprint__listed_settle(solver, solver->theta);
    return;
  }
  if (listed->trace) fetch_ahead(listed, solver->model->list_trace, rows->n);
  rows->delta = f->now->delta + f->now->done * f->out;
  rows->products = sprint__foreseen_products(f, rows->n);
}

/* The newest step becomes one that is owed; returns whether it is finite. */
static bool put_off(struct sprint__listed *listed) {
  struct sprint__owed *owed = &listed->owed;
  struct sprint__move *move = &listed->newest;
  bool finite = sprint__sparse_scale(owed->delta + owed->n * listed->out, move->n * listed->out, move->factor);
  move->factor = 1;
  memcpy(owed->who + owed->n, move->who, move->n * sizeof *owed->who);
  owed->n += move->n;
  owed->control = move->control;
  owed->moved += (double)move->size;
  return finite;
}

bool sprint__listed_step(sprint_solver *solver, const struct sprint__rows *rows,
                         const struct sprint__estimate *estimate, sprint_real size) {
  struct sprint__listed *listed = solver->listed;
  sprint_real factor = size * estimate->scale;
  listed->newest =
      (struct sprint__move){rows->n, rows->who, rows->delta, factor, size, estimate->control, estimate->steady};
  struct sprint__foreseen *f = listed->foreseen;
  bool same = listed->owed.n == 0 || listed->owed.control == estimate->control;
  if (estimate->steady && listed->lent && same) return put_off(listed);
  if (estimate->steady && f && rows->products && f->control == estimate->control)
    return sprint__foreseen_step(f, rows->n, factor, size);
  sprint__listed_settle(solver, solver->theta);
  return step_all(solver);
}
