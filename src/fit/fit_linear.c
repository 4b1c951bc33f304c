/* epsilon of the linear best response, x_S - epsilon w_S: in raw units feature j moves by -epsilon scale_j w_j. */
#include <math.h>

#include "base/print.h"
#include "fit/moves.h"

/* As shift_linear.c has it: the first d parameters are the weights, at most a bias follows. */
static bool is_linear(const sprint_model *model) {
  return sprint__tensor_size(&model->tensors[0]) == model->n_features && model->n_params <= model->n_features + 1;
}

static sprint_status linear_directions(struct sprint__moves *moves) {
  const sprint_fit *fit = moves->fit;
  for (size_t k = 0; k < fit->n_logs; k++) {
    if (fit->logs[k].model == SPRINT__FIT_NO_MODEL) continue;
    const struct sprint__fit_model *model = &fit->models[fit->logs[k].model];
    if (!is_linear(sprint__predictor_model(model->predictor)))
      return sprint_fail(fit->context, SPRINT_ERROR_INPUT,
                         "%s: 'linear' is a response to linear models (layers: dense 1); this one has %zu parameters",
                         model->path, sprint__predictor_model(model->predictor)->n_params);
    for (size_t j = 0; j < moves->m; j++) {
      size_t column = fit->columns[j], own = model->feature[column];
      moves->u[k * moves->m + j] = -sprint__predictor_column(model->predictor, own)->scale *
                                   (double)sprint__predictor_theta(model->predictor)[own] / fit->spread[column];
    }
  }
  return SPRINT_OK;
}

static sprint_status linear_estimate(sprint_fit *fit) {
  struct sprint__moves moves;
  double *values = NULL;
  size_t which = 0;
  SPRINT__TRY(sprint__moves_start(fit, 1, true, false, &moves));
  SPRINT__TRY(linear_directions(&moves));
  SPRINT__TRY(sprint__moves_solve(&moves));
  if (isnan(moves.beta[0]))
    return sprint_fail(
        fit->context, SPRINT_ERROR_INPUT,
        "the models have the same weights for the columns that people can change: epsilon cannot be told");
  SPRINT__TRY(sprint__moves_resample(&moves, &values));
  SPRINT__TRY(sprint__fit_take_parameters(fit, 1));
  SPRINT__TRY(sprint__moves_report(&moves, values, 0, 0, 1, "epsilon", NULL));
  return sprint__moves_judge(&moves, values, &which, 1);
}

static void linear_section(const sprint_fit *fit, FILE *stream) {
  const sprint_fit_parameter *epsilon = &fit->parameters[0];
  sprint__fprintf(stream, "  epsilon: %.6g  # standard error %.2g, 95 %% within %.4g .. %.4g\n", epsilon->value,
                  epsilon->error, epsilon->low, epsilon->high);
  sprint__fit_print_columns(fit, stream);
}

const struct sprint__fit_kind sprint__fit_linear = {
    .name = "linear", .asks_columns = true, .estimate = linear_estimate, .section = linear_section};
