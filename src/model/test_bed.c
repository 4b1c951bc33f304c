/* The test-bed losses with closed forms, docs/math.md section 6: functions of the record z and theta in R^d, no
 * network. */
#include <string.h>

#include "model/loss.h"

struct test_bed {
  bool linear;
};

static void test_bed_sums(const sprint_model *model, struct sprint__lane *lane, const sprint_real *theta,
                          const struct sprint__rows *rows, struct sprint__sums *sums, sprint_real *gradient_x) {
  (void)lane;
  const struct test_bed *bed = model->impl;
  size_t d = model->n_features;
  if (sums->gradient) memset(sums->gradient, 0, d * sizeof *sums->gradient);
  for (size_t i = 0; i < rows->n; i++)
    for (size_t j = 0; j < d; j++) {
      double weight = rows->weight ? rows->weight[i] : 1;
      sprint_real z = rows->x[i * d + j], away = theta[j] - z, counts = (sprint_real)weight;
      sums->loss += weight * (bed->linear ? (double)theta[j] * (double)z : (double)away * (double)away / 2);
      if (sums->gradient) sums->gradient[j] += counts * (bed->linear ? z : away);
      if (gradient_x) gradient_x[i * d + j] = counts * (bed->linear ? theta[j] : -away);
    }
}

static void test_bed_start(const sprint_model *model, uint64_t seed, sprint_real *ret_theta) {
  (void)seed;
  for (size_t j = 0; j < model->n_params; j++) ret_theta[j] = 0;
}

static const struct sprint__model_ops test_bed_model_ops = {
    .gives_gradient_x = true, .sums = test_bed_sums, .start = test_bed_start};

sprint_status sprint__test_bed_build(const struct sprint__section *section, size_t d, sprint_model **ret_model) {
  sprint_context *context = section->context;
  const struct sprint__section *loss = sprint__get_section(section, "loss");
  if (sprint__get(section, "layers")->given)
    return sprint__refuse(section, "layers", "the loss '%s' is a function of record and theta and takes no layers",
                          loss->kind->name);
  SPRINT__SCOPED(sprint_model_free) sprint_model *model = sprint__alloc(context, 1, sizeof *model);
  if (!model) return SPRINT_ERROR_MEMORY;
  model->context = model->arena.context = context;
  model->ops = &test_bed_model_ops;
  model->n_params = model->n_features = d;
  model->l2 = sprint__get_real(section, "l2");
  model->cost_per_row = 3.0 * (double)d;
  model->loss_text = sprint__arena_strdup(&model->arena, loss->kind->name);
  struct test_bed *bed = model->impl = sprint__arena_take(&model->arena, 1, sizeof *bed);
  SPRINT__TRY(sprint__model_finish(model));
  bed->linear = loss->kind == &sprint__loss_linear;
  *ret_model = sprint__give(&model);
  return SPRINT_OK;
}

static const struct sprint__loss_ops test_bed_ops = {.test_bed = true};

const sprint_kind sprint__loss_mean = {"mean", "|z - theta|^2 / 2: test bed, theta in R^d, no layers", NULL, 0,
                                       &test_bed_ops};
const sprint_kind sprint__loss_linear = {"linear", "theta . z: test bed, theta in R^d, no layers", NULL, 0,
                                         &test_bed_ops};
