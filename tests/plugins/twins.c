/* Kinds of the library's written again as a plugin, the plain way: they must give the same numbers. And what a test can
 * only see from within a plugin: settings of all types, setups and callbacks that fail. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprint.h"

/* ---- methods: sgd, rgd, and sprint with the correction `coupled` */

static void sgd_batch(void *user, sprint_method_step *step, sprint_real *ret_v) {
  (void)user;
  sprint_method_gradient(step, step->theta, ret_v);
}

static const sprint_method_kind sgd = {
    .size = sizeof sgd, .name = "sgd-twin", .help = "sgd", .unbiased = true, .batch = sgd_batch};

static bool rgd_population(void *user, sprint_method_step *step, sprint_real *v) {
  (void)user;
  (void)step;
  (void)v;
  return true;
}

static const sprint_method_kind rgd = {.size = sizeof rgd,
                                       .name = "rgd-twin",
                                       .help = "rgd",
                                       .full = true,
                                       .unbiased = true,
                                       .population = rgd_population};

struct coupled {
  sprint_real *anchor, *snapshot;
};

static sprint_status coupled_setup(sprint_settings *settings, sprint_model *model, void **ret_user) {
  struct coupled *own = *ret_user = sprint_settings_memory(settings, 1, sizeof *own);
  if (!own) return SPRINT_ERROR_MEMORY;
  own->anchor = sprint_settings_memory(settings, sprint_model_n_params(model), sizeof *own->anchor);
  own->snapshot = sprint_settings_memory(settings, sprint_model_n_params(model), sizeof *own->snapshot);
  return own->snapshot ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static bool coupled_snapshot(void *user, const sprint_method_step *step) {
  (void)user;
  return step->epoch_step == 0;
}

static bool coupled_population(void *user, sprint_method_step *step, sprint_real *v) {
  struct coupled *own = user;
  memcpy(own->anchor, step->theta, step->n_params * sizeof *v);
  memcpy(own->snapshot, v, step->n_params * sizeof *v);
  return false;
}

static void coupled_batch(void *user, sprint_method_step *step, sprint_real *ret_v) {
  const struct coupled *own = user;
  sprint_method_difference(step, own->anchor, true, ret_v);
  for (size_t i = 0; i < step->n_params; i++) ret_v[i] += own->snapshot[i];
}

static const sprint_method_kind coupled = {.size = sizeof coupled,
                                           .name = "coupled-twin",
                                           .help = "sprint, coupled",
                                           .coupled = true,
                                           .setup = coupled_setup,
                                           .snapshot = coupled_snapshot,
                                           .population = coupled_population,
                                           .batch = coupled_batch};

/* ---- shifts: linear best response, and one that remembers deployments */

struct linear {
  size_t d;
  sprint_real epsilon;
};

static sprint_status linear_setup(sprint_settings *settings, sprint_model *model, const sprint_population *population,
                                  void **ret_user) {
  (void)model;
  struct linear *own = *ret_user = sprint_settings_memory(settings, 1, sizeof *own);
  if (!own) return SPRINT_ERROR_MEMORY;
  own->d = sprint_population_n_features(population);
  own->epsilon = (sprint_real)sprint_settings_real(settings, "epsilon");
  return SPRINT_OK;
}

static sprint_status linear_respond(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                                    size_t n, sprint_real *x) {
  (void)who;
  (void)y;
  const struct linear *own = user;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < own->d; j++) x[i * own->d + j] -= own->epsilon * deployed[j];
  return SPRINT_OK;
}

static const sprint_param linear_params[] = {
    {.name = "epsilon", .type = SPRINT_PARAM_REAL, .standard = "1", .min = -1e6, .max = 1e6, .help = "strength"}};

static const sprint_shift_kind linear = {.size = sizeof linear,
                                         .name = "linear-twin",
                                         .help = "linear",
                                         .params = linear_params,
                                         .n_params = 1,
                                         .setup = linear_setup,
                                         .respond = linear_respond};

/* Classes show up by how often somebody has deployed: p_0 = 1 / (2 + deployments), the others share the rest. */
struct counting {
  size_t n_strata, n_deployed;
};

static sprint_status counting_setup(sprint_settings *settings, sprint_model *model, const sprint_population *population,
                                    void **ret_user) {
  (void)model;
  struct counting *own = *ret_user = sprint_settings_memory(settings, 1, sizeof *own);
  if (!own) return SPRINT_ERROR_MEMORY;
  own->n_strata = sprint_population_n_strata(population);
  return SPRINT_OK;
}

static sprint_status counting_strata(void *user, const sprint_real *deployed, double *ret_p) {
  (void)deployed;
  const struct counting *own = user;
  ret_p[0] = own->n_strata > 1 ? 1 / (2 + (double)own->n_deployed) : 1;
  for (size_t c = 1; c < own->n_strata; c++) ret_p[c] = (1 - ret_p[0]) / (double)(own->n_strata - 1);
  return SPRINT_OK;
}

static sprint_status counting_deployed(void *user, const sprint_real *theta) {
  (void)theta;
  ((struct counting *)user)->n_deployed++;
  return SPRINT_OK;
}

static const sprint_shift_kind counting = {.size = sizeof counting,
                                           .name = "counting",
                                           .help = "remembers deployments",
                                           .setup = counting_setup,
                                           .strata = counting_strata,
                                           .deployed = counting_deployed};

/* ---- a shift that says what it is told, and does what it is told to */

static void say_end(void *user) {
  FILE *stream = fopen(user, "a");
  if (stream) fputs("ended\n", stream), fclose(stream);
}

static sprint_status speaking_setup(sprint_settings *settings, sprint_model *model, const sprint_population *population,
                                    void **ret_user) {
  (void)model;
  (void)population;
  const char *task = sprint_settings_text(settings, "task"), *file = sprint_settings_text(settings, "file");
  *ret_user = sprint_settings_context(settings);
  if (strcmp(task, "unknown-key") == 0) sprint_settings_real(settings, "sizes");
  if (strcmp(task, "wrong-type") == 0) sprint_settings_integer(settings, "real");
  if (strcmp(task, "silent") == 0) return SPRINT_ERROR_CALLBACK;
  if (strcmp(task, "refuse") == 0) return sprint_settings_refuse(settings, "real", "%d is too odd", 7);
  if (!*file) return SPRINT_OK;
  char *copy = sprint_settings_memory(settings, strlen(file) + 1, 1);
  FILE *stream = fopen(file, "w");
  size_t n_reals = 0, n_texts = 0;
  const double *reals = sprint_settings_reals(settings, "reals", &n_reals);
  const char *const *texts = sprint_settings_texts(settings, "texts", &n_texts);
  if (!copy || !stream) return SPRINT_ERROR_IO;
  sprint_settings_at_end(settings, say_end, strcpy(copy, file));
  fprintf(stream, "%g %lld %d %s %zu", sprint_settings_real(settings, "real"),
          (long long)sprint_settings_integer(settings, "integer"), sprint_settings_flag(settings, "flag"),
          sprint_settings_text(settings, "choice"), n_reals);
  for (size_t i = 0; i < n_reals; i++) fprintf(stream, " %g", reals[i]);
  for (size_t i = 0; i < n_texts; i++) fprintf(stream, " %s", texts[i]);
  fputc('\n', stream);
  return fclose(stream) == 0 ? SPRINT_OK : SPRINT_ERROR_IO;
}

static sprint_status speaking_respond(void *user, const sprint_real *deployed, const uint32_t *who,
                                      const sprint_real *y, size_t n, sprint_real *x) {
  (void)deployed;
  (void)who;
  (void)y;
  (void)x;
  return n == 13 ? sprint_fail(user, SPRINT_ERROR_CALLBACK, "thirteen of them") : SPRINT_OK;
}

static const sprint_param speaking_params[] = {
    {.name = "task",
     .type = SPRINT_PARAM_CHOICE,
     .standard = "none",
     .choices = "none|unknown-key|wrong-type|silent|refuse",
     .help = "what goes wrong"},
    {.name = "file", .type = SPRINT_PARAM_TEXT, .standard = "", .help = "where to say it"},
    {.name = "real", .type = SPRINT_PARAM_REAL, .standard = "0.5", .help = "a number"},
    {.name = "integer", .type = SPRINT_PARAM_INTEGER, .standard = "3", .min = 1, .max = 9, .help = "a whole number"},
    {.name = "flag", .type = SPRINT_PARAM_BOOL, .standard = "true", .help = "yes or no"},
    {.name = "choice", .type = SPRINT_PARAM_CHOICE, .standard = "b", .choices = "a|b", .help = "one of two"},
    {.name = "reals", .type = SPRINT_PARAM_REALS, .standard = "1, 2.5", .help = "numbers"},
    {.name = "texts", .type = SPRINT_PARAM_TEXTS, .standard = "x, y", .help = "texts"},
};

static const sprint_shift_kind speaking = {.size = sizeof speaking,
                                           .name = "speaking",
                                           .help = "for tests",
                                           .params = speaking_params,
                                           .n_params = sizeof speaking_params / sizeof speaking_params[0],
                                           .setup = speaking_setup,
                                           .respond = speaking_respond};

/* ---- losses, one of each meaning */

static double squared_row(const void *user, const sprint_real *f, size_t n_outputs, sprint_real y,
                          sprint_real *ret_slope) {
  (void)user;
  (void)n_outputs;
  double error = (double)f[0] - (double)y;
  if (ret_slope) *ret_slope = (sprint_real)error;
  return error * error / 2;
}

static double logistic_row(const void *user, const sprint_real *f, size_t n_outputs, sprint_real y,
                           sprint_real *ret_slope) {
  (void)user;
  (void)n_outputs;
  double side = y > 0 ? 1 : -1, margin = side * (double)f[0], e = exp(-fabs(margin));
  if (ret_slope) *ret_slope = (sprint_real)(-side * (margin < 0 ? 1 : e) / (1 + e));
  return (margin < 0 ? -margin : 0) + log1p(e);
}

static double softmax_row(const void *user, const sprint_real *f, size_t n_outputs, sprint_real y,
                          sprint_real *ret_slope) {
  (void)user;
  double top = (double)f[0], sum = 0;
  for (size_t j = 1; j < n_outputs; j++) top = fmax(top, (double)f[j]);
  for (size_t j = 0; j < n_outputs; j++) sum += exp((double)f[j] - top);
  for (size_t j = 0; ret_slope && j < n_outputs; j++)
    ret_slope[j] = (sprint_real)(exp((double)f[j] - top) / sum - (j == (size_t)y));
  return log(sum) + top - (double)f[(size_t)y];
}

static const sprint_loss_kind squared = {
    .size = sizeof squared, .name = "squared-twin", .help = "", .outputs = SPRINT_OUTPUTS_VALUE, .row = squared_row};
static const sprint_loss_kind logistic = {
    .size = sizeof logistic, .name = "logistic-twin", .help = "", .outputs = SPRINT_OUTPUTS_SIDE, .row = logistic_row};
static const sprint_loss_kind softmax = {
    .size = sizeof softmax, .name = "softmax-twin", .help = "", .outputs = SPRINT_OUTPUTS_CLASSES, .row = softmax_row};

/* ---- step rules: constant, and momentum */

struct momentum {
  size_t n_params;
  double size;
  sprint_real beta, *u;
};

static sprint_status momentum_setup(sprint_settings *settings, const sprint_step_frame *frame, void **ret_user) {
  struct momentum *own = *ret_user = sprint_settings_memory(settings, 1, sizeof *own);
  if (!own) return SPRINT_ERROR_MEMORY;
  own->n_params = frame->n_params;
  own->size = sprint_settings_real(settings, "size");
  own->beta = (sprint_real)0.9;
  own->u = sprint_settings_memory(settings, frame->n_params, sizeof *own->u);
  return own->u ? SPRINT_OK : SPRINT_ERROR_MEMORY;
}

static double momentum_size(const void *user, uint64_t step) {
  (void)step;
  return ((const struct momentum *)user)->size;
}

static void momentum_turn(void *user, uint64_t step, const sprint_real *v, sprint_real *ret_u) {
  (void)step;
  struct momentum *own = user;
  for (size_t i = 0; i < own->n_params; i++) own->u[i] = own->beta * own->u[i] + v[i];
  memcpy(ret_u, own->u, own->n_params * sizeof *ret_u);
}

static const sprint_param size_params[] = {
    {.name = "size", .type = SPRINT_PARAM_REAL, .standard = "0.1", .min = 1e-9, .max = 1, .help = "gamma"}};

static const sprint_step_kind constant = {.size = sizeof constant,
                                          .name = "constant-twin",
                                          .help = "",
                                          .params = size_params,
                                          .n_params = 1,
                                          .setup = momentum_setup,
                                          .size_of = momentum_size};
static const sprint_step_kind momentum = {.size = sizeof momentum,
                                          .name = "momentum-twin",
                                          .help = "",
                                          .params = size_params,
                                          .n_params = 1,
                                          .setup = momentum_setup,
                                          .size_of = momentum_size,
                                          .turn = momentum_turn};

static const sprint_step_kind *const steps[] = {&constant, &momentum};
static const sprint_method_kind *const methods[] = {&sgd, &rgd, &coupled};
static const sprint_shift_kind *const shifts[] = {&linear, &counting, &speaking};
static const sprint_loss_kind *const losses[] = {&squared, &logistic, &softmax};
static const sprint_plugin plugin = {SPRINT_PLUGIN_HEAD, .methods = methods, .n_methods = 3,
                                     .shifts = shifts,   .n_shifts = 3,      .losses = losses,
                                     .n_losses = 3,      .steps = steps,     .n_steps = 2};

const sprint_plugin *sprint_plugin_entry(void) { return &plugin; }
