/* Losses of plugins: one record at a time. What the outputs mean they share with a loss of the library's. */
#include "model/loss.h"
#include "plugin/plugin.h"

struct adapter {
  struct sprint__loss_ops ops; /* first: a loss's ops lead to the adapter */
  sprint_loss_kind own;
};

static const sprint_loss_kind *kind_of(const struct sprint__loss *loss) {
  return &((const struct adapter *)loss->ops)->own;
}

static sprint_status adapter_setup(struct sprint__loss *loss, const struct sprint__section *section,
                                   struct sprint__arena *arena) {
  const sprint_loss_kind *own = kind_of(loss);
  if (!own->setup) return SPRINT_OK;
  sprint_settings settings = sprint__settings_begin(section, arena);
  return sprint__settings_end(&settings, own->setup(&settings, loss->n_classes, &loss->impl));
}

static bool is_right(const struct sprint__loss *loss, const sprint_real *f, sprint_real y) {
  size_t best = 0;
  if (kind_of(loss)->outputs == SPRINT_OUTPUTS_SIDE) return (f[0] > 0) == (y > 0);
  for (size_t j = 1; j < loss->n_outputs; j++)
    if (f[j] > f[best]) best = j;
  return best == (size_t)y;
}

static double adapter_sum(const struct sprint__loss *loss, const sprint_real *f, const sprint_real *y, size_t n,
                          sprint_real *delta, struct sprint__tally *tally) {
  const sprint_loss_kind *own = kind_of(loss);
  size_t k = loss->n_outputs;
  double sum = 0;
  for (size_t i = 0; i < n; i++, f += k) {
    double row = own->row(loss->impl, f, k, y[i], delta ? delta + i * k : NULL);
    sum += row;
    if (tally && loss->ops->classifies) tally->correct += is_right(loss, f, y[i]);
    if (tally && tally->losses) tally->losses[i] = row;
  }
  return sum;
}

/* The library's loss whose outputs mean the same; NULL: there is no such meaning. */
static const sprint_kind *like(sprint_outputs outputs) {
  switch (outputs) {
    case SPRINT_OUTPUTS_VALUE:
      return &sprint__loss_squared;
    case SPRINT_OUTPUTS_SIDE:
      return &sprint__loss_logistic;
    case SPRINT_OUTPUTS_CLASSES:
      return &sprint__loss_softmax;
  }
  return NULL;
}

static sprint_status add_loss(struct sprint__plugin *plugin, struct adapter *adapter) {
  const sprint_loss_kind *own = &adapter->own;
  const sprint_kind *model = like(own->outputs);
  SPRINT__TRY(sprint__plugin_add(plugin, &sprint__loss_family, SPRINT__PLUGIN_KIND(own, &adapter->ops)));
  SPRINT__TRY(sprint__plugin_needs(plugin, &sprint__loss_family, own->name, "row", own->row));
  SPRINT__TRY(sprint__plugin_needs(plugin, &sprint__loss_family, own->name, "meaning of its outputs", model));
  adapter->ops = *(const struct sprint__loss_ops *)model->ops;
  adapter->ops.setup = adapter_setup;
  adapter->ops.sum = adapter_sum;
  adapter->ops.interleaved = NULL;
  return SPRINT_OK;
}

sprint_status sprint__plugin_losses(struct sprint__plugin *plugin) {
  for (size_t i = 0; i < plugin->own.n_losses; i++) {
    struct adapter *adapter = NULL;
    SPRINT__PLUGIN_ADAPTER(plugin, sprint_loss_kind, plugin->own.losses[i], adapter);
    SPRINT__TRY(add_loss(plugin, adapter));
  }
  return SPRINT_OK;
}
