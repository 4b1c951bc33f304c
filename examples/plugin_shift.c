/* A plugin that brings a shift and a loss.
 *
 *     cc -shared -fPIC $(pkg-config --cflags sprint) plugin_shift.c -lm -o plugin_shift.so
 *     sprint run config.yaml --plugin ./plugin_shift.so --set shift=bounded --set model.loss=hinge
 *
 * `bounded`: people move against the weights of a linear model, as best response has it, but each feature by no more
 * than `reach`: x_j - reach tanh(epsilon w_j / reach). `hinge` is the hinge loss with its corner rounded off. */
#include <math.h>

#include <sprint.h>

/* ---- the shift */

struct bounded {
  size_t n_features;
  double epsilon, reach;
};

static sprint_status bounded_setup(sprint_settings *settings, sprint_model *model, const sprint_population *population,
                                   void **ret_user) {
  struct bounded *own = *ret_user = sprint_settings_memory(settings, 1, sizeof *own);
  if (!own) return SPRINT_ERROR_MEMORY;
  own->n_features = sprint_population_n_features(population);
  own->epsilon = sprint_settings_real(settings, "epsilon");
  own->reach = sprint_settings_real(settings, "reach");
  if (sprint_model_n_params(model) != own->n_features + 1)
    return sprint_settings_refuse(settings, "kind",
                                  "'bounded' needs a linear model (layers: dense 1); this one has %zu parameters",
                                  sprint_model_n_params(model));
  return SPRINT_OK;
}

/* The first n_features parameters of a linear model are its weights. */
static sprint_status bounded_respond(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                                     size_t n, sprint_real *x) {
  (void)who;
  (void)y;
  const struct bounded *own = user;
  for (size_t j = 0; j < own->n_features; j++) {
    sprint_real move = (sprint_real)(own->reach * tanh(own->epsilon * (double)deployed[j] / own->reach));
    for (size_t i = 0; i < n; i++) x[i * own->n_features + j] -= move;
  }
  return SPRINT_OK;
}

static const sprint_param bounded_params[] = {
    {.name = "epsilon",
     .type = SPRINT_PARAM_REAL,
     .standard = "0.5",
     .min = -1e6,
     .max = 1e6,
     .help = "strength of the response"},
    {.name = "reach",
     .type = SPRINT_PARAM_REAL,
     .standard = "1",
     .min = 1e-9,
     .max = 1e9,
     .help = "how far a feature moves at most"},
};

static const sprint_shift_kind bounded = {
    .size = sizeof bounded,
    .name = "bounded",
    .help = "best response to a linear model, of at most `reach` a feature",
    .params = bounded_params,
    .n_params = 2,
    .setup = bounded_setup,
    .respond = bounded_respond,
};

/* ---- the loss */

static sprint_status hinge_setup(sprint_settings *settings, size_t n_classes, void **ret_user) {
  (void)n_classes;
  double *width = *ret_user = sprint_settings_memory(settings, 1, sizeof *width);
  if (!width) return SPRINT_ERROR_MEMORY;
  *width = sprint_settings_real(settings, "width");
  return SPRINT_OK;
}

/* max(0, 1 - m) of the margin m = +f or -f, with a parabola in place of its corner: from 1 - width to 1. */
static double hinge_row(const void *user, const sprint_real *f, size_t n_outputs, sprint_real y,
                        sprint_real *ret_slope) {
  (void)n_outputs;
  double width = *(const double *)user, side = y > 0 ? 1 : -1, lacking = 1 - side * (double)f[0];
  if (lacking <= 0) {
    if (ret_slope) *ret_slope = 0;
    return 0;
  }
  if (ret_slope) *ret_slope = (sprint_real)(-side * (lacking < width ? lacking / width : 1));
  return lacking < width ? lacking * lacking / (2 * width) : lacking - width / 2;
}

static const sprint_param hinge_params[] = {
    {.name = "width",
     .type = SPRINT_PARAM_REAL,
     .standard = "0.5",
     .min = 1e-9,
     .max = 1e9,
     .help = "of the margin over which the corner is rounded off"},
};

static const sprint_loss_kind hinge = {
    .size = sizeof hinge,
    .name = "hinge",
    .help = "max(0, 1 - y f) with a round corner, y = -1 or +1; two classes, one output",
    .params = hinge_params,
    .n_params = 1,
    .outputs = SPRINT_OUTPUTS_SIDE,
    .setup = hinge_setup,
    .row = hinge_row,
};

/* ---- what the plugin brings */

static const sprint_shift_kind *const shifts[] = {&bounded};
static const sprint_loss_kind *const losses[] = {&hinge};
static const sprint_plugin plugin = {SPRINT_PLUGIN_HEAD, .shifts = shifts, .n_shifts = 1, .losses = losses,
                                     .n_losses = 1};

const sprint_plugin *sprint_plugin_entry(void) { return &plugin; }
