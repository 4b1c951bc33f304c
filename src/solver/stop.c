/* Stop rules: budgets, a small gradient, divergence. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
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

/* A section's own value of the key. */
static struct sprint__value *value_of(struct sprint__section *section, const char *key) {
  for (size_t i = 0; i < section->n_values; i++)
    if (strcmp(section->values[i].param->name, key) == 0) return &section->values[i];
  return NULL;
}

void sprint__stop_settle(struct sprint__section *config) {
  static const char *const budgets[] = {"steps", "ifo", "samples", "deployments"};
  struct sprint__section *stop = value_of(config, "stop")->section;
  struct sprint__value *epochs = value_of(stop, "epochs");
  bool other = sprint__get_real(stop, "seconds") > 0;
  for (size_t i = 0; i < SPRINT__COUNT(budgets); i++) other = other || sprint__get_integer(stop, budgets[i]) > 0;
  if (other && !epochs->given) epochs->integer = 0;
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

/* Stopped by one, of which a rest too small for another step may be left. */
static bool used_its_budget(sprint_stop stop) {
  return (stop >= SPRINT_STOP_EPOCHS && stop <= SPRINT_STOP_DEPLOYMENTS) || stop == SPRINT_STOP_SECONDS;
}

double sprint__stop_used(const struct sprint__stop_rules *rules, const sprint_counters *cost, double epochs,
                         double seconds) {
  const double used[][2] = {
      {epochs, (double)rules->epochs},
      {(double)cost->steps, (double)rules->steps},
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

double sprint__stop_share(const sprint_solver *solver, double seconds) {
  if (used_its_budget(solver->stop)) return 1;
  return sprint__stop_used(&solver->rules, &solver->cost, sprint__solver_epoch(solver), seconds);
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

bool sprint__stop_exploded(const struct sprint__stop_rules *rules, double first, double loss) {
  return !isfinite(loss) || fabs(loss) > rules->explosion * fmax(1.0, fabs(first)); /* fmax passes NaN over */
}

/* A bounded loss does not tell of a theta that is gone. Theta may have to be as large as labels are, which a squared
 * loss has the square of, and beyond that by the ratio that a loss may grow by, squared: so that features of another
 * scale do not look like an explosion. */
bool sprint__stop_theta_exploded(const sprint_solver *solver) {
  double scale = fmax(fmax(1.0, solver->first_norm), sqrt(fabs(solver->first_loss)));
  double norm = sqrt(sprint__long_norm_sq(solver->context, &solver->cut, solver->theta)),
         ratio = solver->rules.explosion;
  return !isfinite(norm) || norm / ratio > ratio * scale;
}

#define BUDGET(NAME, STANDARD, HELP) \
  { .name = NAME, .type = SPRINT_PARAM_INTEGER, .standard = STANDARD, .min = 0, .max = 1e15, .help = HELP }

static const sprint_param stop_params[] = {
    BUDGET("epochs", "40", "epochs of m steps; 0: no bound, as it is where another budget is given and this is not"),
    BUDGET("steps", "0", "updates of theta, T; 0: no bound"),
    BUDGET("ifo", "0", "per-sample gradients; 0: no bound"),
    BUDGET("samples", "0", "records drawn, snapshots included; 0: no bound"),
    BUDGET("deployments", "0", "deployments; 0: no bound"),
    SPRINT__REAL("gradient", "0", 0, 1e12,
                 "stop once |grad J(theta; theta)|^2 is at most this where the trace is taken or, by ask and tell, "
                 "where everybody or a sample is told; 0: never"),
    SPRINT__REAL("seconds", "0", 0, 1e9,
                 "time of training, evaluation left out; kept by runs, not by ask and tell. How far a run gets in it "
                 "depends on the machine: what follows is not the same to the byte; 0: no bound"),
    SPRINT__REAL("explosion", "1e4", 1, 1e300,
                 "the run has diverged once a loss (of a batch; with the penalty, where an epoch ends or the trace is "
                 "taken) passes this many times the first one (or 1), or |theta| far more than that"),
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
