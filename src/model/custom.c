/* A model of the caller's own: loss and gradient as callbacks. */
#include "model/model.h"

#include <string.h>

#include "base/sized.h"

/* The callback knows nothing of weights: rows go to it one by one. */
static void add_weighted(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                         const struct sprint__rows *rows, struct sprint__sums *sums) {
  const sprint_model_callbacks *own = model->impl;
  size_t n = model->n_params;
  sprint_real *gradient = sums->gradient ? lane->scratch : NULL;
  for (size_t i = 0; i < rows->n; i++) {
    double loss = 0;
    if (gradient) memset(gradient, 0, n * sizeof *gradient);
    own->gradient(own->user, theta, rows->x + i * model->n_features, rows->y + i, 1, &loss, gradient);
    sums->loss += rows->weight[i] * loss;
    for (size_t k = 0; gradient && k < n; k++) sums->gradient[k] += (sprint_real)rows->weight[i] * gradient[k];
  }
}

static void custom_sums(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                        const struct sprint__rows *rows, struct sprint__sums *sums, sprint_real *gradient_x) {
  (void)gradient_x;
  const sprint_model_callbacks *own = model->impl;
  if (sums->gradient) memset(sums->gradient, 0, model->n_params * sizeof *sums->gradient);
  if (rows->weight)
    add_weighted(model, lane, theta, rows, sums);
  else
    own->gradient(own->user, theta, rows->x, rows->y, rows->n, &sums->loss, sums->gradient);
}

static void custom_score_gradient(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                                  const sprint_real *x, size_t n, const struct sprint__score *score,
                                  sprint_real *ret_dx) {
  (void)lane;
  const sprint_model_callbacks *own = model->impl;
  own->score_gradient(own->user, theta, x, n, ret_dx);
  if (score->sign < 0)
    for (size_t i = 0; i < n * model->n_features; i++) ret_dx[i] = -ret_dx[i];
}

static void custom_start(const sprint_model *model, uint64_t seed, sprint_real *ret_theta) {
  const sprint_model_callbacks *own = model->impl;
  for (size_t i = 0; i < model->n_params; i++) ret_theta[i] = 0;
  if (own->start) own->start(own->user, seed, ret_theta);
}

static const struct sprint__model_ops custom_ops = {.sums = custom_sums, .start = custom_start};
static const struct sprint__model_ops custom_scoring_ops = {
    .sums = custom_sums, .score_gradient = custom_score_gradient, .start = custom_start};

sprint_status sprint_model_new_custom(sprint_context *context, const sprint_model_callbacks *given,
                                      sprint_model **ret_model) {
  SPRINT__REQUIRE(context, ret_model);
  sprint_model_callbacks taken, *callbacks = &taken;
  SPRINT__SIZED_TAKE(context, sprint_model_callbacks, given, callbacks);
  if (!callbacks->gradient || callbacks->n_params == 0 || callbacks->n_features == 0)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT,
                       "a custom model needs a gradient callback, n_params and n_features of at least 1");
  SPRINT__SCOPED(sprint_model_free) sprint_model *model = sprint__alloc(context, 1, sizeof *model);
  if (!model) return SPRINT_ERROR_MEMORY;
  model->context = model->arena.context = context;
  model->ops = callbacks->score_gradient ? &custom_scoring_ops : &custom_ops;
  model->own_score = callbacks->score_gradient != NULL;
  model->n_params = callbacks->n_params;
  model->n_features = callbacks->n_features;
  model->scratch_size = callbacks->n_params;
  model->cost_per_row = 6.0 * (double)callbacks->n_params;
  sprint_model_callbacks *own = model->impl = sprint__arena_take(&model->arena, 1, sizeof *own);
  SPRINT__TRY(sprint__model_finish(model));
  *own = *callbacks;
  *ret_model = sprint__give(&model);
  return SPRINT_OK;
}
