/* Mixture, or resample if rejected (Mofakhami, Mitliagkas, Gidel, "Performative prediction with neural networks",
 * AISTATS 2023), docs/math.md section 2: with probability g(x) the deployed model turns an individual away, and
 * somebody else of the same class, drawn from the base population, comes in their place,
 *
 *     p_theta'(x | c) = p(x | c) (1 - g(x) + C_c),  C_c = E[g | c].
 *
 * Whoever is turned away keeps their number, and so their label: within a class it is also that of the newcomer. The
 * uniform number u_i that is held against g, and who would come, are fixed by seed and individual: x_i(theta') is a
 * function of theta' alone, and nobody changes places twice because a model was deployed twice. */
#include <math.h>

#include "population/weights.h"
#include "shift/shift.h"

enum { PIECE = 1024 }; /* rows */

enum rule { BY_PROBABILITY, BY_THRESHOLD };

struct mixture {
  double strength, threshold;
  enum rule rule;
  size_t good;
  uint64_t seed;
  sprint_real *outputs, *odds, *room; /* (PIECE, n_outputs), (PIECE), (PIECE, n_outputs) */
};

static sprint_status mixture_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct mixture *m = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *m);
  if (!m) return SPRINT_ERROR_MEMORY;
  if (!shift->model->ops->outputs || !shift->model->classifies)
    return sprint__refuse(section, "kind", "'mixture' needs a network that tells classes apart; this model does not");
  shift->by_identity = true;
  m->strength = sprint__get_real(section, "strength");
  m->threshold = sprint__get_real(section, "threshold");
  m->rule = (enum rule)sprint__get_choice(section, "rejects");
  if (m->rule != BY_THRESHOLD && sprint__get(section, "threshold")->given)
    return sprint__refuse(section, "threshold",
                          "people are rejected by their probability; rejects: threshold was expected");
  m->seed = (uint64_t)sprint__get_integer(section, "seed");
  SPRINT__TRY(sprint__wish_class(section, shift->population, &m->good));
  SPRINT__TRY(sprint__shift_say(
      shift, sprint__printf(shift->context,
                            "people want %s = %s; whoever the model turns away is replaced by somebody of the "
                            "same class",
                            shift->population->label_name, shift->population->class_names[m->good])));
  m->outputs = sprint__arena_take(&shift->arena, PIECE, shift->model->n_outputs * sizeof *m->outputs);
  m->odds = sprint__arena_take(&shift->arena, PIECE, sizeof *m->odds);
  m->room = sprint__arena_take(&shift->arena, PIECE, shift->model->n_outputs * sizeof *m->room);
  return sprint__arena_status(&shift->arena);
}

/* g, from the log-odds of the good class. */
static double rejection(const struct mixture *m, double odds) {
  double good = 1 / (1 + exp(-odds));
  if (m->rule == BY_THRESHOLD) return good < m->threshold ? m->strength : 0;
  return m->strength * (1 - good);
}

/* x (d) of individual i becomes that of the newcomer, where g is more than their uniform number. */
static void maybe_replace(const sprint_shift *shift, uint32_t i, double g, sprint_real *x) {
  const struct mixture *m = shift->impl;
  const sprint_population *population = shift->population;
  struct sprint__random words = sprint__random_words(m->seed, SPRINT__FOR_MIXTURE, 0, i);
  if (!(sprint__uniform(words.a) < g)) return;
  uint32_t other = sprint__weights_draw(population, sprint__population_stratum(population, i), words.b);
  sprint__population_gather(population, &other, 0, 1, x);
}

/* Records from outside have no number, and so nothing that could be held against g: they stay. */
static sprint_status mixture_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                     const sprint_real *y, size_t n, sprint_real *x) {
  (void)y;
  const struct mixture *m = shift->impl;
  size_t d = shift->population->d;
  if (!who) return SPRINT_OK;
  shift->evals += n;
  for (size_t start = 0; start < n; start += PIECE) {
    size_t rows = n - start < PIECE ? n - start : PIECE;
    SPRINT__TRY(sprint_model_outputs(shift->model, deployed, x + start * d, rows, m->outputs));
    sprint__network_log_odds(shift->model, m->outputs, rows, m->good, m->odds, m->room);
    for (size_t i = 0; i < rows; i++)
      maybe_replace(shift, who[start + i], rejection(m, (double)m->odds[i]), x + (start + i) * d);
  }
  return SPRINT_OK;
}

static const struct sprint__shift_ops mixture_ops = {
    .setup = mixture_setup, .respond = mixture_respond, .resumes = true};

static const sprint_param mixture_params[] = {
    SPRINT__REAL("strength", "1", 0, 1, "the probability that somebody who is surely rejected is replaced"),
    SPRINT__CHOICE("rejects", "probability", "probability|threshold",
                   "how the model turns people away: with the probability that they are not of the good class; all "
                   "whose probability of it is below the threshold"),
    SPRINT__REAL("threshold", "0.5", 0, 1, "of the good class's probability"),
    SPRINT__TEXT("good", "", SPRINT__GOOD_HELP),
    SPRINT__INTEGER("seed", "1", 0, 1e15, "of who is replaced first, and by whom"),
};

const sprint_kind sprint__shift_mixture = {
    "mixture", "whoever the model rejects is replaced by somebody of the same class: resample if rejected",
    mixture_params, SPRINT__COUNT(mixture_params), &mixture_ops};
