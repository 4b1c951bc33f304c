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
 * Features: either everybody moves, at each deployment, which takes everybody's response, unless responses are affine
 * in theta': then a mean of parameters moves in their stead. Or whoever is drawn moves, at the moment they are. An
 * evaluation asks where people would be if theta were deployed next, and leaves no mark. State: everybody's features
 * (n, d), or that mean (n_params), where the other shift moves features; p, where it reweights. */
#include <string.h>

#include "shift/wrap.h"

enum movers { EVERYBODY, DRAWN };

struct decay {
  struct sprint__shift_ops ops; /* what the shift within does, and no more */
  struct sprint__wrap wrap;
  double rate;
  enum movers movers;
  bool affine;       /* the state has a mean of parameters, not features */
  size_t n_features; /* in the state, of everybody, or parameters */
  sprint_real *at;   /* (n_params) where the shift within is asked, if affine */
  sprint_real *p;    /* (n_strata) in the state */
};

/* One step from `from` (n) to `to` (n), left in `to`. */
static void approach(const struct decay *s, const sprint_real *from, size_t n, sprint_real *to) {
  for (size_t j = 0; j < n; j++) to[j] = from[j] + (sprint_real)s->rate * (to[j] - from[j]);
}

/* The same, left in `from`. */
static void move(const struct decay *s, sprint_real *from, size_t n, const sprint_real *to) {
  for (size_t j = 0; j < n; j++) from[j] += (sprint_real)s->rate * (to[j] - from[j]);
}

/* The response of individuals start .. is there: they move. */
static void move_on(void *user, size_t start, size_t n, sprint_real *x) {
  sprint_shift *shift = user;
  size_t d = shift->population->d;
  move(shift->impl, shift->state + start * d, n * d, x);
}

static sprint_status decay_deployed(sprint_shift *shift, const sprint_real *theta) {
  const struct decay *s = shift->impl;
  if (!s->affine) return sprint__wrap_everybody(&s->wrap, theta, move_on, shift);
  move(s, shift->state, shift->model->n_params, theta);
  return SPRINT_OK;
}

/* Records from outside have not moved yet: their first step is from the base. */
static sprint_status approach_base(const struct decay *s, const sprint_real *deployed, const sprint_real *y, size_t n,
                                   sprint_real *x) {
  const struct sprint__wrap *wrap = &s->wrap;
  size_t d = wrap->shift->population->d;
  for (size_t start = 0; start < n; start += wrap->piece) {
    size_t rows = n - start < wrap->piece ? n - start : wrap->piece;
    sprint_real *piece = x + start * d;
    memcpy(wrap->x, piece, rows * d * sizeof *piece);
    SPRINT__CALL_PART(wrap->shift, wrap->inner, respond, deployed, NULL, y + start, rows, piece);
    approach(s, wrap->x, rows * d, piece);
  }
  return SPRINT_OK;
}

/* Where people are is a response to the mean of what was deployed. */
static sprint_status respond_to_mean(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                     const sprint_real *y, size_t n, sprint_real *x) {
  const struct decay *s = shift->impl;
  size_t n_params = shift->model->n_params;
  bool moved = deployed == shift->in_force;
  memcpy(s->at, moved ? shift->state : deployed, n_params * sizeof *s->at);
  if (!moved) approach(s, shift->state, n_params, s->at);
  SPRINT__CALL_PART(shift, s->wrap.inner, respond, s->at, who, y, n, x);
  return SPRINT_OK;
}

static sprint_status decay_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                   const sprint_real *y, size_t n, sprint_real *x) {
  const struct decay *s = shift->impl;
  size_t d = shift->population->d;
  bool moved = s->movers == EVERYBODY && deployed == shift->in_force;
  if (!who) return approach_base(s, deployed, y, n, x);
  if (s->affine) return respond_to_mean(shift, deployed, who, y, n, x);
  if (!moved) SPRINT__CALL_PART(shift, s->wrap.inner, respond, deployed, who, y, n, x);
  for (size_t i = 0; i < n; i++) {
    const sprint_real *state = shift->state + who[i] * d;
    if (moved)
      memcpy(x + i * d, state, d * sizeof *x);
    else
      approach(s, state, d, x + i * d);
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

static sprint_status decay_drawn(sprint_shift *shift, const sprint_real *deployed, const struct sprint__drawn *drawn) {
  const struct decay *s = shift->impl;
  if (s->wrap.inner->ops->drawn) SPRINT__CALL_PART(shift, s->wrap.inner, drawn, deployed, drawn);
  size_t d = shift->population->d;
  for (size_t i = 0; s->n_features && s->movers == DRAWN && i < drawn->n; i++)
    memcpy(shift->state + drawn->who[i] * d, drawn->x + i * d, d * sizeof *drawn->x);
  return SPRINT_OK;
}

/* What it does follows from the shift within. */
static void take_after(sprint_shift *shift, const sprint_shift *inner) {
  struct decay *s = shift->impl;
  bool moves = sprint__shift_moves(inner), all_at_once = moves && s->movers == EVERYBODY;
  shift->ops = &s->ops;
  s->ops = (struct sprint__shift_ops){
      .deployed = all_at_once ? decay_deployed : NULL,
      .respond = moves ? decay_respond : NULL,
      .strata = sprint__shift_reweights(inner) ? decay_strata : NULL,
      .drawn = inner->ops->drawn || (moves && !all_at_once) ? decay_drawn : NULL,
      .resumes = true, /* where the shift within does */
  };
  shift->hears_losses = inner->hears_losses;
  shift->keeps_records = moves;
  shift->remembers_deployments = all_at_once;
  shift->uses_theta = inner->uses_theta;
  if (s->ops.strata && shift->uses_theta == SPRINT__USES_THETA_AT_EPOCH) /* p moves on within an epoch, too */
    shift->uses_theta = SPRINT__USES_THETA_AT_DEPLOYMENT;
  shift->asks_losses = inner->asks_losses;
}

/* People and classes start as they are in the population: of a response, that is at parameters of 0. */
static sprint_status start(sprint_shift *shift) {
  struct decay *s = shift->impl;
  const sprint_population *population = shift->population;
  size_t n_params = shift->model->n_params;
  s->affine = s->wrap.inner->affine && s->movers == EVERYBODY;
  if (s->ops.respond) s->n_features = s->affine ? n_params : population->n * population->d;
  shift->n_state = s->n_features + (s->ops.strata ? population->n_strata : 0);
  shift->state = sprint__arena_take(&shift->arena, shift->n_state, sizeof *shift->state);
  if (s->affine) s->at = sprint__arena_take(&shift->arena, n_params, sizeof *s->at);
  SPRINT__TRY(sprint__arena_status(&shift->arena));
  s->p = shift->state + s->n_features;
  if (s->n_features && !s->affine) sprint__population_gather(population, NULL, 0, population->n, shift->state);
  for (size_t c = 0; s->ops.strata && c < population->n_strata; c++) s->p[c] = (sprint_real)population->base_p[c];
  return SPRINT_OK;
}

static sprint_status decay_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct decay *s = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  s->rate = sprint__get_real(section, "rate");
  s->movers = (enum movers)sprint__get_choice(section, "moves");
  SPRINT__TRY(sprint__wrap_new(shift, section, &s->wrap));
  if (!sprint__shift_moves(s->wrap.inner) && !sprint__shift_reweights(s->wrap.inner))
    return sprint__refuse(section, "of", "a shift under which somebody reacts was expected");
  take_after(shift, s->wrap.inner);
  SPRINT__TRY(sprint__shift_say(
      shift, sprint__printf(shift->context, "%s; they go %g of the way at a time", s->wrap.inner->people, s->rate)));
  return start(shift);
}

static const struct sprint__shift_ops decay_ops = {.setup = decay_setup};

static const sprint_param decay_params[] = {
    SPRINT__SECTION("of", "strategic", &sprint__shift_family, "the shift whose response is approached"),
    SPRINT__REAL("rate", "0.5", 1e-9, 1, "the part of the way that is gone at a time; 1: all of it"),
    SPRINT__CHOICE("moves", "everybody", "everybody|drawn",
                   "whose features move: everybody's, at each deployment (n responses each time, but for `linear` and "
                   "`location`); those of whoever is "
                   "drawn, as they are"),
};

const sprint_kind sprint__shift_decay = {"decay", "people go a part of the way to another shift's response at a time",
                                         decay_params, SPRINT__COUNT(decay_params), &decay_ops};
