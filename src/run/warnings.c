/* What a person should know before acting on a run: one sentence each, where there is a reason. */
#include <math.h>

#include "run/assessment.h"

/* Standard errors from which on the drift meter's reading is no noise. */
#define SURE 3
/* Of 2, from which on theta runs away. */
#define EDGE 1.5
/* Of the classes beyond the first, the part that is left where a population has collapsed. */
#define COLLAPSED 0.25

struct look {
  sprint_assessment *assessment;
  const sprint_run *run;
  const sprint_trace_row *last;
};

/* Takes a new sentence over. */
static sprint_status warn(const struct look *look, sprint_warning_kind kind, char *sentence) {
  look->assessment->warnings[kind] = sprint__arena_keep(&look->assessment->arena, sentence);
  return sprint__arena_status(&look->assessment->arena);
}

static sprint_status look_at_stop(const struct look *look) {
  sprint_context *context = look->run->context;
  sprint_stop stop = look->run->solver->stop;
  const char *why = sprint_stop_text(stop);
  double epoch = look->last->epoch;
  switch (stop) {
    case SPRINT_STOP_DIVERGED:
      return warn(look, SPRINT_WARNING_DIVERGED,
                  sprint__printf(context, "diverged at epoch %.4g: %s; a smaller step, or `sprint check`, may help",
                                 epoch, why));
    case SPRINT_STOP_REQUESTED:
      return warn(look, SPRINT_WARNING_INTERRUPTED,
                  sprint__printf(context, "was stopped at epoch %.4g, before any of its bounds", epoch));
    case SPRINT_STOP_STALLED:
      return warn(look, SPRINT_WARNING_STALLED, sprint__printf(context, "stalled at epoch %.4g: %s", epoch, why));
    case SPRINT_STOP_STREAM:
      return warn(look, SPRINT_WARNING_ENDED,
                  sprint__printf(context, "%s at epoch %.4g, before any of the bounds under `stop`", why, epoch));
    default:
      return SPRINT_OK;
  }
}

/* Effective classes of the base population: exp of the entropy of their shares. */
static double base_classes(const sprint_population *population) {
  double entropy = 0;
  for (size_t c = 0; c < population->n_strata; c++)
    if (population->base_p[c] > 0) entropy -= population->base_p[c] * log(population->base_p[c]);
  return exp(entropy);
}

static sprint_status look_at_classes(const struct look *look) {
  const sprint_population *population = look->run->shift->population;
  double left = look->last->effective_classes, base = base_classes(population);
  if (!(base > 1) || !(left - 1 < COLLAPSED * (base - 1))) return SPRINT_OK;
  return warn(
      look, SPRINT_WARNING_COLLAPSED,
      sprint__printf(look->run->context, "the population collapsed onto few classes: %.3g of %zu are left in effect",
                     left, population->n_classes));
}

/* Whether the method leans on a snapshot that no longer holds. */
static sprint_status look_at_bias(const struct look *look) {
  const sprint_trace_row *row = look->last;
  double drift = row->drift > SURE * row->drift_noise ? row->drift : 0, bias = isnan(row->bias) ? drift : row->bias;
  if (!(bias * bias > row->gradient_sq)) return SPRINT_OK;
  return warn(look, SPRINT_WARNING_BIASED,
              sprint__printf(look->run->context,
                             "its steps are biased beyond the gradient itself (%.3g, |grad J| %.3g); `correction: "
                             "unbiased` with full snapshots has no bias",
                             bias, sqrt(row->gradient_sq)));
}

static sprint_status look_at_edge(const struct look *look) {
  double edge = look->assessment->edge;
  if (edge < 0 && look->assessment->verdict == SPRINT_VERDICT_UNSTABLE)
    return warn(look, SPRINT_WARNING_EDGE,
                sprint__printf(look->run->context,
                               "people react to a step by more than the step: where it stands no step size is stable "
                               "(step times curvature is %.3g)",
                               edge));
  if (!(edge >= EDGE)) return SPRINT_OK;
  return warn(look, SPRINT_WARNING_EDGE,
              sprint__printf(look->run->context,
                             "its step is at the edge of stability: step times curvature is %.3g, and from 2 on theta "
                             "runs away; a third of the step is safe",
                             edge));
}

static sprint_status look_at_accuracy(const struct look *look) {
  const sprint_metrics *metrics = sprint_assessment_metrics(look->assessment, SPRINT_SET_DEPLOYED);
  bool collapsed = look->assessment->warnings[SPRINT_WARNING_COLLAPSED] != NULL;
  if (!metrics || collapsed || !(metrics->accuracy <= metrics->majority)) return SPRINT_OK;
  return warn(look, SPRINT_WARNING_MAJORITY,
              sprint__printf(look->run->context,
                             "its accuracy on D(theta), %.4g %%, is no better than the %.4g %% of saying the largest "
                             "class of everybody",
                             100 * metrics->accuracy, 100 * metrics->majority));
}

static sprint_status look_at_solutions(const struct look *look) {
  unsigned long long unsolved = look->run->solver->cost.unsolved;
  if (!unsolved) return SPRINT_OK;
  return warn(
      look, SPRINT_WARNING_UNSOLVED,
      sprint__printf(look->run->context, "%llu minimisation%s ended short of the tolerance, at the best point found",
                     unsolved, unsolved == 1 ? "" : "s"));
}

sprint_status sprint__assessment_warn(sprint_assessment *assessment, const sprint_run *run) {
  struct look look = {assessment, run, &run->rows[run->n_rows - 1]};
  SPRINT__TRY(look_at_stop(&look));
  SPRINT__TRY(look_at_classes(&look));
  SPRINT__TRY(look_at_bias(&look));
  SPRINT__TRY(look_at_edge(&look));
  SPRINT__TRY(look_at_accuracy(&look));
  return look_at_solutions(&look);
}
