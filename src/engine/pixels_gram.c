/* Losses that follow the steps: see pixels.h. Individuals are in the order of their strata throughout: place q is
 * by_stratum[q]. They are interleaved, in tiles: see model/interleaved.h. */
#include <string.h>

#include "engine/pixels.h"
#include "model/interleaved.h"

enum { A = SPRINT__INTERLEAVED, PANEL = SPRINT__PIXEL_COLUMNS };
enum { BLOCK = 20 * A }; /* individuals whose products are worked out together */

struct sprint__pixels_gram {
  struct sprint__engine *engine;
  const sprint_population *population;
  const struct sprint__pixel_lists *lists;
  uint64_t epoch; /* engine->n_epochs_begun when Z was worked out */
  size_t n, n_tiles, in, out, n_strata;
  sprint_real *gram; /* (n, n_tiles * A) K */
  bool has_gram;
  uint32_t *place;       /* (n) of each individual */
  sprint_real *labels;   /* (n_tiles * A) by place */
  sprint_real *z;        /* (n_tiles, out, A) */
  sprint_real *products; /* (n_tiles, out, A) P */
  bool has_products;     /* of this epoch */
  bool known;            /* z is that of theta, but for the pending step */

  size_t pending;                       /* the batch of a step that z lacks; 0: none */
  sprint_real size;                     /* of it, along P; 0: not at all */
  const sprint_real **rows;             /* (batch) of K, of its individuals */
  sprint_real *delta;                   /* (batch, out) of it, times -factor, packed */
  sprint_real *asked;                   /* (batch, out) products that were asked for */
  sprint_real *room[SPRINT__MAX_LANES]; /* see room_for */
  double *losses;                       /* (n_tiles, n_strata) sums */
};

/* Rows of a panel: features, with those that the last band lacks, and the biases. */
static size_t panel_rows(const struct sprint__pixels_gram *t) { return t->lists->bands * SPRINT__PIXEL_BAND + 1; }

/* Reals of a lane: a panel and its products; or a block of rows; or a tile of K. */
static size_t room_for(const struct sprint__pixels_gram *t, size_t batch) {
  size_t panel = PANEL * (panel_rows(t) + BLOCK), block = BLOCK * t->out, tile = batch * A;
  size_t most = panel > block ? panel : block;
  return most > tile ? most : tile;
}

static sprint_status allocate(struct sprint__pixels_gram *t, size_t batch) {
  struct sprint__arena *arena = &t->engine->arena;
  size_t padded = t->n_tiles * A;
  t->gram = sprint__arena_take(arena, t->n, padded * sizeof *t->gram);
  t->place = sprint__arena_take(arena, t->n, sizeof *t->place);
  t->labels = sprint__arena_take(arena, padded, sizeof *t->labels);
  t->z = sprint__arena_take(arena, padded, t->out * sizeof *t->z);
  t->products = sprint__arena_take(arena, padded, t->out * sizeof *t->products);
  t->rows = sprint__arena_take(arena, batch, sizeof *t->rows);
  t->delta = sprint__arena_take(arena, batch, t->out * sizeof *t->delta);
  t->asked = sprint__arena_take(arena, batch, t->out * sizeof *t->asked);
  t->losses = sprint__arena_take(arena, t->n_tiles * t->n_strata, sizeof *t->losses);
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++)
    t->room[lane] = sprint__arena_take(arena, room_for(t, batch), sizeof *t->room[lane]);
  return sprint__arena_status(arena);
}

sprint_status sprint__gram_new(struct sprint__engine *engine, struct sprint__pixels_gram **ret_gram) {
  const struct sprint__pixels_engine *pixels = engine->impl;
  const sprint_population *population = engine->shift->population;
  if ((double)population->n * (double)population->n * sizeof(sprint_real) > engine->most_bytes) return SPRINT_OK;
  struct sprint__pixels_gram *t = sprint__arena_take(&engine->arena, 1, sizeof *t);
  if (!t) return SPRINT_ERROR_MEMORY;
  t->engine = engine;
  t->population = population;
  t->lists = &pixels->lists;
  t->n = population->n;
  t->n_tiles = (population->n + A - 1) / A;
  t->in = pixels->in;
  t->out = pixels->out;
  t->n_strata = population->n_strata;
  SPRINT__TRY(allocate(t, engine->solver->batch));
  for (size_t q = 0; q < t->n; q++) {
    t->place[population->by_stratum[q]] = (uint32_t)q;
    t->labels[q] = population->y[population->by_stratum[q]];
  }
  *ret_gram = t;
  return SPRINT_OK;
}

/* to (n, columns of the panel) := X w + b for individuals at places first .. first + n. */
static void multiply(const struct sprint__pixels_gram *t, const sprint_real *theta, size_t out, size_t first, size_t n,
                     sprint_real *to) {
  struct sprint__dense dense = {t->in, out, theta, false};
  struct sprint__pixel_rows x = {.lists = t->lists, .who = t->population->by_stratum + first};
  sprint__pixel_forward(&dense, &x, n, to);
}

/* K's columns j .. j + PANEL, from row j on, and their mirror image. */
static void gram_panel(struct sprint__pixels_gram *t, size_t j, sprint_real *room) {
  struct sprint__pixel_rows x = {.lists = t->lists, .who = t->population->by_stratum + j};
  size_t columns = t->n - j < PANEL ? t->n - j : PANEL, stride = t->n_tiles * A;
  sprint_real *panel = room, *block = room + PANEL * panel_rows(t);
  sprint__pixel_columns(&x, 0, t->lists->bands, columns, panel);
  for (size_t c = 0; c < PANEL; c++) panel[t->in * PANEL + c] = 1;
  for (size_t i = j; i < t->n; i += BLOCK) {
    size_t rows = t->n - i < BLOCK ? t->n - i : BLOCK;
    multiply(t, panel, PANEL, i, rows, block);
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < columns; c++) {
        t->gram[(i + r) * stride + j + c] = block[r * PANEL + c];
        t->gram[(j + c) * stride + i + r] = block[r * PANEL + c];
      }
  }
}

/* Panels are dealt out like cards: the first ones are the longest. */
static void gram_lane(void *user, int lane, size_t start, size_t end) {
  struct sprint__pixels_gram *t = user;
  (void)start;
  (void)end;
  for (size_t j = (size_t)lane * PANEL; j < t->n; j += SPRINT__MAX_LANES * PANEL) gram_panel(t, j, t->room[lane]);
}

enum { FORWARD_TASKS = 24 };

struct forward_work {
  const struct sprint__pixels_gram *gram;
  const sprint_real *theta;
  sprint_real *to; /* (n_tiles, out, A) */
};

/* Tiles start .. end. */
static void forward_task(void *user, int thread, size_t start, size_t end) {
  const struct forward_work *work = user;
  const struct sprint__pixels_gram *t = work->gram;
  sprint_real *rows = t->room[thread];
  size_t last = end * A < t->n ? end * A : t->n;
  for (size_t i = start * A; i < last; i += BLOCK) {
    size_t n = last - i < BLOCK ? last - i : BLOCK;
    multiply(t, work->theta, t->out, i, n, rows);
    for (size_t r = 0; r < n; r += A)
      sprint__interleaved_from_rows(rows + r * t->out, n - r < A ? n - r : A, t->out, work->to + (i + r) * t->out);
  }
}

static void forward_all(const struct sprint__pixels_gram *t, const sprint_real *theta, sprint_real *to) {
  struct forward_work work = {t, theta, to};
  sprint__tasks_run(t->engine->context, t->n_tiles, FORWARD_TASKS, forward_task, &work);
}

void sprint__gram_forget(struct sprint__pixels_gram *t) {
  t->known = false;
  t->has_products = false;
  t->pending = 0;
}

/* Z is worked out anew each epoch. */
static bool is_known(struct sprint__pixels_gram *t) {
  if (t->epoch != t->engine->n_epochs_begun) sprint__gram_forget(t);
  t->epoch = t->engine->n_epochs_begun;
  return t->known;
}

/* The pending step, for a tile. Its part of K was fetched two tiles ago: the rows of K are far from each other. */
static void move_tile(const struct sprint__pixels_gram *t, size_t tile, sprint_real *room) {
  size_t at = tile * A;
  for (size_t b = 0; b < t->pending; b++) memcpy(room + b * A, t->rows[b] + at, A * sizeof *room);
  struct sprint__interleaved_update move = {.n = t->pending, .d = t->delta, .k = room, .size = t->size};
  if (t->size > 0) move.p = t->products + at * t->out;
  move.next_k = t->rows;
  move.next_at = tile + 2 < t->n_tiles ? at + 2 * A : at;
  if (tile + 1 < t->n_tiles) move.next_tile = t->z + (at + A) * t->out;
  if (tile + 1 < t->n_tiles && move.p) move.next_p = move.p + A * t->out;
  sprint__interleaved_add(&move, t->out, t->z + at * t->out);
}

struct losses_work {
  struct sprint__pixels_gram *gram;
  const sprint_real *theta; /* NULL: only the pending step */
};

/* The sums of a tile's losses by stratum. */
static void sum_losses(const struct losses_work *work, int thread, size_t tile) {
  const struct sprint__pixels_gram *t = work->gram;
  const size_t *starts = t->population->stratum_start;
  sprint_model *model = t->engine->solver->model;
  size_t at = tile * A, end = at + A < t->n ? at + A : t->n, c = 0;
  double *sums = t->losses + tile * t->n_strata;
  sprint_real losses[A];
  memset(sums, 0, t->n_strata * sizeof *sums);
  model->ops->upper_losses(model, &model->lanes[thread], work->theta, t->z + at * t->out, t->labels + at, losses);
  for (size_t q = at; q < end; q++) {
    while (q >= starts[c + 1]) c++;
    sums[c] += (double)losses[q - at];
  }
}

/* Tiles are cut into pieces of a 32nd, in the middle, where the threads meet, and of an eighth towards both ends, where
 * they begin: they end at about the same time, and seldom start at a tile that nobody has fetched. */
enum { PARTS = 32, LARGE = 4, LARGE_TASKS = 3, TASKS = 2 * LARGE_TASKS + PARTS - 2 * LARGE_TASKS * LARGE };

static size_t task_start(const struct sprint__pixels_gram *t, size_t piece) {
  size_t part = LARGE_TASKS * LARGE + piece - LARGE_TASKS;
  if (piece < LARGE_TASKS) part = piece * LARGE;
  if (piece > TASKS - LARGE_TASKS) part = PARTS - (TASKS - piece) * LARGE;
  return t->n_tiles * part / PARTS;
}

/* The piece `start`. */
static void losses_task(void *user, int thread, size_t start, size_t end) {
  const struct losses_work *work = user;
  for (size_t tile = task_start(work->gram, start); tile < task_start(work->gram, end); tile++) {
    if (work->gram->pending) move_tile(work->gram, tile, work->gram->room[thread]);
    if (work->theta) sum_losses(work, thread, tile);
  }
}

static void run_losses(struct sprint__pixels_gram *t, const sprint_real *theta) {
  struct losses_work work = {t, theta};
  sprint__tasks_run(t->engine->context, TASKS, TASKS, losses_task, &work);
  t->pending = 0;
}

void sprint__gram_follow(struct sprint__pixels_gram *t, const struct sprint__pixel_step *step, bool steady) {
  if (!is_known(t)) return;
  if (!steady) {
    sprint__gram_forget(t);
    return;
  }
  if (!t->has_gram) {
    sprint__lanes_run(t->engine->context, SPRINT__MAX_LANES, SPRINT__MAX_LANES, gram_lane, t);
    t->has_gram = true;
  }
  if (t->pending) run_losses(t, NULL);
  if (step->control && !t->has_products) forward_all(t, step->control, t->products);
  t->has_products = step->control != NULL;
  t->size = step->control ? step->size : 0;
  t->pending = step->n;
  for (size_t b = 0; b < step->n; b++) t->rows[b] = t->gram + t->place[step->who[b]] * t->n_tiles * A;
  sprint__interleaved_pack(step->delta, -step->factor, step->n, t->out, t->delta);
}

struct products_work {
  const struct sprint__pixels_gram *gram;
  const uint32_t *who;
};

static void products_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct products_work *work = user;
  const struct sprint__pixels_gram *t = work->gram;
  for (size_t b = start; b < end; b++) {
    size_t place = t->place[work->who[b]], at = place / A * A * t->out + place % A;
    for (size_t o = 0; o < t->out; o++) t->asked[b * t->out + o] = t->z[at + o * A];
  }
}

const sprint_real *sprint__gram_products(struct sprint__pixels_gram *t, const uint32_t *who, size_t n) {
  if (!is_known(t)) return NULL;
  if (t->pending) run_losses(t, NULL);
  struct products_work work = {t, who};
  /* each number comes from a place of its own in memory */
  sprint__lanes_run(t->engine->context, n, sprint__lanes_for(n, 100 * (double)t->out, 0), products_lane, &work);
  return t->asked;
}

void sprint__gram_losses(struct sprint__pixels_gram *t, double *ret_sums) {
  const sprint_real *theta = t->engine->solver->theta;
  if (!is_known(t)) {
    sprint__pixels_settle(t->engine);
    forward_all(t, theta, t->z);
    t->known = true;
  }
  run_losses(t, theta);
  for (size_t c = 0; c < t->n_strata; c++) {
    ret_sums[c] = 0;
    for (size_t tile = 0; tile < t->n_tiles; tile++) ret_sums[c] += t->losses[tile * t->n_strata + c];
  }
}
