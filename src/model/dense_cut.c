/* Few rows of a large dense layer: one lane has them all, and its weights are cut into parts of its inputs, one for
 * each thread. A part's rows of W stay in the cache of the core that has them, from a pass to the next. The cut depends
 * on the work alone. See dense.h. */
#include "base/group.h"
#include "base/lanes.h"
#include "base/vector.h"
#include "model/dense.h"

/* Inputs that a part has a multiple of, and how many of these at least. */
enum { STEP = 8, LEAST_STEPS = 4 };

/* Multiplications that it takes to bring a weight in, as a lane reckons. */
#define WEIGHT_COST 4

/* How many parts n rows are worth, whose weights are gone through `times`. */
static int parts_of(const struct sprint__dense *dense, size_t n, int times) {
  size_t steps = dense->in / STEP;
  if (n >= SPRINT__CUT_ROWS || dense->out < SPRINT__GROUP || dense->in * dense->out < SPRINT__LONG) return 1;
  int parts = sprint__lanes_for(steps, 2.0 * STEP * (double)(dense->out * (n + WEIGHT_COST)) * times, 0);
  while (parts > SPRINT__CUT_PARTS || (parts > 1 && steps < (size_t)parts * LEAST_STEPS)) parts /= 2;
  return parts;
}

/* Inputs `from` .. `end` of the layer: steps start .. stop of all. */
static struct sprint__dense part_of(const struct sprint__dense *dense, size_t start, size_t stop, size_t *ret_from) {
  size_t from = start * STEP, end = stop == dense->in / STEP ? dense->in : stop * STEP;
  *ret_from = from;
  return (struct sprint__dense){.in = end - from,
                                .out = dense->out,
                                .theta = dense->theta + from * dense->out,
                                .bare = true,
                                .apart = dense->in};
}

struct forward {
  const struct sprint__dense *dense;
  const sprint_real *x;
  size_t n;
  sprint_real *sums; /* (parts, n, out) */
};

static void forward_part(void *user, int lane, size_t start, size_t stop) {
  const struct forward *work = user;
  size_t from;
  struct sprint__dense part = part_of(work->dense, start, stop, &from);
  sprint__dense_forward(&part, work->x + from, work->n, work->sums + (size_t)lane * work->n * part.out);
}

/* y (n, out) = f(b + the sums of all parts, in their order); the last group of a row overlaps the one before. */
SPRINT__FAST static void add_parts(const struct forward *work, int n_parts, sprint_real *y) {
  size_t out = work->dense->out, all = work->n * out;
  const sprint_real *bias = work->dense->theta + work->dense->in * out;
  for (size_t i = 0; i < work->n; i++)
    for (size_t next = 0; next < out; next += G) {
      size_t c = next + G <= out ? next : out - G;
      group sum = load(bias + c);
      for (int p = 0; p < n_parts; p++) sum += load(work->sums + (size_t)p * all + i * out + c);
      store(y + i * out + c, work->dense->relu ? positive(sum) : sum);
    }
}

void sprint__cut_forward(sprint_context *context, const struct sprint__dense *dense, const sprint_real *x, size_t n,
                         sprint_real *ret_y, sprint_real *room) {
  int n_parts = parts_of(dense, n, 1);
  if (n_parts == 1) {
    sprint__dense_forward(dense, x, n, ret_y);
    return;
  }
  struct forward work = {dense, x, n, room};
  sprint__lanes_run(context, dense->in / STEP, n_parts, forward_part, &work);
  add_parts(&work, n_parts, ret_y);
}

struct backward {
  const struct sprint__dense *dense;
  const sprint_real *x, *dy;
  size_t n;
  bool after_relu, adds;
  sprint_real *dx, *gradient;
};

static void backward_part(void *user, int lane, size_t start, size_t stop) {
  (void)lane;
  const struct backward *work = user;
  size_t from;
  struct sprint__dense part = part_of(work->dense, start, stop, &from);
  const sprint_real *x = work->x + from;
  if (work->gradient) sprint__dense_weight(&part, x, work->dy, work->n, work->adds, work->gradient + from * part.out);
  if (work->gradient && from == 0)
    sprint__dense_bias(work->dy, work->n, part.out, work->adds, work->gradient + work->dense->in * part.out);
  if (work->dx) sprint__dense_input(&part, work->dy, work->n, work->after_relu ? x : NULL, work->dx + from);
}

void sprint__cut_backward(sprint_context *context, const struct sprint__dense *dense, const sprint_real *x,
                          const sprint_real *dy, size_t n, bool after_relu, sprint_real *dx, sprint_real *gradient,
                          bool adds) {
  int n_parts = parts_of(dense, n, (dx ? 1 : 0) + (gradient ? 1 : 0));
  struct backward work = {dense, x, dy, n, after_relu, adds, dx, gradient};
  if (n_parts > 1) {
    sprint__lanes_run(context, dense->in / STEP, n_parts, backward_part, &work);
    return;
  }
  if (gradient) sprint__dense_weight(dense, x, dy, n, adds, gradient);
  if (dx) sprint__dense_input(dense, dy, n, after_relu ? x : NULL, dx);
}
