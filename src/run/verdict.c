/* Is it stable? A verdict in words, from the squared gradient norms of the trace. */
#include <math.h>

#include "assess/rounding.h"
#include "run/assessment.h"

enum { LEAST_ROWS = 3 };
#define NEAR_SHARE   1e-2 /* of the first |grad J|^2 */
#define MOVING_SHARE 0.5
#define TREND        1.5 /* a factor that is worth a word, */
#define SURE         3   /* and standard errors from which on it is no noise */

/* log |grad J|^2 over some rows. */
struct level {
  double mean, error; /* and the standard error of the mean; NaN of one row */
};

static struct level level_of(const sprint_run *run, size_t start, size_t n) {
  double sum = 0, squares = 0, count = (double)n;
  for (size_t r = start; r < start + n; r++) sum += log(run->rows[r].gradient_sq);
  for (size_t r = start; r < start + n; r++) {
    double away = log(run->rows[r].gradient_sq) - sum / count;
    squares += away * away;
  }
  return (struct level){sum / count, sqrt(squares / (count - 1) / count)};
}

/* -1: falling, 1: rising, 0: level or nobody can tell; the last quarter of the rows against the one before. */
static int trend_of(const sprint_run *run) {
  size_t n = run->n_rows, quarter = n / 4;
  if (quarter < 2) return 0;
  struct level late = level_of(run, n - quarter, quarter), early = level_of(run, n - 2 * quarter, quarter);
  double change = late.mean - early.mean, noise = SURE * sqrt(late.error * late.error + early.error * early.error);
  if (!(fabs(change) > log(TREND)) || !(fabs(change) > noise)) return 0;
  return change < 0 ? -1 : 1;
}

static sprint_verdict judge(const sprint_run *run, double first, double last, int trend) {
  double bound = run->solver->rules.gradient;
  if (bound > 0 && last <= bound) return SPRINT_VERDICT_STABLE;
  if (last < NEAR_SHARE * first) return SPRINT_VERDICT_NEAR;
  if (last < MOVING_SHARE * first && trend <= 0) return SPRINT_VERDICT_MOVING;
  return SPRINT_VERDICT_UNSTABLE;
}

static sprint_status say(sprint_assessment *assessment, sprint_verdict verdict, char *sentence) {
  assessment->verdict = verdict;
  assessment->sentence = sprint__arena_keep(&assessment->arena, sentence);
  return sprint__arena_status(&assessment->arena);
}

/* "1/2000 of" or "1.3 times". */
static char *compared(sprint_context *context, double first, double last) {
  double ratio = last == first ? 1 : last / first, part = first / last; /* both may be 0 */
  if (!(ratio < 0.5)) return sprint__printf(context, "%.2g times", ratio);
  double digits = pow(10, floor(log10(part)) - 1); /* two that count */
  return part < 1e6 ? sprint__printf(context, "1/%.0f of", round(part / digits) * digits)
                    : sprint__printf(context, "%.1g of", ratio);
}

/* Where there is nothing left to go down by, it does not matter where it began. */
static sprint_status is_rounding(const sprint_run *run, double gradient_sq, bool *ret_is) {
  double rounding = 0;
  SPRINT__TRY(sprint__rounding_gradient_sq(run->shift, sprint_run_theta(run), &rounding));
  *ret_is = gradient_sq <= rounding;
  return SPRINT_OK;
}

static sprint_status say_unknown(sprint_assessment *assessment, const sprint_run *run, double gradient_sq) {
  return say(assessment, SPRINT_VERDICT_UNKNOWN,
             sprint__printf(run->context, "unknown: |grad J|^2 = %.3g, seen at %zu point%s alone", gradient_sq,
                            run->n_rows, run->n_rows == 1 ? "" : "s"));
}

sprint_status sprint__assessment_judge(sprint_assessment *assessment, const sprint_run *run) {
  static const char *const trends[] = {"falling", "level", "rising"};
  sprint_context *context = run->context;
  double first = run->rows[0].gradient_sq, last = run->rows[run->n_rows - 1].gradient_sq;
  if (run->solver->stop == SPRINT_STOP_DIVERGED || !isfinite(last))
    return say(assessment, SPRINT_VERDICT_DIVERGED,
               sprint__printf(context, "diverged at epoch %.4g", run->rows[run->n_rows - 1].epoch));
  int trend = run->n_rows >= LEAST_ROWS ? trend_of(run) : 0;
  sprint_verdict verdict = judge(run, first, last, trend);
  bool rounding = false;
  if (verdict != SPRINT_VERDICT_STABLE && verdict != SPRINT_VERDICT_NEAR)
    SPRINT__TRY(is_rounding(run, last, &rounding));
  if (rounding)
    return say(assessment, SPRINT_VERDICT_NEAR,
               sprint__printf(context, "%s: |grad J|^2 = %.3g, which is no more than rounding",
                              sprint_verdict_text(SPRINT_VERDICT_NEAR), last));
  if (run->n_rows < LEAST_ROWS && verdict != SPRINT_VERDICT_STABLE) return say_unknown(assessment, run, last);
  SPRINT__SCOPED(sprint__free) char *to_first = compared(context, first, last);
  if (!to_first) return SPRINT_ERROR_MEMORY;
  return say(assessment, verdict,
             sprint__printf(context, "%s: |grad J|^2 = %.3g, %s what it was at the start, and %s",
                            sprint_verdict_text(verdict), last, to_first, trends[trend + 1]));
}
