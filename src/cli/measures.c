/* Numbers by name: see measures.h. */
#include "measures.h"

#include "metrics.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Of the last row of the trace. */
static const struct {
  const char *name;
  size_t offset;
  bool count; /* uint64_t, else double */
} of_row[] = {
#define REAL(NAME) \
  { #NAME, offsetof(sprint_trace_row, NAME), false }
#define COUNT(NAME, FIELD) \
  { NAME, offsetof(sprint_trace_row, cost.FIELD), true }
    REAL(epoch),
    COUNT("step", steps),
    COUNT("ifo", ifo),
    COUNT("samples", samples),
    COUNT("deployments", deployments),
    COUNT("shift_evals", shift_evals),
    COUNT("unsolved", unsolved),
    REAL(loss),
    REAL(loss_base),
    REAL(loss_heldout),
    REAL(gradient_sq),
    REAL(displacement),
    REAL(effective_classes),
    REAL(bias),
    REAL(drift),
    REAL(kappa),
    REAL(distance),
};

static const sprint_metrics *metrics_of(const struct cli_saved *saved, sprint_set set) {
  return sprint_assessment_metrics(saved->assessment, set);
}

static double gradient_mean(const struct cli_saved *saved) {
  return sprint_assessment_gradient_mean(saved->assessment);
}

static double edge(const struct cli_saved *saved) { return sprint_assessment_edge(saved->assessment); }

static double loss_heldout_base(const struct cli_saved *saved) {
  const sprint_metrics *metrics = metrics_of(saved, SPRINT_SET_HELDOUT_BASE);
  return metrics ? metrics->loss : NAN;
}

/* What the same model's loss would be less by, had nobody reacted. */
static double shift_cost(const struct cli_saved *saved) { return saved->row.loss - saved->row.loss_base; }

static double shift_cost_heldout(const struct cli_saved *saved) {
  return saved->row.loss_heldout - loss_heldout_base(saved);
}

static const struct {
  const char *name;
  double (*of)(const struct cli_saved *saved);
} others[] = {
    {"gradient_sq_mean_after_start", gradient_mean}, {"edge", edge},
    {"loss_heldout_base", loss_heldout_base},        {"shift_cost", shift_cost},
    {"shift_cost_heldout", shift_cost_heldout},
};

enum {
  N_OF_ROW = sizeof of_row / sizeof of_row[0],
  N_OTHERS = sizeof others / sizeof others[0],
};

size_t cli_n_measures(void) { return N_OF_ROW + N_OTHERS + cli_n_metrics() * SPRINT_N_SETS; }

struct cli_measure_name cli_measure_name(size_t measure) {
  struct cli_measure_name name;
  size_t place = measure - N_OF_ROW - N_OTHERS, set = place % SPRINT_N_SETS;
  if (measure < N_OF_ROW)
    snprintf(name.text, sizeof name.text, "%s", of_row[measure].name);
  else if (measure < N_OF_ROW + N_OTHERS)
    snprintf(name.text, sizeof name.text, "%s", others[measure - N_OF_ROW].name);
  else
    snprintf(name.text, sizeof name.text, "%s%s%s", cli_metric_name(place / SPRINT_N_SETS),
             set == SPRINT_SET_DEPLOYED ? "" : "_", set == SPRINT_SET_DEPLOYED ? "" : sprint_set_word((sprint_set)set));
  return name;
}

double cli_measure_of(size_t measure, const struct cli_saved *saved) {
  size_t place = measure - N_OF_ROW - N_OTHERS;
  if (measure >= N_OF_ROW + N_OTHERS)
    return cli_metric_of(metrics_of(saved, (sprint_set)(place % SPRINT_N_SETS)), place / SPRINT_N_SETS);
  if (measure >= N_OF_ROW) return others[measure - N_OF_ROW].of(saved);
  const char *at = (const char *)&saved->row + of_row[measure].offset;
  double real;
  uint64_t count;
  memcpy(&real, at, sizeof real);
  memcpy(&count, at, sizeof count);
  return of_row[measure].count ? (double)count : real;
}

size_t cli_measure(const char *name) {
  size_t measure = 0;
  while (measure < cli_n_measures() && strcmp(cli_measure_name(measure).text, name) != 0) measure++;
  assert(measure < cli_n_measures());
  return measure;
}
