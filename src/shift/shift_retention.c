/* Retention, docs/math.md section 2: people whom the model serves badly leave,
 *
 *     p_c(theta') = exp(-alpha l_c(theta')) / sum_c' exp(-alpha l_c'(theta')),
 *
 * l_c the mean loss of class c on the base population. The class losses are known exactly at every deployment, from a
 * fixed probe, from decayed means of the losses seen in batches, or from the newest snapshot. */
#include <math.h>

#include "shift/losses.h"

enum knowledge { EXACT, PROBE, RUNNING, SNAPSHOT };

struct retention {
  double alpha, rate;
  enum knowledge knowledge;
  bool known;      /* state holds losses */
  size_t n_probe;  /* individuals asked, of all classes */
  uint32_t *probe; /* (n_probe) */
  double *means;   /* (n_strata) losses */
  size_t *counts;  /* (n_strata) */
  struct sprint__losses *losses;
};

/* When the parameters deployed are looked at, by how losses are known. */
static enum sprint__theta_use use_of_theta(enum knowledge knowledge) {
  if (knowledge == SNAPSHOT) return SPRINT__USES_THETA_AT_EPOCH;
  return knowledge == RUNNING ? SPRINT__USES_THETA_ALWAYS : SPRINT__USES_THETA_AT_DEPLOYMENT;
}

static sprint_status retention_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct retention *r = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *r);
  if (!r) return SPRINT_ERROR_MEMORY;
  size_t n_strata = shift->population->n_strata;
  if (n_strata < 2)
    return sprint__refuse(section, "kind", "'retention' needs classes to come and go; the data has none");
  if (shift->population->weighs_classes)
    return sprint__refuse(section, "kind",
                          "'retention' says by itself how often each class shows up, so that data.class_weights would "
                          "change nothing; leave them out");
  SPRINT__TRY(sprint__shift_say(shift, sprint__printf(shift->context, "people of classes with a high loss leave")));
  r->alpha = sprint__get_real(section, "alpha");
  r->rate = sprint__get_real(section, "rate");
  r->knowledge = (enum knowledge)sprint__get_choice(section, "losses");
  shift->uses_theta = use_of_theta(r->knowledge);
  shift->asks_losses = r->knowledge == EXACT;
  shift->hears_losses = r->knowledge == RUNNING;
  r->means = sprint__arena_take(&shift->arena, n_strata, sizeof *r->means);
  r->counts = sprint__arena_take(&shift->arena, n_strata, sizeof *r->counts);
  SPRINT__TRY(sprint__losses_new(&shift->arena, shift, &r->losses));
  if (r->knowledge == RUNNING || r->knowledge == SNAPSHOT) {
    shift->n_state = n_strata;
    shift->state = sprint__arena_take(&shift->arena, n_strata, sizeof *shift->state);
  }
  if (r->knowledge != PROBE) return sprint__arena_status(&shift->arena);
  return sprint__losses_probe(shift, (size_t)sprint__get_integer(section, "probe"),
                              (uint64_t)sprint__get_integer(section, "seed"), &r->probe, &r->n_probe);
}

/* Whether the losses to be known at this moment are worked out over the whole population. */
static bool asks_everybody(const struct retention *r, enum sprint__moment moment) {
  if (moment == SPRINT__AT_EVALUATION || r->knowledge == EXACT) return true;
  return (r->knowledge == SNAPSHOT && moment == SPRINT__AT_EPOCH) || (r->knowledge != PROBE && !r->known);
}

/* By log-sum-exp: the smallest loss is taken off first. */
static void weigh(const struct retention *r, size_t n, double *ret_p) {
  double least = INFINITY, sum = 0;
  for (size_t c = 0; c < n; c++) least = fmin(least, r->means[c]);
  for (size_t c = 0; c < n; c++) sum += ret_p[c] = exp(-r->alpha * (r->means[c] - least));
  for (size_t c = 0; c < n; c++) ret_p[c] /= sum;
}

static sprint_status retention_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                      double *ret_p) {
  struct retention *r = shift->impl;
  bool remembers = shift->state && moment != SPRINT__AT_EVALUATION, asks = asks_everybody(r, moment);
  uint64_t counted = shift->evals + shift->population->n;
  if (asks)
    sprint__losses_of_everybody(r->losses, deployed, moment, r->means);
  else if (r->knowledge == PROBE)
    sprint__losses_of_probe(r->losses, deployed, r->probe, r->n_probe, r->means, r->counts);
  if (asks && r->knowledge == RUNNING) shift->evals = counted; /* where running means start, even from losses at hand */
  for (size_t c = 0; remembers && c < shift->n_state; c++) {
    if (asks) shift->state[c] = (sprint_real)r->means[c];
    r->means[c] = (double)shift->state[c];
  }
  r->known = r->known || remembers;
  weigh(r, shift->population->n_strata, ret_p);
  return SPRINT_OK;
}

/* `running`: each class that was drawn moves its loss towards the mean over its records in the batch. */
static sprint_status retention_drawn(sprint_shift *shift, const sprint_real *deployed,
                                     const struct sprint__drawn *drawn) {
  struct retention *r = shift->impl;
  if (r->knowledge != RUNNING) return SPRINT_OK;
  sprint__losses_of_drawn(r->losses, deployed, drawn, r->means, r->counts);
  for (size_t c = 0; c < shift->n_state; c++)
    if (r->counts[c]) shift->state[c] += (sprint_real)(r->rate * (r->means[c] - (double)shift->state[c]));
  return SPRINT_OK;
}

static void retention_remember(sprint_shift *shift, struct sprint__state *state) {
  struct retention *r = shift->impl;
  SPRINT__KEEP_FLAG(state, r->known);
}

static const struct sprint__shift_ops retention_ops = {
    .setup = retention_setup,
    .remember = retention_remember,
    .resumes = true,
    .strata = retention_strata,
    .drawn = retention_drawn,
};

static const sprint_param retention_params[] = {
    SPRINT__REAL("alpha", "20", 0, 1e6, "how strongly a class's loss drives it away"),
    SPRINT__CHOICE(
        "losses", "exact", "exact|probe|running|snapshot",
        "how class losses are known: a full pass at each deployment; a fixed probe; decayed means over batches; a "
        "full pass at the start of each epoch"),
    SPRINT__INTEGER("probe", "100", 1, 1e9, "individuals of each class in the probe"),
    SPRINT__INTEGER("seed", "1", 0, 1e15, "of the probe"),
    SPRINT__REAL("rate", "0.1", 1e-9, 1, "of running means: weight of the newest batch"),
};

const sprint_kind sprint__shift_retention = {"retention", "classes that are served badly leave: p_c ~ exp(-alpha l_c)",
                                             retention_params, SPRINT__COUNT(retention_params), &retention_ops};
