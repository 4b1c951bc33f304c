/* Opinion dynamics (Friedkin, Johnsen, "Social influence and opinions", 1990), docs/math.md section 2: people respond
 * to the deployed model as another shift has it, r(theta'), and talk about it. With W who listens to whom,
 * row-stochastic,
 *
 *     x := lambda W x + (1 - lambda) r(theta')                                        a round
 *     x* = (1 - lambda) (I - lambda W)^-1 r(theta')                                   where rounds lead
 *
 * in each feature by itself. A round brings x closer to x* by a factor lambda in the largest of all differences, so
 * that x* is reached by rounds. Either people talk until nothing changes, from r(theta') on: D(theta') is a function of
 * theta' alone. Or they have some rounds at each deployment and go on from there at the next; an evaluation then asks
 * where they would be if theta were deployed next, and leaves no mark. Both take everybody's response at each
 * deployment. State: everybody's opinions under the deployment in force (n, n_columns). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fast.h"
#include "shift/contacts.h"
#include "shift/wrap.h"

#define ROUNDING (sizeof(sprint_real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON)

enum until { EQUILIBRIUM, ROUNDS };

struct opinion {
  struct sprint__wrap wrap;
  struct sprint__contacts contacts;
  sprint_real lambda;
  enum until until;
  size_t n_rounds; /* of a deployment */
  size_t n_columns, *columns;
  sprint_real *target, *next; /* (n, n_columns) r(theta'); what a round leaves */
  /* The newest answer to "what if": opinions (n, n_columns) at theta (n_params), and what they cost in evaluations. */
  sprint_real *supposed, *theta;
  bool supposed_known;
  uint64_t supposed_evals;
};

static void take_target(void *user, size_t start, size_t n, sprint_real *x) {
  const struct opinion *s = user;
  size_t d = s->wrap.shift->population->d;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < s->n_columns; k++) s->target[(start + i) * s->n_columns + k] = x[i * d + s->columns[k]];
}

/* What one person thinks after listening: to (n_columns). */
SPRINT__FAST static void listen(const struct opinion *s, size_t i, const sprint_real *restrict from,
                                sprint_real *restrict to) {
  const struct sprint__contacts *contacts = &s->contacts;
  size_t n = s->n_columns;
  const sprint_real *target = s->target + i * n, own = 1 - s->lambda;
  for (size_t k = 0; k < n; k++) to[k] = own * target[k];
  for (size_t e = contacts->start[i]; e < contacts->start[i + 1]; e++) {
    const sprint_real *other = from + contacts->whom[e] * n, weight = s->lambda * contacts->weight[e];
    for (size_t k = 0; k < n; k++) to[k] += weight * other[k];
  }
}

static void listen_lane(void *user, int lane, size_t start, size_t end) {
  (void)lane;
  const struct opinion *s = user;
  for (size_t i = start; i < end; i++) listen(s, i, s->supposed, s->next + i * s->n_columns);
}

/* One round on s->supposed. */
static void talk(struct opinion *s) {
  const struct sprint__contacts *contacts = &s->contacts;
  size_t n = contacts->n;
  double cost = 2.0 * (double)s->n_columns * (double)(contacts->start[n] + n) / (double)n;
  sprint__lanes_run(s->wrap.shift->context, n, sprint__lanes_for(n, cost, 0), listen_lane, s);
  sprint_real *before = s->supposed;
  s->supposed = s->next;
  s->next = before;
}

static size_t n_reals(const struct opinion *s) { return s->contacts.n * s->n_columns; }

/* s->supposed := everybody's opinions if theta were deployed next, unless they are known. */
static sprint_status suppose(sprint_shift *shift, const sprint_real *theta) {
  struct opinion *s = shift->impl;
  size_t n_params = shift->model->n_params;
  if (s->supposed_known && memcmp(theta, s->theta, n_params * sizeof *theta) == 0) return SPRINT_OK;
  uint64_t before = shift->evals;
  s->supposed_known = false;
  SPRINT__TRY(sprint__wrap_everybody(&s->wrap, theta, take_target, s));
  memcpy(s->supposed, s->until == EQUILIBRIUM ? s->target : shift->state, n_reals(s) * sizeof *s->supposed);
  for (size_t k = 0; k < s->n_rounds; k++) talk(s);
  memcpy(s->theta, theta, n_params * sizeof *theta);
  s->supposed_known = true;
  s->supposed_evals = shift->evals - before;
  return SPRINT_OK;
}

/* What a deployment costs does not depend on whether somebody asked about it before. */
static sprint_status opinion_deployed(sprint_shift *shift, const sprint_real *theta) {
  struct opinion *s = shift->impl;
  uint64_t before = shift->evals;
  SPRINT__TRY(suppose(shift, theta));
  memcpy(shift->state, s->supposed, n_reals(s) * sizeof *shift->state);
  shift->evals = before + s->supposed_evals;
  if (s->until == ROUNDS) s->supposed_known = false; /* it was from where people stood */
  return SPRINT_OK;
}

/* Records from outside know nobody: what the shift within says. */
static sprint_status opinion_respond(sprint_shift *shift, const sprint_real *deployed, const uint32_t *who,
                                     const sprint_real *y, size_t n, sprint_real *x) {
  const struct opinion *s = shift->impl;
  size_t d = shift->population->d;
  bool others = !who || s->n_columns < d; /* features that nobody talks about */
  bool in_force = deployed == shift->in_force;
  if (who && !in_force) SPRINT__TRY(suppose(shift, deployed));
  const sprint_real *opinions = in_force ? shift->state : s->supposed;
  if (others) SPRINT__CALL_PART(shift, s->wrap.inner, respond, deployed, who, y, n, x);
  for (size_t i = 0; who && i < n; i++)
    for (size_t k = 0; k < s->n_columns; k++) x[i * d + s->columns[k]] = opinions[who[i] * s->n_columns + k];
  return SPRINT_OK;
}

/* (n, n_columns) */
static sprint_real *room_for(sprint_shift *shift) {
  const struct opinion *s = shift->impl;
  return sprint__arena_take(&shift->arena, shift->population->n, s->n_columns * sizeof(sprint_real));
}

/* People start with their base records. */
static sprint_status start(sprint_shift *shift) {
  struct opinion *s = shift->impl;
  shift->n_state = n_reals(s);
  shift->state = room_for(shift);
  s->target = room_for(shift);
  s->next = room_for(shift);
  s->supposed = room_for(shift);
  s->theta = sprint__arena_take(&shift->arena, shift->model->n_params, sizeof *s->theta);
  SPRINT__TRY(sprint__arena_status(&shift->arena));
  for (uint32_t i = 0; i < s->contacts.n; i++) {
    sprint__population_gather(shift->population, &i, 0, 1, s->wrap.x);
    for (size_t k = 0; k < s->n_columns; k++) shift->state[i * s->n_columns + k] = s->wrap.x[s->columns[k]];
  }
  return SPRINT_OK;
}

/* lambda^k of what is missing at the start is missing after k rounds: so many until it is a rounding. */
static size_t rounds_to_equilibrium(double lambda) {
  return lambda > 0 ? (size_t)ceil(log(ROUNDING) / log(lambda)) + 1 : 1;
}

static sprint_status opinion_setup(sprint_shift *shift, const struct sprint__section *section) {
  struct opinion *s = shift->impl = sprint__arena_take(&shift->arena, 1, sizeof *s);
  if (!s) return SPRINT_ERROR_MEMORY;
  double lambda = sprint__get_real(section, "susceptibility");
  s->lambda = (sprint_real)lambda;
  s->until = (enum until)sprint__get_choice(section, "until");
  if (s->until == EQUILIBRIUM && sprint__get(section, "rounds")->given)
    return sprint__refuse(section, "rounds", "people talk until nothing changes; until: rounds was expected");
  s->n_rounds =
      s->until == EQUILIBRIUM ? rounds_to_equilibrium(lambda) : (size_t)sprint__get_integer(section, "rounds");
  shift->keeps_records = true; /* of `equilibrium` too: asking again would take everybody's response again */
  shift->remembers_deployments = true;
  SPRINT__TRY(sprint__wrap_new(shift, section, &s->wrap));
  if (!sprint__shift_moves(s->wrap.inner) || sprint__shift_reweights(s->wrap.inner))
    return sprint__refuse(section, "of", "a shift that moves features, and does no more, was expected");
  SPRINT__TRY(sprint__shift_columns(shift, section, &s->columns, &s->n_columns));
  SPRINT__TRY(sprint__contacts_read(shift, section, &s->contacts));
  SPRINT__TRY(
      sprint__shift_say(shift, sprint__printf(shift->context, "%s; they listen to each other (susceptibility %g)",
                                              s->wrap.inner->people, lambda)));
  return start(shift);
}

/* The newest "what if" too: asking again would cost evaluations. */
static void opinion_remember(sprint_shift *shift, struct sprint__state *state) {
  struct opinion *s = shift->impl;
  SPRINT__KEEP_FLAG(state, s->supposed_known);
  if (!s->supposed_known) return;
  SPRINT__KEEP_ARRAY(state, s->supposed, n_reals(s));
  SPRINT__KEEP_ARRAY(state, s->theta, shift->model->n_params);
  SPRINT__KEEP(state, s->supposed_evals);
}

static const struct sprint__shift_ops opinion_ops = {
    .setup = opinion_setup,
    .remember = opinion_remember,
    .resumes = true,
    .deployed = opinion_deployed,
    .respond = opinion_respond,
};

static const sprint_param opinion_params[] = {
    SPRINT__SECTION("of", "strategic", &sprint__shift_family, "how people would respond by themselves"),
    SPRINT__REAL("susceptibility", "0.5", 0, 0.99, "lambda: what others count for, against one's own response"),
    SPRINT__CHOICE("until", "equilibrium", "equilibrium|rounds",
                   "how long people talk at a deployment: until nothing changes; some rounds, going on from those of "
                   "the deployment before"),
    SPRINT__INTEGER("rounds", "1", 1, 1e6, "of talk at a deployment"),
    SPRINT__TEXT("network", "",
                 "who listens to whom: a .npy matrix (listeners, speakers) of weights, or a CSV with the columns "
                 "listener, speaker, weight; individuals are numbered from 0, as loaded; default a ring"),
    SPRINT__INTEGER("neighbours", "1", 1, 1e6, "of the ring, on either side"),
    SPRINT__TEXTS("columns", "", "the features that people talk about, by name; default all that are numbers"),
};

const sprint_kind sprint__shift_opinion = {"opinion",
                                           "people respond by another shift and talk about it: Friedkin-Johnsen",
                                           opinion_params, SPRINT__COUNT(opinion_params), &opinion_ops};
