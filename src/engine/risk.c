/* J(theta; deployed) and its gradient over the whole population, by plain passes. */
#include "engine/pass.h"

struct room {
  struct sprint__arena arena;
  struct sprint__pass pass;
  struct sprint__strata_sums sums;
  double *p; /* (n_strata of the population) */
};

static void room_clear(struct room *room) {
  sprint__arena_free(&room->arena);
  sprint__strata_sums_free(&room->sums);
}

static sprint_status room_new(sprint_shift *shift, bool gradient, struct room *room) {
  size_t n_strata = shift->population->n_strata;
  sprint__pass_new(&room->arena, shift, shift->population, &room->pass);
  room->p = sprint__arena_take(&room->arena, n_strata, sizeof *room->p);
  SPRINT__TRY(sprint__arena_status(&room->arena));
  return sprint__strata_sums_new(shift->context, room->pass.by_stratum ? n_strata : 1,
                                 gradient ? shift->model->n_params : 0, &room->sums);
}

static sprint_status risk(struct room *room, const sprint_real *theta, const sprint_real *deployed, const double *p,
                          double *ret_loss, double *ret_accuracy, double *ret_gradient) {
  sprint_shift *shift = room->pass.shift;
  struct sprint__pass_options passing = {.theta = theta, .deployed = deployed};
  double loss, accuracy, all = 1;
  if (!p) SPRINT__TRY(sprint__shift_strata(shift, deployed, SPRINT__AT_EVALUATION, room->p));
  if (!p) p = room->p;
  if (!room->pass.by_stratum) p = &all;
  SPRINT__TRY(sprint__pass_over(&room->pass, &passing, &room->sums));
  sprint__pass_risk(&room->pass, theta, &room->sums, p, &loss, &accuracy);
  if (ret_loss) *ret_loss = loss;
  if (ret_accuracy) *ret_accuracy = accuracy;
  if (!ret_gradient) return SPRINT_OK;
  struct sprint__strata_parts parts = sprint__strata_parts_of(&room->sums);
  sprint__strata_mean(shift->context, &parts, p, NULL, ret_gradient);
  for (size_t i = 0; i < parts.n_params; i++) ret_gradient[i] += sprint__model_decay(shift->model, theta, i);
  return SPRINT_OK;
}

sprint_status sprint__risk_at(sprint_shift *shift, const sprint_real *theta, const sprint_real *deployed,
                              const double *p, double *ret_loss, double *ret_accuracy, double *ret_gradient) {
  SPRINT__CLEARED(room_clear) struct room room = {.arena = {.context = shift->context}};
  SPRINT__TRY(room_new(shift, ret_gradient != NULL, &room));
  return risk(&room, theta, deployed, p, ret_loss, ret_accuracy, ret_gradient);
}

sprint_status sprint_risk(sprint_shift *shift, const sprint_real *theta, const sprint_real *deployed, double *ret_loss,
                          double *ret_accuracy, double *ret_gradient) {
  return sprint__risk_at(shift, theta, deployed, NULL, ret_loss, ret_accuracy, ret_gradient);
}
