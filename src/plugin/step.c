/* Step rules of plugins. One that has no `turn` leaves v as it is, and a fast engine may take its steps. */
#include "plugin/plugin.h"
#include "solver/solver.h"

struct adapter {
  struct sprint__schedule_ops ops; /* first: a schedule's ops lead to the adapter */
  sprint_step_kind own;
};

/* Of a schedule. */
struct rule {
  void *user;
  sprint_real *turned; /* (n_params); NULL where nothing turns */
};

static const sprint_step_kind *kind_of(const struct sprint__schedule *schedule) {
  return &((const struct adapter *)schedule->ops)->own;
}

static sprint_status adapter_setup(struct sprint__schedule *schedule, const struct sprint__section *section,
                                   uint64_t planned_steps) {
  const sprint_step_kind *own = kind_of(schedule);
  struct rule *rule = schedule->impl = sprint__arena_take(schedule->arena, 1, sizeof *rule);
  if (!rule) return SPRINT_ERROR_MEMORY;
  if (own->turn) rule->turned = sprint__arena_take(schedule->arena, schedule->n_params, sizeof *rule->turned);
  SPRINT__TRY(sprint__arena_status(schedule->arena));
  if (!own->setup) return SPRINT_OK;
  sprint_settings settings = sprint__settings_begin(section, schedule->arena);
  sprint_step_frame frame = {sizeof frame, schedule->n_params, planned_steps, schedule->inner};
  return sprint__settings_end(&settings, own->setup(&settings, &frame, &rule->user));
}

static double adapter_size(const struct sprint__schedule *schedule, uint64_t step) {
  return kind_of(schedule)->size_of(((const struct rule *)schedule->impl)->user, step);
}

static const sprint_real *adapter_turn(struct sprint__schedule *schedule, const sprint_real *v, uint64_t step) {
  struct rule *rule = schedule->impl;
  kind_of(schedule)->turn(rule->user, step, v, rule->turned);
  return rule->turned;
}

sprint_status sprint__plugin_steps(struct sprint__plugin *plugin) {
  for (size_t i = 0; i < plugin->own.n_steps; i++) {
    struct adapter *adapter = NULL;
    SPRINT__PLUGIN_ADAPTER(plugin, sprint_step_kind, plugin->own.steps[i], adapter);
    const sprint_step_kind *own = &adapter->own;
    adapter->ops = (struct sprint__schedule_ops){adapter_setup, adapter_size, own->turn ? adapter_turn : NULL};
    SPRINT__TRY(sprint__plugin_add(plugin, &sprint__step_family, SPRINT__PLUGIN_KIND(own, &adapter->ops)));
    SPRINT__TRY(sprint__plugin_needs(plugin, &sprint__step_family, own->name, "size_of", own->size_of));
  }
  return SPRINT_OK;
}
