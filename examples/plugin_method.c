/* A plugin that brings two methods and a step rule.
 *
 *     cc -shared -fPIC $(pkg-config --cflags sprint) plugin_method.c -lm -o plugin_method.so
 *     sprint list methods --plugin ./plugin_method.so
 *     sprint run config.yaml --plugin ./plugin_method.so --set method=normalized
 *     sprint run config.yaml --plugin ./plugin_method.so --set step=sign
 *
 * `normalized` is SGD whose steps all have the same length, v = g / (|g| + epsilon) with g the batch's mean gradient: a
 * batch with a huge gradient moves theta no further than any other. `plain-svrg` shows how a method uses snapshots: at
 * the start of an epoch it keeps theta~ and the gradient g~ of everybody, and its steps are
 * v = mean[grad l(z; theta) - grad l(z; theta~)] + g~. The step rule `sign` moves every parameter by the same length,
 * gamma_t = size / sqrt(1 + t), whatever the method that v comes from. */
#include <math.h>
#include <string.h>

#include <sprint.h>

/* ---- normalized */

struct normalized {
  double epsilon;
};

static sprint_status normalized_setup(sprint_settings *settings, sprint_model *model, void **ret_user) {
  (void)model;
  struct normalized *own = *ret_user = sprint_settings_memory(settings, 1, sizeof *own);
  if (!own) return SPRINT_ERROR_MEMORY;
  own->epsilon = sprint_settings_real(settings, "epsilon");
  return SPRINT_OK;
}

static void normalized_batch(void *user, sprint_method_step *step, sprint_real *ret_v) {
  const struct normalized *own = user;
  sprint_method_gradient(step, step->theta, ret_v);
  double square = 0;
  for (size_t i = 0; i < step->n_params; i++) square += (double)ret_v[i] * (double)ret_v[i];
  sprint_real scale = (sprint_real)(1 / (sqrt(square) + own->epsilon));
  for (size_t i = 0; i < step->n_params; i++) ret_v[i] *= scale;
}

static const sprint_param normalized_params[] = {
    {.name = "epsilon",
     .type = SPRINT_PARAM_REAL,
     .standard = "1e-3",
     .min = 1e-12,
     .max = 1e6,
     .help = "gradients much shorter than this make shorter steps"},
};

static const sprint_method_kind normalized = {
    .size = sizeof normalized,
    .name = "normalized",
    .help = "normalised SGD: steps of one length, g / (|g| + epsilon); b IFO a step",
    .params = normalized_params,
    .n_params = 1,
    .setup = normalized_setup,
    .batch = normalized_batch,
};

/* ---- plain-svrg */

struct svrg {
  sprint_real *anchor, *snapshot; /* (n_params) theta~ and g~ */
};

static sprint_status svrg_setup(sprint_settings *settings, sprint_model *model, void **ret_user) {
  struct svrg *own = *ret_user = sprint_settings_memory(settings, 1, sizeof *own);
  if (!own) return SPRINT_ERROR_MEMORY;
  own->anchor = sprint_settings_memory(settings, sprint_model_n_params(model), sizeof *own->anchor);
  own->snapshot = sprint_settings_memory(settings, sprint_model_n_params(model), sizeof *own->snapshot);
  return own->anchor && own->snapshot ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static bool svrg_wants_snapshot(void *user, const sprint_method_step *step) {
  (void)user;
  return step->epoch_step == 0;
}

static bool svrg_population(void *user, sprint_method_step *step, sprint_real *v) {
  struct svrg *own = user;
  memcpy(own->anchor, step->theta, step->n_params * sizeof *own->anchor);
  memcpy(own->snapshot, v, step->n_params * sizeof *own->snapshot);
  return false; /* no step yet: the epoch's first batch comes next */
}

static void svrg_batch(void *user, sprint_method_step *step, sprint_real *ret_v) {
  const struct svrg *own = user;
  sprint_method_difference(step, own->anchor, false, ret_v);
  for (size_t i = 0; i < step->n_params; i++) ret_v[i] += own->snapshot[i];
}

static const sprint_method_kind svrg = {
    .size = sizeof svrg,
    .name = "plain-svrg",
    .help = "variance reduction by a snapshot: `sprint` with the correction `paper`, as a plugin has it",
    .cites = "Johnson & Zhang, Accelerating stochastic gradient descent using predictive variance reduction (2013)",
    .cost = "2b, and n an epoch",
    .memory = "2d",
    .setup = svrg_setup,
    .snapshot = svrg_wants_snapshot,
    .population = svrg_population,
    .batch = svrg_batch,
};

/* ---- the step rule */

struct sign {
  size_t n_params;
  double size;
};

static sprint_status sign_setup(sprint_settings *settings, const sprint_step_frame *frame, void **ret_user) {
  struct sign *own = *ret_user = sprint_settings_memory(settings, 1, sizeof *own);
  if (!own) return SPRINT_ERROR_MEMORY;
  own->n_params = frame->n_params;
  own->size = sprint_settings_real(settings, "size");
  return SPRINT_OK;
}

static double sign_size(const void *user, uint64_t step) {
  const struct sign *own = user;
  return own->size / sqrt(1 + (double)step);
}

static void sign_turn(void *user, uint64_t step, const sprint_real *v, sprint_real *ret_u) {
  (void)step;
  const struct sign *own = user;
  for (size_t i = 0; i < own->n_params; i++) ret_u[i] = (sprint_real)((v[i] > 0) - (v[i] < 0));
}

static const sprint_param sign_params[] = {
    {.name = "size",
     .type = SPRINT_PARAM_REAL,
     .standard = "0.01",
     .min = 1e-12,
     .max = 1e6,
     .help = "the first step, in every parameter"},
};

static const sprint_step_kind sign = {
    .size = sizeof sign,
    .name = "sign",
    .help = "the sign of v in every parameter, times size / sqrt(1 + t)",
    .params = sign_params,
    .n_params = 1,
    .setup = sign_setup,
    .size_of = sign_size,
    .turn = sign_turn,
};

/* ---- what the plugin brings */

static const sprint_method_kind *const methods[] = {&normalized, &svrg};
static const sprint_step_kind *const steps[] = {&sign};
static const sprint_plugin plugin = {SPRINT_PLUGIN_HEAD, .methods = methods, .n_methods = 2, .steps = steps,
                                     .n_steps = 1};

const sprint_plugin *sprint_plugin_entry(void) { return &plugin; }
