/* Few rows of a large dense layer: one lane has them all, and its weights are cut into parts of its inputs, one for
 * each thread. A part's rows of W stay in the cache of the core that has them, from a pass to the next. The cut depends
 * on the work alone. See dense.h. */
#include "base/group.h"
#include "base/lanes.h"
#include "base/vector.h"
#include "model/dense.h"

int sprint__cut_parts(size_t in, size_t out) {
  enum { LEAST = 1 << 14, MANY = 4 * LEAST }; /* weights */
  size_t steps = sprint__cut_steps(in);
  if (out < SPRINT__GROUP || in * out < LEAST || steps == 0) return 1;
  return in * out < MANY || steps < SPRINT__CUT_PARTS * SPRINT__CUT_LEAST ? 2 : SPRINT__CUT_PARTS;
}

/* One part of so many of the layer's inputs, from *ret_from on. */
static struct sprint__dense part_of(const struct sprint__dense *dense, int n_parts, size_t part, size_t *ret_from) {
  size_t steps = sprint__cut_steps(dense->in), parts = (size_t)n_parts;
  size_t from = sprint__part_start(steps, parts, part) * SPRINT__CUT_STEP;
  size_t end = part + 1 == parts ? dense->in : sprint__part_start(steps, parts, part + 1) * SPRINT__CUT_STEP;
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
  int n_parts;
  sprint_real *sums; /* (parts, n, out) */
};

static void forward_part(void *user, int lane, size_t start, size_t stop) {
  (void)stop;
  const struct forward *work = user;
  size_t from;
  struct sprint__dense part = part_of(work->dense, work->n_parts, start, &from);
  sprint__dense_forward(&part, work->x + from, work->n, work->sums + (size_t)lane * work->n * part.out);
}

/* y (n, out) = f(b + the sums of all parts, in their order); the last group of a row overlaps the one before. */
SPRINT__FAST static void add_parts(const struct forward *work, sprint_real *y) {
  size_t out = work->dense->out, all = work->n * out;
  const sprint_real *bias = work->dense->theta + work->dense->in * out;
  for (size_t i = 0; i < work->n; i++)
    for (size_t next = 0; next < out; next += G) {
      size_t c = next + G <= out ? next : out - G;
      group sum = load(bias + c);
      for (int p = 0; p < work->n_parts; p++) sum += load(work->sums + (size_t)p * all + i * out + c);
      store(y + i * out + c, work->dense->relu ? positive(sum) : sum);
    }
}

void sprint__cut_forward(sprint_context *context, const struct sprint__dense *dense, int n_parts, const sprint_real *x,
                         size_t n, sprint_real *ret_y, sprint_real *room) {
  struct forward work = {dense, x, n, n_parts, room};
  sprint__lanes_run(context, (size_t)n_parts, n_parts, forward_part, &work);
  add_parts(&work, ret_y);
}

struct backward {
  const struct sprint__dense *dense;
  const sprint_real *x, *dy;
  size_t n;
  int n_parts;
  bool after_relu, adds;
  sprint_real *dx, *gradient;
};

static void backward_part(void *user, int lane, size_t start, size_t stop) {
  (void)lane, (void)stop;
  const struct backward *work = user;
  size_t from;
  struct sprint__dense part = part_of(work->dense, work->n_parts, start, &from);
  const sprint_real *x = work->x + from;
  if (work->gradient) sprint__dense_weight(&part, x, work->dy, work->n, work->adds, work->gradient + from * part.out);
  if (work->gradient && from + part.in == work->dense->in)
    sprint__dense_bias(work->dy, work->n, part.out, work->adds, work->gradient + work->dense->in * part.out);
  if (work->dx) sprint__dense_input(&part, work->dy, work->n, work->after_relu ? x : NULL, work->dx + from);
}

void sprint__cut_backward(sprint_context *context, const struct sprint__dense *dense, int n_parts, const sprint_real *x,
                          const sprint_real *dy, size_t n, bool after_relu, sprint_real *dx, sprint_real *gradient,
                          bool adds) {
  struct backward work = {dense, x, dy, n, n_parts, after_relu, adds, dx, gradient};
  sprint__lanes_run(context, (size_t)n_parts, n_parts, backward_part, &work);
}
