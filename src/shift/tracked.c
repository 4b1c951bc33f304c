/* Tracked losses: see tracked.h. Individuals are in the order of their strata throughout: place q is by_stratum[q]. */
#include "shift/tracked.h"

#include <string.h>

#include "model/gemm.h"
#include "model/sparse.h"

enum { BLOCK = 512, PANEL = SPRINT__SPARSE_OUT };

struct sprint__tracked {
  const sprint_shift *shift;
  size_t n, in, out, n_strata;
  sprint_real *gram; /* (n, n) K */
  bool has_gram;
  uint32_t *place;       /* (n) of each individual */
  sprint_real *z;        /* (n, out) */
  sprint_real *products; /* (n, out) P; z lacks moved * P */
  double moved;
  bool known;                           /* z is that of theta, but for the pending step */
  struct sprint__move pending;          /* n 0: none */
  uint32_t *who;                        /* (batch) places of its individuals */
  sprint_real *delta;                   /* (batch, out) of it, times -factor */
  sprint_real *room[SPRINT__MAX_LANES]; /* (PANEL * (in + 1) + BLOCK * max(PANEL, batch)) */
  double *losses;                       /* (MAX_LANES, n_strata) sums */
};

void sprint__tracked_free(struct sprint__tracked *tracked) {
  if (!tracked) return;
  void *const owned[] = {tracked->gram, tracked->place, tracked->z,     tracked->products,
                         tracked->who,  tracked->delta, tracked->losses};
  for (size_t i = 0; i < SPRINT__COUNT(owned); i++) sprint__free(owned[i]);
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) sprint__free(tracked->room[lane]);
  sprint__free(tracked);
}

static sprint_status allocate(struct sprint__tracked *t, size_t batch) {
  sprint_context *context = t->shift->context;
  t->gram = sprint__alloc(context, t->n, t->n * sizeof *t->gram);
  t->place = sprint__alloc(context, t->n, sizeof *t->place);
  t->z = sprint__alloc(context, t->n, t->out * sizeof *t->z);
  t->products = sprint__alloc(context, t->n, t->out * sizeof *t->products);
  t->who = sprint__alloc(context, batch, sizeof *t->who);
  t->delta = sprint__alloc(context, batch, t->out * sizeof *t->delta);
  t->losses = sprint__alloc(context, SPRINT__MAX_LANES * t->n_strata, sizeof *t->losses);
  bool ok = t->gram && t->place && t->z && t->products && t->who && t->delta && t->losses;
  size_t room = PANEL * (t->in + 1) + BLOCK * (batch > PANEL ? batch : PANEL);
  for (int lane = 0; ok && lane < SPRINT__MAX_LANES; lane++)
    ok = (t->room[lane] = sprint__alloc(context, room, sizeof *t->room[lane])) != NULL;
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
  t->in = model->n_features;
  t->out = model->list_out;
  t->n_strata = population->n_strata;
  if (allocate(t, batch) != SPRINT_OK) {
    sprint__tracked_free(t);
    return SPRINT_ERROR_MEMORY;
  }
  for (size_t q = 0; q < t->n; q++) t->place[population->by_stratum[q]] = (uint32_t)q;
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
  size_t columns = t->n - j < PANEL ? t->n - j : PANEL;
  sprint_real *panel = room, *block = room + PANEL * (t->in + 1);
  memset(panel, 0, PANEL * t->in * sizeof *panel);
  for (size_t c = 0; c < PANEL; c++) panel[t->in * PANEL + c] = 1;
  for (size_t c = 0; c < columns; c++) {
    size_t n;
    const struct sprint__pixel *list = sprint__pixels_of(&population->pixels, population->by_stratum[j + c], &n);
    for (size_t k = 0; k < n; k++) panel[list[k].feature * PANEL + c] = population->pixels.levels[list[k].level];
  }
  for (size_t i = j; i < t->n; i += BLOCK) {
    size_t rows = t->n - i < BLOCK ? t->n - i : BLOCK;
    multiply(t, panel, PANEL, i, rows, block);
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < columns; c++) {
        t->gram[(i + r) * t->n + j + c] = block[r * PANEL + c];
        t->gram[(j + c) * t->n + i + r] = block[r * PANEL + c];
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

struct forward_work {
  const struct sprint__tracked *tracked;
  const sprint_real *theta;
  sprint_real *to; /* (n, out) */
};

static void forward_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct forward_work *work = user;
  const struct sprint__tracked *t = work->tracked;
  for (size_t i = start; i < end; i += BLOCK)
    multiply(t, work->theta, t->out, i, end - i < BLOCK ? end - i : BLOCK, work->to + i * t->out);
}

static void forward_all(const struct sprint__tracked *t, const sprint_real *theta, sprint_real *to) {
  struct forward_work work = {t, theta, to};
  sprint__lanes_run(t->shift->context, t->n, SPRINT__MAX_LANES, forward_lane, &work);
}

void sprint__tracked_forget(struct sprint__tracked *tracked) {
  tracked->known = false;
  tracked->moved = 0;
  tracked->pending.n = 0;
}

/* The pending step, for places i .. i + rows. */
static void move_block(struct sprint__tracked *t, size_t i, size_t rows, sprint_real *room) {
  const struct sprint__move *move = &t->pending;
  for (size_t b = 0; b < move->n; b++) memcpy(room + b * rows, t->gram + t->who[b] * t->n + i, rows * sizeof *room);
  sprint__gemm_transposed(room, t->delta, move->n, rows, t->out, true, t->z + i * t->out);
}

struct losses_work {
  struct sprint__tracked *tracked;
  const sprint_real *theta; /* NULL: only the pending step */
};

/* Places of one stratum. */
static void losses_part(const struct losses_work *work, int lane, size_t c, size_t start, size_t end) {
  struct sprint__tracked *t = work->tracked;
  sprint_model *model = t->shift->model;
  sprint_real y[BLOCK];
  for (size_t i = 0; i < BLOCK; i++) y[i] = (sprint_real)c;
  for (size_t i = start; i < end; i += BLOCK) {
    size_t rows = end - i < BLOCK ? end - i : BLOCK;
    if (t->pending.n) move_block(t, i, rows, t->room[lane]);
    if (work->theta)
      t->losses[(size_t)lane * t->n_strata + c] +=
          model->ops->loss_above(model, &model->lanes[lane], work->theta, t->z + i * t->out,
                                 t->moved > 0 ? t->products + i * t->out : NULL, (sprint_real)t->moved, y, rows);
  }
}

static void losses_lane(void *user, int lane, size_t start, size_t end) {
  const struct losses_work *work = user;
  const sprint_population *population = work->tracked->shift->population;
  for (size_t c = 0; c < population->n_strata; c++) {
    size_t from = population->stratum_start[c], to = population->stratum_start[c + 1];
    losses_part(work, lane, c, from > start ? from : start, to < end ? to : end);
  }
}

static void run_losses(struct sprint__tracked *t, const sprint_real *theta) {
  struct losses_work work = {t, theta};
  sprint__lanes_run(t->shift->context, t->n, SPRINT__MAX_LANES, losses_lane, &work);
  t->pending.n = 0;
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
  if (t->pending.n) run_losses(t, NULL);

  if (move->control && t->moved == 0) {
    forward_all(t, move->control, t->products);
  }
  t->pending = *move;
  if (move->control) t->moved += (double)move->size;
  for (size_t b = 0; b < move->n; b++) t->who[b] = t->place[move->who[b]];
  for (size_t i = 0; i < move->n * t->out; i++) t->delta[i] = -move->factor * move->delta[i];
}

void sprint__tracked_losses(struct sprint__tracked *t, const sprint_real *theta, double *ret_losses) {
  const sprint_population *population = t->shift->population;
  if (!t->known) forward_all(t, theta, t->z);
  t->known = true;
  memset(t->losses, 0, SPRINT__MAX_LANES * t->n_strata * sizeof *t->losses);
  run_losses(t, theta);
  for (size_t c = 0; c < t->n_strata; c++) {
    ret_losses[c] = 0;
    for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) ret_losses[c] += t->losses[(size_t)lane * t->n_strata + c];
    ret_losses[c] /= (double)(population->stratum_start[c + 1] - population->stratum_start[c]);
  }
}
