/* A plugin that brings a shift and a loss.
 *
 *     cc -shared -fPIC $(pkg-config --cflags sprint) plugin_shift.c -lm -o plugin_shift.so
 *     sprint run config.yaml --plugin ./plugin_shift.so --set shift=gaming --set model.loss=hinge
 *
 * `gaming`: everybody moves so as to be taken for a record of the class `good`, downhill on the deployed model's loss
 * of such a record, g = grad_x l(x, good; theta'), by x - reach g / (1 + |g|): never further than `reach`. `hinge` is
 * the hinge loss with its corner rounded off. */
#include <math.h>

#include <sprint.h>

/* ---- the shift */

enum { PIECE = 64 }; /* records at a time */

struct gaming {
  sprint_model *model;
  size_t n_features;
  double reach;
  sprint_real good[PIECE]; /* the label that everybody wants */
  sprint_real *gradient;   /* (PIECE, n_features) */
};

static sprint_status gaming_setup(sprint_settings *settings, sprint_model *model, const sprint_population *population,
                                  void **ret_user) {
  size_t d = sprint_population_n_features(population), n_classes = sprint_population_n_classes(population);
  struct gaming *own = *ret_user = sprint_settings_memory(settings, 1, sizeof *own);
  sprint_real *gradient = sprint_settings_memory(settings, PIECE * d, sizeof *gradient);
  if (!own || !gradient) return SPRINT_ERROR_MEMORY;
  int64_t good = sprint_settings_integer(settings, "good");
  if (good < 0 || (size_t)good >= n_classes)
    return sprint_settings_refuse(settings, "good", "there is no class %lld; the data has %zu", (long long)good,
                                  n_classes);
  *own = (struct gaming){model, d, sprint_settings_real(settings, "reach"), {0}, gradient};
  for (size_t i = 0; i < PIECE; i++) own->good[i] = (sprint_real)good;
  return SPRINT_OK;
}

/* x (n_features) moves against its gradient g. */
static void move(const struct gaming *own, const sprint_real *g, sprint_real *x) {
  double square = 0;
  for (size_t j = 0; j < own->n_features; j++) square += (double)g[j] * (double)g[j];
  sprint_real length = (sprint_real)(own->reach / (1 + sqrt(square)));
  for (size_t j = 0; j < own->n_features; j++) x[j] -= length * g[j];
}

static sprint_status gaming_respond(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                                    size_t n, sprint_real *x) {
  (void)who;
  (void)y;
  const struct gaming *own = user;
  for (size_t start = 0; start < n; start += PIECE) {
    sprint_real *part = x + start * own->n_features;
    sprint_batch batch = {.size = sizeof batch, .n = n - start < PIECE ? n - start : PIECE, .x = part, .y = own->good};
    sprint_status status = sprint_model_gradient(own->model, deployed, &batch, NULL, NULL, NULL, own->gradient);
    if (status != SPRINT_OK) return status;
    for (size_t i = 0; i < batch.n; i++) move(own, own->gradient + i * own->n_features, part + i * own->n_features);
  }
  return SPRINT_OK;
}

static const sprint_param gaming_params[] = {
    {.name = "reach",
     .type = SPRINT_PARAM_REAL,
     .standard = "0.5",
     .min = 0,
     .max = 1e6,
     .help = "how far a record moves at most"},
    {.name = "good",
     .type = SPRINT_PARAM_INTEGER,
     .standard = "0",
     .min = 0,
     .max = 1e6,
     .help = "the number of the class that everybody wants to be taken for"},
};

static const sprint_shift_kind gaming = {
    .size = sizeof gaming,
    .name = "gaming",
    .help = "everybody moves towards the class `good`, downhill on its loss, by at most `reach`",
    .params = gaming_params,
    .n_params = 2,
    .setup = gaming_setup,
    .respond = gaming_respond,
    .evals = 1,
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

static const sprint_shift_kind *const shifts[] = {&gaming};
static const sprint_loss_kind *const losses[] = {&hinge};
static const sprint_plugin plugin = {SPRINT_PLUGIN_HEAD, .shifts = shifts, .n_shifts = 1, .losses = losses,
                                     .n_losses = 1};

const sprint_plugin *sprint_plugin_entry(void) { return &plugin; }
