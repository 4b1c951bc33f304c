/* Plugins that must be refused, all in one: SPRINT_BAD_PLUGIN says which one it is to be. */
#include <stdlib.h>
#include <string.h>

#include "sprint.h"

static sprint_status respond(void *user, const sprint_real *deployed, const uint32_t *who, const sprint_real *y,
                             size_t n, sprint_real *x) {
  (void)user;
  (void)deployed;
  (void)who;
  (void)y;
  (void)n;
  (void)x;
  return SPRINT_OK;
}

static void batch(void *user, sprint_method_step *step, sprint_real *ret_v) {
  (void)user;
  (void)step;
  (void)ret_v;
}

static double row(const void *user, const sprint_real *f, size_t n_outputs, sprint_real y, sprint_real *ret_slope) {
  (void)user;
  (void)f;
  (void)n_outputs;
  (void)y;
  (void)ret_slope;
  return 0;
}

static bool snapshot(void *user, const sprint_method_step *step) {
  (void)user;
  (void)step;
  return true;
}

/* Tests load one after the other, so that what they find here may change in between. */
static sprint_param param, both_params[2];
static struct {
  sprint_shift_kind kind;
  const char *more; /* a field of some later version */
} newer;
static sprint_method_kind method;
static sprint_loss_kind loss;
static const sprint_shift_kind *shifts[2];
static const sprint_method_kind *methods[1];
static const sprint_loss_kind *losses[1];
static const sprint_step_kind step = {.size = sizeof step, .name = "bad", .help = "bad"}, *const steps[] = {&step};
static sprint_plugin plugin;

static void start_afresh(void) {
  param = (sprint_param){.name = "alpha", .type = SPRINT_PARAM_REAL, .standard = "1", .min = 0, .max = 2, .help = "a"};
  newer.more = "used";
  newer.kind = (sprint_shift_kind){
      .size = sizeof newer.kind, .name = "bad", .help = "bad", .params = &param, .n_params = 1, .respond = respond};
  method = (sprint_method_kind){.size = sizeof method, .name = "bad", .help = "bad", .batch = batch};
  loss = (sprint_loss_kind){.size = sizeof loss, .name = "bad", .help = "bad"};
  shifts[0] = shifts[1] = &newer.kind;
  methods[0] = &method;
  losses[0] = &loss;
  plugin = (sprint_plugin){SPRINT_PLUGIN_HEAD, .shifts = shifts, .n_shifts = 1};
}

static void bring_method(void) {
  plugin.methods = methods;
  plugin.n_methods = 1;
}

static void bring_loss(void) {
  plugin.losses = losses;
  plugin.n_losses = 1;
}

/* Each line makes one thing wrong. */
static void spoil(const char *what) {
#define CASE(NAME, ...) \
  if (strcmp(what, NAME) == 0) __VA_ARGS__;
  CASE("version", plugin.version = "0.0.9")
  CASE("no-version", plugin.version = NULL)
  CASE("no-precision", plugin.precision = NULL)
  CASE("precision", plugin.precision = sizeof(sprint_real) == 8 ? "float" : "double")
  CASE("size", plugin.size = 0)
  CASE("nothing", plugin.n_shifts = 0)
  CASE("null-list", plugin.shifts = NULL)
  CASE("many", plugin.n_shifts = 100000)
  CASE("null-kind", shifts[0] = NULL)
  CASE("kind-size", newer.kind.size = 3)
  CASE("newer", newer.kind.size = sizeof newer)
  CASE("no-name", newer.kind.name = NULL)
  CASE("odd-name", newer.kind.name = "Bad Shift")
  CASE("long-name", newer.kind.name = "a-name-that-is-longer-than-any-name-of-a-kind-could-ever-need-to-be-to-tell-it")
  CASE("taken", newer.kind.name = "linear")
  CASE("twice", plugin.n_shifts = 2)
  CASE("no-help", newer.kind.help = NULL)
  CASE("no-params", newer.kind.params = NULL)
  CASE("params", newer.kind.n_params = 1000)
  CASE("odd-key", param.name = "a b")
  CASE("kind-key", param.name = "kind")
  CASE("twice-key", both_params[0] = both_params[1] = param, newer.kind.params = both_params, newer.kind.n_params = 2)
  CASE("type", param.type = SPRINT_PARAM_KIND)
  CASE("choices", param.type = SPRINT_PARAM_CHOICE)
  CASE("param-help", param.help = NULL)
  CASE("default", param.standard = "abc")
  CASE("range", param.standard = "3")
  CASE("no-respond", newer.kind.respond = NULL)
  CASE("no-batch", method.batch = NULL, bring_method())
  CASE("no-population", method.snapshot = snapshot, bring_method())
  CASE("no-snapshot", method.coupled = true, bring_method())
  CASE("batch-key", param.name = "batch", method.params = &param, method.n_params = 1, plugin.n_shifts = 0,
       bring_method())
  CASE("no-row", bring_loss())
  CASE("no-meaning", loss.row = row, loss.outputs = (sprint_outputs)7, bring_loss())
  CASE("taken-loss", loss.row = row, loss.name = "squared", bring_loss())
  CASE("no-size", plugin.steps = steps, plugin.n_steps = 1)
#undef CASE
}

const sprint_plugin *sprint_plugin_entry(void) {
  const char *what = getenv("SPRINT_BAD_PLUGIN");
  start_afresh();
  if (what && strcmp(what, "null") == 0) return NULL;
  spoil(what ? what : "");
  return &plugin;
}
