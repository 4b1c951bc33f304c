/* The lane driver: sums, means, penalties and pairs of gradients over the rows of a batch. */
#include "model/model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/group.h"
#include "base/sized.h"

sprint_status sprint__model_finish(sprint_model *model) {
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) {
    struct sprint__lane *l = &model->lanes[lane];
    l->scratch = sprint__arena_take(&model->arena, model->scratch_size, sizeof(sprint_real));
    l->gradient = sprint__arena_take(&model->arena, model->n_params, sizeof(sprint_real));
  }
  if (!model->ops->difference) model->other = sprint__arena_take(&model->arena, model->n_params, sizeof(sprint_real));
  if (!model->tensors) {
    model->tensors = sprint__arena_take(&model->arena, 1, sizeof *model->tensors);
    model->n_tensors = 1;
    if (model->tensors) *model->tensors = (struct sprint__tensor_view){"theta", 0, 1, {model->n_params}, false};
  }
  return sprint__arena_status(&model->arena);
}

void sprint_model_free(sprint_model *model) {
  if (!model) return;
  sprint__arena_free(&model->arena);
  sprint__free(model);
}

size_t sprint_model_n_params(const sprint_model *model) { return model ? model->n_params : 0; }
size_t sprint_model_n_features(const sprint_model *model) { return model ? model->n_features : 0; }
double sprint_model_cost_per_row(const sprint_model *model) { return model ? model->cost_per_row : NAN; }
size_t sprint_model_n_outputs(const sprint_model *model) { return model ? model->n_outputs : 0; }

size_t sprint_model_place(const sprint_model *model, size_t i) {
  if (!model || i >= model->n_params) return SIZE_MAX;
  size_t t = model->n_tensors;
  while (t-- > 1 && model->tensors[t].offset > i) continue;
  return sprint__tensor_at(&model->tensors[t], i - model->tensors[t].offset);
}

sprint_status sprint_model_start(sprint_model *model, uint64_t seed, sprint_real *ret_theta) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, ret_theta);
  model->ops->start(model, seed, ret_theta);
  return SPRINT_OK;
}

/* What it costs to have a lane with gradients, in floating-point operations: clearing and adding up n_params numbers,
 * which come from memory where they are many. */
static double lane_cost(size_t n_params) {
  enum { MANY = 1 << 14 };
  return (n_params < MANY ? 150.0 : 300.0) * (double)n_params;
}

/* Rows that a lane with gradients has at least: fewer move the weights more often than they multiply by them. */
#define LANE_ROWS 16

struct lanes_work {
  sprint_model *model;
  const struct sprint__sum_work *sum;
  bool gradient;
};

static void run_lane(void *user, int lane, size_t start, size_t end) {
  const struct lanes_work *work = user;
  struct sprint__lane *l = &work->model->lanes[lane];
  struct sprint__sums sums = {0, 0, work->gradient ? l->gradient : NULL};
  work->sum->body(work->sum->user, l, start, end, &sums);
  l->loss = sums.loss;
  l->correct = sums.correct;
}

/* How many lanes the rows are cut into where `params` parameters have a gradient. */
static int lanes_of(const struct sprint__sum_work *work, size_t params) {
  int n_lanes = sprint__lanes_for(work->n_rows, work->cost_per_row, lane_cost(params));
  while (params && n_lanes > 1 && work->n_rows < (size_t)n_lanes * LANE_ROWS) n_lanes /= 2;
  return n_lanes;
}

static void run_lanes(sprint_model *model, const struct sprint__sum_work *work, bool gradient, int n_lanes,
                      struct sprint__sums *ret_sums) {
  struct lanes_work lanes = {model, work, gradient};
  sprint__lanes_run(model->context, work->n_rows, n_lanes, run_lane, &lanes);
  ret_sums->loss = 0;
  ret_sums->correct = 0;
  for (int lane = 0; lane < n_lanes; lane++) {
    ret_sums->loss += model->lanes[lane].loss;
    ret_sums->correct += model->lanes[lane].correct;
  }
}

/* How the lanes' gradients are put together: written to `gradient`, or put to `total`. */
struct combine_work {
  const sprint_model *model;
  int n_lanes;
  size_t first;
  sprint_real *gradient;
  const struct sprint__total *total;
};

enum { CHUNK = 256 }; /* parameters */

/* In the order of the lanes, in double, whichever thread does it. */
SPRINT__FAST static void combine_chunk(const struct combine_work *work, size_t start, size_t n) {
  double sums[CHUNK];
  const sprint_real *first = work->model->lanes[0].gradient + start;
  for (size_t i = 0; i < n; i++) sums[i] = (double)first[i];
  for (int lane = 1; lane < work->n_lanes; lane++) {
    const sprint_real *part = work->model->lanes[lane].gradient + start;
    for (size_t i = 0; i < n; i++) sums[i] += (double)part[i];
  }
  const struct sprint__total *total = work->total;
  if (work->gradient)
    for (size_t i = 0; i < n; i++) work->gradient[start + i] = (sprint_real)sums[i];
  else
    for (size_t i = 0; i < n; i++)
      total->gradient[start + i] = (total->adds ? total->gradient[start + i] : 0) + total->weight * sums[i];
}

static void combine_chunks(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct combine_work *work = user;
  size_t n = work->model->n_params;
  for (size_t c = start; c < end; c++) {
    size_t at = work->first + c * CHUNK;
    combine_chunk(work, at, n - at < CHUNK ? n - at : CHUNK);
  }
}

static void combine(struct combine_work *work) {
  size_t chunks = (work->model->n_params - work->first + CHUNK - 1) / CHUNK;
  /* a double read, added and written costs about what ten multiplications of a product do */
  int n_lanes = sprint__lanes_for(chunks, 10.0 * CHUNK * work->n_lanes, 0);
  sprint__lanes_run(work->model->context, chunks, n_lanes, combine_chunks, work);
}

void sprint__model_sum(sprint_model *model, const struct sprint__sum_work *work, struct sprint__sums *ret_sums) {
  sprint_real *gradient = ret_sums->gradient, *own = model->lanes[0].gradient;
  int n_lanes = lanes_of(work, gradient ? model->n_params - work->first : 0);
  if (n_lanes == 1 && gradient) model->lanes[0].gradient = gradient; /* one lane alone writes it where it is wanted */
  run_lanes(model, work, gradient != NULL, n_lanes, ret_sums);
  model->lanes[0].gradient = own;
  struct combine_work parts = {model, n_lanes, work->first, gradient, NULL};
  if (n_lanes > 1 && gradient) combine(&parts);
}

void sprint__model_sum_to(sprint_model *model, const struct sprint__sum_work *work, const struct sprint__total *total,
                          struct sprint__sums *ret_sums) {
  int n_lanes = lanes_of(work, model->n_params - work->first);
  run_lanes(model, work, total->gradient != NULL, n_lanes, ret_sums);
  ret_sums->gradient = NULL;
  struct combine_work parts = {model, n_lanes, work->first, NULL, total};
  if (total->gradient) combine(&parts);
}

/* Sums at theta on rows and, unless theta_b is NULL, minus those at theta_b on x_b. */
struct rows_sum {
  const sprint_model *model;
  const struct sprint__rows *rows;
  const sprint_real *theta, *theta_b, *x_b;
  sprint_real *gradient_x;
};

static void rows_body(void *user, struct sprint__lane *lane, size_t start, size_t end, struct sprint__sums *sums) {
  const struct rows_sum *work = user;
  const sprint_model *model = work->model;
  size_t d = model->n_features;
  struct sprint__rows rows = sprint__rows_part(work->rows, d, start, end);
  if (work->theta_b)
    model->ops->difference(model, lane, work->theta, work->theta_b, &rows, work->x_b ? work->x_b + start * d : NULL,
                           sums);
  else
    model->ops->sums(model, lane, work->theta, &rows, sums, work->gradient_x ? work->gradient_x + start * d : NULL);
}

static struct sprint__sum_work sum_of(struct rows_sum *work) {
  double cost = work->model->cost_per_row * (work->theta_b ? 2 : 1);
  return (struct sprint__sum_work){.n_rows = work->rows->n, .cost_per_row = cost, .body = rows_body, .user = work};
}

void sprint__model_sums(sprint_model *model, const sprint_real *theta, const struct sprint__rows *rows,
                        struct sprint__sums *ret_sums, sprint_real *gradient_x) {
  struct rows_sum work = {model, rows, theta, NULL, NULL, gradient_x};
  struct sprint__sum_work sum = sum_of(&work);
  sprint__model_sum(model, &sum, ret_sums);
}

void sprint__model_sums_to(sprint_model *model, const sprint_real *theta, const struct sprint__rows *rows,
                           const struct sprint__total *total, struct sprint__sums *ret_sums) {
  struct rows_sum work = {model, rows, theta, NULL, NULL, NULL};
  struct sprint__sum_work sum = sum_of(&work);
  sprint__model_sum_to(model, &sum, total, ret_sums);
}

static void difference_of_sums(sprint_model *model, const sprint_real *theta, const sprint_real *theta_b,
                               const struct sprint__rows *rows, const sprint_real *x_b, struct sprint__sums *ret_sums) {
  struct sprint__rows rows_b = *rows;
  struct sprint__sums sums_b = {0, 0, model->other};
  if (x_b) rows_b.x = x_b;
  sprint__model_sums(model, theta, rows, ret_sums, NULL);
  sprint__model_sums(model, theta_b, &rows_b, &sums_b, NULL);
  for (size_t i = 0; i < model->n_params; i++) ret_sums->gradient[i] -= model->other[i];
}

void sprint__model_difference(sprint_model *model, const sprint_real *theta, const sprint_real *theta_b,
                              const struct sprint__rows *rows, const sprint_real *x_b, struct sprint__sums *ret_sums) {
  struct rows_sum work = {model, rows, theta, theta_b, x_b, NULL};
  struct sprint__sum_work sum = sum_of(&work);
  if (model->ops->difference)
    sprint__model_sum(model, &sum, ret_sums);
  else
    difference_of_sums(model, theta, theta_b, rows, x_b, ret_sums);
}

double sprint__model_penalty(const sprint_model *model, const sprint_real *theta) {
  if (model->l2 == 0) return 0;
  double sum = 0;
  for (size_t i = 0; i < model->n_params; i++) sum += sprint__model_decay(model, theta, i) * (double)theta[i];
  return sum / 2;
}

void sprint__model_add_decay(const sprint_model *model, const sprint_real *theta, double weight,
                             sprint_real *gradient) {
  if (model->l2 == 0) return;
  for (size_t i = 0; i < model->n_params; i++)
    gradient[i] += (sprint_real)(weight * sprint__model_decay(model, theta, i));
}

/* gradient := gradient / n + the penalty's. */
static void mean_gradient(const sprint_model *model, const sprint_real *theta, size_t n, sprint_real *gradient) {
  sprint_real scale = (sprint_real)(1.0 / (double)n);
  for (size_t i = 0; i < model->n_params; i++) gradient[i] *= scale;
  sprint__model_add_decay(model, theta, 1, gradient);
}

/* Whether y is a class number, of k classes. */
SPRINT__INLINE bool is_class(sprint_real y, sprint_real k) {
  return (y >= 0) & (y < k) & (floor((double)y) == (double)y);
}

/* All at once: no row is likely to be wrong. */
SPRINT__FAST static bool are_classes(const sprint_real *y, size_t n, sprint_real k) {
  int wrong = 0;
  for (size_t i = 0; i < n; i++) wrong |= !is_class(y[i], k);
  return !wrong;
}

sprint_status sprint__model_check_labels(const sprint_model *model, const sprint_real *y, size_t n) {
  sprint_real k = (sprint_real)model->n_classes;
  if (!model->classifies || are_classes(y, n, k)) return SPRINT_OK;
  size_t i = 0;
  while (is_class(y[i], k)) i++;
  return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT, "row %zu: the label %g is not a class number 0 .. %zu", i,
                     (double)y[i], model->n_classes - 1);
}

static sprint_status check_batch(const sprint_model *model, const sprint_batch *batch) {
  if (batch->n == 0 || !batch->x || !batch->y)
    return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT, "the batch is empty: at least one row was expected");
  return sprint__model_check_labels(model, batch->y, batch->n);
}

sprint_status sprint_model_gradient(sprint_model *model, const sprint_real *theta, const sprint_batch *given,
                                    double *ret_loss, size_t *ret_correct, sprint_real *ret_gradient,
                                    sprint_real *ret_gradient_x) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, theta);
  sprint_batch own, *batch = &own;
  SPRINT__SIZED_TAKE(model->context, sprint_batch, given, batch);
  SPRINT__TRY(check_batch(model, batch));
  if (ret_gradient_x && !model->ops->gives_gradient_x)
    return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT,
                       "this model's callbacks give no gradient in the features");
  struct sprint__sums sums = {0, 0, ret_gradient};
  struct sprint__rows rows = sprint__rows_of(batch);
  sprint__model_sums(model, theta, &rows, &sums, ret_gradient_x);
  if (ret_gradient) mean_gradient(model, theta, batch->n, ret_gradient);
  if (ret_loss) *ret_loss = sums.loss / (double)batch->n + sprint__model_penalty(model, theta);
  if (ret_correct) *ret_correct = (size_t)sums.correct;
  return SPRINT_OK;
}

sprint_status sprint_model_gradient_pair(sprint_model *model, const sprint_batch *batch, const sprint_real *theta_a,
                                         const sprint_real *theta_b, const sprint_real *x_b, double *ret_loss_a,
                                         sprint_real *ret_gradient_a, sprint_real *ret_gradient_b) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, batch, theta_a, theta_b);
  sprint_batch other;
  SPRINT__SIZED_TAKE(model->context, sprint_batch, batch, &other);
  if (x_b) other.x = x_b;
  SPRINT__TRY(sprint_model_gradient(model, theta_a, batch, ret_loss_a, NULL, ret_gradient_a, NULL));
  return sprint_model_gradient(model, theta_b, &other, NULL, NULL, ret_gradient_b, NULL);
}

struct rows_work {
  sprint_model *model;
  const sprint_real *theta, *x;
  const struct sprint__score *score; /* NULL: outputs */
  sprint_real *ret;
};

static void rows_lane(void *user, int lane, size_t start, size_t end) {
  const struct rows_work *work = user;
  const sprint_model *model = work->model;
  struct sprint__lane *l = &work->model->lanes[lane];
  const sprint_real *x = work->x + start * model->n_features;
  if (work->score)
    model->ops->score_gradient(model, l, work->theta, x, end - start, work->score,
                               work->ret + start * model->n_features);
  else
    model->ops->outputs(model, l, work->theta, x, end - start, work->ret + start * model->n_outputs);
}

void sprint__model_score_gradient(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                  const struct sprint__score *score, sprint_real *ret_dx) {
  assert(model->ops->score_gradient);
  struct rows_work work = {model, theta, x, score, ret_dx};
  sprint__lanes_run(model->context, n, sprint__lanes_for(n, model->cost_per_row, 0), rows_lane, &work);
}

static void score_body(void *user, struct sprint__lane *lane, size_t start, size_t end, struct sprint__sums *sums) {
  const struct rows_work *work = user;
  const sprint_model *model = work->model;
  model->ops->score_sums(model, lane, work->theta, work->x + start * model->n_features, end - start, work->score,
                         sums->gradient);
}

void sprint__model_score_sums_to(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                 const struct sprint__score *score, const struct sprint__total *total) {
  assert(model->ops->score_sums);
  struct rows_work work = {model, theta, x, score, NULL};
  struct sprint__sum_work sum = {.n_rows = n, .cost_per_row = model->cost_per_row, .body = score_body, .user = &work};
  struct sprint__sums sums;
  sprint__model_sum_to(model, &sum, total, &sums);
}

sprint_status sprint_model_outputs(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                   sprint_real *ret_outputs) {
  if (!model) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(model->context, theta, x, ret_outputs);
  if (!model->ops->outputs)
    return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT, "this model has no outputs: a network was expected");
  struct rows_work work = {model, theta, x, NULL, ret_outputs};
  sprint__lanes_run(model->context, n, sprint__lanes_for(n, model->cost_per_row, 0), rows_lane, &work);
  return SPRINT_OK;
}
