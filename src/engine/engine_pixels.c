/* The pixels engine: what it fits, its room, and sums over rows. See pixels.h. */
#include "engine/pixels.h"

/* What a row costs where the zeros of images are skipped, of one where they are not. */
#define SPARSE_COST 0.3

static const char *pixels_misfit(const struct sprint__engine *engine) {
  const sprint_solver *solver = engine->solver;
  const sprint_model *model = solver->model;
  if (!solver->estimator->linear && !solver->estimator->full)
    return "the method does not say that its steps are linear";
  if (solver->revisits) return "the method looks at records again, and what it finds depends on every rounding";
  if (solver->schedule->ops->turn) return "the step rule goes in another direction than v";
  if (solver->may_end_epoch) return "an epoch may end early";
  if (solver->samples) return "a snapshot may be a sample";
  if (sprint__shift_moves(engine->shift)) return "the shift moves features";
  if (engine->shift->population->weight) return "records have weights";
  if (!model->upper.out || model->upper.out % SPRINT__PIXEL_COLUMNS != 0)
    return "the first layer is not a dense one of a multiple of 64 outputs (32 in double precision)";
  if (model->l2 > 0 || solver->radius > 0) return "there is an L2 penalty, or a radius";
  return sprint__pixel_lists_pay(engine->shift->population) ? NULL : "the records are not images that are mostly zero";
}

static void pixels_free(struct sprint__engine *engine) {
  struct sprint__pixels_engine *pixels = engine->impl;
  if (!pixels) return;
  sprint__pixel_lists_clear(&pixels->lists);
  sprint__pixel_lists_clear(&pixels->heldout_lists);
}

static void allocate(struct sprint__engine *engine, struct sprint__pixels_engine *pixels) {
  struct sprint__arena *arena = &engine->arena;
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) {
    struct sprint__pixels_room *room = &pixels->rooms[lane];
    room->sorted = sprint__arena_take(arena, SPRINT__PIXEL_ROWS * pixels->lists.longest, sizeof *room->sorted);
    room->from = sprint__arena_take(arena, SPRINT__PIXEL_FROM(pixels->in), sizeof *room->from);
  }
  size_t n = engine->shift->population->n, size = engine->solver->model->n_activations * sizeof *pixels->activations;
  if (engine->solver->anchors) pixels->activations = sprint__arena_take(arena, n, size);
}

static sprint_status pixels_setup(struct sprint__engine *engine) {
  struct sprint__pixels_engine *pixels = engine->impl = sprint__arena_take(&engine->arena, 1, sizeof *pixels);
  if (!pixels) return SPRINT_ERROR_MEMORY;
  const sprint_population *population = engine->shift->population, *heldout = engine->heldout_pass.population;
  pixels->in = population->d;
  pixels->out = engine->solver->model->upper.out;
  SPRINT__TRY(sprint__pixel_lists_new(population, &pixels->lists));
  if (heldout) SPRINT__TRY(sprint__pixel_lists_new(heldout, &pixels->heldout_lists));
  allocate(engine, pixels);
  return sprint__pixels_step_new(engine);
}

struct sum_work {
  struct sprint__engine *engine;
  const struct sprint__pixel_lists *lists;
  const sprint_real *theta;
  struct sprint__pixels_batch rows;
  sprint_real *keep;  /* as struct sprint__upper_rows has it */
  bool leaves_deltas; /* instead of the gradient of the first layer, its deltas are wanted */
};

/* A block of rows from `at` on. */
static void sum_block(const struct sum_work *work, struct sprint__lane *lane, size_t at, size_t n, bool adds,
                      struct sprint__sums *sums) {
  const struct sprint__pixels_engine *pixels = work->engine->impl;
  const sprint_model *model = work->engine->solver->model;
  const struct sprint__pixels_room *room = &pixels->rooms[lane - model->lanes];
  const struct sprint__pixels_batch *rows = &work->rows;
  struct sprint__dense dense = {pixels->in, pixels->out, work->theta, false};
  struct sprint__pixel_rows x = {work->lists, rows->who + at, room->sorted, room->from};
  struct sprint__upper_rows upper = {.n = n,
                                     .z = rows->z ? rows->z + at * pixels->out : lane->scratch,
                                     .y = rows->y + at,
                                     .delta = work->leaves_deltas ? rows->delta + at * pixels->out : NULL,
                                     .who = rows->who + at,
                                     .keep = work->keep,
                                     .recalled = rows->recalled,
                                     .losses = rows->losses ? rows->losses + at : NULL};
  if (!rows->z) sprint__pixel_forward(&dense, &x, n, lane->scratch);
  const sprint_real *delta = model->ops->upper_sums(model, lane, work->theta, &upper, adds, sums);
  if (sums->gradient && !work->leaves_deltas) sprint__pixel_weight(&dense, &x, delta, n, adds, sums->gradient);
}

static void sum_body(void *user, struct sprint__lane *lane, size_t start, size_t end, struct sprint__sums *sums) {
  const struct sum_work *work = user;
  size_t block = work->engine->solver->model->upper.block / (work->rows.recalled ? 2 : 1);
  for (size_t at = start; at < end; at += block)
    sum_block(work, lane, at, end - at < block ? end - at : block, at > start, sums);
}

static struct sprint__sum_work sum_of(struct sum_work *work) {
  return (struct sprint__sum_work){.n_rows = work->rows.n,
                                   .cost_per_row = SPARSE_COST * work->engine->solver->model->cost_per_row,
                                   .body = sum_body,
                                   .user = work};
}

/* Where the engine surveys, everybody's activations are kept. */
static void pixels_sum(void *user, const sprint_real *theta, const struct sprint__rows *rows,
                       const struct sprint__total *total, struct sprint__sums *ret_sums) {
  struct sprint__engine *engine = user;
  struct sprint__pixels_engine *pixels = engine->impl;
  bool heldout = rows->pixels != &engine->shift->population->pixels;
  struct sum_work work = {.engine = engine,
                          .lists = heldout ? &pixels->heldout_lists : &pixels->lists,
                          .theta = theta,
                          .rows = {.n = rows->n, .who = rows->who, .y = rows->y, .losses = rows->losses}};
  if (engine->surveying && pixels->activations) {
    work.keep = pixels->activations;
    pixels->has_activations = true;
    pixels->activations_step = engine->survey.step;
  }
  struct sprint__sum_work sum = sum_of(&work);
  ret_sums->gradient = NULL;
  if (total)
    sprint__model_sum_to(engine->solver->model, &sum, total, ret_sums);
  else
    sprint__model_sum(engine->solver->model, &sum, ret_sums);
}

double sprint__pixels_sum(struct sprint__engine *engine, const struct sprint__pixels_batch *batch,
                          const struct sprint__step *step) {
  struct sprint__pixels_engine *pixels = engine->impl;
  struct sum_work work = {
      .engine = engine, .lists = &pixels->lists, .theta = step->theta, .rows = *batch, .leaves_deltas = true};
  struct sprint__sum_work sum = sum_of(&work);
  struct sprint__sums sums = {0, 0, step->direction};
  sum.first = (pixels->in + 1) * pixels->out;
  sprint__model_sum(engine->solver->model, &sum, &sums);
  return sums.loss / (double)batch->n;
}

static sprint_status pixels_step(struct sprint__engine *engine, const sprint_want *want) {
  const struct sprint__pixels_engine *pixels = engine->impl;
  if (pixels->lookahead) return sprint__lookahead_run(engine, want);
  sprint__engine_draw(engine, want);
  return sprint__pixels_step(engine, want, engine->who);
}

static bool pixels_losses(struct sprint__engine *engine, double *ret_sums) {
  struct sprint__pixels_engine *pixels = engine->impl;
  if (pixels->gram) sprint__gram_losses(pixels->gram, ret_sums);
  return pixels->gram != NULL;
}

/* Where an epoch ends all steps are settled, and what follows them is forgotten; activations can be worked out again.
 */
static bool pixels_rests(const struct sprint__engine *engine) { return engine->solver->epoch_step == 0; }

static const struct sprint__engine_ops pixels_ops = {
    .misfit = pixels_misfit,
    .setup = pixels_setup,
    .free = pixels_free,
    .sum = pixels_sum,
    .step = pixels_step,
    .losses = pixels_losses,
    .show = sprint__pixels_show,
    .settle = sprint__pixels_settle,
    .rests = pixels_rests,
};

const sprint_kind sprint__engine_pixels = {
    "pixels", "images that are mostly zero, under a dense first layer: the other pixels alone are worked on", NULL, 0,
    &pixels_ops};
