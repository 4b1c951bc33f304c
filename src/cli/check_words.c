/* sprint check: what to change, in words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

double cli_check_round(double step) {
  double ten = pow(10, floor(log10(step))), digits = step / ten * (1 + 1e-9);
  return ten * (digits >= 5 ? 5 : digits >= 2 ? 2 : 1);
}

const char *cli_check_word(enum cli_check_level level) {
  static const char *const words[] = {
      [CHECK_SAFE] = "safe", [CHECK_THIN] = "thin", [CHECK_UNSAFE] = "unsafe", [CHECK_NO_STEP] = "no step"};
  return words[level];
}

/* By the step: the half of what stayed, so that twice it stays. */
static char *step_hint(const struct cli_checked *it) {
  const sprint_step_check *step = &it->step;
  if (it->level != CHECK_UNSAFE && it->level != CHECK_THIN) return NULL;
  if (!(step->largest > 0))
    return cli_format(
        "no step stayed, down to %.3g: people react by more than a step takes back; a weaker shift, more "
        "`model.l2` or fewer deployments (deploy: {kind: every, steps: 0}) may help",
        step->least_left);
  return cli_format("step.size=%.3g has a margin of two", cli_check_round(step->largest / 2));
}

/* Where step times curvature is far below 2 and yet starts leave, it is the noise or the bias. */
static char *noise_hint(const struct cli_checked *it) {
  bool noisy = it->step.edge * fmin(1, it->step.largest / it->step.step) < 0.5;
  if (it->problem.biased || it->level != CHECK_UNSAFE || !noisy || !(it->problem.batch < it->problem.n)) return NULL;
  return cli_format(
      "or a larger method.batch: the curvature alone would bear %.3g, and the noise of %.0f records does "
      "not",
      2 / it->step.edge * it->step.step, it->problem.batch);
}

static char *bias_hint(const struct cli_checked *it) {
  if (!it->problem.biased) return NULL;
  return cli_format(
      "correction: unbiased, which costs no gradient and no sample more: this one is biased under the "
      "shift, and leaves the stable range first%s",
      it->level == CHECK_UNSAFE ? "; so would shorter epochs (method.inner)" : "");
}

static char *deploy_hint(const struct cli_checked *it) {
  double epochs = it->step.planned, deployments = (double)it->step.cost.deployments;
  if (!(epochs >= 1) || !(it->problem.moves || it->problem.reweights) || !(deployments > 3 * epochs) ||
      it->problem.few_deployments)
    return NULL;
  return cli_format(
      "deploy: {kind: every, steps: 0}, a deployment an epoch instead of one a step, where they are dear");
}

static char *snapshot_hint(const struct cli_checked *it) {
  double snapshots = it->problem.n * it->step.planned, drawn = (double)it->step.cost.steps * it->problem.batch;
  bool takes_them = (double)it->step.cost.samples > drawn + snapshots / 2;
  if (it->problem.endless || !takes_them || !(snapshots > 4 * drawn)) return NULL;
  return cli_format("a larger method.inner, or snapshot: growing: %.0f %% of the samples are for snapshots",
                    100 * (1 - drawn / (double)it->step.cost.samples));
}

void cli_check_hints(const struct cli_checked *checked, char *ret_hints[CHECK_MAX_HINTS]) {
  static char *(*const hints[CHECK_MAX_HINTS])(const struct cli_checked *it) = {
      step_hint, bias_hint, noise_hint, snapshot_hint, deploy_hint};
  size_t n = 0;
  memset(ret_hints, 0, CHECK_MAX_HINTS * sizeof *ret_hints);
  for (size_t i = 0; i < CHECK_MAX_HINTS; i++) {
    char *hint = hints[i](checked);
    if (hint) ret_hints[n++] = hint;
  }
}
