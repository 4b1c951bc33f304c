/* Replicator dynamics over classes, docs/math.md section 2: a class grows by how well it is served, compared with the
 * others, from where it stands (Taylor and Jonker, "Evolutionary stable strategies and game dynamics", 1978),
 *
 *     p_c := p_c exp(-eta l_c(theta')) / sum_c' p_c' exp(-eta l_c'(theta')),
 *
 * which is the replicator equation dp_c/dt = p_c (mean l - l_c) over a time of eta, solved exactly with the losses
 * held. Where retention forgets what was before, this goes on from it. State: the logarithms of p_c over the largest p,
 * which cannot underflow. An evaluation asks for one move more, from where the classes stand, and leaves no mark. */
#include <math.h>

#include "shift/losses.h"

enum knowledge { EXACT, PROBE };
enum when { AT_DEPLOYMENTS, AT_EPOCHS };

struct replicator {
  double eta;
  enum knowledge knowledge;
  enum when when;
  size_t n_probe;  /* individuals asked, of all classes */
  uint32_t *probe; /* (n_probe) */
  double *means;   /* (n_strata) losses */
  size_t *counts;  /* (n_strata) */
  struct sprint__losses *losses;
};

/* Takes the largest off, so that it is 0. */
static void settle(double *logs, size_t n) {
  double most = -INFINITY;
  for (size_t c = 0; c < n; c++) most = fmax(most, logs[c]);
  for (size_t c = 0; c < n; c++) logs[c] -= most;
}

static sprint_status replicator_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct replicator *r = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *r);
  if (!r) return SPRINT_ERROR_MEMORY;
  const sprint_population *population = shift->population;
  size_t n = shift->n_state = population->n_strata;
  if (n < 2) return sprint__refuse(section, "kind", "'replicator' needs classes to grow and shrink; the data has none");
  SPRINT__TRY(sprint__shift_say(
      shift, sprint__printf(shift->context, "classes with a low loss grow, from deployment to deployment")));
  r->eta = sprint__get_real(section, "eta");
  r->knowledge = (enum knowledge)sprint__get_choice(section, "losses");
  r->when = (enum when)sprint__get_choice(section, "moves");
  shift->uses_theta = r->when == AT_EPOCHS ? SPRINT__USES_THETA_AT_EPOCH : SPRINT__USES_THETA_AT_DEPLOYMENT;
  shift->asks_losses = r->knowledge == EXACT && r->when == AT_DEPLOYMENTS;
  shift->state = sprint__arena_take(&shift->arena, n, sizeof *shift->state);
  r->means = sprint__arena_take(&shift->arena, n, sizeof *r->means);
  r->counts = sprint__arena_take(&shift->arena, n, sizeof *r->counts);
  SPRINT__TRY(sprint__losses_new(&shift->arena, shift, &r->losses));
  for (size_t c = 0; c < n; c++) r->means[c] = log(population->base_p[c]);
  settle(r->means, n);
  for (size_t c = 0; c < n; c++) shift->state[c] = (sprint_real)r->means[c];
  if (r->knowledge != PROBE) return SPRINT_OK;
  return sprint__losses_probe(shift, (size_t)sprint__get_integer(section, "probe"),
                              (uint64_t)sprint__get_integer(section, "seed"), &r->probe, &r->n_probe);
}

/* means := the losses of this moment. Those of an evaluation are exact. */
static void look(sprint_shift *shift, const sprint_real *theta, enum sprint__moment moment) {
  struct replicator *r = shift->impl;
  if (r->knowledge == EXACT || moment == SPRINT__AT_EVALUATION)
    sprint__losses_of_everybody(r->losses, theta, moment, r->means);
  else
    sprint__losses_of_probe(r->losses, theta, r->probe, r->n_probe, r->means, r->counts);
}

static sprint_status replicator_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                       double *ret_p) {
  const struct replicator *r = shift->impl;
  size_t n = shift->population->n_strata;
  double sum = 0;
  bool moves = r->when == AT_DEPLOYMENTS || moment != SPRINT__AT_DEPLOYMENT;
  if (moves) look(shift, deployed, moment);
  for (size_t c = 0; c < n; c++) ret_p[c] = (double)shift->state[c] - (moves ? r->eta * r->means[c] : 0);
  settle(ret_p, n);
  for (size_t c = 0; moment != SPRINT__AT_EVALUATION && c < n; c++) {
    shift->state[c] = (sprint_real)ret_p[c];
    ret_p[c] = (double)shift->state[c];
  }
  for (size_t c = 0; c < n; c++) sum += ret_p[c] = exp(ret_p[c]);
  for (size_t c = 0; c < n; c++) ret_p[c] /= sum;
  return SPRINT_OK;
}

static const struct sprint__shift_ops replicator_ops = {
    .setup = replicator_setup, .strata = replicator_strata, .resumes = true};

static const sprint_param replicator_params[] = {
    SPRINT__REAL("eta", "0.1", 0, 1e6, "how far classes move at a time, for a difference in loss of 1"),
    SPRINT__CHOICE("moves", "deployment", "deployment|epoch", "when: at every deployment; at the first of an epoch"),
    SPRINT__CHOICE("losses", "exact", "exact|probe",
                   "how class losses are known: a full pass whenever classes move; a fixed probe"),
    SPRINT__INTEGER("probe", "100", 1, 1e9, "individuals of each class in the probe"),
    SPRINT__INTEGER("seed", "1", 0, 1e15, "of the probe"),
};

const sprint_kind sprint__shift_replicator = {
    "replicator", "classes that are served well grow, from deployment to deployment: p_c := p_c exp(-eta l_c) / sum",
    replicator_params, SPRINT__COUNT(replicator_params), &replicator_ops};
