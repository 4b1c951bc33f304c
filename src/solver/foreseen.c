/* Windows of batches known ahead: see foreseen.h. */
#include "solver/foreseen.h"

#include "base/group.h"

enum { ROWS = SPRINT__WINDOW_ROWS, WIDE = SPRINT__SPARSE_OUT / SPRINT__GROUP };
enum { LANES = 4 }; /* that a window's work on W is cut into */

static void window_clear(struct sprint__window *w) {
  void *const owned[] = {w->who, w->gram, w->owed, w->sorted, w->from, w->products, w->delta};
  for (size_t i = 0; i < SPRINT__COUNT(owned); i++) sprint__free(owned[i]);
}

static bool window_allocate(sprint_context *context, size_t longest, size_t in, size_t out, struct sprint__window *w) {
  w->who = sprint__alloc(context, ROWS, sizeof *w->who);
  w->gram = sprint__alloc(context, ROWS, SPRINT__SPARSE_OUT * sizeof *w->gram);
  w->owed = sprint__alloc(context, ROWS, out * sizeof *w->owed);
  w->sorted = sprint__alloc(context, ROWS * longest, sizeof *w->sorted);
  w->from = sprint__alloc(context, SPRINT__SPARSE_FROM(in), sizeof *w->from);
  w->products = sprint__alloc(context, ROWS, out * sizeof *w->products);
  w->delta = sprint__alloc(context, ROWS, out * sizeof *w->delta);
  return w->who && w->gram && w->owed && w->sorted && w->from && w->products && w->delta;
}

void sprint__foreseen_free(struct sprint__foreseen *foreseen) {
  if (!foreseen) return;
  for (int k = 0; k < 2; k++) window_clear(&foreseen->windows[k]);
  sprint__free(foreseen->room);
  sprint__free(foreseen);
}

sprint_status sprint__foreseen_new(sprint_context *context, const struct sprint__pixels *pixels, size_t longest,
                                   size_t in, size_t out, struct sprint__foreseen **ret_foreseen) {
  struct sprint__foreseen *f = sprint__alloc(context, 1, sizeof *f);
  if (!f) return SPRINT_ERROR_MEMORY;
  *f = (struct sprint__foreseen){.context = context, .pixels = pixels, .in = in, .out = out};
  f->now = &f->windows[0];
  f->next = &f->windows[1];
  f->room = sprint__alloc(context, SPRINT__SPARSE_ROOM, sizeof *f->room);
  bool ok = f->room != NULL;
  for (int k = 0; k < 2; k++) ok = window_allocate(context, longest, in, out, &f->windows[k]) && ok;
  if (!ok) {
    sprint__foreseen_free(f);
    return SPRINT_ERROR_MEMORY;
  }
  *ret_foreseen = f;
  return SPRINT_OK;
}

static struct sprint__sparse records_of(const struct sprint__foreseen *f, const struct sprint__window *w) {
  return (struct sprint__sparse){.pixels = f->pixels, .who = w->who, .sorted = w->sorted, .from = w->from};
}

void sprint__foreseen_prepare(struct sprint__foreseen *f, size_t n) {
  struct sprint__window *w = f->next;
  struct sprint__sparse x = records_of(f, w);
  w->n = n;
  w->done = 0;
  for (size_t i = 0; i < n * SPRINT__SPARSE_OUT; i++) w->gram[i] = 1;
  sprint__sparse_gram(&x, n, f->room, w->gram);
  sprint__sparse_sort(&x, 0, f->pixels->tiles, n);
  struct sprint__dense dense = {f->in, f->out, f->control, false};
  if (f->control) sprint__sparse_forward(&dense, &x, n, w->owed);
}

struct theta_work {
  const struct sprint__foreseen *foreseen;
  const struct sprint__window *window;
  sprint_real *theta;
};

/* The window's steps, in tiles start .. end. */
static void move_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct theta_work *work = user;
  const struct sprint__foreseen *f = work->foreseen;
  const struct sprint__window *w = work->window;
  struct sprint__move move = {.n = w->n, .who = w->who, .delta = w->delta, .factor = 1};
  struct sprint__sparse x = records_of(f, w);
  x.from += start * SPRINT__PIXEL_TILE;
  sprint__sparse_move(&x, start, end, f->in, f->out, &move, work->theta);
}

/* Rows not yet stepped on are among the sorted ones: their deltas are zero. */
static void move_all(const struct sprint__foreseen *f, sprint_real *theta) {
  const struct sprint__window *w = f->now;
  memset(w->delta + w->done * f->out, 0, (w->n - w->done) * f->out * sizeof *w->delta);
  struct theta_work work = {f, w, theta};
  int n_lanes = f->pixels->tiles < LANES ? (int)f->pixels->tiles : LANES;
  if (w->done) sprint__lanes_run(f->context, f->pixels->tiles, n_lanes, move_lane, &work);
}

static void forward_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct theta_work *work = user;
  const struct sprint__foreseen *f = work->foreseen;
  const struct sprint__window *w = work->window;
  struct sprint__dense dense = {f->in, f->out, work->theta, false};
  struct sprint__sparse x = {.pixels = f->pixels, .who = w->who + start};
  sprint__sparse_forward(&dense, &x, end - start, w->products + start * f->out);
}

void sprint__foreseen_turn(struct sprint__foreseen *f, sprint_real *theta) {
  struct sprint__window *done = f->now;
  move_all(f, theta);
  f->now = f->next;
  f->next = done;
  done->n = done->done = 0;
  struct theta_work work = {f, f->now, theta};
  sprint__lanes_run(f->context, f->now->n, LANES, forward_lane, &work);
}

bool sprint__foreseen_are(const struct sprint__foreseen *f, const uint32_t *who, size_t n) {
  const struct sprint__window *w = f->now;
  return w->n - w->done >= n && memcmp(w->who + w->done, who, n * sizeof *who) == 0;
}

/* y -= sum over j < n of k_j d_j in the columns of a panel. */
SPRINT__INLINE void take_off(const sprint_real *k, const sprint_real *d, size_t n, size_t stride, sprint_real *y) {
  group sums[WIDE];
  for (size_t g = 0; g < WIDE; g++) sums[g] = load(y + g * G);
  for (size_t j = 0; j < n; j++, d += stride) {
    group factor = SPRINT__ALL(k[j]);
    for (size_t g = 0; g < WIDE; g++) sums[g] -= factor * load(d + g * G);
  }
  for (size_t g = 0; g < WIDE; g++) store(y + g * G, sums[g]);
}

SPRINT__FAST const sprint_real *sprint__foreseen_products(struct sprint__foreseen *f, size_t n) {
  const struct sprint__window *w = f->now;
  size_t out = f->out;
  sprint_real moved = (sprint_real)f->moved;
  for (size_t i = w->done; i < w->done + n; i++) {
    sprint_real *y = w->products + i * out;
    for (size_t c = 0; c < out; c += SPRINT__SPARSE_OUT)
      take_off(w->gram + i * SPRINT__SPARSE_OUT, w->delta + c, w->done, out, y + c);
    for (size_t o = 0; f->control && o < out; o += G) store(y + o, load(y + o) - moved * load(w->owed + i * out + o));
  }
  return w->products + w->done * out;
}

bool sprint__foreseen_step(struct sprint__foreseen *f, size_t n, sprint_real factor, sprint_real size) {
  struct sprint__window *w = f->now;
  bool finite = sprint__sparse_scale(w->delta + w->done * f->out, n * f->out, factor);
  w->done += n;
  f->moved += (double)size;
  return finite;
}

SPRINT__FAST static void move_along(sprint_real *theta, const sprint_real *control, sprint_real size, size_t n) {
  for (size_t i = 0; i < n; i += G) store(theta + i, load(theta + i) - size * load(control + i));
}

void sprint__foreseen_settle(const struct sprint__foreseen *f, sprint_real *theta) {
  move_all(f, theta);
  if (f->control) move_along(theta, f->control, (sprint_real)f->moved, (f->in + 1) * f->out);
}

void sprint__foreseen_clear(struct sprint__foreseen *f) {
  f->now->n = f->now->done = 0;
  f->control = NULL;
  f->moved = 0;
}
