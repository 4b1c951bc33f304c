/* Geometric decay towards the response of another shift, docs/math.md section 2: people and classes need time. At every
 * deployment all go a fraction `rate` of the way from where they are to where that shift would have them,
 *
 *     x_i := x_i + rate (r_i(theta') - x_i),     p_c := p_c + rate (q_c(theta') - p_c),
 *
 * from the base records and frequencies on. See Brown, Hod, Kalemaj, "Performative prediction in a stateful world"
 * (AISTATS 2022), Li, Wai, "State dependent performative prediction with stochastic approximation" (AISTATS 2022), Ray,
 * Ratliff, Drusvyatskiy, Fazel, "Decision-dependent risk minimization in geometrically decaying dynamic environments"
 * (AAAI 2022).
 *
 * Features: either everybody moves, at each deployment, which takes everybody's response; or whoever is drawn moves, at
 * the moment they are. An evaluation asks where people would be if theta were deployed next, and leaves no mark.
 * State: everybody's features (n, d), where the other shift moves them; p, where it reweights. */
#include "shift/wrap.h"

enum movers { EVERYBODY, DRAWN };

struct decay {
  struct sprint__shift_ops ops; /* what the shift within does, and no more */
  struct sprint__wrap wrap;
  double rate;
  enum movers movers;
  size_t d;       /* features that have a state */
  sprint_real *p; /* (n_strata) in the state */
};

/* One step from `from` (n) to `to` (n), left in `to`. */
static void approach(const struct decay *s, const sprint_real *from, size_t n, sprint_real *to) {
  for (size_t j = 0; j < n; j++) to[j] = from[j] + (sprint_real)s->rate * (to[j] - from[j]);
}

/* The response of individuals start .. is there: they move. */
static void move_on(void *user, size_t start, size_t n, sprint_real *x) {
  sprint_shift *shift = user;
  const struct decay *s = shift->impl;
  sprint_real *state = shift->state + start * s->d;
  for (size_t i = 0; i < n * s->d; i++) state[i] += (sprint_real)s->rate * (x[i] - state[i]);
}

static sprint_status decay_deployed(sprint_shift *shift, const sprint_real *theta) {
  const struct decay *s = shift->impl;
  if (s->wrap.inner->ops->deployed) SPRINT__CALL_PART(shift, s->wrap.inner, deployed, theta);
  return s->d && s->movers == EVERYBODY ? sprint__wrap_everybody(&s->wrap, theta, move_on, shift) : SPRINT_OK;
}

/* Records from outside have not moved yet: their first step is from the base. */
static sprint_status approach_base(const struct decay *s, const sprint_real *deployed, const sprint_real *y, size_t n,
                                   sprint_real *x) {
  const struct sprint__wrap *wrap = &s->wrap;
  size_t d = s->d;
  for (size_t start = 0; start < n; start += wrap->piece) {
    size_t rows = n - start < wrap->piece ? n - start : wrap->piece;
    sprint_real *piece = x + start * d;
    for (size_t i = 0; i < rows * d; i++) wrap->x[i] = piece[i];
    SPRINT__CALL_PART(wrap->shift, wrap->inner, respond, deployed, NULL, y + start, rows, piece);
    approach(s, wrap->x, rows * d, piece);
  }
  return SPRINT_OK;
}

static sprint_status decay_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                   const sprint_real *y, size_t n, sprint_real *x) {
  const struct decay *s = shift->impl;
  bool moved = s->movers == EVERYBODY && deployed == shift->in_force;
  if (!who) return approach_base(s, deployed, y, n, x);
  if (!moved) SPRINT__CALL_PART(shift, s->wrap.inner, respond, deployed, who, y, n, x);
  for (size_t i = 0; i < n; i++) {
    const sprint_real *state = shift->state + who[i] * s->d;
    if (!moved) approach(s, state, s->d, x + i * s->d);
    for (size_t j = 0; moved && j < s->d; j++) x[i * s->d + j] = state[j];
  }
  return SPRINT_OK;
}

/* Where the state is kept rounds, so the sum is taken anew. */
static sprint_status decay_strata(sprint_shift *shift, const sprint_real *deployed, enum sprint__moment moment,
                                  double *ret_p) {
  const struct decay *s = shift->impl;
  size_t n = shift->population->n_strata;
  double sum = 0;
  SPRINT__CALL_PART(shift, s->wrap.inner, strata, deployed, moment, ret_p);
  for (size_t c = 0; c < n; c++) {
    ret_p[c] = (double)s->p[c] + s->rate * (ret_p[c] - (double)s->p[c]);
    if (moment != SPRINT__AT_EVALUATION) ret_p[c] = (double)(s->p[c] = (sprint_real)ret_p[c]);
    sum += ret_p[c];
  }
  for (size_t c = 0; c < n; c++) ret_p[c] /= sum;
  return SPRINT_OK;
}

static sprint_status decay_drawn(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                 const sprint_real *y, size_t n, const sprint_real *x) {
  const struct decay *s = shift->impl;
  if (s->wrap.inner->ops->drawn) SPRINT__CALL_PART(shift, s->wrap.inner, drawn, deployed, who, y, n, x);
  for (size_t i = 0; s->d && s->movers == DRAWN && i < n; i++)
    for (size_t j = 0; j < s->d; j++) shift->state[who[i] * s->d + j] = x[i * s->d + j];
  return SPRINT_OK;
}

/* What it does follows from the shift within. */
static void take_after(sprint_shift *shift, const sprint_shift *inner) {
  struct decay *s = shift->impl;
  bool moves = sprint__shift_moves(inner), all_at_once = moves && s->movers == EVERYBODY;
  shift->ops = &s->ops;
  s->ops = (struct sprint__shift_ops){
      .deployed = inner->ops->deployed || all_at_once ? decay_deployed : NULL,
      .respond = moves ? decay_respond : NULL,
      .strata = sprint__shift_reweights(inner) ? decay_strata : NULL,
      .drawn = inner->ops->drawn || (moves && !all_at_once) ? decay_drawn : NULL,
  };
  shift->keeps_records = moves;
  shift->remembers_deployments = all_at_once || inner->remembers_deployments;
  shift->uses_theta = inner->uses_theta;
  if (s->ops.strata && shift->uses_theta == SPRINT__USES_THETA_AT_EPOCH) /* p moves on within an epoch, too */
    shift->uses_theta = SPRINT__USES_THETA_AT_DEPLOYMENT;
  shift->asks_losses = inner->asks_losses;
}

static sprint_status decay_setup(sprint_shift *shift, const struct sprint__section *section) {
  const sprint_population *population = shift->population;
  struct decay *s = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  s->rate = sprint__get_real(section, "rate");
  s->movers = (enum movers)sprint__get_choice(section, "moves");
  SPRINT__TRY(sprint__wrap_new(shift, section, &s->wrap));
  if (!sprint__shift_moves(s->wrap.inner) && !sprint__shift_reweights(s->wrap.inner))
    return sprint__refuse(section, "of", "a shift under which somebody reacts was expected");
  take_after(shift, s->wrap.inner);
  s->d = s->ops.respond ? population->d : 0;
  shift->n_state = population->n * s->d + (s->ops.strata ? population->n_strata : 0);
  shift->state = sprint__arena_take(&shift->arena, shift->n_state, sizeof *shift->state);
  if (!shift->state) return SPRINT_ERROR_MEMORY;
  s->p = shift->state + population->n * s->d;
  if (s->d) sprint__population_gather(population, NULL, 0, population->n, shift->state);
  for (size_t c = 0; s->ops.strata && c < population->n_strata; c++) s->p[c] = (sprint_real)population->base_p[c];
  return SPRINT_OK;
}

static const struct sprint__shift_ops decay_ops = {.setup = decay_setup};

static const sprint_param decay_params[] = {
    SPRINT__SECTION("of", "strategic", &sprint__shift_family, "the shift whose response is approached"),
    SPRINT__REAL("rate", "0.5", 1e-9, 1, "the part of the way that is gone at a time; 1: all of it"),
    SPRINT__CHOICE("moves", "everybody", "everybody|drawn",
                   "whose features move: everybody's, at each deployment (n responses each time); those of whoever is "
                   "drawn, as they are"),
};

const sprint_kind sprint__shift_decay = {"decay", "people go a part of the way to another shift's response at a time",
                                         decay_params, SPRINT__COUNT(decay_params), &decay_ops};
