/* Stop rules: budgets, a small gradient, divergence. */
#include <math.h>

#include "solver/solver.h"

const char *sprint_stop_word(sprint_stop stop) {
  static const char *const words[] = {
#define X(name, word, text) word,
      SPRINT_STOP_LIST(X)
#undef X
  };
  return (size_t)stop < SPRINT__COUNT(words) ? words[stop] : "unknown";
}

const char *sprint_stop_text(sprint_stop stop) {
  static const char *const texts[] = {
#define X(name, word, text) text,
      SPRINT_STOP_LIST(X)
#undef X
  };
  return (size_t)stop < SPRINT__COUNT(texts) ? texts[stop] : "unknown";
}

struct sprint__stop_rules sprint__stop_read(const struct sprint__section *section) {
  return (struct sprint__stop_rules){
      .epochs = (uint64_t)sprint__get_integer(section, "epochs"),
      .steps = (uint64_t)sprint__get_integer(section, "steps"),
      .ifo = (uint64_t)sprint__get_integer(section, "ifo"),
      .samples = (uint64_t)sprint__get_integer(section, "samples"),
      .deployments = (uint64_t)sprint__get_integer(section, "deployments"),
      .gradient = sprint__get_real(section, "gradient"),
      .seconds = sprint__get_real(section, "seconds"),
      .explosion = sprint__get_real(section, "explosion"),
  };
}

uint64_t sprint__stop_planned_steps(const struct sprint__stop_rules *rules, uint64_t inner) {
  uint64_t by_epochs;
  if (__builtin_mul_overflow(rules->epochs, inner, &by_epochs)) by_epochs = UINT64_MAX;
  if (!by_epochs || (rules->steps && rules->steps < by_epochs)) return rules->steps;
  return by_epochs;
}

double sprint__stop_share(const struct sprint__stop_rules *rules, const sprint_counters *cost, uint64_t inner,
                          double seconds) {
  const double used[][2] = {
      {(double)cost->steps, (double)sprint__stop_planned_steps(rules, inner)},
      {(double)cost->ifo, (double)rules->ifo},
      {(double)cost->samples, (double)rules->samples},
      {(double)cost->deployments, (double)rules->deployments},
      {seconds, rules->seconds},
  };
  double share = NAN;
  for (size_t i = 0; i < SPRINT__COUNT(used); i++)
    if (used[i][1] > 0) share = fmax(share, fmin(1, used[i][0] / used[i][1])); /* fmax passes NaN over */
  return share;
}

static bool used_up(uint64_t used, uint64_t budget) { return budget > 0 && used >= budget; }

/* What must be left for the next step: a snapshot that no step can follow is not begun. */
static uint64_t reserve(const sprint_solver *solver) { return solver->snapshot_next ? solver->wanted.n : 0; }

sprint_stop sprint__stop_check(const sprint_solver *solver) {
  const struct sprint__stop_rules *rules = &solver->rules;
  const sprint_counters *cost = &solver->cost;
  if (used_up(cost->steps, rules->steps)) return SPRINT_STOP_STEPS;
  if (used_up(cost->epochs, rules->epochs)) return SPRINT_STOP_EPOCHS;
  if (used_up(cost->ifo + reserve(solver), rules->ifo)) return SPRINT_STOP_IFO;
  if (!sprint__solver_affords(solver, solver->least_ifo)) return SPRINT_STOP_IFO;
  if (used_up(cost->samples + reserve(solver), rules->samples)) return SPRINT_STOP_SAMPLES;
  if (solver->wanted.deploy && used_up(cost->deployments, rules->deployments)) return SPRINT_STOP_DEPLOYMENTS;
  return SPRINT_STOP_RUNNING;
}

bool sprint__stop_exploded(const sprint_solver *solver, double loss) {
  double limit = solver->rules.explosion * fmax(1.0, fabs(solver->first_loss));
  return !isfinite(loss) || fabs(loss) > limit;
}

#define BUDGET(NAME, STANDARD, HELP) \
  { .name = NAME, .type = SPRINT_PARAM_INTEGER, .standard = STANDARD, .min = 0, .max = 1e15, .help = HELP }

static const sprint_param stop_params[] = {
    BUDGET("epochs", "40", "epochs of m steps; 0: no bound"),
    BUDGET("steps", "0", "updates of theta, T; 0: no bound"),
    BUDGET("ifo", "0", "per-sample gradients; 0: no bound"),
    BUDGET("samples", "0", "records drawn, snapshots included; 0: no bound"),
    BUDGET("deployments", "0", "deployments; 0: no bound"),
    SPRINT__REAL("gradient", "0", 0, 1e12,
                 "stop once |grad J(theta; theta)|^2 is at most this where the trace is taken; 0: never"),
    SPRINT__REAL("seconds", "0", 0, 1e9,
                 "time of training, evaluation left out; kept by runs, not by ask and tell. How far a run gets in it "
                 "depends on the machine: what follows is not the same to the byte; 0: no bound"),
    SPRINT__REAL("explosion", "1e4", 1, 1e300,
                 "the run has diverged once a batch's loss passes this many times the first one (or 1)"),
};

static const sprint_kind stop_kind = {"", "budgets; whichever is used up first ends the run", stop_params,
                                      SPRINT__COUNT(stop_params), NULL};
static const sprint_kind *const stop_kinds[] = {&stop_kind};

const sprint_family sprint__stop_family = {
    .name = "stops",
    .key = "stop",
    .help = "when a run ends; whichever comes first",
    .kinds = stop_kinds,
    .n_kinds = 1,
};
