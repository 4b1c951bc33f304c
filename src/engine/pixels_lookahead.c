/* Batches that are drawn ahead, a round at a time: see pixels.h. */
#include "base/group.h"
#include "engine/pixels.h"

enum { ROWS = SPRINT__LOOKAHEAD_ROWS, WIDE = SPRINT__PIXEL_COLUMNS / SPRINT__GROUP };
enum { LANES = 4 }; /* that a round's work on W is cut into */

/* The rows of a round. */
struct rows {
  size_t n, done;               /* rows; of these, those stepped on */
  uint32_t *who;                /* (n) */
  sprint_real *gram;            /* (n, SPRINT__PIXEL_COLUMNS) x . x_j + 1, left of the diagonal */
  sprint_real *along;           /* (n, out) x g^ */
  struct sprint__pixel *sorted; /* its pixels: see sprint__pixel_sort */
  uint32_t *from;
  sprint_real *products; /* (n, out) x W_0; of those stepped on, x W */
  sprint_real *delta;    /* (n, out) d, of those stepped on */
};

struct sprint__pixels_lookahead {
  sprint_context *context;
  const struct sprint__pixel_lists *lists;
  size_t in, out;
  struct rows *now, *next, both[2];
  bool next_ready;            /* the round after this one */
  const sprint_real *control; /* g^; NULL: there is none */
  uint64_t version;           /* of it */
  double along;               /* how far W has to go along g^ */
  sprint_real *room;          /* of sprint__pixel_gram */
};

static void rows_new(struct sprint__arena *arena, const struct sprint__pixels_lookahead *w, struct rows *ret_rows) {
  *ret_rows = (struct rows){
      .who = sprint__arena_take(arena, ROWS, sizeof *ret_rows->who),
      .gram = sprint__arena_take(arena, ROWS, SPRINT__PIXEL_COLUMNS * sizeof *ret_rows->gram),
      .along = sprint__arena_take(arena, ROWS, w->out * sizeof *ret_rows->along),
      .sorted = sprint__arena_take(arena, ROWS * w->lists->longest, sizeof *ret_rows->sorted),
      .from = sprint__arena_take(arena, SPRINT__PIXEL_FROM(w->in), sizeof *ret_rows->from),
      .products = sprint__arena_take(arena, ROWS, w->out * sizeof *ret_rows->products),
      .delta = sprint__arena_take(arena, ROWS, w->out * sizeof *ret_rows->delta),
  };
}

sprint_status sprint__lookahead_new(struct sprint__engine *engine, struct sprint__pixels_lookahead **ret_lookahead) {
  const struct sprint__pixels_engine *pixels = engine->impl;
  struct sprint__pixels_lookahead *w = sprint__arena_take(&engine->arena, 1, sizeof *w);
  if (!w) return SPRINT_ERROR_MEMORY;
  *w = (struct sprint__pixels_lookahead){
      .context = engine->context, .lists = &pixels->lists, .in = pixels->in, .out = pixels->out};
  w->now = &w->both[0];
  w->next = &w->both[1];
  w->room = sprint__arena_take(&engine->arena, SPRINT__PIXEL_GRAM_ROOM, sizeof *w->room);
  for (int k = 0; k < 2; k++) rows_new(&engine->arena, w, &w->both[k]);
  *ret_lookahead = w;
  return sprint__arena_status(&engine->arena);
}

static struct sprint__pixel_rows records_of(const struct sprint__pixels_lookahead *w, const struct rows *rows) {
  return (struct sprint__pixel_rows){.lists = w->lists, .who = rows->who, .sorted = rows->sorted, .from = rows->from};
}

/* Makes the next round ready: batches that begin with this step. Needs nothing that steps of the present one change.
 */
static void prepare(struct sprint__engine *engine, struct sprint__pixels_lookahead *w, uint64_t step, size_t batches) {
  struct rows *rows = w->next;
  size_t b = engine->solver->batch, n = batches * b;
  for (size_t k = 0; k < batches; k++) {
    struct sprint__draws draws = {engine->seed, step + k, SPRINT__FOR_DRAWS, 0};
    sprint__sampler_draw(engine->shift->population, sprint__engine_p(engine), &draws, b, rows->who + k * b);
  }
  struct sprint__pixel_rows x = records_of(w, rows);
  rows->n = n;
  rows->done = 0;
  for (size_t i = 0; i < n * SPRINT__PIXEL_COLUMNS; i++) rows->gram[i] = 1;
  sprint__pixel_gram(&x, n, w->room, rows->gram);
  sprint__pixel_sort(&x, 0, w->lists->bands, n);
  struct sprint__dense dense = {w->in, w->out, w->control, false};
  if (w->control) sprint__pixel_forward(&dense, &x, n, rows->along);
}

struct theta_work {
  const struct sprint__pixels_lookahead *lookahead;
  const struct rows *rows;
  sprint_real *theta;
};

/* The round's steps, in bands start .. end. */
static void descend_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct theta_work *work = user;
  const struct sprint__pixels_lookahead *w = work->lookahead;
  const struct rows *rows = work->rows;
  struct sprint__pixel_step step = {.n = rows->n, .who = rows->who, .delta = rows->delta, .factor = 1};
  struct sprint__pixel_rows x = records_of(w, rows);
  x.from += start * SPRINT__PIXEL_BAND;
  sprint__pixel_descend(&x, start, end, w->in, w->out, &step, work->theta);
}

/* Rows not yet stepped on are among the sorted ones: their deltas are zero. */
static void descend(const struct sprint__pixels_lookahead *w, sprint_real *theta) {
  const struct rows *rows = w->now;
  memset(rows->delta + rows->done * w->out, 0, (rows->n - rows->done) * w->out * sizeof *rows->delta);
  struct theta_work work = {w, rows, theta};
  int n_lanes = w->lists->bands < LANES ? (int)w->lists->bands : LANES;
  if (rows->done) sprint__lanes_run(w->context, w->lists->bands, n_lanes, descend_lane, &work);
}

static void forward_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct theta_work *work = user;
  const struct sprint__pixels_lookahead *w = work->lookahead;
  struct sprint__dense dense = {w->in, w->out, work->theta, false};
  struct sprint__pixel_rows x = {.lists = w->lists, .who = work->rows->who + start};
  sprint__pixel_forward(&dense, &x, end - start, work->rows->products + start * w->out);
}

/* The next round becomes the present one, whose steps go to W. */
static void turn(struct sprint__pixels_lookahead *w, sprint_real *theta) {
  struct rows *done = w->now;
  descend(w, theta);
  w->now = w->next;
  w->next = done;
  done->n = done->done = 0;
  struct theta_work work = {w, w->now, theta};
  sprint__lanes_run(w->context, w->now->n, LANES, forward_lane, &work);
}

/* Batches of a round that begins after `steps` more steps, in this epoch. */
static size_t batches_after(const sprint_solver *solver, size_t steps) {
  uint64_t most = ROWS / solver->batch, left = solver->inner - solver->epoch_step - steps;
  return (size_t)(left < most ? left : most);
}

static struct sprint__pixels_lookahead *lookahead_of(const struct sprint__engine *engine) {
  return ((const struct sprint__pixels_engine *)engine->impl)->lookahead;
}

static bool has_next(const struct sprint__pixels_lookahead *w) { return w->now->done < w->now->n; }

static sprint_status step_alone(struct sprint__engine *engine, const sprint_want *want) {
  sprint__engine_draw(engine, want);
  return sprint__pixels_step(engine, want, engine->who);
}

/* The steps of this round, one after the other. */
static sprint_status take_steps(struct sprint__engine *engine, sprint_want *want) {
  const struct sprint__pixels_lookahead *w = lookahead_of(engine);
  const sprint_solver *solver = engine->solver;
  for (;;) {
    SPRINT__TRY(sprint__pixels_step(engine, want, w->now->who + w->now->done));
    if (!has_next(w) || solver->stop != SPRINT_STOP_RUNNING) return SPRINT_OK;
    SPRINT__TRY(sprint__engine_ask(engine, want));
    if (want->kind == SPRINT_WANT_NOTHING || solver->stop != SPRINT_STOP_RUNNING) return SPRINT_OK;
    if (!has_next(w)) return step_alone(engine, want); /* a deployment has settled the round */
  }
}

struct run_work {
  struct sprint__engine *engine;
  sprint_want want; /* the first batch */
  uint64_t step;    /* at which the round to come begins */
  size_t batches;   /* of it; 0: the epoch has no more */
  sprint_status status;
};

static void run_lane(void *user, int lane, size_t start, size_t end) {
  struct run_work *work = user;
  (void)start;
  (void)end;
  if (lane == 0)
    work->status = take_steps(work->engine, &work->want);
  else if (work->batches)
    prepare(work->engine, lookahead_of(work->engine), work->step, work->batches);
}

/* The g^ of the steps to come; another than before makes what was prepared with it useless. */
static void set_control(struct sprint__engine *engine, struct sprint__pixels_lookahead *w) {
  struct sprint__linear linear;
  engine->solver->estimator->linear(engine->solver, sprint__engine_p(engine), &linear);
  if (linear.version == w->version) return;
  sprint__pixels_settle(engine);
  w->control = linear.control;
  w->version = linear.version;
  w->next_ready = false;
}

sprint_status sprint__lookahead_run(struct sprint__engine *engine, const sprint_want *want) {
  struct sprint__pixels_lookahead *w = lookahead_of(engine);
  sprint_solver *solver = engine->solver;
  bool settled = engine->n_epochs_begun > solver->cost.epochs; /* who is drawn is, for all of the epoch */
  size_t batches = settled ? batches_after(solver, 0) : 1;
  set_control(engine, w);
  if (!w->next_ready) prepare(engine, w, want->step, batches);
  turn(w, solver->theta);
  struct run_work work = {.engine = engine, .want = *want, .step = want->step + batches};
  if (settled) work.batches = batches_after(solver, batches);
  sprint__lanes_run(engine->context, 2, 2, run_lane, &work);
  w->next_ready = work.batches > 0 && solver->cost.steps == work.step;
  return work.status;
}

bool sprint__lookahead_has(const struct sprint__pixels_lookahead *w, const uint32_t *who, size_t n, uint64_t version) {
  const struct rows *rows = w->now;
  return version == w->version && rows->n - rows->done >= n &&
         memcmp(rows->who + rows->done, who, n * sizeof *who) == 0;
}

/* y -= sum over j < n of k_j d_j in SPRINT__PIXEL_COLUMNS columns. */
SPRINT__INLINE void subtract(const sprint_real *k, const sprint_real *d, size_t n, size_t stride, sprint_real *y) {
  group sums[WIDE];
  for (size_t g = 0; g < WIDE; g++) sums[g] = load(y + g * G);
  for (size_t j = 0; j < n; j++, d += stride) {
    group factor = SPRINT__ALL(k[j]);
    for (size_t g = 0; g < WIDE; g++) sums[g] -= factor * load(d + g * G);
  }
  for (size_t g = 0; g < WIDE; g++) store(y + g * G, sums[g]);
}

SPRINT__FAST const sprint_real *sprint__lookahead_products(struct sprint__pixels_lookahead *w, size_t n) {
  const struct rows *rows = w->now;
  size_t out = w->out;
  sprint_real size = (sprint_real)w->along;
  for (size_t i = rows->done; i < rows->done + n; i++) {
    sprint_real *y = rows->products + i * out;
    for (size_t c = 0; c < out; c += SPRINT__PIXEL_COLUMNS)
      subtract(rows->gram + i * SPRINT__PIXEL_COLUMNS, rows->delta + c, rows->done, out, y + c);
    for (size_t o = 0; w->control && o < out; o += G)
      store(y + o, load(y + o) - size * load(rows->along + i * out + o));
  }
  return rows->products + rows->done * out;
}

sprint_real *sprint__lookahead_deltas(struct sprint__pixels_lookahead *w) {
  return w->now->delta + w->now->done * w->out;
}

bool sprint__lookahead_step(struct sprint__pixels_lookahead *w, size_t n, sprint_real factor, sprint_real size) {
  bool finite = sprint__pixel_scale(sprint__lookahead_deltas(w), n * w->out, factor);
  w->now->done += n;
  w->along += (double)size;
  return finite;
}

const uint32_t *sprint__lookahead_later(const struct sprint__pixels_lookahead *w, size_t n, size_t *ret_n) {
  size_t at = w->now->done + n, left = w->now->n > at ? w->now->n - at : 0;
  *ret_n = left < n ? left : n;
  return w->now->who + at;
}

SPRINT__FAST static void move_along(sprint_real *theta, const sprint_real *control, sprint_real size, size_t n) {
  for (size_t i = 0; i < n; i += G) store(theta + i, load(theta + i) - size * load(control + i));
}

void sprint__lookahead_show(const struct sprint__pixels_lookahead *w, sprint_real *theta) {
  descend(w, theta);
  if (w->control) move_along(theta, w->control, (sprint_real)w->along, (w->in + 1) * w->out);
}

void sprint__lookahead_clear(struct sprint__pixels_lookahead *w) {
  w->now->n = w->now->done = 0;
  w->control = NULL;
  w->version = 0;
  w->along = 0;
}
