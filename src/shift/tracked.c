/* Tracked losses: see tracked.h. Individuals are in the order of their strata throughout: place q is by_stratum[q].
 * They go side by side, in tiles: see model/abreast.h. */
#include "shift/tracked.h"

#include <string.h>

#include "model/abreast.h"
#include "model/sparse.h"

enum { A = SPRINT__ABREAST, PANEL = SPRINT__SPARSE_OUT };
enum { BLOCK = 20 * A }; /* individuals whose products are worked out together */

struct sprint__tracked {
  const sprint_shift *shift;
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

void sprint__tracked_free(struct sprint__tracked *tracked) {
  if (!tracked) return;
  void *const owned[] = {tracked->gram,         tracked->place, tracked->labels, tracked->z,    tracked->products,
                         (void *)tracked->rows, tracked->delta, tracked->losses, tracked->asked};
  for (size_t i = 0; i < SPRINT__COUNT(owned); i++) sprint__free(owned[i]);
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) sprint__free(tracked->room[lane]);
  sprint__free(tracked);
}

/* Reals of a lane: a panel and its products; or a block of rows; or a tile of K. */
static size_t room_for(const struct sprint__tracked *t, size_t batch) {
  size_t panel = PANEL * (t->in + 1 + BLOCK), block = BLOCK * t->out, tile = batch * A;
  size_t most = panel > block ? panel : block;
  return most > tile ? most : tile;
}

static sprint_status allocate(struct sprint__tracked *t, size_t batch) {
  sprint_context *context = t->shift->context;
  size_t padded = t->n_tiles * A;
  t->gram = sprint__alloc(context, t->n, padded * sizeof *t->gram);
  t->place = sprint__alloc(context, t->n, sizeof *t->place);
  t->labels = sprint__alloc(context, padded, sizeof *t->labels);
  t->z = sprint__alloc(context, padded, t->out * sizeof *t->z);
  t->products = sprint__alloc(context, padded, t->out * sizeof *t->products);
  t->rows = sprint__alloc(context, batch, sizeof *t->rows);
  t->delta = sprint__alloc(context, batch, t->out * sizeof *t->delta);
  t->asked = sprint__alloc(context, batch, t->out * sizeof *t->asked);
  t->losses = sprint__alloc(context, t->n_tiles * t->n_strata, sizeof *t->losses);
  bool ok = t->gram && t->place && t->labels && t->z && t->products && t->rows && t->delta && t->asked && t->losses;
  for (int lane = 0; ok && lane < SPRINT__MAX_LANES; lane++)
    ok = (t->room[lane] = sprint__alloc(context, room_for(t, batch), sizeof *t->room[lane])) != NULL;
  return ok ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

sprint_status sprint__tracked_new(const sprint_shift *shift, size_t batch, double most,
                                  struct sprint__tracked **ret_tracked) {
  const sprint_population *population = shift->population;
  const sprint_model *model = shift->model;
  double size = (double)population->n * (double)population->n * sizeof(sprint_real);
  if (!model->list_out || !population->pixels.list || size > most) return SPRINT_OK;
  struct sprint__tracked *t = sprint__alloc(shift->context, 1, sizeof *t);
  if (!t) return SPRINT_ERROR_MEMORY;
  t->shift = shift;
  t->n = population->n;
  t->n_tiles = (population->n + A - 1) / A;
  t->in = model->n_features;
  t->out = model->list_out;
  t->n_strata = population->n_strata;
  if (allocate(t, batch) != SPRINT_OK) {
    sprint__tracked_free(t);
    return SPRINT_ERROR_MEMORY;
  }
  for (size_t q = 0; q < t->n; q++) {
    t->place[population->by_stratum[q]] = (uint32_t)q;
    t->labels[q] = population->y[population->by_stratum[q]];
  }
  *ret_tracked = t;
  return SPRINT_OK;
}

/* to (n, columns of the panel) := X w + b for individuals at places first .. first + n. */
static void multiply(const struct sprint__tracked *t, const sprint_real *theta, size_t out, size_t first, size_t n,
                     sprint_real *to) {
  const sprint_population *population = t->shift->population;
  struct sprint__dense dense = {t->in, out, theta, false};
  struct sprint__sparse x = {.pixels = &population->pixels, .who = population->by_stratum + first};
  sprint__sparse_forward(&dense, &x, n, to);
}

/* K's columns j .. j + PANEL, from row j on, and their mirror image. */
static void gram_panel(struct sprint__tracked *t, size_t j, sprint_real *room) {
  const sprint_population *population = t->shift->population;
  size_t columns = t->n - j < PANEL ? t->n - j : PANEL, stride = t->n_tiles * A;
  sprint_real *panel = room, *block = room + PANEL * (t->in + 1);
  memset(panel, 0, PANEL * t->in * sizeof *panel);
  for (size_t c = 0; c < PANEL; c++) panel[t->in * PANEL + c] = 1;
  for (size_t c = 0; c < columns; c++) {
    size_t n;
    const struct sprint__pixel *list = sprint__pixels_of(&population->pixels, population->by_stratum[j + c], &n);
    for (size_t k = 0; k < n; k++)
      panel[sprint__pixel_feature(list[k]) * PANEL + c] = population->pixels.levels[sprint__pixel_level(list[k])];
  }
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
  struct sprint__tracked *t = user;
  (void)start;
  (void)end;
  for (size_t j = (size_t)lane * PANEL; j < t->n; j += SPRINT__MAX_LANES * PANEL) gram_panel(t, j, t->room[lane]);
}

enum { FORWARD_PIECES = 24 };

struct forward_work {
  const struct sprint__tracked *tracked;
  const sprint_real *theta;
  sprint_real *to; /* (n_tiles, out, A) */
};

/* Tiles start .. end. */
static void forward_piece(void *user, int thread, size_t start, size_t end) {
  const struct forward_work *work = user;
  const struct sprint__tracked *t = work->tracked;
  sprint_real *rows = t->room[thread];
  size_t last = end * A < t->n ? end * A : t->n;
  for (size_t i = start * A; i < last; i += BLOCK) {
    size_t n = last - i < BLOCK ? last - i : BLOCK;
    multiply(t, work->theta, t->out, i, n, rows);
    for (size_t r = 0; r < n; r += A)
      sprint__abreast_from_rows(rows + r * t->out, n - r < A ? n - r : A, t->out, work->to + (i + r) * t->out);
  }
}

static void forward_all(const struct sprint__tracked *t, const sprint_real *theta, sprint_real *to) {
  struct forward_work work = {t, theta, to};
  sprint__pieces_run(t->shift->context, t->n_tiles, FORWARD_PIECES, forward_piece, &work);
}

void sprint__tracked_forget(struct sprint__tracked *tracked) {
  tracked->known = false;
  tracked->has_products = false;
  tracked->pending = 0;
}

/* The pending step, for a tile. Its part of K was fetched two tiles ago: the rows of K are far from each other. */
static void move_tile(const struct sprint__tracked *t, size_t tile, sprint_real *room) {
  size_t at = tile * A;
  for (size_t b = 0; b < t->pending; b++) memcpy(room + b * A, t->rows[b] + at, A * sizeof *room);
  struct sprint__abreast_move move = {.n = t->pending, .d = t->delta, .k = room, .size = t->size};
  if (t->size > 0) move.p = t->products + at * t->out;
  move.next_k = t->rows;
  move.next_at = tile + 2 < t->n_tiles ? at + 2 * A : at;
  if (tile + 1 < t->n_tiles) move.next_tile = t->z + (at + A) * t->out;
  if (tile + 1 < t->n_tiles && move.p) move.next_p = move.p + A * t->out;
  sprint__abreast_add(&move, t->out, t->z + at * t->out);
}

struct losses_work {
  struct sprint__tracked *tracked;
  const sprint_real *theta; /* NULL: only the pending step */
};

/* The sums of a tile's losses by stratum. */
static void sum_losses(const struct losses_work *work, int thread, size_t tile) {
  const struct sprint__tracked *t = work->tracked;
  const size_t *starts = t->shift->population->stratum_start;
  sprint_model *model = t->shift->model;
  size_t at = tile * A, end = at + A < t->n ? at + A : t->n, c = 0;
  double *sums = t->losses + tile * t->n_strata;
  sprint_real losses[A];
  memset(sums, 0, t->n_strata * sizeof *sums);
  model->ops->losses_above(model, &model->lanes[thread], work->theta, t->z + at * t->out, t->labels + at, losses);
  for (size_t q = at; q < end; q++) {
    while (q >= starts[c + 1]) c++;
    sums[c] += (double)losses[q - at];
  }
}

/* Tiles are cut into pieces of a 32nd, in the middle, where the threads meet, and of an eighth towards both ends, where
 * they begin: they end at about the same time, and seldom start at a tile that nobody has fetched. */
enum { PARTS = 32, LARGE = 4, LARGE_PIECES = 3, PIECES = 2 * LARGE_PIECES + PARTS - 2 * LARGE_PIECES * LARGE };

static size_t piece_start(const struct sprint__tracked *t, size_t piece) {
  size_t part = LARGE_PIECES * LARGE + piece - LARGE_PIECES;
  if (piece < LARGE_PIECES) part = piece * LARGE;
  if (piece > PIECES - LARGE_PIECES) part = PARTS - (PIECES - piece) * LARGE;
  return t->n_tiles * part / PARTS;
}

/* The piece `start`. */
static void losses_piece(void *user, int thread, size_t start, size_t end) {
  const struct losses_work *work = user;
  for (size_t tile = piece_start(work->tracked, start); tile < piece_start(work->tracked, end); tile++) {
    if (work->tracked->pending) move_tile(work->tracked, tile, work->tracked->room[thread]);
    if (work->theta) sum_losses(work, thread, tile);
  }
}

static void run_losses(struct sprint__tracked *t, const sprint_real *theta) {
  struct losses_work work = {t, theta};
  sprint__pieces_run(t->shift->context, PIECES, PIECES, losses_piece, &work);
  t->pending = 0;
}

void sprint__tracked_move(struct sprint__tracked *t, const struct sprint__move *move) {
  if (!t->known) return;
  if (!move->steady) {
    sprint__tracked_forget(t);
    return;
  }
  if (!t->has_gram) {
    sprint__lanes_run(t->shift->context, SPRINT__MAX_LANES, SPRINT__MAX_LANES, gram_lane, t);
    t->has_gram = true;
  }
  if (t->pending) run_losses(t, NULL);
  if (move->control && !t->has_products) forward_all(t, move->control, t->products);
  t->has_products = move->control != NULL;
  t->size = move->control ? move->size : 0;
  t->pending = move->n;
  for (size_t b = 0; b < move->n; b++) t->rows[b] = t->gram + t->place[move->who[b]] * t->n_tiles * A;
  sprint__abreast_pack(move->delta, -move->factor, move->n, t->out, t->delta);
}

struct products_work {
  const struct sprint__tracked *tracked;
  const uint32_t *who;
};

static void products_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct products_work *work = user;
  const struct sprint__tracked *t = work->tracked;
  for (size_t b = start; b < end; b++) {
    size_t place = t->place[work->who[b]], at = place / A * A * t->out + place % A;
    for (size_t o = 0; o < t->out; o++) t->asked[b * t->out + o] = t->z[at + o * A];
  }
}

const sprint_real *sprint__tracked_products(struct sprint__tracked *t, const uint32_t *who, size_t n) {
  if (!t->known) return NULL;
  if (t->pending) run_losses(t, NULL);
  struct products_work work = {t, who};
  /* each number comes from a place of its own in memory */
  sprint__lanes_run(t->shift->context, n, sprint__lanes_for(n, 100 * (double)t->out, 0), products_lane, &work);
  return t->asked;
}

void sprint__tracked_losses(struct sprint__tracked *t, const sprint_real *theta, double *ret_losses) {
  const sprint_population *population = t->shift->population;
  if (!t->known) forward_all(t, theta, t->z);
  t->known = true;
  run_losses(t, theta);
  for (size_t c = 0; c < t->n_strata; c++) {
    ret_losses[c] = 0;
    for (size_t tile = 0; tile < t->n_tiles; tile++) ret_losses[c] += t->losses[tile * t->n_strata + c];
    ret_losses[c] /= (double)(population->stratum_start[c + 1] - population->stratum_start[c]);
  }
}
