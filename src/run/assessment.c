/* Assessing a run: see assessment.h. */
#include "run/assessment.h"

#include <math.h>

#include "assess/edge.h"
#include "assess/moves.h"
#include "assess/scores.h"
#include "base/vector.h"

const char *sprint_set_word(sprint_set set) {
  static const char *const words[SPRINT_N_SETS] = {"deployed", "base", "heldout", "heldout_base"};
  return (unsigned)set < SPRINT_N_SETS ? words[set] : NULL;
}

const char *sprint_verdict_word(sprint_verdict verdict) {
  static const char *const words[] = {
#define X(name, word, text) word,
      SPRINT_VERDICT_LIST(X)
#undef X
  };
  return (unsigned)verdict < SPRINT__COUNT(words) ? words[verdict] : NULL;
}

const char *sprint_verdict_text(sprint_verdict verdict) {
  static const char *const texts[] = {
#define X(name, word, text) text,
      SPRINT_VERDICT_LIST(X)
#undef X
  };
  return (unsigned)verdict < SPRINT__COUNT(texts) ? texts[verdict] : NULL;
}

const char *sprint_warning_word(sprint_warning_kind kind) {
  static const char *const words[] = {
#define X(name, word) word,
      SPRINT_WARNING_LIST(X)
#undef X
  };
  return (unsigned)kind < SPRINT__COUNT(words) ? words[kind] : NULL;
}

const sprint_metrics *sprint_assessment_metrics(const sprint_assessment *assessment, sprint_set set) {
  return assessment && (unsigned)set < SPRINT_N_SETS && assessment->has[set] ? &assessment->sets[set] : NULL;
}

sprint_verdict sprint_assessment_verdict(const sprint_assessment *assessment, const char **ret_sentence) {
  if (!assessment) return SPRINT_VERDICT_UNKNOWN;
  if (ret_sentence) *ret_sentence = assessment->sentence;
  return assessment->verdict;
}

const char *sprint_assessment_warning(const sprint_assessment *assessment, sprint_warning_kind kind) {
  return assessment && (unsigned)kind < SPRINT_N_WARNINGS ? assessment->warnings[kind] : NULL;
}

double sprint_assessment_gradient_mean(const sprint_assessment *assessment) {
  return assessment ? assessment->gradient_mean : NAN;
}
double sprint_assessment_edge(const sprint_assessment *assessment) { return assessment ? assessment->edge : NAN; }

size_t sprint_assessment_n_moves(const sprint_assessment *assessment) { return assessment ? assessment->n_moves : 0; }

const sprint_column_move *sprint_assessment_move(const sprint_assessment *assessment, size_t i) {
  return assessment && i < assessment->n_moves ? &assessment->moves[i] : NULL;
}

void sprint_assessment_free(sprint_assessment *assessment) {
  if (!assessment) return;
  sprint__arena_free(&assessment->arena);
  sprint__free(assessment);
}

/* What every set is scored with. */
static sprint_status score_set(sprint_assessment *assessment, const sprint_run *run, sprint_set set,
                               const sprint_real *theta) {
  bool heldout = set == SPRINT_SET_HELDOUT || set == SPRINT_SET_HELDOUT_BASE;
  bool reacts = set == SPRINT_SET_DEPLOYED || set == SPRINT_SET_HELDOUT;
  const sprint_population *population = heldout ? run->engine->heldout_pass.population : run->shift->population;
  if (!population || (set == SPRINT_SET_HELDOUT && !sprint__shift_moves_outsiders(run->shift))) return SPRINT_OK;
  const double *p = sprint_run_strata(run, run->n_rows - 1);
  struct sprint__scoring scoring = {.shift = run->shift,
                                    .population = population,
                                    .theta = theta,
                                    .reacts = reacts && sprint__shift_moves(run->shift),
                                    .p = reacts && sprint__shift_reweights(run->shift) ? p : NULL,
                                    .positive = run->eval_positive,
                                    .threshold = run->eval_threshold};
  SPRINT__TRY(sprint__assess(&assessment->arena, &scoring, &assessment->sets[set]));
  assessment->has[set] = true;
  return SPRINT_OK;
}

static double mean_after_start(const sprint_run *run) {
  const sprint_trace_row *rows = run->rows;
  double sum = 0, epochs = rows[run->n_rows - 1].epoch;
  for (size_t r = 1; r < run->n_rows; r++) sum += rows[r].gradient_sq * (rows[r].epoch - rows[r - 1].epoch);
  return run->n_rows > 1 ? sum / epochs : NAN;
}

/* Of methods that go against an estimate of grad J, by a step that is taken as it is. */
static sprint_status measure_edge(const sprint_run *run, const sprint_real *theta, double *ret_edge) {
  const sprint_solver *solver = run->solver;
  double curvature = NAN;
  *ret_edge = NAN;
  if (!solver->estimator->follows_gradient || solver->schedule->ops->turn) return SPRINT_OK;
  SPRINT__TRY(sprint__edge_curvature(run->shift, theta, &curvature));
  uint64_t newest = solver->cost.steps ? solver->cost.steps - 1 : 0;
  *ret_edge = solver->schedule->ops->size(solver->schedule, newest) * curvature;
  return SPRINT_OK;
}

static sprint_status measure(sprint_assessment *assessment, const sprint_run *run, const sprint_real *theta) {
  bool finite = run->solver->stop != SPRINT_STOP_DIVERGED && sprint__all_finite(theta, run->solver->n_params);
  assessment->gradient_mean = mean_after_start(run);
  assessment->edge = NAN;
  for (sprint_set set = 0; finite && set < SPRINT_N_SETS; set++) SPRINT__TRY(score_set(assessment, run, set, theta));
  if (finite) SPRINT__TRY(measure_edge(run, theta, &assessment->edge));
  if (finite)
    SPRINT__TRY(sprint__moves_of(&assessment->arena, run->shift, theta, &assessment->moves, &assessment->n_moves));
  SPRINT__TRY(sprint__assessment_judge(assessment, run));
  return sprint__assessment_warn(assessment, run);
}

sprint_status sprint_run_assess(const sprint_run *run, const sprint_assessment **ret_assessment) {
  if (!run) return SPRINT_ERROR_ARGUMENT;
  SPRINT__REQUIRE(run->context, ret_assessment);
  struct sprint__assessed *cache = run->assessed;
  if (run->n_rows == 0)
    return sprint_fail(run->context, SPRINT_ERROR_ARGUMENT, "the run has not been started, there is nothing to assess");
  if (!cache->assessment || cache->step != run->solver->cost.steps || cache->stop != run->solver->stop) {
    SPRINT__SCOPED(sprint_assessment_free)
    sprint_assessment *assessment = sprint__alloc(run->context, 1, sizeof *assessment);
    if (!assessment) return SPRINT_ERROR_MEMORY;
    assessment->context = assessment->arena.context = run->context;
    SPRINT__TRY(measure(assessment, run, sprint_run_theta(run)));
    sprint_assessment_free(cache->assessment);
    *cache = (struct sprint__assessed){sprint__give(&assessment), run->solver->cost.steps, run->solver->stop};
  }
  *ret_assessment = cache->assessment;
  return SPRINT_OK;
}
