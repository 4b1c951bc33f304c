/* The lane driver: sums, means, penalties and pairs of gradients over the rows of a batch. */
#include "model/model.h"

#include <assert.h>
#include <string.h>

#include "base/fast.h"

sprint_status sprint__model_finish(sprint_model *model) {
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) {
    struct sprint__lane *l = &model->lanes[lane];
    l->scratch = sprint__alloc(model->context, model->scratch_size, sizeof(sprint_real));
    l->gradient_a = sprint__alloc(model->context, model->n_params, sizeof(sprint_real));
    l->gradient_b = sprint__alloc(model->context, model->n_params, sizeof(sprint_real));
    if (!l->scratch || !l->gradient_a || !l->gradient_b) return SPRINT_ERROR_MEMORY;
  }
  return SPRINT_OK;
}

void sprint_model_free(sprint_model *model) {
  if (!model) return;
  for (int lane = 0; lane < SPRINT__MAX_LANES; lane++) {
    sprint__free(model->lanes[lane].scratch);
    sprint__free(model->lanes[lane].gradient_a);
    sprint__free(model->lanes[lane].gradient_b);
  }
  if (model->ops) model->ops->free(model);
  sprint__free(model->undecayed);
  sprint__free(model->tensors);
  sprint__free(model->layers_text);
  sprint__free(model->loss_text);
  sprint__free(model);
}

size_t sprint_model_n_params(const sprint_model *model) { return model->n_params; }
size_t sprint_model_n_features(const sprint_model *model) { return model->n_features; }
double sprint_model_cost_per_row(const sprint_model *model) { return model->cost_per_row; }
size_t sprint_model_n_outputs(const sprint_model *model) { return model->n_outputs; }

sprint_status sprint_model_start(sprint_model *model, uint64_t seed, sprint_real *ret_theta) {
  model->ops->start(model, seed, ret_theta);
  return SPRINT_OK;
}

/* Rows start .. end of a batch. */
static sprint_batch rows_of(const sprint_batch *batch, size_t d, size_t start, size_t end) {
  return (sprint_batch){end - start, batch->x + start * d, batch->y ? batch->y + start : NULL};
}

/* What it costs to have a lane with gradients, in floating-point operations: clearing and adding up n_params numbers.
 */
#define LANE_COST_PER_PARAM 300.0

/* Sums at theta on rows and, unless theta_b is NULL, at theta_b on x_b for the same individuals. */
struct sums_work {
  sprint_model *model;
  const sprint_batch *batch;
  const sprint_real *theta, *theta_b, *x_b;
  bool gradient;
  sprint_real *gradient_x;
};

static void sums_lane(void *user, int lane, size_t start, size_t end) {
  const struct sums_work *work = user;
  const sprint_model *model = work->model;
  struct sprint__lane *l = &work->model->lanes[lane];
  size_t d = model->n_features;
  sprint_batch rows = rows_of(work->batch, d, start, end);
  struct sprint__sums sums = {0, 0, work->gradient ? l->gradient_a : NULL};
  model->ops->sums(model, l, work->theta, &rows, &sums, work->gradient_x ? work->gradient_x + start * d : NULL);
  l->loss = sums.loss;
  l->correct = sums.correct;
  if (!work->theta_b) return;
  rows.x = work->x_b + start * d;
  sums.gradient = l->gradient_b;
  model->ops->sums(model, l, work->theta_b, &rows, &sums, NULL);
}

/* Adds the lanes' gradients up in their order, in double. */
SPRINT__FAST static void combine(const sprint_model *model, int n_lanes, bool second, sprint_real *ret_gradient) {
  enum { CHUNK = 256 };
  for (size_t start = 0; start < model->n_params; start += CHUNK) {
    size_t n = model->n_params - start < CHUNK ? model->n_params - start : CHUNK;
    double sums[CHUNK] = {0};
    for (int lane = 0; lane < n_lanes; lane++) {
      const struct sprint__lane *l = &model->lanes[lane];
      const sprint_real *part = (second ? l->gradient_b : l->gradient_a) + start;
      for (size_t i = 0; i < n; i++) sums[i] += (double)part[i];
    }
    for (size_t i = 0; i < n; i++) ret_gradient[start + i] = (sprint_real)sums[i];
  }
}

/* One lane writes to where the sums are wanted; several to buffers of their own. */
static void run_sums(const struct sums_work *work, struct sprint__sums *ret_sums, sprint_real *gradient_b) {
  sprint_model *model = work->model;
  double cost = model->cost_per_row * (work->theta_b ? 2 : 1);
  int n_lanes =
      sprint__lanes_for(work->batch->n, cost, work->gradient ? LANE_COST_PER_PARAM * (double)model->n_params : 0);
  struct sprint__lane first = model->lanes[0];
  if (n_lanes == 1 && work->gradient) model->lanes[0].gradient_a = ret_sums->gradient;
  if (n_lanes == 1 && work->theta_b) model->lanes[0].gradient_b = gradient_b;
  struct sums_work copy = *work;
  sprint__lanes_run(model->context, work->batch->n, n_lanes, sums_lane, &copy);
  ret_sums->loss = 0;
  ret_sums->correct = 0;
  for (int lane = 0; lane < n_lanes; lane++) {
    ret_sums->loss += model->lanes[lane].loss;
    ret_sums->correct += model->lanes[lane].correct;
  }
  if (n_lanes == 1) {
    model->lanes[0] = first;
    return;
  }
  if (work->gradient) combine(model, n_lanes, false, ret_sums->gradient);
  if (work->theta_b) combine(model, n_lanes, true, gradient_b);
}

void sprint__model_sums(sprint_model *model, const sprint_real *theta, const sprint_batch *batch,
                        struct sprint__sums *ret_sums, sprint_real *gradient_x) {
  struct sums_work work = {model, batch, theta, NULL, NULL, ret_sums->gradient != NULL, gradient_x};
  run_sums(&work, ret_sums, NULL);
}

void sprint__model_sums_pair(sprint_model *model, const sprint_batch *batch, const sprint_real *theta_a,
                             const sprint_real *theta_b, const sprint_real *x_b, struct sprint__sums *ret_sums_a,
                             sprint_real *ret_gradient_b) {
  struct sums_work work = {model, batch, theta_a, theta_b, x_b ? x_b : batch->x, true, NULL};
  run_sums(&work, ret_sums_a, ret_gradient_b);
}

double sprint__model_penalty(const sprint_model *model, const sprint_real *theta) {
  if (model->l2 == 0) return 0;
  double sum = 0;
  for (size_t i = 0; i < model->n_params; i++) sum += sprint__model_decay(model, theta, i) * (double)theta[i];
  return sum / 2;
}

/* gradient := gradient / n + the penalty's. */
static void mean_gradient(const sprint_model *model, const sprint_real *theta, size_t n, sprint_real *gradient) {
  sprint_real scale = (sprint_real)(1.0 / (double)n);
  for (size_t i = 0; i < model->n_params; i++) gradient[i] *= scale;
  if (model->l2 == 0) return;
  for (size_t i = 0; i < model->n_params; i++) gradient[i] += (sprint_real)sprint__model_decay(model, theta, i);
}

sprint_status sprint__model_check_labels(const sprint_model *model, const sprint_real *y, size_t n) {
  for (size_t i = 0; model->classifies && i < n; i++)
    if (!(y[i] >= 0 && y[i] < (sprint_real)model->n_classes && y[i] == (sprint_real)(size_t)y[i]))
      return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT, "row %zu: the label %g is not a class number 0 .. %zu",
                         i, (double)y[i], model->n_classes - 1);
  return SPRINT_OK;
}

static sprint_status check_batch(const sprint_model *model, const sprint_batch *batch) {
  if (batch->n == 0 || !batch->x || !batch->y)
    return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT, "the batch is empty: at least one row was expected");
  return sprint__model_check_labels(model, batch->y, batch->n);
}

sprint_status sprint_model_gradient(sprint_model *model, const sprint_real *theta, const sprint_batch *batch,
                                    double *ret_loss, size_t *ret_correct, sprint_real *ret_gradient,
                                    sprint_real *ret_gradient_x) {
  SPRINT__TRY(check_batch(model, batch));
  if (ret_gradient_x && !model->ops->gives_gradient_x)
    return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT,
                       "this model's callbacks give no gradient in the features");
  struct sprint__sums sums = {0, 0, ret_gradient};
  sprint__model_sums(model, theta, batch, &sums, ret_gradient_x);
  if (ret_gradient) mean_gradient(model, theta, batch->n, ret_gradient);
  if (ret_loss) *ret_loss = sums.loss / (double)batch->n + sprint__model_penalty(model, theta);
  if (ret_correct) *ret_correct = sums.correct;
  return SPRINT_OK;
}

sprint_status sprint_model_gradient_pair(sprint_model *model, const sprint_batch *batch, const sprint_real *theta_a,
                                         const sprint_real *theta_b, const sprint_real *x_b, double *ret_loss_a,
                                         sprint_real *ret_gradient_a, sprint_real *ret_gradient_b) {
  SPRINT__TRY(check_batch(model, batch));
  struct sprint__sums sums = {0, 0, ret_gradient_a};
  sprint__model_sums_pair(model, batch, theta_a, theta_b, x_b, &sums, ret_gradient_b);
  mean_gradient(model, theta_a, batch->n, ret_gradient_a);
  mean_gradient(model, theta_b, batch->n, ret_gradient_b);
  if (ret_loss_a) *ret_loss_a = sums.loss / (double)batch->n + sprint__model_penalty(model, theta_a);
  return SPRINT_OK;
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

sprint_status sprint_model_outputs(sprint_model *model, const sprint_real *theta, const sprint_real *x, size_t n,
                                   sprint_real *ret_outputs) {
  if (!model->ops->outputs)
    return sprint_fail(model->context, SPRINT_ERROR_ARGUMENT, "this model has no outputs: a network was expected");
  struct rows_work work = {model, theta, x, NULL, ret_outputs};
  sprint__lanes_run(model->context, n, sprint__lanes_for(n, model->cost_per_row, 0), rows_lane, &work);
  return SPRINT_OK;
}
