/* A shift of the caller's own: response and strata probabilities as callbacks. */
#include <math.h>

#include "base/sized.h"
#include "shift/shift.h"

/* Runs a callback; the sentence that it left behind is kept, and where it left none there is one of ours. */
#define CALL(SHIFT, WHAT, CALLBACK)                                                                           \
  do {                                                                                                        \
    (SHIFT)->context->error[0] = '\0';                                                                        \
    sprint_status called__ = (CALLBACK);                                                                      \
    if (called__ != SPRINT_OK && (SHIFT)->context->error[0]) return SPRINT_ERROR_CALLBACK;                    \
    if (called__ != SPRINT_OK)                                                                                \
      return sprint_fail((SHIFT)->context, SPRINT_ERROR_CALLBACK, "the shift's %s callback failed: %s", WHAT, \
                         sprint_status_text(called__));                                                       \
  } while (0)

/* A callback's word is checked: a wrong distribution would go unseen into every number. */
static sprint_status check_distribution(sprint_context *context, const double *p, size_t n) {
  double sum = 0;
  for (size_t c = 0; c < n; c++) {
    if (!(p[c] >= 0 && p[c] <= 1 + 1e-9))
      return sprint_fail(context, SPRINT_ERROR_CALLBACK,
                         "strata probability %zu is %g; a number within 0 .. 1 was expected", c, p[c]);
    sum += p[c];
  }
  if (fabs(sum - 1) > 1e-9 * (double)n)
    return sprint_fail(context, SPRINT_ERROR_CALLBACK, "the strata probabilities add up to %.17g; 1 was expected", sum);
  return SPRINT_OK;
}

struct custom {
  sprint_shift_callbacks own;
  struct sprint__shift_ops ops; /* those of the callbacks that are present: absent ones cost nothing */
};

static const sprint_shift_callbacks *callbacks_of(const sprint_shift *shift) {
  return &((const struct custom *)shift->impl)->own;
}

static sprint_status custom_deployed(sprint_shift *shift, const sprint_real *theta) {
  const sprint_shift_callbacks *own = callbacks_of(shift);
  CALL(shift, "deployed", own->deployed(own->user, theta));
  return SPRINT_OK;
}

static sprint_status custom_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                    const sprint_real *y, size_t n, sprint_real *x) {
  const sprint_shift_callbacks *own = callbacks_of(shift);
  shift->evals += own->evals * n;
  CALL(shift, "respond", own->respond(own->user, deployed, who, y, n, x));
  return SPRINT_OK;
}

static sprint_status custom_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                   double *ret_p) {
  (void)moment;
  const sprint_shift_callbacks *own = callbacks_of(shift);
  CALL(shift, "strata", own->strata(own->user, deployed, ret_p));
  return check_distribution(shift->context, ret_p, shift->population->n_strata);
}

sprint_status sprint__shift_take_callbacks(sprint_shift *shift, const sprint_shift_callbacks *own) {
  struct custom *custom = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *custom);
  if (!custom) return SPRINT_ERROR_MEMORY;
  *custom = (struct custom){*own,
                            {.deployed = own->deployed ? custom_deployed : NULL,
                             .respond = own->respond ? custom_respond : NULL,
                             .strata = own->strata ? custom_strata : NULL}};
  shift->ops = &custom->ops;
  shift->keeps_records = own->deployed != NULL; /* what was answered cannot be asked for again */
  shift->remembers_deployments = own->deployed != NULL;
  return SPRINT_OK;
}

sprint_status sprint_shift_new_custom(sprint_context *context, const sprint_shift_callbacks *callbacks,
                                      sprint_model *model, const sprint_population *population,
                                      sprint_shift **ret_shift) {
  SPRINT__REQUIRE(context, callbacks, model, population, ret_shift);
  sprint_shift_callbacks own;
  SPRINT__SIZED_TAKE(context, sprint_shift_callbacks, callbacks, &own);
  if (!own.respond && !own.strata)
    return sprint_fail(context, SPRINT_ERROR_ARGUMENT, "a custom shift needs a respond or a strata callback");
  SPRINT__TRY(sprint__shift_check(context, model, population));
  sprint_shift *shift = sprint__alloc(context, 1, sizeof *shift);
  if (!shift) return SPRINT_ERROR_MEMORY;
  *shift = (sprint_shift){.context = context, .arena = {.context = context}, .model = model, .population = population};
  if (sprint__shift_take_callbacks(shift, &own) != SPRINT_OK ||
      sprint__shift_say(shift, sprint__printf(shift->context, "people react as callbacks have it")) != SPRINT_OK) {
    sprint__arena_free(&shift->arena);
    sprint__free(shift);
    return SPRINT_ERROR_MEMORY;
  }
  *ret_shift = shift;
  return SPRINT_OK;
}
