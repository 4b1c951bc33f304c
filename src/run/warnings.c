/* What a person should know before acting on a run: one sentence each, where there is a reason. */
#include <math.h>

#include "config/text.h"
#include "run/assessment.h"

/* Standard errors from which on the drift meter's reading is no noise. */
#define SURE 3
/* Of 2, from which on theta runs away. */
#define EDGE 1.5
/* Of the classes beyond the first, the part that is left where a population has collapsed. */
#define COLLAPSED 0.25
/* Of people who left the range of the data, the share that is worth a word; and columns that are named. */
#define LEFT 0.01
enum { NAMED = 3 };

/* Multiples of the gradient from which on the bias of a lazy deployment is worth a word. */
#define AT_REST 1.1

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

static bool is_budget(sprint_stop stop) {
  return stop == SPRINT_STOP_IFO || stop == SPRINT_STOP_SAMPLES || stop == SPRINT_STOP_DEPLOYMENTS ||
         stop == SPRINT_STOP_SECONDS;
}

static sprint_status look_at_steps(const struct look *look) {
  sprint_stop stop = look->run->solver->stop;
  if (!is_budget(stop) || look->run->solver->cost.steps) return SPRINT_OK;
  return warn(look, SPRINT_WARNING_UNTRAINED,
              sprint__printf(look->run->context,
                             "made no step, as its budget was used up before the first one (%s): the model is the "
                             "random start",
                             sprint_stop_text(stop)));
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

/* Whether the method leans on a snapshot, or on a deployment, that no longer holds. Steps that have come to rest under
 * an old deployment have no E[v], and a bias as large as the gradient: that alone is no reason. */
static sprint_status look_at_bias(const struct look *look) {
  const sprint_trace_row *row = look->last;
  double drift = row->drift > SURE * row->drift_noise ? row->drift : 0, bias = isnan(row->bias) ? drift : row->bias;
  bool lags = bias > row->bias_deployed;
  if (!(bias > (lags ? AT_REST : 1) * sqrt(row->gradient_sq))) return SPRINT_OK;
  if (lags && !(row->bias_deployed * row->bias_deployed > row->gradient_sq))
    return warn(look, SPRINT_WARNING_BIASED,
                sprint__printf(look->run->context,
                               "its steps go by an old deployment, and are biased beyond the gradient itself (%.3g, "
                               "|grad J| %.3g); deploying more often has less bias",
                               bias, sqrt(row->gradient_sq)));
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

/* The column that most people left the range of, of those that fewer left than of `after` (NULL: of all); the first of
 * equals. NULL: none that is worth a word. */
static const sprint_column_move *next_left(const sprint_assessment *assessment, const sprint_column_move *after) {
  const sprint_column_move *most = NULL;
  for (size_t k = 0; k < assessment->n_moves; k++) {
    const sprint_column_move *move = &assessment->moves[k];
    bool later = !after || move->left < after->left || (move->left == after->left && move > after);
    if (later && move->left > LEFT && (!most || move->left > most->left)) most = move;
  }
  return most;
}

static bool takes_bounds(const sprint_shift *shift) {
  bool any = shift->takes_bounds;
  for (size_t k = 0; k < shift->n_parts; k++) any = any || takes_bounds(shift->parts[k]);
  return any;
}

static sprint_status look_at_range(const struct look *look) {
  sprint_context *context = look->run->context;
  struct sprint__text text = {.context = context};
  const sprint_column_move *move = NULL;
  size_t n = 0;
  for (; (move = next_left(look->assessment, move)); n++) {
    SPRINT__SCOPED(sprint__free)
    char *one = sprint__printf(context, "%s%s (%.3g %% of people; the data has %.4g to %.4g, they end at %.4g to %.4g)",
                               n ? ", " : "", move->name, 100 * move->left, move->observed_least,
                               move->observed_greatest, move->least, move->greatest);
    text.failed = text.failed || !one;
    if (n < NAMED && one) sprint__text_add(&text, one);
  }
  SPRINT__SCOPED(sprint__free) char *columns = sprint__text_take(&text);
  if (!columns) return SPRINT_ERROR_MEMORY;
  if (!n) return SPRINT_OK;
  return warn(
      look, SPRINT_WARNING_RANGE,
      sprint__printf(context, "people left the range of the data: %s%s%s", columns, n > NAMED ? ", ..." : "",
                     takes_bounds(look->run->shift) ? "; `bounds: observed` of the shift keeps them in it" : ""));
}

sprint_status sprint__run_doubts(const sprint_run *run, struct sprint__arena *arena, char **warnings) {
  const char *doubt = run->shift->model->doubt;
  if (doubt) warnings[SPRINT_WARNING_MODEL] = sprint__arena_strdup(arena, doubt);
  if (sprint__run_overdraws(run))
    warnings[SPRINT_WARNING_BATCH] = sprint__arena_keep(
        arena, sprint__printf(run->context,
                              "a step draws %zu records, the default, of %.15g people; `method.batch` says how many, "
                              "and rgd looks at everybody",
                              run->solver->batch, run->shift->population->n_people));
  return sprint__arena_status(arena);
}

sprint_status sprint__assessment_warn(sprint_assessment *assessment, const sprint_run *run) {
  struct look look = {assessment, run, &run->rows[run->n_rows - 1]};
  SPRINT__TRY(look_at_stop(&look));
  SPRINT__TRY(look_at_steps(&look));
  SPRINT__TRY(look_at_classes(&look));
  SPRINT__TRY(look_at_bias(&look));
  SPRINT__TRY(look_at_edge(&look));
  SPRINT__TRY(look_at_accuracy(&look));
  SPRINT__TRY(look_at_solutions(&look));
  SPRINT__TRY(look_at_range(&look));
  return sprint__run_doubts(run, &assessment->arena, assessment->warnings);
}
