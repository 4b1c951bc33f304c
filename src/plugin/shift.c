/* Shifts of plugins: callbacks, as those of sprint_shift_new_custom. */
#include "shift/shift.h"
#include "plugin/plugin.h"

struct adapter {
  struct sprint__shift_ops ops; /* first: a kind's ops lead to the adapter */
  sprint_shift_kind own;
};

static sprint_status adapter_setup(sprint_shift *shift, const struct sprint__section *section) {
  const sprint_shift_kind *own = &((const struct adapter *)section->kind->ops)->own;
  sprint_shift_callbacks callbacks = {sizeof callbacks, NULL, own->respond, own->strata, own->deployed, own->evals};
  if (own->setup) {
    sprint_settings settings = sprint__settings_begin(section, &shift->arena);
    sprint_status status = own->setup(&settings, shift->model, shift->population, &callbacks.user);
    SPRINT__TRY(sprint__settings_end(&settings, status));
  }
  return sprint__shift_take_callbacks(shift, &callbacks);
}

sprint_status sprint__plugin_shifts(struct sprint__plugin *plugin) {
  for (size_t i = 0; i < plugin->own.n_shifts; i++) {
    struct adapter *adapter = NULL;
    SPRINT__PLUGIN_ADAPTER(plugin, sprint_shift_kind, plugin->own.shifts[i], adapter);
    const sprint_shift_kind *own = &adapter->own;
    adapter->ops = (struct sprint__shift_ops){.setup = adapter_setup};
    SPRINT__TRY(sprint__plugin_add(plugin, &sprint__shift_family, SPRINT__PLUGIN_KIND(own, &adapter->ops)));
    SPRINT__TRY(sprint__plugin_needs(plugin, &sprint__shift_family, own->name, "respond or strata",
                                     own->respond || own->strata));
  }
  return SPRINT_OK;
}
