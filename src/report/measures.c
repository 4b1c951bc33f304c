/* Names of measures: see measures.h. */
#include "report/measures.h"

#include <string.h>

static const struct sprint__measure measures[] = {
    {"epoch", NULL, "epoch", "epoch", .cost = true},
    {"step", NULL, "steps", "steps", .cost = true},
    {"ifo", NULL, "IFO (per-sample gradients)", "IFO (per-sample gradients)", .cost = true},
    {"samples", NULL, "samples drawn", "samples drawn", .cost = true},
    {"deployments", NULL, "deployments", "deployments", .cost = true},
    {"shift_evals", NULL, "evaluations that simulate the shift", "evaluations that simulate the shift", .cost = true},
    {"seconds", NULL, "training time (s)", "training time (s)", .cost = true},
    {"loss", NULL, "loss on D(θ)", "loss on D(theta)"},
    {"accuracy", NULL, "accuracy on D(θ)", "accuracy on D(theta)", .share = true},
    {"loss_base", NULL, "loss on the base data", "loss on the base data"},
    {"accuracy_base", NULL, "accuracy on the base data", "accuracy on the base data", .share = true},
    {"loss_heldout", NULL, "loss held out, on D(θ)", "loss held out, on D(theta)"},
    {"accuracy_heldout", NULL, "accuracy held out, on D(θ)", "accuracy held out, on D(theta)", .share = true},
    {"gradient_sq", "grad", "‖∇J(θ;θ)‖²", "|grad J(theta;theta)|^2"},
    {"gradient_sq_mean", "grad-mean", "mean ‖∇J(θ;θ)‖² so far", "mean |grad J(theta;theta)|^2 so far"},
    {"moved", NULL, "‖θ − θ one row before‖", "|theta - theta one row before|"},
    {"displacement", "people", "mean ‖x(θ) − x‖ of people", "mean |x(theta) - x| of people"},
    {"entropy", NULL, "entropy of p(θ) (nats)", "entropy of p(theta) (nats)"},
    {"effective_classes", "classes", "effective classes", "effective classes"},
    {"bias", NULL, "bias ‖E[v] − ∇J(θ;θ)‖", "bias |E[v] - grad J(theta;theta)|"},
    {"drift", NULL, "drift, the bias as the method sees it", "drift, the bias as the method sees it"},
    {"drift_noise", NULL, "standard error of the drift", "standard error of the drift"},
    {"kappa", NULL, "κ, drift over ‖θ − θ~‖", "kappa, drift over |theta - theta~|"},
    {"distance", NULL, "‖θ − θ*‖", "|theta - theta*|"},
    {"bias_deployed", NULL, "bias ‖E[v] − ∇J(θ;θ′)‖", "bias |E[v] - grad J(theta;theta')|"},
};

const struct sprint__measure *sprint__measure_at(size_t i) { return i < SPRINT__COUNT(measures) ? &measures[i] : NULL; }

/* p_3: the probability of stratum 3. */
static bool is_probability(const char *name) {
  return strncmp(name, "p_", 2) == 0 && name[2] && strspn(name + 2, "0123456789") == strlen(name + 2);
}

struct sprint__measure sprint__measure_find(struct sprint__arena *arena, const char *name) {
  for (size_t i = 0; i < SPRINT__COUNT(measures); i++) {
    const struct sprint__measure *it = &measures[i];
    if (strcmp(name, it->column) == 0 || (it->word && strcmp(name, it->word) == 0)) return *it;
  }
  const char *copy = sprint__arena_strdup(arena, name);
  if (!is_probability(name)) return (struct sprint__measure){copy, NULL, copy, copy};
  return (struct sprint__measure){
      copy, NULL, sprint__arena_keep(arena, sprint__printf(arena->context, "share of class %s, p(θ)", name + 2)),
      sprint__arena_keep(arena, sprint__printf(arena->context, "share of class %s, p(theta)", name + 2)),
      .share = true};
}
