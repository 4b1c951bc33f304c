/* Runs, gathered: see summary.h. */
#include "summary.h"

#include <math.h>
#include <stdlib.h>

struct cli_summary *cli_summary_new(const sprint_experiment *experiment) {
  struct cli_summary *summary = cli_room(1, sizeof *summary);
  *summary = (struct cli_summary){
      .experiment = experiment,
      .n_points = sprint_experiment_n_points(experiment),
      .n_methods = sprint_experiment_n_methods(experiment),
      .n_seeds = sprint_experiment_n_seeds(experiment),
      .runs = cli_room(cli_n_runs(experiment), sizeof *summary->runs),
  };
  return summary;
}

void cli_summary_free(struct cli_summary *summary) {
  if (!summary) return;
  for (size_t i = 0; i < summary->n_points * summary->n_methods * summary->n_seeds; i++)
    sprint_assessment_free(summary->runs[i].assessment);
  free(summary->runs);
  free(summary);
}

void cli_summary_take(void *user, size_t run, struct cli_saved saved) {
  struct cli_summary *summary = user;
  sprint_assessment_free(summary->runs[run].assessment);
  summary->runs[run] = saved;
}

const struct cli_saved *cli_summary_run(const struct cli_summary *summary, size_t point, size_t method, size_t seed) {
  const struct cli_saved *run = &summary->runs[(point * summary->n_methods + method) * summary->n_seeds + seed];
  return run->row.size > 0 ? run : NULL;
}

static bool diverged(const struct cli_saved *run) { return run->stop == SPRINT_STOP_DIVERGED; }

struct cli_tally cli_summary_tally(const struct cli_summary *summary, size_t point, size_t method) {
  struct cli_tally tally = {0};
  for (size_t s = summary->n_seeds; s-- > 0;) {
    const struct cli_saved *run = cli_summary_run(summary, point, method, s);
    if (!run) continue;
    tally.n++;
    tally.n_diverged += diverged(run);
    tally.first_seed = s;
  }
  tally.n_counted = tally.n - tally.n_diverged;
  return tally;
}

bool cli_summary_counts(const struct cli_saved *run) { return run && !diverged(run); }

struct cli_moments cli_summary_moments(const struct cli_summary *summary, size_t point, size_t method, size_t measure) {
  struct cli_moments moments = {0};
  for (size_t s = 0; s < summary->n_seeds; s++) {
    const struct cli_saved *run = cli_summary_run(summary, point, method, s);
    if (!cli_summary_counts(run)) continue;
    double value = cli_measure_of(measure, run);
    if (isfinite(value)) cli_moments_add(&moments, value);
  }
  return moments;
}

size_t cli_summary_n_judged(const struct cli_summary *summary, size_t point, size_t method, sprint_verdict verdict) {
  size_t n = 0;
  for (size_t s = 0; s < summary->n_seeds; s++) {
    const struct cli_saved *run = cli_summary_run(summary, point, method, s);
    n += run && sprint_assessment_verdict(run->assessment, NULL) == verdict;
  }
  return n;
}

size_t cli_summary_n_warned(const struct cli_summary *summary, size_t point, size_t method, sprint_warning_kind kind,
                            size_t *ret_seed) {
  size_t n = 0;
  for (size_t s = 0; s < summary->n_seeds; s++) {
    const struct cli_saved *run = cli_summary_run(summary, point, method, s);
    if (!run || !sprint_assessment_warning(run->assessment, kind)) continue;
    if (n++ == 0) *ret_seed = s;
  }
  return n;
}

size_t cli_summary_n_stopped(const struct cli_summary *summary, sprint_stop stop) {
  size_t n = 0;
  for (size_t i = 0; i < summary->n_points * summary->n_methods * summary->n_seeds; i++)
    n += summary->runs[i].row.size > 0 && summary->runs[i].stop == stop;
  return n;
}

const sprint_metrics *cli_summary_metrics(const struct cli_summary *summary) {
  const sprint_metrics *metrics = NULL;
  for (size_t i = 0; i < summary->n_points * summary->n_methods * summary->n_seeds && !metrics; i++)
    if (summary->runs[i].row.size > 0)
      metrics = sprint_assessment_metrics(summary->runs[i].assessment, SPRINT_SET_DEPLOYED);
  return metrics;
}
