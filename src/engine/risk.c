/* J(theta; deployed) and its gradient over the whole population, by plain passes. */
#include "engine/pass.h"

sprint_status sprint__risk_at(sprint_shift *shift, const sprint_real *theta, const sprint_real *deployed,
                              const double *p, double *ret_loss, double *ret_accuracy, double *ret_gradient) {
  SPRINT__SCRATCH(arena, shift->context);
  struct sprint__pass pass;
  size_t n_strata = shift->population->n_strata, n_params = shift->model->n_params;
  sprint__pass_new(&arena, shift, shift->population, &pass);
  struct sprint__strata_sums sums =
      sprint__strata_sums_of(&arena, pass.by_stratum ? n_strata : 1, ret_gradient ? n_params : 0);
  double *own = sprint__arena_take(&arena, n_strata, sizeof *own), loss, accuracy, all = 1;
  SPRINT__TRY(sprint__arena_status(&arena));
  if (!p) SPRINT__TRY(sprint__shift_strata(shift, deployed, SPRINT__AT_EVALUATION, own));
  if (!p) p = own;
  if (!pass.by_stratum) p = &all;
  struct sprint__pass_options options = {.theta = theta, .deployed = deployed};
  SPRINT__TRY(sprint__pass_over(&pass, &options, &sums));
  sprint__pass_risk(&pass, theta, &sums, p, &loss, &accuracy);
  if (ret_loss) *ret_loss = loss;
  if (ret_accuracy) *ret_accuracy = accuracy;
  if (!ret_gradient) return SPRINT_OK;
  struct sprint__strata_parts parts = sprint__strata_parts_of(&sums);
  sprint__strata_mean(shift->context, &parts, p, NULL, ret_gradient);
  for (size_t i = 0; i < n_params; i++) ret_gradient[i] += sprint__model_decay(shift->model, theta, i);
  return SPRINT_OK;
}

sprint_status sprint_risk(sprint_shift *shift, const sprint_real *theta, const sprint_real *deployed, double *ret_loss,
                          double *ret_accuracy, double *ret_gradient) {
  if (!shift) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(shift->context, theta, deployed);
  return sprint__risk_at(shift, theta, deployed, NULL, ret_loss, ret_accuracy, ret_gradient);
}
