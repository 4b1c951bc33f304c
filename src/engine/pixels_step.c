/* A step of the pixels engine: at once, or put off where somebody else knows a batch's products with W. See pixels.h.
 */
#include <string.h>

#include "engine/pixels.h"

/* Batches of up to so many rows are drawn ahead. */
enum { LOOKAHEAD_BATCH = 16 };

/* Rows of a step that go to W at once; of such parts, how many may be put off. */
enum { PART = SPRINT__PIXEL_ROWS, DEFERRED_PARTS = 16 };

/* Where a lane that begins with this band sorts a part of the rows. */
static size_t room_before(size_t band) { return band * SPRINT__PIXEL_BAND * PART; }

static sprint_status allocate_deferred(struct sprint__engine *engine) {
  struct sprint__pixels_engine *pixels = engine->impl;
  struct sprint__pixels_deferred *deferred = &pixels->deferred;
  size_t batch = engine->solver->batch;
  deferred->most = batch > DEFERRED_PARTS * PART ? batch : DEFERRED_PARTS * PART;
  deferred->who = sprint__arena_take(&engine->arena, deferred->most, sizeof *deferred->who);
  deferred->delta = sprint__arena_take(&engine->arena, deferred->most, pixels->out * sizeof *deferred->delta);
  return sprint__arena_status(&engine->arena);
}

sprint_status sprint__pixels_step_new(struct sprint__engine *engine) {
  struct sprint__arena *arena = &engine->arena;
  struct sprint__pixels_engine *pixels = engine->impl;
  enum sprint__theta_use use = engine->shift->uses_theta;
  size_t batch = engine->solver->batch;
  pixels->delta = sprint__arena_take(arena, batch, pixels->out * sizeof *pixels->delta);
  pixels->by_feature = sprint__arena_take(arena, room_before(pixels->lists.bands), sizeof *pixels->by_feature);
  pixels->from =
      sprint__arena_take(arena, SPRINT__PIXEL_FROM(pixels->in) + 2 * SPRINT__MAX_LANES, sizeof *pixels->from);
  SPRINT__TRY(sprint__arena_status(arena));
  if (use == SPRINT__USES_THETA_AT_EPOCH && batch <= LOOKAHEAD_BATCH)
    return sprint__lookahead_new(engine, &pixels->lookahead);
  if (use != SPRINT__USES_THETA_AT_DEPLOYMENT || !engine->shift->asks_losses) return SPRINT_OK;
  SPRINT__TRY(sprint__gram_new(engine, &pixels->gram));
  return pixels->gram ? allocate_deferred(engine) : SPRINT_OK;
}

struct descend_work {
  const struct sprint__pixels_engine *pixels;
  const struct sprint__pixel_step *step;
  sprint_real *theta;
  bool finite[SPRINT__MAX_LANES];
};

/* What a lane of a step costs by being there, in floating-point operations: every list of the batch is looked up for
 * its part of it, and sorted with fewer others. */
#define COST_OF_A_LANE 2e6

static size_t pixels_of_all(const struct sprint__pixel_lists *lists, const uint32_t *who, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += lists->start[(who[i] + 1) * lists->bands] - lists->start[who[i] * lists->bands];
  return sum;
}

/* Bands start .. end, which stay in the caches while all rows go by. */
static void descend_lane(void *user, int lane, size_t start, size_t end) {
  struct descend_work *work = user;
  const struct sprint__pixels_engine *pixels = work->pixels;
  struct sprint__pixel_rows x = {.lists = &pixels->lists,
                                 .sorted = pixels->by_feature + room_before(start),
                                 .from = pixels->from + start * SPRINT__PIXEL_BAND + 2 * (size_t)lane};
  work->finite[lane] = true;
  for (size_t i = 0, n; i < work->step->n; i += n) {
    n = work->step->n - i < PART ? work->step->n - i : PART;
    struct sprint__pixel_step step = *work->step;
    step.n = n;
    step.delta += i * pixels->out;
    if (i > 0) step.control = NULL;
    x.who = step.who + i;
    sprint__pixel_sort(&x, start, end, n);
    bool finite = sprint__pixel_descend(&x, start, end, pixels->in, pixels->out, &step, work->theta);
    work->finite[lane] = work->finite[lane] && finite;
  }
}

static bool run_lanes(sprint_context *context, struct descend_work *work, int n_lanes) {
  sprint__lanes_run(context, work->pixels->lists.bands, n_lanes, descend_lane, work);
  bool finite = true;
  for (int lane = 0; lane < n_lanes; lane++) finite = finite && work->finite[lane];
  return finite;
}

/* A step that is taken now. */
static bool descend(const struct sprint__engine *engine, const struct sprint__pixel_step *step) {
  const struct sprint__pixels_engine *pixels = engine->impl;
  struct descend_work work = {pixels, step, engine->solver->theta, {false}};
  /* a multiplication by numbers from the second cache takes as long as three floating-point operations of a product,
   * and reading and writing a number of W as ten of them */
  double columns = (double)pixels->out, sums = (double)pixels_of_all(&pixels->lists, step->who, step->n);
  double cost = 3 * columns * (sums + 10.0 * (double)pixels->in), bands = (double)pixels->lists.bands;
  return run_lanes(engine->context, &work, sprint__lanes_for(pixels->lists.bands, cost / bands, COST_OF_A_LANE));
}

void sprint__pixels_show(const struct sprint__engine *engine, sprint_real *theta) {
  const struct sprint__pixels_engine *pixels = engine->impl;
  const struct sprint__pixels_deferred *deferred = &pixels->deferred;
  if (deferred->n) {
    struct sprint__pixel_step all = {.n = deferred->n,
                                     .who = deferred->who,
                                     .delta = deferred->delta,
                                     .factor = 1,
                                     .size = (sprint_real)deferred->along,
                                     .control = deferred->control};
    struct descend_work work = {pixels, &all, theta, {false}};
    size_t bands = pixels->lists.bands;
    run_lanes(engine->context, &work, bands < SPRINT__MAX_LANES ? (int)bands : SPRINT__MAX_LANES);
  }
  if (pixels->lookahead) sprint__lookahead_show(pixels->lookahead, theta);
}

void sprint__pixels_settle(struct sprint__engine *engine) {
  struct sprint__pixels_engine *pixels = engine->impl;
  sprint__pixels_show(engine, engine->solver->theta);
  pixels->deferred.n = 0;
  pixels->deferred.along = 0;
  if (pixels->lookahead) sprint__lookahead_clear(pixels->lookahead);
}

/* Puts the step off; its deltas are where they have to be. Returns whether it is finite. */
static bool defer(struct sprint__pixels_deferred *deferred, size_t out, struct sprint__pixel_step *step,
                  uint64_t version) {
  bool finite = sprint__pixel_scale(deferred->delta + deferred->n * out, step->n * out, step->factor);
  step->factor = 1;
  memcpy(deferred->who + deferred->n, step->who, step->n * sizeof *deferred->who);
  deferred->n += step->n;
  deferred->control = step->control;
  deferred->version = version;
  deferred->along += (double)step->size;
  return finite;
}

/* Fetches what the batch after this one reads of the activations: rows far from each other. */
static void fetch_ahead(const struct sprint__engine *engine, size_t n) {
  enum { LINE = 64 / sizeof(sprint_real) };
  const struct sprint__pixels_engine *pixels = engine->impl;
  size_t width = engine->solver->model->n_activations;
  const uint32_t *who = sprint__lookahead_later(pixels->lookahead, n, &n);
  for (size_t i = 0; pixels->activations && i < n; i++)
    for (size_t k = 0; k < width; k += LINE) __builtin_prefetch(pixels->activations + who[i] * width + k);
}

/* How a step is taken. */
enum way { AT_ONCE, DEFERRED, AHEAD };

/* The way of this batch, with its products where somebody knows them; what cannot wait for it is settled. */
static enum way choose(struct sprint__engine *engine, const struct sprint__linear *linear,
                       struct sprint__pixels_batch *batch) {
  struct sprint__pixels_engine *pixels = engine->impl;
  struct sprint__pixels_deferred *deferred = &pixels->deferred;
  if (pixels->lookahead && sprint__lookahead_has(pixels->lookahead, batch->who, batch->n, linear->version)) {
    batch->delta = sprint__lookahead_deltas(pixels->lookahead);
    batch->z = sprint__lookahead_products(pixels->lookahead, batch->n);
    fetch_ahead(engine, batch->n);
    return AHEAD;
  }
  if (pixels->gram) batch->z = sprint__gram_products(pixels->gram, batch->who, batch->n);
  bool waits = batch->z && linear->steady && deferred->n + batch->n <= deferred->most &&
               (deferred->n == 0 || deferred->version == linear->version);
  if (!waits) sprint__pixels_settle(engine);
  bool defers = batch->z && linear->steady;
  if (defers) batch->delta = deferred->delta + deferred->n * pixels->out;
  return defers ? DEFERRED : AT_ONCE;
}

/* The activations at theta~; they are worked out again where another survey has been taken since. */
static sprint_status anchor_activations(struct sprint__engine *engine, const struct sprint__linear *linear,
                                        const sprint_real **ret_activations) {
  const struct sprint__pixels_engine *pixels = engine->impl;
  *ret_activations = linear->anchor ? pixels->activations : NULL;
  if (!linear->anchor || (pixels->has_activations && pixels->activations_step == linear->anchor_step)) return SPRINT_OK;
  return sprint__survey_anchor(engine, linear);
}

sprint_status sprint__pixels_step(struct sprint__engine *engine, const sprint_want *want, const uint32_t *who) {
  struct sprint__pixels_engine *pixels = engine->impl;
  sprint_solver *solver = engine->solver;
  sprint_records records;
  struct sprint__step step;
  SPRINT__TRY(sprint__engine_fetch(engine, who, want, &records));
  sprint__solver_begin_step(solver, records.p, &step);
  struct sprint__pixels_batch batch = {
      .n = records.n, .who = who, .y = records.y, .delta = pixels->delta, .losses = solver->losses};
  SPRINT__TRY(anchor_activations(engine, &step.linear, &batch.recalled));
  enum way way = choose(engine, &step.linear, &batch);
  double loss = sprint__pixels_sum(engine, &batch, &step);

  sprint_real scale = (sprint_real)(1.0 / (double)batch.n);
  struct sprint__pixel_step first = {batch.n, who, batch.delta, step.size * scale, step.size, step.linear.control};
  bool finite = true;
  if (way == AHEAD) finite = sprint__lookahead_step(pixels->lookahead, batch.n, first.factor, step.size);
  if (way == DEFERRED) finite = defer(&pixels->deferred, pixels->out, &first, step.linear.version);
  if (way == AT_ONCE) finite = descend(engine, &first);
  size_t done = (pixels->in + 1) * pixels->out;
  const sprint_real *control = step.linear.control ? step.linear.control + done : NULL;
  finite =
      sprint__descend(step.theta + done, step.direction + done, scale, control, step.size, solver->n_params - done) &&
      finite;
  sprint__solver_end_step(solver, &step, batch.n, loss, finite);
  SPRINT__TRY(sprint__engine_hear_after(engine, &records));
  if (solver->epoch_step == 0) sprint__pixels_settle(engine);
  if (pixels->gram && solver->epoch_step == 0)
    sprint__gram_forget(pixels->gram);
  else if (pixels->gram)
    sprint__gram_follow(pixels->gram, &first, step.linear.steady);
  return SPRINT_OK;
}
