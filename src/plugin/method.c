/* Methods of plugins: v from everybody's records or from a batch. They declare nothing that a fast engine could use. */
#include <string.h>

#include "plugin/plugin.h"
#include "solver/solver.h"

struct adapter {
  struct sprint__estimator_ops ops; /* first: an estimator leads to the adapter */
  sprint_method_kind own;
};

/* Of a solver. */
struct method {
  void *user;
  bool shown;                /* there has been a snapshot, */
  uint64_t shown_step;       /* so many steps after the start, */
  uint64_t shown_deployment; /* of this deployment */
};

/* A step, and the records as the model takes them. */
struct step {
  sprint_method_step seen; /* first: that is what a plugin gives back */
  const struct sprint__rows *rows;
};

static const sprint_method_kind *kind_of(const sprint_solver *solver) {
  return &((const struct adapter *)solver->estimator)->own;
}

static struct step step_of(const sprint_solver *solver) {
  return (struct step){.seen = {.size = sizeof(sprint_method_step),
                                .model = solver->model,
                                .n_params = solver->n_params,
                                .theta = solver->theta,
                                .n = solver->n,
                                .batch = solver->batch,
                                .step = solver->cost.steps,
                                .epoch = solver->cost.epochs,
                                .epoch_step = solver->epoch_step,
                                .inner = solver->inner,
                                .deployment = solver->cost.deployments,
                                .seed = solver->seed}};
}

static sprint_status adapter_setup(sprint_solver *solver, const struct sprint__section *section) {
  const sprint_method_kind *own = kind_of(solver);
  struct method *method = solver->impl = sprint__arena_take(&solver->arena, 1, sizeof *method);
  if (!method) return SPRINT_ERROR_MEMORY;
  solver->coupled = solver->anchors = own->coupled;
  if (solver->n == 0 && (own->full || own->snapshot))
    return sprint__refuse(section, "kind", "'%s' looks at everybody, and this population has no end",
                          section->kind->name);
  if (!own->setup) return SPRINT_OK;
  sprint_settings settings = sprint__settings_begin(section, &solver->arena);
  return sprint__settings_end(&settings, own->setup(&settings, solver->model, &method->user));
}

/* A snapshot is asked about once a step: one that leaves v open is not wanted again. */
static bool wants_snapshot(const sprint_solver *solver) {
  const sprint_method_kind *own = kind_of(solver);
  const struct method *method = solver->impl;
  if (!own->snapshot || (method->shown && method->shown_step == solver->cost.steps)) return false;
  struct step step = step_of(solver);
  return own->snapshot(method->user, &step.seen);
}

static bool adapter_want(const sprint_solver *solver, sprint_want *ret_want) {
  const sprint_method_kind *own = kind_of(solver);
  const struct method *method = solver->impl;
  bool snapshot = !own->full && wants_snapshot(solver);
  ret_want->kind = own->full || snapshot ? SPRINT_WANT_POPULATION : SPRINT_WANT_BATCH;
  if (ret_want->kind == SPRINT_WANT_BATCH && own->coupled && method->shown)
    ret_want->reference = method->shown_deployment;
  return snapshot;
}

static bool adapter_population(sprint_solver *solver, const struct sprint__strata_sums *everybody,
                               struct sprint__estimate *ret_estimate) {
  const sprint_method_kind *own = kind_of(solver);
  struct method *method = solver->impl;
  struct step step = step_of(solver);
  struct sprint__strata_parts parts = sprint__strata_parts_of(everybody);
  sprint__strata_mean(solver->context, &parts, everybody->p, solver->direction, NULL);
  method->shown = true;
  method->shown_step = solver->cost.steps;
  method->shown_deployment = solver->cost.deployments;
  step.seen.loss = ret_estimate->loss;
  return own->population(method->user, &step.seen, solver->direction) || own->full;
}

static bool adapter_batch(sprint_solver *solver, const sprint_records *records, const struct sprint__rows *rows,
                          struct sprint__estimate *ret_estimate) {
  struct step step = step_of(solver);
  step.rows = rows;
  step.seen.records = records;
  kind_of(solver)->batch(((struct method *)solver->impl)->user, &step.seen, solver->direction);
  ret_estimate->scale = 1;
  ret_estimate->loss = step.seen.loss;
  ret_estimate->ifo = step.seen.ifo;
  return true;
}

/* What a step that looks at a record once takes; a snapshot, at most one an epoch. */
static double adapter_ifo(const sprint_solver *solver) {
  const sprint_method_kind *own = kind_of(solver);
  double drawn = (double)solver->inner * (double)(own->full ? solver->n : solver->batch);
  return drawn + (own->snapshot && !own->full ? (double)solver->n : 0);
}

/* g (n_params), sums over the step's records, become means; the loss is that at the step's theta. */
static void finish(sprint_method_step *step, const struct sprint__sums *sums, bool at_theta, unsigned ifo,
                   sprint_real *g) {
  size_t n = step->records->n;
  sprint_real scale = (sprint_real)(1.0 / (double)n);
  for (size_t i = 0; i < step->n_params; i++) g[i] *= scale;
  if (at_theta) step->loss = sums->loss / (double)n;
  step->ifo += ifo * n;
}

void sprint_method_gradient(sprint_method_step *step, const sprint_real *theta, sprint_real *ret_gradient) {
  if (!step || !theta || !ret_gradient) return;
  struct sprint__sums sums = {0, 0, ret_gradient};
  sprint__model_sums(step->model, theta, ((const struct step *)step)->rows, &sums, NULL);
  finish(step, &sums, theta == step->theta, 1, ret_gradient);
}

void sprint_method_difference(sprint_method_step *step, const sprint_real *theta, bool at_reference,
                              sprint_real *ret_difference) {
  if (!step || !theta || !ret_difference) return;
  struct sprint__sums sums = {0, 0, ret_difference};
  sprint__model_difference(step->model, step->theta, theta, ((const struct step *)step)->rows,
                           at_reference ? step->records->x_reference : NULL, &sums);
  finish(step, &sums, true, 2, ret_difference);
}

static sprint_status add_method(struct sprint__plugin *plugin, struct adapter *adapter) {
  const sprint_method_kind *own = &adapter->own;
  const sprint_family *family = &sprint__method_family;
  sprint_kind kind = *SPRINT__PLUGIN_KIND(own, &adapter->ops);
  kind.cites = own->cites;
  kind.cost = own->cost;
  kind.memory = own->memory;
  SPRINT__TRY(sprint__plugin_add(plugin, family, &kind));
  SPRINT__TRY(sprint__plugin_needs(plugin, family, own->name, "batch", own->full || own->batch));
  SPRINT__TRY(
      sprint__plugin_needs(plugin, family, own->name, "population", !(own->full || own->snapshot) || own->population));
  SPRINT__TRY(sprint__plugin_needs(plugin, family, own->name, "snapshot, which it is coupled to",
                                   !own->coupled || own->snapshot));
  adapter->ops = (struct sprint__estimator_ops){
      .setup = adapter_setup,
      .want = adapter_want,
      .population = adapter_population,
      .batch = adapter_batch,
      .ifo_per_epoch = adapter_ifo,
      .unbiased = own->unbiased,
      .full = own->full,
  };
  return SPRINT_OK;
}

sprint_status sprint__plugin_methods(struct sprint__plugin *plugin) {
  for (size_t i = 0; i < plugin->own.n_methods; i++) {
    struct adapter *adapter = NULL;
    SPRINT__PLUGIN_ADAPTER(plugin, sprint_method_kind, plugin->own.methods[i], adapter);
    SPRINT__TRY(add_method(plugin, adapter));
  }
  return SPRINT_OK;
}
