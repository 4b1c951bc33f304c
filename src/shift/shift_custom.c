/* A shift of the caller's own: response and strata probabilities as callbacks. */
#include <string.h>

#include "shift/shift.h"

static void custom_free(sprint_shift *shift) { sprint__free(shift->impl); }

/* A callback that failed without a sentence gets one. */
static sprint_status checked(sprint_shift *shift, sprint_status status, const char *what) {
  if (status == SPRINT_OK) return SPRINT_OK;
  return sprint_fail(shift->context, SPRINT_ERROR_CALLBACK, "the shift's %s callback failed: %s", what,
                     sprint_status_text(status));
}

static sprint_status custom_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                    const sprint_real *y, size_t n, sprint_real *x) {
  const sprint_shift_callbacks *own = shift->impl;
  return checked(shift, own->respond(own->user, deployed, who, y, n, x), "respond");
}

static sprint_status custom_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                   double *ret_p) {
  (void)moment;
  const sprint_shift_callbacks *own = shift->impl;
  return checked(shift, own->strata(own->user, deployed, ret_p), "strata");
}

/* One table for each set of callbacks present, so that absent ones cost nothing. */
static const struct sprint__shift_ops custom_both = {
    .free = custom_free, .respond = custom_respond, .strata = custom_strata};
static const struct sprint__shift_ops custom_moves = {.free = custom_free, .respond = custom_respond};
static const struct sprint__shift_ops custom_reweights = {.free = custom_free, .strata = custom_strata};

sprint_status sprint_shift_new_custom(sprint_context *context, const sprint_shift_callbacks *callbacks,
                                      sprint_model *model, const sprint_population *population,
                                      sprint_shift **ret_shift) {
  if (!callbacks->respond && !callbacks->strata)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "a custom shift needs a respond or a strata callback");
  if (model->n_features != population->d)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "the model takes %zu features, the population has %zu",
                       model->n_features, population->d);
  sprint_shift *shift = sprint__alloc(context, 1, sizeof *shift);
  if (!shift) return SPRINT_ERROR_MEMORY;
  shift->context = context;
  shift->ops = !callbacks->strata ? &custom_moves : !callbacks->respond ? &custom_reweights : &custom_both;
  shift->model = model;
  shift->population = population;
  sprint_shift_callbacks *own = shift->impl = sprint__alloc(context, 1, sizeof *own);
  if (!own) {
    sprint_shift_free(shift);
    return SPRINT_ERROR_MEMORY;
  }
  *own = *callbacks;
  *ret_shift = shift;
  return SPRINT_OK;
}
